//! Ghost variables: what a proof says about threads and locks, for formulas of C.
//!
//! C has no name for the place where another thread is, nor for the state of a lock. A witness may
//! declare variables that the program does not have, and say which statements change them. There
//! are three kinds:
//!
//! * the place of a thread that is started at most once: a number for each part of its code that
//!   the proof tells apart;
//! * for a function that several threads run, how many of them are in each such part; which of
//!   them it is cannot be said, since they do the same statements;
//! * whether a lock is taken.
//!
//! Places are [regions](super::regions), so they change with statements of one step only. What
//! cannot be said is left out: places of threads of which there may be any number, or in code that
//! several kinds of threads run; locks that statements of several steps take or release, as waiting
//! for a condition does; and the values of variables that only another thread can see.

use super::invariants::ProofContext;
use super::locks::lock_uses;
use super::regions::{Region, Regions, Whereabouts};
use super::statements::{Statement, Texts, single_steps};
use rely_base::{Arena, Span, define_id};
use rely_evidence::rely_guarantee::{Atom, Comparison, Cube, Quantity};
use rely_program::analysis::Graph;
use rely_program::{EdgeId, Initial, LocationId, Place, ThreadId, ThreadKind, VarId};
use std::collections::{BTreeMap, BTreeSet};

define_id!(
    /// A ghost variable of a witness.
    pub struct GhostId
);

/// A variable that only the witness has, a number from 0 on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GhostVariable {
    /// Its name, which the program does not use.
    pub name: String,
    /// Its value at the beginning.
    pub initial: i64,
    /// Its greatest value.
    pub greatest: i64,
}

/// What a statement does to a ghost variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GhostChange {
    /// It gets this value.
    Set(i64),
    /// This is added to it.
    Add(i64),
}

/// A statement that changes ghost variables, in the same step.
#[derive(Clone, Debug)]
pub struct GhostUpdate {
    /// The statement.
    pub span: Span,
    /// The function around it.
    pub function: Option<String>,
    /// The edges of the front end's program that are this statement.
    pub edges: Vec<EdgeId>,
    /// What changes.
    pub changes: Vec<(GhostId, GhostChange)>,
}

/// The ghost variables of a witness.
#[derive(Clone, Debug, Default)]
pub struct Ghosts {
    /// The variables.
    pub variables: Arena<GhostId, GhostVariable>,
    /// What changes them.
    pub updates: Vec<GhostUpdate>,
}

/// A ghost variable has one of these values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GhostFact {
    /// The variable.
    pub ghost: GhostId,
    /// The values, not all that it can have.
    pub values: BTreeSet<i64>,
}

impl Ghosts {
    /// A fact as an expression of C.
    pub(super) fn text(&self, fact: &GhostFact) -> String {
        let GhostVariable { name, greatest, .. } = &self.variables[fact.ghost];
        let (values, count) = (&fact.values, fact.values.len() as i64);
        let missing: Vec<i64> = (0..=*greatest).filter(|value| !values.contains(value)).collect();
        match (values.first(), values.last(), missing.as_slice()) {
            (Some(only), _, _) if count == 1 => format!("{name} == {only}"),
            (_, _, [only]) => format!("{name} != {only}"),
            (Some(0), Some(last), _) if last + 1 == count => format!("{name} <= {last}"),
            (Some(first), Some(last), _) if last == greatest && last - first + 1 == count => {
                format!("{name} >= {first}")
            }
            _ => {
                let each: Vec<String> = values.iter().map(|value| format!("{name} == {value}")).collect();
                format!("({})", each.join(" || "))
            }
        }
    }

    /// Without the variables of which nothing is said, and where the others have gone.
    pub(super) fn only(self, used: &BTreeSet<GhostId>) -> (Self, BTreeMap<GhostId, GhostId>) {
        let mut kept = Self::default();
        let mut places = BTreeMap::new();
        for (id, variable) in self.variables.iter().filter(|(id, _)| used.contains(id)) {
            places.insert(id, kept.variables.push(variable.clone()));
        }
        for update in self.updates {
            let changes = update.changes.iter();
            let changes: Vec<(GhostId, GhostChange)> =
                changes.filter_map(|&(ghost, change)| Some((*places.get(&ghost)?, change))).collect();
            if !changes.is_empty() {
                kept.updates.push(GhostUpdate { changes, ..update });
            }
        }
        (kept, places)
    }
}

