//! Makes one variable of two that never need different values.
//!
//! A function that is written out where it is called has its parameters and its result copied:
//! `f.x := y` before, `z := f.result` behind. Wherever `f.x` is looked at it has the value of
//! `y`, so one variable will do for both, and the copy does nothing.
//!
//! A local is *awaited* at a point if its value there may be read later, by whatever operation.
//! Two locals of a thread *collide*
//!
//! * where one is set while the other is awaited behind that, unless what is set is a copy of
//!   the other,
//! * where one operation sets both, and
//! * at the entry of the thread, where parameters are set and all others have their initial
//!   values, if both are parameters or awaited there.
//!
//! Locals that do not collide become one. Wherever one of them is awaited, the new one has its
//! value: at the entry, because at most one of them has a value there that counts, and it gives
//! the new one its declaration; behind an operation, because what the operation sets is either
//! that one itself, or a copy of it, or none of them. So whatever an operation reads it reads as
//! before, and no step blocks, fails or is undefined that was not. Other threads do not see
//! locals; locals that properties or the precondition mention stay as they are.

use crate::back::BackMap;
use crate::draft::Draft;
use crate::draft::rename::Renaming;
use crate::pass::Pass;
use rely_base::Arena;
use rely_program::analysis::{Access, Graph, IdSet, Visibility};
use rely_program::{Expr, LocationId, Op, Place, Program, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// More collisions are not counted: then nothing is merged.
const MOST_COLLISIONS: usize = 1_000_000;

/// The program with locals that are copies of each other made one, where nothing needs both.
#[derive(Clone, Copy, Debug)]
pub struct MergeCopies;

impl Pass for MergeCopies {
    fn name(&self) -> &'static str {
        "merge_copies"
    }

    fn apply(&self, program: &Program) -> (Program, BackMap) {
        let copies = Copies::new(program);
        if copies.pairs.is_empty() {
            return rewrite(program, &Groups::default(), &FxHashMap::default());
        }
        let groups = copies.groups();
        rewrite(program, &groups, &groups.aliases(&copies.awaited))
    }
}

fn rewrite(program: &Program, groups: &Groups, aliases: &Aliases) -> (Program, BackMap) {
    let mut draft = Draft::new(program);
    draft.aliases.clone_from(aliases);
    let renaming = Renaming {
        var: &|var| groups.representative(var),
        location: &|location| location,
        check: &|check| check,
    };
    let is_merged = |var: VarId| groups.representative(var) != var;
    for edge in program.edges().ids() {
        // The initial value of a local that became another is never looked at.
        draft.drop_choices(edge, |choice| choice.local.is_some_and(|(var, _)| is_merged(var)));
        let ops = program.edges()[edge].ops.iter().map(|op| renaming.op(op));
        draft.program.edges_mut()[edge].ops = ops.collect();
    }
    for var in program.vars().ids().filter(|&var| is_merged(var)) {
        draft.remove_var(var);
    }
    draft.finish()
}

/// The copies between locals of a program, and what speaks against merging some.
struct Copies {
    pairs: Vec<(VarId, VarId)>,
    /// Both orders of each pair.
    collisions: FxHashSet<(VarId, VarId)>,
    /// The variables that may be read later, for each location; empty if there are no pairs.
    awaited: Arena<LocationId, IdSet<VarId>>,
    /// The locals with a value that counts when their thread starts.
    from_the_start: IdSet<VarId>,
}

impl Copies {
    fn new(program: &Program) -> Self {
        let candidates = candidates(program);
        let mut copies = Self {
            pairs: Vec::new(),
            collisions: FxHashSet::default(),
            awaited: Arena::new(),
            from_the_start: IdSet::new(),
        };
        let mut involved = IdSet::new();
        for op in program.edges().values().flat_map(|edge| &edge.ops) {
            let Op::Assign(assignments) = op else { continue };
            for (place, value) in assignments {
                if let (Place::Scalar(to), Expr::Var(from)) = (place, value)
                    && to != from
                    && candidates.contains(*to)
                    && candidates.contains(*from)
                {
                    copies.pairs.push((*to, *from));
                    involved.extend([*to, *from]);
                }
            }
        }
        if !copies.pairs.is_empty() {
            copies.find_collisions(program, &involved);
        }
        copies
    }

    fn find_collisions(&mut self, program: &Program, involved: &IdSet<VarId>) {
        self.awaited = awaited(program);
        for thread in program.threads().values() {
            if self.has_too_many_collisions() {
                return;
            }
            let mut counting = self.awaited[thread.entry].clone();
            counting.extend(thread.parameters.iter().copied());
            let counting: Vec<VarId> = counting.iter().filter(|&var| involved.contains(var)).collect();
            for &var in &counting {
                self.from_the_start.insert(var);
                counting.iter().for_each(|&other| self.collide(var, other));
            }
        }
        for edge in program.edges().values() {
            let mut behind = self.awaited[edge.target].clone();
            for op in edge.ops.iter().rev() {
                let set = set_by(op);
                let copied: FxHashSet<(VarId, Option<VarId>)> = set.iter().copied().collect();
                for &(var, _) in set.iter().filter(|(var, _)| involved.contains(*var)) {
                    if self.has_too_many_collisions() {
                        return;
                    }
                    set.iter().for_each(|&(other, _)| self.collide(var, other));
                    for other in behind.iter().filter(|&other| involved.contains(other)) {
                        if !copied.contains(&(var, Some(other))) {
                            self.collide(var, other);
                        }
                    }
                }
                step_back(&mut behind, op);
            }
        }
    }

