//! Reproducers: C programs that make a violation happen under a real compiler.
//!
//! A reproducer is the user's own program, unchanged, together with a schedule and a small
//! runtime (`rely_*.c`) that makes the threads follow it. Compiled with
//! `-fsanitize=thread`, gcc calls a function before each access to memory; the runtime
//! defines these functions, and lets each access wait until it is its turn. What fails in the
//! end is therefore the assertion of the user, evaluated by the machine in a run of the real
//! program: a wrong trace can make a reproducer give up, but not make it fail.
//!
//! A reproducer that gives up is of no use, so none is offered where one would:
//!
//! * `ending` knows how a compiled program shows a violation, and which ones it does not;
//! * `order` knows what gcc does in which order, and makes other threads come in between only
//!   where they can; `expression` reads expressions for it.
//!
//! What goes on for ever cannot be watched for ever: the runtime makes the turns of a loop again and again, or lets
//! the others run while threads wait, and after some seconds it says that this is still so.
//!
//! The rest writes the schedule:
//!
//! * `steps` finds in a trace what other threads can notice, and who has which turn;
//! * `inputs` finds the values that the program asks for, and those that cannot be forced;
//! * `scan` finds out which variables and functions can be named behind the program;
//! * `text` writes the files.

mod ending;
mod expression;
mod inputs;
mod order;
mod scan;
mod steps;
mod text;

use crate::finding::ViolationReport;
use ending::Symptom;
use inputs::Inputs;
use rely_base::{Budget, SourceMap};
use rely_evidence::Replay;
use rely_program::{Program, SlotId, Violation};
use scan::Names;
use steps::Plan;

/// The C text of a violation.
#[derive(Clone, Copy, Debug)]
pub struct CSource<'s> {
    /// The name under which the user knows the file.
    pub name: &'s str,
    /// The text to compile.
    pub text: &'s str,
    /// The text behind the preprocessor, which may be the same.
    pub preprocessed: &'s str,
    /// The options that the preprocessor needs for `text`, as in `-DN=3`.
    pub options: &'s [String],
}

/// A file of a reproducer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReproducerFile {
    /// Its name in the folder of the reproducer.
    pub name: &'static str,
    /// What it says.
    pub text: String,
}

/// Why there is no reproducer for a violation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotReproducible {
    /// The values of uninitialized variables cannot be chosen.
    #[error(
        "the violation depends on the value of `{0}`, which is never initialized: no compiler can be made to choose it"
    )]
    Uninitialized(String),
    /// Each label of a `switch` may be chosen, and nothing says by which value.
    #[error("the value of `{0}` in a `switch` is not known")]
    AnyLabel(String),
    /// The runtime cannot decide who is first at something of the library.
    #[error("the runtime of reproducers cannot make threads take turns at `{0}`")]
    NoTurns(&'static str),
    /// A compiled program does what is undefined, and nothing notices.
    #[error("the violation is that {0}, which a compiled program need not show")]
    Invisible(String),
    /// The compiler does it while it compiles.
    #[error("the violation is a {0}, a constant that gcc computes while it compiles")]
    Constant(String),
    /// A thread waits in something that the runtime does not see.
    #[error("a thread waits in `{0}` for ever, which a compiled program does not do")]
    WaitsOtherwise(String),
    /// The order of evaluation is open.
    #[error(
        "the violation depends on the order in which `{0}` is evaluated: gcc may choose another one than from left to right"
    )]
    Order(String),
    /// Another thread comes between two accesses that are one for the compiler.
    #[error(
        "in the trace another thread comes in the middle of `{0}`, between accesses that gcc makes in another order or at once"
    )]
    Torn(String),
    /// The order of a trace would have to be changed too often.
    #[error("the trace is too long to be brought into the order in which gcc evaluates")]
    TooLong,
    /// The violation is one that C programs do not have.
    #[error("a violated property of the whole program is no assertion that a C program could fail")]
    NotAnAssertion,
    /// `pthread_create` stores the handle where ThreadSanitizer does not look.
    #[error("one of the accesses is that of `{0}` to the handle, which ThreadSanitizer does not see")]
    UnseenAccess(String),
    /// gcc need not make an access for what nobody uses.
    #[error("nobody uses the value that `{0}` reads, and gcc may leave the access out")]
    Unused(String),
}

/// Functions that wait, or let others wait, and that the runtime does not see.
const WITHOUT_TURNS: [&str; 3] = ["pthread_cond_timedwait", "pthread_barrier_wait", "pthread_once"];

/// Functions that access memory without the compiler.
const DONE_AT_ONCE: [&str; 3] = ["memcpy", "memset", "strcpy"];

/// How many of [`WITHOUT_TURNS`], from the first on, the runtime does not see even where it watches for data races.
/// There it sees all of [`DONE_AT_ONCE`].
const WITHOUT_TURNS_IN_RACES: usize = 1;

/// The files that reproduce a violation of a C program.
pub fn reproducer(
    replay: &Replay,
    program: &Program,
    sources: &SourceMap,
    source: &CSource<'_>,
    budget: &Budget,
) -> Result<Vec<ReproducerFile>, NotReproducible> {
    let names = Names::in_text(source.preprocessed);
    let does_call = |name: &&str| {
        let mut spans = replay.trace().steps.iter().filter_map(|step| program.edges()[step.edge].span);
        spans.any(|span| sources.text(span).contains(name))
    };
    let is_race = matches!(replay.violation(), Violation::Race(_));
    let unseen = if is_race { WITHOUT_TURNS_IN_RACES } else { WITHOUT_TURNS.len() };
    if let Some(name) = WITHOUT_TURNS.into_iter().take(unseen).find(does_call) {
        return Err(NotReproducible::NoTurns(name));
    }
    let ending = Symptom::of(replay, program, sources)?;
    let replay = &order::settled(replay, program, sources, &names, budget)?;
    let inputs = Inputs::of(replay, program, sources, budget)?;
    let plan = Plan::of(replay, program, sources, &names);
    let is_done_at_once = |name: &&str| plan.steps.iter().any(|step| step.text.contains(name));
    if let Some(name) = DONE_AT_ONCE.into_iter().find(is_done_at_once).filter(|_| !is_race) {
        return Err(NotReproducible::NoTurns(name));
    }
    plan.check_race()?;
    let violation = ViolationReport::of_replay(replay, program, sources);
    Ok(text::files(&text::Parts {
        source,
        names: &names,
        ending,
        inputs: &inputs,
        plan: &plan,
        violation: &violation,
        violator: violator(replay),
    }))
}

/// Who violates: whoever made the last step, unless all wait.
fn violator(replay: &Replay) -> Option<SlotId> {
    match replay.violation() {
        Violation::Check(_) => replay.trace().steps.last().map(|step| step.slot),
        Violation::Property(_) | Violation::Deadlock | Violation::Race(_) | Violation::Lasso(_) => None,
    }
}
