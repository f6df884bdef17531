//! Loops that can be repeated for ever although no state of them recurs: values grow, or take very long to come back.
//!
//! A lasso shows a run without end if its loop leads back to the state in which it began. Otherwise a *recurrence set* does
//! (Gupta, Henzinger, Majumdar, Rybalchenko and Xu, POPL 2008): a set of states that contains the first state of the
//! loop, in each of which all steps of the loop can be made, and after which one is in the set again. Here it is given
//! by a [range](Range) for each cell: bounds, and a remainder that all values leave. It is not part of the evidence but
//! found here, from the loop alone: with what the cells hold at first, the loop is gone through again and again, bounds
//! that move are given up, and those which the loop itself brings back are taken up again.
//!
//! # Why that is a proof
//!
//! Let `S` be the states in which each thread stands where it stood at the beginning of the loop, and each cell holds a
//! value of its range. The last thing that is done to `S` is to go through the loop once ([`Round::around`]), and from
//! there on nothing of the search matters:
//!
//! * Threads stand where they did in the run that was replayed, step by step, since the edges are the same. So it is the turn
//!   of the same threads, the same atomic blocks begin and end, and the same threads have ended.
//! * Nondeterministic values are those of the replayed run; any run may choose them again.
//! * Each condition and each check is true, each index inside of its array, no divisor zero and no shift too far, for *all*
//!   values of the ranges: otherwise the set is refused. So every step can be made from every state of `S`.
//! * Ranges after an operation contain all values that it can leave: [`Range`] errs on that side only.
//! * The ranges after the last step are parts of those before the first one, so one is in `S` again.
//!
//! By induction the loop can be repeated for ever. A cell without a bound may get larger than the numbers with which we
//! compute; integers of models have no bound, and those of C are reduced to their types or checked.
//!
//! # Loops that start threads
//!
//! A loop may start threads, as many in each round. New threads are numbered in the order in which they start, so those of
//! the next round have the next numbers, and where the loop makes steps of the new threads of its round, it makes them of
//! the next ones then. They begin with the same values, but for their arguments. They need not be where they started, but
//! are not looked at any more behind their round: `S` speaks of the threads that there were before the loop. Of the handle
//! of a new thread it is only known that it is not less than the first one.
//!
//! Loops that end the program are not looked at.

use rely_base::Id;
use rely_program::analysis::Range;
use rely_program::{
    BinaryOp, EdgeId, Expr, Op, Outcome, Place, Program, Scope, Semantics, SlotId, SlotStatus, State,
    ThreadId, ThreadKind, TraceStep, UnaryOp, Value, VarId,
};
use std::collections::BTreeMap;

/// So often a bound may move before it is given up.
const MOVES_OF_BOUNDS: usize = 3;

/// So often bounds that were given up are looked for again.
const NARROWINGS: usize = 3;

/// So often at most all ranges are made larger. Remainders can get coarser for long.
const MOST_ROUNDS: usize = 64;

/// A variable of the program, or of a thread.
type Holder = (Option<SlotId>, VarId);

/// The set of states in which a loop begins again and again.
#[derive(Clone, Debug)]
pub struct Recurrence {
    values: Values,
    is_fair: bool,
}

/// Steps that do not lead back to where they began, or that are not looked at.
struct NoLoop;

impl Recurrence {
    /// The variables whose values differ from round to round, each with its thread if it is a local, and what its cells
    /// may hold.
    pub fn changing(&self) -> impl Iterator<Item = (Option<SlotId>, VarId, Range)> + '_ {
        let hull = |ranges: &[Range]| ranges.iter().copied().reduce(Range::hull);
        let changes = |ranges: &&Vec<Range>| ranges.iter().any(|range| range.single().is_none());
        self.values
            .of
            .iter()
            .filter(move |(_, ranges)| changes(ranges))
            .filter_map(move |(&(slot, var), ranges)| Some((slot, var, hull(ranges)?)))
    }

    /// Whether the loop leaves nobody out: each thread moves in it, or cannot move at its beginning, or ends.
    pub fn is_fair(&self) -> bool {
        self.is_fair
    }
}

