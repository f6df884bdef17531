//! `rely validate`: is what a witness says so?

use super::invariants::{Answer, Validation};
use super::{Context, Ended};
use crate::args::ValidateArgs;
use crate::exit::Status;
use crate::input::{self, NotLoaded};
use crate::limits::{Limits, Watch, supervised};
use crate::progress::Heartbeat;
use rely_base::{Budget, Silent, SourceMap};
use rely_evidence::{Replay, Verdict};
use rely_passes::CriticalSections;
use rely_program::Goal;
use rely_report::{
    Claimed, ClaimedWaypoint, Detail, Interleaving, ProofContext, StepTaken, WitnessFormat, WitnessTask,
    read_witness, render_run, render_witness,
};
use rely_verify::{Loaded, Strategy, StrategyOptions, Verified};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// What is known of a witness, and a text for people.
enum Judgement {
    Confirmed(String),
    Refuted(String),
    Unknown(String),
}

/// Checks a witness.
pub fn validate(arguments: &ValidateArgs, context: &Context) -> Ended {
    let watch = Watch::new(context.interrupt.clone(), Heartbeat::new(true));
    let budget = watch.begin(Limits::new(arguments.timeout, arguments.memory));
    let work = || validate_within(arguments, context, budget);
    supervised(&watch, work, |reason| {
        let judgement = Judgement::Unknown(reason.to_string());
        print(arguments, context, judgement).unwrap_or(Status::Unknown).code()
    })?
}

fn validate_within(arguments: &ValidateArgs, context: &Context, budget: Budget) -> Ended {
    let budget = &budget;
    let strategy = match rely_verify::strategy_with(&arguments.engine, StrategyOptions::default()) {
        Ok(strategy) => strategy,
        Err(error) => return Ok(context.console.error(&error.to_string())),
    };
    let claimed = match input::read_text(&arguments.witness) {
        Ok((name, text)) => read_witness(&text).map_err(|problem| format!("{name}: {problem}")),
        Err(problem) => Err(problem.message),
    };
    let claimed = match claimed.and_then(|claimed| is_about(&claimed, arguments).map(|goal| (claimed, goal)))
    {
        Ok(claimed) => claimed,
        Err(problem) => return Ok(context.console.error(&problem)),
    };
    let (claimed, goal) = claimed;
    let loaded = match super::load(std::slice::from_ref(&arguments.file), &arguments.input, budget) {
        Ok(loaded) => loaded,
        Err(NotLoaded::Wrong(problem)) => return Ok(context.complain(&problem)),
        Err(NotLoaded::Stopped(interrupted)) => {
            return print(arguments, context, Judgement::Unknown(interrupted.to_string()));
        }
    };
    let task = Task { arguments, context, loaded: &loaded, strategy: strategy.as_ref(), budget, goal };
    let judgement = match (&claimed.segments, claimed.data_models.iter().find(|model| *model != "LP64")) {
        (_, Some(model)) => Judgement::Unknown(format!("the data model {model} is not supported")),
        (Some(segments), None) => task.violation(segments),
        (None, None) => task.correctness(&claimed),
    };
    print(arguments, context, judgement)
}

fn print(arguments: &ValidateArgs, context: &Context, judgement: Judgement) -> Ended {
    let (word, told, status) = match judgement {
        Judgement::Confirmed(told) => ("confirmed", told, Status::Holds),
        Judgement::Refuted(told) => ("refuted", told, Status::Violated),
        Judgement::Unknown(told) => ("unknown", told, Status::Unknown),
    };
    let status = context.unless_interrupted(status);
    let witness = arguments.witness.display();
    context.console.print(&format!("{witness}: {word}: {}\n", told.trim_end()))?;
    Ok(status)
}

/// The property of which a witness speaks, if it is one of this file.
fn is_about(claimed: &Claimed, arguments: &ValidateArgs) -> Result<Goal, String> {
    let witness = arguments.witness.display();
    let bytes =
        std::fs::read(&arguments.file).map_err(|error| format!("{}: {error}", arguments.file.display()))?;
    let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    if !claimed.hashes.is_empty()
        && claimed.hashes.iter().all(|(_, other)| !other.eq_ignore_ascii_case(&hash))
    {
        return Err(format!("{witness}: the witness is about another file: the hash of this one is {hash}"));
    }
    let goals: BTreeSet<Option<Goal>> = claimed.specifications.iter().map(|text| goal_of(text)).collect();
    match goals.into_iter().collect::<Vec<_>>().as_slice() {
        [Some(goal)] => Ok(*goal),
        [None] => Err(format!("{witness}: the specification is not one that is supported")),
        _ => Err(format!("{witness}: its entries do not have the same specification")),
    }
}

/// The property that a specification of SV-COMP asks for.
fn goal_of(specification: &str) -> Option<Goal> {
    let has = |word: &str| specification.contains(word);
    let words = [
        ("data-race", Goal::Race),
        ("overflow", Goal::Overflow),
        ("valid-", Goal::Memory),
        ("F end", Goal::Termination),
        ("call(", Goal::Assert),
        ("def-behavior", Goal::Assert),
    ];
    words.iter().find(|(word, _)| has(word)).map(|(_, goal)| *goal)
}

/// What a judgement needs.
struct Task<'t> {
    arguments: &'t ValidateArgs,
    context: &'t Context,
    loaded: &'t Loaded,
    strategy: &'t dyn Strategy,
    budget: &'t Budget,
    goal: Goal,
}

