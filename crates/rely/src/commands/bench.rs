//! `rely bench`: measures, and shows what came out.

use super::{Context, Ended};
use crate::args::{BenchArgs, BenchCommand, BenchRunArgs, Cli, DEFAULT_ENGINE, GenerateArgs, TrendArgs};
use crate::exit::Status;
use crate::version;
use crate::writing::write_whole;
use clap::Parser;
use rely_bench::families::Family;
use rely_bench::process::Limits;
use rely_bench::run::{self, Manner, Plan, Results};
use rely_bench::set::{self, TaskSet};
use rely_bench::summary::{self, Grade, Row};
use rely_bench::tool::Tool;
use rely_bench::{BenchError, export, page, record, table};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

/// The performance log in the folder of the benchmarks.
const LOG: &str = "performance.jsonl";

/// Measures, or does one of the other things.
pub fn bench(arguments: &BenchArgs, context: &Context) -> Ended {
    let done = match &arguments.command {
        Some(BenchCommand::Trend(arguments)) => trend(arguments, context),
        Some(BenchCommand::Generate(arguments)) => generate(arguments, context),
        None => measure(&arguments.run, context),
    };
    match done {
        Ok(status) => Ok(context.unless_interrupted(status)),
        Err(error) => Ok(context.console.error(&error.to_string())),
    }
}

fn trend(arguments: &TrendArgs, context: &Context) -> Result<Status, BenchError> {
    let log = match &arguments.log {
        Some(log) => log.clone(),
        None => benchmarks().ok_or_else(nowhere)?.join(LOG),
    };
    let text = record::trend(&record::read(&log)?, arguments.rows.as_deref());
    print(context, &text)?;
    Ok(Status::Holds)
}

fn generate(arguments: &GenerateArgs, context: &Context) -> Result<Status, BenchError> {
    let model = Family::find(&arguments.family).and_then(|family| family.model(arguments.size));
    match model {
        Some(model) => print(context, &model).map(|()| Status::Holds),
        None => Err(BenchError::Request(format!("{} has no member of this size", arguments.family))),
    }
}

fn measure(arguments: &BenchRunArgs, context: &Context) -> Result<Status, BenchError> {
    let output = arguments.output.clone().unwrap_or_else(|| default_output(&arguments.set));
    fs::create_dir_all(&output).map_err(|error| file_error(&output, error))?;
    let set = set::resolve(&arguments.set, benchmarks().as_deref(), &output)?;
    let plan = plan(arguments, &set)?;
    let manner = Manner { jobs: usize::from(arguments.jobs), start_again: arguments.fresh };
    let results = run::run(&plan, manner, &output.join("journal.jsonl"), &context.interrupt)?;
    let rows = summary::summarize(&plan.tasks, &plan.tools, &results.measurements, set.papers.as_ref());
    let tools: Vec<String> = plan.tools.iter().map(Tool::name).collect();
    print(context, &table::render(&rows, &tools, set.papers.as_ref(), context.console.out_style))?;
    save(&output, &arguments.set, &rows, &tools, &results)?;
    print(context, &closing(&results, &output))?;
    for missing in missing(arguments, &set) {
        print(context, &format!("not in this version: {missing}\n"))?;
    }
    if arguments.record && results.is_complete {
        let log = benchmarks().ok_or_else(nowhere)?.join(LOG);
        record::append(&log, &record::entries(&rows, version::TEXT))?;
    }
    Ok(if results.is_complete { status(&rows) } else { Status::Unknown })
}

/// What to run with what. Without a choice of the user, each table of the papers names its
/// engines; those that this version does not have are left out.
fn plan(arguments: &BenchRunArgs, set: &TaskSet) -> Result<Plan, BenchError> {
    let mut tools: Vec<Tool> = Vec::new();
    let mut chosen: Vec<Vec<usize>> = Vec::new();
    for task in &set.tasks {
        let table = set.papers.as_ref().and_then(|papers| papers.find(&task.name)).map(|(table, _)| table);
        let named: Vec<&str> = match (arguments.engine.as_slice(), table) {
            ([], Some(table)) => available(table.engines.iter().map(|entry| entry.engine.as_str()).collect()),
            ([], None) => vec![DEFAULT_ENGINE],
            (engines, _) => engines.iter().map(|engine| engine.trim()).collect(),
        };
        let mut of_task = Vec::new();
        for name in named {
            of_task.push(position(&mut tools, tool(name)?));
        }
        for command in &arguments.compare {
            let tool = Tool::other(command, &arguments.compare_safe, &arguments.compare_unsafe)?;
            of_task.push(position(&mut tools, tool));
        }
        chosen.push(of_task);
    }
    let rely = std::env::current_exe().map_err(|error| file_error(Path::new("rely"), error))?;
    let limits = Limits {
        time: Duration::try_from_secs_f64(arguments.timeout).unwrap_or(Duration::MAX),
        bytes: arguments.memory.saturating_mul(1_000_000),
    };
    let version = version::TEXT.to_owned();
    Ok(Plan { tasks: set.tasks.clone(), tools, chosen, repetitions: arguments.repeat, limits, rely, version })
}

