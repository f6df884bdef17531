//! Runs that a counterexample suggests.
//!
//! A branch of a tree says what its own thread does and which moves of others it sees. Between those
//! the others make moves that it does not see, and the branches on which they made theirs tell which.
//! Put together they are a schedule for everybody, and sometimes it can be run, long before the
//! precision is fine enough to exclude all that cannot.

use super::backward::Needed;
use super::clauses::{Clauses, Solved};
use super::spine::{last_guard, relevant_cells};
use super::{Refinement, trace};
use crate::rely_guarantee::candidates::Candidates;
use crate::rely_guarantee::reach::{Counterexample, NodeId, Origin, Trees, Wrong};
use rely_base::{Budget, Id};
use rely_program::{ThreadId, Trace};
use rely_symbolic::{BranchEnd, ControlPointId, Move, MoveId, System};

/// The run that a counterexample suggests, if there is one.
pub(crate) fn suggested_run(
    trees: &Trees<'_, '_>,
    counterexample: &Counterexample,
    candidates: &Candidates,
    budget: &Budget,
) -> Option<Trace> {
    let system = trees.system();
    counterexample.nodes.iter().find_map(|&first| {
        let mut schedule = Schedule {
            trees,
            system,
            places: system.threads.iter().map(|thread| thread.start).collect(),
            moves: Vec::new(),
        };
        let initial = schedule.follow(first)?;
        for &other in counterexample.nodes.iter().filter(|&&other| other != first) {
            schedule.bring(trees.nodes[other].thread, other)?;
        }
        if !schedule.ends_wrong(counterexample.what)
            || schedule.is_impossible(initial, counterexample.what, budget)
        {
            return None;
        }
        schedule.run(initial, counterexample.what, candidates, budget)
    })
}

/// A schedule as far as it is known.
struct Schedule<'s, 't, 'p> {
    trees: &'s Trees<'t, 'p>,
    system: &'s System<'p>,
    /// Where everybody is at its end.
    places: Vec<Option<ControlPointId>>,
    moves: Vec<MoveId>,
}

impl Schedule<'_, '_, '_> {
    /// The nodes from the root of a tree to one of its nodes.
    fn branch(&self, node: NodeId) -> Vec<NodeId> {
        let mut branch = vec![node];
        let mut current = node;
        while let Origin::Own { parent, .. } | Origin::Environment { parent, .. } =
            self.trees.nodes[current].origin
        {
            branch.push(parent);
            current = parent;
        }
        branch.reverse();
        branch
    }

    /// Everything along the branch of a node; returns the case of the initial states where it
    /// begins. `None` if there is no such schedule.
    fn follow(&mut self, node: NodeId) -> Option<usize> {
        let branch = self.branch(node);
        for &step in &branch[1..] {
            match self.trees.nodes[step].origin {
                Origin::Own { by, .. } => self.make(by)?,
                Origin::Environment { actor, by, .. } => {
                    self.bring(self.system.get(by).thread, actor)?;
                    self.make(by)?;
                }
                Origin::Initial(_) | Origin::Spawned { .. } => return None,
            }
        }
        match self.trees.nodes[branch[0]].origin {
            Origin::Initial(case) => Some(case),
            _ => None,
        }
    }

    /// Lets a thread do what it does on the branch of one of its nodes, from where it is now.
    fn bring(&mut self, thread: ThreadId, node: NodeId) -> Option<()> {
        let branch = self.branch(node);
        let place = self.places[thread.index()]?;
        let here = branch.iter().rposition(|&node| self.trees.nodes[node].point == place)?;
        for &step in &branch[here + 1..] {
            match self.trees.nodes[step].origin {
                Origin::Own { by, .. } => self.make(by)?,
                // Others matter only if they start the thread.
                Origin::Environment { actor, by, .. } => {
                    if self.system.get(by).branch.started.contains(&thread) {
                        self.bring(self.system.get(by).thread, actor)?;
                        self.make(by)?;
                    }
                }
                Origin::Initial(_) | Origin::Spawned { .. } => return None,
            }
        }
        Some(())
    }

    /// One more move; `None` if it is not possible where everybody is, or the schedule gets too long.
    fn make(&mut self, by: MoveId) -> Option<()> {
        let the_move = self.system.get(by);
        if !self.can_move(the_move) || self.moves.len() >= self.trees.limits().schedule_moves {
            return None;
        }
        self.places[the_move.thread.index()] = Some(the_move.target);
        for &started in &the_move.branch.started {
            self.places[started.index()] = Some(self.system.thread(started).entry);
        }
        self.moves.push(by);
        Some(())
    }

    /// Whether everybody is where a move needs them, and the program has not ended.
    fn can_move(&self, by: &Move) -> bool {
        let has_ended =
            self.moves.last().is_some_and(|&last| self.system.get(last).branch.ending == BranchEnd::Halts);
        !has_ended
            && self.is_at(by.thread, &[by.source])
            && by.places.iter().all(|(thread, points)| self.is_at(*thread, points))
            && self.is_calm(Some(by.thread))
    }

    /// Whether everybody is where something can be wrong.
    fn ends_wrong(&self, what: Wrong) -> bool {
        match what {
            Wrong::Move(by) => self.can_move(self.system.get(by)),
            Wrong::Violation(index) => {
                let tests = self.system.violations[index].places.iter();
                let mut places = tests.map(|test| self.system.place(test));
                places.all(|(thread, points)| self.is_at(thread, &points)) && self.is_calm(None)
            }
        }
    }

    fn is_at(&self, thread: ThreadId, points: &[ControlPointId]) -> bool {
        self.places[thread.index()].is_some_and(|place| points.contains(&place))
    }

    /// Whether nobody but the mover is inside an atomic block.
    fn is_calm(&self, mover: Option<ThreadId>) -> bool {
        let mut others = self.system.thread_ids().filter(|&thread| Some(thread) != mover);
        others.all(|thread| {
            let place = self.places[thread.index()];
            place.is_none_or(|place| !self.system.thread(thread).atomic[place.index()])
        })
    }

    /// Whether the values exclude the schedule.
    fn is_impossible(&self, initial: usize, what: Wrong, budget: &Budget) -> bool {
        let mut needed = Needed::at_end(self.system, last_guard(self.system, what));
        self.moves.iter().rev().for_each(|&by| needed.step_back(by));
        needed.is_impossible_with(&self.system.initial[initial], budget)
    }

    /// The run with its values, if it is one.
    fn run(&self, initial: usize, what: Wrong, candidates: &Candidates, budget: &Budget) -> Option<Trace> {
        let system = self.system;
        let guard = last_guard(system, what);
        let cells = relevant_cells(system, &self.moves, guard);
        let mut clauses = Clauses::default();
        let unknowns = (0..=self.moves.len()).map(|_| clauses.unknown(cells.clone())).collect::<Vec<_>>();
        let branches = self.moves.iter().map(|&by| &system.get(by).branch);
        clauses.chain(system.initial[initial].clone(), branches, guard, &unknowns);
        let Solved::Contradiction(derivation) = clauses.solve(self.trees, candidates, budget) else {
            return None;
        };
        match trace::from_derivation(system, &self.moves, what, &derivation, budget) {
            Refinement::Violation(trace) => Some(trace),
            // A suggestion that is none must not end the search.
            _ => None,
        }
    }
}
