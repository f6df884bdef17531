//! All initial states: what preconditions say about undetermined values.
//!
//! A variable that may start with any integer cannot be enumerated, but a precondition often
//! says which: `requires x == 0`, `requires 0 <= n && n < 4 && m == n`. Bounds are read off
//! the conjuncts that compare one undetermined cell with something that is already known;
//! what this overlooks is only not narrowed, since every candidate is still tried against the
//! whole precondition.

use super::choices::{ChoiceLists, ChoiceVectors, Chooser};
use super::state::State;
use super::successors::SearchError;
use super::{InitialError, Semantics};
use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::types::{Domain, Value};
use rely_base::Budget;
use std::ops::ControlFlow;

/// Why not all initial states were found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InitialStatesError {
    /// A precondition has no value.
    #[error("the precondition is undefined: {0}")]
    Precondition(InitialError),
    /// The budget is used up.
    #[error(transparent)]
    Search(#[from] SearchError),
}

impl Semantics<'_> {
    /// For each of the [`initial_choices`](Self::initial_choices), a domain outside of which
    /// the precondition does not hold. A domain may be empty: then there is no initial state.
    pub fn initial_domains(&self) -> Vec<Domain> {
        let mut bounds = Bounds::new(self);
        let mut conjuncts = Vec::new();
        for condition in self.program.requires() {
            collect_conjuncts(condition, &mut conjuncts);
        }
        // Each round that changes something may fix a cell on which others depend.
        for _ in 0..=bounds.ranges.len() {
            let before = bounds.ranges.clone();
            conjuncts.iter().for_each(|conjunct| bounds.narrow(conjunct));
            if bounds.ranges == before {
                break;
            }
        }
        let choices = self.layout.initial_choices.iter().zip(&bounds.ranges);
        choices.map(|(&(_, domain), range)| range.within(domain)).collect()
    }

    /// Calls `visit` with each initial state and the choices that make it, of those that
    /// `chooser` gives, until it breaks. Returns whether these are all there are.
    pub fn initial_states(
        &self,
        chooser: &dyn Chooser,
        budget: &Budget,
        visit: &mut dyn FnMut(&[Value], &State) -> ControlFlow<()>,
    ) -> Result<bool, InitialStatesError> {
        let values = ChoiceLists::new(chooser).values(self.initial_domains().into_iter());
        let complete = values.complete;
        let mut vectors = ChoiceVectors::new(values.into());
        while let Some(choices) = vectors.next() {
            budget.check().map_err(SearchError::Stopped)?;
            match self.initial(choices) {
                Ok(state) if visit(choices, &state).is_break() => break,
                Ok(_) | Err(InitialError::NotRequired) => {}
                Err(error) => return Err(InitialStatesError::Precondition(error)),
            }
        }
        Ok(complete)
    }
}

fn collect_conjuncts<'e>(condition: &'e Expr, conjuncts: &mut Vec<&'e Expr>) {
    match condition {
        Expr::Binary(BinaryOp::And, operands) => {
            operands.iter().for_each(|operand| collect_conjuncts(operand, conjuncts));
        }
        _ => conjuncts.push(condition),
    }
}

/// The integers from `low` to `high`, without an end where there is none. May be empty, unlike the ranges of
/// `analysis`, which the semantics does not use: it is what they are tested against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    low: Option<Value>,
    high: Option<Value>,
}

impl Range {
    fn single(self) -> Option<Value> {
        if self.low == self.high { self.low } else { None }
    }

    /// The part of `domain` in the range; the whole domain if an end is missing.
    fn within(self, domain: Domain) -> Domain {
        match (self.low, self.high) {
            (Some(0), Some(1)) if domain == Domain::Bool => Domain::Bool,
            (Some(low), Some(high)) => Domain::Range { low, high },
            _ => domain,
        }
    }
}

struct Bounds<'a, 'p> {
    semantics: &'a Semantics<'p>,
    /// The initial state with the known choices filled in.
    state: State,
    /// One for each choice.
    ranges: Vec<Range>,
}