/// Whether some steps can be repeated for ever from a state: a set of states that shows it.
pub fn recurrence(semantics: &Semantics<'_>, state: &State, steps: &[TraceStep]) -> Option<Recurrence> {
    let round = Round::new(semantics, state, steps).ok()?;
    let values = round.closed()?;
    Some(Recurrence { is_fair: round.is_fair(&values), values })
}

/// What cells may hold.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Values {
    of: BTreeMap<Holder, Vec<Range>>,
}

impl Values {
    fn of_state(semantics: &Semantics<'_>, state: &State) -> Self {
        let only = |cells: &[Value]| cells.iter().map(|&value| Range::only(value)).collect();
        let mut of: BTreeMap<Holder, Vec<Range>> = BTreeMap::new();
        for (var, declaration) in semantics.program().vars().iter() {
            match declaration.scope {
                Scope::Global => {
                    of.insert((None, var), only(semantics.global(state, var)));
                }
                Scope::Local(owner) => {
                    for slot in state.slots().filter(|&slot| state.thread(slot) == owner) {
                        of.insert((Some(slot), var), only(semantics.local(state, slot, var)));
                    }
                }
            }
        }
        Self { of }
    }

    fn with(&self, other: &Values, mut join: impl FnMut(Range, Range) -> Range) -> Self {
        let joined = self.of.iter().zip(other.of.values()).map(|((&holder, own), others)| {
            (holder, own.iter().zip(others).map(|(&own, &other)| join(own, other)).collect())
        });
        Self { of: joined.collect() }
    }

    fn contains(&self, other: &Values) -> bool {
        self.with(other, Range::hull) == *self
    }
}

/// A range that contains both, without the bounds that have moved too often.
fn grown(known: Range, more: Range, moves: &mut [usize; 2]) -> Range {
    let hull = known.hull(more);
    let mut kept = known;
    for (moves, (old, new)) in moves.iter_mut().zip([(known.low(), hull.low()), (known.high(), hull.high())])
    {
        *moves += usize::from(old != new);
        if let Some(new) = new.filter(|_| *moves <= MOVES_OF_BOUNDS) {
            kept = kept.hull(Range::only(new));
        }
    }
    kept.widened(hull)
}

/// The steps of a loop, and the states from which they were made.
struct Round<'a, 'p> {
    program: &'p Program,
    semantics: &'a Semantics<'p>,
    steps: &'a [TraceStep],
    /// One more than there are steps.
    states: Vec<State>,
}

impl<'a, 'p> Round<'a, 'p> {
    /// Makes the steps once. They are a loop if they lead back to the same places, and leave those of new threads to
    /// others.
    fn new(semantics: &'a Semantics<'p>, state: &State, steps: &'a [TraceStep]) -> Result<Self, NoLoop> {
        let mut states = vec![state.clone()];
        for step in steps {
            let before = &states[states.len() - 1];
            match semantics.step(before, step.slot, step.edge, &step.choices) {
                Ok(Outcome::Moved(next)) => states.push(next),
                _ => return Err(NoLoop),
            }
        }
        let program = semantics.program();
        let round = Self { program, semantics, steps, states };
        let stays = |slot: SlotId| round.first().location(slot) == round.last().location(slot);
        // Which values are those of new threads could not be told from others behind them.
        let chooses_later = |ops: &[Op]| {
            let later = ops.iter().skip_while(|op| !matches!(op, Op::Spawn { .. }));
            later.into_iter().any(|op| matches!(op, Op::Havoc(..)))
        };
        let mut edges = steps.iter().map(|step| &program.edges()[step.edge].ops);
        let is_loop = !steps.is_empty()
            && round.first().slots().all(stays)
            && semantics.atomic_slot(round.first()) == semantics.atomic_slot(round.last())
            && edges.all(|ops| !ops.contains(&Op::Halt) && !chooses_later(ops));
        if is_loop { Ok(round) } else { Err(NoLoop) }
    }

    fn first(&self) -> &State {
        &self.states[0]
    }

    fn last(&self) -> &State {
        &self.states[self.states.len() - 1]
    }

