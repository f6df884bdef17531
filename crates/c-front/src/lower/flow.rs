//! Control flow: where the walk stands in the automaton, and how ways join.
//!
//! Edges are kept dangling until it is known where they lead. So branches that meet again, and
//! the ends of loops, need no edges that do nothing.

use super::{Lowered, Lowering};
use crate::fold;
use crate::value::is_tolerated;
use rely_base::{Diagnostic, Span};
use rely_program::{Expr, LocationId, Op};

/// More edges than this are not emitted: calls inlined in calls multiply.
const MAX_EDGES: usize = 300_000;

/// More statements than this are not walked over, reachable or not.
const MAX_STATEMENTS: usize = 1_000_000;

/// An edge that leads nowhere yet.
#[derive(Clone, Debug)]
struct Dangling {
    source: LocationId,
    ops: Vec<Op>,
    span: Option<Span>,
    /// Whether its accesses are atomic, if that is not up to the variables.
    atomic: Option<bool>,
}

/// The ends at which the walk stands. None: what is walked over cannot be reached, so nothing
/// is emitted.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    /// A location at which nothing has been emitted yet.
    at: Option<LocationId>,
    dangling: Vec<Dangling>,
    /// In how many atomic sections this is.
    pub(super) atomic: u32,
}

impl Flow {
    pub(super) fn dead() -> Self {
        Flow::default()
    }

    pub(super) fn standing_at(location: LocationId, atomic: u32) -> Self {
        Flow { at: Some(location), dangling: Vec::new(), atomic }
    }

    pub(super) fn is_dead(&self) -> bool {
        self.at.is_none() && self.dangling.is_empty()
    }

    /// Whether nothing was emitted since the walk has arrived at the location.
    pub(super) fn is_at(&self, location: LocationId) -> bool {
        self.at == Some(location) && self.dangling.is_empty()
    }

    fn into_dangling(mut self, span: Option<Span>) -> Vec<Dangling> {
        if let Some(source) = self.at {
            self.dangling.push(Dangling { source, ops: Vec::new(), span, atomic: None });
        }
        self.dangling
    }
}

/// A location that several ways lead to, with the number of atomic sections it is in.
#[derive(Clone, Copy, Debug)]
pub(super) struct JoinPoint {
    pub(super) location: LocationId,
    pub(super) atomic: u32,
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// Emits an edge that does `ops`, and stands behind it.
    pub(super) fn emit(&mut self, ops: Vec<Op>) {
        if let Some(flow) = self.step(ops) {
            self.flow = flow;
        }
    }

    /// Whether the accesses of a step emitted now are atomic, if that is not up to the variables.
    fn access_mode(&self) -> Option<bool> {
        if self.in_atomic() { Some(true) } else { self.atomicity }
    }

    /// Does something, with all accesses of the steps that it emits atomic or not.
    pub(super) fn with_atomicity<T>(
        &mut self,
        atomicity: Option<bool>,
        act: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let around = std::mem::replace(&mut self.atomicity, atomicity);
        let result = act(self);
        self.atomicity = around;
        result
    }

