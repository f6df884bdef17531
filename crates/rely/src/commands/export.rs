//! `rely export`: the Horn clauses of a proof rule for a program.

use super::{Context, Ended};
use crate::args::{ExportArgs, RuleChoice};
use crate::exit::Status;
use rely_base::Budget;
use rely_horn::system_text;
use rely_passes::CriticalSections;
use rely_program::{Goal, Program};
use rely_proof_rules::{ProofClauses, ProofRule, ProofRuleOptions, Sight, proof_clauses};
use rely_verify::Blocks;

/// Prints the clauses for the assertions of a program.
pub fn export(arguments: &ExportArgs, context: &Context) -> Ended {
    context.patiently(|budget| export_within(arguments, context, budget))
}

fn export_within(arguments: &ExportArgs, context: &Context, budget: &Budget) -> Ended {
    let loaded = match super::load(&arguments.files, &arguments.input, budget) {
        Ok(loaded) => loaded,
        Err(failed) => return Ok(context.unless_interrupted(context.complain(&failed.into_problem()))),
    };
    match text(arguments, &loaded.program, budget) {
        Ok(text) => {
            context.console.print(&text)?;
            Ok(context.unless_interrupted(Status::Holds))
        }
        Err(message) => Ok(context.unless_interrupted(context.console.error(&message))),
    }
}

/// The clauses, or why there are none.
fn text(arguments: &ExportArgs, program: &Program, budget: &Budget) -> Result<String, String> {
    let sections = match arguments.rule {
        RuleChoice::Reduction => CriticalSections::Interleaved,
        RuleChoice::OwickiGries | RuleChoice::ReachEnv => arguments.sections.into(),
    };
    let prepared = rely_passes::prepare_with(program, Goal::Assert, sections, budget);
    let (program, _) = prepared.map_err(|stopped| stopped.to_string())?;
    let (rule, program) = match arguments.rule {
        RuleChoice::OwickiGries => (ProofRule::OwickiGries, program),
        RuleChoice::ReachEnv => (ProofRule::ReachEnv, program),
        RuleChoice::Reduction => (ProofRule::Reduction, with_blocks(program, budget)),
    };
    let sight = match (arguments.plain, arguments.everything) {
        (true, _) => Sight::Plain,
        (false, true) => Sight::Everything,
        (false, false) => Sight::Places,
    };
    let options = ProofRuleOptions::new(rule, sight);
    let clauses = proof_clauses(&program, Goal::Assert, options, budget)
        .map_err(|reason| format!("{}: {reason}", super::program_name(&arguments.files)))?;
    Ok(heading(arguments, options, &clauses) + &system_text(&clauses.pool, &clauses.system))
}

/// The program in which nobody comes between the steps of a block.
fn with_blocks(program: Program, budget: &Budget) -> Program {
    let inside = Blocks::infer(&program, Goal::Assert, Default::default(), budget).inside;
    let atomic = program.with_atomic(inside.iter().map(|(location, _)| *location));
    atomic.unwrap_or(program)
}

/// What the clauses are about, as comments.
fn heading(arguments: &ExportArgs, options: ProofRuleOptions, clauses: &ProofClauses) -> String {
    let rule = match options.rule {
        ProofRule::OwickiGries => "owicki-gries",
        ProofRule::ReachEnv => "reach-env",
        ProofRule::Reduction => "reduction",
    };
    let sight = match options.sight {
        Sight::Plain => ", without places",
        Sight::Places => "",
        Sight::Everything => ", with all locals",
    };
    let name = super::program_name(&arguments.files).to_string().replace(['\n', '\r'], " ");
    let mut text = format!("; {name}: {rule}{sight}; sat means that every assertion holds\n");
    if clauses.over_approximates {
        text += "; a step is not linear and allows more than the program does: unsat means nothing\n";
    }
    text
}
