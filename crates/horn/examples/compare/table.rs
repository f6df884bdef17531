//! What came out, as a table.

use std::fmt::Write;

/// One problem: two answers, and their times in milliseconds.
pub struct Row {
    pub group: String,
    pub name: String,
    pub ours: (String, f64),
    pub theirs: (String, f64),
}

fn is_known(answer: &str) -> bool {
    answer == "sat" || answer == "unsat"
}

impl Row {
    pub fn contradicts(&self) -> bool {
        self.is_known_to_both() && self.ours.0 != self.theirs.0
    }

    fn is_known_to_both(&self) -> bool {
        is_known(&self.ours.0) && is_known(&self.theirs.0)
    }

    fn is_slower(&self) -> bool {
        self.is_known_to_both() && self.ours.1 > self.theirs.1
    }

    fn remark(&self) -> &'static str {
        match (is_known(&self.ours.0), is_known(&self.theirs.0)) {
            _ if self.contradicts() => "CONTRADICTION",
            _ if self.is_slower() => "slower",
            (false, true) => "missing",
            _ => "",
        }
    }

    pub fn text(&self) -> String {
        let Self { group, name, ours, theirs } = self;
        format!(
            "{group:<14} {name:<52} {:>8} {:>9.1} {:>8} {:>9.1} {}",
            ours.0,
            ours.1,
            theirs.0,
            theirs.1,
            self.remark()
        )
    }
}

/// The groups, and then the problems at which we are not faster or have no answer.
pub fn table(rows: &[Row]) -> String {
    let mut groups: Vec<&str> = rows.iter().map(|row| row.group.as_str()).collect();
    groups.dedup();
    groups.sort_unstable();
    groups.dedup();
    let mut text = String::from(
        "| problems | | ours | other | both | contradictions | median ms, ours | other | not faster |\n",
    );
    text += "|---|---|---|---|---|---|---|---|---|\n";
    for group in groups {
        let of_group: Vec<&Row> = rows.iter().filter(|row| row.group == group).collect();
        text += &group_line(group, &of_group);
    }
    text += &group_line("all", &rows.iter().collect::<Vec<_>>());
    for row in rows.iter().filter(|row| !row.remark().is_empty()) {
        let _ = writeln!(text, "{}", row.text());
    }
    text
}

fn group_line(name: &str, rows: &[&Row]) -> String {
    let count = |test: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| test(row)).count();
    let median_of = |time: &dyn Fn(&Row) -> f64| {
        let mut times: Vec<f64> =
            rows.iter().filter(|row| row.is_known_to_both()).map(|row| time(row)).collect();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or_default()
    };
    format!(
        "| {name} | {} | {} | {} | {} | {} | {:.1} | {:.1} | {} |\n",
        rows.len(),
        count(&|row| is_known(&row.ours.0)),
        count(&|row| is_known(&row.theirs.0)),
        count(&Row::is_known_to_both),
        count(&Row::contradicts),
        median_of(&|row| row.ours.1),
        median_of(&|row| row.theirs.1),
        count(&Row::is_slower)
    )
}
