//! Witnesses obey the rules of their formats, and say nothing that is not so.
//!
//! The rules are written down here once more, independently of the writer: structure, keys and
//! values, hashes, places, names. What an invariant says is compared with the reachable states of
//! the program.

mod readers;
mod support;

use readers::python;
use rely::args::InputArgs;
use rely::pipeline::{self, Loaded, Verified};
use rely_base::{Budget, Id, Silent};
use rely_evidence::{Proof, Verdict};
use rely_program::{AllValues, Goal, Reached, Semantics, State, Successors};
use rely_report::{ProofContext, invariants};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use support::{Directory, root, text};
use yaml_rust2::{Yaml, YamlLoader};

/// A lock that works, and helpers whose invariants several threads share.
const COUNTER: &str = "\
#include <pthread.h>
extern void abort(void);
void reach_error(void) { abort(); }
int counter = 0;
int busy = 0;
pthread_mutex_t m;
void *worker(void *unused) {
    int seen = 0;
    pthread_mutex_lock(&m);
    busy = 1;
    seen = counter;
    if (seen < 0) reach_error();
    counter = seen + 1;
    busy = 0;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, worker, 0);
    pthread_create(&two, 0, worker, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    if (counter > 2) { reach_error(); }
    return 0;
}
";

/// An input, a loop and a lost update.
const LOST: &str = "\
#include <pthread.h>
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int counter = 0;
void *worker(void *unused) {
    int seen = counter;
    counter = seen + 1;
    return 0;
}
int main(void) {
    pthread_t one, two;
    int wanted = __VERIFIER_nondet_int();
    if (wanted < 1 || wanted > 2) return 0;
    pthread_create(&one, 0, worker, 0);
    pthread_create(&two, 0, worker, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    if (wanted == 2 && counter != wanted) { reach_error(); }
    return 0;
}
";

/// Statements that call functions, writes that nobody looks at, and a wait in a loop.
const HELPERS: &str = "\
#include <pthread.h>
extern void abort(void);
void reach_error(void) { abort(); }
int data = 0;
int ready = 0;
int last = 0;
int set(void) { data = 1; return 0; }
void bump(int by) { data = data + by; }
void *worker(void *unused) {
    int x = 7;
    x = set();
    bump(1);
    last = x;
    ready = 1;
    x = 5;
    last = 9;
    return 0;
}
int main(void) {
    pthread_t one;
    int seen = 0;
    pthread_create(&one, 0, worker, 0);
    while (ready == 0) { seen = 3; }
    seen = data;
    if (seen != 2) { reach_error(); }
    seen = 0;
    return 0;
}
";

/// Checks a program and returns the witness and what was said on standard error.
fn witness(directory: &Directory, file: &str, ending: &str, engine: &str) -> (String, String) {
    let name = format!("{file}.{ending}");
    let output = directory.rely(&["check", "-e", engine, "-p", "assert", "--witness", &name, file]);
    let written = std::fs::read_to_string(directory.path(&name));
    let written = written.unwrap_or_else(|_| panic!("{}{}", text(&output.stdout), text(&output.stderr)));
    (written, text(&output.stderr))
}

/// The rules of the YAML format for one file.
struct Rules<'r> {
    source: &'r str,
    file: &'r str,
    complaints: Vec<String>,
}

