//! `rely check`: decides properties and prints verdicts.

use super::{Context, Ended};
use crate::args::{CheckArgs, CheckFormat};
use crate::exit::Status;
use crate::pipeline::{self, Loaded};
use crate::progress::ProgressLine;
use rely_base::Budget;
use rely_engines::Engine;
use rely_program::Goal;
use rely_report::{Conclusion, Detail, FileReport, Finding, render_file, render_json};
use std::path::Path;
use std::time::{Duration, Instant};

/// The properties that some engine decides. What is missing here is known by name and refused.
const AVAILABLE_GOALS: [Goal; 3] = [Goal::Assert, Goal::Deadlock, Goal::Overflow];

/// Checks all files and prints what was found.
pub fn check(arguments: &CheckArgs, context: &Context) -> Ended {
    let engine = match rely_engines::engine(&arguments.engine) {
        Ok(engine) => engine,
        Err(error) => return Ok(context.console.error(&error.to_string())),
    };
    if let Some(goal) = arguments.property.iter().find(|goal| !AVAILABLE_GOALS.contains(goal)) {
        return Ok(context.console.error(&not_available(*goal)));
    }
    let mut reports = Vec::new();
    let mut status = Status::Holds;
    for path in &arguments.files {
        let report = check_file(path, arguments, engine.as_ref(), context);
        status = status.max(Status::of(&report));
        if arguments.format == CheckFormat::Text {
            print_text(&report, reports.is_empty(), arguments, context)?;
        }
        reports.push(report);
        if context.interrupt.is_cancelled() {
            break;
        }
    }
    let status = context.unless_interrupted(status);
    if arguments.format == CheckFormat::Json {
        context.console.print(&render_json(&reports, crate::version::TEXT, status.code()))?;
    }
    Ok(status)
}

fn not_available(goal: Goal) -> String {
    let available = AVAILABLE_GOALS.map(Goal::name).join("`, `");
    format!("the property `{goal}` cannot be decided yet; available are `{available}`")
}

fn check_file(path: &Path, arguments: &CheckArgs, engine: &dyn Engine, context: &Context) -> FileReport {
    let file = path.display().to_string();
    let outcome = super::load(path, &arguments.input).map(|loaded| {
        let goals = match arguments.property.as_slice() {
            [] => pipeline::default_goals(&loaded.program),
            chosen => chosen.to_vec(),
        };
        goals.into_iter().map(|goal| check_goal(&file, &loaded, goal, arguments, engine, context)).collect()
    });
    FileReport { file, outcome }
}

fn check_goal(
    file: &str,
    loaded: &Loaded,
    goal: Goal,
    arguments: &CheckArgs,
    engine: &dyn Engine,
    context: &Context,
) -> Finding {
    let start = Instant::now();
    let progress = ProgressLine::new(format!("{file} ({goal})"));
    let verdict = pipeline::verify(&loaded.program, goal, engine, &budget(arguments, context), &progress);
    progress.clear();
    Finding {
        property: goal,
        engine: engine.name().to_owned(),
        conclusion: Conclusion::new(&verdict, &loaded.program, &loaded.sources),
        assumptions: loaded.program.assumptions().to_vec(),
        time: start.elapsed(),
    }
}

/// The limits for one property; its time starts now.
fn budget(arguments: &CheckArgs, context: &Context) -> Budget {
    let megabytes = usize::try_from(arguments.memory).unwrap_or(usize::MAX);
    let builder = Budget::builder()
        .memory_bytes(megabytes.saturating_mul(1_000_000))
        .token(context.interrupt.clone());
    match arguments.timeout {
        Some(seconds) => builder.time(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)).build(),
        None => builder.build(),
    }
}

fn print_text(report: &FileReport, is_first: bool, arguments: &CheckArgs, context: &Context) -> std::io::Result<()> {
    let detail = if arguments.trace { Detail::Full } else { Detail::Compact };
    match &report.outcome {
        Err(problem) => {
            context.complain(problem);
            Ok(())
        }
        Ok(_) => {
            let separator = if is_first { "" } else { "\n" };
            let text = render_file(report, detail, context.console.out_style);
            context.console.print(&format!("{separator}{text}"))
        }
    }
}
