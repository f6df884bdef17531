//! The proofs of the papers' tables before other solvers: for each safe row and each engine of its
//! table, how many obligations z3 and cvc5 confirm, and what becomes of the proof when something
//! in it is changed.
//!
//! ```sh
//! cargo run --release -p rely --example obligations -- [TABLE/TASK] [--mutants N]
//! ```
//!
//! A mutant that our checker accepts must be accepted by z3 as well; one that it rejects should not
//! be. The exit code is 1 if a solver does not confirm a row or contradicts an accepted mutant.

#![allow(clippy::print_stdout)] // a command talks to the terminal

#[path = "../tests/suite/mutants.rs"]
mod mutants;

use mutants::mutants;
use rely::{args::InputArgs, input};
use rely_base::{Budget, Silent};
use rely_bench::{papers::Papers, task};
use rely_evidence::rely_guarantee::{ObligationsError, RelyGuarantee, recheck};
use rely_evidence::{Claim, Proof, Verdict, check};
use rely_passes::CriticalSections;
use rely_program::{Goal, Program};
use rely_verify::{Bias, StrategyOptions, strategy_with};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

const SOLVERS: [&str; 2] = ["z3", "cvc5"];
const PATIENCE: Duration = Duration::from_secs(300);

/// What came out, over all rows.
#[derive(Default)]
struct Totals {
    rows: usize,
    confirmed: usize,
    mutants: usize,
    rejected: usize,
    still_proofs: usize,
    contradicted: usize,
    missing: usize,
}

fn main() -> ExitCode {
    let mut wanted = None;
    let mut of_each_kind = 0;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--mutants" => of_each_kind = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(0),
            _ => wanted = Some(argument),
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks");
    let papers = Papers::read(&folder.join("papers.json")).expect("the papers' figures are there");
    let mut totals = Totals::default();
    let mut seen = BTreeSet::new();
    for table in &papers.tables {
        for task in table.rows.iter().flat_map(|row| &row.tasks) {
            let name = format!("{}/{task}", table.name);
            if wanted.as_ref().is_some_and(|wanted| !name.contains(wanted.as_str())) {
                continue;
            }
            for engine in table.engines.iter().map(|entry| entry.engine.as_str()) {
                for (file, goal) in safe_tasks(&folder.join(format!("{name}.yml")), &name) {
                    if seen.insert((file.clone(), engine.to_owned())) {
                        row(&name, &file, goal, engine, of_each_kind, &mut totals);
                    }
                }
            }
        }
    }
    println!(
        "{} of {} proofs are confirmed by all of {}; {} have no obligations",
        totals.confirmed,
        totals.rows,
        SOLVERS.join(", "),
        totals.missing
    );
    println!(
        "{} mutants: {} rejected, {} still proofs, {} of these contradicted",
        totals.mutants, totals.rejected, totals.still_proofs, totals.contradicted
    );
    ExitCode::from(u8::from(totals.confirmed < totals.rows || totals.contradicted > 0))
}

fn safe_tasks(definition: &Path, name: &str) -> Vec<(PathBuf, Goal)> {
    let tasks = task::read(definition, name).expect("a task definition");
    let safe = tasks.into_iter().filter(|task| task.expected == Some(true));
    safe.map(|task| (task.input.canonicalize().unwrap_or(task.input), task.goal)).collect()
}

fn budget() -> Budget {
    Budget::builder().time(PATIENCE).build()
}

fn row(name: &str, file: &Path, goal: Goal, engine: &str, of_each_kind: usize, totals: &mut Totals) {
    let input = input::read(file, &InputArgs::default()).expect("readable");
    let loaded = rely_verify::load(&input).expect("a program");
    let engine_name = engine.split_whitespace().next().unwrap_or(engine);
    let bias = if engine.ends_with("none") { Bias::None } else { Bias::Modular };
    let chosen =
        strategy_with(engine_name, StrategyOptions { bias, ..Default::default() }).expect("an engine");
    let verified = rely_verify::verify_and_keep(
        &loaded.program,
        goal,
        CriticalSections::Atomic,
        chosen.as_ref(),
        &budget(),
        &Silent,
    );
    let proof = match &verified.verdict {
        Verdict::Safe(proved) => match proved.proof() {
            Proof::RelyGuarantee(proof) => proof.clone(),
            _ => {
                totals.missing += 1;
                println!("{name} ({engine}): no obligations, the proof is by exhaustion");
                return;
            }
        },
        other => {
            totals.rows += 1;
            println!("{name} ({engine}): no proof: {other:.200?}");
            return;
        }
    };
    totals.rows += 1;
    let answers = SOLVERS.map(|solver| recheck(&verified.prepared, goal, &proof, solver, &budget()));
    totals.confirmed += usize::from(answers.iter().all(Result::is_ok));
    let told = SOLVERS.iter().zip(&answers).map(|(solver, answer)| match answer {
        Ok(count) => format!("{solver} confirms {count}"),
        Err(error) => format!("{solver}: {error}"),
    });
    println!("{name} ({engine}): {}", told.collect::<Vec<_>>().join(", "));
    if of_each_kind > 0 {
        mutate(name, &verified.prepared, goal, &proof, of_each_kind, totals);
    }
}

fn mutate(
    name: &str,
    program: &Program,
    goal: Goal,
    proof: &RelyGuarantee,
    of_each_kind: usize,
    totals: &mut Totals,
) {
    let (mut rejected, mut still_proofs) = (0, 0);
    for mutant in mutants(proof, of_each_kind) {
        let claim = Claim::Safe(Proof::RelyGuarantee(mutant.proof.clone()));
        let accepted = matches!(check(program, goal, claim, &budget()).into_verdict(), Verdict::Safe(_));
        let other = recheck(program, goal, &mutant.proof, SOLVERS[0], &budget());
        match (accepted, other) {
            (true, Ok(_)) => still_proofs += 1,
            (true, Err(error)) => {
                still_proofs += 1;
                totals.contradicted += 1;
                println!("  {}: accepted, but {}: {error}", mutant.what, SOLVERS[0]);
            }
            (false, Ok(_)) => {
                rejected += 1;
                println!("  {}: rejected, although {} confirms its obligations", mutant.what, SOLVERS[0]);
            }
            (false, Err(ObligationsError::Defect(_) | ObligationsError::NotConfirmed { .. })) => {
                rejected += 1;
            }
            (false, Err(error)) => {
                rejected += 1;
                println!("  {}: rejected; {}: {error}", mutant.what, SOLVERS[0]);
            }
        }
    }
    println!("{name}: {rejected} mutants rejected, {still_proofs} still proofs");
    totals.mutants += rejected + still_proofs;
    totals.rejected += rejected;
    totals.still_proofs += still_proofs;
}
