//! Which accesses can race: all pairs, each once.

use super::{Access, AccessId, accesses};
use crate::expr::Expr;
use crate::ir::{Program, ThreadId, ThreadKind, VarId};
use rely_base::{Arena, Budget, Interrupted, Work};

/// Two accesses that conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Conflict {
    /// The first in the program.
    pub first: AccessId,
    /// The second, or the same of another thread from the same template.
    pub second: AccessId,
}

/// The accesses of a program, and which of them conflict.
#[derive(Debug)]
pub struct Conflicts {
    /// All accesses to shared variables.
    pub accesses: Arena<AccessId, Access>,
    /// All pairs, ordered by variables.
    pub pairs: Vec<Conflict>,
}

impl Conflicts {
    /// Looks at all edges of a program, unless the budget ends before.
    pub fn new(program: &Program, budget: &Budget) -> Result<Self, Interrupted> {
        let accesses = accesses(program);
        let mut of_vars: Arena<VarId, Vec<AccessId>> = program.vars().ids().map(|_| Vec::new()).collect();
        for (id, access) in accesses.iter() {
            of_vars[access.var].push(id);
        }
        let mut pairs = Vec::new();
        for of_var in of_vars.values() {
            for (position, &first) in of_var.iter().enumerate() {
                budget.check_work(Work::Simplifying("watch_races"))?;
                let others = of_var[position..].iter().copied();
                let conflict =
                    others.filter(|&second| conflict(program, &accesses[first], &accesses[second]));
                pairs.extend(conflict.map(|second| Conflict { first, second }));
            }
        }
        Ok(Conflicts { accesses, pairs })
    }

    /// The two accesses of a pair.
    pub fn of(&self, conflict: Conflict) -> [&Access; 2] {
        [conflict.first, conflict.second].map(|id| &self.accesses[id])
    }
}

fn thread(program: &Program, access: &Access) -> ThreadId {
    program.locations()[access.location].thread
}

/// Whether two threads may make these accesses to the same cell, and that is a race if they do so at once.
pub(super) fn conflict(program: &Program, first: &Access, second: &Access) -> bool {
    let one = thread(program, first);
    let can_be_two = one != thread(program, second) || program.threads()[one].kind == ThreadKind::Template;
    can_be_two
        && first.var == second.var
        && (first.is_write || second.is_write)
        && !(first.is_atomic && second.is_atomic)
        && !are_apart(first, second)
}

/// Whether the cells are certainly different.
fn are_apart(first: &Access, second: &Access) -> bool {
    match (&first.index, &second.index) {
        (Some(Expr::Int(first)), Some(Expr::Int(second))) => first != second,
        _ => false,
    }
}
