//! Expressions as linear forms, case by case.

use crate::cells::Cells;
use crate::{Limits, PlaceTest};
use rely_evidence::rely_guarantee::ControlPoint;
use rely_logic::{Constraint, LinearForm, VarId};
use rely_program::{BinaryOp, Domain, Expr, LocationId, Program, Sort, ThreadId, ThreadKind, UnaryOp, Value};
use std::collections::BTreeMap;

/// An edge or a condition has too many cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyCases;

/// One case: what has been assumed so far, and which values the cells have by now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    pub(crate) guard: Vec<Constraint>,
    /// The cells that have changed, with their values in terms of the state before.
    pub(crate) values: BTreeMap<VarId, LinearForm>,
    pub(crate) places: Vec<PlaceTest>,
    /// At least so many instances of templates stand at locations, as a property counts them.
    pub(crate) witnesses: Vec<(LocationId, u32)>,
    /// The nondeterministic values, in the order in which a step takes them.
    pub(crate) inputs: Vec<LinearForm>,
    /// How many auxiliary variables there are.
    pub(crate) auxiliaries: u32,
    /// Whether something was over-approximated.
    pub(crate) inexact: bool,
}

impl Path {
    /// The case with one more assumption.
    pub(crate) fn assuming(mut self, constraint: Constraint) -> Self {
        self.guard.push(constraint);
        self
    }

    fn is_impossible(&self) -> bool {
        self.guard.iter().any(Constraint::is_false)
    }
}

/// A case together with the value that an expression has in it.
pub(crate) type Valued = (Path, LinearForm);

/// Translates expressions for one thread, or for an observer from outside.
#[derive(Clone, Copy, Debug)]
pub struct Translator<'p> {
    pub(crate) program: &'p Program,
    pub(crate) cells: &'p Cells,
    pub(crate) thread: Option<ThreadId>,
    pub(crate) limits: Limits,
}

impl<'p> Translator<'p> {
    /// For expressions of a thread, or of properties if there is none.
    pub fn new(program: &'p Program, cells: &'p Cells, thread: Option<ThreadId>, limits: Limits) -> Self {
        Self { program, cells, thread, limits }
    }

    /// The cases, unless there are too many of them.
    pub(crate) fn within_limit<T>(&self, cases: Vec<T>) -> Result<Vec<T>, TooManyCases> {
        if cases.len() > self.limits.translation.cases { Err(TooManyCases) } else { Ok(cases) }
    }

    pub(crate) fn fresh(&self, path: &mut Path) -> LinearForm {
        let variable = self.cells.auxiliary(path.auxiliaries);
        path.auxiliaries += 1;
        LinearForm::variable(variable)
    }

    /// A value of which only the domain is known.
    pub(crate) fn any(&self, path: &mut Path, domain: Domain) -> LinearForm {
        let value = self.fresh(path);
        let (low, high) = match domain {
            Domain::Bool => (0, 1),
            Domain::Range { low, high } => (low, high),
            Domain::AllInts => return value,
        };
        path.guard.push(Constraint::ge(&value, &LinearForm::constant(low)));
        path.guard.push(Constraint::le(&value, &LinearForm::constant(high)));
        value
    }

    /// A value about which nothing is known, instead of one that is not linear.
    pub(crate) fn unknown(&self, mut path: Path) -> Valued {
        path.inexact = true;
        let value = self.fresh(&mut path);
        (path, value)
    }

    /// The cases in which a condition is true, or those in which it is false.
    pub(crate) fn condition(&self, path: Path, expr: &Expr, truth: bool) -> Result<Vec<Path>, TooManyCases> {
        let cases = match expr {
            Expr::Bool(value) => {
                if *value == truth {
                    vec![path]
                } else {
                    vec![]
                }
            }
            Expr::Unary(UnaryOp::Not, operand) => self.condition(path, operand, !truth)?,
            Expr::Binary(op, operands) => {
                let [left, right] = operands.as_ref();
                match op {
                    BinaryOp::And if truth => self.both(path, (left, true), (right, true))?,
                    BinaryOp::And => self.either(path, (left, false), (right, false))?,
                    BinaryOp::Or if truth => self.either(path, (left, true), (right, true))?,
                    BinaryOp::Or => self.both(path, (left, false), (right, false))?,
                    BinaryOp::Implies if truth => self.either(path, (left, false), (right, true))?,
                    BinaryOp::Implies => self.both(path, (left, true), (right, false))?,
                    _ => self.comparison(path, *op, left, right, truth)?,
                }
            }
            Expr::Ite(parts) => {
                let [condition, yes, no] = parts.as_ref();
                let mut cases = self.both(path.clone(), (condition, true), (yes, truth))?;
                cases.extend(self.both(path, (condition, false), (no, truth))?);
                cases
            }
            _ => {
                let one = LinearForm::constant(1);
                let decide = |(path, value): Valued| {
                    let holds = Constraint::ge(&value, &one);
                    path.assuming(if truth { holds } else { holds.negated() })
                };
                self.value(path, expr)?.into_iter().map(decide).collect()
            }
        };
        self.within_limit(cases.into_iter().filter(|path| !path.is_impossible()).collect())
    }

