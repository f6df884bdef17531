//! The search for integers: cuts, case distinctions, and the proof that they leave nothing.
//!
//! The search walks down a tree whose steps are hypotheses added to the simplex: rounded
//! combinations of earlier ones, or one side of a case distinction. When a node is closed by a
//! linear combination, the proof is built on the way back. A case distinction whose hypothesis
//! the proof of its first side did not use is dropped, which both skips the other side and keeps
//! proofs small.

use rely_base::{Arena, Id};

use super::effort::{Effort, Halt};
use super::lattice::{self, Lattice};
use super::model::Model;
use super::number::Number;
use super::rounding::{Direction, Fractional};
use super::simplex::Simplex;
use super::tableau::Tableau;
use crate::arith::Integer;
use crate::certificate::{Combination, Hypothesis, Proof, ProofNode, ProofNodeId};
use crate::linear::{Constraint, Domain, LinearForm, Relation};

/// How a search ended.
#[derive(Debug)]
pub(super) enum Found {
    Model(Model),
    /// The proof may be missing if nobody wants it.
    Refuted(Option<Proof>),
}

/// A hypothesis that the search added.
#[derive(Debug)]
enum Step {
    Cut(Combination),
    Split { form: LinearForm, at_most_first: bool },
    Distinct(Hypothesis),
}

/// A step on the path, with what is needed to come back to it.
#[derive(Debug)]
struct Frame {
    step: Step,
    /// The number of its hypothesis.
    hypothesis: usize,
    /// Proof nodes made before this step (or before its second side) was taken.
    nodes: usize,
    /// The proof of the first side of a case distinction.
    first: Option<ProofNodeId>,
}

/// What to do at a point of the rational relaxation.
enum Decision {
    Done(Model),
    Close(ProofNode),
    Take(Step),
}

/// A search below the inputs that are loaded into the simplex.
pub(super) struct Search<'a, 'b, N, T> {
    pub(super) domain: Domain,
    pub(super) simplex: &'a mut Simplex<N, T>,
    pub(super) inputs: &'a [Constraint],
    pub(super) effort: &'a mut Effort<'b>,
    /// Whether a refutation without cuts and splits is written down.
    pub(super) proofs: bool,
    added: Vec<Constraint>,
    frames: Vec<Frame>,
    nodes: Vec<ProofNode>,
    /// Forms that are integers at exactly the integer solutions of the equalities, once somebody
    /// has looked.
    coordinates: Option<Vec<LinearForm>>,
}

/// Coefficients of cuts may not grow beyond this.
const CUT_COEFFICIENT_LIMIT: i64 = 1 << 24;

impl<'a, 'b, N: Number, T: Tableau<N>> Search<'a, 'b, N, T> {
    pub(super) fn new(
        domain: Domain,
        simplex: &'a mut Simplex<N, T>,
        inputs: &'a [Constraint],
        effort: &'a mut Effort<'b>,
        proofs: bool,
    ) -> Self {
        Self {
            domain,
            simplex,
            inputs,
            effort,
            proofs,
            added: Vec::new(),
            frames: Vec::new(),
            nodes: Vec::new(),
            coordinates: None,
        }
    }

    /// Runs to the end; afterwards only the inputs are in force, unless it halts.
    pub(super) fn run(mut self) -> Result<Found, Halt> {
        loop {
            let closed = match self.simplex.make_feasible(self.effort)? {
                Some(_) if !self.proofs && self.frames.is_empty() => return Ok(Found::Refuted(None)),
                Some(stuck) => Some(ProofNode::Farkas(self.simplex.explain(stuck))),
                None => match self.decide()? {
                    Decision::Done(model) => {
                        self.simplex.retract(self.inputs.len())?;
                        return Ok(Found::Model(model));
                    }
                    Decision::Close(leaf) => Some(leaf),
                    Decision::Take(step) => self.take(step)?,
                },
            };
            if let Some(leaf) = closed
                && let Some(root) = self.close(leaf)?
            {
                return Ok(Found::Refuted(Some(finished_proof(self.nodes, root))));
            }
        }
    }

