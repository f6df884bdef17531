//! What to run: the tables of the papers, folders and files of task definitions, or members of a
//! scaled family.

use super::BenchError;
use super::families::{FAMILIES, Family};
use super::papers::Papers;
use super::task::{self, Task};
use rely_program::Goal;
use std::fs;
use std::path::{Path, PathBuf};

/// The set that stands for all tables of the papers.
pub const PAPERS: &str = "papers";

/// The tasks of a set, with the figures of the papers if they are at hand.
#[derive(Clone, Debug)]
pub struct TaskSet {
    /// What to run, in the order in which it is shown.
    pub tasks: Vec<Task>,
    /// What the papers say.
    pub papers: Option<Papers>,
}

/// The folder of the benchmarks: the first `benchmarks/papers.json` on the way from `start` up to
/// the root.
pub fn benchmarks(start: &Path) -> Option<PathBuf> {
    let folders = start.ancestors().map(|folder| folder.join("benchmarks"));
    folders.into_iter().find(|folder| folder.join("papers.json").is_file())
}

/// Finds what the user means. Members of families are written to `output`.
pub fn resolve(name: &str, benchmarks: Option<&Path>, output: &Path) -> Result<TaskSet, BenchError> {
    let papers = benchmarks.map(|folder| Papers::read(&folder.join("papers.json"))).transpose()?;
    let path = Path::new(name);
    let tasks = match (benchmarks, &papers) {
        (Some(folder), Some(papers)) if is_table(name, papers) => tables(name, folder, papers)?,
        _ if path.is_dir() => folder_tasks(path)?,
        _ if path.extension().is_some_and(|ending| ending == "yml") => {
            task::read(path, &path.with_extension("").display().to_string())?
        }
        _ => match name.split_once(':') {
            Some((family, sizes)) => family_tasks(family, sizes, output)?,
            None => return Err(BenchError::Request(unknown(name, papers.as_ref()))),
        },
    };
    Ok(TaskSet { tasks, papers })
}

fn is_table(name: &str, papers: &Papers) -> bool {
    name == PAPERS || papers.tables.iter().any(|table| table.name == name)
}

fn unknown(name: &str, papers: Option<&Papers>) -> String {
    let families = FAMILIES.map(|family| format!("{}:N..M", family.name)).join(", ");
    match papers {
        Some(papers) => {
            let tables: Vec<&str> = papers.tables.iter().map(|table| table.name.as_str()).collect();
            let tables = tables.join(", ");
            format!(
                "there is no set `{name}`; sets are {PAPERS}, {tables}, {families}, a folder or a `.yml` file"
            )
        }
        None => format!(
            "there is no set `{name}` here: the tables of the papers are in the folder `benchmarks` of Rely's \
             repository, in which this must be started; other sets are {families}, a folder or a `.yml` file"
        ),
    }
}

/// The rows of the tables, in the order of the papers.
fn tables(name: &str, folder: &Path, papers: &Papers) -> Result<Vec<Task>, BenchError> {
    let mut tasks = Vec::new();
    for table in papers.tables.iter().filter(|table| name == PAPERS || table.name == name) {
        for row in table.rows.iter().flat_map(|row| &row.tasks) {
            let definition = folder.join(&table.name).join(format!("{row}.yml"));
            tasks.extend(task::read(&definition, &format!("{}/{row}", table.name))?);
        }
    }
    Ok(tasks)
}

/// All task definitions under a folder, sorted by name.
fn folder_tasks(folder: &Path) -> Result<Vec<Task>, BenchError> {
    let mut definitions = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| BenchError::file(&folder, error))?;
        for entry in entries {
            let path = entry.map_err(|error| BenchError::file(&folder, error))?.path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|ending| ending == "yml") {
                definitions.push(path);
            }
        }
    }
    definitions.sort();
    let mut tasks = Vec::new();
    for definition in definitions {
        tasks.extend(task::read(&definition, &definition.with_extension("").display().to_string())?);
    }
    if tasks.is_empty() {
        return Err(BenchError::Request(format!(
            "{}: there are no task definitions (`.yml`)",
            folder.display()
        )));
    }
    Ok(tasks)
}

