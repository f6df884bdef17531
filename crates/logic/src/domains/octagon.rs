//! Octagons (Miné, *The octagon abstract domain*, 2006): constraints `±x ± y <= c` over integers.
//!
//! Each variable `x` has two nodes, one for `x` and one for `-x`; a matrix entry `m[p][q]` bounds
//! `q - p`. The closure is the integer one: shortest paths, unary bounds rounded to even, and one
//! more combination of unary bounds (Bagnara, Hill, Zaffanella: *An improved tight closure
//! algorithm for integer octagonal constraints*, 2008). Only variables that occur in some
//! constraint have nodes.

use super::NumericDomain;
use super::interval::Intervals;
use crate::arith::Integer;
use crate::linear::{Constraint, LinearForm, Relation, VarId};

/// An octagon. Apart from the result of a widening, which must not be closed, it is kept closed.
#[derive(Clone, Debug)]
pub struct Octagons {
    /// `None` if there is no point.
    matrix: Option<Matrix>,
    /// Whether it is known to be closed. Then a new bound changes only ways through its own nodes.
    is_closed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Matrix {
    /// Ascending.
    variables: Vec<VarId>,
    /// `2n` rows of `2n` bounds; `None` is no bound.
    bounds: Vec<Option<Integer>>,
}

/// A node: `x` or `-x` of the variable at some position.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Node(usize);

impl Node {
    fn of(position: usize, is_negated: bool) -> Self {
        Self(2 * position + usize::from(is_negated))
    }

    fn opposite(self) -> Self {
        Self(self.0 ^ 1)
    }
}

impl Matrix {
    fn size(&self) -> usize {
        2 * self.variables.len()
    }

    fn bound(&self, from: Node, to: Node) -> Option<&Integer> {
        self.bounds[from.0 * self.size() + to.0].as_ref()
    }

    /// Adds `to - from <= bound` and, which says the same, `opposite(from) - opposite(to) <= bound`.
    fn restrict(&mut self, from: Node, to: Node, bound: &Integer) {
        let size = self.size();
        for index in [from.0 * size + to.0, to.opposite().0 * size + from.opposite().0] {
            match &self.bounds[index] {
                Some(old) if old <= bound => {}
                _ => self.bounds[index] = Some(bound.clone()),
            }
        }
    }

    /// The same constraints with nodes for more variables.
    fn extended(&self, variables: &[VarId]) -> Self {
        let size = 2 * variables.len();
        let mut result = Matrix { variables: variables.to_vec(), bounds: vec![None; size * size] };
        for node in 0..size {
            result.bounds[node * size + node] = Some(Integer::ZERO);
        }
        let positions: Vec<usize> =
            self.variables.iter().filter_map(|variable| variables.binary_search(variable).ok()).collect();
        let place = |node: usize| 2 * positions[node / 2] + node % 2;
        for from in 0..self.size() {
            for to in 0..self.size() {
                result.bounds[place(from) * size + place(to)] = self.bounds[from * self.size() + to].clone();
            }
        }
        result
    }

    /// Shortest paths, tightened to integers; `None` if there is no integer point.
    fn closed(self) -> Option<Self> {
        let all = (0..self.size()).map(Node).collect::<Vec<_>>();
        self.closed_through(&all)
    }

    /// The same if it was closed before bounds between some nodes were added: every way that got shorter leads through one
    /// of them, and is made of ways between them that were the shortest ones already.
    fn closed_through(mut self, changed: &[Node]) -> Option<Self> {
        self.shortest_paths(changed);
        let size = self.size();
        // 2x <= c bounds x by c/2 rounded down.
        for node in (0..size).map(Node) {
            let two = Integer::from(2);
            let halved = self.bound(node.opposite(), node).and_then(|bound| bound.div_floor(&two));
            if let Some(half) = halved {
                self.bounds[node.opposite().0 * size + node.0] = Some(&half * &two);
            }
        }
        for node in (0..size).map(Node) {
            let there_and_back = (self.bound(node, node.opposite()), self.bound(node.opposite(), node));
            if let (Some(there), Some(back)) = there_and_back
                && (there + back).is_negative()
            {
                return None;
            }
            if self.bound(node, node).is_some_and(Integer::is_negative) {
                return None;
            }
        }
        self.combine_unary_bounds();
        Some(self)
    }

    fn shortest_paths(&mut self, through: &[Node]) {
        let size = self.size();
        for &Node(via) in through {
            for from in 0..size {
                let Some(first) = self.bounds[from * size + via].clone() else { continue };
                for to in 0..size {
                    let Some(second) = &self.bounds[via * size + to] else { continue };
                    let path = &first + second;
                    match &self.bounds[from * size + to] {
                        Some(old) if *old <= path => {}
                        _ => self.bounds[from * size + to] = Some(path),
                    }
                }
            }
        }
    }