    fn constraint(&self, hypothesis: Hypothesis) -> &Constraint {
        let index = hypothesis.index();
        self.inputs.get(index).unwrap_or_else(|| &self.added[index - self.inputs.len()])
    }

    /// Adds the hypothesis of a step; a contradiction on the spot is answered as a leaf.
    fn take(&mut self, step: Step) -> Result<Option<ProofNode>, Halt> {
        let constraint = match &step {
            Step::Cut(combination) => Constraint::new(self.sum(combination), Relation::Le),
            Step::Split { .. } | Step::Distinct(_) => {
                self.effort.split()?;
                self.side(&step, true)
            }
        };
        let hypothesis = self.simplex.hypotheses();
        self.frames.push(Frame { step, hypothesis, nodes: self.nodes.len(), first: None });
        self.assert(constraint)
    }

    fn assert(&mut self, constraint: Constraint) -> Result<Option<ProofNode>, Halt> {
        let conflict = self.simplex.assert(&constraint)?;
        self.added.push(constraint);
        Ok(conflict.map(ProofNode::Farkas))
    }

    /// The hypothesis of the first or second side of a case distinction.
    fn side(&self, step: &Step, first: bool) -> Constraint {
        match step {
            Step::Split { form, at_most_first } => {
                let case = Constraint::over(self.domain, form.clone(), Relation::Le);
                if *at_most_first == first { case } else { case.negated_over(self.domain) }
            }
            Step::Distinct(hypothesis) => {
                let form = self.constraint(*hypothesis).form();
                let form = if first { form.clone() } else { form.negated() };
                Constraint::over(self.domain, form, Relation::Lt)
            }
            Step::Cut(combination) => Constraint::new(self.sum(combination), Relation::Le),
        }
    }

    fn sum(&self, combination: &Combination) -> LinearForm {
        combination.iter().fold(LinearForm::default(), |sum, (hypothesis, weight)| {
            sum.add_scaled(weight, self.constraint(*hypothesis).form())
        })
    }

    /// Closes the present node with a leaf and goes back to the next open side, if there is one;
    /// else the answer is the root of the proof.
    fn close(&mut self, leaf: ProofNode) -> Result<Option<ProofNodeId>, Halt> {
        let mut proof = self.push(leaf);
        while let Some(mut frame) = self.frames.pop() {
            self.simplex.retract(frame.hypothesis)?;
            self.added.truncate(frame.hypothesis - self.inputs.len());
            if !uses(&self.nodes[frame.nodes..], frame.hypothesis) {
                drop_hypothesis(&mut self.nodes[frame.nodes..], frame.hypothesis);
                continue;
            }
            proof = match (frame.step, frame.first) {
                (Step::Cut(combination), _) => self.push(ProofNode::Cut { combination, rest: proof }),
                (step, None) => {
                    let constraint = self.side(&step, false);
                    frame.first = Some(proof);
                    frame.nodes = self.nodes.len();
                    self.frames.push(Frame { step, ..frame });
                    match self.assert(constraint)? {
                        Some(leaf) => self.push(leaf),
                        None => return Ok(None),
                    }
                }
                (Step::Split { form, at_most_first }, Some(first)) => {
                    let (at_most, above) = if at_most_first { (first, proof) } else { (proof, first) };
                    self.push(ProofNode::Split { form, at_most, above })
                }
                (Step::Distinct(hypothesis), Some(below)) => {
                    self.push(ProofNode::Distinct { hypothesis, below, above: proof })
                }
            };
        }
        Ok(Some(proof))
    }

    fn push(&mut self, node: ProofNode) -> ProofNodeId {
        self.nodes.push(node);
        ProofNodeId::from_index(self.nodes.len() - 1)
    }

