//! Cells that count threads.
//!
//! A lock for several readers counts them: who begins to read adds one, who is done subtracts one. So
//! the cell is at least one while somebody reads, and that cannot be seen from the steps of single
//! threads: to know that another reader who leaves is not the last one, a reader would have to
//! know where all others are.
//!
//! Such a cell is what it was at the beginning plus, for each thread, a *share* that depends only on
//! where the thread is. This is an invariant that relates the cell to numbers of threads, and the proof
//! states it as one. Whoever knows where some threads are knows bounds of the cell from it.

use super::system::{Move, SpotId, System, updated};
use rely_base::Id;
use rely_evidence::counting::{CountAtom, Counter, Invariant, Summand};
use rely_evidence::rely_guarantee::{Comparison, Spot};
use rely_logic::{Constraint, LinearForm, Relation, VarId};
use rely_program::{ThreadId, Value};

/// What a thread contributes to a cell.
type Share = i64;

/// All cells that count threads.
#[derive(Default)]
pub(super) struct Census {
    counts: Vec<Count>,
}

/// A cell that counts threads.
struct Count {
    cell: VarId,
    initial: Share,
    /// What each thread contributes at each of its spots; nothing where it never is.
    shares: Vec<Vec<Option<Share>>>,
}

impl Census {
    pub(super) fn new(system: &System<'_>) -> Self {
        Census { counts: system.cells.all().filter_map(|cell| Count::new(system, cell)).collect() }
    }

    /// All cells that count threads.
    pub(super) fn cells(&self) -> impl Iterator<Item = VarId> {
        self.counts.iter().map(|count| count.cell)
    }

    fn of<'c>(&'c self, cells: &'c [VarId]) -> impl Iterator<Item = &'c Count> {
        self.counts.iter().filter(|count| cells.contains(&count.cell))
    }

    /// What is known of some of the cells from where some threads are.
    pub(super) fn facts(
        &self,
        cells: &[VarId],
        system: &System<'_>,
        present: &[(ThreadId, SpotId)],
    ) -> Vec<Constraint> {
        self.of(cells).flat_map(|count| count.facts(system, present)).collect()
    }

    /// What is true of some of the cells, in the terms of the program.
    pub(super) fn invariants(&self, cells: &[VarId], system: &System<'_>) -> Vec<Invariant> {
        self.of(cells).filter_map(|count| count.invariant(system)).collect()
    }
}

impl Count {
    /// `None` if the cell does not count threads, or if nobody looks at it.
    fn new(system: &System<'_>, cell: VarId) -> Option<Self> {
        let guards = system.moves.iter().map(|by| &by.branch.guard);
        let guards = guards.chain(system.violations.iter().map(|violation| &violation.guard));
        let is_tested = guards.flatten().any(|test| test.form().contains(cell));
        if system.cells.owner(cell).is_some() || !is_tested {
            return None;
        }
        let shares = system.thread_ids().map(|thread| shares(system, thread, cell));
        let count =
            Count { cell, initial: initial_value(system, cell)?, shares: shares.collect::<Option<_>>()? };
        let counts_somebody = count.shares.iter().flatten().flatten().any(|&share| share != 0);
        counts_somebody.then_some(count)
    }

    /// Bounds of the cell if some threads are where they are said to be.
    fn facts(&self, system: &System<'_>, present: &[(ThreadId, SpotId)]) -> Vec<Constraint> {
        let mut known = present.iter().filter_map(|(thread, spot)| self.shares[thread.index()][spot.index()]);
        let known = known.try_fold(self.initial, Share::checked_add);
        let bound = |of: fn(&[Option<Share>], bool) -> Option<Share>| {
            let mut absent = system.thread_ids().filter_map(|thread| {
                let is_template = system.thread(thread).is_template;
                let is_present = present.iter().any(|(other, _)| *other == thread);
                (is_template || !is_present).then(|| of(&self.shares[thread.index()], is_template))
            });
            absent.try_fold(known?, |sum, share| sum.checked_add(share?))
        };
        let form = LinearForm::variable(self.cell);
        let least = bound(least_share).map(|least| Constraint::ge(&form, &LinearForm::constant(least)));
        let most = bound(most_share).map(|most| Constraint::le(&form, &LinearForm::constant(most)));
        least.into_iter().chain(most).collect()
    }