    /// Whether a thread started in the loop.
    fn is_new(&self, slot: SlotId) -> bool {
        slot.index() >= self.first().slots().len()
    }

    /// Ranges that contain the first state and that the loop does not leave.
    fn closed(&self) -> Option<Values> {
        let first = Values::of_state(self.semantics, self.first());
        let mut values = first.clone();
        let mut moves = vec![[0; 2]; values.of.values().map(Vec::len).sum()];
        for _ in 0..MOST_ROUNDS {
            let (after, _) = self.around(&values);
            if values.contains(&after) {
                return self.narrowed(&first, values);
            }
            let mut moves = moves.iter_mut();
            values = values.with(&after, |known, more| match moves.next() {
                Some(moves) => grown(known, more, moves),
                None => known.hull(more),
            });
        }
        None
    }

    /// Takes up bounds again until all steps can be made from everywhere.
    fn narrowed(&self, first: &Values, mut values: Values) -> Option<Values> {
        for _ in 0..=NARROWINGS {
            let (after, is_possible) = self.around(&values);
            if is_possible && values.contains(&after) {
                return Some(values);
            }
            values = first.with(&after, Range::hull);
        }
        None
    }

    /// What cells hold after the steps, and whether all of these can be made whatever they held before.
    fn around(&self, values: &Values) -> (Values, bool) {
        let (mut values, is_possible) = self.behind(values);
        values.of.retain(|(slot, _), _| slot.is_none_or(|slot| !self.is_new(slot)));
        (values, is_possible)
    }

    /// The same, with what threads hold that started meanwhile.
    fn behind(&self, values: &Values) -> (Values, bool) {
        let mut values = values.clone();
        let mut is_possible = true;
        for (number, step) in self.steps.iter().enumerate() {
            let mut choices = step.choices.iter();
            let mut new = self.states[number].slots().len();
            for op in &self.program.edges()[step.edge].ops {
                let mut look = Look { round: self, values: &values, slot: step.slot, is_sure: true };
                let writes = look.writes(op, &mut choices, SlotId::from_index(new));
                let begun = look.begun(op);
                is_possible &= look.is_sure;
                for (place, range) in writes {
                    write(&mut values, place, range);
                }
                if let Some((thread, arguments)) = begun {
                    let held = self.held_at_first(SlotId::from_index(new), thread, &arguments, number + 1);
                    values.of.extend(held);
                    new += 1;
                }
            }
        }
        (values, is_possible)
    }

    /// What a new thread holds: what it held behind the step that started it, but for its parameters.
    fn held_at_first(
        &self,
        new: SlotId,
        thread: ThreadId,
        arguments: &[Range],
        state: usize,
    ) -> Vec<(Holder, Vec<Range>)> {
        let state = &self.states[state];
        if new.index() >= state.slots().len() || state.thread(new) != thread {
            return Vec::new();
        }
        let locals = self.program.vars().iter().filter(|(_, var)| var.scope == Scope::Local(thread));
        let only =
            |var| self.semantics.local(state, new, var).iter().map(|&value| Range::only(value)).collect();
        let parameters = self.program.threads()[thread].parameters.iter().zip(arguments);
        let given = parameters.map(|(&parameter, &argument)| ((Some(new), parameter), vec![argument]));
        locals.map(|(var, _)| ((Some(new), var), only(var))).chain(given).collect()
    }

    /// Whether each thread moves in the loop, or cannot move at the beginning of each round; new ones end, or cannot move
    /// from the end of their round on, since nobody else changes what they hold. While somebody is inside of an atomic
    /// block, nobody asks.
    fn is_fair(&self, values: &Values) -> bool {
        let mut known = values.clone();
        let of_new = |(slot, _): &Holder| slot.is_some_and(|slot| self.is_new(slot));
        known.of.extend(self.behind(values).0.of.into_iter().filter(|(holder, _)| of_new(holder)));
        let moves_again =
            |slot: SlotId| !self.is_new(slot) && self.steps.iter().any(|step| step.slot == slot);
        self.last().slots().all(|slot| moves_again(slot) || self.rests(slot, &known))
    }

