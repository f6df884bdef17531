//! Products multiplied out.
//!
//! `(x + 1)*(x + 1)` and `x*x + 2x + 1` are different terms with one value. Every product is
//! related to its sum of monomials, each with its factors in one order, so that equal polynomials
//! are equal sums for the linear solver.

use rustc_hash::FxHashMap;

use crate::arith::Integer;
use crate::term::{Node, TermId, TermPool};

/// Polynomials with more monomials, or of a higher degree, are left alone.
const MOST_MONOMIALS: usize = 32;
const HIGHEST_DEGREE: usize = 8;

/// Monomials (ascending factors) with their coefficients.
type Polynomial = FxHashMap<Vec<TermId>, Integer>;

/// The term of the polynomial that a product is. `None` if it is no product or too large.
pub(super) fn multiplied_out(pool: &mut TermPool, product: TermId) -> Option<TermId> {
    let Node::Mul(..) = pool.node(product) else { return None };
    let polynomial = polynomial(pool, product)?;
    let mut monomials: Vec<(Vec<TermId>, Integer)> = polynomial.into_iter().collect();
    monomials.sort();
    let mut terms = Vec::new();
    let mut constant = Integer::ZERO;
    for (factors, coefficient) in monomials {
        match factors.split_first() {
            None => constant += coefficient,
            Some((&first, rest)) => {
                let monomial = rest.iter().fold(first, |left, &right| pool.mul(left, right));
                terms.push((monomial, coefficient));
            }
        }
    }
    Some(pool.sum(terms, constant))
}

/// The polynomial of a term, over subterms that are neither products nor sums.
fn polynomial(pool: &TermPool, root: TermId) -> Option<Polynomial> {
    // Children first; only sums and products are looked into.
    let mut reached = vec![root];
    let mut next = 0;
    while let Some(&term) = reached.get(next) {
        next += 1;
        if matches!(pool.node(term), Node::Mul(..) | Node::Sum(_)) {
            pool.for_each_child(term, |child| reached.push(child));
        }
        if reached.len() > MOST_MONOMIALS * HIGHEST_DEGREE {
            return None;
        }
    }
    reached.sort_unstable();
    reached.dedup();
    let mut known: FxHashMap<TermId, Polynomial> = FxHashMap::default();
    for term in reached {
        let value = match pool.node(term) {
            Node::Mul(left, right) => times(&known[left], &known[right])?,
            Node::Sum(sum) => {
                let mut total = Polynomial::from_iter([(Vec::new(), sum.constant.clone())]);
                for (child, factor) in &sum.terms {
                    for (monomial, coefficient) in &known[child] {
                        *total.entry(monomial.clone()).or_default() += coefficient * factor;
                    }
                }
                trimmed(total)?
            }
            Node::Int(value) => trimmed(Polynomial::from_iter([(Vec::new(), value.clone())]))?,
            _ => Polynomial::from_iter([(vec![term], Integer::ONE)]),
        };
        known.insert(term, value);
    }
    known.remove(&root)
}

fn times(left: &Polynomial, right: &Polynomial) -> Option<Polynomial> {
    let mut total = Polynomial::default();
    for (first, a) in left {
        for (second, b) in right {
            let mut monomial: Vec<TermId> = first.iter().chain(second).copied().collect();
            monomial.sort_unstable();
            if monomial.len() > HIGHEST_DEGREE {
                return None;
            }
            *total.entry(monomial).or_default() += a * b;
        }
    }
    trimmed(total)
}

fn trimmed(mut polynomial: Polynomial) -> Option<Polynomial> {
    polynomial.retain(|_, coefficient| !coefficient.is_zero());
    (polynomial.len() <= MOST_MONOMIALS).then_some(polynomial)
}