/// The code of one thread of the front end's program, in the parts that the proof tells apart.
struct Track {
    /// The threads of the engine's program that run it.
    instances: Vec<ThreadId>,
    parts: BTreeMap<Region, usize>,
    /// One for the place of the only instance, or one for each part.
    ghosts: Vec<GhostId>,
}

impl Track {
    fn part_count(&self) -> usize {
        self.parts.values().max().map_or(0, |last| last + 1)
    }

    fn parts_of(&self, regions: &BTreeSet<Region>) -> BTreeSet<usize> {
        regions.iter().filter_map(|region| self.parts.get(region)).copied().collect()
    }
}

/// Turns what a proof says into facts about ghost variables.
pub(super) struct Speaker<'c> {
    context: &'c ProofContext<'c>,
    regions: Regions,
    whereabouts: Whereabouts,
    tracks: BTreeMap<ThreadId, Track>,
    locks: BTreeMap<VarId, GhostId>,
    pub(super) ghosts: Ghosts,
}

impl<'c> Speaker<'c> {
    /// For proofs in which these cubes are to be told.
    pub(super) fn new(
        context: &'c ProofContext<'c>,
        graph: &Graph,
        texts: &Texts<'_>,
        told: &[Cube],
    ) -> Self {
        let watched = single_steps(context.program, graph, texts);
        let regions = Regions::new(context.program, &watched);
        let whereabouts = Whereabouts::new(context, &regions);
        let mut speaker = Self {
            context,
            regions,
            whereabouts,
            tracks: BTreeMap::new(),
            locks: BTreeMap::new(),
            ghosts: Ghosts::default(),
        };
        speaker.follow_threads(told, texts);
        let locks = speaker.follow_locks(&watched, texts);
        speaker.ghosts.updates = watched
            .iter()
            .enumerate()
            .filter_map(|(index, statement)| speaker.update(statement, locks.get(&index), texts))
            .collect();
        speaker
    }

    /// Finds the parts of each thread's code, and declares variables for them.
    fn follow_threads(&mut self, told: &[Cube], texts: &Texts<'_>) {
        let (program, prepared) = (self.context.program, self.context.prepared);
        for (thread, declaration) in program.threads().iter() {
            let runs = |id: &ThreadId| self.context.back.thread(*id) == thread;
            let instances: Vec<ThreadId> = prepared.threads().ids().filter(runs).collect();
            let is_any = |id: &ThreadId| prepared.threads()[*id].kind == ThreadKind::Template;
            if instances.is_empty() || instances.iter().any(is_any) {
                continue;
            }
            let parts = self.parts(thread, &instances, told);
            let mut track = Track { instances, parts, ghosts: Vec::new() };
            let count = track.part_count();
            if count < 2 {
                continue;
            }
            let name: String = declaration
                .name
                .chars()
                .map(|it| if it.is_ascii_alphanumeric() { it } else { '_' })
                .collect();
            let start = track.parts[&self.regions.at_first(program, thread)];
            let threads = track.instances.len() as i64;
            let mut declare = |name: String, initial: usize, greatest: usize| {
                let name = texts.unused(&name);
                self.ghosts.variables.push(GhostVariable {
                    name,
                    initial: initial as i64,
                    greatest: greatest as i64,
                })
            };
            track.ghosts = match threads {
                1 => vec![declare(format!("rely_{name}_at"), start, count - 1)],
                _ => (0..count)
                    .map(|part| {
                        let initial = if part == start { threads as usize } else { 0 };
                        declare(format!("rely_{name}_in_{part}"), initial, threads as usize)
                    })
                    .collect(),
            };
            self.tracks.insert(thread, track);
        }
    }

