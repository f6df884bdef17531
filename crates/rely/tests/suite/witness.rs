//! Witnesses obey the rules of their formats, and say nothing that is not so.
//!
//! The rules are written down here once more, independently of the writer: structure, keys and
//! values, hashes, places, names. What an invariant says is compared with the reachable states of
//! the program.

mod programs;

use crate::readers::python;
use crate::rules::Rules;
use crate::support::{Directory, root, text};
use expect_test::{Expect, expect};
use programs::{BRANCHES, COPIES, COUNTER, HELPERS, LOST, PETERSON};
use rely::args::InputArgs;
use rely_base::{Budget, Id, Silent, Span};
use rely_evidence::{Proof, Verdict};
use rely_passes::CriticalSections;
use rely_program::{AllValues, EdgeId, Goal, Reached, Semantics, State, Successors};
use rely_report::{Annotations, GhostChange, GhostFact, Ghosts, ProofContext, invariants};
use rely_verify::{Loaded, StrategyOptions, Verified, strategy_with};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use yaml_rust2::{Yaml, YamlLoader};

/// Checks a program and returns the witness and what was said on standard error.
fn witness(directory: &Directory, file: &str, ending: &str, engine: &str) -> (String, String) {
    let name = format!("{file}.{ending}");
    let output = directory.rely(&["check", "-e", engine, "-p", "assert", "--witness", &name, file]);
    let written = std::fs::read_to_string(directory.path(&name));
    let written = written.unwrap_or_else(|_| panic!("{}{}", text(&output.stdout), text(&output.stderr)));
    (written, text(&output.stderr))
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
    let directory = Directory::new().with("lost.c", LOST);
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
        ("value: \"true\"", "value: \"1\"", "not allowed"),
    ];
    for (from, to, expected) in damages {
        assert!(written.contains(from), "{from}");
        let (complaints, _) = judged(&directory, "lost.c", LOST, &written.replace(from, to));
        assert!(complaints.iter().any(|complaint| complaint.starts_with(expected)), "{to}: {complaints:?}");
    }
}