    /// The cell is what it was plus all shares.
    fn invariant(&self, system: &System<'_>) -> Option<Invariant> {
        let (var, index) = system.cells.variable(self.cell)?;
        let mut terms = vec![(1, Summand::Cell { var, index: u32::try_from(index).ok()? })];
        for thread in system.thread_ids() {
            let spots = system.thread(thread).spots.iter().zip(&self.shares[thread.index()]);
            for (spot, share) in spots {
                if let (Spot::At(location), Some(share)) = (spot, share.filter(|&share| share != 0)) {
                    terms.push((-Value::from(share), Summand::Count(Counter::at(*location))));
                }
            }
        }
        let atom = CountAtom { terms, constant: -Value::from(self.initial), comparison: Comparison::Eq };
        Some(Invariant { cubes: vec![vec![atom]] })
    }
}

/// The least that a thread contributes wherever it is, or any number of instances of a template;
/// `None` if there is no bound.
fn least_share(shares: &[Option<Share>], is_template: bool) -> Option<Share> {
    let least = shares.iter().flatten().copied().min().unwrap_or(0);
    if is_template { (least >= 0).then_some(0) } else { Some(least) }
}

/// The most that a thread contributes wherever it is, or any number of instances of a template;
/// `None` if there is no bound.
fn most_share(shares: &[Option<Share>], is_template: bool) -> Option<Share> {
    let most = shares.iter().flatten().copied().max().unwrap_or(0);
    if is_template { (most <= 0).then_some(0) } else { Some(most) }
}

/// The value of a cell at the beginning, if it is always the same.
fn initial_value(system: &System<'_>, cell: VarId) -> Option<Share> {
    let [initial] = system.initial.as_slice() else { return None };
    let is_value = |constraint: &&Constraint| {
        let form = constraint.form();
        constraint.relation() == Relation::Eq && form.terms().len() == 1 && form.coefficient(cell).is_unit()
    };
    let equation = initial.iter().find(is_value)?.form();
    let value = equation.constant_term().to_i64()?;
    if equation.coefficient(cell).is_one() { value.checked_neg() } else { Some(value) }
}

/// What a thread contributes to a cell at each of its spots; `None` if that depends on more than
/// where it is.
fn shares(system: &System<'_>, thread: ThreadId, cell: VarId) -> Option<Vec<Option<Share>>> {
    let view = system.thread(thread);
    let mut shares: Vec<Option<Share>> = vec![None; view.spots.len()];
    let mut pending: Vec<SpotId> = Vec::new();
    for spot in [view.start, Some(view.entry)].into_iter().flatten() {
        shares[spot.index()] = Some(0);
        pending.push(spot);
    }
    while let Some(spot) = pending.pop() {
        for &by in &view.moves[spot.index()] {
            let by = system.get(by);
            if !by.leads_on(system) {
                continue;
            }
            let share = shares[spot.index()].and_then(|share| share.checked_add(added(by, cell)?))?;
            match &mut shares[by.target.index()] {
                Some(known) if *known == share => {}
                Some(_) => return None,
                unknown => {
                    *unknown = Some(share);
                    pending.push(by.target);
                }
            }
        }
    }
    Some(shares)
}

/// What a move adds to a cell, if that is always the same.
fn added(by: &Move, cell: VarId) -> Option<Share> {
    let Some(value) = updated(&by.branch.updates, cell) else { return Some(0) };
    let added = value.minus(&LinearForm::variable(cell));
    if added.is_constant() { added.constant_term().to_i64() } else { None }
}
