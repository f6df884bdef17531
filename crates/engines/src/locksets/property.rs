//! Which properties the facts prove: two threads would have to be where their facts contradict each other.

use super::Analysis;
use super::facts::{Facts, Known, Standing, cell};
use rely_base::Id;
use rely_program::analysis::{Env, fold};
use rely_program::{BinaryOp, Expr, LocationId, Property, PropertyKind, UnaryOp};

/// What must be true for a property to be false: some threads are somewhere, and conditions hold.
#[derive(Default)]
struct Violation<'e> {
    places: Vec<LocationId>,
    conditions: Vec<&'e Expr>,
}

impl Analysis<'_> {
    pub(super) fn proves(&self, property: &Property) -> bool {
        let PropertyKind::Always(condition) = &property.kind else { return false };
        let mut violation = Violation::default();
        violation.collect(condition, false);
        let [one, other] = violation.places[..] else { return false };
        if [one, other].iter().any(|place| self.started_at_the_end.contains(place)) {
            return false;
        }
        let (ones, others) = (self.seen_at(one), self.seen_at(other));
        ones.iter().all(|one| {
            others.iter().all(|other| {
                one.contradicts(self.program, *other)
                    || violation.conditions.iter().any(|condition| self.is_false(condition, [*one, *other]))
            })
        })
    }

    /// What a thread may know that is seen at a location: it stands there, or the program ends when it arrives.
    fn seen_at(&self, location: LocationId) -> Vec<Standing<'_>> {
        let facts = self.facts[location.index()].as_ref();
        let halting = self.halting.get(&location).into_iter().flatten();
        facts.into_iter().chain(halting).map(|facts| Standing { location, facts }).collect()
    }

    /// Whether a condition on both threads is false with what they know. Locals of threads from templates
    /// do not occur in properties.
    fn is_false(&self, condition: &Expr, standing: [Standing<'_>; 2]) -> bool {
        let known = standing
            .iter()
            .fold(condition.clone(), |condition, standing| self.with_values(&condition, standing.facts));
        fold(self.program, &Env::default(), &known) == Expr::Bool(false)
    }

    fn with_values(&self, expr: &Expr, facts: &Facts) -> Expr {
        let known = cell(self.program, expr).and_then(|cell| facts.values.get(&cell));
        match known {
            Some(Known::Constant(value)) => {
                let var = cell(self.program, expr).map(|(var, _)| var);
                var.map_or_else(
                    || expr.clone(),
                    |var| rely_program::analysis::constant(self.program.vars()[var].sort, *value),
                )
            }
            _ => expr.map_children(|child| self.with_values(child, facts)),
        }
    }
}

impl<'e> Violation<'e> {
    /// What must be true for an expression to have a value.
    fn collect(&mut self, expr: &'e Expr, value: bool) {
        match expr {
            Expr::Unary(UnaryOp::Not, operand) => self.collect(operand, !value),
            Expr::Binary(BinaryOp::And, operands) if value => {
                operands.iter().for_each(|operand| self.collect(operand, true));
            }
            Expr::Binary(BinaryOp::Or, operands) if !value => {
                operands.iter().for_each(|operand| self.collect(operand, false));
            }
            Expr::Binary(BinaryOp::Ge, operands) if value => match &**operands {
                [Expr::CountAt(location), Expr::Int(count @ 1..)] => {
                    let several = if *count > 1 { 2 } else { 1 };
                    self.places.extend(std::iter::repeat_n(*location, several));
                }
                _ => self.conditions.push(expr),
            },
            _ if value => self.conditions.push(expr),
            _ => {}
        }
    }
}
