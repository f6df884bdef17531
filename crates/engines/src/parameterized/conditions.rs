//! Properties as formulas about states of the counter machine.

use super::deadlocks::stuck;
use super::machine::Machine;
use rely_base::Id;
use rely_evidence::rely_guarantee::ControlPoint;
use rely_logic::{LinearForm, TermId, TermPool, VarId};
use rely_program::{BinaryOp, Expr, Goal, PropertyKind, Sort, ThreadId, UnaryOp, definedness};

/// The states in which a property is violated, one formula for each; `None` if one of them is not linear.
pub(super) fn violations(machine: &mut Machine<'_, '_>, goal: Goal) -> Option<Vec<TermId>> {
    let program = machine.system.program;
    let mut violations = Vec::new();
    if goal == Goal::Deadlock {
        violations.push(stuck(machine));
    }
    for property in program.properties().iter().filter(|property| property.kind.goal() == goal) {
        let (condition, ended) = match &property.kind {
            PropertyKind::Always(condition) => (condition, false),
            PropertyKind::AtEnd(condition) => (condition, true),
            PropertyKind::DeadlockFree | PropertyKind::Terminates => continue,
        };
        let mut states: Vec<TermId> = machine
            .undisturbed(None)
            .iter()
            .map(|constraint| machine.pool.constraint_term(constraint))
            .collect();
        if ended {
            states.push(all_ended(machine));
        }
        let defined: Vec<Expr> = definedness(program, condition).into_iter().map(|(_, it)| it).collect();
        for condition in defined.iter().chain([condition]) {
            let holds = truth(machine, condition)?;
            let pool = &mut machine.pool;
            let fails = pool.not(holds);
            violations.push(pool.and(states.iter().copied().chain([fails])));
        }
    }
    Some(violations)
}

/// Every thread that has started has ended.
fn all_ended(machine: &mut Machine<'_, '_>) -> TermId {
    let running = machine.system.thread_ids().map(|thread| running(machine, thread));
    let running =
        running.collect::<Vec<_>>().into_iter().fold(LinearForm::default(), |sum, it| sum.plus(&it));
    let term = machine.pool.form_term(&running);
    machine.pool.eq_zero(term)
}

/// How many threads of a kind have started and not ended.
fn running(machine: &Machine<'_, '_>, thread: ThreadId) -> LinearForm {
    let exit = ControlPoint::At(machine.system.program.threads()[thread].exit);
    let idle = [ControlPoint::Unstarted, exit];
    let points = machine.system.thread(thread).points.iter().zip(&machine.counters[thread.index()]);
    let running = points.filter(|(point, _)| !idle.contains(point)).map(|(_, &counter)| (counter, 1));
    LinearForm::new(running, 0)
}

/// A condition as a formula.
fn truth(machine: &mut Machine<'_, '_>, expr: &Expr) -> Option<TermId> {
    Some(match expr {
        Expr::Bool(value) => machine.pool.truth(*value),
        Expr::Unary(UnaryOp::Not, operand) => {
            let operand = truth(machine, operand)?;
            machine.pool.not(operand)
        }
        Expr::Binary(op, operands) if op.is_connective() => {
            let [left, right] = [truth(machine, &operands[0])?, truth(machine, &operands[1])?];
            let pool = &mut machine.pool;
            match op {
                BinaryOp::And => pool.and([left, right]),
                BinaryOp::Or => pool.or([left, right]),
                _ => pool.implies(left, right),
            }
        }
        Expr::Binary(op, operands) if op.is_comparison() => {
            if let (BinaryOp::Eq | BinaryOp::Ne, true) = (op, is_bool(machine, &operands[0])) {
                let [left, right] = [truth(machine, &operands[0])?, truth(machine, &operands[1])?];
                let same = machine.pool.iff(left, right);
                return Some(if *op == BinaryOp::Eq { same } else { machine.pool.not(same) });
            }
            let [left, right] = [number(machine, &operands[0])?, number(machine, &operands[1])?];
            compared(&mut machine.pool, *op, &left, &right)
        }
        Expr::Ite(parts) => {
            let [condition, yes, no] = parts.as_ref();
            let condition = truth(machine, condition)?;
            let [yes, no] = [truth(machine, yes)?, truth(machine, no)?];
            let pool = &mut machine.pool;
            let otherwise = pool.not(condition);
            let cases = [pool.and([condition, yes]), pool.and([otherwise, no])];
            pool.or(cases)
        }
        Expr::Var(_) | Expr::Element(..) => {
            let form = LinearForm::variable(cell(machine, expr)?);
            let term = machine.pool.form_term(&form);
            let zero = machine.pool.eq_zero(term);
            machine.pool.not(zero)
        }
        _ => return None,
    })
}

