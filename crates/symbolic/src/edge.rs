//! Edges as guarded commands.

use crate::PlaceTest;
use crate::expr::{Path, TooManyCases, Translator};
use rely_base::Budget;
use rely_evidence::rely_guarantee::ControlPoint;
use rely_logic::{Conjunction, Constraint, Domain as Numbers, LinearForm, VarId, Verdict};
use rely_program::analysis::Graph;
use rely_program::{
    CheckId, Domain, Edge, EdgeId, Expr, Initial, Op, Place, Program, Scope, ThreadId, ThreadKind,
    definedness,
};

/// One way in which an edge is taken.
#[derive(Clone, Debug)]
pub struct Branch {
    /// When: over the cells before the step, and auxiliary variables.
    pub guard: Vec<Constraint>,
    /// Where other instances must stand.
    pub places: Vec<PlaceTest>,
    /// The new values of the cells that change, ascending.
    pub updates: Vec<(VarId, LinearForm)>,
    /// The nondeterministic values, in the order in which a step takes them.
    pub inputs: Vec<LinearForm>,
    /// The instances that are started.
    pub started: Vec<ThreadId>,
    /// The template instances that are started, each with the values of its locals.
    pub spawned: Vec<(ThreadId, Vec<(VarId, LinearForm)>)>,
    /// How the step ends.
    pub ending: BranchEnd,
    /// Whether it allows exactly what the program does.
    pub exact: bool,
}

/// How a step ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchEnd {
    /// The thread is at the target of the edge.
    Moves,
    /// The whole program has ended.
    Halts,
    /// A check is violated.
    Fails(CheckId),
    /// The step has no meaning: a division by zero, an instance that is started twice.
    Undefined,
}

/// A branch under construction.
#[derive(Clone, Default)]
struct Draft {
    path: Path,
    started: Vec<ThreadId>,
    spawned: Vec<(ThreadId, Vec<(VarId, LinearForm)>)>,
    halts: bool,
}

/// The branches of one edge that have ended, and those that go on.
struct Edges<'t, 'p> {
    translator: &'t Translator<'p>,
    ended: Vec<(Draft, BranchEnd)>,
    open: Vec<Draft>,
}

impl Translator<'_> {
    /// The branches of an edge of the translator's thread.
    pub fn edge(&self, edge: EdgeId, budget: &Budget) -> Result<Vec<Branch>, TooManyCases> {
        let mut edges = Edges { translator: self, ended: Vec::new(), open: vec![Draft::default()] };
        for op in &self.program.edges()[edge].ops {
            edges.operation(op)?;
        }
        let Edges { ended, open, .. } = edges;
        let finished = open.into_iter().map(|draft| {
            let ending = if draft.halts { BranchEnd::Halts } else { BranchEnd::Moves };
            (draft, ending)
        });
        let branches = ended.into_iter().chain(finished).map(|(draft, ending)| draft.finish(ending));
        let mut solver = Conjunction::with_limits(Numbers::Integers, self.limits.solver);
        Ok(branches.filter(|branch| branch.is_possible(&mut solver, budget)).collect())
    }
}

impl Draft {
    fn finish(self, ending: BranchEnd) -> Branch {
        let Draft { path, started, spawned, .. } = self;
        Branch {
            guard: path.guard.into_iter().filter(|constraint| !constraint.is_true()).collect(),
            places: path.places,
            updates: path.values.into_iter().collect(),
            inputs: path.inputs,
            started,
            spawned,
            ending,
            exact: !path.inexact,
        }
    }
}

impl Branch {
    /// All variables that it reads or writes, some of them more than once.
    pub fn variables(&self) -> impl Iterator<Item = VarId> + '_ {
        let guard = self.guard.iter().flat_map(|constraint| constraint.form().variables());
        let spawned = self.spawned.iter().flat_map(|(_, locals)| locals);
        let values = self.updates.iter().chain(spawned);
        guard.chain(values.flat_map(|(cell, value)| std::iter::once(*cell).chain(value.variables())))
    }

    fn is_possible(&self, solver: &mut Conjunction, budget: &Budget) -> bool {
        solver.reset();
        for constraint in &self.guard {
            solver.assert(constraint);
        }
        solver.check(budget) != Verdict::Unsat
    }
}

impl Edges<'_, '_> {
    fn operation(&mut self, op: &Op) -> Result<(), TooManyCases> {
        match op {
            Op::Assume(condition, _) => {
                self.defined(condition)?;
                self.each(|translator, path| translator.condition(path, condition, true))
            }
            Op::Check(condition, check) => {
                self.defined(condition)?;
                self.end_unless(condition, BranchEnd::Fails(*check))
            }
            Op::Assign(assignments) => {
                for (place, value) in assignments {
                    self.defined(value)?;
                    self.defined(&place.read())?;
                }
                self.each(|translator, path| translator.assigned(path, assignments))
            }
            Op::Havoc(place, domain) => {
                self.defined(&place.read())?;
                self.each(|translator, path| translator.havoc(path, place, *domain))
            }
            Op::Spawn { thread, arguments, handle } => {
                for expr in arguments {
                    self.defined(expr)?;
                }
                if let Some(place) = handle {
                    self.defined(&place.read())?;
                }
                self.spawn(*thread, arguments, handle.as_ref())
            }
            Op::Join(handle) => {
                self.defined(handle)?;
                self.join(handle)
            }
            Op::Halt => {
                self.open.iter_mut().for_each(|draft| draft.halts = true);
                Ok(())
            }
        }
    }

