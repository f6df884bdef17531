//! Writes threads statement by statement.

use rely_program::{
    Check, CheckKind, Expr, LocationId, Op, Place, ProgramBuilder, Sort, ThreadId, ThreadKind, Value, VarId,
};

/// Appends statements to one thread; its control is at the place where the next one starts.
///
/// ```
/// use rely_program::{Expr, ProgramBuilder, Sort, ThreadKind};
/// use rely_testing::Script;
///
/// let mut builder = ProgramBuilder::new("count");
/// let x = builder.global("x", Sort::Int, 0);
/// let mut script = Script::start(&mut builder, "T", ThreadKind::Instance { running: true });
/// script.repeat_while(Expr::var(x).lt(Expr::int(3)), |body| {
///     body.assign(x, Expr::var(x).add(Expr::int(1)));
/// });
/// script.finish();
/// assert_eq!(builder.finish().unwrap().edges().len(), 5);
/// ```
#[derive(Debug)]
pub struct Script<'b> {
    builder: &'b mut ProgramBuilder,
    thread: ThreadId,
    at: LocationId,
    /// Whether new locations are inside an atomic block.
    atomic: bool,
}

impl<'b> Script<'b> {
    /// Starts a new thread.
    pub fn start(builder: &'b mut ProgramBuilder, name: &str, kind: ThreadKind) -> Self {
        let thread = builder.thread(name, kind);
        Self::resume(builder, thread)
    }

    /// Writes the body of a thread that was declared and has none yet.
    pub fn resume(builder: &'b mut ProgramBuilder, thread: ThreadId) -> Self {
        let at = builder.entry(thread);
        Self { builder, thread, at, atomic: false }
    }

    /// The program under construction.
    pub fn builder(&mut self) -> &mut ProgramBuilder {
        self.builder
    }

    /// The thread.
    pub fn thread(&self) -> ThreadId {
        self.thread
    }

    /// Where the next statement starts.
    pub fn here(&self) -> LocationId {
        self.at
    }

    /// Adds a local variable.
    pub fn local(&mut self, name: &str, sort: Sort, initial: Value) -> VarId {
        self.builder.local(self.thread, name, sort, initial)
    }

    fn location(&mut self) -> LocationId {
        let location = self.builder.location(self.thread, None);
        if self.atomic {
            self.builder.set_atomic(location);
        }
        location
    }

    /// One step that does all of this at once, up to where it halts the program.
    pub fn step(&mut self, mut ops: Vec<Op>) {
        let next = self.location();
        let halts = ops.iter().position(|op| *op == Op::Halt);
        ops.truncate(halts.map_or(ops.len(), |position| position + 1));
        // A program that halts in the middle of an atomic block has left it.
        let leaves = self.atomic && halts.is_some();
        let target = if leaves { self.builder.location(self.thread, None) } else { next };
        self.builder.edge(self.at, target, ops, None);
        self.at = next;
    }

    /// `place := value`.
    pub fn assign(&mut self, var: VarId, value: Expr) {
        self.step(vec![Op::assign(Place::Scalar(var), value)]);
    }

    /// Waits for a condition.
    pub fn wait(&mut self, condition: Expr) {
        self.step(vec![Op::wait(condition)]);
    }

    /// Fails if the condition does not hold.
    pub fn assert(&mut self, condition: Expr) {
        let message = "assertion fails".to_owned();
        let check = self.builder.check(Check { kind: CheckKind::Assertion, message, span: None });
        self.step(vec![Op::Check(condition, check)]);
    }

    /// One of two.
    pub fn choose(&mut self, condition: Expr, yes: impl FnOnce(&mut Self), no: impl FnOnce(&mut Self)) {
        let start = self.at;
        self.step(vec![Op::assume(condition.clone())]);
        yes(self);
        let end = self.at;
        self.at = start;
        self.step(vec![Op::assume(condition.negate())]);
        no(self);
        self.builder.edge(self.at, end, vec![], None);
        self.at = end;
    }

    /// Again and again while the condition holds.
    pub fn repeat_while(&mut self, condition: Expr, body: impl FnOnce(&mut Self)) {
        let start = self.at;
        self.step(vec![Op::assume(condition.clone())]);
        body(self);
        self.builder.edge(self.at, start, vec![], None);
        self.at = start;
        self.step(vec![Op::assume(condition.negate())]);
    }

    /// All statements of the body without interference.
    pub fn atomic(&mut self, body: impl FnOnce(&mut Self)) {
        let outside = std::mem::replace(&mut self.atomic, true);
        self.step(vec![]);
        body(self);
        self.atomic = outside;
        self.step(vec![]);
    }

    /// Goes back to an earlier place, forever.
    pub fn go_to(self, location: LocationId) {
        self.builder.edge(self.at, location, vec![], None);
    }

    /// Ends the thread here.
    pub fn finish(self) {
        let exit = self.builder.exit(self.thread);
        self.builder.edge(self.at, exit, vec![], None);
    }
}
