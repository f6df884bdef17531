//! The proof that consists of the clauses that are needed.

use super::cubes::cubes;
use super::needed::Needed;
use super::obligations::Frame;
use super::signs::{AtomId, Signs};
use super::vocabulary::{Atom, Vocabulary};
use rely_base::{Budget, Id};
use rely_evidence::rely_guarantee::RelyGuarantee;
use rely_logic::Constraint;
use rely_program::{EdgeId, ThreadId};
use rely_symbolic::outline::{self, Known, Outline};
use rely_symbolic::{ControlPointId, System};

/// `None` if there is too much to write down.
pub(super) fn write(frame: &Frame<'_, '_>, needed: &Needed, budget: &Budget) -> Option<RelyGuarantee> {
    let (system, vocabulary) = (frame.system, frame.vocabulary);
    let as_cubes = |clauses: &Vec<Signs>| cubes(vocabulary, clauses, frame.limits.cubes);
    let mut at: Vec<Vec<Vec<Signs>>> = Vec::new();
    for points in &needed.clauses {
        at.push(points.iter().map(as_cubes).collect::<Option<_>>()?);
    }
    let told: Vec<Vec<Signs>> = needed.told.iter().map(as_cubes).collect::<Option<_>>()?;
    let actor = |edge: usize| {
        let edge = &system.program.edges()[EdgeId::from_index(edge)];
        system.program.locations()[edge.source].thread
    };
    let of_points = at.iter().zip(system.thread_ids());
    let of_points =
        of_points.flat_map(|(points, thread)| points.iter().flatten().map(move |cube| (thread, *cube)));
    let of_edges = told.iter().enumerate();
    let of_edges = of_edges.flat_map(|(edge, cubes)| cubes.iter().map(move |cube| (actor(edge), *cube)));
    let mentioned = Mentioned::new(system, vocabulary, of_points.chain(of_edges));
    let known =
        |thread, cubes: &[Signs]| cubes.iter().map(|&cube| mentioned.known(thread, cube)).collect::<Vec<_>>();
    let of_thread =
        |(points, thread): (&Vec<Vec<Signs>>, _)| points.iter().map(|cubes| known(thread, cubes)).collect();
    let outline = Outline {
        at: at.iter().zip(system.thread_ids()).map(of_thread).collect(),
        told: Some(told.iter().enumerate().map(|(edge, cubes)| known(actor(edge), cubes)).collect()),
        predicates: mentioned.predicates(),
        tells_places: mentioned.tells_places(),
    };
    outline::write(system, &outline, budget)
}

/// What cubes speak of, in the order in which it first occurs.
struct Mentioned<'m, 'p> {
    system: &'m System<'p>,
    vocabulary: &'m Vocabulary,
    values: Vec<AtomId>,
    /// Where each thread tells apart that another one is.
    places: Vec<(ThreadId, ThreadId, ControlPointId)>,
}

impl<'m, 'p> Mentioned<'m, 'p> {
    fn new(
        system: &'m System<'p>,
        vocabulary: &'m Vocabulary,
        cubes: impl Iterator<Item = (ThreadId, Signs)>,
    ) -> Self {
        let mut mentioned = Mentioned { system, vocabulary, values: Vec::new(), places: Vec::new() };
        for (observer, cube) in cubes {
            for (atom, _) in cube.iter() {
                match &vocabulary.atoms[atom] {
                    Atom::Value(_) => add_new(&mut mentioned.values, atom),
                    Atom::Place { thread, point } => {
                        add_new(&mut mentioned.places, (observer, *thread, *point));
                    }
                }
            }
        }
        mentioned
    }

    fn side(&self, atom: AtomId, holds: bool) -> Option<Constraint> {
        match &self.vocabulary.atoms[atom] {
            Atom::Value(constraint) if holds => Some(constraint.clone()),
            Atom::Value(constraint) => Some(constraint.negated()),
            Atom::Place { .. } => None,
        }
    }

    fn predicates(&self) -> Vec<[Constraint; 2]> {
        let sides = |&atom: &AtomId| Some([self.side(atom, true)?, self.side(atom, false)?]);
        self.values.iter().filter_map(sides).collect()
    }

    fn tells_places(&self) -> bool {
        self.places.iter().any(|(_, observed, _)| self.system.thread(*observed).points.len() > 1)
    }

    /// What a cube says.
    fn known(&self, thread: ThreadId, cube: Signs) -> Known {
        let signs = |wanted: AtomId| cube.iter().find(|(atom, _)| *atom == wanted);
        let constraints = self.values.iter().filter_map(|&atom| {
            let (_, holds) = signs(atom)?;
            self.side(atom, holds)
        });
        let others = self.system.thread_ids().filter(|&other| other != thread);
        let others = others.filter_map(|other| {
            let all = self.points_of(thread, other);
            let possible: Vec<ControlPointId> =
                all.iter().copied().filter(|&point| self.allows(cube, other, point)).collect();
            (possible.len() < all.len()).then_some((other, possible))
        });
        Known { constraints: constraints.collect(), others: others.collect() }
    }

    /// The control points of another thread: first those between which the observer does not tell.
    fn points_of(&self, observer: ThreadId, observed: ThreadId) -> Vec<ControlPointId> {
        let told = self.places.iter().filter(|(by, of, _)| (*by, *of) == (observer, observed));
        let mut told: Vec<ControlPointId> = told.map(|(_, _, point)| *point).collect();
        let all = (0..self.system.thread(observed).points.len()).map(ControlPointId::from_index);
        let mut points: Vec<ControlPointId> = all.filter(|point| !told.contains(point)).collect();
        if points.is_empty() {
            points.extend(told.pop());
        }
        points.extend(told);
        points
    }

    /// Whether another thread may be at a control point, for all that a cube says of its place.
    fn allows(&self, cube: Signs, other: ThreadId, point: ControlPointId) -> bool {
        cube.iter().all(|(atom, holds)| match &self.vocabulary.atoms[atom] {
            Atom::Place { thread, point: named } if *thread == other => (*named == point) == holds,
            Atom::Place { .. } | Atom::Value(_) => true,
        })
    }
}

fn add_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}
