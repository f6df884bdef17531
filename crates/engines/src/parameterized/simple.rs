//! Proofs without a search: sums that every step keeps, and what instances know by themselves.
//!
//! Threads that each add 1,000 times under a lock are the example: what they have added is the sum of their loop
//! counters, and each of these is 1,000 in the end. How many threads there are hardly matters: nothing is told apart by
//! where several of them are at once. What is not proved that way is left to others.

use super::affine::sums;
use super::alone::Alone;
use super::certificate::simple_certificate;
use super::conditions::violations;
use super::frames::{Interrupted, ask, assert, conjunction, solver};
use super::machine::{End, Machine};
use super::meaning;
use super::unseen::Assumptions;
use rely_base::{Budget, Id};
use rely_evidence::counting::Counting;
use rely_evidence::rely_guarantee::ControlPoint;
use rely_logic::{Constraint, LinearForm, Outcome, TermId};
use rely_symbolic::{ControlPointId, System};

/// The proof, if that is enough for one.
pub(super) fn simple_proof(system: &System<'_>, budget: &Budget) -> Result<Option<Counting>, Interrupted> {
    let alone = Alone::new(system, budget).map_err(Interrupted::Stopped)?;
    let mut machine = Machine::new(system, &[], &Assumptions::default());
    let equations = sums(&machine, |transition| {
        let by = system.get(transition.by);
        alone.known(by.thread, by.source)
    });
    let Some(violations) = violations(&mut machine, system.goal) else { return Ok(None) };
    let mut known: Vec<TermId> = equations.iter().map(|it| meaning(&mut machine, it)).collect();
    let facts = machine.facts.clone();
    known.push(conjunction(&mut machine.pool, &facts));
    let local = implications(&machine, &alone);
    for (counter, constraint) in local {
        let pool = &mut machine.pool;
        let elsewhere = pool.constraint_term(&counter);
        let holds = pool.constraint_term(&constraint);
        known.push(pool.or([elsewhere, holds]));
    }
    let failing = machine.transitions.values().filter(|transition| transition.end == End::Fails);
    let failing: Vec<Vec<Constraint>> = failing.map(|transition| transition.guard.clone()).collect();
    let failing: Vec<TermId> = failing.iter().map(|guard| conjunction(&mut machine.pool, guard)).collect();
    for violation in violations.into_iter().chain(failing) {
        let mut solver = solver(&mut machine.pool, &known)?;
        assert(&mut solver, &mut machine.pool, &[violation])?;
        if ask(&mut solver, &mut machine.pool, &[], budget)? != Outcome::Unsat {
            return Ok(None);
        }
    }
    Ok(simple_certificate(&machine, &equations, &alone))
}

/// What holds if an instance is somewhere: that it is not there, or else the constraint.
fn implications(machine: &Machine<'_, '_>, alone: &Alone) -> Vec<(Constraint, Constraint)> {
    let system = machine.system;
    let mut implications = Vec::new();
    for thread in system.thread_ids() {
        for (index, &counter) in machine.counters[thread.index()].iter().enumerate() {
            let point = ControlPointId::from_index(index);
            let elsewhere = Constraint::eq(&LinearForm::variable(counter), &LinearForm::constant(0));
            let own = alone.known(thread, point).iter().cloned();
            let ended = alone.ended(thread, point).iter().map(|&other| {
                let exit = ControlPoint::At(system.program.threads()[other].exit);
                let at_exit = machine.counter(other, system.point(other, exit));
                Constraint::eq(&LinearForm::variable(at_exit), &LinearForm::constant(1))
            });
            implications.extend(own.chain(ended).map(|it| (elsewhere.clone(), it)));
        }
    }
    implications
}
