//! Intervals: each variable on its own.

use std::collections::BTreeMap;

use super::NumericDomain;
use crate::arith::Integer;
use crate::linear::{Constraint, LinearForm, Relation, VarId};

/// The integers between two bounds, each of which may be missing. Exact, of any size: the ranges of programs are of
/// machine integers, and this crate knows no programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// The least element.
    pub low: Option<Integer>,
    /// The greatest element.
    pub high: Option<Integer>,
}

impl Interval {
    fn point(value: Integer) -> Self {
        Self { low: Some(value.clone()), high: Some(value) }
    }

    fn is_empty(&self) -> bool {
        matches!((&self.low, &self.high), (Some(low), Some(high)) if low > high)
    }

    fn is_top(&self) -> bool {
        self.low.is_none() && self.high.is_none()
    }

    fn scaled(&self, factor: &Integer) -> Self {
        let times = |bound: &Option<Integer>| bound.as_ref().map(|value| value * factor);
        if factor.is_negative() {
            Self { low: times(&self.high), high: times(&self.low) }
        } else {
            Self { low: times(&self.low), high: times(&self.high) }
        }
    }

    fn plus(&self, other: &Self) -> Self {
        let sum = |left: &Option<Integer>, right: &Option<Integer>| Some(left.as_ref()? + right.as_ref()?);
        Self { low: sum(&self.low, &other.low), high: sum(&self.high, &other.high) }
    }

    fn join(&self, other: &Self) -> Self {
        let pick = |left: &Option<Integer>, right: &Option<Integer>, lower: bool| {
            let (left, right) = (left.as_ref()?, right.as_ref()?);
            Some(if lower { left.min(right) } else { left.max(right) }.clone())
        };
        Self { low: pick(&self.low, &other.low, true), high: pick(&self.high, &other.high, false) }
    }
}

/// A box: an interval for each variable, everything for those that are not listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intervals {
    /// `None` if there is no point.
    bounds: Option<BTreeMap<VarId, Interval>>,
}

/// How often the bounds of the variables of one constraint are tightened against each other.
const TIGHTENING_ROUNDS: usize = 3;

impl Intervals {
    /// The bounds of a variable; those of no point at all are empty.
    pub fn of(&self, variable: VarId) -> Interval {
        match &self.bounds {
            None => Interval { low: Some(Integer::ONE), high: Some(Integer::ZERO) },
            Some(bounds) => bounds.get(&variable).cloned().unwrap_or_default(),
        }
    }

    /// The values that a form can have.
    pub fn evaluate(&self, form: &LinearForm) -> Interval {
        let start = Interval::point(form.constant_term().clone());
        form.terms()
            .iter()
            .fold(start, |sum, (variable, factor)| sum.plus(&self.of(*variable).scaled(factor)))
    }

    /// The least value of a form without one of its terms.
    fn least_without(&self, form: &LinearForm, left_out: VarId) -> Option<Integer> {
        let Some(bounds) = &self.bounds else { return Some(Integer::ONE) };
        let mut least = form.constant_term().clone();
        for (variable, factor) in form.terms().iter().filter(|(variable, _)| *variable != left_out) {
            let interval = bounds.get(variable)?;
            let bound = if factor.is_positive() { &interval.low } else { &interval.high };
            least += bound.as_ref()? * factor;
        }
        Some(least)
    }

    fn set(&mut self, variable: VarId, interval: Interval) {
        let Some(bounds) = &mut self.bounds else { return };
        if interval.is_empty() {
            self.bounds = None;
        } else if interval.is_top() {
            bounds.remove(&variable);
        } else {
            bounds.insert(variable, interval);
        }
    }

    /// Uses `form <= 0` to bound each of its variables by what the others leave; whether that
    /// changed something.
    fn tighten(&mut self, form: &LinearForm) -> bool {
        let mut changed = false;
        for (variable, factor) in form.terms() {
            // factor * variable <= -rest <= -min(rest)
            let Some(limit) = self.least_without(form, *variable).map(|low| -&low) else { continue };
            let mut interval = self.of(*variable);
            let (bound, is_upper) = if factor.is_positive() {
                (limit.div_floor(factor), true)
            } else {
                (limit.div_ceil(factor), false)
            };
            let Some(bound) = bound else { continue };
            let slot = if is_upper { &mut interval.high } else { &mut interval.low };
            let is_tighter = match slot {
                None => true,
                Some(old) if is_upper => bound < *old,
                Some(old) => bound > *old,
            };
            if is_tighter {
                *slot = Some(bound);
                self.set(*variable, interval);
                changed = true;
            }
        }
        changed
    }

