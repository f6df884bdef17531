//! The flow of Rely on one page: source, program, claim, check, verdict.
//!
//! ```text
//! input ─► front end ─► program ─► prepare ─► engine ─► claim ─► check ─► verdict
//! ```
//!
//! A violation is checked on the program as the front end made it: the engine's trace is
//! translated back through the passes and replayed there. So is a proof, if that program is
//! small enough to be explored as it is. Beyond, a proof is checked on the program that the
//! engine saw, and the passes are trusted; their own tests compare them with the programs they
//! came from. The evidence in the verdict says which.

use crate::args::Language;
use crate::input::Input;
use rely_base::{Budget, Diagnostic, Interrupted, Observer, SourceMap, Untranslated};
use rely_c_front::CInput;
use rely_engines::Engine;
use rely_evidence::{Certificate, Claim, ProofFormatError, Reason, Rejection, TraceDefect, Verdict};
use rely_program::passes::{self, BackMap, Sections};
use rely_program::{Goal, Program};
use rely_report::{Problem, ProofContext};

/// A program together with the texts it came from.
#[derive(Debug)]
pub struct Loaded {
    /// The program as the front end made it.
    pub program: Program,
    /// The texts into which its spans point.
    pub sources: SourceMap,
    /// What the user gave.
    pub input: Input,
}

/// Why there is no program.
#[derive(Debug)]
pub enum NotLoaded {
    /// The input is wrong.
    Wrong(Problem),
    /// The budget ended before.
    Stopped(Interrupted),
}

impl NotLoaded {
    /// For those who have no limits to speak of.
    pub fn into_problem(self) -> Problem {
        match self {
            NotLoaded::Wrong(problem) => problem,
            NotLoaded::Stopped(interrupted) => {
                Problem::without_source(Diagnostic::error(interrupted.to_string()))
            }
        }
    }
}

/// From a text to a program, or to the reasons why there is none.
pub fn load(input: &Input) -> Result<Loaded, Problem> {
    load_within(input, &Budget::unlimited()).map_err(NotLoaded::into_problem)
}

/// [`load`], unless the budget ends before.
pub fn load_within(input: &Input, budget: &Budget) -> Result<Loaded, NotLoaded> {
    let mut sources = SourceMap::new();
    match translate(input, &mut sources, budget) {
        Ok(program) => Ok(Loaded { program, sources, input: input.clone() }),
        Err(Untranslated::Wrong(diagnostics)) => Err(NotLoaded::Wrong(Problem { diagnostics, sources })),
        Err(Untranslated::Stopped(interrupted)) => Err(NotLoaded::Stopped(interrupted)),
    }
}

fn translate(input: &Input, sources: &mut SourceMap, budget: &Budget) -> Result<Program, Untranslated> {
    match (input.language, &input.preprocessed) {
        (Language::Rely, _) => {
            let file = sources.add(input.name.as_str(), input.text.as_str());
            rely_model_front::translate_within(sources, file, budget)
        }
        (Language::C | Language::I, preprocessed) => {
            let original = preprocessed.is_some().then(|| input.text.clone());
            let preprocessed = preprocessed.clone().unwrap_or_else(|| input.text.clone());
            let input = CInput { name: input.name.clone(), original, preprocessed };
            rely_c_front::translate_within(sources, &input, budget)
        }
    }
}

/// What is decided unless the user says otherwise: the assertions, and what the source itself
/// says must hold.
pub fn default_goals(program: &Program) -> Vec<Goal> {
    let declared = program.properties().iter().map(|property| property.claimed.goal());
    let mut goals: Vec<Goal> = std::iter::once(Goal::Assert).chain(declared).collect();
    goals.sort_unstable();
    goals.dedup();
    goals
}

/// The assumptions under which a verdict about this goal speaks of the source.
pub fn assumptions(program: &Program, goal: Goal) -> Vec<&'static str> {
    // Whether this one holds is just what the goal asks.
    let is_asked = |name: &str| goal == Goal::Overflow && name == "no-signed-overflow";
    program.assumptions().iter().copied().filter(|name| !is_asked(name)).collect()
}

/// A verdict, and the program about which its proof speaks, if it has one.
#[derive(Debug)]
pub struct Verified {
    /// What is known.
    pub verdict: Verdict,
    /// The program that the engine saw.
    pub prepared: Program,
    /// The way back from it to the program as the front end made it.
    pub back: BackMap,
}

impl Verified {
    /// What is needed to speak about the proof.
    pub fn context<'v>(&'v self, loaded: &'v Loaded) -> ProofContext<'v> {
        ProofContext {
            program: &loaded.program,
            prepared: &self.prepared,
            back: &self.back,
            sources: &loaded.sources,
        }
    }
}

/// From a program to a verdict whose evidence was checked.
pub fn verify(
    program: &Program,
    goal: Goal,
    engine: &dyn Engine,
    budget: &Budget,
    observer: &dyn Observer,
) -> Verdict {
    verify_and_keep(program, goal, Sections::Joined, engine, budget, observer).verdict
}

/// [`verify`], for those who want to do something with the proof.
pub fn verify_and_keep(
    program: &Program,
    goal: Goal,
    sections: Sections,
    engine: &dyn Engine,
    budget: &Budget,
    observer: &dyn Observer,
) -> Verified {
    let (prepared, back) = match passes::prepare_with(program, goal, sections, budget) {
        Ok(prepared) => prepared,
        Err(interrupted) => return not_begun(program, interrupted),
    };
    budget.set_work(None);
    let judge = |claim: Claim, budget: &Budget| {
        let checked = match claim {
            Claim::Unsafe(trace) => {
                let trace = back.trace(&trace);
                let claim = trace.map_or_else(|| Claim::Unknown(not_translated()), Claim::Unsafe);
                rely_evidence::check(program, goal, claim, budget)
            }
            Claim::Safe(proof) => rely_evidence::check_proof(program, &prepared, goal, proof, budget),
            claim @ Claim::Unknown(_) => rely_evidence::check(&prepared, goal, claim, budget),
        };
        checked.into_verdict()
    };
    let verdict = engine.verify(&prepared, goal, budget, observer, &judge);
    Verified { verdict, prepared, back }
}

/// From a program and a certificate to a verdict, without any engine.
pub fn certify(
    program: &Program,
    certificate: Certificate,
    budget: &Budget,
) -> Result<Verified, ProofFormatError> {
    let goal = certificate.goal;
    let prepared = passes::prepare_with(program, goal, Sections::Joined, budget).and_then(|joined| {
        match certificate.is_about(&joined.0) {
            true => Ok(joined),
            false => passes::prepare_with(program, goal, Sections::Apart, budget),
        }
    });
    let (prepared, back) = match prepared {
        Ok(prepared) => prepared,
        Err(interrupted) => return Ok(not_begun(program, interrupted)),
    };
    let proof = certificate.proof_of(&prepared)?;
    let checked = rely_evidence::check_proof(program, &prepared, goal, proof, budget);
    Ok(Verified { verdict: checked.into_verdict(), prepared, back })
}

/// The verdict if the budget ended before anybody could look at the program.
fn not_begun(program: &Program, interrupted: Interrupted) -> Verified {
    let verdict = Verdict::Unknown(Reason::NotBegun(interrupted));
    Verified { verdict, prepared: program.clone(), back: BackMap::identity() }
}

/// A trace without a way back names something that the engine's program does not have.
fn not_translated() -> Reason {
    Reason::Rejected(Rejection::Trace(TraceDefect::NoSuchViolation))
}
