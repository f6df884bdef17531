//! Obligations for other solvers: as a file of SMT-LIB 2.6, or asked one by one.
//!
//! Every query states the hypotheses of an obligation and that its goal does not hold; each must
//! be answered `unsat`. What needs no solver because it is decided by comparing sets of places is
//! left out.
//!
//! SMT-LIB has no bit operations on unbounded integers. Where an obligation needs them, they are
//! functions about which the query states what our own refutation uses: instances of the
//! definition, which the other solver has to believe.

use super::check::MEMORY_OF_ANSWERS;
use crate::data::{Counting, ReducedDefect, RelyGuaranteeDefect, Subject};
use crate::obligations::argument::Argument;
use crate::obligations::encode::Encoder;
use crate::obligations::movers::Movability;
use crate::obligations::outline::Outline;
use crate::obligations::sequent::{Question, Sequent};
use crate::obligations::{Generator, Sink};
use rely_base::{Budget, StopReason};
use rely_logic::smtlib::{Answer, ExternalError, ExternalSolver, Script};
use rely_logic::{FormulaSolver, Node, Satisfiability, TermId, TermPool};
use rely_program::{Goal, Program};
use rustc_hash::FxHashSet;
use std::fmt::Write;
use std::time::Duration;

/// Why the obligations of a proof were not exported or not confirmed by another solver.
#[derive(Debug, thiserror::Error)]
pub enum ObligationsError {
    /// There are none: the proof does not fit the program.
    #[error(transparent)]
    Defect(#[from] RelyGuaranteeDefect),
    /// There are none: the proof is a reduction, and its blocks are wrong.
    #[error(transparent)]
    Reduction(#[from] ReducedDefect),
    /// There are none: the proof, or a part of it, is of another kind.
    #[error("a proof by exhaustion has no obligations")]
    NoObligations,
    /// The budget ended.
    #[error("{0}")]
    Stopped(StopReason),
    /// The other solver did not answer.
    #[error(transparent)]
    Solver(#[from] ExternalError),
    /// The other solver does not confirm an obligation.
    #[error("the solver answers `{answer}` where `unsat` was expected: rule `{}` ({place})", subject.rule)]
    NotConfirmed {
        /// What it says.
        answer: &'static str,
        /// The obligation.
        subject: Subject,
        /// The same in words.
        place: String,
    },
}

impl From<StopReason> for ObligationsError {
    fn from(reason: StopReason) -> Self {
        ObligationsError::Stopped(reason)
    }
}

/// What obligations are exported.
#[derive(Clone, Copy)]
pub(crate) enum Part<'p> {
    /// Those of a proof.
    Proof(Argument<'p>),
    /// Those of assertions, and of what is claimed of edges and locations with their help.
    Movability(&'p Counting, &'p Movability),
}

/// All obligations of a proof as an SMT-LIB script. Any solver answers `unsat` to each query, if
/// the proof is one.
pub fn export_obligations<'p>(
    program: &'p Program,
    goal: Goal,
    proof: impl Into<Argument<'p>>,
    budget: &Budget,
) -> Result<String, ObligationsError> {
    let argument = proof.into();
    export_parts(program.name(), argument.name(), goal, &[(program, Part::Proof(argument))], budget)
}

/// The obligations of several parts of one proof, each about a program, as one script.
pub(crate) fn export_parts(
    name: &str,
    kind: &str,
    goal: Goal,
    parts: &[(&Program, Part<'_>)],
    budget: &Budget,
) -> Result<String, ObligationsError> {
    let mut text = format!(
        "; Obligations of a {kind} of the property `{goal}` of the program `{}`.\n\
         ; Every answer must be unsat.\n(set-info :smt-lib-version 2.6)\n(set-logic ALL)\n",
        name.replace(['\n', '\r'], " ")
    );
    let mut number = 0;
    for (program, part) in parts {
        for_each_query(program, goal, *part, budget, &mut |subject, query| {
            number += 1;
            let place = subject.describe(program).replace(['\n', '\r'], " ");
            let _ = writeln!(text, "\n; {number}. {}: {place}\n(push 1)", subject.rule);
            text.push_str(query);
            text.push_str("(set-info :status unsat)\n(check-sat)\n(pop 1)\n");
            Ok(())
        })?;
    }
    text.push_str("\n(exit)\n");
    Ok(text)
}

/// How many queries are sent to a solver together.
const BATCH: usize = 64;
/// How long a solver may take for a batch if the budget has no end.
const PATIENCE: Duration = Duration::from_secs(300);

/// Asks another solver about every obligation, and returns how many it has confirmed. The command
/// is a program with arguments, such as `z3` or `cvc5`.
pub fn recheck<'p>(
    program: &'p Program,
    goal: Goal,
    proof: impl Into<Argument<'p>>,
    command: &str,
    budget: &Budget,
) -> Result<usize, ObligationsError> {
    recheck_part(program, goal, Part::Proof(proof.into()), command, budget)
}

/// Asks another solver about the obligations of one part of a proof.
pub(crate) fn recheck_part(
    program: &Program,
    goal: Goal,
    part: Part<'_>,
    command: &str,
    budget: &Budget,
) -> Result<usize, ObligationsError> {
    let mut solver = ExternalSolver::new(command)?;
    let mut queries: Vec<(Subject, String)> = Vec::new();
    for_each_query(program, goal, part, budget, &mut |subject, query| {
        queries.push((subject, query.to_owned()));
        Ok(())
    })?;
    for batch in queries.chunks(BATCH) {
        budget.check_now()?;
        let texts: Vec<&str> = batch.iter().map(|(_, text)| text.as_str()).collect();
        let answers = solver.check_all(&texts, budget.remaining().unwrap_or(PATIENCE))?;
        for ((subject, _), answer) in batch.iter().zip(answers) {
            let answer = match answer {
                Answer::Unsat => continue,
                Answer::Sat => "sat",
                Answer::Unknown => "unknown",
            };
            let place = subject.describe(program);
            return Err(ObligationsError::NotConfirmed { answer, subject: *subject, place });
        }
    }
    Ok(queries.len())
}

type Visit<'v> = dyn FnMut(Subject, &str) -> Result<(), ObligationsError> + 'v;

/// Calls `visit` with the declarations and assertions of each different query.
fn for_each_query(
    program: &Program,
    goal: Goal,
    part: Part<'_>,
    budget: &Budget,
    visit: &mut Visit<'_>,
) -> Result<(), ObligationsError> {
    let argument = match part {
        Part::Proof(argument) => argument,
        Part::Movability(held, _) => held.into(),
    };
    let mut generator = Generator::new(program, goal, argument)?;
    let solver = FormulaSolver::new(MEMORY_OF_ANSWERS);
    let mut exporter = Exporter { budget, solver, seen: FxHashSet::default(), visit };
    match part {
        Part::Proof(_) => generator.run(&mut exporter),
        Part::Movability(_, claims) => {
            generator.run_for_assertions(&mut exporter)?;
            generator.movability(claims, &mut exporter)
        }
    }
}

struct Exporter<'e, 'v> {
    budget: &'e Budget,
    solver: FormulaSolver,
    seen: FxHashSet<Vec<TermId>>,
    visit: &'e mut Visit<'v>,
}

impl Sink for Exporter<'_, '_> {
    type Stop = ObligationsError;

    fn take(
        &mut self,
        encoder: &mut Encoder<'_>,
        outline: &Outline<'_>,
        sequent: Sequent,
    ) -> Result<(), ObligationsError> {
        self.budget.check()?;
        let subject = sequent.subject;
        let kept = (!sequent.more.is_empty()).then(|| sequent.clone());
        let Question::Open(question) = sequent.question(encoder, outline) else { return Ok(()) };
        let mut formulas = question.formulas(&mut encoder.pool);
        if let Some(kept) = kept
            && !self.is_contradiction(&mut encoder.pool, &formulas)
        {
            let Question::Open(question) = kept.with_more().question(encoder, outline) else { return Ok(()) };
            formulas = question.formulas(&mut encoder.pool);
        }
        if !self.seen.insert(formulas.clone()) {
            return Ok(());
        }
        if mentions_bits(&encoder.pool, &formulas) {
            self.add_lemmas(&mut encoder.pool, &mut formulas);
        }
        (self.visit)(subject, Script::new(&encoder.pool, &formulas).text())
    }

    fn obvious(&mut self, _: u64) {}
}

impl Exporter<'_, '_> {
    /// Whether our own solver has a refutation of the formulas; which of two scripts is written depends on it,
    /// and whoever reads the script decides it again.
    fn is_contradiction(&mut self, pool: &mut TermPool, formulas: &[TermId]) -> bool {
        let answer = self.solver.satisfiable(pool, formulas, self.budget);
        matches!(answer.satisfiability, Satisfiability::Unsat(_))
    }

    /// Adds what our own refutation states about operations that SMT-LIB does not have.
    fn add_lemmas(&mut self, pool: &mut TermPool, formulas: &mut Vec<TermId>) {
        let answer = self.solver.satisfiable(pool, formulas, self.budget);
        if let Satisfiability::Unsat(refutation) = &answer.satisfiability {
            formulas.extend(refutation.lemmas.iter().filter_map(|lemma| lemma.statement(pool)));
        }
    }
}

fn mentions_bits(pool: &TermPool, formulas: &[TermId]) -> bool {
    let is_bit_operation = |term: &TermId| match pool.node(*term) {
        Node::Apply(function, _) => pool.bit_operation(*function).is_some(),
        _ => false,
    };
    pool.subterms(formulas.iter().copied()).iter().any(is_bit_operation)
}
