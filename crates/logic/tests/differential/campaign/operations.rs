//! Formulas with operations that are not linear: both answers agree, models hold, refutations
//! check.

use rely_base::Budget;
use rely_logic::smtlib::{Answer, Script};
use rely_logic::{FormulaSolver, FunctionId, Satisfiability, Sort, TermId, TermPool};

use super::Report;
use super::oracle::Oracle;
use super::random::Random;

/// How many questions z3 gets at once.
const BATCH: usize = 100;

/// Which operations a formula may use.
#[derive(Clone, Copy, Debug)]
enum Operations {
    /// Division and remainder by constants, bits of constants.
    Division,
    /// Products of variables, which are bounded.
    Products,
    /// A function.
    Functions,
    /// Reading and changing arrays.
    Arrays,
}

/// What formulas are made of.
struct World {
    pool: TermPool,
    integers: Vec<TermId>,
    arrays: Vec<TermId>,
    function: FunctionId,
    operations: Operations,
}

/// Asks `count` questions.
pub fn run(z3: &mut Oracle, seed: u64, count: usize) -> Report {
    let mut random = Random::new(seed);
    let mut report = Report::default();
    while report.questions < count {
        let size = BATCH.min(count - report.questions);
        let (mut ours, mut scripts) = (Vec::new(), Vec::new());
        for _ in 0..size {
            let mut world = World::new(&mut random);
            let formulas = world.formulas(&mut random);
            scripts.push(Script::new(&world.pool, &formulas).text().to_owned());
            ours.push(answer(&mut world.pool, &formulas));
        }
        for ((&our, their), text) in ours.iter().zip(z3.answers(&scripts)).zip(&scripts) {
            report.compare(our, their, text);
        }
    }
    report
}

/// Our answer, with its evidence checked.
fn answer(pool: &mut TermPool, formulas: &[TermId]) -> Answer {
    let answer = FormulaSolver::new(1).satisfiable(pool, formulas, &Budget::unlimited());
    match &answer.satisfiability {
        Satisfiability::Sat(model) => {
            assert!(formulas.iter().all(|&formula| model.satisfies(pool, formula)), "a model is wrong");
            Answer::Sat
        }
        Satisfiability::Unsat(refutation) => {
            if let Err(error) = refutation.check(pool, formulas) {
                panic!("a refutation is rejected: {error}");
            }
            Answer::Unsat
        }
        Satisfiability::Unknown(_) => Answer::Unknown,
    }
}

impl World {
    fn new(random: &mut Random) -> Self {
        let mut pool = TermPool::new();
        let integers = ["x", "y", "z"].map(|name| pool.int_var(name)).to_vec();
        let arrays = ["a", "b"].map(|name| pool.array_var(name)).to_vec();
        let function = pool.function("f", 1, Sort::Int);
        let all = [Operations::Division, Operations::Products, Operations::Functions, Operations::Arrays];
        Self { pool, integers, arrays, function, operations: *random.pick(&all) }
    }

    fn formulas(&mut self, random: &mut Random) -> Vec<TermId> {
        let mut formulas = Vec::new();
        for _ in 0..random.between(2, 9) {
            let (left, right) = (self.atom(random), self.atom(random));
            formulas.push(if random.percent(50) { left } else { self.pool.or([left, right]) });
        }
        if matches!(self.operations, Operations::Products) {
            let (low, high) = (self.pool.int(-8), self.pool.int(8));
            for variable in self.integers.clone() {
                formulas.extend([self.pool.le(low, variable), self.pool.le(variable, high)]);
            }
        }
        formulas
    }

    fn atom(&mut self, random: &mut Random) -> TermId {
        if matches!(self.operations, Operations::Arrays) && random.percent(20) {
            let (left, right) = (self.array(random, 1), self.array(random, 2));
            let equal = self.pool.eq(left, right);
            return if random.percent(50) { equal } else { self.pool.not(equal) };
        }
        let (left, right) = (self.number(random, 2), self.number(random, 1));
        match random.between(1, 4) {
            1 => self.pool.eq(left, right),
            2 => self.pool.ne(left, right),
            3 => self.pool.le(left, right),
            _ => self.pool.lt(left, right),
        }
    }

    fn number(&mut self, random: &mut Random, depth: u32) -> TermId {
        if depth == 0 || random.percent(25) {
            let constant = self.pool.int(random.between(-6, 6));
            return if random.percent(30) { constant } else { *random.pick(&self.integers) };
        }
        let (left, right) = (self.number(random, depth - 1), self.number(random, depth - 1));
        match random.between(1, 6) {
            1 => self.pool.add(left, right),
            2 => self.pool.sub(left, right),
            3 => self.pool.scale(random.between(-3, 3), left),
            _ => self.operation(random, left, right, depth),
        }
    }

    fn operation(&mut self, random: &mut Random, left: TermId, right: TermId, depth: u32) -> TermId {
        match self.operations {
            Operations::Division => {
                let divisor = *random.pick(&[2, 3, -2, 5, 8]);
                let mask = self.pool.int(random.between(0, 15));
                match random.between(1, 4) {
                    1 => self.pool.div(left, divisor).expect("a divisor other than zero"),
                    2 => self.pool.bit_and(left, mask),
                    3 => self.pool.wrap_signed(left, 4),
                    _ => self.pool.modulo(left, divisor).expect("a divisor other than zero"),
                }
            }
            Operations::Products => self.pool.mul(left, right),
            Operations::Functions => self.pool.apply(self.function, &[left]).expect("one argument"),
            Operations::Arrays => {
                let array = self.array(random, depth);
                self.pool.select(array, left)
            }
        }
    }

    fn array(&mut self, random: &mut Random, depth: u32) -> TermId {
        if depth == 0 || random.percent(30) {
            return *random.pick(&self.arrays);
        }
        let inner = self.array(random, depth - 1);
        let (index, value) = (self.number(random, depth - 1), self.number(random, depth - 1));
        self.pool.store(inner, index, value)
    }
}
