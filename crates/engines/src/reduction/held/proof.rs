//! What is known as a proof: facts as assertions, what is held of locks that count as invariants.

use super::{About, Facts, Held, Known, SharedLock};
use rely_evidence::counting::Counting;
use rely_evidence::rely_guarantee::{
    Atom, Comparison, ControlPoint, Cube, EdgeEffect, Moment, Quantity, RelyGuarantee, ThreadAssertions,
};
use rely_program::{EdgeId, ThreadId, VarId};

impl Held<'_> {
    /// The facts as assertions, and what the edges look like to others.
    pub(in crate::reduction) fn proof(&self) -> Counting {
        let threads = self.program.threads().ids().map(|thread| self.assertions(thread)).collect();
        let effects = self.program.edges().ids().filter_map(|edge| self.effect(edge)).collect();
        let invariants = self.shared.values().map(SharedLock::invariant).collect();
        Counting { invariants, proof: RelyGuarantee { threads, effects } }
    }

    fn assertions(&self, thread: ThreadId) -> ThreadAssertions {
        let assertion = |point: ControlPoint| match point {
            ControlPoint::Unstarted => Some((point, vec![Cube::default()])),
            ControlPoint::At(location) => {
                let facts = self.at(location)?;
                let others = self.others(facts, thread);
                Some((point, vec![Cube { atoms: atoms(facts, Moment::Before), others }]))
            }
        };
        let points = ControlPoint::all(self.program, thread);
        ThreadAssertions { thread, at: points.into_iter().filter_map(assertion).collect() }
    }

    fn effect(&self, edge: EdgeId) -> Option<EdgeEffect> {
        let passage = self.passage(edge)?;
        let mut changed = passage.leaves.clone();
        changed.retain(|about, _| passage.changes.contains(about));
        let mut atoms = atoms(&passage.needs, Moment::Before);
        atoms.extend(self::atoms(&changed, Moment::After));
        let others = self.others(&passage.needs, self.actor(edge));
        Some(EdgeEffect { edge, cubes: vec![Cube { atoms, others }] })
    }

    /// Where other instances are known to stand.
    fn others(&self, facts: &Facts, thread: ThreadId) -> Vec<(ThreadId, Vec<ControlPoint>)> {
        let places = |(about, known): (&About, &Known)| match (about, known) {
            (About::Place(other), _) if *other == thread => Vec::new(),
            (About::Place(other), Known::Unstarted) => vec![(*other, vec![ControlPoint::Unstarted])],
            (About::Place(other), Known::Ended) => {
                vec![(*other, vec![ControlPoint::At(self.program.threads()[*other].exit)])]
            }
            (About::Lock(var), _) => {
                let others = self.program.threads().ids().filter(|&other| other != thread);
                others.filter_map(|other| Some((other, self.without_lock(other, *var)?))).collect()
            }
            _ => Vec::new(),
        };
        facts.iter().flat_map(places).collect()
    }

    /// Where a thread does not hold a lock, if it ever does.
    fn without_lock(&self, thread: ThreadId, var: VarId) -> Option<Vec<ControlPoint>> {
        let mut holds = false;
        let mut points = ControlPoint::all(self.program, thread);
        points.retain(|point| match point {
            ControlPoint::Unstarted => true,
            ControlPoint::At(location) => self.at(*location).is_some_and(|facts| {
                let is_held = facts.contains_key(&About::Lock(var));
                holds |= is_held;
                !is_held
            }),
        });
        holds.then_some(points)
    }
}

fn atoms(facts: &Facts, moment: Moment) -> Vec<Atom> {
    let atom = |(about, known): (&About, &Known)| {
        let About::Value(var) = *about else { return None };
        let cell = (1, Quantity::Cell { var, index: 0, moment });
        let (terms, constant) = match known {
            Known::Constant(value) => (vec![cell], -*value),
            Known::Own => (vec![cell, (-1, Quantity::Handle)], 0),
            Known::Unstarted | Known::Running | Known::Ended | Known::Holds(_) => return None,
        };
        Some(Atom { terms, constant, comparison: Comparison::Eq })
    };
    facts.iter().filter_map(atom).collect()
}
