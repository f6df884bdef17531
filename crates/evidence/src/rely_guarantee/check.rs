//! The check of a rely-guarantee proof or a ranking: every obligation is decided, every refutation checked.
//!
//! An obligation holds if its hypotheses and the negation of its goal are not satisfiable
//! together. The solver of `rely_logic` says so with a refutation, and only the refutation counts:
//! its checker has to accept it. What is satisfiable, or not decided, ends the check.

use super::parts::Parts;
use crate::data::{Counting, Obstacle, ProofDefect, RelyGuaranteeDefect, Subject};
use crate::obligations::argument::Argument;
use crate::obligations::encode::Encoder;
use crate::obligations::movers::Movability;
use crate::obligations::outline::Outline;
use crate::obligations::sequent::{OpenQuestion, Question, Sequent, negated_conjunction};
use crate::obligations::{Generator, Sink};
use rely_base::Budget;
use rely_logic::{
    FormulaAnswer, FormulaSolver, Node, Obstacle as Undecided, Satisfiability, TermId, TermPool,
    Value as Number,
};
use rely_program::{Goal, Program};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::rc::Rc;

/// How many answers the solver remembers.
pub(crate) const MEMORY_OF_ANSWERS: usize = 1 << 14;
/// How many pairs of formulas that contradict each other are remembered. Proofs by lock sets have many: two values of
/// each lock for every two threads.
const MEMORY_OF_CLASHES: usize = 1 << 18;
/// Among how many hypotheses such a pair is looked for.
const MOST_COMPARED: usize = 8;
/// How many values of a counterexample are shown.
const SHOWN_VALUES: usize = 8;

/// What the check of a proof has found when nothing was wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Accepted {
    /// How many obligations there were.
    pub(crate) obligations: u64,
    /// How many questions a solver had to answer for them.
    pub(crate) questions: u64,
}

/// Checks a proof from the program and the proof alone.
pub(crate) fn check(
    program: &Program,
    goal: Goal,
    argument: Argument<'_>,
    budget: &Budget,
) -> Result<Accepted, Obstacle> {
    if !argument.proves(program, goal) {
        return Err(ProofDefect::UnsupportedGoal(goal).into());
    }
    budget.check_now()?;
    let mut generator = Generator::new(program, goal, argument).map_err(ProofDefect::from)?;
    let mut judge = Judge::new(budget);
    generator.run(&mut judge)?;
    let obligations = judge.accepted.obligations + judge.obvious;
    Ok(Accepted { obligations, ..judge.accepted })
}

/// Checks that the assertions of a proof hold as long as nothing goes wrong, and that with them
/// edges and locations are what is claimed of them. What is obvious is not counted: that most steps have nothing to do
/// with most others is what a reduction begins with, and there are as many pairs as the square of the program's size.
pub(crate) fn check_movability(
    program: &Program,
    goal: Goal,
    held: &Counting,
    claims: &Movability,
    budget: &Budget,
) -> Result<Accepted, Obstacle> {
    let mut generator = Generator::new(program, goal, held.into()).map_err(ProofDefect::from)?;
    let mut judge = Judge::new(budget);
    generator.run_for_assertions(&mut judge)?;
    generator.movability(claims, &mut judge)?;
    Ok(judge.accepted)
}

/// Decides obligations.
struct Judge<'b> {
    budget: &'b Budget,
    solver: FormulaSolver,
    /// Formulas of which a refutation was accepted; many obligations lead to the same questions.
    refuted: FxHashSet<Box<[TermId]>>,
    /// Pairs among them, in ascending order.
    clashes: FxHashSet<(TermId, TermId)>,
    accepted: Accepted,
    /// How many more obligations needed no look.
    obvious: u64,
}

/// What the solver says about a set of formulas.
enum Answer {
    Contradiction,
    /// They are satisfiable; the model is worth describing only if this ends the check.
    Satisfiable(Rc<FormulaAnswer>),
    Open(String),
}

