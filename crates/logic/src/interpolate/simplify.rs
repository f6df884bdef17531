//! Plain simplification of formulas: what can be seen without asking the solver.
//!
//! Two bounds that meet are an equality, two that exclude one value a disequality, and of two
//! bounds of one form only the one that matters stays.

use rustc_hash::FxHashMap;

use crate::linear::{Constraint, LinearForm, Relation};
use crate::term::{Node, TermId, TermPool};

/// Longer conjunctions and disjunctions are not looked at: every pair of parts is compared.
const MAX_PARTS: usize = 300;

/// An equivalent formula that is not larger.
pub(super) fn simplified(pool: &mut TermPool, formula: TermId) -> TermId {
    let mut image: FxHashMap<TermId, TermId> = FxHashMap::default();
    for term in pool.subterms([formula]) {
        let simpler = match pool.node(term).clone() {
            Node::And(parts) => junction(pool, parts.iter().map(|part| image[part]).collect(), true),
            Node::Or(parts) => junction(pool, parts.iter().map(|part| image[part]).collect(), false),
            _ => term,
        };
        image.insert(term, simpler);
    }
    image[&formula]
}

/// A conjunction or disjunction of simplified parts.
fn junction(pool: &mut TermPool, parts: Vec<TermId>, conjunctive: bool) -> TermId {
    let whole = if conjunctive { pool.and(parts) } else { pool.or(parts) };
    let parts: Vec<TermId> = match pool.node(whole) {
        Node::And(parts) if conjunctive => parts.to_vec(),
        Node::Or(parts) if !conjunctive => parts.to_vec(),
        _ => return whole,
    };
    if parts.len() > MAX_PARTS {
        return whole;
    }
    let mut atoms: Vec<Constraint> = Vec::new();
    let mut others: Vec<TermId> = Vec::new();
    for &part in &parts {
        match pool.constraint(part) {
            // A disjunction is a negated conjunction.
            Some(constraint) => atoms.push(if conjunctive { constraint } else { constraint.negated() }),
            None => others.push(part),
        }
    }
    let Some(atoms) = conjunction(atoms) else {
        return pool.truth(!conjunctive);
    };
    for atom in atoms {
        let atom = if conjunctive { atom } else { atom.negated() };
        others.push(pool.constraint_term(&atom));
    }
    others = absorbed(pool, others, conjunctive);
    if conjunctive { pool.and(others) } else { pool.or(others) }
}

/// Without the parts that another part makes superfluous: `p ∧ (p ∨ q)` is `p`.
fn absorbed(pool: &TermPool, parts: Vec<TermId>, conjunctive: bool) -> Vec<TermId> {
    let inner = |part: TermId| match pool.node(part) {
        Node::Or(inner) if conjunctive => Some(inner.clone()),
        Node::And(inner) if !conjunctive => Some(inner.clone()),
        _ => None,
    };
    let superfluous = |part: &TermId| {
        inner(*part).is_some_and(|inner| {
            parts.iter().any(|other| {
                other != part && (inner.contains(other) || is_part_of(pool, *other, &inner, conjunctive))
            })
        })
    };
    parts.iter().copied().filter(|part| !superfluous(part)).collect()
}

/// Whether all parts of the inner junction `other` are among those of another one.
fn is_part_of(pool: &TermPool, other: TermId, inner: &[TermId], conjunctive: bool) -> bool {
    match pool.node(other) {
        Node::Or(parts) if conjunctive => parts.iter().all(|part| inner.contains(part)),
        Node::And(parts) if !conjunctive => parts.iter().all(|part| inner.contains(part)),
        _ => false,
    }
}

/// A simpler equivalent conjunction, in the order of the atoms; `None` if it is plainly false.
fn conjunction(atoms: Vec<Constraint>) -> Option<Vec<Constraint>> {
    let mut kept: Vec<Constraint> = Vec::new();
    for atom in atoms {
        insert(&mut kept, atom)?;
    }
    Some(kept)
}

/// Adds an atom to a simplified conjunction.
fn insert(kept: &mut Vec<Constraint>, atom: Constraint) -> Option<()> {
    if atom.is_true() {
        return Some(());
    }
    if atom.is_false() {
        return None;
    }
    for position in 0..kept.len() {
        match meet(&kept[position], &atom) {
            Meet::Apart => {}
            Meet::Nothing => return None,
            Meet::One(merged) => {
                kept.remove(position);
                return insert(kept, merged);
            }
        }
    }
    kept.push(atom);
    Some(())
}

/// What two atoms say together.
enum Meet {
    /// Nothing that one atom could say.
    Apart,
    /// A contradiction.
    Nothing,
    /// The same as this atom.
    One(Constraint),
}

