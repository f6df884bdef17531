//! All pairs of conflicting accesses: a table by variable, and the pairs that race or may race.

use crate::interleaving::SourceRange;
use crate::layout::pad;
use crate::style::{Role, Style};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Two accesses that conflict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RacePair {
    /// The variable, as it is written in the source.
    pub variable: String,
    /// Both accesses.
    pub accesses: [PairedAccess; 2],
    /// `apart`, `races` or `unknown`.
    pub answer: &'static str,
    /// The engine that proved that they are apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proved_by: Option<&'static str>,
}

/// One of two accesses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PairedAccess {
    /// `read` or `write`.
    pub kind: &'static str,
    /// Where it stands in the source.
    pub place: Option<SourceRange>,
}

/// How many pairs of a variable got which answer.
#[derive(Default)]
struct Row {
    pairs: usize,
    proved: BTreeMap<&'static str, usize>,
    races: usize,
    open: usize,
}

/// The table, and below it every pair that races or may race.
pub fn render_race_pairs(pairs: &[RacePair], style: Style) -> String {
    if pairs.is_empty() {
        return "\n  no two threads access the same variable in a way that could race\n\n".to_owned();
    }
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    for pair in pairs {
        let row = rows.entry(&pair.variable).or_default();
        row.pairs += 1;
        match (pair.answer, pair.proved_by) {
            (_, Some(engine)) => *row.proved.entry(engine).or_default() += 1,
            ("races", _) => row.races += 1,
            _ => row.open += 1,
        }
    }
    table(&rows, style) + &listed(pairs, "races", "race") + &listed(pairs, "unknown", "may race") + "\n"
}

fn table(rows: &BTreeMap<&str, Row>, style: Style) -> String {
    let engines: BTreeSet<&'static str> = rows.values().flat_map(|row| row.proved.keys().copied()).collect();
    let mut headings = vec!["variable".to_owned(), "pairs".to_owned()];
    headings.extend(engines.iter().map(|engine| format!("apart ({engine})")));
    headings.extend(["race".to_owned(), "unknown".to_owned()]);
    let name = rows.keys().map(|name| name.chars().count()).chain([headings[0].len()]).max().unwrap_or(0);
    let mut text = format!("\n  {}\n", style.paint(Role::Heading, &line(&headings, &headings, name)));
    for (variable, row) in rows {
        let mut cells = vec![(*variable).to_owned(), row.pairs.to_string()];
        let proved = |engine: &&'static str| row.proved.get(engine).copied().unwrap_or(0).to_string();
        cells.extend(engines.iter().map(proved));
        cells.extend([row.races.to_string(), row.open.to_string()]);
        text += &format!("  {}\n", line(&cells, &headings, name));
    }
    text
}

/// The cells below their headings: the name to the left, numbers to the right.
fn line(cells: &[String], headings: &[String], name: usize) -> String {
    let numbers = cells.iter().zip(headings).skip(1);
    let numbers: String =
        numbers.map(|(cell, heading)| format!("  {cell:>width$}", width = heading.len())).collect();
    pad(&cells[0], name) + &numbers
}

fn listed(pairs: &[RacePair], answer: &str, title: &str) -> String {
    let told = |access: &PairedAccess| {
        let line = access.place.as_ref().map(|place| format!(" at line {}", place.line));
        format!("{}{}", access.kind, line.unwrap_or_default())
    };
    let lines: Vec<String> = pairs
        .iter()
        .filter(|pair| pair.answer == answer)
        .map(|pair| {
            let [one, other] = &pair.accesses;
            format!("  {title}: `{}`, {} and {}\n", pair.variable, told(one), told(other))
        })
        .collect();
    if lines.is_empty() { String::new() } else { format!("\n{}", lines.concat()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn variables_are_rows_and_engines_columns() {
        let pair = |variable: &str, kind, answer, proved_by| RacePair {
            variable: variable.to_owned(),
            accesses: [PairedAccess { kind, place: None }, PairedAccess { kind: "write", place: None }],
            answer,
            proved_by,
        };
        let pairs = [
            pair("counter", "read", "apart", Some("locksets")),
            pair("counter", "write", "apart", Some("locksets")),
            pair("x", "read", "apart", Some("rely-guarantee")),
            pair("x", "write", "races", None),
            pair("y", "write", "unknown", None),
        ];
        expect![[r#"
            unsafe
              variable  pairs  apart (locksets)  apart (rely-guarantee)  race  unknown
              counter       2                 2                       0     0        0
              x             2                 0                       1     1        0
              y             1                 0                       0     0        1

              race: `x`, write and write

              may race: `y`, write and write

        "#]]
        .assert_eq(&format!("unsafe{}", render_race_pairs(&pairs, Style::PLAIN)));
    }

    #[test]
    fn nothing_to_say_is_said() {
        expect![[r#"
            safe
              no two threads access the same variable in a way that could race

        "#]]
        .assert_eq(&format!("safe{}", render_race_pairs(&[], Style::PLAIN)));
    }
}
