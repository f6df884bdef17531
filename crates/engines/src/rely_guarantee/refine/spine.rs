//! Refinement in the general form: one branch of a tree, read as a schedule.

use super::backward::Needed;
use super::clauses::{Clause, Clauses, Solved, Unknown};
use super::{Found, Refinement, trace};
use crate::rely_guarantee::candidates::Candidates;
use crate::rely_guarantee::precision::PrecisionIncrement;
use crate::rely_guarantee::reach::{Counterexample, NodeId, Origin, Trees, Wrong};
use rely_base::{Budget, Id};
use rely_logic::{Constraint, VarId};
use rely_program::ThreadId;
use rely_symbolic::{Branch, ControlPointId, Move, MoveId, System};

/// The steps that lead to a node, its own thread's and the others', in order.
struct Spine {
    observer: ThreadId,
    initial: usize,
    moves: Vec<MoveId>,
    /// Where the observer stands before the first step and after each.
    nodes: Vec<NodeId>,
    /// Whether instances of templates take part. Then the steps are no schedule, because nobody knows
    /// which of them does what; but where the other threads are is known as before.
    has_templates: bool,
}

/// Looks for what excludes the counterexample, or for the run that it stands for.
pub(crate) fn refine(
    trees: &Trees<'_, '_>,
    counterexample: &Counterexample,
    candidates: &Candidates,
    budget: &Budget,
) -> Refinement {
    let spines = counterexample.nodes.iter().filter_map(|&node| Spine::of(trees, node));
    let Some(spine) = spines.min_by_key(|spine| (spine.has_templates, spine.moves.len())) else {
        return Refinement::Nothing;
    };
    let misplaced = spine.misplaced(trees, counterexample.what);
    if !misplaced.is_empty() {
        return Refinement::Track(Found { increments: misplaced, is_final: true });
    }
    if spine.has_templates {
        return Refinement::Nothing;
    }
    spine.interpolate(trees, counterexample.what, candidates, budget)
}

impl Spine {
    /// `None` for an instance of a template: it does not tell places apart.
    fn of(trees: &Trees<'_, '_>, node: NodeId) -> Option<Self> {
        let system = trees.system();
        let mut spine = Spine {
            observer: trees.nodes[node].thread,
            initial: 0,
            moves: Vec::new(),
            nodes: vec![node],
            has_templates: false,
        };
        let mut current = node;
        loop {
            let (parent, by) = match trees.nodes[current].origin {
                Origin::Initial(case) => {
                    spine.initial = case;
                    break;
                }
                Origin::Own { parent, by } | Origin::Environment { parent, by, .. } => (parent, by),
                Origin::Spawned { .. } => return None,
            };
            spine.has_templates |= system.thread(system.get(by).thread).is_template;
            spine.moves.push(by);
            spine.nodes.push(parent);
            current = parent;
        }
        spine.moves.reverse();
        spine.nodes.reverse();
        Some(spine)
    }

    /// Threads that are elsewhere when a step needs them at some control point. To tell these control points
    /// from the others makes the way there visible.
    fn misplaced(&self, trees: &Trees<'_, '_>, what: Wrong) -> Vec<PrecisionIncrement> {
        let system = trees.system();
        let mut walk = Walk { trees, system, observer: self.observer, places: Vec::new(), found: Vec::new() };
        walk.places = system.threads.iter().map(|thread| thread.start).collect();
        for &by in &self.moves {
            walk.take(system.get(by));
        }
        match what {
            Wrong::Move(by) => walk.check_move(system.get(by)),
            Wrong::Violation(index) => {
                for test in &system.violations[index].places {
                    let (thread, points) = system.place(test);
                    walk.require(thread, &points);
                }
                walk.require_calm(None);
            }
        }
        walk.found
    }

    fn interpolate(
        &self,
        trees: &Trees<'_, '_>,
        what: Wrong,
        candidates: &Candidates,
        budget: &Budget,
    ) -> Refinement {
        let system = trees.system();
        let last_guard = last_guard(system, what);
        // A reason that does not need the beginning is worth more: it also excludes what differs
        // only there, say in how often a loop was run.
        let first = self.start_of_reason(system, last_guard, budget);
        let (skipped, moves) = (first.unwrap_or(0), &self.moves[first.unwrap_or(0)..]);
        let nodes = &self.nodes[skipped..];
        let cells = relevant_cells(system, moves, last_guard);
        let mut clauses = Clauses::default();
        let unknowns = nodes.iter().map(|&node| {
            let (thread, point) = (trees.nodes[node].thread, trees.nodes[node].point);
            let live = cells.iter().copied().filter(|&cell| system.is_live(thread, point, cell));
            clauses.unknown(live.collect())
        });
        let unknowns: Vec<Unknown> = unknowns.collect();
        let start = if first.is_some() { Vec::new() } else { system.initial[self.initial].clone() };
        clauses.chain(start, moves.iter().map(|&by| &system.get(by).branch), last_guard, &unknowns);
        match clauses.solve(trees, candidates, budget) {
            Solved::Atoms { atoms, are_conjunctions } => {
                let found = nodes.iter().zip(&unknowns).flat_map(|(&node, &unknown)| {
                    let (thread, point) = (trees.nodes[node].thread, trees.nodes[node].point);
                    let constraints = atoms[unknown].iter().cloned();
                    constraints.map(move |constraint| PrecisionIncrement::Predicate {
                        thread,
                        point,
                        constraint,
                    })
                });
                Refinement::Track(Found { increments: found.collect(), is_final: are_conjunctions })
            }
            Solved::Contradiction(derivation) => {
                trace::from_derivation(system, &self.moves, what, &derivation, budget)
            }
            Solved::Undecided => match budget.check_now() {
                Ok(()) => Refinement::Nothing,
                Err(reason) => Refinement::Stopped(reason),
            },
        }
    }

