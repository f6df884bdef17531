//! What is true of a program, found out in the plainest way.
//!
//! States are trees of vectors in a hash set, expressions are evaluated by a function of its
//! own, and every thread is tried in every state. Written from the documentation of the
//! language; nothing here calls [`rely_program::Semantics`].

use rely_base::Id;
use rely_program::{
    BinaryOp, Blocking, CheckId, CheckKind, Domain, EdgeId, Expr, Goal, Initial, LocationId, Op, Place,
    Program, PropertyKind, Scope, ThreadId, ThreadKind, UnaryOp, Value, VarId,
};
use std::collections::HashSet;

/// What is true of a program and a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// No run violates the goal, and these are all states.
    Safe {
        /// How many states there are between complete steps.
        states: usize,
    },
    /// Some run violates the goal.
    Unsafe {
        /// How many complete steps a shortest one takes, the failing one included.
        steps: usize,
    },
    /// In some state a thread waits for ever while others may go on; nowhere all of them do.
    Stuck,
    /// Some run does something that has no meaning, and none violates the goal before.
    Meaningless,
    /// There are more states than one wanted to see.
    TooMany,
}

/// The naive interpreter.
#[derive(Debug)]
pub struct Reference<'p> {
    program: &'p Program,
    goal: Goal,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    /// The cells of each variable of the program that is global.
    globals: Vec<Vec<Value>>,
    threads: Vec<Running>,
    halted: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Running {
    thread: ThreadId,
    at: Option<LocationId>,
    /// The cells of each variable of the program that belongs to the thread.
    locals: Vec<Vec<Value>>,
}

/// Something without a meaning: a division by zero, an index out of bounds.
#[derive(Debug)]
struct NoMeaning;

/// What trying one edge, or all of a thread's, has led to.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    pub(crate) moved: Vec<State>,
    pub(crate) failed: Vec<CheckId>,
    pub(crate) abandoned: bool,
    pub(crate) meaningless: bool,
}

impl Outcomes {
    /// Whether the thread waits, if these are all of its steps.
    pub(crate) fn is_waiting(&self) -> bool {
        self.moved.is_empty() && self.failed.is_empty() && !self.abandoned && !self.meaningless
    }
}

impl<'p> Reference<'p> {
    /// Whether a check that fails ends the run: if the question is who goes on or ends, assertions and overflows do not.
    fn ends_run(&self, check: CheckId) -> bool {
        let kind = self.program.checks()[check].kind;
        !self.goal.is_about_going_on() || !matches!(kind, CheckKind::Assertion | CheckKind::Overflow)
    }

    /// Asks about a program and a goal. Only `assert`, `deadlock` and `overflow` are answered.
    pub fn new(program: &'p Program, goal: Goal) -> Self {
        Self { program, goal }
    }

    pub(crate) fn goal(&self) -> Goal {
        self.goal
    }

    /// Visits all states, at most `limit`.
    pub fn answer(&self, limit: usize) -> Answer {
        let mut meaningless = false;
        let mut level: Vec<State> = Vec::new();
        let mut seen: HashSet<State> = HashSet::new();
        for state in self.initial_states() {
            if seen.insert(state.clone()) {
                level.push(state);
            }
        }
        if level.iter().any(|state| self.violates_property(state, &mut meaningless)) {
            return Answer::Unsafe { steps: 0 };
        }
        let mut steps = 0;
        while !level.is_empty() {
            let mut next_level = Vec::new();
            let mut violated = false;
            for state in &level {
                let (successors, failed, stuck) = self.successors(state, &mut meaningless);
                if stuck {
                    return Answer::Unsafe { steps };
                }
                violated |= failed;
                for next in successors {
                    if seen.insert(next.clone()) {
                        violated |= self.violates_property(&next, &mut meaningless);
                        next_level.push(next);
                    }
                }
            }
            steps += 1;
            if violated {
                return Answer::Unsafe { steps };
            }
            if seen.len() > limit {
                return Answer::TooMany;
            }
            level = next_level;
        }
        match () {
            () if meaningless => Answer::Meaningless,
            () if self.goal == Goal::Deadlock && self.has_stuck_thread(seen.iter()) => Answer::Stuck,
            () => Answer::Safe { states: seen.len() },
        }
    }

