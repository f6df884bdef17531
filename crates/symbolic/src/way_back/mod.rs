//! The way back for proofs: from assertions about what passes have made of a program to assertions about the program.
//!
//! Two programs are made of one *source*: the *simplified* one, of which somebody knows a proof, and the *target*, which
//! is the source itself or what a checked reduction makes of it. Both know the way back to the source, so places
//! and variables of the one can be called by the names of the other:
//!
//! * a location of the target that is one of the simplified program's has its assertions; there are several if a pass has
//!   told the location apart by values, and then each case says the values, too;
//! * a variable has the name that it has there ([`BackMap::place_at`]);
//! * other locations are those that a pass has joined with their neighbours, or has left out. What holds
//!   there follows step by step from what holds before (`steps`): the strongest postcondition, which is the initial state
//!   where a prefix was executed in advance;
//! * what an analysis has found out of the ranges of variables, and passes have used, is added as facts (`facts`), and
//!   where a thread stands as long as it is alone (`alone`).
//!
//! Effects of steps follow from the assertions, as in every proof that [`outline`](crate::outline) writes.
//!
//! Nothing here has to be right: what comes out is believed only if the checker accepts it, for the target and from
//! nothing else.

mod alone;
mod counts;
mod facts;
mod places;
mod steps;

use crate::outline::{Known, Outline, write};
use crate::{Limits, System, ThreadView};
use places::Places;
use rely_base::{Budget, Id};
use rely_evidence::Proof;
use rely_evidence::counting::{Counting, Invariant};
use rely_evidence::rely_guarantee::{
    Atom, Comparison, ControlPoint, Cube, Quantity, RelyGuarantee, ThreadAssertions,
};
use rely_logic::{Constraint, Integer, LinearForm};
use rely_passes::BackMap;
use rely_program::{Expr, Goal, LocationId, Place, Program, Scope, ThreadId, Value, VarId};

/// A program that passes have made, and the way back from it.
#[derive(Clone, Copy)]
pub struct Made<'m> {
    /// The program.
    pub program: &'m Program,
    /// The way back to the source.
    pub back: &'m BackMap,
}

/// A proof about the target, made of one about the simplified program that consists of assertions, and of
/// invariants if threads are counted. With `facts`, what is known of the source's variables is added. `None` if
/// that cannot be written down.
pub fn proof(
    target: Made<'_>,
    simplified: Made<'_>,
    (assertions, invariants): (&RelyGuarantee, Option<&[Invariant]>),
    (goal, held): (Goal, Option<&RelyGuarantee>),
    budget: &Budget,
) -> Option<Proof> {
    let system = System::new(target.program, goal, Limits::default(), budget).ok()?;
    let places = Places::new(&system, target, simplified);
    let translation = Translation { system: &system, simplified, places };
    let mut at = translation.assertions(assertions);
    steps::fill(&system, &translation.places, &mut at, budget);
    facts::add(&system, target, held, &mut at);
    alone::add(&system, &mut at);
    let outline = outline(&system, at);
    let proof = write(&system, &outline, budget)?;
    Some(match invariants {
        None => Proof::RelyGuarantee(proof),
        Some(invariants) => {
            let invariants = translation.invariants(invariants)?;
            Proof::Counting(Counting { invariants, proof })
        }
    })
}

/// A proof about the target that consists of what analyses know of it, and of nothing else.
pub fn proof_by_facts(
    target: Made<'_>,
    (goal, held): (Goal, Option<&RelyGuarantee>),
    budget: &Budget,
) -> Option<Proof> {
    let system = System::new(target.program, goal, Limits::default(), budget).ok()?;
    let anything = |thread: &ThreadView| vec![Some(vec![Known::default()]); thread.points.len()];
    let mut at: Assertions = system.threads.iter().map(anything).collect();
    facts::add(&system, target, held, &mut at);
    alone::add(&system, &mut at);
    write(&system, &outline(&system, at), budget).map(Proof::RelyGuarantee)
}

/// What holds at each control point of each thread; nothing is known yet where there is no entry.
type Assertions = Vec<Vec<Option<Vec<Known>>>>;

fn outline(system: &System<'_>, at: Assertions) -> Outline {
    let at: Vec<Vec<Vec<Known>>> =
        at.into_iter().map(|points| points.into_iter().map(Option::unwrap_or_default).collect()).collect();
    let mut predicates: Vec<[Constraint; 2]> = Vec::new();
    for constraint in at.iter().flatten().flatten().flat_map(|known| &known.constraints) {
        let is_plain = constraint.form().variables().all(|variable| system.cells.is_cell(variable));
        if is_plain && !predicates.iter().flatten().any(|known| known == constraint) {
            predicates.push([constraint.clone(), constraint.negated()]);
        }
    }
    let tells_places = at.iter().flatten().flatten().any(|known| !known.others.is_empty());
    Outline { at, told: None, predicates, tells_places }
}

/// From parts of the simplified program to those of the target.
struct Translation<'t, 'p> {
    system: &'t System<'p>,
    simplified: Made<'t>,
    places: Places,
}