    /// `to - from <= (bound of 2 to + bound of -2 from) / 2`.
    fn combine_unary_bounds(&mut self) {
        let size = self.size();
        let two = Integer::from(2);
        for from in (0..size).map(Node) {
            let Some(half_from) = self.bound(from, from.opposite()).and_then(|bound| bound.div_floor(&two))
            else {
                continue;
            };
            for to in (0..size).map(Node).filter(|&to| to != from) {
                if let Some(half_to) = self.bound(to.opposite(), to).and_then(|bound| bound.div_floor(&two)) {
                    let sum = &half_from + &half_to;
                    self.restrict(from, to, &sum);
                }
            }
        }
    }

    /// Without the variables that no constraint mentions.
    fn trimmed(self) -> Self {
        let size = self.size();
        let is_free = |position: usize| {
            let nodes = [2 * position, 2 * position + 1];
            nodes.iter().all(|&node| {
                (0..size).all(|other| {
                    other == node
                        || (self.bounds[node * size + other].is_none()
                            && self.bounds[other * size + node].is_none())
                })
            })
        };
        let kept: Vec<usize> = (0..self.variables.len()).filter(|&position| !is_free(position)).collect();
        if kept.len() == self.variables.len() {
            return self;
        }
        let nodes: Vec<usize> = kept.iter().flat_map(|&position| [2 * position, 2 * position + 1]).collect();
        let pairs = nodes.iter().flat_map(|&from| nodes.iter().map(move |&to| (from, to)));
        Matrix {
            variables: kept.iter().map(|&position| self.variables[position]).collect(),
            bounds: pairs.map(|(from, to)| self.bounds[from * size + to].clone()).collect(),
        }
    }
}

/// A variable or, if true, its negation.
type Signed = (VarId, bool);

/// `form <= 0` as an octagonal edge: from one node to another with a bound. Forms of one variable
/// bound twice the variable.
fn edge(form: &LinearForm) -> Option<(Signed, Signed, Integer)> {
    let bound = -form.constant_term();
    match form.terms() {
        [(variable, factor)] if factor.is_unit() => {
            let is_negated = factor.is_negative();
            Some(((*variable, !is_negated), (*variable, is_negated), &bound * &Integer::from(2)))
        }
        // ±x ± y <= c is `to - from` with from = ∓x.
        [(left, left_factor), (right, right_factor)] if left_factor.is_unit() && right_factor.is_unit() => {
            Some(((*left, left_factor.is_positive()), (*right, right_factor.is_negative()), bound))
        }
        _ => None,
    }
}

impl Octagons {
    fn from_matrix(matrix: Option<Matrix>) -> Self {
        Self { matrix: matrix.map(Matrix::trimmed), is_closed: true }
    }

    /// Both matrices over the variables of both.
    fn aligned(&self, other: &Self) -> Option<(Matrix, Matrix)> {
        let (left, right) = (self.matrix.as_ref()?, other.matrix.as_ref()?);
        let mut variables = [left.variables.as_slice(), right.variables.as_slice()].concat();
        variables.sort_unstable();
        variables.dedup();
        Some((left.extended(&variables), right.extended(&variables)))
    }

    fn with_variables(&self, form: &LinearForm, more: Option<VarId>) -> Option<Matrix> {
        let matrix = self.matrix.as_ref()?;
        let mut variables = matrix.variables.clone();
        variables.extend(form.variables().chain(more));
        variables.sort_unstable();
        variables.dedup();
        Some(matrix.extended(&variables))
    }

    fn meet_inequality(&mut self, form: &LinearForm) {
        let Some(((from, from_negated), (to, to_negated), bound)) = edge(form) else {
            return self.meet_through_intervals(form);
        };
        let Some(mut matrix) = self.with_variables(form, None) else { return };
        let position = |variable: VarId| matrix.variables.binary_search(&variable).unwrap_or(0);
        let (from, to) = (Node::of(position(from), from_negated), Node::of(position(to), to_negated));
        matrix.restrict(from, to, &bound);
        *self = Self::from_matrix(match self.is_closed {
            true => matrix.closed_through(&[from, to, from.opposite(), to.opposite()]),
            false => matrix.closed(),
        });
    }

    /// A constraint that is no octagonal one still bounds its variables.
    fn meet_through_intervals(&mut self, form: &LinearForm) {
        let mut intervals = self.intervals();
        intervals.meet(&Constraint::new(form.clone(), Relation::Le));
        if intervals.is_bottom() {
            *self = Self::bottom();
        }
        for constraint in intervals.constraints() {
            if form.variables().any(|variable| constraint.form().contains(variable))
                && !self.entails(&constraint)
            {
                self.meet(&constraint);
            }
        }
    }

