//! In which range the value of each variable stays, thread by thread.
//!
//! What a thread alone writes it knows at each of its locations: ranges are followed along its
//! edges, made narrower by conditions and, where they keep growing around a loop, unbounded.
//! Of every other variable, and of every array, only one range is known, which contains the
//! initial values and whatever any thread ever writes. Since what threads write depends on
//! what they read, threads are looked at again when a range grows that they depend on, until
//! none does any more; then, by induction over the steps of a run, all values of the run are in
//! their ranges.

use super::constants::Writers;
use super::graph::Agenda;
use super::range::Range;
use super::{Access, Graph, IdSet};
use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::ir::{Initial, LocationId, Op, Place, Program, ThreadId, ThreadKind, Var, VarId};
use rely_base::Arena;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How often ranges may grow before their bounds are given up.
const PATIENCE: usize = 4;

/// The ranges of the variables that a thread alone writes. Most steps change none of them, so
/// many locations share one list.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// Ascending by variable; the same variables at all locations of a thread.
    ranges: Rc<Vec<(VarId, Range)>>,
}

impl Known {
    fn new(mut ranges: Vec<(VarId, Range)>) -> Self {
        ranges.sort_by_key(|entry| entry.0);
        Self { ranges: Rc::new(ranges) }
    }

    fn position(&self, var: VarId) -> Option<usize> {
        self.ranges.binary_search_by_key(&var, |entry| entry.0).ok()
    }

    fn get(&self, var: VarId) -> Option<Range> {
        self.position(var).map(|position| self.ranges[position].1)
    }

    /// Remembers the range of a variable, if it is one of those that are followed.
    pub(crate) fn set(&mut self, var: VarId, range: Range) {
        if let Some(position) = self.position(var) {
            self.set_at(position, range);
        }
    }

    /// Whether that was something new.
    fn set_at(&mut self, position: usize, range: Range) -> bool {
        let is_new = self.ranges[position].1 != range;
        if is_new {
            Rc::make_mut(&mut self.ranges)[position].1 = range;
        }
        is_new
    }

    /// Adds what is known on one more way to the same place; whether that was something new.
    fn join(&mut self, more: &Known, give_up_bounds: bool) -> bool {
        if Rc::ptr_eq(&self.ranges, &more.ranges) {
            return false;
        }
        let mut has_grown = false;
        for position in 0..self.ranges.len() {
            let (var, range) = self.ranges[position];
            let (other_var, other) = more.ranges[position];
            debug_assert_eq!(var, other_var, "a thread follows the same variables everywhere");
            let joined = if give_up_bounds { range.widened(other) } else { range.hull(other) };
            has_grown |= self.set_at(position, joined);
        }
        has_grown
    }
}

/// The ranges of all variables.
pub(crate) struct Ranges<'p> {
    program: &'p Program,
    graph: Graph,
    tracked: Arena<ThreadId, IdSet<VarId>>,
    /// The variables on whose ranges at any time depends what a thread knows.
    needed: Arena<ThreadId, IdSet<VarId>>,
    /// What each variable may hold at any time; of a parameter that no spawn was seen to set,
    /// nothing.
    anytime: Arena<VarId, Option<Range>>,
    /// `None` if nobody comes there.
    at: Arena<LocationId, Option<Known>>,
}