    /// Does something to the place of an atomic operation.
    pub(super) fn as_atomic_call<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        let around = std::mem::replace(&mut self.is_atomic_call, true);
        let result = act(self);
        self.is_atomic_call = around;
        result
    }

    /// Emits several edges from the same location, and stands where they meet.
    pub(super) fn emit_choice(&mut self, choices: Vec<Vec<Op>>) {
        let Some(source) = self.here() else { return };
        choices.iter().for_each(|ops| self.log_accesses(ops));
        let (span, atomic) = (self.at, self.access_mode());
        let dangling: Vec<Dangling> =
            choices.into_iter().map(|ops| Dangling { source, ops, span, atomic }).collect();
        self.edges += dangling.len();
        self.flow = Flow { at: None, dangling, atomic: self.flow.atomic };
    }

    /// The way that leads on from here by doing `ops`.
    pub(super) fn step(&mut self, ops: Vec<Op>) -> Option<Flow> {
        let source = self.here()?;
        self.log_accesses(&ops);
        self.edges += 1;
        let dangling = vec![Dangling { source, ops, span: self.at, atomic: self.access_mode() }];
        Some(Flow { at: None, dangling, atomic: self.flow.atomic })
    }

    /// The location at which the walk stands, made now if need be.
    pub(super) fn here(&mut self) -> Option<LocationId> {
        if self.flow.is_dead() {
            return None;
        }
        if self.flow.at.is_some() && self.flow.dangling.is_empty() {
            return self.flow.at;
        }
        let location = self.new_location(self.flow.atomic);
        let flow = std::mem::take(&mut self.flow);
        let atomic = flow.atomic;
        self.lead(flow, location);
        self.flow = Flow::standing_at(location, atomic);
        Some(location)
    }

    fn new_location(&mut self, atomic: u32) -> LocationId {
        let location = self.builder.location(self.thread.id, self.at);
        if atomic > 0 {
            self.builder.set_atomic(location);
        }
        location
    }

    /// A location for others to lead to, not yet reached.
    pub(super) fn new_join_point(&mut self) -> JoinPoint {
        let atomic = self.flow.atomic;
        JoinPoint { location: self.new_location(atomic), atomic }
    }

    /// Stands at a location to which others may lead back: the head of a loop, a label.
    pub(super) fn meet_here(&mut self) -> Option<JoinPoint> {
        let location = self.here()?;
        let atomic = self.flow.atomic;
        // The location in front of an atomic section is not inside of it.
        if (atomic > 0) != self.builder.program().locations()[location].atomic {
            self.emit(Vec::new());
            return self.here().map(|location| JoinPoint { location, atomic });
        }
        Some(JoinPoint { location, atomic })
    }

    fn lead(&mut self, flow: Flow, target: LocationId) {
        for Dangling { source, ops, span, atomic } in flow.into_dangling(self.at) {
            let ops = self.tolerate(source, ops, span);
            let edge = self.builder.edge(source, target, ops, span);
            self.builder.set_atomic_edge(edge, atomic);
        }
    }

    /// A tolerated check that fails is reported on an edge of its own, which is of no interest unless
    /// somebody asks for it; the edge itself goes on. Returns what is left for it to do.
    fn tolerate(&mut self, source: LocationId, ops: Vec<Op>, span: Option<Span>) -> Vec<Op> {
        let checks = self.builder.program().checks();
        let tolerated = |check| is_tolerated(checks[check].kind, &checks[check].message);
        if !ops.iter().any(|op| matches!(op, Op::Check(_, check) if tolerated(*check))) {
            return ops;
        }
        let (mut kept, mut failing) = (Vec::new(), Vec::new());
        for op in ops {
            match op {
                Op::Check(condition, check) if tolerated(check) => {
                    let mut failure = kept.clone();
                    failure.push(Op::wait(fold::not(condition)));
                    failure.push(Op::Check(Expr::Bool(false), check));
                    failing.push(failure);
                }
                other => kept.push(other),
            }
        }
        let exit = self.builder.exit(self.thread.id);
        for failure in failing {
            self.builder.edge(source, exit, failure, span);
        }
        kept
    }

    /// Leads the walk to a join point, where it ends.
    pub(super) fn go_to(&mut self, join_point: JoinPoint) -> Lowered<()> {
        let flow = std::mem::take(&mut self.flow);
        self.lead_to(flow, join_point)
    }

    /// Leads a way to a join point.
    pub(super) fn lead_to(&mut self, flow: Flow, join_point: JoinPoint) -> Lowered<()> {
        if flow.is_dead() {
            return Ok(());
        }
        self.same_sections(flow.atomic, join_point.atomic)?;
        self.lead(flow, join_point.location);
        Ok(())
    }

    /// Ends the walk at a location outside of all atomic sections.
    pub(super) fn end_at(&mut self, location: LocationId) {
        let flow = std::mem::take(&mut self.flow);
        self.lead(flow, location);
    }

    /// The way that both ways continue as.
    pub(super) fn join(&self, left: Flow, right: Flow) -> Lowered<Flow> {
        if left.is_dead() {
            return Ok(right);
        }
        if right.is_dead() {
            return Ok(left);
        }
        self.same_sections(left.atomic, right.atomic)?;
        if left.at.is_some() && left.at == right.at && left.dangling.is_empty() && right.dangling.is_empty() {
            return Ok(left);
        }
        let atomic = left.atomic;
        let mut dangling = left.into_dangling(self.at);
        dangling.extend(right.into_dangling(self.at));
        Ok(Flow { at: None, dangling, atomic })
    }

    /// Joins another way to the walk.
    pub(super) fn join_here(&mut self, other: Flow) -> Lowered<()> {
        let flow = std::mem::take(&mut self.flow);
        self.flow = self.join(flow, other)?;
        Ok(())
    }

    fn same_sections(&self, left: u32, right: u32) -> Lowered<()> {
        if left == right {
            return Ok(());
        }
        let message = "control flow that is inside of an atomic section on one way and outside on another";
        let error = Diagnostic::error(format!("{message} is not supported"));
        Err(match self.at {
            Some(span) => error.at(span, "the ways meet here"),
            None => error,
        })
    }

    /// Enters an atomic section: the next edge starts it.
    pub(super) fn enter_atomic(&mut self) {
        if self.here().is_some() {
            self.flow.atomic += 1;
        }
    }

    /// Leaves an atomic section: the last edge has ended it.
    pub(super) fn leave_atomic(&mut self) {
        if self.flow.is_dead() {
            return;
        }
        self.flow.atomic = self.flow.atomic.saturating_sub(1);
        // A location inside of the section cannot be where it ends.
        if let Some(location) = self.flow.at
            && self.flow.atomic == 0
            && self.builder.program().locations()[location].atomic
        {
            self.emit(Vec::new());
        }
    }

    /// Whether other threads cannot move between the edges emitted now.
    pub(super) fn in_atomic(&self) -> bool {
        self.flow.atomic > 0
    }

    /// Refuses a program that becomes too large, or takes too long.
    pub(super) fn check_size(&mut self, at: lang_c::span::Span) -> Lowered<()> {
        self.walked += 1;
        self.check_budget()?;
        if self.edges <= MAX_EDGES && self.walked <= MAX_STATEMENTS {
            return Ok(());
        }
        let recursive = self.frames.iter().enumerate().find_map(|(index, frame)| {
            let depth = self.frames[index..].iter().filter(|other| other.name == frame.name).count();
            (depth > 1).then_some((frame.name, depth))
        });
        match recursive {
            Some((name, depth)) => {
                let name = self.spelled(name);
                self.refuse(at, format!("recursion of `{name}`, which goes on beyond a depth of {depth},"))
            }
            None => self.error(at, "the program is too large when its calls are inlined"),
        }
    }

    /// Whether there is time to go on.
    pub(super) fn check_budget(&self) -> Lowered<()> {
        self.budget.check().map_err(|reason| Diagnostic::error(reason.to_string()))
    }
}
