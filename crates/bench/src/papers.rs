//! What the papers report, as data: `benchmarks/papers.json`.
//!
//! A table has rows, the tasks, and columns, the paper's tools with their seconds. Which of our engines
//! is compared with which column, and how fast it wants to be, is data too.

use super::BenchError;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Papers {
    /// The tables, in the order in which they are printed.
    pub tables: Vec<PaperTable>,
}

/// One table of one paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperTable {
    /// The folder of its tasks, which is also how it is called on the command line.
    pub name: String,
    /// For people.
    pub title: String,
    /// The paper's time limit in seconds.
    pub timeout: f64,
    /// Our engines, and what each is compared with.
    pub engines: Vec<Comparison>,
    /// Its rows.
    pub rows: Vec<PaperRow>,
}

/// One of our engines beside a column of the paper.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// The engine as it stands behind `--engine`, with its arguments.
    pub engine: String,
    /// The column of the paper.
    pub against: String,
    /// How fast it wants to be.
    pub target: Target,
    /// Whether its proofs are to be modular where the row says that they can be.
    #[serde(default)]
    pub modular: bool,
}

/// How fast an engine wants to be.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// This many times faster than the paper ...
    pub times_faster: f64,
    /// ... where that is more than this many seconds ...
    pub at_least: f64,
    /// ... but never more than this many.
    pub at_most: f64,
}

/// One row.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperRow {
    /// Its tasks in the folder of the table: a model, a C program, or both.
    pub tasks: Vec<String>,
    /// Whether a modular proof exists.
    #[serde(default)]
    pub modular: bool,
    /// What the paper reports, by column.
    #[serde(default)]
    pub paper: BTreeMap<String, Figure>,
}

/// What a paper reports for a row and a tool.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Figure {
    /// Seconds.
    Seconds(f64),
    /// No result within the paper's time limit.
    TimedOut(TimedOut),
}

/// How the papers write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum TimedOut {
    /// Out of time.
    #[serde(rename = "T/O")]
    TimedOut,
}

impl Papers {
    /// Reads the file.
    pub fn read(path: &Path) -> Result<Self, BenchError> {
        let text = fs::read_to_string(path).map_err(|error| BenchError::file(path, error))?;
        serde_json::from_str(&text).map_err(|error| BenchError::content(path, error.to_string()))
    }

    /// The table with this row, and the row.
    pub fn find(&self, task: &str) -> Option<(&PaperTable, &PaperRow)> {
        let (folder, name) = task.rsplit_once('/')?;
        // Behind the name of the row the property may be named.
        let name = name.split_once(" (").map_or(name, |(name, _)| name);
        let table = self.tables.iter().find(|table| table.name == folder)?;
        let row = table.rows.iter().find(|row| row.tasks.iter().any(|task| task == name))?;
        Some((table, row))
    }
}

impl PaperTable {
    /// What one of our tools is compared with: the entry of the same engine with the same
    /// arguments, or else the first of the same engine.
    pub fn comparison(&self, tool: &str) -> Option<&Comparison> {
        let engine = |text: &str| text.split_whitespace().next().map(str::to_owned);
        self.engines
            .iter()
            .find(|entry| entry.engine == tool)
            .or_else(|| self.engines.iter().find(|entry| engine(&entry.engine) == engine(tool)))
    }

    /// The seconds that a figure stands for; the paper's limit where its tool found nothing.
    pub fn seconds(&self, figure: Figure) -> f64 {
        match figure {
            Figure::Seconds(seconds) => seconds,
            Figure::TimedOut(_) => self.timeout,
        }
    }
}

impl Target {
    /// The most seconds that meet the target, given those of the paper if there are some.
    pub fn seconds(self, paper: Option<f64>) -> f64 {
        let relative = paper.map_or(self.at_least, |paper| paper / self.times_faster);
        relative.max(self.at_least).min(self.at_most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_relative_between_their_ends() {
        let target = Target { times_faster: 100.0, at_least: 0.1, at_most: 1.5 };
        assert_eq!(target.seconds(Some(2.0)), 0.1);
        assert_eq!(target.seconds(Some(50.0)), 0.5);
        assert_eq!(target.seconds(Some(900.0)), 1.5);
        assert_eq!(target.seconds(None), 0.1);
    }

    #[test]
    fn figures_are_seconds_or_a_timeout() {
        let figure = |text: &str| serde_json::from_str::<Figure>(text).ok();
        assert_eq!(figure("2.5"), Some(Figure::Seconds(2.5)));
        assert_eq!(figure("\"T/O\""), Some(Figure::TimedOut(TimedOut::TimedOut)));
        assert_eq!(figure("\"slow\""), None);
    }
}