    pub(crate) fn initial_states(&self) -> Vec<State> {
        let nothing =
            State { globals: vec![vec![]; self.program.vars().len()], threads: vec![], halted: false };
        let mut states = vec![nothing];
        for (id, declaration) in self.program.threads().iter() {
            if let ThreadKind::Instance { running } = declaration.kind {
                let at = running.then_some(declaration.entry);
                let locals = vec![vec![]; self.program.vars().len()];
                states[0].threads.push(Running { thread: id, at, locals });
            }
        }
        for (id, var) in self.program.vars().iter() {
            states = match var.scope {
                Scope::Global => {
                    with_initial(states, &var.initial, var.cells(), |state| &mut state.globals[id.index()])
                }
                Scope::Local(owner) => {
                    match states[0].threads.iter().position(|running| running.thread == owner) {
                        Some(slot) => with_initial(states, &var.initial, var.cells(), |state| {
                            &mut state.threads[slot].locals[id.index()]
                        }),
                        None => states,
                    }
                }
            };
        }
        let required = |state: &State| {
            self.program.requires().iter().all(|condition| matches!(self.eval(state, None, condition), Ok(1)))
        };
        states.retain(required);
        states
    }

    /// Whether a thread is inside of an atomic block.
    pub(crate) fn is_in_block(&self, state: &State) -> bool {
        (0..state.threads.len()).any(|slot| self.is_block_of(state, slot))
    }

    fn is_block_of(&self, state: &State, slot: usize) -> bool {
        state.threads[slot].at.is_some_and(|at| self.program.locations()[at].atomic)
    }

    /// The threads that may move, as far as halts and atomic blocks go.
    pub(crate) fn movable(&self, state: &State) -> Vec<usize> {
        let slots = 0..state.threads.len();
        let in_block: Vec<usize> = slots.clone().filter(|&slot| self.is_block_of(state, slot)).collect();
        match (state.halted, in_block.is_empty()) {
            (true, _) => vec![],
            (false, false) => in_block,
            (false, true) => slots.collect(),
        }
    }

    /// The edges that leave the place of a thread.
    pub(crate) fn edges_from(&self, state: &State, slot: usize) -> impl Iterator<Item = EdgeId> {
        state.threads[slot].at.into_iter().flat_map(|at| self.program.outgoing(at)).copied()
    }

    /// Whether nothing moves in a state outside of atomic blocks although not all has ended.
    pub(crate) fn stands_still(&self, state: &State, meaningless: &mut bool) -> bool {
        Reference::new(self.program, Goal::Deadlock).successors(state, meaningless).2
    }

    fn violates_property(&self, state: &State, meaningless: &mut bool) -> bool {
        if self.goal != Goal::Assert || self.is_in_block(state) {
            return false;
        }
        for property in self.program.properties() {
            let (looked_at, condition) = match &property.kind {
                PropertyKind::Always(condition) => (true, condition),
                PropertyKind::AtEnd(condition) => {
                    let unfinished = |running: &Running| running.at.is_some() && !self.has_ended(running);
                    (!state.halted && !state.threads.iter().any(unfinished), condition)
                }
                PropertyKind::DeadlockFree | PropertyKind::Terminates => continue,
            };
            if looked_at {
                match self.eval(state, None, condition) {
                    Ok(0) => return true,
                    Ok(_) => {}
                    Err(NoMeaning) => {
                        *meaningless = true;
                        return false;
                    }
                }
            }
        }
        false
    }

    /// All states after one complete step of any thread, whether a step violates the goal, and
    /// whether the state is a deadlock that violates the goal.
    fn successors(&self, state: &State, meaningless: &mut bool) -> (Vec<State>, bool, bool) {
        let (mut all, mut failed) = (Vec::new(), false);
        let (mut someone_moves, mut someone_waits, mut abandoned) = (false, false, false);
        for (_, outcomes) in self.outcomes(state) {
            *meaningless |= outcomes.meaningless;
            failed |=
                outcomes.failed.iter().any(|check| self.goal.includes(self.program.checks()[*check].kind));
            abandoned |= outcomes.abandoned;
            if outcomes.moved.is_empty() && outcomes.failed.is_empty() && !outcomes.meaningless {
                someone_waits = true;
            } else {
                someone_moves = true;
            }
            all.extend(outcomes.moved);
        }
        let deadlock = someone_waits && !someone_moves && !abandoned;
        (all, failed, deadlock && self.goal == Goal::Deadlock)
    }

