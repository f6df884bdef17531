//! Any number of threads: what is proved of them, and what is not.

use rely_base::{Budget, Silent, SourceMap};
use rely_engines::{Engine, Parameterized};
use rely_evidence::{Claim, Reason, Verdict, check as check_evidence};
use rely_program::Goal;

/// The verdict on a model, or why there is none.
fn check(model: &str, expected: &str) {
    let mut sources = SourceMap::new();
    let file = sources.add("model.rely", model);
    let program = rely_model_front::translate(&sources, file);
    let program = program.unwrap_or_else(|problems| panic!("{problems:?}"));
    let (program, _) = rely_passes::prepare(&program, Goal::Assert);
    let budget = Budget::unlimited();
    let found = match Parameterized::default().run(&program, Goal::Assert, &budget, &Silent) {
        Claim::Unknown(Reason::GaveUp { why, .. }) => why,
        Claim::Unknown(Reason::UnsupportedConstruct { construct, .. }) => construct,
        claim => match check_evidence(&program, Goal::Assert, claim, &budget).into_verdict() {
            Verdict::Unknown(reason) => reason.to_string(),
            verdict => verdict.name().to_owned(),
        },
    };
    assert_eq!(found, expected, "{program}");
}

/// Threads that swap the lock with 1 until it was 0.
const SPIN_LOCK: &str = "var lock, inside: int = 0;
    process worker {
        local was: int = 1;
        while was != 0 { atomic { was := lock; lock := 1; } }
        inside := inside + 1;
        assert inside == 1;
        inside := inside - 1;
        lock := 0;
    }
    thread main { while true { spawn worker; } }";

#[test]
fn a_lock_keeps_any_number_of_threads_out() {
    check(SPIN_LOCK, "safe");
    let broken = SPIN_LOCK.replace("lock := 1;", "lock := 0;");
    check(&broken, "with enough threads there is a violation, but no run was constructed");
}

#[test]
fn instances_take_part() {
    let model = "var a, b: bool = false; var balance: int = 0;
        process worker {
            if * {
                await !a do { a := true; } balance := balance + 1; balance := balance - 1; a := false;
            } else {
                await !b do { b := true; } balance := balance - 1; balance := balance + 1; b := false;
            }
        }
        thread judge { while true {
            await !a do { a := true; } await !b do { b := true; }
            assert balance == 0;
            b := false; a := false;
        } }
        thread main { while true { spawn worker; } }";
    check(model, "safe");
    check(
        &model.replace("await !b do { b := true; }\n", ""),
        "with enough threads there is a violation, but no run was constructed",
    );
}

#[test]
fn threads_may_be_given_values_and_start_others() {
    let model = "var turn: int = 0;
        process child(who: int) { await turn == who do { turn := (turn + 1) % 3; } assert turn != who || who < 3; }
        process parent { local i: int = 0; while i < 3 { spawn child(i); i := i + 1; } }
        thread main { while * { spawn parent; } }";
    check(model, "safe");
}

#[test]
fn what_is_counted_must_be_finite_and_nameless() {
    let endless = "var tickets, served: int = 0;
        process worker { atomic { tickets := tickets + 1; served := served + 1; } assert tickets == served; }
        thread main { while true { spawn worker; } }";
    check(endless, "too many states differ in more than numbers of threads");
    let known = "var x: int = 0; thread a { x := 1; assert x == 1; } thread b { x := 1; }";
    check(known, "a program whose threads are known");
    let joined = "var x: int = 0; var t: thread;
        process worker { x := 1; }
        thread main { while true { t := spawn worker; join t; assert x == 1; } }";
    check(joined, "a program that uses the names of threads");
}
