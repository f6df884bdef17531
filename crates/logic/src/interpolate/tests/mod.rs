//! Tests of interpolation: corner cases, how simple the answers are, and Horn clauses.

mod corners;
mod horn;
mod notation;
mod quality;

use rely_base::Budget;

use super::{Interpolation, Preferences, interpolate, interpolate_sequence};
use crate::term::TermPool;
use notation::{formula, shown, variable};

/// Interpolates between texts with wishes; the answer as text.
fn answer_with(candidates: &[&str], vocabulary: Option<&[&str]>, formulas: &[&str]) -> String {
    let mut pool = TermPool::new();
    let formulas: Vec<_> = formulas.iter().map(|text| formula(&mut pool, text)).collect();
    let candidates = candidates.iter().map(|text| formula(&mut pool, text)).collect();
    let vocabulary = vocabulary.map(|names| names.iter().map(|name| variable(&mut pool, name)).collect());
    let preferences = Preferences { candidates, vocabulary, ..Preferences::default() };
    let budget = Budget::unlimited();
    let outcome = match formulas[..] {
        [a, b] => match interpolate(&mut pool, a, b, &preferences, &budget) {
            Interpolation::Found(interpolant) => Interpolation::Found(vec![interpolant]),
            Interpolation::Satisfiable(values) => Interpolation::Satisfiable(values),
            Interpolation::NotInVocabulary => Interpolation::NotInVocabulary,
            Interpolation::Unknown(unknown) => Interpolation::Unknown(unknown),
        },
        _ => interpolate_sequence(&mut pool, &formulas, &preferences, &budget),
    };
    match outcome {
        Interpolation::Found(interpolants) => {
            let texts: Vec<String> = interpolants.iter().map(|&term| shown(&pool, term)).collect();
            texts.join("; ")
        }
        Interpolation::Satisfiable(_) => "satisfiable".to_owned(),
        Interpolation::NotInVocabulary => "not in the vocabulary".to_owned(),
        Interpolation::Unknown(unknown) => format!("unknown: {unknown}"),
    }
}

fn check(formulas: &[&str], expected: &str) {
    assert_eq!(answer_with(&[], None, formulas), expected, "{formulas:?}");
}
