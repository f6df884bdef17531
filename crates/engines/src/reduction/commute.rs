//! Which steps commute because of what they do to the data.
//!
//! Two steps that access the same variable may commute all the same: they add to it, they write the same value,
//! they access different cells of an array, or one writes the value that the other one reads. So both orders are
//! carried out on guarded commands, under what both threads know, and compared. Whoever checks the proof does the
//! same in its own way; what cannot be decided here does not commute.

use super::Limits;
use super::held::{About, Facts, Held, Known};
use rely_base::{Budget, Id};
use rely_logic::{Conjunction, Constraint, Domain, Entailment, LinearForm, VarId, Verdict};
use rely_program::{EdgeId, Goal, Program};
use rely_symbolic::{Branch, BranchEnd, Cells, Limits as SymbolicLimits, Translator, before, updated};

/// One way to take an edge.
#[derive(Clone)]
struct Way {
    guard: Vec<Constraint>,
    updates: Vec<(VarId, LinearForm)>,
}

impl Way {
    /// This way, taken after another one, in terms of the state before both.
    fn behind(&self, first: &Way) -> Way {
        let guard = self.guard.iter().map(|constraint| before(constraint, &first.updates)).collect();
        let mut updates: Vec<(VarId, LinearForm)> =
            self.updates.iter().map(|(cell, value)| (*cell, value_before(value, &first.updates))).collect();
        let kept = first.updates.iter().filter(|(cell, _)| updated(&self.updates, *cell).is_none());
        updates.extend(kept.cloned());
        updates.sort_by_key(|(cell, _)| *cell);
        Way { guard, updates }
    }
}

fn value_before(value: &LinearForm, updates: &[(VarId, LinearForm)]) -> LinearForm {
    let mut result = LinearForm::constant(value.constant_term().clone());
    for (variable, factor) in value.terms() {
        let summand = updated(updates, *variable).cloned().unwrap_or_else(|| LinearForm::variable(*variable));
        result = result.add_scaled(factor, &summand);
    }
    result
}

/// All ways to take an edge.
#[derive(Clone, Default)]
struct Ways {
    /// To go on behind it.
    done: Vec<Way>,
    /// To go wrong.
    wrong: Vec<Way>,
}

/// Compares what steps do to the data.
pub(super) struct Commuting<'a> {
    program: &'a Program,
    goal: Goal,
    held: &'a Held<'a>,
    cells: Cells,
    solver: Conjunction,
    symbolic: SymbolicLimits,
    limits: Limits,
    budget: &'a Budget,
    compared: usize,
}

/// Two edges of two threads, and what both threads know.
struct Pair {
    known: Vec<Constraint>,
    mover: Ways,
    other: Ways,
}

impl<'a> Commuting<'a> {
    pub(super) fn new(
        program: &'a Program,
        goal: Goal,
        held: &'a Held<'a>,
        (limits, symbolic): (Limits, SymbolicLimits),
        budget: &'a Budget,
    ) -> Self {
        let (cells, solver) =
            (Cells::new(program), Conjunction::with_limits(Domain::Integers, symbolic.solver));
        Self { program, goal, held, cells, solver, symbolic, limits, budget, compared: 0 }
    }

    /// Whether an edge can be taken behind another one that follows it, with the same result.
    pub(super) fn right(&mut self, edge: EdgeId, other: EdgeId) -> bool {
        let Some(Pair { known, mover, other }) = self.pair(edge, other) else { return false };
        self.same(&known, [&mover.done, &other.done])
            && self.stays_wrong(&known, &mover.done, &other.wrong, false)
    }

    /// Whether an edge can be taken in front of another one that precedes it, with the same result.
    pub(super) fn left(&mut self, edge: EdgeId, other: EdgeId) -> bool {
        let Some(Pair { known, mover, other }) = self.pair(edge, other) else { return false };
        self.same(&known, [&other.done, &mover.done])
            && self.stays_wrong(&known, &other.done, &mover.wrong, false)
            && self.stays_wrong(&known, &mover.done, &other.wrong, true)
    }

    fn pair(&mut self, edge: EdgeId, other: EdgeId) -> Option<Pair> {
        if self.compared >= self.limits.compared_pairs || self.budget.check().is_err() {
            return None;
        }
        self.compared += 1;
        let (mover, past) = (self.branches(edge)?, self.branches(other)?);
        if mover.len() * past.len() > self.limits.compared_cases {
            return None;
        }
        let same_kind = self.held.actor(edge) == self.held.actor(other);
        // The other step has locals, a handle and nondeterministic values of its own.
        let auxiliary = mover.iter().flat_map(Branch::variables).map(Id::index).max().unwrap_or(0);
        let rename = |variable: VarId| match variable {
            cell if self.cells.is_cell(cell) => match self.cells.owner(cell) {
                Some(_) if same_kind => self.cells.foreign(cell),
                _ => cell,
            },
            chosen => VarId::from_index(chosen.index() + auxiliary + 1),
        };
        let known = self.known(edge, other, &rename);
        let as_it_is = |variable: VarId| variable;
        Some(Pair { known, mover: self.ways(&mover, &as_it_is), other: self.ways(&past, &rename) })
    }

