//! Barriers, and what is done once.
//!
//! A barrier holds for how many threads it waits, how many have come, and the number of the round.
//! Whoever comes last begins a new round; the others wait until it has begun. One thread of each
//! round gets another result than the rest, and POSIX leaves open which: every thread that looks at
//! its result may be the one, and the last must be it unless another one was, or could have been
//! without looking.

use super::access::Cells;
use super::assign::Wanted;
use super::branch::Ways;
use super::cell::Cell;
use super::{Lowered, Lowering};
use crate::fold::{self, Range};
use crate::types::{BARRIER_CELL, CType, IntKind};
use crate::value::{Kind, Lvalue, Value};
use lang_c::ast::Expression;
use lang_c::span::{Node, Span as TreeSpan};
use rely_program::{BinaryOp, Check, CheckKind, Domain, Expr, Op, Place, Sort, VarId};

/// `EINVAL`.
const INVALID: i128 = 22;
/// `PTHREAD_BARRIER_SERIAL_THREAD`.
const SERIAL_THREAD: i128 = -1;

/// What a barrier holds of the one that gets another result: nobody can be it yet,
const NOBODY: i128 = 0;
/// somebody is,
const CHOSEN: i128 = 1;
/// or somebody may be who does not look.
const PERHAPS: i128 = 2;

/// What a variable of `pthread_once_t` holds before somebody has begun (`PTHREAD_ONCE_INIT`),
const FRESH: i128 = 0;
/// while the routine runs,
const BEGUN: i128 = 1;
/// and when all is done.
const DONE: i128 = 2;

/// The cells of a barrier.
#[derive(Clone)]
struct Barrier {
    count: Place,
    arrived: Place,
    round: Place,
    chosen: Place,
}

/// What a thread that comes to a barrier keeps in mind.
struct Arrival {
    round: VarId,
    is_last: VarId,
    /// Its result, and a choice that nobody knows, if somebody looks at the result.
    result: Option<(VarId, VarId)>,
}

impl Barrier {
    fn arrive(&self, arrival: &Arrival) -> Vec<Op> {
        let next = fold::add(self.arrived.read(), Expr::Int(1));
        let is_last = fold::binary(BinaryOp::Ge, next.clone(), self.count.read());
        let round = self.round.read();
        let (takes, stays) = self.chosen(arrival, &is_last);
        let mut ops = Vec::new();
        let mut changes = vec![
            (self.arrived.clone(), fold::ite(is_last.clone(), Expr::Int(0), next)),
            (
                self.round.clone(),
                fold::ite(is_last.clone(), fold::add(round.clone(), Expr::Int(1)), round.clone()),
            ),
            (self.chosen.clone(), fold::ite(is_last.clone(), Expr::Int(NOBODY), stays)),
            (Place::Scalar(arrival.round), round),
            (Place::Scalar(arrival.is_last), is_last),
        ];
        if let Some((result, choice)) = arrival.result {
            ops.push(Op::Havoc(Place::Scalar(choice), Domain::Bool));
            let value = fold::ite(takes, Expr::Int(SERIAL_THREAD), Expr::Int(0));
            changes.push((Place::Scalar(result), value));
        }
        ops.push(Op::Assign(changes));
        ops
    }

