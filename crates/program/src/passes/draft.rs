//! A program being changed, and what its parts were before.
//!
//! A pass starts with a copy of its program, changes operations, adds edges and removes what
//! it likes; [`Draft::finish`] numbers the remaining parts anew and makes the way back.

use super::back::{BackMap, ChoiceSource, OldStep, Settling, Stage};
use super::rename::Renaming;
use super::slots::SlotMap;
use super::values::KnownValues;
use crate::analysis::IdSet;
use crate::ir::{
    CheckId, Edge, EdgeId, Initial, Location, LocationId, Op, Program, ThreadId, ThreadKind, Var, VarId,
};
use crate::property::{Claimed, Property};
use crate::semantics::Semantics;
use crate::types::Domain;
use crate::wellformed;
use rely_base::{Arena, Id};
use rustc_hash::FxHashMap;

/// The parts of `program` are looked at and changed directly, except that edges come and go
/// through the methods here. Its `outgoing` is not kept up to date.
pub(super) struct Draft<'p> {
    pub(super) old: &'p Program,
    pub(super) program: Program,
    pub(super) steps: Arena<EdgeId, Vec<OldStep>>,
    removed_edges: IdSet<EdgeId>,
    removed_locations: IdSet<LocationId>,
    removed_vars: IdSet<VarId>,
    /// Old counterparts of what was added; the other parts have kept their ids so far.
    pub(super) old_checks: Arena<CheckId, CheckId>,
    pub(super) old_locations: Arena<LocationId, LocationId>,
    pub(super) old_vars: Arena<VarId, VarId>,
    /// For a variable that was a cell of an array: which one.
    old_cells: FxHashMap<VarId, usize>,
    /// Where a variable stands for another old one than its own: by location and new variable.
    pub(super) aliases: FxHashMap<(LocationId, VarId), VarId>,
    /// What is known of old variables while their thread is at a location that was told apart.
    pub(super) values: FxHashMap<LocationId, KnownValues>,
    pub(super) old_threads: Arena<ThreadId, ThreadId>,
    old_properties: Vec<usize>,
    pub(super) settling_edges: IdSet<EdgeId>,
    /// The old edges that threads do not take any more, because they start behind them.
    first_steps: FxHashMap<ThreadId, EdgeId>,
}

/// A nondeterministic value of an edge.
pub(super) struct Choice {
    /// The operation that needs it.
    pub(super) op: usize,
    /// The local of a spawned template that starts with any value, and the cell of it;
    /// `None` for a havoc.
    pub(super) local: Option<(VarId, usize)>,
    pub(super) domain: Domain,
}

impl<'p> Draft<'p> {
    pub(super) fn new(old: &'p Program) -> Self {
        let steps = old.edges.iter().map(|(id, edge)| {
            let choices = (0..choices(old, &edge.ops).len()).map(ChoiceSource::Kept).collect();
            vec![OldStep { edge: id, choices, checks: checks(&edge.ops).collect() }]
        });
        Self {
            old,
            program: old.clone(),
            steps: steps.collect(),
            removed_edges: IdSet::new(),
            removed_locations: IdSet::new(),
            removed_vars: IdSet::new(),
            old_checks: old.checks.ids().collect(),
            old_locations: old.locations.ids().collect(),
            old_vars: old.vars.ids().collect(),
            old_cells: FxHashMap::default(),
            aliases: FxHashMap::default(),
            values: FxHashMap::default(),
            old_threads: old.threads.ids().collect(),
            old_properties: (0..old.properties.len()).collect(),
            settling_edges: IdSet::new(),
            first_steps: FxHashMap::default(),
        }
    }

    /// The edges that have not been removed.
    pub(super) fn edges(&self) -> impl Iterator<Item = (EdgeId, &Edge)> {
        self.program.edges.iter().filter(|(id, _)| !self.removed_edges.contains(*id))
    }

    pub(super) fn add_edge(&mut self, edge: Edge, steps: Vec<OldStep>) -> EdgeId {
        self.steps.push(steps);
        self.program.edges.push(edge)
    }

    pub(super) fn remove_edge(&mut self, edge: EdgeId) {
        self.removed_edges.insert(edge);
    }

    /// Removes an edge for good. What it did need not be kept any longer.
    pub(super) fn drop_edge(&mut self, edge: EdgeId) {
        self.remove_edge(edge);
        self.program.edges[edge].ops = Vec::new();
        self.steps[edge] = Vec::new();
    }

    /// Removes a location; its edges must be removed as well.
    pub(super) fn remove_location(&mut self, location: LocationId) {
        self.removed_locations.insert(location);
    }