    /// The ways to take an edge, if they can be told exactly and have to do with data only.
    fn branches(&self, edge: EdgeId) -> Option<Vec<Branch>> {
        let translator =
            Translator::new(self.program, &self.cells, Some(self.held.actor(edge)), self.symbolic);
        let branches = translator.edge(edge, self.budget).ok()?;
        let is_plain = |branch: &Branch| {
            branch.exact
                && branch.places.is_empty()
                && branch.started.is_empty()
                && branch.spawned.is_empty()
                && branch.ending != BranchEnd::Halts
        };
        branches.iter().all(is_plain).then_some(branches)
    }

    fn ways(&self, branches: &[Branch], rename: &impl Fn(VarId) -> VarId) -> Ways {
        let mut ways = Ways::default();
        for branch in branches {
            let guard = branch.guard.iter().map(|constraint| constraint.rename(rename)).collect();
            let mut updates: Vec<_> =
                branch.updates.iter().map(|(cell, value)| (rename(*cell), value.rename(rename))).collect();
            updates.sort_by_key(|(cell, _)| *cell);
            let way = Way { guard, updates };
            match branch.ending {
                BranchEnd::Moves | BranchEnd::Halts => ways.done.push(way),
                BranchEnd::Undefined => ways.wrong.push(way),
                // What others ask about is assumed.
                BranchEnd::Fails(check) if self.goal.includes(self.program.checks()[check].kind) => {
                    ways.wrong.push(way);
                }
                BranchEnd::Fails(_) => {}
            }
        }
        ways
    }

    /// What the two threads know when they stand in front of these edges.
    fn known(&self, edge: EdgeId, other: EdgeId, rename: &impl Fn(VarId) -> VarId) -> Vec<Constraint> {
        let source = |edge: EdgeId| self.held.at(self.program.edges()[edge].source);
        let handle = |edge: EdgeId| self.cells.handle(self.held.actor(edge));
        let mut known = Vec::new();
        let mut add = |facts: Option<&Facts>, handle: &LinearForm| {
            for (about, value) in facts.into_iter().flatten() {
                let About::Value(var) = about else { continue };
                let cell = LinearForm::variable(self.cells.cell(*var, 0));
                match value {
                    Known::Constant(value) => {
                        known.push(Constraint::eq(&cell, &LinearForm::constant(*value)));
                    }
                    Known::Own => known.push(Constraint::eq(&cell, handle)),
                    Known::Unstarted | Known::Running | Known::Ended | Known::Holds(_) => {}
                }
            }
        };
        let (own, others) = (handle(edge), handle(other).rename(rename));
        add(source(edge), &own);
        add(source(other), &others);
        known.push(Constraint::ne(&own, &others));
        let ends = [edge, other].map(|edge| self.program.edges()[edge].source);
        for lock in self.held.shared_locks() {
            if let [Some(one), Some(other)] = ends.map(|end| lock.at(end)) {
                known.extend(lock.value_with(&self.cells, [one, other]));
            }
        }
        for handle in [own, others].into_iter().filter(|handle| !handle.is_constant()) {
            known.push(Constraint::gt(&handle, &LinearForm::constant(self.held.instances())));
        }
        known
    }

    /// Whatever the two edges do in one order they do in the other order.
    fn same(&mut self, known: &[Constraint], [first, second]: [&[Way]; 2]) -> bool {
        first.iter().all(|one| second.iter().all(|two| self.same_way(known, (one, two), [first, second])))
    }

    fn same_way(
        &mut self,
        known: &[Constraint],
        (one, two): (&Way, &Way),
        [first, second]: [&[Way]; 2],
    ) -> bool {
        let both = two.behind(one);
        if !self.is_possible(known, &[&one.guard, &both.guard]) {
            return true;
        }
        // Most often the cases are the same ones.
        let likely = [(one, two)].into_iter();
        let others = first.iter().flat_map(|one| second.iter().map(move |two| (one, two)));
        likely.chain(others).any(|(one, two)| {
            let turned = one.behind(two);
            two.guard.iter().chain(&turned.guard).all(|constraint| self.follows(constraint))
                && self.are_equal(&both.updates, &turned.updates)
        })
    }

    fn are_equal(&mut self, one: &[(VarId, LinearForm)], other: &[(VarId, LinearForm)]) -> bool {
        one.iter().chain(other).map(|(cell, _)| *cell).all(|cell| {
            let value =
                |updates| updated(updates, cell).cloned().unwrap_or_else(|| LinearForm::variable(cell));
            self.follows(&Constraint::eq(&value(one), &value(other)))
        })
    }

    /// What goes wrong behind a step goes wrong without it; or the other way round.
    fn stays_wrong(&mut self, known: &[Constraint], steps: &[Way], wrong: &[Way], turned: bool) -> bool {
        steps.iter().all(|step| {
            let behind: Vec<Way> = wrong.iter().map(|way| way.behind(step)).collect();
            let (here, there) = if turned { (wrong, &behind[..]) } else { (&behind[..], wrong) };
            here.iter().all(|way| {
                !self.is_possible(known, &[&step.guard, &way.guard])
                    || there.iter().any(|way| way.guard.iter().all(|constraint| self.follows(constraint)))
            })
        })
    }

    /// Whether some constraints can hold together. If so, the next questions are about what follows from them.
    fn is_possible(&mut self, known: &[Constraint], guards: &[&[Constraint]]) -> bool {
        self.solver.reset();
        for constraint in known.iter().chain(guards.iter().copied().flatten()) {
            self.solver.assert(constraint);
        }
        self.solver.check(self.budget) != Verdict::Unsat
    }

    fn follows(&mut self, constraint: &Constraint) -> bool {
        self.solver.entails(constraint, self.budget) == Entailment::Yes
    }
}