fn meet(left: &Constraint, right: &Constraint) -> Meet {
    let same = same_terms(left.form(), right.form());
    let opposite = !same && same_terms(left.form(), &right.form().negated());
    if !same && !opposite {
        return Meet::Apart;
    }
    match (left.relation(), right.relation()) {
        (Relation::Eq, _) => with_equality(left, right, opposite),
        (_, Relation::Eq) => with_equality(right, left, opposite),
        (Relation::Le, Relation::Le) if same => {
            let tighter = left.form().constant_term() >= right.form().constant_term();
            Meet::One(if tighter { left.clone() } else { right.clone() })
        }
        (Relation::Le, Relation::Le) => {
            // f + c <= 0 and -f + d <= 0: f is between d and -c.
            let gap = left.form().constant_term() + right.form().constant_term();
            match gap.signum() {
                0 => Meet::One(Constraint::new(left.form().clone(), Relation::Eq)),
                1 => Meet::Nothing,
                _ => Meet::Apart,
            }
        }
        (Relation::Le, Relation::Ne) => with_hole(left, right),
        (Relation::Ne, Relation::Le) => with_hole(right, left),
        _ => Meet::Apart,
    }
}

/// An equality decides everything about its form.
fn with_equality(equality: &Constraint, other: &Constraint, opposite: bool) -> Meet {
    // The form without its constant has this value.
    let value = -equality.form().constant_term();
    let value = if opposite { -value } else { value };
    let difference = value + other.form().constant_term();
    if other.relation().admits(difference.signum()) { Meet::One(equality.clone()) } else { Meet::Nothing }
}

/// A bound whose extreme value is excluded is tighter by one.
fn with_hole(bound: &Constraint, hole: &Constraint) -> Meet {
    let opposite = !same_terms(bound.form(), hole.form());
    let hole = if opposite { hole.form().negated() } else { hole.form().clone() };
    let distance = hole.constant_term() - bound.form().constant_term();
    match distance.signum() {
        0 => Meet::One(Constraint::new(bound.form().clone(), Relation::Lt)),
        // The excluded value is out of bounds anyway.
        -1 => Meet::One(bound.clone()),
        _ => Meet::Apart,
    }
}

fn same_terms(left: &LinearForm, right: &LinearForm) -> bool {
    left.terms() == right.terms()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Notation;

    fn check(conjunctive: bool, atoms: &[(i64, &str, i64)], expected: &str) {
        let mut pool = TermPool::new();
        let x = pool.int_var("x");
        let parts: Vec<TermId> = atoms
            .iter()
            .map(|&(factor, relation, bound)| {
                let (left, right) = (pool.scale(factor, x), pool.int(bound));
                match relation {
                    "<=" => pool.le(left, right),
                    "=" => pool.eq(left, right),
                    _ => pool.ne(left, right),
                }
            })
            .collect();
        let formula = if conjunctive { pool.and(parts) } else { pool.or(parts) };
        let simpler = simplified(&mut pool, formula);
        assert_eq!(pool.display(simpler, Notation::Mathematics).to_string(), expected);
        // The same values satisfy both.
        for value in -9..=9 {
            let variable = pool.as_var(x);
            let at = |v| (Some(v) == variable).then(|| crate::term::Value::Int(value.into()));
            assert_eq!(pool.evaluate(formula, &at), pool.evaluate(simpler, &at), "at {value}");
        }
    }

    #[test]
    fn bounds_meet() {
        check(true, &[(1, "<=", 3), (-1, "<=", -3)], "x = 3");
        check(true, &[(1, "<=", 3), (1, "<=", 5)], "x <= 3");
        check(true, &[(1, "<=", 3), (-1, "<=", -4)], "false");
        check(true, &[(1, "<=", 3), (1, "!=", 3)], "x <= 2");
        check(true, &[(-1, "<=", 3), (1, "!=", -3)], "x >= -2");
        check(true, &[(1, "<=", 3), (1, "!=", 7)], "x <= 3");
        check(true, &[(1, "=", 3), (1, "!=", 7)], "x = 3");
        check(true, &[(1, "=", 3), (-1, "<=", -4)], "false");
        check(false, &[(1, "<=", 2), (-1, "<=", -4)], "x ≠ 3");
        check(false, &[(1, "<=", 2), (1, "<=", 4)], "x <= 4");
        check(false, &[(1, "<=", 2), (1, "=", 3)], "x <= 3");
        check(false, &[(1, "<=", 3), (-1, "<=", -4)], "true");
    }
}
