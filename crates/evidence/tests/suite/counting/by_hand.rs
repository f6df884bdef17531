//! Proofs made by hand are accepted, and every way to damage them is noticed.

use super::models::{self, Model};
use crate::common;
use crate::counting_notation::proof;
use rely_base::Id;
use rely_evidence::counting::{CountAtom, Counter, Counting, Invariant, InvariantPrinter, Summand};
use rely_evidence::rely_guarantee::{Atom, Comparison, Moment, Quantity, RelyGuaranteeDefect, Rule};
use rely_evidence::{Proof, Verdict};
use rely_program::{Goal, LocationId, Program, Value, VarId};

/// The proof of a text.
fn read(program: &Program, text: &str) -> Proof {
    Proof::Counting(proof(program, text))
}

fn verdict(model: &Model, goal: Goal, proof: Counting) -> Verdict {
    common::verdict(&model.program, goal, Proof::Counting(proof))
}

fn defect(model: &Model, goal: Goal, proof: Counting) -> RelyGuaranteeDefect {
    common::defect(&model.program, goal, Proof::Counting(proof))
}

#[track_caller]
fn rejects(model: &Model, damages: &[(&str, &str, Rule)]) {
    common::rejects((&model.program, Goal::Assert), model.proof, read, damages);
}

#[test]
fn proofs_are_accepted() {
    for model in models::all() {
        let verdict = verdict(&model, Goal::Assert, proof(&model.program, model.proof));
        assert!(matches!(verdict, Verdict::Safe(_)), "{}: {verdict:?}", model.name);
    }
    let model = models::counted_barrier();
    let Verdict::Safe(proved) = verdict(&model, Goal::Assert, proof(&model.program, model.proof)) else {
        panic!("accepted above")
    };
    assert_eq!(
        proved.evidence(),
        "counting proof, 2 invariants, 5 assertions; confirmed: 38 obligations hold of the simplified program"
    );
}

#[test]
fn nobody_waits_forever() {
    // In some of them a thread can go on only after another one has gone round its loop, which is not counted on.
    let mut proved = 0;
    for model in models::all() {
        let verdict = verdict(&model, Goal::Deadlock, proof(&model.program, model.proof));
        let is_safe = matches!(verdict, Verdict::Safe(_));
        assert!(!is_safe || model.deadlock_free, "{}: {verdict:?}", model.name);
        proved += usize::from(is_safe);
    }
    assert!(proved >= 3, "{proved}");
}

#[test]
fn damage_to_a_barrier_is_noticed() {
    let count = "invariant: count = #worker.entry + #worker.b + #worker.exit";
    let wait = "invariant: wait = #worker.b + #worker.exit";
    rejects(
        &models::counted_barrier(),
        &[
            (count, "", Rule::Interference),
            (wait, "", Rule::Interference),
            (count, "invariant: count = 2*#worker.entry + #worker.b + #worker.exit", Rule::InvariantStep),
            (count, "invariant: count = #worker.entry + 2*#worker.b", Rule::InvariantStep),
            (count, "invariant: count = #worker.entry + #worker.b", Rule::Interference),
            (count, "invariant: count = #worker.b + #worker.exit", Rule::InvariantStep),
            (count, "invariant: count > #worker.entry + #worker.b", Rule::InvariantInitially),
            (wait, "invariant: wait = #worker.b", Rule::InvariantStep),
            (wait, "invariant: wait = #worker.b + #worker.exit + 1", Rule::InvariantInitially),
            (wait, "invariant: wait >= #worker.b + #worker.exit", Rule::Interference),
            (wait, "invariant: wait = #worker.entry + #worker.exit", Rule::InvariantStep),
            ("worker @exit: go = 1 & wait = count", "worker @exit: go = 1", Rule::Always),
            ("worker @exit: go = 1 & wait = count", "worker @exit: wait = count", Rule::Interference),
            ("worker @exit: go = 1 & wait = count", "", Rule::OwnStep),
            ("main @entry: go = 0", "main @entry: true", Rule::Guarantee),
            ("main @exit: go = 1", "", Rule::OwnStep),
            ("effect main @entry: go = 0", "effect main @entry: true", Rule::Interference),
            ("effect worker @b: true", "", Rule::Guarantee),
            ("worker @entry: true", "", Rule::Start),
        ],
    );
}

