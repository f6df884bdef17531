//! Rankings written down and read again, malformed ones, and obligations for other solvers.

use super::models::{self, Model};
use super::ranks::ranking;
use crate::common;
use crate::solvers::solvers;
use rely_base::{Budget, Id};
use rely_evidence::Proof;
use rely_evidence::ranking::{RankCase, Ranking, Sum, ThreadRanks};
use rely_evidence::rely_guarantee::{ControlPoint, Moment, Quantity, export_obligations, recheck};
use rely_program::{Goal, LocationId, ThreadId, Value, VarId};

fn of(model: &Model) -> Ranking {
    ranking(&model.program, model.proof)
}

#[test]
fn what_is_written_is_read() {
    for model in models::all() {
        common::is_read_as_written(&model.program, Goal::Termination, &Proof::Ranking(of(&model)));
    }
}

#[test]
fn other_shapes_are_not_read() {
    let model = models::single_loop();
    let json = common::written(&model.program, Goal::Termination, &Proof::Ranking(of(&model)));
    let none = "this is not a certificate";
    common::are_no_certificates(
        &json,
        &[
            ("\"components\":2", "\"components\":-2", none),
            ("\"components\":2", "\"components\":99999999999999999999999", none),
            ("\"components\":2,", "", none),
            ("\"ranks\"", "\"rank\"", none),
            ("\"cases\"", "\"more\":1,\"cases\"", none),
            ("\"when\":[]", "\"when\":null", none),
            ("\"constant\":1", "\"constant\":1.5", none),
            ("\"constant\":1", "\"constant\":1e99", none),
            ("\"ranking\"", "\"rankings\"", none),
        ],
    );
}

fn rejection(model: &Model, ranking: Ranking) -> String {
    common::reason(&model.program, Goal::Termination, Proof::Ranking(ranking)).to_string()
}

#[track_caller]
fn is_malformed(model: &Model, damage: impl FnOnce(&mut Ranking), expected: &str) {
    let mut ranking = of(model);
    damage(&mut ranking);
    let expected = format!("the evidence was rejected: the proof is malformed: {expected}");
    assert_eq!(rejection(model, ranking), expected);
}

fn cell(var: usize, index: u32, moment: Moment) -> (Value, Quantity) {
    (1, Quantity::Cell { var: VarId::from_index(var), index, moment })
}

#[test]
fn ranks_of_nothing_are_refused() {
    let model = &models::single_loop();
    let add = |term| move |ranking: &mut Ranking| ranking.ranks[0].at[0].1[0].rank[1].terms.push(term);
    is_malformed(model, add(cell(7, 0, Moment::Before)), "there is no variable 7");
    is_malformed(model, add(cell(0, 1, Moment::Before)), "`x` has no cell 1");
    is_malformed(model, add(cell(0, 0, Moment::After)), "an assertion speaks of `x` after a step");
    is_malformed(model, |ranking| ranking.ranks[0].thread = ThreadId::from_index(9), "there is no thread 9");
    is_malformed(
        model,
        |ranking| ranking.ranks.push(ThreadRanks { thread: ThreadId::from_index(9), at: Vec::new() }),
        "there is no thread 9",
    );
    is_malformed(
        model,
        |ranking| ranking.ranks[0].at[0].0 = ControlPoint::At(LocationId::from_index(99)),
        "thread 0 is never where the proof gives it a rank",
    );
    is_malformed(
        model,
        |ranking| ranking.ranks[0].at[0].0 = ControlPoint::Unstarted,
        "thread 0 is never where the proof gives it a rank",
    );
    is_malformed(
        &models::two_loops(),
        |ranking| ranking.ranks[1].thread = ThreadId::from_index(0),
        "thread 0 is never where the proof gives it a rank",
    );
    is_malformed(
        &models::workers(),
        |ranking| ranking.ranks[1].at[0].1[0].rank[0].terms.push(cell(0, 0, Moment::Before)),
        "the rank of `worker`, of which there can be any number, depends on more than its own variables",
    );
}

