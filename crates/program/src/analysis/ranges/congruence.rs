//! Integers that leave the same remainder, and what operators make of them.
//!
//! A counter that starts with 1 and grows by 2 is never 64, whatever bounds are known for it.

use crate::types::Value;

/// The integers that leave the remainder `residue` when divided by `modulus`; if that is zero,
/// `residue` alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Congruence {
    /// Not negative.
    modulus: Value,
    /// Less than the modulus and not negative, if there is one.
    residue: Value,
}

impl Congruence {
    pub(crate) const ALL: Congruence = Congruence { modulus: 1, residue: 0 };

    pub(crate) fn only(value: Value) -> Self {
        Self { modulus: 0, residue: value }
    }

    fn new(modulus: Value, residue: Value) -> Self {
        let residue = if modulus == 0 { residue } else { residue.rem_euclid(modulus) };
        Self { modulus, residue }
    }

    /// The only integer, if there is one.
    pub(crate) fn single(self) -> Option<Value> {
        (self.modulus == 0).then_some(self.residue)
    }

    /// The divisor and the remainder, if they say more than nothing and less than everything.
    pub(crate) fn classes(self) -> Option<(Value, Value)> {
        (self.modulus > 1).then_some((self.modulus, self.residue))
    }

    /// Whether it says nothing, as most do: then there is nothing to compute.
    fn is_all(self) -> bool {
        self.modulus == 1
    }

    /// The least of these that contain both.
    pub(crate) fn hull(self, other: Congruence) -> Congruence {
        if self == other {
            return self;
        }
        if self.is_all() || other.is_all() {
            return Self::ALL;
        }
        let distance = self.residue.checked_sub(other.residue);
        let modulus = distance.and_then(|distance| divisor([self.modulus, other.modulus, distance]));
        modulus.map_or(Self::ALL, |modulus| Self::new(modulus, self.residue))
    }

    /// What is in both, or more than that; `None` if nothing is.
    pub(crate) fn intersection(self, other: Congruence) -> Option<Congruence> {
        if self.is_all() || other.is_all() {
            return Some(if self.is_all() { other } else { self });
        }
        let common = divisor([self.modulus, other.modulus])?;
        let agree = match (common, self.residue.checked_sub(other.residue)) {
            (_, None) => true,
            (0, Some(distance)) => distance == 0,
            (common, Some(distance)) => distance % common == 0,
        };
        let is_finer = self.modulus == 0 || other.modulus != 0 && self.modulus >= other.modulus;
        agree.then_some(if is_finer { self } else { other })
    }

    /// The first that is not less than a value; `None` if there is none.
    pub(crate) fn first_from(self, value: Value) -> Option<Value> {
        match self.modulus {
            0 => Some(self.residue).filter(|&residue| residue >= value),
            1 => Some(value),
            modulus => value.checked_add(self.residue.checked_sub(value)?.rem_euclid(modulus)),
        }
    }

    /// The last that is not greater than a value; `None` if there is none.
    pub(crate) fn last_until(self, value: Value) -> Option<Value> {
        match self.modulus {
            0 => Some(self.residue).filter(|&residue| residue <= value),
            1 => Some(value),
            modulus => value.checked_sub(value.checked_sub(self.residue)?.rem_euclid(modulus)),
        }
    }

    pub(crate) fn negated(self) -> Congruence {
        if self.is_all() {
            return self;
        }
        self.residue.checked_neg().map_or(Self::ALL, |residue| Self::new(self.modulus, residue))
    }

    pub(crate) fn plus(self, other: Congruence) -> Congruence {
        if self.is_all() || other.is_all() {
            return Self::ALL;
        }
        let sum = || {
            let modulus = divisor([self.modulus, other.modulus])?;
            Some(Self::new(modulus, self.residue.checked_add(other.residue)?))
        };
        sum().unwrap_or(Self::ALL)
    }

    pub(crate) fn times(self, other: Congruence) -> Congruence {
        let product = || {
            let modulus = divisor([
                self.modulus.checked_mul(other.modulus)?,
                self.modulus.checked_mul(other.residue)?,
                self.residue.checked_mul(other.modulus)?,
            ])?;
            Some(Self::new(modulus, self.residue.checked_mul(other.residue)?))
        };
        product().unwrap_or(Self::ALL)
    }

