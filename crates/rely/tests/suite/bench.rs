//! `rely bench` as its users meet it: what hangs or swells is reported and the rest goes on, a run
//! that was killed goes on where it was, and the work for a few chosen rows does not grow unnoticed.

use crate::support::{Directory, all_text, rely_in_root, root};
use rely::args::InputArgs;
use rely_base::{Budget, Silent};
use rely_bench::families::Family;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// A fresh folder with tasks that take no time: of three, the second is not safe.
fn tasks(count: usize) -> Directory {
    let tasks = Directory::new().with("reach.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    for number in 0..count {
        let is_safe = number % 3 != 1;
        let claim = if is_safe { "x <= 1" } else { "x <= 0" };
        tasks.write(
            &format!("t{number}.rely"),
            format!("var x: int = 0;\n\nthread T {{\n    x := 1;\n}}\n\ninvariant {claim};\n"),
        );
        let definition = format!(
            "format_version: '2.0'\ninput_files: 't{number}.rely'\nproperties:\n  - property_file: reach.prp\n    \
             expected_verdict: {is_safe}\n"
        );
        tasks.write(&format!("t{number}.yml"), definition);
    }
    tasks
}

fn bench(tasks: &Directory, arguments: &[&str]) -> Command {
    let mut command = tasks.command(&["bench", ".", "--engine", "explore", "--output", "out"]);
    command.args(arguments);
    command
}

/// How often each outcome occurs in the results, by tool.
fn outcomes(tasks: &Directory) -> BTreeMap<(String, String), usize> {
    let csv = tasks.read("out/results.csv");
    let mut outcomes = BTreeMap::new();
    for line in csv.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        *outcomes.entry((fields[1].to_owned(), fields[3].to_owned())).or_default() += 1;
    }
    outcomes
}

fn count(tasks: &Directory, tool: &str, outcome: &str) -> usize {
    outcomes(tasks).get(&(tool.to_owned(), outcome.to_owned())).copied().unwrap_or(0)
}

/// Compares with a tool that does something bad, and with one that answers: the bad one has the
/// outcome, and nobody else is disturbed.
fn check_bad_tool(script: &str, limits: [&str; 4], outcome: &str) {
    let tasks = tasks(3);
    let bad = format!("bad: {script} # {{file}}");
    let good = "good: grep -q 'x <= 1' {file} && echo TRUE || echo FALSE";
    let mut command = bench(&tasks, &["--jobs", "3", "--compare", &bad, "--compare", good]);
    let output = command.args(limits).output().expect("the command runs");
    assert_eq!(output.status.code(), Some(2), "{}", all_text(&output));
    assert_eq!(count(&tasks, "bad", outcome), 3, "{}", all_text(&output));
    for tool in ["explore", "good"] {
        assert_eq!(count(&tasks, tool, "safe"), 2, "{}", all_text(&output));
        assert_eq!(count(&tasks, tool, "unsafe"), 1, "{}", all_text(&output));
    }
    assert!(
        all_text(&output).contains("explore: 3 right, 0 wrong, 0 without verdict"),
        "{}",
        all_text(&output)
    );
    let page = tasks.read("out/results.html");
    assert!(page.contains("<svg") && page.contains(outcome), "{page}");
}

/// It holds too much and then waits, so that it does not matter when somebody looks.
#[test]
fn what_holds_too_much_memory_is_reported_and_the_rest_is_right() {
    let script = "(head -c 300000000 /dev/zero; sleep 100000) | tail -n 1";
    check_bad_tool(script, ["--timeout", "100000", "--memory", "200"], "out-of-memory");
}

/// The limit is the only time that counts here: the others answer within milliseconds, of which a busy
/// machine may make seconds.
#[test]
fn what_ignores_its_time_limit_is_reported_and_the_rest_is_right() {
    let script = "trap '' TERM INT HUP; sleep 1000; sleep 1000";
    check_bad_tool(script, ["--timeout", "15", "--memory", "4000"], "out-of-time");
}

#[test]
fn a_wrong_verdict_is_called_wrong() {
    let tasks = tasks(3);
    let output = bench(&tasks, &["--compare", "yes: echo TRUE {file}"]).output().expect("the command runs");
    assert_eq!(output.status.code(), Some(1), "{}", all_text(&output));
    assert!(all_text(&output).contains("yes: 2 right, 1 wrong, 0 without verdict"), "{}", all_text(&output));
}

