//! The state of the search: assignment, propagation, decisions and backtracking.

use rely_base::Id;

use super::clause::{AtomId, ClauseId, Clauses, Derivation, Scope, Signed};
use super::order::DecisionOrder;

/// A clause in the watch list of one of its first two literals.
#[derive(Clone, Copy, Debug)]
struct Watch {
    clause: ClauseId,
    /// Some other literal of the clause; if it is true there is nothing to do.
    blocker: Signed,
}

/// What is known about an atom during the search.
#[derive(Clone, Copy, Debug)]
pub(super) struct AtomState {
    pub(super) value: Option<bool>,
    /// The decision level of the value.
    pub(super) level: u32,
    /// The clause that forced the value; none for decisions.
    pub(super) reason: Option<ClauseId>,
    /// Where on the trail the value is.
    pub(super) position: u32,
    /// The last value, which is tried first.
    phase: bool,
}

impl AtomState {
    const FRESH: AtomState = AtomState { value: None, level: 0, reason: None, position: 0, phase: false };
}

/// Conflict-driven clause learning over clauses that remember their derivation.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    pub(super) clauses: Clauses,
    pub(super) atoms: Vec<AtomState>,
    watches: Vec<Vec<Watch>>,
    pub(super) trail: Vec<Signed>,
    /// The length of the trail at each decision.
    level_starts: Vec<usize>,
    propagated: usize,
    /// How much of the trail the theory has seen.
    pub(super) theory_seen: usize,
    pub(super) order: DecisionOrder,
    /// How many literals of level 0 have a unit clause as their reason already.
    pub(super) units_derived: usize,
    /// The empty clause, once derived.
    pub(super) empty: Option<ClauseId>,
    /// A clause that was false when it was added.
    pub(super) falsified: Option<ClauseId>,
    /// Scratch space of conflict analysis: the atoms met so far.
    pub(super) met: Vec<bool>,
    pub(super) learnt_attached: usize,
    pub(super) propagations: u64,
}

impl Search {
    /// The atom that comes next.
    pub(super) fn next_atom(&self) -> AtomId {
        AtomId::from_index(self.atoms.len())
    }

    pub(super) fn add_atom(&mut self) -> AtomId {
        let atom = self.next_atom();
        self.atoms.push(AtomState::FRESH);
        self.met.push(false);
        // After a reset, there are (empty) watch lists already.
        let literals = 2 * self.atoms.len();
        if self.watches.len() < literals {
            self.watches.resize_with(literals, Vec::new);
        }
        self.order.add_atom();
        atom
    }

    pub(super) fn value(&self, literal: Signed) -> Option<bool> {
        self.atoms[literal.atom().index()].value.map(|value| value == literal.is_positive())
    }

    pub(super) fn level_of(&self, literal: Signed) -> u32 {
        self.atoms[literal.atom().index()].level
    }

    pub(super) fn level(&self) -> u32 {
        self.level_starts.len() as u32
    }

    /// The length of the part of the trail that depends on no decision.
    pub(super) fn base_length(&self) -> usize {
        self.level_starts.first().copied().unwrap_or(self.trail.len())
    }

    /// Adds a clause. Whether it forces or contradicts something is found out here, as long as
    /// all of its literals but one are false on the current level or on level 0.
    pub(super) fn add_clause(
        &mut self,
        literals: &[Signed],
        derivation: Derivation,
        scope: Scope,
    ) -> ClauseId {
        let id = self.clauses.push(literals, derivation, scope);
        self.attach(id);
        id
    }

    /// Puts a clause into the watch lists, and propagates it if it is unit.
    fn attach(&mut self, id: ClauseId) {
        self.move_watchable_to_front(id);
        match *self.clauses.literals(id) {
            [] => self.empty = self.empty.or(Some(id)),
            [only] => self.propagate_unit(id, only),
            [first, second, ..] => {
                self.watch(first, second, id);
                self.watch(second, first, id);
                if self.value(second) == Some(false) {
                    self.propagate_unit(id, first);
                }
            }
        }
    }