impl Sink for Judge<'_> {
    type Stop = Obstacle;

    fn take(
        &mut self,
        encoder: &mut Encoder<'_>,
        outline: &Outline<'_>,
        sequent: Sequent,
    ) -> Result<(), Obstacle> {
        self.budget.check()?;
        self.accepted.obligations += 1;
        if self.contradict(&encoder.pool, &sequent.hypotheses) {
            return Ok(());
        }
        let subject = sequent.subject;
        let kept = (!sequent.more.is_empty()).then(|| sequent.clone());
        let Question::Open(question) = sequent.question(encoder, outline) else { return Ok(()) };
        let Some(kept) = kept else { return self.decide(encoder, subject, &question) };
        if self.is_easy(encoder, &question, &question.hypotheses)? {
            return Ok(());
        }
        match kept.with_more().question(encoder, outline) {
            Question::Settled => Ok(()),
            Question::Open(question) => self.decide(encoder, subject, &question),
        }
    }

    fn obvious(&mut self, count: u64) {
        self.obvious += count;
    }

    fn contradict(&self, pool: &TermPool, hypotheses: &[TermId]) -> bool {
        let mut literals: SmallVec<[TermId; MOST_COMPARED]> = SmallVec::new();
        for &hypothesis in hypotheses {
            match pool.node(hypothesis) {
                Node::And(parts) => literals.extend_from_slice(parts),
                _ => literals.push(hypothesis),
            }
            if literals.len() > MOST_COMPARED {
                return false;
            }
        }
        let clash = |one: TermId, other: TermId| self.clashes.contains(&(one.min(other), one.max(other)));
        let mut rest = literals.as_slice();
        while let [first, others @ ..] = rest {
            if others.iter().any(|&other| clash(*first, other)) {
                return true;
            }
            rest = others;
        }
        false
    }
}

impl<'b> Judge<'b> {
    fn new(budget: &'b Budget) -> Self {
        let solver = FormulaSolver::new(MEMORY_OF_ANSWERS);
        let (refuted, clashes) = (FxHashSet::default(), FxHashSet::default());
        Self { budget, solver, refuted, clashes, accepted: Accepted::default(), obvious: 0 }
    }

    fn decide(
        &mut self,
        encoder: &mut Encoder<'_>,
        subject: Subject,
        question: &OpenQuestion,
    ) -> Result<(), Obstacle> {
        // Numbers of threads have to do with everything, and are seldom the reason.
        if let Some(rest) = encoder.without_counters(&question.hypotheses)
            && self.is_easy(encoder, question, &rest)?
        {
            return Ok(());
        }
        if self.is_easy(encoder, question, &question.hypotheses)? {
            return Ok(());
        }
        let formulas = question.formulas(&mut encoder.pool);
        let place = || subject.describe(encoder.program);
        let defect = match self.ask(encoder, &formulas)? {
            Answer::Contradiction => return Ok(()),
            Answer::Satisfiable(answer) => {
                let counterexample = describe(encoder, &formulas, &answer);
                RelyGuaranteeDefect::Invalid { subject, place: place(), counterexample }
            }
            Answer::Open(obstacle) => RelyGuaranteeDefect::Undecided { subject, place: place(), obstacle },
        };
        Err(Obstacle::Defect(defect.into()))
    }

    /// Whether few questions about few formulas suffice to see that the goal follows from some of the
    /// hypotheses.
    fn is_easy(
        &mut self,
        encoder: &mut Encoder<'_>,
        question: &OpenQuestion,
        hypotheses: &[TermId],
    ) -> Result<bool, Obstacle> {
        let parts = Parts::new(encoder, hypotheses);
        Ok(self.contradicts_itself(encoder, &parts)?
            || self.follows_by_one_cube(encoder, question, &parts)?)
    }

