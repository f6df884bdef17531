//! The performance log: what each row cost at which commit, one line each, kept in the repository.
//!
//! Seconds depend on the machine and on what else it does; counts of work do not. So both are
//! recorded, and it is the counts that tell whether a change made something worse.

use super::BenchError;
use super::export::words;
use super::summary::Row;
use super::table::seconds;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

/// One row at one commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The version that was measured, with its commit.
    pub rely: String,
    /// The task.
    pub task: String,
    /// The tool.
    pub tool: String,
    /// The verdict in a word.
    pub verdict: String,
    /// The median of the seconds.
    pub seconds: f64,
    /// Counts of work.
    #[serde(default)]
    pub counts: BTreeMap<String, u64>,
}

/// The entries for a summary. `version` is that of Rely.
pub fn entries(rows: &[Row], version: &str) -> Vec<Entry> {
    let cells = rows.iter().flat_map(|row| row.cells.iter().map(move |cell| (row, cell)));
    cells
        .map(|(row, cell)| Entry {
            rely: version.to_owned(),
            task: row.task.clone(),
            tool: cell.tool.clone(),
            verdict: words(&cell.outcome).0.to_owned(),
            // More digits would only make every line of the log differ.
            seconds: (cell.seconds * 1e4).round() / 1e4,
            counts: cell.counts.clone(),
        })
        .collect()
}

/// Adds entries to the log.
pub fn append(path: &Path, entries: &[Entry]) -> Result<(), BenchError> {
    let mut text = String::new();
    for entry in entries {
        text += &serde_json::to_string(entry).expect("plain data can be written");
        text.push('\n');
    }
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| BenchError::file(path, error))
}

/// Reads the log.
pub fn read(path: &Path) -> Result<Vec<Entry>, BenchError> {
    let text = fs::read_to_string(path).map_err(|error| BenchError::file(path, error))?;
    let parse = |(number, line): (usize, &str)| {
        serde_json::from_str(line)
            .map_err(|error| BenchError::content(path, format!("line {}: {error}", number + 1)))
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(parse).collect()
}

/// How the rows developed: the first record, the one before the last, and the last. A count that
/// grew by more than a quarter since the one before, or a verdict that changed, is pointed out.
pub fn trend(entries: &[Entry], only: Option<&str>) -> String {
    let mut rows: BTreeMap<(&str, &str), Vec<&Entry>> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| only.is_none_or(|only| entry.task.contains(only))) {
        rows.entry((&entry.task, &entry.tool)).or_default().push(entry);
    }
    let name = |(task, tool): &(&str, &str)| format!("{task} ({tool})");
    let width = rows.keys().map(|key| name(key).chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (key, records) in &rows {
        let (Some(first), Some(last)) = (records.first(), records.last()) else { continue };
        let before = records[records.len().saturating_sub(2)];
        let times = [first.seconds, before.seconds, last.seconds].map(seconds);
        let name = name(key);
        let padding = " ".repeat(width - name.chars().count());
        writeln!(text, "{name}{padding}  {:>3} records  {} s", records.len(), times.join(" → "))
            .expect("a string takes everything");
        for remark in remarks(before, last) {
            writeln!(text, "    {remark}").expect("a string takes everything");
        }
    }
    text
}

/// What changed in a way that somebody should look at.
fn remarks(before: &Entry, last: &Entry) -> Vec<String> {
    let mut remarks = Vec::new();
    if before.verdict != last.verdict {
        remarks.push(format!("{} at {}, {} at {}", before.verdict, before.rely, last.verdict, last.rely));
    }
    for (name, &count) in &last.counts {
        if let Some(&old) = before.counts.get(name).filter(|old| grew(**old, count)) {
            remarks.push(format!("{name} grew from {old} at {} to {count} at {}", before.rely, last.rely));
        }
    }
    remarks
}

/// Whether a count grew by more than a quarter.
pub fn grew(before: u64, now: u64) -> bool {
    u128::from(now) * 4 > u128::from(before) * 5
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn entry(commit: &str, verdict: &str, seconds: f64, states: u64) -> Entry {
        let counts = BTreeMap::from([("states".to_owned(), states)]);
        let (rely, verdict) = (commit.to_owned(), verdict.to_owned());
        Entry { rely, task: "t/a".to_owned(), tool: "explore".to_owned(), verdict, seconds, counts }
    }

    #[test]
    fn the_trend_points_out_what_got_worse() {
        let log =
            [entry("c1", "safe", 1.0, 100), entry("c2", "safe", 0.5, 100), entry("c3", "unknown", 0.75, 126)];
        expect![[r#"
            t/a (explore)    3 records  1.000 → 0.500 → 0.750 s
                safe at c2, unknown at c3
                states grew from 100 at c2 to 126 at c3
        "#]]
        .assert_eq(&trend(&log, None));
        assert_eq!(trend(&log, Some("other")), "");
    }

    #[test]
    fn a_quarter_more_is_not_yet_too_much() {
        assert!(!grew(100, 125));
        assert!(grew(100, 126));
        assert!(grew(0, 1));
    }
}
