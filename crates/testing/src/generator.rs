//! Small programs at random.
//!
//! Up to three threads of a few statements over a few small variables: enough to meet every
//! construct of the language and most pairs of them, small enough that every state of
//! thousands of programs can be visited while one waits. All values stay in a small range, so
//! that there are finitely many states.

use crate::script::Script;
use rely_base::Random;
use rely_program::{
    BinaryOp, Check, CheckKind, Domain, Expr, Goal, Initial, LocationId, Op, Place, Program, ProgramBuilder,
    Property, PropertyKind, Scope, Sort, ThreadId, ThreadKind, Value, Var, VarId,
};

/// A program and what to ask about it.
#[derive(Debug)]
pub struct Sample {
    /// The program.
    pub program: Program,
    /// The goal.
    pub goal: Goal,
}

/// The program of a seed.
pub fn generate(seed: u64) -> Sample {
    let mut generator = Generator::new(seed);
    generator.declare();
    generator.write_threads();
    if seed % 128 == 77 {
        generator.divide_by_zero();
    }
    generator.state_properties();
    let goal = match generator.rng.below(10) {
        0..=5 => Goal::Assert,
        6..=8 => Goal::Deadlock,
        _ => Goal::Overflow,
    };
    let program = generator.builder.finish().expect("generated programs are well formed");
    Sample { program, goal }
}

/// Values that expressions and variables have are reduced to less than this.
const MODULUS: Value = 3;

struct Generator {
    rng: Random,
    builder: ProgramBuilder,
    ints: Vec<VarId>,
    bools: Vec<VarId>,
    array: Option<VarId>,
    /// Threads that run from the beginning.
    running: Vec<ThreadId>,
    /// A thread that must be started, if there is one.
    started: Option<ThreadId>,
    handle: Option<VarId>,
    /// Locations that properties may count.
    landmarks: Vec<LocationId>,
}

impl Generator {
    fn new(seed: u64) -> Self {
        Self {
            rng: Random::new(seed),
            builder: ProgramBuilder::new(format!("generated from {seed}")),
            ints: vec![],
            bools: vec![],
            array: None,
            running: vec![],
            started: None,
            handle: None,
            landmarks: vec![],
        }
    }

    fn declare(&mut self) {
        for index in 0..1 + self.rng.below(3) {
            let initial = self.initial(Domain::Range { low: 0, high: MODULUS - 1 });
            let int = self.variable(&format!("x{index}"), Sort::Int, Scope::Global, None, initial);
            self.ints.push(int);
        }
        if self.rng.percent(50) {
            let initial = self.initial(Domain::Bool);
            let flag = self.variable("flag", Sort::Bool, Scope::Global, None, initial);
            self.bools.push(flag);
        }
        if self.rng.percent(25) {
            let initial = Initial::Values(vec![0, 1]);
            self.array = Some(self.variable("a", Sort::Int, Scope::Global, Some(2), initial));
        }
        if self.rng.percent(15) {
            let condition = self.condition(&Scene::outside(), 1);
            self.builder.requires(condition);
        }
    }

    fn variable(
        &mut self,
        name: &str,
        sort: Sort,
        scope: Scope,
        length: Option<u32>,
        initial: Initial,
    ) -> VarId {
        self.builder.var(Var {
            name: name.to_owned(),
            sort,
            scope,
            length,
            initial,
            span: None,
            atomic: false,
        })
    }

    fn initial(&mut self, domain: Domain) -> Initial {
        if self.rng.percent(12) { Initial::Any(domain) } else { Initial::Values(vec![0]) }
    }

    fn write_threads(&mut self) {
        let threads = 1 + self.rng.below(3);
        let starts_another = threads < 3 && self.rng.percent(40);
        for index in 0..threads {
            let kind = ThreadKind::Instance { running: true };
            self.running.push(self.builder.thread(format!("T{index}"), kind));
        }
        if starts_another {
            let template = self.rng.percent(50);
            let kind = if template { ThreadKind::Template } else { ThreadKind::Instance { running: false } };
            self.started = Some(self.builder.thread("S", kind));
            let owner = if self.rng.percent(70) { Scope::Local(self.running[0]) } else { Scope::Global };
            let initial = Initial::Values(vec![0]);
            let handle = self.variable("handle", Sort::Int, owner, None, initial);
            self.handle = Some(handle);
            if owner == Scope::Global && self.rng.percent(30) {
                self.ints.push(handle); // others may overwrite it
            }
        }
        // Who starts a thread must know its parameters.
        for thread in self.started.into_iter().chain(self.running.clone()) {
            self.write_thread(thread);
        }
    }

    /// One more thread, which has no meaning: few programs would have none otherwise.
    fn divide_by_zero(&mut self) {
        let thread = self.builder.thread("Z", ThreadKind::Instance { running: true });
        let nowhere = Expr::binary(BinaryOp::Div, Expr::int(1), Expr::int(0));
        let (entry, exit) = (self.builder.entry(thread), self.builder.exit(thread));
        self.builder.edge(entry, exit, vec![Op::wait(nowhere.eq(Expr::int(0)))], None);
    }