    /// Adds a copy of a location without its edges, the `number`th of those that are kept.
    pub(super) fn copy_location(&mut self, location: LocationId, number: usize) -> LocationId {
        let original = &self.old.locations[location];
        let label = original.label.as_ref().map(|label| match number {
            1 => label.clone(),
            _ => format!("{label}#{number}"),
        });
        let copy = Location { label, ..original.clone() };
        self.program.outgoing.push(Vec::new());
        self.old_locations.push(location);
        self.program.locations.push(copy)
    }

    /// Removes a variable; nothing may mention it any more.
    pub(super) fn remove_var(&mut self, var: VarId) {
        self.removed_vars.insert(var);
    }

    /// Adds a variable that takes the place of a cell of an array.
    pub(super) fn add_cell(&mut self, array: VarId, var: Var, cell: usize) -> VarId {
        let id = self.program.vars.push(var);
        self.old_vars.push(self.old_vars[array]);
        self.old_cells.insert(id, cell);
        id
    }

    /// Keeps only some properties.
    pub(super) fn retain_properties(&mut self, mut keep: impl FnMut(&Property) -> bool) {
        let kept: Vec<usize> = (0..self.program.properties.len())
            .filter(|&index| keep(&self.program.properties[index]))
            .collect();
        self.program.properties = kept.iter().map(|&index| self.program.properties[index].clone()).collect();
        self.old_properties = kept.iter().map(|&index| self.old_properties[index]).collect();
    }

    /// Adds a copy of a check.
    pub(super) fn copy_check(&mut self, check: CheckId) -> CheckId {
        let copy = self.program.checks[check].clone();
        self.old_checks.push(self.old_checks[check]);
        self.program.checks.push(copy)
    }

    /// Says of an edge that the choices for which `is_dropped` holds are not made any more:
    /// to be called before its operations are changed.
    pub(super) fn drop_choices(&mut self, edge: EdgeId, is_dropped: impl Fn(&Choice) -> bool) {
        let mut sources = Vec::new();
        let mut kept = 0;
        for choice in choices(&self.program, &self.program.edges[edge].ops) {
            if is_dropped(&choice) {
                sources.push(ChoiceSource::Fixed(choice.domain.default_value().unwrap_or(0)));
            } else {
                sources.push(ChoiceSource::Kept(kept));
                kept += 1;
            }
        }
        self.redirect_choices(edge, &sources);
    }

    /// Replaces each choice of an edge by its new source.
    pub(super) fn redirect_choices(&mut self, edge: EdgeId, sources: &[ChoiceSource]) {
        for source in self.steps[edge].iter_mut().flat_map(|step| &mut step.choices) {
            if let ChoiceSource::Kept(index) = *source {
                *source = sources[index];
            }
        }
    }

    /// The edge that does first one and then the other; both stay.
    pub(super) fn concatenation(&mut self, first: EdgeId, second: EdgeId) -> (Edge, Vec<OldStep>) {
        let first_choices = choices(&self.program, &self.program.edges[first].ops).len();
        let mut steps = self.steps[first].clone();
        let mut ops = self.program.edges[first].ops.clone();
        let mut later_steps = self.steps[second].clone();
        let mut later_ops = self.program.edges[second].ops.clone();
        // A failure must tell how far the run has come: no check stands in an edge twice.
        for check in checks(&ops.clone()) {
            if checks(&later_ops).any(|later| later == check) {
                let copy = self.copy_check(check);
                rename_check(&mut later_ops, &mut later_steps, check, copy);
            }
        }
        for source in later_steps.iter_mut().flat_map(|step| &mut step.choices) {
            if let ChoiceSource::Kept(index) = source {
                *index += first_choices;
            }
        }
        steps.extend(later_steps);
        ops.extend(later_ops);
        let (first, second) = (&self.program.edges[first], &self.program.edges[second]);
        let span = first.span.or(second.span);
        (Edge { source: first.source, target: second.target, ops, span }, steps)
    }

    /// Lets a thread start where the only edge from its entry, which must do nothing and is
    /// removed, leads.
    pub(super) fn start_behind(&mut self, edge: EdgeId) {
        let Edge { source, target, .. } = self.program.edges[edge];
        let thread = self.program.locations[source].thread;
        self.program.threads[thread].entry = target;
        self.remove_edge(edge);
        self.remove_location(source);
        self.first_steps.insert(thread, edge);
        self.settling_edges.insert(edge);
    }

