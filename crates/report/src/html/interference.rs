//! Which lines change what the assertions at which lines mention.
//!
//! A step of one thread *touches* an assertion of another if it writes a variable, or moves a
//! thread, that the assertion mentions. The proof says that the assertion survives all of these
//! steps; the others cannot even disturb it.

use super::Subject;
use super::data::{Interference, SourceLine};
use super::source::SourceTable;
use crate::proof::Writer;
use rely_evidence::rely_guarantee::{Cube, EdgeEffect, Quantity};
use rely_program::analysis::{Access, IdSet};
use rely_program::{ThreadId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// More pairs of lines than this are left out.
const MOST_PAIRS: usize = 20_000;

/// The pairs of lines, and how many more there are.
pub(super) fn interference(
    writer: &Writer<'_>,
    subject: &Subject<'_>,
    sources: &SourceTable,
) -> (Vec<Interference>, usize) {
    let mentions = mentions(writer, subject, sources);
    let mut pairs: BTreeMap<(SourceLine, SourceLine), BTreeSet<String>> = BTreeMap::new();
    let mut omitted = 0;
    for effect in &writer.proof.effects {
        let touch = Touch::new(writer, effect, subject, sources);
        for mention in mentions.iter().filter(|mention| writer.disturbs(touch.actor, mention.thread)) {
            let about = touch.about(mention, writer);
            if about.is_empty() {
                continue;
            }
            for &from in &touch.from {
                let key = (from, mention.at);
                if pairs.len() < MOST_PAIRS || pairs.contains_key(&key) {
                    pairs.entry(key).or_default().extend(about.iter().cloned());
                } else {
                    omitted += 1;
                }
            }
        }
    }
    let told = pairs.into_iter().map(|((from, to), about)| Interference {
        from,
        to,
        about: about.into_iter().collect(),
    });
    (told.collect(), omitted)
}

/// What the assertion at one place of a thread mentions.
struct Mention {
    thread: ThreadId,
    at: SourceLine,
    vars: IdSet<VarId>,
    places_of: IdSet<ThreadId>,
}

fn mentions(writer: &Writer<'_>, subject: &Subject<'_>, sources: &SourceTable) -> Vec<Mention> {
    let mut found = Vec::new();
    for entry in &writer.proof.threads {
        for (point, cubes) in &entry.at {
            let span = writer.phrases.span(*point);
            let Some(at) = span.and_then(|span| sources.source_line(span, subject.sources)) else { continue };
            found.push(Mention {
                thread: entry.thread,
                at,
                vars: vars(cubes),
                places_of: cubes
                    .iter()
                    .flat_map(|cube| cube.others.iter().map(|(thread, _)| *thread))
                    .collect(),
            });
        }
    }
    found
}

fn vars(cubes: &[Cube]) -> IdSet<VarId> {
    let terms = cubes.iter().flat_map(|cube| cube.atoms.iter().flat_map(|atom| &atom.terms));
    let vars = terms.filter_map(|(_, quantity)| match quantity {
        Quantity::Cell { var, .. } => Some(*var),
        Quantity::Handle => None,
    });
    vars.collect()
}

/// What a step changes, and the lines on which it does.
struct Touch {
    actor: ThreadId,
    from: BTreeSet<SourceLine>,
    writes: IdSet<VarId>,
}

impl Touch {
    fn new(writer: &Writer<'_>, effect: &EdgeEffect, subject: &Subject<'_>, sources: &SourceTable) -> Self {
        let writes = Access::of_edge(subject.prepared, effect.edge).writes;
        let old = subject.back.edges(effect.edge);
        let line = |edge| {
            let span = subject.program.edges()[edge].span;
            span.and_then(|span| sources.source_line(span, subject.sources))
        };
        // Of the lines that are one step, those on which it writes what it writes.
        let old_writes: IdSet<VarId> = writes.iter().map(|var| subject.back.var(var)).collect();
        let does_write = |edge: &_| Access::of_edge(subject.program, *edge).writes.intersects(&old_writes);
        let mut from: BTreeSet<SourceLine> =
            old.iter().filter(|edge| does_write(edge)).filter_map(|&edge| line(edge)).collect();
        if from.is_empty() {
            from.extend(old.first().and_then(|&edge| line(edge)));
        }
        Self { actor: writer.actor(effect), from, writes }
    }

    fn about(&self, mention: &Mention, writer: &Writer<'_>) -> Vec<String> {
        let vars = self.writes.iter().filter(|&var| mention.vars.contains(var));
        let mut about: Vec<String> = vars.map(|var| writer.phrases.var(var)).collect();
        if mention.places_of.contains(self.actor) {
            about.push(format!("where {} stands", writer.phrases.program.threads()[self.actor].name));
        }
        about
    }
}
