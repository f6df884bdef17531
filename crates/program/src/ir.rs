//! Programs: variables, threads, locations, and edges with their operations.

use crate::expr::Expr;
use crate::meaning::Meanings;
use crate::property::Property;
use crate::types::{Domain, Sort, Value};
use crate::wellformed::{self, Malformed};
use rely_base::{Arena, Id, Span, define_id};

define_id!(
    /// A variable, global or of one thread.
    pub struct VarId
);
define_id!(
    /// A thread: one instance, or a template for any number of them.
    pub struct ThreadId
);
define_id!(
    /// A control location; each belongs to one thread.
    pub struct LocationId
);
define_id!(
    /// An edge between two locations of one thread.
    pub struct EdgeId
);
define_id!(
    /// A condition that the program must satisfy whenever it passes by.
    pub struct CheckId
);

/// A program that is well formed; made by a [`ProgramBuilder`](crate::ProgramBuilder) and
/// not changed afterwards. Passes make new ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub(crate) name: String,
    pub(crate) vars: Arena<VarId, Var>,
    pub(crate) threads: Arena<ThreadId, Thread>,
    pub(crate) locations: Arena<LocationId, Location>,
    pub(crate) edges: Arena<EdgeId, Edge>,
    pub(crate) checks: Arena<CheckId, Check>,
    pub(crate) properties: Vec<Property>,
    pub(crate) requires: Vec<Expr>,
    pub(crate) assumptions: Vec<&'static str>,
    pub(crate) externals: Vec<String>,
    pub(crate) approximations: Vec<Approximation>,
    pub(crate) meanings: Meanings,
    /// The edges that leave each location, in the order in which they were made.
    pub(crate) outgoing: Arena<LocationId, Vec<EdgeId>>,
}

impl Program {
    /// The name of the program, usually that of its file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All variables.
    pub fn vars(&self) -> &Arena<VarId, Var> {
        &self.vars
    }

    /// All threads.
    pub fn threads(&self) -> &Arena<ThreadId, Thread> {
        &self.threads
    }

    /// All locations.
    pub fn locations(&self) -> &Arena<LocationId, Location> {
        &self.locations
    }

    /// All edges.
    pub fn edges(&self) -> &Arena<EdgeId, Edge> {
        &self.edges
    }

    /// All checks.
    pub fn checks(&self) -> &Arena<CheckId, Check> {
        &self.checks
    }

    /// What the source says must hold.
    pub fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// What holds in every initial state, besides the variables' own initial values.
    pub fn requires(&self) -> &[Expr] {
        &self.requires
    }

    /// Names of the assumptions (sections of `ASSUMPTIONS.md`) under which this program
    /// stands for its source.
    pub fn assumptions(&self) -> &[&'static str] {
        &self.assumptions
    }

    /// What the source uses and does not define, and of which something is assumed.
    pub fn externals(&self) -> &[String] {
        &self.externals
    }

    /// The choices of this program that its source may not have. Only front ends say so: a trace is
    /// judged on the program that they made, and passes need not know.
    pub fn approximations(&self) -> &[Approximation] {
        &self.approximations
    }

    /// What the numbers in variables stand for, for people. Only front ends say so, and passes need not know.
    pub fn meanings(&self) -> &Meanings {
        &self.meanings
    }

    /// The edges that leave a location.
    pub fn outgoing(&self, location: LocationId) -> &[EdgeId] {
        &self.outgoing[location]
    }

    /// The handle of an instance, which is always the same; `None` for a template.
    pub fn instance_handle(&self, thread: ThreadId) -> Option<Value> {
        let is_instance = |thread: &&Thread| thread.kind != ThreadKind::Template;
        let before = self.threads.values().take(thread.index()).filter(is_instance).count();
        is_instance(&&self.threads[thread]).then_some(before as Value + 1)
    }

    /// The instance with a handle, if one has it.
    pub fn instance_with_handle(&self, handle: Value) -> Option<ThreadId> {
        self.threads.ids().find(|&thread| self.instance_handle(thread) == Some(handle))
    }

    /// The same program in which some more locations are atomic. Entries and exits cannot be.
    pub fn with_atomic(&self, locations: impl IntoIterator<Item = LocationId>) -> Result<Program, Malformed> {
        let mut program = self.clone();
        for location in locations {
            program.locations[location].atomic = true;
        }
        wellformed::check(&program)?;
        Ok(program)
    }

    /// The thread of a location.
    pub fn thread_of(&self, location: LocationId) -> &Thread {
        &self.threads[self.locations[location].thread]
    }
}

/// A variable that gets any value where the source has one that is not known: what is proved for all values
/// holds for that one, but a run that depends on some other value is no run of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approximation {
    /// The variable whose nondeterministic assignments are such choices.
    pub var: VarId,
    /// What of the source they stand for, with its place: "floating-point arithmetic in line 3".
    pub construct: String,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Var {
    /// The name in the source; unique among the globals and among the locals of a thread.
    pub name: String,
    /// The sort of its value, of an array: of each cell.
    pub sort: Sort,
    /// Who can see it.
    pub scope: Scope,
    /// `None` for a scalar, the number of cells for an array.
    pub length: Option<u32>,
    /// Its value when the program, or its thread, starts.
    pub initial: Initial,
    /// Where it is declared.
    pub span: Option<Span>,
    /// Whether every access to it is atomic: two of them are never a data race, whatever they do.
    pub atomic: bool,
}