    /// The parts of a thread's code: regions that all cubes treat alike are one.
    fn parts(&self, thread: ThreadId, instances: &[ThreadId], told: &[Cube]) -> BTreeMap<Region, usize> {
        let mentions = told.iter().flat_map(|cube| &cube.others);
        let sets: BTreeSet<BTreeSet<Region>> = mentions
            .filter(|(other, _)| instances.contains(other))
            .map(|(other, points)| self.whereabouts.of(*other, points))
            .collect();
        let mut numbers: BTreeMap<Vec<bool>, usize> = BTreeMap::new();
        let mut parts = BTreeMap::new();
        for region in self.regions.of_thread(self.context.program, thread) {
            let looks: Vec<bool> = sets.iter().map(|set| set.contains(&region)).collect();
            let next = numbers.len();
            parts.insert(region, *numbers.entry(looks).or_insert(next));
        }
        parts
    }

    /// Declares variables for locks. Returns which of the statements take and release them.
    fn follow_locks(
        &mut self,
        watched: &[Statement],
        texts: &Texts<'_>,
    ) -> BTreeMap<usize, Vec<(VarId, i64)>> {
        let program = self.context.program;
        let mut statements: BTreeMap<usize, Vec<(VarId, i64)>> = BTreeMap::new();
        for (var, declaration) in program.vars().iter() {
            let text = declaration.span.and_then(|span| Some((texts.find(span.file)?, span.start as usize)));
            let is_lock = text.is_some_and(|(text, declared)| text.is_lock(declared, &declaration.name));
            let is_free = declaration.initial == Initial::Values(vec![0]);
            if !(is_lock && is_free && declaration.is_global() && declaration.length.is_none()) {
                continue;
            }
            let Some(uses) = lock_uses(self.context, var, watched) else { continue };
            for (statement, value) in uses {
                statements.entry(statement).or_default().push((var, value));
            }
            let name = texts.unused(&format!("rely_{}_locked", declaration.name));
            let ghost = self.ghosts.variables.push(GhostVariable { name, initial: 0, greatest: 1 });
            self.locks.insert(var, ghost);
        }
        statements
    }

    fn update(
        &self,
        statement: &Statement,
        locks: Option<&Vec<(VarId, i64)>>,
        texts: &Texts<'_>,
    ) -> Option<GhostUpdate> {
        let mut changes: BTreeMap<GhostId, GhostChange> = BTreeMap::new();
        for step in self.regions.moves(self.context.program, statement) {
            let Some(track) = self.tracks.get(&step.thread) else { continue };
            let (from, to) = (track.parts[&step.from], track.parts[&step.to]);
            match track.ghosts.as_slice() {
                _ if from == to => {}
                [place] => {
                    changes.insert(*place, GhostChange::Set(to as i64));
                }
                counts => {
                    add(&mut changes, counts[from], -1);
                    add(&mut changes, counts[to], 1);
                }
            }
        }
        let locks = locks.into_iter().flatten();
        let locked = locks.map(|(var, value)| (self.locks[var], GhostChange::Set(*value)));
        let changes: Vec<(GhostId, GhostChange)> = changes.into_iter().chain(locked).collect();
        let function = texts.get(statement.span.file).function(statement.span.start as usize);
        (!changes.is_empty()).then(|| GhostUpdate {
            span: statement.span,
            function: function.map(str::to_owned),
            edges: statement.edges.clone(),
            changes,
        })
    }

    /// What a cube about a thread at a location of the front end's program says about other
    /// threads and locks.
    pub(super) fn facts(&self, own: ThreadId, at: LocationId, cube: &Cube) -> Vec<GhostFact> {
        let places = self.tracks.values().flat_map(|track| match track.ghosts.as_slice() {
            [place] => self.place(track, *place, own, cube).into_iter().collect(),
            counts => self.counts(track, counts, own, at, cube),
        });
        let mut facts: Vec<GhostFact> = Vec::new();
        for fact in places.chain(cube.atoms.iter().filter_map(|atom| self.lock(atom))) {
            if !facts.contains(&fact) {
                facts.push(fact);
            }
        }
        facts
    }