    fn propagate_unit(&mut self, id: ClauseId, literal: Signed) {
        match self.value(literal) {
            None => self.assign(literal, Some(id)),
            Some(false) => self.falsified = Some(id),
            Some(true) => {}
        }
    }

    fn watch(&mut self, literal: Signed, blocker: Signed, clause: ClauseId) {
        self.watches[literal.code()].push(Watch { clause, blocker });
    }

    /// Literals that are not false come first, then those that became false last.
    fn move_watchable_to_front(&mut self, id: ClauseId) {
        let atoms = &self.atoms;
        let rank = |literal: &Signed| {
            let state = &atoms[literal.atom().index()];
            let is_false = state.value == Some(!literal.is_positive());
            if is_false { (1, u32::MAX - state.level) } else { (0, 0) }
        };
        let literals = self.clauses.literals_mut(id);
        for front in 0..literals.len().min(2) {
            let best = (front..literals.len()).min_by_key(|&place| rank(&literals[place]));
            if let Some(best) = best {
                literals.swap(front, best);
            }
        }
    }

    fn assign(&mut self, literal: Signed, reason: Option<ClauseId>) {
        let level = self.level();
        let state = &mut self.atoms[literal.atom().index()];
        state.value = Some(literal.is_positive());
        state.level = level;
        state.reason = reason;
        state.position = self.trail.len() as u32;
        self.trail.push(literal);
    }

    /// Opens a new level with a literal that is not assigned.
    pub(super) fn decide(&mut self, literal: Signed) {
        self.open_level();
        self.assign(literal, None);
    }

    /// Opens a new level without deciding anything.
    pub(super) fn open_level(&mut self) {
        self.level_starts.push(self.trail.len());
    }

    /// Assigns a literal because of a clause whose other literals are all false.
    pub(super) fn force(&mut self, literal: Signed, reason: ClauseId) {
        self.assign(literal, Some(reason));
    }

    /// The most active atom without a value, with the value it had last.
    pub(super) fn next_decision(&mut self) -> Option<Signed> {
        while let Some(atom) = self.order.pop() {
            let state = self.atoms[atom.index()];
            if state.value.is_none() {
                return Some(Signed::new(atom, state.phase));
            }
        }
        None
    }

    /// Gives up all decisions above a level.
    pub(super) fn backtrack(&mut self, level: u32) {
        let Some(&start) = self.level_starts.get(level as usize) else { return };
        for literal in self.trail.drain(start..) {
            let state = &mut self.atoms[literal.atom().index()];
            state.phase = literal.is_positive();
            state.value = None;
            state.reason = None;
            self.order.insert(literal.atom());
        }
        self.level_starts.truncate(level as usize);
        self.propagated = self.propagated.min(start);
        self.theory_seen = self.theory_seen.min(start);
        self.falsified = None;
    }

    /// Assigns everything that the clauses force; returns a clause that became false.
    pub(super) fn propagate(&mut self) -> Option<ClauseId> {
        if let Some(clause) = self.falsified.take() {
            return Some(clause);
        }
        while let Some(&literal) = self.trail.get(self.propagated) {
            self.propagated += 1;
            self.propagations += 1;
            if let Some(conflict) = self.visit_watches(literal.negated()) {
                return Some(conflict);
            }
        }
        None
    }

    /// Looks for a new watch in every clause that watches a literal that became false.
    fn visit_watches(&mut self, falsified: Signed) -> Option<ClauseId> {
        let mut list = std::mem::take(&mut self.watches[falsified.code()]);
        let mut conflict = None;
        let mut kept = 0;
        let mut next = 0;
        while next < list.len() {
            let watch = list[next];
            next += 1;
            if self.value(watch.blocker) == Some(true) {
                list[kept] = watch;
                kept += 1;
                continue;
            }
            if self.clauses.record(watch.clause).detached {
                continue;
            }
            let other = match self.find_watch(watch.clause, falsified) {
                NewWatch::Moved => continue,
                NewWatch::None(other) => other,
            };
            list[kept] = Watch { clause: watch.clause, blocker: other };
            kept += 1;
            match self.value(other) {
                Some(true) => {}
                None => self.assign(other, Some(watch.clause)),
                Some(false) => {
                    conflict = Some(watch.clause);
                    break;
                }
            }
        }
        list.copy_within(next.., kept);
        list.truncate(kept + list.len() - next);
        self.watches[falsified.code()] = list;
        conflict
    }

