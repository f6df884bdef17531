//! Random edits of the representation itself.
//!
//! The generators write what a front end could have written, with traps of a known kind. Here their
//! programs are taken apart and put together wrongly: operations swapped, doubled, moved to other
//! edges; edges led elsewhere; atomic blocks cut anywhere; locks taken in odd places and behind
//! checks; threads started twice or joined by whoever likes; handles used as numbers. What comes out
//! is either refused as malformed, or has no meaning in some run, or every pass must preserve it.

use rely_base::Id;
use rely_base::Random;
use rely_program::analysis::Graph;
use rely_program::{
    BinaryOp, Blocking, Check, CheckId, CheckKind, Domain, Edge, Expr, Initial, Location, LocationId,
    Malformed, Op, Place, Program, ProgramBuilder, Property, PropertyKind, Scope, Sort, Thread, ThreadId,
    ThreadKind, UnaryOp, Var, VarId,
};

/// Edited programs with more states than this are left out: most have few, and some no end of them.
pub const MOST_STATES: usize = 300;

/// A generated program after some edits, or why it is none.
pub fn program(seed: u64) -> Result<Program, Malformed> {
    let mut random = Random::new(seed ^ 0x5eed_ed17);
    let base = match random.below(4) {
        0 => super::program(seed),
        1 => super::beginning(seed),
        _ => super::locking::program(seed),
    };
    let mut editor = Editor::new(&base, random);
    for _ in 0..1 + editor.random.below(5) {
        editor.edit();
    }
    let program = editor.finish()?;
    if starts_threads_without_end(&program) {
        return Err(Malformed { what: "an atomic block starts threads in a circle".into(), span: None });
    }
    Ok(program)
}

/// Whether there may be no end of threads within one step, so that not even its states are few.
fn starts_threads_without_end(program: &Program) -> bool {
    let graph = Graph::new(program);
    let is_inside = |edge: &Edge| [edge.source, edge.target].iter().all(|&at| program.locations()[at].atomic);
    program.edges().iter().any(|(id, edge)| {
        edge.ops.iter().any(|op| matches!(op, Op::Spawn { .. }))
            && is_inside(edge)
            && graph.is_on_cycle(program, id)
    })
}

/// A program in parts.
struct Editor {
    random: Random,
    name: String,
    vars: Vec<Var>,
    threads: Vec<Thread>,
    locations: Vec<Location>,
    edges: Vec<Edge>,
    checks: Vec<Check>,
    properties: Vec<Property>,
    requires: Vec<Expr>,
}

impl Editor {
    fn new(program: &Program, random: Random) -> Self {
        Self {
            random,
            name: format!("edited {}", program.name()),
            vars: program.vars().values().cloned().collect(),
            threads: program.threads().values().cloned().collect(),
            locations: program.locations().values().cloned().collect(),
            edges: program.edges().values().cloned().collect(),
            checks: program.checks().values().cloned().collect(),
            properties: program.properties().to_vec(),
            requires: program.requires().to_vec(),
        }
    }

    /// The program; all parts keep their numbers.
    fn finish(self) -> Result<Program, Malformed> {
        let mut builder = ProgramBuilder::new(self.name);
        self.vars.into_iter().for_each(|var| {
            builder.var(var);
        });
        self.checks.into_iter().for_each(|check| {
            builder.check(check);
        });
        let exits: Vec<LocationId> = self.threads.iter().map(|thread| thread.exit).collect();
        let mut threads = self.threads.into_iter();
        for (index, location) in self.locations.into_iter().enumerate() {
            // The builder makes entries and exits together with their threads.
            if builder.program().threads().len() <= location.thread.index() {
                let thread = threads.next().expect("locations are in the order of threads");
                let id = builder.thread(thread.name, thread.kind);
                thread.parameters.into_iter().for_each(|parameter| builder.parameter(id, parameter));
            } else if !exits.contains(&LocationId::from_index(index)) {
                builder.location(location.thread, None);
            }
            if location.atomic {
                builder.set_atomic(LocationId::from_index(index));
            }
        }
        for edge in self.edges {
            builder.edge(edge.source, edge.target, edge.ops, None);
        }
        self.properties.into_iter().for_each(|property| builder.property(property));
        self.requires.into_iter().for_each(|condition| builder.requires(condition));
        builder.finish()
    }

    fn edit(&mut self) {
        if self.edges.is_empty() {
            return;
        }
        match self.random.below(24) {
            0..=11 => self.edit_ops(),
            12..=15 => self.insert(),
            16..=19 => self.edit_edges(),
            20 => self.toggle_atomic(),
            21 => self.change_kind(),
            22 => self.change_initial(),
            _ => self.change_property(),
        }
    }

    fn edge(&mut self) -> usize {
        self.random.below(self.edges.len())
    }