/// Each run of the tool writes a line when it starts: so what was repeated would show. The third
/// waits while it is told to, so that the command is killed in the middle; each round has a log of
/// its own, because that tool outlives the command.
#[test]
fn a_killed_run_goes_on_where_it_was() {
    let tasks = tasks(6);
    let hold = tasks.path("hold");
    tasks.write("hold", "");
    let tool = "tool: echo started >> \"$STARTED\"; \
                case {file} in *t2*) while [ -e \"$HOLD\" ]; do sleep 0.02; done;; esac; echo TRUE";
    let round = |log: &str| {
        let mut command = bench(&tasks, &["--compare", tool]);
        command.env("STARTED", tasks.path(log)).env("HOLD", &hold);
        command
    };
    let started = |log: &str| tasks.read(log).lines().count();
    let mut child = round("killed.log").spawn().expect("the command runs");
    let journal = tasks.path("out/journal.jsonl");
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
    assert_eq!(done_by_tool + started("resumed.log"), 6, "{}", all_text(&output));
    let resumed = format!("{} runs are from before the interruption", done.lines().count() - 1);
    assert!(all_text(&output).contains(&resumed), "{}", all_text(&output));
    assert_eq!(count(&tasks, "explore", "safe"), 4, "{}", all_text(&output));
    assert_eq!(count(&tasks, "tool", "safe"), 6, "{}", all_text(&output));
    // What is complete is measured anew.
    round("again.log").output().expect("the command runs");
    assert_eq!(started("again.log"), 6);
}

/// A repository of its own, so that the log of this one stays as it is: its table has one row.
#[test]
fn what_is_recorded_shows_as_a_trend() {
    let tasks = tasks(1);
    let benchmarks = tasks.path("benchmarks");
    let table = benchmarks.join("small");
    fs::create_dir_all(&table).expect("writable");
    for name in ["t0.rely", "t0.yml", "reach.prp"] {
        fs::copy(tasks.path(name), table.join(name)).expect("writable");
    }
    let papers = r#"{"tables": [{"name": "small", "title": "small", "timeout": 100000, "rows": [{"tasks": ["t0"]}],
        "engines": [{"engine": "explore", "against": "nobody",
                     "target": {"times_faster": 1, "at_least": 1, "at_most": 1}}]}]}"#;
    fs::write(benchmarks.join("papers.json"), papers).expect("writable");
    let rely = |arguments: &[&str]| tasks.rely(&[&["bench"], arguments].concat());
    for records in 1..=2 {
        let output = rely(&["papers", "--record", "--fresh"]);
        assert_eq!(output.status.code(), Some(0), "{}", all_text(&output));
        let log = fs::read_to_string(benchmarks.join("performance.jsonl")).expect("there is a log");
        assert_eq!(log.lines().count(), records, "{log}");
        for line in log.lines() {
            let entry: Value = serde_json::from_str(line).expect("a line of JSON");
            assert_eq!((&entry["task"], &entry["verdict"]), (&"small/t0".into(), &"safe".into()), "{line}");
            assert!(entry["counts"]["states"].as_u64().is_some_and(|states| states > 0), "{line}");
            assert_eq!(entry["rely"], rely::version::TEXT, "{line}");
        }
    }
    let trend = all_text(&rely(&["trend"]));
    assert!(trend.contains("small/t0 (explore)") && trend.contains("2 records"), "{trend}");
    assert!(!trend.contains("grew"), "{trend}");
    assert_eq!(all_text(&rely(&["trend", "nothing-of-this-name"])), "");

    let log = fs::read_to_string(benchmarks.join("performance.jsonl")).expect("there is a log");
    let last = log.lines().last().expect("there are records");
    tasks.write("grown.jsonl", format!("{log}{}\n", last.replace("\"states\":", "\"states\":10")));
    let trend = all_text(&rely(&["trend", "--log", "grown.jsonl"]));
    assert!(trend.contains("3 records") && trend.contains("states grew from"), "{trend}");
}

#[test]
fn mistakes_on_the_command_line_are_explained() {
    let complaint = |arguments: &[&str]| {
        let output = rely_in_root(&[&["bench"], arguments].concat());
        assert_eq!(output.status.code(), Some(3), "{}", all_text(&output));
        all_text(&output)
    };
    assert!(complaint(&["nothing"]).contains(
        "there is no set `nothing`; sets are papers, popl11, redcomp, redcomp-termination, regasol"
    ));
    assert!(complaint(&["filter:1"]).contains("the sizes of filter are 2 to 32"));
    assert!(complaint(&["tower:3"]).contains("there is no family `tower`"));
    assert!(complaint(&["popl11", "--engine", "magic"]).contains("there is no engine `magic`"));
    assert!(complaint(&["popl11", "--compare", "verify"]).contains("where the program goes"));
    assert!(complaint(&["popl11", "--compare-safe", "("]).contains("--compare-safe"));
}

