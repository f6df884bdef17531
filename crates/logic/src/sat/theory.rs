//! Linear integer arithmetic under the search.
//!
//! The literals of the trail are handed to a [`Conjunction`] as they are assigned, and taken back
//! with the decisions. A literal that occurs in no clause of the formula is not handed over: its
//! truth cannot matter, since what makes the clauses true are other literals.

use rely_base::{Budget, Id};

use super::clause::{ClauseId, Derivation, Scope, Signed, UNFOUNDED};
use super::encode::Atom;
use super::search::Search;
use crate::certificate::{Hypothesis, Proof};
use crate::conjunction::{Conjunction, Limits, Reason, Verdict};
use crate::linear::Domain;

/// The constraints of the literals that are true at present.
#[derive(Clone, Debug)]
pub(super) struct Theory {
    pub(super) conjunction: Conjunction,
    /// The literals, by the number of their constraint.
    asserted: Vec<Signed>,
    /// Decision levels with constraints, and how many constraints there were before.
    levels: Vec<(u32, usize)>,
    /// Whether some literal was passed over that is needed now.
    stale: bool,
    /// How many constraints the last check was about, and whether it found them satisfiable.
    checked: Option<(usize, bool)>,
    pub(super) checks: u64,
    pub(super) conflicts: u64,
}

impl Theory {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            conjunction: Conjunction::with_limits(Domain::Integers, limits),
            asserted: Vec::new(),
            levels: Vec::new(),
            stale: false,
            checked: None,
            checks: 0,
            conflicts: 0,
        }
    }

    /// Starts over with the next [`hand_over`](Self::hand_over).
    pub(super) fn restart(&mut self) {
        self.stale = true;
    }

    /// Forgets all literals.
    pub(super) fn reset(&mut self) {
        self.stale = false;
        self.conjunction.reset();
        self.asserted.clear();
        self.levels.clear();
        self.checked = None;
    }

    /// Takes back all literals of higher levels.
    pub(super) fn backtrack(&mut self, level: u32) {
        while let Some(&(top, count)) = self.levels.last()
            && top > level
        {
            self.levels.pop();
            self.conjunction.pop();
            self.asserted.truncate(count);
            self.checked = self.checked.filter(|(checked, _)| *checked <= count);
        }
    }

    /// Asserts what the search has assigned since the last time.
    pub(super) fn hand_over(&mut self, search: &mut Search, atoms: &[Atom]) {
        if self.stale {
            self.reset();
            search.theory_seen = 0;
        }
        for &literal in &search.trail[search.theory_seen..] {
            let Some(constraint) = atoms[literal.atom().index()].constraint(literal.is_positive()) else {
                continue;
            };
            let level = search.level_of(literal);
            if level > self.levels.last().map_or(0, |entry| entry.0) {
                self.conjunction.push();
                self.levels.push((level, self.asserted.len()));
            }
            self.conjunction.assert(constraint);
            self.asserted.push(literal);
        }
        search.theory_seen = search.trail.len();
    }

    /// Whether the asserted constraints are known to be satisfiable.
    pub(super) fn is_satisfied(&self) -> bool {
        self.checked == Some((self.asserted.len(), true))
    }

    /// Looks for a contradiction, unless there is nothing new. The lemma is added as a clause.
    pub(super) fn check(
        &mut self,
        search: &mut Search,
        scope: impl Fn(Signed) -> Scope,
        budget: &Budget,
    ) -> Checked {
        if self.checked.is_some_and(|(count, _)| count == self.asserted.len()) {
            return Checked::Consistent;
        }
        self.checks += 1;
        let verdict = self.conjunction.check(budget);
        self.checked = Some((self.asserted.len(), verdict == Verdict::Sat));
        match (verdict, self.conjunction.proof()) {
            (Verdict::Unsat, Some(proof)) => {
                self.conflicts += 1;
                self.checked = None;
                let core = proof.core(self.asserted.len());
                let proof = over_core(proof, self.asserted.len(), &core);
                let literals: Vec<Signed> =
                    core.iter().map(|&place| self.asserted[place].negated()).collect();
                let scope = literals.iter().map(|&literal| scope(literal)).max().unwrap_or(0);
                let derivation =
                    Derivation::Lemma { literals: literals.as_slice().into(), proof: Box::new(proof) };
                Checked::Conflict(search.add_learnt(&literals, derivation, scope))
            }
            (Verdict::Unknown(reason), _) => Checked::Unknown(reason),
            _ => Checked::Consistent,
        }
    }

    /// A clause that excludes the present literals although they may be satisfiable.
    pub(super) fn block(&mut self, search: &mut Search) -> ClauseId {
        let literals: Vec<Signed> = self.asserted.iter().map(|literal| literal.negated()).collect();
        search.add_clause(&literals, Derivation::Blocked, UNFOUNDED)
    }
}

/// What a check of the theory found.
pub(super) enum Checked {
    Consistent,
    Conflict(ClauseId),
    Unknown(Reason),
}

/// The proof over the inputs in `core`, which are those it uses, instead of all of them.
pub(super) fn over_core(proof: &Proof, inputs: usize, core: &[usize]) -> Proof {
    let mut nodes = proof.nodes().clone();
    for (_, node) in nodes.iter_mut() {
        node.for_each_hypothesis_mut(|hypothesis| {
            let index = hypothesis.index();
            let new = match index.checked_sub(inputs) {
                Some(added) => core.len() + added,
                None => core.partition_point(|&used| used < index),
            };
            *hypothesis = Hypothesis(new as u32);
        });
    }
    Proof::new(nodes, proof.root())
}