    /// Whether the thread is the one with another result, and what is known of that one if more
    /// threads come.
    fn chosen(&self, arrival: &Arrival, is_last: &Expr) -> (Expr, Expr) {
        let chosen = self.chosen.read();
        let Some((_, choice)) = arrival.result else {
            let perhaps = fold::ite(fold::is(chosen.clone(), NOBODY), Expr::Int(PERHAPS), chosen);
            return (Expr::Bool(false), perhaps);
        };
        let is_free = fold::not(fold::is(chosen.clone(), CHOSEN));
        let may_be = fold::and(is_free, Expr::Var(choice));
        let must_be = fold::and(is_last.clone(), fold::is(chosen.clone(), NOBODY));
        let takes = fold::or(must_be, may_be);
        (takes.clone(), fold::ite(takes, Expr::Int(CHOSEN), chosen))
    }
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// Functions on barriers, and `pthread_once`.
    pub(super) fn barrier_call(
        &mut self,
        name: &str,
        arguments: &'a [Node<Expression>],
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Option<Value>> {
        match (name, arguments) {
            ("pthread_barrier_init", [barrier, attributes, count]) => {
                self.eval_and_discard(attributes)?;
                self.begin_barrier(barrier, count, wanted, at).map(Some)
            }
            ("pthread_barrier_wait", [barrier]) => self.wait_at_barrier(barrier, wanted, at).map(Some),
            ("pthread_barrier_destroy", [barrier]) => {
                self.eval_and_discard(barrier)?;
                Ok(Some(Value::constant(CType::INT, 0)))
            }
            ("pthread_once", [control, routine]) => {
                self.once(control, routine, at)?;
                Ok(Some(Value::constant(CType::INT, 0)))
            }
            _ => Ok(None),
        }
    }

    /// The place of one of the cells of a barrier.
    fn barrier_part(&mut self, base: &Lvalue, number: u64, at: TreeSpan) -> Lowered<Cells> {
        let part = self.part(base.clone(), number * BARRIER_CELL.size(), CType::Int(BARRIER_CELL));
        self.cells(&part, at)
    }

    /// All barriers that an expression may mean: the cells of their counts, and the others of each.
    fn barriers(&mut self, barrier: &'a Node<Expression>) -> Lowered<(Cells, Vec<Barrier>)> {
        let pointer = self.eval(barrier)?;
        let pointer = self.settle_shared(pointer);
        let base = self.dereference(pointer, barrier, barrier.span)?;
        let counts = self.barrier_part(&base, 0, barrier.span)?;
        let mut others = Vec::new();
        for number in 1..4 {
            others.push(self.barrier_part(&base, number, barrier.span)?.cells);
        }
        let of_cell = |cell: &Cell| {
            let other =
                |number: u64| cell.part_behind(number * BARRIER_CELL.size(), &others[number as usize - 1]);
            let (arrived, round, chosen) = (other(1)?, other(2)?, other(3)?);
            Some(Barrier { count: cell.place.clone(), arrived, round, chosen })
        };
        match counts.cells.iter().map(of_cell).collect::<Option<Vec<Barrier>>>() {
            Some(barriers) => Ok((counts, barriers)),
            None => self.refuse(barrier.span, "a barrier inside of something else"),
        }
    }

    /// Does something to whichever barrier it is, in one step.
    fn act_on_barrier(
        &mut self,
        found: (Cells, Vec<Barrier>),
        value: &Value,
        ops: impl Fn(&Barrier) -> Vec<Op>,
    ) {
        let (cells, barriers) = found;
        self.act_atomically(cells, &value.guards, |cell| {
            let of_cell = barriers.iter().find(|barrier| barrier.count == cell.place);
            of_cell.map(&ops).unwrap_or_default()
        });
    }

    fn begin_barrier(
        &mut self,
        barrier: &'a Node<Expression>,
        count: &'a Node<Expression>,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let count = self.eval(count)?;
        let count = self.convert(count, &CType::Int(IntKind::UnsignedInt), at)?;
        let count = self.settle(count);
        let number = self.number(&count);
        let found = self.barriers(barrier)?;
        let is_valid = fold::not(fold::is(number.clone(), 0));
        let result = (wanted != Wanted::Nothing).then(|| self.temporary(Sort::Int));
        self.act_on_barrier(found, &count, |barrier| {
            let set = |place: &Place, value: Expr| {
                (place.clone(), fold::ite(is_valid.clone(), value, place.read()))
            };
            let mut changes = vec![set(&barrier.count, number.clone())];
            let zeros = [&barrier.arrived, &barrier.round, &barrier.chosen];
            changes.extend(zeros.map(|place| set(place, Expr::Int(0))));
            if let Some(result) = result {
                let value = fold::ite(is_valid.clone(), Expr::Int(0), Expr::Int(INVALID));
                changes.push((Place::Scalar(result), value));
            }
            vec![Op::Assign(changes)]
        });
        Ok(match result {
            Some(result) => Value::number(CType::INT, Expr::Var(result), Range { low: 0, high: INVALID }),
            None => Value::void(),
        })
    }

    fn wait_at_barrier(
        &mut self,
        barrier: &'a Node<Expression>,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let found = self.barriers(barrier)?;
        let result =
            (wanted != Wanted::Nothing).then(|| (self.temporary(Sort::Int), self.temporary(Sort::Bool)));
        let arrival =
            Arrival { round: self.temporary(Sort::Int), is_last: self.temporary(Sort::Bool), result };
        let message = format!("`{}` waits at a barrier that is not initialised", self.origin.text(at));
        let check = self.builder.check(Check { kind: CheckKind::Bounds, message, span: Some(self.span(at)) });
        let nothing = Value::void();
        self.act_on_barrier(found.clone(), &nothing, |barrier| {
            let is_set = fold::not(fold::is(barrier.count.read(), 0));
            [Op::Check(is_set, check)].into_iter().chain(barrier.arrive(&arrival)).collect()
        });
        self.act_on_barrier(found, &nothing, |barrier| {
            let has_begun = fold::binary(BinaryOp::Ne, barrier.round.read(), Expr::Var(arrival.round));
            vec![Op::wait(fold::or(Expr::Var(arrival.is_last), has_begun))]
        });
        Ok(match result {
            Some((result, _)) => {
                Value::number(CType::INT, Expr::Var(result), Range { low: SERIAL_THREAD, high: 0 })
            }
            None => Value::void(),
        })
    }

    /// The first thread calls the routine; those that come meanwhile wait until it is done.
    fn once(
        &mut self,
        control: &'a Node<Expression>,
        routine: &'a Node<Expression>,
        at: TreeSpan,
    ) -> Lowered<()> {
        let pointer = self.eval(control)?;
        let pointer = self.settle_shared(pointer);
        let routine_value = self.eval(routine)?;
        let name = match &routine_value.kind {
            Kind::Pointer(known) => self.function_name(known.object),
            _ => None,
        };
        let Some((name, function)) = name.and_then(|name| Some((name, *self.unit.functions.get(name)?)))
        else {
            return self
                .refuse(routine.span, "`pthread_once` with a routine that is computed or not defined");
        };
        if self.is_silent {
            return Ok(());
        }
        let place = self.dereference(pointer, control, control.span)?;
        let place = Lvalue { ty: CType::INT, ..place };
        let found = self.cells(&place, control.span)?;
        let is_first = self.temporary(Sort::Bool);
        self.act_atomically(found.clone(), &[], |cell| {
            let state = cell.place.read();
            let is_fresh = fold::is(state.clone(), FRESH);
            let begun = fold::ite(is_fresh.clone(), Expr::Int(BEGUN), state.clone());
            let changes = vec![(cell.place.clone(), begun), (Place::Scalar(is_first), is_fresh)];
            vec![Op::wait(fold::not(fold::is(state, BEGUN))), Op::Assign(changes)]
        });
        let Ways { holds, fails } = self.branch_on(Value::truth(CType::INT, Expr::Var(is_first)));
        self.flow = holds;
        self.inline(name, &function.node, Vec::new(), Wanted::Nothing, at)?;
        self.act_atomically(found, &[], |cell| vec![Op::assign(cell.place.clone(), Expr::Int(DONE))]);
        let after = std::mem::replace(&mut self.flow, fails);
        self.join_here(after)
    }
}
