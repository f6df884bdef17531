//! Proofs that no thread waits for ever: right ones are accepted, of programs without end, too, and damage is noticed.

use crate::common::{self, program};
use crate::notation::{point, thread};
use crate::ranking::ranks::ranking;
use crate::solvers::solvers;
use rely_base::{Budget, Id};
use rely_evidence::helping::{Help, Helping};
use rely_evidence::rely_guarantee::{Rule, recheck};
use rely_evidence::{Proof, Verdict};
use rely_program::{EdgeId, Expr, Goal, Op, Program};
use rely_testing::sketch::{RUNNING, Sketch, is, set};

/// Reads a proof. To the lines of a ranking come such as
///
/// ```text
/// help B @entry by 0 1
/// ```
///
/// with the numbers of the edges that help. All help uses the same ranks.
fn read(program: &Program, text: &str) -> Proof {
    let (helps, ranked): (Vec<&str>, Vec<&str>) =
        text.lines().map(str::trim).partition(|line| line.starts_with("help "));
    let ranking = ranking(program, &ranked.join("\n"));
    let help = |line: &&str| {
        let (head, steps) = line["help ".len()..].split_once(" by").expect("who helps");
        let (name, place) = head.split_once('@').expect("a place");
        let thread = thread(program, name.trim());
        let ranks = ranking.ranks.iter().filter(|entry| entry.thread != thread).cloned();
        let steps = steps.split_whitespace().map(|number| number.parse().expect("the number of an edge"));
        Help {
            thread,
            at: point(program, thread, place.trim()),
            steps: steps.map(EdgeId::from_index).collect(),
            components: ranking.components,
            ranks: ranks.collect(),
        }
    };
    Proof::Helping(Helping { helps: helps.iter().map(help).collect(), proof: ranking.proof })
}

/// Two servers that never end take a lock that knows its owner.
const SERVERS: &str = "var lock: int = 0;
    process A { entry -> b: lock == 0; lock := 1; b -> entry: lock := 0; }
    process B { entry -> b: lock == 0; lock := 2; b -> entry: lock := 0; }
    start A; start B;";

const PROOF: &str = "A @entry: lock = 0 | lock = 2
    A @b: lock = 1
    B @entry: lock = 0 | lock = 1
    B @b: lock = 2
    effect A @entry: lock = 0 & lock' = 1
    effect A @b: lock = 1 & lock' = 0
    effect B @entry: lock = 0 & lock' = 2
    effect B @b: lock = 2 & lock' = 0
    rank A @b: 1
    rank B @b: 1
    help A @entry by 3
    help B @entry by 1";

#[test]
fn help_is_accepted_in_programs_without_end() {
    let program = program(SERVERS);
    match common::verdict(&program, Goal::Deadlock, read(&program, PROOF)) {
        Verdict::Safe(proved) => assert_eq!(
            proved.evidence(),
            "help at 2 places of waiting, modular, 4 assertions; confirmed: 34 obligations hold of the simplified program"
        ),
        other => panic!("{other:?}"),
    }
    let others = [Goal::Assert, Goal::Termination, Goal::FairTermination];
    common::proves_nothing_about(&others, &program, &read(&program, PROOF));
}

#[test]
fn other_solvers_confirm_it() {
    let program = program(SERVERS);
    for solver in solvers() {
        let Proof::Helping(helping) = read(&program, PROOF) else { panic!("it is a proof by help") };
        let confirmed = recheck(&program, Goal::Deadlock, &helping, solver, &Budget::unlimited());
        assert!(confirmed.is_ok_and(|count| count > 0), "{solver}");
    }
}

#[test]
fn damage_is_noticed() {
    let program = program(SERVERS);
    let damages = [
        ("A @b: lock = 1", "A @b: true", Rule::Guarantee),
        // Nobody helps, or the wrong step does.
        ("help A @entry by 3", "", Rule::Progress),
        ("help A @entry by 3", "help A @entry by", Rule::Progress),
        ("help A @entry by 3", "help A @entry by 2", Rule::Progress),
    ];
    common::rejects((&program, Goal::Deadlock), PROOF, read, &damages);
}