impl Rules<'_> {
    fn demand(&mut self, holds: bool, what: &str, value: &Yaml) {
        if !holds {
            self.complaints.push(format!("{what}: {value:?}"));
        }
    }

    /// The value is a map with all of the required keys, and none but those and the others.
    fn keys(&mut self, value: &Yaml, required: &[&str], others: &[&str]) {
        let Some(map) = value.as_hash() else { return self.demand(false, "not a map", value) };
        for key in required {
            self.demand(map.contains_key(&Yaml::String((*key).to_owned())), &format!("no `{key}`"), value);
        }
        for key in map.keys() {
            let known = key.as_str().is_some_and(|key| required.contains(&key) || others.contains(&key));
            self.demand(known, "a key that the format does not have", key);
        }
    }

    fn one_of(&mut self, value: &Yaml, allowed: &[&str]) {
        self.demand(value.as_str().is_some_and(|text| allowed.contains(&text)), "not allowed", value);
    }

    fn document(&mut self, document: &Yaml, hash: &str) {
        let entries = document.as_vec().expect("a list of entries");
        assert_eq!(entries.len(), 1);
        let entry = &entries[0];
        self.keys(entry, &["entry_type", "metadata", "content"], &[]);
        self.metadata(&entry["metadata"], hash);
        let content = entry["content"].as_vec().expect("a list");
        match entry["entry_type"].as_str().expect("a string") {
            "invariant_set" => {
                self.one_of(&entry["metadata"]["format_version"], &["2.0", "2.1", "2.2"]);
                content.iter().for_each(|item| self.invariant(item));
            }
            "violation_sequence" => self.segments(content, &entry["metadata"]["format_version"]),
            other => panic!("{other}"),
        }
    }

    fn metadata(&mut self, metadata: &Yaml, hash: &str) {
        self.keys(metadata, &["format_version", "uuid", "creation_time", "producer", "task"], &[]);
        let uuid = metadata["uuid"].as_str().unwrap_or_default();
        let groups: Vec<usize> = uuid.split('-').map(str::len).collect();
        let is_hex = uuid.chars().all(|character| character == '-' || character.is_ascii_hexdigit());
        self.demand(groups == [8, 4, 4, 4, 12] && is_hex, "not a UUID", &metadata["uuid"]);
        let time = metadata["creation_time"].as_str().unwrap_or_default();
        let shape: String = time.chars().map(|it| if it.is_ascii_digit() { '0' } else { it }).collect();
        self.demand(shape == "0000-00-00T00:00:00Z", "not a time", &metadata["creation_time"]);
        self.keys(
            &metadata["producer"],
            &["name", "version"],
            &["configuration", "command_line", "description"],
        );
        let task = &metadata["task"];
        let required = ["input_files", "input_file_hashes", "specification", "data_model", "language"];
        self.keys(task, &required, &[]);
        self.one_of(&task["data_model"], &["ILP32", "LP64"]);
        self.one_of(&task["language"], &["C"]);
        self.one_of(&task["specification"], &["CHECK( init(main()), LTL(G ! call(reach_error())) )"]);
        self.demand(task["input_files"][0].as_str() == Some(self.file), "not the file", &task["input_files"]);
        let said = &task["input_file_hashes"][self.file];
        self.demand(said.as_str() == Some(hash), "not the hash", said);
    }

    fn invariant(&mut self, item: &Yaml) {
        self.keys(item, &["invariant"], &[]);
        let invariant = &item["invariant"];
        self.keys(invariant, &["type", "location", "value", "format"], &["labels"]);
        self.one_of(&invariant["type"], &["loop_invariant", "location_invariant"]);
        self.one_of(&invariant["format"], &["c_expression"]);
        let rest = self.location(&invariant["location"]);
        if invariant["type"].as_str() == Some("loop_invariant") {
            let is_loop = rest.starts_with("while") || rest.starts_with("for");
            self.demand(is_loop, "no loop starts here", &invariant["location"]);
        }
    }

    fn segments(&mut self, segments: &[Yaml], version: &Yaml) {
        self.demand(!segments.is_empty(), "no segment", version);
        let mut targets = Vec::new();
        for (index, segment) in segments.iter().enumerate() {
            self.keys(segment, &["segment"], &[]);
            let waypoints = segment["segment"].as_vec().expect("a list");
            self.demand(waypoints.len() == 1, "a segment has one waypoint to follow", segment);
            for waypoint in waypoints {
                self.keys(waypoint, &["waypoint"], &[]);
                let waypoint = &waypoint["waypoint"];
                let threads: &[&str] = if version.as_str() == Some("2.2") { &["thread_id"] } else { &[] };
                self.one_of(&waypoint["action"], &["follow"]);
                match waypoint["type"].as_str().unwrap_or_default() {
                    "target" => {
                        self.keys(waypoint, &["type", "action", "location"], threads);
                        let rest = self.location(&waypoint["location"]);
                        self.demand(rest.starts_with("reach_error"), "not the error", &waypoint["location"]);
                        targets.push(index);
                    }
                    "assumption" => {
                        self.keys(waypoint, &["type", "action", "location", "constraint"], threads);
                        self.location(&waypoint["location"]);
                        self.one_of(&waypoint["constraint"]["format"], &["c_expression"]);
                    }
                    "function_return" => {
                        self.keys(waypoint, &["type", "action", "location", "constraint"], threads);
                        let rest = self.location(&waypoint["location"]);
                        self.demand(
                            rest.starts_with(')'),
                            "not a closing parenthesis",
                            &waypoint["location"],
                        );
                        self.one_of(&waypoint["constraint"]["format"], &["ext_c_expression"]);
                    }
                    _ => self.demand(false, "a waypoint of no kind", waypoint),
                }
            }
        }
        self.demand(targets == [segments.len() - 1], "the target is not the end", version);
    }

    /// The text of the line from a place on.
    fn location(&mut self, location: &Yaml) -> String {
        self.keys(location, &["file_name", "line"], &["column", "function", "file_hash"]);
        self.demand(location["file_name"].as_str() == Some(self.file), "another file", location);
        let line = location["line"]
            .as_i64()
            .and_then(|line| self.source.lines().nth(usize::try_from(line).ok()?.checked_sub(1)?));
        let Some(line) = line else {
            self.demand(false, "no such line", location);
            return String::new();
        };
        let column = location["column"].as_i64().and_then(|column| usize::try_from(column).ok()).unwrap_or(1);
        let rest: String = line.chars().skip(column.saturating_sub(1)).collect();
        let starts = rest.chars().next().is_some_and(|first| !first.is_whitespace());
        self.demand(column >= 1 && starts, "nothing stands here", location);
        if let Some(function) = location["function"].as_str() {
            self.demand(self.source.contains(&format!("{function}(")), "no such function", location);
        }
        rest
    }
}

