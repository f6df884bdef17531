//! Which assertions a step can touch: an index, so that nobody has to look at all others for every step.

use super::encode::{Cell, Encoder, Role};
use super::outline::Outline;
use super::points::PointSet;
use super::step::Step;
use crate::data::{Cube, Quantity};
use rely_program::ThreadId;
use rustc_hash::FxHashMap;

/// Where cells and the places of instances are mentioned.
#[derive(Debug, Default)]
pub(crate) struct Mentions {
    cells: FxHashMap<Cell, Vec<(ThreadId, usize)>>,
    places: FxHashMap<ThreadId, Vec<(ThreadId, usize)>>,
    /// Where an instance can be while a thread is at a control point, if all cubes there say something of that.
    allowed: FxHashMap<(ThreadId, (ThreadId, usize)), PointSet>,
    /// How many cubes there are at the control points of each thread at which others can move.
    cubes: FxHashMap<ThreadId, u64>,
}

impl Mentions {
    pub(crate) fn new(encoder: &Encoder<'_>, outline: &Outline<'_>) -> Self {
        let mut mentions = Self::default();
        for thread in outline.program.threads().ids() {
            for number in outline.numbers.interruptible(thread).iter() {
                let cubes = outline.at(thread, outline.numbers.point(thread, number));
                *mentions.cubes.entry(thread).or_default() += cubes.len() as u64;
                let here = (thread, number);
                mentions.note_allowed(outline, here, cubes);
                for cube in cubes {
                    for (other, _) in &cube.others {
                        add(mentions.places.entry(*other).or_default(), here);
                    }
                    for (_, quantity) in cube.atoms.iter().flat_map(|atom| &atom.terms) {
                        if let Quantity::Cell { var, index, .. } = *quantity {
                            let cell = encoder.cell(var, index, Role::BYSTANDER);
                            add(mentions.cells.entry(cell).or_default(), here);
                        }
                    }
                }
            }
        }
        mentions
    }

    fn note_allowed(&mut self, outline: &Outline<'_>, here: (ThreadId, usize), cubes: &[Cube]) {
        let [first, ..] = cubes else { return };
        for (other, _) in &first.others {
            let said = cubes.iter().map(|cube| cube.others.iter().find(|(thread, _)| thread == other));
            let Some(said) = said.collect::<Option<Vec<_>>>() else { continue };
            let points = said.into_iter().flat_map(|(_, points)| points);
            let numbers = points.filter_map(|&point| outline.numbers.number(*other, point));
            self.allowed.insert((*other, here), numbers.collect());
        }
    }

    /// Whether an instance can't be at a control point while a thread is at another one.
    pub(crate) fn exclude(&self, (instance, at): (ThreadId, usize), here: (ThreadId, usize)) -> bool {
        self.allowed.get(&(instance, here)).is_some_and(|allowed| !allowed.contains(at))
    }

    /// How many cubes a thread has at control points at which others can move.
    pub(crate) fn cubes_of(&self, thread: ThreadId) -> u64 {
        self.cubes.get(&thread).copied().unwrap_or(0)
    }

    /// The control points whose assertions mention something that a step changes, in ascending order.
    pub(crate) fn touched_by(&self, step: &Step) -> Vec<(ThreadId, usize)> {
        let cells = step.after.keys().filter_map(|cell| self.cells.get(cell));
        let places = step.arrived.iter().filter_map(|(thread, _)| self.places.get(thread));
        let mut touched: Vec<(ThreadId, usize)> = cells.chain(places).flatten().copied().collect();
        touched.sort_unstable();
        touched.dedup();
        touched
    }
}

/// Adds a control point unless it was the last one.
fn add(points: &mut Vec<(ThreadId, usize)>, here: (ThreadId, usize)) {
    if points.last() != Some(&here) {
        points.push(here);
    }
}