    fn write_thread(&mut self, thread: ThreadId) {
        let mut scene = Scene { thread: Some(thread), locals: vec![], depth: 0 };
        if self.rng.percent(60) {
            let initial = self.initial(Domain::Range { low: 0, high: 1 });
            let local = self.variable("v", Sort::Int, Scope::Local(thread), None, initial);
            scene.locals.push(local);
            if Some(thread) == self.started && self.rng.percent(50) {
                self.builder.parameter(thread, local);
            }
        }
        let starter = self.running.first() == Some(&thread) && self.started.is_some();
        let mut lines = vec![];
        for _ in 0..1 + self.rng.below(4) {
            lines.push(self.statement(&scene));
        }
        if starter {
            let at = self.rng.below(lines.len() + 1);
            lines.insert(at, Statement::Start);
            if self.rng.percent(60) {
                let after = at + 1 + self.rng.below(lines.len() - at);
                lines.insert(after, Statement::Join);
            }
        }
        if !starter && self.started.is_some() && self.rng.percent(15) {
            // Waits for a thread that may not even exist yet.
            let handle = self.rng.below(self.running.len() + 2) as Value + 1;
            let at = self.rng.below(lines.len() + 1);
            lines.insert(at, Statement::Step(vec![Op::Join(Expr::int(handle))]));
        }
        let start = self.started.zip(self.handle);
        self.landmarks.push(self.builder.entry(thread));
        let mut script = Script::resume(&mut self.builder, thread);
        for line in &lines {
            write(&mut script, line, start);
            self.landmarks.push(script.here());
        }
        script.finish();
    }

    fn statement(&mut self, scene: &Scene) -> Statement {
        let inner = Scene { depth: scene.depth + 1, ..scene.clone() };
        let deep = scene.depth >= 2;
        match self.rng.below(100) {
            0..=34 => Statement::Step(vec![self.assignment(scene)]),
            35..=42 => Statement::Step(vec![self.havoc(scene)]),
            43..=51 => Statement::Step(vec![Op::wait(self.condition(scene, 1))]),
            52..=55 => Statement::Step(vec![Op::assume(self.condition(scene, 1))]),
            56..=65 => Statement::Step(vec![self.check(scene)]),
            66..=72 => {
                let ops =
                    vec![Op::wait(self.condition(scene, 1)), self.assignment(scene), self.assignment(scene)];
                Statement::Step(ops)
            }
            73..=74 => Statement::Step(vec![Op::wait(self.condition(scene, 1)), Op::Halt]),
            75..=81 if !deep => {
                let condition = self.condition(scene, 1);
                Statement::If(condition, vec![self.statement(&inner)], vec![self.statement(&inner)])
            }
            82..=89 if !deep => Statement::While(self.condition(scene, 1), vec![self.statement(&inner)]),
            90..=97 if !deep => Statement::Atomic(vec![self.statement(&inner), self.statement(&inner)]),
            _ => Statement::Step(vec![]),
        }
    }

    fn assignment(&mut self, scene: &Scene) -> Op {
        let mut place = self.place(scene);
        if self.rng.percent(12) && self.ints.len() > 1 {
            let (one, other) = (self.ints[0], self.ints[1]);
            return Op::Assign(vec![
                (Place::Scalar(one), Expr::var(other)),
                (Place::Scalar(other), self.small_int(scene)),
            ]);
        }
        if let (true, Some(flag)) = (self.rng.percent(20), self.bools.first()) {
            place = Place::Scalar(*flag);
            return Op::assign(place, self.condition(scene, 1));
        }
        Op::assign(place, self.small_int(scene))
    }

    fn havoc(&mut self, scene: &Scene) -> Op {
        match self.bools.first() {
            Some(flag) if self.rng.percent(30) => Op::Havoc(Place::Scalar(*flag), Domain::Bool),
            _ => Op::Havoc(self.place(scene), Domain::Range { low: 0, high: 1 + self.rng.below(2) as Value }),
        }
    }

    fn check(&mut self, scene: &Scene) -> Op {
        let kind = if self.rng.percent(15) { CheckKind::Overflow } else { CheckKind::Assertion };
        let check = self.builder.check(Check { kind, message: "a condition fails".to_owned(), span: None });
        // Disjunctions hold more often, so that more programs are safe.
        let condition = self.condition(scene, 1).or(self.condition(scene, 1)).or(self.condition(scene, 1));
        Op::Check(condition, check)
    }

    fn place(&mut self, scene: &Scene) -> Place {
        if let (true, Some(array)) = (self.rng.percent(25), self.array) {
            return Place::Element(array, self.index(scene));
        }
        let ints: Vec<VarId> = self.ints.iter().chain(&scene.locals).copied().collect();
        Place::Scalar(*self.rng.pick(&ints))
    }

    /// An index, mostly one that is in the array.
    fn index(&mut self, scene: &Scene) -> Expr {
        if self.rng.percent(50) {
            return Expr::int(self.rng.below(2) as Value);
        }
        let index = self.atom(scene);
        let reduced = Expr::binary(BinaryOp::BitAnd, index.clone(), Expr::int(1));
        if self.rng.percent(95) { reduced } else { index }
    }

