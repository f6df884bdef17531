//! General simplex: bounds on variables and on the linear forms of constraints.
//!
//! After B. Dutertre and L. de Moura, *A fast linear-arithmetic solver for DPLL(T)*, CAV 2006:
//! each linear form with two or more variables gets a *slack* variable and a row of the tableau;
//! a constraint is then a bound on one variable. Nonbasic variables respect their bounds at all
//! times, and `feasibility` pivots until the basic ones do, too, or a row shows that
//! they cannot.
//!
//! Departures: the tableau is kept in integers (see [`Tableau`]); a strict bound `s < c` over the
//! rationals is the bound `s + d <= c`, where `d` is a nonbasic variable that stands for a positive
//! infinitesimal and never moves, so that a row's coefficient of `d` breaks ties; and the rows of
//! constraints that are taken back are removed again.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};

use super::number::{Number, Overflow};
use super::tableau::{Column, Row, Tableau};
use crate::arith::Integer;
use crate::certificate::{Combination, Hypothesis};
use crate::linear::{Constraint, Relation, VarId};

/// A variable of the tableau: a problem variable or a slack.
pub(super) type Slot = usize;

/// A bound and the hypothesis that it comes from.
#[derive(Clone, Debug)]
pub(super) struct Bound<N> {
    pub(super) value: N,
    pub(super) reason: Hypothesis,
    /// The hypothesis is an equality, so it bounds the other side as well.
    pub(super) equality: bool,
}

/// Which of a variable's two bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Lower,
    Upper,
}

impl Side {
    pub(super) fn opposite(self) -> Side {
        match self {
            Side::Lower => Side::Upper,
            Side::Upper => Side::Lower,
        }
    }
}

/// Where a slot is in the tableau.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Basic(Row),
    Nonbasic(Column),
}

/// What taking back a constraint has to undo.
#[derive(Clone, Debug)]
enum Change<N> {
    Bound(Slot, Side, Option<Bound<N>>),
    Slack { slot: Slot, hash: u64 },
}

/// The origin of a slot.
#[derive(Clone, Debug)]
enum Meaning<N> {
    Variable(VarId),
    /// The linear form of some constraints, with a positive first coefficient.
    Form(Box<[(Slot, N)]>),
    Infinitesimal,
    /// A slack that was removed; the number can be used again.
    Unused,
}

/// Bounds, the tableau, and a trail to take constraints back.
#[derive(Clone, Debug, Default)]
pub(super) struct Simplex<N, T> {
    pub(super) tableau: T,
    meanings: Vec<Meaning<N>>,
    pub(super) places: Vec<Place>,
    /// Values of the nonbasic slots; those of basic ones are in the tableau.
    pub(super) values: Vec<N>,
    pub(super) lower: Vec<Option<Bound<N>>>,
    pub(super) upper: Vec<Option<Bound<N>>>,
    pub(super) basic: Vec<Slot>,
    pub(super) nonbasic: Vec<Slot>,
    variable_slots: FxHashMap<VarId, Slot>,
    /// By a hash of the form.
    slacks: FxHashMap<u64, Slot>,
    unused: Vec<Slot>,
    pub(super) infinitesimal: Option<Slot>,
    trail: Vec<Change<N>>,
    /// The length of the trail before each hypothesis.
    marks: Vec<usize>,
    scratch: Vec<(Slot, N)>,
}

impl<N: Number, T: Tableau<N>> Simplex<N, T> {
    /// Forgets everything but keeps the memory.
    pub(super) fn clear(&mut self) {
        self.variable_slots.clear();
        self.tableau.clear();
        self.meanings.clear();
        self.places.clear();
        self.values.clear();
        self.lower.clear();
        self.upper.clear();
        self.basic.clear();
        self.nonbasic.clear();
        self.slacks.clear();
        self.unused.clear();
        self.infinitesimal = None;
        self.trail.clear();
        self.marks.clear();
    }

    /// How many hypotheses are in force.
    pub(super) fn hypotheses(&self) -> usize {
        self.marks.len()
    }

    /// A measure of the memory in use.
    pub(super) fn size(&self) -> usize {
        self.tableau.size()
    }

    /// Adds the next hypothesis. If it contradicts an opposite bound, the answer is the proof.
    pub(super) fn assert(&mut self, constraint: &Constraint) -> Result<Option<Combination>, Overflow> {
        let reason = Hypothesis(self.marks.len() as u32);
        self.marks.push(self.trail.len());
        let form = constraint.form();
        if constraint.relation() == Relation::Ne || form.is_constant() {
            let refuted = constraint.is_false();
            return Ok(refuted.then(|| vec![(reason, Integer::ONE)]));
        }
        let flipped = self.slot_terms(constraint)?;
        let slot = self.slot_of_scratch()?;
        let constant = N::from_integer(form.constant_term())?;
        let value = if flipped { constant } else { constant.neg()? };
        let equality = constraint.relation() == Relation::Eq;
        let side = if flipped { Side::Lower } else { Side::Upper };
        let bound = Bound { value, reason, equality };
        if equality && let Some(conflict) = self.set_bound(slot, side.opposite(), bound.clone())? {
            return Ok(Some(conflict));
        }
        self.set_bound(slot, side, bound)
    }

