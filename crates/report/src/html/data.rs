//! What the page's script receives. Texts that occur often are listed once and referred to by
//! their position; a place in a source is the pair of the source and the line, from one.

use super::source::SourceTable;
use super::waiting::Arrow;
use crate::explain::{Fact, Sentence};
use crate::finding::Waiting;
use crate::phrase::Phrases;
use rely_base::{History, Tree};
use serde::Serialize;

/// A line of a source.
pub(super) type SourceLine = (usize, u32);

/// Everything.
#[derive(Debug, Serialize)]
pub(super) struct Page<'p> {
    pub rely: &'p str,
    pub sources: Vec<Source<'p>>,
    pub sections: &'p [Section],
}

/// A text, in parts if some of it is left out.
#[derive(Debug, Serialize)]
pub(super) struct Source<'p> {
    pub name: &'p str,
    pub total: usize,
    pub parts: Vec<Part<'p>>,
}

/// Lines that follow each other.
#[derive(Debug, Serialize)]
pub(super) struct Part<'p> {
    pub first: usize,
    pub lines: Vec<&'p str>,
}

/// The result for one property of one file, or why there is none.
#[derive(Debug, Default, Serialize)]
pub(super) struct Section {
    pub file: String,
    pub verdict: &'static str,
    pub property: Option<&'static str>,
    pub headline: Option<String>,
    /// Why the verdict is what it is.
    pub why: Vec<Reason>,
    pub advice: Option<String>,
    pub evidence: Option<String>,
    pub modular: Option<bool>,
    pub engine: Option<String>,
    pub assumptions: Vec<String>,
    /// The passes on which the proof relies.
    pub trusted: Vec<String>,
    pub counts: Vec<(String, u64)>,
    pub seconds: Option<f64>,
    pub errors: Vec<String>,
    /// The source of the file, if there is one.
    pub source: Option<usize>,
    /// The line of what is violated.
    pub place: Option<u32>,
    pub waiting: Vec<WaitingData>,
    /// Who waits for whom.
    pub arrows: Vec<Arrow>,
    pub run: Option<Run>,
    pub margin: Option<Margin>,
    pub outline: Option<Outline>,
    pub counting: Option<CountingData>,
    pub history: Option<HistoryData>,
}

impl Section {
    pub fn new(file: &str, verdict: &'static str) -> Self {
        Self { file: file.to_owned(), verdict, ..Self::default() }
    }
}

/// A sentence of an explanation.
#[derive(Debug, Serialize)]
pub(super) struct Reason {
    pub text: String,
    /// The steps of the run of which it speaks, in order.
    pub steps: Vec<usize>,
}

impl From<&Sentence> for Reason {
    fn from(sentence: &Sentence) -> Self {
        let mut steps: Vec<usize> = sentence.facts.iter().filter_map(Fact::step).collect();
        steps.dedup();
        Self { text: sentence.text.clone(), steps }
    }
}

/// A thread that waits in a deadlock.
#[derive(Debug, Serialize)]
pub(super) struct WaitingData {
    pub thread: String,
    pub line: Option<u32>,
    pub statement: String,
}

impl From<&Waiting> for WaitingData {
    fn from(waiting: &Waiting) -> Self {
        Self {
            thread: waiting.thread.clone(),
            line: waiting.place.as_ref().map(|place| place.line),
            statement: waiting.statement.clone(),
        }
    }
}

/// A run, step by step.
#[derive(Debug, Serialize)]
pub(super) struct Run {
    /// All threads, in the order of their slots.
    pub threads: Vec<RunThread>,
    pub cells: Vec<CellData>,
    pub edges: Vec<EdgeText>,
    /// The values at the beginning, of the cells that exist then.
    pub initial: Vec<(usize, String)>,
    pub steps: Vec<StepData>,
    /// The steps with which a statement begins.
    pub starts: Vec<usize>,
    /// The steps that matter to other threads, or of which the explanation speaks.
    pub essential: Vec<usize>,
    /// For a data race: the two accesses that are about to be made in the end.
    pub race: Vec<RacingData>,
}

