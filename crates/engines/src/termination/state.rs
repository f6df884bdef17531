//! What a thread knows at a control point: numbers, and where the others are.

use rely_base::Id;
use rely_logic::domains::NumericDomain;
use rely_logic::{Constraint, Integer, LinearForm, VarId};
use rely_program::ThreadId;
use rely_symbolic::{ControlPointId, Move, System};

/// Control points of one thread.
pub(super) type Points = Vec<bool>;

/// One case of what is known.
#[derive(Clone, Debug)]
pub(super) struct Case<D> {
    /// The values of the flags, for those that have one.
    pub(super) key: Vec<Option<Integer>>,
    /// What is known of globals and of the thread's own variables.
    pub(super) numbers: D,
    /// Where each thread may be. The entry of the thread itself is not used.
    pub(super) others: Vec<Points>,
}

/// The cells by whose values cases are told apart, with these values.
pub(super) type Flags = Vec<(VarId, Vec<Integer>)>;

/// Globals that only ever have one of a few constants as their value, such as locks and program phases.
pub(super) fn flags(system: &System<'_>, most_combinations: usize) -> Flags {
    let mut flags = Vec::new();
    let mut combinations = 1;
    for cell in system.cells.all().filter(|&cell| system.cells.owner(cell).is_none()) {
        let Some(values) = constants(system, cell) else { continue };
        if values.len() > 1 && combinations * values.len() <= most_combinations {
            combinations *= values.len();
            flags.push((cell, values));
        }
    }
    flags
}

/// All values of a cell, if they are constants.
fn constants(system: &System<'_>, cell: VarId) -> Option<Vec<Integer>> {
    let mut values = Vec::new();
    for initial in &system.initial {
        let is_value = |constraint: &&Constraint| {
            constraint.form().terms().len() == 1
                && constraint.form().contains(cell)
                && constraint.relation() == rely_logic::Relation::Eq
        };
        let equation = initial.iter().find(is_value)?;
        let factor = equation.form().coefficient(cell);
        values.push((-equation.form().constant_term().clone()).div_exact(&factor)?);
    }
    for by in &system.moves {
        if let Some(value) = rely_symbolic::updated(&by.branch.updates, cell) {
            let is_kept = *value == LinearForm::variable(cell);
            match value.is_constant() {
                true => values.push(value.constant_term().clone()),
                false if is_kept => {}
                false => return None,
            }
        }
    }
    values.sort_unstable();
    values.dedup();
    Some(values)
}

impl<D: NumericDomain> Case<D> {
    pub(super) fn new(numbers: D, others: Vec<Points>, flags: &Flags) -> Self {
        let mut case = Case { key: Vec::new(), numbers, others };
        case.find_key(flags);
        case
    }

    fn find_key(&mut self, flags: &Flags) {
        let value = |(cell, values): &(VarId, Vec<Integer>)| {
            let is = |value: &&Integer| {
                let value = LinearForm::constant((*value).clone());
                self.numbers.entails(&Constraint::eq(&LinearForm::variable(*cell), &value))
            };
            values.iter().find(is).cloned()
        };
        self.key = flags.iter().map(value).collect();
    }

    /// Whether nothing more is known in another case.
    pub(super) fn includes(&self, other: &Self) -> bool {
        let places = self.others.iter().flatten().zip(other.others.iter().flatten());
        self.numbers.includes(&other.numbers) && places.into_iter().all(|(known, more)| *known || !*more)
    }

    pub(super) fn join(&self, other: &Self, widen: bool) -> Self {
        let joined = self.numbers.join(&other.numbers);
        let numbers = if widen { self.numbers.widen(&joined) } else { joined };
        let unite = |(left, right): (&Points, &Points)| -> Points {
            left.iter().zip(right).map(|(left, right)| *left || *right).collect()
        };
        let others = self.others.iter().zip(&other.others).map(unite).collect();
        Case { key: self.key.clone(), numbers, others }
    }

    /// Leaves only some places of a thread; says whether any is left.
    pub(super) fn keep_places(&mut self, thread: ThreadId, kept: impl Fn(usize) -> bool) -> bool {
        let places = &mut self.others[thread.index()];
        for (number, possible) in places.iter_mut().enumerate() {
            *possible &= kept(number);
        }
        places.contains(&true)
    }

    pub(super) fn put(&mut self, thread: ThreadId, point: ControlPointId) {
        let places = &mut self.others[thread.index()];
        places.fill(false);
        places[point.index()] = true;
    }

    /// Where threads must be for a step, apart from two whose places are known otherwise; says whether they can be.
    pub(super) fn meet_places(&mut self, by: &Move, apart_from: [ThreadId; 2]) -> bool {
        let tests = by.places.iter().filter(|(thread, _)| !apart_from.contains(thread));
        tests.into_iter().all(|(thread, points)| {
            self.keep_places(*thread, |number| points.contains(&ControlPointId::from_index(number)))
        })
    }

    /// Makes a step: its guard holds, and values change. Says whether that is possible.
    pub(super) fn step(&mut self, system: &System<'_>, by: &Move) -> bool {
        by.branch.guard.iter().for_each(|constraint| self.numbers.meet(constraint));
        if self.numbers.is_bottom() {
            return false;
        }
        for (cell, value) in &by.branch.updates {
            self.numbers.assign(system.cells.after(*cell), value);
        }
        for (cell, _) in &by.branch.updates {
            let after = system.cells.after(*cell);
            self.numbers.assign(*cell, &LinearForm::variable(after));
            self.numbers.forget(after);
        }
        let first_auxiliary = 3 * system.cells.count();
        let auxiliary = by.branch.variables().filter(|variable| variable.index() >= first_auxiliary);
        let auxiliary: Vec<VarId> = auxiliary.collect();
        auxiliary.into_iter().for_each(|variable| self.numbers.forget(variable));
        for &started in &by.branch.started {
            self.put(started, system.thread(started).entry);
        }
        !self.numbers.is_bottom()
    }
}