fn sha256(path: &Path) -> String {
    let output = Command::new("sha256sum").arg(path).output().expect("sha256sum runs");
    text(&output.stdout).split_whitespace().next().expect("a hash").to_owned()
}

/// What is wrong with a witness, and the witness.
fn judged(directory: &Directory, file: &str, source: &str, written: &str) -> (Vec<String>, Yaml) {
    let documents = YamlLoader::load_from_str(written).unwrap_or_else(|error| panic!("{error}\n{written}"));
    assert_eq!(documents.len(), 1);
    let mut rules = Rules { source, file, complaints: Vec::new() };
    rules.document(&documents[0], &sha256(&directory.path(file)));
    (rules.complaints, documents.into_iter().next().expect("one"))
}

fn check_rules(directory: &Directory, file: &str, source: &str, written: &str) -> Yaml {
    let (complaints, document) = judged(directory, file, source, written);
    assert!(complaints.is_empty(), "{}\n{written}", complaints.join("\n"));
    document
}

#[test]
fn the_rules_find_what_is_wrong() {
    let directory = Directory::new("witness-wrong").with("lost.c", LOST);
    let (written, _) = witness(&directory, "lost.c", "yml", "explore");
    let hash = sha256(&directory.path("lost.c"));
    let damages = [
        ("\"follow\"", "\"wander\"", "not allowed"),
        ("LP64", "LP65", "not allowed"),
        ("reach_error()", "reach_errors()", "not allowed"),
        (hash.as_str(), "0123", "not the hash"),
        ("\"target\"", "\"goal\"", "a waypoint of no kind"),
        ("thread_id", "thread", "a key that the format does not have"),
        ("    uuid:", "    id:", "no `uuid`"),
        ("line: ", "line: 99", "no such line"),
        ("column: ", "column: 99", "nothing stands here"),
        ("function: \"main\"", "function: \"mains\"", "no such function"),
    ];
    for (from, to, expected) in damages {
        assert!(written.contains(from), "{from}");
        let (complaints, _) = judged(&directory, "lost.c", LOST, &written.replace(from, to));
        assert!(complaints.iter().any(|complaint| complaint.starts_with(expected)), "{to}: {complaints:?}");
    }
}

#[test]
fn a_violation_leads_to_the_error() {
    let directory = Directory::new("witness-violation").with("lost \"1\".c", LOST);
    let (written, said) = witness(&directory, "lost \"1\".c", "yml", "explore");
    assert_eq!(said, "");
    let document = check_rules(&directory, "lost \"1\".c", LOST, &written);
    let content = document[0]["content"].as_vec().expect("a list");
    let waypoints: Vec<&Yaml> = content.iter().map(|segment| &segment["segment"][0]["waypoint"]).collect();
    let of_kind = |kind: &str| waypoints.iter().filter(|it| it["type"].as_str() == Some(kind)).count();
    assert_eq!((of_kind("target"), of_kind("function_return")), (1, 1), "{written}");
    let threads: HashSet<i64> =
        waypoints.iter().filter_map(|waypoint| waypoint["thread_id"].as_i64()).collect();
    assert_eq!(threads, HashSet::from([0, 1, 2]), "{written}");
    let input = waypoints.iter().find(|it| it["type"].as_str() == Some("function_return")).expect("there");
    assert_eq!(input["constraint"]["value"].as_str(), Some("\\result == 2"));
}

