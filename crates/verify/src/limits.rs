//! Programs of which a front end has translated a part, as where it keeps a bounded number of allocated objects.
//!
//! A check of the kind [`CheckKind::Limit`] stands where the translation ends. No goal is violated there, and engines
//! take it that no run comes there, so a violation that they find is one. But a proof says nothing about runs beyond:
//! it is believed only if a second proof, checked like any other, shows that there are none.

use rely_evidence::{Reason, Verdict};
use rely_program::{Check, CheckKind, Program, ProgramEditor, Violation};

/// Whether a front end has left something out.
pub(crate) fn has_limits(program: &Program) -> bool {
    program.checks().values().any(|check| check.kind == CheckKind::Limit)
}

/// The program in which it is an error, and the only one, to leave what was translated.
pub(crate) fn with_limits_asserted(program: &Program) -> Program {
    let mut editor = ProgramEditor::new(program.clone());
    for (_, Check { kind, .. }) in editor.checks_mut().iter_mut() {
        // Runs that fail another check end there: they are left out like those of other goals.
        *kind = if *kind == CheckKind::Limit { CheckKind::Assertion } else { CheckKind::Overflow };
    }
    editor.properties_mut().clear();
    editor.finish()
}

/// Why a proof about what was translated says nothing about the program, given what is known of the program in which
/// limits are asserted.
pub(crate) fn reached(asserted: &Program, verdict: Verdict) -> Option<Reason> {
    match verdict {
        Verdict::Safe(_) => None,
        Verdict::Unsafe(shown) => {
            let limit = match shown.replay().violation() {
                Violation::Check(check) => asserted.checks()[check].message.clone(),
                _ => "a limit of the front end is reached".to_owned(),
            };
            Some(Reason::Limit(limit))
        }
        Verdict::Unknown(reason) => Some(Reason::Limit(format!(
            "it is not known whether the limits of the front end are kept ({reason})"
        ))),
    }
}
