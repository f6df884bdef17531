//! Lexicographic linear ranking functions of all threads together.
//!
//! Every step has to make the rank of the state smaller, and the rank of a state is the sum of the ranks of its
//! threads, component by component. Components are found one after the other, the most significant first, as long as
//! steps are left that none of them makes smaller. They alternate:
//!
//! * *places*: the strongly connected components of the graph of steps that are left have an order, and the number of
//!   a control point in that order gets smaller with each step that leaves its component;
//! * *values*: a linear function for each control point of each thread, such that no step that is left makes any
//!   thread's function greater, and some make that of their own thread smaller while it is positive (Podelski and
//!   Rybalchenko, VMCAI 2004, by Farkas' lemma; lexicographic as in Bradley, Manna and Sipma, CAV 2005). Of another
//!   thread it is only known what holds at its control points.
//!
//! If no function is bounded, several may be one after the other: the first always gets smaller, the second as soon
//! as the first is not positive, and so on; the last one is bounded. As a component each counts as zero from where it is
//! negative, and then the next one has to do the work. These are nested ranking functions (Leike and Heizmann, TACAS
//! 2014): `f1` gets smaller by one, `f2 + f1` does, `f3 + f2` does.
//!
//! And since a function counts as zero where it is negative, it may get greater in such places: `x` and `-x` are
//! the components of a loop that brings `x` nearer to zero from either side.

use super::farkas::{Program, Template};
use super::graph::components;
use super::invariants::Invariants;
use super::limits::Limits;
use rely_base::{Budget, Id, StopReason};
use rely_logic::{Conjunction, Constraint, Domain, Entailment, LinearForm, Relation, VarId, Verdict};
use rely_program::analysis::IdSet;
use rely_program::{EdgeId, Goal, ThreadId};
use rely_symbolic::{ControlPointId, Move, MoveId, System, updated};
use std::collections::VecDeque;

/// A component of the ranks of all threads: a form for each control point of each thread.
pub(super) type Component = Vec<Vec<LinearForm>>;

/// Why there are no ranks.
pub(super) enum NoRanks {
    Stopped(StopReason),
    /// Some steps are left for which no component was found.
    Left,
}

impl From<StopReason> for NoRanks {
    fn from(reason: StopReason) -> Self {
        NoRanks::Stopped(reason)
    }
}

/// Finds all components.
pub(super) fn ranks(
    system: &System<'_>,
    invariants: &Invariants,
    limits: Limits,
    budget: &Budget,
) -> Result<Vec<Component>, NoRanks> {
    let left = all_steps(system, invariants, budget);
    let mut search = Search::new(system, invariants, left, limits, budget);
    let mut found = Vec::new();
    loop {
        found.push(search.places());
        if search.left.is_empty() {
            return Ok(found);
        }
        if found.len() >= limits.components {
            return Err(NoRanks::Left);
        }
        match search.values()? {
            Some(components) => found.extend(components),
            None => return Err(NoRanks::Left),
        }
    }
}

/// A step that no component has made smaller yet.
pub(super) struct Left {
    pub(super) id: MoveId,
    /// What holds before the step, in each case.
    pub(super) cases: Vec<Vec<Constraint>>,
}

/// Which steps a component has to make smaller, and how.
#[derive(Clone, Copy)]
enum Wish {
    All,
    OfThread(ThreadId),
    One(usize),
}

/// For which functions to look.
#[derive(Clone, Copy)]
struct Attempt {
    /// How many take over from each other.
    phases: usize,
    /// The largest coefficient.
    largest: Option<usize>,
    /// Whether the function counts as zero behind all steps but the wished ones, instead of never getting greater. So two
    /// ways through a loop can have a function each, such as `x` and `-x`.
    others_end: bool,
}

/// The search for components.
pub(super) struct Search<'a, 'p> {
    system: &'a System<'p>,
    invariants: &'a Invariants,
    limits: Limits,
    budget: &'a Budget,
    left: Vec<Left>,
}

/// The unknown functions of a component; `None` where nothing is left to be ranked.
type Functions = Vec<Vec<Option<Template>>>;

impl<'a, 'p> Search<'a, 'p> {
    /// Nothing was found yet, and some steps are left.
    pub(super) fn new(
        system: &'a System<'p>,
        invariants: &'a Invariants,
        left: Vec<Left>,
        limits: Limits,
        budget: &'a Budget,
    ) -> Self {
        Search { system, invariants, limits, budget, left }
    }

    /// Whether no step is left.
    pub(super) fn is_done(&self) -> bool {
        self.left.is_empty()
    }

