//! The course of a verification in the names of the program, for reports.

use super::precision::{Precision, PrecisionIncrement};
use super::reach::{NodeId, Origin, Trees};
use rely_base::{Id, Round, Span, Tree, TreeNode};
use rely_evidence::rely_guarantee::{AtomPrinter, ControlPoint};
use rely_logic::{Constraint, VarId};
use rely_program::ThreadId;
use rely_symbolic::{ControlPointId, MoveId, System};
use rustc_hash::FxHashMap;

/// Trees with more nodes than this are not told: nobody would look at the picture.
const MOST_NODES: usize = 2_000;

/// What was learnt from a counterexample, and whether other places were forgotten then.
pub(crate) fn round(
    system: &System<'_>,
    precision: &Precision,
    counts: Vec<(&'static str, u64)>,
    found: &[PrecisionIncrement],
    forgets: bool,
) -> Round {
    let writer = Writer { system };
    let increment = |one: &PrecisionIncrement| writer.increment(one, precision.tracks_where_needed());
    let predicates = found.iter().filter(|one| matches!(one, PrecisionIncrement::Predicate { .. })).count();
    let places = found.iter().filter(|one| one.is_place()).count();
    let counts_threads = found.iter().any(|one| matches!(one, PrecisionIncrement::Count(_)));
    let counts_threads = counts_threads.then(|| "threads are counted".to_owned());
    let number = |count: usize, thing: &str| match count {
        0 => None,
        1 => Some(format!("1 new {thing}")),
        _ => Some(format!("{count} new {thing}s")),
    };
    let forgotten = forgets.then(|| "places forgotten".to_owned());
    let parts = [number(predicates, "predicate"), number(places, "place"), counts_threads, forgotten];
    let headline = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    Round { headline, counts, found: found.iter().map(increment).collect() }
}

/// The trees got large, so predicates are tracked only where they are needed from now on.
pub(crate) fn narrowing(counts: Vec<(&'static str, u64)>) -> Round {
    Round { headline: "predicates only where needed".to_owned(), counts, found: Vec::new() }
}

/// The round in which nothing was wrong any more.
pub(crate) fn last_round(counts: Vec<(&'static str, u64)>) -> Round {
    Round { headline: "no counterexample".to_owned(), counts, found: Vec::new() }
}

/// All trees; none if they are too large.
pub(crate) fn trees(trees: &Trees<'_, '_>, precision: &Precision) -> Vec<Tree> {
    if trees.nodes.len() > MOST_NODES {
        return Vec::new();
    }
    let writer = Writer { system: trees.system() };
    let of = |thread| writer.tree(trees, precision, thread);
    trees.system().thread_ids().map(of).filter(|tree| !tree.nodes.is_empty()).collect()
}

struct Writer<'w, 'p> {
    system: &'w System<'p>,
}

impl Writer<'_, '_> {
    fn tree(&self, trees: &Trees<'_, '_>, precision: &Precision, thread: ThreadId) -> Tree {
        let mut positions: FxHashMap<NodeId, usize> = FxHashMap::default();
        let mut nodes = Vec::new();
        for (id, node) in trees.nodes.iter().filter(|(_, node)| node.thread == thread) {
            let (parent, by, is_environment) = match node.origin {
                Origin::Initial(_) => (None, None, false),
                Origin::Own { parent, by } => (positions.get(&parent).copied(), Some(by), false),
                Origin::Environment { parent, by, .. } => (positions.get(&parent).copied(), Some(by), true),
                Origin::Spawned { by, .. } => (None, Some(by), true),
            };
            let mut facts: Vec<String> =
                precision.constraints(&node.literals).filter_map(|fact| self.constraint(fact)).collect();
            for other in self.system.thread_ids().filter(|&other| other != thread) {
                let partition = precision.partition(thread, other);
                if !partition.is_trivial() {
                    facts.push(self.places(other, partition.block(node.blocks[other.index()])));
                }
            }
            positions.insert(id, nodes.len());
            nodes.push(TreeNode {
                parent,
                place: self.point(thread, node.point),
                span: self.span(thread, node.point),
                step: by.map_or_else(|| "initially".to_owned(), |by| self.step(by)),
                by: by.filter(|_| is_environment).map(|by| self.name(self.system.get(by).thread)),
                facts,
                covered: node.covered,
            });
        }
        Tree { title: self.name(thread), nodes }
    }

    fn increment(&self, increment: &PrecisionIncrement, only_there: bool) -> String {
        match increment {
            PrecisionIncrement::Predicate { thread, point, constraint } => {
                let constraint = self.constraint(constraint).unwrap_or_else(|| "a large number".to_owned());
                let place =
                    if only_there { format!(" at {}", self.point(*thread, *point)) } else { String::new() };
                format!("{}{place}: {constraint}", self.name(*thread))
            }
            PrecisionIncrement::Count(cell) => format!("{} counts threads", self.cell(*cell)),
            PrecisionIncrement::Place { observer, observed, points } => {
                format!("{}: {}", self.name(*observer), self.places(*observed, points))
            }
        }
    }

    fn constraint(&self, constraint: &Constraint) -> Option<String> {
        let atom = self.system.cells.atom(constraint)?;
        Some(AtomPrinter::new(self.system.program).atom(&atom))
    }

    fn cell(&self, cell: VarId) -> String {
        let variable = self.system.cells.variable(cell);
        variable.map_or_else(String::new, |(var, index)| {
            AtomPrinter::new(self.system.program).cell(var, u32::try_from(index).unwrap_or(u32::MAX))
        })
    }

    fn places(&self, thread: ThreadId, points: &[ControlPointId]) -> String {
        let names: Vec<String> = points.iter().map(|&point| self.point(thread, point)).collect();
        format!("{} at {}", self.name(thread), names.join(" or "))
    }

    fn name(&self, thread: ThreadId) -> String {
        self.system.program.threads()[thread].name.clone()
    }

    fn point(&self, thread: ThreadId, point: ControlPointId) -> String {
        let (program, declaration) = (self.system.program, &self.system.program.threads()[thread]);
        match self.system.thread(thread).points[point.index()] {
            ControlPoint::Unstarted => "not started".to_owned(),
            ControlPoint::At(location) => match &program.locations()[location].label {
                Some(label) => label.clone(),
                None if location == declaration.entry => "entry".to_owned(),
                None if location == declaration.exit => "exit".to_owned(),
                None => format!("location {}", location.index()),
            },
        }
    }

    fn span(&self, thread: ThreadId, point: ControlPointId) -> Option<Span> {
        let program = self.system.program;
        let ControlPoint::At(location) = self.system.thread(thread).points[point.index()] else {
            return None;
        };
        let leaving = program.outgoing(location).iter().find_map(|&edge| program.edges()[edge].span);
        program.locations()[location].span.or(leaving)
    }

    fn step(&self, by: MoveId) -> String {
        let program = self.system.program;
        program.display_ops(&program.edges()[self.system.get(by).edge].ops).to_string()
    }
}
