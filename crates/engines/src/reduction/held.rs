//! What each thread knows of the locks: assertions that survive the steps of all others.
//!
//! A *fact* says that a variable has a certain value while a thread stands at a location. The greatest set of
//! facts is computed that holds initially, is kept by the thread's own steps, and by every step of another
//! thread that can be made meanwhile. The last part is where locks come from: nobody takes a lock that is
//! taken, and only who holds it gives it back.

use rely_base::Id;
use rely_evidence::rely_guarantee::{
    Atom, Comparison, ControlPoint, Cube, EdgeEffect, Moment, Quantity, RelyGuarantee, ThreadAssertions,
};
use rely_program::analysis::IdSet;
use rely_program::{
    BinaryOp, Edge, EdgeId, Expr, Initial, LocationId, Op, Program, ThreadId, ThreadKind, UnaryOp, Value, VarId,
    definedness,
};
use std::collections::BTreeMap;

/// A value that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Constant(Value),
    /// The handle of the thread, of which there are many.
    Own,
}

/// What is known of variables.
pub(super) type Facts = BTreeMap<VarId, Known>;

/// What an edge does to the variables, if it can be taken at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Passage {
    /// What holds before a step along the edge.
    pub(super) needs: Facts,
    /// What of that holds if the edge goes wrong, if it can.
    pub(super) needs_to_fail: Option<Facts>,
    /// What holds after it.
    pub(super) leaves: Facts,
    writes: Vec<VarId>,
}

/// What is known where.
pub(super) struct Held<'p> {
    program: &'p Program,
    /// The variables that are only set to constants and handles.
    locks: IdSet<VarId>,
    /// By edge: the first operation that can go wrong.
    fails: Vec<Option<usize>>,
    /// By location; `None` where nobody ever stands.
    facts: Vec<Option<Facts>>,
    /// By edge; `None` if it is never taken.
    passages: Vec<Option<Passage>>,
}

impl<'p> Held<'p> {
    /// The facts of a program: the strongest ones that a run cannot make false. At first nobody stands anywhere;
    /// where somebody comes to, only what all who come there know stays known, and only as long as nobody
    /// interferes. Facts only get fewer, so this ends.
    pub(super) fn new(program: &'p Program) -> Self {
        let mut held = Self {
            program,
            locks: locks(program),
            fails: program.edges().values().map(|edge| first_failure(program, edge)).collect(),
            facts: vec![None; program.locations().len()],
            passages: vec![None; program.edges().len()],
        };
        let mut changed: Vec<LocationId> = Vec::new();
        for (thread, declaration) in program.threads().iter() {
            let initial = match program.threads()[thread].kind {
                ThreadKind::Instance { running: true } => held.initial(),
                _ => Facts::new(),
            };
            held.facts[declaration.entry.index()] = Some(initial);
            changed.push(declaration.entry);
        }
        while !changed.is_empty() {
            held.go_on(changed);
            changed = held.interfere();
        }
        held
    }

    /// Takes all steps from where less is known than before.
    fn go_on(&mut self, mut changed: Vec<LocationId>) {
        while let Some(location) = changed.pop() {
            for &edge in self.program.outgoing(location) {
                let Some(passage) = self.pass(edge) else { continue };
                let target = self.program.edges()[edge].target;
                if meet(&mut self.facts[target.index()], &passage.leaves) {
                    changed.push(target);
                }
                self.passages[edge.index()] = Some(passage);
            }
        }
    }

    /// Forgets what others change meanwhile, and says where.
    fn interfere(&mut self) -> Vec<LocationId> {
        let mut writers: BTreeMap<VarId, Vec<EdgeId>> = BTreeMap::new();
        for edge in self.program.edges().ids() {
            for &var in self.passage(edge).map_or(&[][..], |passage| &passage.writes) {
                writers.entry(var).or_default().push(edge);
            }
        }
        let mut changed = Vec::new();
        for location in self.program.locations().ids() {
            let Some(before) = &self.facts[location.index()] else { continue };
            let thread = self.program.locations()[location].thread;
            let mut after = before.clone();
            after.retain(|var, known| {
                let writers = writers.get(var).map_or(&[][..], Vec::as_slice);
                writers.iter().all(|&edge| self.survives(thread, before, (*var, *known), edge))
            });
            if after != *before {
                self.facts[location.index()] = Some(after);
                changed.push(location);
            }
        }
        changed
    }

    /// What is known at a location; `None` if nobody ever stands there.
    pub(super) fn at(&self, location: LocationId) -> Option<&Facts> {
        self.facts[location.index()].as_ref()
    }

    /// What an edge does; `None` if it is never taken.
    pub(super) fn passage(&self, edge: EdgeId) -> Option<&Passage> {
        self.passages[edge.index()].as_ref()
    }

    /// Whether facts of two different threads cannot hold at the same time.
    pub(super) fn contradict(&self, one: &Facts, other: &Facts) -> bool {
        one.iter().any(|(var, known)| other.get(var).is_some_and(|value| self.differ(*known, *value)))
    }

