//! Threads that do the same with other variables.
//!
//! What one reader of a lock must track, every reader must, and to find that out once for each of
//! them costs a refinement and new trees each. So what is found for a thread is tracked for its
//! symmetric threads, too, in their own terms. Such threads need not be exactly symmetric, as long as their steps
//! correspond: nothing depends on it but how fast the right predicates are found.

use super::PrecisionIncrement;
use rely_base::Id;
use rely_logic::{Constraint, LinearForm, VarId};
use rely_program::{Scope, ThreadId};
use rely_symbolic::{ControlPointId, Move, MoveId, System};
use rustc_hash::{FxHashMap, FxHashSet};
use std::mem::discriminant;

/// All pairs of symmetric threads.
pub(crate) struct Symmetries {
    symmetries: Vec<Symmetry>,
}

impl Symmetries {
    pub(crate) fn new(system: &System<'_>) -> Self {
        let mut symmetries = Vec::new();
        for first in system.thread_ids() {
            for second in system.thread_ids().filter(|&second| second > first) {
                symmetries.extend(Pairing::of(system, first, second).map(Pairing::finish));
            }
        }
        Symmetries { symmetries }
    }

    /// The increments and what they are for symmetric threads, unless there are very many.
    pub(crate) fn with_symmetric(
        &self,
        mut increments: Vec<PrecisionIncrement>,
        most: usize,
    ) -> Vec<PrecisionIncrement> {
        let mut seen: FxHashSet<PrecisionIncrement> = FxHashSet::default();
        increments.retain(|increment| seen.insert(increment.clone()));
        let mut position = 0;
        while position < increments.len() && increments.len() < most {
            for symmetry in &self.symmetries {
                let exchanged = symmetry.increment(&increments[position]);
                if seen.insert(exchanged.clone()) {
                    increments.push(exchanged);
                }
            }
            position += 1;
        }
        increments
    }
}

/// What becomes of everything when two symmetric threads change places.
struct Symmetry {
    threads: [ThreadId; 2],
    /// The control point of the other thread for each control point of one.
    points: [Vec<ControlPointId>; 2],
    cells: FxHashMap<VarId, VarId>,
    /// Tests that differ in more than the names of cells.
    tests: FxHashMap<Constraint, Constraint>,
}

impl Symmetry {
    fn increment(&self, increment: &PrecisionIncrement) -> PrecisionIncrement {
        match increment {
            PrecisionIncrement::Count(cell) => {
                PrecisionIncrement::Count(self.cells.get(cell).copied().unwrap_or(*cell))
            }
            PrecisionIncrement::Predicate { thread, point, constraint } => PrecisionIncrement::Predicate {
                thread: self.thread(*thread),
                point: self.point(*thread, *point),
                constraint: match self.tests.get(constraint) {
                    Some(test) => test.clone(),
                    None => constraint.rename(|cell| self.cells.get(&cell).copied().unwrap_or(cell)),
                },
            },
            PrecisionIncrement::Place { observer, observed, points } => PrecisionIncrement::Place {
                observer: self.thread(*observer),
                observed: self.thread(*observed),
                points: points.iter().map(|&point| self.point(*observed, point)).collect(),
            },
        }
    }

    fn thread(&self, thread: ThreadId) -> ThreadId {
        match self.threads {
            [first, second] if thread == first => second,
            [first, second] if thread == second => first,
            _ => thread,
        }
    }

    fn point(&self, thread: ThreadId, point: ControlPointId) -> ControlPointId {
        match self.threads.iter().position(|&one| one == thread) {
            Some(side) => self.points[side][point.index()],
            None => point,
        }
    }
}

/// The search for how two threads correspond.
struct Pairing<'p, 's> {
    system: &'p System<'s>,
    threads: [ThreadId; 2],
    /// The control point of the second thread for each control point of the first, as far as known.
    points: Vec<Option<ControlPointId>>,
    moves: Vec<(MoveId, MoveId)>,
    cells: FxHashMap<VarId, VarId>,
}

impl<'p, 's> Pairing<'p, 's> {
    /// `None` if the threads do not correspond.
    fn of(system: &'p System<'s>, first: ThreadId, second: ThreadId) -> Option<Self> {
        let threads = [first, second];
        let views = threads.map(|thread| system.thread(thread));
        let alike = views[0].points.len() == views[1].points.len()
            && views[0].start.is_some()
            && views[1].start.is_some()
            && !views.iter().any(|view| view.is_template);
        if !alike {
            return None;
        }
        let points = vec![None; views[0].points.len()];
        let mut pairing = Pairing { system, threads, points, moves: Vec::new(), cells: FxHashMap::default() };
        pairing.pair_moves()?;
        pairing.pair_locals()?;
        while pairing.pair_globals()? {}
        Some(pairing)
    }

    /// Follows both threads from their beginnings, move by move.
    fn pair_moves(&mut self) -> Option<()> {
        let views = self.threads.map(|thread| self.system.thread(thread));
        let mut pending = vec![(views[0].entry, views[1].entry)];
        pending.extend(views[0].start.zip(views[1].start));
        while let Some((first, second)) = pending.pop() {
            match self.points[first.index()] {
                Some(known) if known == second => continue,
                Some(_) => return None,
                None if self.points.contains(&Some(second)) => return None,
                None => self.points[first.index()] = Some(second),
            }
            let moves = [&views[0].moves[first.index()], &views[1].moves[second.index()]];
            if moves[0].len() != moves[1].len() {
                return None;
            }
            for (&first, &second) in moves[0].iter().zip(moves[1]) {
                let (left, right) = (self.system.get(first), self.system.get(second));
                if !is_alike(left, right) {
                    return None;
                }
                self.moves.push((first, second));
                pending.push((left.target, right.target));
            }
        }
        Some(())
    }

