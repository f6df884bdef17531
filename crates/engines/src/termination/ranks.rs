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
//! If no function is bounded, one that some steps always make smaller still helps: as soon as it is negative it counts
//! as zero, so from then on another component has to do the work (multiphase ranking functions, Ben-Amram and
//! Genaim, CAV 2017). Such a step stays, but only where the function is not positive.

use super::farkas::{Program, Template};
use super::graph::components;
use super::invariants::Invariants;
use super::limits::Limits;
use rely_base::{Budget, Id, StopReason};
use rely_logic::{Conjunction, Constraint, Domain, Entailment, LinearForm, VarId, Verdict};
use rely_program::ThreadId;
use rely_symbolic::{ControlPointId, Move, MoveId, System, updated};

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
    let mut search = Search::new(system, invariants, limits, budget);
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
            Some(component) => found.push(component),
            None => return Err(NoRanks::Left),
        }
    }
}

/// A step that no component has made smaller yet.
struct Left {
    id: MoveId,
    /// What holds before the step, in each case.
    cases: Vec<Vec<Constraint>>,
}

/// Which steps a component has to make smaller, and how.
#[derive(Clone, Copy)]
enum Wish {
    All,
    OfThread(ThreadId),
    One(usize),
}

struct Search<'a, 'p> {
    system: &'a System<'p>,
    invariants: &'a Invariants,
    limits: Limits,
    budget: &'a Budget,
    left: Vec<Left>,
}

/// The unknown functions of a component; `None` where nothing is left to be ranked.
type Functions = Vec<Vec<Option<Template>>>;

impl<'a, 'p> Search<'a, 'p> {
    fn new(system: &'a System<'p>, invariants: &'a Invariants, limits: Limits, budget: &'a Budget) -> Self {
        let mut search = Search { system, invariants, limits, budget, left: Vec::new() };
        for (index, by) in system.moves.iter().enumerate().filter(|(_, by)| by.leads_on(system)) {
            let cases = invariants.at[by.thread.index()][by.source.index()].iter();
            let cases = cases
                .map(|known| known.constraints.iter().chain(&by.branch.guard).cloned().collect::<Vec<_>>());
            let cases: Vec<_> = cases.filter(|case| search.is_possible(case)).collect();
            if !cases.is_empty() {
                search.left.push(Left { id: MoveId::from_index(index), cases });
            }
        }
        search
    }

    fn is_possible(&self, constraints: &[Constraint]) -> bool {
        let mut solver = self.solver(constraints);
        solver.check(self.budget) != Verdict::Unsat
    }

    fn solver(&self, constraints: &[Constraint]) -> Conjunction {
        let mut solver = Conjunction::with_limits(Domain::Integers, self.system.limits.solver);
        solver.set_proofs(false);
        constraints.iter().for_each(|constraint| {
            solver.assert(constraint);
        });
        solver
    }

    fn get(&self, left: &Left) -> &'a Move {
        self.system.get(left.id)
    }

    /// The number of each control point in the order of components; steps that leave theirs are done.
    fn places(&mut self) -> Component {
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
    fn values(&mut self) -> Result<Option<Component>, StopReason> {
        let threads = self.system.thread_ids().map(Wish::OfThread);
        let single = (0..self.left.len()).map(Wish::One);
        let wishes: Vec<Wish> = std::iter::once(Wish::All).chain(threads).chain(single).collect();
        for is_bounded in [true, false] {
            for &wish in &wishes {
                self.budget.check_now()?;
                if let Some(component) = self.attempt(wish, is_bounded)
                    && self.settle(&component, is_bounded)
                {
                    return Ok(Some(component));
                }
            }
        }
        Ok(None)
    }

    fn is_wished(&self, wish: Wish, index: usize) -> bool {
        match wish {
            Wish::All => true,
            Wish::OfThread(thread) => self.get(&self.left[index]).thread == thread,
            Wish::One(wished) => wished == index,
        }
    }

    /// Functions that no step makes greater, and the wished ones smaller.
    fn attempt(&self, wish: Wish, is_bounded: bool) -> Option<Component> {
        if !(0..self.left.len()).any(|index| self.is_wished(wish, index)) {
            return None;
        }
        let mut program = Program::new();
        let functions = self.functions(&mut program);
        for (index, left) in self.left.iter().enumerate() {
            let by = self.get(left);
            let value = |cell| updated(&by.branch.updates, cell).cloned();
            let own = &functions[by.thread.index()];
            let (before, after) = (own[by.source.index()].as_ref()?, own[by.target.index()].as_ref()?);
            let difference = before.clone().minus(&after.after(value));
            let is_wished = self.is_wished(wish, index);
            let difference = if is_wished { difference.minus_one() } else { difference };
            for case in &left.cases {
                program.follows(case, &difference);
                if is_wished && is_bounded {
                    program.follows(case, &before.clone().minus_one());
                }
            }
            self.spare_others(by, left, &functions, &mut program);
            if program.unknowns() > self.limits.unknowns {
                return None;
            }
        }
        let model = program.solve(self.budget)?;
        let form = |function: &Option<Template>| match function {
            Some(function) => function.instance(&model),
            None => LinearForm::default(),
        };
        Some(functions.iter().map(|points| points.iter().map(form).collect()).collect())
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
                let mut solver = self.solver(&case);
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
