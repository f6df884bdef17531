//! That helpful steps bring whoever waits nearer to where it goes on: see [the rule](crate::helping).
//!
//! A thread waits at a place if each edge from there is blocked: a condition that is waited for does not hold, or the
//! run would not count behind it. Where that is not clear it may be assumed to wait, which asks for more ranks than
//! needed. So nothing is assumed of edges that lead into an atomic block, of what is waited for behind a start on the
//! same edge, of joins if there can be any number of threads, and of edges with a nondeterministic value for which
//! there is none.

use super::encode::Role;
use super::measure::{Measure, descent};
use super::outline::Outline;
use super::points::{PointSet, instances, is_atomic, is_instance};
use super::property::standing;
use super::step::{Choices, Setting, Step};
use super::stuck::has_choices;
use super::{Generator, Sink};
use crate::data::{ControlPoint, Help, Helping, RelyGuaranteeDefect};
use rely_base::Id;
use rely_logic::TermId;
use rely_program::analysis::IdSet;
use rely_program::{EdgeId, LocationId, ThreadId};
use std::rc::Rc;

/// Who helps a thread that waits at a place.
#[derive(Debug)]
pub(crate) struct Aid<'p> {
    thread: ThreadId,
    location: LocationId,
    steps: IdSet<EdgeId>,
    measure: Measure<'p>,
}

/// What is known besides when a helpful step is made.
#[derive(Debug, Default)]
pub(crate) struct Circumstance {
    pub(crate) hypotheses: Vec<TermId>,
    pub(crate) places: Vec<(ThreadId, PointSet)>,
}

impl<'p> Aid<'p> {
    /// Looks at everything once: whether it speaks of this program.
    pub(crate) fn all(
        outline: &Outline<'p>,
        helping: &'p Helping,
    ) -> Result<Rc<[Aid<'p>]>, RelyGuaranteeDefect> {
        let mut aids: Vec<Aid<'p>> = Vec::new();
        for help in &helping.helps {
            let aid = Aid::new(outline, help)?;
            if aids.iter().any(|known| known.location == aid.location) {
                return malformed("help at a place is listed twice");
            }
            aids.push(aid);
        }
        Ok(aids.into())
    }

    fn new(outline: &Outline<'p>, help: &'p Help) -> Result<Self, RelyGuaranteeDefect> {
        let (program, thread) = (outline.program, help.thread);
        if program.threads().get(thread).is_none() || !is_instance(program, thread) {
            return malformed("who is helped is not one thread");
        }
        let number = outline.numbers.number(thread, help.at);
        let (Some(number), ControlPoint::At(location)) = (number, help.at) else {
            return malformed("a thread is helped where it never is");
        };
        if !outline.numbers.interruptible(thread).contains(number) {
            return malformed("a thread is helped where nobody else can move");
        }
        let mut steps = IdSet::new();
        for &edge in &help.steps {
            match program.edges().get(edge) {
                Some(declared) if program.locations()[declared.source].thread != thread => {
                    steps.insert(edge);
                }
                _ => return malformed(format!("edge {} is no step of another thread", edge.index())),
            }
        }
        let measure = Measure::of_some(outline, help.components, &help.ranks)?;
        Ok(Self { thread, location, steps, measure })
    }

    /// Whether a step helps a thread at a location.
    pub(crate) fn counts(&self, location: LocationId, edge: EdgeId) -> bool {
        self.location == location && self.steps.contains(edge)
    }
}

fn malformed<T>(what: impl Into<String>) -> Result<T, RelyGuaranteeDefect> {
    Err(RelyGuaranteeDefect::Malformed(what.into()))
}

/// A step makes all ranks smaller of those whom it helps, as long as they wait.
pub(crate) fn nearer<S: Sink>(
    generator: &mut Generator<'_>,
    aids: &[Aid<'_>],
    id: EdgeId,
    step: &Step,
    sink: &mut S,
) -> Result<(), S::Stop> {
    for aid in aids.iter().filter(|aid| aid.steps.contains(id)) {
        let thread = aid.thread;
        let here = generator.outline.numbers.single(thread, ControlPoint::At(aid.location));
        let stands = standing(generator, thread, &here);
        let before = waits(generator, aid, None);
        let after = waits(generator, aid, Some(step));
        let circumstance =
            Circumstance { hypotheses: vec![stands, before, after], places: vec![(thread, here)] };
        descent(generator, &aid.measure, id, step, &circumstance, sink)?;
    }
    Ok(())
}

/// Each edge from where a thread is helped is blocked, now or behind a step of another thread.
fn waits(generator: &mut Generator<'_>, aid: &Aid<'_>, behind: Option<&Step>) -> TermId {
    let program = generator.outline.program;
    let has_templates = instances(program).count() < program.threads().len();
    let mut blocked = Vec::new();
    for &edge in program.outgoing(aid.location) {
        let target = ControlPoint::At(program.edges()[edge].target);
        if is_atomic(program, target) || !has_choices(program, edge) {
            continue;
        }
        let Generator { encoder, outline, structure, goal, .. } = generator;
        let step = match behind {
            None => Step::new(encoder, outline, structure, *goal, edge),
            Some(Step { after, arrived, .. }) => {
                let setting = Setting { role: Role::ACTOR, values: after, arrived };
                Step::later(encoder, outline, structure, *goal, edge, setting, &mut Choices::default())
            }
        };
        let mut reasons = Vec::new();
        for (number, &condition) in step.waits.iter().enumerate() {
            let is_unclear = step.waits_before_start.is_some_and(|clear| number >= clear)
                || has_templates && step.joins.iter().any(|join| join.wait == number);
            let pool = &mut generator.encoder.pool;
            reasons.push(if is_unclear { pool.truth(true) } else { pool.not(condition) });
        }
        blocked.push(generator.encoder.pool.or(reasons));
    }
    generator.encoder.pool.and(blocked)
}
