//! Refutations of conjunctions that make good interpolants.
//!
//! An unsatisfiable conjunction usually has many refutations, and which one is taken decides how
//! simple the interpolants are. Two questions are asked until nothing changes: does it work without
//! this variable in any interpolant, and does it work without that constraint at all? Variables are
//! hidden by giving every part a variable of its own instead of the common one; where this is
//! still unsatisfiable, no interpolant needs it. Complicated constraints are left out first. A
//! refutation that is found this way is taken if it is simpler than the one before.

use rely_base::Budget;
use rustc_hash::{FxHashMap, FxHashSet};

use super::branch::refute_by_variables;
use super::decide::Effort;
use super::extract::{Indivisible, Interpolants, Owned, extract};
use super::limits::Limits;
use super::parts::{PartId, PartTree};
use super::projection::by_projection;
use super::scope::{Scope, exposed_variables};
use super::unknown::Unknown;
use crate::conjunction::{self, Conjunction, Verdict};
use crate::linear::{Constraint, Domain, LinearForm, Relation, VarId};
use crate::term::{Node, Sort, TermId, TermPool};

/// Interpolants of a conjunction and the constraints that were needed for them.
pub(super) struct Refutation {
    pub(super) interpolants: Interpolants,
    /// Positions in the given conjunction.
    pub(super) used: Vec<usize>,
}

/// Finds refutations; keeps its solver.
pub(super) struct Refuter<'a> {
    budget: &'a Budget,
    limits: &'a Limits,
    solver: Conjunction,
    /// Questions that may still be asked for the sake of simplicity.
    pub(super) effort: usize,
}

/// Constraints that contradict each other.
#[derive(Clone)]
struct Core {
    /// Which inputs they are, ascending.
    members: Vec<usize>,
    /// Whether a linear combination refutes them.
    is_linear: bool,
}

/// A conjunction in the middle of its simplification.
#[derive(Clone)]
struct Draft<'a> {
    tree: &'a PartTree,
    /// The constraints, with hidden variables replaced by stand-ins.
    inputs: Vec<Owned>,
    /// What the stand-ins stand for.
    originals: FxHashMap<VarId, VarId>,
    /// Which inputs are still there.
    kept: Vec<usize>,
    core: Core,
}

impl<'a> Refuter<'a> {
    pub(super) fn new(budget: &'a Budget, effort: Effort<'a>) -> Self {
        let Effort { limits, questions, .. } = effort;
        let solver = Conjunction::with_limits(Domain::Integers, hasty(limits));
        Self { budget, limits, solver, effort: questions }
    }

    /// Interpolants of an unsatisfiable conjunction; `core` suffices to refute it.
    pub(super) fn interpolants(
        &mut self,
        pool: &mut TermPool,
        tree: &PartTree,
        inputs: &[Owned],
        core: Vec<usize>,
    ) -> Result<Refutation, Unknown> {
        if tree.len() == 1 {
            return Ok(Refutation { interpolants: Vec::new(), used: core });
        }
        let kept = (0..inputs.len()).collect();
        let core = Core { members: core, is_linear: false };
        let originals = FxHashMap::default();
        let mut draft = Draft { tree, inputs: inputs.to_vec(), originals, kept, core };
        if let Some(core) = self.try_core(&draft.inputs, &draft.core.members) {
            draft.core = core;
        }
        self.hide_variables(pool, &mut draft);
        self.drop_constraints(&mut draft);
        let chosen: Vec<Owned> =
            draft.core.members.iter().map(|&index| draft.inputs[index].clone()).collect();
        let found = self.simplest(pool, tree, &chosen)?;
        let original = |variable: VarId| draft.originals.get(&variable).copied().unwrap_or(variable);
        let interpolants =
            found.into_iter().map(|term| pool.rename(term, |_, variable| original(variable))).collect();
        Ok(Refutation { interpolants, used: draft.core.members })
    }

    /// The interpolants of a conjunction that is small already. If the first ones contain quotients
    /// (or there are none), other methods are tried.
    fn simplest(
        &mut self,
        pool: &mut TermPool,
        tree: &PartTree,
        inputs: &[Owned],
    ) -> Result<Interpolants, Unknown> {
        let first = self.divide(pool, tree, inputs);
        let plain = first.as_ref().is_ok_and(|found| found.iter().all(|&term| !has_quotient(pool, term)));
        if plain {
            return first;
        }
        let mut best = first;
        let others = [
            by_projection(pool, tree, inputs, self.limits, self.budget),
            self.without_cuts(pool, tree, inputs),
        ];
        for other in others.into_iter().flatten() {
            if best.as_ref().map_or(true, |best| bulk(pool, &other) < bulk(pool, best)) {
                best = Ok(other);
            }
        }
        best
    }