#[test]
fn damage_to_a_count_of_known_threads_is_noticed() {
    let readers = "invariant: r = #one.inside + #one.out + #two.inside + #two.out";
    rejects(
        &models::known_readers(),
        &[
            (readers, "", Rule::Interference),
            (readers, "invariant: r = #one.inside + #one.out", Rule::InvariantStep),
            (readers, "invariant: r = #one.inside + #one.out + #two.inside + #one.exit", Rule::InvariantStep),
            (
                readers,
                "invariant: r = #one.inside + #one.out + #two.inside + 2*#two.out",
                Rule::InvariantStep,
            ),
            (
                readers,
                "invariant: r = #one.inside + #one.out + #two.inside + #two.out + 1",
                Rule::InvariantInitially,
            ),
            (readers, "invariant: r <= #one.inside + #one.out + #two.inside + #two.out", Rule::Interference),
            ("effect writer @entry: r = 0", "effect writer @entry: r <= 1", Rule::Interference),
            ("effect writer @entry: r = 0", "effect writer @entry: r = 1", Rule::Guarantee),
        ],
    );
}

#[test]
fn damage_to_a_counter_with_a_condition_is_noticed() {
    let line = "invariant: prev <= max | #(proc.lc1: val >= prev) >= 1 | #proc.lc1 + #proc.lc2 + #proc.lc3 + #proc.lc4 + #proc.exit = 0";
    let last = "#proc.lc1 + #proc.lc2 + #proc.lc3 + #proc.lc4 + #proc.exit = 0";
    let with = |condition: &str| format!("invariant: prev <= max | {condition} | {last}");
    rejects(
        &models::maximum(),
        &[
            (line, "", Rule::OwnStep),
            (line, "invariant: prev <= max | #(proc.lc1: val >= prev) >= 1", Rule::InvariantInitially),
            (line, &with("#(proc.lc1: val >= prev) >= 2"), Rule::InvariantStep),
            (line, &with("#(proc.lc2: val >= prev) >= 1"), Rule::InvariantStep),
            (line, &with("#(proc.lc1: val > prev) >= 1"), Rule::InvariantStep),
            (line, &with("#(proc.lc1: val <= prev) >= 1"), Rule::InvariantStep),
            (line, &with("#(proc.lc1: val >= max) >= 1"), Rule::InvariantStep),
            (line, &with("#proc.lc1 >= 1"), Rule::InvariantStep),
            (line, &with("#proc.entry >= 1"), Rule::InvariantStep),
            (
                "proc @exit: proceed = 1 & wait = count & prev <= max",
                "proc @exit: proceed = 1 & prev <= max",
                Rule::Interference,
            ),
        ],
    );
    let line = "invariant: tokens + #(worker.entry: mine = 1) = 3";
    rejects(
        &models::tokens(),
        &[
            (line, "", Rule::Check),
            (line, "invariant: tokens + #(worker.entry: mine = 0) = 3", Rule::InvariantStep),
            (line, "invariant: tokens + #worker.entry = 3", Rule::InvariantStep),
            (line, "invariant: tokens + #(worker.entry: mine = 1) = 4", Rule::InvariantInitially),
            (line, "invariant: tokens - #(worker.entry: mine = 1) = 3", Rule::InvariantStep),
            ("invariant: tokens >= 0", "", Rule::Always),
            ("invariant: tokens >= 0", "invariant: tokens >= 1", Rule::InvariantStep),
        ],
    );
}

