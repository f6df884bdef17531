//! What makes a formula true.

use rustc_hash::FxHashMap;

use crate::arith::Integer;
use crate::linear::VarId;
use crate::term::{Assignment, FunctionId, Sort, TermId, TermPool, Value};

/// Values for variables and functions. What is not listed is zero, false, or the array of zeros:
/// an interpretation has a value for everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interpretation {
    /// The values of variables that are not the default of their sort.
    pub variables: FxHashMap<VarId, Value>,
    /// The values of functions at arguments where they are not zero or false.
    pub functions: FxHashMap<(FunctionId, Vec<Integer>), Value>,
}

impl Interpretation {
    /// The value of a variable of the given sort.
    pub fn value(&self, variable: VarId, sort: Sort) -> Value {
        self.variables.get(&variable).cloned().unwrap_or_else(|| default_value(sort))
    }

    /// The value of an integer variable.
    pub fn integer(&self, variable: VarId) -> Integer {
        match self.variables.get(&variable) {
            Some(Value::Int(value)) => value.clone(),
            _ => Integer::ZERO,
        }
    }

    /// The value of a boolean variable.
    pub fn truth(&self, variable: VarId) -> bool {
        matches!(self.variables.get(&variable), Some(Value::Bool(true)))
    }

    /// Whether a formula is true.
    pub fn satisfies(&self, pool: &TermPool, formula: TermId) -> bool {
        self.evaluate(pool, formula) == Some(Value::Bool(true))
    }

    /// The value of a term; `None` only if the term is not well-sorted.
    pub fn evaluate(&self, pool: &TermPool, term: TermId) -> Option<Value> {
        pool.evaluate(term, &Total { pool, interpretation: self })
    }
}

/// An interpretation with the sorts that its defaults need.
struct Total<'a> {
    pool: &'a TermPool,
    interpretation: &'a Interpretation,
}

impl Assignment for Total<'_> {
    fn variable(&self, variable: VarId) -> Option<Value> {
        Some(self.interpretation.value(variable, self.pool.variable(variable).sort))
    }

    fn function(&self, function: FunctionId, arguments: &[Integer]) -> Option<Value> {
        let key = (function, arguments.to_vec());
        let known = self.interpretation.functions.get(&key).cloned();
        Some(known.unwrap_or_else(|| default_value(self.pool.function_result(function))))
    }
}

fn default_value(sort: Sort) -> Value {
    match sort {
        Sort::Int => Value::Int(Integer::ZERO),
        Sort::Bool => Value::Bool(false),
        Sort::Array => Value::Array { default: Integer::ZERO, elements: FxHashMap::default() },
    }
}
