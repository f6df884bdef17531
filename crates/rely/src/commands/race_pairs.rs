//! `rely check --property race --all`: every two accesses that conflict, and whether they race.

use rely_base::{Budget, Observer};
use rely_report::{PairedAccess, RacePair, SourceRange};
use rely_verify::{Loaded, PairAnswer, Strategy, SurveyedAccess, SurveyedPair, survey_races};

/// All pairs of a program; `None` if there was no time to list them.
pub(super) fn survey(
    loaded: &Loaded,
    engine: &dyn Strategy,
    budget: &Budget,
    observer: &dyn Observer,
) -> Option<Vec<RacePair>> {
    let pairs = survey_races(&loaded.program, engine, budget, observer).ok()?;
    let access = |access: SurveyedAccess| PairedAccess {
        kind: if access.is_write { "write" } else { "read" },
        place: access.span.map(|span| SourceRange::of(span, &loaded.sources)),
    };
    let pair = |SurveyedPair { variable, accesses, answer }: SurveyedPair| {
        let (answer, proved_by) = match answer {
            PairAnswer::Apart(engine) => ("apart", Some(engine)),
            PairAnswer::Open => ("unknown", None),
            PairAnswer::Races => ("races", None),
        };
        RacePair { variable, accesses: accesses.map(access), answer, proved_by }
    };
    Some(pairs.into_iter().map(pair).collect())
}
