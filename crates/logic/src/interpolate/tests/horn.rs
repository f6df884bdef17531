//! Horn clauses, those of the POPL 2011 paper among them.

use expect_test::{Expect, expect};
use rely_base::Budget;

use super::notation::{NamedSystem, formula, shown, variable};
use crate::interpolate::{Derivation, HornOutcome, Limits, Unknown};
use crate::term::TermPool;

/// Solves a system; the solution or the derivation as text.
fn answer(pool: &mut TermPool, named: &NamedSystem) -> String {
    match named.system.solve(pool, &Limits::default(), &Budget::unlimited()) {
        HornOutcome::Solved(solution) => {
            let line =
                |(name, unknown): &(String, _)| format!("{name}: {}\n", shown(pool, solution[*unknown]));
            named.names.iter().map(line).collect()
        }
        HornOutcome::Unsatisfiable(derivation) => derivation_text(pool, &derivation, 0),
        HornOutcome::NotInVocabulary => "not in the vocabulary\n".to_owned(),
        HornOutcome::Unknown(unknown) => format!("unknown: {unknown}\n"),
    }
}

fn derivation_text(pool: &TermPool, derivation: &Derivation, depth: usize) -> String {
    use crate::linear::VarNames;
    struct Name<'a>(&'a TermPool, crate::linear::VarId);
    impl std::fmt::Display for Name<'_> {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            self.0.write_name(self.1, f)
        }
    }
    let value = |value: &crate::term::Value| match value {
        crate::term::Value::Int(value) => value.to_string(),
        other => format!("{other:?}"),
    };
    let values: Vec<String> =
        derivation.values.iter().map(|(v, x)| format!("{} = {}", Name(pool, *v), value(x))).collect();
    let mut text = format!("{}{:?} at {}\n", "  ".repeat(depth), derivation.clause, values.join(", "));
    for premise in &derivation.premises {
        text += &derivation_text(pool, premise, depth + 1);
    }
    text
}

fn check(declarations: &[&str], clauses: &[&str], expected: Expect) {
    let mut pool = TermPool::new();
    let named = NamedSystem::new(&mut pool, declarations, clauses);
    expected.assert_eq(&answer(&mut pool, &named));
}

/// The control locations are numbers: a = 0, b = 1 and p = 0, q = 1.
const INITIAL: &str = "lock = 0 & pc1 = 0 & pc2 = 0";
const TAKE_1: &str = "lock = 0 & lock' = 1 & pc1 = 0 & pc1' = 1 & pc2' = pc2";
const TAKE_2: &str = "lock = 0 & lock' = 1 & pc2 = 0 & pc2' = 1 & pc1' = pc1";
const TAKE_2_BY_ID: &str = "lock = 0 & lock' = 2 & pc2 = 0 & pc2' = 1 & pc1' = pc1";
const ERROR: &str = "pc1 = 1 & pc2 = 1";