    /// Whether two values that two different threads know are certainly not the same.
    fn differ(&self, one: Known, other: Known) -> bool {
        one == Known::Own && other == Known::Own || self.is_not(one, other)
    }

    /// Whether two values that one thread knows are certainly not the same.
    fn is_not(&self, one: Known, other: Known) -> bool {
        match (one, other) {
            (Known::Constant(one), Known::Constant(other)) => one != other,
            // Threads of templates come behind all instances.
            (Known::Own, Known::Constant(value)) | (Known::Constant(value), Known::Own) => {
                value <= self.instances()
            }
            (Known::Own, Known::Own) => false,
        }
    }

    /// No instance has a larger handle.
    pub(super) fn instances(&self) -> Value {
        self.program
            .threads()
            .ids()
            .filter_map(|thread| self.program.instance_handle(thread))
            .max()
            .unwrap_or(0)
    }

    fn initial(&self) -> Facts {
        let value = |var: VarId| match &self.program.vars()[var].initial {
            Initial::Values(values) => values.first().map(|value| (var, Known::Constant(*value))),
            Initial::Any(_) => None,
        };
        self.locks.iter().filter_map(value).collect()
    }

    /// Whether a step that writes a variable leaves a fact about it to another thread that knows all of these, or
    /// cannot be made meanwhile.
    fn survives(&self, thread: ThreadId, facts: &Facts, fact: (VarId, Known), edge: EdgeId) -> bool {
        let (var, known) = fact;
        let Some(passage) = self.passage(edge) else { return true };
        !self.are_others(thread, self.actor(edge))
            || (known != Known::Own && passage.leaves.get(&var) == Some(&known))
            || self.contradict(facts, &passage.needs)
    }

    /// Whether a step of one thread can be seen by another of the same or another kind.
    pub(super) fn are_others(&self, thread: ThreadId, actor: ThreadId) -> bool {
        thread != actor || self.program.threads()[thread].kind == ThreadKind::Template
    }

    /// The thread of an edge.
    pub(super) fn actor(&self, edge: EdgeId) -> ThreadId {
        self.program.locations()[self.program.edges()[edge].source].thread
    }

    fn pass(&self, edge: EdgeId) -> Option<Passage> {
        let source = self.at(self.program.edges()[edge].source)?;
        let mut passing = Passing {
            held: self,
            handle: self.program.instance_handle(self.actor(edge)),
            needs: source.clone(),
            now: source.clone(),
            writes: Vec::new(),
        };
        let mut needs_to_fail = None;
        for (position, op) in self.program.edges()[edge].ops.iter().enumerate() {
            if self.fails[edge.index()] == Some(position) {
                needs_to_fail = Some(passing.needs.clone());
            }
            passing.take(op)?;
        }
        let Passing { needs, now, writes, .. } = passing;
        Some(Passage { needs, needs_to_fail, leaves: now, writes })
    }

    /// The facts as assertions, and what the edges look like to others.
    pub(super) fn proof(&self) -> RelyGuarantee {
        let threads = self.program.threads().ids().map(|thread| self.assertions(thread)).collect();
        let effects = self.program.edges().ids().filter_map(|edge| self.effect(edge)).collect();
        RelyGuarantee { threads, effects }
    }

    fn assertions(&self, thread: ThreadId) -> ThreadAssertions {
        let assertion = |point: ControlPoint| match point {
            ControlPoint::Unstarted => Some((point, vec![Cube::default()])),
            ControlPoint::At(location) => {
                let facts = self.at(location)?;
                Some((point, vec![Cube { atoms: atoms(facts, Moment::Before), others: Vec::new() }]))
            }
        };
        let points = ControlPoint::all(self.program, thread);
        ThreadAssertions { thread, at: points.into_iter().filter_map(assertion).collect() }
    }

    fn effect(&self, edge: EdgeId) -> Option<EdgeEffect> {
        let passage = self.passage(edge)?;
        let mut written = passage.leaves.clone();
        written.retain(|var, _| passage.writes.contains(var));
        let mut atoms = atoms(&passage.needs, Moment::Before);
        atoms.extend(self::atoms(&written, Moment::After));
        Some(EdgeEffect { edge, cubes: vec![Cube { atoms, others: Vec::new() }] })
    }
}

/// The shared variables that are only set to constants and handles.
fn locks(program: &Program) -> IdSet<VarId> {
    let is_candidate =
        |var: &VarId| program.vars()[*var].is_global() && program.vars()[*var].length.is_none();
    let mut locks: IdSet<VarId> = program.vars().ids().filter(is_candidate).collect();
    for op in program.edges().values().flat_map(|edge| &edge.ops) {
        match op {
            Op::Assign(pairs) => {
                for (place, value) in pairs {
                    if !matches!(value, Expr::Int(_) | Expr::Bool(_) | Expr::This) {
                        locks.remove(place.var());
                    }
                }
            }
            Op::Havoc(place, _) | Op::Spawn { handle: Some(place), .. } => locks.remove(place.var()),
            _ => {}
        }
    }
    locks
}