    /// What each thread can do in a state that has started and not ended.
    pub(crate) fn outcomes(&self, state: &State) -> Vec<(usize, Outcomes)> {
        let runs = |slot: &usize| {
            let running = &state.threads[*slot];
            !state.halted && running.at.is_some() && !self.has_ended(running)
        };
        let slots = (0..state.threads.len()).filter(runs);
        slots.map(|slot| (slot, self.complete_steps(state, slot))).collect()
    }

    fn has_ended(&self, running: &Running) -> bool {
        running.at == Some(self.program.threads()[running.thread].exit)
    }

    fn complete_steps(&self, state: &State, slot: usize) -> Outcomes {
        let mut outcomes = Outcomes::default();
        let mut pending = vec![state.clone()];
        let mut inside = HashSet::new();
        while let Some(state) = pending.pop() {
            let Some(at) = state.threads[slot].at else { continue };
            for &edge in self.program.outgoing(at) {
                for next in self.take(&state, slot, edge, &mut outcomes) {
                    let at = next.threads[slot].at;
                    let in_block = at.is_some_and(|at| self.program.locations()[at].atomic);
                    if !in_block || next.halted {
                        outcomes.moved.push(next);
                    } else if inside.insert(next.clone()) {
                        pending.push(next);
                    }
                }
            }
        }
        outcomes
    }

    /// All states after one edge.
    pub(crate) fn take(
        &self,
        state: &State,
        slot: usize,
        edge: EdgeId,
        outcomes: &mut Outcomes,
    ) -> Vec<State> {
        let edge = &self.program.edges()[edge];
        let mut states = vec![state.clone()];
        for op in &edge.ops {
            let mut after = Vec::new();
            for state in states {
                match self.operate(state, slot, op, outcomes) {
                    Ok(more) => after.extend(more),
                    Err(NoMeaning) => outcomes.meaningless = true,
                }
            }
            states = after;
        }
        for state in &mut states {
            state.threads[slot].at = Some(edge.target);
        }
        states
    }

    fn operate(
        &self,
        mut state: State,
        slot: usize,
        op: &Op,
        outcomes: &mut Outcomes,
    ) -> Result<Vec<State>, NoMeaning> {
        match op {
            Op::Assume(condition, blocking) => {
                if self.eval(&state, Some(slot), condition)? == 0 {
                    outcomes.abandoned |= *blocking == Blocking::Abandon;
                    return Ok(vec![]);
                }
            }
            Op::Check(condition, check) => {
                if self.eval(&state, Some(slot), condition)? == 0 && self.ends_run(*check) {
                    outcomes.failed.push(*check);
                    return Ok(vec![]);
                }
            }
            Op::Assign(assignments) => {
                let mut writes = Vec::new();
                for (place, value) in assignments {
                    let value = self.eval(&state, Some(slot), value)?;
                    writes.push((place.var(), self.cell_number(&state, slot, place)?, value));
                }
                for (var, cell, value) in writes {
                    self.cells_mut(&mut state, slot, var)[cell] = value;
                }
            }
            Op::Havoc(place, domain) => {
                let cell = self.cell_number(&state, slot, place)?;
                let with = |value: Value| {
                    let mut state = state.clone();
                    self.cells_mut(&mut state, slot, place.var())[cell] = value;
                    state
                };
                return Ok(values_of(*domain).map(with).collect());
            }
            Op::Spawn { thread, arguments, handle } => {
                return self.spawn(state, slot, *thread, arguments, handle);
            }
            Op::Join(handle) => {
                let handle = self.eval(&state, Some(slot), handle)?;
                let index = usize::try_from(handle - 1).ok();
                let joined = index.and_then(|index| state.threads.get(index));
                if !joined.is_some_and(|thread| self.has_ended(thread)) {
                    return Ok(vec![]);
                }
            }
            Op::Halt => state.halted = true,
        }
        Ok(vec![state])
    }

