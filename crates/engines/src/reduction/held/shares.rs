//! Locks that several threads hold together: read-write locks and semaphores.
//!
//! Such a lock is a number. Whoever begins to read adds one to it and subtracts one when it is done, and whoever
//! writes sets it to a value that it has only then; a semaphore is what is left of it. The number alone does not tell who
//! holds the lock. But if every thread gives back what it took, then where it stands says what it *holds*: a share of the
//! number, or all of it. The number is what it was at the beginning plus all shares, or somebody holds all and nobody
//! else anything. As invariants that is part of the proof, and nothing of it is trusted.
//!
//! What a thread holds is the same on every way to where it stands; a number for which that is not so is no such lock.

use super::locks;
use rely_base::Budget;
use rely_evidence::counting::{CountAtom, Counter, Invariant, Summand};
use rely_evidence::rely_guarantee::Comparison;
use rely_logic::{Conjunction, Constraint, Domain, Entailment, LinearForm, Verdict};
use rely_program::analysis::Access;
use rely_program::{EdgeId, Initial, LocationId, Program, Value, VarId};
use rely_symbolic::{Branch, BranchEnd, Cells, Limits, Translator, updated};
use std::collections::BTreeMap;

/// What a thread holds of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::reduction) enum Hold {
    /// It has added so much.
    Share(Value),
    /// All: nobody else holds anything.
    All,
}

/// A number that tells together with the places of threads who holds it.
pub(in crate::reduction) struct SharedLock {
    var: VarId,
    /// The value while nobody holds it.
    free: Value,
    /// The value while somebody holds all.
    taken: Option<Value>,
    /// Whether shares add to it; otherwise they subtract from it.
    grows: bool,
    /// Shares do not change it beyond this value.
    bound: Option<Value>,
    /// By location, where threads come to.
    holds: BTreeMap<LocationId, Hold>,
}

/// Finds such locks.
struct Finder<'p> {
    program: &'p Program,
    cells: Cells,
    limits: Limits,
    solver: Conjunction,
    budget: &'p Budget,
}

/// The locks that threads share. What is only set to constants is known otherwise.
pub(in crate::reduction) fn shared_locks(
    program: &Program,
    limits: Limits,
    budget: &Budget,
) -> Vec<SharedLock> {
    let but = locks(program);
    let solver = Conjunction::with_limits(Domain::Integers, limits.solver);
    let mut finder = Finder { program, cells: Cells::new(program), limits, solver, budget };
    let is_number = |var: &VarId| program.vars()[*var].is_global() && program.vars()[*var].length.is_none();
    let candidates = program.vars().ids().filter(|var| is_number(var) && !but.contains(*var));
    candidates.filter_map(|var| finder.lock(var)).collect()
}