    /// The new program and the way back.
    pub(super) fn finish(self) -> (Program, BackMap) {
        let maps = self.number_anew();
        let program = self.program;
        let locations = maps.locations.kept(program.locations);
        let mut new = Program {
            name: program.name,
            vars: maps.vars.kept(program.vars),
            threads: program.threads,
            outgoing: locations.ids().map(|_| Vec::new()).collect(),
            locations,
            edges: Arena::new(),
            checks: maps.checks.kept(program.checks),
            properties: program.properties,
            requires: program.requires,
            assumptions: program.assumptions,
        };
        maps.rename_declarations(&mut new);
        let mut steps = Arena::new();
        for (id, (edge, own)) in program.edges.into_iter().zip(self.steps).enumerate() {
            if !self.removed_edges.contains(EdgeId::from_index(id)) {
                steps.push(maps.rename_steps(own));
                let edge = maps.rename_edge(edge);
                let source = edge.source;
                let edge = new.edges.push(edge);
                new.outgoing[source].push(edge);
            }
        }
        let first_step = |(id, edge): (EdgeId, &Edge)| {
            let thread = new.locations[edge.source].thread;
            self.first_steps.get(&thread).map(|&first| (id, first))
        };
        let first_steps = new.edges.iter().filter_map(first_step).collect();
        debug_assert_eq!(wellformed::check(&new), Ok(()), "a pass made a malformed program");
        let cells = self.old_vars.ids().map(|var| self.old_cells.get(&var).copied()).collect();
        let (vars, cells) = (maps.vars.kept(self.old_vars), maps.vars.kept(cells));
        let alias = |((at, var), old): ((LocationId, VarId), VarId)| {
            Some(((maps.locations.new[at]?, maps.vars.new[var]?), old))
        };
        let values = |(at, known): (LocationId, KnownValues)| Some((maps.locations.new[at]?, known));
        let stage = Stage {
            initial: initial_sources(self.old, &new, &vars, &cells),
            slots: SlotMap::new(self.old, &new, &self.old_threads),
            first_steps,
            edges: steps,
            locations: maps.locations.kept(self.old_locations),
            vars,
            cells,
            aliases: self.aliases.into_iter().filter_map(alias).collect(),
            values: self.values.into_iter().filter_map(values).collect(),
            threads: self.old_threads,
            checks: maps.checks.kept(self.old_checks),
            properties: self.old_properties,
            settling: (!self.settling_edges.is_empty())
                .then(|| Settling { program: self.old.clone(), edges: self.settling_edges }),
        };
        let back = if stage.is_identity(&new) { BackMap::identity() } else { BackMap::stage(stage) };
        (new, back)
    }

    fn number_anew(&self) -> Renumbering {
        let used_checks: IdSet<CheckId> = self.edges().flat_map(|(_, edge)| checks(&edge.ops)).collect();
        Renumbering {
            locations: NewIds::new(self.program.locations.ids(), |id| !self.removed_locations.contains(id)),
            vars: NewIds::new(self.program.vars.ids(), |id| !self.removed_vars.contains(id)),
            checks: NewIds::new(self.program.checks.ids(), |id| used_checks.contains(id)),
        }
    }
}

/// The checks of some operations, in order.
fn checks(ops: &[Op]) -> impl Iterator<Item = CheckId> + '_ {
    ops.iter().filter_map(|op| match op {
        Op::Check(_, check) => Some(*check),
        _ => None,
    })
}

fn rename_check(ops: &mut [Op], steps: &mut [OldStep], from: CheckId, to: CheckId) {
    for op in ops {
        if let Op::Check(_, check) = op
            && *check == from
        {
            *check = to;
        }
    }
    for check in steps.iter_mut().flat_map(|step| &mut step.checks) {
        if *check == from {
            *check = to;
        }
    }
}

/// The nondeterministic values of some operations, in order.
pub(super) fn choices(program: &Program, ops: &[Op]) -> Vec<Choice> {
    let mut choices = Vec::new();
    for (index, op) in ops.iter().enumerate() {
        match op {
            Op::Havoc(_, domain) => choices.push(Choice { op: index, local: None, domain: *domain }),
            Op::Spawn { thread, .. } if program.threads[*thread].kind == ThreadKind::Template => {
                for (id, var) in program.vars.iter() {
                    let (crate::Scope::Local(owner), Initial::Any(domain)) = (var.scope, &var.initial) else {
                        continue;
                    };
                    if owner == *thread {
                        let cells = 0..var.cells();
                        choices.extend(cells.map(|cell| Choice {
                            op: index,
                            local: Some((id, cell)),
                            domain: *domain,
                        }));
                    }
                }
            }
            _ => {}
        }
    }
    choices
}

