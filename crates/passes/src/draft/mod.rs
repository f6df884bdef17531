//! A program being changed, and what its parts were before.
//!
//! A pass starts with a copy of its program, changes operations, adds edges and removes what
//! it likes; [`Draft::finish`] numbers the remaining parts anew and makes the way back.

use crate::back::{BackMap, ChoiceSource, KnownValues, OldStep, Settling, SlotMap, Stage};
use crate::choices::{Choice, choices, initial_cells};
use rely_base::{Arena, Id};
use rely_program::analysis::IdSet;
use rely_program::{
    CheckId, Domain, Edge, EdgeId, Location, LocationId, Op, Program, ProgramEditor, ProgramParts, Property,
    ThreadId, Var, VarId,
};
use rustc_hash::FxHashMap;

pub(crate) mod rename;
mod renumber;

use renumber::{NewIds, Renumbering};

/// The parts of `program` are looked at and changed directly, except that edges come and go
/// through the methods here. Its `outgoing` is not kept up to date.
pub(crate) struct Draft<'p> {
    pub(crate) old: &'p Program,
    pub(crate) program: ProgramEditor,
    pub(crate) steps: Arena<EdgeId, Vec<OldStep>>,
    removed_edges: IdSet<EdgeId>,
    removed_locations: IdSet<LocationId>,
    removed_vars: IdSet<VarId>,
    /// Old counterparts of what was added; the other parts have kept their ids so far.
    pub(crate) old_checks: Arena<CheckId, CheckId>,
    pub(crate) old_locations: Arena<LocationId, LocationId>,
    pub(crate) old_vars: Arena<VarId, VarId>,
    /// For a variable that was a cell of an array: which one.
    old_cells: FxHashMap<VarId, usize>,
    /// Where a variable stands for another old one than its own: by location and new variable.
    pub(crate) aliases: FxHashMap<(LocationId, VarId), VarId>,
    /// What is known of old variables while their thread is at a location that was told apart.
    pub(crate) values: FxHashMap<LocationId, KnownValues>,
    pub(crate) old_threads: Arena<ThreadId, ThreadId>,
    old_properties: Vec<usize>,
    pub(crate) settling_edges: IdSet<EdgeId>,
    /// The old edges that threads do not take any more, because they start behind them.
    first_steps: FxHashMap<ThreadId, EdgeId>,
}

impl<'p> Draft<'p> {
    pub(crate) fn new(old: &'p Program) -> Self {
        let steps = old.edges().iter().map(|(id, edge)| {
            let choices = (0..choices(old, &edge.ops).len()).map(ChoiceSource::Kept).collect();
            vec![OldStep { edge: id, choices, checks: checks(&edge.ops).collect() }]
        });
        Self {
            old,
            program: ProgramEditor::new(old.clone()),
            steps: steps.collect(),
            removed_edges: IdSet::new(),
            removed_locations: IdSet::new(),
            removed_vars: IdSet::new(),
            old_checks: old.checks().ids().collect(),
            old_locations: old.locations().ids().collect(),
            old_vars: old.vars().ids().collect(),
            old_cells: FxHashMap::default(),
            aliases: FxHashMap::default(),
            values: FxHashMap::default(),
            old_threads: old.threads().ids().collect(),
            old_properties: (0..old.properties().len()).collect(),
            settling_edges: IdSet::new(),
            first_steps: FxHashMap::default(),
        }
    }

