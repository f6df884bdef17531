//! What a proof says at each place, by where other threads are.

use super::Cases;
use crate::System;
use crate::outline::constraint_of;
use crate::system::ControlPointId;
use rely_base::{Budget, Id};
use rely_evidence::rely_guarantee::{ControlPoint, Cube, RelyGuarantee};
use rely_logic::{Conjunction, Constraint, Domain, Entailment, Integer, LinearForm, Relation, VarId};
use rely_program::analysis::Ranges;
use rely_program::{Expr, Scope, ThreadId, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// More cases than this are no shorter proof.
const MOST_CASES: usize = 1_000;
/// So many comparisons of a thread are tried at each of its places, the simplest ones.
const MOST_CANDIDATES: usize = 150;
/// Bounds beyond this are those of a type.
const WIDE: Value = 1 << 30;

/// A comparison of a case.
pub(super) struct Candidate {
    pub(super) constraint: Constraint,
    /// Whether it is part of what is inductive.
    pub(super) is_held: bool,
    /// Whether the proof needs it.
    pub(super) is_needed: bool,
    /// How hard it is to read. What holds at every place of its thread is easier: it need be understood only once.
    pub(super) difficulty: usize,
}

/// What holds of a thread at a place while the others are where the key says.
pub(super) struct Case {
    /// Where each of the threads is that are told apart.
    pub(super) key: Vec<ControlPointId>,
    pub(super) atoms: Vec<Candidate>,
}

/// A case by its thread, its place and its number there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct CaseId {
    pub(super) thread: ThreadId,
    pub(super) point: ControlPointId,
    pub(super) number: usize,
}

/// All cases.
pub(super) struct Table {
    /// The threads whose places are told apart.
    pub(super) told: Vec<ThreadId>,
    /// By thread and place.
    pub(super) at: Vec<Vec<Vec<Case>>>,
    found: FxHashMap<(ThreadId, ControlPointId, Vec<ControlPointId>), usize>,
    suggestions: Suggestions,
}

impl Table {
    pub(super) fn new(
        system: &System<'_>,
        proof: &RelyGuarantee,
        cases: Cases,
        budget: &Budget,
    ) -> Option<Self> {
        let mut told: Vec<ThreadId> = Vec::new();
        if cases == Cases::ByPlaces {
            let cubes = proof.threads.iter().flat_map(|entry| &entry.at).flat_map(|(_, cubes)| cubes);
            told.extend(cubes.flat_map(|cube| &cube.others).map(|(other, _)| *other));
            told.sort_unstable();
            told.dedup();
            if told.is_empty() {
                return None;
            }
        }
        let at = system.threads.iter().map(|thread| thread.points.iter().map(|_| Vec::new()).collect());
        let mut table = Table {
            told,
            at: at.collect(),
            found: FxHashMap::default(),
            suggestions: Suggestions::new(system),
        };
        for entry in &proof.threads {
            let pool = pool(system, proof, entry.thread);
            for (point, cubes) in &entry.at {
                let point = system.point(entry.thread, *point);
                table.add(system, (entry.thread, point), cubes, &pool, budget)?;
            }
        }
        Some(table)
    }