    /// Takes back all hypotheses but the first ones.
    pub(super) fn retract(&mut self, hypotheses: usize) -> Result<(), Overflow> {
        let Some(&mark) = self.marks.get(hypotheses) else { return Ok(()) };
        self.marks.truncate(hypotheses);
        while self.trail.len() > mark {
            match self.trail.pop() {
                Some(Change::Bound(slot, Side::Lower, old)) => self.lower[slot] = old,
                Some(Change::Bound(slot, Side::Upper, old)) => self.upper[slot] = old,
                Some(Change::Slack { slot, hash }) => self.remove_slack(slot, hash)?,
                None => {}
            }
        }
        Ok(())
    }

    /// Writes the constraint's form over slots into the scratch space, with a positive first
    /// coefficient; tells whether all signs were changed.
    fn slot_terms(&mut self, constraint: &Constraint) -> Result<bool, Overflow> {
        let terms = constraint.form().terms();
        let flipped = terms[0].1.is_negative();
        self.scratch.clear();
        for (variable, coefficient) in terms {
            let slot = self.variable_slot(*variable);
            let coefficient = N::from_integer(coefficient)?;
            self.scratch.push((slot, if flipped { coefficient.neg()? } else { coefficient }));
        }
        if constraint.relation() == Relation::Lt {
            let infinitesimal = self.infinitesimal_slot();
            let sign = if flipped { N::ONE.neg()? } else { N::ONE };
            self.scratch.push((infinitesimal, sign));
        }
        Ok(flipped)
    }

    fn variable_slot(&mut self, variable: VarId) -> Slot {
        match self.variable_slots.get(&variable) {
            Some(&slot) => slot,
            None => {
                let slot = self.add_nonbasic_slot(Meaning::Variable(variable));
                self.variable_slots.insert(variable, slot);
                slot
            }
        }
    }

    fn infinitesimal_slot(&mut self) -> Slot {
        match self.infinitesimal {
            Some(slot) => slot,
            None => {
                let slot = self.add_nonbasic_slot(Meaning::Infinitesimal);
                self.infinitesimal = Some(slot);
                slot
            }
        }
    }

    /// The problem variable of a slot, if it is one.
    pub(super) fn variable_of(&self, slot: Slot) -> Option<VarId> {
        match self.meanings[slot] {
            Meaning::Variable(variable) => Some(variable),
            _ => None,
        }
    }

    fn add_nonbasic_slot(&mut self, meaning: Meaning<N>) -> Slot {
        let column = self.tableau.add_column();
        let slot = self.add_slot(meaning, Place::Nonbasic(column));
        self.nonbasic.push(slot);
        slot
    }

    fn add_slot(&mut self, meaning: Meaning<N>, place: Place) -> Slot {
        if let Some(slot) = self.unused.pop() {
            self.meanings[slot] = meaning;
            self.places[slot] = place;
            self.values[slot] = N::ZERO;
            return slot;
        }
        self.meanings.push(meaning);
        self.places.push(place);
        self.values.push(N::ZERO);
        self.lower.push(None);
        self.upper.push(None);
        self.meanings.len() - 1
    }

    /// The slot whose value is the form in the scratch space.
    fn slot_of_scratch(&mut self) -> Result<Slot, Overflow> {
        if let [(slot, coefficient)] = self.scratch.as_slice()
            && coefficient.is_one()
        {
            return Ok(*slot);
        }
        let mut hasher = FxHasher::default();
        for (slot, coefficient) in &self.scratch {
            hasher.write_usize(*slot);
            coefficient.hash(&mut hasher);
        }
        let hash = hasher.finish();
        if let Some(&slot) = self.slacks.get(&hash)
            && matches!(&self.meanings[slot], Meaning::Form(form) if **form == *self.scratch)
        {
            return Ok(slot);
        }
        self.add_slack(hash)
    }

    fn add_slack(&mut self, hash: u64) -> Result<Slot, Overflow> {
        let form = std::mem::take(&mut self.scratch);
        let row = self.tableau.add_row();
        let slot = self.add_slot(Meaning::Form(form.as_slice().into()), Place::Basic(row));
        self.basic.push(slot);
        self.slacks.entry(hash).or_insert(slot);
        self.trail.push(Change::Slack { slot, hash });
        for (part, coefficient) in &form {
            match self.places[*part] {
                Place::Nonbasic(column) => {
                    self.tableau.add_nonbasic(row, coefficient, column, &self.values[*part])?;
                }
                Place::Basic(other) => self.tableau.add_basic(row, coefficient, other)?,
            }
        }
        self.scratch = form;
        Ok(slot)
    }

