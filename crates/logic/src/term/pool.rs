//! The pool: interning of symbols, variables, functions and nodes.

use std::fmt;
use std::hash::{BuildHasher, Hash};

use rely_base::{Arena, Id, define_id};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use super::bits::BitOperation;
use crate::arith::Integer;
use crate::linear::{VarId, VarNames};

define_id!(
    /// A term of a [`TermPool`]. Equal ids are equal terms, and a child's id is smaller.
    pub struct TermId
);
define_id!(
    /// A name as a person wrote it, shared by all copies of a variable.
    pub struct SymbolId
);
define_id!(
    /// An uninterpreted function from integers.
    pub struct FunctionId
);

/// What a term denotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    /// A mathematical integer.
    Int,
    /// A truth value.
    Bool,
    /// A map from integers to integers.
    Array,
}

/// A variable: a symbol of some sort in one of its copies. Copies are SSA indices, primed
/// versions, instances: cheap to make, and printed as `x`, `x#1`, `x#2`, ...
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variable {
    /// The name.
    pub symbol: SymbolId,
    /// Which copy; 0 is the plain variable.
    pub copy: u32,
    /// What it denotes.
    pub sort: Sort,
}

/// A linear sum of terms that are themselves no sums and no constants.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sum {
    /// Ascending by term; no coefficient is zero.
    pub terms: Box<[(TermId, Integer)]>,
    /// The constant summand.
    pub constant: Integer,
}

/// The shape of a term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// True or false.
    Bool(bool),
    /// An integer constant.
    Int(Integer),
    /// A variable of any sort.
    Var(VarId),
    /// A linear sum with at least two summands or one scaled one.
    Sum(Sum),
    /// A product of two terms that are no constants, the smaller id first.
    Mul(TermId, TermId),
    /// The quotient by a positive constant, rounded down (the remainder is not negative).
    Div(TermId, Integer),
    /// The remainder modulo a positive constant, never negative.
    Mod(TermId, Integer),
    /// If-then-else over integers or arrays.
    Ite(TermId, TermId, TermId),
    /// The integer term is at most zero; coefficients without a common divisor.
    LeZero(TermId),
    /// The integer term is zero; coefficients without a common divisor, the first positive.
    EqZero(TermId),
    /// Two arrays are equal, the smaller id first.
    EqArray(TermId, TermId),
    /// Negation of something that is no negation and no constant.
    Not(TermId),
    /// Conjunction of at least two different terms, ascending.
    And(Box<[TermId]>),
    /// Disjunction of at least two different terms, ascending.
    Or(Box<[TermId]>),
    /// Equivalence of two truth values, neither negated, the smaller id first.
    Iff(TermId, TermId),
    /// An uninterpreted function applied to integers.
    Apply(FunctionId, Box<[TermId]>),
    /// The element of an array at an index.
    Select(TermId, TermId),
    /// The array with one element changed: array, index, value.
    Store(TermId, TermId, TermId),
}

/// A function's name, number of arguments and result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Function {
    pub(super) symbol: SymbolId,
    pub(super) arity: usize,
    pub(super) result: Sort,
}

/// All terms of a problem, with the names and sorts of its variables.
///
/// ```
/// use rely_logic::{Notation, Sort, TermPool};
///
/// let mut pool = TermPool::new();
/// let x = pool.int_var("x");
/// let y = pool.int_var("y");
/// let five = pool.int(5);
/// let sum = pool.add(x, x);
/// let atom = pool.le(sum, five);
/// let two = pool.int(2);
/// // 2x <= 5 is x <= 2 over the integers, and the pool knows it.
/// assert_eq!(atom, pool.le(x, two));
/// let guard = pool.lt(y, x);
/// let both = pool.and([atom, guard]);
/// assert_eq!(pool.display(both, Notation::Mathematics).to_string(), "x <= 2 ∧ x > y");
/// ```
#[derive(Clone, Default)]
pub struct TermPool {
    nodes: Arena<TermId, Node>,
    sorts: Vec<Sort>,
    /// Interned nodes by hash; the nodes themselves are stored once, in the arena.
    by_hash: FxHashMap<u64, SmallVec<[TermId; 1]>>,
    symbols: Arena<SymbolId, Box<str>>,
    symbol_ids: FxHashMap<Box<str>, SymbolId>,
    variables: Arena<VarId, Variable>,
    variable_ids: FxHashMap<Variable, VarId>,
    pub(super) functions: Arena<FunctionId, Function>,
    function_ids: FxHashMap<Function, FunctionId>,
    /// The functions that are operations on bits.
    pub(super) bit_operations: FxHashMap<FunctionId, BitOperation>,
}

impl TermPool {
    /// A pool without terms.
    pub fn new() -> Self {
        Self::default()
    }

    /// The shape of a term.
    pub fn node(&self, term: TermId) -> &Node {
        &self.nodes[term]
    }

    /// What a term denotes.
    pub fn sort(&self, term: TermId) -> Sort {
        self.sorts[term.index()]
    }

    /// How many different terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no terms yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The symbol with this name.
    pub fn symbol(&mut self, name: &str) -> SymbolId {
        if let Some(&symbol) = self.symbol_ids.get(name) {
            return symbol;
        }
        let symbol = self.symbols.push(name.into());
        self.symbol_ids.insert(name.into(), symbol);
        symbol
    }