impl Task<'_> {
    fn verify(&self) -> Verified {
        let program = &self.loaded.for_goal(self.goal).program;
        let sections = CriticalSections::Atomic;
        rely_verify::verify_and_keep(program, self.goal, sections, self.strategy, self.budget, &Silent)
    }

    fn correctness(&self, claimed: &Claimed) -> Judgement {
        let all: BTreeSet<usize> = (0..claimed.invariants.len()).collect();
        let validation = Validation {
            path: &self.arguments.file,
            text: &self.loaded.input.text,
            options: &self.arguments.input,
            strategy: self.strategy,
            budget: self.budget,
        };
        let unknown = match validation.look(claimed, &all, self.budget) {
            Answer::Fails(index, shown) => {
                let invariant = &claimed.invariants[index];
                let (loaded, verified) = *shown;
                let line = invariant.place.line;
                let told = format!("the invariant `{}` in line {line} does not hold", invariant.value);
                return Judgement::Refuted(format!("{told}\n\n{}", self.run(&loaded, &verified)));
            }
            Answer::Hold => None,
            Answer::Unknown(why) => Some(why),
        };
        let verified = self.verify();
        match (&verified.verdict, unknown) {
            (Verdict::Unsafe(_), _) => {
                let run = self.run(self.loaded.for_goal(self.goal), &verified);
                Judgement::Refuted(format!("the program does not have the property `{}`\n\n{run}", self.goal))
            }
            (_, Some(why)) => Judgement::Unknown(why),
            (Verdict::Unknown(reason), None) => Judgement::Unknown(reason.to_string()),
            (Verdict::Safe(_), None) => {
                let count = rely_base::plural(all.len(), "invariants");
                let hold = if all.len() == 1 { "holds" } else { "hold" };
                Judgement::Confirmed(format!("{count} {hold}, and so does the property `{}`", self.goal))
            }
        }
    }

    /// The run of a violation as a table.
    fn run(&self, loaded: &Loaded, verified: &Verified) -> String {
        let Verdict::Unsafe(shown) = &verified.verdict else { return String::new() };
        let told = interleaving(shown.replay(), loaded, &loaded.sources);
        render_run(&told, &[], Detail::Usual, self.context.console.out_style)
    }

    /// A violation is confirmed by a run that passes the waypoints.
    fn violation(&self, segments: &[Vec<ClaimedWaypoint>]) -> Judgement {
        let verified = self.verify();
        match &verified.verdict {
            Verdict::Safe(_) => Judgement::Refuted(format!("no run violates the property `{}`", self.goal)),
            Verdict::Unknown(reason) => Judgement::Unknown(reason.to_string()),
            Verdict::Unsafe(_) => {
                let loaded = self.loaded.for_goal(self.goal);
                match self.own_segments(loaded, &verified) {
                    Ok(own) if passes(&own, segments) => {
                        let run = self.run(loaded, &verified);
                        Judgement::Confirmed(format!("a run passes all waypoints\n\n{run}"))
                    }
                    Ok(_) => Judgement::Unknown(
                        "there is a violation, but the run that was found does not pass the waypoints"
                            .to_owned(),
                    ),
                    Err(why) => Judgement::Unknown(why),
                }
            }
        }
    }

    /// The waypoints of the run that was found.
    fn own_segments(
        &self,
        loaded: &Loaded,
        verified: &Verified,
    ) -> Result<Vec<Vec<ClaimedWaypoint>>, String> {
        let task = WitnessTask {
            file: self.arguments.file.display().to_string(),
            hash: String::new(),
            uuids: [String::new(), String::new()],
            creation_time: String::new(),
            version: String::new(),
        };
        let context: ProofContext<'_> = super::proof_context(verified, loaded);
        let witness =
            render_witness(&verified.verdict, self.goal, &context, &task, WitnessFormat::Yaml, None)?;
        Ok(read_witness(&witness.text)?.segments.unwrap_or_default())
    }
}

/// Whether waypoints are passed in order by a run with these. What a run passes besides does not matter, unless it is
/// to be avoided.
fn passes(own: &[Vec<ClaimedWaypoint>], claimed: &[Vec<ClaimedWaypoint>]) -> bool {
    let mut rest = own.iter();
    claimed.iter().all(|segment| {
        let follow: Vec<&ClaimedWaypoint> = segment.iter().filter(|it| it.action == "follow").collect();
        let avoid: Vec<&ClaimedWaypoint> = segment.iter().filter(|it| it.action == "avoid").collect();
        for passed in rest.by_ref() {
            if follow.iter().all(|wanted| passed.iter().any(|waypoint| is_same(waypoint, wanted))) {
                return true;
            }
            if avoid.iter().any(|wanted| passed.iter().any(|waypoint| is_same(waypoint, wanted))) {
                return false;
            }
        }
        false
    })
}

fn is_same(own: &ClaimedWaypoint, wanted: &ClaimedWaypoint) -> bool {
    let is_there = own.place.line == wanted.place.line
        && wanted.place.column.is_none_or(|column| own.place.column == Some(column));
    let is_nothing = |value: &Option<String>| value.as_deref().is_none_or(|value| value == "1");
    own.kind == wanted.kind
        && own.thread == wanted.thread
        && is_there
        && (is_nothing(&wanted.value) || own.value == wanted.value)
}

fn interleaving(replay: &Replay, loaded: &Loaded, sources: &SourceMap) -> Interleaving {
    let states = replay.states();
    let steps = replay.trace().steps.iter().enumerate().map(|(index, step)| StepTaken {
        slot: step.slot,
        edge: step.edge,
        after: states.get(index + 1),
    });
    Interleaving::of_run(&loaded.program, sources, &states[0], steps)
}