    /// Replaces each open branch by what becomes of it.
    fn each(
        &mut self,
        step: impl Fn(&Translator<'_>, Path) -> Result<Vec<Path>, TooManyCases>,
    ) -> Result<(), TooManyCases> {
        let mut next = Vec::new();
        for draft in std::mem::take(&mut self.open) {
            let paths = step(self.translator, draft.path.clone())?;
            next.extend(paths.into_iter().map(|path| Draft { path, ..draft.clone() }));
        }
        self.open = self.translator.within_limit(next)?;
        Ok(())
    }

    /// Ends the branches in which a condition does not hold.
    fn end_unless(&mut self, condition: &Expr, ending: BranchEnd) -> Result<(), TooManyCases> {
        for draft in &self.open {
            let failed = self.translator.condition(draft.path.clone(), condition, false)?;
            self.ended.extend(failed.into_iter().map(|path| (Draft { path, ..draft.clone() }, ending)));
        }
        self.each(|translator, path| translator.condition(path, condition, true))
    }

    /// Ends the branches in which an expression has no value.
    fn defined(&mut self, expr: &Expr) -> Result<(), TooManyCases> {
        for (_, condition) in definedness(self.translator.program, expr) {
            self.end_unless(&condition, BranchEnd::Undefined)?;
        }
        Ok(())
    }

    fn spawn(
        &mut self,
        thread: ThreadId,
        arguments: &[Expr],
        handle: Option<&Place>,
    ) -> Result<(), TooManyCases> {
        let translator = self.translator;
        let mut next = Vec::new();
        for draft in std::mem::take(&mut self.open) {
            let mut valued = vec![(draft.path.clone(), Vec::new())];
            for argument in arguments {
                valued = translator.appended(valued, argument)?;
            }
            for (path, values) in valued {
                let draft = Draft { path, ..draft.clone() };
                self.ended.extend(translator.started_again(draft.clone(), thread));
                next.extend(translator.started(draft, thread, &values, handle)?);
            }
        }
        self.open = self.translator.within_limit(next)?;
        Ok(())
    }

    fn join(&mut self, handle: &Expr) -> Result<(), TooManyCases> {
        let translator = self.translator;
        let mut next = Vec::new();
        for draft in std::mem::take(&mut self.open) {
            for (path, handle) in translator.value(draft.path.clone(), handle)? {
                let draft = Draft { path, ..draft.clone() };
                translator.joined(draft, &handle, &mut next);
            }
        }
        self.open = self.translator.within_limit(next)?;
        Ok(())
    }
}

/// A case with the values of several expressions.
type ManyValued = (Path, Vec<LinearForm>);

impl Translator<'_> {
    fn appended(&self, cases: Vec<ManyValued>, expr: &Expr) -> Result<Vec<ManyValued>, TooManyCases> {
        let mut next = Vec::new();
        for (path, values) in cases {
            for (path, value) in self.value(path, expr)? {
                let mut values = values.clone();
                values.push(value);
                next.push((path, values));
            }
        }
        self.within_limit(next)
    }

    /// All right sides and all indices are evaluated before anything is written.
    fn assigned(&self, path: Path, assignments: &[(Place, Expr)]) -> Result<Vec<Path>, TooManyCases> {
        let mut cases: Vec<(Path, Vec<(VarId, LinearForm)>)> = vec![(path, Vec::new())];
        for (place, value) in assignments {
            let mut next = Vec::new();
            for (path, writes) in cases {
                for (path, value) in self.value(path, value)? {
                    for (path, cell) in self.place(path, place)? {
                        let mut writes = writes.clone();
                        writes.push((cell, value.clone()));
                        next.push((path, writes));
                    }
                }
            }
            cases = self.within_limit(next)?;
        }
        let write = |(mut path, writes): (Path, Vec<(VarId, LinearForm)>)| {
            path.values.extend(writes);
            path
        };
        Ok(cases.into_iter().map(write).collect())
    }

    fn place(&self, path: Path, place: &Place) -> Result<Vec<(Path, VarId)>, TooManyCases> {
        match place {
            Place::Scalar(var) => Ok(vec![(path, self.cells.cell(*var, 0))]),
            Place::Element(array, index) => self.indexed(path, *array, index),
        }
    }

    fn havoc(&self, mut path: Path, place: &Place, domain: Domain) -> Result<Vec<Path>, TooManyCases> {
        let value = self.any(&mut path, domain);
        path.inputs.push(value.clone());
        let write = |(mut path, cell): (Path, VarId)| {
            path.values.insert(cell, value.clone());
            path
        };
        Ok(self.place(path, place)?.into_iter().map(write).collect())
    }

