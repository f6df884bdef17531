//! Generated programs: no ranking is accepted of a program that has a run without end or one that
//! deadlocks, which an oracle says that shares no code with the checker.

use super::ranks::ranking;
use crate::common;
use rely_base::Budget;
use rely_evidence::{Claim, Proof, check};
use rely_program::Goal;
use rely_testing::{Random, Reference, Sample, Termination, generate};

/// Certificates speak of the program after simplification, so it must have a run without end, or
/// one that ends in a deadlock, exactly if the program before it has.
#[test]
fn simplification_keeps_runs_without_end() {
    let mut tally = [0, 0, 0];
    for seed in 0..400 {
        let Sample { program, .. } = generate(seed);
        let (prepared, _) = rely_passes::prepare(&program, Goal::Termination);
        let before = Reference::new(&program, Goal::Termination).ending(20_000);
        let after = Reference::new(&prepared, Goal::Termination).ending(20_000);
        match (before, after) {
            (Termination::Meaningless | Termination::TooMany, _)
            | (_, Termination::Meaningless | Termination::TooMany) => {}
            (before, after) => {
                assert_eq!(before, after, "seed {seed}:\n{program}\n\n{prepared}");
                tally[before as usize] += 1;
            }
        }
    }
    assert!(tally.iter().all(|&count| count > 20), "{tally:?}");
}

/// The names of the places of a thread, beside its exit.
const PLACES: [&str; 3] = ["entry", "b", "c"];
const VARIABLES: [&str; 3] = ["x", "y", "v"];

/// Threads that count up and down, in the modelling language. Most steps are one of two under
/// opposite conditions, so that few programs deadlock.
fn counting_program(random: &mut Random) -> (Vec<String>, String) {
    let mut text = String::from("var x, y: int = 2;\n");
    let names: Vec<String> = (0..1 + random.below(2)).map(|index| format!("T{index}")).collect();
    for name in &names {
        text += &format!("process {name} {{ local v: int = 1;\n");
        for (number, place) in PLACES.iter().enumerate() {
            let condition = format!("{} > {}", random.pick(&VARIABLES), random.below(3));
            let opposite = format!("!({condition})");
            let conditions = if random.percent(10) { vec![condition] } else { vec![condition, opposite] };
            for condition in conditions {
                let next = number + 1;
                let on = ["entry", "b", "c", "exit"][if random.percent(50) { next } else { random.below(4) }];
                text += &format!("    {place} -> {on}: {condition}; {}\n", update(random));
            }
        }
        text += "}\n";
    }
    for name in &names {
        text += &format!("start {name};\n");
    }
    (names, text + "terminates;\n")
}

/// Steps that leave a small range are of no interest, so that there are few states.
fn update(random: &mut Random) -> String {
    let var = random.pick(&VARIABLES);
    match random.below(8) {
        0..=3 => format!("{var} := {var} - 1; assume {var} >= -2;"),
        4 | 5 => format!("{var} := {var} + 1; assume {var} <= 3;"),
        _ => "skip;".to_owned(),
    }
}

/// A ranking that might be one, with nothing known of the values.
fn guess(random: &mut Random, names: &[String]) -> String {
    let sum = |random: &mut Random| match random.below(4) {
        0 => "0".to_owned(),
        _ => format!("{}*{} + {}", random.below(3), random.pick(&VARIABLES), random.below(4)),
    };
    let mut text = String::new();
    for name in names {
        let common = sum(random);
        let descends = random.percent(80);
        for (number, place) in ["entry", "b", "c", "exit"].into_iter().enumerate() {
            text += &format!("{name} @{place}: true\n");
            if place != "exit" {
                text += &format!("effect {name} @{place}: true\n");
            }
            let first = if random.percent(20) { sum(random) } else { common.clone() };
            let level = if descends { 3 - number } else { random.below(4) };
            let rank =
                if random.percent(50) { format!("{first}, {level}") } else { format!("{level}, {first}") };
            text += &match random.below(6) {
                0 => {
                    format!("rank {name} @{place}: {} > 0 -> {rank} | {level}, 0\n", random.pick(&VARIABLES))
                }
                _ => format!("rank {name} @{place}: {rank}\n"),
            };
        }
    }
    text
}

#[test]
fn no_ranking_is_accepted_if_a_run_goes_on_for_ever() {
    let mut random = Random::new(7);
    let (mut accepted, mut endless) = (0, 0);
    for _ in 0..400 {
        let (names, source) = counting_program(&mut random);
        let program = common::program(&source);
        let ending = Reference::new(&program, Goal::Termination).ending(20_000);
        endless += usize::from(ending == Termination::Never);
        for _ in 0..16 {
            let text = guess(&mut random, &names);
            let claim = Claim::Safe(Proof::Ranking(ranking(&program, &text)));
            let verdict = check(&program, Goal::Termination, claim, &Budget::unlimited()).into_verdict();
            if verdict.name() == "safe" {
                assert_eq!(ending, Termination::Always, "{source}\n{text}");
                accepted += 1;
            }
        }
    }
    assert!(accepted > 40 && endless > 40, "{accepted} rankings accepted, {endless} programs without end");
}
