//! Counting invariants as data: the places of each thread, and which of them an invariant counts.

use super::Subject;
use super::data::{CountedPoint, CountedThread, CountingData, InvariantData};
use super::outline::flow;
use super::source::SourceTable;
use crate::phrase::Phrases;
use crate::recall;
use rely_evidence::counting::{Counter, Invariant, InvariantPrinter};
use rely_evidence::rely_guarantee::ControlPoint;
use rely_program::{LocationId, ThreadKind};

/// The invariants, which are about the program that the engine saw.
pub(super) fn counting(
    invariants: &[Invariant],
    subject: &Subject<'_>,
    sources: &SourceTable,
) -> CountingData {
    let restored = subject.restored();
    let phrases = Phrases::new(&restored, subject.sources);
    let (program, printer) = (subject.prepared, InvariantPrinter::new(&restored.program));
    let told = recall::invariants(invariants, &restored);
    let mut threads = Vec::new();
    let mut places: Vec<Vec<ControlPoint>> = Vec::new();
    for (thread, declaration) in program.threads().iter() {
        let mut points = ControlPoint::all(program, thread);
        // Whoever has not started stands nowhere. The end comes last.
        points.retain(|point| *point != ControlPoint::Unstarted);
        points.sort_by_key(|point| *point == ControlPoint::At(declaration.exit));
        threads.push(CountedThread {
            name: declaration.name.clone(),
            template: declaration.kind == ThreadKind::Template,
            points: points.iter().map(|&point| counted_point(point, printer, &phrases, sources)).collect(),
            flow: flow(&points, subject),
        });
        places.push(points);
    }
    let position = |location: LocationId| {
        let find =
            |points: &Vec<ControlPoint>| points.iter().position(|point| *point == ControlPoint::At(location));
        places.iter().enumerate().find_map(|(thread, points)| Some((thread, find(points)?)))
    };
    let invariants = told.iter().map(|invariant| {
        let mut places: Vec<(usize, usize)> =
            invariant.counters().filter_map(|counter| position(counter.location)).collect();
        places.sort_unstable();
        places.dedup();
        InvariantData { cases: printer.cases(invariant), places }
    });
    CountingData { invariants: invariants.collect(), threads }
}

fn counted_point(
    point: ControlPoint,
    printer: InvariantPrinter<'_>,
    phrases: &Phrases<'_>,
    sources: &SourceTable,
) -> CountedPoint {
    let counter = match point {
        ControlPoint::At(location) => printer.counter(&Counter::at(location)),
        ControlPoint::Unstarted => String::new(),
    };
    CountedPoint {
        counter,
        at: phrases.span(point).and_then(|span| sources.source_line(span, phrases.sources)),
    }
}