#[test]
fn steps_that_do_not_bring_anybody_nearer_are_no_help() {
    // The owner of the lock goes round for ever before it gives the lock back.
    let idle = program(
        "var lock: int = 0;
        process A { entry -> b: lock == 0; lock := 1; b -> b: skip; b -> entry: lock := 0; }
        process B { entry -> b: lock == 0; lock := 2; b -> entry: lock := 0; }
        start A; start B;",
    );
    let proof = PROOF.replace("lock = 1 & lock' = 0", "lock = 1 & lock' = 0 | lock = 1 & lock' = 1");
    let proof =
        proof.replace("help A @entry by 3", "help A @entry by 4").replace("B @entry by 1", "B @entry by 1 2");
    let found = common::defect(&idle, Goal::Deadlock, read(&idle, &proof));
    assert_eq!(found.rule(), Some(Rule::Descent), "{found}");
    // Without the round it is help.
    let proof = proof.replace("B @entry by 1 2", "B @entry by 2");
    assert!(matches!(common::verdict(&idle, Goal::Deadlock, read(&idle, &proof)), Verdict::Safe(_)));
}

/// Two servers as sketches: the first one does something else before it gives the lock back.
fn servers(before: impl FnOnce(&mut Sketch) -> Vec<Op>) -> Program {
    let mut sketch = Sketch::new();
    let lock = sketch.int("lock");
    let take = |owner| vec![Op::wait(is(lock, 0)), set(lock, Expr::int(owner))];
    let give = || set(lock, Expr::int(0));
    sketch.thread("A", RUNNING);
    sketch.edge("entry", "b", take(1));
    let mut ops = before(&mut sketch);
    ops.push(give());
    sketch.edge("b", "entry", ops);
    sketch.thread("B", RUNNING);
    sketch.edge("entry", "b", take(2));
    sketch.edge("b", "entry", [give()]);
    sketch.finish()
}

/// The proof for servers that do nothing else is not accepted of this program.
#[track_caller]
fn is_no_help(program: &Program) {
    let found = common::defect(program, Goal::Deadlock, read(program, PROOF));
    assert_eq!(found.rule(), Some(Rule::Progress), "{found}");
}

#[test]
fn steps_that_cannot_be_made_are_no_help() {
    let plain = servers(|_| Vec::new());
    let verdict = common::verdict(&plain, Goal::Deadlock, read(&plain, PROOF));
    assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
    // A check that fails, a run that does not count, somebody who never ends, and a condition that never holds.
    is_no_help(&servers(|sketch| vec![Op::Check(Expr::Bool(false), sketch.check("never"))]));
    is_no_help(&servers(|_| vec![Op::assume(Expr::Bool(false))]));
    is_no_help(&servers(|_| vec![Op::Join(Expr::int(2))]));
    is_no_help(&servers(|_| vec![Op::wait(Expr::Bool(false))]));
}

#[test]
fn ranks_below_zero_get_no_smaller() {
    // The owner of the lock counts down without a bound.
    let counting = program(
        "var lock: int = 0;
        process A { local n: int = 0;
            entry -> b: lock == 0; lock := 1; b -> b: n := n - 1; b -> entry: lock := 0; }
        process B { entry -> b: lock == 0; lock := 2; b -> entry: lock := 0; }
        start A; start B;",
    );
    let proof = PROOF.replace("lock = 1 & lock' = 0", "lock = 1 & lock' = 0 | lock = 1 & lock' = 1");
    let proof =
        proof.replace("by 3", "by 4").replace("by 1", "by 1 2").replace("rank A @b: 1", "rank A @b: n");
    let found = common::defect(&counting, Goal::Deadlock, read(&counting, &proof));
    assert_eq!(found.rule(), Some(Rule::Descent), "{found}");
}

#[test]
fn nonsense_is_refused() {
    let program = program(SERVERS);
    for (line, nonsense) in [
        ("help A @entry by 3", "help A @entry by 0"),
        ("help A @entry by 3", "help A @entry by 77"),
        ("help A @entry by 3", "help B @entry by 1"),
        ("help A @entry by 3", "help A @unstarted by 3"),
    ] {
        let found = common::defect(&program, Goal::Deadlock, read(&program, &PROOF.replace(line, nonsense)));
        assert_eq!(found.rule(), None, "{nonsense}: {found}");
    }
}

#[test]
fn help_is_read_as_it_was_written() {
    let program = program(SERVERS);
    common::is_read_as_written(&program, Goal::Deadlock, &read(&program, PROOF));
}
