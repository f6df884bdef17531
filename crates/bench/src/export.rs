//! The results for other programs: every run as CSV, the summary as JSON.

use super::journal::Measurement;
use super::summary::Row;
use super::tool::Outcome;
use serde_json::json;
use std::collections::BTreeSet;

/// One line for each run. The counts come last, one column for each name.
pub fn csv(measurements: &[Measurement]) -> String {
    let counts: BTreeSet<&String> = measurements.iter().flat_map(|run| run.counts.keys()).collect();
    let fixed = ["task", "tool", "repetition", "outcome", "reason", "seconds", "megabytes", "modular"];
    let heading = fixed.into_iter().map(str::to_owned).chain(counts.iter().map(|name| (*name).clone()));
    let mut lines = vec![join(heading)];
    for run in measurements {
        let (outcome, reason) = words(&run.outcome);
        let fixed = [
            run.task.clone(),
            run.tool.clone(),
            run.repetition.to_string(),
            outcome.to_owned(),
            reason.to_owned(),
            format!("{:.4}", run.seconds),
            format!("{:.1}", run.megabytes),
            run.modular.map_or(String::new(), |modular| modular.to_string()),
        ];
        let counts = counts.iter().map(|name| run.counts.get(*name).map_or(String::new(), u64::to_string));
        lines.push(join(fixed.into_iter().chain(counts)));
    }
    lines.join("\n") + "\n"
}

/// An outcome in a word, and the reason for it if it has one.
pub fn words(outcome: &Outcome) -> (&'static str, &str) {
    match outcome {
        Outcome::Safe => ("safe", ""),
        Outcome::Unsafe => ("unsafe", ""),
        Outcome::Unknown(reason) => ("unknown", reason),
        Outcome::OutOfTime => ("out-of-time", ""),
        Outcome::OutOfMemory => ("out-of-memory", ""),
        Outcome::Failed(reason) => ("failed", reason),
    }
}

fn join(fields: impl Iterator<Item = String>) -> String {
    fields.map(|field| quote(&field)).collect::<Vec<_>>().join(",")
}

fn quote(field: &str) -> String {
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}

/// The summary and every run as one document. `version` is that of Rely.
pub fn json(rows: &[Row], measurements: &[Measurement], version: &str) -> String {
    let document = json!({
        "format": "rely-bench",
        "version": 1,
        "rely": version,
        "rows": rows,
        "runs": measurements,
    });
    serde_json::to_string_pretty(&document).expect("plain data can be written") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use std::collections::BTreeMap;

    #[test]
    fn what_would_break_a_line_is_quoted() {
        let run = Measurement {
            task: "a,b".to_owned(),
            tool: "t".to_owned(),
            repetition: 0,
            outcome: Outcome::Unknown("says \"no\"".to_owned()),
            seconds: 0.25,
            megabytes: 3.0,
            counts: BTreeMap::from([("states".to_owned(), 12)]),
            modular: Some(false),
        };
        expect![[r#"
            task,tool,repetition,outcome,reason,seconds,megabytes,modular,states
            "a,b",t,0,unknown,"says ""no""",0.2500,3.0,false,12
        "#]]
        .assert_eq(&csv(&[run]));
    }
}
