//! Interpolants: the simplest reason in the middle.
//!
//! If `a` and `b` contradict each other, an interpolant is a formula that `a` implies, that
//! contradicts `b`, and that mentions only variables which both have. A sequence of formulas has one
//! for every cut, each implied by the one before it and the formula between; a tree has one for
//! every subtree, implied by those of its children and the formula at its top. All of them are
//! solutions of recursion-free Horn clauses, and this is how they are computed: see [`HornSystem`].
//!
//! Interpolants become the predicates of engines, so how simple they are matters more than how
//! fast they are found: few atoms, few variables, small coefficients, equalities where both bounds
//! hold, atoms that occur in the problem, and given candidates before everything else.
//!
//! Every answer was checked before it is given: all implications by the solver, and the variables.
//! Where the integers need it, interpolants contain remainders and quotients by constants.
//!
//! ```
//! use rely_base::Budget;
//! use rely_logic::interpolate::{Interpolation, Preferences, interpolate};
//! use rely_logic::{Notation, TermPool};
//!
//! let mut pool = TermPool::new();
//! let [x, y, z] = ["x", "y", "z"].map(|name| pool.int_var(name));
//! let double = pool.scale(2, x);
//! let even = pool.eq(y, double);
//! let double = pool.scale(2, z);
//! let one = pool.int(1);
//! let double_and_one = pool.add(double, one);
//! let odd = pool.eq(y, double_and_one);
//! // y = 2x contradicts y = 2z + 1, because y is even.
//! let budget = Budget::unlimited();
//! let Interpolation::Found(reason) = interpolate(&mut pool, even, odd, &Preferences::default(), &budget)
//! else {
//!     panic!("there is an interpolant")
//! };
//! assert_eq!(pool.display(reason, Notation::Mathematics).to_string(), "mod(y, 2) = 0");
//! ```

mod branch;
mod cases;
mod decide;
mod extract;
mod horn;
mod limits;
mod partial;
mod parts;
mod projection;
mod rank;
mod refute;
mod resolution;
mod scope;
mod simplify;
mod translate;
mod unknown;

#[cfg(test)]
mod tests;

use rely_base::Budget;
use rustc_hash::{FxHashMap, FxHashSet};

pub use horn::{
    Application, Clause, ClauseError, ClauseId, Derivation, HornOutcome, HornSystem, Solution, UnknownId,
};
pub use limits::Limits;
pub use unknown::Unknown;

use crate::linear::VarId;
use crate::term::{TermId, TermPool, Value};

/// What an interpolant should look like.
#[derive(Clone, Debug, Default)]
pub struct Preferences {
    /// Formulas that would be welcome, the most welcome ones first.
    pub candidates: Vec<TermId>,
    /// The variables that may be mentioned, of those that both sides have; all if there is no set.
    pub vocabulary: Option<FxHashSet<VarId>>,
    /// How much work it may cost.
    pub limits: Limits,
}

/// What came out of an interpolation problem: one formula or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interpolation<Formulas = TermId> {
    /// This is what is between.
    Found(Formulas),
    /// There is no contradiction: these values satisfy all formulas.
    Satisfiable(FxHashMap<VarId, Value>),
    /// There is an interpolant, but not one over the allowed variables.
    NotInVocabulary,
    /// Neither was found.
    Unknown(Unknown),
}

impl<Formulas> Interpolation<Formulas> {
    /// The interpolants, if there are some.
    pub fn found(self) -> Option<Formulas> {
        match self {
            Interpolation::Found(formulas) => Some(formulas),
            _ => None,
        }
    }

    fn map<Others>(self, change: impl FnOnce(Formulas) -> Others) -> Interpolation<Others> {
        match self {
            Interpolation::Found(formulas) => Interpolation::Found(change(formulas)),
            Interpolation::Satisfiable(values) => Interpolation::Satisfiable(values),
            Interpolation::NotInVocabulary => Interpolation::NotInVocabulary,
            Interpolation::Unknown(unknown) => Interpolation::Unknown(unknown),
        }
    }
}

/// A formula that `a` implies, that contradicts `b`, over common variables.
pub fn interpolate(
    pool: &mut TermPool,
    a: TermId,
    b: TermId,
    preferences: &Preferences,
    budget: &Budget,
) -> Interpolation {
    let both = interpolate_sequence(pool, &[a, b], preferences, budget);
    let truth = pool.truth(true);
    both.map(|formulas| formulas.first().copied().unwrap_or(truth))
}

/// One formula for every cut of a sequence: `I_1, ..., I_(n-1)` with `f_1 -> I_1`,
/// `I_k ∧ f_(k+1) -> I_(k+1)` and `I_(n-1) ∧ f_n -> false`, each over variables that occur both
/// before and after the cut.
pub fn interpolate_sequence(
    pool: &mut TermPool,
    formulas: &[TermId],
    preferences: &Preferences,
    budget: &Budget,
) -> Interpolation<Vec<TermId>> {
    let last = formulas.len().saturating_sub(1);
    let parents: Vec<Option<usize>> =
        (0..formulas.len()).map(|position| (position < last).then_some(position + 1)).collect();
    interpolate_tree(pool, formulas, &parents, preferences, budget)
}

