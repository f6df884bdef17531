//! Proofs made by hand are accepted, and every way to damage them is noticed.

use super::models::{self, Model};
use crate::common;
use crate::notation::proof;
use rely_evidence::rely_guarantee::{RelyGuaranteeDefect, Rule};
use rely_evidence::{Proof, Verdict};
use rely_program::{Goal, Program};

/// The proof of a text.
fn read(program: &Program, text: &str) -> Proof {
    Proof::RelyGuarantee(proof(program, text))
}

fn defect(model: &Model, text: &str) -> RelyGuaranteeDefect {
    common::defect(&model.program, Goal::Assert, read(&model.program, text))
}

#[track_caller]
fn accepts(model: &Model) -> String {
    match common::verdict(&model.program, Goal::Assert, read(&model.program, model.proof)) {
        Verdict::Safe(proved) => {
            assert_eq!(proved.is_modular(), model.is_modular);
            proved.evidence()
        }
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn rejects(model: &Model, damages: &[(&str, &str, Rule)]) {
    common::rejects((&model.program, Goal::Assert), model.proof, read, damages);
}

#[test]
fn proofs_are_accepted() {
    for model in models::all() {
        accepts(&model);
    }
    assert_eq!(
        accepts(&models::lock_id()),
        "rely-guarantee proof, modular, 6 assertions; confirmed: 23 obligations hold of the simplified program"
    );
}

#[test]
fn properties_of_states_are_looked_at() {
    let model = models::increments();
    let weak = "A @entry: true
                A @b: x >= A.old
                A @exit: true
                B @entry: true
                effect A @entry: true
                effect A @b: true
                effect B @entry: x' >= x";
    assert_eq!(defect(&model, weak).rule(), Some(Rule::Always));
    let model = models::spawn_and_join();
    let weak = model.proof.replace("main @exit: x = 3 & child in {exit}", "main @exit: child in {exit}");
    let weak = weak.replace("child @exit: x = 3", "child @exit: true");
    assert_eq!(defect(&model, &weak).rule(), Some(Rule::AtEnd));
    // The only state with 9 is the one in which the program has halted.
    let model = models::halting_with(9);
    let found = defect(&model, model.proof);
    assert_eq!(found.rule(), Some(Rule::Always));
    assert!(found.to_string().contains("edge 0 of `A`, property 0"), "{found}");
}

#[test]
fn damage_to_a_modular_proof_is_noticed() {
    rejects(
        &models::lock_id(),
        &[
            ("T1 @entry: true", "", Rule::Initially),
            ("T1 @entry: true", "T1 @entry: false", Rule::Initially),
            ("T1 @entry: true", "T1 @entry: lock = 1", Rule::Initially),
            ("T1 @entry: true", "T1 @entry: lock = 0", Rule::Interference),
            ("T1 @b: lock = 1", "", Rule::OwnStep),
            ("T1 @b: lock = 1", "T1 @b: lock = 2", Rule::OwnStep),
            ("T1 @b: lock = 1", "T1 @b: true", Rule::Guarantee),
            ("T1 @exit: true", "T1 @exit: lock = 0", Rule::Interference),
            ("T2 @b: lock = 2", "T2 @b: lock = 1", Rule::Interference),
            ("T2 @exit: true", "", Rule::OwnStep),
            ("effect T1 @entry: lock = 0 & lock' = 1", "", Rule::Guarantee),
            ("effect T1 @entry: lock = 0 & lock' = 1", "effect T1 @entry: false", Rule::Guarantee),
            ("effect T1 @entry: lock = 0 & lock' = 1", "effect T1 @entry: lock' = 1", Rule::Interference),
            (
                "effect T1 @entry: lock = 0 & lock' = 1",
                "effect T1 @entry: lock = 0 & lock' = 2",
                Rule::Guarantee,
            ),
            ("effect T1 @b: lock = 1 & lock' = 0", "effect T1 @b: lock' = 0", Rule::Interference),
            ("effect T2 @b: lock = 2 & lock' = 0", "effect T2 @b: lock = 1 & lock' = 0", Rule::Guarantee),
            ("effect T2 @b: lock = 2 & lock' = 0", "effect T2 @b: true", Rule::Interference),
        ],
    );
}

#[test]
fn exchanged_threads_are_noticed() {
    let model = models::lock_id();
    let exchanged = model.proof.replace("T1", "T0").replace("T2", "T1").replace("T0", "T2");
    assert_eq!(defect(&model, &exchanged).rule(), Some(Rule::OwnStep));
}

#[test]
fn damage_to_places_is_noticed() {
    rejects(
        &models::lock_bit(),
        &[
            (
                "T1 @entry: lock = 0 & T2 in {entry, exit} | lock = 1 & T2 in {b}",
                "T1 @entry: lock = 0 & T2 in {entry, exit}",
                Rule::Interference,
            ),
            (
                "T1 @entry: lock = 0 & T2 in {entry, exit} | lock = 1 & T2 in {b}",
                "T1 @entry: lock = 1 & T2 in {b}",
                Rule::Initially,
            ),
            (
                "T1 @entry: lock = 0 & T2 in {entry, exit} | lock = 1 & T2 in {b}",
                "T1 @entry: lock = 0 & T2 in {exit} | lock = 1 & T2 in {b}",
                Rule::Initially,
            ),
            ("T1 @b: lock = 1 & T2 in {entry, exit}", "T1 @b: lock = 1", Rule::OwnStep),
            ("T1 @b: lock = 1 & T2 in {entry, exit}", "T1 @b: lock = 1 & T2 in {entry}", Rule::OwnStep),
            ("T1 @b: lock = 1 & T2 in {entry, exit}", "T1 @b: lock = 1 & T2 in {b}", Rule::OwnStep),
            (
                "effect T2 @b: lock = 1 & lock' = 0 & T1 in {entry, exit}",
                "effect T2 @b: lock = 1 & lock' = 0 & T1 in {entry}",
                Rule::Guarantee,
            ),
            (
                "effect T2 @b: lock = 1 & lock' = 0 & T1 in {entry, exit}",
                "effect T2 @b: lock = 1 & lock' = 0 & T1 in {b}",
                Rule::Guarantee,
            ),
            (
                "T2 @exit: lock = 0 & T1 in {entry, exit} | lock = 1 & T1 in {b}",
                "T2 @exit: lock = 0 & T1 in {entry, exit}",
                Rule::Interference,
            ),
        ],
    );
}

#[test]
fn damage_around_starts_is_noticed() {
    rejects(
        &models::spawn_and_join(),
        &[
            ("child @unstarted: true", "", Rule::Initially),
            ("child @entry: v = 3 & w = 5", "", Rule::Start),
            ("child @entry: v = 3 & w = 5", "child @entry: v = 4 & w = 5", Rule::Start),
            ("child @entry: v = 3 & w = 5", "child @entry: v = 3", Rule::Check),
            ("child @entry: v = 3 & w = 5", "child @entry: w = 5", Rule::OwnStep),
            ("child @c: v = 3", "child @c: true", Rule::OwnStep),
            ("effect child @c: x' = 3", "effect child @c: x' = 4", Rule::Guarantee),
            ("effect child @c: x' = 3", "effect child @c: true", Rule::Interference),
            (
                "main @a: t = 2 & child in {entry, c} | t = 2 & child in {exit} & x = 3",
                "main @a: child in {entry, c} | child in {exit} & x = 3",
                Rule::Check,
            ),
            (
                "main @a: t = 2 & child in {entry, c} | t = 2 & child in {exit} & x = 3",
                "main @a: t != 0 & child in {entry, c} | t = 2 & child in {exit} & x = 3",
                Rule::Interference,
            ),
            (
                "main @a: t = 2 & child in {entry, c} | t = 2 & child in {exit} & x = 3",
                "main @a: t = 2",
                Rule::OwnStep,
            ),
            (
                "main @a: t = 2 & child in {entry, c} | t = 2 & child in {exit} & x = 3",
                "main @a: t = 2 & child in {entry, c}",
                Rule::Interference,
            ),
            ("main @b: x = 3 & child in {exit}", "main @b: child in {exit}", Rule::Check),
            ("main @entry: x = 0 & child in {unstarted}", "main @entry: x = 0", Rule::Interference),
            (
                "main @entry: x = 0 & child in {unstarted}",
                "main @entry: x = 1 & child in {unstarted}",
                Rule::Initially,
            ),
        ],
    );
}

#[test]
fn damage_to_increments_is_noticed() {
    rejects(
        &models::increments(),
        &[
            ("A @b: x >= A.old & x >= 0", "A @b: x >= 0", Rule::Check),
            ("A @b: x >= A.old & x >= 0", "A @b: x = A.old & x >= 0", Rule::Interference),
            ("A @b: x >= A.old & x >= 0", "A @b: x > A.old & x >= 0", Rule::OwnStep),
            ("effect B @entry: x' = x + 1", "effect B @entry: x' != x", Rule::Interference),
            ("effect B @entry: x' = x + 1", "effect B @entry: x' = x", Rule::Guarantee),
            ("B @entry: x >= 0", "B @entry: x >= 1", Rule::Initially),
        ],
    );
}

#[test]
fn damage_around_the_end_is_noticed() {
    rejects(
        &models::halting(),
        &[
            ("A @entry: x = 0 | x = 2", "A @entry: x = 0", Rule::Interference),
            ("B @exit: x = 2", "", Rule::OwnStep),
            ("effect B @entry: x = 0 & x' = 2", "effect B @entry: x = 0 & x' = 1", Rule::Guarantee),
            ("effect B @entry: x = 0 & x' = 2", "", Rule::Guarantee),
        ],
    );
}

#[test]
fn damage_to_a_template_is_noticed() {
    rejects(
        &models::template(),
        &[
            ("worker @entry: number = 9", "worker @entry: number = 7", Rule::Start),
            ("worker @entry: number = 9", "", Rule::Start),
            ("worker @entry: number = 9", "worker @entry: true", Rule::OwnStep),
            ("worker @held: lock = this & number = 9", "worker @held: number = 9", Rule::Check),
            ("worker @held: lock = this & number = 9", "worker @held: lock > 0 & number = 9", Rule::Check),
            ("worker @checked: lock = this", "worker @checked: true", Rule::Guarantee),
            (
                "effect worker @entry: lock = 0 & lock' = this",
                "effect worker @entry: lock' = this",
                Rule::Interference,
            ),
            (
                "effect worker @checked: lock = this & lock' = 0",
                "effect worker @checked: lock' = 0",
                Rule::Interference,
            ),
            ("main @entry: true", "", Rule::Initially),
            ("effect main @entry: true", "", Rule::Guarantee),
        ],
    );
}

#[test]
fn damage_to_atomic_blocks_is_noticed() {
    rejects(
        &models::atomic_block(),
        &[
            (
                "A @inside: x = y + 1 & B in {entry, behind, exit}",
                "A @inside: x = y & B in {entry, behind, exit}",
                Rule::OwnStep,
            ),
            ("A @behind: x = y | B in {inside} & x = y + 1", "A @behind: x = y", Rule::Interference),
            ("A @behind: x = y | B in {inside} & x = y + 1", "A @behind: x = y | x = y + 1", Rule::Check),
            (
                "effect A @entry: x = y & x' = x + 1 & B in {entry, behind, exit}",
                "effect A @entry: x' = x + 2",
                Rule::Guarantee,
            ),
            ("B @exit: x = y | A in {inside} & x = y + 1", "", Rule::OwnStep),
        ],
    );
}

#[test]
fn malformed_proofs_are_noticed() {
    let model = models::lock_id();
    let twice = format!("{}\nT1 @b: lock = 1", model.proof);
    assert_eq!(
        defect(&model, &twice).to_string(),
        "the proof is malformed: an assertion of thread 0 is listed twice"
    );
    let after = model.proof.replace("T1 @b: lock = 1", "T1 @b: lock' = 1");
    let expected = "the proof is malformed: an assertion speaks of `lock` after a step";
    assert_eq!(defect(&model, &after).to_string(), expected);
    let never = format!("{}\nT1 @unstarted: true", model.proof);
    let expected = "the proof is malformed: thread 0 is never where the proof says";
    assert_eq!(defect(&model, &never).to_string(), expected);
    let model = models::template();
    let foreign = model.proof.replace("main @entry: true\n", "main @entry: worker.number = 9\n");
    let expected = "the proof is malformed: `number` is not visible where the proof mentions it";
    assert_eq!(defect(&model, &foreign).to_string(), expected);
    let place = model.proof.replace("main @entry: true\n", "main @entry: worker in {held}\n");
    assert_eq!(
        defect(&model, &place).to_string(),
        "the proof is malformed: thread 1 has no place of its own"
    );
}

#[test]
fn an_empty_proof_proves_nothing() {
    for model in [models::lock_id(), models::spawn_and_join(), models::template(), models::halting()] {
        assert_eq!(defect(&model, "").rule(), Some(Rule::Initially));
    }
}

#[test]
fn the_message_names_rule_thread_place_and_edge() {
    let model = models::lock_id();
    let damaged = model.proof.replace("T1 @entry: true", "T1 @entry: lock = 0");
    assert_eq!(
        defect(&model, &damaged).to_string(),
        "rule `interference` is violated (thread `T1` at `entry`, edge 2 of `T2`), for example with lock = 0"
    );
}

#[test]
fn other_goals_are_not_proved() {
    let model = models::lock_id();
    let proof = read(&model.program, model.proof);
    common::proves_nothing_about(&[Goal::Race, Goal::Termination], &model.program, &proof);
}

#[test]
fn deadlocks_are_excluded() {
    let model = models::lock_bit();
    let verdict = common::verdict(&model.program, Goal::Deadlock, read(&model.program, model.proof));
    assert_eq!(verdict.name(), "safe", "{verdict:?}");
    // Nothing is known of the one that holds the lock; and that workers can be started for ever helps nobody.
    for model in [models::lock_id(), models::template()] {
        let found = common::defect(&model.program, Goal::Deadlock, read(&model.program, model.proof));
        assert_eq!(found.rule(), Some(Rule::Progress));
    }
}

#[test]
fn a_cancelled_check_says_so() {
    let model = models::lock_id();
    common::can_be_cancelled(&model.program, Goal::Assert, read(&model.program, model.proof));
}
