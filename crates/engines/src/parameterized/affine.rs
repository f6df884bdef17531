//! Counting invariants: linear equations between shared variables and numbers of threads.
//!
//! `count == #proc.entry + #proc.lc1` is what the paper finds by a thread-modular analysis on polyhedra. Equations
//! are the part of it that matters most, and they need no polyhedra: for each control state of the instances we
//! compute the smallest affine space that contains all reachable states (Karr, *Affine relationships among variables
//! of a program*, 1976). Counters of threads are variables like others. Nothing is widened: a space can grow only as
//! often as it has dimensions.
//!
//! Control states are told apart, and of many threads that are known by name there are too many. Then [`sums`] are left:
//! what holds initially and is kept by every step, wherever threads are, because steps add constants.

use super::machine::{End, Machine, Transition};
use super::space::{
    Space, Vector, inverted, padded, plus, product, recovered, residue, subtract, times, unit,
};
use rely_base::{Budget, Id, StopReason};
use rely_logic::{Constraint, Integer, LinearForm, Relation, VarId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// An equation, and the control states in which it need not hold.
#[derive(Clone, Debug)]
pub(super) struct Equation {
    pub(super) constraint: Constraint,
    /// For each of them, the counters of the control points where instances are.
    pub(super) except: Vec<Vec<VarId>>,
}

/// All equations; none if there are more control states than `most`.
pub(super) fn equations(
    machine: &Machine<'_, '_>,
    most: usize,
    budget: &Budget,
) -> Result<Vec<Equation>, StopReason> {
    let mut analysis = Analysis::new(machine, true);
    analysis.begin();
    while let Some(node) = analysis.pending.pop() {
        budget.check_now()?;
        for transition in machine.transitions.values().filter(|transition| transition.end == End::Moves) {
            analysis.follow(&node, transition);
        }
        if analysis.spaces.len() > most {
            return Ok(Vec::new());
        }
    }
    Ok(analysis.equations())
}

/// The equations that need not tell apart where instances are: whatever a step adds to variables, it adds it always.
/// `known` is what is known to hold before the steps of a thread at a control point.
pub(super) fn sums<'k>(
    machine: &Machine<'_, '_>,
    known: impl Fn(&Transition) -> &'k [Constraint],
) -> Vec<Equation> {
    let mut analysis = Analysis::new(machine, false);
    analysis.begin();
    let size = 1 + analysis.dimension.len();
    let mut space = analysis.spaces.remove(&Node::new()).unwrap_or_default();
    for transition in machine.transitions.values().filter(|transition| transition.end == End::Moves) {
        let mut change = vec![0; size];
        for (variable, value) in &transition.updates {
            let Some(&position) = analysis.dimension.get(variable) else { continue };
            match added(*variable, value, transition.guard.iter().chain(known(transition))) {
                Some(constant) => change[position] = residue(&constant),
                // It can have any value.
                None => {
                    space.insert(unit(position, size));
                }
            }
        }
        space.insert(change);
    }
    analysis.spaces.insert(Node::new(), space);
    let says_something = |equation: &Equation| !machine.is_fact(&equation.constraint);
    analysis.equations().into_iter().filter(says_something).collect()
}

/// What a step adds to a variable; `None` if that is not always the same. Who knows that `i` is 0 and sets it to 1 adds
/// one.
fn added<'c>(
    variable: VarId,
    value: &LinearForm,
    known: impl Iterator<Item = &'c Constraint>,
) -> Option<Integer> {
    let difference = value.minus(&LinearForm::variable(variable));
    let equations = known.filter(|test| test.relation() == Relation::Eq);
    let zeros = equations.flat_map(|test| [test.form().clone(), test.form().negated()]);
    let mut equal = std::iter::once(difference.clone()).chain(zeros.map(|zero| difference.plus(&zero)));
    equal.find(LinearForm::is_constant).map(|constant| constant.constant_term().clone())
}

/// For each instance, the counter of the control point where it is.
type Node = Vec<VarId>;

struct Analysis<'m, 's, 'p> {
    machine: &'m Machine<'s, 'p>,
    /// The position of each variable in vectors; position 0 is the constant 1.
    dimension: FxHashMap<VarId, usize>,
    spaces: BTreeMap<Node, Space>,
    pending: Vec<Node>,
}

impl<'m, 's, 'p> Analysis<'m, 's, 'p> {
    /// `divided` if it is told apart where instances are.
    fn new(machine: &'m Machine<'s, 'p>, divided: bool) -> Self {
        let instances = machine.system.threads.iter().zip(&machine.counters);
        let instances =
            instances.filter(|(thread, _)| divided && !thread.is_template).flat_map(|(_, counters)| counters);
        let places: Vec<VarId> = instances.copied().collect();
        let variables = machine.state.iter().filter(|variable| !places.contains(variable));
        let dimension = variables.enumerate().map(|(index, &variable)| (variable, index + 1)).collect();
        Self { machine, dimension, spaces: BTreeMap::new(), pending: Vec::new() }
    }

    fn begin(&mut self) {
        let threads = self.machine.system.threads.iter().zip(&self.machine.counters);
        let started = threads.filter_map(|(thread, counters)| Some(counters[thread.start?.index()]));
        let node: Node = started.filter(|at| !self.dimension.contains_key(at)).collect();
        for case in &self.machine.initial {
            let Some(space) = self.everything(&[]).within(self, case, &node) else { continue };
            self.grow(node.clone(), &space);
        }
    }

    /// All values of the variables of the state and of some inputs, which come after them.
    fn everything(&self, inputs: &[VarId]) -> Vectors {
        let size = 1 + self.dimension.len() + inputs.len();
        let rows = (0..size).map(|index| unit(index, size)).collect();
        Vectors { rows, inputs: inputs.to_vec(), size }
    }

