//! Which clauses hold: those that do not survive a step are dropped until the others imply each other
//! (Houdini). Narrow clauses come first, so that wide ones that say no more need not be tried; in the
//! end all that was dropped is tried once more, because narrow clauses may follow from wide ones.

use super::obligations::{Clauses, Frame, Obligation, Place, contradicts};
use super::samples::Samples;
use super::shapes::shapes;
use super::signs::Signs;
use rely_base::{Budget, Id, Observer, Progress, StopReason};
use rustc_hash::FxHashSet;

/// More clauses than this are not tried at the same time.
const MOST_CANDIDATES: usize = 200_000;

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
            let (thread, spot) = (place.0.index(), place.1.index());
            let shapes = shapes[thread][widths.clone()].iter().flatten();
            candidates[thread][spot] = proposed(samples, &held, place, shapes, budget)?;
        }
        let tried = candidates.iter().flatten().map(Vec::len).sum::<usize>();
        if tried > MOST_CANDIDATES {
            break;
        }
        let counts = vec![("width", *widths.end() as u64), ("clauses", tried as u64)];
        observer.progress(&Progress { activity: "trying clauses", counts });
        Induction { frame, held: &held, candidates: &mut candidates, budget }.close()?;
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
    place: Place,
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
    budget: &'i Budget,
}

impl Induction<'_, '_, '_> {
    fn close(&mut self) -> Result<(), StopReason> {
        let places = self.frame.places();
        // The places whose clauses have to be looked at again.
        let mut suspicious: FxHashSet<Place> = places.iter().copied().collect();
        while !suspicious.is_empty() {
            let mut weakened: FxHashSet<Place> = FxHashSet::default();
            for &place in places.iter().filter(|place| suspicious.contains(place)) {
                if self.drop_unsupported(place)? {
                    weakened.insert(place);
                }
            }
            suspicious = places.iter().copied().filter(|&place| self.depends(place, &weakened)).collect();
        }
        Ok(())
    }

    /// Drops the candidates of a place that do not follow; says whether there were any.
    fn drop_unsupported(&mut self, place: Place) -> Result<bool, StopReason> {
        let (thread, spot) = (place.0.index(), place.1.index());
        let all = self.candidates[thread][spot].clone();
        let mut position = 0;
        for clause in &all {
            self.budget.check()?;
            if self.follows(place, *clause) {
                position += 1;
            } else {
                self.candidates[thread][spot].remove(position);
            }
        }
        Ok(position < all.len())
    }

    /// Whether the clauses at a place depend on what holds at some others.
    fn depends(&self, place: Place, others: &FxHashSet<Place>) -> bool {
        let clauses = &self.candidates[place.0.index()][place.1.index()];
        let atoms: Signs = clauses.iter().map(|clause| clause.atoms()).collect();
        let is_concerned = |obligation: Obligation| {
            others.contains(&obligation.from) || obligation.actor.is_some_and(|actor| others.contains(&actor))
        };
        !clauses.is_empty() && self.frame.obligations(place, atoms).any(is_concerned)
    }

    fn follows(&self, place: Place, clause: Signs) -> bool {
        self.frame.holds_initially(place, clause)
            && self.frame.obligations(place, clause).all(|obligation| self.holds_after(&obligation, clause))
    }

    fn holds_after(&self, obligation: &Obligation, clause: Signs) -> bool {
        let Some(known) = self.frame.known(obligation, clause) else { return true };
        let at = |(thread, spot): Place| {
            let (thread, spot) = (thread.index(), spot.index());
            [self.held[thread][spot].as_slice(), self.candidates[thread][spot].as_slice()]
        };
        let [held, candidates] = at(obligation.from);
        let [actor_held, actor_candidates] = obligation.actor.map_or([&[][..], &[][..]], at);
        contradicts(self.frame.vocabulary, known, &[held, actor_held, candidates, actor_candidates])
    }
}