/// An access that races.
#[derive(Debug, Serialize)]
pub(super) struct RacingData {
    pub thread: usize,
    /// `read` or `write`.
    pub kind: String,
    pub at: Option<SourceLine>,
    pub text: String,
    /// The access in one line: what it does, where, and what is held meanwhile.
    pub told: String,
}

/// A thread of a run.
#[derive(Debug, Serialize)]
pub(super) struct RunThread {
    pub name: String,
    pub moves: bool,
    /// Where it stands at the beginning.
    pub at: Option<SourceLine>,
}

/// A variable, or a cell of an array.
#[derive(Debug, Serialize)]
pub(super) struct CellData {
    pub name: String,
    /// The thread to which it belongs; without one it is shared.
    pub owner: Option<usize>,
    /// Whether a front end made it up.
    pub hidden: bool,
    /// Whether it holds the handle of the thread that has locked it.
    pub lock: bool,
}

/// What an edge does, in the words of the source and of the intermediate program.
#[derive(Debug, Serialize)]
pub(super) struct EdgeText {
    pub at: Option<SourceLine>,
    pub text: String,
    pub ops: String,
}

/// A step.
#[derive(Debug, Serialize)]
pub(super) struct StepData {
    #[serde(rename = "t")]
    pub thread: usize,
    #[serde(rename = "e")]
    pub edge: usize,
    /// The cells that were written or exist since then, and their values.
    #[serde(rename = "w")]
    pub writes: Vec<(usize, String)>,
    /// The shared values that it saw.
    #[serde(rename = "r", skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<(String, String)>,
    /// Threads that stand elsewhere afterwards.
    #[serde(rename = "a")]
    pub at: Vec<(usize, Option<SourceLine>)>,
}

/// What stands beside the lines of a source.
#[derive(Debug, Serialize)]
pub(super) struct Margin {
    /// Whether movers and blocks are those of a reduction.
    pub reduced: bool,
    pub movers: Vec<(SourceLine, Mover)>,
    pub blocks: Vec<Block>,
}

/// What the steps of a line have to do with other threads; the greatest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Mover {
    /// Every step commutes with all steps of the other threads.
    Free,
    /// Some step depends on what others do; none does anything that others can see.
    Reads,
    /// Some step does something that others, or the property, can see.
    Writes,
    /// As far as is known, every step can be done after the next steps of others or before their last.
    Both,
    /// As far as is known, every step can be done after the next steps of others.
    Right,
    /// As far as is known, every step can be done before the last steps of others.
    Left,
    /// It is not known that every step can be moved one way.
    None,
}

impl Mover {
    /// What can be said of a line whose steps are of two kinds.
    pub fn with(self, other: Mover) -> Mover {
        match (self, other) {
            (Mover::Both, mover) | (mover, Mover::Both) => mover,
            (Mover::Right, Mover::Left) | (Mover::Left, Mover::Right) => Mover::None,
            _ => self.max(other),
        }
    }
}

/// Lines that one transition of the engine's program, or of the reduced one, takes together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Block {
    pub source: usize,
    pub lines: Vec<u32>,
}

/// A rely-guarantee proof, or a ranking.
#[derive(Debug, Serialize)]
pub(super) struct Outline {
    pub threads: Vec<ThreadOutline>,
    pub effects: Vec<String>,
    pub interference: Vec<Interference>,
    /// How many pairs of lines are left out because there are too many.
    pub omitted: usize,
    /// What the ranks do, if it has some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks: Option<&'static str>,
}

/// What a proof says of one thread.
#[derive(Debug, Serialize)]
pub(super) struct ThreadOutline {
    pub name: String,
    pub template: bool,
    /// Positions in [`Outline::effects`].
    pub relies: Vec<usize>,
    pub guarantees: Vec<usize>,
    pub points: Vec<PointOutline>,
    /// From one point to another, and what is done.
    pub flow: Vec<(usize, usize, String)>,
}