    /// The name of a symbol.
    pub fn symbol_name(&self, symbol: SymbolId) -> &str {
        &self.symbols[symbol]
    }

    /// The variable with this symbol, copy and sort.
    pub fn variable_id(&mut self, variable: Variable) -> VarId {
        if let Some(&id) = self.variable_ids.get(&variable) {
            return id;
        }
        let id = self.variables.push(variable);
        self.variable_ids.insert(variable, id);
        id
    }

    /// What a variable is.
    pub fn variable(&self, id: VarId) -> Variable {
        self.variables[id]
    }

    /// All variables, in the order of their making.
    pub fn variables(&self) -> impl Iterator<Item = (VarId, Variable)> + '_ {
        self.variables.iter().map(|(id, variable)| (id, *variable))
    }

    /// Another copy of a variable: same symbol, same sort.
    pub fn copy_of(&mut self, id: VarId, copy: u32) -> VarId {
        let variable = self.variable(id);
        self.variable_id(Variable { copy, ..variable })
    }

    /// A variable whose symbol starts with `prefix` and occurs nowhere yet.
    pub fn fresh_variable(&mut self, prefix: &str, sort: Sort) -> VarId {
        let mut number = self.variables.len();
        loop {
            let name = format!("{prefix}!{number}");
            if !self.symbol_ids.contains_key(name.as_str()) {
                let symbol = self.symbol(&name);
                return self.variable_id(Variable { symbol, copy: 0, sort });
            }
            number += 1;
        }
    }

    /// The function with this name, number of integer arguments and result.
    pub fn function(&mut self, name: &str, arity: usize, result: Sort) -> FunctionId {
        let symbol = self.symbol(name);
        let function = Function { symbol, arity, result };
        if let Some(&id) = self.function_ids.get(&function) {
            return id;
        }
        let id = self.functions.push(function.clone());
        self.function_ids.insert(function, id);
        id
    }

    /// The name of a function.
    pub fn function_name(&self, function: FunctionId) -> &str {
        self.symbol_name(self.functions[function].symbol)
    }

    /// What a function denotes.
    pub fn function_result(&self, function: FunctionId) -> Sort {
        self.functions[function].result
    }

    /// The number of arguments of a function.
    pub fn function_arity(&self, function: FunctionId) -> usize {
        self.functions[function].arity
    }

    /// The one id of a node. The caller has brought the node into normal form.
    pub(super) fn intern(&mut self, node: Node, sort: Sort) -> TermId {
        let hash = FxBuildHasher.hash_one(&node);
        let candidates = self.by_hash.entry(hash).or_default();
        if let Some(&known) = candidates.iter().find(|&&term| self.nodes[term] == node) {
            return known;
        }
        let term = self.nodes.push(node);
        self.sorts.push(sort);
        candidates.push(term);
        term
    }

    /// Calls `visit` with every child of a term.
    pub fn for_each_child(&self, term: TermId, mut visit: impl FnMut(TermId)) {
        match self.node(term) {
            Node::Bool(_) | Node::Int(_) | Node::Var(_) => {}
            Node::Sum(sum) => sum.terms.iter().for_each(|(child, _)| visit(*child)),
            Node::Div(child, _)
            | Node::Mod(child, _)
            | Node::LeZero(child)
            | Node::EqZero(child)
            | Node::Not(child) => visit(*child),
            Node::Mul(a, b) | Node::EqArray(a, b) | Node::Iff(a, b) | Node::Select(a, b) => {
                visit(*a);
                visit(*b);
            }
            Node::Ite(a, b, c) | Node::Store(a, b, c) => {
                visit(*a);
                visit(*b);
                visit(*c);
            }
            Node::And(children) | Node::Or(children) | Node::Apply(_, children) => {
                children.iter().for_each(|&child| visit(child));
            }
        }
    }

    /// All terms that occur in the given ones, themselves included; children before parents.
    pub fn subterms(&self, roots: impl IntoIterator<Item = TermId>) -> Vec<TermId> {
        let mut stack: Vec<TermId> = roots.into_iter().collect();
        let mut seen: rustc_hash::FxHashSet<TermId> = stack.iter().copied().collect();
        while let Some(term) = stack.pop() {
            self.for_each_child(term, |child| {
                if seen.insert(child) {
                    stack.push(child);
                }
            });
        }
        let mut order: Vec<TermId> = seen.into_iter().collect();
        order.sort_unstable();
        order
    }

    /// The variables that occur in a term, ascending.
    pub fn free_variables(&self, term: TermId) -> Vec<VarId> {
        let mut found: Vec<VarId> = self
            .subterms([term])
            .into_iter()
            .filter_map(|subterm| match self.node(subterm) {
                Node::Var(variable) => Some(*variable),
                _ => None,
            })
            .collect();
        found.sort_unstable();
        found
    }
}

impl VarNames for TermPool {
    fn write_name(&self, variable: VarId, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(Variable { symbol, copy, .. }) = self.variables.get(variable) else {
            return write!(f, "v{}", variable.index());
        };
        f.write_str(self.symbol_name(*symbol))?;
        if *copy > 0 { write!(f, "#{copy}") } else { Ok(()) }
    }
}

impl fmt::Debug for TermPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TermPool({} terms, {} variables)", self.len(), self.variables.len())
    }
}
