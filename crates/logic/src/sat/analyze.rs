//! Learning from conflicts, with the derivation of everything that is learnt.
//!
//! From a false clause the literals of the current level are resolved away in the reverse order
//! of their assignment until one is left (the first unique implication point). Then literals that
//! the others imply are resolved away too, and at last those that are false without any decision,
//! by unit clauses. The steps are recorded as they happen, in an order in which each is a correct
//! resolution step.

use rely_base::Id;

use super::clause::{AtomId, ClauseId, Derivation, Scope, Signed};
use super::search::Search;

/// A clause in the making.
#[derive(Default)]
struct Learning {
    literals: Vec<Signed>,
    steps: Vec<(AtomId, ClauseId)>,
    /// Atoms that are marked as met.
    marked: Vec<AtomId>,
    /// False literals of level 0, to be resolved away at the end.
    base: Vec<AtomId>,
    /// Literals met on the current level that wait to be resolved away.
    open: usize,
}

impl Search {
    /// Learns from a false clause, goes back and continues differently. False if there is nothing
    /// left to try: then the empty clause is derived.
    pub(super) fn resolve_conflict(&mut self, conflict: ClauseId) -> bool {
        self.falsified = None;
        let literals = self.clauses.literals(conflict);
        let level = literals.iter().map(|&literal| self.level_of(literal)).max().unwrap_or(0);
        if level == 0 {
            self.derive_empty(conflict);
            return false;
        }
        self.backtrack(level);
        let on_level = |literal: &&Signed| self.level_of(**literal) == level;
        let mut last = self.clauses.literals(conflict).iter().filter(on_level);
        if let (Some(&only), None) = (last.next(), last.next()) {
            // A lemma of the theory may already force a literal on an earlier level.
            self.use_as_reason(conflict, only);
            return true;
        }
        let learning = self.learn(conflict, level);
        let first = learning.literals[0];
        let id = self.record(conflict, &learning);
        self.order.decay();
        self.use_as_reason(id, first);
        true
    }

    /// Goes back as far as the clause still forces its literal, and lets it do so.
    fn use_as_reason(&mut self, clause: ClauseId, forced: Signed) {
        let others = self.clauses.literals(clause).iter().filter(|&&literal| literal != forced);
        let level = others.map(|&literal| self.level_of(literal)).max().unwrap_or(0);
        self.backtrack(level);
        if self.value(forced).is_none() {
            self.force(forced, clause);
        }
    }

    fn learn(&mut self, conflict: ClauseId, level: u32) -> Learning {
        let mut learning = Learning::default();
        self.meet(conflict, None, level, &mut learning);
        let mut place = self.trail.len();
        let asserting = loop {
            place -= 1;
            let literal = self.trail[place];
            if !self.met[literal.atom().index()] {
                continue;
            }
            learning.open -= 1;
            if learning.open == 0 {
                break literal.negated();
            }
            let reason = self.reason(literal.atom());
            learning.steps.push((literal.atom(), reason));
            self.meet(reason, Some(literal), level, &mut learning);
        };
        self.drop_implied(&mut learning);
        learning.literals.push(asserting);
        let last = learning.literals.len() - 1;
        learning.literals.swap(0, last);
        self.resolve_base(&mut learning);
        learning
    }

    /// Takes the literals of a clause in, except the one that is resolved on.
    fn meet(&mut self, clause: ClauseId, pivot: Option<Signed>, level: u32, learning: &mut Learning) {
        for place in 0..self.clauses.literals(clause).len() {
            let literal = self.clauses.literals(clause)[place];
            let atom = literal.atom();
            if Some(literal) == pivot || self.met[atom.index()] {
                continue;
            }
            self.mark(atom, learning);
            match self.level_of(literal) {
                0 => learning.base.push(atom),
                other => {
                    self.order.bump(atom);
                    if other == level {
                        learning.open += 1;
                    } else {
                        learning.literals.push(literal);
                    }
                }
            }
        }
    }

    fn mark(&mut self, atom: AtomId, learning: &mut Learning) {
        self.met[atom.index()] = true;
        learning.marked.push(atom);
    }

    /// The reason of an atom that was not decided.
    fn reason(&self, atom: AtomId) -> ClauseId {
        self.atoms[atom.index()].reason.expect("only decisions have no reason")
    }

    /// Removes literals whose reason consists of literals of the clause and of level 0.
    fn drop_implied(&mut self, learning: &mut Learning) {
        let mut dropped: Vec<(u32, AtomId, ClauseId)> = Vec::new();
        let mut kept = std::mem::take(&mut learning.literals);
        kept.retain(|literal| {
            let state = self.atoms[literal.atom().index()];
            let Some(reason) = state.reason else { return true };
            let implied = self
                .clauses
                .literals(reason)
                .iter()
                .all(|other| self.met[other.atom().index()] || self.level_of(*other) == 0);
            if implied {
                dropped.push((state.position, literal.atom(), reason));
            }
            !implied
        });
        learning.literals = kept;
        // What was assigned last is resolved first, so that its reason may bring back the others.
        dropped.sort_unstable_by_key(|&(position, ..)| std::cmp::Reverse(position));
        for (_, atom, reason) in dropped {
            learning.steps.push((atom, reason));
            for place in 0..self.clauses.literals(reason).len() {
                let other = self.clauses.literals(reason)[place].atom();
                if !self.met[other.index()] {
                    self.mark(other, learning);
                    learning.base.push(other);
                }
            }
        }
    }

