//! `rely export`: the Horn clauses of a proof rule for a program.

use super::{Context, Ended};
use crate::args::{ExportArgs, RuleChoice};
use crate::exit::Status;
use rely_horn::system_text;
use rely_program::Goal;
use rely_proof_rules::{ProofClauses, ProofRule, ProofRuleOptions, proof_clauses};

/// Prints the clauses for the assertions of a program.
pub fn export(arguments: &ExportArgs, context: &Context) -> Ended {
    let budget = context.patience();
    let loaded = match super::load(&arguments.file, &arguments.input, &budget) {
        Ok(loaded) => loaded,
        Err(failed) => return Ok(context.unless_interrupted(context.complain(&failed.into_problem()))),
    };
    let sections = arguments.sections.into();
    let program = match rely_passes::prepare_with(&loaded.program, Goal::Assert, sections, &budget) {
        Ok((program, _)) => program,
        Err(stopped) => return Ok(context.unless_interrupted(context.console.error(&stopped.to_string()))),
    };
    let rule = match arguments.rule {
        RuleChoice::OwickiGries => ProofRule::OwickiGries,
        RuleChoice::ReachEnv => ProofRule::ReachEnv,
    };
    let options = ProofRuleOptions { rule, places: !arguments.plain };
    let clauses = match proof_clauses(&program, Goal::Assert, options, &budget) {
        Ok(clauses) => clauses,
        Err(reason) => {
            return Ok(context.console.error(&format!("{}: {reason}", arguments.file.display())));
        }
    };
    context
        .console
        .print(&(heading(arguments, rule, &clauses) + &system_text(&clauses.pool, &clauses.system)))?;
    Ok(context.unless_interrupted(Status::Holds))
}

/// What the clauses are about, as comments.
fn heading(arguments: &ExportArgs, rule: ProofRule, clauses: &ProofClauses) -> String {
    let rule = match rule {
        ProofRule::OwickiGries => "owicki-gries",
        ProofRule::ReachEnv => "reach-env",
    };
    let plain = if arguments.plain { ", without places" } else { "" };
    let name = arguments.file.display().to_string().replace(['\n', '\r'], " ");
    let mut text = format!("; {name}: {rule}{plain}; sat means that every assertion holds\n");
    if clauses.over_approximates {
        text += "; a step is not linear and allows more than the program does: unsat means nothing\n";
    }
    text
}