/// The members `FAMILY:N..M` or `FAMILY:N` of a family, as files.
fn family_tasks(family: &str, sizes: &str, output: &Path) -> Result<Vec<Task>, BenchError> {
    let Some(family) = Family::find(family) else {
        let names = FAMILIES.map(|family| family.name).join(", ");
        return Err(BenchError::Request(format!("there is no family `{family}`; families are {names}")));
    };
    let folder = output.join("generated");
    fs::create_dir_all(&folder).map_err(|error| BenchError::file(&folder, error))?;
    let (goal, expected) = family.asked;
    let (property, text) = property(goal);
    let property_file = folder.join(property);
    write(&property_file, text)?;
    let mut tasks = Vec::new();
    for size in parse_sizes(sizes)? {
        let (smallest, largest) = family.sizes;
        let Some(model) = family.model(size) else {
            let message = format!("the sizes of {} are {smallest} to {largest}", family.name);
            return Err(BenchError::Request(message));
        };
        let name = format!("{}-{size}", family.name);
        let input = folder.join(format!("{name}.rely"));
        write(&input, &model)?;
        let (property_file, expected) = (property_file.clone(), Some(expected));
        tasks.push(Task { name, input, property_file, goal, expected, size: Some(size) });
    }
    Ok(tasks)
}

/// The file that asks a question, and what is in it.
fn property(goal: Goal) -> (&'static str, &'static str) {
    match goal {
        Goal::Deadlock => ("no-deadlock.prp", include_str!("../../../benchmarks/properties/no-deadlock.prp")),
        Goal::Termination => {
            ("termination.prp", include_str!("../../../benchmarks/properties/termination.prp"))
        }
        _ => ("unreach-call.prp", include_str!("../../../benchmarks/properties/unreach-call.prp")),
    }
}

fn write(path: &Path, text: &str) -> Result<(), BenchError> {
    fs::write(path, text).map_err(|error| BenchError::file(path, error))
}

/// `4`, `2..12`, or `10,100,1000`.
fn parse_sizes(text: &str) -> Result<Vec<u64>, BenchError> {
    let wrong =
        || BenchError::Request(format!("`{text}` names no sizes: write `4`, `2..12` or `10,100,1000`"));
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| wrong());
    match text.split_once("..") {
        Some((first, last)) => {
            let (first, last) = (number(first)?, number(last)?);
            if first > last || last - first > 1000 { Err(wrong()) } else { Ok((first..=last).collect()) }
        }
        None => text.split(',').map(number).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_one_a_range_or_a_list() {
        let sizes = |text: &str| parse_sizes(text).ok();
        assert_eq!(sizes("4"), Some(vec![4]));
        assert_eq!(sizes("2..4"), Some(vec![2, 3, 4]));
        assert_eq!(sizes("10,1000"), Some(vec![10, 1000]));
        assert_eq!(sizes("4..2"), None);
        assert_eq!(sizes("many"), None);
    }

    #[test]
    fn every_row_of_the_papers_is_there() {
        let folder =
            benchmarks(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the repository has benchmarks");
        let set = resolve(PAPERS, Some(&folder), Path::new("")).expect("all of them can be read");
        assert!(set.tasks.len() > 50, "{}", set.tasks.len());
        for task in &set.tasks {
            assert!(task.input.is_file(), "{}", task.input.display());
            assert!(task.expected.is_some(), "{}", task.name);
        }
        let papers = set.papers.expect("they were read");
        assert!(set.tasks.iter().all(|task| papers.find(&task.name).is_some()));
    }

    #[test]
    fn every_task_definition_in_the_repository_can_be_read() {
        let folder =
            benchmarks(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the repository has benchmarks");
        assert!(folder_tasks(&folder).expect("all of them can be read").len() > 50);
    }
}
