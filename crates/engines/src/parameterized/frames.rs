//! Frames: what is known after so many steps, and questions about single steps.
//!
//! Frame `i` over-approximates the states that are reached with at most `i` steps, by clauses over the predicates.
//! Each transition has a solver of its own with its guard, the counting invariants, and the clauses of all frames;
//! a frame is chosen by assumptions. Frame 0 is the initial states.

use super::machine::{End, Machine, TransitionId, bounds};
use super::predicates::{Cube, Literal, PredicateId, Predicates};
use rely_base::{Budget, Id, StopReason};
use rely_logic::project::project;
use rely_logic::{
    Conjunction, Constraint, Domain, Outcome, Relation, Solver, TermId, TermPool, VarId, Verdict,
};
use rely_symbolic::before;
use std::collections::BTreeSet;

/// Why the search ends without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interrupted {
    Stopped(StopReason),
    /// A question was too hard, or there were too many.
    TooHard,
}

/// A predicate after a transition, over the state before.
#[derive(Clone, Copy)]
enum Primed {
    Same,
    Changed { positive: TermId, negative: TermId },
}

/// A solver, and how many clauses it knows.
struct Asker {
    solver: Solver,
    synchronised: usize,
}

struct Stepper {
    id: TransitionId,
    asker: Asker,
    primed: Vec<Option<Primed>>,
}

/// A way into a cube.
pub(super) struct Predecessor {
    pub(super) transition: TransitionId,
    pub(super) cube: Cube,
}

/// What comes before the violation of a property.
pub(super) struct Bad {
    /// The transition that fails, if it is a check that is violated, or one that was assumed not to be made.
    pub(super) transition: Option<TransitionId>,
    pub(super) cube: Cube,
}

pub(super) struct Frames<'m, 's, 'p> {
    pub(super) machine: &'m mut Machine<'s, 'p>,
    pub(super) predicates: &'m Predicates,
    steppers: Vec<Stepper>,
    /// States alone: the violations of properties, each with a variable that stands for it and one for its negation.
    states: Asker,
    violations: Vec<(TermId, TermId)>,
    initial: Solver,
    /// The facts, and the counting invariants that hold wherever the instances are.
    linear: Vec<Constraint>,
    /// The literals of the predicates, positive and negative.
    terms: Vec<[TermId; 2]>,
    levels: Vec<TermId>,
    log: Vec<(usize, TermId)>,
    questions: usize,
    budget: &'m Budget,
}

