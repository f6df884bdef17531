//! Which steps of a program decide a branch of the source, and how.
//!
//! The condition of a branch may be several steps, of which the last one decides. What it decides
//! is seen from where it leads: into what the branch controls, or elsewhere. That is only sound if
//! entering what is controlled is a step that can be told from all others, so branches with an
//! empty body, with calls in the condition, or in texts with `goto` are left alone. So are those of
//! functions that are called at several places: in a copy of the function whose arguments are known
//! a branch may have no step.

use super::c_text::{Branch, CText};
use rely_program::{EdgeId, LocationId, Program};
use std::collections::BTreeSet;

/// The branches of a source about which something can be said, by their keywords.
pub(super) struct Branches {
    told: BTreeSet<usize>,
}

impl Branches {
    pub(super) fn of(program: &Program, text: &CText<'_>) -> Self {
        let mut told = BTreeSet::new();
        if text.mentions("goto") {
            return Self { told };
        }
        for edge in program.edges().ids() {
            if let Some(branch) = branch(program, edge, text)
                && text.function(branch.keyword).is_some_and(|name| text.call_sites(name) <= 1)
                && is_inside(program, program.edges()[edge].target, &branch)
            {
                told.insert(branch.keyword);
            }
        }
        Self { told }
    }

    /// The keyword of the branch that an edge decides, and whether its condition holds.
    pub(super) fn decided(&self, program: &Program, edge: EdgeId, text: &CText<'_>) -> Option<(usize, bool)> {
        let branch = branch(program, edge, text).filter(|branch| self.told.contains(&branch.keyword))?;
        let target = program.edges()[edge].target;
        let is_open = program
            .outgoing(target)
            .iter()
            .any(|&next| start(program, next).is_none_or(|start| branch.condition.contains(&start)));
        (!is_open).then(|| (branch.keyword, is_inside(program, target, &branch)))
    }
}

fn start(program: &Program, edge: EdgeId) -> Option<usize> {
    program.edges()[edge].span.map(|span| span.start as usize)
}

/// The branch to whose condition an edge belongs.
fn branch(program: &Program, edge: EdgeId, text: &CText<'_>) -> Option<Branch> {
    text.branch(start(program, edge)?)
}

/// Whether a thread at a location is about to do something that the branch controls.
fn is_inside(program: &Program, location: LocationId, branch: &Branch) -> bool {
    let next = program.outgoing(location);
    let inside = |&edge: &EdgeId| start(program, edge).is_some_and(|start| branch.body.contains(&start));
    !next.is_empty() && next.iter().all(inside)
}
