//! The search for clauses that are inductive and exclude every violation.
//!
//! The paper computes backwards, with upward-closed sets of states and a preorder that is refined where monotonicity
//! loses too much. We go backwards as well, but from one cube of predicates to the next, and generalise each cube that
//! cannot be reached: literals are dropped as long as it is inductive relative to a frame that it cannot (Bradley,
//! *SAT-based model checking without unrolling*, VMCAI 2011; with predicates as in Cimatti, Griggio, Mover, Tonetta,
//! *IC3 modulo theories via implicit predicate abstraction*, TACAS 2014). A literal `#proc.lc1 >= 1` is an upward-closed
//! set, `#proc.lc1 == 0` is what a refined preorder keeps: both are predicates here, and no preorder is needed.

use super::frames::{Bad, Frames, Interrupted, Predecessor};
use super::machine::TransitionId;
use super::predicates::{Cube, Literal};
use super::samples::Samples;

/// How the search ends.
pub(super) enum Found {
    /// No state of one of these cubes can be reached, and no other state violates anything.
    Invariant(Vec<Cube>),
    /// What the predicates tell apart does not suffice; or there is a violation.
    Path(Path),
}

/// A way to a violation, as far as the predicates tell.
pub(super) struct Path {
    /// The transitions, in their order.
    pub(super) transitions: Vec<TransitionId>,
    pub(super) bad: Cube,
    /// The transition that fails in the end, if the violation is one.
    pub(super) failing: Option<TransitionId>,
}

/// A cube that must be shown to be unreachable within a number of steps.
struct Obligation {
    level: usize,
    cube: Cube,
    /// The step that leads on, and to which obligation.
    next: Option<(TransitionId, usize)>,
}

pub(super) struct Search<'f, 'm, 's, 'p> {
    pub(super) frames: &'f mut Frames<'m, 's, 'p>,
    pub(super) samples: &'f Samples,
    /// The cubes that are blocked up to each level, and not beyond.
    blocked: Vec<Vec<Cube>>,
}

impl<'f, 'm, 's, 'p> Search<'f, 'm, 's, 'p> {
    pub(super) fn new(frames: &'f mut Frames<'m, 's, 'p>, samples: &'f Samples) -> Self {
        Self { frames, samples, blocked: vec![Vec::new()] }
    }

    pub(super) fn run(mut self) -> Result<Found, Interrupted> {
        loop {
            let last = self.frames.last();
            while let Some(bad) = self.frames.bad(last)? {
                if let Some(path) = self.exclude(bad, last)? {
                    return Ok(Found::Path(path));
                }
            }
            self.frames.extend();
            self.blocked.push(Vec::new());
            if let Some(invariant) = self.propagate()? {
                return Ok(Found::Invariant(invariant));
            }
        }
    }

    /// Blocks a cube of violations, and everything that leads there.
    fn exclude(&mut self, bad: Bad, level: usize) -> Result<Option<Path>, Interrupted> {
        let mut obligations = vec![Obligation { level, cube: bad.cube.clone(), next: None }];
        let mut open = vec![0];
        while let Some(position) = open.iter().enumerate().min_by_key(|(_, at)| obligations[**at].level) {
            let at = open.swap_remove(position.0);
            let Obligation { level, cube, .. } = &obligations[at];
            let (level, cube) = (*level, cube.clone());
            if level == 0 || self.samples.contain(&cube) || self.frames.excludes_initial(&cube)?.is_none() {
                return Ok(Some(path(&obligations, at, bad)));
            }
            if self.is_blocked(&cube, level) {
                continue;
            }
            match self.frames.predecessor(&cube, level - 1)? {
                Err(Predecessor { transition, cube }) => {
                    open.push(at);
                    open.push(obligations.len());
                    obligations.push(Obligation { level: level - 1, cube, next: Some((transition, at)) });
                }
                Ok(needed) => {
                    let reached = self.block(&cube, needed, level)?;
                    if reached < self.frames.last() {
                        obligations[at].level = reached + 1;
                        open.push(at);
                    }
                }
            }
        }
        Ok(None)
    }

    fn is_blocked(&self, cube: &Cube, level: usize) -> bool {
        self.blocked[level..].iter().flatten().any(|known| known.iter().all(|literal| cube.contains(literal)))
    }

    /// Generalises a cube without predecessors and blocks it, up to the level that is returned.
    fn block(&mut self, cube: &Cube, needed: Cube, mut level: usize) -> Result<usize, Interrupted> {
        let mut cube = self.sufficient(cube, needed)?;
        let mut position = 0;
        while position < cube.len() && cube.len() > 1 {
            let mut smaller = cube.clone();
            smaller.remove(position);
            match self.attempt(&smaller, level)? {
                Some(smaller) => cube = smaller,
                None => position += 1,
            }
        }
        while level < self.frames.last() && self.frames.predecessor(&cube, level)?.is_ok() {
            level += 1;
        }
        self.frames.block(&cube, level);
        for known in self.blocked[..=level].iter_mut() {
            known.retain(|other| !cube.iter().all(|literal| other.contains(literal)));
        }
        self.blocked[level].push(cube);
        Ok(level)
    }

    /// A smaller cube, if none of its states is known to be reachable within some steps.
    fn attempt(&mut self, cube: &Cube, level: usize) -> Result<Option<Cube>, Interrupted> {
        if self.samples.contain(cube) || self.frames.excludes_initial(cube)?.is_none() {
            return Ok(None);
        }
        match self.frames.predecessor(cube, level - 1)? {
            Ok(needed) => self.sufficient(cube, needed).map(Some),
            Err(_) => Ok(None),
        }
    }

    /// The needed literals of a cube, and more of them so that initial states and samples stay outside.
    fn sufficient(&mut self, cube: &Cube, needed: Cube) -> Result<Cube, Interrupted> {
        let mut literals: Vec<Literal> = needed;
        if self.frames.excludes_initial(&literals)?.is_none() {
            literals.extend(self.frames.excludes_initial(cube)?.unwrap_or_default());
        }
        for &literal in cube {
            if !self.samples.contain(&literals) {
                break;
            }
            literals.push(literal);
        }
        literals.sort_unstable();
        literals.dedup();
        Ok(literals)
    }

    /// Moves what is blocked to higher levels. If all of a level moves, the next frame is an invariant.
    fn propagate(&mut self) -> Result<Option<Vec<Cube>>, Interrupted> {
        for level in 1..self.frames.last() {
            for cube in std::mem::take(&mut self.blocked[level]) {
                if self.frames.predecessor(&cube, level)?.is_ok() {
                    self.frames.block(&cube, level + 1);
                    self.blocked[level + 1].push(cube);
                } else {
                    self.blocked[level].push(cube);
                }
            }
            if self.blocked[level].is_empty() {
                return Ok(Some(self.blocked[level + 1..].concat()));
            }
        }
        Ok(None)
    }
}

fn path(obligations: &[Obligation], from: usize, bad: Bad) -> Path {
    let mut transitions = Vec::new();
    let mut at = from;
    while let Some((transition, next)) = obligations[at].next {
        transitions.push(transition);
        at = next;
    }
    Path { transitions, bad: bad.cube, failing: bad.transition }
}
