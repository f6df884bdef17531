//! Rankings made by hand are accepted, and every way to damage them is noticed.

use super::models::{self, Model};
use super::ranks::ranking;
use crate::common;
use rely_evidence::rely_guarantee::{RelyGuaranteeDefect, Rule};
use rely_evidence::{Proof, Verdict};
use rely_program::{Goal, Program};

/// The ranking of a text.
fn read(program: &Program, text: &str) -> Proof {
    Proof::Ranking(ranking(program, text))
}

fn defect(program: &Program, text: &str) -> RelyGuaranteeDefect {
    common::defect(program, Goal::Termination, read(program, text))
}

#[track_caller]
fn accepts(model: &Model) -> String {
    match common::verdict(&model.program, Goal::Termination, read(&model.program, model.proof)) {
        Verdict::Safe(proved) => proved.evidence(),
        other => panic!("{}: {other:?}", model.name),
    }
}

#[track_caller]
fn rejects(model: &Model, damages: &[(&str, &str, Rule)]) {
    common::rejects((&model.program, Goal::Termination), model.proof, read, damages);
}

#[test]
fn rankings_are_accepted() {
    for model in models::all() {
        accepts(&model);
    }
    assert_eq!(
        accepts(&models::two_loops()),
        "ranking of 2 components, modular, 4 ranks; confirmed: 24 obligations hold of the simplified program"
    );
}

#[test]
fn damage_to_a_loop_is_noticed() {
    rejects(
        &models::single_loop(),
        &[
            ("T @entry: true", "", Rule::Initially),
            ("T @entry: true", "T @entry: x <= 5", Rule::Initially),
            ("T @exit: true", "", Rule::OwnStep),
            ("T @exit: true", "T @exit: x = 0", Rule::OwnStep),
            // Grows, stands still, shrinks without a bound, jumps below zero too early.
            ("rank T @entry: 1, x", "rank T @entry: 1, 0 - x", Rule::Descent),
            ("rank T @entry: 1, x", "rank T @entry: 1, 7", Rule::Descent),
            ("rank T @entry: 1, x", "rank T @entry: 1, 0 * x", Rule::Descent),
            ("rank T @entry: 1, x", "rank T @entry: 1, x - 1", Rule::Descent),
            ("rank T @entry: 1, x", "rank T @entry: x, 0", Rule::Descent),
            ("rank T @entry: 1, x", "rank T @entry: 0, x", Rule::Descent),
            ("rank T @entry: 1, x", "rank T @entry: x > 3 -> 1, x | 1, 0", Rule::Descent),
            ("rank T @exit: 0, 0", "rank T @exit: 1, 0", Rule::Descent),
        ],
    );
}

#[test]
fn damage_to_lexicographic_order_is_noticed() {
    rejects(
        &models::nested_loops(),
        &[
            ("rank T @inner: 1, i, 1, j", "rank T @inner: 1, j, 1, i", Rule::Descent),
            ("rank T @inner: 1, i, 1, j", "rank T @inner: 1, i, j, 0", Rule::Descent),
            ("rank T @inner: 1, i, 1, j", "rank T @inner: 1, i, 0, j", Rule::Descent),
            ("rank T @inner: 1, i, 1, j", "rank T @inner: 1, i + 1, 1, j", Rule::Descent),
            ("rank T @inner: 1, i, 1, j", "rank T @inner: 1, i, 1, i", Rule::Descent),
            ("rank T @entry: 1, i, 0, 0", "rank T @entry: 1, i, 1, 0", Rule::Descent),
            ("rank T @entry: 1, i, 0, 0", "rank T @entry: 1, i - 1, 0, 0", Rule::Descent),
            ("T @inner: true", "T @inner: j >= 0", Rule::OwnStep),
        ],
    );
}

