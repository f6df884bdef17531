//! Obligations: what is known, and what must follow.
//!
//! Where instances stand is kept apart from formulas as long as possible, since most of it is
//! decided by comparing sets. [`Sequent::question`] leaves what only a solver can decide.

use super::defect::Subject;
use super::encode::Encoder;
use super::outline::Outline;
use super::spots::SpotSet;
use rely_logic::{Node, TermId, TermPool};
use rely_program::ThreadId;
use rustc_hash::{FxHashMap, FxHashSet};

/// From the hypotheses, one of the cubes of the goal must follow.
#[derive(Clone, Debug)]
pub(super) struct Sequent {
    pub(super) subject: Subject,
    pub(super) hypotheses: Vec<TermId>,
    /// Where instances stand; several entries for one of them hold together.
    pub(super) places: Vec<(ThreadId, SpotSet)>,
    pub(super) goal: Vec<GoalCube>,
}

/// A conjunction that may have to be shown.
#[derive(Clone, Debug, Default)]
pub(super) struct GoalCube {
    pub(super) terms: Vec<TermId>,
    pub(super) places: Vec<(ThreadId, SpotSet)>,
}

/// What is left of a sequent after looking at it.
#[derive(Debug)]
pub(super) enum Question {
    /// It is obvious.
    Settled,
    /// The hypotheses must entail one of the conjunctions.
    Open(OpenQuestion),
}

/// Formulas of which one conjunction of the goal must follow.
#[derive(Debug)]
pub(super) struct OpenQuestion {
    pub(super) hypotheses: Vec<TermId>,
    pub(super) goal: Vec<Vec<TermId>>,
}

impl Sequent {
    pub(super) fn new(subject: Subject) -> Self {
        Self { subject, hypotheses: Vec::new(), places: Vec::new(), goal: Vec::new() }
    }

    /// Decides what needs no solver.
    pub(super) fn question(self, encoder: &mut Encoder<'_>, outline: &Outline<'_>) -> Question {
        let mut places: FxHashMap<ThreadId, SpotSet> = FxHashMap::default();
        for (thread, set) in self.places {
            places.entry(thread).or_insert_with(|| outline.numbers.listed(thread)).intersect(&set);
        }
        if places.values().any(SpotSet::is_empty) {
            return Question::Settled;
        }
        let mut hypotheses = Vec::with_capacity(self.hypotheses.len());
        let mut known: FxHashSet<TermId> = FxHashSet::default();
        for hypothesis in self.hypotheses {
            add_conjuncts(&encoder.pool, hypothesis, &mut known, &mut hypotheses);
        }
        if hypotheses.iter().any(|&term| encoder.pool.as_truth(term) == Some(false)) {
            return Question::Settled;
        }
        let mut goal = Vec::with_capacity(self.goal.len());
        for cube in self.goal {
            match remaining(encoder, outline, cube, &known, &places) {
                Some(rest) if rest.is_empty() => return Question::Settled,
                Some(rest) => goal.push(rest),
                None => {}
            }
        }
        add_facts(encoder, outline, &mut hypotheses, &goal, &places);
        Question::Open(OpenQuestion { hypotheses, goal })
    }
}

impl OpenQuestion {
    /// The formulas that must not be satisfiable together.
    pub(super) fn formulas(&self, pool: &mut TermPool) -> Vec<TermId> {
        let mut formulas = self.hypotheses.clone();
        for cube in &self.goal {
            formulas.push(negated_conjunction(pool, cube));
        }
        formulas
    }
}

/// The negation of a conjunction.
pub(super) fn negated_conjunction(pool: &mut TermPool, terms: &[TermId]) -> TermId {
    let conjunction = pool.and(terms.iter().copied());
    pool.not(conjunction)
}

fn add_conjuncts(pool: &TermPool, term: TermId, known: &mut FxHashSet<TermId>, list: &mut Vec<TermId>) {
    let parts = match pool.node(term) {
        Node::And(parts) => parts.to_vec(),
        _ => vec![term],
    };
    for part in parts {
        if pool.as_truth(part) != Some(true) && known.insert(part) {
            list.push(part);
        }
    }
}

/// What remains to be shown of a cube; `None` if it is obviously wrong.
fn remaining(
    encoder: &mut Encoder<'_>,
    outline: &Outline<'_>,
    cube: GoalCube,
    known: &FxHashSet<TermId>,
    places: &FxHashMap<ThreadId, SpotSet>,
) -> Option<Vec<TermId>> {
    let mut rest = Vec::new();
    for term in cube.terms {
        match encoder.pool.as_truth(term) {
            Some(false) => return None,
            Some(true) => {}
            None if known.contains(&term) => {}
            None => {
                let negation = encoder.pool.not(term);
                if known.contains(&negation) {
                    return None;
                }
                rest.push(term);
            }
        }
    }
    for (thread, set) in cube.places {
        let possible = places.get(&thread).cloned().unwrap_or_else(|| outline.numbers.listed(thread));
        if possible.is_disjoint(&set) {
            return None;
        }
        if !possible.is_subset(&set) {
            let literal = encoder.stands_in(thread, &set);
            if !known.contains(&literal) {
                rest.push(literal);
            }
        }
    }
    Some(rest)
}

/// Adds what is known about the variables that occur.
fn add_facts(
    encoder: &mut Encoder<'_>,
    outline: &Outline<'_>,
    hypotheses: &mut Vec<TermId>,
    goal: &[Vec<TermId>],
    places: &FxHashMap<ThreadId, SpotSet>,
) {
    let mut all: Vec<TermId> = hypotheses.clone();
    all.extend(goal.iter().flatten());
    let facts = encoder.facts(&all);
    hypotheses.extend(facts.formulas);
    for thread in facts.places {
        let possible = places.get(&thread).cloned().unwrap_or_else(|| outline.numbers.listed(thread));
        let fact = encoder.stands_in(thread, &possible);
        hypotheses.push(fact);
    }
}