    fn thread_of(&self, edge: usize) -> ThreadId {
        self.locations[self.edges[edge].source.index()].thread
    }

    /// Another edge, mostly of the same thread.
    fn other_edge(&mut self, edge: usize) -> usize {
        let thread = self.thread_of(edge);
        let own: Vec<usize> =
            (0..self.edges.len()).filter(|&other| self.thread_of(other) == thread).collect();
        if self.random.percent(90) { *self.random.pick(&own) } else { self.edge() }
    }

    /// Swaps, doubles, deletes or moves operations.
    fn edit_ops(&mut self) {
        let edge = self.edge();
        let length = self.edges[edge].ops.len();
        if length == 0 {
            return;
        }
        let at = self.random.below(length);
        match self.random.below(6) {
            0 => {
                let other = self.random.below(length);
                self.edges[edge].ops.swap(at, other);
            }
            1 => {
                let op = self.edges[edge].ops[at].clone();
                self.place(edge, op);
            }
            2 => {
                self.edges[edge].ops.remove(at);
            }
            3 => {
                let op = self.edges[edge].ops.remove(at);
                let other = self.other_edge(edge);
                self.place(other, op);
            }
            4 => {
                let op = self.edges[edge].ops[at].clone();
                let other = self.other_edge(edge);
                self.place(other, op);
            }
            _ => self.weaken(edge, at),
        }
    }

    /// Makes a condition of a check, or the other way round, or blocks otherwise.
    fn weaken(&mut self, edge: usize, at: usize) {
        let check = self.check();
        let op = &mut self.edges[edge].ops[at];
        *op = match op.clone() {
            Op::Assume(condition, Blocking::Wait) if self.random.percent(50) => Op::assume(condition),
            Op::Assume(condition, Blocking::Abandon) if self.random.percent(50) => Op::wait(condition),
            Op::Assume(condition, _) => Op::Check(condition, check),
            Op::Check(condition, _) => Op::wait(condition),
            other => other,
        };
    }

    /// Puts an operation somewhere into an edge; nothing follows a halt.
    fn place(&mut self, edge: usize, op: Op) {
        let at = self.random.below(self.edges[edge].ops.len() + 1);
        self.edges[edge].ops.insert(at, op);
        // Sometimes it is left to be refused.
        if self.random.percent(95) {
            self.end_at_halt(edge);
        }
    }

    fn end_at_halt(&mut self, edge: usize) {
        let Edge { target, ops, .. } = &mut self.edges[edge];
        if let Some(halt) = ops.iter().position(|op| *op == Op::Halt) {
            ops.truncate(halt + 1);
            if self.locations[target.index()].atomic {
                *target = self.threads[self.locations[target.index()].thread.index()].exit;
            }
        }
    }

    /// Puts something new into an edge, mostly at its beginning.
    fn insert(&mut self) {
        let edge = self.edge();
        let thread = self.thread_of(edge);
        let ops = self.new_ops(thread);
        if self.random.percent(60) {
            self.edges[edge].ops.splice(0..0, ops);
            self.end_at_halt(edge);
        } else {
            let at = self.random.below(self.edges[edge].ops.len() + 1);
            self.edges[edge].ops.splice(at..at, ops);
            self.end_at_halt(edge);
        }
    }

    fn new_ops(&mut self, thread: ThreadId) -> Vec<Op> {
        let Some(global) = self.pick_var(Var::is_global) else { return vec![] };
        let Some(var) = self.pick_var(|var| !var.is_global() || var.sort == Sort::Int) else { return vec![] };
        let (var, global) = (Expr::var(self.own(thread, var)), global);
        let number = Expr::int(self.random.below(4) as i128);
        let condition = self.condition(thread);
        let free = self.zero_of(global);
        let taken = self.nonzero_of(global);
        let check = self.check();
        match self.random.below(18) {
            // A check, a range, or a divisor in front.
            0..=2 => vec![Op::Check(condition, check)],
            3 => vec![Op::Check(var.between(0, 2), check)],
            4 => {
                let quotient = Expr::binary(BinaryOp::Div, number.clone(), var.clone());
                vec![Op::Check(var.ne(Expr::int(0)), check), Op::wait(quotient.le(number))]
            }
            // Any global as a lock.
            5 => vec![Op::wait(free), Op::assign(Place::Scalar(global), taken)],
            6 => vec![Op::Check(condition, check), Op::wait(free), Op::assign(Place::Scalar(global), taken)],
            7 => vec![Op::Check(free, check), Op::assign(Place::Scalar(global), taken)],
            8 => vec![Op::assign(Place::Scalar(global), self.constant_of(global, false))],
            9 => vec![Op::Halt],
            10 => vec![Op::wait(condition)],
            11 => self.start(thread),
            12 => self.join(thread),
            13 => vec![Op::Havoc(Place::Scalar(self.own(thread, VarId::from_index(0))), self.domain())],
            14..=15 => self.element(thread, var, number),
            // Two places at once, perhaps the same.
            16 => {
                let other = self.own(thread, VarId::from_index(0));
                let places = [self.own(thread, VarId::from_index(1)), other].map(Place::Scalar);
                let values = [number, Expr::var(other)];
                vec![Op::Assign(places.into_iter().zip(values).collect())]
            }
            _ => self.handle_as_number(thread),
        }
    }