impl<'m, 's, 'p> Frames<'m, 's, 'p> {
    pub(super) fn new(
        machine: &'m mut Machine<'s, 'p>,
        predicates: &'m Predicates,
        invariants: &[TermId],
        violations: &[TermId],
        (questions, budget): (usize, &'m Budget),
    ) -> Result<Self, Interrupted> {
        let linear = invariants.iter().filter_map(|&invariant| machine.pool.constraint(invariant));
        let linear: Vec<Constraint> = machine.facts.iter().cloned().chain(linear).collect();
        let facts = conjunction(&mut machine.pool, &machine.facts);
        let cases: Vec<TermId> =
            machine.initial.iter().map(|case| conjunction(&mut machine.pool, case)).collect();
        let pool = &mut machine.pool;
        let beginning = pool.or(cases);
        let first = boolean(pool);
        let not_first = pool.not(first);
        let begins = pool.or([not_first, beginning]);
        let known: Vec<TermId> = [facts, begins].iter().chain(invariants).copied().collect();
        let terms = predicates.ids().map(|id| {
            let constraint = predicates.get(id);
            [constraint.clone(), constraint.negated()].map(|it| pool.constraint_term(&it))
        });
        let terms: Vec<[TermId; 2]> = terms.collect();
        let initial = solver(pool, &[facts, beginning])?;
        let steppers = steppers(machine, &known, predicates.len(), budget)?;
        let (states, violations) = states(&mut machine.pool, &known, violations)?;
        let (levels, log) = (vec![first], Vec::new());
        Ok(Self {
            machine,
            predicates,
            steppers,
            states,
            violations,
            initial,
            linear,
            terms,
            levels,
            log,
            questions,
            budget,
        })
    }

    /// The number of the last frame.
    pub(super) fn last(&self) -> usize {
        self.levels.len() - 1
    }

    /// One more frame, of which nothing is known.
    pub(super) fn extend(&mut self) {
        let level = boolean(&mut self.machine.pool);
        self.levels.push(level);
    }

    /// No state of a cube is in the frames up to a level.
    pub(super) fn block(&mut self, cube: &Cube, level: usize) {
        let pool = &mut self.machine.pool;
        let mut literals = vec![pool.not(self.levels[level])];
        literals.extend(
            cube.iter().map(|literal| self.terms[literal.predicate.index()][usize::from(literal.positive)]),
        );
        self.log.push((level, pool.or(literals)));
    }

    fn term(&self, literal: Literal) -> TermId {
        self.terms[literal.predicate.index()][usize::from(!literal.positive)]
    }

    fn count_question(&mut self) -> Result<(), Interrupted> {
        self.budget.check_now().map_err(Interrupted::Stopped)?;
        self.questions = self.questions.checked_sub(1).ok_or(Interrupted::TooHard)?;
        Ok(())
    }

    /// The literals of a cube that suffice to exclude the initial states; `None` if it contains one.
    pub(super) fn excludes_initial(&mut self, cube: &Cube) -> Result<Option<Cube>, Interrupted> {
        self.count_question()?;
        let assumptions: Vec<TermId> = cube.iter().map(|&literal| self.term(literal)).collect();
        let outcome = ask(&mut self.initial, &mut self.machine.pool, &assumptions, self.budget)?;
        Ok((outcome == Outcome::Unsat).then(|| core(&self.initial).iter().map(|&at| cube[at]).collect()))
    }

    /// A state in a frame that violates something.
    pub(super) fn bad(&mut self, level: usize) -> Result<Option<Bad>, Interrupted> {
        let chosen = self.levels[level..].to_vec();
        for (yes, no) in self.violations.clone() {
            self.count_question()?;
            self.states.synchronise(&self.log, &mut self.machine.pool)?;
            let assumptions: Vec<TermId> = chosen.iter().copied().chain([yes]).collect();
            let pool = &mut self.machine.pool;
            if ask(&mut self.states.solver, pool, &assumptions, self.budget)? == Outcome::Sat {
                let cube = self.state_cube(no)?;
                return Ok(Some(Bad { transition: None, cube }));
            }
        }
        for position in 0..self.steppers.len() {
            let id = self.steppers[position].id;
            if self.machine.transitions[id].end == End::Moves {
                continue;
            }
            self.count_question()?;
            let stepper = &mut self.steppers[position].asker;
            stepper.synchronise(&self.log, &mut self.machine.pool)?;
            if ask(&mut stepper.solver, &mut self.machine.pool, &chosen, self.budget)? == Outcome::Sat {
                let cube = self.lifted(position, &Cube::new());
                return Ok(Some(Bad { transition: Some(id), cube }));
            }
        }
        Ok(None)
    }

    /// Literals of the state that was found which imply the violation.
    fn state_cube(&mut self, no: TermId) -> Result<Cube, Interrupted> {
        let model = self.states.solver.interpretation().ok_or(Interrupted::TooHard)?;
        let full = self.predicates.valuation(|variable| model.integer(variable));
        let assumptions: Vec<TermId> = full.iter().map(|&literal| self.term(literal)).chain([no]).collect();
        let pool = &mut self.machine.pool;
        match ask(&mut self.states.solver, pool, &assumptions, self.budget)? {
            Outcome::Unsat => {
                let core = core(&self.states.solver);
                Ok(core.into_iter().filter_map(|at| full.get(at).copied()).collect())
            }
            _ => Ok(full),
        }
    }

    /// A state of a frame, outside of a cube, from which a step leads into it; or, if there is none, literals of the
    /// cube that suffice for that.
    pub(super) fn predecessor(
        &mut self,
        cube: &Cube,
        level: usize,
    ) -> Result<Result<Cube, Predecessor>, Interrupted> {
        let mut needed: BTreeSet<Literal> = BTreeSet::new();
        for position in 0..self.steppers.len() {
            let id = self.steppers[position].id;
            if self.machine.transitions[id].end != End::Moves {
                continue;
            }
            if !self.enter(position, cube, level, &mut needed)? {
                let cube = self.lifted(position, cube);
                return Ok(Err(Predecessor { transition: id, cube }));
            }
        }
        Ok(Ok(needed.into_iter().collect()))
    }

    /// Whether no step of a transition leads into a cube from outside of it.
    fn enter(
        &mut self,
        position: usize,
        cube: &Cube,
        level: usize,
        needed: &mut BTreeSet<Literal>,
    ) -> Result<bool, Interrupted> {
        let mut after = Vec::with_capacity(cube.len());
        let mut changed = Vec::new();
        for &literal in cube {
            match self.primed(position, literal.predicate) {
                Primed::Same => after.push(self.term(literal)),
                Primed::Changed { positive, negative } => {
                    after.push(if literal.positive { positive } else { negative });
                    changed.push(literal);
                }
            }
        }
        for literal in changed {
            self.count_question()?;
            let outside = self.term(Literal { positive: !literal.positive, ..literal });
            let chosen = self.levels[level..].iter().copied();
            let assumptions: Vec<TermId> = after.iter().copied().chain([outside]).chain(chosen).collect();
            let asker = &mut self.steppers[position].asker;
            asker.synchronise(&self.log, &mut self.machine.pool)?;
            if ask(&mut asker.solver, &mut self.machine.pool, &assumptions, self.budget)? == Outcome::Sat {
                return Ok(false);
            }
            needed.extend(core(&asker.solver).into_iter().filter_map(|at| cube.get(at)));
        }
        Ok(true)
    }

    fn primed(&mut self, position: usize, predicate: PredicateId) -> Primed {
        let stepper = &mut self.steppers[position];
        if let Some(known) = stepper.primed[predicate.index()] {
            return known;
        }
        let constraint = self.predicates.get(predicate);
        let changed = before(constraint, &self.machine.transitions[stepper.id].updates);
        let primed = if changed == *constraint {
            Primed::Same
        } else {
            let pool = &mut self.machine.pool;
            let [positive, negative] = [&changed, &changed.negated()].map(|it| pool.constraint_term(it));
            Primed::Changed { positive, negative }
        };
        stepper.primed[predicate.index()] = Some(primed);
        primed
    }

    /// The state that was found, generalised to those literals that matter for the step into a cube.
    fn lifted(&mut self, position: usize, cube: &Cube) -> Cube {
        let stepper = &self.steppers[position];
        let Some(model) = stepper.asker.solver.interpretation() else { return Cube::new() };
        let full = self.predicates.valuation(|variable| model.integer(variable));
        let target: Vec<Constraint> =
            cube.iter().map(|&literal| self.predicates.constraint(literal)).collect();
        let required = self.machine.weakest_precondition(stepper.id, &target, self.budget);
        let mut lifted: BTreeSet<Literal> = BTreeSet::new();
        for constraint in required {
            match self.predicates.literals(&constraint) {
                Some(literals) => lifted.extend(literals),
                None => lifted.extend(self.implying(&full, &constraint)),
            }
        }
        // What the state does not satisfy came from a rounding of the projection.
        lifted.into_iter().filter(|literal| full.contains(literal)).collect()
    }

    /// Literals of a state that imply a constraint, given the counting invariants; all of them if that is not enough.
    fn implying(&self, full: &Cube, constraint: &Constraint) -> Vec<Literal> {
        if constraint.relation() == Relation::Ne {
            return full.clone();
        }
        let mut literals = Vec::new();
        for bound in bounds(constraint) {
            let mut solver = Conjunction::new(Domain::Integers);
            full.iter().for_each(|&literal| {
                solver.assert(&self.predicates.constraint(literal));
            });
            self.linear.iter().chain([&bound.negated()]).for_each(|known| {
                solver.assert(known);
            });
            match (solver.check(self.budget), solver.core()) {
                (Verdict::Unsat, Some(core)) => {
                    literals.extend(core.into_iter().filter_map(|at| full.get(at).copied()));
                }
                _ => return full.clone(),
            }
        }
        literals
    }
}

impl Machine<'_, '_> {
    /// What must hold before a transition so that something can hold after it, as far as states tell.
    pub(super) fn weakest_precondition(
        &self,
        transition: TransitionId,
        target: &[Constraint],
        budget: &Budget,
    ) -> Vec<Constraint> {
        let required = self.required(transition, target);
        let mut inputs: Vec<VarId> =
            required.iter().flat_map(|it| it.form().variables().collect::<Vec<_>>()).collect();
        inputs.retain(|&variable| !self.is_state(variable));
        inputs.sort_unstable();
        inputs.dedup();
        project(Domain::Integers, &required, &inputs, budget).constraints
    }

