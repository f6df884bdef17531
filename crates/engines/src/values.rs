//! Which nondeterministic values are tried: all of a small domain, and of a large one those at
//! which the program's behaviour is likely to change.

use rely_program::{Chooser, Domain, Expr, Initial, Op, Place, Program, Value};
use std::collections::BTreeSet;

/// Tries all values of domains of at most `limit` values, and samples larger ones at the
/// constants of the program, their neighbours, and the ends of the domain.
#[derive(Debug)]
pub(crate) struct Values {
    limit: usize,
    /// The constants of the program and their neighbours, smallest first.
    samples: Vec<Value>,
}

impl Values {
    pub(crate) fn new(program: &Program, limit: usize) -> Self {
        let mut constants = BTreeSet::from([0]);
        for_each_constant(program, &mut |value| {
            constants.insert(value);
        });
        let neighbours = |value: Value| [Some(value), value.checked_sub(1), value.checked_add(1)];
        let samples: BTreeSet<Value> = constants.into_iter().flat_map(neighbours).flatten().collect();
        Self { limit, samples: samples.into_iter().collect() }
    }

    /// The samples in a domain, not more than the limit: those nearest to zero.
    fn sample(&self, domain: Domain, values: &mut Vec<Value>) {
        let mut chosen: Vec<Value> =
            self.samples.iter().copied().filter(|&sample| domain.contains(sample)).collect();
        if let Domain::Range { low, high } = domain {
            chosen.extend([low, high]);
        }
        chosen.sort_by_key(|value| (value.unsigned_abs(), *value < 0));
        chosen.dedup();
        chosen.truncate(self.limit.max(1));
        values.extend(chosen);
    }
}

impl Chooser for Values {
    fn choose(&self, domain: Domain, values: &mut Vec<Value>) -> bool {
        match domain {
            Domain::Bool => values.extend([0, 1]),
            Domain::Range { low, high } if domain.size().is_some_and(|size| size <= self.limit as u128) => {
                values.extend(low..=high);
            }
            Domain::Range { .. } | Domain::AllInts => {
                self.sample(domain, values);
                return false;
            }
        }
        true
    }
}

fn for_each_constant(program: &Program, visit: &mut dyn FnMut(Value)) {
    for var in program.vars().values() {
        if let Initial::Values(values) = &var.initial {
            values.iter().for_each(|&value| visit(value));
        }
    }
    let mut in_expr = |expr: &Expr| {
        expr.walk(&mut |part| {
            if let Expr::Int(value) = part {
                visit(*value);
            }
        });
    };
    for op in program.edges().values().flat_map(|edge| &edge.ops) {
        op_exprs(op).for_each(&mut in_expr);
    }
    program.requires().iter().for_each(&mut in_expr);
    for property in program.properties() {
        if let rely_program::PropertyKind::Always(condition) | rely_program::PropertyKind::AtEnd(condition) =
            &property.kind
        {
            in_expr(condition);
        }
    }
}

/// The expressions of an operation.
fn op_exprs(op: &Op) -> impl Iterator<Item = &Expr> {
    let (one, assigned, arguments, place) = match op {
        Op::Assume(condition, _) | Op::Check(condition, _) => (Some(condition), &[][..], &[][..], None),
        Op::Assign(assignments) => (None, assignments.as_slice(), &[][..], None),
        Op::Havoc(place, _) => (None, &[][..], &[][..], Some(place)),
        Op::Spawn { arguments, handle, .. } => (None, &[][..], arguments.as_slice(), handle.as_ref()),
        Op::Join(handle) => (Some(handle), &[][..], &[][..], None),
        Op::Halt => (None, &[][..], &[][..], None),
    };
    let places = assigned.iter().map(|(place, _)| place).chain(place);
    let indices = places.filter_map(|place| match place {
        Place::Scalar(_) => None,
        Place::Element(_, index) => Some(index),
    });
    one.into_iter().chain(assigned.iter().map(|(_, value)| value)).chain(arguments).chain(indices)
}