    /// Removes a slack, which by now has no bounds.
    fn remove_slack(&mut self, slot: Slot, hash: u64) -> Result<(), Overflow> {
        if self.slacks.get(&hash) == Some(&slot) {
            self.slacks.remove(&hash);
        }
        if let Place::Nonbasic(column) = self.places[slot] {
            self.move_into_basis(column)?;
        }
        if let Place::Basic(row) = self.places[slot] {
            self.tableau.remove_row(row);
            self.basic.swap_remove(row);
            if let Some(&moved) = self.basic.get(row) {
                self.places[moved] = Place::Basic(row);
            }
        }
        self.meanings[slot] = Meaning::Unused;
        self.unused.push(slot);
        Ok(())
    }

    /// Makes the nonbasic slack of a column basic. Some basic problem variable depends on it,
    /// because there are as many columns as problem variables.
    fn move_into_basis(&mut self, column: Column) -> Result<(), Overflow> {
        let row = self.tableau.row_with(column, |row| self.bound_count(self.basic[row]));
        let Some(row) = row else { return Ok(()) };
        // The leaving variable must sit at an integer within its bounds.
        let slot = self.basic[row];
        let mut target = self.tableau.value(row).div_floor(self.tableau.denominator(row));
        if let Some(bound) = &self.lower[slot] {
            target = target.max(bound.value.clone());
        }
        if let Some(bound) = &self.upper[slot] {
            target = target.min(bound.value.clone());
        }
        self.exchange(row, column, target).map(|_| ())
    }

    pub(super) fn bound_count(&self, slot: Slot) -> u32 {
        u32::from(self.lower[slot].is_some()) + u32::from(self.upper[slot].is_some())
    }

    /// Tightens a bound, unless it is as tight already. A contradiction to the opposite bound is
    /// answered with its proof, and then nothing is changed.
    fn set_bound(
        &mut self,
        slot: Slot,
        side: Side,
        bound: Bound<N>,
    ) -> Result<Option<Combination>, Overflow> {
        let exceeds = |left: &N, right: &N| match side {
            Side::Lower => left > right,
            Side::Upper => left < right,
        };
        let (current, opposite) = match side {
            Side::Lower => (&self.lower[slot], &self.upper[slot]),
            Side::Upper => (&self.upper[slot], &self.lower[slot]),
        };
        if current.as_ref().is_some_and(|current| !exceeds(&bound.value, &current.value)) {
            return Ok(None);
        }
        if let Some(opposite) = opposite.as_ref().filter(|opposite| exceeds(&bound.value, &opposite.value)) {
            let weights = [weighted(&bound, side, &N::ONE), weighted(opposite, side.opposite(), &N::ONE)];
            return Ok(Some(combine(weights)));
        }
        if let Place::Nonbasic(column) = self.places[slot]
            && exceeds(&bound.value, &self.values[slot])
        {
            let change = bound.value.sub(&self.values[slot])?;
            self.tableau.shift_column(column, &change)?;
            self.values[slot] = bound.value.clone();
        }
        let place = match side {
            Side::Lower => &mut self.lower[slot],
            Side::Upper => &mut self.upper[slot],
        };
        let old = place.replace(bound);
        self.trail.push(Change::Bound(slot, side, old));
        Ok(None)
    }

    /// Swaps the basic variable of a row, which moves to `target`, with the one of a column, and
    /// tells what it cost.
    pub(super) fn exchange(&mut self, row: Row, column: Column, target: N) -> Result<u64, Overflow> {
        let (leaving, entering) = (self.basic[row], self.nonbasic[column]);
        let cost = self.tableau.pivot(row, column, &target, &self.values[entering])?;
        self.values[leaving] = target;
        self.basic[row] = entering;
        self.nonbasic[column] = leaving;
        self.places[entering] = Place::Basic(row);
        self.places[leaving] = Place::Nonbasic(column);
        Ok(cost)
    }
}

/// A hypothesis with the weight with which its bound takes part in a proof.
pub(super) fn weighted<N: Number>(bound: &Bound<N>, side: Side, weight: &N) -> (Hypothesis, Integer) {
    let weight = weight.to_integer().abs();
    // An equality `s - c = 0` gives `s <= c` as it is and `s >= c` when subtracted.
    let subtract = bound.equality && side == Side::Lower;
    (bound.reason, if subtract { -weight } else { weight })
}

/// Adds up the weights of equal hypotheses.
pub(super) fn combine(parts: impl IntoIterator<Item = (Hypothesis, Integer)>) -> Combination {
    let mut parts: Vec<_> = parts.into_iter().collect();
    parts.sort_by_key(|part| part.0);
    parts.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += &next.1;
        }
        same
    });
    parts.retain(|(_, weight)| !weight.is_zero());
    parts
}