    /// What is left when multiples of a positive number are added or taken away.
    pub(crate) fn modulo(self, number: Value) -> Congruence {
        divisor([self.modulus, number]).map_or(Self::ALL, |modulus| Self::new(modulus, self.residue))
    }

    /// What all of these leave when divided by a positive number, between zero and the number.
    pub(crate) fn remainder(self, number: Value) -> Option<Value> {
        (self.modulus % number == 0).then(|| self.residue.rem_euclid(number))
    }
}

/// The greatest common divisor; zero if there are only zeros. `None` if it is too large.
fn divisor<const COUNT: usize>(numbers: [Value; COUNT]) -> Option<Value> {
    numbers.into_iter().try_fold(0, |mut divisor: Value, number| {
        let mut rest = number.checked_abs()?;
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        Some(divisor)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every value from 0 to `modulus` at every remainder, on a window of integers.
    fn all() -> impl Iterator<Item = (Congruence, Vec<Value>)> {
        let classes =
            (0..7).flat_map(|modulus| (-3..7).map(move |residue| Congruence::new(modulus, residue)));
        classes.map(|class| {
            let is_in = |value: &Value| class.hull(Congruence::only(*value)) == class;
            (class, (-24..=24).filter(is_in).collect())
        })
    }

    fn check_operator(
        concrete: fn(Value, Value) -> Value,
        abstracted: fn(Congruence, Congruence) -> Congruence,
    ) {
        for ((left, left_values), (right, right_values)) in
            all().flat_map(|left| all().map(move |right| (left.clone(), right)))
        {
            let result = abstracted(left, right);
            for &x in &left_values {
                for &y in &right_values {
                    let value = concrete(x, y);
                    assert_eq!(result.hull(Congruence::only(value)), result, "{left:?} {right:?}: {x}, {y}");
                }
            }
        }
    }

    #[test]
    fn operators_contain_what_they_compute() {
        check_operator(|x, y| x + y, Congruence::plus);
        check_operator(|x, y| x * y, Congruence::times);
        check_operator(|x, y| x - y, |left, right| left.plus(right.negated()));
        check_operator(|x, _| x, Congruence::hull);
        check_operator(|_, y| y, Congruence::hull);
    }

    #[test]
    fn what_is_in_both_is_in_the_intersection() {
        for ((left, left_values), (right, right_values)) in
            all().flat_map(|left| all().map(move |right| (left.clone(), right)))
        {
            let both: Vec<Value> =
                left_values.iter().copied().filter(|value| right_values.contains(value)).collect();
            match left.intersection(right) {
                Some(result) => {
                    assert!(both.iter().all(|&value| result.hull(Congruence::only(value)) == result));
                    assert!(result == left || result == right);
                }
                None => assert!(both.is_empty(), "{left:?} {right:?}: {both:?}"),
            }
        }
    }

    #[test]
    fn neighbours_and_remainders() {
        let odd = Congruence::new(2, 1);
        assert_eq!(
            (odd.first_from(4), odd.last_until(64), odd.last_until(-4)),
            (Some(5), Some(63), Some(-5))
        );
        assert_eq!((Congruence::only(3).first_from(4), Congruence::only(3).last_until(4)), (None, Some(3)));
        assert_eq!((odd.remainder(2), odd.remainder(4), odd.modulo(4)), (Some(1), None, odd));
        assert_eq!(
            (Congruence::only(7).modulo(4), Congruence::new(6, 4).modulo(4)),
            (Congruence::new(4, 3), Congruence::new(2, 0))
        );
        let huge = Congruence::only(Value::MIN);
        assert_eq!(huge.hull(Congruence::only(Value::MAX)), Congruence::ALL);
        assert_eq!(
            (huge.negated(), huge.plus(huge), huge.times(huge)),
            (Congruence::ALL, Congruence::ALL, Congruence::ALL)
        );
    }
}