    /// The interpolants of the solver's proof.
    fn divide(
        &mut self,
        pool: &mut TermPool,
        tree: &PartTree,
        inputs: &[Owned],
    ) -> Result<Interpolants, Unknown> {
        let scope = Scope::of_constraints(tree, inputs);
        let mut patient = Conjunction::new(Domain::Integers);
        let solver = match self.core_of(inputs.iter().map(|input| &input.constraint)) {
            Some(_) => &self.solver,
            None => refuted(&mut patient, inputs, self.budget),
        };
        let proof = solver.proof().ok_or(Unknown::Indivisible)?;
        if let Ok(interpolants) = extract(pool, &scope, inputs, proof) {
            return Ok(interpolants);
        }
        let constraints: Vec<Constraint> = inputs.iter().map(|input| input.constraint.clone()).collect();
        let divisible = |form: &LinearForm| scope.common_home(form.variables()).is_some();
        let proof = refute_by_variables(&constraints, &divisible, self.limits, self.budget)
            .ok_or(Unknown::Indivisible)?;
        extract(pool, &scope, inputs, &proof).map_err(|Indivisible| Unknown::Indivisible)
    }

    /// The interpolants of a proof that rounds nothing.
    fn without_cuts(&self, pool: &mut TermPool, tree: &PartTree, inputs: &[Owned]) -> Option<Interpolants> {
        let limits = conjunction::Limits { cuts: 0, ..hasty(self.limits) };
        let mut solver = Conjunction::with_limits(Domain::Integers, limits);
        let proof = refuted(&mut solver, inputs, self.budget).proof()?;
        extract(pool, &Scope::of_constraints(tree, inputs), inputs, proof).ok()
    }

    /// A core of the constraints, by position, if they are contradictory and this is easy to see.
    fn core_of<'c>(&mut self, constraints: impl Iterator<Item = &'c Constraint>) -> Option<Vec<usize>> {
        self.solver.reset();
        for constraint in constraints {
            self.solver.assert(constraint);
        }
        match self.solver.check(self.budget) {
            Verdict::Unsat => self.solver.core(),
            Verdict::Sat | Verdict::Unknown(_) => None,
        }
    }

    /// A core of some of the inputs, as long as questions may be asked.
    fn try_core(&mut self, inputs: &[Owned], chosen: &[usize]) -> Option<Core> {
        self.effort = self.effort.checked_sub(1)?;
        let core = self.core_of(chosen.iter().map(|&index| &inputs[index].constraint))?;
        let is_linear = self.solver.proof().is_some_and(|proof| proof.as_farkas().is_some());
        Some(Core { members: core.into_iter().map(|position| chosen[position]).collect(), is_linear })
    }

    /// Hides variables that no interpolant needs, where there are several of them.
    fn hide_variables(&mut self, pool: &mut TermPool, draft: &mut Draft<'_>) {
        let mut needed: FxHashSet<VarId> = FxHashSet::default();
        while let Some(variable) =
            draft.next_shared(&needed).filter(|_| needed.len() < self.limits.needed_variables)
        {
            let mut hidden = draft.hiding(pool, variable);
            if let Some(core) = self.try_core(&hidden.inputs, &hidden.kept) {
                hidden.core = core;
                if hidden.cost_of(&hidden.core) < draft.cost_of(&draft.core) {
                    *draft = hidden;
                    continue;
                }
            }
            needed.insert(variable);
        }
    }

    /// Leaves out constraints that are not needed, the most complicated ones first. The
    /// constraints of a linear combination are all needed for it, so what is looked for is another
    /// one, without the complicated ones.
    fn drop_constraints(&mut self, draft: &mut Draft<'_>) {
        let mut needed: FxHashSet<usize> = FxHashSet::default();
        loop {
            let (inputs, is_linear) = (&draft.inputs, draft.core.is_linear);
            let complexity = |index: usize| complexity(&inputs[index].constraint);
            let candidates = draft.core.members.iter().copied().filter(|index| !needed.contains(index));
            let worst = candidates.max_by_key(|&index| complexity(index));
            let Some(worst) = worst.filter(|&worst| !is_linear || complexity(worst) > SIMPLE) else {
                return;
            };
            let rest: Vec<usize> = draft.kept.iter().copied().filter(|&index| index != worst).collect();
            match self.try_core(&draft.inputs, &rest) {
                Some(core) if draft.cost_of(&core) < draft.cost_of(&draft.core) => {
                    draft.core = core;
                    draft.kept = rest;
                }
                _ => {
                    needed.insert(worst);
                }
            }
        }
    }
}

