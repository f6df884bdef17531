//! The summary as a table for people.

use super::papers::Papers;
use super::summary::{Cell, Grade, Row};
use super::tool::Outcome;
use rely_report::{Role, Style};
use std::fmt::Write;

/// All rows, one table for each table of the papers, and what they come to. `style` says whether
/// colours are used; the width is that of the content.
pub fn render(rows: &[Row], tools: &[String], papers: Option<&Papers>, style: Style) -> String {
    let mut text = String::new();
    let mut rest: Vec<&Row> = rows.iter().collect();
    for table in papers.iter().flat_map(|papers| &papers.tables) {
        let is_here = |row: &&Row| row.task.rsplit_once('/').is_some_and(|(folder, _)| folder == table.name);
        let (here, others): (Vec<&Row>, Vec<&Row>) = rest.into_iter().partition(is_here);
        rest = others;
        section(&mut text, &table.title, &here, tools, style);
    }
    section(&mut text, "Results", &rest, tools, style);
    text.push_str(&conclusion(rows, tools));
    text
}

fn section(text: &mut String, title: &str, rows: &[&Row], tools: &[String], style: Style) {
    if rows.is_empty() {
        return;
    }
    let used: Vec<&String> = tools
        .iter()
        .filter(|tool| rows.iter().any(|row| row.cells.iter().any(|cell| cell.tool == **tool)))
        .collect();
    let mut grid = vec![heading(&used, rows)];
    grid.extend(rows.iter().map(|row| line(row, rows, &used, style)));
    let against = |tool: &&String| {
        let sides = rows.iter().flat_map(|row| &row.cells).filter(|cell| cell.tool == **tool);
        sides.filter_map(|cell| cell.paper.as_ref()).map(|paper| paper.against.clone()).next()
    };
    writeln!(text, "{title}\n").expect("a string takes everything");
    for (number, tool) in used.iter().enumerate() {
        let beside = against(tool).map_or(String::new(), |column| format!(", beside the paper's `{column}`"));
        writeln!(text, "  [{}] {tool}{beside}", number + 1).expect("a string takes everything");
    }
    text.push('\n');
    text.push_str(&align(&grid));
    text.push('\n');
}

/// A cell of the grid: what it says, and how it is painted.
struct Field {
    text: String,
    role: Option<(Role, Style)>,
}

fn plain(text: impl Into<String>) -> Field {
    Field { text: text.into(), role: None }
}

fn heading(tools: &[&String], rows: &[&Row]) -> Vec<Field> {
    let mut fields = vec![plain("program"), plain("expected")];
    for (number, tool) in tools.iter().enumerate() {
        fields.extend([plain(format!("[{}]", number + 1)), plain("s")]);
        if has_paper(tool, rows) {
            let target = if has_target(tool, rows) { "target" } else { "" };
            fields.extend(["paper", "times", target, ""].map(plain));
        }
    }
    fields
}

fn has_paper(tool: &str, rows: &[&Row]) -> bool {
    rows.iter().flat_map(|row| &row.cells).any(|cell| cell.tool == tool && cell.paper.is_some())
}

fn has_target(tool: &str, rows: &[&Row]) -> bool {
    let cells = rows.iter().flat_map(|row| &row.cells).filter(|cell| cell.tool == tool);
    cells.filter_map(|cell| cell.paper.as_ref()).any(|side| side.target.is_some())
}

fn line(row: &Row, rows: &[&Row], tools: &[&String], style: Style) -> Vec<Field> {
    let expected = match (row.expected, row.modular) {
        (Some(true), true) => "safe M",
        (Some(true), false) => "safe",
        (Some(false), _) => "unsafe",
        (None, _) => "",
    };
    let name = row.task.rsplit_once('/').map_or(row.task.as_str(), |(_, name)| name);
    let mut fields = vec![plain(name), plain(expected)];
    for tool in tools {
        let cell = row.cells.iter().find(|cell| cell.tool == **tool);
        fields.extend(cell.map_or([plain("-"), plain("")], |cell| [verdict(cell, style), plain(time(cell))]));
        if has_paper(tool, rows) {
            fields.extend(paper(cell, style));
        }
    }
    fields
}

