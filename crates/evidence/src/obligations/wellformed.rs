//! Whether invariants speak of a program at all.

use crate::data::{Atom, Invariant, Moment, Quantity, RelyGuaranteeDefect, Summand};
use rely_base::Id;
use rely_program::{Program, Scope, ThreadId, ThreadKind, VarId};

type Checked = Result<(), RelyGuaranteeDefect>;

fn malformed(what: String) -> Checked {
    Err(RelyGuaranteeDefect::Malformed(what))
}

/// More comparisons than this nobody has written and nobody will read; every obligation would have to
/// carry all of them.
const MOST_COMPARISONS: usize = 10_000;

/// Makes sure that everything exists that the invariants mention, and may stand where it does.
pub(crate) fn check_invariants(program: &Program, invariants: &[Invariant]) -> Checked {
    let comparisons = invariants.iter().flat_map(|invariant| &invariant.cubes).map(Vec::len).sum::<usize>();
    if comparisons > MOST_COMPARISONS {
        return malformed(format!(
            "its invariants have {comparisons} comparisons, more than {MOST_COMPARISONS}"
        ));
    }
    for summand in invariants.iter().flat_map(Invariant::summands) {
        match summand {
            Summand::Cell { var, index } => check_cell(program, *var, *index, None)?,
            Summand::Count(counter) => {
                let Some(location) = program.locations().get(counter.location) else {
                    return malformed(format!("there is no location {}", counter.location.index()));
                };
                let owner = location.thread;
                counter.having.iter().try_for_each(|atom| check_condition(program, owner, atom))?;
            }
        }
    }
    Ok(())
}

/// The condition of a counter of threads of one kind.
fn check_condition(program: &Program, owner: ThreadId, atom: &Atom) -> Checked {
    for (_, quantity) in &atom.terms {
        let Quantity::Cell { var, index, moment } = *quantity else { continue };
        if moment == Moment::After {
            return malformed("a counter speaks of a value after a step".to_owned());
        }
        check_cell(program, var, index, Some(owner))?;
    }
    Ok(())
}

/// A cell that is seen by the threads of one kind, or from outside.
fn check_cell(program: &Program, var: VarId, index: u32, owner: Option<ThreadId>) -> Checked {
    let Some(declaration) = program.vars().get(var) else {
        return malformed(format!("there is no variable {}", var.index()));
    };
    let name = &declaration.name;
    if index as usize >= declaration.cells() {
        return malformed(format!("`{name}` has no cell {index}"));
    }
    match declaration.scope {
        Scope::Local(thread)
            if Some(thread) != owner && program.threads()[thread].kind == ThreadKind::Template =>
        {
            malformed(format!("`{name}` is not visible where the proof mentions it"))
        }
        _ => Ok(()),
    }
}
