//! Series of predicates against contexts that grow and shrink: every answer agrees.

use rely_base::Budget;
use rely_logic::smtlib::Answer;
use rely_logic::{Conjunction, Constraint, Domain, Entailment};

use super::Report;
use super::oracle::{Oracle, script};
use super::random::{Random, Shape, constraint};

/// How many questions z3 gets at once, more or less.
const BATCH: usize = 500;

/// Predicates between two changes of the context.
const PREDICATES: usize = 6;

/// Asks `count` questions or a few more; `unsat` are those predicates that are entailed.
pub fn run(z3: &mut Oracle, seed: u64, count: usize) -> Report {
    let mut random = Random::new(seed);
    let mut context = Conjunction::new(Domain::Integers);
    let mut report = Report::default();
    while report.questions < count {
        let (mut ours, mut scripts) = (Vec::new(), Vec::new());
        while scripts.len() < BATCH {
            series(&mut context, &mut random, &mut ours, &mut scripts);
        }
        for ((&our, their), text) in ours.iter().zip(z3.answers(&scripts)).zip(&scripts) {
            report.compare(our, their, text);
        }
    }
    report
}

/// One context, which is narrowed twice and then widened again.
fn series(context: &mut Conjunction, random: &mut Random, ours: &mut Vec<Answer>, scripts: &mut Vec<String>) {
    let shape = Shape::like_engines(random);
    context.reset();
    for _ in 0..shape.constraints / 2 {
        context.assert(&constraint(random, shape));
    }
    let mut depth = 0;
    for wanted in [0, 1, 2, 1, 0] {
        if depth > wanted {
            context.pop();
        } else if depth < wanted {
            context.push();
            for _ in 0..random.between(1, 3) {
                context.assert(&constraint(random, shape));
            }
        }
        depth = wanted;
        for _ in 0..PREDICATES {
            let predicate = constraint(random, shape);
            ours.push(match context.entails(&predicate, &Budget::unlimited()) {
                Entailment::Yes => Answer::Unsat,
                Entailment::No => Answer::Sat,
                Entailment::Unknown(_) => Answer::Unknown,
            });
            let negated: Constraint = predicate.negated();
            scripts.push(script(context.constraints().iter().chain([&negated])));
        }
    }
}