    /// Replaces a watched literal that became false by one that is not, if there is one.
    fn find_watch(&mut self, id: ClauseId, falsified: Signed) -> NewWatch {
        let atoms = &self.atoms;
        let literals = self.clauses.literals_mut(id);
        if literals[0] == falsified {
            literals.swap(0, 1);
        }
        let other = literals[0];
        let is_false = |literal: &Signed| atoms[literal.atom().index()].value == Some(!literal.is_positive());
        let other_is_true = atoms[other.atom().index()].value == Some(other.is_positive());
        if other_is_true {
            return NewWatch::None(other);
        }
        let Some(offset) = literals[2..].iter().position(|literal| !is_false(literal)) else {
            return NewWatch::None(other);
        };
        literals.swap(1, 2 + offset);
        let replacement = literals[1];
        self.watch(replacement, other, id);
        NewWatch::Moved
    }

    /// Takes the less useful half of the learnt clauses out of the watch lists. They stay in the
    /// store for the sake of the proof.
    pub(super) fn reduce_learnt(&mut self) {
        let mut candidates: Vec<(u32, ClauseId)> = Vec::new();
        for id in self.clauses.ids() {
            let record = self.clauses.record(id);
            if record.removable && !record.detached && record.distance > 2 && !self.is_reason(id) {
                candidates.push((record.distance, id));
            }
        }
        candidates
            .sort_unstable_by_key(|&(distance, id)| std::cmp::Reverse((distance, usize::MAX - id.index())));
        for &(_, id) in &candidates[..candidates.len() / 2] {
            self.clauses.record_mut(id).detached = true;
            self.learnt_attached -= 1;
        }
    }

    fn is_reason(&self, id: ClauseId) -> bool {
        let first = self.clauses.literals(id)[0];
        let state = &self.atoms[first.atom().index()];
        state.value.is_some() && state.reason == Some(id)
    }

    /// Forgets everything but keeps the memory.
    pub(super) fn reset(&mut self) {
        self.clauses.clear();
        self.atoms.clear();
        self.met.clear();
        self.watches.iter_mut().for_each(Vec::clear);
        self.trail.clear();
        self.level_starts.clear();
        self.order.truncate(0);
        self.propagated = 0;
        self.theory_seen = 0;
        self.units_derived = 0;
        self.empty = None;
        self.falsified = None;
        self.learnt_attached = 0;
    }

    /// Forgets atoms from a number on and all clauses of deeper scopes, and starts over with an
    /// empty trail.
    pub(super) fn shrink(&mut self, atoms: usize, scope: Scope) {
        self.backtrack(0);
        for literal in std::mem::take(&mut self.trail) {
            let state = &mut self.atoms[literal.atom().index()];
            state.value = None;
            state.reason = None;
        }
        self.propagated = 0;
        self.theory_seen = 0;
        self.units_derived = 0;
        self.empty = None;
        self.falsified = None;
        self.atoms.truncate(atoms);
        self.met.truncate(atoms);
        self.order.truncate(atoms);
        self.clauses.retain(|record| record.scope <= scope);
        self.watches.iter_mut().for_each(Vec::clear);
        self.learnt_attached = 0;
        for id in self.clauses.ids() {
            let record = self.clauses.record(id);
            if !record.detached {
                self.learnt_attached += usize::from(record.removable);
                self.attach(id);
            }
        }
    }
}

/// What became of a watched literal.
enum NewWatch {
    /// Another literal is watched instead.
    Moved,
    /// There is none; this is the other watched literal.
    None(Signed),
}
