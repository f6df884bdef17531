//! The nondeterministic values of a program, by which a trace says what was chosen.

use rely_program::{Domain, Initial, Op, Program, Scope, Semantics, ThreadKind, VarId};
use rustc_hash::FxHashMap;

/// A nondeterministic value of an edge.
pub(crate) struct Choice {
    /// The operation that needs it.
    pub(crate) op: usize,
    /// The local of a spawned template that starts with any value, and the cell of it;
    /// `None` for a havoc.
    pub(crate) local: Option<(VarId, usize)>,
    pub(crate) domain: Domain,
}

/// The nondeterministic values of some operations, in order.
pub(crate) fn choices(program: &Program, ops: &[Op]) -> Vec<Choice> {
    let mut choices = Vec::new();
    for (index, op) in ops.iter().enumerate() {
        match op {
            Op::Havoc(_, domain) => choices.push(Choice { op: index, local: None, domain: *domain }),
            Op::Spawn { thread, .. } if program.threads()[*thread].kind == ThreadKind::Template => {
                for (id, var) in program.vars().iter() {
                    let (Scope::Local(owner), Initial::Any(domain)) = (var.scope, &var.initial) else {
                        continue;
                    };
                    if owner == *thread {
                        let cells = 0..var.cells();
                        choices.extend(cells.map(|cell| Choice {
                            op: index,
                            local: Some((id, cell)),
                            domain: *domain,
                        }));
                    }
                }
            }
            _ => {}
        }
    }
    choices
}

/// The cells of the initial state that start with any value, in the order of their choices.
pub(crate) fn initial_cells(program: &Program) -> Vec<(VarId, usize, Domain)> {
    let semantics = Semantics::new(program);
    let mut next_cell: FxHashMap<VarId, usize> = FxHashMap::default();
    let cell = |&(var, domain): &(VarId, Domain)| {
        let next = next_cell.entry(var).or_default();
        *next += 1;
        (var, *next - 1, domain)
    };
    semantics.initial_choices().iter().map(cell).collect()
}