    /// What to do at a point that satisfies all bounds.
    fn decide(&mut self) -> Result<Decision, Halt> {
        if self.domain == Domain::Integers {
            let fractional = self.simplex.fractional().next();
            if let Some(fractional) = fractional {
                return self.round(fractional);
            }
        }
        let model = self.model();
        let violated =
            |constraint: &Constraint| constraint.relation() == Relation::Ne && !model.satisfies(constraint);
        match self.inputs.iter().position(violated) {
            Some(index) => Ok(Decision::Take(Step::Distinct(Hypothesis(index as u32)))),
            None => Ok(Decision::Done(model)),
        }
    }

    /// What to do about values that are no integers.
    fn round(&mut self, fractional: Fractional) -> Result<Decision, Halt> {
        if let Some(leaf) = self.solve_equalities() {
            return Ok(Decision::Close(leaf));
        }
        let path_cuts = self.frames.iter().filter(|frame| matches!(frame.step, Step::Cut(_))).count();
        if path_cuts < self.effort.limits().path_cuts
            && let Some(cut) = self.gomory_cut()?
            && self.effort.may_cut()
        {
            return Ok(Decision::Take(Step::Cut(cut)));
        }
        if self.effort.splits() % 4 == 3
            && let Some(split) = self.lattice_split()
        {
            return Ok(Decision::Take(split));
        }
        Ok(Decision::Take(self.branch(fractional)))
    }

    /// Finds the coordinates of the equalities' integer solutions, once in a search; if there are
    /// no solutions, the answer is the proof.
    fn solve_equalities(&mut self) -> Option<ProofNode> {
        if self.coordinates.is_some() {
            return None;
        }
        let is_equality = |index: &usize| self.inputs[*index].relation() == Relation::Eq;
        let equalities: Vec<usize> = (0..self.inputs.len()).filter(is_equality).collect();
        let forms: Vec<&LinearForm> = equalities.iter().map(|&index| self.inputs[index].form()).collect();
        match lattice::solve(&forms) {
            Some(Lattice::Empty(conflict)) => {
                let hypothesis = |index: usize| Hypothesis(equalities[index] as u32);
                let weights = conflict.weights.into_iter().map(|(index, weight)| (hypothesis(index), weight));
                Some(ProofNode::Divisibility(weights.collect()))
            }
            Some(Lattice::Coordinates(coordinates)) => {
                self.coordinates = Some(coordinates);
                None
            }
            None => {
                self.coordinates = Some(Vec::new());
                None
            }
        }
    }

    /// The first cut with reasonable coefficients.
    fn gomory_cut(&self) -> Result<Option<Combination>, Halt> {
        let limit = Integer::from(CUT_COEFFICIENT_LIMIT);
        for fractional in self.simplex.fractional() {
            for direction in [Direction::Up, Direction::Down] {
                let Some(combination) = self.simplex.cut(fractional.row, direction)? else { continue };
                let conclusion = Constraint::new(self.sum(&combination), Relation::Le);
                if conclusion.form().terms().iter().all(|(_, c)| c.abs() <= limit) {
                    return Ok(Some(combination));
                }
            }
        }
        Ok(None)
    }

    /// A case distinction on a form that is an integer but has a fractional value at the vertex
    /// because of the divisibility of the tight constraints: I. Dillig, T. Dillig and A. Aiken,
    /// *Cuts from proofs*, CAV 2009.
    fn lattice_split(&self) -> Option<Step> {
        let tight = self.simplex.tight();
        let forms: Vec<&LinearForm> = tight.iter().map(|&h| self.constraint(h).form()).collect();
        let Some(Lattice::Empty(conflict)) = lattice::solve(&forms) else { return None };
        let half = conflict.divisor.div_floor(&Integer::from(2))?;
        let mut sum = LinearForm::default();
        for (index, weight) in &conflict.weights {
            // Weights matter only modulo the divisor; small ones give small coefficients.
            let (_, mut weight) = weight.div_rem_euclid(&conflict.divisor)?;
            if weight > half {
                weight -= &conflict.divisor;
            }
            sum = sum.add_scaled(&weight, forms[*index]);
        }
        let constant = sum.constant_term().div_ceil(&conflict.divisor)?;
        let form = sum.div_terms_exact(&conflict.divisor)?.with_constant(constant);
        (!form.is_constant()).then_some(Step::Split { form, at_most_first: true })
    }