#[test]
fn damage_to_disjunctions_is_noticed() {
    let open = "invariant: open = 0 | enough = 1 & #proc.entry + #proc.lc1 + #proc.lc2 = 0";
    let flag = "invariant: flag = 0 | #proc.lc1 >= 1 | #proc.lc1 + #proc.lc2 + #proc.lc3 + #proc.lc4 + #proc.exit = 0";
    rejects(
        &models::simple_barrier(),
        &[
            ("invariant: wait = #proc.lc3", "", Rule::InvariantStep),
            ("invariant: wait = #proc.lc3", "invariant: wait = #proc.lc3 + #proc.lc4", Rule::InvariantStep),
            ("invariant: enough = 0 | #main.entry = 1", "", Rule::InvariantStep),
            (open, "invariant: open = 0", Rule::InvariantStep),
            (open, "invariant: open = 0 | #proc.entry + #proc.lc1 + #proc.lc2 = 0", Rule::InvariantStep),
            (open, "invariant: open = 0 | enough = 1 & #proc.lc1 + #proc.lc2 = 0", Rule::InvariantStep),
            (flag, "", Rule::OwnStep),
            (flag, "invariant: flag = 0 | #proc.lc1 >= 1", Rule::InvariantInitially),
            ("proc @lc4: open = 1 & flag = 0", "proc @lc4: flag = 0", Rule::Interference),
            ("proc @lc4: open = 1 & flag = 0", "proc @lc4: true", Rule::Check),
        ],
    );
    rejects(
        &models::readers_and_writers(),
        &[
            ("invariant: writing = #writer.lc2", "", Rule::Check),
            ("invariant: writing = #writer.lc2", "invariant: writing = #writer.lc1", Rule::InvariantStep),
            ("invariant: writing = #writer.lc2", "invariant: writing >= #writer.lc2", Rule::Check),
            ("invariant: readcount = #reader.entry + #reader.lc1", "", Rule::Check),
        ],
    );
}

#[test]
fn damage_to_counts_of_instances_and_of_the_joined_is_noticed() {
    rejects(
        &models::as_many(),
        &[
            ("invariant: count1 = count2 + #main.lc1", "invariant: count1 = count2", Rule::InvariantStep),
            (
                "invariant: count1 = count2 + #main.lc1",
                "invariant: count1 = count2 + #main.entry",
                Rule::InvariantInitially,
            ),
            ("invariant: enough = #main.exit", "", Rule::Check),
            ("invariant: count2 = #proc2.entry + #proc2.exit", "", Rule::AtEnd),
            ("proc1 @lc1: enough = 1", "proc1 @lc1: true", Rule::Check),
        ],
    );
    rejects(
        &models::parent_and_child(),
        &[
            ("invariant: parent.ended >= 0", "", Rule::InvariantStep),
            ("invariant: child.ended >= 0", "", Rule::Check),
            ("invariant: child.ended >= 0", "invariant: child.ended >= 1", Rule::InvariantInitially),
            (
                "invariant: #parent.lc2 = #child.entry + child.ended",
                "invariant: #parent.lc2 = #child.entry",
                Rule::InvariantStep,
            ),
            (
                "invariant: #parent.lc2 = #child.entry + child.ended",
                "invariant: #parent.lc2 = #child.entry + #child.exit",
                Rule::InvariantStep,
            ),
        ],
    );
    let barrier = "invariant: #main.entry = 1 & i = 0 & #proc.entry + #proc.exit = 0 | #main.entry = 0 & wait = 0 & count + #proc.exit = n";
    rejects(
        &models::dynamic_barrier(),
        &[
            ("invariant: done = 0 | #proc.entry = 0 & #main.exit = 1", "", Rule::Check),
            (barrier, &barrier.replace("count + #proc.exit", "count + #proc.entry"), Rule::InvariantStep),
            (barrier, &barrier.replace("wait = 0 &", ""), Rule::InvariantStep),
            (barrier, &barrier.replace("#main.entry = 0 &", ""), Rule::InvariantStep),
        ],
    );
}

#[test]
fn damage_around_atomic_blocks_and_the_end_is_noticed() {
    let busy = "invariant: busy = inside + #worker.coming + #worker.going";
    rejects(
        &models::atomic_block(),
        &[
            (busy, "invariant: busy = inside", Rule::InvariantStep),
            (busy, "", Rule::Always),
            ("invariant: inside = #worker.held", "", Rule::Always),
            ("invariant: inside = #worker.held", "invariant: inside <= #worker.held", Rule::Always),
        ],
    );
    let line = "invariant: count = #worker.entry + #worker.b";
    rejects(
        &models::halting(),
        &[(line, "", Rule::Always), (line, "invariant: count >= #worker.b", Rule::InvariantStep)],
    );
}

