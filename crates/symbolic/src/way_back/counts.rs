//! Invariants that count threads, about another program.

use super::Translation;
use rely_evidence::counting::{CountAtom, Counter, Invariant, Summand};
use rely_evidence::rely_guarantee::{Atom, Comparison, ControlPoint, Moment, Quantity};
use rely_program::{Expr, LocationId, Place, ThreadId, Value};

impl Translation<'_, '_> {
    /// The invariants in the words of the target; `None` if it has none for one of them.
    pub(super) fn invariants(&self, invariants: &[Invariant]) -> Option<Vec<Invariant>> {
        let cube = |cube: &Vec<CountAtom>| cube.iter().map(|atom| self.count_atom(atom)).collect();
        let invariant = |invariant: &Invariant| {
            let cubes: Option<Vec<Vec<CountAtom>>> = invariant.cubes.iter().map(cube).collect();
            Some(Invariant { cubes: cubes? })
        };
        invariants.iter().map(invariant).collect()
    }

    fn count_atom(&self, atom: &CountAtom) -> Option<CountAtom> {
        let mut terms: Vec<(Value, Summand)> = Vec::new();
        for (factor, summand) in &atom.terms {
            let summand = match summand {
                Summand::Cell { var, index } => {
                    let place = self.place(None, *var, *index as usize)?;
                    let (var, index) = cell(&place)?;
                    Summand::Cell { var, index }
                }
                Summand::Count(counter) => Summand::Count(self.counter(counter)?),
            };
            terms.push((*factor, summand));
        }
        Some(CountAtom { terms, ..atom.clone() })
    }

    fn counter(&self, counter: &Counter) -> Option<Counter> {
        let location = counter.location;
        let thread = self.simplified.program.locations()[location].thread;
        let (owner, number) = self.places.of(thread, ControlPoint::At(location))?;
        let ControlPoint::At(there) = *self.system.thread(owner).points.get(rely_base::Id::index(number))?
        else {
            return None;
        };
        let mut having = Vec::new();
        for atom in &counter.having {
            having.push(self.renamed((thread, location), atom)?);
        }
        for (place, values) in self.simplified.back.values(location) {
            let (var, index) = cell(&place)?;
            let quantity = Quantity::Cell { var, index, moment: Moment::Before };
            having.extend(among(quantity, &values)?);
        }
        Some(Counter { location: there, having })
    }

    fn renamed(&self, (thread, location): (ThreadId, LocationId), atom: &Atom) -> Option<Atom> {
        let mut terms = Vec::new();
        for (factor, quantity) in &atom.terms {
            let quantity = match *quantity {
                Quantity::Handle => Quantity::Handle,
                Quantity::Cell { var, index, moment } => {
                    let place = self.place(Some((thread, location)), var, index as usize)?;
                    let (var, index) = cell(&place)?;
                    Quantity::Cell { var, index, moment }
                }
            };
            terms.push((*factor, quantity));
        }
        Some(Atom { terms, ..atom.clone() })
    }
}

/// The variable and the index of a place that is known.
fn cell(place: &Place) -> Option<(rely_program::VarId, u32)> {
    match place {
        Place::Scalar(var) => Some((*var, 0)),
        Place::Element(var, Expr::Int(index)) => Some((*var, u32::try_from(*index).ok()?)),
        Place::Element(..) => None,
    }
}

/// That a quantity has one of some values, if these are neighbours.
fn among(quantity: Quantity, values: &[Value]) -> Option<Vec<Atom>> {
    let (low, high) = (*values.first()?, *values.last()?);
    let at_least = Atom { terms: vec![(-1, quantity)], constant: low, comparison: Comparison::Le };
    let at_most = Atom { terms: vec![(1, quantity)], constant: -high, comparison: Comparison::Le };
    let exactly = Atom { terms: vec![(1, quantity)], constant: -low, comparison: Comparison::Eq };
    match low == high {
        true => Some(vec![exactly]),
        false if high - low == values.len() as Value - 1 => Some(vec![at_least, at_most]),
        false => None,
    }
}
