//! Data races as properties: places that two threads must never stand at together.
//!
//! For every two accesses that conflict, the new program has the property that no two threads are about to
//! make them to the same cell. From then on it is a program with properties like others: passes keep what
//! properties can see, and engines need not know what a race is. So this comes before every pass that joins
//! steps or drops variables; before it there are only those that copy edges as they are, and one that writes
//! known values of a thread's own variables in their place.
//!
//! A property sees where threads stand, and the shared variables and the locals of instances, but only
//! outside of atomic blocks. What it does not see is made visible:
//!
//! * For an access inside of an atomic block there is an edge from the location in front of it that halts
//!   the program: the others stand then where they stood when the block was entered, and nobody moves any
//!   more.
//! * If which cell a thread from a template accesses, or whether it does, depends on its locals, there is
//!   an edge that it can take if it does, to a location from which nothing leads on. Which cell that has to
//!   be is chosen at the beginning: one [`cell`](Watched::base) that never changes. What a template's guard
//!   says of shared variables may have changed meanwhile, so that more is watched than races; whoever finds
//!   one has to look whether it is.
//!
//! Also, for each template there is a flag that says whether one of its threads was created. It changes nothing, but
//! with it one can say why what happens before and after the first creation is kept apart.
//!
//! No other run is lost or added: a thread that takes one of these edges does nothing that others see.

use crate::back::BackMap;
use crate::draft::Draft;
use crate::pipeline::Pipeline;
use crate::reduction::CriticalSections;
use rely_base::{Budget, Interrupted, Work};
use rely_program::race::{Access, Conflict, Conflicts, Race};
use rely_program::{
    Blocking, Domain, Edge, Expr, Goal, Initial, Location, LocationId, Op, Outcome, Place, Program,
    ProgramEditor, Property, PropertyKind, Scope, Semantics, Sort, ThreadId, ThreadKind, Trace, UnaryOp,
    Value, Var, VarId, Violation,
};
use rustc_hash::FxHashMap;

/// A program in which races are violated properties.
#[derive(Debug)]
pub struct Watched {
    /// The program with the properties.
    pub program: Program,
    /// From it to `base`.
    back: BackMap,
    /// The program whose accesses are watched.
    pub base: Program,
    /// From `base` to the program as the front end made it.
    before: BackMap,
    /// Its accesses, and which of them conflict.
    pub conflicts: Conflicts,
    /// The pairs for which each property stands.
    pub pairs: Vec<Vec<usize>>,
    /// The flags that say which templates have threads.
    pub creations: Vec<VarId>,
    /// Which of the initial values is the cell that is watched, if one is.
    cell: Option<usize>,
}

/// Watches the races of a program as the front end made it.
pub fn watch_races(program: &Program, budget: &Budget) -> Result<Watched, Interrupted> {
    let (mut base, before) =
        Pipeline::for_goal(Goal::Race, CriticalSections::Interleaved).run(program, budget)?;
    let conflicts = Conflicts::new(&base, budget)?;
    let watched: Vec<bool> =
        conflicts.pairs.iter().map(|&pair| needs_cell(&base, &conflicts, pair)).collect();
    let mut cell = None;
    if watched.contains(&true) {
        let added;
        (base, added) = with_cell(base);
        cell = Some(added);
    }
    let creations;
    (base, creations) = with_creations(base);
    let mut watcher = Watcher { draft: Draft::new(&base), cell, hits: FxHashMap::default() };
    let mut pairs: Vec<Vec<usize>> = Vec::new();
    let mut known: FxHashMap<[Side; 2], usize> = FxHashMap::default();
    for (index, &pair) in conflicts.pairs.iter().enumerate() {
        budget.check_work(Work::Simplifying("watch_races"))?;
        let property = *known.entry(watcher.sides(conflicts.of(pair))).or_insert_with_key(|sides| {
            let span = base.edges()[conflicts.accesses[pair.first].edge].span;
            watcher.draft.add_property(Property { kind: PropertyKind::Always(condition(sides)), span });
            pairs.push(Vec::new());
            pairs.len() - 1
        });
        pairs[property].push(index);
    }
    let (program, back) = watcher.draft.finish();
    let is_cell = |choice: &(VarId, Domain)| Some(choice.0) == cell;
    let cell = Semantics::new(&base).initial_choices().iter().position(is_cell);
    Ok(Watched { program, back, base, before, conflicts, pairs, creations, cell })
}