/// What holds at one place.
#[derive(Debug, Serialize)]
pub(super) struct PointOutline {
    pub place: String,
    pub at: Option<SourceLine>,
    /// One of these holds, and of it every part; without one the place is never reached.
    pub cases: Vec<Vec<String>>,
    /// How far the thread is from its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<String>,
}

/// Counting invariants, and the places whose threads they count.
#[derive(Debug, Serialize)]
pub(super) struct CountingData {
    pub threads: Vec<CountedThread>,
    pub invariants: Vec<InvariantData>,
}

/// The places of one thread.
#[derive(Debug, Serialize)]
pub(super) struct CountedThread {
    pub name: String,
    pub template: bool,
    pub points: Vec<CountedPoint>,
    /// From one place to another, and what is done.
    pub flow: Vec<(usize, usize, String)>,
}

/// A place where threads are counted.
#[derive(Debug, Serialize)]
pub(super) struct CountedPoint {
    /// As the invariants call the number of threads here.
    pub counter: String,
    pub at: Option<SourceLine>,
}

/// A counting invariant.
#[derive(Debug, Serialize)]
pub(super) struct InvariantData {
    /// One of these holds, and of it every part.
    pub cases: Vec<Vec<String>>,
    /// The places that it counts: a thread, and one of its places.
    pub places: Vec<(usize, usize)>,
}

/// A line that changes what assertions at other lines mention.
#[derive(Debug, Serialize)]
pub(super) struct Interference {
    pub from: SourceLine,
    pub to: SourceLine,
    pub about: Vec<String>,
}

/// What an engine told about its work.
#[derive(Debug, Serialize)]
pub(super) struct HistoryData {
    pub rounds: Vec<RoundData>,
    pub trees: Vec<TreeData>,
}

/// One round of refinement.
#[derive(Debug, Serialize)]
pub(super) struct RoundData {
    pub headline: String,
    pub counts: Vec<(&'static str, u64)>,
    pub found: Vec<String>,
}

/// A tree of abstract states.
#[derive(Debug, Serialize)]
pub(super) struct TreeData {
    pub title: String,
    /// How many nodes there are; if there are too many, only the first ones are listed.
    pub total: usize,
    pub nodes: Vec<NodeData>,
}

/// A node; its parent stands before it.
#[derive(Debug, Serialize)]
pub(super) struct NodeData {
    #[serde(rename = "p")]
    pub parent: Option<usize>,
    pub place: String,
    pub at: Option<SourceLine>,
    pub step: String,
    pub by: Option<String>,
    pub facts: Vec<String>,
    pub covered: bool,
}

/// More nodes than this are no picture any more.
const MOST_NODES: usize = 3000;

impl HistoryData {
    pub fn new(history: &History, phrases: &Phrases<'_>, table: &SourceTable) -> Option<Self> {
        let rounds = history.rounds.iter().map(|round| RoundData {
            headline: round.headline.clone(),
            counts: round.counts.clone(),
            found: round.found.iter().map(|found| phrases.with_places(found)).collect(),
        });
        let trees = history.trees.iter().map(|tree| TreeData::new(tree, phrases, table));
        let told = Self { rounds: rounds.collect(), trees: trees.collect() };
        (!told.rounds.is_empty() || !told.trees.is_empty()).then_some(told)
    }
}

impl TreeData {
    fn new(tree: &Tree, phrases: &Phrases<'_>, table: &SourceTable) -> Self {
        let nodes = tree.nodes.iter().take(MOST_NODES).map(|node| NodeData {
            parent: node.parent,
            place: phrases.with_places(&node.place),
            at: node.span.and_then(|span| table.source_line(span, phrases.sources)),
            step: node.step.clone(),
            by: node.by.clone(),
            facts: node.facts.iter().map(|fact| phrases.with_places(fact)).collect(),
            covered: node.covered,
        });
        Self { title: tree.title.clone(), total: tree.nodes.len(), nodes: nodes.collect() }
    }
}
