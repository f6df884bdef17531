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
//!
//! A flag that any number of threads set and reset is such a cell as well: it has two values, so who finds
//! it reset and sets it adds one, and who has set it can reset it without looking. That there are
//! only two values is part of the invariant.

use super::{ControlPointId, Move, System, updated};
use rely_base::Id;
use rely_evidence::counting::{CountAtom, Counter, Invariant, Summand};
use rely_evidence::rely_guarantee::{Comparison, ControlPoint};
use rely_logic::{Constraint, LinearForm, Relation, VarId};
use rely_program::{Sort, ThreadId, Value};

/// What a thread contributes to a cell.
type Share = i64;

/// All cells that count threads.
#[derive(Default)]
pub struct CountingInvariants {
    counts: Vec<(VarId, Sum)>,
    /// The differences of two of them: how many threads one counts and the other one does not.
    differences: Vec<([VarId; 2], Sum)>,
}

/// What each thread contributes at each of its control points; nothing where it never is.
type Shares = Vec<Vec<Option<Share>>>;

/// A linear form that is the sum of what threads contribute, and of what it was at the beginning.
struct Sum {
    form: LinearForm,
    initial: Share,
    shares: Shares,
    /// The only values, if it is a flag.
    values: Option<[Share; 2]>,
}

impl CountingInvariants {
    pub(super) fn new(system: &System<'_>) -> Self {
        let count = |cell| Some((cell, Sum::of_cell(system, cell)?));
        let counts = system.cells.all().filter_map(count).take(system.limits.translation.counted_cells);
        let counts: Vec<(VarId, Sum)> = counts.collect();
        let mut differences = Vec::new();
        for (position, (left, more)) in counts.iter().enumerate() {
            for (right, less) in &counts[position + 1..] {
                differences.extend(more.minus(less).map(|sum| ([*left, *right], sum)));
            }
        }
        CountingInvariants { counts, differences }
    }

    /// All cells that count threads.
    pub fn cells(&self) -> impl Iterator<Item = VarId> {
        self.counts.iter().map(|(cell, _)| *cell)
    }

    /// What is known of some of the cells from where some threads are.
    pub fn facts(
        &self,
        cells: &[VarId],
        system: &System<'_>,
        present: &[(ThreadId, ControlPointId)],
    ) -> Vec<Constraint> {
        let counts = self.counts.iter().filter(|(cell, _)| cells.contains(cell)).map(|(_, sum)| sum);
        let differences =
            self.differences.iter().filter(|(pair, _)| pair.iter().all(|it| cells.contains(it)));
        let sums = counts.chain(differences.map(|(_, sum)| sum));
        sums.flat_map(|sum| sum.bounds(system, present)).collect()
    }

    /// What is true of some of the cells, in the terms of the program.
    pub fn invariants(&self, cells: &[VarId], system: &System<'_>) -> Vec<Invariant> {
        let counts = self.counts.iter().filter(|(cell, _)| cells.contains(cell));
        counts.filter_map(|(cell, sum)| sum.invariants(*cell, system)).flatten().collect()
    }
}

impl Sum {
    /// `None` if the cell does not count threads, or if nobody looks at it.
    fn of_cell(system: &System<'_>, cell: VarId) -> Option<Self> {
        let guards = system.moves.iter().map(|by| &by.branch.guard);
        let guards = guards.chain(system.violations.iter().map(|violation| &violation.guard));
        let is_tested = guards.flatten().any(|test| test.form().contains(cell));
        if system.cells.owner(cell).is_some() || !is_tested {
            return None;
        }
        let initial = initial_value(system, cell)?;
        let values = flag_values(system, cell, initial);
        let shares = shares(system, cell, values)?;
        let counts_somebody = shares.iter().flatten().flatten().any(|&share| share != 0);
        let sum = Sum { form: LinearForm::variable(cell), initial, shares, values };
        (counts_somebody && sum.justifies_writes(system, cell)).then_some(sum)
    }

    /// Whether nobody writes to a flag what it holds already, as far as that follows from where
    /// the writer is and what it tests: shares take that for granted.
    fn justifies_writes(&self, system: &System<'_>, cell: VarId) -> bool {
        let is_reached = |by: &&Move| self.shares[by.thread.index()][by.source.index()].is_some();
        let mut moves = system.moves.iter().filter(is_reached).filter(|by| by.leads_on(system));
        moves.all(|by| match (self.values, updated(&by.branch.updates, cell)) {
            (Some(_), Some(value)) => {
                let bounds = self.bounds(system, &[(by.thread, by.source)]);
                let may_be_there = |value| {
                    allows(by, cell, value) && bounds.iter().all(|bound| bound.holds(|_| value.into()))
                };
                added(by, cell, self.values) == Some(0)
                    || value.constant_term().to_i64().is_some_and(|value| !may_be_there(value))
            }
            _ => true,
        })
    }

