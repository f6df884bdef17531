//! What a step along an edge does to what is known.

use super::candidates::Candidates;
use super::facts::{Cell, Facts, Known, Rest, are_apart, cell};
use rely_program::{BinaryOp, EdgeId, Expr, Op, Place, Program, Sort, ThreadId, UnaryOp, Value};

/// What an edge does, if it can be taken at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Passage {
    /// What holds before a step along the edge.
    pub(super) needs: Facts,
    /// What holds after it.
    pub(super) leaves: Facts,
    /// The cells that it may change.
    pub(super) writes: Vec<Cell>,
    /// The threads that it starts, with what is known of their parameters.
    pub(super) starts: Vec<(ThreadId, Vec<(Cell, Known)>)>,
    /// Whether it ends the program.
    pub(super) halts: bool,
}

/// Carries out an edge from what is known at its source; `None` if it cannot be taken.
pub(super) fn pass(
    program: &Program,
    candidates: &Candidates,
    edge: EdgeId,
    source: &Facts,
) -> Option<Passage> {
    let actor = program.locations()[program.edges()[edge].source].thread;
    let mut passing = Passing {
        program,
        candidates,
        handle: program.instance_handle(actor),
        passage: Passage {
            needs: source.clone(),
            leaves: source.clone(),
            writes: Vec::new(),
            starts: Vec::new(),
            halts: false,
        },
    };
    for op in &program.edges()[edge].ops {
        passing.take(op)?;
    }
    Some(passing.passage)
}

struct Passing<'p> {
    program: &'p Program,
    candidates: &'p Candidates,
    /// The handle of the thread, if there is only one.
    handle: Option<Value>,
    passage: Passage,
}

impl Passing<'_> {
    /// `None` if the operation cannot be done.
    fn take(&mut self, op: &Op) -> Option<()> {
        match op {
            Op::Assume(condition, _) | Op::Check(condition, _) => self.assume(condition, true)?,
            Op::Assign(pairs) => {
                let values: Vec<_> = pairs.iter().map(|(place, value)| (place, self.known(value))).collect();
                values.into_iter().for_each(|(place, value)| self.set(place, value));
            }
            Op::Havoc(place, _) => self.set(place, None),
            Op::Spawn { thread, arguments, handle } => self.spawn(*thread, arguments, handle.as_ref()),
            Op::Join(handle) => self.join(handle)?,
            Op::Halt => self.passage.halts = true,
        }
        Some(())
    }

    fn spawn(&mut self, thread: ThreadId, arguments: &[Expr], handle: Option<&Place>) {
        let parameters = &self.program.threads()[thread].parameters;
        let known = parameters.iter().zip(arguments).filter_map(|(parameter, argument)| {
            let known = self.known(argument).filter(|known| *known != Known::Own)?;
            self.candidates.contains((*parameter, 0)).then_some(((*parameter, 0), known))
        });
        self.passage.starts.push((thread, known.collect()));
        self.passage.leaves.resting.remove(&thread);
        if let Some(place) = handle {
            self.set(place, self.program.instance_handle(thread).map(Known::Constant));
        }
    }

    fn join(&mut self, handle: &Expr) -> Option<()> {
        let Some(Known::Constant(handle)) = self.known(handle) else { return Some(()) };
        let Some(thread) = self.program.instance_with_handle(handle) else { return Some(()) };
        if self.passage.leaves.resting.get(&thread) == Some(&Rest::Unstarted) {
            return None;
        }
        self.passage.leaves.resting.insert(thread, Rest::Ended);
        if !self.passage.starts.iter().any(|(started, _)| *started == thread) {
            self.passage.needs.resting.insert(thread, Rest::Ended);
        }
        Some(())
    }

    fn set(&mut self, place: &Place, value: Option<Known>) {
        match cell(self.program, &place.read()) {
            Some(cell) => self.set_cell(cell, value),
            // Any of them.
            None => {
                let var = place.var();
                (0..self.program.vars()[var].cells() as u32)
                    .for_each(|index| self.set_cell((var, index), None));
            }
        }
    }

    fn set_cell(&mut self, cell: Cell, value: Option<Known>) {
        if !self.candidates.contains(cell) {
            return;
        }
        if !self.passage.writes.contains(&cell) {
            self.passage.writes.push(cell);
        }
        match value {
            Some(value) => _ = self.passage.leaves.values.insert(cell, value),
            None => _ = self.passage.leaves.values.remove(&cell),
        }
    }

    fn known(&self, expr: &Expr) -> Option<Known> {
        match expr {
            // The smallest number has no negation, which assertions would need.
            Expr::Int(value) => value.checked_neg().map(|_| Known::Constant(*value)),
            Expr::Bool(value) => Some(Known::Constant(Value::from(*value))),
            Expr::This => Some(self.handle.map_or(Known::Own, Known::Constant)),
            _ => self.passage.leaves.values.get(&cell(self.program, expr)?).copied(),
        }
    }

    /// Goes on if a condition holds, or does not.
    fn assume(&mut self, condition: &Expr, holds: bool) -> Option<()> {
        match condition {
            Expr::Bool(value) => (*value == holds).then_some(()),
            Expr::Unary(UnaryOp::Not, operand) => self.assume(operand, !holds),
            Expr::Binary(BinaryOp::And, operands) if holds => {
                operands.iter().try_for_each(|operand| self.assume(operand, true))
            }
            Expr::Binary(BinaryOp::Or, operands) if !holds => {
                operands.iter().try_for_each(|operand| self.assume(operand, false))
            }
            Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), operands) => {
                let [left, right] = &**operands;
                self.compare(left, right, (*op == BinaryOp::Eq) == holds)
            }
            other => match cell(self.program, other) {
                Some(cell) => self.test(cell, Known::Constant(1), holds),
                None => Some(()),
            },
        }
    }

    fn compare(&mut self, left: &Expr, right: &Expr, is_equal: bool) -> Option<()> {
        for (tested, value) in [(left, right), (right, left)] {
            if let (Some(cell), Some(value)) = (cell(self.program, tested), self.known(value)) {
                return self.test(cell, value, is_equal);
            }
        }
        Some(())
    }

    fn test(&mut self, cell: Cell, value: Known, is_equal: bool) -> Option<()> {
        if !self.candidates.contains(cell) {
            return Some(());
        }
        // A boolean that is not true is false.
        let is_bool = self.program.vars()[cell.0].sort == Sort::Bool;
        let (value, is_equal) = match value {
            Known::Constant(constant) if is_bool && !is_equal => (Known::Constant(1 - constant), true),
            other => (other, is_equal),
        };
        match self.passage.leaves.values.get(&cell) {
            Some(known) if is_equal => return (!are_apart(self.program, *known, value)).then_some(()),
            Some(known) => return (*known != value).then_some(()),
            None if !is_equal => return Some(()),
            None => {}
        }
        self.passage.leaves.values.insert(cell, value);
        if !self.passage.writes.contains(&cell) {
            self.passage.needs.values.insert(cell, value);
        }
        Some(())
    }
}