/// No engine is needed to know that the expected verdicts are right where all states can be seen.
#[test]
fn exploration_agrees_with_every_expected_verdict() {
    let folder = rely_bench::set::benchmarks(&root()).expect("the repository has benchmarks");
    let set = rely_bench::set::resolve("papers", Some(&folder), Path::new("")).expect("all can be read");
    let engine = rely_verify::strategy("explore").expect("exploration is there");
    let (mut decided, mut wrong) = (0, Vec::new());
    for task in &set.tasks {
        let input = rely::input::read(&task.input, &InputArgs::default());
        let input = input.unwrap_or_else(|error| panic!("{}: {}", task.name, error.message));
        let loaded = rely_verify::load(&input).unwrap_or_else(|problem| panic!("{problem}"));
        // Enough for all that are small; the others stop here.
        let budget = Budget::builder().memory_bytes(4_000_000).build();
        let verified = rely_verify::verify(&loaded.program, task.goal, engine.as_ref(), &budget, &Silent);
        match (verified.verdict.name(), task.expected) {
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
    let models = ["popl11", "redcomp", "regasol", "pacman"].into_iter().flat_map(|folder| {
        let entries = fs::read_dir(root().join("benchmarks").join(folder)).expect("there are benchmarks");
        entries.map(|entry| entry.expect("readable").path())
    });
    let models = models.filter(|path| path.extension().is_some_and(|ending| ending == "rely"));
    let run = Command::new(env!("CARGO_BIN_EXE_rely")).args(["fmt", "--check"]).args(models).output();
    let run = run.expect("the command runs");
    assert_eq!(run.status.code(), Some(0), "{}", all_text(&run));
}

/// What is kept of scaled programs is what is generated.
#[test]
fn generated_programs_are_up_to_date() {
    let folder = root().join("benchmarks/redcomp");
    let kept = |name: String| fs::read_to_string(folder.join(name)).expect("there is such a file");
    let sections = [("p1", 1), ("p1", 5), ("p1", 10), ("p1", 50), ("p2", 5), ("p2", 10), ("p2", 50)];
    for (family, size) in sections {
        let model = Family::find(family).and_then(|family| family.model(size));
        assert_eq!(Some(kept(format!("{family}-{size}.rely"))), model, "{family}-{size}");
    }
    let stacks = [("stack-safe", 5), ("stack-safe", 10), ("stack-unsafe", 5), ("stack-unsafe", 10)];
    for (name, size) in sections.into_iter().chain(stacks) {
        let output =
            Command::new("sh").arg(folder.join("generate.sh")).args([name, &size.to_string()]).output();
        let output = output.expect("there is a shell");
        assert_eq!(
            kept(format!("{name}-{size}.c")),
            String::from_utf8_lossy(&output.stdout),
            "{name}-{size}"
        );
    }
}

#[test]
fn members_of_families_are_printed() {
    let output = Command::new(env!("CARGO_BIN_EXE_rely")).args(["bench", "generate", "filter", "3"]).output();
    let output = output.expect("the command runs");
    assert!(all_text(&output).starts_with("// The filter lock for 3 threads"), "{}", all_text(&output));
}

/// With so many threads the trees become too large for a proof that anybody would want to check.
#[test]
fn locks_for_several_threads_have_small_proofs() {
    for (family, size) in [("tournament", 4), ("filter", 3)] {
        let family = Family::find(family).expect("there is such a family");
        let folder = Directory::new().with("lock.rely", family.model(size).expect("a size that makes sense"));
        let arguments = ["check", "--engine", "rely-guarantee", "--format", "json", "lock.rely"];
        let output = folder.command(&arguments).output().expect("the command runs");
        let report: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", all_text(&output)));
        let result = &report["files"][0]["results"][0];
        assert_eq!(result["verdict"], "safe", "{}", all_text(&output));
        let evidence = result["evidence"].as_str().expect("words");
        let before = evidence.split(" obligations").next().expect("a beginning");
        let obligations = before.rsplit(' ').next().and_then(|number| number.parse::<u64>().ok());
        assert!(obligations.is_some_and(|number| number < 50_000), "{}: {evidence}", family.name);
    }
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
            .env("RELY_CACHE_DIR", "")
            .output()
            .expect("the command runs");
        let report: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", all_text(&output)));
        let result = &report["files"][0]["results"][0];
        if result["verdict"] != row["verdict"] {
            complaints
                .push(format!("{file} ({engine}): {} instead of {}", result["verdict"], row["verdict"]));
        }
        for (name, before) in row["counts"].as_object().expect("a row has `counts`") {
            let before = before.as_u64().expect("counts are numbers");
            match result["statistics"][name].as_u64() {
                Some(now) if !rely_bench::record::grew(before, now) => {}
                now => complaints.push(format!("{file} ({engine}): {before} {name} before, now {now:?}")),
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}