    fn add(
        &mut self,
        system: &System<'_>,
        (thread, point): (ThreadId, ControlPointId),
        cubes: &[Cube],
        pool: &[Constraint],
        budget: &Budget,
    ) -> Option<()> {
        let mut keys: Vec<(Vec<ControlPointId>, Vec<&Cube>)> = Vec::new();
        for cube in cubes {
            for key in self.keys(system, (thread, point), cube)? {
                match keys.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, cubes)) => cubes.push(cube),
                    None => keys.push((key, vec![cube])),
                }
            }
        }
        let suggested = self.suggested(system, (thread, point));
        for (key, cubes) in keys {
            let here = &mut self.at[thread.index()][point.index()];
            self.found.insert((thread, point, key.clone()), here.len());
            let mut common = common(system, thread, &cubes, pool, budget)?;
            let new: Vec<Constraint> =
                suggested.iter().filter(|one| !common.contains(one)).cloned().collect();
            common.extend(new);
            let candidate = |constraint| {
                let difficulty = difficulty(system, &constraint);
                Candidate { constraint, is_held: true, is_needed: false, difficulty }
            };
            here.push(Case { key, atoms: common.into_iter().map(candidate).collect() });
        }
        (self.found.len() <= MOST_CASES).then_some(())
    }

    /// What may hold besides at a place; whether it does is found out.
    fn suggested(&self, system: &System<'_>, (thread, point): (ThreadId, ControlPointId)) -> Vec<Constraint> {
        let is_visible = |constraint: &&Constraint| {
            constraint.form().variables().all(|cell| match system.cells.owner(cell) {
                Some(owner) => owner == thread || !system.thread(owner).is_template,
                None => true,
            })
        };
        let own = self.suggestions.by_place.get(&(thread, point)).into_iter().flatten();
        system.sums.iter().chain(own).filter(is_visible).cloned().collect()
    }

    /// All ways to be where a cube says.
    fn keys(
        &self,
        system: &System<'_>,
        (thread, point): (ThreadId, ControlPointId),
        cube: &Cube,
    ) -> Option<Vec<Vec<ControlPointId>>> {
        let mut keys = vec![Vec::new()];
        for &told in &self.told {
            let named = cube.others.iter().find(|(other, _)| *other == told);
            let points: Vec<ControlPointId> = match named {
                _ if told == thread => vec![point],
                Some((_, points)) => points.iter().map(|point| system.point(told, *point)).collect(),
                None => (0..system.thread(told).points.len()).map(ControlPointId::from_index).collect(),
            };
            let longer = |key: Vec<ControlPointId>| {
                points
                    .iter()
                    .map(move |point| key.iter().copied().chain([*point]).collect())
                    .collect::<Vec<_>>()
            };
            keys = keys.into_iter().flat_map(longer).collect();
            if keys.len() > MOST_CASES {
                return None;
            }
        }
        Some(keys)
    }

    /// The threads that are told apart, other than this one, with their positions in keys.
    pub(super) fn others(&self, thread: ThreadId) -> impl Iterator<Item = (usize, ThreadId)> + '_ {
        self.told.iter().copied().enumerate().filter(move |(_, other)| *other != thread)
    }

    pub(super) fn get(&self, id: CaseId) -> &Case {
        &self.at[id.thread.index()][id.point.index()][id.number]
    }

    pub(super) fn atom_mut(&mut self, id: CaseId, atom: usize) -> &mut Candidate {
        &mut self.at[id.thread.index()][id.point.index()][id.number].atoms[atom]
    }

    /// The case of a thread at a place with a key.
    pub(super) fn find(
        &self,
        thread: ThreadId,
        point: ControlPointId,
        key: &[ControlPointId],
    ) -> Option<CaseId> {
        let number = *self.found.get(&(thread, point, key.to_vec()))?;
        Some(CaseId { thread, point, number })
    }

    /// Notices what holds at every place of its thread.
    pub(super) fn notice_common(&mut self) {
        for points in &mut self.at {
            let cases = points.iter().flatten();
            let held = |case: &Case| -> FxHashSet<Constraint> {
                let held = case.atoms.iter().filter(|atom| atom.is_held);
                held.map(|atom| atom.constraint.clone()).collect()
            };
            let common = cases.map(held).reduce(|left, right| left.intersection(&right).cloned().collect());
            let common = common.unwrap_or_default();
            for atom in points.iter_mut().flatten().flat_map(|case| &mut case.atoms) {
                if common.contains(&atom.constraint) {
                    atom.difficulty /= 4;
                }
            }
        }
    }

    /// All cases of a thread.
    pub(super) fn cases(&self, thread: ThreadId) -> impl Iterator<Item = CaseId> + '_ {
        let points = self.at[thread.index()].iter().enumerate();
        points.flat_map(move |(point, cases)| {
            let point = ControlPointId::from_index(point);
            (0..cases.len()).map(move |number| CaseId { thread, point, number })
        })
    }
}

