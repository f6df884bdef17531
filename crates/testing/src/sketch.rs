//! Small programs written down quickly: locations by name, one thread after the other.

use rely_program::{
    Check, CheckId, CheckKind, EdgeId, Expr, Initial, LocationId, Op, Place, Program, ProgramBuilder,
    Property, PropertyKind, Scope, Sort, ThreadId, ThreadKind, Var, VarId,
};
use std::collections::HashMap;

/// A thread that runs from the beginning.
pub const RUNNING: ThreadKind = ThreadKind::Instance { running: true };
/// A thread that a spawn starts.
pub const SPAWNED: ThreadKind = ThreadKind::Instance { running: false };

/// A program in the making; edges belong to the thread that was declared last.
pub struct Sketch {
    /// For what the sketch has no shorter way to say.
    pub builder: ProgramBuilder,
    thread: Option<ThreadId>,
    locations: HashMap<(ThreadId, String), LocationId>,
}

impl Default for Sketch {
    fn default() -> Self {
        Self::new()
    }
}

impl Sketch {
    /// A program without anything.
    pub fn new() -> Self {
        Self { builder: ProgramBuilder::new("sketch"), thread: None, locations: HashMap::new() }
    }

    /// An integer that starts with 0: a local of the current thread, or a global before the
    /// first one.
    pub fn int(&mut self, name: &str) -> VarId {
        self.var(name, Sort::Int, None, Initial::Values(vec![0]))
    }

    /// A variable in all detail.
    pub fn var(&mut self, name: &str, sort: Sort, length: Option<u32>, initial: Initial) -> VarId {
        let scope = self.thread.map_or(Scope::Global, Scope::Local);
        self.builder.var(Var { name: name.into(), sort, scope, length, initial, span: None, atomic: false })
    }

    /// The next thread.
    pub fn thread(&mut self, name: &str, kind: ThreadKind) -> ThreadId {
        let thread = self.builder.thread(name, kind);
        self.thread = Some(thread);
        self.locations.insert((thread, "entry".into()), self.builder.entry(thread));
        self.locations.insert((thread, "exit".into()), self.builder.exit(thread));
        thread
    }

    /// A location of the current thread by its name; an atomic one is written `<name>`.
    pub fn location(&mut self, name: &str) -> LocationId {
        let thread = self.thread.expect("a thread was declared");
        if let Some(&location) = self.locations.get(&(thread, name.to_owned())) {
            return location;
        }
        let location = self.builder.location(thread, None);
        let label = name.trim_start_matches('<').trim_end_matches('>');
        self.builder.set_label(location, label);
        if label != name {
            self.builder.set_atomic(location);
        }
        self.locations.insert((thread, name.to_owned()), location);
        location
    }

    /// An edge of the current thread.
    pub fn edge(&mut self, source: &str, target: &str, ops: impl IntoIterator<Item = Op>) -> EdgeId {
        let (source, target) = (self.location(source), self.location(target));
        self.builder.edge(source, target, ops.into_iter().collect(), None)
    }

    /// A check of the kind assertion.
    pub fn check(&mut self, message: &str) -> CheckId {
        self.builder.check(Check { kind: CheckKind::Assertion, message: message.into(), span: None })
    }

    /// A property.
    pub fn property(&mut self, kind: PropertyKind) {
        self.builder.property(Property { kind, span: None });
    }

    /// The program.
    pub fn finish(self) -> Program {
        self.builder.finish().expect("the sketch is well formed")
    }
}

/// `x := value`
pub fn set(var: VarId, value: Expr) -> Op {
    Op::assign(Place::Scalar(var), value)
}

/// `x := x + 1`
pub fn increment(var: VarId) -> Op {
    set(var, Expr::var(var).add(Expr::int(1)))
}

/// `x == value`
pub fn is(var: VarId, value: i128) -> Expr {
    Expr::var(var).eq(Expr::int(value))
}

/// A spawn without arguments.
pub fn spawn(thread: ThreadId, handle: Option<VarId>) -> Op {
    Op::Spawn { thread, arguments: Vec::new(), handle: handle.map(Place::Scalar) }
}