    /// Resolves the literals of level 0 away.
    fn resolve_base(&mut self, learning: &mut Learning) {
        if !learning.base.is_empty() {
            self.derive_units();
        }
        for place in 0..learning.base.len() {
            let atom = learning.base[place];
            learning.steps.push((atom, self.reason(atom)));
        }
        for atom in learning.marked.drain(..) {
            self.met[atom.index()] = false;
        }
    }

    /// Makes the reason of every literal of level 0 a unit clause.
    fn derive_units(&mut self) {
        let end = self.base_length();
        for place in self.units_derived..end {
            let literal = self.trail[place];
            let reason = self.reason(literal.atom());
            let others = self.clauses.literals(reason).iter().filter(|&&other| other != literal);
            let steps: Vec<_> = others.map(|other| (other.atom(), self.reason(other.atom()))).collect();
            if steps.is_empty() {
                continue;
            }
            let unit = self.record_chain(&[literal], reason, &steps);
            self.atoms[literal.atom().index()].reason = Some(unit);
        }
        self.units_derived = end;
    }

    /// Derives the empty clause from one that is false on level 0.
    fn derive_empty(&mut self, conflict: ClauseId) {
        self.backtrack(0);
        self.derive_units();
        let literals = self.clauses.literals(conflict);
        let steps: Vec<_> =
            literals.iter().map(|literal| (literal.atom(), self.reason(literal.atom()))).collect();
        let empty = if steps.is_empty() { conflict } else { self.record_chain(&[], conflict, &steps) };
        self.empty = Some(empty);
    }

    /// Stores a derived clause without watching it.
    pub(super) fn record_chain(
        &mut self,
        literals: &[Signed],
        first: ClauseId,
        steps: &[(AtomId, ClauseId)],
    ) -> ClauseId {
        let derivation = self.clauses.chain(first, steps);
        let scope = self.clauses.chain_scope(first, steps);
        let id = self.clauses.push(literals, derivation, scope);
        if literals.len() > 1 {
            self.clauses.record_mut(id).detached = true;
        }
        id
    }

    /// Adds a clause that may leave the watch lists when there are too many.
    pub(super) fn add_learnt(
        &mut self,
        literals: &[Signed],
        derivation: Derivation,
        scope: Scope,
    ) -> ClauseId {
        let id = self.add_clause(literals, derivation, scope);
        self.clauses.record_mut(id).removable = true;
        self.learnt_attached += 1;
        id
    }

    /// Stores and watches a learnt clause.
    fn record(&mut self, conflict: ClauseId, learning: &Learning) -> ClauseId {
        let mut levels: Vec<u32> = learning.literals.iter().map(|&literal| self.level_of(literal)).collect();
        levels.sort_unstable();
        levels.dedup();
        let derivation = self.clauses.chain(conflict, &learning.steps);
        let scope = self.clauses.chain_scope(conflict, &learning.steps);
        let id = self.add_learnt(&learning.literals, derivation, scope);
        self.clauses.record_mut(id).distance = levels.len() as u32;
        id
    }

    /// Derives a clause that says which assumptions (decisions) make an assumption false.
    pub(super) fn explain_false_assumption(&mut self, assumption: Signed) -> ClauseId {
        let forced = assumption.negated();
        let first = self.reason(forced.atom());
        if self.level_of(forced) == 0 {
            self.derive_units();
            return self.reason(forced.atom());
        }
        let mut learning = Learning::default();
        self.mark(forced.atom(), &mut learning);
        learning.literals.push(forced);
        self.collect(first, &mut learning);
        for place in (self.base_length()..self.trail.len()).rev() {
            let literal = self.trail[place];
            if literal == forced || !self.met[literal.atom().index()] {
                continue;
            }
            match self.atoms[literal.atom().index()].reason {
                None => learning.literals.push(literal.negated()),
                Some(reason) => {
                    learning.steps.push((literal.atom(), reason));
                    self.collect(reason, &mut learning);
                }
            }
        }
        self.resolve_base(&mut learning);
        self.record_chain(&learning.literals, first, &learning.steps)
    }

    /// Marks the atoms of a clause.
    fn collect(&mut self, clause: ClauseId, learning: &mut Learning) {
        for place in 0..self.clauses.literals(clause).len() {
            let literal = self.clauses.literals(clause)[place];
            if !self.met[literal.atom().index()] {
                self.mark(literal.atom(), learning);
                if self.level_of(literal) == 0 {
                    learning.base.push(literal.atom());
                }
            }
        }
    }

    /// Derives the empty clause from a clause and unit clauses that contradict its literals.
    pub(super) fn refute(&mut self, clause: ClauseId, unit: impl Fn(Signed) -> ClauseId) -> ClauseId {
        let literals = self.clauses.literals(clause);
        let steps: Vec<_> = literals.iter().map(|&literal| (literal.atom(), unit(literal))).collect();
        if steps.is_empty() { clause } else { self.record_chain(&[], clause, &steps) }
    }

    /// Whether a literal was decided.
    pub(super) fn is_decision(&self, literal: Signed) -> bool {
        let state = &self.atoms[literal.atom().index()];
        state.value == Some(literal.is_positive()) && state.reason.is_none()
    }

    /// Stores a clause without watching it.
    pub(super) fn record_clause(
        &mut self,
        literals: &[Signed],
        derivation: Derivation,
        scope: Scope,
    ) -> ClauseId {
        let id = self.clauses.push(literals, derivation, scope);
        self.clauses.record_mut(id).detached = true;
        id
    }
}
