//! Makes instances of templates that are spawned a known number of times.
//!
//! A spawn that is not on a cycle, in a thread of which there is only one, happens at most
//! once: the thread it starts can have a name of its own. Engines that reason about each
//! thread by itself need that, and everybody sees its locals in a fixed place.
//!
//! Handles change with the slots. A program that only asks which handle is which does not see that,
//! see [`handles_are_opaque`]; one that takes handles for numbers stays as it is, unless no number changes.

use crate::back::BackMap;
use crate::back::ChoiceSource;
use crate::choices::{choices, initial_cells};
use crate::draft::Draft;
use crate::draft::rename::Renaming;
use crate::pass::Pass;
use rely_program::analysis::{Graph, handles_are_opaque};
use rely_program::{EdgeId, Expr, LocationId, Op, Program, PropertyKind, Scope, ThreadId, ThreadKind, VarId};
use rustc_hash::FxHashMap;

/// How many locations a program may get by this pass.
const MOST_LOCATIONS: usize = 20_000;

/// The program in which each spawn that happens at most once starts an instance.
#[derive(Clone, Copy, Debug)]
pub struct Instantiate {
    /// How many threads a program may get.
    pub most_threads: usize,
}

impl Default for Instantiate {
    /// So many as engines can tell apart with profit: most of them look at threads in pairs at least.
    fn default() -> Self {
        Self { most_threads: 64 }
    }
}

impl Instantiate {
    /// So many as the analysis of lock sets can tell apart: it looks at each step once or twice.
    pub fn for_races() -> Self {
        Self { most_threads: 256 }
    }
}

impl Pass for Instantiate {
    fn name(&self) -> &'static str {
        "instantiate"
    }

    fn apply(&self, program: &Program) -> (Program, BackMap) {
        let mut result = program.clone();
        let mut back = BackMap::identity();
        if !handles_are_opaque(program) && !keeps_numbers(program) {
            return (result, back);
        }
        // Instances may spawn in turn. Each round starts at least one thread less from templates.
        while let Some((next, way_back)) = instantiate_once(&result, self.most_threads) {
            result = next;
            back = back.then(way_back);
        }
        (result, back)
    }
}

/// A spawn operation.
#[derive(Clone, Copy)]
struct SpawnSite {
    edge: EdgeId,
    op: usize,
    template: ThreadId,
}

/// All spawns of templates, and whether each happens at most once.
fn spawn_sites(program: &Program) -> Vec<(SpawnSite, bool)> {
    let graph = Graph::new(program);
    let mut sites = Vec::new();
    for (edge, declaration) in program.edges().iter() {
        let spawner = program.thread_of(declaration.source);
        let is_once = spawner.kind != ThreadKind::Template && !graph.is_on_cycle(program, edge);
        for (op, operation) in declaration.ops.iter().enumerate() {
            if let Op::Spawn { thread, .. } = operation
                && program.threads()[*thread].kind == ThreadKind::Template
            {
                sites.push((SpawnSite { edge, op, template: *thread }, is_once));
            }
        }
    }
    sites
}

/// Whether the instances of templates get the numbers that their threads have anyway: there is only one such
/// thread, and its template comes behind all instances.
fn keeps_numbers(program: &Program) -> bool {
    let [(site, true)] = spawn_sites(program)[..] else { return false };
    let is_template = |thread: ThreadId| program.threads()[thread].kind == ThreadKind::Template;
    program.threads().ids().all(|thread| thread <= site.template || is_template(thread))
}

/// Makes instances for the spawns of one template.
fn instantiate_once(program: &Program, most_threads: usize) -> Option<(Program, BackMap)> {
    let sites = spawn_sites(program);
    let template =
        sites.iter().filter(|(_, is_once)| *is_once).map(|(site, _)| site.template).find(|&template| {
            let copies = sites.iter().filter(|(site, is_once)| *is_once && site.template == template).count();
            let own_locations =
                program.locations().values().filter(|location| location.thread == template).count();
            program.threads().len() + copies <= most_threads
                && program.locations().len() + copies * own_locations <= MOST_LOCATIONS
        })?;
    let own = || sites.iter().filter(|(site, _)| site.template == template);
    let once: Vec<SpawnSite> = own().filter(|(_, is_once)| *is_once).map(|(site, _)| *site).collect();
    // The template itself becomes the first instance, unless it is needed as a template.
    let stays = own().any(|(_, is_once)| !is_once);
    let mut copier = Copier { draft: Draft::new(program), template, copies: Vec::new() };
    let mut starts: FxHashMap<(EdgeId, usize), Instance> = FxHashMap::default();
    for (index, site) in once.iter().enumerate() {
        let instance = if index == 0 && !stays { copier.itself() } else { copier.copy(index + 1) };
        starts.insert((site.edge, site.op), instance);
    }
    copier.count_copies();
    copier.start_instances(&starts, stays);
    Some(copier.draft.finish())
}

/// A thread that was made for one spawn, with its variables for those of the template.
struct Instance {
    thread: ThreadId,
    vars: FxHashMap<VarId, VarId>,
}