#[test]
fn too_many_and_too_few_ranks_are_refused() {
    let model = &models::single_loop();
    is_malformed(
        model,
        |ranking| {
            let case = ranking.ranks[0].at[0].1[0].clone();
            ranking.ranks[0].at[0].1 = vec![case; 100_000];
        },
        "a rank of thread 0 has more than 256 cases",
    );
    is_malformed(
        model,
        |ranking| ranking.ranks[0].at.truncate(1),
        "thread `T` at `exit` has an assertion and no rank",
    );
    is_malformed(
        model,
        |ranking| {
            let entry = ranking.ranks[0].clone();
            ranking.ranks.push(entry);
        },
        "a rank of thread 0 is listed twice",
    );
    is_malformed(model, |ranking| ranking.components = 3, "a rank of thread 0 has 2 components and not 3");
    is_malformed(model, |ranking| ranking.components = 65, "a rank has more than 64 components");
    is_malformed(model, |ranking| ranking.components = usize::MAX, "a rank has more than 64 components");
    is_malformed(
        &models::started(),
        |ranking| ranking.ranks[1].at.retain(|(point, _)| *point != ControlPoint::Unstarted),
        "thread `child` before its start has an assertion and no rank",
    );
}

#[test]
fn hostile_numbers_are_just_numbers() {
    let model = models::single_loop();
    for (factor, constant) in [
        (Value::MIN, Value::MIN),
        (Value::MIN, Value::MAX),
        (Value::MAX, Value::MIN),
        (0, Value::MAX),
        (0, Value::MIN),
    ] {
        let mut ranking = of(&model);
        let sum = &mut ranking.ranks[0].at[0].1[0].rank[1];
        (sum.terms[0].0, sum.constant) = (factor, constant);
        assert!(rejection(&model, ranking).contains("rule `descent` is violated"));
    }
    // Adding a lot changes nothing.
    let mut ranking = of(&model);
    let sum = &mut ranking.ranks[0].at[0].1[0].rank[1];
    (sum.terms[0].0, sum.constant) = (Value::MAX, Value::MAX);
    let verdict = common::verdict(&model.program, Goal::Termination, Proof::Ranking(ranking));
    assert_eq!(verdict.name(), "safe");
}

#[test]
fn long_tuples_and_many_cases_are_decided() {
    let model = models::single_loop();
    let mut ranking = of(&model);
    ranking.components = 64;
    let pad = |case: &mut RankCase| {
        let rest = std::mem::take(&mut case.rank);
        case.rank = vec![Sum { terms: Vec::new(), constant: 3 }; 62];
        case.rank.extend(rest);
    };
    ranking.ranks.iter_mut().flat_map(|entry| &mut entry.at).flat_map(|(_, cases)| cases).for_each(pad);
    let again: Vec<ThreadRanks> = ranking.ranks.clone();
    for (entry, copy) in ranking.ranks.iter_mut().zip(&again) {
        for ((_, cases), (_, copies)) in entry.at.iter_mut().zip(&copy.at) {
            cases.extend(std::iter::repeat_n(copies[0].clone(), 255));
        }
    }
    let verdict = common::verdict(&model.program, Goal::Termination, Proof::Ranking(ranking));
    assert_eq!(verdict.name(), "safe", "{verdict:?}");
}

#[test]
fn other_solvers_confirm_rankings() {
    let budget = Budget::unlimited();
    for solver in solvers() {
        for model in models::all() {
            let confirmed = recheck(&model.program, Goal::Termination, &of(&model), solver, &budget);
            assert!(confirmed.unwrap() > 0, "{}", model.name);
        }
        let model = models::single_loop();
        let damaged = model.proof.replace("rank T @entry: 1, x", "rank T @entry: 1, 7");
        let damaged = ranking(&model.program, &damaged);
        let error = recheck(&model.program, Goal::Termination, &damaged, solver, &budget).unwrap_err();
        let expected = "the solver answers `sat` where `unsat` was expected: rule `descent` (thread `T` at `entry`, edge 0 of `T`)";
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn obligations_are_plain_smt_lib() {
    let model = models::lowered_bound();
    let text =
        export_obligations(&model.program, Goal::Termination, &of(&model), &Budget::unlimited()).unwrap();
    assert!(text.starts_with("; Obligations of a ranking of the property `termination`"), "{text}");
    let parts = ["descent: thread `B` at `entry`, edge 2 of `B`", "progress: thread `A` at `entry`"];
    common::is_plain_smt_lib(&text, &parts);
}