    /// Whether some part of the hypotheses is never true. Only conjunctions are asked about: they
    /// are cheap.
    fn contradicts_itself(&mut self, encoder: &mut Encoder<'_>, parts: &Parts) -> Result<bool, Obstacle> {
        for part in parts.several() {
            let is_conjunction = part.iter().all(|&term| is_literal(&encoder.pool, term));
            if is_conjunction && matches!(self.ask(encoder, part)?, Answer::Contradiction) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Tries the cube of the goal of which least is left to show, conjunct by conjunct: these
    /// questions are mostly conjunctions, which are cheap.
    fn follows_by_one_cube(
        &mut self,
        encoder: &mut Encoder<'_>,
        question: &OpenQuestion,
        parts: &Parts,
    ) -> Result<bool, Obstacle> {
        let Some(cube) = question.goal.iter().min_by_key(|cube| cube.len()) else { return Ok(false) };
        for &conjunct in cube {
            let mut formulas = parts.about(encoder, conjunct);
            formulas.push(negated_conjunction(&mut encoder.pool, &[conjunct]));
            if !matches!(self.ask(encoder, &formulas)?, Answer::Contradiction) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn ask(&mut self, encoder: &mut Encoder<'_>, formulas: &[TermId]) -> Result<Answer, Obstacle> {
        self.budget.check()?;
        let pool = &mut encoder.pool;
        self.accepted.questions += 1;
        if self.is_refuted(formulas) {
            return Ok(Answer::Contradiction);
        }
        let answer = self.solver.satisfiable(pool, formulas, self.budget);
        Ok(match &answer.satisfiability {
            Satisfiability::Unsat(refutation) => match refutation.check(pool, formulas) {
                Ok(()) => {
                    self.remember_refuted(formulas);
                    Answer::Contradiction
                }
                Err(error) => Answer::Open(format!("a refutation was not accepted: {error}")),
            },
            Satisfiability::Sat(_) => Answer::Satisfiable(Rc::clone(&answer)),
            Satisfiability::Unknown(Undecided::Stopped(reason)) => return Err(Obstacle::Stopped(*reason)),
            Satisfiability::Unknown(obstacle) => {
                self.budget.check_now()?;
                Answer::Open(obstacle.to_string())
            }
        })
    }

    fn is_refuted(&self, formulas: &[TermId]) -> bool {
        match *formulas {
            [one, other] => self.clashes.contains(&(one.min(other), one.max(other))),
            _ => self.refuted.contains(formulas),
        }
    }

    fn remember_refuted(&mut self, formulas: &[TermId]) {
        if let [one, other] = *formulas {
            if self.clashes.len() >= MEMORY_OF_CLASHES {
                self.clashes.clear();
            }
            self.clashes.insert((one.min(other), one.max(other)));
            return;
        }
        if self.refuted.len() >= MEMORY_OF_ANSWERS {
            self.refuted.clear();
        }
        self.refuted.insert(formulas.into());
    }
}

/// Whether a term is a comparison or the negation of something.
fn is_literal(pool: &TermPool, term: TermId) -> bool {
    matches!(pool.node(term), Node::LeZero(_) | Node::EqZero(_) | Node::Not(_))
}

/// The values of a counterexample, as far as they are worth showing.
fn describe(encoder: &Encoder<'_>, formulas: &[TermId], answer: &FormulaAnswer) -> String {
    let Satisfiability::Sat(model) = &answer.satisfiability else { return String::new() };
    let mut variables: Vec<_> =
        formulas.iter().flat_map(|&formula| encoder.pool.free_variables(formula)).collect();
    variables.sort_unstable();
    variables.dedup();
    let mut shown = Vec::new();
    for variable in variables {
        let declared = encoder.pool.variable(variable);
        let name = encoder.pool.symbol_name(declared.symbol);
        if let Number::Int(value) = model.value(variable, declared.sort) {
            shown.push(format!("{name} = {value}"));
        }
    }
    let more = if shown.len() > SHOWN_VALUES { ", ..." } else { "" };
    shown.truncate(SHOWN_VALUES);
    format!("{}{more}", shown.join(", "))
}