    fn both(
        &self,
        path: Path,
        (first, first_truth): (&Expr, bool),
        (second, second_truth): (&Expr, bool),
    ) -> Result<Vec<Path>, TooManyCases> {
        let mut cases = Vec::new();
        for path in self.condition(path, first, first_truth)? {
            cases.extend(self.condition(path, second, second_truth)?);
        }
        self.within_limit(cases)
    }

    /// The cases do not overlap: the second counts only if the first does not hold.
    fn either(
        &self,
        path: Path,
        (first, first_truth): (&Expr, bool),
        second: (&Expr, bool),
    ) -> Result<Vec<Path>, TooManyCases> {
        let mut cases = self.condition(path.clone(), first, first_truth)?;
        cases.extend(self.both(path, (first, !first_truth), second)?);
        self.within_limit(cases)
    }

    fn comparison(
        &self,
        path: Path,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        truth: bool,
    ) -> Result<Vec<Path>, TooManyCases> {
        let mut cases = Vec::new();
        for (path, left) in self.value(path, left)? {
            for (path, right) in self.value(path, right)? {
                let holds = match op {
                    BinaryOp::Lt => Constraint::lt(&left, &right),
                    BinaryOp::Le => Constraint::le(&left, &right),
                    BinaryOp::Gt => Constraint::gt(&left, &right),
                    BinaryOp::Ge => Constraint::ge(&left, &right),
                    BinaryOp::Eq => Constraint::eq(&left, &right),
                    _ => Constraint::ne(&left, &right),
                };
                cases.push(path.assuming(if truth { holds } else { holds.negated() }));
            }
        }
        self.within_limit(cases)
    }

    /// The values of an expression, each with its case. Booleans are 0 and 1.
    pub(crate) fn value(&self, path: Path, expr: &Expr) -> Result<Vec<Valued>, TooManyCases> {
        let known = |path, value| Ok(vec![(path, value)]);
        match expr {
            Expr::Int(value) => known(path, LinearForm::constant(*value)),
            Expr::Bool(value) => known(path, LinearForm::constant(i64::from(*value))),
            Expr::Var(var) => {
                let value = self.read(&path, self.cells.cell(*var, 0));
                known(path, value)
            }
            Expr::This => {
                let handle = self.thread.map(|thread| self.cells.handle(thread));
                known(path, handle.unwrap_or_default())
            }
            Expr::Element(array, index) => {
                let cases = self.indexed(path, *array, index)?;
                Ok(cases
                    .into_iter()
                    .map(|(path, cell)| {
                        let value = self.read(&path, cell);
                        (path, value)
                    })
                    .collect())
            }
            Expr::Unary(UnaryOp::Not, _) => self.truth_value(path, expr),
            Expr::Binary(op, _) if op.sort() == Sort::Bool => self.truth_value(path, expr),
            Expr::Unary(op, operand) => {
                let values = self.value(path, operand)?.into_iter();
                Ok(values
                    .map(|(path, value)| {
                        let mut result = value.negated();
                        if *op == UnaryOp::BitNot {
                            result.add_constant(&(-1).into());
                        }
                        (path, result)
                    })
                    .collect())
            }
            Expr::Binary(op, operands) => self.arithmetic(path, *op, &operands[0], &operands[1]),
            Expr::Ite(parts) => {
                let [condition, yes, no] = parts.as_ref();
                let mut cases = Vec::new();
                for (truth, chosen) in [(true, yes), (false, no)] {
                    for path in self.condition(path.clone(), condition, truth)? {
                        cases.extend(self.value(path, chosen)?);
                    }
                }
                self.within_limit(cases)
            }
            Expr::Wrap(int_type, operand) => {
                let mut cases = Vec::new();
                for (path, value) in self.value(path, operand)? {
                    cases.extend(self.wrapped(path, value, *int_type));
                }
                self.within_limit(cases)
            }
            Expr::CountAt(location) => Ok(self.count_at(path, *location)),
            Expr::CountRunning(thread) => Ok(self.count_running(path, *thread)),
        }
    }

