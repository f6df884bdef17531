//! `rely bench` as its users meet it: what hangs or swells is reported and the rest goes on, a run
//! that was killed goes on where it was, and the work for a few chosen rows does not grow unnoticed.

use rely::args::InputArgs;
use rely_base::{Budget, Silent};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A fresh folder with tasks that take no time: of three, the second is not safe.
fn tasks(name: &str, count: usize) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("rely-bench-{}-{name}", std::process::id()));
    fs::remove_dir_all(&folder).ok();
    fs::create_dir_all(&folder).expect("a folder for tests");
    let write = |name: String, text: String| fs::write(folder.join(name), text).expect("writable");
    write("reach.prp".to_owned(), "CHECK( init(main()), LTL(G ! call(reach_error())) )\n".to_owned());
    for number in 0..count {
        let is_safe = number % 3 != 1;
        let claim = if is_safe { "x <= 1" } else { "x <= 0" };
        write(
            format!("t{number}.rely"),
            format!("var x: int = 0;\n\nthread T {{\n    x := 1;\n}}\n\ninvariant {claim};\n"),
        );
        let definition = format!(
            "format_version: '2.0'\ninput_files: 't{number}.rely'\nproperties:\n  - property_file: reach.prp\n    \
             expected_verdict: {is_safe}\n"
        );
        write(format!("t{number}.yml"), definition);
    }
    folder
}

fn bench(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rely"));
    let output = folder.join("out");
    command.arg("bench").arg(folder).args(["--engine", "explore", "--output"]).arg(output).args(arguments);
    command
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// How often each outcome occurs in the results, by tool.
fn outcomes(folder: &Path) -> BTreeMap<(String, String), usize> {
    let csv = fs::read_to_string(folder.join("out/results.csv")).expect("there are results");
    let mut outcomes = BTreeMap::new();
    for line in csv.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        *outcomes.entry((fields[1].to_owned(), fields[3].to_owned())).or_default() += 1;
    }
    outcomes
}

fn count(folder: &Path, tool: &str, outcome: &str) -> usize {
    outcomes(folder).get(&(tool.to_owned(), outcome.to_owned())).copied().unwrap_or(0)
}

/// Compares with a tool that does something bad, and with one that answers: the bad one has the
/// outcome, and nobody else is disturbed.
fn check_bad_tool(name: &str, script: &str, limits: [&str; 4], outcome: &str) {
    let folder = tasks(name, 3);
    let bad = format!("bad: {script} # {{file}}");
    let good = "good: grep -q 'x <= 1' {file} && echo TRUE || echo FALSE";
    let mut command = bench(&folder, &["--jobs", "3", "--compare", &bad, "--compare", good]);
    let output = command.args(limits).output().expect("the command runs");
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert_eq!(count(&folder, "bad", outcome), 3, "{}", text(&output));
    for tool in ["explore", "good"] {
        assert_eq!(count(&folder, tool, "safe"), 2, "{}", text(&output));
        assert_eq!(count(&folder, tool, "unsafe"), 1, "{}", text(&output));
    }
    assert!(text(&output).contains("explore: 3 right, 0 wrong, 0 without verdict"), "{}", text(&output));
    let page = fs::read_to_string(folder.join("out/results.html")).expect("there is a page");
    assert!(page.contains("<svg") && page.contains(outcome), "{page}");
    fs::remove_dir_all(&folder).ok();
}

#[test]
fn what_allocates_without_bound_is_reported_and_the_rest_is_right() {
    check_bad_tool(
        "swell",
        "tail -n 1 < /dev/zero",
        ["--timeout", "600", "--memory", "200"],
        "out-of-memory",
    );
}

#[test]
fn what_ignores_its_time_limit_is_reported_and_the_rest_is_right() {
    let script = "trap '' TERM INT HUP; sleep 1000; sleep 1000";
    check_bad_tool("deaf", script, ["--timeout", "5", "--memory", "4000"], "out-of-time");
}

#[test]
fn a_wrong_verdict_is_called_wrong() {
    let folder = tasks("wrong", 3);
    let output = bench(&folder, &["--compare", "yes: echo TRUE {file}"]).output().expect("the command runs");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("yes: 2 right, 1 wrong, 0 without verdict"), "{}", text(&output));
    fs::remove_dir_all(&folder).ok();
}

