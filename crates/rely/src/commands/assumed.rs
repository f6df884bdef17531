//! What a verdict rests on: assumptions that the program visibly touches, the absence of data races, and that there is
//! something to check at all.

use rely_program::{Goal, Program};
use rely_report::{Conclusion, Note, RaceFreedom, SourceRange};
use rely_verify::Loaded;

/// What is asked, and what is known already.
#[derive(Clone, Copy)]
pub(super) struct Question<'q> {
    pub(super) goal: Goal,
    pub(super) races: RaceFreedom,
    pub(super) notes: &'q [(&'static str, Note)],
}

/// Where the program visibly touches assumptions, and which.
pub(super) fn notes_of(loaded: &Loaded) -> Vec<(&'static str, Note)> {
    let note = |touched: &rely_verify::Touched| Note {
        assumption: touched.assumption.to_owned(),
        place: SourceRange::of(touched.span, &loaded.sources),
        message: format!("`{}` is {}", loaded.sources.text(touched.span), touched.treated),
    };
    rely_verify::touched(loaded).iter().map(|touched| (touched.assumption, note(touched))).collect()
}

/// What is said of a conclusion. That a property holds is said only if it is about something, and to who is strict
/// only if it does not rest on what the program visibly touches.
pub(super) fn said(
    conclusion: Conclusion,
    loaded: &Loaded,
    question: Question<'_>,
    is_strict: bool,
) -> Conclusion {
    let Question { goal, races, notes } = question;
    if conclusion.name() != "safe" {
        return conclusion;
    }
    if let Some(why) = rely_verify::nothing_to_check(&loaded.program, goal) {
        return conclusion.about_nothing(why);
    }
    if !is_strict {
        return conclusion;
    }
    let assumed = rely_verify::assumptions(&loaded.program, goal);
    let is_assumed = |name: &str| assumed.iter().any(|assumed| assumed.split(':').next() == Some(name));
    if let Some((name, note)) = notes.iter().find(|(name, _)| is_assumed(name)) {
        let reason = format!("it holds only if {name}: line {}: {}", note.place.line, note.message);
        return Conclusion::unknown(reason, Some("leave out `--strict` to accept the assumption".to_owned()));
    }
    let reason = match races {
        RaceFreedom::Refuted if depends_on_races(&loaded.program, goal) => "there are data races",
        RaceFreedom::Unknown if depends_on_races(&loaded.program, goal) => "there may be data races",
        RaceFreedom::NotChecked if depends_on_races(&loaded.program, goal) => {
            "nobody has looked for data races"
        }
        _ => return conclusion,
    };
    let advice = match races {
        RaceFreedom::NotChecked => "add `--property race`",
        _ => "make the accesses atomic or protect them, see `--property race`",
    };
    let reason = format!("it holds only if threads take turns, but {reason}");
    Conclusion::unknown(reason, Some(advice.to_owned()))
}

/// Whether a verdict about the program speaks of its source only if threads take turns.
pub(super) fn depends_on_races(program: &Program, goal: Goal) -> bool {
    goal != Goal::Race
        && rely_verify::assumptions(program, goal).iter().any(|name| name == "sequential-consistency")
}

/// The assumptions of a verdict, given what is known of data races.
pub(super) fn assumptions(program: &Program, goal: Goal, races: RaceFreedom) -> Vec<String> {
    match races {
        RaceFreedom::Shown => rely_verify::assumptions_without_races(program, goal),
        _ => rely_verify::assumptions(program, goal),
    }
}