#[test]
fn what_others_do_to_ranks_is_noticed() {
    rejects(
        &models::two_loops(),
        &[
            ("rank A @entry: 1, a", "rank A @entry: 1, a + b", Rule::Descent),
            ("rank A @entry: 1, a", "rank A @entry: 1, a - b", Rule::Descent),
            ("rank A @entry: 1, a", "rank A @entry: 1, b", Rule::Descent),
            ("rank B @entry: 1, b", "rank B @entry: 1, a", Rule::Descent),
            ("rank B @exit: 0, 0", "rank B @exit: 0, 3 - a", Rule::Descent),
        ],
    );
    rejects(
        &models::lowered_bound(),
        &[
            ("rank A @entry: 1, n - i", "rank A @entry: 1, i - n", Rule::Descent),
            ("rank A @entry: 1, n - i", "rank A @entry: n - i, 0", Rule::Descent),
            ("rank A @exit: 0, 0", "rank A @exit: 0, 0 - n", Rule::Descent),
            ("rank B @entry: 1, m", "rank B @entry: 1, n", Rule::Descent),
            ("effect B @entry: n' <= n", "effect B @entry: n' = n", Rule::Guarantee),
        ],
    );
    rejects(
        &models::shared_budget(),
        &[
            ("rank A @entry: 1, a + b", "rank A @entry: 1, a", Rule::Descent),
            ("rank A @entry: 1, a + b", "rank A @entry: 1, a + 2*b", Rule::Descent),
            ("rank A @exit: 0, a + b", "rank A @exit: 0, a", Rule::Descent),
            ("B @exit: a >= 0 & b >= 0", "B @exit: a >= 0 & b >= 1", Rule::Interference),
        ],
    );
    // Where the other one stands decides whether its rank changes.
    let model = models::shared_budget();
    let weak =
        model.proof.replace("a >= 0 & b >= 0 & a' >= 0 & b' >= 0", "true").replace("a >= 0 & b >= 0", "true");
    assert_eq!(defect(&model.program, &weak).rule(), Some(Rule::Descent));
}

#[test]
fn damage_to_cases_is_noticed() {
    rejects(
        &models::either_way(),
        &[
            ("rank T @entry: left = 1 -> 1, x | 1, y", "rank T @entry: 1, x", Rule::Descent),
            ("rank T @entry: left = 1 -> 1, x | 1, y", "rank T @entry: left = 1 -> 1, x", Rule::Descent),
            (
                "rank T @entry: left = 1 -> 1, x | 1, y",
                "rank T @entry: left = 0 -> 1, x | 1, y",
                Rule::Descent,
            ),
            (
                "rank T @entry: left = 1 -> 1, x | 1, y",
                "rank T @entry: 1, y | left = 1 -> 1, x",
                Rule::Descent,
            ),
            ("rank T @entry: left = 1 -> 1, x | 1, y", "rank T @entry: x > 0 -> 1, x | 1, y", Rule::Descent),
        ],
    );
}

#[test]
fn starts_must_be_paid_for() {
    rejects(
        &models::started(),
        &[
            ("rank child @unstarted: 2, w - 5", "rank child @unstarted: 1, w - 5", Rule::Descent),
            ("rank child @unstarted: 2, w - 5", "rank child @unstarted: 1, 2", Rule::Descent),
            ("rank main @entry: 2, 0", "rank main @entry: 1, 0", Rule::Descent),
            ("rank child @entry: 2, v", "rank child @entry: 2, w", Rule::Descent),
            ("rank child @entry: 2, v", "rank child @entry: 3, v", Rule::Descent),
            // Nobody waits for a thread of which it is not known that it has started, or for no thread.
            ("main @a: t = 2 & child in {entry, second, exit}", "main @a: t = 2", Rule::Progress),
            (
                "main @a: t = 2 & child in {entry, second, exit}",
                "main @a: child in {entry, second, exit}",
                Rule::Progress,
            ),
        ],
    );
    rejects(
        &models::workers(),
        &[
            ("rank main @entry: 1, 4 * n", "rank main @entry: 1, 3 * n", Rule::Descent),
            ("rank main @entry: 1, 4 * n", "rank main @entry: 1, n", Rule::Descent),
            ("rank worker @entry: 0, k + 1", "rank worker @entry: 0, k + 2", Rule::Descent),
            ("rank worker @entry: 0, k + 1", "rank worker @entry: 1, k + 1", Rule::Descent),
            ("rank worker @entry: 0, k + 1", "rank worker @entry: 0, 0 - k", Rule::Descent),
            ("rank worker @entry: 0, k + 1", "rank worker @entry: 0, this", Rule::Descent),
            ("rank worker @exit: 0, 0", "rank worker @exit: 0, 1", Rule::Descent),
            ("worker @entry: k >= 0", "worker @entry: true", Rule::Descent),
            ("worker @entry: k >= 0", "worker @entry: k >= 1", Rule::OwnStep),
            ("worker @entry: k >= 0", "worker @entry: k >= 3", Rule::Start),
        ],
    );
}