    pub(super) fn phases(&self) -> usize {
        self.limits.phases
    }

    pub(super) fn most_components(&self) -> usize {
        self.limits.components
    }

    /// Takes away the steps that lead into loops which are left, and all others of the same edges; or all that are
    /// left.
    pub(super) fn drop_entries(&mut self, all: bool, dropped: &mut IdSet<EdgeId>) {
        for thread in self.system.thread_ids() {
            let view = self.system.thread(thread);
            let own = self.left.iter().map(|left| self.system.get(left.id)).filter(|by| by.thread == thread);
            let own: Vec<&Move> = own.collect();
            let steps: Vec<_> = own.iter().map(|by| (by.source.index(), by.target.index())).collect();
            let loops = components(view.points.len(), &steps);
            let distances = distances(self.system, thread);
            let is_entry = |by: &Move| {
                let same = |other: &&&Move| loops[other.source.index()] == loops[by.source.index()];
                let nearest = own.iter().filter(same).map(|other| distances[other.source.index()]).min();
                nearest == Some(distances[by.source.index()])
            };
            own.iter().filter(|by| all || is_entry(by)).for_each(|by| {
                dropped.insert(by.edge);
            });
        }
        self.left.retain(|left| !dropped.contains(self.system.get(left.id).edge));
    }

    fn is_possible(&self, constraints: &[Constraint]) -> bool {
        solver(self.system, constraints).check(self.budget) != Verdict::Unsat
    }