#[test]
fn lock_bit_first_refinement() {
    let states = ["m1", "m2", "n1", "n2"].map(|state| format!("{state}(lock, pc1, pc2)"));
    let declarations: Vec<&str> = states.iter().map(String::as_str).collect();
    check(
        &declarations,
        &[
            &format!("{INITIAL} -> m1(lock, pc1, pc2)"),
            &format!("m1(lock, pc1, pc2) & {TAKE_1} -> m2(lock', pc1', pc2')"),
            &format!("{INITIAL} -> n1(lock, pc1, pc2)"),
            &format!("n1(lock, pc1, pc2) & {TAKE_2} -> n2(lock', pc1', pc2')"),
            &format!("m2(lock, pc1, pc2) & n2(lock, pc1, pc2) & {ERROR} -> false"),
        ],
        expect![[r#"
            m1: pc2 = 0
            m2: pc2 = 0
            n1: true
            n2: true
        "#]],
    );
}

/// The clauses of the second refinement of LockBit, with `%` for the parameters of states.
fn second_refinement(take_2: &str) -> Vec<String> {
    vec![
        format!("{INITIAL} -> m1(lock, pc1, pc2)"),
        format!("m1(lock, pc1, pc2) & {TAKE_1} -> m2(lock', pc1', pc2')"),
        format!("{INITIAL} -> n1(lock, pc1, pc2)"),
        format!("n1(lock, pc1, pc2) & {take_2} -> n2(lock', pc1', pc2')"),
        format!("m1(lock, pc1, pc2) & {TAKE_1} -> e1(lock, pc1, pc2, lock', pc1', pc2')"),
        "n2(lock, pc1, pc2) & e1(lock, pc1, pc2, lock', pc1', pc2') & pc2' = pc2 -> n3(lock', pc1', pc2')"
            .to_owned(),
        format!("n1(lock, pc1, pc2) & {take_2} -> e2(lock, pc1, pc2, lock', pc1', pc2')"),
        "m2(lock, pc1, pc2) & e2(lock, pc1, pc2, lock', pc1', pc2') & pc1' = pc1 -> m3(lock', pc1', pc2')"
            .to_owned(),
        format!("m3(lock, pc1, pc2) & n3(lock, pc1, pc2) & {ERROR} -> false"),
    ]
}

const STATES_AND_TRANSITIONS: [&str; 8] = [
    "m1(lock, pc1, pc2)",
    "m2(lock, pc1, pc2)",
    "m3(lock, pc1, pc2)",
    "n1(lock, pc1, pc2)",
    "n2(lock, pc1, pc2)",
    "n3(lock, pc1, pc2)",
    "e1(lock, pc1, pc2, lock', pc1', pc2')",
    "e2(lock, pc1, pc2, lock', pc1', pc2')",
];

#[test]
fn lock_bit_second_refinement() {
    let clauses = second_refinement(TAKE_2);
    let clauses: Vec<&str> = clauses.iter().map(String::as_str).collect();
    check(
        &STATES_AND_TRANSITIONS,
        &clauses,
        expect![[r#"
        m1: true
        m2: lock = 1
        m3: false
        n1: true
        n2: true
        n3: true
        e1: true
        e2: lock = 0
    "#]],
    );
}

/// Restricts the states of each thread to the lock and the thread's own location, and transitions
/// to the lock.
fn make_modular(pool: &mut TermPool, named: &mut NamedSystem) {
    for (name, unknown) in named.names.clone() {
        let allowed: &[&str] = match &name[..1] {
            "m" => &["lock", "pc1"],
            "n" => &["lock", "pc2"],
            _ => &["lock", "lock'"],
        };
        let allowed: Vec<_> = allowed.iter().map(|name| variable(pool, name)).collect();
        named.system.restrict(unknown, |parameter| allowed.contains(&parameter));
    }
}

#[test]
fn lock_id_has_a_modular_solution() {
    let mut pool = TermPool::new();
    let clauses = [
        format!("{INITIAL} -> m1(lock, pc1, pc2)"),
        format!("m1(lock, pc1, pc2) & {TAKE_1} -> m2(lock', pc1', pc2')"),
        format!("{INITIAL} -> n1(lock, pc1, pc2)"),
        format!("n1(lock, pc1, pc2) & {TAKE_2_BY_ID} -> n2(lock', pc1', pc2')"),
        format!("m2(lock, pc1, pc2) & n2(lock, pc1, pc2) & {ERROR} -> false"),
    ];
    let clauses: Vec<&str> = clauses.iter().map(String::as_str).collect();
    let states = ["m1(lock, pc1, pc2)", "m2(lock, pc1, pc2)", "n1(lock, pc1, pc2)", "n2(lock, pc1, pc2)"];
    let mut named = NamedSystem::new(&mut pool, &states, &clauses);
    make_modular(&mut pool, &mut named);
    expect![[r#"
        m1: true
        m2: lock = 1
        n1: true
        n2: lock = 2
    "#]]
    .assert_eq(&answer(&mut pool, &named));
}

#[test]
fn lock_bit_has_no_modular_solution_at_first() {
    let mut pool = TermPool::new();
    let clauses = [
        format!("{INITIAL} -> m1(lock, pc1, pc2)"),
        format!("m1(lock, pc1, pc2) & {TAKE_1} -> m2(lock', pc1', pc2')"),
        format!("{INITIAL} -> n1(lock, pc1, pc2)"),
        format!("n1(lock, pc1, pc2) & {TAKE_2} -> n2(lock', pc1', pc2')"),
        format!("m2(lock, pc1, pc2) & n2(lock, pc1, pc2) & {ERROR} -> false"),
    ];
    let clauses: Vec<&str> = clauses.iter().map(String::as_str).collect();
    let states = ["m1(lock, pc1, pc2)", "m2(lock, pc1, pc2)", "n1(lock, pc1, pc2)", "n2(lock, pc1, pc2)"];
    let mut named = NamedSystem::new(&mut pool, &states, &clauses);
    make_modular(&mut pool, &mut named);
    expect![["not in the vocabulary\n"]].assert_eq(&answer(&mut pool, &named));
}

/// LockBitCnt (Fig. 12): a counter of thread 1 makes a solution possible that is not modular.
fn lock_bit_cnt(pool: &mut TermPool, modular: bool) -> NamedSystem {
    let initial = "lock = 0 & cnt = 0 & pc1 = 0 & pc2 = 0";
    let count = "pc1 = 0 & pc1' = 1 & lock' = lock & cnt' = cnt + 1 & cnt' >= 1 & pc2' = pc2";
    let take_1 = "pc1 = 1 & pc1' = 2 & lock = 0 & lock' = 1 & cnt' = cnt & pc2' = pc2";
    let take_2 = "pc2 = 0 & pc2' = 1 & lock = 0 & lock' = 1 & pc1' = pc1 & cnt' = cnt";
    let (now, next) = ("lock, cnt, pc1, pc2", "lock', cnt', pc1', pc2'");
    let clauses = [
        format!("{initial} -> m1({now})"),
        format!("m1({now}) & {count} -> m2({next})"),
        format!("m2({now}) & {take_1} -> m3({next})"),
        format!("m2({now}) & {take_1} -> e1({now}, {next})"),
        format!("m3({now}) & e2({now}, {next}) & pc1' = pc1 & cnt' = cnt -> m4({next})"),
        format!("{initial} -> n1({now})"),
        format!("n1({now}) & {take_2} -> n2({next})"),
        format!("n1({now}) & {take_2} -> e2({now}, {next})"),
        format!("n2({now}) & e1({now}, {next}) & pc2' = pc2 -> n3({next})"),
        format!("m4({now}) & n3({now}) & pc1 = 2 & pc2 = 1 -> false"),
    ];
    let clauses: Vec<&str> = clauses.iter().map(String::as_str).collect();
    let mut declarations: Vec<String> =
        ["m1", "m2", "m3", "m4", "n1", "n2", "n3"].iter().map(|name| format!("{name}({now})")).collect();
    declarations.extend(["e1", "e2"].iter().map(|name| format!("{name}({now}, {next})")));
    let declarations: Vec<&str> = declarations.iter().map(String::as_str).collect();
    let mut named = NamedSystem::new(pool, &declarations, &clauses);
    if modular {
        for (name, unknown) in named.names.clone() {
            let allowed: &[&str] = match &name[..1] {
                "m" => &["lock", "pc1", "cnt"],
                "n" => &["lock", "pc2"],
                _ => &["lock", "lock'"],
            };
            let allowed: Vec<_> = allowed.iter().map(|name| variable(pool, name)).collect();
            named.system.restrict(unknown, |parameter| allowed.contains(&parameter));
        }
    }
    named
}

#[test]
fn lock_bit_cnt_with_all_variables() {
    let mut pool = TermPool::new();
    let named = lock_bit_cnt(&mut pool, false);
    expect![[r#"
        m1: true
        m2: true
        m3: lock = 1
        m4: false
        n1: true
        n2: true
        n3: true
        e1: true
        e2: lock = 0
    "#]]
    .assert_eq(&answer(&mut pool, &named));
}

#[test]
fn lock_bit_cnt_with_modular_bias() {
    let mut pool = TermPool::new();
    let named = lock_bit_cnt(&mut pool, true);
    expect![[r#"
        m1: true
        m2: true
        m3: lock = 1
        m4: false
        n1: true
        n2: true
        n3: true
        e1: true
        e2: lock = 0
    "#]]
    .assert_eq(&answer(&mut pool, &named));
}

#[test]
fn several_clauses_imply_one_predicate() {
    check(
        &["r(x)"],
        &["x = 1 -> r(x)", "x = 5 -> r(x)", "r(x) & x = 3 -> false", "r(x) & x > 9 -> false"],
        expect![[r#"
            r: x = 1 ∨ x = 5
        "#]],
    );
    check(
        &["r(x)", "s(x)"],
        &["x = 0 -> r(x)", "r(x) -> s(x + 1)", "x >= 7 -> s(x)", "s(x) & x < 1 -> false"],
        expect![[r#"
            r: x = 0
            s: x >= 1
        "#]],
    );
}

#[test]
fn a_predicate_without_clauses_is_false() {
    check(
        &["r(x)"],
        &["r(x) & x > 0 -> false"],
        expect![[r#"
        r: false
    "#]],
    );
}

#[test]
fn a_predicate_that_nobody_needs_is_true() {
    check(
        &["r(x)"],
        &["x > 0 -> r(x)", "x > x -> false"],
        expect![[r#"
        r: true
    "#]],
    );
}

#[test]
fn arguments_may_be_terms_and_repeat() {
    check(
        &["r(x, y)"],
        &["z > 3 -> r(z, z + 1)", "r(u, u) -> false", "r(u, 2) -> false"],
        expect![[r#"
            r: y >= 5 ∧ x < y
        "#]],
    );
    check(
        &["r(x, y)"],
        &["true -> r(z, z)", "r(u, v) & u != v -> false"],
        expect![[r#"
            r: x = y
        "#]],
    );
}

#[test]
fn truth_values_are_parameters_too() {
    check(
        &["r(P, x)"],
        &["P & x > 0 -> r(P, x)", "r(P, x) & !P -> false"],
        expect![[r#"
        r: P
    "#]],
    );
}

#[test]
fn a_derivation_of_false_is_concrete() {
    check(
        &["r(x)", "s(x)"],
        &["x = 1 -> r(x)", "x = 2 -> r(x)", "r(x) & r(y) & x < y -> s(x + y)", "s(x) & x = 3 -> false"],
        expect![[r#"
            ClauseId(3) at x = 3
              ClauseId(2) at x = 1, y = 2
                ClauseId(0) at x = 1
                ClauseId(1) at x = 2
        "#]],
    );
}

#[test]
fn recursive_clauses_are_not_for_here() {
    let mut pool = TermPool::new();
    let named = NamedSystem::new(&mut pool, &["r(x)"], &["r(x) -> r(x + 1)", "r(x) & x < 0 -> false"]);
    let outcome = named.system.solve(&mut pool, &Limits::default(), &Budget::unlimited());
    assert!(matches!(outcome, HornOutcome::Unknown(Unknown::Recursive)), "{outcome:?}");
}

#[test]
fn too_many_uses_are_said_so() {
    // Every predicate is used twice by the next one: the tree is exponential.
    let declarations: Vec<String> = (0..20).map(|n| format!("r{n}(x)")).collect();
    let mut clauses = vec!["x > 0 -> r0(x)".to_owned()];
    clauses.extend((1..20).map(|n| format!("r{0}(x) & r{0}(y) -> r{n}(x + y)", n - 1)));
    clauses.push("r19(x) & x < 0 -> false".to_owned());
    let declarations: Vec<&str> = declarations.iter().map(String::as_str).collect();
    let clauses: Vec<&str> = clauses.iter().map(String::as_str).collect();
    check(&declarations, &clauses, expect![["unknown: the clauses unfold into too many parts\n"]]);
}

#[test]
fn candidates_solve_what_they_can() {
    let mut pool = TermPool::new();
    let mut named = NamedSystem::new(
        &mut pool,
        &["a(x, y)", "b(x, y)"],
        &["x = 0 & y = 0 -> a(x, y)", "a(x, y) & z = x + 2 -> b(z, y)", "b(x, y) & y > x -> false"],
    );
    let wanted = ["x = y", "x >= y", "y = 0"].map(|text| formula(&mut pool, text));
    for name in ["a", "b"] {
        named.system.prefer(named.unknown(name), wanted);
    }
    expect![[r#"
        a: x = y
        b: x >= y
    "#]]
    .assert_eq(&answer(&mut pool, &named));
}
