//! Arithmetic that needs cases: quotients, remainders, shifts and machine types.

use crate::expr::{Path, TooManyCases, Translator, Valued};
use rely_logic::{Constraint, Integer, LinearForm};
use rely_program::{BinaryOp, Expr, IntType};

impl Translator<'_> {
    /// The values of an integer operator.
    pub(crate) fn arithmetic(
        &self,
        path: Path,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
    ) -> Result<Vec<Valued>, TooManyCases> {
        let mut cases = Vec::new();
        for (path, left) in self.value(path, left)? {
            for (path, right) in self.value(path, right)? {
                cases.extend(self.operator(path, op, &left, &right));
            }
        }
        self.within_limit(cases)
    }

    fn operator(&self, path: Path, op: BinaryOp, left: &LinearForm, right: &LinearForm) -> Vec<Valued> {
        let constant = right.is_constant().then(|| right.constant_term());
        match (op, constant) {
            (BinaryOp::Add, _) => vec![(path, left.plus(right))],
            (BinaryOp::Sub, _) => vec![(path, left.minus(right))],
            (BinaryOp::Mul, Some(factor)) => vec![(path, left.scaled(factor))],
            (BinaryOp::Mul, None) if left.is_constant() => {
                vec![(path, right.scaled(left.constant_term()))]
            }
            (BinaryOp::Div, Some(divisor)) if !divisor.is_zero() => {
                self.truncated(path, left, divisor, |quotient, _| quotient)
            }
            (BinaryOp::Rem, Some(divisor)) if !divisor.is_zero() => {
                self.truncated(path, left, divisor, |_, remainder| remainder)
            }
            (BinaryOp::Shl, Some(shift)) => match power_of_two(shift) {
                Some(factor) => vec![(path, left.scaled(&factor))],
                None => vec![self.unknown(path)],
            },
            (BinaryOp::Shr, Some(shift)) => match power_of_two(shift) {
                Some(divisor) => vec![self.floored(path, left, &divisor, |quotient, _| quotient)],
                None => vec![self.unknown(path)],
            },
            (BinaryOp::BitAnd, Some(mask)) if is_low_mask(mask) => {
                let divisor = mask.clone() + Integer::ONE;
                vec![self.floored(path, left, &divisor, |_, remainder| remainder)]
            }
            _ => vec![self.unknown(path)],
        }
    }

    /// Division that rounds towards zero: the remainder has the sign of the dividend.
    fn truncated(
        &self,
        path: Path,
        dividend: &LinearForm,
        divisor: &Integer,
        choose: fn(LinearForm, LinearForm) -> LinearForm,
    ) -> Vec<Valued> {
        let zero = LinearForm::default();
        let last = divisor.abs() + Integer::MINUS_ONE;
        let signs = [
            (Constraint::ge(dividend, &zero), Integer::ZERO, last.clone()),
            (Constraint::lt(dividend, &zero), -last, Integer::ZERO),
        ];
        let possible = signs.into_iter().filter(|(sign, ..)| !sign.is_false());
        let divide = |(sign, low, high)| {
            let path = path.clone().assuming(sign);
            self.divided(path, dividend, divisor, (low, high), choose)
        };
        possible.map(divide).collect()
    }

    /// Division that rounds down, by a positive number.
    fn floored(
        &self,
        path: Path,
        dividend: &LinearForm,
        divisor: &Integer,
        choose: fn(LinearForm, LinearForm) -> LinearForm,
    ) -> Valued {
        let range = (Integer::ZERO, divisor.clone() + Integer::MINUS_ONE);
        self.divided(path, dividend, divisor, range, choose)
    }

    /// `dividend = divisor * quotient + remainder`, with the remainder in a range.
    fn divided(
        &self,
        mut path: Path,
        dividend: &LinearForm,
        divisor: &Integer,
        (low, high): (Integer, Integer),
        choose: fn(LinearForm, LinearForm) -> LinearForm,
    ) -> Valued {
        let quotient = self.fresh(&mut path);
        let remainder = dividend.minus(&quotient.scaled(divisor));
        path.guard.push(Constraint::ge(&remainder, &LinearForm::constant(low)));
        path.guard.push(Constraint::le(&remainder, &LinearForm::constant(high)));
        (path, choose(quotient, remainder))
    }

    /// A value reduced to a machine type. That it fits already is a case of its own, because
    /// it is the usual one and needs no auxiliary variable.
    pub(crate) fn wrapped(&self, path: Path, value: LinearForm, int_type: IntType) -> Vec<Valued> {
        let (low, high) = (LinearForm::constant(int_type.min()), LinearForm::constant(int_type.max()));
        let fits = [Constraint::ge(&value, &low), Constraint::le(&value, &high)];
        if fits.iter().all(Constraint::is_true) {
            return vec![(path, value)];
        }
        let mut cases = Vec::new();
        let size = Integer::from(2).pow(u32::from(int_type.bits));
        for outside in fits.iter().map(Constraint::negated).filter(|outside| !outside.is_false()) {
            let range = (int_type.min().into(), int_type.max().into());
            let path = path.clone().assuming(outside);
            cases.push(self.divided(path, &value, &size, range, |_, remainder| remainder));
        }
        if !fits.iter().any(Constraint::is_false) {
            let [low, high] = fits;
            cases.push((path.assuming(low).assuming(high), value));
        }
        cases
    }
}

fn power_of_two(shift: &Integer) -> Option<Integer> {
    let shift = shift.to_i64().filter(|shift| (0..64).contains(shift))?;
    Some(Integer::from(2).pow(shift as u32))
}

/// Whether the number is 2^k - 1, so that `and` with it is a remainder.
fn is_low_mask(mask: &Integer) -> bool {
    mask.to_i64().is_some_and(|mask| mask > 0 && mask < i64::MAX && (mask + 1) & mask == 0)
}