impl<'a, 'p> Bounds<'a, 'p> {
    fn new(semantics: &'a Semantics<'p>) -> Self {
        let ranges = semantics.layout.initial_choices.iter().map(|&(_, domain)| match domain {
            Domain::Bool => Range { low: Some(0), high: Some(1) },
            Domain::Range { low, high } => Range { low: Some(low), high: Some(high) },
            Domain::AllInts => Range { low: None, high: None },
        });
        Self { ranges: ranges.collect(), state: semantics.unconstrained_initial(), semantics }
    }

    fn narrow(&mut self, conjunct: &Expr) {
        match conjunct {
            Expr::Unary(UnaryOp::Not, operand) => self.narrow_one(operand, BinaryOp::Eq, &Expr::Bool(false)),
            Expr::Binary(op, operands) if op.is_comparison() => {
                let [left, right] = operands.as_ref();
                self.narrow_one(left, *op, right);
                self.narrow_one(right, mirrored(*op), left);
            }
            _ => self.narrow_one(conjunct, BinaryOp::Eq, &Expr::Bool(true)),
        }
    }

    /// Uses `cell op bound`, if the one is an undetermined cell and the other is known.
    fn narrow_one(&mut self, cell: &Expr, op: BinaryOp, bound: &Expr) {
        let Some(choice) = self.choice_of(cell) else { return };
        let Some(bound) = self.known_value(bound) else { return };
        let range = &mut self.ranges[choice];
        let (low, high) = match op {
            BinaryOp::Eq => (Some(bound), Some(bound)),
            BinaryOp::Le => (None, Some(bound)),
            BinaryOp::Ge => (Some(bound), None),
            BinaryOp::Lt => (None, bound.checked_sub(1)),
            BinaryOp::Gt => (bound.checked_add(1), None),
            _ => (None, None),
        };
        if let Some(low) = low {
            range.low = Some(range.low.map_or(low, |known| known.max(low)));
        }
        if let Some(high) = high {
            range.high = Some(range.high.map_or(high, |known| known.min(high)));
        }
        if let Some(value) = range.single() {
            self.state.cells[self.semantics.layout.initial_choice_cells[choice]] = value;
        }
    }

    /// The choice that gives this expression its value.
    fn choice_of(&self, expr: &Expr) -> Option<usize> {
        let observer = self.semantics.observer(&self.state);
        let cell = match expr {
            Expr::Var(var) => observer.first_cell(*var),
            Expr::Element(array, index) => match **index {
                Expr::Int(index) => observer.cell(*array, index).ok()?,
                _ => return None,
            },
            _ => return None,
        };
        self.choice_at(cell)
    }

    fn choice_at(&self, cell: usize) -> Option<usize> {
        self.semantics.layout.initial_choice_cells.iter().position(|&choice| choice == cell)
    }

    /// The value of an expression all of whose cells are known.
    fn known_value(&self, expr: &Expr) -> Option<Value> {
        if let Some(choice) = self.choice_of(expr) {
            return self.ranges[choice].single();
        }
        let mut known = true;
        expr.for_each_var(|var| {
            let first = self.semantics.observer(&self.state).first_cell(var);
            let cells = first..first + self.semantics.program.vars()[var].cells();
            for choice in cells.filter_map(|cell| self.choice_at(cell)) {
                known &= self.ranges[choice].single().is_some();
            }
        });
        if known { self.semantics.evaluate(&self.state, expr).ok() } else { None }
    }
}

