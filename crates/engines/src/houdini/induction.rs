//! Which clauses hold: those that do not survive a step are dropped until the others imply each other
//! (Houdini). Narrow clauses come first, so that wide ones that say no more need not be tried; in the
//! end all that was dropped is tried once more, because narrow clauses may follow from wide ones.

use super::obligations::{Clauses, Frame, Obligation, ThreadPoint};
use super::propagation::{Indexed, extended, settled};
use super::samples::Samples;
use super::shapes::shapes;
use super::signs::Signs;
use rely_base::{Budget, Id, Observer, Progress, StopReason};
use rely_symbolic::MoveId;
use rustc_hash::{FxHashMap, FxHashSet};

/// Clauses up to a width that hold in every state.
pub(super) fn invariants(
    frame: &Frame<'_, '_>,
    samples: &Samples,
    widest: usize,
    (budget, observer): (&Budget, &dyn Observer),
) -> Result<Clauses, StopReason> {
    let shapes = frame.system.thread_ids().map(|thread| shapes(frame, thread, widest, budget));
    let shapes = shapes.collect::<Result<Vec<_>, _>>()?;
    let mut held = frame.no_clauses();
    let one_by_one = (0..=widest).map(|width| width..=width);
    for widths in one_by_one.chain([0..=widest]) {
        let mut candidates = frame.no_clauses();
        for place in frame.places() {
            let (thread, point) = (place.0.index(), place.1.index());
            let shapes = shapes[thread][widths.clone()].iter().flatten();
            candidates[thread][point] = proposed(samples, &held, place, shapes, budget)?;
        }
        let tried = candidates.iter().flatten().map(Vec::len).sum::<usize>();
        if tried > frame.limits.candidates {
            break;
        }
        let counts = vec![("width", *widths.end() as u64), ("clauses", tried as u64)];
        observer.progress(&Progress { activity: "trying clauses", counts });
        Induction::new(frame, &held, &mut candidates, budget).close()?;
        for (held, found) in held.iter_mut().flatten().zip(candidates.into_iter().flatten()) {
            held.extend(found);
        }
    }
    Ok(held)
}

/// Clauses that hold in all samples of a place and say more than what is known to hold there.
fn proposed<'s>(
    samples: &Samples,
    held: &Clauses,
    place: ThreadPoint,
    shapes: impl Iterator<Item = &'s Signs>,
    budget: &Budget,
) -> Result<Vec<Signs>, StopReason> {
    let (held, seen) = (&held[place.0.index()][place.1.index()], samples.at(place.0, place.1));
    let says_more = |clause: Signs| !held.iter().any(|held| held.is_subset(clause));
    let was_seen = |clause: Signs| seen.iter().all(|&holding| Signs::of_state(holding).intersects(clause));
    let mut proposed = Vec::new();
    for &clause in shapes {
        budget.check()?;
        if says_more(clause) && was_seen(clause) {
            proposed.push(clause);
        }
    }
    Ok(proposed)
}

/// Drops candidates until the rest is inductive.
struct Induction<'i, 'f, 'p> {
    frame: &'i Frame<'f, 'p>,
    held: &'i Clauses,
    candidates: &'i mut Clauses,
    /// What holds at each control point of each thread, candidates included.
    indexed: Vec<Vec<Indexed>>,
    budget: &'i Budget,
}

/// What is known before steps, with all that follows; `None` before those that are impossible.
type KnownBefore = FxHashMap<MoveId, Option<Signs>>;

impl<'i, 'f, 'p> Induction<'i, 'f, 'p> {
    fn new(
        frame: &'i Frame<'f, 'p>,
        held: &'i Clauses,
        candidates: &'i mut Clauses,
        budget: &'i Budget,
    ) -> Self {
        let indexed = held.iter().map(|points| points.iter().map(|_| Indexed::default()).collect()).collect();
        let mut induction = Induction { frame, held, candidates, indexed, budget };
        for place in frame.places() {
            induction.index(place);
        }
        induction
    }

    fn index(&mut self, (thread, point): ThreadPoint) {
        let (thread, point) = (thread.index(), point.index());
        let clauses = self.held[thread][point].iter().chain(&self.candidates[thread][point]).copied();
        self.indexed[thread][point] = Indexed::new(clauses);
    }

    fn close(&mut self) -> Result<(), StopReason> {
        let places = self.frame.places();
        // The places whose clauses have to be looked at again.
        let mut suspicious: FxHashSet<ThreadPoint> = places.iter().copied().collect();
        while !suspicious.is_empty() {
            let mut weakened: FxHashSet<ThreadPoint> = FxHashSet::default();
            for &place in places.iter().filter(|place| suspicious.contains(place)) {
                if self.drop_unsupported(place)? {
                    weakened.insert(place);
                }
            }
            suspicious = places.iter().copied().filter(|&place| self.depends(place, &weakened)).collect();
        }
        Ok(())
    }

    /// Drops the candidates of a place that do not follow; says whether there were any. What is
    /// dropped may have supported others of the same place: then these are looked at once more.
    fn drop_unsupported(&mut self, place: ThreadPoint) -> Result<bool, StopReason> {
        let (thread, point) = (place.0.index(), place.1.index());
        let all = std::mem::take(&mut self.candidates[thread][point]);
        let mut known = KnownBefore::default();
        let mut kept = Vec::with_capacity(all.len());
        for &clause in &all {
            self.budget.check()?;
            if self.follows(place, clause, &mut known) {
                kept.push(clause);
            }
        }
        let has_dropped = kept.len() < all.len();
        self.candidates[thread][point] = kept;
        if has_dropped {
            self.index(place);
        }
        Ok(has_dropped)
    }

    /// Whether the clauses at a place depend on what holds at some others.
    fn depends(&self, place: ThreadPoint, others: &FxHashSet<ThreadPoint>) -> bool {
        let clauses = &self.candidates[place.0.index()][place.1.index()];
        let atoms: Signs = clauses.iter().map(|clause| clause.atoms()).collect();
        let is_concerned = |obligation: Obligation| {
            others.contains(&obligation.from) || obligation.actor.is_some_and(|actor| others.contains(&actor))
        };
        !clauses.is_empty() && self.frame.obligations(place, atoms).any(is_concerned)
    }

    fn follows(&self, place: ThreadPoint, clause: Signs, known: &mut KnownBefore) -> bool {
        let mut obligations = self.frame.obligations(place, clause);
        self.frame.holds_initially(place, clause)
            && obligations.all(|obligation| self.holds_after(&obligation, clause, known))
    }

    fn holds_after(&self, obligation: &Obligation, clause: Signs, known: &mut KnownBefore) -> bool {
        let vocabulary = self.frame.vocabulary;
        let at = |(thread, point): ThreadPoint| &self.indexed[thread.index()][point.index()];
        let from = at(obligation.from);
        let lists = [from, obligation.actor.map_or(from, at)];
        let lists = if obligation.actor.is_some() { &lists[..] } else { &lists[..1] };
        let before = known.entry(obligation.by).or_insert_with(|| {
            let known = self.frame.before(obligation)?;
            settled(vocabulary, known, lists)
        });
        let Some(before) = *before else { return true };
        match self.frame.steps.missed(obligation.by, clause, vocabulary) {
            Some(missed) => extended(vocabulary, before, missed, lists).is_none(),
            None => true,
        }
    }
}
