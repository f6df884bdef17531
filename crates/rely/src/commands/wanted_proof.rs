//! Another proof than the one that was found first, for who wants what only assertions can say.

use super::check::{sections, strategy_options};
use crate::args::{CheckArgs, DEFAULT_ENGINE};
use rely_base::{Budget, Silent};
use rely_evidence::Verdict;
use rely_program::Goal;
use rely_verify::{Loaded, Verified};
use std::time::Duration;

/// How long a proof by assertions is looked for if there is one by exhaustion, by each of those who may find one.
const PATIENCE_FOR_ASSERTIONS: Duration = Duration::from_secs(20);
/// Who finds proofs by assertions, the ones that are short by themselves first.
const PROVERS: [&str; 3] = ["rely-guarantee", "houdini", "deductive"];

/// A proof by assertions instead of one by exhaustion, if somebody wants what only assertions can give and leaves the
/// choice of the engine to us.
pub(super) fn with_assertions(
    verified: Verified,
    loaded: &Loaded,
    goal: Goal,
    arguments: &CheckArgs,
    budget: &Budget,
) -> Verified {
    let is_free = arguments.engine == DEFAULT_ENGINE && arguments.evidence.needs_assertions();
    let lists_states = |verdict: &Verdict| matches!(verdict, Verdict::Safe(proved) if proved.lists_states());
    if !is_free || !lists_states(&verified.verdict) {
        return verified;
    }
    for name in PROVERS {
        let Ok(engine) = rely_verify::strategy_with(name, strategy_options(arguments)) else { continue };
        let patience = budget.with_time_limit(PATIENCE_FOR_ASSERTIONS);
        let shape = (sections(arguments), arguments.trust.into());
        let other =
            rely_verify::verify_trusting(&loaded.program, goal, shape, engine.as_ref(), &patience, &Silent);
        if matches!(other.verdict, Verdict::Safe(_)) && !lists_states(&other.verdict) {
            return other;
        }
    }
    verified
}
