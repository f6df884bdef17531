//! What a thread knows at a control point: numbers, and where the others are.

use super::landmarks::Growth;
use super::limits::Limits;
use rely_base::Id;
use rely_logic::domains::NumericDomain;
use rely_logic::{Constraint, Integer, LinearForm, Relation, VarId};
use rely_program::ThreadId;
use rely_symbolic::{ControlPointId, Move, System};

/// Control points of one thread.
pub(super) type Points = Vec<bool>;

/// One case of what is known.
#[derive(Clone, Debug)]
pub(super) struct Case<D> {
    /// The values of flags and the signs of differences, as far as they are known.
    pub(super) key: Vec<Option<Integer>>,
    /// What is known of globals and of the thread's own variables.
    pub(super) numbers: D,
    /// Where each thread may be. The entry of the thread itself is not used.
    pub(super) others: Vec<Points>,
}

/// What cases are told apart by.
pub(super) struct Keys {
    /// Cells, with their possible values.
    flags: Vec<(VarId, Vec<Integer>)>,
    /// Which of these each thread tells apart.
    told_apart: Vec<Vec<bool>>,
    /// Differences that are positive, negative or neither.
    differences: Vec<LinearForm>,
}

impl Keys {
    pub(super) fn new(system: &System<'_>, limits: Limits) -> Self {
        let flags = flags(system, limits.flag_values);
        let told_apart = told_apart(system, &flags, limits.flag_combinations);
        let guards = system.moves.iter().flat_map(|by| &by.branch.guard);
        let differences = guards.filter(|constraint| constraint.relation() == Relation::Ne);
        let mut differences: Vec<LinearForm> = differences.map(|guard| guard.form().clone()).collect();
        differences.retain(|form| form.variables().all(|variable| system.cells.is_cell(variable)));
        differences.dedup();
        differences.truncate(limits.differences);
        Self { flags, told_apart, differences }
    }

    pub(super) fn len(&self) -> usize {
        self.flags.len() + self.differences.len()
    }

    fn of<D: NumericDomain>(&self, thread: ThreadId, numbers: &D) -> Vec<Option<Integer>> {
        let told_apart = &self.told_apart[thread.index()];
        let value = |((cell, values), is_told): (&(VarId, Vec<Integer>), &bool)| {
            let is = |value: &&Integer| {
                let value = LinearForm::constant((*value).clone());
                numbers.entails(&Constraint::eq(&LinearForm::variable(*cell), &value))
            };
            values.iter().filter(|_| *is_told).find(is).cloned()
        };
        let zero = LinearForm::constant(0);
        let sign = |form: &LinearForm| match () {
            () if numbers.entails(&Constraint::lt(form, &zero)) => Some(Integer::from(-1)),
            () if numbers.entails(&Constraint::gt(form, &zero)) => Some(Integer::from(1)),
            () => None,
        };
        self.flags.iter().zip(told_apart).map(value).chain(self.differences.iter().map(sign)).collect()
    }

    /// The numbers with a guard, in cases where that is a difference.
    fn meet<D: NumericDomain>(&self, numbers: D, guard: &Constraint) -> Vec<D> {
        let is_split = guard.relation() == Relation::Ne && self.differences.contains(guard.form());
        let zero = LinearForm::constant(0);
        let guards = match is_split {
            true => vec![Constraint::lt(guard.form(), &zero), Constraint::gt(guard.form(), &zero)],
            false => vec![guard.clone()],
        };
        let met = guards.iter().map(|guard| {
            let mut numbers = numbers.clone();
            numbers.meet(guard);
            numbers
        });
        met.filter(|numbers| !numbers.is_bottom()).collect()
    }
}

/// Globals that begin with a constant and have others later or change by them, such as locks, program phases and
/// semaphores, each with the values by which cases are told apart.
fn flags(system: &System<'_>, most_values: usize) -> Vec<(VarId, Vec<Integer>)> {
    let globals = system.cells.all().filter(|&cell| system.cells.owner(cell).is_none());
    let flags = globals.filter_map(|cell| Some((cell, values(system, cell, most_values)?)));
    flags.filter(|(_, values)| values.len() > 1).collect()
}

/// The values of a cell that begins with constants and changes by them only: all that are assigned, and of those
/// that come about by counting so many as are told apart. Who only counts is told apart by inequalities; but who waits for
/// a count, as at a semaphore, knows most if each count is a case.
fn values(system: &System<'_>, cell: VarId, most_values: usize) -> Option<Vec<Integer>> {
    let mut values = Vec::new();
    for initial in &system.initial {
        let is_value = |constraint: &&Constraint| {
            constraint.form().terms().len() == 1
                && constraint.form().contains(cell)
                && constraint.relation() == Relation::Eq
        };
        let equation = initial.iter().find(is_value)?;
        let factor = equation.form().coefficient(cell);
        values.push((-equation.form().constant_term().clone()).div_exact(&factor)?);
    }
    let mut counted = Vec::new();
    for by in &system.moves {
        let Some(value) = rely_symbolic::updated(&by.branch.updates, cell) else { continue };
        let change = value.minus(&LinearForm::variable(cell));
        match (value.is_constant(), change.is_constant()) {
            (true, _) => values.push(value.constant_term().clone()),
            (false, true) => counted.push((by, change.constant_term().clone())),
            (false, false) => return None,
        }
    }
    values.sort_unstable();
    values.dedup();
    let mut position = 0;
    while position < values.len() && values.len() < most_values {
        for (by, change) in &counted {
            let value = values[position].clone();
            let is_about = |guard: &&Constraint| guard.form().variables().all(|variable| variable == cell);
            let mut guards = by.branch.guard.iter().filter(is_about);
            let next = value.clone() + change.clone();
            if guards.all(|guard| guard.holds(|_| value.clone())) && !values.contains(&next) {
                values.push(next);
            }
        }
        position += 1;
    }
    (counted.is_empty() || is_awaited(system, cell, &values)).then_some(values)
}