    /// The difference of two sums; `None` if the numbers are too large.
    fn minus(&self, other: &Sum) -> Option<Sum> {
        let points = |(left, right): (&Option<Share>, &Option<Share>)| match (left, right) {
            (Some(left), Some(right)) => left.checked_sub(*right).map(Some),
            _ => Some(None),
        };
        let threads = self.shares.iter().zip(&other.shares);
        let shares = threads.map(|(left, right)| left.iter().zip(right).map(points).collect());
        Some(Sum {
            form: self.form.minus(&other.form),
            initial: self.initial.checked_sub(other.initial)?,
            shares: shares.collect::<Option<_>>()?,
            values: None,
        })
    }

    /// Bounds of the form if some threads are where they are said to be.
    fn bounds(&self, system: &System<'_>, present: &[(ThreadId, ControlPointId)]) -> Vec<Constraint> {
        let mut known =
            present.iter().filter_map(|(thread, point)| self.shares[thread.index()][point.index()]);
        let known = known.try_fold(self.initial, Share::checked_add);
        let bound = |of: fn(&[Option<Share>], bool) -> Option<Share>| {
            let mut absent = system.thread_ids().filter_map(|thread| {
                let is_template = system.thread(thread).is_template;
                let is_present = present.iter().any(|(other, _)| *other == thread);
                (is_template || !is_present).then(|| of(&self.shares[thread.index()], is_template))
            });
            absent.try_fold(known?, |sum, share| sum.checked_add(share?))
        };
        let at_least = |least| Constraint::ge(&self.form, &LinearForm::constant(least));
        let at_most = |most| Constraint::le(&self.form, &LinearForm::constant(most));
        let shares = [bound(least_share).map(at_least), bound(most_share).map(at_most)];
        let values = self.values.map(|[low, high]| [at_least(low), at_most(high)]);
        shares.into_iter().flatten().chain(values.into_iter().flatten()).collect()
    }

    /// The cell whose sum it is is what it was plus all shares, and a flag has only two values.
    fn invariants(&self, cell: VarId, system: &System<'_>) -> Option<Vec<Invariant>> {
        let (var, index) = system.cells.variable(cell)?;
        let cell = Summand::Cell { var, index: u32::try_from(index).ok()? };
        let bound = |(sign, constant): (Value, Value)| CountAtom {
            terms: vec![(sign, cell.clone())],
            constant,
            comparison: Comparison::Le,
        };
        // Of truth values everybody knows that there are two.
        let values = self.values.filter(|_| system.program.vars()[var].sort != Sort::Bool);
        let values = values.map(|values| values.map(Value::from));
        let values = values.map(|[low, high]| [(1, -high), (-1, low)]);
        let values = values.map(|bounds| Invariant { cubes: vec![bounds.map(bound).to_vec()] });
        let mut terms = vec![(1, cell)];
        for thread in system.thread_ids() {
            let points = system.thread(thread).points.iter().zip(&self.shares[thread.index()]);
            for (point, share) in points {
                if let (ControlPoint::At(location), Some(share)) = (point, share.filter(|&share| share != 0))
                {
                    terms.push((-Value::from(share), Summand::Count(Counter::at(*location))));
                }
            }
        }
        let atom = CountAtom { terms, constant: -Value::from(self.initial), comparison: Comparison::Eq };
        Some([Invariant { cubes: vec![vec![atom]] }].into_iter().chain(values).collect())
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
    initial.iter().find_map(|constraint| value_in(constraint, cell))
}

/// What each thread contributes to a cell; `None` if that depends on more than where it is.
///
/// Who starts a thread may count it before it does anything, so what an instance of a template
/// contributes at first is not known. It is taken to be nothing until that leads to a contradiction.
fn shares(system: &System<'_>, cell: VarId, values: Option<[Share; 2]>) -> Option<Shares> {
    let mut at_first: Vec<Share> = vec![0; system.threads.len()];
    let mut is_settled = vec![false; system.threads.len()];
    loop {
        let of = |thread| shares_of(system, thread, (cell, values), &at_first);
        let wrong = match system.thread_ids().map(of).collect::<Result<Shares, Wrong>>() {
            Ok(shares) => return Some(shares),
            Err(wrong) => wrong?,
        };
        let [(template, _)] = wrong.by.branch.spawned.as_slice() else { return None };
        if std::mem::replace(&mut is_settled[template.index()], true) {
            return None;
        }
        at_first[template.index()] = at_first[template.index()].checked_add(wrong.excess)?;
    }
}

/// Why there are no shares: a move leaves a thread with more than one had at the same control point before, if
/// that is all.
type Wrong<'s> = Option<Excess<'s>>;

struct Excess<'s> {
    by: &'s Move,
    excess: Share,
}

