//! Between the formulas that people ask about and the linear ones that are refuted.
//!
//! A problem is solved in a pool of its own, over variables of its own. On the way in, truth values
//! become integers that are compared with one, quotients and remainders by constants become
//! linear constraints on a new variable, conditional integers become case distinctions, and what is
//! not linear (products, functions, arrays) becomes a variable: equal terms, equal variables, and
//! nothing else is known about them. On the way out all of this is undone.

mod export;
mod import;

use rustc_hash::FxHashMap;

use super::limits::Limits;
use super::parts::{PartId, PartTree};
use super::simplify::simplified;
use crate::linear::VarId;
use crate::term::{Sort, TermId, TermPool};

/// What a variable of the private pool stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// An integer.
    Integer,
    /// A truth value: true if at least one.
    Truth,
    /// An integer term of the private pool that is not linear.
    Opaque(TermId),
    /// Likewise a truth value.
    OpaqueTruth(TermId),
}

/// What the variables of one formula are called in the private pool.
pub(in crate::interpolate) type Names = FxHashMap<VarId, VarId>;

/// A tree of linear formulas, in negation normal form, in a pool of their own.
pub(in crate::interpolate) struct Problem {
    pub(in crate::interpolate) pool: TermPool,
    pub(in crate::interpolate) tree: PartTree,
    /// The formula of each part.
    pub(in crate::interpolate) formulas: Vec<TermId>,
    meanings: FxHashMap<VarId, Meaning>,
    /// The variables of terms that are not linear, in the order of their making.
    opaque: Vec<(TermId, VarId)>,
    /// Remainders by divisors up to this are listed.
    listed_remainders: usize,
}

impl Problem {
    /// The problem whose parts say nothing yet.
    pub(in crate::interpolate) fn new(tree: PartTree, limits: &Limits) -> Self {
        let mut pool = TermPool::new();
        let truth = pool.truth(true);
        let formulas = vec![truth; tree.len()];
        let (meanings, opaque) = (FxHashMap::default(), Vec::new());
        Self { pool, tree, formulas, meanings, opaque, listed_remainders: limits.listed_remainders }
    }

    /// A variable of the private pool, for an integer or a truth value.
    pub(in crate::interpolate) fn fresh(&mut self, sort: Sort) -> VarId {
        self.fresh_meaning(if sort == Sort::Bool { Meaning::Truth } else { Meaning::Integer })
    }

    fn fresh_meaning(&mut self, meaning: Meaning) -> VarId {
        let variable = self.pool.fresh_variable("v", Sort::Int);
        self.meanings.insert(variable, meaning);
        variable
    }

    /// Whether something in the problem was replaced by a variable that is not bound by its meaning.
    pub(in crate::interpolate) fn is_abstract(&self) -> bool {
        !self.opaque.is_empty()
    }

    /// The formula that a truth value's variable stands for.
    pub(in crate::interpolate) fn truth_of(&mut self, variable: VarId) -> TermId {
        let term = self.pool.var(variable);
        let one = self.pool.int(1);
        self.pool.ge(term, one)
    }

    /// Adds a conjunct to a part. It is linear already.
    pub(in crate::interpolate) fn conjoin(&mut self, part: PartId, formula: TermId) {
        let position = rely_base::Id::index(part);
        let normal = self.pool.negation_normal_form(formula);
        let whole = self.pool.and([self.formulas[position], normal]);
        self.formulas[position] = simplified(&mut self.pool, whole);
    }
}