impl<'p> Ranges<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        let writers = Writers::new(program);
        let tracked: Arena<ThreadId, IdSet<VarId>> =
            program.threads.ids().map(|thread| writers.tracked(program, thread)).collect();
        let mut ranges = Self {
            program,
            graph: Graph::new(program),
            needed: needed(program, &tracked),
            tracked,
            anytime: program.vars.values().map(|var| Some(initial_range(var))).collect(),
            at: program.locations.ids().map(|_| None).collect(),
        };
        for thread in program.threads.values().filter(|thread| is_spawned(thread.kind)) {
            thread.parameters.iter().for_each(|&parameter| ranges.anytime[parameter] = None);
        }
        let mut rounds = 0;
        let mut concerned: IdSet<ThreadId> = program.threads.ids().collect();
        while !concerned.is_empty() {
            let changed = ranges.look_at(&concerned, rounds > PATIENCE);
            let depends = |thread: &ThreadId| ranges.needed[*thread].intersects(&changed);
            concerned = program.threads.ids().filter(depends).collect();
            rounds += 1;
        }
        ranges
    }

    /// What is known where a thread stands; `None` if it never comes there.
    pub(crate) fn at(&self, location: LocationId) -> Option<&Known> {
        self.at[location].as_ref()
    }

    /// The values that an expression may have for a thread that knows these ranges.
    pub(crate) fn of(&self, known: &Known, expr: &Expr) -> Range {
        match expr {
            Expr::Int(value) => Range::only(*value),
            Expr::Bool(value) => Range::only((*value).into()),
            Expr::Var(var) => known.get(*var).or(self.anytime[*var]).unwrap_or(Range::ALL),
            Expr::Element(array, _) => self.anytime[*array].unwrap_or(Range::ALL),
            Expr::This => Range { low: Some(1), high: None },
            Expr::Unary(UnaryOp::Neg, operand) => self.of(known, operand).negated(),
            Expr::Unary(UnaryOp::Not, operand) => Range::only(1).minus(self.of(known, operand)),
            Expr::Unary(UnaryOp::BitNot, operand) => Range::only(-1).minus(self.of(known, operand)),
            Expr::Binary(op, operands) => {
                let [left, right] = operands.as_ref();
                Range::apply(*op, self.of(known, left), self.of(known, right))
            }
            Expr::Ite(parts) => {
                let [condition, yes, no] = parts.as_ref();
                match self.of(known, condition).single() {
                    Some(0) => self.of(known, no),
                    Some(_) => self.of(known, yes),
                    None => self.of(known, yes).hull(self.of(known, no)),
                }
            }
            Expr::Wrap(int_type, operand) => {
                let range = self.of(known, operand);
                if range.fits(*int_type) { range } else { Range::of_domain(int_type.domain()) }
            }
            Expr::CountAt(_) | Expr::CountRunning(_) => Range { low: Some(0), high: None },
        }
    }

    /// Does an operation on what a thread knows; false if it never lets a run pass.
    pub(crate) fn step(&self, thread: ThreadId, known: &mut Known, op: &Op) -> bool {
        match op {
            Op::Assume(condition, _) | Op::Check(condition, _) => {
                return self.learn(&self.tracked[thread], known, condition, true);
            }
            Op::Join(_) | Op::Halt => {}
            Op::Assign(_) | Op::Havoc(..) | Op::Spawn { .. } => {
                for (place, range) in self.writes(known, op) {
                    if let Place::Scalar(var) = place
                        && self.tracked[thread].contains(*var)
                    {
                        known.set(*var, range);
                    }
                }
            }
        }
        true
    }

    /// What an operation writes.
    fn writes<'o>(&self, known: &Known, op: &'o Op) -> Vec<(&'o Place, Range)> {
        match op {
            Op::Assign(assignments) => {
                assignments.iter().map(|(place, value)| (place, self.of(known, value))).collect()
            }
            Op::Havoc(place, domain) => vec![(place, Range::of_domain(*domain))],
            Op::Spawn { handle: Some(place), .. } => vec![(place, Range { low: Some(1), high: None })],
            Op::Assume(..) | Op::Check(..) | Op::Spawn { handle: None, .. } | Op::Join(_) | Op::Halt => {
                Vec::new()
            }
        }
    }

    /// Takes from a condition that holds (or does not) what it says about variables; false if
    /// that cannot be.
    fn learn(&self, tracked: &IdSet<VarId>, known: &mut Known, condition: &Expr, holds: bool) -> bool {
        let decided = self.of(known, condition).single();
        if decided.is_some_and(|value| (value != 0) != holds) {
            return false;
        }
        match condition {
            Expr::Var(var) if tracked.contains(*var) => {
                known.set(*var, Range::only(holds.into()));
                true
            }
            Expr::Unary(UnaryOp::Not, operand) => self.learn(tracked, known, operand, !holds),
            Expr::Binary(op, operands) => {
                let [left, right] = operands.as_ref();
                match op {
                    BinaryOp::And if holds => {
                        [left, right].iter().all(|part| self.learn(tracked, known, part, true))
                    }
                    BinaryOp::Or if !holds => {
                        [left, right].iter().all(|part| self.learn(tracked, known, part, false))
                    }
                    op if op.is_comparison() => {
                        let op = if holds { *op } else { opposite(*op) };
                        self.compare(tracked, known, left, op, right)
                            && self.compare(tracked, known, right, mirrored(op), left)
                    }
                    _ => true,
                }
            }
            _ => true,
        }
    }

    /// Learns about the left side of a comparison that holds, if it is a variable.
    fn compare(
        &self,
        tracked: &IdSet<VarId>,
        known: &mut Known,
        left: &Expr,
        op: BinaryOp,
        right: &Expr,
    ) -> bool {
        let Expr::Var(var) = left else { return true };
        if !tracked.contains(*var) {
            return true;
        }
        let bound = self.of(known, right);
        let allowed = match op {
            BinaryOp::Lt => Range { low: None, high: bound.high.and_then(|high| high.checked_sub(1)) },
            BinaryOp::Le => Range { low: None, high: bound.high },
            BinaryOp::Gt => Range { low: bound.low.and_then(|low| low.checked_add(1)), high: None },
            BinaryOp::Ge => Range { low: bound.low, high: None },
            BinaryOp::Eq => bound,
            _ => Range::ALL,
        };
        match self.of(known, left).intersection(allowed) {
            Some(range) => {
                known.set(*var, range);
                true
            }
            None => false,
        }
    }

    /// Follows some threads; of which variables something else is known now at any time.
    fn look_at(&mut self, concerned: &IdSet<ThreadId>, give_up_bounds: bool) -> IdSet<VarId> {
        let mut next = self.anytime.clone();
        for (location, declaration) in self.program.locations.iter() {
            if concerned.contains(declaration.thread) {
                self.at[location] = None;
            }
        }
        for thread in concerned.iter() {
            if let Some(known) = self.at_entry(thread) {
                self.follow(thread, known);
            }
        }
        for edge in self.program.edges.values() {
            let thread = self.program.locations[edge.source].thread;
            if !concerned.contains(thread) {
                continue;
            }
            let Some(mut known) = self.at[edge.source].clone() else { continue };
            for op in &edge.ops {
                for (place, range) in self.writes(&known, op) {
                    add(&mut next[place.var()], range);
                }
                if let Op::Spawn { thread, arguments, .. } = op {
                    let parameters = &self.program.threads[*thread].parameters;
                    for (&parameter, argument) in parameters.iter().zip(arguments) {
                        add(&mut next[parameter], self.of(&known, argument));
                    }
                }
                if !self.step(thread, &mut known, op) {
                    break;
                }
            }
        }
        if give_up_bounds {
            for (var, range) in next.iter_mut() {
                if let (Some(before), Some(range)) = (self.anytime[var], range) {
                    *range = before.widened(*range);
                }
            }
        }
        let before = std::mem::replace(&mut self.anytime, next);
        self.program.vars.ids().filter(|&var| before[var] != self.anytime[var]).collect()
    }

    /// What a thread knows when it starts; `None` as long as nobody was seen to start it.
    pub(crate) fn at_entry(&self, thread: ThreadId) -> Option<Known> {
        let declaration = &self.program.threads[thread];
        let tracked = &self.tracked[thread];
        let mut ranges: Vec<(VarId, Range)> =
            tracked.iter().map(|var| (var, initial_range(&self.program.vars[var]))).collect();
        let parameters = declaration.parameters.iter().filter(|&&parameter| !tracked.contains(parameter));
        ranges.extend(parameters.map(|&parameter| (parameter, Range::ALL)));
        let mut known = Known::new(ranges);
        if is_spawned(declaration.kind) {
            for &parameter in &declaration.parameters {
                known.set(parameter, self.anytime[parameter]?);
            }
        }
        Some(known)
    }

    fn follow(&mut self, thread: ThreadId, at_entry: Known) {
        let entry = self.program.threads[thread].entry;
        let mut visits: FxHashMap<LocationId, usize> = FxHashMap::default();
        self.at[entry] = Some(at_entry);
        let mut agenda = Agenda::new(&self.graph);
        agenda.add(entry);
        while let Some(location) = agenda.pop() {
            for &edge in self.program.outgoing(location) {
                let Some(mut known) = self.at[location].clone() else { continue };
                let edge = &self.program.edges[edge];
                if !edge.ops.iter().all(|op| self.step(thread, &mut known, op)) {
                    continue;
                }
                let visits = visits.entry(edge.target).or_default();
                *visits += 1;
                // Every loop has a head, so it is enough to lose patience there.
                let give_up_bounds = *visits > PATIENCE && self.graph.is_loop_head(edge.target);
                let has_grown = match &mut self.at[edge.target] {
                    Some(at_target) => at_target.join(&known, give_up_bounds),
                    unreached => {
                        *unreached = Some(known);
                        true
                    }
                };
                if has_grown {
                    agenda.add(edge.target);
                }
            }
        }
    }
}

