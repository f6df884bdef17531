//! Edges that cannot be told apart: what is shown of one of them is shown of all.
//!
//! The statements of a critical section are often alike. Without this there would be as many obligations as pairs of
//! edges.

use super::outline::Outline;
use crate::data::{ControlPoint, Counter, Invariant, Summand};
use rely_base::Id;
use rely_program::analysis::{Access, IdSet};
use rely_program::{EdgeId, Expr, LocationId, Op, Program, ThreadId, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The shared variables that an edge reads and writes.
pub(super) struct Shared {
    reads: IdSet<VarId>,
    writes: IdSet<VarId>,
}

impl Shared {
    fn new(program: &Program, edge: EdgeId) -> Self {
        let access = Access::of_edge(program, edge);
        let shared =
            |vars: &IdSet<VarId>| vars.iter().filter(|&var| program.vars()[var].is_global()).collect();
        Self { reads: shared(&access.reads), writes: shared(&access.writes) }
    }

    /// Neither writes what the other one accesses.
    pub(super) fn is_independent_of(&self, other: &Shared) -> bool {
        !self.writes.intersects(&other.writes)
            && !self.writes.intersects(&other.reads)
            && !self.reads.intersects(&other.writes)
    }
}

/// Edges that cannot be told apart: the same operations of the same thread, from where the same is asserted and whoever
/// stands there is counted alike, and neither the operations nor the assertions have to do with where threads stand. Of two such edges, whatever is shown
/// speaks of values only, so it is shown of all edges that are like them.
pub(super) struct Alike {
    /// By edge: the first one that is like it.
    first: Vec<EdgeId>,
    /// By edge, of those that are the first.
    shared: FxHashMap<EdgeId, Shared>,
    /// Those that have to do with values only.
    plain: FxHashSet<EdgeId>,
    /// All of them; those that nothing before them is like; and those that stand for themselves alone.
    edges: [Vec<EdgeId>; 3],
}

impl Alike {
    pub(super) fn new(outline: &Outline<'_>, invariants: &[Invariant]) -> Self {
        let counted = Weights::new(invariants);
        let program = outline.program;
        let mut alike = Self {
            first: Vec::new(),
            shared: FxHashMap::default(),
            plain: FxHashSet::default(),
            edges: Default::default(),
        };
        // Whoever is alike has as many operations and writes as many variables.
        let mut candidates: FxHashMap<(ThreadId, usize, Vec<VarId>), Vec<EdgeId>> = FxHashMap::default();
        for (edge, declaration) in program.edges().iter() {
            let shared = Shared::new(program, edge);
            if !speaks_of_values(outline, edge) {
                alike.first.push(edge);
                alike.shared.insert(edge, shared);
                continue;
            }
            alike.plain.insert(edge);
            let accessed = shared.reads.iter().chain(shared.writes.iter()).collect();
            let key = (outline.actor(edge), declaration.ops.len(), accessed);
            let candidates = candidates.entry(key).or_default();
            match candidates.iter().find(|&&other| are_alike(outline, &counted, edge, other)) {
                Some(&other) => alike.first.push(other),
                None => {
                    candidates.push(edge);
                    alike.first.push(edge);
                    alike.shared.insert(edge, shared);
                }
            }
        }
        let ids = || program.edges().ids();
        let is_first = |edge: &EdgeId| alike.first(*edge) == *edge;
        let is_special = |edge: &EdgeId| !alike.plain.contains(edge);
        alike.edges = [ids().collect(), ids().filter(is_first).collect(), ids().filter(is_special).collect()];
        alike
    }

    /// The first edge that is like an edge.
    pub(super) fn first(&self, edge: EdgeId) -> EdgeId {
        self.first[edge.index()]
    }

    /// What an edge accesses.
    pub(super) fn shared(&self, edge: EdgeId) -> &Shared {
        &self.shared[&self.first(edge)]
    }

    /// The edges of which something has to be shown together with this one. What is shown of two edges that have to do
    /// with values only is shown of all that are like them; `is_repeated` if one like this one was compared before.
    pub(super) fn to_compare_with(&self, edge: EdgeId, is_repeated: bool) -> &[EdgeId] {
        let [all, first, special] = &self.edges;
        match (self.plain.contains(&edge), is_repeated) {
            (false, _) => all,
            (true, false) => first,
            (true, true) => special,
        }
    }
}

/// Whether two edges of a thread, of which both speak of values only, cannot be told apart.
fn are_alike(outline: &Outline<'_>, counted: &Weights, one: EdgeId, other: EdgeId) -> bool {
    let edges = outline.program.edges();
    let counted = |edge: EdgeId| counted.of(outline.program, edges[edge].source);
    let asserted = |edge: EdgeId| outline.at(outline.actor(edge), ControlPoint::At(edges[edge].source));
    let ends = |edge: EdgeId| edges[edge].target == outline.program.thread_of(edges[edge].source).exit;
    edges[one].ops == edges[other].ops
        && ends(one) == ends(other)
        && asserted(one) == asserted(other)
        && counted(one) == counted(other)
}

/// How invariants count whoever stands at a location. If all who stand at two locations of a thread are counted, and
/// everywhere alike, then the invariants say the same whichever of the two it is.
struct Weights {
    by_location: FxHashMap<LocationId, Vec<Weight>>,
}

/// In which invariant, cube and comparison, with which factor; and where, if not all who stand there are counted.
type Weight = ([usize; 3], Value, Option<LocationId>);

impl Weights {
    fn new(invariants: &[Invariant]) -> Self {
        let mut by_location: FxHashMap<LocationId, Vec<Weight>> = FxHashMap::default();
        for (number, invariant) in invariants.iter().enumerate() {
            for (cube, atoms) in invariant.cubes.iter().enumerate() {
                for (atom, sum) in atoms.iter().enumerate() {
                    for (factor, summand) in &sum.terms {
                        let Summand::Count(Counter { location, having }) = summand else { continue };
                        let conditional = (!having.is_empty()).then_some(*location);
                        let weight = ([number, cube, atom], *factor, conditional);
                        by_location.entry(*location).or_default().push(weight);
                    }
                }
            }
        }
        Self { by_location }
    }

    /// With whether others see anybody there, if there are invariants at all.
    fn of(&self, program: &Program, location: LocationId) -> (&[Weight], bool) {
        let is_unseen = !self.by_location.is_empty() && program.locations()[location].atomic;
        (self.by_location.get(&location).map_or(&[], Vec::as_slice), is_unseen)
    }
}

/// Whether an edge and what is asserted at its source have nothing to do with where threads stand.
fn speaks_of_values(outline: &Outline<'_>, edge: EdgeId) -> bool {
    let declaration = &outline.program.edges()[edge];
    let asserted = outline.at(outline.actor(edge), ControlPoint::At(declaration.source));
    asserted.iter().all(|cube| cube.others.is_empty()) && declaration.ops.iter().all(speaks_of_values_only)
}

/// Whether an operation has nothing to do with where threads stand, or which there are.
fn speaks_of_values_only(op: &Op) -> bool {
    let is_value = |expr: &Expr| {
        let mut is_value = true;
        expr.walk(&mut |part| is_value &= !matches!(part, Expr::CountAt(_) | Expr::CountRunning(_)));
        is_value
    };
    match op {
        Op::Assume(condition, _) | Op::Check(condition, _) => is_value(condition),
        Op::Assign(pairs) => pairs.iter().all(|(place, value)| is_value(&place.read()) && is_value(value)),
        Op::Havoc(place, _) => is_value(&place.read()),
        Op::Spawn { .. } | Op::Join(_) | Op::Halt => false,
    }
}
