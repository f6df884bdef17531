//! Evaluation of terms under an assignment.

use rustc_hash::FxHashMap;

use super::pool::{FunctionId, Node, TermId, TermPool};
use crate::arith::Integer;
use crate::linear::VarId;

/// The value of a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Of an integer term.
    Int(Integer),
    /// Of a truth value.
    Bool(bool),
    /// Of an array: a default and the indices that differ from it.
    Array {
        /// The element at every index that is not listed.
        default: Integer,
        /// The listed elements, none of them equal to the default.
        elements: FxHashMap<Integer, Integer>,
    },
}

impl Value {
    /// The integer, if it is one.
    pub fn as_int(&self) -> Option<&Integer> {
        match self {
            Value::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }
}

/// Where evaluation takes variables and functions from.
pub trait Assignment {
    /// The value of a variable; `None` if it is not assigned.
    fn variable(&self, variable: VarId) -> Option<Value>;

    /// The value of a function at some arguments; `None` if it is not known.
    fn function(&self, function: FunctionId, arguments: &[Integer]) -> Option<Value> {
        let _ = (function, arguments);
        None
    }
}

impl Assignment for FxHashMap<VarId, Value> {
    fn variable(&self, variable: VarId) -> Option<Value> {
        self.get(&variable).cloned()
    }
}

impl<F: Fn(VarId) -> Option<Value>> Assignment for F {
    fn variable(&self, variable: VarId) -> Option<Value> {
        self(variable)
    }
}

impl TermPool {
    /// The value of a term; `None` if a variable or function it needs is not assigned or has a
    /// value of another sort.
    pub fn evaluate(&self, term: TermId, assignment: &dyn Assignment) -> Option<Value> {
        let mut values: FxHashMap<TermId, Value> = FxHashMap::default();
        for subterm in self.subterms([term]) {
            if let Some(value) = self.evaluate_node(subterm, &values, assignment) {
                values.insert(subterm, value);
            }
        }
        values.remove(&term)
    }

    fn evaluate_node(
        &self,
        term: TermId,
        values: &FxHashMap<TermId, Value>,
        assignment: &dyn Assignment,
    ) -> Option<Value> {
        let int = |term: &TermId| values.get(term)?.as_int();
        let truth = |term: &TermId| values.get(term)?.as_bool();
        Some(match self.node(term) {
            Node::Bool(value) => Value::Bool(*value),
            Node::Int(value) => Value::Int(value.clone()),
            Node::Var(variable) => assignment.variable(*variable)?,
            Node::Sum(sum) => {
                let mut total = sum.constant.clone();
                for (child, factor) in &sum.terms {
                    total += int(child)? * factor;
                }
                Value::Int(total)
            }
            Node::Mul(left, right) => Value::Int(int(left)? * int(right)?),
            Node::Div(inner, divisor) => Value::Int(int(inner)?.div_rem_euclid(divisor)?.0),
            Node::Mod(inner, divisor) => Value::Int(int(inner)?.div_rem_euclid(divisor)?.1),
            Node::Ite(condition, then, otherwise) => {
                values.get(if truth(condition)? { then } else { otherwise })?.clone()
            }
            Node::LeZero(inner) => Value::Bool(!int(inner)?.is_positive()),
            Node::EqZero(inner) => Value::Bool(int(inner)?.is_zero()),
            Node::EqArray(left, right) => Value::Bool(values.get(left)? == values.get(right)?),
            Node::Not(inner) => Value::Bool(!truth(inner)?),
            Node::And(parts) => Value::Bool(all_known(parts.iter().map(truth), true)?),
            Node::Or(parts) => Value::Bool(!all_known(parts.iter().map(truth), false)?),
            Node::Iff(left, right) => Value::Bool(truth(left)? == truth(right)?),
            Node::Apply(function, arguments) => {
                let arguments = arguments.iter().map(|a| int(a).cloned()).collect::<Option<Vec<_>>>()?;
                match self.bit_operation(*function) {
                    Some(operation) => Value::Int(operation.evaluate(&arguments)?),
                    None => assignment.function(*function, &arguments)?,
                }
            }
            Node::Select(array, index) => {
                let Value::Array { default, elements } = values.get(array)? else { return None };
                Value::Int(elements.get(int(index)?).unwrap_or(default).clone())
            }
            Node::Store(array, index, value) => {
                stored(values.get(array)?, int(index)?.clone(), int(value)?.clone())?
            }
        })
    }
}

/// Whether all parts have the value `expected`; one that has not decides, even if others are
/// unknown.
fn all_known(parts: impl Iterator<Item = Option<bool>>, expected: bool) -> Option<bool> {
    let mut unknown = false;
    for part in parts {
        match part {
            Some(value) if value != expected => return Some(false),
            Some(_) => {}
            None => unknown = true,
        }
    }
    if unknown { None } else { Some(true) }
}

fn stored(array: &Value, index: Integer, value: Integer) -> Option<Value> {
    let Value::Array { default, elements } = array else { return None };
    let mut elements = elements.clone();
    if value == *default {
        elements.remove(&index);
    } else {
        elements.insert(index, value);
    }
    Some(Value::Array { default: default.clone(), elements })
}