/// Whether a thread may have to wait because a cell has one of some values.
fn is_awaited(system: &System<'_>, cell: VarId, values: &[Integer]) -> bool {
    let is_about = |guard: &Constraint| guard.form().variables().all(|variable| variable == cell);
    let forbids = |by: &Move, value: &Integer| {
        by.branch.guard.iter().any(|guard| is_about(guard) && !guard.holds(|_| value.clone()))
    };
    // Another condition may be false at the same time.
    let is_free = |by: &Move, value: &Integer| by.branch.guard.iter().all(is_about) && !forbids(by, value);
    let moves = system.threads.iter().flat_map(|thread| &thread.moves).filter(|moves| !moves.is_empty());
    let mut places = moves.map(|moves| moves.iter().map(|&by| system.get(by)).collect::<Vec<_>>());
    places.any(|moves| {
        let may_wait = |value: &Integer| {
            moves.iter().any(|by| forbids(by, value)) && !moves.iter().any(|by| is_free(by, value))
        };
        values.iter().any(may_wait)
    })
}

/// By which flags each thread tells cases apart: first those that it looks at or sets, then others, as long as there are not
/// too many combinations of their values.
fn told_apart(system: &System<'_>, flags: &[(VarId, Vec<Integer>)], most: usize) -> Vec<Vec<bool>> {
    let of_thread = |thread: ThreadId| {
        let own = || system.moves.iter().filter(|by| by.thread == thread);
        let is_own = |cell: VarId| own().any(|by| by.branch.variables().any(|variable| variable == cell));
        let mut order: Vec<usize> = (0..flags.len()).collect();
        order.sort_by_key(|&flag| !is_own(flags[flag].0));
        let (mut told, mut combinations) = (vec![false; flags.len()], 1);
        for flag in order {
            if combinations * flags[flag].1.len() <= most {
                combinations *= flags[flag].1.len();
                told[flag] = true;
            }
        }
        told
    };
    system.thread_ids().map(of_thread).collect()
}

impl<D: NumericDomain> Case<D> {
    pub(super) fn new(thread: ThreadId, numbers: D, others: Vec<Points>, keys: &Keys) -> Self {
        Case { key: keys.of(thread, &numbers), numbers, others }
    }

    /// Whether nothing more is known in another case.
    pub(super) fn includes(&self, other: &Self) -> bool {
        let places = self.others.iter().flatten().zip(other.others.iter().flatten());
        self.numbers.includes(&other.numbers) && places.into_iter().all(|(known, more)| *known || !*more)
    }

    pub(super) fn join(&self, other: &Self, growth: Growth<'_>) -> Self {
        let numbers = growth.apply(&self.numbers, self.numbers.join(&other.numbers));
        let unite = |(left, right): (&Points, &Points)| -> Points {
            left.iter().zip(right).map(|(left, right)| *left || *right).collect()
        };
        let others = self.others.iter().zip(&other.others).map(unite).collect();
        Case { key: self.key.clone(), numbers, others }
    }

    /// Makes a step: its guard holds, and values change. There are several cases if the guard has some.
    pub(super) fn step(self, system: &System<'_>, by: &Move, keys: &Keys) -> Vec<Self> {
        let mut cases = vec![self.numbers];
        for guard in &by.branch.guard {
            cases = cases.into_iter().flat_map(|numbers| keys.meet(numbers, guard)).collect();
        }
        let mut others = Case { key: Vec::new(), numbers: (), others: self.others };
        for &started in &by.branch.started {
            others.put(started, system.thread(started).entry);
        }
        let stepped = cases.into_iter().map(|numbers| update(numbers, system, by));
        let stepped = stepped.filter(|numbers| !numbers.is_bottom());
        stepped.map(|numbers| Case { key: Vec::new(), numbers, others: others.others.clone() }).collect()
    }
}

impl<D> Case<D> {
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
}

/// The numbers after the assignments of a step.
fn update<D: NumericDomain>(mut numbers: D, system: &System<'_>, by: &Move) -> D {
    // One after the other will do unless a value is computed from a cell that got another one.
    let updates = &by.branch.updates;
    let is_read =
        |cell: &VarId, others: &[(VarId, LinearForm)]| others.iter().any(|(_, value)| value.contains(*cell));
    let one_by_one = (0..updates.len()).all(|index| !is_read(&updates[index].0, &updates[index + 1..]));
    for (cell, value) in updates {
        numbers.assign(if one_by_one { *cell } else { system.cells.after(*cell) }, value);
    }
    for (cell, _) in updates.iter().filter(|_| !one_by_one) {
        let after = system.cells.after(*cell);
        numbers.assign(*cell, &LinearForm::variable(after));
        numbers.forget(after);
    }
    let first_auxiliary = 3 * system.cells.count();
    for variable in by.branch.variables().filter(|variable| variable.index() >= first_auxiliary) {
        numbers.forget(variable);
    }
    numbers
}