    fn domain(&mut self) -> Domain {
        let low = self.random.below(3) as i128;
        Domain::Range { low, high: low + self.random.below(2) as i128 }
    }

    /// A cell whose index is checked first.
    fn element(&mut self, thread: ThreadId, index: Expr, number: Expr) -> Vec<Op> {
        let arrays: Vec<usize> =
            (0..self.vars.len()).filter(|&var| self.vars[var].length.is_some()).collect();
        if arrays.is_empty() {
            return vec![];
        }
        let array = *self.random.pick(&arrays);
        let last = self.vars[array].cells() as i128 - 1;
        let (array, bounds) = (VarId::from_index(array), index.clone().between(0, last));
        let check = Op::Check(bounds, self.check());
        let cell = Place::Element(array, index);
        match self.random.below(3) {
            0 => vec![check, Op::wait(cell.read().eq(number))],
            1 => vec![check, Op::assign(cell, number)],
            _ => vec![check, Op::assign(Place::Scalar(self.own(thread, VarId::from_index(0))), cell.read())],
        }
    }

    fn pick_var(&mut self, fits: impl Fn(&Var) -> bool) -> Option<VarId> {
        let vars: Vec<usize> = (0..self.vars.len())
            .filter(|&var| self.vars[var].length.is_none() && fits(&self.vars[var]))
            .collect();
        (!vars.is_empty()).then(|| VarId::from_index(*self.random.pick(&vars)))
    }

    /// An integer that the thread can see: this one, or another one.
    fn own(&mut self, thread: ThreadId, var: VarId) -> VarId {
        let fits = |var: &Var| {
            var.sort == Sort::Int
                && var.length.is_none()
                && (var.is_global() || var.scope == Scope::Local(thread))
        };
        let keeps = self.vars.get(var.index()).is_some_and(fits) && self.random.percent(40);
        if keeps { var } else { self.pick_var(fits).unwrap_or(var) }
    }

    fn int(&mut self, thread: ThreadId) -> Expr {
        match self.random.below(5) {
            0 => Expr::int(self.random.below(4) as i128),
            1 if self.random.percent(30) => Expr::This,
            _ => Expr::var(self.own(thread, VarId::from_index(0))),
        }
    }

    fn condition(&mut self, thread: ThreadId) -> Expr {
        let (left, right) = (self.visible_int(thread), self.int(thread));
        let op = *self.random.pick(&[BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Ge]);
        let first = Expr::binary(op, left, right);
        match self.random.below(6) {
            0 => first.and(self.zero_check(thread)),
            1 => first.or(self.zero_check(thread)),
            2 => self.zero_check(thread).implies(first),
            3 => Expr::unary(UnaryOp::Not, first),
            _ => first,
        }
    }

    fn visible_int(&mut self, thread: ThreadId) -> Expr {
        let var = self
            .pick_var(|var| var.sort == Sort::Int && (var.is_global() || var.scope == Scope::Local(thread)));
        var.map_or(Expr::int(1), Expr::var)
    }

    fn zero_check(&mut self, thread: ThreadId) -> Expr {
        self.visible_int(thread).eq(Expr::int(0))
    }

    fn zero_of(&self, var: VarId) -> Expr {
        match self.vars[var.index()].sort {
            Sort::Int => Expr::var(var).eq(Expr::int(0)),
            Sort::Bool => Expr::var(var).negate(),
        }
    }

    fn nonzero_of(&mut self, var: VarId) -> Expr {
        match self.vars[var.index()].sort {
            Sort::Int if self.random.percent(40) => Expr::This,
            _ => self.constant_of(var, true),
        }
    }

    fn constant_of(&self, var: VarId, value: bool) -> Expr {
        match self.vars[var.index()].sort {
            Sort::Int => Expr::int(i128::from(value)),
            Sort::Bool => Expr::Bool(value),
        }
    }

    fn check(&mut self) -> CheckId {
        if !self.checks.is_empty() && self.random.percent(50) {
            return CheckId::from_index(self.random.below(self.checks.len()));
        }
        let kind = if self.random.percent(85) { CheckKind::Assertion } else { CheckKind::Overflow };
        self.checks.push(Check { kind, message: format!("check {}", self.checks.len()), span: None });
        CheckId::from_index(self.checks.len() - 1)
    }