    pub(crate) fn read(&self, path: &Path, cell: VarId) -> LinearForm {
        path.values.get(&cell).cloned().unwrap_or_else(|| LinearForm::variable(cell))
    }

    /// The cells that `array[index]` can be. Indices outside of the array are left out.
    pub(crate) fn indexed(
        &self,
        path: Path,
        array: rely_program::VarId,
        index: &Expr,
    ) -> Result<Vec<(Path, VarId)>, TooManyCases> {
        let length = self.program.vars()[array].cells();
        let mut cases = Vec::new();
        for (path, index) in self.value(path, index)? {
            if !index.is_constant() && length > self.limits.translation.cases {
                return Err(TooManyCases);
            }
            for position in 0..length {
                let here = Constraint::eq(&index, &LinearForm::constant(position as Value));
                if here.is_true() {
                    cases.push((path.clone(), self.cells.cell(array, position)));
                } else if !here.is_false() {
                    cases.push((path.clone().assuming(here), self.cells.cell(array, position)));
                }
            }
        }
        self.within_limit(cases)
    }

    fn truth_value(&self, path: Path, expr: &Expr) -> Result<Vec<Valued>, TooManyCases> {
        let mut cases = Vec::new();
        for truth in [true, false] {
            let value = LinearForm::constant(i64::from(truth));
            let paths = self.condition(path.clone(), expr, truth)?;
            cases.extend(paths.into_iter().map(|path| (path, value.clone())));
        }
        self.within_limit(cases)
    }

    fn count_at(&self, path: Path, location: LocationId) -> Vec<Valued> {
        let thread = self.program.locations()[location].thread;
        if self.program.threads()[thread].kind == ThreadKind::Template {
            return self.count_witnesses(path, location);
        }
        let is_here = |point: &ControlPoint| *point == ControlPoint::At(location);
        self.instance_count(path, thread, is_here)
    }

    fn count_running(&self, mut path: Path, thread: ThreadId) -> Vec<Valued> {
        let declaration = &self.program.threads()[thread];
        if declaration.kind == ThreadKind::Template {
            let count = self.any(&mut path, Domain::AllInts);
            let path = path.assuming(Constraint::ge(&count, &LinearForm::default()));
            return vec![(path, count)];
        }
        let idle = [ControlPoint::Unstarted, ControlPoint::At(declaration.exit)];
        self.instance_count(path, thread, |point| !idle.contains(point))
    }

    /// One or zero, as the instance stands at a counted place or elsewhere.
    fn instance_count(
        &self,
        path: Path,
        thread: ThreadId,
        counts: impl Fn(&ControlPoint) -> bool,
    ) -> Vec<Valued> {
        let (inside, outside): (Vec<_>, Vec<_>) =
            ControlPoint::all(self.program, thread).into_iter().partition(counts);
        let cases = [(1, inside), (0, outside)].into_iter().filter(|(_, points)| !points.is_empty());
        cases
            .map(|(count, points)| {
                let mut path = path.clone();
                path.places.push(PlaceTest { thread, points });
                (path, LinearForm::constant(count))
            })
            .collect()
    }

    /// None, one, or more instances of a template at a location. Of more, two are witnesses.
    fn count_witnesses(&self, path: Path, location: LocationId) -> Vec<Valued> {
        let counted = |count: u32| {
            let mut path = path.clone();
            let mut value = LinearForm::constant(i64::from(count));
            if count > 0 {
                path.witnesses.push((location, count));
            }
            if count == 2 {
                value = self.fresh(&mut path);
                path.guard.push(Constraint::ge(&value, &LinearForm::constant(2)));
            }
            (path, value)
        };
        (0..=2).map(counted).collect()
    }
}
