//! Obligations: what is known, and what must follow.
//!
//! Where instances stand is kept apart from formulas as long as possible, since most of it is
//! decided by comparing sets. [`Sequent::question`] leaves what only a solver can decide.

use super::encode::Encoder;
use super::outline::Outline;
use super::points::PointSet;
use crate::data::Subject;
use rely_logic::{Node, TermId, TermPool};
use rely_program::ThreadId;
use std::rc::Rc;

/// From the hypotheses, one of the cubes of the goal must follow.
#[derive(Clone, Debug)]
pub(crate) struct Sequent {
    pub(crate) subject: Subject,
    pub(crate) hypotheses: Vec<TermId>,
    /// What is also known, and seldom needed.
    pub(crate) more: Rc<[TermId]>,
    /// Where instances stand; several entries for one of them hold together.
    pub(crate) places: Vec<(ThreadId, PointSet)>,
    pub(crate) goal: Rc<[GoalCube]>,
}

/// A conjunction that may have to be shown. Many sequents have the same goal, so what can be
/// found out about it alone is found out once.
#[derive(Clone, Debug)]
pub(crate) struct GoalCube {
    /// Formulas that are not obviously true, each with its negation.
    terms: Vec<(TermId, TermId)>,
    places: Vec<(ThreadId, PointSet)>,
}

impl GoalCube {
    /// The conjunction of some formulas while instances stand at some places; `None` if it is
    /// obviously false.
    pub(crate) fn new(
        encoder: &mut Encoder<'_>,
        terms: impl IntoIterator<Item = TermId>,
        places: Vec<(ThreadId, PointSet)>,
    ) -> Option<Self> {
        let mut undecided = Vec::new();
        for term in terms {
            match encoder.pool.as_truth(term) {
                Some(true) => {}
                Some(false) => return None,
                None => undecided.push((term, encoder.negation(term))),
            }
        }
        Some(Self { terms: undecided, places })
    }

    /// Whether some instances have to be shown to stand somewhere.
    pub(crate) fn has_places(&self) -> bool {
        !self.places.is_empty()
    }

    /// The goal of showing one formula.
    pub(crate) fn only(encoder: &mut Encoder<'_>, term: TermId) -> Rc<[GoalCube]> {
        Self::new(encoder, [term], Vec::new()).into_iter().collect()
    }
}

/// What is left of a sequent after looking at it.
#[derive(Debug)]
pub(crate) enum Question {
    /// It is obvious.
    Settled,
    /// The hypotheses must entail one of the conjunctions.
    Open(OpenQuestion),
}

/// Formulas of which one conjunction of the goal must follow.
#[derive(Debug)]
pub(crate) struct OpenQuestion {
    pub(crate) hypotheses: Vec<TermId>,
    pub(crate) goal: Vec<Vec<TermId>>,
}

/// What is known: formulas, and where instances stand.
struct Known<'k> {
    outline: &'k Outline<'k>,
    formulas: Vec<TermId>,
    places: Vec<(ThreadId, PointSet)>,
}

impl Sequent {
    pub(crate) fn new(subject: Subject) -> Self {
        Self { subject, hypotheses: Vec::new(), more: Rc::default(), places: Vec::new(), goal: Rc::default() }
    }

    /// The same with everything that is known among its hypotheses.
    pub(crate) fn with_more(mut self) -> Self {
        self.hypotheses.extend(std::mem::take(&mut self.more).iter());
        self
    }

    /// Decides what needs no solver, without what is seldom needed.
    pub(crate) fn question(self, encoder: &mut Encoder<'_>, outline: &Outline<'_>) -> Question {
        let mut known =
            Known { outline, formulas: Vec::with_capacity(self.hypotheses.len()), places: Vec::new() };
        for (thread, set) in &self.places {
            if !known.narrow(*thread, set) {
                return Question::Settled;
            }
        }
        for hypothesis in self.hypotheses {
            known.assume(&encoder.pool, hypothesis);
        }
        if known.formulas.iter().any(|&term| encoder.pool.as_truth(term) == Some(false)) {
            return Question::Settled;
        }
        let mut goal = Vec::new();
        for cube in self.goal.iter().filter(|cube| known.allows(cube)) {
            let rest = known.remaining(encoder, cube);
            if rest.is_empty() {
                return Question::Settled;
            }
            goal.push(rest);
        }
        known.add_facts(encoder, &goal);
        Question::Open(OpenQuestion { hypotheses: known.formulas, goal })
    }
}

impl OpenQuestion {
    /// The formulas that must not be satisfiable together.
    pub(crate) fn formulas(&self, pool: &mut TermPool) -> Vec<TermId> {
        let mut formulas = self.hypotheses.clone();
        for cube in &self.goal {
            formulas.push(negated_conjunction(pool, cube));
        }
        formulas
    }
}

/// The negation of a conjunction.
pub(crate) fn negated_conjunction(pool: &mut TermPool, terms: &[TermId]) -> TermId {
    let conjunction = pool.and(terms.iter().copied());
    pool.not(conjunction)
}

impl Known<'_> {
    /// Where an instance can be.
    fn possible(&self, thread: ThreadId) -> &PointSet {
        let known = self.places.iter().find(|(other, _)| *other == thread);
        known.map_or_else(|| self.outline.numbers.listed(thread), |(_, set)| set)
    }

    /// An instance stands at one of these places; whether there is one left for it.
    fn narrow(&mut self, thread: ThreadId, set: &PointSet) -> bool {
        let entry = match self.places.iter().position(|(other, _)| *other == thread) {
            Some(position) => position,
            None => {
                self.places.push((thread, self.outline.numbers.listed(thread).clone()));
                self.places.len() - 1
            }
        };
        let possible = &mut self.places[entry].1;
        possible.intersect(set);
        !possible.is_empty()
    }

    /// A formula holds.
    fn assume(&mut self, pool: &TermPool, formula: TermId) {
        let only = [formula];
        let parts = match pool.node(formula) {
            Node::And(parts) => &**parts,
            _ => &only,
        };
        for &part in parts {
            if pool.as_truth(part) != Some(true) && !self.formulas.contains(&part) {
                self.formulas.push(part);
            }
        }
    }

    /// Whether a cube is not obviously wrong.
    fn allows(&self, cube: &GoalCube) -> bool {
        cube.places.iter().all(|(thread, set)| !self.possible(*thread).is_disjoint(set))
            && !cube.terms.iter().any(|(_, negation)| self.formulas.contains(negation))
    }

    /// What remains to be shown of a cube.
    fn remaining(&self, encoder: &mut Encoder<'_>, cube: &GoalCube) -> Vec<TermId> {
        let terms = cube.terms.iter().map(|(term, _)| *term);
        let mut rest: Vec<TermId> = terms.filter(|term| !self.formulas.contains(term)).collect();
        for (thread, set) in &cube.places {
            if !self.possible(*thread).is_subset(set) {
                let literal = encoder.stands_in(*thread, set);
                if !self.formulas.contains(&literal) {
                    rest.push(literal);
                }
            }
        }
        rest
    }

    /// Adds what is known about the variables that occur.
    fn add_facts(&mut self, encoder: &mut Encoder<'_>, goal: &[Vec<TermId>]) {
        let mut all: Vec<TermId> = self.formulas.clone();
        all.extend(goal.iter().flatten());
        let facts = encoder.facts(&all);
        self.formulas.extend(facts.formulas);
        for thread in facts.places {
            let fact = encoder.stands_in(thread, self.possible(thread));
            self.formulas.push(fact);
        }
    }
}