    /// The locals correspond in the order in which they are declared.
    fn pair_locals(&mut self) -> Option<()> {
        let locals = |thread: ThreadId| -> Vec<VarId> {
            let vars = self.system.program.vars().iter();
            let locals = vars.filter(|(_, var)| var.scope == Scope::Local(thread));
            locals
                .flat_map(|(id, var)| (0..var.cells()).map(move |index| (id, index)))
                .map(|(id, index)| self.system.cells.cell(id, index))
                .collect()
        };
        let [first, second] = self.threads.map(locals);
        if first.len() != second.len() {
            return None;
        }
        first.into_iter().zip(second).try_for_each(|(left, right)| self.pair(left, right).map(drop))
    }

    /// Lets globals correspond that stand in the same place of corresponding moves. Says
    /// whether that was new for any.
    fn pair_globals(&mut self) -> Option<bool> {
        let mut is_new = false;
        for index in 0..self.moves.len() {
            let (first, second) = self.moves[index];
            let [left, right] = [first, second].map(|id| &self.system.get(id).branch);
            for (left, right) in left.guard.iter().zip(&right.guard) {
                is_new |= self.pair_forms(left.form(), right.form())?;
            }
            let written = |updates: &[(VarId, LinearForm)]| updates.iter().map(|(cell, _)| *cell).collect();
            is_new |= self.pair_rest(written(&left.updates), written(&right.updates))?;
            for (cell, value) in &left.updates {
                let other = self.cells.get(cell).copied();
                let other = other.and_then(|cell| right.updates.iter().find(|update| update.0 == cell));
                if let Some((_, other)) = other {
                    is_new |= self.pair_forms(value, other)?;
                }
            }
        }
        Some(is_new)
    }

    fn pair_forms(&mut self, left: &LinearForm, right: &LinearForm) -> Option<bool> {
        self.pair_rest(left.variables().collect(), right.variables().collect())
    }

    /// If one cell is left on each side, apart from those that correspond already, they do too.
    fn pair_rest(&mut self, mut left: Vec<VarId>, mut right: Vec<VarId>) -> Option<bool> {
        right.retain(|cell| self.system.cells.is_cell(*cell));
        left.retain(|cell| match self.cells.get(cell) {
            Some(other) => {
                let position = right.iter().position(|cell| cell == other);
                position.map(|position| right.remove(position)).is_none()
            }
            None => self.system.cells.is_cell(*cell),
        });
        match (&left[..], &right[..]) {
            (&[left], &[right]) => self.pair(left, right),
            _ => Some(false),
        }
    }

    /// Both become each other; `None` if that contradicts what is known.
    fn pair(&mut self, left: VarId, right: VarId) -> Option<bool> {
        match (self.cells.get(&left), self.cells.get(&right)) {
            (None, None) => {
                self.cells.insert(left, right);
                self.cells.insert(right, left);
                Some(true)
            }
            (Some(&known), _) if known == right => Some(false),
            _ => None,
        }
    }

    fn finish(self) -> Symmetry {
        let tests = self.tests();
        // Control points that are never reached stay what they are: nobody asks for them.
        let itself = |index: usize| ControlPointId::from_index(index);
        let mut back: Vec<ControlPointId> = (0..self.points.len()).map(itself).collect();
        let points = self.points.iter().enumerate().map(|(index, point)| point.unwrap_or(itself(index)));
        let points: Vec<ControlPointId> = points.collect();
        for (index, point) in points.iter().enumerate() {
            back[point.index()] = itself(index);
        }
        Symmetry { threads: self.threads, points: [points, back], cells: self.cells, tests }
    }

    /// Tests in corresponding places, and comparisons with the constants that are assigned in
    /// corresponding places.
    fn tests(&self) -> FxHashMap<Constraint, Constraint> {
        let mut tests = FxHashMap::default();
        let mut add = |left: Constraint, right: Constraint| {
            for (left, right) in [(left.clone(), right.clone()), (left.negated(), right.negated())] {
                if left.rename(|cell| self.cells.get(&cell).copied().unwrap_or(cell)) != right {
                    tests.entry(left.clone()).or_insert_with(|| right.clone());
                    tests.entry(right).or_insert(left);
                }
            }
        };
        for &(first, second) in &self.moves {
            let [left, right] = [first, second].map(|id| &self.system.get(id).branch);
            for (left, right) in left.guard.iter().zip(&right.guard) {
                add(left.clone(), right.clone());
            }
            for ((cell, value), (other, other_value)) in left.updates.iter().zip(&right.updates) {
                if self.cells.get(cell) == Some(other) && value.is_constant() && other_value.is_constant() {
                    let is = |cell, value| Constraint::eq(&LinearForm::variable(cell), value);
                    add(is(*cell, value), is(*other, other_value));
                }
            }
        }
        tests
    }
}

/// Whether two moves have the same shape.
fn is_alike(left: &Move, right: &Move) -> bool {
    let (left, right) = (&left.branch, &right.branch);
    discriminant(&left.ending) == discriminant(&right.ending)
        && left.guard.len() == right.guard.len()
        && left.updates.len() == right.updates.len()
        && left.guard.iter().zip(&right.guard).all(|(left, right)| left.relation() == right.relation())
}