    fn atom(&mut self, scene: &Scene) -> Expr {
        let ints: Vec<VarId> = self.ints.iter().chain(&scene.locals).copied().collect();
        match self.rng.below(10) {
            0..=5 => Expr::var(*self.rng.pick(&ints)),
            6 if self.array.is_some() => {
                Expr::element(self.array.unwrap(), Expr::int(self.rng.below(2) as Value))
            }
            7 if scene.thread.is_some() => Expr::This,
            _ => Expr::int(self.rng.below(MODULUS as usize) as Value),
        }
    }

    /// An integer whose value is small.
    fn small_int(&mut self, scene: &Scene) -> Expr {
        let (left, right) = (self.atom(scene), self.atom(scene));
        let modulo = |expr: Expr| Expr::binary(BinaryOp::Rem, expr, Expr::int(MODULUS));
        match self.rng.below(8) {
            0..=2 => modulo(left.add(right)),
            3 => modulo(left.sub(right)),
            4 => Expr::binary(BinaryOp::BitXor, modulo(left), Expr::int(1)),
            5 => Expr::ite(self.condition(scene, 0), modulo(left), Expr::int(1)),
            _ => Expr::int(self.rng.below(MODULUS as usize) as Value),
        }
    }

    fn condition(&mut self, scene: &Scene, depth: usize) -> Expr {
        match self.rng.below(10) {
            0 | 1 if depth > 0 => self.condition(scene, depth - 1).and(self.condition(scene, depth - 1)),
            2 if depth > 0 => self.condition(scene, depth - 1).or(self.condition(scene, depth - 1)),
            3 | 4 if !self.bools.is_empty() => {
                let flag = Expr::var(self.bools[0]);
                if self.rng.percent(50) { flag } else { flag.negate() }
            }
            _ => {
                use BinaryOp::{Eq, Le, Lt, Ne};
                let op = *self.rng.pick(&[Eq, Ne, Lt, Le]);
                Expr::binary(op, self.atom(scene), self.atom(scene))
            }
        }
    }

    fn state_properties(&mut self) {
        if self.rng.percent(35) {
            let mut condition = self.condition(&Scene::outside(), 1).or(self.condition(&Scene::outside(), 1));
            if self.rng.percent(50) && self.landmarks.len() > 1 {
                let (one, other) = (*self.rng.pick(&self.landmarks), *self.rng.pick(&self.landmarks));
                let both = Expr::CountAt(one).add(Expr::CountAt(other));
                condition = condition.or(both.lt(Expr::int(2)));
            }
            if self.rng.percent(20) {
                let thread = *self.rng.pick(&self.running);
                condition = condition.or(Expr::CountRunning(thread).eq(Expr::int(1)));
            }
            self.builder.property(Property { kind: PropertyKind::Always(condition), span: None });
        }
        if self.rng.percent(25) {
            let condition = self.condition(&Scene::outside(), 1).or(self.condition(&Scene::outside(), 1));
            self.builder.property(Property { kind: PropertyKind::AtEnd(condition), span: None });
        }
        if self.rng.percent(10) {
            self.builder.property(Property { kind: PropertyKind::DeadlockFree, span: None });
        }
    }
}

/// What a statement can see.
#[derive(Clone)]
struct Scene {
    /// `None` for properties.
    thread: Option<ThreadId>,
    locals: Vec<VarId>,
    depth: usize,
}

impl Scene {
    fn outside() -> Self {
        Self { thread: None, locals: vec![], depth: 0 }
    }
}

enum Statement {
    Step(Vec<Op>),
    If(Expr, Vec<Statement>, Vec<Statement>),
    While(Expr, Vec<Statement>),
    Atomic(Vec<Statement>),
    /// Starts the thread that must be started.
    Start,
    /// Waits for its end.
    Join,
}

/// Turns a statement into edges.
fn write(script: &mut Script<'_>, statement: &Statement, start: Option<(ThreadId, VarId)>) {
    let all = |script: &mut Script<'_>, lines: &[Statement]| {
        lines.iter().for_each(|line| write(script, line, start));
    };
    match (statement, start) {
        (Statement::Step(ops), _) => script.step(ops.clone()),
        (Statement::If(condition, yes, no), _) => {
            script.choose(condition.clone(), |script| all(script, yes), |script| all(script, no));
        }
        (Statement::While(condition, body), _) => {
            script.repeat_while(condition.clone(), |script| all(script, body));
        }
        (Statement::Atomic(body), _) => script.atomic(|script| all(script, body)),
        (Statement::Start, Some((thread, handle))) => {
            let parameters = script.builder().program().threads()[thread].parameters.len();
            let arguments = vec![Expr::int(1); parameters];
            let handle = Some(Place::Scalar(handle));
            script.step(vec![Op::Spawn { thread, arguments, handle }]);
        }
        (Statement::Join, Some((_, handle))) => script.step(vec![Op::Join(Expr::var(handle))]),
        (Statement::Start | Statement::Join, None) => {}
    }
}
