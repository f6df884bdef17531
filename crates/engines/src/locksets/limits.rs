//! Bounds of variables that a thread compares with constants, and that nobody else writes.
//!
//! Where a loop around the creation of threads is written out, but how often it goes round is not known, its
//! steps are `[3 < n]`. Who passes that knows something about `n`, and so does the thread that is created next:
//! that the loop which waits for the threads does not end before it comes to this one. See [`super::parents`].

use super::Analysis;
use super::transfer::Passage;
use rely_base::Id;
use rely_program::analysis::{Access, IdSet};
use rely_program::{BinaryOp, EdgeId, Expr, LocationId, Op, Program, ThreadId, UnaryOp, Value, VarId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The values that a variable may have; without a bound, any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Range {
    pub(super) low: Option<Value>,
    pub(super) high: Option<Value>,
}

/// What is known of some variables; what is not mentioned is not known.
pub(super) type Ranges = BTreeMap<VarId, Range>;

/// Who writes which variables.
pub(super) struct Owners {
    /// The only thread that writes the variable; `None` if there are several.
    writers: FxHashMap<VarId, Option<ThreadId>>,
}

/// The ranges at each location of some threads.
#[derive(Default)]
pub(super) struct Limits {
    at: FxHashMap<LocationId, Ranges>,
}

impl Range {
    fn hull(self, other: Range) -> Range {
        Range {
            low: self.low.zip(other.low).map(|(one, other)| one.min(other)),
            high: self.high.zip(other.high).map(|(one, other)| one.max(other)),
        }
    }

    fn within(self, other: Range) -> Range {
        Range { low: self.low.max(other.low), high: least(self.high, other.high) }
    }

    /// Only a value at one of the ends makes a difference.
    fn without(self, value: Value) -> Range {
        let low = self.low.filter(|low| *low == value).and_then(|low| low.checked_add(1)).or(self.low);
        let high = self.high.filter(|high| *high == value).and_then(|high| high.checked_sub(1)).or(self.high);
        Range { low, high }
    }
}

/// What a condition says of a variable.
#[derive(Clone, Copy)]
enum Told {
    Within(Range),
    Not(Value),
}

fn least(one: Option<Value>, other: Option<Value>) -> Option<Value> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

impl Owners {
    pub(super) fn new(program: &Program) -> Self {
        let mut writers: FxHashMap<VarId, Option<ThreadId>> = FxHashMap::default();
        for edge in program.edges().values() {
            let thread = program.locations()[edge.source].thread;
            for var in Access::of_ops(&edge.ops).writes.iter() {
                let writer = writers.entry(var).or_insert(Some(thread));
                *writer = writer.filter(|writer| *writer == thread);
            }
        }
        Self { writers }
    }

    /// Whether an instance is the only thread that ever writes the variable.
    pub(super) fn owns(&self, thread: ThreadId, var: VarId) -> bool {
        self.writers.get(&var) == Some(&Some(thread))
    }
}

impl Limits {
    /// Follows an instance through its locations.
    pub(super) fn follow(&mut self, analysis: &Analysis<'_>, owners: &Owners, thread: ThreadId) {
        let program = analysis.program;
        let entry = program.threads()[thread].entry;
        self.at.insert(entry, Ranges::new());
        let mut pending = vec![entry];
        while let Some(location) = pending.pop() {
            for &edge in program.outgoing(location) {
                let goes_on = |passage: &&Passage| !passage.halts;
                if analysis.passages[edge.index()].as_ref().filter(goes_on).is_none() {
                    continue;
                }
                let [_, behind] = self.around(program, owners, edge);
                if self.arrive(program.edges()[edge].target, behind) {
                    pending.push(program.edges()[edge].target);
                }
            }
        }
    }

    /// Whether less is known now than before. There are only as many bounds as constants in the program.
    fn arrive(&mut self, location: LocationId, ranges: Ranges) -> bool {
        let Some(known) = self.at.get_mut(&location) else {
            self.at.insert(location, ranges);
            return true;
        };
        let mut less = Ranges::new();
        for (var, range) in known.iter() {
            let hull = range.hull(ranges.get(var).copied().unwrap_or_default());
            if hull != Range::default() {
                less.insert(*var, hull);
            }
        }
        let is_less = *known != less;
        *known = less;
        is_less
    }

    /// What is known at a location.
    pub(super) fn at(&self, location: LocationId) -> Option<&Ranges> {
        self.at.get(&location)
    }

    /// What is known of the values before a step along an edge, if it is made, and of those behind it.
    pub(super) fn around(&self, program: &Program, owners: &Owners, edge: EdgeId) -> [Ranges; 2] {
        let declaration = &program.edges()[edge];
        let thread = program.locations()[declaration.source].thread;
        let mut before = self.at.get(&declaration.source).cloned().unwrap_or_default();
        let mut behind = before.clone();
        let mut written: IdSet<VarId> = IdSet::new();
        for op in &declaration.ops {
            if let Op::Assume(condition, _) | Op::Check(condition, _) = op {
                tell(condition, true, &mut |var, told| {
                    if owners.owns(thread, var) {
                        narrow(&mut behind, var, told);
                        if !written.contains(var) {
                            narrow(&mut before, var, told);
                        }
                    }
                });
            }
            let writes = Access::of_ops(std::slice::from_ref(op)).writes;
            writes.iter().for_each(|var| _ = behind.remove(&var));
            written.union_with(&writes);
        }
        [before, behind]
    }
}

fn narrow(ranges: &mut Ranges, var: VarId, told: Told) {
    let known = ranges.entry(var).or_default();
    *known = match told {
        Told::Within(range) => known.within(range),
        Told::Not(value) => known.without(value),
    };
    if *known == Range::default() {
        ranges.remove(&var);
    }
}

/// What a condition says about single variables.
fn tell(condition: &Expr, holds: bool, hear: &mut dyn FnMut(VarId, Told)) {
    match condition {
        Expr::Unary(UnaryOp::Not, operand) => tell(operand, !holds, hear),
        Expr::Binary(BinaryOp::And, operands) if holds => {
            operands.iter().for_each(|operand| tell(operand, true, hear));
        }
        Expr::Binary(BinaryOp::Or, operands) if !holds => {
            operands.iter().for_each(|operand| tell(operand, false, hear));
        }
        Expr::Binary(op, operands) => match &**operands {
            [Expr::Var(var), Expr::Int(value)] => compared(*op, *value, holds, &mut |told| hear(*var, told)),
            [Expr::Int(value), Expr::Var(var)] => {
                if let Some(op) = turned(*op) {
                    compared(op, *value, holds, &mut |told| hear(*var, told));
                }
            }
            _ => {}
        },
        _ => {}
    }
}

/// The comparison with its sides exchanged.
fn turned(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        BinaryOp::Eq | BinaryOp::Ne => op,
        _ => return None,
    })
}

/// The values of which a comparison with a number holds, or does not.
fn compared(op: BinaryOp, value: Value, holds: bool, hear: &mut dyn FnMut(Told)) {
    let (below, above) = (value.checked_sub(1), value.checked_add(1));
    let at_most = |high: Option<Value>| Told::Within(Range { low: None, high });
    let at_least = |low: Option<Value>| Told::Within(Range { low, high: None });
    match (op, holds) {
        (BinaryOp::Lt, true) | (BinaryOp::Ge, false) => hear(at_most(below)),
        (BinaryOp::Le, true) | (BinaryOp::Gt, false) => hear(at_most(Some(value))),
        (BinaryOp::Gt, true) | (BinaryOp::Le, false) => hear(at_least(above)),
        (BinaryOp::Ge, true) | (BinaryOp::Lt, false) => hear(at_least(Some(value))),
        (BinaryOp::Eq, true) | (BinaryOp::Ne, false) => {
            hear(Told::Within(Range { low: Some(value), high: Some(value) }));
        }
        (BinaryOp::Eq, false) | (BinaryOp::Ne, true) => hear(Told::Not(value)),
        _ => {}
    }
}