    fn get(&self, left: &Left) -> &'a Move {
        self.system.get(left.id)
    }

    /// The number of each control point in the order of components; steps that leave theirs are done.
    pub(super) fn places(&mut self) -> Component {
        let mut component = Vec::new();
        for thread in self.system.thread_ids() {
            let view = self.system.thread(thread);
            let own = self.left.iter().map(|left| self.get(left)).filter(|by| by.thread == thread);
            let mut steps: Vec<(usize, usize)> =
                own.map(|by| (by.source.index(), by.target.index())).collect();
            // A thread that starts leaves its first place, too.
            steps.extend(
                view.start
                    .filter(|&start| start != view.entry)
                    .map(|start| (start.index(), view.entry.index())),
            );
            component.push(components(view.points.len(), &steps));
        }
        let stays = |left: &Left| {
            let by = self.system.get(left.id);
            let numbers = &component[by.thread.index()];
            numbers[by.source.index()] == numbers[by.target.index()]
        };
        // What starts a thread makes the rank of that thread smaller, once.
        let starts = |left: &Left| !self.system.get(left.id).branch.started.is_empty();
        let kept = std::mem::take(&mut self.left).into_iter().filter(|left| stays(left) && !starts(left));
        self.left = kept.collect();
        let form = |number: usize| LinearForm::constant(number as i64);
        component.into_iter().map(|numbers| numbers.into_iter().map(form).collect()).collect()
    }

    /// Functions that make some steps smaller; `None` if there are none.
    pub(super) fn values(&mut self) -> Result<Option<Vec<Component>>, StopReason> {
        let threads = self.system.thread_ids().map(Wish::OfThread);
        let single = (0..self.left.len()).map(Wish::One);
        let wishes: Vec<Wish> = std::iter::once(Wish::All).chain(threads).chain(single).collect();
        let small = Some(self.limits.coefficient);
        let single = Attempt { phases: 1, largest: small, others_end: false };
        let large = Attempt { largest: None, ..single };
        let others_end = Attempt { others_end: true, ..single };
        let nested = (2..=self.limits.phases).map(|phases| Attempt { phases, ..single });
        let attempts: Vec<_> = [single, large, others_end].into_iter().chain(nested).collect();
        for attempt in attempts {
            for &wish in &wishes {
                self.budget.check_now()?;
                if let Some(components) = self.attempt(wish, attempt)
                    && self.settle_all(&components)
                {
                    return Ok(Some(components));
                }
            }
        }
        Ok(None)
    }

    /// Says whether the last of some functions has taken care of something.
    fn settle_all(&mut self, components: &[Component]) -> bool {
        let (last, first) = components.split_last().expect("there is at least one phase");
        for component in first {
            self.settle(component, false);
        }
        self.settle(last, true)
    }

    fn is_wished(&self, wish: Wish, index: usize) -> bool {
        match wish {
            Wish::All => true,
            Wish::OfThread(thread) => self.get(&self.left[index]).thread == thread,
            Wish::One(wished) => wished == index,
        }
    }

    /// Functions that no step makes greater, and the wished ones smaller, one after the other.
    fn attempt(&self, wish: Wish, attempt: Attempt) -> Option<Vec<Component>> {
        let Attempt { phases, largest, others_end } = attempt;
        if !(0..self.left.len()).any(|index| self.is_wished(wish, index)) {
            return None;
        }
        let mut program = Program::new();
        let functions: Vec<Functions> = (0..phases).map(|_| self.functions(&mut program)).collect();
        if let Some(largest) = largest {
            program.bound(functions.iter().flatten().flatten().flatten(), largest);
        }
        for (index, left) in self.left.iter().enumerate() {
            let is_wished = self.is_wished(wish, index);
            self.constrain(left, (is_wished, others_end), &functions, &mut program)?;
            if program.unknowns() > self.limits.unknowns {
                return None;
            }
        }
        let model = program.solve(self.budget)?;
        let form = |function: &Option<Template>| match function {
            Some(function) => function.instance(&model),
            None => LinearForm::default(),
        };
        let instance = |functions: &Functions| {
            functions.iter().map(|points| points.iter().map(form).collect()).collect()
        };
        Some(functions.iter().map(instance).collect())
    }

    /// What the functions have to do with one step.
    fn constrain(
        &self,
        left: &Left,
        (is_wished, others_end): (bool, bool),
        functions: &[Functions],
        program: &mut Program,
    ) -> Option<()> {
        let by = self.get(left);
        let value = |cell| updated(&by.branch.updates, cell).cloned();
        let mut earlier: Option<Template> = None;
        let last = functions.len() - 1;
        for (phase, functions) in functions.iter().enumerate() {
            let own = &functions[by.thread.index()];
            let (before, after) = (own[by.source.index()].as_ref()?, own[by.target.index()].as_ref()?);
            let mut difference = before.clone().minus(&after.after(value));
            if is_wished {
                difference = difference.minus_one();
                difference = earlier.iter().fold(difference, Template::plus);
            } else if others_end {
                // Behind the step the function counts as zero, whatever it was.
                difference = Template::default().minus(&after.after(value));
            }
            for case in &left.cases {
                program.follows(case, &difference);
                if is_wished && phase == last {
                    program.follows(case, &before.clone().minus_one());
                }
            }
            self.spare_others(by, left, functions, program);
            earlier = Some(before.clone());
        }
        Some(())
    }

    /// A function for each control point from which a step is left.
    fn functions(&self, program: &mut Program) -> Functions {
        let mut cells: Vec<VarId> =
            self.left.iter().flat_map(|left| self.get(left).branch.variables()).collect();
        cells.sort_unstable();
        cells.dedup();
        cells.retain(|&cell| self.system.cells.is_cell(cell));
        let mut functions: Functions =
            self.system.threads.iter().map(|thread| vec![None; thread.points.len()]).collect();
        for by in self.left.iter().map(|left| self.get(left)) {
            let own: Vec<VarId> =
                cells.iter().copied().filter(|&cell| self.system.is_modular(cell, by.thread)).collect();
            let function = &mut functions[by.thread.index()][by.source.index()];
            if function.is_none() {
                *function = Some(program.template(&own));
            }
        }
        functions
    }

    /// A step does not make the functions of other threads greater, wherever these are.
    fn spare_others(&self, by: &Move, left: &Left, functions: &Functions, program: &mut Program) {
        for other in self.system.thread_ids().filter(|&other| other != by.thread) {
            for (point, function) in functions[other.index()].iter().enumerate() {
                let Some(function) = function else { continue };
                let is_changed = |cell: &VarId| updated(&by.branch.updates, *cell).is_some();
                if !function.coefficients.keys().any(is_changed) {
                    continue;
                }
                let value = |cell| updated(&by.branch.updates, cell).cloned();
                let difference = function.clone().minus(&function.after(value));
                for known in &self.invariants.at[other.index()][point] {
                    let elsewhere = |(thread, points): &(ThreadId, Vec<ControlPointId>)| {
                        *thread == by.thread && !points.contains(&by.source)
                    };
                    if known.others.iter().any(elsewhere) {
                        continue;
                    }
                    for case in &left.cases {
                        let both: Vec<Constraint> = case.iter().chain(&known.constraints).cloned().collect();
                        if self.is_possible(&both) {
                            program.follows(&both, &difference);
                        }
                    }
                }
            }
        }
    }

    /// Takes away what a component makes smaller, or restricts it to where the component does not; says whether
    /// there was any.
    fn settle(&mut self, component: &Component, is_bounded: bool) -> bool {
        let mut settled = false;
        let mut kept = Vec::new();
        for mut left in std::mem::take(&mut self.left) {
            let by = self.system.get(left.id);
            let own = &component[by.thread.index()];
            let before = &own[by.source.index()];
            let smaller = decrease(before, &own[by.target.index()], by);
            let positive = Constraint::ge(before, &LinearForm::constant(1));
            let mut cases = Vec::new();
            for case in left.cases {
                let mut solver = solver(self.system, &case);
                let decreases = solver.entails(&smaller, self.budget) == Entailment::Yes;
                let is_positive = solver.entails(&positive, self.budget) == Entailment::Yes;
                if decreases && is_positive {
                    settled = true;
                } else if decreases && !is_bounded {
                    let mut rest = case;
                    rest.push(positive.negated());
                    settled = true;
                    if self.is_possible(&rest) {
                        cases.push(rest);
                    }
                } else {
                    cases.push(case);
                }
            }
            if !cases.is_empty() {
                left.cases = cases;
                kept.push(left);
            }
        }
        self.left = kept;
        settled
    }
}