/// What threads read without following it themselves, and what they are started with.
fn needed(program: &Program, tracked: &Arena<ThreadId, IdSet<VarId>>) -> Arena<ThreadId, IdSet<VarId>> {
    let parameters = |thread: ThreadId| program.threads[thread].parameters.iter().copied();
    let mut needed: Arena<ThreadId, IdSet<VarId>> =
        program.threads.ids().map(|thread| parameters(thread).collect()).collect();
    for edge in program.edges.values() {
        let thread = program.locations[edge.source].thread;
        let reads = Access::of_ops(&edge.ops).reads;
        needed[thread].extend(reads.iter().filter(|&var| !tracked[thread].contains(var)));
    }
    needed
}

fn is_spawned(kind: ThreadKind) -> bool {
    kind != ThreadKind::Instance { running: true }
}

fn initial_range(var: &Var) -> Range {
    match &var.initial {
        Initial::Any(domain) => Range::of_domain(*domain),
        Initial::Values(values) => {
            values.iter().map(|&value| Range::only(value)).reduce(Range::hull).unwrap_or(Range::ALL)
        }
    }
}

fn add(range: &mut Option<Range>, more: Range) {
    *range = Some(range.map_or(more, |range| range.hull(more)));
}

fn opposite(op: BinaryOp) -> BinaryOp {
    use BinaryOp::*;
    match op {
        Lt => Ge,
        Le => Gt,
        Gt => Le,
        Ge => Lt,
        Eq => Ne,
        Ne => Eq,
        other => other,
    }
}

fn mirrored(op: BinaryOp) -> BinaryOp {
    use BinaryOp::*;
    match op {
        Lt => Gt,
        Le => Ge,
        Gt => Lt,
        Ge => Le,
        other => other,
    }
}
