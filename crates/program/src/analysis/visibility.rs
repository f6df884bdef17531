//! Which steps of a thread concern nobody else.
//!
//! A variable is *watched* if a property mentions it. It is *private* if only one thread ever
//! accesses it: locals are, and globals that only one instance uses. A step is *local* if it
//! commutes with all steps of all other threads and changes nothing that a property can see.
//!
//! Nobody sees the *start* of a thread that only one instance ever starts, and of which no
//! property mentions the entry, the parameters or how many run: a join waits for it before its
//! start as well as behind, and until it moves it does nothing.

use super::{Access, IdSet};
use crate::expr::Expr;
use crate::ir::{Edge, LocationId, Op, Program, Scope, ThreadId, ThreadKind, VarId};
use crate::property::PropertyKind;
use rely_base::Arena;

/// Who can see what in a program.
#[derive(Debug)]
pub struct Visibility {
    users: Arena<VarId, Users>,
    written: IdSet<VarId>,
    watched_vars: IdSet<VarId>,
    watched_locations: IdSet<LocationId>,
    watched_threads: IdSet<ThreadId>,
    /// The instances whose start nobody sees.
    unseen_starts: IdSet<ThreadId>,
}

/// The threads that access a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Users {
    None,
    /// One thread, of which there is only one, or each instance has its own copy.
    One(ThreadId),
    Many,
}

impl Visibility {
    /// Looks at all edges and properties of the program.
    pub fn new(program: &Program) -> Self {
        let mut visibility = Self {
            users: program.vars.ids().map(|_| Users::None).collect(),
            written: IdSet::new(),
            watched_vars: IdSet::new(),
            watched_locations: IdSet::new(),
            watched_threads: IdSet::new(),
            unseen_starts: IdSet::new(),
        };
        for edge in program.edges.values() {
            visibility.add_edge(program, edge);
        }
        for property in program.properties() {
            if let PropertyKind::Always(condition) | PropertyKind::AtEnd(condition) = &property.kind {
                visibility.watch(condition);
            }
        }
        visibility.unseen_starts = started_by_one(program)
            .iter()
            .filter(|&thread| visibility.starts_unseen(program, thread))
            .collect();
        visibility
    }

    /// Whether nobody sees the start of a thread that only one instance starts.
    fn starts_unseen(&self, program: &Program, thread: ThreadId) -> bool {
        let declaration = &program.threads[thread];
        declaration.kind == (ThreadKind::Instance { running: false })
            && declaration.entry != declaration.exit
            && !self.watched_threads.contains(thread)
            && !self.watched_locations.contains(declaration.entry)
            && !declaration.parameters.iter().any(|&parameter| self.is_watched(parameter))
    }

    fn add_edge(&mut self, program: &Program, edge: &Edge) {
        let thread = program.locations[edge.source].thread;
        let access = Access::of_ops(&edge.ops);
        for var in access.reads.iter().chain(access.writes.iter()) {
            let is_copied = program.threads[thread].kind == ThreadKind::Template
                && program.vars[var].scope == Scope::Global;
            self.users[var] = match self.users[var] {
                Users::None if !is_copied => Users::One(thread),
                Users::One(user) if !is_copied && user == thread => Users::One(user),
                _ => Users::Many,
            };
        }
        self.written.union_with(&access.writes);
        for op in &edge.ops {
            if let Op::Spawn { thread, .. } = op {
                self.written.extend(program.threads[*thread].parameters.iter().copied());
            }
        }
    }

    fn watch(&mut self, condition: &Expr) {
        condition.walk(&mut |part| match part {
            Expr::Var(var) | Expr::Element(var, _) => {
                self.watched_vars.insert(*var);
            }
            Expr::CountAt(location) => {
                self.watched_locations.insert(*location);
            }
            Expr::CountRunning(thread) => {
                self.watched_threads.insert(*thread);
            }
            _ => {}
        });
    }

    /// Whether some edge may change the variable, or a spawn sets it.
    pub fn is_written(&self, var: VarId) -> bool {
        self.written.contains(var)
    }

    /// Whether only one thread accesses the variable (or each has its own copy).
    pub fn is_private(&self, var: VarId) -> bool {
        self.users[var] != Users::Many
    }

    /// Whether a property mentions the variable.
    pub fn is_watched(&self, var: VarId) -> bool {
        self.watched_vars.contains(var)
    }

