//! Which properties the facts prove: two threads would have to be where their facts contradict each other.

use super::Analysis;
use super::facts::{Facts, Known, Standing, cell};
use super::parents::Parents;
use rely_base::{Budget, Id, Interrupted, Work};
use rely_program::analysis::{Env, fold};
use rely_program::{BinaryOp, Expr, LocationId, Property, PropertyKind, UnaryOp};
use rustc_hash::FxHashSet;

/// What must be true for a property to be false: some threads are somewhere, and conditions hold.
#[derive(Default)]
struct Violation<'e> {
    places: Vec<LocationId>,
    conditions: Vec<&'e Expr>,
}

impl Analysis<'_> {
    /// Finds out which properties are proved. What threads know of those that have started them is looked for
    /// only if something is left, and only what helps is kept: it makes proofs longer.
    pub(super) fn judge(&mut self, budget: &Budget) -> Result<(), Interrupted> {
        let program = self.program;
        let mut proved = Vec::with_capacity(program.properties().len());
        for property in program.properties() {
            budget.check_work(Work::Simplifying("locksets"))?;
            proved.push(self.proves(property));
        }
        if proved.contains(&false) {
            let parents = Parents::new(self);
            let mut needed = FxHashSet::default();
            for (property, proved) in program.properties().iter().zip(&mut proved).filter(|(_, done)| !**done)
            {
                budget.check_work(Work::Simplifying("locksets"))?;
                if let Some([one, other]) = self.places_of(property)
                    && let Some(threads) = parents.excluding(program, one, other)
                {
                    needed.extend(threads);
                    *proved = true;
                }
            }
            self.parents = parents.only(&needed);
        }
        self.proved = proved;
        Ok(())
    }

    /// The two places at which threads would have to be for a property to be false, if it is of this kind.
    fn places_of(&self, property: &Property) -> Option<[LocationId; 2]> {
        let PropertyKind::Always(condition) = &property.kind else { return None };
        let violation = Violation::of(condition);
        let places = <[LocationId; 2]>::try_from(&violation.places[..]).ok()?;
        let is_open = |place: &LocationId| !self.started_at_the_end.contains(place);
        places.iter().all(is_open).then_some(places)
    }

    fn proves(&self, property: &Property) -> bool {
        let PropertyKind::Always(condition) = &property.kind else { return false };
        let violation = Violation::of(condition);
        let Some([one, other]) = self.places_of(property) else { return false };
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
    fn of(condition: &'e Expr) -> Self {
        let mut violation = Self::default();
        violation.collect(condition, false);
        violation
    }

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
