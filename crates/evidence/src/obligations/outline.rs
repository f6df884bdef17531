//! A proof with an index: what it says where. Making one is the check that the proof speaks of
//! this program at all.

use super::points::{PointNumbers, is_instance};
use crate::data::{Atom, ControlPoint, Cube, Moment, Quantity, RelyGuarantee, RelyGuaranteeDefect};
use rely_base::Id;
use rely_program::{EdgeId, Program, Scope, ThreadId};
use rustc_hash::FxHashMap;

/// The assertions and effects of a proof, found by place.
#[derive(Debug)]
pub(crate) struct Outline<'p> {
    pub(crate) program: &'p Program,
    pub(crate) numbers: PointNumbers,
    assertions: FxHashMap<(ThreadId, ControlPoint), &'p [Cube]>,
    effects: FxHashMap<EdgeId, &'p [Cube]>,
}

/// The thread from which a cube is looked at, and whether it is about a step.
#[derive(Clone, Copy)]
struct Viewpoint {
    thread: ThreadId,
    is_effect: bool,
}

type Checked = Result<(), RelyGuaranteeDefect>;

fn malformed<T>(what: impl Into<String>) -> Result<T, RelyGuaranteeDefect> {
    Err(RelyGuaranteeDefect::Malformed(what.into()))
}

impl<'p> Outline<'p> {
    /// Looks at every part of the proof once.
    pub(crate) fn new(program: &'p Program, proof: &'p RelyGuarantee) -> Result<Self, RelyGuaranteeDefect> {
        let mut assertions: FxHashMap<(ThreadId, ControlPoint), &'p [Cube]> = FxHashMap::default();
        for entry in &proof.threads {
            if program.threads().get(entry.thread).is_none() {
                return malformed(format!("there is no thread {}", entry.thread.index()));
            }
            for (point, cubes) in &entry.at {
                if assertions.insert((entry.thread, *point), cubes).is_some() {
                    return malformed(format!(
                        "an assertion of thread {} is listed twice",
                        entry.thread.index()
                    ));
                }
            }
        }
        let mut effects: FxHashMap<EdgeId, &'p [Cube]> = FxHashMap::default();
        for effect in &proof.effects {
            if program.edges().get(effect.edge).is_none() {
                return malformed(format!("there is no edge {}", effect.edge.index()));
            }
            if effects.insert(effect.edge, &effect.cubes).is_some() {
                return malformed(format!("the effect of edge {} is listed twice", effect.edge.index()));
            }
        }
        let says_something =
            |thread, point| assertions.get(&(thread, point)).is_some_and(|at| !at.is_empty());
        let numbers = PointNumbers::new(program, says_something);
        let outline = Self { program, numbers, assertions, effects };
        outline.check()?;
        Ok(outline)
    }

    /// What holds while a thread is at a control point: one of these.
    pub(crate) fn at(&self, thread: ThreadId, point: ControlPoint) -> &'p [Cube] {
        self.assertions.get(&(thread, point)).copied().unwrap_or_default()
    }

    /// What a step along an edge looks like: one of these.
    pub(crate) fn effect(&self, edge: EdgeId) -> &'p [Cube] {
        self.effects.get(&edge).copied().unwrap_or_default()
    }

    /// The thread of an edge.
    pub(crate) fn actor(&self, edge: EdgeId) -> ThreadId {
        self.program.locations()[self.program.edges()[edge].source].thread
    }

    fn check(&self) -> Checked {
        for (&(thread, point), cubes) in &self.assertions {
            if self.numbers.number(thread, point).is_none() {
                return malformed(format!("thread {} is never where the proof says", thread.index()));
            }
            let viewpoint = Viewpoint { thread, is_effect: false };
            cubes.iter().try_for_each(|cube| self.check_cube(viewpoint, cube))?;
        }
        for (&edge, cubes) in &self.effects {
            let viewpoint = Viewpoint { thread: self.actor(edge), is_effect: true };
            cubes.iter().try_for_each(|cube| self.check_cube(viewpoint, cube))?;
        }
        Ok(())
    }

    fn check_cube(&self, viewpoint: Viewpoint, cube: &Cube) -> Checked {
        for (thread, points) in &cube.others {
            if self.program.threads().get(*thread).is_none() || !is_instance(self.program, *thread) {
                return malformed(format!("thread {} has no place of its own", thread.index()));
            }
            if points.iter().any(|&point| self.numbers.number(*thread, point).is_none()) {
                return malformed(format!("thread {} is never where the proof says", thread.index()));
            }
        }
        cube.atoms.iter().try_for_each(|atom| self.check_atom(viewpoint, atom))
    }

    /// Whether an assertion about a thread may contain an atom.
    pub(crate) fn check_atom_of(&self, thread: ThreadId, atom: &Atom) -> Checked {
        self.check_atom(Viewpoint { thread, is_effect: false }, atom)
    }

    fn check_atom(&self, viewpoint: Viewpoint, atom: &Atom) -> Checked {
        for (_, quantity) in &atom.terms {
            let Quantity::Cell { var, index, moment } = *quantity else { continue };
            let Some(declaration) = self.program.vars().get(var) else {
                return malformed(format!("there is no variable {}", var.index()));
            };
            let name = &declaration.name;
            if index as usize >= declaration.cells() {
                return malformed(format!("`{name}` has no cell {index}"));
            }
            if moment == Moment::After && !viewpoint.is_effect {
                return malformed(format!("an assertion speaks of `{name}` after a step"));
            }
            if let Scope::Local(owner) = declaration.scope
                && owner != viewpoint.thread
                && !is_instance(self.program, owner)
            {
                return malformed(format!("`{name}` is not visible where the proof mentions it"));
            }
        }
        Ok(())
    }
}