impl Var {
    /// How many values the variable holds.
    pub fn cells(&self) -> usize {
        self.length.map_or(1, |length| length as usize)
    }

    /// Whether all threads see it.
    pub fn is_global(&self) -> bool {
        self.scope == Scope::Global
    }
}

/// Who can see a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// All threads.
    Global,
    /// One thread; of a template, each instance has its own copy.
    Local(ThreadId),
}

/// The value with which a variable starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initial {
    /// These values, one per cell.
    Values(Vec<Value>),
    /// Any values of the domain.
    Any(Domain),
}

/// A thread's automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// The name in the source.
    pub name: String,
    /// How many run.
    pub kind: ThreadKind,
    /// The locals that receive the arguments of `spawn`, scalars, in order.
    pub parameters: Vec<VarId>,
    /// Where it starts.
    pub entry: LocationId,
    /// Where it has ended; no edge leaves this location.
    pub exit: LocationId,
    /// Where it is declared.
    pub span: Option<Span>,
}

/// How many instances of a thread there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThreadKind {
    /// Exactly one, started at most once.
    Instance {
        /// Whether it runs from the beginning; otherwise a spawn starts it.
        running: bool,
    },
    /// As many as are spawned.
    Template,
}

/// A control location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Its thread.
    pub thread: ThreadId,
    /// A label from the source, unique in its thread.
    pub label: Option<String>,
    /// While a thread stands here no other thread moves. A run that cannot leave the atomic
    /// locations it has entered is not a run of the program.
    pub atomic: bool,
    /// The statement that starts here.
    pub span: Option<Span>,
}

/// An atomic action that takes a thread from one location to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it starts.
    pub source: LocationId,
    /// Where it leads.
    pub target: LocationId,
    /// What it does: all of this at once, one after the other. If one operation blocks,
    /// none has happened.
    pub ops: Vec<Op>,
    /// The statement from which it comes.
    pub span: Option<Span>,
    /// Whether its accesses are atomic, as those of an atomic operation: two such accesses are never
    /// a data race. `None` if that is up to the variables. Those from, into and inside of atomic blocks
    /// are atomic without being marked. Front ends say so, and only the [accesses](crate::race) of their
    /// programs mean something: passes that join steps do not care.
    pub atomic: Option<bool>,
}

/// One operation of an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Goes on only if the condition holds.
    Assume(Expr, Blocking),
    /// All right sides are evaluated, then all left sides are set.
    Assign(Vec<(Place, Expr)>),
    /// The place gets any value of the domain.
    Havoc(Place, Domain),
    /// The condition must hold: a run in which it does not is a violation and ends here.
    Check(Expr, CheckId),
    /// Starts a thread.
    Spawn {
        /// An instance that was not started yet, or a template.
        thread: ThreadId,
        /// The values of its parameters.
        arguments: Vec<Expr>,
        /// Receives the handle of the new thread.
        handle: Option<Place>,
    },
    /// Waits until the thread with this handle has ended.
    Join(Expr),
    /// Ends the whole program at once: it is the last operation of its edge, and the edge leads
    /// into no atomic block, so that properties look at the state in which the program has halted.
    Halt,
}

impl Op {
    /// An assignment to one place.
    pub fn assign(place: Place, value: Expr) -> Self {
        Op::Assign(vec![(place, value)])
    }

    /// A condition that the thread waits for.
    pub fn wait(condition: Expr) -> Self {
        Op::Assume(condition, Blocking::Wait)
    }

    /// A condition without which a run does not count.
    pub fn assume(condition: Expr) -> Self {
        Op::Assume(condition, Blocking::Abandon)
    }
}

/// What it means that a condition does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Blocking {
    /// The thread waits; if nobody ever helps it, that is a deadlock.
    Wait,
    /// The run is of no interest; standing here is not a deadlock.
    Abandon,
}

/// Where a value is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A scalar variable.
    Scalar(VarId),
    /// A cell of an array.
    Element(VarId, Expr),
}

impl Place {
    /// The variable that is written.
    pub fn var(&self) -> VarId {
        match self {
            Place::Scalar(var) | Place::Element(var, _) => *var,
        }
    }

    /// The value stored here.
    pub fn read(&self) -> Expr {
        match self {
            Place::Scalar(var) => Expr::Var(*var),
            Place::Element(array, index) => Expr::element(*array, index.clone()),
        }
    }
}

/// A condition that must hold at some operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Which kind of mistake its failure is.
    pub kind: CheckKind,
    /// What to tell a person when it fails: "assertion `x == 1` fails".
    pub message: String,
    /// The source of the condition.
    pub span: Option<Span>,
}

/// Kinds of mistakes at a point of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CheckKind {
    /// A failed `assert`, or a call that marks an error.
    Assertion,
    /// An array index out of bounds.
    Bounds,
    /// A zero divisor or an impossible shift.
    Arithmetic,
    /// Signed arithmetic that leaves its type.
    Overflow,
    /// A use of memory that was freed, or that cannot be freed.
    Lifetime,
    /// No mistake of the program: what happens beyond this point was not translated. No goal is violated here, and
    /// none is proved unless it is shown that no run comes here.
    Limit,
}
