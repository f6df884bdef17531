//! Reduction joins steps, and what is proved of the joined ones is accepted of the single ones.

mod generated;
mod generated_c;
mod tricky;

use rely_base::{Budget, Silent, SourceMap};
use rely_evidence::{Confirmation, Proof, Verdict};
use rely_passes::CriticalSections;
use rely_program::{Goal, Program};
use rely_testing::random::{edits, locking};
use rely_testing::{Answer, Reference, generate};
use rely_verify::{
    Language, Portfolio, ReductionStrategy, Source, Standard, Strategy, Task, verify, verify_and_keep,
};
use tricky::{TRICKY, Tricky};

fn load(text: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add("model.rely", text);
    let program = rely_model_front::translate(&sources, file);
    program.unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// The verdict about a program as it is, without passes.
fn decide(program: &Program, goal: Goal) -> Verdict {
    // Some of the programs count without end.
    let budget = Budget::unlimited().with_step_limit(300_000);
    let task = Task { program, goal, observer: &Silent };
    let judge = |claim, budget: &Budget| rely_evidence::check(program, goal, claim, budget).into_verdict();
    ReductionStrategy::default().decide(task, &budget, &judge).verdict
}

/// The verdict, with passes.
fn check(without: &str, model: &str, expected: &str) {
    let program = load(model);
    let verified =
        verify(&program, Goal::Assert, &ReductionStrategy::default(), &Budget::unlimited(), &Silent);
    let found = match &verified.verdict {
        Verdict::Safe(proved) => match proved.proof() {
            Proof::Reduced(_) => "safe by reduction".to_owned(),
            _ => "safe".to_owned(),
        },
        Verdict::Unsafe(_) => "unsafe".to_owned(),
        Verdict::Unknown(reason) => reason.to_string(),
    };
    assert_eq!(found, expected, "without {without}: {model}");
}

#[test]
fn tricky_programs() {
    assert!(TRICKY.len() >= 25);
    for Tricky { without, model, expected } in TRICKY {
        check(without, model, expected);
    }
}

/// What reduction says agrees with a reference that knows nothing of it, and no evidence is rejected.
fn compare(what: &str, program: &Program, goal: Goal, tally: &mut [usize; 3]) {
    let expected = Reference::new(program, goal).answer(20_000);
    let verdict = decide(program, goal);
    match (&verdict, &expected) {
        (Verdict::Safe(proved), Answer::Safe { .. }) => {
            tally[usize::from(matches!(proved.proof(), Proof::Reduced(_)))] += 1;
        }
        (Verdict::Unsafe(_), Answer::Unsafe { .. }) => tally[2] += 1,
        (Verdict::Unknown(reason), _) => {
            assert!(!reason.to_string().contains("rejected"), "{what}: {reason}\n{program}");
        }
        (_, Answer::Safe { .. } | Answer::Unsafe { .. }) => {
            panic!("{what}: {}, not {expected:?}\n{program}", verdict.name())
        }
        _ => {}
    }
}

#[test]
fn generated_programs() {
    let mut tally = [0; 3];
    for seed in 0..150 {
        let sample = generate(seed);
        if sample.goal != Goal::Deadlock {
            compare(&format!("seed {seed}"), &sample.program, sample.goal, &mut tally);
        }
    }
    for seed in 0..150 {
        compare(&format!("lock {seed}"), &locking::program(seed), Goal::Assert, &mut tally);
    }
    assert!(tally[1] > 40 && tally[2] > 60, "{tally:?}");
}

#[test]
fn edited_programs() {
    let mut tally = [0; 3];
    // In the last one, blocks start an instance twice.
    let seeds = (0..150).chain([215]);
    for (seed, program) in seeds.filter_map(|seed| Some((seed, edits::program(seed).ok()?))) {
        compare(&format!("edit {seed}"), &program, Goal::Assert, &mut tally);
    }
    assert!(tally[1] > 10 && tally[2] > 30, "{tally:?}");
}

/// Reduction, the portfolio without it, what runs unless something else is chosen, and a reference that knows nothing
/// of any of them agree about programs with locks.
fn compare_strategies(seeds: std::ops::Range<u64>, make: impl Fn(u64) -> (String, Program)) -> [usize; 3] {
    let mut tally = [0; 3];
    for seed in seeds {
        let (model, program) = make(seed);
        let expected = Reference::new(&program, Goal::Assert).answer(20_000);
        let expected = match expected {
            Answer::Safe { .. } => "safe",
            Answer::Unsafe { .. } => "unsafe",
            _ => continue,
        };
        let budget = || Budget::unlimited().with_step_limit(300_000);
        let reducing = ReductionStrategy::default();
        let by = |strategy: &dyn Strategy, sections| {
            let verified = verify_and_keep(&program, Goal::Assert, sections, strategy, &budget(), &Silent);
            if let Verdict::Unknown(reason) = &verified.verdict {
                assert!(!reason.to_string().contains("rejected"), "seed {seed}: {reason}\n{model}");
                return verified.verdict;
            }
            assert_eq!(verified.verdict.name(), expected, "seed {seed}, {}\n{model}", strategy.name());
            verified.verdict
        };
        let reduced = by(&reducing, CriticalSections::Atomic);
        by(&Portfolio::default(), CriticalSections::Interleaved);
        by(&Standard::default(), CriticalSections::Atomic);
        match reduced {
            Verdict::Safe(proved) => tally[usize::from(matches!(proved.proof(), Proof::Reduced(_)))] += 1,
            Verdict::Unsafe(_) => tally[2] += 1,
            Verdict::Unknown(_) => {}
        }
    }
    tally
}

/// More of them: `RELY_MODELS=5000 cargo test --release -p rely-verify --test reduction with_locks`.
#[test]
fn models_with_locks() {
    let seeds = how_many(200);
    let tally = compare_strategies(0..seeds, |seed| {
        let model = generated::model(seed);
        let program = load(&model);
        (model, program)
    });
    let enough = seeds as usize / 5;
    assert!(tally[1] > enough && tally[2] > enough, "{tally:?}");
}

/// C programs with pointers to locks, locks that are tried, and spin locks written by hand; more of them as above.
#[test]
fn programs_with_locks() {
    let seeds = how_many(60);
    let tally = compare_strategies(0..seeds, |seed| {
        let text = generated_c::program(seed);
        let loaded = rely_verify::load(&Source::new("program.c", Language::C, &*text));
        (text, loaded.unwrap_or_else(|problem| panic!("seed {seed}: {problem}")).program)
    });
    let enough = seeds as usize / 8;
    assert!(tally[1] > enough && tally[2] > enough, "{tally:?}");
}

fn how_many(usual: u64) -> u64 {
    std::env::var("RELY_MODELS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// The program P2-x of the reduction paper in C: in the third thread, `y` is accessed without the lock.
fn unprotected_sum(statements: usize) -> Program {
    let section = |lock: &str, statement: &str| {
        let statements = statement.repeat(statements);
        format!("pthread_mutex_lock(&{lock}); {statements} pthread_mutex_unlock(&{lock});")
    };
    let (own, foreign) = (section("my", "y = y + a; "), section("mx", "x = x + 2; "));
    let last = section("my", "y = y + 2; ");
    let limit = 7 + 4 * statements;
    let text = format!(
        "typedef unsigned long pthread_t; typedef union {{ char size[40]; }} pthread_mutex_t;
         int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
         int pthread_join(pthread_t, void **);
         int pthread_mutex_lock(pthread_mutex_t *), pthread_mutex_unlock(pthread_mutex_t *);
         void __assert_fail(const char *, const char *, unsigned, const char *);
         int x = 2, y = 2; pthread_mutex_t mx, my;
         void *one(void *u) {{ int a; pthread_mutex_lock(&mx); a = x; {own} a = a + 1; {own}
                               x = 2 * x + a; pthread_mutex_unlock(&mx); return 0; }}
         void *two(void *u) {{ {foreign} return 0; }}
         void *three(void *u) {{ {last} y = y + 2; return 0; }}
         int main(void) {{ pthread_t s, t, u;
            pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0); pthread_create(&u, 0, three, 0);
            pthread_join(s, 0); pthread_join(t, 0); pthread_join(u, 0);
            if (x == {limit}) __assert_fail(\"\", \"\", 0, \"\"); return 0; }}"
    );
    let loaded = rely_verify::load(&Source::new("program.c", Language::C, text));
    loaded.unwrap_or_else(|problem| panic!("{problem}")).program
}

/// Sections of so many statements under a spin lock that is written while it is waited for.
fn spinning_sections(statements: usize) -> Program {
    let statements = "x = x + 1; ".repeat(statements);
    let text = format!(
        "typedef unsigned long pthread_t;
         int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
         int pthread_join(pthread_t, void **);
         void __assert_fail(const char *, const char *, unsigned, const char *);
         int spin, x;
         void *one(void *u) {{ while (__sync_lock_test_and_set(&spin, 1)) ; {statements} __sync_lock_release(&spin); return 0; }}
         void *two(void *u) {{ while (__sync_lock_test_and_set(&spin, 1)) while (spin) ; {statements}
                               if (x == 1) __assert_fail(\"\", \"\", 0, \"\"); spin = 0; return 0; }}
         int main(void) {{ pthread_t s, t;
            pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0);
            pthread_join(s, 0); pthread_join(t, 0); return 0; }}"
    );
    let loaded = rely_verify::load(&Source::new("program.c", Language::C, text));
    loaded.unwrap_or_else(|problem| panic!("{problem}")).program
}

/// The obligations and states of the proof about a program.
fn cost(program: &Program) -> (u64, Option<u64>) {
    let strategy = ReductionStrategy::default();
    let verified = verify(program, Goal::Assert, &strategy, &Budget::unlimited(), &Silent);
    let Verdict::Safe(proved) = &verified.verdict else { panic!("{}", verified.verdict.name()) };
    match proved.confirmation() {
        Confirmation::Reduced { obligations, states } => (obligations, states),
        _ => panic!("{}", proved.evidence()),
    }
}

#[test]
fn waiting_for_a_spin_lock_costs_no_states() {
    let [(_, states), (_, same)] = [2, 8].map(|statements| cost(&spinning_sections(statements)));
    assert!(states.is_some_and(|states| states < 20) && states == same, "{states:?} {same:?}");
}

#[test]
fn what_nobody_asks_for_costs_no_states() {
    let [(two, states), (four, same), (eight, again)] =
        [2, 4, 8].map(|statements| cost(&unprotected_sum(statements)));
    assert!(states.is_some() && states == same && same == again);
    // So many more for each statement, and no squares.
    assert_eq!(eight - four, 2 * (four - two));
}