    /// The branch in which an instance is started that was started before, if there can be one.
    fn started_again(&self, mut draft: Draft, thread: ThreadId) -> Option<(Draft, BranchEnd)> {
        if !draft.started.contains(&thread) {
            if !self.may_start_twice(thread) {
                return None;
            }
            let is_started = |point: &ControlPoint| *point != ControlPoint::Unstarted;
            let points = ControlPoint::all(self.program, thread).into_iter().filter(is_started).collect();
            draft.path.places.push(PlaceTest { thread, points });
        }
        Some((draft, BranchEnd::Undefined))
    }

    /// Whether more than one step, or one that can be made again, starts an instance.
    fn may_start_twice(&self, thread: ThreadId) -> bool {
        if self.program.threads()[thread].kind == ThreadKind::Template {
            return false;
        }
        let starts = |op: &&Op| matches!(op, Op::Spawn { thread: started, .. } if *started == thread);
        let sites = |edge: &Edge| edge.ops.iter().filter(starts).count();
        let mut edges = self.program.edges().iter().filter(|(_, edge)| sites(edge) > 0);
        let (Some((id, edge)), None) = (edges.next(), edges.next()) else { return true };
        let is_one = self.program.thread_of(edge.source).kind != ThreadKind::Template;
        !is_one || sites(edge) > 1 || Graph::new(self.program).is_on_cycle(self.program, id)
    }

    /// The branch after a thread was started with these arguments.
    fn started(
        &self,
        mut draft: Draft,
        thread: ThreadId,
        arguments: &[LinearForm],
        handle: Option<&Place>,
    ) -> Result<Vec<Draft>, TooManyCases> {
        let parameters = self.program.threads()[thread].parameters.iter();
        let parameters: Vec<VarId> = parameters.map(|&var| self.cells.cell(var, 0)).collect();
        let bound = parameters.into_iter().zip(arguments.iter().cloned());
        let new_handle = match self.program.threads()[thread].kind {
            ThreadKind::Instance { .. } => {
                draft.path.values.extend(bound);
                draft.path.places.push(PlaceTest { thread, points: vec![ControlPoint::Unstarted] });
                draft.started.push(thread);
                self.cells.handle(thread)
            }
            ThreadKind::Template => {
                let mut locals = self.initial_locals(thread, &mut draft.path);
                let handle = self.fresh(&mut draft.path);
                let least = instances(self.program) + 1;
                draft.path.guard.push(Constraint::ge(&handle, &LinearForm::constant(least)));
                locals.extend(bound);
                locals.extend(self.cells.handle_variable(thread).map(|cell| (cell, handle.clone())));
                draft.spawned.push((thread, locals));
                handle
            }
        };
        let Some(place) = handle else { return Ok(vec![draft]) };
        let stored = self.place(draft.path.clone(), place)?.into_iter().map(|(mut path, cell)| {
            path.values.insert(cell, new_handle.clone());
            Draft { path, ..draft.clone() }
        });
        Ok(stored.collect())
    }

    /// The values with which the locals of a new template instance start.
    fn initial_locals(&self, thread: ThreadId, path: &mut Path) -> Vec<(VarId, LinearForm)> {
        let mut locals = Vec::new();
        for (var, declaration) in self.program.vars().iter() {
            if declaration.scope != Scope::Local(thread) {
                continue;
            }
            for index in 0..declaration.cells() {
                let value = match &declaration.initial {
                    Initial::Values(values) => LinearForm::constant(values[index]),
                    Initial::Any(domain) => {
                        let value = self.any(path, *domain);
                        path.inputs.push(value.clone());
                        value
                    }
                };
                locals.push((self.cells.cell(var, index), value));
            }
        }
        locals
    }

    /// A join waits for the instance with the handle; of template instances nothing is known.
    fn joined(&self, draft: Draft, handle: &LinearForm, open: &mut Vec<Draft>) {
        let with = |constraint: Constraint| {
            let possible = !constraint.is_false();
            possible.then(|| Draft { path: draft.path.clone().assuming(constraint), ..draft.clone() })
        };
        for (thread, declaration) in self.program.threads().iter() {
            let Some(known) = self.program.instance_handle(thread) else { continue };
            let Some(mut joined) = with(Constraint::eq(handle, &LinearForm::constant(known))) else {
                continue;
            };
            joined.path.places.push(PlaceTest { thread, points: vec![ControlPoint::At(declaration.exit)] });
            open.push(joined);
        }
        // Other numbers are no thread's; a join of them waits for ever.
        let has_templates = self.program.threads().values().any(|thread| thread.kind == ThreadKind::Template);
        if has_templates {
            let highest = LinearForm::constant(instances(self.program));
            open.extend(with(Constraint::gt(handle, &highest)));
        }
    }
}

/// How many instances there are: the greatest handle of one.
fn instances(program: &Program) -> i64 {
    let handles = program.threads().ids().filter(|&thread| program.instance_handle(thread).is_some());
    handles.count() as i64
}