    /// Removes a single forbidden value at the end of an interval.
    fn exclude(&mut self, form: &LinearForm) {
        let [(variable, factor)] = form.terms() else { return };
        let Some(value) = (-form.constant_term()).div_exact(factor) else { return };
        let mut interval = self.of(*variable);
        if interval.low.as_ref() == Some(&value) {
            interval.low = Some(&value + &Integer::ONE);
        }
        if interval.high.as_ref() == Some(&value) {
            interval.high = Some(&value - &Integer::ONE);
        }
        self.set(*variable, interval);
    }

    fn combine(&self, other: &Self, mut merge: impl FnMut(&Interval, &Interval) -> Interval) -> Self {
        let (Some(left), Some(right)) = (&self.bounds, &other.bounds) else {
            return if self.is_bottom() { other.clone() } else { self.clone() };
        };
        let mut result = Self::top();
        for variable in left.keys().chain(right.keys()) {
            result.set(*variable, merge(&self.of(*variable), &other.of(*variable)));
        }
        result
    }
}

impl NumericDomain for Intervals {
    fn top() -> Self {
        Self { bounds: Some(BTreeMap::new()) }
    }

    fn bottom() -> Self {
        Self { bounds: None }
    }

    fn is_bottom(&self) -> bool {
        self.bounds.is_none()
    }

    fn meet(&mut self, constraint: &Constraint) {
        if constraint.is_false() {
            self.bounds = None;
        }
        let form = constraint.form();
        // The bounds of one variable do not depend on those of others.
        let rounds = if form.terms().len() > 1 { TIGHTENING_ROUNDS } else { 1 };
        match constraint.relation() {
            Relation::Le | Relation::Lt => {
                let _ = (0..rounds).all(|_| self.tighten(form));
            }
            Relation::Eq => {
                let opposite = form.negated();
                let _ = (0..rounds).all(|_| self.tighten(form) | self.tighten(&opposite));
            }
            Relation::Ne => self.exclude(form),
        }
        // What is at most zero nowhere has left some variable without values already.
        let is_settled = matches!(constraint.relation(), Relation::Le | Relation::Eq);
        if !is_settled && self.entails(&constraint.negated()) {
            self.bounds = None;
        }
    }

    fn forget(&mut self, variable: VarId) {
        self.set(variable, Interval::default());
    }

    fn assign(&mut self, variable: VarId, value: &LinearForm) {
        let interval = self.evaluate(value);
        self.set(variable, interval);
    }

    fn join(&self, other: &Self) -> Self {
        self.combine(other, Interval::join)
    }

    fn widen(&self, next: &Self) -> Self {
        self.combine(next, |old, new| {
            let kept =
                |old: &Option<Integer>, new: &Option<Integer>, grows: fn(&Integer, &Integer) -> bool| {
                    let (old, new) = (old.as_ref()?, new.as_ref()?);
                    (!grows(new, old)).then(|| old.clone())
                };
            Interval {
                low: kept(&old.low, &new.low, |new, old| new < old),
                high: kept(&old.high, &new.high, |new, old| new > old),
            }
        })
    }

    fn narrow(&self, next: &Self) -> Self {
        if next.is_bottom() {
            return Self::bottom();
        }
        self.combine(next, |old, new| Interval {
            low: old.low.clone().or_else(|| new.low.clone()),
            high: old.high.clone().or_else(|| new.high.clone()),
        })
    }

    fn entails(&self, constraint: &Constraint) -> bool {
        if self.is_bottom() {
            return true;
        }
        let values = self.evaluate(constraint.form());
        let at_most_zero = values.high.as_ref().is_some_and(|high| !high.is_positive());
        let at_least_zero = values.low.as_ref().is_some_and(|low| !low.is_negative());
        match constraint.relation() {
            Relation::Le => at_most_zero,
            Relation::Lt => values.high.is_some_and(|high| high.is_negative()),
            Relation::Eq => at_most_zero && at_least_zero,
            Relation::Ne => {
                values.high.is_some_and(|high| high.is_negative())
                    || values.low.is_some_and(|low| low.is_positive())
            }
        }
    }

    fn constraints(&self) -> Vec<Constraint> {
        let Some(bounds) = &self.bounds else { return vec![Constraint::truth(false)] };
        let mut constraints = Vec::new();
        for (&variable, Interval { low, high }) in bounds {
            let form = LinearForm::variable(variable);
            match (low, high) {
                (Some(low), Some(high)) if low == high => {
                    constraints.push(Constraint::eq(&form, &LinearForm::constant(low.clone())));
                }
                _ => {
                    constraints.extend(
                        low.iter().map(|low| Constraint::ge(&form, &LinearForm::constant(low.clone()))),
                    );
                    constraints.extend(
                        high.iter().map(|high| Constraint::le(&form, &LinearForm::constant(high.clone()))),
                    );
                }
            }
        }
        constraints
    }
}
