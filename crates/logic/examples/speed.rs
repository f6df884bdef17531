//! How fast questions are answered, beside other solvers, in one run.
//!
//! `cargo run --release -p rely-logic --example speed -- [SOLVER...]`
//!
//! Each SOLVER is a command of an SMT-LIB solver that reads from a pipe (default: `z3`). The
//! questions are sent in groups, so that waiting for the pipe does not count against the other
//! solver; its variables are declared once. What is compared is the median time per question over
//! the groups, all solvers taking turns on the same groups, with proofs switched on. What proofs
//! cost is measured afterwards, on questions of their own.

#![allow(clippy::print_stdout)] // this is a command

#[path = "../tests/differential/campaign/random.rs"]
mod random;
#[path = "../tests/differential/campaign/text.rs"]
mod text;

use std::time::{Duration, Instant};

use rely_base::Budget;
use rely_logic::smtlib::{Answer, ExternalError, ExternalSolver};
use rely_logic::{Conjunction, Constraint, Domain, Entailment, Verdict};

use random::{Random, Shape, conjunction, constraint};
use text::constraint_text;

const GROUPS: usize = 150;
const QUESTIONS_PER_GROUP: usize = 20;
const PREDICATES_PER_CONTEXT: usize = 12;
/// A solver that takes longer for a group is started anew, and the group does not count for it.
const LIMIT: Duration = Duration::from_secs(10);
/// Questions to us alone, for the cost of proofs and for how many have no answer.
const QUESTIONS_ALONE: usize = 200_000;

/// Questions of one kind.
#[derive(Clone, Copy)]
struct Category {
    name: &'static str,
    /// The fewest and the most constraints of a context.
    constraints: (usize, usize),
    /// How many predicates each context is asked about; without any, it is asked about itself.
    predicates: usize,
}

const CATEGORIES: [Category; 5] = [
    Category { name: "satisfiability, all", constraints: (5, 30), predicates: 0 },
    Category { name: "satisfiability, 5 to 10 constraints", constraints: (5, 10), predicates: 0 },
    Category { name: "satisfiability, 11 to 20 constraints", constraints: (11, 20), predicates: 0 },
    Category { name: "satisfiability, 21 to 30 constraints", constraints: (21, 30), predicates: 0 },
    Category {
        name: "entailment series of 12 predicates",
        constraints: (5, 30),
        predicates: PREDICATES_PER_CONTEXT,
    },
];

/// Questions about one context: is it satisfiable, and which predicates does it entail?
struct Question {
    context: Vec<Constraint>,
    predicates: Vec<Constraint>,
}

fn main() {
    let mut commands: Vec<String> = std::env::args().skip(1).collect();
    if commands.is_empty() {
        commands.push("z3".to_string());
    }
    let mut others: Vec<(String, ExternalSolver)> =
        commands.into_iter().map(|command| (command.clone(), prepared(&command))).collect();
    println!("median time per question over {GROUPS} groups of {QUESTIONS_PER_GROUP} contexts");
    for category in CATEGORIES {
        println!("{}", category.name);
        compare(category, &mut others);
    }
    println!("{QUESTIONS_ALONE} other questions, asked with and without proofs in turn");
    alone();
}

/// A solver that has all variables declared.
fn prepared(command: &str) -> ExternalSolver {
    let mut solver = ExternalSolver::new(command).unwrap_or_else(|error| panic!("{error}"));
    let declarations: String = (0..20).map(|variable| format!("(declare-const v{variable} Int)\n")).collect();
    solver.tell(&declarations).unwrap_or_else(|error| panic!("{error}"));
    solver
}