/// The first operation of an edge that can violate a check, or have no meaning.
fn first_failure(program: &Program, edge: &Edge) -> Option<usize> {
    let undefined = |expr: &Expr| !definedness(program, expr).is_empty();
    edge.ops.iter().position(|op| match op {
        Op::Check(..) | Op::Spawn { .. } => true,
        Op::Assume(condition, _) => undefined(condition),
        Op::Assign(pairs) => pairs.iter().any(|(place, value)| undefined(&place.read()) || undefined(value)),
        Op::Havoc(place, _) => undefined(&place.read()),
        Op::Join(handle) => undefined(handle),
        Op::Halt => false,
    })
}

/// A step along an edge, operation by operation.
struct Passing<'h> {
    held: &'h Held<'h>,
    /// The handle of the thread, if there is only one.
    handle: Option<Value>,
    needs: Facts,
    now: Facts,
    writes: Vec<VarId>,
}

impl Passing<'_> {
    /// `None` if the operation cannot be done.
    fn take(&mut self, op: &Op) -> Option<()> {
        match op {
            Op::Assume(condition, _) => self.assume(condition, true)?,
            Op::Assign(pairs) => {
                let values: Vec<_> =
                    pairs.iter().map(|(place, value)| (place.var(), self.known(value))).collect();
                values.into_iter().for_each(|(var, value)| self.set(var, value));
            }
            Op::Havoc(place, _) | Op::Spawn { handle: Some(place), .. } => self.set(place.var(), None),
            Op::Check(..) | Op::Spawn { handle: None, .. } | Op::Join(_) | Op::Halt => {}
        }
        Some(())
    }

    fn set(&mut self, var: VarId, value: Option<Known>) {
        if !self.held.locks.contains(var) {
            return;
        }
        if !self.writes.contains(&var) {
            self.writes.push(var);
        }
        match value {
            Some(value) => _ = self.now.insert(var, value),
            None => _ = self.now.remove(&var),
        }
    }

    fn known(&self, expr: &Expr) -> Option<Known> {
        match expr {
            Expr::Int(value) => Some(Known::Constant(*value)),
            Expr::Bool(value) => Some(Known::Constant(Value::from(*value))),
            Expr::This => Some(self.handle.map_or(Known::Own, Known::Constant)),
            _ => None,
        }
    }

    /// Goes on if a condition holds, or does not.
    fn assume(&mut self, condition: &Expr, holds: bool) -> Option<()> {
        match condition {
            Expr::Var(var) => self.test(*var, Known::Constant(1), holds),
            Expr::Unary(UnaryOp::Not, operand) => self.assume(operand, !holds),
            Expr::Binary(BinaryOp::And, operands) if holds => {
                operands.iter().try_for_each(|operand| self.assume(operand, true))
            }
            Expr::Binary(BinaryOp::Or, operands) if !holds => {
                operands.iter().try_for_each(|operand| self.assume(operand, false))
            }
            Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), operands) => {
                let is_equal = (*op == BinaryOp::Eq) == holds;
                match &**operands {
                    [Expr::Var(var), value] | [value, Expr::Var(var)] => match self.known(value) {
                        Some(value) => self.test(*var, value, is_equal),
                        None => Some(()),
                    },
                    _ => Some(()),
                }
            }
            _ => Some(()),
        }
    }

    fn test(&mut self, var: VarId, value: Known, is_equal: bool) -> Option<()> {
        if !self.held.locks.contains(var) {
            return Some(());
        }
        // A boolean that is not true is false.
        let is_bool = self.held.program.vars()[var].sort == rely_program::Sort::Bool;
        let (value, is_equal) = match value {
            Known::Constant(constant) if is_bool && !is_equal => (Known::Constant(1 - constant), true),
            other => (other, is_equal),
        };
        match self.now.get(&var) {
            Some(known) if is_equal => return (!self.held.is_not(*known, value)).then_some(()),
            Some(known) => return (*known != value).then_some(()),
            None if !is_equal => return Some(()),
            None => {}
        }
        self.now.insert(var, value);
        if !self.writes.contains(&var) {
            self.needs.insert(var, value);
        }
        Some(())
    }
}

/// Keeps what both know, and says whether that is less than before.
fn meet(known: &mut Option<Facts>, facts: &Facts) -> bool {
    match known {
        None => {
            *known = Some(facts.clone());
            true
        }
        Some(known) => {
            let before = known.len();
            known.retain(|var, value| facts.get(var) == Some(value));
            known.len() < before
        }
    }
}

fn atoms(facts: &Facts, moment: Moment) -> Vec<Atom> {
    let atom = |(var, known): (&VarId, &Known)| {
        let cell = (1, Quantity::Cell { var: *var, index: 0, moment });
        let (terms, constant) = match known {
            Known::Constant(value) => (vec![cell], -*value),
            Known::Own => (vec![cell, (-1, Quantity::Handle)], 0),
        };
        Atom { terms, constant, comparison: Comparison::Eq }
    };
    facts.iter().map(atom).collect()
}