impl Finder<'_> {
    /// What threads hold of a number, if that says who excludes whom.
    fn lock(&mut self, var: VarId) -> Option<SharedLock> {
        let Initial::Values(values) = &self.program.vars()[var].initial else { return None };
        let (free, grows, bound) = (*values.first()?, true, None);
        let mut lock = SharedLock { var, free, taken: None, grows, bound, holds: BTreeMap::new() };
        let writers = self.writers(var)?;
        self.follow(&mut lock, &writers)?;
        let shrinks = lock.shares().any(|share| share < 0);
        lock.grows = !shrinks;
        if !lock.is_consistent() {
            return None;
        }
        lock.bound = self.bound(&mut lock, &writers)?;
        lock.excludes_somebody().then_some(lock)
    }

    /// The ways to take the edges that write a variable, unless they are not known exactly.
    fn writers(&self, var: VarId) -> Option<BTreeMap<EdgeId, Vec<Branch>>> {
        let writes = |edge: &EdgeId| Access::of_edge(self.program, *edge).writes.contains(var);
        let branches = |edge: EdgeId| {
            let actor = self.program.locations()[self.program.edges()[edge].source].thread;
            let translator = Translator::new(self.program, &self.cells, Some(actor), self.limits);
            let mut branches = translator.edge(edge, self.budget).ok()?;
            branches.retain(|branch| branch.ending == BranchEnd::Moves);
            branches.iter().all(|branch| branch.exact).then_some((edge, branches))
        };
        self.program.edges().ids().filter(writes).map(branches).collect()
    }

    /// Finds out what threads hold where, beginning with nothing.
    fn follow(&mut self, lock: &mut SharedLock, writers: &BTreeMap<EdgeId, Vec<Branch>>) -> Option<()> {
        let mut pending: Vec<LocationId> =
            self.program.threads().values().map(|thread| thread.entry).collect();
        lock.holds.extend(pending.iter().map(|&entry| (entry, Hold::Share(0))));
        while let Some(location) = pending.pop() {
            let hold = lock.holds[&location];
            for &edge in self.program.outgoing(location) {
                let target = self.program.edges()[edge].target;
                let after = match writers.get(&edge) {
                    Some(branches) => self.after(lock, hold, branches)?,
                    None => Some(hold),
                };
                let Some(after) = after else { continue };
                match lock.holds.insert(target, after) {
                    None => pending.push(target),
                    Some(known) if known == after => {}
                    Some(_) => return None,
                }
            }
        }
        Some(())
    }

    /// What a thread holds behind an edge; nothing inside if it cannot take it, and nothing at all if that depends on
    /// more than where it stands.
    fn after(&mut self, lock: &mut SharedLock, hold: Hold, branches: &[Branch]) -> Option<Option<Hold>> {
        let mut after = None;
        for branch in branches {
            if !self.can_take(lock, hold, branch) {
                continue;
            }
            let behind = self.behind(lock, hold, branch)?;
            if after.replace(behind).is_some_and(|other| other != behind) {
                return None;
            }
        }
        Some(after)
    }

    /// Whether whoever holds this can go this way. If so, the next questions are about what is known then.
    fn can_take(&mut self, lock: &SharedLock, hold: Hold, branch: &Branch) -> bool {
        self.solver.reset();
        let known = lock.value_with(&self.cells, [hold, Hold::Share(0)]);
        for constraint in known.iter().chain(&branch.guard) {
            self.solver.assert(constraint);
        }
        self.solver.check(self.budget) != Verdict::Unsat
    }

    fn behind(&mut self, lock: &mut SharedLock, hold: Hold, branch: &Branch) -> Option<Hold> {
        let cell = self.cells.cell(lock.var, 0);
        let Some(value) = updated(&branch.updates, cell) else { return Some(hold) };
        let share = match hold {
            Hold::Share(share) => share,
            Hold::All if self.is(value, lock.free) => return Some(Hold::Share(0)),
            Hold::All => return self.is(value, lock.taken?).then_some(hold),
        };
        let added = value.minus(&LinearForm::variable(cell));
        if added.is_constant() {
            return Some(Hold::Share(share + Value::from(added.constant_term().to_i64()?)));
        }
        // Who sets it to a constant has to know what it was.
        let after = Value::from(value.constant_term().to_i64()?);
        if !value.is_constant() || !self.is(&LinearForm::variable(cell), lock.free + share) {
            return None;
        }
        if share != 0 || after == lock.free {
            return Some(Hold::Share(after - lock.free));
        }
        (*lock.taken.get_or_insert(after) == after).then_some(Hold::All)
    }

    fn is(&mut self, form: &LinearForm, value: Value) -> bool {
        self.solver.entails(&Constraint::eq(form, &LinearForm::constant(value)), self.budget)
            == Entailment::Yes
    }

    /// How far at most shares change the number, if its tests say that; nothing at all if somebody takes a share while
    /// another thread may hold all.
    fn bound(
        &mut self,
        lock: &mut SharedLock,
        writers: &BTreeMap<EdgeId, Vec<Branch>>,
    ) -> Option<Option<Value>> {
        let cell = LinearForm::variable(self.cells.cell(lock.var, 0));
        let mut bounds: Vec<Option<Value>> = Vec::new();
        for (edge, branches) in writers {
            let Some(&Hold::Share(share)) = lock.holds.get(&self.program.edges()[*edge].source) else {
                continue;
            };
            for branch in branches {
                if !self.can_take(lock, Hold::Share(share), branch) {
                    continue;
                }
                let Some(Hold::Share(after)) = self.behind(lock, Hold::Share(share), branch) else {
                    continue;
                };
                if after == share {
                    continue;
                }
                let free = LinearForm::constant(lock.free);
                if lock.taken.is_some() && !self.follows(&lock.order(&free, &cell)) {
                    return None;
                }
                if lock.is_taking(after - share) {
                    bounds.push(self.furthest(lock, branch, after - share));
                }
            }
        }
        let furthest = |bounds: Vec<Value>| bounds.into_iter().max_by_key(|bound| lock.distance(*bound));
        Some(bounds.into_iter().collect::<Option<Vec<Value>>>().and_then(furthest))
    }

    /// How far at most a branch changes the number by adding something to it, as far as its tests tell.
    fn furthest(&mut self, lock: &SharedLock, branch: &Branch, added: Value) -> Option<Value> {
        let cell = self.cells.cell(lock.var, 0);
        let tests = branch.guard.iter().map(Constraint::form).filter(|form| form.terms().len() == 1);
        let limit = |form: &LinearForm| {
            let factor = form.coefficient(cell).to_i64().filter(|factor| *factor != 0)?;
            Some(-form.constant_term().to_i64()? / factor)
        };
        let limits = tests.filter_map(limit).map(Value::from);
        let mut limits: Vec<Value> = limits.flat_map(|limit| [limit - 1, limit, limit + 1]).collect();
        limits.sort_unstable_by_key(|limit| lock.distance(*limit));
        let cell = LinearForm::variable(cell);
        let limit = limits
            .into_iter()
            .find(|limit| self.follows(&lock.order(&cell, &LinearForm::constant(*limit))))?;
        Some(limit + added)
    }

    fn follows(&mut self, constraint: &Constraint) -> bool {
        self.solver.entails(constraint, self.budget) == Entailment::Yes
    }
}