/// The verdict, with an M if the proof is modular.
fn verdict(cell: &Cell, style: Style) -> Field {
    let text = match (&cell.outcome, cell.modular) {
        (Outcome::Safe, Some(true)) => "safe M",
        (Outcome::Safe, _) => "safe",
        (Outcome::Unsafe, _) => "unsafe",
        (Outcome::Unknown(_), _) => "unknown",
        (Outcome::OutOfTime, _) => "T/O",
        (Outcome::OutOfMemory, _) => "M/O",
        (Outcome::Failed(_), _) => "failed",
    };
    let (text, role) = match cell.grade {
        Grade::Right => (text.to_owned(), Role::Good),
        Grade::None => (text.to_owned(), Role::Open),
        Grade::Wrong => (format!("{text} WRONG"), Role::Bad),
    };
    Field { text, role: Some((role, style)) }
}

fn time(cell: &Cell) -> String {
    match cell.spread {
        spread if spread > 0.0005 => format!("{} ±{}", seconds(cell.seconds), seconds(spread)),
        _ => seconds(cell.seconds),
    }
}

/// Three digits that matter, more or less.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        small if small < 10.0 => format!("{small:.3}"),
        middle if middle < 100.0 => format!("{middle:.1}"),
        large => format!("{large:.0}"),
    }
}

fn paper(cell: Option<&Cell>, style: Style) -> [Field; 4] {
    let Some(side) = cell.and_then(|cell| cell.paper.as_ref()) else { return ["", "", "", ""].map(plain) };
    let theirs = match (side.timed_out, side.seconds) {
        (true, _) => "T/O".to_owned(),
        (false, Some(seconds)) => format!("{seconds}"),
        (false, None) => String::new(),
    };
    let more = if side.timed_out { ">" } else { "" };
    let ratio = side.ratio.map_or(String::new(), |ratio| match ratio {
        small if small < 10.0 => format!("{more}{small:.1}"),
        large => format!("{more}{large:.0}"),
    });
    let mark = match side.is_met {
        Some(true) => Field { text: "met".to_owned(), role: Some((Role::Good, style)) },
        Some(false) => Field { text: "missed".to_owned(), role: Some((Role::Bad, style)) },
        None => plain(""),
    };
    [plain(theirs), plain(ratio), plain(side.target.map_or(String::new(), seconds)), mark]
}

/// Columns side by side; those in which nothing stands are left out.
fn align(grid: &[Vec<Field>]) -> String {
    let columns = grid.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = grid.iter().filter_map(|line| line.get(column));
        cells.map(|field| field.text.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for fields in grid {
        let mut line = String::new();
        for (field, width) in fields.iter().zip(&widths).filter(|(_, width)| **width > 0) {
            let padding = " ".repeat(width - field.text.chars().count());
            let painted = match field.role {
                Some((role, style)) => style.paint(role, &field.text),
                None => field.text.clone(),
            };
            line.push_str("  ");
            line.push_str(&painted);
            line.push_str(&padding);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// How many are right, and how many targets are met, for each tool.
fn conclusion(rows: &[Row], tools: &[String]) -> String {
    let mut text = String::new();
    for tool in tools {
        let cells: Vec<&Cell> =
            rows.iter().flat_map(|row| &row.cells).filter(|cell| cell.tool == *tool).collect();
        let of = |grade: Grade| cells.iter().filter(|cell| cell.grade == grade).count();
        let targets: Vec<bool> = cells.iter().filter_map(|cell| cell.paper.as_ref()?.is_met).collect();
        let met = targets.iter().filter(|is_met| **is_met).count();
        write!(
            text,
            "{tool}: {} right, {} wrong, {} without verdict",
            of(Grade::Right),
            of(Grade::Wrong),
            of(Grade::None)
        )
        .expect("a string takes everything");
        if !targets.is_empty() {
            write!(text, "; {met} of {} targets met", targets.len()).expect("a string takes everything");
        }
        let total: f64 = cells.iter().map(|cell| cell.seconds).sum();
        writeln!(text, "; {} s", seconds(total)).expect("a string takes everything");
    }
    text
}
