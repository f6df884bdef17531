//! Formulas of any boolean structure: both answers agree, models hold, proofs check.

use rely_base::{Budget, Id};
use rely_logic::sat::{Outcome, Solver};
use rely_logic::smtlib::{Answer, Script};
use rely_logic::{Sort, TermId, TermPool, VarId, Variable};

use super::Report;
use super::oracle::Oracle;
use super::random::{Random, Shape, constraint};

/// How many questions z3 gets at once.
const BATCH: usize = 250;

/// Asks `count` questions.
pub fn run(z3: &mut Oracle, seed: u64, count: usize) -> Report {
    let mut random = Random::new(seed);
    let mut report = Report::default();
    while report.questions < count {
        let size = BATCH.min(count - report.questions);
        let mut scripts = Vec::with_capacity(size);
        let mut ours = Vec::with_capacity(size);
        for _ in 0..size {
            let mut pool = TermPool::new();
            let formulas = formulas(&mut pool, &mut random);
            scripts.push(Script::new(&pool, &formulas).text().to_string());
            ours.push(answer(&mut pool, &formulas));
        }
        for ((their, our), text) in z3.answers(&scripts).into_iter().zip(ours).zip(&scripts) {
            report.compare(our, their, text);
        }
    }
    report
}

/// Our answer, with its evidence checked.
fn answer(pool: &mut TermPool, formulas: &[TermId]) -> Answer {
    let mut solver = Solver::new();
    for &formula in formulas {
        solver.assert(pool, formula).expect("a linear formula");
    }
    match solver.check(pool, &Budget::unlimited()) {
        Outcome::Sat => {
            let model = solver.interpretation().expect("a model after sat");
            assert!(formulas.iter().all(|&formula| model.satisfies(pool, formula)), "a model is wrong");
            Answer::Sat
        }
        Outcome::Unsat => {
            let proof = solver.proof().expect("a proof after unsat");
            proof.check(pool, formulas).unwrap_or_else(|error| panic!("a proof is rejected: {error}"));
            Answer::Unsat
        }
        Outcome::Unknown(_) => Answer::Unknown,
    }
}

/// One to six formulas over a few integers and booleans.
fn formulas(pool: &mut TermPool, random: &mut Random) -> Vec<TermId> {
    let shape = Shape {
        variables: random.between(2, 6),
        constraints: 0,
        general_percent: *random.pick(&[10, 50]),
        largest_coefficient: 4,
    };
    let integers: Vec<VarId> = (0..shape.variables)
        .map(|index| {
            let symbol = pool.symbol(&format!("x{index}"));
            pool.variable_id(Variable { symbol, copy: 0, sort: Sort::Int })
        })
        .collect();
    let depth = random.between(2, 5);
    (0..random.between(1, 6)).map(|_| formula(pool, random, shape, &integers, depth)).collect()
}

fn formula(pool: &mut TermPool, random: &mut Random, shape: Shape, integers: &[VarId], depth: i64) -> TermId {
    if depth == 0 || random.percent(10) {
        return atom(pool, random, shape, integers);
    }
    let mut operand = |pool: &mut TermPool| formula(pool, random, shape, integers, depth - 1);
    let (left, right, third) = (operand(pool), operand(pool), operand(pool));
    match random.between(1, 8) {
        1..=3 => pool.and([left, right, third]),
        4..=6 => pool.or([left, right, third]),
        7 => pool.iff(left, right),
        _ => {
            let both = pool.and([left, right]);
            let not_both = pool.not(both);
            pool.implies(not_both, third)
        }
    }
}

fn atom(pool: &mut TermPool, random: &mut Random, shape: Shape, integers: &[VarId]) -> TermId {
    if random.percent(15) {
        let name = format!("p{}", random.between(0, 2));
        return pool.bool_var(&name);
    }
    let random_constraint = constraint(random, shape);
    // The constraint speaks of the first variables there are; let it speak of the pool's.
    let renamed = random_constraint.rename(|variable| integers[variable.index()]);
    let literal = pool.constraint_term(&renamed);
    if random.percent(30) { pool.not(literal) } else { literal }
}