#[test]
fn a_violation_leads_to_the_error() {
    let directory = Directory::new().with("lost \"1\".c", LOST);
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

/// Every branch of which something can be said is a waypoint each time that it is decided, and so is
/// the call of a function.
#[test]
fn branches_and_calls_are_waypoints() {
    let directory = Directory::new().with("branches.c", BRANCHES);
    let (written, _) = witness(&directory, "branches.c", "yml", "explore");
    let document = check_rules(&directory, "branches.c", BRANCHES, &written);
    let content = document[0]["content"].as_vec().expect("a list");
    let told = content.iter().map(|segment| &segment["segment"][0]["waypoint"]).filter_map(|waypoint| {
        let kind = waypoint["type"].as_str().expect("a type");
        let line = waypoint["location"]["line"].as_i64().expect("a line");
        let thread = waypoint["thread_id"].as_i64().expect("a thread");
        let value = waypoint["constraint"]["value"].as_str().unwrap_or_default();
        (kind != "assumption").then(|| format!("{thread}: {kind} {line} {value}").trim_end().to_owned())
    });
    let told: Vec<String> = told.collect();
    let of_thread = |thread: &str| {
        let own = told.iter().filter_map(|waypoint| waypoint.strip_prefix(thread));
        own.map(str::trim).collect::<Vec<&str>>()
    };
    assert_eq!(
        of_thread("1:"),
        ["branching 12 true", "branching 12 true", "branching 12 false"],
        "{written}"
    );
    let main = [
        "function_enter 19",
        "branching 20 false",
        "branching 21 false",
        "branching 22 false",
        "function_enter 25",
        "branching 7 true",
        "branching 26 true",
        "target 26",
    ];
    assert_eq!(of_thread("0:"), main, "{written}");
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
    let directory = Directory::new().with("lost.c", LOST);
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
    let directory = Directory::new().with("counter.c", COUNTER);
    let (written, _) = witness(&directory, "counter.c", "yaml", "rely-guarantee");
    let document = check_rules(&directory, "counter.c", COUNTER, &written);
    assert_eq!(document[0]["entry_type"].as_str(), Some("ghost_instrumentation"));
    assert_eq!(document[1]["entry_type"].as_str(), Some("invariant_set"));
    let content = document[1]["content"].as_vec().expect("a list");
    assert!(!content.is_empty(), "{written}");
    compile_invariants(&directory, COUNTER, &document[0]["content"]["ghost_variables"], content);
}

/// A program that needs to know where the other thread is, and one whose lock has a name that a
/// ghost variable would like to have.
#[test]
fn ghost_variables_follow_threads_and_locks() {
    let taken = COUNTER.replace("int busy", "int rely_m_locked = 1; int busy");
    let directory = Directory::new().with("peterson.c", PETERSON).with("taken.c", &taken);
    let (written, _) = witness(&directory, "peterson.c", "yml", "rely-guarantee");
    let document = check_rules(&directory, "peterson.c", PETERSON, &written);
    assert!(written.contains("rely_first_at =="), "{written}");
    let content = document[1]["content"].as_vec().expect("a list");
    compile_invariants(&directory, PETERSON, &document[0]["content"]["ghost_variables"], content);
    let (written, _) = witness(&directory, "taken.c", "yml", "rely-guarantee");
    check_rules(&directory, "taken.c", &taken, &written);
    assert!(written.contains("rely_m_locked_ == 1"), "{written}");
}

#[test]
fn the_rules_find_what_is_wrong_with_ghosts() {
    let directory = Directory::new().with("counter.c", COUNTER);
    let (written, _) = witness(&directory, "counter.c", "yml", "rely-guarantee");
    let damages = [
        ("\"2.1\"", "\"2.0\"", "not allowed"),
        ("name: \"rely_m_locked\"", "name: \"busy\"", "not a new name"),
        ("name: \"rely_m_locked\"", "name: \"2m\"", "not a new name"),
        ("variable: \"rely_m_locked\"", "variable: \"rely_n_locked\"", "not a ghost variable"),
        ("variable: \"rely_m_locked\"", "variable: \"counter\"", "not a ghost variable"),
        ("scope: \"global\"", "scope: \"worker\"", "not allowed"),
        ("        updates:", "        changes:", "no `updates`"),
        ("    ghost_updates:", "    updates:", "no `ghost_updates`"),
        ("ghost_instrumentation", "ghost_variables", "entries that do not belong together"),
        ("            value: \"1\"", "            value: \"counter\"", "not a value"),
    ];
    for (from, to, expected) in damages {
        assert!(written.contains(from), "{from}: {written}");
        let damaged = written.replace(from, to);
        let documents = YamlLoader::load_from_str(&damaged).expect("still YAML");
        let mut rules = Rules { source: COUNTER, file: "counter.c", complaints: Vec::new() };
        let kind = documents[0][0]["entry_type"].as_str();
        if kind == Some("ghost_instrumentation") {
            rules.document(&documents[0], &sha256(&directory.path("counter.c")));
        } else {
            rules.document(&Yaml::Array(Vec::new()), "");
        }
        let complaints = rules.complaints;
        assert!(complaints.iter().any(|complaint| complaint.starts_with(expected)), "{to}: {complaints:?}");
    }
}

/// Every invariant is an expression that a C compiler takes at its place: put there, as a
/// statement that throws it away, the program still compiles.
fn compile_invariants(directory: &Directory, source: &str, ghosts: &Yaml, content: &[Yaml]) {
    let mut lines: Vec<String> = source.lines().map(str::to_owned).collect();
    for ghost in ghosts.as_vec().into_iter().flatten() {
        lines[0] = format!("int {};\n{}", ghost["name"].as_str().expect("a name"), lines[0]);
    }
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
    rely_verify::load(&input).unwrap_or_else(|_| panic!("{} is a program", path.display()))
}

/// What ghost variables are after a step.
fn changed(ghosts: &Ghosts, values: &[i64], edge: EdgeId) -> Vec<i64> {
    let mut values = values.to_vec();
    for update in ghosts.updates.iter().filter(|update| update.edges.contains(&edge)) {
        for &(ghost, change) in &update.changes {
            match change {
                GhostChange::Set(value) => values[ghost.index()] = value,
                GhostChange::Add(value) => values[ghost.index()] += value,
            }
        }
    }
    values
}

/// Visits the states of the program that can be reached, with the values of ghost variables.
/// Whether there are no more than `most`.
fn for_each_state(
    loaded: &Loaded,
    ghosts: &Ghosts,
    most: usize,
    visit: &mut dyn FnMut(&State, &[i64]),
) -> bool {
    let semantics = Semantics::new(&loaded.program);
    let budget = Budget::unlimited();
    let all = AllValues { limit: 1 << 16 };
    let mut seen: HashSet<(State, Vec<i64>)> = HashSet::new();
    let mut pending: Vec<(State, Vec<i64>)> = Vec::new();
    let start: Vec<i64> = ghosts.variables.values().map(|variable| variable.initial).collect();
    let complete = semantics.initial_states(&all, &budget, &mut |_, state| {
        pending.push((state.clone(), start.clone()));
        ControlFlow::Continue(())
    });
    assert_eq!(complete.ok(), Some(true), "not all initial values were tried");
    let mut successors = Successors::new(&semantics, &all, &budget);
    while let Some((state, values)) = pending.pop() {
        if seen.len() >= most {
            return false;
        }
        if !seen.insert((state.clone(), values.clone())) {
            continue;
        }
        visit(&state, &values);
        if state.halted() {
            continue;
        }
        for slot in state.slots() {
            let steps = successors.for_each(&state, slot, &mut |step| {
                if let Reached::State(next) = step.reached {
                    let edges = step.path();
                    let after = edges
                        .iter()
                        .fold(values.clone(), |values, taken| changed(ghosts, &values, taken.edge));
                    pending.push((next.clone(), after));
                }
                ControlFlow::Continue(())
            });
            let is_whole = steps.is_ok_and(|summary| !summary.incomplete);
            assert!(is_whole, "{}: not all values of a choice were tried", loaded.program.name());
        }
    }
    true
}

/// What a proof of a program says about places; `None` if there is no such proof.
fn annotations(loaded: &Loaded, goal: Goal) -> Option<Annotations> {
    let engine = strategy_with("rely-guarantee", StrategyOptions::default());
    let budget = Budget::builder().memory_bytes(300_000_000).build();
    let verified: Verified = rely_verify::verify_and_keep(
        &loaded.program,
        goal,
        CriticalSections::Interleaved,
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
    Some(invariants(proof, &context))
}

/// The invariants that do not hold in some state.
fn broken(loaded: &Loaded, found: &Annotations) -> Vec<String> {
    let semantics = Semantics::new(&loaded.program);
    let mut broken = Vec::new();
    let complete = for_each_state(loaded, &found.ghosts, 60_000, &mut |state, values| {
        for (value, variable) in values.iter().zip(found.ghosts.variables.values()) {
            if !(0..=variable.greatest).contains(value) {
                broken.push(format!("{} is {value}", variable.name));
            }
        }
        for slot in state.slots() {
            let Some(at) = state.location(slot) else { continue };
            for invariant in found.invariants.iter().filter(|invariant| invariant.locations.contains(&at)) {
                let holds = invariant.disjuncts.iter().any(|disjunct| {
                    let known = |fact: &GhostFact| fact.values.contains(&values[fact.ghost.index()]);
                    disjunct.ghosts.iter().all(known)
                        && semantics.evaluate_for(state, slot, &disjunct.condition) == Ok(1)
                });
                if !holds {
                    broken.push(format!("{} in slot {}, {values:?}", invariant.text, slot.index()));
                }
            }
        }
    });
    assert!(complete, "{}: not all states were looked at", loaded.program.name());
    broken
}

/// Proves a program, and looks at each invariant in each state. Returns how many invariants and
/// how many ghost variables there were.
fn check_invariants(path: &Path, goal: Goal) -> Option<(usize, usize)> {
    let loaded = load(path);
    let found = annotations(&loaded, goal)?;
    let broken = broken(&loaded, &found);
    assert!(broken.is_empty(), "{}:\n{}", path.display(), broken[0]);
    // Whoever reads the witness knows the statement only: all that it is must do the update.
    for update in &found.ghosts.updates {
        let starts = |span: Option<Span>| {
            span.is_some_and(|span| (span.file, span.start) == (update.span.file, update.span.start))
        };
        let edges = loaded.program.edges().iter().filter(|(_, edge)| starts(edge.span));
        assert_eq!(edges.map(|(id, _)| id).collect::<Vec<_>>(), update.edges);
    }
    Some((found.invariants.len(), found.ghosts.variables.len()))
}

#[test]
fn invariants_hold_in_every_state_of_the_source() {
    let directory =
        Directory::new().with("counter.c", COUNTER).with("helpers.c", HELPERS).with("peterson.c", PETERSON);
    for (name, needs_ghosts) in [("counter.c", true), ("helpers.c", false), ("peterson.c", true)] {
        let found = check_invariants(&directory.path(name), Goal::Assert);
        let is_fit = |(invariants, ghosts): (usize, usize)| invariants > 0 && (ghosts > 0) == needs_ghosts;
        assert!(found.is_some_and(is_fit), "{name}: {found:?}");
    }
    let directory = directory.with("copies.c", COPIES);
    let (written, _) = witness(&directory, "copies.c", "yml", "rely-guarantee");
    let says = |text: &str| written.contains(text);
    assert!(says("found == 0 &&") && says("found == 1 &&"), "{written}");
    assert!(says("least + 1 <= (long long)next"), "{written}");
    check_invariants(&directory.path("copies.c"), Goal::Assert);
    for name in ["spinlock.c", "peterson.c"] {
        let found = check_invariants(&root().join("examples").join(name), Goal::Assert);
        assert!(found.is_some_and(|(invariants, _)| invariants > 0), "{name}: {found:?}");
    }
}

/// What the proof that there is no data race says of a place holds there, too.
#[test]
fn invariants_of_race_freedom_hold_in_every_state_of_the_source() {
    for name in ["mutex-both.c", "before-create.c", "lock-on-both-branches.c", "structure-copy-locked.c"] {
        let found = check_invariants(&root().join("crates/rely/tests/races").join(name), Goal::Race);
        assert!(found.is_some_and(|(invariants, _)| invariants > 0), "{name}: {found:?}");
    }
}

/// A race ends in one segment with two targets, at the lines of both accesses.
#[test]
fn a_race_has_two_targets() {
    for (name, targets) in [
        ("forgotten-join.c", [(0, 15), (1, 8)]),
        ("lock-in-branch.c", [(1, 12), (2, 20)]),
        ("structure-copy.c", [(1, 8), (2, 14)]),
    ] {
        let source = std::fs::read_to_string(root().join("crates/rely/tests/races").join(name));
        let source = source.expect("a program");
        let directory = Directory::new().with(name, &source);
        let output = directory.rely(&["check", "-p", "race", "--witness", "w.yml", name]);
        let written = std::fs::read_to_string(directory.path("w.yml"));
        let written = written.unwrap_or_else(|_| panic!("{}{}", text(&output.stdout), text(&output.stderr)));
        let document = check_rules(&directory, name, &source, &written);
        let last = document[0]["content"].as_vec().and_then(|content| content.last()).expect("a segment");
        let place = |index: usize| {
            let waypoint = &last["segment"][index]["waypoint"];
            (waypoint["thread_id"].as_i64().unwrap_or(-1), waypoint["location"]["line"].as_i64().unwrap_or(0))
        };
        assert_eq!([place(0), place(1)], targets, "{name}");
    }
    let directory = Directory::new().with("lost.c", LOST);
    let older = text(&directory.rely(&["check", "-p", "race", "--witness", "w.graphml", "lost.c"]).stderr);
    assert!(older.contains("newer format"), "{older}");
}

/// What becomes of the invariants if an update is not made, for each of them: something wrong is said,
/// or nothing changes, because the invariants are weaker with the value from before, or because the
/// statement is never executed.
fn check_missing_updates(source: &str, expected: &Expect) {
    let directory = Directory::new().with("a.c", source);
    let loaded = load(&directory.path("a.c"));
    let found = annotations(&loaded, Goal::Assert).expect("a proof");
    assert_eq!(broken(&loaded, &found), Vec::<String>::new());
    let mut told = String::new();
    for index in 0..found.ghosts.updates.len() {
        let mut missing = found.clone();
        let update = missing.ghosts.updates.remove(index);
        let mut absurd = found.clone();
        let out_of_range = |&(ghost, _): &(_, GhostChange)| (ghost, GhostChange::Set(-1));
        absurd.ghosts.updates[index].changes = update.changes.iter().map(out_of_range).collect();
        let what = match (broken(&loaded, &missing).is_empty(), broken(&loaded, &absurd).is_empty()) {
            (false, _) => "wrong without it",
            (true, false) => "weaker without it",
            (true, true) => "never happens",
        };
        told += &format!("{}: {what}\n", loaded.sources.position(update.span).line);
    }
    expected.assert_eq(&told);
}

/// A ghost variable that misses a statement is found out: the taking and the releasing of a lock, and
/// each step of threads that are counted.
#[test]
fn missing_updates_of_ghost_variables_are_noticed() {
    check_missing_updates(
        COUNTER,
        &expect![[r#"
        9: wrong without it
        10: wrong without it
        11: wrong without it
        12: never happens
        13: wrong without it
        14: wrong without it
        15: wrong without it
        20: wrong without it
        21: wrong without it
    "#]],
    );
    check_missing_updates(
        PETERSON,
        &expect![[r#"
        9: weaker without it
        11: weaker without it
        19: weaker without it
        21: weaker without it
    "#]],
    );
}

#[test]
fn what_cannot_be_said_is_refused() {
    let directory = Directory::new()
        .with("lost.c", LOST)
        .with("counter.c", COUNTER)
        .with("annotated.c", "int x;\n//@rely never x == 1\nint main(void) { x = 1; return 0; }\n")
        .with("a.rely", "var x: int;\nthread A { x := 1; }\n");
    let refused = |arguments: &[&str]| text(&directory.rely(arguments).stderr);
    let model = refused(&["check", "--witness", "w.yml", "a.rely"]);
    assert!(model.contains("witnesses are about C programs"), "{model}");
    let ending = refused(&["check", "--witness", "w.txt", "lost.c"]);
    assert!(ending.contains("ends with `.yml` or `.graphml`"), "{ending}");
    let deadlock = refused(&["check", "-e", "explore", "-p", "deadlock", "--witness", "w.yml", "counter.c"]);
    assert!(deadlock.contains("the format has no word for deadlocks"), "{deadlock}");
    let annotation = refused(&["check", "-p", "assert", "--witness", "w.yml", "annotated.c"]);
    assert!(
        annotation.contains("the format has no word for properties that stand in comments"),
        "{annotation}"
    );
}
