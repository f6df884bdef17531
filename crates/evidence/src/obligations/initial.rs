//! Where threads are at the beginning, and how many of them.

use super::encode::Encoder;
use super::expression::Counts;
use super::points::is_instance;
use crate::data::ControlPoint;
use rely_program::{Expr, Program, ThreadId, ThreadKind};

/// Where an instance is at the beginning.
pub(crate) fn initial_point(program: &Program, thread: ThreadId) -> ControlPoint {
    let declaration = &program.threads()[thread];
    match declaration.kind {
        ThreadKind::Instance { running: false } => ControlPoint::Unstarted,
        _ => ControlPoint::At(declaration.entry),
    }
}

/// How many threads are where at the beginning, as far as preconditions ask.
pub(super) fn initial_counts(encoder: &mut Encoder<'_>, program: &Program) -> Counts {
    let mut counts = Counts::default();
    let is_initial = |location| {
        let thread = program.locations()[location].thread;
        is_instance(program, thread) && initial_point(program, thread) == ControlPoint::At(location)
    };
    for condition in program.requires() {
        condition.walk(&mut |part| match part {
            Expr::CountAt(location) => {
                counts.at.insert(*location, encoder.constant(is_initial(*location).into()));
            }
            Expr::CountRunning(thread) => {
                let declaration = &program.threads()[*thread];
                let runs = is_initial(declaration.entry) && declaration.entry != declaration.exit;
                counts.running.insert(*thread, encoder.constant(runs.into()));
            }
            _ => {}
        });
    }
    counts
}
