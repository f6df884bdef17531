//! Lets a program begin with the values that its first thread would give to variables at once.
//!
//! C programs set their variables in `main` before they start a thread: `x = 0; n = input();`.
//! Whoever reasons about each thread by itself then has to show that no other thread runs yet.
//! While one thread runs alone and has not moved, nobody sees the difference between what it is
//! about to do and what has been done: a constant that it assigns first can be the initial value,
//! a nondeterministic value one that is chosen initially, and a condition without which the run
//! does not count one of the initial state. If the whole first step is done that way, the next one
//! is the first.
//!
//! A run of the new program is one of the old that has made these steps. A property that must hold
//! in every state sees the initial one, so it must not look at these variables; and where there is
//! one, conditions stay where they are, since it is looked at before them. The thread must be able to start
//! behind the step: at its old entry, variables would have values that they get only later.

use super::start_later::{StartLater, can_start_behind};
use crate::back::{BackMap, ChoiceSource};
use crate::choices::initial_cells;
use crate::draft::Draft;
use crate::pass::{Pass, Size};
use rely_base::{Budget, Interrupted, Work};
use rely_program::analysis::{Access, IdSet};
use rely_program::{
    Blocking, Domain, EdgeId, Expr, Initial, Op, Place, Program, Property, PropertyKind, Sort, ThreadKind,
    Value, VarId, definedness,
};

/// How many first steps are done initially at most.
const MOST_STEPS: usize = 100;

/// Each of them takes a copy of the program, so that in a large one fewer are done: so many edges are copied
/// for it.
const MOST_COPIED_EDGES: usize = 400_000;

/// The program in which what the first thread does to variables at first is done.
#[derive(Clone, Copy, Debug)]
pub struct BeginInitialised;

impl Pass for BeginInitialised {
    fn name(&self) -> &'static str {
        "begin_initialised"
    }

    fn apply(&self, program: &Program) -> (Program, BackMap) {
        // A budget without limits does not end; if it did, the program as it is would be right, too.
        self.run(program, &Budget::unlimited()).unwrap_or_else(|_| (program.clone(), BackMap::identity()))
    }

    fn run(&self, program: &Program, budget: &Budget) -> Result<(Program, BackMap), Interrupted> {
        let (mut program, mut back) = (program.clone(), BackMap::identity());
        let mut copied = 0;
        for _ in 0..MOST_STEPS {
            copied += 2 * program.edges().len();
            if !begins_simply(&program) || copied > MOST_COPIED_EDGES {
                break;
            }
            budget.check_work(Work::Simplifying(self.name()))?;
            let (initialised, to_program) = initialise_by_first_step(&program);
            back = back.then(to_program);
            if Size::of(&initialised) == Size::of(&program) {
                program = initialised;
                break;
            }
            let (started, to_initialised) = StartLater.run(&initialised, budget)?;
            back = back.then(to_initialised);
            program = started;
        }
        Ok((program, back))
    }
}

fn initialise_by_first_step(program: &Program) -> (Program, BackMap) {
    let mut draft = Draft::new(program);
    if let Some(edge) = first_step(program) {
        let mut beginning = Beginning::new(program);
        if program.edges()[edge].ops.iter().all(|op| beginning.takes_in(op)) {
            beginning.settle(&mut draft, edge);
        }
    }
    draft.finish()
}

/// Whether the first step may be done initially.
fn begins_simply(program: &Program) -> bool {
    let takes_in = |edge: EdgeId| {
        let mut beginning = Beginning::new(program);
        program.edges()[edge].ops.iter().all(|op| beginning.takes_in(op))
    };
    first_step(program).is_some_and(takes_in)
}

/// The first step of a thread that runs alone at first, if there is no choice and it is never
/// taken again.
fn first_step(program: &Program) -> Option<EdgeId> {
    let runs = |kind| kind == ThreadKind::Instance { running: true };
    let mut running = program.threads().values().filter(|thread| runs(thread.kind));
    let (Some(alone), None) = (running.next(), running.next()) else { return None };
    let [edge] = program.outgoing(alone.entry) else { return None };
    if program.edges().values().any(|edge| edge.target == alone.entry) {
        return None;
    }
    let target = program.edges()[*edge].target;
    let can_move = target != alone.exit && !program.locations()[target].atomic;
    (can_move && can_start_behind(program, *edge)).then_some(*edge)
}