/// Reads GraphML as a validator does.
const READ_GRAPHML: &str = r#"
import sys
import xml.etree.ElementTree as tree
space = "{http://graphml.graphdrawing.org/xmlns}"
root = tree.parse(sys.argv[1]).getroot()
source = open(sys.argv[2]).read()
keys = {key.get("id"): key.get("for") for key in root.findall(space + "key")}
graph = root.find(space + "graph")
def data(element, about):
    found = {}
    for item in element.findall(space + "data"):
        assert keys[item.get("key")] == about, item.get("key")
        found[item.get("key")] = item.text
    return found
about = data(graph, "graph")
for key in ("witness-type", "sourcecodelang", "producer", "specification", "programfile", "programhash", "architecture", "creationtime"):
    assert about[key], key
assert about["witness-type"] == "violation_witness" and about["sourcecodelang"] == "C"
nodes = [(node.get("id"), data(node, "node")) for node in graph.findall(space + "node")]
entries = [name for name, found in nodes if found.get("entry") == "true"]
violations = [name for name, found in nodes if found.get("violation") == "true"]
assert len(entries) == 1 and len(violations) == 1
at, created, threads = entries[0], {"0"}, set()
lines = source.count("\n") + 1
for edge in graph.findall(space + "edge"):
    assert edge.get("source") == at
    at = edge.get("target")
    found = data(edge, "edge")
    assert found["threadId"] in created, found
    threads.add(found["threadId"])
    if "createThread" in found:
        assert found["createThread"] not in created
        created.add(found["createThread"])
    assert 1 <= int(found["startline"]) <= int(found["endline"]) <= lines
    assert 0 <= int(found["startoffset"]) <= int(found["endoffset"]) < len(source)
    if "enterFunction" in found:
        assert found["enterFunction"] + "(" in source
assert at == violations[0]
print(about["programhash"], about["specification"], sorted(created), sorted(threads))
"#;

#[test]
fn older_validators_get_an_automaton() {
    let directory = Directory::new("witness-graphml").with("lost.c", LOST);
    let (_, said) = witness(&directory, "lost.c", "graphml", "explore");
    assert_eq!(said, "");
    let (file, source) = (directory.path("lost.c.graphml"), directory.path("lost.c"));
    let Some(read) = python(READ_GRAPHML, &[&file, &source], "xml.etree.ElementTree") else { return };
    let specification = "CHECK( init(main()), LTL(G ! call(reach_error())) )";
    let expected = format!("{} {specification} ['0', '1', '2'] ['0', '1', '2']\n", sha256(&source));
    assert_eq!(read, expected);
}

#[test]
fn a_proof_gives_invariants_by_the_rules() {
    let directory = Directory::new("witness-proof").with("counter.c", COUNTER);
    let (written, _) = witness(&directory, "counter.c", "yaml", "rely-guarantee");
    let document = check_rules(&directory, "counter.c", COUNTER, &written);
    assert_eq!(document[0]["entry_type"].as_str(), Some("invariant_set"));
    let content = document[0]["content"].as_vec().expect("a list");
    assert!(!content.is_empty(), "{written}");
    compile_invariants(&directory, COUNTER, content);
}

/// Every invariant is an expression that a C compiler takes at its place: put there, as a
/// statement that throws it away, the program still compiles.
fn compile_invariants(directory: &Directory, source: &str, content: &[Yaml]) {
    let mut lines: Vec<String> = source.lines().map(str::to_owned).collect();
    let mut placed: Vec<(usize, usize, String)> = Vec::new();
    for item in content {
        let invariant = &item["invariant"];
        let at = |key: &str| invariant["location"][key].as_i64().expect("a number") as usize;
        placed.push((at("line"), at("column"), invariant["value"].as_str().expect("a text").to_owned()));
    }
    placed.sort();
    for (line, column, value) in placed.into_iter().rev() {
        let declares =
            lines[line - 1][column - 1..].starts_with("int ") || lines[line - 1].contains("pthread_t ");
        if !declares {
            lines[line - 1].insert_str(column - 1, &format!("{{ (void)({value}); }} "));
        }
    }
    let file = directory.path("instrumented.c");
    std::fs::write(&file, lines.join("\n")).expect("the file is written");
    let output =
        Command::new("cc").args(["-std=gnu11", "-fsyntax-only"]).arg(&file).output().expect("a compiler");
    assert!(output.status.success(), "{}\n{}", text(&output.stderr), lines.join("\n"));
}

