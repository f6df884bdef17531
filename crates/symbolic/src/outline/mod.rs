//! From what is known of threads to a proof that others can check.
//!
//! An engine says what each thread knows wherever it is, as alternatives ([`Known`]); what the steps of
//! each look like to the others follows from that (`effects`). Together they are a rely-guarantee proof.

mod effects;

use crate::system::{ControlPointId, System};
use rely_base::{Budget, Id};
use rely_evidence::rely_guarantee::{
    Atom, Comparison, Cube, EdgeEffect, Quantity, RelyGuarantee, ThreadAssertions,
};
use rely_logic::{Constraint, Integer, LinearForm};
use rely_program::ThreadId;

/// What a thread knows at a control point, in one case.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Known {
    /// What holds.
    pub constraints: Vec<Constraint>,
    /// Where other threads are, if not just anywhere.
    pub others: Vec<(ThreadId, Vec<ControlPointId>)>,
}

/// What is claimed of each thread.
#[derive(Debug)]
pub struct Outline {
    /// At each of its control points.
    pub at: Vec<Vec<Vec<Known>>>,
    /// What others need to know of it when it takes an edge, if that is less.
    pub told: Option<Vec<Vec<Known>>>,
    /// The predicates of which all this is made, each with its negation.
    pub predicates: Vec<[Constraint; 2]>,
    /// Whether somebody tells apart where another thread is.
    pub tells_places: bool,
}

/// The proof that consists of an outline. `None` if something cannot be written down, or the budget ends.
pub fn write(system: &System<'_>, outline: &Outline, budget: &Budget) -> Option<RelyGuarantee> {
    let modular = !outline.tells_places && speaks_of_itself(system, outline);
    let writer = Writer { system, outline, budget, modular };
    let threads = system.thread_ids().map(|thread| writer.assertions(thread));
    let threads = threads.collect::<Option<_>>()?;
    let effects = system.program.edges().ids().map(|edge| {
        budget.check().ok()?;
        writer.effect(edge)
    });
    let effects: Vec<EdgeEffect> = effects.collect::<Option<_>>()?;
    let effects = effects.into_iter().filter(|effect| !effect.cubes.is_empty()).collect();
    Some(RelyGuarantee { threads, effects })
}

/// Whether no thread speaks of the locals of another one.
fn speaks_of_itself(system: &System<'_>, outline: &Outline) -> bool {
    system.thread_ids().all(|thread| {
        let states = outline.at[thread.index()].iter().flatten();
        let mut cells =
            states.flat_map(|known| &known.constraints).flat_map(|constraint| constraint.form().variables());
        cells.all(|cell| system.is_modular(cell, thread))
    })
}

/// An atom of an assertion about a thread as a constraint, unless it is about multiples.
pub(crate) fn constraint_of(system: &System<'_>, thread: ThreadId, atom: &Atom) -> Option<Constraint> {
    let mut form = LinearForm::constant(Integer::from(atom.constant));
    for (factor, quantity) in &atom.terms {
        let value = match *quantity {
            Quantity::Handle => system.cells.handle(thread),
            Quantity::Cell { var, index, .. } => LinearForm::variable(system.cells.cell(var, index as usize)),
        };
        form = form.add_scaled(&Integer::from(*factor), &value);
    }
    let zero = LinearForm::constant(0);
    match atom.comparison {
        Comparison::Le => Some(Constraint::le(&form, &zero)),
        Comparison::Eq => Some(Constraint::eq(&form, &zero)),
        Comparison::Ne => Some(Constraint::ne(&form, &zero)),
        Comparison::MultipleOf(_) => None,
    }
}

struct Writer<'w, 'p> {
    system: &'w System<'p>,
    outline: &'w Outline,
    budget: &'w Budget,
    /// Whether each thread speaks of globals and its own locals only.
    modular: bool,
}

impl Writer<'_, '_> {
    fn assertions(&self, thread: ThreadId) -> Option<ThreadAssertions> {
        let view = self.system.thread(thread);
        let mut at = Vec::new();
        for (index, &point) in view.points.iter().enumerate() {
            let states = self.outline.at[thread.index()][index].iter();
            let cubes: Option<Vec<Cube>> =
                states.map(|known| self.written(&known.constraints, known)).collect();
            let cubes = without_subsumed(cubes?);
            if !cubes.is_empty() {
                at.push((point, cubes));
            }
        }
        Some(ThreadAssertions { thread, at })
    }

    /// Constraints as a cube, with the places of a state.
    fn written(&self, constraints: &[Constraint], state: &Known) -> Option<Cube> {
        let atoms = constraints.iter().map(|constraint| self.system.cells.atom(constraint));
        let others = state.others.iter().map(|(other, points)| {
            let of_other = &self.system.thread(*other).points;
            (*other, points.iter().map(|point| of_other[point.index()]).collect())
        });
        Some(Cube { atoms: atoms.collect::<Option<_>>()?, others: others.collect() })
    }
}

/// Cubes that imply another one add nothing to a disjunction.
fn without_subsumed(mut cubes: Vec<Cube>) -> Vec<Cube> {
    for cube in &mut cubes {
        cube.atoms
            .sort_by(|left, right| left.terms.cmp(&right.terms).then(left.constant.cmp(&right.constant)));
        cube.atoms.dedup();
    }
    let mut kept: Vec<Cube> = Vec::new();
    for cube in cubes {
        if kept.iter().any(|known| known.is_implied_by(&cube)) {
            continue;
        }
        kept.retain(|known| !cube.is_implied_by(known));
        kept.push(cube);
    }
    kept
}

/// The syntactic order of cubes: fewer atoms say less.
trait Implied {
    fn is_implied_by(&self, other: &Self) -> bool;
}

impl Implied for Cube {
    fn is_implied_by(&self, other: &Cube) -> bool {
        self.others == other.others && self.atoms.iter().all(|atom| other.atoms.contains(atom))
    }
}
