//! Times the solver for conjunctions on random systems like those of the engines.
//!
//! `cargo run --release -p rely-logic --example conjunction_profile -- [variables constraints general% count
//! coefficient distinct%]` prints the distribution of the time for one question, with and without
//! proofs, and of entailments; with `smt2` as a seventh argument, it prints the questions as SMT-LIB
//! with the answers as comments instead.

use std::io::Write;
use std::time::Instant;

use rely_base::{Budget, Id};
use rely_logic::{Conjunction, Constraint, Domain, Entailment, LinearForm, Relation, VarId, Verdict};

/// A small generator of pseudo-random numbers (xorshift*), so that runs are repeatable.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % limit
    }

    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as u64) as i64
    }
}

struct Shape {
    variables: usize,
    constraints: usize,
    general_percent: u64,
    /// The largest coefficient of a general constraint.
    coefficient: i64,
    distinct_percent: u64,
}

fn random_constraint(random: &mut Random, shape: &Shape) -> Constraint {
    let variable = |random: &mut Random| VarId::from_index(random.below(shape.variables as u64) as usize);
    let form = if random.below(100) < shape.general_percent {
        let length = random.between(2, 4);
        let terms: Vec<_> = (0..length)
            .map(|_| (variable(random), random.between(-shape.coefficient, shape.coefficient)))
            .collect();
        LinearForm::new(terms, random.between(-4 * shape.coefficient, 4 * shape.coefficient))
    } else if random.below(100) < 20 {
        let sign = if random.below(2) == 0 { 1 } else { -1 };
        LinearForm::new([(variable(random), sign)], random.between(-10, 4))
    } else {
        LinearForm::new([(variable(random), 1), (variable(random), -1)], random.between(-9, 5))
    };
    let relation = if random.below(100) < shape.distinct_percent {
        Relation::Ne
    } else if random.below(100) < 20 {
        Relation::Eq
    } else {
        Relation::Le
    };
    Constraint::new(form, relation)
}

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: usize| {
        arguments.get(index).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let shape = Shape {
        variables: number(0, 8),
        constraints: number(1, 12),
        general_percent: number(2, 15) as u64,
        coefficient: number(4, 3) as i64,
        distinct_percent: number(5, 5) as u64,
    };
    let count = number(3, 20_000);
    let print = arguments.get(6).is_some_and(|text| text == "smt2");
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let systems: Vec<Vec<Constraint>> = (0..count)
        .map(|_| (0..shape.constraints).map(|_| random_constraint(&mut random, &shape)).collect())
        .collect();
    let mut out = std::io::stdout().lock();
    if print { print_smtlib(&mut out, &shape, &systems) } else { time_all(&mut out, &shape, &systems) }
}

fn time_all(out: &mut impl Write, shape: &Shape, systems: &[Vec<Constraint>]) -> std::io::Result<()> {
    writeln!(
        out,
        "{} variables, {} constraints, {} % general, coefficients up to {}, {} % distinct",
        shape.variables, shape.constraints, shape.general_percent, shape.coefficient, shape.distinct_percent
    )?;
    for proofs in [false, true, false, true] {
        time_questions(out, systems, proofs)?;
    }
    time_entailment(out, systems)
}

fn time_questions(out: &mut impl Write, systems: &[Vec<Constraint>], proofs: bool) -> std::io::Result<()> {
    let budget = Budget::unlimited();
    let mut solver = Conjunction::new(Domain::Integers);
    solver.set_proofs(proofs);
    let mut nanoseconds = Vec::with_capacity(systems.len());
    let (mut sat, mut unsat, mut unknown) = (0, 0, 0);
    for system in systems {
        let start = Instant::now();
        solver.reset();
        for constraint in system {
            solver.assert(constraint);
        }
        let verdict = solver.check(&budget);
        nanoseconds.push(start.elapsed().as_nanos());
        match verdict {
            Verdict::Sat => sat += 1,
            Verdict::Unsat => unsat += 1,
            Verdict::Unknown(_) => unknown += 1,
        }
    }
    let mean = nanoseconds.iter().sum::<u128>() / nanoseconds.len().max(1) as u128;
    nanoseconds.sort_unstable();
    let at = |percent: usize| nanoseconds[(nanoseconds.len() - 1) * percent / 100];
    let (median, high, top) = (at(50), at(90), at(99));
    let worst = at(100);
    writeln!(out, "proofs {proofs}: sat {sat} unsat {unsat} unknown {unknown}")?;
    writeln!(out, "  ns: median {median} mean {mean} 90 % {high} 99 % {top} worst {worst}")?;
    writeln!(out, "  {:?}", solver.statistics())
}

/// Twelve predicates (the constraints of the next system) against each satisfiable system.
fn time_entailment(out: &mut impl Write, systems: &[Vec<Constraint>]) -> std::io::Result<()> {
    let budget = Budget::unlimited();
    let mut solver = Conjunction::new(Domain::Integers);
    let mut nanoseconds = Vec::new();
    let (mut yes, mut no, mut unknown) = (0, 0, 0);
    for pair in systems.windows(2) {
        solver.reset();
        for constraint in &pair[0][..pair[0].len() / 2] {
            solver.assert(constraint);
        }
        if solver.check(&budget) != Verdict::Sat {
            continue;
        }
        let start = Instant::now();
        for predicate in &pair[1] {
            match solver.entails(predicate, &budget) {
                Entailment::Yes => yes += 1,
                Entailment::No => no += 1,
                Entailment::Unknown(_) => unknown += 1,
            }
        }
        nanoseconds.push(start.elapsed().as_nanos() / pair[1].len() as u128);
    }
    nanoseconds.sort_unstable();
    let Some(median) = nanoseconds.get(nanoseconds.len() / 2) else { return Ok(()) };
    let mean = nanoseconds.iter().sum::<u128>() / nanoseconds.len() as u128;
    writeln!(
        out,
        "entailment: yes {yes} no {no} unknown {unknown}; ns a predicate: median {median} mean {mean}"
    )
}

fn print_smtlib(out: &mut impl Write, shape: &Shape, systems: &[Vec<Constraint>]) -> std::io::Result<()> {
    let budget = Budget::unlimited();
    let mut solver = Conjunction::new(Domain::Integers);
    writeln!(out, "(set-logic QF_LIA)")?;
    for index in 0..shape.variables {
        writeln!(out, "(declare-const v{index} Int)")?;
    }
    for system in systems {
        solver.reset();
        writeln!(out, "(push)")?;
        for constraint in system {
            solver.assert(constraint);
            let terms: String = constraint
                .form()
                .terms()
                .iter()
                .map(|(variable, c)| format!(" (* (- {}) v{})", -c, variable.index()))
                .collect();
            let relation = match constraint.relation() {
                Relation::Le => "<=",
                Relation::Lt => "<",
                Relation::Eq => "=",
                Relation::Ne => "distinct",
            };
            writeln!(out, "(assert ({relation} (+ (- {}) 0{terms}) 0))", -constraint.form().constant_term())?;
        }
        let answer = match solver.check(&budget) {
            Verdict::Sat => "sat",
            Verdict::Unsat => "unsat",
            Verdict::Unknown(_) => "unknown",
        };
        writeln!(out, "(check-sat)\n;= {answer}\n(pop)")?;
    }
    Ok(())
}