#[test]
fn standing_still_is_noticed() {
    rejects(
        &models::locked(),
        &[
            (
                "A @entry: lock = 0 & B in {entry, exit} | lock = 1 & B in {b}",
                "A @entry: lock = 0 | lock = 1 & B in {b}",
                Rule::OwnStep,
            ),
            (
                "A @entry: lock = 0 & B in {entry, exit} | lock = 1 & B in {b}",
                "A @entry: lock = 0 & B in {entry, exit} | lock = 1",
                Rule::Progress,
            ),
            (
                "A @entry: lock = 0 & B in {entry, exit} | lock = 1 & B in {b}",
                "A @entry: lock = 0 & B in {entry, exit}",
                Rule::Interference,
            ),
        ],
    );
    rejects(
        &models::example_2(),
        &[
            ("rank one @l8: 3, 6 - a, 2", "rank one @l8: 3, 5 - a, 2", Rule::Descent),
            ("rank one @head: 3, 5 - a, 9", "rank one @head: 3, 4 - a, 9", Rule::Descent),
            ("rank one @l6: 3, 6 - a, 4", "rank one @l6: 3, a, 4", Rule::Descent),
            ("rank two @exit: 0, 0, 0", "rank two @exit: 0, 0, y", Rule::Descent),
            (
                "one @l3: a <= 4 & mx = 1 & two in {entry, exit} & my = 1 & three in {entry, exit}",
                "one @l3: mx = 1 & two in {entry, exit} & my = 1 & three in {entry, exit}",
                Rule::OwnStep,
            ),
        ],
    );
}

/// Two threads that take two locks in opposite order: no run is infinite, but some end in a deadlock.
#[test]
fn a_deadlock_is_no_end() {
    let program = common::program(
        "var m, n: int = 0;
         process A { entry -> b: m == 0; m := 1; b -> c: n == 0; n := 1; c -> exit: m := 0; n := 0; }
         process B { entry -> b: n == 0; n := 1; b -> c: m == 0; m := 1; c -> exit: m := 0; n := 0; }
         start A; start B;
         terminates;",
    );
    let text = ["A", "B"].map(|name| {
        format!(
            "{name} @entry: true\n{name} @b: true\n{name} @c: true\n{name} @exit: true
             effect {name} @entry: true\neffect {name} @b: true\neffect {name} @c: true
             rank {name} @entry: 3\nrank {name} @b: 2\nrank {name} @c: 1\nrank {name} @exit: 0"
        )
    });
    let found = defect(&program, &text.join("\n"));
    assert_eq!(found.rule(), Some(Rule::Progress), "{found}");
}

#[test]
fn exchanged_threads_are_noticed() {
    let model = models::two_loops();
    let exchanged =
        model.proof.replace("rank A", "rank C").replace("rank B", "rank A").replace("rank C", "rank B");
    assert_eq!(defect(&model.program, &exchanged).rule(), Some(Rule::Descent));
}

#[test]
fn rankings_prove_that_runs_end_and_nothing_else() {
    let model = models::single_loop();
    let goals = [Goal::Assert, Goal::Race, Goal::Overflow];
    common::proves_nothing_about(&goals, &model.program, &read(&model.program, model.proof));
    let mut bare = ranking(&model.program, model.proof);
    bare.ranks.clear();
    assert_eq!(
        common::defect(&model.program, Goal::Termination, Proof::Ranking(bare)).to_string(),
        "the proof is malformed: thread `T` at `entry` has an assertion and no rank"
    );
}