    fn grow(&mut self, node: Node, vectors: &[Vector]) {
        let space = self.spaces.entry(node.clone()).or_default();
        let mut has_grown = false;
        for vector in vectors {
            has_grown |= space.insert(vector.clone());
        }
        if has_grown && !self.pending.contains(&node) {
            self.pending.push(node);
        }
    }

    fn follow(&mut self, node: &Node, transition: &Transition) {
        let Some(next) = self.moved(node, transition) else { return };
        let inputs = self.inputs(transition);
        let size = 1 + self.dimension.len() + inputs.len();
        let mut rows: Vec<Vector> = self.spaces[node].rows.iter().map(|row| padded(row, size)).collect();
        rows.extend((0..inputs.len()).map(|index| unit(1 + self.dimension.len() + index, size)));
        let vectors = Vectors { rows, inputs, size };
        let Some(rows) = vectors.clone().within(self, &transition.guard, node) else { return };
        let image: Vec<Vector> = rows.iter().map(|row| self.image(row, transition, &vectors, node)).collect();
        self.grow(next, &image);
    }

    /// Where instances are after a transition; `None` if it cannot be made where they are.
    fn moved(&self, node: &Node, transition: &Transition) -> Option<Node> {
        let is_place =
            |variable: VarId| !self.dimension.contains_key(&variable) && self.machine.is_state(variable);
        for constraint in &transition.guard {
            if constraint.form().variables().all(is_place)
                && !constraint.holds(|variable| i64::from(node.contains(&variable)).into())
            {
                return None;
            }
        }
        let mut next = node.clone();
        for (left, _) in transition.updates.iter().filter(|(at, _)| node.contains(at)) {
            let thread = self.machine.counters.iter().position(|counters| counters.contains(left))?;
            let arrives = |at: &VarId| *at != *left && self.machine.counters[thread].contains(at);
            let arrived = transition.updates.iter().map(|(at, _)| *at).find(arrives)?;
            next.iter_mut().filter(|at| *at == left).for_each(|at| *at = arrived);
        }
        Some(next)
    }

    fn inputs(&self, transition: &Transition) -> Vec<VarId> {
        let guard = transition.guard.iter().map(Constraint::form);
        let forms = guard.chain(transition.updates.iter().map(|(_, value)| value));
        let mut inputs: Vec<VarId> = forms.flat_map(LinearForm::variables).collect();
        inputs.retain(|&variable| !self.machine.is_state(variable));
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }

    fn image(&self, row: &Vector, transition: &Transition, vectors: &Vectors, node: &Node) -> Vector {
        let mut image = row[..1 + self.dimension.len()].to_vec();
        for (variable, value) in &transition.updates {
            if let Some(&position) = self.dimension.get(variable) {
                image[position] = product(&vectors.covector(self, value, node), row);
            }
        }
        image
    }

    fn equations(&self) -> Vec<Equation> {
        let mut names = vec![None; 1 + self.dimension.len()];
        self.dimension.iter().for_each(|(variable, &position)| names[position] = Some(*variable));
        let mut equations: Vec<Equation> = Vec::new();
        let mut known: Vec<Vector> = Vec::new();
        for space in self.spaces.values() {
            for equation in space.annihilators(1 + self.dimension.len()) {
                if known.contains(&equation) {
                    continue;
                }
                if let Some(form) = recovered(&equation, &names) {
                    let holds = |space: &Space| space.rows.iter().all(|row| product(&equation, row) == 0);
                    let except = self.spaces.iter().filter(|(_, space)| !holds(space));
                    let except = except.map(|(node, _)| node.clone()).collect();
                    equations.push(Equation { constraint: Constraint::new(form, Relation::Eq), except });
                }
                known.push(equation);
            }
        }
        equations
    }
}

/// Vectors over the constant 1, the variables of the state, and inputs.
#[derive(Clone)]
struct Vectors {
    rows: Vec<Vector>,
    inputs: Vec<VarId>,
    size: usize,
}

impl Vectors {
    /// Those that satisfy the equations among some constraints; `None` if there is no state among them.
    fn within(
        self,
        of: &Analysis<'_, '_, '_>,
        constraints: &[Constraint],
        node: &Node,
    ) -> Option<Vec<Vector>> {
        let equations = constraints.iter().filter(|constraint| constraint.relation() == Relation::Eq);
        let covectors: Vec<Vector> =
            equations.map(|constraint| self.covector(of, constraint.form(), node)).collect();
        let mut rows = self.rows;
        for covector in covectors {
            let Some(pivot) = rows.iter().position(|row| product(&covector, row) != 0) else { continue };
            let pivot = rows.swap_remove(pivot);
            let inverse = inverted(product(&covector, &pivot));
            for row in &mut rows {
                let factor = times(product(&covector, row), inverse);
                subtract(row, factor, &pivot);
            }
        }
        rows.iter().any(|row| row[0] != 0).then_some(rows)
    }

    fn covector(&self, of: &Analysis<'_, '_, '_>, form: &LinearForm, node: &Node) -> Vector {
        let mut covector = vec![0; self.size];
        covector[0] = residue(form.constant_term());
        for (variable, factor) in form.terms() {
            let factor = residue(factor);
            if let Some(&position) = of.dimension.get(variable) {
                covector[position] = factor;
            } else if let Ok(input) = self.inputs.binary_search(variable) {
                covector[1 + of.dimension.len() + input] = factor;
            } else if node.contains(variable) {
                covector[0] = plus(covector[0], factor);
            }
        }
        covector
    }
}