    fn rests(&self, slot: SlotId, values: &Values) -> bool {
        let state = if self.is_new(slot) { self.last() } else { self.first() };
        let Some(location) = state.location(slot) else { return true };
        let is_blocked = |edge: &EdgeId| {
            let mut look = Look { round: self, values, slot, is_sure: true };
            look.is_blocked(&self.program.edges()[*edge].ops)
        };
        self.semantics.status(state, slot) == SlotStatus::Ended
            || self.semantics.atomic_slot(state).is_none()
                && self.program.outgoing(location).iter().all(is_blocked)
    }

    /// Whether a thread has ended when the loop begins.
    fn has_ended(&self, handle: Value) -> bool {
        let mut slots = self.first().slots().filter(|slot| slot.handle() == handle);
        slots.any(|slot| self.semantics.status(self.first(), slot) == SlotStatus::Ended)
    }

    /// Whether a thread runs all the time, or has not started.
    fn never_ends(&self, handle: Value) -> bool {
        let mut slots = self.first().slots().filter(|slot| slot.handle() == handle);
        slots.any(|slot| self.semantics.status(self.first(), slot) != SlotStatus::Ended)
    }
}

/// A write to a cell, or to one of several, of an array.
type Write = ((Holder, Option<Range>), Range);

fn write(values: &mut Values, (holder, index): (Holder, Option<Range>), range: Range) {
    let Some(cells) = values.of.get_mut(&holder) else { return };
    for (number, cell) in cells.iter_mut().enumerate() {
        match index {
            None => *cell = range,
            Some(index) if index.single() == Some(number as Value) => *cell = range,
            Some(index) if index.intersection(Range::only(number as Value)).is_some() => {
                *cell = cell.hull(range);
            }
            Some(_) => {}
        }
    }
}

/// A look at the values by a thread.
struct Look<'a, 'p> {
    round: &'a Round<'a, 'p>,
    values: &'a Values,
    slot: SlotId,
    /// Nothing was met that need not have a value, or need not hold.
    is_sure: bool,
}

impl Look<'_, '_> {
    /// Which thread an operation starts, and with which arguments. Of a thread that is no template there is one, which
    /// is not started twice.
    fn begun(&mut self, op: &Op) -> Option<(ThreadId, Vec<Range>)> {
        let Op::Spawn { thread, arguments, .. } = op else { return None };
        self.is_sure &= self.round.program.threads()[*thread].kind == ThreadKind::Template;
        Some((*thread, arguments.iter().map(|argument| self.value(argument)).collect()))
    }

    /// What an operation writes, if `new` is the next thread to be started.
    fn writes(&mut self, op: &Op, choices: &mut std::slice::Iter<'_, Value>, new: SlotId) -> Vec<Write> {
        match op {
            Op::Assume(condition, _) | Op::Check(condition, _) => {
                let holds = self.value(condition).intersection(Range::only(0)).is_none();
                self.is_sure &= holds;
                Vec::new()
            }
            Op::Join(handle) => {
                let handle = self.value(handle).single();
                self.is_sure &= handle.is_some_and(|handle| self.round.has_ended(handle));
                Vec::new()
            }
            Op::Assign(assignments) => {
                let mut writes = Vec::new();
                for (place, value) in assignments {
                    let value = self.value(value);
                    writes.push((self.place(place), value));
                }
                writes
            }
            Op::Havoc(place, _) => match choices.next() {
                Some(&value) => vec![(self.place(place), Range::only(value))],
                None => self.unsure(Vec::new()),
            },
            Op::Spawn { handle, .. } => {
                let handles = Range::between(Some(new.handle()), None);
                handle.iter().map(|place| (self.place(place), handles)).collect()
            }
            Op::Halt => self.unsure(Vec::new()),
        }
    }