/// The program is wrong, the proof of the right one does not fit.
#[test]
fn wrong_programs_are_noticed() {
    let spawn = "count := count + 1; spawn worker;";
    let twice = "count := count + 1; spawn worker; spawn worker;";
    let uncounted = "spawn worker;";
    let cases = [
        (models::counted_barrier(), spawn, twice, Rule::InvariantStep),
        (models::counted_barrier(), spawn, uncounted, Rule::InvariantStep),
        (models::counted_barrier(), "go && wait == count", "go", Rule::OwnStep),
        (models::maximum(), "lc1 -> lc2: max >= val;", "lc1 -> lc2: max >= 0;", Rule::InvariantStep),
        (models::maximum(), "proceed && wait == count", "wait == count", Rule::OwnStep),
        (models::readers_and_writers(), "&& lock; lock := false", "&& lock", Rule::InvariantStep),
        (models::dynamic_barrier(), "i == n && wait == count", "wait == count", Rule::InvariantStep),
        (models::as_many(), "spawn proc2; count2", "spawn proc2; spawn proc1; count2", Rule::InvariantStep),
        (models::parent_and_child(), "join child;", "join child; lc2 -> lc3: skip;", Rule::InvariantStep),
        (models::tokens(), "mine := true", "skip", Rule::InvariantStep),
    ];
    for (model, part, replacement, rule) in cases {
        let changed = models::changed(&model, part, replacement);
        let found = defect(&changed, Goal::Assert, proof(&changed.program, changed.proof));
        assert_eq!(found.rule(), Some(rule), "{}: `{part}` became `{replacement}`: {found}", model.name);
    }
}

#[test]
fn deadlocks_are_noticed() {
    let cases = [
        (models::counted_barrier(), "go && wait == count", "go && wait > count"),
        (
            models::counted_barrier(),
            "entry -> exit: go := true;",
            "entry -> b: go := true; b -> exit: false;",
        ),
        (models::maximum(), "lc1 -> lc2: max >= val;", "lc1 -> lc2: max > val;"),
    ];
    for (model, part, replacement) in cases {
        let changed = models::changed(&model, part, replacement);
        let found = defect(&changed, Goal::Deadlock, proof(&changed.program, changed.proof));
        assert!(matches!(found.rule(), Some(Rule::Stuck | Rule::OwnStep)), "`{replacement}`: {found}");
    }
    // What is said about the end of `main` is needed to know that the gate is open.
    let model = models::counted_barrier();
    let damaged = model.proof.replace("main @exit: go = 1", "main @exit: true");
    let found = defect(&model, Goal::Deadlock, proof(&model.program, &damaged));
    assert_eq!(found.rule(), Some(Rule::Stuck));
    let expected = "rule `stuck` is violated (a state in which no thread can move)";
    assert!(found.to_string().starts_with(expected), "{found}");
}

#[test]
fn the_message_names_rule_place_edge_and_invariant() {
    let model = models::counted_barrier();
    let damaged = model.proof.replace("wait = #worker.b +", "wait = 2*#worker.b +");
    assert_eq!(
        defect(&model, Goal::Assert, proof(&model.program, &damaged)).to_string(),
        "rule `invariant-step` is violated (thread `worker` at `entry`, edge 2 of `worker`, invariant 1), \
         for example with #worker.entry = 1, #worker.b = 0, #worker.exit = 0, count = 1, wait = 0"
    );
}

#[test]
fn invariants_are_printed_in_the_names_of_the_program() {
    let model = models::maximum();
    let proof = proof(&model.program, model.proof);
    let printer = InvariantPrinter::new(&model.program);
    let printed: Vec<String> = proof.invariants.iter().map(|one| printer.invariant(one)).collect();
    assert_eq!(printed[1], "wait == #proc.{lc4, exit}");
    let expected =
        "prev <= max || #(proc.lc1: prev <= proc.val) >= 1 || #proc.{lc1, lc2, lc3, lc4, exit} == 0";
    assert_eq!(printed[2], expected);
}

fn with_summand(program: &Program, text: &str, factor: Value, summand: Summand) -> Counting {
    let mut proof = proof(program, text);
    let atom = CountAtom { terms: vec![(factor, summand)], constant: 0, comparison: Comparison::Le };
    proof.invariants.push(Invariant { cubes: vec![vec![atom]] });
    proof
}

