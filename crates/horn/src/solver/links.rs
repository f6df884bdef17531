//! Which states fit together in the body of a rule, as far as their finite arguments tell.
//!
//! Rules about two threads have two predicates in their bodies that agree on where everybody stands. Most
//! pairs of states do not, and this says so without making the rule for them.

use rely_logic::{Integer, LinearForm, Node, TermId, TermPool, Value, VarId};
use rustc_hash::FxHashMap;

use super::special::{Specials, ValuesId};
use crate::normal::{Normal, Rule};

/// A finite argument: which predicate of the body, and which of its finite arguments.
type Column = (usize, usize);

/// What the literals of a rule say of finite arguments.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// Arguments of two predicates that are equal; the one that comes later stands second.
    equal: Vec<(Column, Column)>,
    /// For each predicate, the literals that only speak of its finite arguments, and these.
    own: Vec<(Vec<TermId>, Vec<VarId>)>,
    /// What came out for values that were looked at.
    known: FxHashMap<(usize, ValuesId), bool>,
}

impl Links {
    pub(super) fn new(pool: &TermPool, normal: &Normal, rule: &Rule) -> Self {
        let mut columns: FxHashMap<VarId, Column> = FxHashMap::default();
        let mut own = Vec::new();
        for (position, used) in rule.body.iter().enumerate() {
            let arguments = used.arguments.iter().zip(&normal.predicates[used.unknown].domains);
            let finite: Vec<VarId> =
                arguments.filter(|(_, domain)| domain.is_some()).map(|(&argument, _)| argument).collect();
            columns
                .extend(finite.iter().enumerate().map(|(column, &argument)| (argument, (position, column))));
            own.push((Vec::new(), finite));
        }
        let mut links = Links { equal: Vec::new(), own, known: FxHashMap::default() };
        for &literal in &rule.literals {
            let variables = pool.free_variables(literal);
            let found: Option<Vec<Column>> =
                variables.iter().map(|variable| columns.get(variable).copied()).collect();
            match found.as_deref() {
                Some([first, rest @ ..]) if rest.iter().all(|column| column.0 == first.0) => {
                    links.own[first.0].0.push(literal);
                }
                Some(&[first, second]) if is_equality(pool, literal) => {
                    links.equal.push((first.min(second), first.max(second)));
                }
                _ => {}
            }
        }
        links
    }

    /// Whether values may stand at a place of the body, next to those that were chosen for earlier places.
    pub(super) fn fit(
        &mut self,
        pool: &TermPool,
        specials: &Specials,
        chosen: &[ValuesId],
        next: ValuesId,
    ) -> bool {
        let place = chosen.len();
        let is_possible = match self.known.get(&(place, next)) {
            Some(&known) => known,
            None => {
                let possible = self.is_possible(pool, specials, place, next);
                self.known.insert((place, next), possible);
                possible
            }
        };
        is_possible
            && self.equal.iter().filter(|(_, later)| later.0 == place).all(|&(earlier, later)| {
                specials.values(chosen[earlier.0])[earlier.1] == specials.values(next)[later.1]
            })
    }

    fn is_possible(&self, pool: &TermPool, specials: &Specials, place: usize, next: ValuesId) -> bool {
        let (literals, variables) = &self.own[place];
        let values = specials.values(next);
        let point: FxHashMap<VarId, Value> =
            variables.iter().copied().zip(values.iter().map(|value| Value::Int(value.clone()))).collect();
        literals.iter().all(|&literal| pool.evaluate(literal, &point) != Some(Value::Bool(false)))
    }
}

/// Whether a literal says that two variables are equal.
fn is_equality(pool: &TermPool, literal: TermId) -> bool {
    let Node::EqZero(form) = *pool.node(literal) else { return false };
    let form = pool.linear_form(form).unwrap_or_else(|| LinearForm::constant(Integer::ONE));
    let is_opposite =
        matches!(form.terms(), [(_, left), (_, right)] if (left + right).is_zero() && left.is_unit());
    is_opposite && form.constant_term().is_zero()
}