impl Translation<'_, '_> {
    fn assertions(&self, proof: &RelyGuarantee) -> Assertions {
        let mut at: Assertions =
            self.system.threads.iter().map(|thread| vec![None; thread.points.len()]).collect();
        for ThreadAssertions { thread, at: own } in &proof.threads {
            for (point, cubes) in own {
                let Some((owner, number)) = self.places.of(*thread, *point) else { continue };
                let known = cubes.iter().flat_map(|cube| self.known(*thread, *point, cube));
                at[owner.index()][number.index()].get_or_insert_default().extend(known);
            }
        }
        // Where the simplified program can be, and its proof says nothing, nobody is.
        for (owner, number) in self.places.corresponding() {
            at[owner.index()][number.index()].get_or_insert_default();
        }
        at
    }

    /// What a cube says of the target, with the values by which its place was told apart.
    fn known(&self, thread: ThreadId, point: ControlPoint, cube: &Cube) -> Vec<Known> {
        let location = match point {
            ControlPoint::At(location) => Some(location),
            ControlPoint::Unstarted => None,
        };
        let owner = self.simplified.back.thread(thread);
        let atoms =
            cube.atoms.iter().filter_map(|atom| self.atom(location.map(|at| (thread, at)), owner, atom));
        let mut known = vec![Known {
            constraints: atoms.collect(),
            others: self.places.others(self.system, &cube.others),
        }];
        for (place, values) in location.map(|at| self.simplified.back.values(at)).unwrap_or_default() {
            let Some(form) = self.cell(&place, owner) else { continue };
            known = known.into_iter().flat_map(|one| with_values(one, &form, &values)).collect();
        }
        known
    }

    /// An atom as a constraint; `None` if the target has no words for it.
    fn atom(&self, at: Option<(ThreadId, LocationId)>, owner: ThreadId, atom: &Atom) -> Option<Constraint> {
        let mut form = LinearForm::constant(Integer::from(atom.constant));
        for (factor, quantity) in &atom.terms {
            let value = self.quantity(at, owner, *quantity)?;
            form = form.add_scaled(&Integer::from(*factor), &value);
        }
        let zero = LinearForm::constant(0);
        Some(match atom.comparison {
            Comparison::Le => Constraint::le(&form, &zero),
            Comparison::Eq => Constraint::eq(&form, &zero),
            Comparison::Ne => Constraint::ne(&form, &zero),
            Comparison::MultipleOf(divisor) => {
                let quotient = LinearForm::variable(self.system.cells.auxiliary(0));
                Constraint::eq(&form, &quotient.scaled(&Integer::from(Value::from(divisor))))
            }
        })
    }

    fn quantity(
        &self,
        at: Option<(ThreadId, LocationId)>,
        owner: ThreadId,
        quantity: Quantity,
    ) -> Option<LinearForm> {
        match quantity {
            Quantity::Handle => Some(self.system.cells.handle(owner)),
            Quantity::Cell { var, index, .. } => {
                let place = self.place(at, var, index as usize)?;
                self.cell(&place, owner)
            }
        }
    }

    /// Where a cell of the simplified program is in the source, seen from a thread at a location.
    fn place(&self, at: Option<(ThreadId, LocationId)>, var: VarId, index: usize) -> Option<Place> {
        let declaration = &self.simplified.program.vars()[var];
        if declaration.length.is_some() {
            let array = self.simplified.back.var(var);
            return Some(Place::Element(array, Expr::int(Value::try_from(index).ok()?)));
        }
        Some(match at {
            Some((thread, location)) if declaration.scope == Scope::Local(thread) => {
                self.simplified.back.place_at(location, var)
            }
            _ => self.simplified.back.place(var),
        })
    }

    /// A place of the source as a cell of the target, if the thread may speak of it.
    fn cell(&self, place: &Place, owner: ThreadId) -> Option<LinearForm> {
        let index = match place {
            Place::Scalar(_) => 0,
            Place::Element(_, Expr::Int(index)) => usize::try_from(*index).ok()?,
            Place::Element(..) => return None,
        };
        let cell = self.system.cells.cell(place.var(), index);
        let is_seen = match self.system.cells.owner(cell) {
            Some(other) => other == owner || !self.system.thread(other).is_template,
            None => true,
        };
        is_seen.then(|| LinearForm::variable(cell))
    }
}

/// The cases in which a cell has one of some values.
fn with_values(known: Known, form: &LinearForm, values: &[Value]) -> Vec<Known> {
    let with = |constraints: &[Constraint]| {
        let mut known = known.clone();
        known.constraints.extend_from_slice(constraints);
        known
    };
    let is = |value: Value| LinearForm::constant(Integer::from(value));
    match values {
        [] => Vec::new(),
        [low, .., high] if *high - *low == values.len() as Value - 1 => {
            vec![with(&[Constraint::ge(form, &is(*low)), Constraint::le(form, &is(*high))])]
        }
        _ => values.iter().map(|value| with(&[Constraint::eq(form, &is(*value))])).collect(),
    }
}