/// The initial state of the new program, as far as it is known.
struct Beginning<'p> {
    program: &'p Program,
    /// The new initial values.
    initial: Vec<(VarId, Initial)>,
    conditions: Vec<Expr>,
    /// Variables whose initial value must not change any more.
    fixed: IdSet<VarId>,
}

impl<'p> Beginning<'p> {
    fn new(program: &'p Program) -> Self {
        let mut fixed = IdSet::new();
        let mut fix = |condition: &Expr| {
            condition.for_each_var(|var| {
                fixed.insert(var);
            });
        };
        program.requires().iter().for_each(&mut fix);
        for property in program.properties() {
            if let PropertyKind::Always(condition) = &property.kind {
                fix(condition);
            }
        }
        Self { program, initial: Vec::new(), conditions: Vec::new(), fixed }
    }

    /// Does an operation initially, if that is possible.
    fn takes_in(&mut self, op: &Op) -> bool {
        match op {
            Op::Assign(assignments) => {
                let constants: Option<Vec<(VarId, Value)>> =
                    assignments.iter().map(|(place, value)| self.constant(place, value)).collect();
                let Some(constants) = constants else { return false };
                let values = constants.into_iter().map(|(var, value)| (var, Initial::Values(vec![value])));
                self.initial.extend(values);
                true
            }
            Op::Havoc(Place::Scalar(var), domain) if self.may_change(*var) => {
                self.initial.push((*var, Initial::Any(*domain)));
                true
            }
            Op::Assume(condition, Blocking::Abandon) if self.is_plain(condition) => {
                condition.for_each_var(|var| {
                    self.fixed.insert(var);
                });
                self.conditions.push(condition.clone());
                true
            }
            _ => false,
        }
    }

    fn may_change(&self, var: VarId) -> bool {
        self.program.vars()[var].length.is_none() && !self.fixed.contains(var)
    }

    fn constant(&self, place: &Place, value: &Expr) -> Option<(VarId, Value)> {
        let Place::Scalar(var) = *place else { return None };
        let value = match (value, self.program.vars()[var].sort) {
            (Expr::Int(value), Sort::Int) => *value,
            (Expr::Bool(value), Sort::Bool) => Value::from(*value),
            _ => return None,
        };
        self.may_change(var).then_some((var, value))
    }

    /// Whether a condition always has a value and is about variables alone, and nothing is looked at
    /// before it.
    fn is_plain(&self, condition: &Expr) -> bool {
        let is_always = |property: &Property| matches!(property.kind, PropertyKind::Always(_));
        let mut is_plain = !self.program.properties().iter().any(is_always);
        condition.walk(&mut |part| {
            is_plain &= !matches!(part, Expr::This | Expr::CountAt(_) | Expr::CountRunning(_));
        });
        is_plain && definedness(self.program, condition).is_empty()
    }

    /// Makes this the beginning; nothing is left to do in the first step.
    fn settle(self, draft: &mut Draft<'_>, edge: EdgeId) {
        for (var, initial) in self.initial {
            draft.program.vars_mut()[var].initial = initial;
        }
        draft.program.requires_mut().extend(self.conditions);
        let ops = std::mem::take(&mut draft.program.edges_mut()[edge].ops);
        let chosen = initial_cells(&draft.program);
        let sets = |op: &Op, var: VarId| Access::of_ops(std::slice::from_ref(op)).writes.contains(var);
        let havocs = ops.iter().enumerate().filter_map(|(index, op)| match op {
            Op::Havoc(place, domain) => Some((index, place.var(), domain)),
            _ => None,
        });
        let source = |(index, var, domain): (usize, VarId, &Domain)| {
            // What is overwritten in the same step may have been anything.
            let is_overwritten = ops[index + 1..].iter().any(|op| sets(op, var));
            match chosen.iter().position(|cell| cell.0 == var).filter(|_| !is_overwritten) {
                Some(position) => ChoiceSource::Initial(position),
                None => ChoiceSource::Fixed(domain.default_value().unwrap_or(0)),
            }
        };
        let sources: Vec<ChoiceSource> = havocs.map(source).collect();
        draft.redirect_choices(edge, &sources);
    }
}
