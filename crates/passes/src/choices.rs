//! The nondeterministic values of a program, by which a trace says what was chosen.

use rely_program::{Domain, Initial, Op, Program, Scope, Semantics, ThreadKind, Var, VarId};

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

/// The cells of the initial state that start with any value, in the order of their choices: globals first, then the
/// locals of each instance.
pub(crate) fn initial_cells(program: &Program) -> Vec<(VarId, usize, Domain)> {
    let undetermined = |(id, var): (VarId, &Var)| {
        let Initial::Any(domain) = var.initial else { return None };
        match var.scope {
            Scope::Global => Some((None, id, domain)),
            Scope::Local(thread) => {
                let is_instance = program.threads()[thread].kind != ThreadKind::Template;
                is_instance.then_some((Some(thread), id, domain))
            }
        }
    };
    let mut vars: Vec<_> = program.vars().iter().filter_map(undetermined).collect();
    vars.sort_by_key(|&(owner, ..)| owner);
    let cells = |(_, var, domain)| (0..program.vars()[var].cells()).map(move |cell| (var, cell, domain));
    let cells: Vec<_> = vars.into_iter().flat_map(cells).collect();
    debug_assert!(
        Semantics::new(program)
            .initial_choices()
            .iter()
            .copied()
            .eq(cells.iter().map(|&(var, _, domain)| (var, domain))),
        "the order of choices is that of the semantics",
    );
    cells
}