/// Comparisons that no proof need mention: in which range an analysis knows local variables to be.
struct Suggestions {
    by_place: FxHashMap<(ThreadId, ControlPointId), Vec<Constraint>>,
}

impl Suggestions {
    fn new(system: &System<'_>) -> Self {
        let ranges = Ranges::new(system.program);
        let mut by_place: FxHashMap<(ThreadId, ControlPointId), Vec<Constraint>> = FxHashMap::default();
        for (location, at) in system.program.locations().iter() {
            let Some(known) = ranges.at(location) else { continue };
            let point = system.point(at.thread, ControlPoint::At(location));
            let facts = by_place.entry((at.thread, point)).or_default();
            let vars = system.program.vars().iter();
            for (var, _) in
                vars.filter(|(_, var)| var.scope == Scope::Local(at.thread) && var.length.is_none())
            {
                let range = ranges.of(known, &Expr::Var(var));
                let cell = LinearForm::variable(system.cells.cell(var, 0));
                let bound = |value: Option<Value>| {
                    let value = value.filter(|value| (-WIDE..=WIDE).contains(value))?;
                    Some(LinearForm::constant(Integer::from(value)))
                };
                facts.extend(bound(range.low()).map(|low| Constraint::ge(&cell, &low)));
                facts.extend(bound(range.high()).map(|high| Constraint::le(&cell, &high)));
            }
        }
        Suggestions { by_place }
    }
}

/// The comparisons that a proof makes at the places of a thread, and bounds instead of equations: the simplest first.
fn pool(system: &System<'_>, proof: &RelyGuarantee, thread: ThreadId) -> Vec<Constraint> {
    let own = proof.threads.iter().filter(|entry| entry.thread == thread).flat_map(|entry| &entry.at);
    let atoms = own.flat_map(|(_, cubes)| cubes).flat_map(|cube| &cube.atoms);
    let mut pool: Vec<Constraint> = Vec::new();
    for constraint in atoms.filter_map(|atom| constraint_of(system, thread, atom)) {
        let zero = LinearForm::constant(0);
        if constraint.relation() == Relation::Eq {
            pool.push(Constraint::le(constraint.form(), &zero));
            pool.push(Constraint::ge(constraint.form(), &zero));
        }
        pool.push(constraint);
    }
    pool.sort_by_key(|constraint| (difficulty(system, constraint), format!("{constraint:?}")));
    pool.dedup();
    pool.truncate(MOST_CANDIDATES);
    pool
}

/// How hard a comparison is to read.
fn difficulty(system: &System<'_>, constraint: &Constraint) -> usize {
    let is_temporary = |cell: VarId| {
        let name = system.cells.variable(cell).map(|(var, _)| &system.program.vars()[var].name);
        name.is_some_and(|name| name.contains('$'))
    };
    let form = constraint.form();
    let temporaries = form.variables().filter(|&cell| is_temporary(cell)).count();
    let digits = form.constant_term().to_string().len();
    let relation = match constraint.relation() {
        Relation::Eq => 0,
        Relation::Le | Relation::Lt => 4,
        Relation::Ne => 5,
    };
    1_000 * temporaries + 10 * form.terms().len() + 2 * digits + relation
}

/// What follows from each of the cubes.
fn common(
    system: &System<'_>,
    thread: ThreadId,
    cubes: &[&Cube],
    pool: &[Constraint],
    budget: &Budget,
) -> Option<Vec<Constraint>> {
    let mut left: Vec<Constraint> = pool.to_vec();
    for cube in cubes {
        budget.check_now().ok()?;
        let mut solver = Conjunction::with_limits(Domain::Integers, system.limits.solver);
        solver.set_proofs(false);
        for constraint in cube.atoms.iter().filter_map(|atom| constraint_of(system, thread, atom)) {
            solver.assert(&constraint);
        }
        left.retain(|constraint| solver.entails(constraint, budget) == Entailment::Yes);
    }
    Some(left)
}
