//! The share that a subtree has in a derived inequality.
//!
//! A refutation derives inequalities `t <= 0`. For every subtree there is a share `s` such that
//! the subtree implies `s <= 0` and the rest implies `t - s <= 0`. Sums of inequalities have the
//! sums of the shares. A cut divides `t` by the common divisor of its coefficients and rounds its
//! constant up; the share is divided and rounded up as well. The coefficients of variables that
//! the interpolant cannot mention are divisible, because nobody else contributed to them; what is
//! left becomes a rounded term unless it is divisible, too. (Griggio, Le and Sebastiani, "Efficient
//! interpolant generation in satisfiability modulo linear integer arithmetic", TACAS 2011.)

use crate::arith::Integer;
use crate::linear::{LinearForm, VarId};
use crate::term::{TermId, TermPool};

/// A linear form plus scaled rounded terms, all of them over variables that may be mentioned.
#[derive(Clone, Debug, Default)]
pub(super) struct Partial {
    pub(super) form: LinearForm,
    rounded: Vec<(TermId, Integer)>,
}

impl Partial {
    /// The share that is this form.
    pub(super) fn of_form(form: LinearForm) -> Self {
        Self { form, rounded: Vec::new() }
    }

    /// Whether the share is zero: the subtree contributes nothing.
    pub(super) fn is_zero(&self) -> bool {
        self.rounded.is_empty() && self.form.is_constant() && self.form.constant_term().is_zero()
    }

    /// Whether there are rounded terms.
    pub(super) fn is_rounded(&self) -> bool {
        !self.rounded.is_empty()
    }

    /// `self += factor * other`.
    pub(super) fn add_scaled(&mut self, factor: &Integer, other: &Partial) {
        self.form = self.form.add_scaled(factor, &other.form);
        for (term, weight) in &other.rounded {
            let scaled = weight * factor;
            match self.rounded.iter_mut().find(|entry| entry.0 == *term) {
                Some(entry) => entry.1 += &scaled,
                None => self.rounded.push((*term, scaled)),
            }
        }
        self.rounded.retain(|(_, weight)| !weight.is_zero());
    }

    /// The share divided by `divisor` and rounded up. `None` if a hidden variable's coefficient is
    /// not divisible.
    pub(super) fn divided(
        &self,
        pool: &mut TermPool,
        divisor: &Integer,
        is_exposed: impl Fn(VarId) -> bool,
    ) -> Option<Partial> {
        let mut whole: Vec<(VarId, Integer)> = Vec::new();
        let mut fraction: Vec<(TermId, Integer)> = Vec::new();
        for (variable, coefficient) in self.form.terms() {
            let (quotient, remainder) = coefficient.div_rem_euclid(divisor)?;
            if !remainder.is_zero() {
                if !is_exposed(*variable) {
                    return None;
                }
                fraction.push((pool.var(*variable), remainder));
            }
            whole.push((*variable, quotient));
        }
        let mut rounded: Vec<(TermId, Integer)> = Vec::new();
        for (term, weight) in &self.rounded {
            let (quotient, remainder) = weight.div_rem_euclid(divisor)?;
            if !remainder.is_zero() {
                fraction.push((*term, remainder));
            }
            if !quotient.is_zero() {
                rounded.push((*term, quotient));
            }
        }
        let constant = self.form.constant_term();
        if fraction.is_empty() {
            return Some(Partial { form: LinearForm::new(whole, constant.div_ceil(divisor)?), rounded });
        }
        // The quotient rounded up is the quotient of a little more rounded down.
        let (quotient, remainder) = (constant + divisor - Integer::ONE).div_rem_euclid(divisor)?;
        let shifted = pool.sum(fraction, remainder);
        let ceiling = pool.div(shifted, divisor.clone())?;
        let mut result = Partial { form: LinearForm::new(whole, quotient), rounded };
        let extra = Partial { form: LinearForm::default(), rounded: vec![(ceiling, Integer::ONE)] };
        result.add_scaled(&Integer::ONE, &extra);
        Some(result)
    }

    /// The share as a term.
    pub(super) fn term(&self, pool: &mut TermPool) -> TermId {
        let linear = pool.form_term(&self.form);
        let mut terms = self.rounded.clone();
        terms.push((linear, Integer::ONE));
        pool.sum(terms, Integer::ZERO)
    }
}
