//! Rankings of fair runs: threads may go round while somebody else can go on, and only then.

use super::ranks::ranking;
use crate::common;
use crate::solvers::solvers;
use rely_base::Budget;
use rely_evidence::rely_guarantee::{Rule, recheck};
use rely_evidence::{Proof, Verdict};
use rely_program::{Goal, Program};

fn read(program: &Program, text: &str) -> Proof {
    Proof::Ranking(ranking(program, text))
}

/// Two threads, the first of which waits in a loop for what the second one does.
fn waiting_for(first: &str, second: &str) -> Program {
    let source = format!(
        "var f: int = 0; process A {{ {first} }} process B {{ {second} }} start A; start B; terminates;"
    );
    common::program(&source)
}

const WAITS: &str = "entry -> entry: f == 0; entry -> exit: f != 0;";
const SETS: &str = "entry -> exit: f := 1;";

const PROOF: &str = "A @entry: true
    A @exit: true
    B @entry: f = 0
    B @exit: f = 1
    effect A @entry: true
    effect B @entry: f = 0 & f' = 1
    rank A @entry: 1
    rank A @exit: 0
    rank B @entry: 1
    rank B @exit: 0";

#[test]
fn a_thread_that_waits_in_a_loop_is_accepted_of_fair_runs_alone() {
    let program = waiting_for(WAITS, SETS);
    let verdict = common::verdict(&program, Goal::FairTermination, read(&program, PROOF));
    assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
    for goal in [Goal::Termination, Goal::Deadlock] {
        let found = common::defect(&program, goal, read(&program, PROOF));
        assert_eq!(found.rule(), Some(Rule::Descent), "{goal}: {found}");
    }
}

#[test]
fn other_solvers_confirm_it() {
    let program = waiting_for(WAITS, SETS);
    for solver in solvers() {
        let (ranking, budget) = (ranking(&program, PROOF), Budget::unlimited());
        let confirmed = recheck(&program, Goal::FairTermination, &ranking, solver, &budget);
        assert!(confirmed.is_ok_and(|count| count > 0), "{solver}");
    }
}

#[test]
fn damage_is_noticed() {
    let program = waiting_for(WAITS, SETS);
    let damages = [
        // Nobody knows that the flag was set.
        ("B @exit: f = 1", "B @exit: true", Rule::Progress),
        ("rank B @entry: 1", "rank B @entry: 0", Rule::Descent),
        ("rank A @entry: 1", "rank A @entry: 0", Rule::Descent),
    ];
    common::rejects((&program, Goal::FairTermination), PROOF, read, &damages);
}

/// The proof would be one if only rounds did not count.
#[track_caller]
fn refuses(first: &str, second: &str, proof: &str, rule: Rule) {
    let program = waiting_for(first, second);
    let found = common::defect(&program, Goal::FairTermination, read(&program, proof));
    assert_eq!(found.rule(), Some(rule), "{first} {second}: {found}");
}

#[test]
fn who_can_go_round_for_ever_does_not_end() {
    // It can go on, and need not.
    refuses("entry -> entry: skip; entry -> exit: f != 0;", SETS, PROOF, Rule::Progress);
    // Nobody sets the flag.
    let idle = PROOF.replace("B @exit: f = 1", "B @exit: f = 0").replace("f = 0 & f' = 1", "f = 0 & f' = 0");
    refuses(WAITS, "entry -> exit: skip;", &idle, Rule::Progress);
    // It is set and taken back.
    let both = format!("{idle}\nB @b: f = 1\neffect B @b: f = 1 & f' = 0\nrank B @b: 1");
    let both =
        both.replace("f = 0 & f' = 0", "f = 0 & f' = 1").replace("rank B @entry: 1", "rank B @entry: 2");
    refuses(WAITS, "entry -> b: f := 1; b -> exit: f := 0;", &both, Rule::Progress);
    // The run counts only if something holds that does not: nobody has to go there.
    refuses(WAITS, "entry -> exit: assume f == 5; f := 1;", PROOF, Rule::Progress);
    // What goes round changes something.
    let counts = "local n: int = 0; entry -> entry: f == 0; n := n + 1; entry -> exit: f != 0;";
    refuses(counts, SETS, PROOF, Rule::Descent);
}
