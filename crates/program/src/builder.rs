//! How front ends and passes make programs.

use crate::expr::Expr;
use crate::ir::{
    Approximation, Check, CheckId, Edge, EdgeId, Initial, Location, LocationId, Op, Program, Scope, Thread,
    ThreadId, ThreadKind, Var, VarId,
};
use crate::meaning::{Meaning, Meanings, NamedObject};
use crate::property::Property;
use crate::types::{Sort, Value};
use crate::wellformed::{self, Malformed};
use rely_base::{Arena, Span};

/// Collects the parts of a [`Program`]; see the crate's front page for an example.
#[derive(Debug)]
pub struct ProgramBuilder {
    program: Program,
}

impl ProgramBuilder {
    /// Starts an empty program.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            program: Program {
                name: name.into(),
                vars: Arena::new(),
                threads: Arena::new(),
                locations: Arena::new(),
                edges: Arena::new(),
                checks: Arena::new(),
                properties: Vec::new(),
                requires: Vec::new(),
                assumptions: Vec::new(),
                externals: Vec::new(),
                approximations: Vec::new(),
                meanings: Meanings::default(),
                outgoing: Arena::new(),
            },
        }
    }

    /// The program as it stands.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Adds a variable with all its details.
    pub fn var(&mut self, var: Var) -> VarId {
        self.program.vars.push(var)
    }

    /// Changes what a variable starts with.
    pub fn set_initial(&mut self, var: VarId, initial: Initial) {
        self.program.vars[var].initial = initial;
    }

    /// Adds a shared scalar.
    pub fn global(&mut self, name: impl Into<String>, sort: Sort, initial: Value) -> VarId {
        self.scalar(name, sort, Scope::Global, initial)
    }

    /// Adds a scalar of one thread.
    pub fn local(&mut self, thread: ThreadId, name: impl Into<String>, sort: Sort, initial: Value) -> VarId {
        self.scalar(name, sort, Scope::Local(thread), initial)
    }

    fn scalar(&mut self, name: impl Into<String>, sort: Sort, scope: Scope, initial: Value) -> VarId {
        let initial = Initial::Values(vec![initial]);
        self.var(Var { name: name.into(), sort, scope, length: None, initial, span: None, atomic: false })
    }

    /// Adds a thread with its entry and exit locations.
    pub fn thread(&mut self, name: impl Into<String>, kind: ThreadKind) -> ThreadId {
        let thread = self.program.threads.next_id();
        let entry = self.location(thread, None);
        let exit = self.location(thread, None);
        let name = name.into();
        self.program.threads.push(Thread { name, kind, parameters: Vec::new(), entry, exit, span: None })
    }

    /// Says where a thread is declared.
    pub fn set_thread_span(&mut self, thread: ThreadId, span: Option<Span>) {
        self.program.threads[thread].span = span;
    }

    /// Makes a local of the thread its next parameter.
    pub fn parameter(&mut self, thread: ThreadId, local: VarId) {
        self.program.threads[thread].parameters.push(local);
    }

    /// Where the thread starts.
    pub fn entry(&self, thread: ThreadId) -> LocationId {
        self.program.threads[thread].entry
    }

    /// Where the thread has ended.
    pub fn exit(&self, thread: ThreadId) -> LocationId {
        self.program.threads[thread].exit
    }

    /// Adds a location.
    pub fn location(&mut self, thread: ThreadId, span: Option<Span>) -> LocationId {
        self.program.outgoing.push(Vec::new());
        self.program.locations.push(Location { thread, label: None, atomic: false, span })
    }

    /// Labels a location.
    pub fn set_label(&mut self, location: LocationId, label: impl Into<String>) {
        self.program.locations[location].label = Some(label.into());
    }

    /// Makes a location atomic: while a thread stands there, no other moves.
    pub fn set_atomic(&mut self, location: LocationId) {
        self.program.locations[location].atomic = true;
    }

    /// Says which statement starts at a location.
    pub fn set_location_span(&mut self, location: LocationId, span: Option<Span>) {
        self.program.locations[location].span = span;
    }

    /// Adds an edge.
    pub fn edge(
        &mut self,
        source: LocationId,
        target: LocationId,
        ops: Vec<Op>,
        span: Option<Span>,
    ) -> EdgeId {
        let edge = self.program.edges.push(Edge { source, target, ops, span, atomic: None });
        self.program.outgoing[source].push(edge);
        edge
    }

    /// Says whether all accesses of an edge are atomic, or that it is up to the variables.
    pub fn set_atomic_edge(&mut self, edge: EdgeId, atomic: Option<bool>) {
        self.program.edges[edge].atomic = atomic;
    }

    /// Says that all accesses to a variable are atomic.
    pub fn set_atomic_var(&mut self, var: VarId) {
        self.program.vars[var].atomic = true;
    }

    /// Adds a check, for use in [`Op::Check`].
    pub fn check(&mut self, check: Check) -> CheckId {
        self.program.checks.push(check)
    }

    /// Adds a property.
    pub fn property(&mut self, property: Property) {
        self.program.properties.push(property);
    }

    /// Restricts the initial states.
    pub fn requires(&mut self, condition: Expr) {
        self.program.requires.push(condition);
    }

    /// Names an assumption under which the program stands for its source, once.
    pub fn assumption(&mut self, name: &'static str) {
        if !self.program.assumptions.contains(&name) {
            self.program.assumptions.push(name);
        }
    }

    /// Names something that the source uses and does not define, once.
    pub fn external(&mut self, name: &str) {
        if !self.program.externals.iter().any(|known| known == name) {
            self.program.externals.push(name.to_owned());
        }
    }

    /// Says that nondeterministic assignments to a variable stand for something that is not known exactly.
    pub fn approximation(&mut self, approximation: Approximation) {
        self.program.approximations.push(approximation);
    }

    /// Says what the values of a variable stand for.
    pub fn meaning(&mut self, var: VarId, meaning: Meaning) {
        self.program.meanings.vars.insert(var, meaning);
    }

    /// Says what lies at an address.
    pub fn object(&mut self, address: Value, object: NamedObject) {
        self.program.meanings.objects.insert(address, object);
    }

    /// The program, if it is well formed.
    pub fn finish(self) -> Result<Program, Malformed> {
        wellformed::check(&self.program)?;
        Ok(self.program)
    }
}