    /// The edges that have not been removed.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (EdgeId, &Edge)> {
        self.program.edges().iter().filter(|(id, _)| !self.removed_edges.contains(*id))
    }

    pub(crate) fn add_edge(&mut self, edge: Edge, steps: Vec<OldStep>) -> EdgeId {
        self.steps.push(steps);
        self.program.edges_mut().push(edge)
    }

    pub(crate) fn remove_edge(&mut self, edge: EdgeId) {
        self.removed_edges.insert(edge);
    }

    /// Removes an edge for good. What it did need not be kept any longer.
    pub(crate) fn drop_edge(&mut self, edge: EdgeId) {
        self.remove_edge(edge);
        self.program.edges_mut()[edge].ops = Vec::new();
        self.steps[edge] = Vec::new();
    }

    /// Removes a location; its edges must be removed as well.
    pub(crate) fn remove_location(&mut self, location: LocationId) {
        self.removed_locations.insert(location);
    }

    /// Adds a copy of a location without its edges, the `number`th of those that are kept.
    pub(crate) fn copy_location(&mut self, location: LocationId, number: usize) -> LocationId {
        let original = &self.old.locations()[location];
        let label = original.label.as_ref().map(|label| match number {
            1 => label.clone(),
            _ => format!("{label}#{number}"),
        });
        let copy = Location { label, ..original.clone() };
        self.old_locations.push(location);
        self.program.add_location(copy)
    }

    /// Adds a location in which a thread is at an old one.
    pub(crate) fn add_location(&mut self, location: Location, old: LocationId) -> LocationId {
        self.old_locations.push(old);
        self.program.add_location(location)
    }

    /// Adds a property that the old program does not have; on the way back it keeps its number.
    pub(crate) fn add_property(&mut self, property: Property) {
        self.old_properties.push(self.program.properties().len());
        self.program.properties_mut().push(property);
    }

    /// Removes a variable; nothing may mention it any more.
    pub(crate) fn remove_var(&mut self, var: VarId) {
        self.removed_vars.insert(var);
    }

    /// Adds a variable that takes the place of a cell of an array.
    pub(crate) fn add_cell(&mut self, array: VarId, var: Var, cell: usize) -> VarId {
        let id = self.program.vars_mut().push(var);
        self.old_vars.push(self.old_vars[array]);
        self.old_cells.insert(id, cell);
        id
    }

    /// Keeps only some properties.
    pub(crate) fn retain_properties(&mut self, mut keep: impl FnMut(&Property) -> bool) {
        let kept: Vec<usize> = (0..self.program.properties().len())
            .filter(|&index| keep(&self.program.properties()[index]))
            .collect();
        let properties = kept.iter().map(|&index| self.program.properties()[index].clone()).collect();
        *self.program.properties_mut() = properties;
        self.old_properties = kept.iter().map(|&index| self.old_properties[index]).collect();
    }

    /// Adds a copy of a check.
    pub(crate) fn copy_check(&mut self, check: CheckId) -> CheckId {
        let copy = self.program.checks()[check].clone();
        self.old_checks.push(self.old_checks[check]);
        self.program.checks_mut().push(copy)
    }

    /// Says of an edge that the choices for which `is_dropped` holds are not made any more:
    /// to be called before its operations are changed.
    pub(crate) fn drop_choices(&mut self, edge: EdgeId, is_dropped: impl Fn(&Choice) -> bool) {
        let mut sources = Vec::new();
        let mut kept = 0;
        for choice in choices(&self.program, &self.program.edges()[edge].ops) {
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
    pub(crate) fn redirect_choices(&mut self, edge: EdgeId, sources: &[ChoiceSource]) {
        for source in self.steps[edge].iter_mut().flat_map(|step| &mut step.choices) {
            if let ChoiceSource::Kept(index) = *source {
                *source = sources[index];
            }
        }
    }

    /// The edge that does first one and then the other; both stay.
    pub(crate) fn concatenation(&mut self, first: EdgeId, second: EdgeId) -> (Edge, Vec<OldStep>) {
        let first_choices = choices(&self.program, &self.program.edges()[first].ops).len();
        let mut steps = self.steps[first].clone();
        let mut ops = self.program.edges()[first].ops.clone();
        let mut later_steps = self.steps[second].clone();
        let mut later_ops = self.program.edges()[second].ops.clone();
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
        let (first, second) = (&self.program.edges()[first], &self.program.edges()[second]);
        let span = first.span.or(second.span);
        let atomic = first.atomic.filter(|_| first.atomic == second.atomic);
        (Edge { source: first.source, target: second.target, ops, span, atomic }, steps)
    }

    /// Lets a thread start where the only edge from its entry, which must do nothing and is
    /// removed, leads.
    pub(crate) fn start_behind(&mut self, edge: EdgeId) {
        let Edge { source, target, .. } = self.program.edges()[edge];
        let thread = self.program.locations()[source].thread;
        self.program.threads_mut()[thread].entry = target;
        self.remove_edge(edge);
        self.remove_location(source);
        self.first_steps.insert(thread, edge);
        self.settling_edges.insert(edge);
    }

    /// The new program and the way back.
    pub(crate) fn finish(self) -> (Program, BackMap) {
        let maps = self.number_anew();
        let parts = self.program.into_parts();
        let mut new = ProgramParts {
            vars: maps.vars.kept(parts.vars),
            locations: maps.locations.kept(parts.locations),
            edges: Arena::new(),
            checks: maps.checks.kept(parts.checks),
            ..parts
        };
        maps.rename_declarations(&mut new);
        let mut steps = Arena::new();
        for (id, (edge, own)) in parts.edges.into_iter().zip(self.steps).enumerate() {
            if !self.removed_edges.contains(EdgeId::from_index(id)) {
                steps.push(maps.rename_steps(own));
                new.edges.push(maps.rename_edge(edge));
            }
        }
        let new = new.assemble();
        let first_step = |(id, edge): (EdgeId, &Edge)| {
            let thread = new.locations()[edge.source].thread;
            self.first_steps.get(&thread).map(|&first| (id, first))
        };
        let first_steps = new.edges().iter().filter_map(first_step).collect();
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
            locations: NewIds::new(self.program.locations().ids(), |id| !self.removed_locations.contains(id)),
            vars: NewIds::new(self.program.vars().ids(), |id| !self.removed_vars.contains(id)),
            checks: NewIds::new(self.program.checks().ids(), |id| used_checks.contains(id)),
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