    /// The latest step from which on the schedule cannot be run, whatever the state is there;
    /// `None` if the initial values are needed to exclude it, or nothing does.
    fn start_of_reason(
        &self,
        system: &System<'_>,
        last_guard: &[Constraint],
        budget: &Budget,
    ) -> Option<usize> {
        let mut needed = Needed::at_end(system, last_guard);
        for (step, &by) in self.moves.iter().enumerate().rev() {
            if needed.is_impossible_with(&[], budget) {
                return Some(step + 1);
            }
            needed.step_back(by);
        }
        needed.is_impossible_with(&[], budget).then_some(0)
    }
}

impl Clauses {
    /// The clauses of a schedule: one unknown before the first step and one after each.
    pub(crate) fn chain<'b>(
        &mut self,
        start: Vec<Constraint>,
        branches: impl Iterator<Item = &'b Branch>,
        last_guard: &[Constraint],
        unknowns: &[Unknown],
    ) {
        let same = |clauses: &Clauses, unknown| vec![clauses.before(unknown, |cell| cell)];
        let conclusion = Some((unknowns[0], vec![]));
        self.list.push(Clause { constraints: start, premises: vec![], conclusion });
        for (branch, states) in branches.zip(unknowns.windows(2)) {
            let premises = same(self, states[0]);
            let conclusion = Some((states[1], branch.updates.clone()));
            self.list.push(Clause { constraints: branch.guard.clone(), premises, conclusion });
        }
        let premises = same(self, unknowns[unknowns.len() - 1]);
        self.list.push(Clause { constraints: last_guard.to_vec(), premises, conclusion: None });
    }
}

/// When something is wrong at the end of a schedule.
pub(crate) fn last_guard<'s>(system: &'s System<'_>, what: Wrong) -> &'s [Constraint] {
    match what {
        Wrong::Move(by) => &system.get(by).branch.guard,
        Wrong::Violation(index) => &system.violations[index].guard,
    }
}

/// The cells that some step reads or writes.
pub(crate) fn relevant_cells(system: &System<'_>, moves: &[MoveId], last_guard: &[Constraint]) -> Vec<VarId> {
    let mut cells: Vec<VarId> =
        last_guard.iter().flat_map(|constraint| constraint.form().variables()).collect();
    for &by in moves {
        cells.extend(system.get(by).branch.variables());
    }
    cells.retain(|&cell| system.cells.is_cell(cell));
    cells.sort_unstable();
    cells.dedup();
    cells
}

/// Follows a schedule and keeps track of where everybody is.
struct Walk<'s, 't, 'p> {
    trees: &'s Trees<'t, 'p>,
    system: &'s System<'p>,
    observer: ThreadId,
    places: Vec<Option<ControlPointId>>,
    found: Vec<PrecisionIncrement>,
}

impl Walk<'_, '_, '_> {
    fn take(&mut self, by: &Move) {
        self.require(by.thread, &[by.source]);
        self.check_move(by);
        if !self.system.thread(by.thread).is_template {
            self.places[by.thread.index()] = Some(by.target);
        }
        for &started in &by.branch.started {
            self.places[started.index()] = Some(self.system.thread(started).entry);
        }
    }

    fn check_move(&mut self, by: &Move) {
        for (thread, points) in &by.places {
            self.require(*thread, points);
        }
        self.require_calm(Some(by.thread));
    }

    /// If a thread is elsewhere, the observer must learn to tell. From then on it is taken to be
    /// where it should be.
    fn require(&mut self, thread: ThreadId, points: &[ControlPointId]) {
        let place = &mut self.places[thread.index()];
        let elsewhere = place.is_some_and(|place| !points.contains(&place));
        if elsewhere && thread != self.observer {
            let actual = *place;
            *place = points.first().copied();
            self.found.push(PrecisionIncrement::Place {
                observer: self.observer,
                observed: thread,
                points: points.to_vec(),
            });
            // As many as the observer tells apart already: who asks for one control point of a way asks for the
            // one before it next, and each question costs new trees.
            let most = self.trees.told_apart(self.observer, thread).saturating_sub(1);
            for point in self.system.way_to(thread, points, most, actual) {
                self.found.push(PrecisionIncrement::Place {
                    observer: self.observer,
                    observed: thread,
                    points: vec![point],
                });
            }
        }
    }

    /// Nobody but `mover` may be inside an atomic block.
    fn require_calm(&mut self, mover: Option<ThreadId>) {
        for thread in self.system.thread_ids().filter(|&thread| Some(thread) != mover) {
            let view = self.system.thread(thread);
            let Some(place) = self.places[thread.index()].filter(|place| view.atomic[place.index()]) else {
                continue;
            };
            if thread != self.observer {
                self.found.push(PrecisionIncrement::Place {
                    observer: self.observer,
                    observed: thread,
                    points: vec![place],
                });
            }
        }
    }
}