/// Each run of the tool writes a line when it starts: so what was repeated would show. The third
/// waits while it is told to, so that the command is killed in the middle; each round has a log of
/// its own, because that tool outlives the command.
#[test]
fn a_killed_run_goes_on_where_it_was() {
    let folder = tasks("killed", 6);
    let hold = folder.join("hold");
    fs::write(&hold, "").expect("writable");
    let tool = "tool: echo started >> \"$STARTED\"; \
                case {file} in *t2*) while [ -e \"$HOLD\" ]; do sleep 0.02; done;; esac; echo TRUE";
    let round = |log: &str| {
        let mut command = bench(&folder, &["--compare", tool]);
        command.env("STARTED", folder.join(log)).env("HOLD", &hold);
        command
    };
    let started = |log: &str| fs::read_to_string(folder.join(log)).expect("there is a log").lines().count();
    let mut child = round("killed.log").spawn().expect("the command runs");
    let journal = folder.join("out/journal.jsonl");
    let lines = || fs::read_to_string(&journal).unwrap_or_default().lines().count();
    // The first line says what is measured; behind it stands what is done.
    while lines() < 4 {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("it is running");
    child.wait().expect("it has ended");
    fs::remove_file(&hold).expect("it was there");
    let done = fs::read_to_string(&journal).expect("there is a journal");
    let done_by_tool = done.lines().filter(|line| line.contains("\"tool\":\"tool\"")).count();

    let output = round("resumed.log").output().expect("the command runs");
    assert_eq!(done_by_tool + started("resumed.log"), 6, "{}", text(&output));
    let resumed = format!("{} runs are from before the interruption", done.lines().count() - 1);
    assert!(text(&output).contains(&resumed), "{}", text(&output));
    assert_eq!(count(&folder, "explore", "safe"), 4, "{}", text(&output));
    assert_eq!(count(&folder, "tool", "safe"), 6, "{}", text(&output));
    // What is complete is measured anew.
    round("again.log").output().expect("the command runs");
    assert_eq!(started("again.log"), 6);
    fs::remove_dir_all(&folder).ok();
}

/// A repository of its own, so that the log of this one stays as it is: its table has one row.
#[test]
fn what_is_recorded_shows_as_a_trend() {
    let folder = tasks("recorded", 1);
    let benchmarks = folder.join("benchmarks");
    let table = benchmarks.join("small");
    fs::create_dir_all(&table).expect("writable");
    for name in ["t0.rely", "t0.yml", "reach.prp"] {
        fs::copy(folder.join(name), table.join(name)).expect("writable");
    }
    let papers = r#"{"tables": [{"name": "small", "title": "small", "timeout": 10, "rows": [{"tasks": ["t0"]}],
        "engines": [{"engine": "explore", "against": "nobody",
                     "target": {"times_faster": 1, "at_least": 1, "at_most": 1}}]}]}"#;
    fs::write(benchmarks.join("papers.json"), papers).expect("writable");
    let rely = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rely"));
        command.arg("bench").args(arguments).current_dir(&folder).output().expect("the command runs")
    };
    for records in 1..=2 {
        let output = rely(&["papers", "--record", "--fresh"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        let log = fs::read_to_string(benchmarks.join("performance.jsonl")).expect("there is a log");
        assert_eq!(log.lines().count(), records, "{log}");
        for line in log.lines() {
            let entry: Value = serde_json::from_str(line).expect("a line of JSON");
            assert_eq!((&entry["task"], &entry["verdict"]), (&"small/t0".into(), &"safe".into()), "{line}");
            assert!(entry["counts"]["states"].as_u64().is_some_and(|states| states > 0), "{line}");
            assert_eq!(entry["rely"], rely::version::TEXT, "{line}");
        }
    }
    let trend = text(&rely(&["trend"]));
    assert!(trend.contains("small/t0 (explore)") && trend.contains("2 records"), "{trend}");
    assert!(!trend.contains("grew"), "{trend}");
    assert_eq!(text(&rely(&["trend", "nothing-of-this-name"])), "");

    let log = benchmarks.join("performance.jsonl");
    let more = fs::read_to_string(&log).expect("there is a log").replace("\"states\":", "\"states\":10");
    fs::write(folder.join("grown.jsonl"), fs::read_to_string(&log).expect("a log") + &more)
        .expect("writable");
    let trend = text(&rely(&["trend", "--log", "grown.jsonl"]));
    assert!(trend.contains("4 records"), "{trend}");
    fs::remove_dir_all(&folder).ok();
}

#[test]
fn mistakes_on_the_command_line_are_explained() {
    let complaint = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_rely"))
            .arg("bench")
            .args(arguments)
            .current_dir(root())
            .output();
        let output = output.expect("the command runs");
        assert_eq!(output.status.code(), Some(3), "{}", text(&output));
        text(&output)
    };
    assert!(complaint(&["nothing"]).contains("there is no set `nothing`; sets are papers, popl11, regasol"));
    assert!(complaint(&["filter:1"]).contains("the sizes of filter are 2 to 32"));
    assert!(complaint(&["tower:3"]).contains("there is no family `tower`"));
    assert!(complaint(&["popl11", "--engine", "magic"]).contains("there is no engine `magic`"));
    assert!(complaint(&["popl11", "--compare", "verify"]).contains("where the program goes"));
    assert!(complaint(&["popl11", "--compare-safe", "("]).contains("--compare-safe"));
}