#[test]
fn malformed_invariants_are_noticed() {
    let model = models::maximum();
    let var = |name: &str| model.program.vars().iter().find(|(_, var)| var.name == name).unwrap().0;
    let location = |label: &str| {
        let mut all = model.program.locations().iter();
        all.find(|(_, location)| location.label.as_deref() == Some(label)).unwrap().0
    };
    let condition = |var, index, moment| {
        let terms = vec![(1, Quantity::Cell { var, index, moment })];
        vec![Atom { terms, constant: 0, comparison: Comparison::Le }]
    };
    let count = |location, having| Summand::Count(Counter { location, having });
    let main_entry = model.program.threads().values().next().unwrap().entry;
    let cases = [
        (Summand::Cell { var: VarId::from_index(99), index: 0 }, "there is no variable 99"),
        (Summand::Cell { var: var("max"), index: 1 }, "`max` has no cell 1"),
        (Summand::Cell { var: var("val"), index: 0 }, "`val` is not visible where the proof mentions it"),
        (Summand::Count(Counter::at(LocationId::from_index(77))), "there is no location 77"),
        (
            count(main_entry, condition(var("val"), 0, Moment::Before)),
            "`val` is not visible where the proof mentions it",
        ),
        (
            count(location("lc1"), condition(VarId::from_index(99), 0, Moment::Before)),
            "there is no variable 99",
        ),
        (count(location("lc1"), condition(var("val"), 5, Moment::Before)), "`val` has no cell 5"),
        (
            count(location("lc1"), condition(var("val"), 0, Moment::After)),
            "a counter speaks of a value after a step",
        ),
    ];
    for (summand, expected) in cases {
        let proof = with_summand(&model.program, model.proof, 1, summand);
        let found = defect(&model, Goal::Assert, proof).to_string();
        assert_eq!(found, format!("the proof is malformed: {expected}"));
    }
}

/// The largest numbers, and many of them, are judged like others.
#[test]
fn extreme_numbers_do_no_harm() {
    let model = models::counted_barrier();
    let entry = Counter::at(model.program.threads().values().nth(1).unwrap().entry);
    for factor in [Value::MAX, Value::MIN, 0] {
        let proof = with_summand(&model.program, model.proof, factor, Summand::Count(entry.clone()));
        let printed = InvariantPrinter::new(&model.program).invariant(&proof.invariants[2]);
        assert!(!printed.is_empty());
        // A negative multiple of a number of threads is at most zero.
        let expected = if factor > 0 { "unknown" } else { "safe" };
        assert_eq!(verdict(&model, Goal::Assert, proof).name(), expected, "{printed}");
    }
    let mut many = proof(&model.program, model.proof);
    many.invariants = many.invariants.iter().cycle().take(400).cloned().collect();
    assert_eq!(verdict(&model, Goal::Assert, many).name(), "safe");
    let mut endless = proof(&model.program, model.proof);
    endless.invariants = endless.invariants.iter().cycle().take(10_001).cloned().collect();
    let found = defect(&model, Goal::Assert, endless).to_string();
    assert_eq!(found, "the proof is malformed: its invariants have 10001 comparisons, more than 10000");
    let mut never = proof(&model.program, model.proof);
    never.invariants.push(Invariant::default());
    assert_eq!(defect(&model, Goal::Assert, never).rule(), Some(Rule::InvariantInitially));
}

#[test]
fn without_invariants_it_is_the_plain_rule() {
    let model = models::counted_barrier();
    let mut empty = proof(&model.program, model.proof);
    empty.invariants.clear();
    assert_eq!(defect(&model, Goal::Assert, empty.clone()).rule(), Some(Rule::Interference));
    let plain = common::defect(&model.program, Goal::Deadlock, Proof::RelyGuarantee(empty.proof));
    assert_eq!(plain.rule(), Some(Rule::Interference));
}

#[test]
fn other_goals_are_not_proved() {
    let model = models::counted_barrier();
    let proof = read(&model.program, model.proof);
    common::proves_nothing_about(&[Goal::Race, Goal::Termination], &model.program, &proof);
}
