//! `rely run`: one concrete run, told as a table.

use super::{Context, Ended};
use crate::args::{RunArgs, TraceChoice};
use crate::exit::Status;
use crate::simulate::{self, Options, Run, RunEnd, Schedule};
use rely_base::Budget;
use rely_report::{Detail, Interleaving, StepTaken, ViolationReport, render_run, violation_text};
use rely_verify::Loaded;
use std::time::{SystemTime, UNIX_EPOCH};

/// Runs the program of a file once and prints what happened.
pub fn run(arguments: &RunArgs, context: &Context) -> Ended {
    context.patiently(|budget| run_within(arguments, context, budget))
}

fn run_within(arguments: &RunArgs, context: &Context, budget: &Budget) -> Ended {
    let schedule = match arguments.schedule.as_deref().map(Schedule::parse).transpose() {
        Ok(schedule) => schedule,
        Err(error) => return Ok(context.console.error(&error.to_string())),
    };
    let loaded = match super::load(&arguments.files, &arguments.input, budget) {
        Ok(loaded) => loaded,
        Err(failed) => return Ok(context.unless_interrupted(context.complain(&failed.into_problem()))),
    };
    let seed = arguments.seed.unwrap_or_else(seed_from_clock);
    let options = Options { seed, schedule, steps: arguments.steps };
    match simulate::run(&loaded.program, &options, budget) {
        Err(error) => Ok(context.unless_interrupted(context.console.error(&error.to_string()))),
        Ok(run) => {
            let detail = arguments.trace.map_or(Detail::Compact, |choice| TraceChoice::detail(Some(choice)));
            let told = Interleaving::of_run(&loaded.program, &loaded.sources, &run.initial, steps(&run));
            let table = render_run(&told, &[], detail, context.console.out_style);
            let (ending, status) = ending(&run, &loaded);
            context.console.print(&format!("{table}\n  {ending}\n  seed {seed}\n"))?;
            Ok(context.unless_interrupted(status))
        }
    }
}

/// A short number that is easy to type again.
fn seed_from_clock() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::from(since.subsec_micros()) % 100_000
}

fn steps(run: &Run) -> impl Iterator<Item = StepTaken<'_>> {
    run.steps.iter().map(|step| StepTaken { slot: step.slot, edge: step.edge, after: step.after.as_ref() })
}

/// Why the run ended, for a person, and what that means for the exit code.
fn ending(run: &Run, loaded: &Loaded) -> (String, Status) {
    let text = match &run.ending {
        RunEnd::Violation(violation) => {
            let report = ViolationReport::new(*violation, &loaded.program, &loaded.sources, run.last_state());
            return (format!("violation: {}", violation_text(&report)), Status::Violated);
        }
        RunEnd::CannotMove(thread) => {
            return (format!("`{thread}` is next in the schedule and cannot move"), Status::BadInput);
        }
        RunEnd::Meaningless(reason) => return (format!("the run cannot go on: {reason}"), Status::Unknown),
        RunEnd::Ended => "all threads have ended".to_owned(),
        RunEnd::Halted => "the program has ended".to_owned(),
        RunEnd::Stuck => "the run ends at an assumption that does not hold".to_owned(),
        RunEnd::StepLimit => format!("stopped after {}", rely_base::plural(run.steps.len(), "steps")),
        RunEnd::ScheduleEnd => "the schedule is at its end".to_owned(),
        RunEnd::Stopped(reason) => format!("stopped: {reason}"),
    };
    (text, Status::Holds)
}