    /// The parts in which a cube says that another thread is; `None` if it may be anywhere.
    fn possible(&self, track: &Track, other: ThreadId, cube: &Cube) -> Option<BTreeSet<usize>> {
        let mentions = cube.others.iter().filter(|(thread, _)| *thread == other);
        mentions
            .map(|(_, points)| track.parts_of(&self.whereabouts.of(other, points)))
            .reduce(|left, right| left.intersection(&right).copied().collect())
    }

    fn place(&self, track: &Track, ghost: GhostId, own: ThreadId, cube: &Cube) -> Option<GhostFact> {
        let other = track.instances[0];
        let parts = self.possible(track, other, cube).filter(|_| other != own)?;
        let says_something = !parts.is_empty() && parts.len() < track.part_count();
        says_something
            .then(|| GhostFact { ghost, values: parts.into_iter().map(|part| part as i64).collect() })
    }

    /// How many threads are in each part: at least those that can only be there, at most those
    /// that can be there.
    fn counts(
        &self,
        track: &Track,
        ghosts: &[GhostId],
        own: ThreadId,
        at: LocationId,
        cube: &Cube,
    ) -> Vec<GhostFact> {
        let own_part = track.instances.contains(&own).then(|| track.parts[&self.regions.at(at)]);
        let others: Vec<Option<BTreeSet<usize>>> = track
            .instances
            .iter()
            .filter(|&&instance| instance != own)
            .map(|&instance| self.possible(track, instance, cube))
            .collect();
        let threads = track.instances.len() as i64;
        let fact = |(part, &ghost): (usize, &GhostId)| {
            let count = |is_counted: &dyn Fn(&BTreeSet<usize>) -> bool, if_unknown: bool| {
                let counted = |parts: &&Option<BTreeSet<usize>>| match parts {
                    Some(parts) => is_counted(parts),
                    None => if_unknown,
                };
                others.iter().filter(counted).count() as i64
            };
            let here = i64::from(own_part == Some(part));
            let least = here + count(&|parts| parts.len() == 1 && parts.contains(&part), false);
            let most = here + count(&|parts| parts.contains(&part), true);
            let is_told = least > here || most < here + others.len() as i64;
            (is_told && (least, most) != (0, threads))
                .then(|| GhostFact { ghost, values: (least..=most).collect() })
        };
        ghosts.iter().enumerate().filter_map(fact).collect()
    }

    /// What a comparison says about whether a lock is taken. A lock is the handle of the thread
    /// that has it, a positive number, or 0.
    fn lock(&self, atom: &Atom) -> Option<GhostFact> {
        let ghost = |quantity: Quantity| match quantity {
            Quantity::Cell { var, .. } => match self.context.back.place(var) {
                Place::Scalar(old) => self.locks.get(&old).copied(),
                Place::Element(..) => None,
            },
            Quantity::Handle => None,
        };
        let is_equation = atom.comparison == Comparison::Eq;
        let (ghost, value) = match atom.terms.as_slice() {
            [(_, quantity)] => {
                let free = match atom.comparison {
                    Comparison::Le => atom.constant <= 0,
                    Comparison::Eq => atom.constant == 0,
                    Comparison::Ne => atom.constant != 0,
                    Comparison::MultipleOf(_) => return None,
                };
                let value = if !free { 1 } else { 0 };
                // A taken lock may well have any other value.
                (ghost(*quantity)?, (!free || is_equation).then_some(value)?)
            }
            [(1, quantity), (-1, Quantity::Handle)]
            | [(-1, quantity), (1, Quantity::Handle)]
            | [(1, Quantity::Handle), (-1, quantity)]
            | [(-1, Quantity::Handle), (1, quantity)]
                if is_equation && atom.constant == 0 =>
            {
                (ghost(*quantity)?, 1)
            }
            _ => return None,
        };
        Some(GhostFact { ghost, values: BTreeSet::from([value]) })
    }
}

/// Adds to a number that a statement changes.
fn add(changes: &mut BTreeMap<GhostId, GhostChange>, ghost: GhostId, summand: i64) {
    let sum = match changes.remove(&ghost) {
        Some(GhostChange::Add(before)) => before + summand,
        _ => summand,
    };
    if sum != 0 {
        changes.insert(ghost, GhostChange::Add(sum));
    }
}
