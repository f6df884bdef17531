//! What was found, as a counting proof.

use super::affine::Equation;
use super::alone::Alone;
use super::machine::Machine;
use super::predicates::{Cube as Conjunction, Predicates};
use rely_evidence::counting::{CountAtom, Counter, Counting, Invariant, Summand};
use rely_evidence::rely_guarantee::{
    Comparison, ControlPoint, Cube, EdgeEffect, RelyGuarantee, ThreadAssertions,
};
use rely_logic::{Constraint, Integer, LinearForm, Relation, VarId};
use rely_program::{ThreadId, Value};

/// The proof: equations, and clauses that exclude cubes. Nothing is claimed of single threads. `None` if numbers are
/// too large.
pub(super) fn certificate(
    machine: &Machine<'_, '_>,
    predicates: &Predicates,
    equations: &[Equation],
    cubes: &[Conjunction],
) -> Option<Counting> {
    let writer = Writer { machine };
    let mut invariants = equations.iter().map(|it| writer.equation(it)).collect::<Option<Vec<_>>>()?;
    for cube in cubes {
        let excluded = cube.iter().map(|&literal| {
            let constraint = predicates.constraint(literal).negated();
            Some(vec![writer.atom(constraint.form(), constraint.relation())?])
        });
        invariants.push(Invariant { cubes: excluded.collect::<Option<_>>()? });
    }
    writer.counting(invariants, |_, _| Some(Cube::default()))
}

/// The proof by equations, and what instances know by themselves. What is known of those that somebody has joined
/// holds in every state in which they have ended. `None` if numbers are too large.
pub(super) fn simple_certificate(
    machine: &Machine<'_, '_>,
    equations: &[Equation],
    alone: &Alone,
) -> Option<Counting> {
    let writer = Writer { machine };
    let system = machine.system;
    let mut invariants: Vec<Invariant> = Vec::new();
    for equation in equations {
        // Who has not started stands nowhere, so different equations can say the same of those who have.
        let invariant = writer.equation(equation)?;
        if !invariants.contains(&invariant) {
            invariants.push(invariant);
        }
    }
    for thread in alone.awaited() {
        let exit = system.point(thread, writer.exit(thread));
        let running =
            Constraint::eq(&LinearForm::variable(machine.counter(thread, exit)), &LinearForm::constant(0));
        for known in alone.known(thread, exit) {
            let cubes = [&running, known].map(|it| Some(vec![writer.atom(it.form(), it.relation())?]));
            invariants.push(Invariant { cubes: cubes.into_iter().collect::<Option<_>>()? });
        }
    }
    writer.counting(invariants, |thread, point| {
        let point = system.point(thread, point);
        let atoms = alone.known(thread, point).iter().map(|constraint| system.cells.atom(constraint));
        let others = alone.ended(thread, point).iter().map(|&ended| (ended, vec![writer.exit(ended)]));
        Some(Cube { atoms: atoms.collect::<Option<_>>()?, others: others.collect() })
    })
}

struct Writer<'w, 's, 'p> {
    machine: &'w Machine<'s, 'p>,
}

impl Writer<'_, '_, '_> {
    /// A proof in which one cube is asserted at each control point.
    fn counting(
        &self,
        invariants: Vec<Invariant>,
        asserted: impl Fn(ThreadId, ControlPoint) -> Option<Cube>,
    ) -> Option<Counting> {
        let program = self.machine.system.program;
        let threads = program.threads().ids().map(|thread| {
            let points = ControlPoint::all(program, thread).into_iter();
            let at = points.map(|point| Some((point, vec![asserted(thread, point)?])));
            Some(ThreadAssertions { thread, at: at.collect::<Option<_>>()? })
        });
        let effects = program.edges().ids().map(|edge| EdgeEffect { edge, cubes: vec![Cube::default()] });
        let proof = RelyGuarantee { threads: threads.collect::<Option<_>>()?, effects: effects.collect() };
        Some(Counting { invariants, proof })
    }

    fn exit(&self, thread: ThreadId) -> ControlPoint {
        ControlPoint::At(self.machine.system.program.threads()[thread].exit)
    }

    fn equation(&self, equation: &Equation) -> Option<Invariant> {
        let constraint: &Constraint = &equation.constraint;
        let mut cubes = vec![vec![self.atom(constraint.form(), constraint.relation())?]];
        for state in &equation.except {
            let here =
                |&counter: &VarId| self.atom(&LinearForm::variable(counter).with_constant(-1), Relation::Eq);
            cubes.push(state.iter().map(here).collect::<Option<_>>()?);
        }
        Some(Invariant { cubes })
    }

    fn atom(&self, form: &LinearForm, relation: Relation) -> Option<CountAtom> {
        let comparison = match relation {
            Relation::Le => Comparison::Le,
            Relation::Eq => Comparison::Eq,
            Relation::Ne => Comparison::Ne,
            Relation::Lt => return None,
        };
        let number = |value: &Integer| value.to_i64().map(Value::from);
        let mut constant = number(form.constant_term())?;
        let mut terms = Vec::new();
        for (variable, factor) in form.terms() {
            let factor = number(factor)?;
            match self.summand(*variable) {
                Some(summand) => terms.push((factor, summand)),
                // An instance has not started if it stands nowhere.
                None => {
                    constant = constant.checked_add(factor)?;
                    let locations = self.locations(*variable)?;
                    terms.extend(locations.into_iter().map(|at| (-factor, Summand::Count(at))));
                }
            }
        }
        Some(CountAtom { terms, constant, comparison })
    }

    fn summand(&self, variable: VarId) -> Option<Summand> {
        let Machine { system, classes, .. } = self.machine;
        if let Some((var, index)) = system.cells.variable(variable) {
            return Some(Summand::Cell { var, index: u32::try_from(index).ok()? });
        }
        if let Some((class, _)) = classes.iter().find(|(_, counter)| *counter == variable) {
            let having = vec![system.cells.atom(&class.condition)?];
            return Some(Summand::Count(Counter { location: class.location, having }));
        }
        let (thread, point) = self.point(variable)?;
        match system.threads[thread].points[point] {
            ControlPoint::At(location) => Some(Summand::Count(Counter::at(location))),
            ControlPoint::Unstarted => None,
        }
    }

    /// The thread and the control point of a counter.
    fn point(&self, counter: VarId) -> Option<(usize, usize)> {
        let mut threads = self.machine.counters.iter().enumerate();
        threads.find_map(|(thread, counters)| Some((thread, counters.iter().position(|&it| it == counter)?)))
    }

    /// The locations of the thread of a counter.
    fn locations(&self, counter: VarId) -> Option<Vec<Counter>> {
        let (thread, _) = self.point(counter)?;
        let points = self.machine.system.threads[thread].points.iter();
        let location = |point: &ControlPoint| match point {
            ControlPoint::At(location) => Some(Counter::at(*location)),
            ControlPoint::Unstarted => None,
        };
        Some(points.filter_map(location).collect())
    }
}