/// `a op b` is `b mirrored(op) a`.
fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::super::choices::AllValues;
    use crate::{Domain, Expr, Initial, ProgramBuilder, Scope, Semantics, Value, Var, VarId};
    use rely_base::Budget;
    use std::ops::ControlFlow;

    /// Three undetermined scalars `x`, `y`, `z`, an undetermined flag, and an array of two.
    fn domains(requires: impl Fn([VarId; 5]) -> Vec<Expr>) -> (String, usize, bool) {
        let mut builder = ProgramBuilder::new("initial");
        let mut any = |name: &str, domain: Domain, length: Option<u32>| {
            builder.var(Var {
                name: name.into(),
                sort: domain.sort(),
                scope: Scope::Global,
                length,
                initial: Initial::Any(domain),
                span: None,
                atomic: false,
            })
        };
        let int = Domain::AllInts;
        let small = Domain::Range { low: 0, high: 9 };
        let vars = [
            any("x", int, None),
            any("y", int, None),
            any("z", small, None),
            any("flag", Domain::Bool, None),
            any("a", small, Some(2)),
        ];
        for condition in requires(vars) {
            builder.requires(condition);
        }
        let program = builder.finish().unwrap();
        let semantics = Semantics::new(&program);
        let domains: Vec<String> = semantics.initial_domains().iter().map(Domain::to_string).collect();
        let mut states = 0;
        let all = AllValues { limit: 1000 };
        let complete = semantics.initial_states(&all, &Budget::unlimited(), &mut |_, _| {
            states += 1;
            ControlFlow::Continue(())
        });
        (domains.join(" "), states, complete.unwrap())
    }

    fn check(requires: impl Fn([VarId; 5]) -> Vec<Expr>, expected: &str, states: usize, complete: bool) {
        assert_eq!(domains(requires), (expected.to_owned(), states, complete));
    }

    fn at(array: VarId, index: Value) -> Expr {
        Expr::element(array, Expr::int(index))
    }

    #[test]
    fn without_a_precondition_nothing_is_narrowed() {
        check(|_| vec![], "int int 0..9 bool 0..9 0..9", 0, false);
    }

    #[test]
    fn equalities_determine_values() {
        check(
            |[x, y, z, flag, a]| {
                vec![
                    Expr::int(5).eq(Expr::var(x)).and(Expr::var(y).eq(Expr::var(x).add(Expr::int(1)))),
                    Expr::var(z).eq(at(a, 1)).and(at(a, 1).eq(Expr::int(3))),
                    at(a, 0).le(Expr::int(0)),
                    Expr::var(flag),
                ]
            },
            "5..5 6..6 3..3 1..1 0..0 3..3",
            1,
            true,
        );
    }

    #[test]
    fn bounds_on_both_sides_make_a_range() {
        check(
            |[x, y, z, flag, a]| {
                vec![
                    Expr::var(x).between(-1, 1),
                    Expr::int(7).gt(Expr::var(y)).and(Expr::var(y).ge(Expr::int(5))),
                    Expr::var(z).lt(Expr::int(2)),
                    Expr::var(flag).negate(),
                    at(a, 0).eq(Expr::int(0)),
                    at(a, 1).eq(at(a, 0)),
                    Expr::var(x).ne(Expr::var(z)),
                ]
            },
            "-1..1 5..6 0..1 0..0 0..0 0..0",
            // x != z leaves 4 of the 6 pairs
            8,
            true,
        );
    }

    #[test]
    fn half_a_bound_is_no_range() {
        let condition = |[x, ..]: [VarId; 5]| vec![Expr::var(x).ge(Expr::int(0))];
        check(condition, "int int 0..9 bool 0..9 0..9", 0, false);
    }

    #[test]
    fn contradictions_leave_no_state() {
        check(
            |[x, y, _, _, _]| {
                let one = Expr::var(x).eq(Expr::int(1));
                vec![one.clone(), Expr::var(x).eq(Expr::int(2)), Expr::var(y).eq(Expr::int(0))]
            },
            "2..1 0..0 0..9 bool 0..9 0..9",
            0,
            true,
        );
    }

    #[test]
    fn a_disjunction_narrows_nothing_but_still_counts() {
        check(
            |[x, y, z, flag, a]| {
                let zero = |expr: Expr| expr.eq(Expr::int(0));
                vec![
                    Expr::all([Expr::var(x), Expr::var(y), at(a, 0), at(a, 1)].map(zero)),
                    Expr::var(z).eq(Expr::int(1)).or(Expr::var(z).eq(Expr::int(2))),
                    Expr::var(flag).or(Expr::var(z).eq(Expr::int(2))),
                ]
            },
            "0..0 0..0 0..9 bool 0..0 0..0",
            3,
            true,
        );
    }
}
