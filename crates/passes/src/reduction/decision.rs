//! Edges of which exactly one can be taken.
//!
//! `if c { .. } else { .. }` is two edges that begin with `c` and with `not c`; nested
//! branches, once joined, are more edges that have the outer condition in common. Such edges
//! form a tree: they do the same up to a point, there they part in two groups under opposite
//! conditions, and each group is again such a tree.

use rely_program::{Edge, Expr, Op};

/// For each edge, the positions of the conditions that decide between it and others; `None`
/// if the edges are no decision.
///
/// In any state, and for any choice of the nondeterministic values before the conditions,
/// exactly one of the edges has all of these conditions satisfied.
pub(crate) fn decision(edges: &[&Edge]) -> Option<Vec<Vec<usize>>> {
    let mut conditions = vec![Vec::new(); edges.len()];
    let all: Vec<usize> = (0..edges.len()).collect();
    (!edges.is_empty() && part(edges, &all, 0, &mut conditions)).then_some(conditions)
}

fn part(edges: &[&Edge], group: &[usize], mut position: usize, conditions: &mut [Vec<usize>]) -> bool {
    let [first, rest @ ..] = group else { return true };
    if rest.is_empty() {
        return true;
    }
    loop {
        let Some(op) = edges[*first].ops.get(position) else { return false };
        if rest.iter().any(|&edge| edges[edge].ops.get(position) != Some(op)) {
            break;
        }
        position += 1;
    }
    let condition = |edge: usize| match edges[edge].ops.get(position) {
        Some(Op::Assume(condition, _)) => Some(condition),
        _ => None,
    };
    let Some(yes) = condition(*first) else { return false };
    let (agreeing, others): (Vec<usize>, Vec<usize>) =
        group.iter().copied().partition(|&edge| condition(edge) == Some(yes));
    let opposite = |&edge: &usize| condition(edge).is_some_and(|other| are_opposite(yes, other));
    if others.is_empty() || !others.iter().all(opposite) {
        return false;
    }
    for &edge in group {
        conditions[edge].push(position);
    }
    part(edges, &agreeing, position + 1, conditions) && part(edges, &others, position + 1, conditions)
}

fn are_opposite(first: &Expr, second: &Expr) -> bool {
    first.clone().negate() == *second || second.clone().negate() == *first
}
