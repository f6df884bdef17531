//! Statements of the source, and which of them are a single step.
//!
//! A ghost variable changes together with a statement, in one step. Where Rely takes a statement
//! for several steps, or where a call hides some of them, other tools may well see the change at
//! another moment than Rely does. So only statements that are one step of the front end's program
//! are used: then there is just one moment.

use super::c_text::{CText, SourcePoint};
use super::invariants::ProofContext;
use super::regions::spawned;
use rely_base::{FileId, Id, Span};
use rely_program::analysis::Graph;
use rely_program::{EdgeId, LocationId, Program, ThreadId};
use std::collections::BTreeMap;

/// The texts that the steps of a program come from.
pub(super) struct Texts<'t> {
    by_file: BTreeMap<usize, CText<'t>>,
}

impl<'t> Texts<'t> {
    pub(super) fn of(context: &ProofContext<'t>) -> Self {
        let mut by_file = BTreeMap::new();
        for span in context.program.edges().values().filter_map(|edge| edge.span) {
            let text = || CText::new(context.sources.file(span.file).text());
            by_file.entry(span.file.index()).or_insert_with(text);
        }
        Self { by_file }
    }

    /// The text of a file in which there are steps.
    pub(super) fn get(&self, file: FileId) -> &CText<'t> {
        &self.by_file[&file.index()]
    }

    /// The text of a file, if there are steps in it.
    pub(super) fn find(&self, file: FileId) -> Option<&CText<'t>> {
        self.by_file.get(&file.index())
    }

    /// A name that no text uses, made of the wanted one.
    pub(super) fn unused(&self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        while self.by_file.values().any(|text| text.mentions(&name)) {
            name.push('_');
        }
        name
    }
}

/// A statement that is one step.
pub(super) struct Statement {
    pub(super) span: Span,
    /// Its steps; several if the function around it is called at several places.
    pub(super) edges: Vec<EdgeId>,
    /// The thread that does it.
    pub(super) thread: ThreadId,
}

/// The statements of the source that are one step, each of one thread (or of all that a template
/// stands for).
pub(super) fn single_steps(program: &Program, graph: &Graph, texts: &Texts<'_>) -> Vec<Statement> {
    let mut places: BTreeMap<(usize, u32), Vec<EdgeId>> = BTreeMap::new();
    let mut extents: BTreeMap<(usize, u32), Span> = BTreeMap::new();
    for (id, edge) in program.edges().iter() {
        if let Some(span) = edge.span {
            let key = (span.file.index(), span.start);
            places.entry(key).or_default().push(id);
            let extent = extents.entry(key).or_insert(span);
            extent.end = extent.end.max(span.end);
        }
    }
    let is_alone = |(file, start): (usize, u32)| {
        let end = extents[&(file, start)].end;
        places.range((file, start + 1)..(file, end.max(start + 1))).next().is_none()
    };
    let found = places.iter().filter(|(key, _)| is_alone(**key)).filter_map(|(key, edges)| {
        let span = extents[key];
        let thread = program.locations()[program.edges()[edges[0]].source].thread;
        let text = texts.get(span.file);
        let is_statement = text.source_point(span.start as usize) == Some(SourcePoint::Statement)
            && !text.is_declaration(span.start as usize);
        let sources: Vec<LocationId> = edges.iter().map(|&edge| program.edges()[edge].source).collect();
        let is_step = edges.iter().all(|&edge| is_whole_step(program, graph, edge, edges, thread));
        (is_statement && is_step && !has_calls(program, graph, text, span, &sources)).then(|| Statement {
            span,
            edges: edges.clone(),
            thread,
        })
    });
    found.collect()
}

/// Whether a step is all of a statement whose steps are `edges`: nothing else starts where it
/// starts, and none of the others comes before it.
fn is_whole_step(program: &Program, graph: &Graph, edge: EdgeId, edges: &[EdgeId], thread: ThreadId) -> bool {
    let declaration = &program.edges()[edge];
    program.locations()[declaration.source].thread == thread
        && program.outgoing(declaration.source) == [edge]
        && declaration.source != declaration.target
        && !graph.incoming(declaration.source).iter().any(|before| edges.contains(before))
        && spawned(program, edge).eq(spawned(program, edges[0]))
}

/// Whether a statement calls functions that have statements of their own. Then a thread that has
/// not begun with it may already stand in front of a statement of the function, and the locations
/// in the middle of it would be taken for its beginning.
pub(super) fn has_calls(
    program: &Program,
    graph: &Graph,
    text: &CText<'_>,
    span: Span,
    locations: &[LocationId],
) -> bool {
    let own = text.function(span.start as usize);
    let comes_back = |location: &LocationId| {
        let spans = graph.incoming(*location).iter().filter_map(|&edge| program.edges()[edge].span);
        spans
            .into_iter()
            .any(|before| before.file != span.file || text.function(before.start as usize) != own)
    };
    let calls_itself = own.is_some_and(|name| text.is_called(span.start as usize, span.end as usize, name));
    calls_itself || locations.iter().any(comes_back)
}
