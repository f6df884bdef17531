//! The control flow of a thread: from statements and transitions to one graph.
//!
//! Each statement starts at a node and is one edge, or several; `goto`, `break` and `continue`
//! are no steps of their own but lead the edge before them elsewhere. The graph still refers
//! to the syntax tree: names are resolved when it is copied into the program, once for each
//! copy of a replicated thread.

mod atomic;
mod build;
mod cycles;

pub use build::build;

use crate::ast::{Expr, Simple};
use rely_base::{Arena, Span, define_id};
use rustc_hash::FxHashMap;

define_id!(
    /// A place in a thread.
    pub struct NodeId
);

/// The control flow of one thread or process.
#[derive(Debug)]
pub struct Flow<'a> {
    pub nodes: Arena<NodeId, Node>,
    pub edges: Vec<FlowEdge<'a>>,
    pub entry: NodeId,
    pub exit: NodeId,
    pub labels: FxHashMap<&'a str, Label>,
}

/// A place in a thread.
#[derive(Debug, Default)]
pub struct Node {
    /// The first of its labels.
    pub label: Option<String>,
    /// Whether it is inside an atomic block.
    pub atomic: bool,
    /// The statement that starts here.
    pub span: Option<Span>,
}

/// A label with its place.
#[derive(Clone, Copy, Debug)]
pub struct Label {
    pub node: NodeId,
    pub span: Span,
    /// The outermost atomic block in which the label is, by its number.
    pub block: Option<usize>,
}

/// One step.
#[derive(Clone, Debug)]
pub struct FlowEdge<'a> {
    pub source: NodeId,
    pub target: NodeId,
    pub actions: Vec<Action<'a>>,
    pub span: Span,
    /// Whether a thread can do something of this more than once.
    pub repeats: bool,
    /// Whether it is a step of an atomic block, or a test and an action in one: then its accesses are atomic.
    pub is_atomic: bool,
}

/// What happens in a step.
#[derive(Clone, Copy, Debug)]
pub enum Action<'a> {
    /// Goes on only if the condition is as it should be.
    Test(&'a Expr, bool),
    /// The invariant of a loop is checked.
    LoopInvariant(&'a Expr),
    /// A statement.
    Simple(&'a Simple, Span),
    /// The condition of `await ... do` holds.
    Await(&'a Expr),
}

impl Flow<'_> {
    /// Where a node stands in the source; the order of nodes and edges follows it.
    pub fn position(&self, node: NodeId) -> u32 {
        self.nodes[node].span.map_or(0, |span| span.start)
    }

    /// Whether a property can name the node.
    pub fn is_visible(&self, node: NodeId) -> bool {
        self.nodes[node].label.is_some() && !self.nodes[node].atomic
    }
}