/// One formula for every node of a tree but its root: the interpolants of a node's children and the
/// node's own formula imply the node's interpolant, or false at the root. `parents` gives the
/// parent of every formula; exactly one, the root, has none. The interpolants are in the order of
/// the formulas, without the root's.
///
/// A list of parents that is no tree has the answer [`Unknown::Recursive`].
pub fn interpolate_tree(
    pool: &mut TermPool,
    formulas: &[TermId],
    parents: &[Option<usize>],
    preferences: &Preferences,
    budget: &Budget,
) -> Interpolation<Vec<TermId>> {
    if formulas.is_empty() {
        return Interpolation::Satisfiable(FxHashMap::default());
    }
    let Some((system, unknowns)) = tree_system(pool, formulas, parents, preferences) else {
        return Interpolation::Unknown(Unknown::Recursive);
    };
    match system.solve(pool, &preferences.limits, budget) {
        HornOutcome::Solved(solution) => {
            Interpolation::Found(unknowns.iter().flatten().map(|&unknown| solution[unknown]).collect())
        }
        HornOutcome::Unsatisfiable(derivation) => Interpolation::Satisfiable(all_values(derivation)),
        HornOutcome::NotInVocabulary => Interpolation::NotInVocabulary,
        HornOutcome::Unknown(unknown) => Interpolation::Unknown(unknown),
    }
}

/// The clauses of a tree of formulas, and the predicate of every node but the root.
fn tree_system(
    pool: &mut TermPool,
    formulas: &[TermId],
    parents: &[Option<usize>],
    preferences: &Preferences,
) -> Option<(HornSystem, Vec<Option<UnknownId>>)> {
    let exposed = exposed_variables(pool, formulas, parents)?;
    let mut system = HornSystem::new();
    let mut unknowns = Vec::with_capacity(formulas.len());
    for (parameters, parent) in exposed.iter().zip(parents) {
        if parent.is_none() {
            unknowns.push(None);
            continue;
        }
        let unknown = system.unknown(parameters.clone());
        if let Some(vocabulary) = &preferences.vocabulary {
            system.restrict(unknown, |variable| vocabulary.contains(&variable));
        }
        system.prefer(unknown, preferences.candidates.iter().copied());
        unknowns.push(Some(unknown));
    }
    let applications: Vec<Option<Application>> = unknowns
        .iter()
        .zip(&exposed)
        .map(|(unknown, parameters)| {
            let arguments = parameters.iter().map(|&variable| pool.var(variable)).collect();
            unknown.map(|unknown| Application { unknown, arguments })
        })
        .collect();
    for (node, &constraint) in formulas.iter().enumerate() {
        let children = (0..formulas.len()).filter(|&child| parents[child] == Some(node));
        let body = children.filter_map(|child| applications[child].clone()).collect();
        let head = applications[node].clone();
        system.add(pool, Clause { constraint, body, head }).ok()?;
    }
    Some((system, unknowns))
}

/// For every node, the variables that occur both in its subtree and outside. `None` if it is no
/// tree.
fn exposed_variables(
    pool: &TermPool,
    formulas: &[TermId],
    parents: &[Option<usize>],
) -> Option<Vec<Vec<VarId>>> {
    let order = leaves_first(formulas.len(), parents)?;
    let variables: Vec<Vec<VarId>> = formulas.iter().map(|&formula| pool.free_variables(formula)).collect();
    let mut everywhere: FxHashMap<VarId, usize> = FxHashMap::default();
    for &variable in variables.iter().flatten() {
        *everywhere.entry(variable).or_default() += 1;
    }
    // In how many formulas of the subtree each exposed variable occurs.
    let mut inside: Vec<FxHashMap<VarId, usize>> = vec![FxHashMap::default(); formulas.len()];
    let mut exposed = vec![Vec::new(); formulas.len()];
    for node in order {
        let mut counts = std::mem::take(&mut inside[node]);
        for &variable in &variables[node] {
            *counts.entry(variable).or_default() += 1;
        }
        counts.retain(|variable, count| everywhere[variable] > *count);
        exposed[node] = counts.keys().copied().collect();
        exposed[node].sort_unstable();
        if let Some(parent) = parents[node] {
            for (variable, count) in counts {
                *inside[parent].entry(variable).or_default() += count;
            }
        }
    }
    Some(exposed)
}

/// The nodes of a tree, each before its parent. `None` if it is no tree.
fn leaves_first(count: usize, parents: &[Option<usize>]) -> Option<Vec<usize>> {
    let is_node = |parent: &Option<usize>| parent.is_none_or(|parent| parent < count);
    let roots = parents.iter().filter(|parent| parent.is_none()).count();
    if parents.len() != count || roots != 1 || !parents.iter().all(is_node) {
        return None;
    }
    let mut open_children = vec![0; count];
    for parent in parents.iter().flatten() {
        open_children[*parent] += 1;
    }
    let mut order: Vec<usize> = (0..count).filter(|&node| open_children[node] == 0).collect();
    let mut position = 0;
    while let Some(&node) = order.get(position) {
        position += 1;
        if let Some(parent) = parents[node] {
            open_children[parent] -= 1;
            if open_children[parent] == 0 {
                order.push(parent);
            }
        }
    }
    (order.len() == count).then_some(order)
}

/// The values of all variables of a derivation.
fn all_values(derivation: Derivation) -> FxHashMap<VarId, Value> {
    let mut values = FxHashMap::default();
    let mut stack = vec![derivation];
    while let Some(Derivation { values: own, premises, .. }) = stack.pop() {
        values.extend(own);
        stack.extend(premises);
    }
    values
}