/// What a thread contributes to a cell at each of its control points.
fn shares_of<'s>(
    system: &'s System<'_>,
    thread: ThreadId,
    (cell, values): (VarId, Option<[Share; 2]>),
    at_first: &[Share],
) -> Result<Vec<Option<Share>>, Wrong<'s>> {
    let view = system.thread(thread);
    let mut shares: Vec<Option<Share>> = vec![None; view.points.len()];
    let mut pending: Vec<ControlPointId> = Vec::new();
    for point in [view.start, Some(view.entry)].into_iter().flatten() {
        shares[point.index()] = Some(at_first[thread.index()]);
        pending.push(point);
    }
    while let Some(point) = pending.pop() {
        for &by in &view.moves[point.index()] {
            let by = system.get(by);
            if !by.leads_on(system) {
                continue;
            }
            let mut spawned = by.branch.spawned.iter().map(|(template, _)| at_first[template.index()]);
            let added = added(by, cell, values).and_then(|added| spawned.try_fold(added, Share::checked_sub));
            let share = shares[point.index()].zip(added).and_then(|(share, added)| share.checked_add(added));
            let share = share.ok_or(None)?;
            match &mut shares[by.target.index()] {
                Some(known) if *known == share => {}
                Some(known) => {
                    let excess = share.checked_sub(*known).ok_or(None)?;
                    return Err(Some(Excess { by, excess }));
                }
                unknown => {
                    *unknown = Some(share);
                    pending.push(by.target);
                }
            }
        }
    }
    Ok(shares)
}

/// What a move adds to a cell, if that is always the same.
fn added(by: &Move, cell: VarId, values: Option<[Share; 2]>) -> Option<Share> {
    let Some(value) = updated(&by.branch.updates, cell) else { return Some(0) };
    let added = value.minus(&LinearForm::variable(cell));
    if added.is_constant() {
        return added.constant_term().to_i64();
    }
    let value = value.constant_term().to_i64()?;
    let mut others = values?.into_iter().filter(|&other| other != value && allows(by, cell, other));
    // That it was different before is looked at when all shares are known.
    match others.next() {
        Some(before) => value.checked_sub(before),
        None => Some(0),
    }
}

/// Whether a move can be made while a cell has a value, as far as tests of this cell alone tell.
fn allows(by: &Move, cell: VarId, value: Share) -> bool {
    let tests = by.branch.guard.iter();
    let mut tests = tests.filter(|test| test.form().variables().all(|variable| variable == cell));
    tests.all(|test| test.holds(|_| value.into()))
}

/// The two values of a cell that instances of a template write, if it has no more.
fn flag_values(system: &System<'_>, cell: VarId, initial: Share) -> Option<[Share; 2]> {
    let mut values = vec![initial];
    let mut is_shared = false;
    for by in &system.moves {
        let Some(value) = updated(&by.branch.updates, cell) else { continue };
        if !value.is_constant() {
            return None;
        }
        values.push(value.constant_term().to_i64()?);
        is_shared |= system.thread(by.thread).is_template;
    }
    values.sort_unstable();
    values.dedup();
    is_shared.then_some(())?;
    values.try_into().ok()
}

/// The value of a cell, if a constraint says it.
fn value_in(constraint: &Constraint, cell: VarId) -> Option<Share> {
    let form = constraint.form();
    let is_equation = constraint.relation() == Relation::Eq && form.terms().len() == 1;
    (is_equation && form.coefficient(cell).is_unit()).then_some(())?;
    let value = form.constant_term().to_i64()?;
    if form.coefficient(cell).is_one() { value.checked_neg() } else { Some(value) }
}