impl Draft<'_> {
    /// How simple the interpolants of a core are going to be: refutations that need integers are
    /// worse than linear ones, then variables and constraints count.
    fn cost_of(&self, core: &Core) -> (bool, usize, usize, usize) {
        let mentions: usize = self.exposed(core).iter().map(FxHashSet::len).sum();
        let constraints = core.members.iter().map(|&index| &self.inputs[index].constraint);
        let terms = constraints.map(|constraint| constraint.form().terms().len()).sum();
        (!core.is_linear, mentions, core.members.len(), terms)
    }

    /// The variables that interpolants of a core may mention, part by part.
    fn exposed(&self, core: &Core) -> Vec<FxHashSet<VarId>> {
        let members = core.members.iter().flat_map(|&index| self.inputs[index].occurrences());
        exposed_variables(self.tree, members)
    }

    /// A variable that might be hidden: one of those at the edge with the most of them, the latest
    /// one first. Where there is only one variable at every edge, it can hardly be simpler.
    fn next_shared(&self, needed: &FxHashSet<VarId>) -> Option<VarId> {
        let exposed = self.exposed(&self.core);
        let candidates = exposed.iter().filter_map(|shared| {
            let open = shared.iter().copied().filter(|variable| !needed.contains(variable)).max()?;
            (shared.len() > 1).then_some((shared.len(), open))
        });
        candidates.max().map(|(_, variable)| variable)
    }

    /// The conjunction in which every part has its own copy of a variable.
    fn hiding(&self, pool: &mut TermPool, variable: VarId) -> Self {
        let mut hidden = self.clone();
        let original = self.originals.get(&variable).copied().unwrap_or(variable);
        let mut copies: FxHashMap<PartId, VarId> = FxHashMap::default();
        for input in &mut hidden.inputs {
            if input.constraint.form().contains(variable) {
                let copy =
                    *copies.entry(input.part).or_insert_with(|| pool.fresh_variable("copy", Sort::Int));
                input.constraint =
                    input.constraint.rename(|other| if other == variable { copy } else { other });
            }
        }
        hidden.originals.extend(copies.into_values().map(|copy| (copy, original)));
        hidden
    }
}

/// How little a constraint is wanted in a refutation: disequalities least, then those with more than
/// two variables, other coefficients than one, inequalities.
type Complexity = (bool, usize, usize, bool);

/// The complexity of a difference.
const SIMPLE: Complexity = (false, 0, 0, true);

fn complexity(constraint: &Constraint) -> Complexity {
    let terms = constraint.form().terms();
    let scaled = terms.iter().filter(|(_, coefficient)| !coefficient.is_unit()).count();
    let is_bound = constraint.relation() == Relation::Le;
    (constraint.relation() == Relation::Ne, terms.len().saturating_sub(2), scaled, is_bound)
}

/// What the solver may do for a question that is asked for the sake of simplicity.
fn hasty(limits: &Limits) -> conjunction::Limits {
    let (splits, work) = (limits.hasty_splits, limits.hasty_work);
    conjunction::Limits { splits, work, ..conjunction::Limits::default() }
}

/// The solver after it was asked to refute the inputs.
fn refuted<'s>(solver: &'s mut Conjunction, inputs: &[Owned], budget: &Budget) -> &'s Conjunction {
    for input in inputs {
        solver.assert(&input.constraint);
    }
    solver.check(budget);
    solver
}

fn has_quotient(pool: &TermPool, formula: TermId) -> bool {
    pool.subterms([formula]).iter().any(|&term| matches!(pool.node(term), Node::Div(..)))
}

/// How much there is to read: atoms, and a few for every quotient and remainder.
fn bulk(pool: &TermPool, interpolants: &Interpolants) -> usize {
    let weight = |&term: &TermId| match pool.node(term) {
        Node::LeZero(_) | Node::EqZero(_) => 1,
        Node::Mod(..) => 1,
        Node::Div(..) => 4,
        _ => 0,
    };
    interpolants.iter().map(|&formula| pool.subterms([formula]).iter().map(weight).sum::<usize>()).sum()
}
