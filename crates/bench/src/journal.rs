//! The journal: one line for each finished run, so that a benchmark that was stopped, by whatever
//! means, goes on where it was.
//!
//! The first line says what is being measured. A journal of something else, or one that is
//! complete, is replaced; one of the same that is not complete is continued. A line that was cut
//! off while it was written is dropped.

use super::BenchError;
use super::tool::Outcome;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// One finished run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The task.
    pub task: String,
    /// The tool.
    pub tool: String,
    /// Which of the repeated runs, from 0.
    pub repetition: u32,
    /// What came out.
    pub outcome: Outcome,
    /// Wall-clock time of the whole process.
    pub seconds: f64,
    /// The most memory that was seen.
    pub megabytes: f64,
    /// Counts that do not depend on the machine.
    #[serde(default)]
    pub counts: BTreeMap<String, u64>,
    /// Whether the proof is modular.
    #[serde(default)]
    pub modular: Option<bool>,
}

#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
struct Header {
    format: String,
    measures: String,
}

/// The line at the end of a complete journal.
const COMPLETE: &str = "\"complete\"";

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens the journal of what `measures` describes, with the runs that it has already.
    pub fn open(
        path: &Path,
        measures: &str,
        start_again: bool,
    ) -> Result<(Self, Vec<Measurement>), BenchError> {
        let header = Header { format: "rely-bench-journal 1".to_owned(), measures: measures.to_owned() };
        let done = match fs::read_to_string(path) {
            Ok(text) if !start_again => continued(&text, &header).unwrap_or_default(),
            _ => Vec::new(),
        };
        // Written anew without the line that was cut off, and put in place at once.
        let mut text = to_line(&header);
        text.extend(done.iter().map(to_line));
        let beside = path.with_extension("new");
        let fail = |error| BenchError::file(path, error);
        fs::write(&beside, text).and_then(|()| fs::rename(&beside, path)).map_err(fail)?;
        let file = OpenOptions::new().append(true).open(path).map_err(fail)?;
        Ok((Self { path: path.to_owned(), file }, done))
    }

    /// Adds a run.
    pub fn append(&mut self, measurement: &Measurement) -> Result<(), BenchError> {
        self.write(&to_line(measurement))
    }

    /// Nothing is left to do.
    pub fn complete(&mut self) -> Result<(), BenchError> {
        self.write(&format!("{COMPLETE}\n"))
    }

    fn write(&mut self, line: &str) -> Result<(), BenchError> {
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.flush());
        written.map_err(|error| BenchError::file(&self.path, error))
    }
}

fn to_line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data can be written") + "\n"
}

/// The runs of a journal that measures the same and is not complete.
fn continued(text: &str, header: &Header) -> Option<Vec<Measurement>> {
    let mut lines = text.split_inclusive('\n');
    let first: Header = serde_json::from_str(lines.next()?).ok()?;
    if first != *header {
        return None;
    }
    let whole = lines.filter(|line| line.ends_with('\n')).map(str::trim_end);
    let mut done = Vec::new();
    for line in whole {
        if line == COMPLETE {
            return None;
        }
        done.push(serde_json::from_str(line).ok()?);
    }
    Some(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measurement(repetition: u32) -> Measurement {
        Measurement {
            task: "a".to_owned(),
            tool: "b".to_owned(),
            repetition,
            outcome: Outcome::Unknown("so".to_owned()),
            seconds: 0.5,
            megabytes: 1.0,
            counts: BTreeMap::new(),
            modular: None,
        }
    }

    #[test]
    fn a_journal_goes_on_where_it_was_cut_off() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("journal.jsonl");
        let (mut journal, done) = Journal::open(&path, "this", false).expect("writable");
        assert_eq!(done, []);
        journal.append(&measurement(0)).expect("writable");
        journal.append(&measurement(1)).expect("writable");
        drop(journal);
        let text = fs::read_to_string(&path).expect("readable");
        fs::write(&path, &text[..text.len() - 7]).expect("writable");
        let (mut journal, done) = Journal::open(&path, "this", false).expect("writable");
        assert_eq!(done, [measurement(0)]);
        journal.append(&measurement(2)).expect("writable");
        let (_, done) = Journal::open(&path, "this", false).expect("writable");
        assert_eq!(done, [measurement(0), measurement(2)]);
    }

    #[test]
    fn other_and_complete_journals_are_replaced() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("journal.jsonl");
        let (mut journal, _) = Journal::open(&path, "this", false).expect("writable");
        journal.append(&measurement(0)).expect("writable");
        assert_eq!(Journal::open(&path, "that", false).expect("writable").1, []);
        let (mut journal, _) = Journal::open(&path, "that", false).expect("writable");
        journal.append(&measurement(0)).expect("writable");
        assert_eq!(Journal::open(&path, "that", true).expect("writable").1, []);
        let (mut journal, _) = Journal::open(&path, "that", false).expect("writable");
        journal.append(&measurement(0)).expect("writable");
        journal.complete().expect("writable");
        assert_eq!(Journal::open(&path, "that", false).expect("writable").1, []);
    }
}