    fn spawn(
        &self,
        mut state: State,
        slot: usize,
        thread: ThreadId,
        arguments: &[Expr],
        handle: &Option<Place>,
    ) -> Result<Vec<State>, NoMeaning> {
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.eval(&state, Some(slot), argument)?);
        }
        let target = handle.as_ref().map(|place| Ok((place.var(), self.cell_number(&state, slot, place)?)));
        let target = target.transpose()?;
        let declaration = &self.program.threads()[thread];
        let is_template = declaration.kind == ThreadKind::Template;
        let new = if is_template {
            let locals = vec![vec![]; self.program.vars().len()];
            state.threads.push(Running { thread, at: Some(declaration.entry), locals });
            state.threads.len() - 1
        } else {
            let new = state.threads.iter().position(|running| running.thread == thread).ok_or(NoMeaning)?;
            if state.threads[new].at.is_some() {
                return Err(NoMeaning);
            }
            state.threads[new].at = Some(declaration.entry);
            new
        };
        let mut states = vec![state];
        for (id, var) in self.program.vars().iter() {
            if is_template && var.scope == Scope::Local(thread) {
                states = with_initial(states, &var.initial, var.cells(), |state| {
                    &mut state.threads[new].locals[id.index()]
                });
            }
        }
        for state in &mut states {
            for (parameter, value) in declaration.parameters.iter().zip(&values) {
                state.threads[new].locals[parameter.index()] = vec![*value];
            }
            if let Some((var, cell)) = target {
                self.cells_mut(state, slot, var)[cell] = new as Value + 1;
            }
        }
        Ok(states)
    }

    fn cells_mut<'s>(&self, state: &'s mut State, slot: usize, var: VarId) -> &'s mut Vec<Value> {
        match self.program.vars()[var].scope {
            Scope::Global => &mut state.globals[var.index()],
            Scope::Local(_) => &mut state.threads[slot].locals[var.index()],
        }
    }

    /// From inside a thread its own locals are seen, from outside those of instances.
    fn cells<'s>(&self, state: &'s State, slot: Option<usize>, var: VarId) -> &'s [Value] {
        match self.program.vars()[var].scope {
            Scope::Global => &state.globals[var.index()],
            Scope::Local(owner) => {
                let slot = slot.or_else(|| state.threads.iter().position(|running| running.thread == owner));
                slot.map_or(&[], |slot| &state.threads[slot].locals[var.index()])
            }
        }
    }

    fn cell_number(&self, state: &State, slot: usize, place: &Place) -> Result<usize, NoMeaning> {
        match place {
            Place::Scalar(_) => Ok(0),
            Place::Element(array, index) => {
                let index = self.eval(state, Some(slot), index)?;
                let index = usize::try_from(index).map_err(|_| NoMeaning)?;
                if index < self.program.vars()[*array].cells() { Ok(index) } else { Err(NoMeaning) }
            }
        }
    }

    fn eval(&self, state: &State, slot: Option<usize>, expr: &Expr) -> Result<Value, NoMeaning> {
        let eval = |expr: &Expr| self.eval(state, slot, expr);
        Ok(match expr {
            Expr::Int(value) => *value,
            Expr::Bool(value) => Value::from(*value),
            Expr::Var(var) => *self.cells(state, slot, *var).first().ok_or(NoMeaning)?,
            Expr::Element(array, index) => {
                let index = usize::try_from(eval(index)?).map_err(|_| NoMeaning)?;
                *self.cells(state, slot, *array).get(index).ok_or(NoMeaning)?
            }
            Expr::This => slot.ok_or(NoMeaning)? as Value + 1,
            Expr::Unary(UnaryOp::Neg, operand) => eval(operand)?.checked_neg().ok_or(NoMeaning)?,
            Expr::Unary(UnaryOp::Not, operand) => 1 - eval(operand)?,
            Expr::Unary(UnaryOp::BitNot, operand) => -1 - eval(operand)?,
            Expr::Binary(op, operands) => {
                let left = eval(&operands[0])?;
                match (op, left) {
                    (BinaryOp::And, 0) => 0,
                    (BinaryOp::Or, 1) | (BinaryOp::Implies, 0) => 1,
                    (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies, _) => eval(&operands[1])?,
                    _ => arithmetic(*op, left, eval(&operands[1])?)?,
                }
            }
            Expr::Ite(parts) => eval(if eval(&parts[0])? == 1 { &parts[1] } else { &parts[2] })?,
            Expr::Wrap(int_type, operand) => {
                let size = 1 << int_type.bits;
                let rest = eval(operand)?.rem_euclid(size);
                if int_type.signed && rest >= size / 2 { rest - size } else { rest }
            }
            Expr::CountAt(location) => {
                state.threads.iter().filter(|running| running.at == Some(*location)).count() as Value
            }
            Expr::CountRunning(thread) => {
                let counts = |running: &&Running| {
                    running.thread == *thread && running.at.is_some() && !self.has_ended(running)
                };
                state.threads.iter().filter(counts).count() as Value
            }
        })
    }
}