fn load(path: &Path) -> Loaded {
    let input = rely::input::read(path, &InputArgs::default()).expect("the file can be read");
    pipeline::load(&input).unwrap_or_else(|_| panic!("{} is a program", path.display()))
}

/// Visits the states of the program that can be reached. Whether there are no more than `most`.
fn for_each_state(loaded: &Loaded, most: usize, visit: &mut dyn FnMut(&State)) -> bool {
    let semantics = Semantics::new(&loaded.program);
    let budget = Budget::unlimited();
    let all = AllValues { limit: 1 << 16 };
    let mut seen: HashSet<State> = HashSet::new();
    let mut pending: Vec<State> = Vec::new();
    let complete = semantics.initial_states(&all, &budget, &mut |_, state| {
        pending.push(state.clone());
        ControlFlow::Continue(())
    });
    assert_eq!(complete.ok(), Some(true), "not all initial values were tried");
    let mut successors = Successors::new(&semantics, &all, &budget);
    while let Some(state) = pending.pop() {
        if seen.len() >= most {
            return false;
        }
        if !seen.insert(state.clone()) {
            continue;
        }
        visit(&state);
        if state.halted() {
            continue;
        }
        for slot in state.slots() {
            let steps = successors.for_each(&state, slot, &mut |step| {
                if let Reached::State(next) = step.reached {
                    pending.push(next.clone());
                }
                ControlFlow::Continue(())
            });
            let is_whole = steps.is_ok_and(|summary| !summary.incomplete);
            assert!(is_whole, "{}: not all values of a choice were tried", loaded.program.name());
        }
    }
    true
}

/// Proves a program, and looks at each invariant in each state. Returns how many there were.
fn check_invariants(path: &Path) -> Option<usize> {
    let loaded = load(path);
    let engine = rely_engines::engine_with("rely-guarantee", rely_engines::EngineOptions::default());
    let budget = Budget::builder().memory_bytes(300_000_000).build();
    let verified: Verified = pipeline::verify_and_keep(
        &loaded.program,
        Goal::Assert,
        engine.expect("it exists").as_ref(),
        &budget,
        &Silent,
    );
    let Verdict::Safe(proved) = &verified.verdict else { return None };
    let Proof::RelyGuarantee(proof) = proved.proof() else { return None };
    let context = ProofContext {
        program: &loaded.program,
        prepared: &verified.prepared,
        back: &verified.back,
        sources: &loaded.sources,
    };
    let (found, _) = invariants(proof, &context);
    let semantics = Semantics::new(&loaded.program);
    let complete = for_each_state(&loaded, 60_000, &mut |state| {
        for slot in state.slots() {
            let Some(at) = state.location(slot) else { continue };
            for invariant in found.iter().filter(|invariant| invariant.locations.contains(&at)) {
                let holds = semantics.evaluate_for(state, slot, &invariant.condition);
                assert_eq!(holds, Ok(1), "{}: {} in slot {}", path.display(), invariant.text, slot.index());
            }
        }
    });
    assert!(complete, "{}: not all states were looked at", path.display());
    Some(found.len())
}

#[test]
fn invariants_hold_in_every_state_of_the_source() {
    let directory = Directory::new("witness-states").with("counter.c", COUNTER).with("helpers.c", HELPERS);
    for name in ["counter.c", "helpers.c"] {
        let count = check_invariants(&directory.path(name));
        assert!(count.is_some_and(|count| count > 0), "{name}: {count:?}");
    }
    for name in ["spinlock.c", "peterson.c"] {
        check_invariants(&root().join("examples").join(name));
    }
}

#[test]
fn what_cannot_be_said_is_refused() {
    let directory = Directory::new("witness-refused")
        .with("lost.c", LOST)
        .with("counter.c", COUNTER)
        .with("a.rely", "var x: int;\nthread A { x := 1; }\n");
    let refused = |arguments: &[&str]| text(&directory.rely(arguments).stderr);
    let model = refused(&["check", "--witness", "w.yml", "a.rely"]);
    assert!(model.contains("witnesses are about C programs"), "{model}");
    let ending = refused(&["check", "--witness", "w.txt", "lost.c"]);
    assert!(ending.contains("ends with `.yml` or `.graphml`"), "{ending}");
    let deadlock = refused(&["check", "-e", "explore", "-p", "deadlock", "--witness", "w.yml", "counter.c"]);
    assert!(deadlock.contains("the format has no word for deadlocks"), "{deadlock}");
}