    /// Whether an edge with these operations certainly cannot be taken.
    fn is_blocked(&mut self, ops: &[Op]) -> bool {
        for op in ops {
            let value = match op {
                Op::Assume(condition, _) | Op::Check(condition, _) | Op::Join(condition) => {
                    self.value(condition)
                }
                _ => return false,
            };
            let is_blocked = match op {
                Op::Assume(..) => value.single() == Some(0),
                Op::Join(_) => value.single().is_some_and(|handle| self.round.never_ends(handle)),
                _ => false,
            };
            let passes = !matches!(op, Op::Join(_)) && value.intersection(Range::only(0)).is_none();
            if is_blocked || !passes {
                return is_blocked && self.is_sure;
            }
        }
        false
    }

    fn unsure<T>(&mut self, value: T) -> T {
        self.is_sure = false;
        value
    }

    fn holder(&self, var: VarId) -> Holder {
        let is_global = self.round.program.vars()[var].is_global();
        ((!is_global).then_some(self.slot), var)
    }

    fn place(&mut self, place: &Place) -> (Holder, Option<Range>) {
        match place {
            Place::Scalar(var) => (self.holder(*var), None),
            Place::Element(array, index) => {
                let index = self.index(*array, index);
                (self.holder(*array), Some(index))
            }
        }
    }

    fn cells(&self, var: VarId) -> &[Range] {
        self.values.of.get(&self.holder(var)).map_or(&[], Vec::as_slice)
    }

    /// An index, which has to be inside of its array.
    fn index(&mut self, array: VarId, index: &Expr) -> Range {
        let index = self.value(index);
        let length = self.cells(array).len() as Value;
        self.is_sure &= index.low().is_some_and(|low| low >= 0);
        self.is_sure &= index.high().is_some_and(|high| high < length);
        index
    }

    /// The values that an expression may have.
    fn value(&mut self, expr: &Expr) -> Range {
        match expr {
            Expr::Int(value) => Range::only(*value),
            Expr::Bool(value) => Range::only((*value).into()),
            Expr::Var(var) => match self.cells(*var) {
                [range] => *range,
                _ => self.unsure(Range::ALL),
            },
            Expr::Element(array, index) => {
                let index = self.index(*array, index);
                let is_meant = |number: usize| index.intersection(Range::only(number as Value)).is_some();
                let cells = self.cells(*array).iter().enumerate();
                let meant = cells.filter(|(number, _)| is_meant(*number)).map(|(_, range)| *range);
                meant.reduce(Range::hull).unwrap_or(Range::ALL)
            }
            Expr::This if self.round.is_new(self.slot) => Range::between(Some(self.slot.handle()), None),
            Expr::This => Range::only(self.slot.handle()),
            Expr::Unary(op, operand) => {
                let operand = self.value(operand);
                match op {
                    UnaryOp::Neg => operand.negated(),
                    UnaryOp::Not => Range::apply(BinaryOp::Eq, operand, Range::only(0)),
                    UnaryOp::BitNot => Range::only(-1).minus(operand),
                }
            }
            Expr::Binary(op, operands) => {
                let [left, right] = operands.as_ref();
                let left = self.value(left);
                match (op, left.single()) {
                    (BinaryOp::And, Some(0)) => return Range::only(0),
                    (BinaryOp::Or, Some(1)) | (BinaryOp::Implies, Some(0)) => return Range::only(1),
                    _ => {}
                }
                let right = self.value(right);
                self.is_sure &= has_value(*op, right);
                Range::apply(*op, left, right)
            }
            Expr::Ite(parts) => {
                let [condition, yes, no] = parts.as_ref();
                match self.value(condition).single() {
                    Some(0) => self.value(no),
                    Some(_) => self.value(yes),
                    None => self.value(yes).hull(self.value(no)),
                }
            }
            Expr::Wrap(int_type, operand) => self.value(operand).wrapped(*int_type),
            Expr::CountAt(_) | Expr::CountRunning(_) => self.unsure(Range::between(Some(0), None)),
        }
    }
}

/// Whether an operator has a value for all these right operands.
fn has_value(op: BinaryOp, right: Range) -> bool {
    match op {
        BinaryOp::Div | BinaryOp::Rem => right.intersection(Range::only(0)).is_none(),
        BinaryOp::Shl | BinaryOp::Shr => {
            right.low().is_some_and(|low| low >= 0) && right.high().is_some_and(|high| high < 64)
        }
        _ => true,
    }
}