fn arithmetic(op: BinaryOp, left: Value, right: Value) -> Result<Value, NoMeaning> {
    use BinaryOp::*;
    let shift = || u32::try_from(right).ok().filter(|&shift| shift < 64).ok_or(NoMeaning);
    let result = match op {
        Add => left.checked_add(right),
        Sub => left.checked_sub(right),
        Mul => left.checked_mul(right),
        Div => left.checked_div(right),
        Rem => left.checked_rem(right),
        BitAnd => Some(left & right),
        BitOr => Some(left | right),
        BitXor => Some(left ^ right),
        Shl => left.checked_mul(1 << shift()?),
        Shr => Some(left.div_euclid(1 << shift()?)),
        Lt => Some((left < right).into()),
        Le => Some((left <= right).into()),
        Gt => Some((left > right).into()),
        Ge => Some((left >= right).into()),
        Eq => Some((left == right).into()),
        Ne => Some((left != right).into()),
        And | Or | Implies => None,
    };
    result.ok_or(NoMeaning)
}

/// The values of a domain, which must be small.
fn values_of(domain: Domain) -> impl Iterator<Item = Value> {
    match domain {
        Domain::Bool => 0..=1,
        Domain::Range { low, high } => low..=high,
        Domain::AllInts => panic!("the reference only tries finite domains"),
    }
}

/// Each state with each possible initial value of one variable.
fn with_initial(
    states: Vec<State>,
    initial: &Initial,
    cells: usize,
    place: impl Fn(&mut State) -> &mut Vec<Value>,
) -> Vec<State> {
    let contents: Vec<Vec<Value>> = match initial {
        Initial::Values(values) => vec![values.clone()],
        Initial::Any(domain) => {
            let mut contents = vec![vec![]];
            for _ in 0..cells {
                let longer = |prefix: &Vec<Value>| {
                    let prefix = prefix.clone();
                    values_of(*domain).map(move |value| [prefix.clone(), vec![value]].concat())
                };
                contents = contents.iter().flat_map(longer).collect();
            }
            contents
        }
    };
    let mut all = Vec::new();
    for state in states {
        for content in &contents {
            let mut state = state.clone();
            *place(&mut state) = content.clone();
            all.push(state);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Script, classics};
    use rely_program::{ProgramBuilder, Sort};

    fn check(program: &Program, goal: Goal, expected: Answer) {
        assert_eq!(Reference::new(program, goal).answer(10_000), expected);
    }

    #[test]
    fn known_answers() {
        check(&classics::peterson(false), Goal::Assert, Answer::Unsafe { steps: 6 });
        check(&classics::philosophers(3, false), Goal::Deadlock, Answer::Unsafe { steps: 3 });
        // Two threads that make one step and end: three places each, all combinations.
        let mut builder = ProgramBuilder::new("two steps");
        for name in ["A", "B"] {
            let mut script = Script::start(&mut builder, name, ThreadKind::Instance { running: true });
            script.step(vec![]);
            script.finish();
        }
        check(&builder.finish().unwrap(), Goal::Deadlock, Answer::Safe { states: 9 });
    }

    #[test]
    fn limits_and_undefined_operations_have_answers_of_their_own() {
        let mut builder = ProgramBuilder::new("endless");
        let x = builder.global("x", Sort::Int, 0);
        let mut script = Script::start(&mut builder, "T", ThreadKind::Instance { running: true });
        let start = script.here();
        script.assign(x, Expr::var(x).add(Expr::int(1)));
        script.go_to(start);
        check(&builder.finish().unwrap(), Goal::Assert, Answer::TooMany);

        let mut builder = ProgramBuilder::new("undefined");
        let mut script = Script::start(&mut builder, "T", ThreadKind::Instance { running: true });
        script.step(vec![Op::wait(Expr::binary(BinaryOp::Div, Expr::int(1), Expr::int(0)).eq(Expr::int(0)))]);
        script.finish();
        check(&builder.finish().unwrap(), Goal::Assert, Answer::Meaningless);

        let mut builder = ProgramBuilder::new("join of nobody");
        let mut script = Script::start(&mut builder, "T", ThreadKind::Instance { running: true });
        script.step(vec![Op::Join(Expr::int(0))]);
        script.finish();
        let program = builder.finish().unwrap();
        check(&program, Goal::Assert, Answer::Safe { states: 1 });
        check(&program, Goal::Deadlock, Answer::Unsafe { steps: 0 });
    }
}