fn compare(category: Category, others: &mut [(String, ExternalSolver)]) {
    let mut random = Random::new(7);
    let mut solver = Conjunction::new(Domain::Integers);
    let mut our_times = Vec::new();
    let mut other_times = vec![Vec::new(); others.len()];
    let mut answered = Counts::default();
    for _ in 0..GROUPS {
        let group = group(&mut random, category);
        let asked = group.len() * category.predicates.max(1);
        let (ours, time) = answer_all(&mut solver, &group);
        our_times.push(time / asked as u32);
        for ((command, other), times) in others.iter_mut().zip(&mut other_times) {
            match ask(other, &group) {
                Ok((theirs, time)) => {
                    times.push(time / asked as u32);
                    answered.compare(&ours, &theirs);
                }
                Err(ExternalError::TimedOut { .. }) => {
                    answered.only_ours += asked;
                    *other = prepared(command);
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
    let ours = median(&mut our_times);
    println!("  {:<12} {:>9.2} µs", "rely", micros(ours));
    for ((command, _), times) in others.iter().zip(&mut other_times) {
        let time = median(times);
        let name = command.rsplit('/').next().unwrap_or(command);
        println!("  {name:<12} {:>9.2} µs   {:.1} times ours", micros(time), ratio(time, ours));
    }
    println!("  {answered}");
}

/// What proofs cost, and how many questions have no answer. Each group is asked four times, with
/// proofs first and last, so that neither way profits from what the other leaves in the caches.
fn alone() {
    let mut random = Random::new(8);
    let mut solver = Conjunction::new(Domain::Integers);
    let (mut with, mut without, mut checking) = (Vec::new(), Vec::new(), Duration::ZERO);
    let mut unknown = 0;
    for _ in 0..QUESTIONS_ALONE / QUESTIONS_PER_GROUP {
        let group = group(&mut random, CATEGORIES[0]);
        answer_all(&mut solver, &group);
        for proofs in [true, false, false, true] {
            solver.set_proofs(proofs);
            let (answers, time) = answer_all(&mut solver, &group);
            if proofs { &mut with } else { &mut without }.push(time / group.len() as u32);
            unknown += answers.iter().filter(|answer| answer.is_none()).count();
        }
        checking += check_proofs(&mut solver, &group);
    }
    let share = 25.0 * unknown as f64 / QUESTIONS_ALONE as f64;
    let (all_with, all_without) = (with.iter().sum(), without.iter().sum());
    let (with, without) = (median(&mut with), median(&mut without));
    println!("  with proofs     {:>9.2} µs", micros(with));
    println!("  without proofs  {:>9.2} µs", micros(without));
    println!(
        "  proofs cost     {:>9.1} % in the median, {:.1} % in total",
        100.0 * (ratio(with, without) - 1.0),
        100.0 * (ratio(all_with, all_without) - 1.0)
    );
    println!("  checking them   {:>9.2} µs per question", micros(checking) / QUESTIONS_ALONE as f64);
    println!("  no answer       {share:>9.4} %");
}

/// The time that checking the proofs of a group takes.
fn check_proofs(solver: &mut Conjunction, group: &[Question]) -> Duration {
    let mut time = Duration::ZERO;
    for question in group {
        answer(solver, question);
        if let Some(proof) = solver.proof() {
            let start = Instant::now();
            proof.check(Domain::Integers, &question.context).unwrap_or_else(|error| panic!("{error}"));
            time += start.elapsed();
        }
    }
    time
}

fn group(random: &mut Random, category: Category) -> Vec<Question> {
    (0..QUESTIONS_PER_GROUP).map(|_| question(random, category)).collect()
}

/// Our answers to a group, and the time they took.
fn answer_all(solver: &mut Conjunction, group: &[Question]) -> (Vec<Option<bool>>, Duration) {
    let start = Instant::now();
    let answers = group.iter().flat_map(|question| answer(solver, question)).collect();
    (answers, start.elapsed())
}

/// A random question. Contexts of entailment series are satisfiable: the others would be trivial.
fn question(random: &mut Random, category: Category) -> Question {
    let Category { constraints: (fewest, most), predicates, .. } = category;
    loop {
        let constraints = random.between(fewest as i64, most as i64) as usize;
        let shape = Shape { constraints, ..Shape::like_engines(random) };
        let question = Question {
            context: conjunction(random, shape),
            predicates: (0..predicates).map(|_| constraint(random, shape)).collect(),
        };
        if predicates == 0 || is_satisfiable(&question.context) {
            return question;
        }
    }
}

fn is_satisfiable(constraints: &[Constraint]) -> bool {
    let mut solver = Conjunction::new(Domain::Integers);
    for constraint in constraints {
        solver.assert(constraint);
    }
    solver.check(&Budget::unlimited()) == Verdict::Sat
}

/// Our answers, true for unsatisfiable or entailed.
fn answer(solver: &mut Conjunction, question: &Question) -> Vec<Option<bool>> {
    let budget = Budget::unlimited();
    solver.reset();
    for constraint in &question.context {
        solver.assert(constraint);
    }
    if question.predicates.is_empty() {
        return vec![match solver.check(&budget) {
            Verdict::Sat => Some(false),
            Verdict::Unsat => Some(true),
            Verdict::Unknown(_) => None,
        }];
    }
    let entailed = |predicate| match solver.entails(predicate, &budget) {
        Entailment::Yes => Some(true),
        Entailment::No => Some(false),
        Entailment::Unknown(_) => None,
    };
    question.predicates.iter().map(entailed).collect()
}

/// The answers of another solver to a group, and the time it took.
fn ask(
    other: &mut ExternalSolver,
    group: &[Question],
) -> Result<(Vec<Option<bool>>, Duration), ExternalError> {
    let mut text = String::new();
    let mut count = 0;
    for question in group {
        text.push_str("(push 1)\n");
        for constraint in &question.context {
            text.push_str(&format!("(assert {})\n", constraint_text(constraint)));
        }
        if question.predicates.is_empty() {
            text.push_str("(check-sat)\n");
            count += 1;
        }
        for predicate in &question.predicates {
            let negated = constraint_text(&predicate.negated());
            text.push_str(&format!("(push 1)\n(assert {negated})\n(check-sat)\n(pop 1)\n"));
            count += 1;
        }
        text.push_str("(pop 1)\n");
    }
    let start = Instant::now();
    other.tell(&text)?;
    let answers = other.read_answers(count, LIMIT)?;
    let time = start.elapsed();
    let as_bool = |answer| match answer {
        Answer::Sat => Some(false),
        Answer::Unsat => Some(true),
        Answer::Unknown => None,
    };
    Ok((answers.into_iter().map(as_bool).collect(), time))
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn ratio(time: Duration, ours: Duration) -> f64 {
    time.as_secs_f64() / ours.as_secs_f64()
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// How the answers compare; a disagreement ends the run.
#[derive(Default)]
struct Counts {
    both: usize,
    only_theirs: usize,
    only_ours: usize,
}

impl Counts {
    fn compare(&mut self, ours: &[Option<bool>], theirs: &[Option<bool>]) {
        for pair in ours.iter().zip(theirs) {
            match pair {
                (Some(our), Some(their)) => {
                    assert_eq!(our, their, "solvers disagree");
                    self.both += 1;
                }
                (None, Some(_)) => self.only_theirs += 1,
                (Some(_), None) => self.only_ours += 1,
                (None, None) => {}
            }
        }
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Counts { both, only_theirs, only_ours } = self;
        write!(
            f,
            "answers: {both} by both and equal, {only_theirs} unknown to us, {only_ours} unknown to them"
        )
    }
}