/// An engine with options that `rely check` understands.
fn tool(text: &str) -> Result<Tool, BenchError> {
    Tool::engine(text, &|engine, options| {
        let check = ["rely", "check", "--engine", engine, "file"].map(str::to_owned);
        let parsed = Cli::try_parse_from(check.into_iter().chain(options.iter().cloned()));
        parsed.map(drop).map_err(|error| {
            let text = error.to_string();
            text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
        })
    })
}

/// The engines that exist, or the usual one if none of them does.
fn available(engines: Vec<&str>) -> Vec<&str> {
    let existing: Vec<&str> = engines.into_iter().filter(|engine| tool(engine).is_ok()).collect();
    if existing.is_empty() { vec![DEFAULT_ENGINE] } else { existing }
}

/// What the tables of the set would compare with, but this version cannot run.
fn missing(arguments: &BenchRunArgs, set: &TaskSet) -> Vec<String> {
    if !arguments.engine.is_empty() {
        return Vec::new();
    }
    let papers = set.papers.as_ref();
    let tables = set.tasks.iter().filter_map(|task| Some(papers?.find(&task.name)?.0));
    let mut missing: Vec<String> = tables
        .flat_map(|table| &table.engines)
        .map(|entry| entry.engine.clone())
        .filter(|engine| tool(engine).is_err())
        .collect();
    missing.sort_unstable();
    missing.dedup();
    missing
}

/// Where the tool stands in the list, after it was put there if need be.
fn position(tools: &mut Vec<Tool>, tool: Tool) -> usize {
    let fingerprint = tool.fingerprint();
    tools.iter().position(|known| known.fingerprint() == fingerprint).unwrap_or_else(|| {
        tools.push(tool);
        tools.len() - 1
    })
}

/// Writes all files of results.
fn save(
    output: &Path,
    set: &str,
    rows: &[Row],
    tools: &[String],
    results: &Results,
) -> Result<(), BenchError> {
    let files = [
        ("results.csv", export::csv(&results.measurements)),
        ("results.json", export::json(rows, &results.measurements, version::TEXT)),
        ("results.html", page::render(&format!("rely bench {set}"), version::TEXT, rows, tools)),
    ];
    for (name, text) in files {
        let path = output.join(name);
        write_whole(&path, text).map_err(|error| file_error(&path, error))?;
    }
    Ok(())
}

fn closing(results: &Results, output: &Path) -> String {
    let resumed = match results.resumed {
        0 => String::new(),
        count => format!("{count} runs are from before the interruption\n"),
    };
    let incomplete = match results.is_complete {
        true => "",
        false => "stopped before the end; the same command goes on from here\n",
    };
    format!("{resumed}{incomplete}results.csv, results.json, results.html are in {}\n", output.display())
}

fn status(rows: &[Row]) -> Status {
    let worst = rows.iter().flat_map(|row| &row.cells).map(|cell| cell.grade).max();
    match worst {
        None | Some(Grade::Right) => Status::Holds,
        Some(Grade::None) => Status::Unknown,
        Some(Grade::Wrong) => Status::Violated,
    }
}

/// A folder for each set, so that one benchmark does not replace another's journal.
fn default_output(set: &str) -> PathBuf {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    let name: String =
        set.chars().map(|character| if is_plain(character) { character } else { '-' }).collect();
    Path::new("bench-results").join(name.trim_matches('.'))
}

fn benchmarks() -> Option<PathBuf> {
    std::env::current_dir().ok().and_then(|folder| set::benchmarks(&folder))
}

fn nowhere() -> BenchError {
    BenchError::Request(
        "the performance log is in the folder `benchmarks` of Rely's repository; start this there".to_owned(),
    )
}

fn file_error(path: &Path, error: io::Error) -> BenchError {
    BenchError::File { path: path.display().to_string(), error }
}

fn print(context: &Context, text: &str) -> Result<(), BenchError> {
    context.console.print(text).map_err(|error| file_error(Path::new("standard output"), error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_those_of_the_check() {
        assert_eq!(tool("explore --trace").expect("it exists").name(), "explore --trace");
        let error = tool("explore --deeper").unwrap_err().to_string();
        assert_eq!(error, "the engine `explore`: unexpected argument '--deeper' found");
    }
}