fn is_bool(machine: &Machine<'_, '_>, expr: &Expr) -> bool {
    match expr {
        Expr::Bool(_) | Expr::Unary(UnaryOp::Not, _) => true,
        Expr::Binary(op, _) => op.sort() == Sort::Bool,
        Expr::Var(var) | Expr::Element(var, _) => machine.system.program.vars()[*var].sort == Sort::Bool,
        Expr::Ite(parts) => is_bool(machine, &parts[1]),
        _ => false,
    }
}

/// The cases of a number: what it is, and when.
type Cases = Vec<(TermId, LinearForm)>;

fn number(machine: &mut Machine<'_, '_>, expr: &Expr) -> Option<Cases> {
    let always = |machine: &mut Machine<'_, '_>, form| Some(vec![(machine.pool.truth(true), form)]);
    match expr {
        Expr::Int(value) => always(machine, LinearForm::constant(*value)),
        Expr::Var(_) | Expr::Element(..) => {
            let cell = cell(machine, expr)?;
            always(machine, LinearForm::variable(cell))
        }
        Expr::CountAt(location) => {
            let counter = machine.at(*location);
            always(machine, LinearForm::variable(counter))
        }
        Expr::CountRunning(thread) => {
            let running = running(machine, *thread);
            always(machine, running)
        }
        Expr::Unary(UnaryOp::Neg, operand) => {
            let cases = number(machine, operand)?;
            Some(cases.into_iter().map(|(when, form)| (when, form.negated())).collect())
        }
        Expr::Binary(op, operands) => {
            let [left, right] = [number(machine, &operands[0])?, number(machine, &operands[1])?];
            computed(&mut machine.pool, *op, &left, &right)
        }
        Expr::Ite(parts) => {
            let [condition, yes, no] = parts.as_ref();
            let condition = truth(machine, condition)?;
            let otherwise = machine.pool.not(condition);
            let mut cases = Vec::new();
            for (when, chosen) in [(condition, yes), (otherwise, no)] {
                for (also, form) in number(machine, chosen)? {
                    cases.push((machine.pool.and([when, also]), form));
                }
            }
            Some(cases)
        }
        _ => None,
    }
}

/// A sum, a difference, or a multiple; `None` if it is anything else.
fn computed(pool: &mut TermPool, op: BinaryOp, left: &Cases, right: &Cases) -> Option<Cases> {
    let mut cases = Vec::new();
    for (first, left) in left {
        for (second, right) in right {
            let form = match op {
                BinaryOp::Add => left.plus(right),
                BinaryOp::Sub => left.minus(right),
                BinaryOp::Mul if left.is_constant() => right.scaled(left.constant_term()),
                BinaryOp::Mul if right.is_constant() => left.scaled(right.constant_term()),
                _ => return None,
            };
            cases.push((pool.and([*first, *second]), form));
        }
    }
    Some(cases)
}

/// A scalar, or an array at a constant index.
fn cell(machine: &Machine<'_, '_>, expr: &Expr) -> Option<VarId> {
    let (var, index) = match expr {
        Expr::Var(var) => (*var, 0),
        Expr::Element(var, index) => match **index {
            Expr::Int(index) => (*var, usize::try_from(index).ok()?),
            _ => return None,
        },
        _ => return None,
    };
    let is_there = index < machine.system.program.vars()[var].cells();
    is_there.then(|| machine.system.cells.cell(var, index))
}

fn compared(pool: &mut TermPool, op: BinaryOp, left: &Cases, right: &Cases) -> TermId {
    let mut cases = Vec::new();
    for (first, left) in left {
        for (second, right) in right {
            let [left, right] = [left, right].map(|form| pool.form_term(form));
            let holds = match op {
                BinaryOp::Lt => pool.lt(left, right),
                BinaryOp::Le => pool.le(left, right),
                BinaryOp::Gt => pool.gt(left, right),
                BinaryOp::Ge => pool.ge(left, right),
                BinaryOp::Eq => pool.eq(left, right),
                _ => pool.ne(left, right),
            };
            cases.push(pool.and([*first, *second, holds]));
        }
    }
    pool.or(cases)
}
