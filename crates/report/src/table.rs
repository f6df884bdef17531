//! An interleaving as a table: time runs downwards, each thread has its column.
//!
//! ```text
//!   line │ T0           │ T1           │ values
//!   ─────┼──────────────┼──────────────┼────────────
//!      5 │ tmp = x;     │              │ tmp = 0
//!     10 │              │ x = 7;       │ x = 7
//! ```
//!
//! With more threads than columns fit, one column names the thread instead.

use crate::interleaving::{Interleaving, Step, Write};
use crate::layout::{longest_word, pad, share_width, truncate, wrap};
use crate::style::{Role, Style};
use unicode_width::UnicodeWidthStr;

/// What stands between two columns.
const SEPARATOR: &str = " │ ";
const SEPARATOR_WIDTH: usize = 3;
/// A thread's column is not made narrower than this.
const NARROWEST: usize = 12;
/// A cell has at most this many lines; statements may be whole loops.
const TALLEST: usize = 3;

/// The run as a table of at most [`Style::width`] columns.
pub fn render_table(run: &Interleaving, style: Style) -> String {
    render(run, style, &compact_values)
}

/// The run with everything that is known of each step: all steps of a statement, what the
/// intermediate program does in them, and old values beside new ones.
pub fn render_detailed_table(run: &Interleaving, style: Style) -> String {
    render(run, style, &detailed_values)
}

fn render(run: &Interleaving, style: Style, values: &dyn Fn(&Step) -> String) -> String {
    if run.steps.is_empty() {
        return "  (no step is needed)\n".to_owned();
    }
    let (headings, rows) = if threads_fit(run, style) {
        (thread_headings(run), run.steps.iter().map(|step| thread_row(run, step, values)).collect::<Vec<_>>())
    } else {
        (list_headings(), run.steps.iter().map(|step| list_row(run, step, values)).collect())
    };
    let widths = column_widths(&headings, &rows, style);
    let mut text = String::new();
    text.push_str(&line(&headings, &widths, |cell| style.paint(Role::Heading, cell)));
    text.push_str(&rule(&widths));
    for row in &rows {
        text.push_str(&wrapped_row(row, &widths));
    }
    text
}

fn threads_fit(run: &Interleaving, style: Style) -> bool {
    let values_and_line = 2 * NARROWEST;
    run.threads.len() * (NARROWEST + SEPARATOR_WIDTH) + values_and_line <= style.width
}

fn thread_headings(run: &Interleaving) -> Vec<String> {
    let outer = |name: &str| vec![name.to_owned()];
    [outer("line"), run.threads.clone(), outer("values")].concat()
}

fn thread_row(run: &Interleaving, step: &Step, values: &dyn Fn(&Step) -> String) -> Vec<String> {
    let mut row = vec![place_text(step, run)];
    row.resize(run.threads.len() + 1, String::new());
    row[step.thread + 1] = step.statement.clone();
    row.push(values(step));
    row
}

fn list_headings() -> Vec<String> {
    ["line", "thread", "statement", "values"].map(str::to_owned).to_vec()
}

fn list_row(run: &Interleaving, step: &Step, values: &dyn Fn(&Step) -> String) -> Vec<String> {
    vec![place_text(step, run), run.threads[step.thread].clone(), step.statement.clone(), values(step)]
}

/// The line; with the file where the run is not in one file only.
fn place_text(step: &Step, run: &Interleaving) -> String {
    let Some(place) = &step.place else { return String::new() };
    let main_file = run.steps.iter().find_map(|step| step.place.as_ref()).map(|place| &place.file);
    match main_file {
        Some(main_file) if main_file == &place.file => place.line.to_string(),
        Some(main_file) => format!("{}:{}", beside(main_file, &place.file), place.line),
        None => format!("{}:{}", place.file, place.line),
    }
}

/// The name of a file, as somebody in the folder of another one says it.
fn beside<'f>(main_file: &str, file: &'f str) -> &'f str {
    let folder = main_file.rfind('/').map_or("", |slash| &main_file[..=slash]);
    file.strip_prefix(folder).unwrap_or(file)
}

/// What was written; of a step that wrote nothing, what it saw.
fn compact_values(step: &Step) -> String {
    let written = step.writes.iter().map(|write| format!("{} = {}", write.variable, write.new));
    let seen = step.reads.iter().map(|read| format!("{} is {}", read.variable, read.value));
    let told: Vec<String> = if step.writes.is_empty() { seen.collect() } else { written.collect() };
    told.join(", ")
}

fn detailed_values(step: &Step) -> String {
    let told = |write: &Write| match &write.old {
        Some(old) => format!("{}: {old} → {}", write.variable, write.new),
        None => format!("{} = {}", write.variable, write.new),
    };
    let operations = std::iter::once(format!("[{}]", step.operations));
    let writes = step.writes.iter().map(told).collect::<Vec<_>>().join(", ");
    operations.chain((!writes.is_empty()).then_some(writes)).collect::<Vec<_>>().join(" ")
}

fn column_widths(headings: &[String], rows: &[Vec<String>], style: Style) -> Vec<usize> {
    let widest = |column: usize, measure: &dyn Fn(&str) -> usize| {
        rows.iter().map(|row| measure(&row[column])).max().unwrap_or(0).max(headings[column].width())
    };
    let wanted: Vec<usize> =
        (0..headings.len()).map(|column| widest(column, &UnicodeWidthStr::width)).collect();
    let least: Vec<usize> = (0..headings.len()).map(|column| widest(column, &longest_word)).collect();
    let margin = 2 + SEPARATOR_WIDTH * (headings.len() - 1);
    share_width(&wanted, &least, style.width.saturating_sub(margin).max(headings.len()))
}

fn rule(widths: &[usize]) -> String {
    let dashes: Vec<String> = widths.iter().map(|&width| "─".repeat(width)).collect();
    format!("  {}\n", dashes.join("─┼─"))
}

/// One line of the table; the first column is aligned to the right.
fn line(cells: &[String], widths: &[usize], paint: impl Fn(&str) -> String) -> String {
    let mut columns = Vec::new();
    for (column, (cell, &width)) in cells.iter().zip(widths).enumerate() {
        let cell = truncate(cell, width);
        let filled = match column {
            0 => format!("{}{cell}", " ".repeat(width.saturating_sub(cell.width()))),
            _ if column + 1 == cells.len() => cell,
            _ => pad(&cell, width),
        };
        columns.push(paint(&filled));
    }
    format!("  {}", columns.join(SEPARATOR)).trim_end().to_owned() + "\n"
}

fn wrapped_row(row: &[String], widths: &[usize]) -> String {
    let cells: Vec<Vec<String>> = row
        .iter()
        .zip(widths)
        .map(|(cell, &width)| limit_height(wrap(fitting(cell, width), width), width))
        .collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(1);
    (0..height)
        .map(|at| {
            let lines: Vec<String> =
                cells.iter().map(|cell| cell.get(at).cloned().unwrap_or_default()).collect();
            line(&lines, widths, str::to_owned)
        })
        .collect()
}

/// A line of its own is too much for the semicolon of a statement.
fn fitting(cell: &str, width: usize) -> &str {
    match cell.strip_suffix(';') {
        Some(shorter) if shorter.width() == width => shorter,
        _ => cell,
    }
}

fn limit_height(mut lines: Vec<String>, width: usize) -> Vec<String> {
    if lines.len() > TALLEST {
        lines.truncate(TALLEST);
        let last = &mut lines[TALLEST - 1];
        *last = truncate(&format!("{last} …"), width);
    }
    lines
}