    /// The points of both.
    pub fn met(&self, other: &Self) -> Self {
        let Some((mut left, right)) = self.aligned(other) else { return Self::bottom() };
        for (bound, other) in left.bounds.iter_mut().zip(right.bounds) {
            *bound = match (bound.take(), other) {
                (Some(bound), Some(other)) => Some(bound.min(other)),
                (bound, other) => bound.or(other),
            };
        }
        Self::from_matrix(left.closed())
    }

    /// Without what is known about some variables.
    pub fn keeping(mut self, keeps: impl Fn(VarId) -> bool) -> Self {
        let Some(matrix) = &self.matrix else { return self };
        let dropped: Vec<VarId> = matrix.variables.iter().copied().filter(|&known| !keeps(known)).collect();
        dropped.into_iter().for_each(|variable| self.forget(variable));
        self
    }

    /// The bounds of each variable.
    pub fn intervals(&self) -> Intervals {
        let mut intervals = Intervals::top();
        for constraint in self.constraints() {
            if constraint.form().terms().len() <= 1 {
                intervals.meet(&constraint);
            }
        }
        intervals
    }

    /// The least upper bound of `form`'s values that two unary bounds or one edge give.
    fn entails_inequality(&self, form: &LinearForm) -> bool {
        let Some(matrix) = &self.matrix else { return true };
        if let Some(((from, from_negated), (to, to_negated), bound)) = edge(form)
            && let (Ok(from), Ok(to)) =
                (matrix.variables.binary_search(&from), matrix.variables.binary_search(&to))
        {
            let known = matrix.bound(Node::of(from, from_negated), Node::of(to, to_negated));
            return known.is_some_and(|known| *known <= bound);
        }
        self.intervals().entails(&Constraint::new(form.clone(), Relation::Le))
    }

    /// `variable := ±other + c` keeps all relations; the old value of the variable is forgotten.
    fn assign_octagonal(&mut self, variable: VarId, value: &LinearForm) {
        self.forget(variable);
        self.meet(&Constraint::eq(&LinearForm::variable(variable), value));
    }

    /// `variable := ±variable + c`: every constraint is rewritten.
    fn assign_to_itself(&mut self, variable: VarId, is_negated: bool, offset: &Integer) {
        let Some(matrix) = &mut self.matrix else { return };
        let Ok(position) = matrix.variables.binary_search(&variable) else { return };
        let size = matrix.size();
        let (plus, minus) = (2 * position, 2 * position + 1);
        if is_negated {
            for other in 0..size {
                matrix.bounds.swap(plus * size + other, minus * size + other);
            }
            for other in 0..size {
                matrix.bounds.swap(other * size + plus, other * size + minus);
            }
        }
        let shift = |node: usize| match node {
            _ if node == plus => offset.clone(),
            _ if node == minus => -offset,
            _ => Integer::ZERO,
        };
        for from in 0..size {
            for to in 0..size {
                if let Some(bound) = &mut matrix.bounds[from * size + to] {
                    *bound = &(&*bound + &shift(to)) - &shift(from);
                }
            }
        }
    }
}

impl NumericDomain for Octagons {
    fn top() -> Self {
        Self::from_matrix(Some(Matrix { variables: Vec::new(), bounds: Vec::new() }))
    }

    fn bottom() -> Self {
        Self::from_matrix(None)
    }

    fn is_bottom(&self) -> bool {
        self.matrix.is_none()
    }

    fn meet(&mut self, constraint: &Constraint) {
        if constraint.is_false() {
            self.matrix = None;
        }
        if constraint.is_true() || self.is_bottom() {
            return;
        }
        match constraint.relation() {
            Relation::Le | Relation::Lt => self.meet_inequality(constraint.form()),
            Relation::Eq => {
                self.meet_inequality(constraint.form());
                self.meet_inequality(&constraint.form().negated());
            }
            Relation::Ne => {
                // Only the end of a range can be cut off.
                let below = Constraint::new(constraint.form().clone(), Relation::Le);
                let above = Constraint::new(constraint.form().negated(), Relation::Le);
                if self.entails(&below) {
                    self.meet(&Constraint::new(constraint.form().clone(), Relation::Lt));
                } else if self.entails(&above) {
                    self.meet(&Constraint::new(constraint.form().negated(), Relation::Lt));
                }
            }
        }
    }

