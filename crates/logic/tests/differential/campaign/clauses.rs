//! Random Horn clauses without recursion: solutions are checked clause by clause, derivations step
//! by step.

use rely_base::{Budget, Id};
use rely_logic::interpolate::{
    Application, Clause, ClauseId, Derivation, HornOutcome, HornSystem, Limits, Solution, UnknownId,
};
use rely_logic::smtlib::{Answer, Script};
use rely_logic::{Integer, TermId, TermPool, Value, VarId};
use rustc_hash::FxHashMap;

use super::Report;
use super::oracle::Oracle;
use super::problems::{Flavour, formula};
use super::random::Random;

/// How many questions z3 gets at once, more or less.
const BATCH: usize = 500;

/// A system with what was wished for its solution.
struct Wishes {
    system: HornSystem,
    unknowns: Vec<UnknownId>,
    /// The parameters that each solution may mention.
    allowed: Vec<Vec<VarId>>,
}

/// Solves `count` systems.
pub fn run(z3: &mut Oracle, seed: u64, count: usize) -> Report {
    let mut random = Random::new(seed);
    let mut report = Report::default();
    let mut questions: Vec<String> = Vec::new();
    while report.questions < count {
        let mut pool = TermPool::new();
        questions.extend(check_system(&mut pool, &mut random, &mut report));
        if questions.len() >= BATCH || report.questions == count {
            for (answer, text) in z3.answers(&questions).into_iter().zip(&questions) {
                assert_eq!(answer, Answer::Unsat, "a clause is not valid:\n{text}");
            }
            questions.clear();
        }
    }
    report
}

/// Solves one system; the answers are questions that must be unsatisfiable.
fn check_system(pool: &mut TermPool, random: &mut Random, report: &mut Report) -> Vec<String> {
    let Wishes { system, unknowns, allowed } = random_system(pool, random);
    let budget = Budget::unlimited();
    report.questions += 1;
    match system.solve(pool, &Limits::default(), &budget) {
        HornOutcome::Solved(solution) => {
            report.unsat += 1;
            for (&unknown, allowed) in unknowns.iter().zip(&allowed) {
                let mentioned = pool.free_variables(solution[unknown]);
                assert!(mentioned.iter().all(|variable| allowed.contains(variable)), "a foreign variable");
            }
            counterexamples(pool, &system, &solution)
        }
        HornOutcome::Unsatisfiable(derivation) => {
            report.sat += 1;
            assert!(system.clauses()[derivation.clause].head.is_none(), "not a derivation of false");
            check_derivation(pool, &system, &derivation);
            Vec::new()
        }
        HornOutcome::NotInVocabulary => {
            report.sat += 1;
            let mut free = system.clone();
            unknowns.iter().for_each(|&unknown| free.restrict(unknown, |_| true));
            match free.solve(pool, &Limits::default(), &budget) {
                HornOutcome::Solved(solution) => counterexamples(pool, &free, &solution),
                outcome => panic!("there should be a solution: {outcome:?}"),
            }
        }
        HornOutcome::Unknown(_) => {
            report.unknown += 1;
            Vec::new()
        }
    }
}

/// For every clause, the question for values that make it false.
fn counterexamples(pool: &mut TermPool, system: &HornSystem, solution: &Solution) -> Vec<String> {
    let clauses: Vec<Clause> = system.clauses().values().cloned().collect();
    let mut questions = Vec::new();
    for Clause { constraint, body, head } in clauses {
        let mut formulas = vec![constraint];
        for application in &body {
            formulas.push(instance(pool, system, application, solution));
        }
        if let Some(head) = head {
            let implied = instance(pool, system, &head, solution);
            formulas.push(pool.not(implied));
        }
        questions.push(Script::new(pool, &formulas).text().to_owned());
    }
    questions
}

fn instance(
    pool: &mut TermPool,
    system: &HornSystem,
    application: &Application,
    solution: &Solution,
) -> TermId {
    let parameters = system.parameters(application.unknown);
    let replacements: FxHashMap<TermId, TermId> = parameters
        .iter()
        .zip(&application.arguments)
        .map(|(&parameter, &argument)| (pool.var(parameter), argument))
        .collect();
    pool.substitute(solution[application.unknown], &replacements)
}

