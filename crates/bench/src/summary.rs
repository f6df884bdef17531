//! What the runs say: per task and tool a verdict, a median with its spread, and the comparison with
//! the paper.

use super::journal::Measurement;
use super::papers::{Figure, Papers};
use super::task::Task;
use super::tool::{Outcome, Tool};
use serde::Serialize;
use std::collections::BTreeMap;

/// Whether a verdict is the one that the task expects. The order is that of badness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// It is.
    Right,
    /// There is no verdict.
    None,
    /// It is not.
    Wrong,
}

/// One task and one tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// The tool.
    pub tool: String,
    /// What came out; of several runs that differ, the worst.
    pub outcome: Outcome,
    /// Whether that is right.
    pub grade: Grade,
    /// The median of the seconds.
    pub seconds: f64,
    /// Half of the distance between the quickest and the slowest run.
    pub spread: f64,
    /// The most memory that was seen in any run.
    pub megabytes: f64,
    /// Counts that do not depend on the machine, of the first run.
    pub counts: BTreeMap<String, u64>,
    /// Whether the proof is modular.
    pub modular: Option<bool>,
    /// The paper's side, if there is one.
    pub paper: Option<PaperSide>,
}

/// What the paper has to say about a cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PaperSide {
    /// The column of the paper.
    pub against: String,
    /// Its seconds; the paper's time limit if its tool timed out.
    pub seconds: Option<f64>,
    /// Whether the paper's tool timed out.
    pub timed_out: bool,
    /// How many times faster this is than the paper.
    pub ratio: Option<f64>,
    /// The seconds that are wanted, if this tool has a target.
    pub target: Option<f64>,
    /// Whether the verdict is right, modular where it should be, and within the target.
    pub is_met: Option<bool>,
}

/// One task with its cells, one for each tool that looked at it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The task.
    pub task: String,
    /// Whether the property holds, if that is known.
    pub expected: Option<bool>,
    /// Whether the papers know of a modular proof.
    pub modular: bool,
    /// The parameter of a member of a scaled family.
    pub size: Option<u64>,
    /// What came out.
    pub cells: Vec<Cell>,
}

/// Puts the runs together. Tasks without any run are left out.
pub fn summarize(
    tasks: &[Task],
    tools: &[Tool],
    measurements: &[Measurement],
    papers: Option<&Papers>,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for task in tasks {
        let is_modular =
            papers.and_then(|papers| papers.find(&task.name)).is_some_and(|(_, row)| row.modular);
        let cells: Vec<Cell> = tools
            .iter()
            .filter_map(|tool| {
                let of_cell = |run: &&Measurement| run.task == task.name && run.tool == tool.name();
                let runs: Vec<&Measurement> = measurements.iter().filter(of_cell).collect();
                let cell = cell(task, tool, &runs)?;
                let paper = papers.and_then(|papers| paper_side(&cell, &task.name, papers));
                Some(Cell { paper, ..cell })
            })
            .collect();
        if !cells.is_empty() {
            let (expected, size) = (task.expected, task.size);
            rows.push(Row { task: task.name.clone(), expected, modular: is_modular, size, cells });
        }
    }
    rows
}

fn cell(task: &Task, tool: &Tool, runs: &[&Measurement]) -> Option<Cell> {
    let first = runs.first()?;
    let worst = runs.iter().max_by_key(|run| grade(&run.outcome, task.expected))?;
    let mut seconds: Vec<f64> = runs.iter().map(|run| run.seconds).collect();
    seconds.sort_unstable_by(f64::total_cmp);
    Some(Cell {
        tool: tool.name(),
        outcome: worst.outcome.clone(),
        grade: grade(&worst.outcome, task.expected),
        seconds: median(&seconds)?,
        spread: (seconds.last()? - seconds.first()?) / 2.0,
        megabytes: runs.iter().map(|run| run.megabytes).fold(0.0, f64::max),
        counts: first.counts.clone(),
        modular: worst.modular,
        paper: None,
    })
}

/// Without an expectation every verdict will do.
fn grade(outcome: &Outcome, expected: Option<bool>) -> Grade {
    let holds = match outcome {
        Outcome::Safe => true,
        Outcome::Unsafe => false,
        _ => return Grade::None,
    };
    if expected.is_none_or(|expected| expected == holds) { Grade::Right } else { Grade::Wrong }
}

/// The middle of sorted numbers.
fn median(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        length if length % 2 == 1 => sorted.get(middle).copied(),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}

fn paper_side(cell: &Cell, task: &str, papers: &Papers) -> Option<PaperSide> {
    let (table, row) = papers.find(task)?;
    let comparison = table.comparison(&cell.tool);
    // What the paper does not compare with stands beside its first column, without a target.
    let against = &comparison.or(table.engines.first())?.against;
    let figure = row.paper.get(against).copied();
    let seconds = figure.map(|figure| table.seconds(figure));
    let target = comparison.map(|comparison| comparison.target.seconds(seconds));
    let wants_modular = comparison.is_some_and(|comparison| comparison.modular && row.modular);
    let is_modular_enough = !wants_modular || cell.modular == Some(true);
    Some(PaperSide {
        against: against.clone(),
        seconds,
        timed_out: matches!(figure, Some(Figure::TimedOut(_))),
        ratio: seconds.filter(|_| cell.grade == Grade::Right).map(|seconds| seconds / cell.seconds.max(1e-4)),
        target,
        is_met: target
            .map(|target| cell.grade == Grade::Right && cell.seconds <= target && is_modular_enough),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_compare_with_what_is_expected() {
        assert_eq!(grade(&Outcome::Safe, Some(true)), Grade::Right);
        assert_eq!(grade(&Outcome::Safe, Some(false)), Grade::Wrong);
        assert_eq!(grade(&Outcome::Unsafe, None), Grade::Right);
        assert_eq!(grade(&Outcome::OutOfTime, Some(true)), Grade::None);
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[1.0, 2.0, 9.0]), Some(2.0));
        assert_eq!(median(&[1.0, 2.0, 4.0, 9.0]), Some(3.0));
    }
}