    fn collide(&mut self, var: VarId, other: VarId) {
        if var != other {
            self.collisions.extend([(var, other), (other, var)]);
        }
    }

    fn has_too_many_collisions(&self) -> bool {
        self.collisions.len() > MOST_COLLISIONS
    }

    /// Merges the two sides of one copy after the other, as long as nothing collides.
    fn groups(&self) -> Groups {
        let mut groups = Groups::default();
        if self.has_too_many_collisions() {
            return groups;
        }
        for &(to, from) in &self.pairs {
            let (left, right) = (groups.members(to), groups.members(from));
            let collides =
                left.iter().any(|&var| right.iter().any(|&other| self.collisions.contains(&(var, other))));
            if groups.representative(to) == groups.representative(from) || collides {
                continue;
            }
            let mut members = [left, right].concat();
            members.sort_unstable();
            let first = members.iter().find(|&&var| self.from_the_start.contains(var)).unwrap_or(&members[0]);
            groups.join(*first, &members);
        }
        groups
    }
}

/// The local scalars that nobody but their thread looks at.
fn candidates(program: &Program) -> IdSet<VarId> {
    let visibility = Visibility::new(program);
    let mut required = IdSet::new();
    for condition in program.requires() {
        condition.for_each_var(|var| {
            required.insert(var);
        });
    }
    let is_candidate = |(id, var): &(VarId, &rely_program::Var)| {
        !var.is_global() && var.length.is_none() && !visibility.is_watched(*id) && !required.contains(*id)
    };
    program.vars().iter().filter(is_candidate).map(|(id, _)| id).collect()
}

/// The scalars that an operation sets, each with the variable of which it becomes a copy.
fn set_by(op: &Op) -> Vec<(VarId, Option<VarId>)> {
    let scalar = |place: &Place| match place {
        Place::Scalar(var) => Some(*var),
        Place::Element(..) => None,
    };
    let source = |value: &Expr| match value {
        Expr::Var(var) => Some(*var),
        _ => None,
    };
    match op {
        Op::Assign(assignments) => {
            // What is set twice at once is no copy of what was assigned first.
            let mut times: FxHashMap<VarId, usize> = FxHashMap::default();
            for var in assignments.iter().filter_map(|(place, _)| scalar(place)) {
                *times.entry(var).or_default() += 1;
            }
            let copied = |var: VarId, value: &Expr| source(value).filter(|_| times[&var] == 1);
            let set = assignments
                .iter()
                .filter_map(|(place, value)| scalar(place).map(|var| (var, copied(var, value))));
            set.collect()
        }
        Op::Havoc(place, _) | Op::Spawn { handle: Some(place), .. } => {
            scalar(place).map(|var| (var, None)).into_iter().collect()
        }
        Op::Assume(..) | Op::Check(..) | Op::Spawn { handle: None, .. } | Op::Join(_) | Op::Halt => {
            Vec::new()
        }
    }
}

/// The variables that may be read later, for each location.
fn awaited(program: &Program) -> Arena<LocationId, IdSet<VarId>> {
    let graph = Graph::new(program);
    let mut awaited: Arena<LocationId, IdSet<VarId>> =
        program.locations().ids().map(|_| IdSet::new()).collect();
    let mut pending: Vec<LocationId> = program.locations().ids().collect();
    while let Some(location) = pending.pop() {
        let mut here = IdSet::new();
        for &edge in program.outgoing(location) {
            let edge = &program.edges()[edge];
            let mut before = awaited[edge.target].clone();
            edge.ops.iter().rev().for_each(|op| step_back(&mut before, op));
            here.union_with(&before);
        }
        if awaited[location].union_with(&here) {
            pending.extend(graph.incoming(location).iter().map(|&edge| program.edges()[edge].source));
        }
    }
    awaited
}

/// Turns what is awaited behind an operation into what is awaited before it.
fn step_back(awaited: &mut IdSet<VarId>, op: &Op) {
    for (var, _) in set_by(op) {
        awaited.remove(var);
    }
    awaited.union_with(&Access::of_ops(std::slice::from_ref(op)).reads);
}

/// Where a variable has the value of another than the one whose name it keeps, and of which.
type Aliases = FxHashMap<(LocationId, VarId), VarId>;

/// Locals that become one; those that stay alone are not listed.
#[derive(Default)]
struct Groups {
    representatives: FxHashMap<VarId, VarId>,
    /// All members by their representative.
    members: FxHashMap<VarId, Vec<VarId>>,
}

impl Groups {
    fn representative(&self, var: VarId) -> VarId {
        self.representatives.get(&var).copied().unwrap_or(var)
    }

    fn members(&self, var: VarId) -> Vec<VarId> {
        self.members.get(&self.representative(var)).cloned().unwrap_or_else(|| vec![var])
    }

    /// Of the locals that become one, those that are awaited at a location have its value there.
    fn aliases(&self, awaited: &Arena<LocationId, IdSet<VarId>>) -> Aliases {
        let mut members: Vec<(VarId, VarId)> =
            self.representatives.iter().map(|(&member, &representative)| (member, representative)).collect();
        members.sort_unstable();
        let mut aliases = Aliases::default();
        for (location, awaited) in awaited.iter() {
            for &(member, representative) in members.iter().filter(|(member, _)| awaited.contains(*member)) {
                if !awaited.contains(representative) {
                    aliases.entry((location, representative)).or_insert(member);
                }
            }
        }
        aliases
    }

    fn join(&mut self, representative: VarId, members: &[VarId]) {
        for &member in members {
            self.members.remove(&self.representative(member));
        }
        self.representatives.extend(members.iter().map(|&member| (member, representative)));
        self.members.insert(representative, members.to_vec());
    }
}
