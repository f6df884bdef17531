//! What a model says of blocks, as assertions.
//!
//! The reduction rule has no assertions for what happens inside of blocks: nobody else moves then. A proof has them. If a
//! block began in a state that satisfies the assertion of its thread, and its summary leads from there to the
//! present state, then that is an assertion of the thread inside:
//!
//! ```text
//! ∃ beginning: I_(i,b)(beginning) ∧ L_(i,b,p)(beginning, now)
//! ```
//!
//! The others still stand where they stood, and what they knew, they knew at the beginning:
//!
//! ```text
//! ∃ beginning: I_(j,r)(beginning) ∧ I_(i,b)(beginning) ∧ L_(i,b,p)(beginning, now)
//! ```
//!
//! is what thread `j` knows at `r` while thread `i` is inside at `p`. The beginning is projected away. Where that is not
//! exact, the assertions say less, and the checker may refuse them.

use super::Limits;
use super::proof::{Cube, Cubes, FIRST_QUOTIENT, NO_TIME, Reader, TOO_MANY, all_points};
use rely_base::{Budget, Id};
use rely_horn::Model;
use rely_logic::project::project;
use rely_logic::{Constraint, Domain, VarId};
use rely_program::ThreadId;
use rely_proof_rules::{Argument, ProofClauses, Summary};
use rely_symbolic::{ControlPointId, System};
use rustc_hash::FxHashSet;

/// The number of the first auxiliary variable that is a value at the beginning of a block.
const FIRST_BEGINNING: u32 = 1 << 24;

/// So many quotients has one formula at most.
const QUOTIENTS: u32 = 1 << 20;

/// Where threads are inside of blocks.
pub(super) struct Inside {
    points: FxHashSet<(ThreadId, ControlPointId)>,
}

impl Inside {
    pub(super) fn new(system: &System<'_>, clauses: &ProofClauses) -> Self {
        let summaries = clauses.summaries.iter();
        let point = |summary: &Summary| (summary.thread, system.point(summary.thread, summary.point));
        Self { points: summaries.map(point).collect() }
    }

    /// A cube while no other thread is inside of a block; assertions of the rule are about that.
    pub(super) fn nobody(&self, (constraints, mut others): Cube) -> Option<Cube> {
        for (thread, points) in &mut others {
            points.retain(|point| !self.points.contains(&(*thread, *point)));
        }
        others.iter().all(|(_, points)| !points.is_empty()).then_some((constraints, others))
    }

    fn contains(&self, thread: ThreadId, point: usize) -> bool {
        self.points.contains(&(thread, ControlPointId::from_index(point)))
    }
}

/// Adds what everybody knows while a thread is inside of a block.
pub(super) fn add(
    system: &System<'_>,
    clauses: &mut ProofClauses,
    model: &Model,
    (limits, inside): (Limits, &Inside),
    at: &mut Cubes,
    budget: &Budget,
) -> Result<(), &'static str> {
    // What is known outside of blocks stays as it is.
    let mut adder = Adder { system, limits, budget, outside: at.clone(), at };
    for number in 0..clauses.summaries.len() {
        let summary = clauses.summaries[number].clone();
        let parameters = &clauses.system.unknowns()[summary.unknown].parameters;
        let arguments = arguments(system, &summary);
        let first_quotient = FIRST_QUOTIENT + 2 * QUOTIENTS;
        let reader = Reader { system, limits, arguments: &arguments, parameters, first_quotient };
        let relation = reader.cubes(&mut clauses.pool, model[summary.unknown])?;
        adder.add(&summary, &relation, inside)?;
    }
    Ok(())
}

/// What the arguments of a summary are.
fn arguments(system: &System<'_>, summary: &Summary) -> Vec<Argument> {
    let before = summary.cells.iter().map(|&cell| Argument::Cell(beginning(system, cell)));
    let places = summary.places.iter().map(|&thread| Argument::Place(thread));
    before.chain(places).chain(summary.cells.iter().map(|&cell| Argument::Cell(cell))).collect()
}

/// The value of a cell at the beginning of a block.
fn beginning(system: &System<'_>, cell: VarId) -> VarId {
    system.cells.auxiliary(FIRST_BEGINNING + cell.index() as u32)
}

