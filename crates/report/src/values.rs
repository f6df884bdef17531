//! Values in the words of the source: the thread that holds a lock, the thread that a handle stands for, what a pointer
//! points to.

use crate::interleaving::thread_name;
use crate::locks::{handles, locks};
use rely_program::{Meaning, Program, Sort, State, Value, VarId};
use std::collections::BTreeSet;

/// Finds the words for the values of a run.
pub(crate) struct Values<'p> {
    program: &'p Program,
    locks: BTreeSet<VarId>,
    handles: BTreeSet<VarId>,
    /// In the order of their handles, which count from one.
    threads: Vec<String>,
}

impl<'p> Values<'p> {
    /// For a run that ends in this state, in which all threads exist that the run has started.
    pub(crate) fn new(program: &'p Program, last: &State) -> Self {
        let is_owner = |var: &VarId| program.meanings().of(*var) == Some(Meaning::Owner);
        let threads = last.slots().map(|slot| thread_name(program, last, slot)).collect();
        let locks = locks(program).into_iter().chain(program.vars().ids().filter(is_owner)).collect();
        Self { program, locks, handles: handles(program), threads }
    }

    /// Whether the variable says who holds a lock.
    pub(crate) fn is_lock(&self, var: VarId) -> bool {
        self.locks.contains(&var)
    }

    /// A value of a variable as people would say it.
    pub(crate) fn text(&self, var: VarId, value: Value) -> String {
        let number = || value_text(self.program.vars()[var].sort, value);
        if self.is_lock(var) {
            return if value == 0 { "free".to_owned() } else { self.thread(value).unwrap_or_else(number) };
        }
        if self.handles.contains(&var) {
            return self.thread(value).unwrap_or_else(number);
        }
        let address = || self.program.meanings().address(value);
        match (self.program.meanings().of(var), value) {
            (Some(Meaning::Address), 0) => "NULL".to_owned(),
            (Some(Meaning::Address | Meaning::AddressOrNumber), _) => address().unwrap_or_else(number),
            (Some(Meaning::Allocation), 1) => "allocated".to_owned(),
            (Some(Meaning::Allocation), _) => "freed".to_owned(),
            _ => number(),
        }
    }

    fn thread(&self, handle: Value) -> Option<String> {
        self.threads.get(usize::try_from(handle.checked_sub(1)?).ok()?).cloned()
    }
}

/// A value as a number or a truth value.
fn value_text(sort: Sort, value: Value) -> String {
    match sort {
        Sort::Int => value.to_string(),
        Sort::Bool => (value != 0).to_string(),
    }
}
