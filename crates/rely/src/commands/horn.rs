//! `rely horn`: do these clauses have a model?

use super::{Context, Ended, horn_solver};
use crate::args::HornArgs;
use crate::exit::Status;
use crate::input;
use crate::limits::{Limits, Watch, supervised};
use crate::progress::{Heartbeat, ProgressLine};
use rely_base::{Budget, Diagnostic, Limits as _, SourceMap, Span};
use rely_horn::{Answer, SyntaxError, System, TermPool, derivation_text, model_text, parse, solve_within};
use rely_report::Problem;

/// Solves the clauses of a file and prints the answer.
pub fn horn(arguments: &HornArgs, context: &Context) -> Ended {
    let watch = Watch::new(context.interrupt.clone(), Heartbeat::silent());
    let budget = watch.begin(Limits::new(arguments.timeout, arguments.memory));
    let work = move || horn_within(arguments, context, &budget);
    supervised(&watch, work, |reason| {
        let status = context.unless_interrupted(Status::Unknown);
        context.console.print(&format!("unknown\n; {reason}\n")).map_or(status, |()| status).code()
    })?
}

fn horn_within(arguments: &HornArgs, context: &Context, budget: &Budget) -> Ended {
    let (name, text) = match input::read_text(&arguments.file) {
        Ok(read) => read,
        Err(diagnostic) => return Ok(context.complain(&Problem::without_source(diagnostic))),
    };
    let mut pool = TermPool::new();
    let system = match parse(&mut pool, &text) {
        Ok(system) => system,
        Err(error) => return Ok(context.complain(&problem(&name, &text, &error))),
    };
    if let Some(command) = &arguments.horn_solver {
        let said = match horn_solver::ask(command, &arguments.file, &mut pool, &system, budget) {
            Ok(said) => said,
            Err(message) => return Ok(context.console.error(&message)),
        };
        let note = format!("; {}\n", said.note);
        return finish(arguments, context, &pool, &system, &said.answer, said.name, &note);
    }
    let silent = Heartbeat::silent();
    let progress = ProgressLine::new(name, false, &silent);
    let mut limits = rely_horn::Limits::default();
    for (name, value) in &arguments.limit {
        limits.set(name, *value);
    }
    let answer = solve_within(&limits, &mut pool, &system, None, budget, &progress);
    progress.clear();
    let note = match &answer {
        Answer::Unknown(reason) => format!("; {reason}\n"),
        _ => String::new(),
    };
    let name = answer.name();
    finish(arguments, context, &pool, &system, &Some(answer), name, &note)
}

/// Prints an answer, with its evidence where there is some and it is asked for.
fn finish(
    arguments: &HornArgs,
    context: &Context,
    pool: &TermPool,
    system: &System,
    answer: &Option<Answer>,
    name: &str,
    note: &str,
) -> Ended {
    let mut text = format!("{name}\n{note}");
    match answer {
        Some(Answer::Sat(model)) if arguments.model => text += &model_text(pool, system, model),
        Some(Answer::Unsat(derivation)) if arguments.derivation => {
            text += &derivation_text(pool, system, derivation);
        }
        _ => {}
    }
    context.console.print(&text)?;
    let status = match name {
        "sat" => Status::Holds,
        "unsat" => Status::Violated,
        _ => Status::Unknown,
    };
    Ok(context.unless_interrupted(status))
}

/// The error with an excerpt of the text.
fn problem(name: &str, text: &str, error: &SyntaxError) -> Problem {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let length = text.get(error.position..).map_or(0, |rest| {
        let is_end = |c: char| c.is_whitespace() || c == ')';
        rest.find(is_end).unwrap_or(rest.len()).min(40)
    });
    // An excerpt must end between two characters.
    let end = (error.position + length..).find(|&end| end >= text.len() || text.is_char_boundary(end));
    let place = |byte: usize| u32::try_from(byte.min(text.len())).unwrap_or(u32::MAX);
    let span = Span { file, start: place(error.position), end: place(end.unwrap_or(error.position)) };
    let diagnostic = Diagnostic::error(error.message.clone()).at(span, "here");
    Problem::new(vec![diagnostic], sources)
}
