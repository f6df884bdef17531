//! Facts as assertions of a rely-guarantee proof.

use super::Analysis;
use super::facts::{Cell, Facts, Known, Rest};
use rely_base::Id;
use rely_evidence::rely_guarantee::{
    Atom, Comparison, ControlPoint, Cube, EdgeEffect, Moment, Quantity, RelyGuarantee, ThreadAssertions,
};
use rely_program::{EdgeId, Program, ThreadId};

/// The proof that the facts are.
pub(super) fn write(analysis: &Analysis<'_>) -> RelyGuarantee {
    let program = analysis.program;
    let threads = program.threads().ids().map(|thread| assertions(analysis, thread)).collect();
    let effects = program.edges().ids().filter_map(|edge| effect(analysis, edge)).collect();
    RelyGuarantee { threads, effects }
}

fn assertions(analysis: &Analysis<'_>, thread: ThreadId) -> ThreadAssertions {
    let assertion = |point: ControlPoint| match point {
        ControlPoint::Unstarted => Some((point, vec![Cube::default()])),
        ControlPoint::At(location) => {
            let facts = analysis.facts[location.index()].as_ref()?;
            let atoms = atoms(facts.values.iter(), Moment::Before);
            Some((point, vec![Cube { atoms, others: others(analysis.program, facts) }]))
        }
    };
    let points = ControlPoint::all(analysis.program, thread);
    ThreadAssertions { thread, at: points.into_iter().filter_map(assertion).collect() }
}

/// What an edge looks like to others: what must hold for it to be taken, and what it leaves.
fn effect(analysis: &Analysis<'_>, edge: EdgeId) -> Option<EdgeEffect> {
    let passage = analysis.passages[edge.index()].as_ref()?;
    let is_seen = |(cell, _): &(&Cell, &Known)| analysis.program.vars()[cell.0].is_global();
    let mut atoms = atoms(passage.needs.values.iter().filter(is_seen), Moment::Before);
    let written = passage.leaves.values.iter().filter(is_seen);
    let written = written.filter(|(cell, _)| passage.writes.contains(cell));
    atoms.extend(self::atoms(written, Moment::After));
    Some(EdgeEffect { edge, cubes: vec![Cube { atoms, others: others(analysis.program, &passage.needs) }] })
}

fn atoms<'f>(facts: impl Iterator<Item = (&'f Cell, &'f Known)>, moment: Moment) -> Vec<Atom> {
    let atom = |(&(var, index), known): (&Cell, &Known)| {
        let cell = (1, Quantity::Cell { var, index, moment });
        let (terms, constant) = match known {
            Known::Constant(value) => (vec![cell], -*value),
            Known::Own => (vec![cell, (-1, Quantity::Handle)], 0),
        };
        Atom { terms, constant, comparison: Comparison::Eq }
    };
    facts.map(atom).collect()
}

fn others(program: &Program, facts: &Facts) -> Vec<(ThreadId, Vec<ControlPoint>)> {
    let place = |(thread, rest): (&ThreadId, &Rest)| {
        let point = match rest {
            Rest::Unstarted => ControlPoint::Unstarted,
            Rest::Ended => ControlPoint::At(program.threads()[*thread].exit),
        };
        (*thread, vec![point])
    };
    facts.resting.iter().map(place).collect()
}