struct Adder<'a, 'p> {
    system: &'a System<'p>,
    limits: Limits,
    budget: &'a Budget,
    outside: Cubes,
    at: &'a mut Cubes,
}

impl Adder<'_, '_> {
    fn add(&mut self, summary: &Summary, relation: &[Cube], inside: &Inside) -> Result<(), &'static str> {
        let (system, thread) = (self.system, summary.thread);
        let [start, now] = [summary.beginning, summary.point].map(|point| system.point(thread, point));
        let begun: Vec<Cube> = self.outside[thread.index()][start.index()]
            .iter()
            .map(|cube| at_the_beginning(system, summary, cube, 0))
            .flat_map(|begun| relation.iter().filter_map(move |now| both(&begun, now)))
            .collect();
        for cube in &begun {
            self.know((thread, now), cube, summary)?;
        }
        for observer in system.thread_ids().filter(|&other| other != thread) {
            let points = all_points(system, observer);
            for point in points.into_iter().filter(|point| !inside.contains(observer, point.index())) {
                let known: Vec<Cube> = self.outside[observer.index()][point.index()]
                    .iter()
                    .filter(|cube| allows(cube, (thread, start)))
                    .map(|cube| at_the_beginning(system, summary, cube, QUOTIENTS))
                    .collect();
                for cube in begun.iter().filter(|cube| allows(cube, (observer, point))) {
                    for known in known.iter().filter_map(|known| both(known, cube)) {
                        self.know((observer, point), &moved(known, (thread, now)), summary)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// A thread knows something at a point, whatever the values were at the beginning of a block.
    fn know(
        &mut self,
        (thread, point): (ThreadId, ControlPointId),
        (constraints, others): &Cube,
        summary: &Summary,
    ) -> Result<(), &'static str> {
        if self.budget.check().is_err() {
            return Err(NO_TIME);
        }
        let hidden: Vec<VarId> = summary.cells.iter().map(|&cell| beginning(self.system, cell)).collect();
        let mut constraints = project(Domain::Integers, constraints, &hidden, self.budget).constraints;
        if constraints.iter().any(Constraint::is_false) {
            return Ok(());
        }
        constraints.retain(|constraint| !constraint.is_true());
        let others = others.iter().filter(|(other, _)| *other != thread).cloned().collect();
        let known = &mut self.at[thread.index()][point.index()];
        let cube = (constraints, others);
        if !known.contains(&cube) {
            known.push(cube);
        }
        if known.len() > self.limits.cubes { Err(TOO_MANY) } else { Ok(()) }
    }
}

/// A cube about the state in which a block begins.
fn at_the_beginning(
    system: &System<'_>,
    summary: &Summary,
    (constraints, others): &Cube,
    first_quotient: u32,
) -> Cube {
    let rename = |variable: VarId| match variable {
        cell if summary.cells.contains(&cell) => beginning(system, cell),
        cell if system.cells.is_cell(cell) => cell,
        quotient => VarId::from_index(quotient.index() + first_quotient as usize),
    };
    (constraints.iter().map(|constraint| constraint.rename(rename)).collect(), others.clone())
}

/// Both cubes, if they speak of the same places: those of the first one.
fn both(one: &Cube, other: &Cube) -> Option<Cube> {
    let mut others = one.1.clone();
    for (thread, points) in &mut others {
        if let Some((_, allowed)) = other.1.iter().find(|(known, _)| known == thread) {
            points.retain(|point| allowed.contains(point));
        }
    }
    let is_possible = others.iter().all(|(_, points)| !points.is_empty());
    is_possible.then(|| ([one.0.clone(), other.0.clone()].concat(), others))
}

/// Whether a cube leaves a thread where it is.
fn allows((_, others): &Cube, (thread, point): (ThreadId, ControlPointId)) -> bool {
    others.iter().all(|(other, points)| *other != thread || points.contains(&point))
}

/// The cube when a thread has moved.
fn moved((constraints, mut others): Cube, (thread, point): (ThreadId, ControlPointId)) -> Cube {
    for (_, points) in others.iter_mut().filter(|(other, _)| *other == thread) {
        *points = vec![point];
    }
    (constraints, others)
}
