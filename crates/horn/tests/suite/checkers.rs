//! Damaged models and derivations are refused.

use crate::support::{PATIENT, answer, parsed, problems};
use rely_base::{Budget, Id};
use rely_horn::check::{WrongModel, WrongStep, check_derivation, check_model};
use rely_horn::{Answer, Clause, ClauseId, Derivation, Model, System, TermPool, variables};
use rely_logic::{Node, Sort, TermId, Value, VarId};
use rustc_hash::FxHashMap;

/// Whether some clause is violated at some point with small values: a reason to refuse, found by nothing
/// but evaluation.
fn is_visibly_wrong(pool: &mut TermPool, system: &System, model: &Model) -> bool {
    let clauses: Vec<Clause> = system.clauses().values().cloned().collect();
    clauses.iter().any(|clause| {
        let mut parts = vec![clause.constraint];
        parts.extend(clause.body.iter().map(|used| system.instance(pool, used, model[used.unknown])));
        if let Some(head) = &clause.head {
            let conclusion = system.instance(pool, head, model[head.unknown]);
            parts.push(pool.not(conclusion));
        }
        let violation = pool.and(parts);
        let variables = variables(pool, clause);
        variables.len() <= 4
            && points(pool, &variables)
                .any(|point| pool.evaluate(violation, &point) == Some(Value::Bool(true)))
    })
}

/// All points with values between -2 and 3.
fn points<'p>(
    pool: &'p TermPool,
    variables: &'p [VarId],
) -> impl Iterator<Item = FxHashMap<VarId, Value>> + 'p {
    (0..6_usize.pow(variables.len() as u32)).map(move |number| {
        let mut rest = number;
        let value = |&variable: &VarId| {
            let digit = rest % 6;
            rest /= 6;
            let value = match pool.variable(variable).sort {
                Sort::Bool => Value::Bool(digit % 2 == 1),
                _ => Value::Int((digit as i64 - 2).into()),
            };
            (variable, value)
        };
        variables.iter().map(value).collect()
    })
}

/// Formulas near to a formula: its negation, its parts, what lacks a part, bounds moved by one.
fn damaged(pool: &mut TermPool, formula: TermId) -> Vec<TermId> {
    let mut found = vec![pool.not(formula), pool.truth(true), pool.truth(false)];
    let parts = match pool.node(formula) {
        Node::And(parts) | Node::Or(parts) => parts.to_vec(),
        _ => vec![],
    };
    let is_and = matches!(pool.node(formula), Node::And(_));
    for skipped in 0..parts.len() {
        let rest: Vec<TermId> =
            parts.iter().enumerate().filter(|(index, _)| *index != skipped).map(|(_, &part)| part).collect();
        found.push(if is_and { pool.and(rest) } else { pool.or(rest) });
    }
    for term in pool.subterms([formula]) {
        if let Node::LeZero(form) = *pool.node(term) {
            for shift in [-1, 1] {
                let by = pool.int(shift);
                let moved = pool.add(form, by);
                let bound = pool.le_zero(moved);
                found.push(pool.substitute(formula, &[(term, bound)].into_iter().collect()));
            }
        }
    }
    found.retain(|&other| other != formula);
    found
}

#[test]
fn damaged_models_are_refused() {
    let (mut wrong, mut tried) = (0, 0);
    for (name, _, text) in problems() {
        let (mut pool, system, answer) = answer(&text, PATIENT);
        let Answer::Sat(model) = answer else { continue };
        for unknown in system.unknowns().ids() {
            for formula in damaged(&mut pool, model[unknown]) {
                let mut other = model.clone();
                other[unknown] = formula;
                tried += 1;
                if is_visibly_wrong(&mut pool, &system, &other) {
                    let checked = check_model(&mut pool, &system, &other, &Budget::unlimited());
                    assert!(matches!(checked, Err(WrongModel::Invalid(_))), "{name}: {checked:?}");
                    wrong += 1;
                }
            }
        }
    }
    assert!(wrong > 100 && tried > 200, "{wrong} of {tried}");
}

