//! `rely show`: the program as text or as a graph, as it is or behind a pass, what passes do to it, and its blocks.

use super::{Context, Ended};
use crate::args::{ShowArgs, ShowFormat};
use crate::exit::Status;
use rely_base::{Budget, Interrupted};
use rely_evidence::{Proof, Verdict};
use rely_passes::{PassRun, Pipeline, Shown};
use rely_program::{Goal, Program};
use rely_report::{StepBlocks, counted, render_blocks, render_passes};
use rely_verify::{Loaded, Reducible};

/// Prints the program of a file, or what the passes do to it.
pub fn show(arguments: &ShowArgs, context: &Context) -> Ended {
    context.patiently(|budget| show_within(arguments, context, budget))
}

fn show_within(arguments: &ShowArgs, context: &Context, budget: &Budget) -> Ended {
    let loaded = match super::load(&arguments.files, &arguments.input, budget) {
        Ok(loaded) => loaded,
        Err(failed) => return Ok(context.unless_interrupted(context.complain(&failed.into_problem()))),
    };
    let shown = match arguments.blocks {
        true => blocks(arguments, &loaded, budget),
        false => shown(arguments, &loaded.for_goal(arguments.property).program, budget),
    };
    match shown {
        Ok(text) => {
            context.console.print(&(text.trim_end().to_owned() + "\n"))?;
            Ok(Status::Holds)
        }
        Err(reason) => Ok(context.unless_interrupted(context.console.error(&reason))),
    }
}

/// What is to be printed, or why it is not.
fn shown(arguments: &ShowArgs, program: &Program, budget: &Budget) -> Result<String, String> {
    let pipeline = Pipeline::for_goal(arguments.property, arguments.sections.into());
    let stopped = |interrupted: Interrupted| interrupted.to_string();
    if arguments.passes {
        return Ok(render_passes(&pipeline.statistics(program, budget).map_err(stopped)?));
    }
    let program = match &arguments.after {
        Some(pass) => after(arguments, &pipeline, program, pass, budget)?,
        None if arguments.simplified => pipeline.run(program, budget).map_err(stopped)?.0,
        None => program.clone(),
    };
    Ok(match arguments.format {
        ShowFormat::Text => program.to_string(),
        ShowFormat::Dot => program.display_dot().to_string(),
    })
}

/// The source with its blocks, or why there are none.
fn blocks(arguments: &ShowArgs, loaded: &Loaded, budget: &Budget) -> Result<String, String> {
    let goal = arguments.property;
    if !matches!(goal, Goal::Assert | Goal::Overflow | Goal::Memory) {
        return Err(format!(
            "reduction decides `assert`, `overflow` and `memory`, so there are no blocks for `{goal}`"
        ));
    }
    let found =
        rely_verify::reducible(&loaded.program, goal, budget).map_err(|stopped| stopped.to_string())?;
    Ok(render_blocks(&loaded.sources, step_blocks(&found)))
}

/// Blocks, for who shows them.
pub fn step_blocks(found: &Reducible) -> StepBlocks<'_> {
    StepBlocks { program: &found.program, inside: &found.inside, movers: &found.movers }
}

/// The blocks of a program, to be shown beside a proof that rests on blocks.
pub fn blocks_of_proof(
    verdict: &Verdict,
    program: &Program,
    goal: Goal,
    budget: &Budget,
) -> Option<Reducible> {
    let rests_on_blocks =
        matches!(verdict, Verdict::Safe(proved) if matches!(proved.proof(), Proof::Reduced(_)));
    rests_on_blocks.then(|| rely_verify::reducible(program, goal, budget).ok())?
}

/// The program behind a pass.
fn after(
    arguments: &ShowArgs,
    pipeline: &Pipeline,
    program: &Program,
    pass: &PassRun,
    budget: &Budget,
) -> Result<Program, String> {
    let names = pipeline.names();
    if !names.contains(&pass.name.as_str()) {
        let goal = arguments.property;
        return Err(format!(
            "there is no pass `{}` for the property `{goal}`; the passes are {}",
            pass.name,
            names.join(", ")
        ));
    }
    match pipeline.program_after(program, pass, budget).map_err(|stopped| stopped.to_string())? {
        Shown::Program(program) => Ok(*program),
        Shown::RunsLess(runs) => {
            let runs = counted(runs as u64, "times");
            Err(format!("the pass `{}` runs only {runs} on this program", pass.name))
        }
    }
}