    fn start(&mut self, thread: ThreadId) -> Vec<Op> {
        let startable: Vec<usize> = (0..self.threads.len())
            .filter(|&other| self.threads[other].kind != (ThreadKind::Instance { running: true }))
            .collect();
        if startable.is_empty() {
            return vec![];
        }
        let started = *self.random.pick(&startable);
        let arguments =
            self.threads[started].parameters.clone().into_iter().map(|_| self.int(thread)).collect();
        let handle = self.random.percent(60).then(|| Place::Scalar(self.own(thread, VarId::from_index(0))));
        vec![Op::Spawn { thread: ThreadId::from_index(started), arguments, handle }]
    }

    fn join(&mut self, thread: ThreadId) -> Vec<Op> {
        if self.random.percent(50) {
            return vec![Op::Join(Expr::int(1 + self.random.below(self.threads.len()) as i128))];
        }
        let handle = self.visible_int(thread);
        vec![Op::wait(handle.clone().between(1, 3)), Op::Join(handle)]
    }

    /// Handles are copied, compared with numbers, and computed with.
    fn handle_as_number(&mut self, thread: ThreadId) -> Vec<Op> {
        let target = Place::Scalar(self.own(thread, VarId::from_index(0)));
        let number = Expr::int(self.random.below(4) as i128);
        let compared = if self.random.percent(50) { Expr::This } else { self.visible_int(thread) };
        match self.random.below(4) {
            0 => vec![Op::assign(target, Expr::This)],
            1 => vec![Op::Check(compared.ne(number), self.check())],
            2 => vec![Op::wait(compared.le(number))],
            _ => {
                let parity = Expr::binary(BinaryOp::Rem, compared, Expr::int(2));
                vec![Op::assign(target, parity)]
            }
        }
    }

    fn edit_edges(&mut self) {
        let edge = self.edge();
        let thread = self.thread_of(edge);
        let own: Vec<usize> =
            (0..self.locations.len()).filter(|&at| self.locations[at].thread == thread).collect();
        let location = LocationId::from_index(*self.random.pick(&own));
        match self.random.below(6) {
            0..=1 => {
                self.edges[edge].target = location;
                self.end_at_halt(edge);
            }
            2 => self.edges[edge].source = location,
            3 => {
                self.edges.remove(edge);
            }
            4 => {
                let mut copy = self.edges[edge].clone();
                copy.target = location;
                self.edges.push(copy);
                self.end_at_halt(self.edges.len() - 1);
            }
            _ => self.append(edge),
        }
    }

    /// Lets an edge do what one behind it does, too.
    fn append(&mut self, edge: usize) {
        let target = self.edges[edge].target;
        let next: Vec<Edge> = self.edges.iter().filter(|next| next.source == target).cloned().collect();
        if !next.is_empty() {
            let next = self.random.pick(&next).clone();
            self.edges[edge].ops.extend(next.ops);
            self.edges[edge].target = next.target;
            self.end_at_halt(edge);
        }
    }

    fn toggle_atomic(&mut self) {
        let at = self.random.below(self.locations.len());
        let id = LocationId::from_index(at);
        if self.threads.iter().all(|thread| thread.entry != id && thread.exit != id) {
            self.locations[at].atomic = !self.locations[at].atomic;
            (0..self.edges.len()).for_each(|edge| self.end_at_halt(edge));
        }
    }

    fn change_kind(&mut self) {
        let thread = self.random.below(self.threads.len());
        self.threads[thread].kind = *self.random.pick(&[
            ThreadKind::Instance { running: true },
            ThreadKind::Instance { running: false },
            ThreadKind::Template,
        ]);
    }

    fn change_initial(&mut self) {
        let var = self.random.below(self.vars.len());
        let cells = self.vars[var].cells();
        self.vars[var].initial = match (self.vars[var].sort, self.random.below(3)) {
            (Sort::Bool, 0) => Initial::Any(Domain::Bool),
            (Sort::Int, 0) => Initial::Any(self.domain()),
            (Sort::Bool, value) => Initial::Values(vec![value as i128 - 1; cells]),
            (_, value) => Initial::Values(vec![value as i128 - 1; cells]),
        };
    }

    fn change_property(&mut self) {
        if let Some(property) = self.properties.first_mut() {
            property.kind = match property.kind.clone() {
                PropertyKind::Always(condition) => PropertyKind::AtEnd(condition),
                PropertyKind::AtEnd(condition) => PropertyKind::Always(condition),
                other => other,
            };
            return;
        }
        let Some(global) = self.pick_var(Var::is_global) else { return };
        let condition = self.zero_of(global);
        let kind = if self.random.percent(50) {
            PropertyKind::Always(condition)
        } else {
            PropertyKind::AtEnd(condition)
        };
        self.properties.push(Property { kind, span: None });
    }
}