impl Watched {
    /// A trace of the watched program that violates a property as a trace of the program as the front end
    /// made it that ends in a race; `None` if it does not.
    pub fn trace(&self, trace: &Trace) -> Option<Trace> {
        let mut trace = self.back.trace(trace)?;
        let Violation::Property(property) = trace.violation else { return None };
        let semantics = Semantics::new(&self.base);
        let mut state = semantics.initial(&trace.initial).ok()?;
        for step in &trace.steps {
            match semantics.step_in_place(&mut state, step.slot, step.edge, &step.choices) {
                Ok(Outcome::Moved(())) => {}
                _ => return None,
            }
        }
        let wanted = |pair| self.pairs[property].contains(&pair);
        let race = Race::find(&semantics, &state, &self.conflicts, wanted).ok()??;
        trace.violation = Violation::Race(race.racers);
        if let Some(position) = self.cell {
            trace.initial.remove(position);
        }
        self.before.trace(&trace)
    }

    /// Whether properties depend on a variable that the program of the front end does not have.
    pub fn chooses_cell(&self) -> bool {
        self.cell.is_some()
    }

    /// From the watched program to the one as the front end made it, for what both have.
    pub fn way_back(&self) -> BackMap {
        self.before.clone().then(self.back.clone())
    }
}

/// Whether the pair can only be watched if it is known beforehand to which cell.
fn needs_cell(program: &Program, conflicts: &Conflicts, pair: Conflict) -> bool {
    let accesses = conflicts.of(pair);
    accesses.iter().all(|access| access.index.is_some())
        && accesses.iter().any(|access| is_hidden(program, access))
}

/// Whether a property cannot say what the access depends on.
fn is_hidden(program: &Program, access: &Access) -> bool {
    let thread = program.locations()[access.location].thread;
    program.threads()[thread].kind == ThreadKind::Template
        && access.guard.iter().chain(&access.index).any(|expr| {
            let mut is_own = false;
            expr.walk(&mut |part| {
                is_own |= match part {
                    Expr::Var(var) | Expr::Element(var, _) => !program.vars()[*var].is_global(),
                    other => *other == Expr::This,
                };
            });
            is_own
        })
}

/// Adds the cell that is watched.
fn with_cell(program: Program) -> (Program, VarId) {
    let length = program.vars().values().filter(|var| var.is_global()).map(Var::cells).max().unwrap_or(1);
    let any = Domain::Range { low: 0, high: length as Value - 1 };
    let mut editor = ProgramEditor::new(program);
    let cell = editor.vars_mut().push(Var {
        name: "$cell".into(),
        sort: Sort::Int,
        scope: Scope::Global,
        length: None,
        initial: Initial::Any(any),
        span: None,
        atomic: true,
    });
    (editor.finish(), cell)
}

/// Adds a flag for each template that is set when one of its threads is created.
fn with_creations(program: Program) -> (Program, Vec<VarId>) {
    let templates: Vec<ThreadId> = program
        .threads()
        .iter()
        .filter(|(_, thread)| thread.kind == ThreadKind::Template)
        .map(|(id, _)| id)
        .collect();
    let mut editor = ProgramEditor::new(program);
    let mut flags = Vec::new();
    for template in templates {
        let name = format!("$created.{}", editor.threads()[template].name);
        let flag = editor.vars_mut().push(Var {
            name,
            sort: Sort::Bool,
            scope: Scope::Global,
            length: None,
            initial: Initial::Values(vec![0]),
            span: None,
            atomic: true,
        });
        flags.push(flag);
        for (_, edge) in editor.edges_mut().iter_mut() {
            let creates = |op: &Op| matches!(op, Op::Spawn { thread, .. } if *thread == template);
            if let Some(position) = edge.ops.iter().position(creates) {
                edge.ops.insert(position, Op::assign(Place::Scalar(flag), Expr::Bool(true)));
            }
        }
    }
    (editor.finish(), flags)
}

