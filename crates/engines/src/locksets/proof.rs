//! Facts as assertions of a rely-guarantee proof.

use super::Analysis;
use super::facts::{Cell, Facts, Known, Rest};
use super::limits::Ranges;
use super::parents::Parent;
use rely_base::Id;
use rely_evidence::rely_guarantee::{
    Atom, Comparison, ControlPoint, Cube, EdgeEffect, Moment, Quantity, RelyGuarantee, ThreadAssertions,
};
use rely_program::{EdgeId, LocationId, Program, ThreadId, Value};

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
            let mut atoms = atoms(facts.values.iter(), Moment::Before);
            let mut others = others(analysis.program, facts);
            atoms.extend(bounds(&analysis.parents.limits_at(analysis.program, location)));
            atoms.extend(copies(analysis, location));
            if let Some(parent) = analysis.parents.known_at(analysis.program, location) {
                atoms.extend(known_of_parent(analysis.program, thread, parent));
                if !facts.resting.contains_key(&parent.thread) {
                    others.push((parent.thread, parent.places.iter().map(ControlPoint::At).collect()));
                }
            }
            Some((point, vec![Cube { atoms, others }]))
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
    atoms.extend(bounds(&analysis.parents.limits_before(analysis.program, edge)));
    let cube = Cube { atoms, others: others(analysis.program, &passage.needs) };
    Some(EdgeEffect { edge, cubes: by_joined(analysis, edge, cube) })
}

/// The cases of an edge that joins a thread, by which one it is: that thread has ended.
fn by_joined(analysis: &Analysis<'_>, edge: EdgeId, cube: Cube) -> Vec<Cube> {
    let program = analysis.program;
    let Some((joined, threads)) = analysis.parents.joined(program, edge) else { return vec![cube] };
    let (mut cubes, mut none) = (Vec::new(), cube.clone());
    for thread in threads {
        let Some(handle) = program.instance_handle(thread) else { continue };
        let is_joined = atom(&joined.cell, &Known::Constant(handle), Moment::Before);
        none.atoms.push(Atom { comparison: Comparison::Ne, ..is_joined.clone() });
        let mut case = cube.clone();
        case.atoms.push(is_joined);
        case.others.retain(|(other, _)| *other != thread);
        case.others.push((thread, vec![ControlPoint::At(program.threads()[thread].exit)]));
        cubes.push(case);
    }
    cubes.push(none);
    cubes
}

/// The handles of which a thread has copies where it joins somebody.
fn copies(analysis: &Analysis<'_>, location: LocationId) -> Vec<Atom> {
    let program = analysis.program;
    let joined = |edge: &EdgeId| analysis.parents.joined(program, *edge).map(|(joined, _)| joined);
    let copies = program.outgoing(location).iter().filter_map(joined).filter_map(|joined| {
        let quantity = |(var, index): Cell| Quantity::Cell { var, index, moment: Moment::Before };
        let terms = vec![(1, quantity((joined.copy?, 0))), (-1, quantity(joined.cell))];
        Some(Atom { terms, constant: 0, comparison: Comparison::Eq })
    });
    copies.collect()
}

/// What a thread knows of the variables of the one that has started it.
fn known_of_parent(program: &Program, thread: ThreadId, parent: &Parent) -> Vec<Atom> {
    let handle = program.instance_handle(thread).map(Known::Constant);
    let handles = parent.handles.iter().zip(handle.iter().cycle());
    let mut known: Vec<Atom> = handles.map(|(cell, handle)| atom(cell, handle, Moment::Before)).collect();
    known.extend(bounds(&parent.ranges));
    known
}

fn bounds(ranges: &Ranges) -> Vec<Atom> {
    let mut bounds = Vec::new();
    for (&var, range) in ranges {
        let quantity = Quantity::Cell { var, index: 0, moment: Moment::Before };
        let mut bound = |factor, constant: Option<Value>| {
            let terms = vec![(factor, quantity)];
            bounds.extend(constant.map(|constant| Atom { terms, constant, comparison: Comparison::Le }));
        };
        bound(-1, range.low);
        bound(1, range.high.and_then(Value::checked_neg));
    }
    bounds
}

fn atoms<'f>(facts: impl Iterator<Item = (&'f Cell, &'f Known)>, moment: Moment) -> Vec<Atom> {
    facts.map(|(cell, known)| atom(cell, known, moment)).collect()
}

/// That a cell has a value.
fn atom(&(var, index): &Cell, known: &Known, moment: Moment) -> Atom {
    let cell = (1, Quantity::Cell { var, index, moment });
    let (terms, constant) = match known {
        Known::Constant(value) => (vec![cell], -*value),
        Known::Own => (vec![cell, (-1, Quantity::Handle)], 0),
    };
    Atom { terms, constant, comparison: Comparison::Eq }
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