/// No engine is needed to know that the expected verdicts are right where all states can be seen.
#[test]
fn exploration_agrees_with_every_expected_verdict() {
    let folder = rely::bench::set::benchmarks(&root()).expect("the repository has benchmarks");
    let set = rely::bench::set::resolve("papers", Some(&folder), Path::new("")).expect("all can be read");
    let engine = rely_engines::engine("explore").expect("exploration is there");
    let (mut decided, mut wrong) = (0, Vec::new());
    for task in &set.tasks {
        let input = rely::input::read(&task.input, &InputArgs::default());
        let input = input.unwrap_or_else(|error| panic!("{}: {}", task.name, error.message));
        let loaded = rely::pipeline::load(&input).unwrap_or_else(|problem| {
            panic!("{}", rely_report::render_problem(&problem, rely_report::Style::PLAIN))
        });
        // Enough for all that are small; the others stop here.
        let budget = Budget::builder().memory_bytes(4_000_000).build();
        let verdict = rely::pipeline::verify(&loaded.program, task.goal, engine.as_ref(), &budget, &Silent);
        match (verdict.name(), task.expected) {
            ("safe", Some(true)) | ("unsafe", Some(false)) => decided += 1,
            ("unknown", _) => {}
            (verdict, expected) => wrong.push(format!("{}: {verdict}, expected {expected:?}", task.name)),
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(decided >= 50, "{decided} of {}", set.tasks.len());
}

#[test]
fn the_models_are_laid_out_in_the_standard_way() {
    let models = ["popl11", "regasol"].into_iter().flat_map(|folder| {
        let entries = fs::read_dir(root().join("benchmarks").join(folder)).expect("there are benchmarks");
        entries.map(|entry| entry.expect("readable").path())
    });
    let models = models.filter(|path| path.extension().is_some_and(|ending| ending == "rely"));
    let run = Command::new(env!("CARGO_BIN_EXE_rely")).args(["fmt", "--check"]).args(models).output();
    let run = run.expect("the command runs");
    assert_eq!(run.status.code(), Some(0), "{}", text(&run));
}

#[test]
fn members_of_families_are_printed() {
    let output = Command::new(env!("CARGO_BIN_EXE_rely")).args(["bench", "generate", "filter", "3"]).output();
    let output = output.expect("the command runs");
    assert!(text(&output).starts_with("// The filter lock for 3 threads"), "{}", text(&output));
}

/// The work for a few rows is recorded in `benchmarks/baseline.json`. It may shrink as it likes;
/// if it grows by more than a quarter, either that is a mistake or the baseline is changed on
/// purpose.
#[test]
fn the_work_for_chosen_rows_does_not_grow_unnoticed() {
    let baseline = fs::read_to_string(root().join("benchmarks/baseline.json")).expect("there is a baseline");
    let baseline: Value = serde_json::from_str(&baseline).expect("it is JSON");
    let rows = baseline.as_array().expect("it is a list");
    assert!(!rows.is_empty());
    let mut complaints = Vec::new();
    for row in rows {
        let words = |key: &str| row[key].as_str().unwrap_or_else(|| panic!("a row has no `{key}`: {row}"));
        let (file, engine) = (words("file"), words("engine"));
        let output = Command::new(env!("CARGO_BIN_EXE_rely"))
            .args(["check", "--format", "json", "--property", "assert", "--engine"])
            .args(engine.split_whitespace())
            .arg(Path::new("benchmarks").join(file))
            .current_dir(root())
            .output()
            .expect("the command runs");
        let report: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output)));
        let result = &report["files"][0]["results"][0];
        if result["verdict"] != row["verdict"] {
            complaints
                .push(format!("{file} ({engine}): {} instead of {}", result["verdict"], row["verdict"]));
        }
        for (name, before) in row["counts"].as_object().expect("a row has `counts`") {
            let before = before.as_u64().expect("counts are numbers");
            match result["statistics"][name].as_u64() {
                Some(now) if !rely::bench::record::grew(before, now) => {}
                now => complaints.push(format!("{file} ({engine}): {before} {name} before, now {now:?}")),
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}