    fn forget(&mut self, variable: VarId) {
        let Some(matrix) = &mut self.matrix else { return };
        let Ok(position) = matrix.variables.binary_search(&variable) else { return };
        let size = matrix.size();
        for node in [2 * position, 2 * position + 1] {
            for other in (0..size).filter(|&other| other != node) {
                matrix.bounds[node * size + other] = None;
                matrix.bounds[other * size + node] = None;
            }
        }
        self.matrix = self.matrix.take().map(Matrix::trimmed);
    }

    fn assign(&mut self, variable: VarId, value: &LinearForm) {
        match value.terms() {
            [(source, factor)] if factor.is_unit() && *source == variable => {
                self.assign_to_itself(variable, factor.is_negative(), value.constant_term());
            }
            [] => self.assign_octagonal(variable, value),
            [(_, factor)] if factor.is_unit() => self.assign_octagonal(variable, value),
            _ => {
                let range = self.intervals().evaluate(value);
                self.forget(variable);
                let target = LinearForm::variable(variable);
                if let Some(low) = range.low {
                    self.meet(&Constraint::ge(&target, &LinearForm::constant(low)));
                }
                if let Some(high) = range.high {
                    self.meet(&Constraint::le(&target, &LinearForm::constant(high)));
                }
            }
        }
    }

    fn join(&self, other: &Self) -> Self {
        let Some((mut left, right)) = self.aligned(other) else {
            return if self.is_bottom() { other.clone() } else { self.clone() };
        };
        for (bound, other) in left.bounds.iter_mut().zip(right.bounds) {
            *bound = bound.take().zip(other).map(|(bound, other)| bound.max(other));
        }
        let is_closed = self.is_closed && other.is_closed;
        Self { is_closed, ..Self::from_matrix(Some(left)) }
    }

    /// The result is not closed: closing it would bring back what widening gave up.
    fn widen(&self, next: &Self) -> Self {
        let Some((mut old, new)) = self.aligned(next) else {
            return if self.is_bottom() { next.clone() } else { self.clone() };
        };
        for (bound, new) in old.bounds.iter_mut().zip(new.bounds) {
            *bound = bound.take().filter(|old| new.is_some_and(|new| new <= *old));
        }
        Self { is_closed: false, ..Self::from_matrix(Some(old)) }
    }

    fn narrow(&self, next: &Self) -> Self {
        let Some((mut old, new)) = self.aligned(next) else { return Self::bottom() };
        for (bound, new) in old.bounds.iter_mut().zip(new.bounds) {
            *bound = bound.take().or(new);
        }
        Self::from_matrix(old.closed())
    }

    fn entails(&self, constraint: &Constraint) -> bool {
        if self.is_bottom() || constraint.is_true() {
            return true;
        }
        let (form, strict) = (constraint.form(), |form: &LinearForm| {
            let mut form = form.clone();
            form.add_constant(&Integer::ONE);
            form
        });
        match constraint.relation() {
            Relation::Le => self.entails_inequality(form),
            Relation::Lt => self.entails_inequality(&strict(form)),
            Relation::Eq => self.entails_inequality(form) && self.entails_inequality(&form.negated()),
            Relation::Ne => {
                self.entails_inequality(&strict(form)) || self.entails_inequality(&strict(&form.negated()))
            }
        }
    }

    fn constraints(&self) -> Vec<Constraint> {
        let Some(matrix) = &self.matrix else { return vec![Constraint::truth(false)] };
        let form_of = |node: usize| {
            let form = LinearForm::variable(matrix.variables[node / 2]);
            if node.is_multiple_of(2) { form } else { form.negated() }
        };
        let mut constraints = Vec::new();
        for from in 0..matrix.size() {
            for to in (0..matrix.size()).filter(|&to| to != from && (to ^ 1, from ^ 1) >= (from, to)) {
                if let Some(bound) = matrix.bound(Node(from), Node(to)) {
                    let difference = form_of(to).minus(&form_of(from));
                    constraints.push(Constraint::le(&difference, &LinearForm::constant(bound.clone())));
                }
            }
        }
        constraints
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rely_base::{Id, Random};

    /// Closing through the nodes of a new bound finds what closing through all nodes does.
    #[test]
    fn new_bounds_close_as_much_as_all() {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let mut octagon = Octagons::top();
            for _ in 0..12 {
                let mut term = || {
                    let form = LinearForm::variable(VarId::from_index(random.below(5)));
                    if random.percent(50) { form } else { form.negated() }
                };
                let form = term().plus(&term());
                let bound = LinearForm::constant(random.below(20) as i64 - 6);
                octagon.meet(&Constraint::le(&form, &bound));
                let closed = octagon.matrix.clone().and_then(Matrix::closed).map(Matrix::trimmed);
                assert_eq!(octagon.matrix, closed, "{seed}");
            }
        }
    }
}