/// The cells of the initial state that start with any value, in the order of their choices.
pub(super) fn initial_cells(program: &Program) -> Vec<(VarId, usize, Domain)> {
    let semantics = Semantics::new(program);
    let mut next_cell: FxHashMap<VarId, usize> = FxHashMap::default();
    let cell = |&(var, domain): &(VarId, Domain)| {
        let next = next_cell.entry(var).or_default();
        *next += 1;
        (var, *next - 1, domain)
    };
    semantics.initial_choices().iter().map(cell).collect()
}

/// Where the initial values of the old program come from. One whose domain has changed does not matter:
/// the first step of the program sets it anew.
fn initial_sources(
    old: &Program,
    new: &Program,
    old_vars: &Arena<VarId, VarId>,
    old_cells: &Arena<VarId, Option<usize>>,
) -> Vec<ChoiceSource> {
    let cells = initial_cells(new).into_iter().enumerate();
    let positions: FxHashMap<(VarId, usize, Domain), usize> = cells
        .map(|(position, (var, cell, domain))| {
            ((old_vars[var], old_cells[var].unwrap_or(cell), domain), position)
        })
        .collect();
    let source = |(var, cell, domain): (VarId, usize, Domain)| match positions.get(&(var, cell, domain)) {
        Some(&position) => ChoiceSource::Kept(position),
        None => ChoiceSource::Fixed(domain.default_value().unwrap_or(0)),
    };
    initial_cells(old).into_iter().map(source).collect()
}

/// The new ids of what is kept of one kind of parts.
struct NewIds<I> {
    new: Arena<I, Option<I>>,
    /// Whether nothing was removed, so that all ids are what they were.
    is_same: bool,
}

impl<I: Id> NewIds<I> {
    fn new(old: impl Iterator<Item = I>, is_kept: impl Fn(I) -> bool) -> Self {
        let mut count = 0;
        let mut is_same = true;
        let number = |id| {
            let new = is_kept(id).then(|| I::from_index(count));
            count += usize::from(new.is_some());
            is_same &= new.is_some();
            new
        };
        let new = old.map(number).collect();
        Self { new, is_same }
    }

    fn of(&self, id: I) -> I {
        self.new[id].expect("what is still used is not removed")
    }

    /// Those of some things about the parts that are about kept ones.
    fn kept<T>(&self, all: Arena<I, T>) -> Arena<I, T> {
        let kept = all.into_iter().zip(self.new.values()).filter(|(_, new)| new.is_some());
        kept.map(|(item, _)| item).collect()
    }
}

/// The new ids of all that is kept.
struct Renumbering {
    locations: NewIds<LocationId>,
    vars: NewIds<VarId>,
    checks: NewIds<CheckId>,
}

impl Renumbering {
    fn renaming<T>(&self, use_it: impl FnOnce(&Renaming<'_>) -> T) -> T {
        use_it(&Renaming {
            var: &|var| self.vars.of(var),
            location: &|location| self.locations.of(location),
            check: &|check| self.checks.of(check),
        })
    }

    /// Renames what threads, properties and preconditions mention.
    fn rename_declarations(&self, program: &mut Program) {
        for (_, thread) in program.threads.iter_mut() {
            thread.entry = self.locations.of(thread.entry);
            thread.exit = self.locations.of(thread.exit);
            thread.parameters.iter_mut().for_each(|var| *var = self.vars.of(*var));
        }
        let claimed = program.properties.iter_mut().filter_map(|property| match &mut property.claimed {
            Claimed::Always(condition) | Claimed::AtEnd(condition) => Some(condition),
            Claimed::DeadlockFree | Claimed::Terminates => None,
        });
        for condition in claimed.chain(&mut program.requires) {
            *condition = self.renaming(|renaming| renaming.expr(condition));
        }
    }

    fn rename_edge(&self, mut edge: Edge) -> Edge {
        edge.source = self.locations.of(edge.source);
        edge.target = self.locations.of(edge.target);
        // The operations of threads mention no locations.
        if !(self.vars.is_same && self.checks.is_same) {
            edge.ops = self.renaming(|renaming| edge.ops.iter().map(|op| renaming.op(op)).collect());
        }
        edge
    }

    fn rename_steps(&self, mut steps: Vec<OldStep>) -> Vec<OldStep> {
        if !self.checks.is_same {
            for step in &mut steps {
                step.checks = step.checks.iter().filter_map(|&check| self.checks.new[check]).collect();
            }
        }
        steps
    }
}