    /// A case distinction on a value that is no integer: at most the value rounded down, or more.
    /// A coordinate of the equalities' solutions is better than a variable, because the variable
    /// may be such that no single step of it leads from one solution to another.
    fn branch(&self, fractional: Fractional) -> Step {
        if let Some(coordinates) = self.coordinates.as_deref().filter(|forms| !forms.is_empty()) {
            let point = self.simplex.rational_point();
            for form in coordinates {
                let value = point.scaled_value(form);
                let (floor, rest) = value.div_rem_euclid(point.denominator()).unwrap_or_default();
                if !rest.is_zero() {
                    let at_most_first = &rest + &rest <= *point.denominator();
                    return Step::Split { form: form.clone().with_constant(-floor), at_most_first };
                }
            }
        }
        let (floor, at_most_first) = self.simplex.floor(fractional);
        let form = LinearForm::variable(fractional.variable).with_constant(-floor);
        Step::Split { form, at_most_first }
    }

    /// The present point, with a positive number small enough for the infinitesimal.
    fn model(&self) -> Model {
        if self.domain == Domain::Integers {
            return Model::of_integers(self.simplex.assignment().map(|at| (at.variable, at.integer())));
        }
        self.simplex.rational_point()
    }
}

/// Whether some node of a subtree uses a hypothesis.
fn uses(nodes: &[ProofNode], hypothesis: usize) -> bool {
    let mut found = false;
    for node in nodes {
        node.for_each_hypothesis(|used| found |= used.index() == hypothesis);
    }
    found
}

/// Renumbers the hypotheses of a subtree that does not use one of them.
fn drop_hypothesis(nodes: &mut [ProofNode], unused: usize) {
    for node in nodes {
        node.for_each_hypothesis_mut(|hypothesis| {
            if hypothesis.index() > unused {
                hypothesis.0 -= 1;
            }
        });
    }
}

/// The proof with the nodes that are reachable from the root. Sides of case distinctions that
/// turned out superfluous are left behind.
fn finished_proof(nodes: Vec<ProofNode>, root: ProofNodeId) -> Proof {
    let mut reached = vec![false; nodes.len()];
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        reached[node.index()] = true;
        match nodes[node.index()] {
            ProofNode::Farkas(_) | ProofNode::Divisibility(_) => {}
            ProofNode::Cut { rest, .. } => stack.push(rest),
            ProofNode::Split { at_most: one, above: other, .. }
            | ProofNode::Distinct { below: one, above: other, .. } => stack.extend([one, other]),
        }
    }
    let mut numbers = vec![root; nodes.len()];
    let mut kept: Arena<ProofNodeId, ProofNode> = Arena::new();
    // Children were made before their parents.
    for (index, mut node) in nodes.into_iter().enumerate().filter(|(index, _)| reached[*index]) {
        match &mut node {
            ProofNode::Farkas(_) | ProofNode::Divisibility(_) => {}
            ProofNode::Cut { rest, .. } => *rest = numbers[rest.index()],
            ProofNode::Split { at_most: one, above: other, .. }
            | ProofNode::Distinct { below: one, above: other, .. } => {
                *one = numbers[one.index()];
                *other = numbers[other.index()];
            }
        }
        numbers[index] = kept.push(node);
    }
    let root = numbers[root.index()];
    Proof::new(kept, root)
}
