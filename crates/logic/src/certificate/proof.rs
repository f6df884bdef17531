//! The proof tree.

use rely_base::{Arena, define_id};

use crate::arith::Integer;
use crate::linear::LinearForm;

define_id!(
    /// A node of a [`Proof`].
    pub struct ProofNodeId
);

/// The number of a hypothesis: an input, or one that a cut or split above has added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hypothesis(pub u32);

impl Hypothesis {
    /// The position in the list of hypotheses.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A sum of scaled hypotheses. The weight of an inequality is positive, the weight of an equality
/// any number but zero; disequalities cannot be added. What is derived is `sum <= 0`, or `< 0` if
/// a strict inequality takes part, or `= 0` if all of them are equalities.
pub type Combination = Vec<(Hypothesis, Integer)>;

/// One step of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProofNode {
    /// The variables cancel out and what remains is false: `1 <= 0`, say, or `0 < 0`.
    Farkas(Combination),
    /// A combination of equalities whose coefficients have a common divisor that does not divide
    /// the constant, such as `2x + 4y + 1 = 0`. Integers only.
    Divisibility(Combination),
    /// The combination is divided by the common divisor of its coefficients and its constant
    /// rounded up: the new hypothesis is `Constraint::new(sum, Le)`. Integers only.
    Cut {
        /// What is derived before rounding.
        combination: Combination,
        /// The proof from the old hypotheses and the new one.
        rest: ProofNodeId,
    },
    /// `form <= 0` or its negation (`form >= 1` over the integers, `form > 0` over the rationals).
    Split {
        /// What the case distinction is about.
        form: LinearForm,
        /// The proof from `form <= 0`.
        at_most: ProofNodeId,
        /// The proof from the negation.
        above: ProofNodeId,
    },
    /// The hypothesis is `form != 0`, so `form < 0` or `form > 0` (`form + 1 <= 0` or
    /// `-form + 1 <= 0` over the integers).
    Distinct {
        /// The disequality.
        hypothesis: Hypothesis,
        /// The proof from `form < 0`.
        below: ProofNodeId,
        /// The proof from `form > 0`.
        above: ProofNodeId,
    },
}

impl ProofNode {
    /// Calls `visit` with every hypothesis that the step itself refers to.
    pub fn for_each_hypothesis(&self, mut visit: impl FnMut(Hypothesis)) {
        match self {
            ProofNode::Farkas(combination)
            | ProofNode::Divisibility(combination)
            | ProofNode::Cut { combination, .. } => {
                combination.iter().for_each(|(hypothesis, _)| visit(*hypothesis));
            }
            ProofNode::Distinct { hypothesis, .. } => visit(*hypothesis),
            ProofNode::Split { .. } => {}
        }
    }

    /// Like [`for_each_hypothesis`](Self::for_each_hypothesis), to renumber them.
    pub fn for_each_hypothesis_mut(&mut self, mut visit: impl FnMut(&mut Hypothesis)) {
        match self {
            ProofNode::Farkas(combination)
            | ProofNode::Divisibility(combination)
            | ProofNode::Cut { combination, .. } => {
                combination.iter_mut().for_each(|(hypothesis, _)| visit(hypothesis));
            }
            ProofNode::Distinct { hypothesis, .. } => visit(hypothesis),
            ProofNode::Split { .. } => {}
        }
    }
}

/// A refutation of a set of constraints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    nodes: Arena<ProofNodeId, ProofNode>,
    root: ProofNodeId,
}

impl Proof {
    /// The tree with these nodes and this root.
    pub fn new(nodes: Arena<ProofNodeId, ProofNode>, root: ProofNodeId) -> Self {
        Self { nodes, root }
    }

    /// The proof that is one linear combination.
    pub fn farkas(combination: Combination) -> Self {
        let mut nodes = Arena::new();
        let root = nodes.push(ProofNode::Farkas(combination));
        Self { nodes, root }
    }

    /// The node to start from.
    pub fn root(&self) -> ProofNodeId {
        self.root
    }

    /// All nodes.
    pub fn nodes(&self) -> &Arena<ProofNodeId, ProofNode> {
        &self.nodes
    }

    /// The weights, if the proof is a single linear combination.
    pub fn as_farkas(&self) -> Option<&Combination> {
        match self.nodes.get(self.root) {
            Some(ProofNode::Farkas(combination)) => Some(combination),
            _ => None,
        }
    }

    /// The same proof for another number of inputs: the hypotheses that cuts and splits add are
    /// numbered after them. Inputs that the proof uses keep their numbers and must stay.
    pub fn move_inputs(&mut self, from: usize, to: usize) {
        let renumber = |hypothesis: &mut Hypothesis| {
            if hypothesis.index() >= from {
                hypothesis.0 = (hypothesis.index() - from + to) as u32;
            }
        };
        for (_, node) in self.nodes.iter_mut() {
            node.for_each_hypothesis_mut(renumber);
        }
    }

    /// The inputs that the proof uses, ascending, out of `input_count` ones.
    pub fn core(&self, input_count: usize) -> Vec<usize> {
        let mut used = Vec::new();
        for node in self.nodes.values() {
            node.for_each_hypothesis(|hypothesis| used.push(hypothesis.index()));
        }
        used.retain(|&index| index < input_count);
        used.sort_unstable();
        used.dedup();
        used
    }
}
