//! What becomes of an edge for each of the values that it can give to separated variables.

use super::{Facts, values};
use crate::draft::rename::map_exprs;
use rely_program::analysis::{Access, Known, Range, constant, is_defined};
use rely_program::{Blocking, Edge, EdgeId, Expr, Op, Place, Value, VarId};
use rustc_hash::FxHashMap;

/// More edges than this do not take the place of one.
const MOST_CASES: usize = 8;

/// The values of the separated variables that matter at a location, in the order of their ids.
pub(super) type Valuation = Vec<(VarId, Value)>;

/// An edge for one of the values of each variable that it writes, as far as it was followed.
#[derive(Clone)]
pub(super) struct Case {
    pub(super) ops: Vec<Op>,
    /// The old operations that chose a value, and the one that they choose.
    pub(super) chosen: Vec<(usize, Value)>,
    /// The separated variables whose value is known now.
    pub(super) values: FxHashMap<VarId, Value>,
    known: Known,
    /// How many of the old operations a run can come to.
    pub(super) looked_at: usize,
    /// Whether a run can come to its end.
    pub(super) passes: bool,
}

/// The cases of an edge from a location where variables have these values, one for each of the
/// values that it leaves behind; `None` if these cannot be told, or are many.
pub(super) fn cases(facts: &Facts<'_>, vars: &[VarId], id: EdgeId, before: &Valuation) -> Option<Vec<Case>> {
    let edge = &facts.program.edges()[id];
    Splitting { facts, vars }.cases(edge, before)
}

struct Splitting<'s, 'p> {
    facts: &'s Facts<'p>,
    /// The separated variables.
    vars: &'s [VarId],
}

impl Splitting<'_, '_> {
    fn cases(&self, edge: &Edge, before: &Valuation) -> Option<Vec<Case>> {
        let mut known = self.facts.ranges.at(edge.source)?.clone();
        before.iter().for_each(|&(var, value)| known.set(var, Range::only(value)));
        let values = before.iter().copied().collect();
        let mut cases = vec![Case { ops: vec![], chosen: vec![], values, known, looked_at: 0, passes: true }];
        for (index, op) in edge.ops.iter().enumerate() {
            let decided = self.decided(edge, index);
            let mut next = Vec::new();
            for case in cases {
                next.extend(self.with_op(case, (index, op), &decided)?);
            }
            cases = next;
            if cases.len() > MOST_CASES {
                return None;
            }
        }
        Some(cases)
    }

    /// The variables whose value after an operation must be known: it matters at the end of the
    /// edge, or it is chosen here and matters for the rest of the edge.
    fn decided(&self, edge: &Edge, index: usize) -> Vec<VarId> {
        let op = &edge.ops[index];
        let written = Access::of_ops(std::slice::from_ref(op)).writes;
        let later = Access::of_ops(&edge.ops[index + 1..]);
        let matters = |var: &VarId| {
            let stays = !later.writes.contains(*var) && self.facts.liveness.is_live(edge.target, *var);
            let is_tried = matches!(op, Op::Havoc(_, domain) if values(Range::of_domain(*domain)).is_some());
            written.contains(*var) && (stays || is_tried && later.reads.contains(*var))
        };
        self.vars.iter().copied().filter(matters).collect()
    }

    /// A case that goes on with an operation, for each of the values that this gives to some
    /// variables.
    fn with_op(&self, case: Case, (index, op): (usize, &Op), decided: &[VarId]) -> Option<Vec<Case>> {
        if !case.passes {
            return Some(vec![case]);
        }
        let mut parts = vec![(case, op.clone(), Vec::new())];
        for &var in decided {
            let mut next = Vec::new();
            for (case, op, given) in parts {
                for (case, op, value) in self.decide(case, (index, op), var)? {
                    let given = given.iter().copied().chain([(var, value)]).collect();
                    next.push((case, op, given));
                }
            }
            parts = next;
        }
        let written = Access::of_ops(std::slice::from_ref(op)).writes;
        let finish = |(mut case, op, given): (Case, Op, Valuation)| {
            self.push(&mut case, &op);
            case.looked_at = index + 1;
            case.values.retain(|var, _| !written.contains(*var));
            case.values.extend(given);
            case
        };
        Some(parts.into_iter().map(finish).collect())
    }

    /// Adds an operation, and what follows from it; nothing if no run comes to it.
    fn push(&self, case: &mut Case, op: &Op) {
        if case.passes {
            let op = map_exprs(op, |expr| self.with_values(&case.values, expr));
            case.passes = self.facts.ranges.step(&mut case.known, &op);
            case.ops.push(op);
        }
    }

    fn with_values(&self, values: &FxHashMap<VarId, Value>, expr: &Expr) -> Expr {
        match expr {
            Expr::Var(var) if values.contains_key(var) => self.literal(*var, values[var]),
            other => other.map_children(|child| self.with_values(values, child)),
        }
    }

    fn literal(&self, var: VarId, value: Value) -> Expr {
        constant(self.facts.program.vars()[var].sort, value)
    }

    /// The values that an operation, which comes next, can give to a variable: for each, the case
    /// and the operation that writes it.
    fn decide(&self, case: Case, (index, op): (usize, Op), var: VarId) -> Option<Vec<(Case, Op, Value)>> {
        match op {
            Op::Havoc(_, domain) => {
                let with = |value| {
                    let mut case = case.clone();
                    case.chosen.push((index, value));
                    (case, Op::assign(Place::Scalar(var), self.literal(var, value)), value)
                };
                Some(values(Range::of_domain(domain))?.into_iter().map(with).collect())
            }
            Op::Assign(assignments) => {
                let mut targets = (0..assignments.len()).filter(|&target| assignments[target].0.var() == var);
                let (target, None) = (targets.next()?, targets.next()) else { return None };
                let expr = self.with_values(&case.values, &assignments[target].1);
                let possible = values(self.facts.ranges.of(&case.known, &expr))?;
                let with = |number: usize| {
                    let mut case = case.clone();
                    for condition in self.conditions(var, &expr, &possible, number) {
                        self.push(&mut case, &Op::Assume(condition, Blocking::Wait));
                    }
                    let mut assignments = assignments.clone();
                    assignments[target].1 = self.literal(var, possible[number]);
                    (case, Op::Assign(assignments), possible[number])
                };
                Some((0..possible.len()).map(with).collect())
            }
            _ => None,
        }
    }

    /// Conditions under which an expression, which a variable is set to, has one of its possible
    /// values: of those for all of them, exactly one holds.
    fn conditions(&self, var: VarId, expr: &Expr, possible: &[Value], number: usize) -> Vec<Expr> {
        let is = |value: Value| match self.literal(var, value) {
            Expr::Bool(true) => expr.clone(),
            Expr::Bool(false) => expr.clone().negate(),
            literal => expr.clone().eq(literal),
        };
        let is_certain = possible.len() == 1 && is_defined(self.facts.program, expr);
        let is_last = number + 1 == possible.len() && number > 0;
        let earlier = possible[..number].iter().map(|&value| is(value).negate());
        earlier.chain((!is_certain && !is_last).then(|| is(possible[number]))).collect()
    }
}