impl SharedLock {
    /// What a thread holds at a location; nothing if it never comes there.
    pub(in crate::reduction) fn at(&self, location: LocationId) -> Option<Hold> {
        self.holds.get(&location).copied()
    }

    /// The number.
    pub(in crate::reduction) fn var(&self) -> VarId {
        self.var
    }

    /// Whether two threads never hold this at the same time.
    pub(super) fn excludes(&self, [one, other]: [Hold; 2]) -> bool {
        match (one, other) {
            (Hold::All, Hold::All) => true,
            (Hold::All, Hold::Share(share)) | (Hold::Share(share), Hold::All) => share != 0,
            (Hold::Share(0), _) | (_, Hold::Share(0)) => false,
            (Hold::Share(one), Hold::Share(other)) => {
                let together = self.distance(self.free + one + other);
                self.bound.is_some_and(|bound| together > self.distance(bound))
            }
        }
    }

    /// What is known of the number if two threads hold this.
    pub(in crate::reduction) fn value_with(&self, cells: &Cells, holds: [Hold; 2]) -> Vec<Constraint> {
        let cell = LinearForm::variable(cells.cell(self.var, 0));
        let mut share = 0;
        for hold in holds {
            match (hold, self.taken) {
                (Hold::All, Some(taken)) => return vec![Constraint::eq(&cell, &LinearForm::constant(taken))],
                (Hold::All, None) => {}
                (Hold::Share(own), _) => share += own,
            }
        }
        let shared = LinearForm::constant(self.free + share);
        let known = match share {
            0 => None,
            1.. => Some(Constraint::ge(&cell, &shared)),
            _ => Some(Constraint::le(&cell, &shared)),
        };
        let bound = self.bound.map(|bound| self.order(&cell, &LinearForm::constant(bound)));
        known.into_iter().chain(bound).collect()
    }

    /// The number is what it was plus all shares, or somebody holds all.
    pub(super) fn invariant(&self) -> Invariant {
        let cell = |factor: Value| (factor, Summand::Cell { var: self.var, index: 0 });
        let count = |factor: Value, location: LocationId| (factor, Summand::Count(Counter::at(location)));
        let shares = |sign: Value| {
            let held = self.holds.iter().filter_map(move |(location, hold)| match hold {
                Hold::Share(share) if *share != 0 => Some((sign * share, *location)),
                _ => None,
            });
            held.map(|(factor, location)| count(factor, location)).collect::<Vec<_>>()
        };
        let all = || {
            self.holds.iter().filter(|(_, hold)| **hold == Hold::All).map(|(location, _)| count(1, *location))
        };
        let atom = |terms, constant, comparison| CountAtom { terms, constant, comparison };
        let sign = if self.grows { 1 } else { -1 };
        let sum = [cell(1)].into_iter().chain(shares(-1)).collect();
        let mut shared = vec![atom(sum, -self.free, Comparison::Eq)];
        shared.extend(self.bound.map(|bound| atom(vec![cell(sign)], -sign * bound, Comparison::Le)));
        let Some(taken) = self.taken else { return Invariant { cubes: vec![shared] } };
        shared.push(atom(all().collect(), 0, Comparison::Le));
        let alone = vec![
            atom(vec![cell(1)], -taken, Comparison::Eq),
            atom(shares(sign), 0, Comparison::Le),
            atom(all().collect(), -1, Comparison::Eq),
        ];
        Invariant { cubes: vec![shared, alone] }
    }

    fn shares(&self) -> impl Iterator<Item = Value> + '_ {
        self.holds.values().filter_map(|hold| match hold {
            Hold::Share(share) if *share != 0 => Some(*share),
            _ => None,
        })
    }

    /// Whether all shares change the number in one direction, and all of it is beyond in the other direction.
    fn is_consistent(&self) -> bool {
        self.shares().all(|share| self.is_taking(share))
            && self.taken.is_none_or(|taken| !self.is_taking(taken - self.free))
    }

    fn excludes_somebody(&self) -> bool {
        let has_all = self.holds.values().any(|hold| *hold == Hold::All);
        has_all || self.shares().any(|share| self.excludes([Hold::Share(share); 2]))
    }

    /// Whether whoever changes the number so takes something.
    fn is_taking(&self, change: Value) -> bool {
        (change > 0) == self.grows
    }

    /// How far a value is from zero in the direction in which shares change the number.
    fn distance(&self, value: Value) -> Value {
        if self.grows { value } else { -value }
    }

    /// In the direction in which shares change the number, one value does not come behind another one.
    fn order(&self, one: &LinearForm, other: &LinearForm) -> Constraint {
        if self.grows { Constraint::le(one, other) } else { Constraint::ge(one, other) }
    }
}