struct Copier<'p> {
    draft: Draft<'p>,
    template: ThreadId,
    /// Each copy with its locations for those of the template.
    copies: Vec<(ThreadId, FxHashMap<LocationId, LocationId>)>,
}

impl Copier<'_> {
    fn itself(&mut self) -> Instance {
        let own = |(_, var): &(VarId, &rely_program::Var)| var.scope == Scope::Local(self.template);
        let vars = self.draft.old.vars().iter().filter(own).map(|(id, _)| (id, id)).collect();
        Instance { thread: self.template, vars }
    }

    fn copy(&mut self, number: usize) -> Instance {
        let old = self.draft.old;
        let draft = &mut self.draft;
        let thread = draft.program.threads().next_id();
        let mut vars = FxHashMap::default();
        for (id, var) in old.vars().iter().filter(|(_, var)| var.scope == Scope::Local(self.template)) {
            let copy = rely_program::Var { scope: Scope::Local(thread), ..var.clone() };
            vars.insert(id, draft.program.vars_mut().push(copy));
            draft.old_vars.push(id);
        }
        let mut locations = FxHashMap::default();
        for (id, location) in old.locations().iter().filter(|(_, location)| location.thread == self.template)
        {
            let copy = rely_program::Location { thread, ..location.clone() };
            locations.insert(id, draft.program.add_location(copy));
            draft.old_locations.push(id);
        }
        let renaming = Renaming {
            var: &|var| vars.get(&var).copied().unwrap_or(var),
            location: &|location| location,
            check: &|check| check,
        };
        for (id, edge) in old.edges().iter().filter(|(_, edge)| locations.contains_key(&edge.source)) {
            let mut copy = edge.clone();
            copy.source = locations[&edge.source];
            copy.target = locations[&edge.target];
            copy.ops = edge.ops.iter().map(|op| renaming.op(op)).collect();
            let steps = draft.steps[id].clone();
            draft.add_edge(copy, steps);
        }
        let declaration = &old.threads()[self.template];
        let copy = rely_program::Thread {
            name: format!("{}#{number}", declaration.name),
            kind: ThreadKind::Instance { running: false },
            parameters: declaration.parameters.iter().map(|parameter| vars[parameter]).collect(),
            entry: locations[&declaration.entry],
            exit: locations[&declaration.exit],
            span: declaration.span,
        };
        draft.program.threads_mut().push(copy);
        draft.old_threads.push(self.template);
        self.copies.push((thread, locations));
        Instance { thread, vars }
    }

    /// Properties that count threads of the template count all copies.
    fn count_copies(&mut self) {
        let (template, copies) = (self.template, &self.copies);
        let program = &self.draft.old;
        let count = |expr: &Expr| count(expr, program, template, copies);
        for property in self.draft.program.properties_mut() {
            if let PropertyKind::Always(condition) | PropertyKind::AtEnd(condition) = &mut property.kind {
                *condition = count(condition);
            }
        }
        for condition in self.draft.program.requires_mut() {
            *condition = count(condition);
        }
    }

    fn start_instances(&mut self, starts: &FxHashMap<(EdgeId, usize), Instance>, stays: bool) {
        let old_choices: Vec<_> = self
            .draft
            .old
            .edges()
            .ids()
            .map(|edge| choices(self.draft.old, &self.draft.old.edges()[edge].ops))
            .collect();
        if !stays {
            self.draft.program.threads_mut()[self.template].kind = ThreadKind::Instance { running: false };
        }
        for (&(edge, op), instance) in starts {
            if let Op::Spawn { thread, .. } = &mut self.draft.program.edges_mut()[edge].ops[op] {
                *thread = instance.thread;
            }
        }
        let positions: FxHashMap<(VarId, usize), usize> = initial_cells(&self.draft.program)
            .into_iter()
            .enumerate()
            .map(|(position, (var, cell, _))| ((var, cell), position))
            .collect();
        for (edge, choices) in self.draft.old.edges().ids().zip(old_choices) {
            let mut kept = 0;
            let sources: Vec<ChoiceSource> = choices
                .iter()
                .map(|choice| {
                    let instance = starts.get(&(edge, choice.op));
                    match (instance, choice.local) {
                        (Some(instance), Some((local, cell))) => {
                            ChoiceSource::Initial(positions[&(instance.vars[&local], cell)])
                        }
                        _ => {
                            kept += 1;
                            ChoiceSource::Kept(kept - 1)
                        }
                    }
                })
                .collect();
            self.draft.redirect_choices(edge, &sources);
        }
    }
}

/// The expression with each count of the template's threads replaced by a sum.
fn count(
    expr: &Expr,
    program: &Program,
    template: ThreadId,
    copies: &[(ThreadId, FxHashMap<LocationId, LocationId>)],
) -> Expr {
    match expr {
        Expr::CountAt(location) if program.locations()[*location].thread == template => copies
            .iter()
            .map(|(_, locations)| Expr::CountAt(locations[location]))
            .fold(expr.clone(), Expr::add),
        Expr::CountRunning(thread) if *thread == template => {
            copies.iter().map(|(copy, _)| Expr::CountRunning(*copy)).fold(expr.clone(), Expr::add)
        }
        other => other.map_children(|child| count(child, program, template, copies)),
    }
}