/// What must be seen of one side of a pair.
#[derive(PartialEq, Eq, Hash)]
struct Side {
    location: LocationId,
    guard: Vec<Expr>,
    index: Option<Expr>,
}

struct Watcher<'p> {
    draft: Draft<'p>,
    cell: Option<VarId>,
    /// Locations to which threads go to be seen, by where they come from and what they do before.
    hits: FxHashMap<(LocationId, Vec<Expr>), LocationId>,
}

impl Watcher<'_> {
    fn sides(&mut self, accesses: [&Access; 2]) -> [Side; 2] {
        let by_index = accesses.iter().all(|access| access.index.is_some());
        accesses.map(|access| self.side(access, by_index))
    }

    fn side(&mut self, access: &Access, by_index: bool) -> Side {
        let program = self.draft.old;
        let index = access.index.as_ref().filter(|_| by_index);
        if is_hidden(program, access) {
            let cell = self.cell.map(Expr::Var);
            let here = index.zip(cell.clone()).map(|(index, cell)| index.clone().eq(cell));
            let conditions = access.guard.iter().cloned().chain(here).collect();
            let index = index.and(cell);
            return Side { location: self.hit(access.location, conditions), guard: Vec::new(), index };
        }
        let location = match program.locations()[access.location].atomic {
            true => self.hit(access.location, Vec::new()),
            false => access.location,
        };
        let thread = program.locations()[access.location].thread;
        let handle = program.instance_handle(thread);
        let seen = |expr: &Expr| seen_from_outside(expr, handle);
        Side { location, guard: access.guard.iter().map(seen).collect(), index: index.map(seen) }
    }

    /// Where a thread is seen that was at a location while some conditions held.
    fn hit(&mut self, from: LocationId, conditions: Vec<Expr>) -> LocationId {
        if let Some(&known) = self.hits.get(&(from, conditions.clone())) {
            return known;
        }
        let Location { thread, atomic, span, .. } = self.draft.old.locations()[from];
        let hit = self.draft.add_location(Location { thread, label: None, atomic: false, span }, from);
        let mut ops: Vec<Op> =
            conditions.iter().map(|condition| Op::Assume(condition.clone(), Blocking::Abandon)).collect();
        if atomic {
            ops.push(Op::Halt);
        }
        self.draft.add_edge(Edge { source: from, target: hit, ops, span, atomic: None }, Vec::new());
        self.hits.insert((from, conditions), hit);
        hit
    }
}

/// That no two threads are about to make the accesses of a pair.
fn condition([first, second]: &[Side; 2]) -> Expr {
    let at_least = |location, count| Expr::CountAt(location).ge(Expr::int(count));
    let mut parts = match first.location == second.location {
        true => vec![at_least(first.location, 2)],
        false => vec![at_least(first.location, 1), at_least(second.location, 1)],
    };
    parts.extend(first.guard.iter().chain(&second.guard).cloned());
    if let (Some(first), Some(second)) = (&first.index, &second.index)
        && first != second
    {
        parts.push(first.clone().eq(second.clone()));
    }
    Expr::unary(UnaryOp::Not, Expr::all(parts))
}

/// The expression with the handle of the thread that evaluates it.
fn seen_from_outside(expr: &Expr, handle: Option<Value>) -> Expr {
    match (expr, handle) {
        (Expr::This, Some(handle)) => Expr::Int(handle),
        _ => expr.map_children(|child| seen_from_outside(child, handle)),
    }
}
