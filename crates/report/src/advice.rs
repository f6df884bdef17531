//! What a user can do when there is no verdict.

use rely_base::StopReason;
use rely_evidence::Reason;

/// One sentence for the user, where there is something to do.
pub(crate) fn advice(reason: &Reason) -> Option<String> {
    let text = match reason {
        Reason::Stopped(stop) | Reason::Unchecked(stop) => return after_stop(*stop),
        Reason::NotBegun(interrupted) => return before_begin(interrupted.reason),
        Reason::StateLimit(_) => "make the state space smaller: fewer threads, iterations or values",
        Reason::Sampled => {
            "give the inputs a small range, by an assumption or a narrower type, and all of it is explored"
        }
        Reason::NoMeaning(_) | Reason::UndefinedProperty(_) | Reason::UndefinedPrecondition(_) => {
            "give the variables that grow without bound a bound"
        }
        Reason::UnsupportedGoal { .. } => "other engines decide it: leave out `--engine`",
        Reason::UnsupportedConstruct { .. } => "another engine may support it: see `rely check --help`",
        Reason::Limit(_) => {
            "bound the number of allocations and their sizes, or free what is not used any more"
        }
        Reason::Rejected(_) => "this is a bug of Rely; please report it together with the program",
        _ => return None,
    };
    Some(text.to_owned())
}

pub(crate) fn after_stop(stop: StopReason) -> Option<String> {
    match stop {
        StopReason::Time => {
            Some("allow more time with `--timeout`, or make the state space smaller".to_owned())
        }
        StopReason::Memory => {
            Some("allow more memory with `--memory`, or make the state space smaller".to_owned())
        }
        StopReason::Steps | StopReason::Cancelled => None,
    }
}

/// Before any engine has begun, it is the size of the program that matters.
pub(crate) fn before_begin(stop: StopReason) -> Option<String> {
    let option = match stop {
        StopReason::Time => "time with `--timeout`",
        StopReason::Memory => "memory with `--memory`",
        StopReason::Steps | StopReason::Cancelled => return None,
    };
    Some(format!("allow more {option}, or make the program smaller: fewer threads, statements or cells"))
}
