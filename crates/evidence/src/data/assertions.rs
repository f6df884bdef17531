//! Rely-guarantee proofs as plain data.
//!
//! A proof says for each thread what holds whenever it stands at each of its locations, whatever
//! the others do ([`ThreadAssertions`]), and for each edge what its step looks like to the other
//! threads ([`EdgeEffect`]). Everything is a disjunction of [`Cube`]s, and a cube is a conjunction
//! of linear [`Atom`]s over the program's variables and of what is known about where other
//! threads stand. No formula is text, and nothing refers to the engine that found the proof.

use rely_program::{EdgeId, LocationId, Program, Scope, ThreadId, ThreadKind, Value, VarId};

/// A proof that the threads of a program keep out of each other's way.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct RelyGuarantee {
    /// What holds where, one entry for each thread.
    pub threads: Vec<ThreadAssertions>,
    /// What the steps of threads look like to the others. An edge that is not listed is never
    /// taken.
    pub effects: Vec<EdgeEffect>,
}

/// What holds while one thread stands at its locations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadAssertions {
    /// The thread; of a template, any of its instances.
    pub thread: ThreadId,
    /// The assertions, one of the cubes of a control point holds whenever the thread is there. A control point
    /// that is not listed is never reached.
    pub at: Vec<(ControlPoint, Vec<Cube>)>,
}

/// What a step along an edge looks like to the other threads: one of the cubes, over the values
/// before and after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeEffect {
    /// The edge; its thread is the one that acts.
    pub edge: EdgeId,
    /// The possible effects. Whatever a cube does not mention may be anything, before and after.
    pub cubes: Vec<Cube>,
}

/// Where a thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ControlPoint {
    /// Not started yet; only an instance that does not run from the beginning can be here.
    Unstarted,
    /// At a location of its own.
    At(LocationId),
}

/// A conjunction.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Cube {
    /// What holds of the variables.
    pub atoms: Vec<Atom>,
    /// Where other instances stand: each at one of its control points. In an effect: before the step.
    pub others: Vec<(ThreadId, Vec<ControlPoint>)>,
}

/// A linear comparison: the sum of the terms and the constant, compared with zero.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Atom {
    /// Coefficients, none of them zero, and what they are multiplied with.
    pub terms: Vec<(Value, Quantity)>,
    /// The constant summand.
    pub constant: Value,
    /// How the sum compares with zero.
    pub comparison: Comparison,
}

/// How a sum compares with zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Comparison {
    /// At most.
    Le,
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// A multiple of this number; of zero, only zero is one.
    MultipleOf(u64),
}

/// A number in a state. Booleans are 0 and 1.
///
/// Variables of a template mean those of the instance that the assertion is about; in an effect,
/// of the instance that acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Quantity {
    /// A cell of a variable; scalars have one cell, with index 0.
    Cell {
        /// The variable.
        var: VarId,
        /// Which of its cells.
        index: u32,
        /// Before or after the step; always before in assertions about a location.
        moment: Moment,
    },
    /// The handle of the thread that the assertion is about; in an effect, of the one that acts.
    /// It never changes.
    Handle,
}

/// Before or after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Moment {
    /// The value with which the step starts.
    Before,
    /// The value that it leaves.
    After,
}

impl RelyGuarantee {
    /// Whether the proof is modular: what is said about a thread mentions, besides the globals,
    /// its own locals alone, and effects mention globals alone. Then every thread can be read,
    /// and understood, without the others.
    pub fn is_modular(&self, program: &Program) -> bool {
        let assertions = self.threads.iter().all(|entry| {
            let cubes = entry.at.iter().flat_map(|(_, cubes)| cubes);
            cubes.into_iter().all(|cube| cube.mentions_only(program, Some(entry.thread)))
        });
        let effects = self.effects.iter().flat_map(|effect| &effect.cubes);
        assertions && effects.into_iter().all(|cube| cube.mentions_only(program, None))
    }

    /// How many places have an assertion.
    pub fn assertion_count(&self) -> usize {
        self.threads.iter().map(|entry| entry.at.len()).sum()
    }
}

impl Cube {
    /// Whether only globals, handles and the locals of `owner` are mentioned, and no place of
    /// another thread.
    fn mentions_only(&self, program: &Program, owner: Option<ThreadId>) -> bool {
        let mut terms = self.atoms.iter().flat_map(|atom| &atom.terms);
        self.others.is_empty() && terms.all(|(_, quantity)| quantity.is_visible_to(program, owner))
    }
}

impl Quantity {
    /// Whether this is a global, a handle, or a local of `owner`.
    pub(crate) fn is_visible_to(&self, program: &Program, owner: Option<ThreadId>) -> bool {
        match self {
            Quantity::Handle => true,
            Quantity::Cell { var, .. } => match program.vars()[*var].scope {
                Scope::Global => true,
                Scope::Local(thread) => Some(thread) == owner,
            },
        }
    }
}

impl ControlPoint {
    /// All places where a thread can be, in the order of its locations.
    pub fn all(program: &Program, thread: ThreadId) -> Vec<ControlPoint> {
        let unstarted = program.threads()[thread].kind == ThreadKind::Instance { running: false };
        let locations = program.locations().iter().filter(|(_, location)| location.thread == thread);
        let locations = locations.map(|(id, _)| ControlPoint::At(id));
        unstarted.then_some(ControlPoint::Unstarted).into_iter().chain(locations).collect()
    }
}