/// Checks a derivation; the answer is the arguments of the head.
fn check_derivation(pool: &TermPool, system: &HornSystem, derivation: &Derivation) -> Vec<Option<Value>> {
    let Clause { constraint, body, head } = &system.clauses()[derivation.clause];
    let values: FxHashMap<VarId, Value> = derivation.values.iter().cloned().collect();
    let arguments_of = |application: &Application| -> Vec<Option<Value>> {
        application.arguments.iter().map(|&argument| pool.evaluate(argument, &values)).collect()
    };
    assert_eq!(pool.evaluate(*constraint, &values), Some(Value::Bool(true)), "a constraint does not hold");
    assert_eq!(body.len(), derivation.premises.len(), "a premise is missing");
    for (application, premise) in body.iter().zip(&derivation.premises) {
        let implied = system.clauses()[premise.clause].head.as_ref().map(|head| head.unknown);
        assert_eq!(implied, Some(application.unknown), "another premise is needed");
        assert_eq!(check_derivation(pool, system, premise), arguments_of(application), "other arguments");
    }
    head.iter().flat_map(arguments_of).collect()
}

fn random_system(pool: &mut TermPool, random: &mut Random) -> Wishes {
    let flavour = Flavour { disjunction_percent: 5, ..Flavour::any(random) };
    let mut system = HornSystem::new();
    let mut unknowns = Vec::new();
    let mut allowed = Vec::new();
    for number in 0..random.between(1, 4) {
        let parameters: Vec<TermId> =
            (0..random.between(1, 3)).map(|n| pool.int_var(&format!("p{number}_{n}"))).collect();
        let variables: Vec<VarId> = parameters.iter().filter_map(|&term| pool.as_var(term)).collect();
        let unknown = system.unknown(variables.clone());
        let permitted: Vec<VarId> = variables.iter().copied().filter(|_| random.percent(85)).collect();
        system.restrict(unknown, |variable| permitted.contains(&variable));
        if random.percent(30) {
            let wishes: Vec<TermId> = (0..3).map(|_| formula(pool, random, flavour, &parameters)).collect();
            system.prefer(unknown, wishes);
        }
        unknowns.push(unknown);
        allowed.push(permitted);
        for _ in 0..random.between(1, 2) {
            add_clause(pool, random, &mut system, &unknowns, Some(unknown), flavour);
        }
    }
    for _ in 0..random.between(1, 2) {
        add_clause(pool, random, &mut system, &unknowns, None, flavour);
    }
    Wishes { system, unknowns, allowed }
}

/// Adds a clause whose body has earlier predicates only.
fn add_clause(
    pool: &mut TermPool,
    random: &mut Random,
    system: &mut HornSystem,
    unknowns: &[UnknownId],
    head: Option<UnknownId>,
    flavour: Flavour,
) -> ClauseId {
    let variables: Vec<TermId> = ["x", "y", "z", "u"].map(|name| pool.int_var(name)).to_vec();
    let apply = |pool: &mut TermPool, random: &mut Random, unknown: UnknownId| {
        let arguments = (0..system.parameters(unknown).len())
            .map(|_| {
                let variable = *random.pick(&variables);
                let offset = if random.percent(20) { random.between(-2, 2) } else { 0 };
                pool.sum([(variable, Integer::ONE)], Integer::from(offset))
            })
            .collect();
        Application { unknown, arguments }
    };
    let earlier = head.map_or(unknowns.len(), Id::index);
    let fewest = i64::from(head.is_none());
    let body = (0..random.between(fewest, 2))
        .filter(|_| earlier > 0)
        .map(|_| {
            let unknown = unknowns[random.between(0, earlier as i64 - 1) as usize];
            apply(pool, random, unknown)
        })
        .collect();
    let head = head.map(|unknown| apply(pool, random, unknown));
    let constraint = formula(pool, random, flavour, &variables);
    system.add(pool, Clause { constraint, body, head }).expect("a clause that fits")
}