#[test]
fn models_of_another_shape_are_refused() {
    let (mut pool, system, answer) =
        answer("(declare-fun p (Int) Bool)(assert (forall ((x Int)) (=> (p x) (> x 0))))", PATIENT);
    let Answer::Sat(model) = answer else { panic!("{answer:?}") };
    let budget = Budget::unlimited();
    assert_eq!(check_model(&mut pool, &system, &model, &budget), Ok(()));
    let missing = check_model(&mut pool, &system, &Model::new(), &budget);
    assert_eq!(missing, Err(WrongModel::Count { expected: 1, found: 0 }));
    let foreign = pool.bool_var("foreign");
    let number = pool.int(1);
    for formula in [foreign, number] {
        let other: Model = [formula].into_iter().collect();
        assert_eq!(
            check_model(&mut pool, &system, &other, &budget),
            Err(WrongModel::Foreign("p".to_owned()))
        );
    }
    // A budget that has ended is no reason to accept.
    let text = "(declare-fun p (Int) Bool)(assert (forall ((x Int) (y Int)) (=> (and (p x) (or (< x y) (> x y))) (p y))))";
    let (mut pool, system) = parsed(text);
    let (x, two) = (pool.var(system.unknowns().values().next().unwrap().parameters[0]), pool.int(2));
    let formula = pool.modulo(x, 2).map(|rest| pool.lt(rest, two)).unwrap();
    let ended = Budget::builder().time(std::time::Duration::ZERO).build();
    let checked = check_model(&mut pool, &system, &[formula].into_iter().collect(), &ended);
    assert!(!matches!(checked, Err(WrongModel::Invalid(_))), "{checked:?}");
}

fn derivation(text: &str) -> (TermPool, System, Derivation) {
    match answer(text, PATIENT) {
        (pool, system, Answer::Unsat(derivation)) => (pool, system, derivation),
        (_, _, other) => panic!("{other:?}"),
    }
}

#[test]
fn damaged_derivations_are_refused() {
    let mut tried = 0;
    for (name, expected, text) in problems() {
        if expected != "unsat" {
            continue;
        }
        let (pool, system, found) = derivation(&text);
        assert_eq!(check_derivation(&pool, &system, &found), Ok(()), "{name}");
        let refused = |other: &Derivation| {
            let checked = check_derivation(&pool, &system, other);
            assert!(checked.is_err(), "{name}: {other:?}");
        };
        for number in 0..found.steps.len() {
            let mut other = found.clone();
            other.steps.remove(number);
            // What did not lead anywhere may be missing, but then the numbers are wrong.
            let is_used = found.steps.iter().any(|step| step.premises.contains(&number));
            if is_used || number + 1 == found.steps.len() {
                refused(&other);
            }
            let mut other = found.clone();
            other.steps[number].clause = ClauseId::from_index(system.clauses().len());
            refused(&other);
            for place in 0..found.steps[number].premises.len() {
                let mut other = found.clone();
                other.steps[number].premises[place] = number;
                refused(&other);
                other.steps[number].premises.remove(place);
                refused(&other);
            }
            tried += 1;
        }
    }
    assert!(tried > 10, "{tried}");
}

/// Where every value is determined, none can be another.
#[test]
fn changed_values_are_refused() {
    let text = "(declare-fun inv (Int Bool) Bool)
        (assert (inv 0 true))
        (assert (forall ((x Int) (b Bool)) (=> (and (inv x b) (= b (= (mod x 2) 0))) (inv (+ x 1) (not b)))))
        (assert (forall ((x Int) (b Bool)) (=> (and (inv x b) (= x 5) (not b)) false)))";
    let (pool, system, found) = derivation(text);
    assert_eq!(found.steps.len(), 7);
    for number in 0..found.steps.len() {
        for place in 0..found.steps[number].values.len() {
            let mut other = found.clone();
            let value = &mut other.steps[number].values[place].1;
            *value = match value {
                Value::Int(value) => Value::Int(value.clone() + rely_logic::Integer::ONE),
                Value::Bool(value) => Value::Bool(!*value),
                Value::Array { .. } => unreachable!("there are no arrays"),
            };
            assert!(check_derivation(&pool, &system, &other).is_err(), "{number} {place}");
            other.steps[number].values.remove(place);
            assert_eq!(check_derivation(&pool, &system, &other), Err(WrongStep::NoValue(number)));
        }
    }
    assert_eq!(check_derivation(&pool, &system, &Derivation::default()), Err(WrongStep::NotFalse));
}