    /// The same, over inputs as well.
    pub(super) fn required(&self, transition: TransitionId, target: &[Constraint]) -> Vec<Constraint> {
        let Self { transitions, .. } = self;
        let transition = &transitions[transition];
        let after = target.iter().map(|constraint| before(constraint, &transition.updates));
        transition.guard.iter().cloned().chain(after).collect()
    }
}

impl Asker {
    fn synchronise(&mut self, log: &[(usize, TermId)], pool: &mut TermPool) -> Result<(), Interrupted> {
        for (_, clause) in &log[self.synchronised..] {
            assert(&mut self.solver, pool, &[*clause])?;
        }
        self.synchronised = log.len();
        Ok(())
    }
}

/// A solver for each transition that is possible at all.
fn steppers(
    machine: &mut Machine<'_, '_>,
    known: &[TermId],
    predicates: usize,
    budget: &Budget,
) -> Result<Vec<Stepper>, Interrupted> {
    let mut steppers = Vec::new();
    for (id, transition) in machine.transitions.iter() {
        let guard = conjunction(&mut machine.pool, &transition.guard);
        let mut solver = solver(&mut machine.pool, known)?;
        assert(&mut solver, &mut machine.pool, &[guard])?;
        if solver.check(&machine.pool, budget) != Outcome::Unsat {
            let asker = Asker { solver, synchronised: 0 };
            steppers.push(Stepper { id, asker, primed: vec![None; predicates] });
        }
    }
    Ok(steppers)
}

/// A solver for states alone, and variables that stand for each violation and for its negation.
fn states(
    pool: &mut TermPool,
    known: &[TermId],
    violations: &[TermId],
) -> Result<(Asker, Vec<(TermId, TermId)>), Interrupted> {
    let mut solver = solver(pool, known)?;
    let mut named = Vec::new();
    for &violation in violations {
        let (yes, no) = (boolean(pool), boolean(pool));
        let [not_yes, not_no, fine] = [yes, no, violation].map(|it| pool.not(it));
        let meaning = [pool.or([not_yes, violation]), pool.or([not_no, fine])];
        assert(&mut solver, pool, &meaning)?;
        named.push((yes, no));
    }
    Ok((Asker { solver, synchronised: 0 }, named))
}

/// A solver that knows some formulas.
pub(super) fn solver(pool: &mut TermPool, formulas: &[TermId]) -> Result<Solver, Interrupted> {
    let mut solver = Solver::new();
    assert(&mut solver, pool, formulas)?;
    Ok(solver)
}

fn boolean(pool: &mut TermPool) -> TermId {
    let variable = pool.fresh_variable("frame", rely_logic::Sort::Bool);
    pool.var(variable)
}

pub(super) fn conjunction(pool: &mut TermPool, constraints: &[Constraint]) -> TermId {
    let terms: Vec<TermId> = constraints.iter().map(|constraint| pool.constraint_term(constraint)).collect();
    pool.and(terms)
}

pub(super) fn assert(
    solver: &mut Solver,
    pool: &mut TermPool,
    formulas: &[TermId],
) -> Result<(), Interrupted> {
    for &formula in formulas {
        solver.assert(pool, formula).map_err(|_| Interrupted::TooHard)?;
    }
    Ok(())
}

pub(super) fn ask(
    solver: &mut Solver,
    pool: &mut TermPool,
    assumptions: &[TermId],
    budget: &Budget,
) -> Result<Outcome, Interrupted> {
    match solver.check_assuming(pool, assumptions, budget) {
        Ok(Outcome::Unknown(_)) => {
            budget.check_now().map_err(Interrupted::Stopped)?;
            Err(Interrupted::TooHard)
        }
        Ok(outcome) => Ok(outcome),
        Err(_) => Err(Interrupted::TooHard),
    }
}

/// Which of the assumptions were needed for a contradiction.
fn core(solver: &Solver) -> Vec<usize> {
    let formulas = solver.formulas().len();
    let used = solver.proof().map(|proof| proof.core()).unwrap_or_default();
    used.into_iter().filter_map(|number| number.checked_sub(formulas)).collect()
}