    /// Whether a property counts the threads at the location, or, for an exit, the running
    /// threads of its kind.
    pub fn is_watched_location(&self, program: &Program, location: LocationId) -> bool {
        let thread = program.locations[location].thread;
        let ends = program.threads[thread].exit == location && self.watched_threads.contains(thread);
        ends || self.watched_locations.contains(location)
    }

    /// Whether taking the edge is *local*: it depends on nothing that another thread can
    /// change, and it changes nothing that another thread or a property can see. It may still
    /// block, or fail a check.
    pub fn is_local(&self, program: &Program, edge: &Edge) -> bool {
        self.is_local_during(program, edge, None)
    }

    /// Whether taking the edge is local as far as others do no more than this meanwhile, if
    /// anything is known of them.
    pub fn is_local_during(&self, program: &Program, edge: &Edge, others: Option<&Access>) -> bool {
        self.has_no_effect_during(program, edge, others) && self.depends_on_nobody(edge, others)
    }

    /// Whether the edge can be brought forward over steps of other threads that do no more than
    /// this: it is local, but for starts that nobody sees.
    pub fn can_come_forward(&self, program: &Program, edge: &Edge, others: Option<&Access>) -> bool {
        self.has_no_effect_but_for(program, edge, &self.unseen_starts, others)
            && self.depends_on_nobody(edge, others)
    }

    /// Whether nothing that other threads do makes a difference to the edge.
    fn depends_on_nobody(&self, edge: &Edge, others: Option<&Access>) -> bool {
        let is_fixed = |var: VarId| {
            let changes = others.is_none_or(|others| others.writes.contains(var));
            self.is_private(var) || !self.is_written(var) || !changes
        };
        let joins = edge.ops.iter().any(|op| matches!(op, Op::Join(_)));
        !joins && Access::of_ops(&edge.ops).reads.iter().all(is_fixed)
    }

    /// Whether taking the edge changes nothing that another thread or a property can see; it
    /// may depend on what others do.
    pub fn has_no_effect(&self, program: &Program, edge: &Edge) -> bool {
        self.has_no_effect_during(program, edge, None)
    }

    /// Whether taking the edge changes nothing that a property can see, or another thread that
    /// does no more than this meanwhile.
    pub fn has_no_effect_during(&self, program: &Program, edge: &Edge, others: Option<&Access>) -> bool {
        self.has_no_effect_but_for(program, edge, &IdSet::new(), others)
    }

    fn has_no_effect_but_for(
        &self,
        program: &Program,
        edge: &Edge,
        starts: &IdSet<ThreadId>,
        others: Option<&Access>,
    ) -> bool {
        let starts_or_halts = edge.ops.iter().any(|op| match op {
            Op::Spawn { thread, .. } => !starts.contains(*thread),
            other => *other == Op::Halt,
        });
        let enters_or_leaves_atomic =
            program.locations[edge.source].atomic || program.locations[edge.target].atomic;
        !starts_or_halts && !enters_or_leaves_atomic && self.is_quiet(program, edge, others)
    }

    /// Whether nobody sees what the edge writes, nor the thread move.
    fn is_quiet(&self, program: &Program, edge: &Edge, others: Option<&Access>) -> bool {
        let moves_visibly = edge.source != edge.target
            && [edge.source, edge.target].iter().any(|&end| self.is_watched_location(program, end));
        let is_hidden = |var: VarId| {
            let is_used =
                others.is_none_or(|others| others.reads.contains(var) || others.writes.contains(var));
            !self.is_watched(var) && (self.is_private(var) || !is_used)
        };
        !moves_visibly && Access::of_ops(&edge.ops).writes.iter().all(is_hidden)
    }
}

/// The threads that one instance starts and nobody else.
fn started_by_one(program: &Program) -> IdSet<ThreadId> {
    let mut starters: Arena<ThreadId, Users> = program.threads.ids().map(|_| Users::None).collect();
    for edge in program.edges.values() {
        let starter = program.locations[edge.source].thread;
        for op in &edge.ops {
            let Op::Spawn { thread, .. } = op else { continue };
            starters[*thread] = match starters[*thread] {
                Users::None if program.threads[starter].kind != ThreadKind::Template => Users::One(starter),
                Users::One(first) if first == starter => Users::One(first),
                _ => Users::Many,
            };
        }
    }
    let started = starters.iter().filter(|(_, starter)| matches!(starter, Users::One(_)));
    started.map(|(thread, _)| thread).collect()
}
