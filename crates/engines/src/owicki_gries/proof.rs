//! A model of the clauses as a proof.
//!
//! The formula of each assertion is a disjunction of cubes, and a cube says what holds and where the others are.
//! Cubes that differ in where a single thread is become one.

use rely_base::{Budget, Id};
use rely_evidence::rely_guarantee::RelyGuarantee;
use rely_horn::{Model, TermPool};
use rely_logic::{Constraint, TermId, VarId};
use rely_program::ThreadId;
use rely_proof_rules::{Argument, Assertion, ProofClauses};
use rely_symbolic::outline::{self, Known, Outline};
use rely_symbolic::{ControlPointId, System};
use rustc_hash::FxHashMap;

/// The proof that a model is, or why it cannot be written down.
pub(super) fn written(
    system: &System<'_>,
    clauses: &mut ProofClauses,
    model: &Model,
    most_cubes: usize,
    budget: &Budget,
) -> Result<RelyGuarantee, &'static str> {
    let mut at: Vec<Vec<Vec<Known>>> =
        system.threads.iter().map(|thread| vec![Vec::new(); thread.points.len()]).collect();
    for assertion in &clauses.assertions {
        let parameters = &clauses.system.unknowns()[assertion.unknown].parameters;
        let reader = Reader { system, assertion, parameters };
        let formula = model[assertion.unknown];
        let cubes = clauses.pool.cubes(formula, most_cubes).map_err(|_| "an assertion has too many cases")?;
        let known = cubes.iter().map(|cube| reader.cube(&clauses.pool, cube));
        let known: Vec<Cube> = known.filter_map(Result::transpose).collect::<Result<_, _>>()?;
        let point = system.point(assertion.thread, assertion.point);
        at[assertion.thread.index()][point.index()] = reader.merged(known);
    }
    let all = || at.iter().flatten().flatten();
    let mut predicates: Vec<[Constraint; 2]> = Vec::new();
    for constraint in all().flat_map(|known| &known.constraints) {
        if !predicates.iter().any(|sides| sides.contains(constraint)) {
            predicates.push([constraint.clone(), constraint.negated()]);
        }
    }
    let tells_places = all().any(|known| !known.others.is_empty());
    let outline = Outline { at, told: None, predicates, tells_places };
    outline::write(system, &outline, budget).ok_or("an assertion cannot be written down")
}

/// What holds, and the places of all other threads.
type Cube = (Vec<Constraint>, Vec<(ThreadId, Vec<ControlPointId>)>);

/// Reads the formula of one assertion.
struct Reader<'r, 'p> {
    system: &'r System<'p>,
    assertion: &'r Assertion,
    parameters: &'r [VarId],
}

impl Reader<'_, '_> {
    /// What a cube says; nothing if it is impossible.
    fn cube(&self, pool: &TermPool, cube: &[TermId]) -> Result<Option<Cube>, &'static str> {
        let mut constraints = Vec::new();
        let others = self.assertion.arguments.iter().filter_map(|argument| match argument {
            Argument::Place(thread) => Some((*thread, self.all_points(*thread))),
            Argument::Cell(_) => None,
        });
        let mut others: Vec<(ThreadId, Vec<ControlPointId>)> = others.collect();
        for &literal in cube {
            let constraint = pool.constraint(literal).ok_or("an assertion is not linear")?;
            match self.subject(&constraint)? {
                Some(thread) => {
                    for (_, points) in others.iter_mut().filter(|(other, _)| *other == thread) {
                        points.retain(|point| constraint.holds(|_| (point.index() as i64).into()));
                    }
                }
                None => constraints.push(constraint.rename(|parameter| self.cell(parameter))),
            }
        }
        constraints.retain(|constraint| !constraint.is_true());
        let is_possible = others.iter().all(|(_, points)| !points.is_empty());
        Ok(is_possible.then_some((constraints, others)))
    }

    /// The thread of whose place a constraint speaks; none if it speaks of cells.
    fn subject(&self, constraint: &Constraint) -> Result<Option<ThreadId>, &'static str> {
        let mut threads =
            constraint.form().variables().filter_map(|parameter| match self.argument(parameter) {
                Some(Argument::Place(thread)) => Some(thread),
                _ => None,
            });
        let first = threads.next();
        let is_alone = constraint.form().terms().len() == 1;
        if first.is_some() && !is_alone { Err("an assertion compares places") } else { Ok(first) }
    }

    fn argument(&self, parameter: VarId) -> Option<Argument> {
        let position = self.parameters.iter().position(|&known| known == parameter)?;
        self.assertion.arguments.get(position).copied()
    }

    fn cell(&self, parameter: VarId) -> VarId {
        match self.argument(parameter) {
            Some(Argument::Cell(cell)) => cell,
            // Not a cell of the program, so nothing can be written about it.
            _ => self.system.cells.auxiliary(0),
        }
    }

    fn all_points(&self, thread: ThreadId) -> Vec<ControlPointId> {
        (0..self.system.thread(thread).points.len()).map(ControlPointId::from_index).collect()
    }

    /// The cubes, those together that differ in the place of one thread; and no word about places that may be any.
    fn merged(&self, mut cubes: Vec<Cube>) -> Vec<Known> {
        let count = cubes.first().map_or(0, |(_, others)| others.len());
        for position in 0..count {
            cubes = merged_at(cubes, position);
        }
        let known = cubes.into_iter().map(|(constraints, mut others)| {
            others.retain(|(thread, points)| points.len() < self.system.thread(*thread).points.len());
            Known { constraints, others }
        });
        known.collect()
    }
}

/// The cubes, those together that differ in the places at one position.
fn merged_at(cubes: Vec<Cube>, position: usize) -> Vec<Cube> {
    let mut order: Vec<Cube> = Vec::new();
    let mut known: FxHashMap<Cube, usize> = FxHashMap::default();
    for cube in cubes {
        let mut key = cube.clone();
        key.1[position].1.clear();
        match known.get(&key) {
            Some(&first) => {
                let points = &mut order[first].1[position].1;
                points.extend(&cube.1[position].1);
                points.sort_unstable();
                points.dedup();
            }
            None => {
                known.insert(key, order.len());
                order.push(cube);
            }
        }
    }
    order
}
