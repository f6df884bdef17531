//! Whether the invariants of a witness hold in every run of the program itself.
//!
//! They are put into the text of the program as assertions, its ghost variables as variables, and what comes out is
//! verified like any other program.

use crate::args::InputArgs;
use crate::input;
use rely_base::{Budget, Silent, SourceMap, Span};
use rely_evidence::Verdict;
use rely_passes::CriticalSections;
use rely_program::{CheckKind, EdgeId, Goal, Op, Program, ProgramEditor, Violation};
use rely_report::{Claimed, Instrumented, instrument};
use rely_verify::{Loaded, Strategy, Verified};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// How long invariants that cannot be decided together are looked at one by one, each.
const PATIENCE: Duration = Duration::from_secs(5);

/// How invariants are looked at.
pub(super) struct Validation<'v> {
    /// The file of the program.
    pub(super) path: &'v Path,
    /// Its text.
    pub(super) text: &'v str,
    pub(super) options: &'v InputArgs,
    pub(super) strategy: &'v dyn Strategy,
    pub(super) budget: &'v Budget,
}

/// What is known of some invariants.
pub(super) enum Answer {
    /// They hold in every run.
    Hold,
    /// This one does not, and a run shows it.
    Fails(usize, Box<(Loaded, Verified)>),
    /// Nobody knows, and why.
    Unknown(String),
}

impl Validation<'_> {
    /// Those of the invariants that hold in every run.
    pub(super) fn that_hold(&self, claimed: &Claimed) -> BTreeSet<usize> {
        let mut left: BTreeSet<usize> = (0..claimed.invariants.len()).collect();
        while !left.is_empty() {
            match self.look(claimed, &left, self.budget) {
                Answer::Hold => return left,
                Answer::Fails(index, _) => drop(left.remove(&index)),
                Answer::Unknown(_) => return self.that_hold_alone(claimed, &left),
            }
        }
        left
    }

    /// Those that hold as is found out of each alone.
    fn that_hold_alone(&self, claimed: &Claimed, wanted: &BTreeSet<usize>) -> BTreeSet<usize> {
        let budget = self.budget.with_time_limit(PATIENCE);
        let holds =
            |index: &usize| matches!(self.look(claimed, &BTreeSet::from([*index]), &budget), Answer::Hold);
        wanted.iter().copied().filter(holds).collect()
    }

    /// Whether some invariants hold.
    pub(super) fn look(&self, claimed: &Claimed, wanted: &BTreeSet<usize>, budget: &Budget) -> Answer {
        let instrumented = match instrument(self.text, claimed, |index| wanted.contains(&index)) {
            Ok(instrumented) => instrumented,
            Err(why) => return Answer::Unknown(why),
        };
        if let Some((index, why)) = instrumented.unplaced.first() {
            let line = claimed.invariants[*index].place.line;
            return Answer::Unknown(format!("the invariant in line {line}: {why}"));
        }
        let mut loaded = match self.load(&instrumented, budget) {
            Ok(loaded) => loaded,
            Err(why) => return Answer::Unknown(why),
        };
        loaded.program = with_assertions_only(&loaded.program, &instrumented);
        let sections = CriticalSections::Interleaved;
        let (program, strategy) = (&loaded.program, self.strategy);
        let verified =
            rely_verify::verify_and_keep(program, Goal::Assert, sections, strategy, budget, &Silent);
        match &verified.verdict {
            Verdict::Safe(_) => Answer::Hold,
            Verdict::Unknown(reason) => Answer::Unknown(reason.to_string()),
            Verdict::Unsafe(_) if !instrumented.is_exact => Answer::Unknown(
                "a ghost variable changes together with a statement of several steps".to_owned(),
            ),
            Verdict::Unsafe(shown) => match failing(program, &instrumented, shown.replay().violation()) {
                Some(index) => Answer::Fails(index, Box::new((loaded, verified))),
                None => Answer::Unknown("a run fails another assertion".to_owned()),
            },
        }
    }

    fn load(&self, instrumented: &Instrumented, budget: &Budget) -> Result<Loaded, String> {
        let source = input::with_text(self.path, &instrumented.text, self.options, budget);
        let source = source.map_err(|diagnostic| diagnostic.message)?;
        rely_verify::load_within(&source, budget).map_err(|reason| match reason {
            rely_verify::NotLoaded::Wrong { diagnostics, sources } => match diagnostics.first() {
                Some(first) => {
                    let at = first.primary.as_ref().map(|(span, _)| place(&sources, *span));
                    format!("{}{}", at.unwrap_or_default(), first.message)
                }
                None => "the program with the invariants cannot be read".to_owned(),
            },
            rely_verify::NotLoaded::Stopped(interrupted) => interrupted.to_string(),
        })
    }
}

fn place(sources: &SourceMap, span: Span) -> String {
    format!("line {}: ", sources.position(span).line)
}

/// The program in which only the inserted assertions count. A run that fails another one ends there.
fn with_assertions_only(program: &Program, instrumented: &Instrumented) -> Program {
    let own: BTreeSet<_> = program
        .edges()
        .ids()
        .filter(|&edge| asserted(program, instrumented, edge).is_some())
        .flat_map(|edge| &program.edges()[edge].ops)
        .filter_map(|op| match op {
            Op::Check(_, check) => Some(*check),
            _ => None,
        })
        .collect();
    let mut editor = ProgramEditor::new(program.clone());
    for (id, check) in editor.checks_mut().iter_mut() {
        check.kind = match check.kind {
            _ if own.contains(&id) => CheckKind::Assertion,
            CheckKind::Limit => CheckKind::Limit,
            _ => CheckKind::Overflow,
        };
    }
    editor.properties_mut().clear();
    editor.finish()
}

/// The invariant in whose assertion an edge is.
fn asserted(program: &Program, instrumented: &Instrumented, edge: EdgeId) -> Option<usize> {
    instrumented.invariant_at(program.edges()[edge].span?.start as usize)
}

/// The invariant whose assertion a run fails.
fn failing(program: &Program, instrumented: &Instrumented, violation: Violation) -> Option<usize> {
    let Violation::Check(failed) = violation else { return None };
    let fails = |edge: &EdgeId| {
        program.edges()[*edge].ops.iter().any(|op| matches!(op, Op::Check(_, check) if *check == failed))
    };
    program.edges().ids().filter(fails).find_map(|edge| asserted(program, instrumented, edge))
}