/// All steps that can be made and have to make ranks smaller.
fn all_steps(system: &System<'_>, invariants: &Invariants, budget: &Budget) -> Vec<Left> {
    let mut left = Vec::new();
    let counts = |by: &Move| by.leads_on(system) && !(system.goal == Goal::FairTermination && goes_round(by));
    for (index, by) in system.moves.iter().enumerate().filter(|(_, by)| counts(by)) {
        let cases = invariants.at[by.thread.index()][by.source.index()].iter();
        let cases =
            cases.map(|known| known.constraints.iter().chain(&by.branch.guard).cloned().collect::<Vec<_>>());
        let cases: Vec<_> = cases.flat_map(|case| cases_of(system, case, budget)).collect();
        if !cases.is_empty() {
            left.push(Left { id: MoveId::from_index(index), cases });
        }
    }
    left
}

/// Whether a step changes nothing: a fair run does not consist of these alone if somebody else can go on.
fn goes_round(by: &Move) -> bool {
    by.source == by.target && by.branch.updates.is_empty() && by.branch.started.is_empty()
}

/// What can hold at once, without disequations: each falls apart into two cases, of which often only one is possible.
pub(super) fn cases_of(system: &System<'_>, case: Vec<Constraint>, budget: &Budget) -> Vec<Vec<Constraint>> {
    let zero = LinearForm::constant(0);
    let mut cases = vec![case];
    while let Some((number, position)) = cases.iter().enumerate().find_map(|(number, case)| {
        let position = case.iter().position(|constraint| constraint.relation() == Relation::Ne)?;
        Some((number, position))
    }) {
        let mut case = cases.swap_remove(number);
        let form = case.swap_remove(position).form().clone();
        for side in [Constraint::lt(&form, &zero), Constraint::gt(&form, &zero)] {
            let case: Vec<Constraint> = case.iter().cloned().chain([side]).collect();
            if solver(system, &case).check(budget) != Verdict::Unsat {
                cases.push(case);
            }
        }
    }
    cases.retain(|case| solver(system, case).check(budget) != Verdict::Unsat);
    cases
}

/// How many steps each control point of a thread is away from its entry.
fn distances(system: &System<'_>, thread: ThreadId) -> Vec<usize> {
    let view = system.thread(thread);
    let mut distances = vec![usize::MAX; view.points.len()];
    distances[view.entry.index()] = 0;
    let mut pending = VecDeque::from([view.entry]);
    while let Some(point) = pending.pop_front() {
        for target in view.moves[point.index()].iter().map(|&by| system.get(by).target) {
            if distances[target.index()] == usize::MAX {
                distances[target.index()] = distances[point.index()] + 1;
                pending.push_back(target);
            }
        }
    }
    distances
}

/// Some constraints, of which questions can be asked.
pub(super) fn solver(system: &System<'_>, constraints: &[Constraint]) -> Conjunction {
    let mut solver = Conjunction::with_limits(Domain::Integers, system.limits.solver);
    solver.set_proofs(false);
    constraints.iter().for_each(|constraint| {
        solver.assert(constraint);
    });
    solver
}

/// That a form is smaller by one at least after a step.
fn decrease(before: &LinearForm, after: &LinearForm, by: &Move) -> Constraint {
    let mut result = LinearForm::constant(after.constant_term().clone());
    for (cell, factor) in after.terms() {
        let value =
            updated(&by.branch.updates, *cell).cloned().unwrap_or_else(|| LinearForm::variable(*cell));
        result = result.plus(&value.scaled(factor));
    }
    Constraint::lt(&result, before)
}
