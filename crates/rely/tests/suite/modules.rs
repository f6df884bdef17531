//! The shape of single crates: engines do not import each other, and modules form no cycles.
//!
//! Imports are read from the sources: every path that starts with `crate`, `super` or `self`, and what a
//! module imports from its children. A parent and its child may know each other; two siblings may not, nor
//! may what is inside of them.

use crate::support::root;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A module as the names that lead to it from the root of its crate.
type Module = Vec<String>;

/// The modules of a crate with their texts, without tests.
fn modules(name: &str) -> BTreeMap<Module, String> {
    let source = root().join("crates").join(name).join("src");
    let mut found = BTreeMap::new();
    collect(&source, &Vec::new(), &mut found);
    assert!(!found.is_empty(), "`{name}` has modules");
    found
}

fn collect(folder: &Path, module: &Module, found: &mut BTreeMap<Module, String>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        let child: Module = module.iter().cloned().chain([stem.clone()]).collect();
        match stem.as_str() {
            "tests" => {}
            _ if path.is_dir() => collect(&path, &child, found),
            "mod" | "lib" => drop(found.insert(module.clone(), code(&path))),
            _ => drop(found.insert(child, code(&path))),
        }
    }
}

/// A text without comments and without the tests at its end.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    text.lines().filter(is_code).flat_map(|line| [line, "\n"]).collect()
}

/// All paths that a text names: those of its imports with braces resolved, and those in between.
fn paths(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for statement in text.split(';') {
        let import = statement.split_once("use ").filter(|(before, _)| {
            let before = before.rsplit('\n').next().unwrap_or_default().trim();
            before.is_empty() || before.starts_with("pub")
        });
        if let Some((_, import)) = import {
            found.extend(expanded(import));
        }
    }
    let is_part = |character: char| character.is_alphanumeric() || character == '_' || character == ':';
    for word in text.split(|character| !is_part(character)) {
        if ["crate::", "super::", "self::"].iter().any(|start| word.starts_with(start)) {
            found.push(names(word));
        }
    }
    found
}

fn names(path: &str) -> Vec<String> {
    path.split("::").map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// The paths of an import: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn expanded(import: &str) -> Vec<Vec<String>> {
    let Some((start, rest)) = import.split_once('{') else { return vec![names(import)] };
    let inner = rest.rsplit_once('}').map_or(rest, |(inner, _)| inner);
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for character in inner.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().expect("there is one").push(character);
    }
    let inner = parts.iter().filter(|part| !part.trim().is_empty()).flat_map(|part| expanded(part));
    inner.map(|path| names(start).into_iter().chain(path).collect()).collect()
}

/// The module to which a path in a module leads; `None` if it leads out of the crate.
fn target(path: &[String], from: &Module, known: &BTreeMap<Module, String>) -> Option<Module> {
    let mut rest = path;
    let mut at = match path.first()?.as_str() {
        "crate" => Module::new(),
        "self" | "super" => from.clone(),
        child => {
            let child: Module = from.iter().cloned().chain([child.to_owned()]).collect();
            return known.contains_key(&child).then(|| deepest(child, &path[1..], known));
        }
    };
    while let Some((first, more)) = rest.split_first() {
        match first.as_str() {
            "crate" | "self" => {}
            "super" => drop(at.pop()),
            _ => break,
        }
        rest = more;
    }
    Some(deepest(at, rest, known))
}

fn deepest(mut at: Module, rest: &[String], known: &BTreeMap<Module, String>) -> Module {
    for name in rest {
        at.push(name.clone());
        if !known.contains_key(&at) {
            at.pop();
            break;
        }
    }
    at
}

/// Who imports whom, between siblings: an import from inside of one to the inside of the other is theirs.
fn edges(known: &BTreeMap<Module, String>) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut edges: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    for (from, text) in known {
        for path in paths(text) {
            let Some(to) = target(&path, from, known) else { continue };
            let common = from.iter().zip(&to).take_while(|(left, right)| left == right).count();
            if common < from.len() && common < to.len() {
                edges.entry(from[..=common].to_vec()).or_default().insert(to[..=common].to_vec());
            }
        }
    }
    edges
}

/// What can be reached from a module.
fn reached(from: &Module, edges: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<Module> {
    let mut found = BTreeSet::new();
    let mut pending = vec![from];
    while let Some(next) = pending.pop() {
        for to in edges.get(next).into_iter().flatten() {
            if found.insert(to.clone()) {
                pending.push(to);
            }
        }
    }
    found
}

#[test]
fn modules_form_no_cycles() {
    let mut cycles = Vec::new();
    for name in ["passes", "evidence", "symbolic", "engines", "verify", "bench"] {
        let edges = edges(&modules(name));
        assert!(!edges.is_empty(), "the modules of `{name}` import each other");
        let in_cycle = edges.keys().filter(|module| reached(module, &edges).contains(*module));
        cycles.extend(in_cycle.map(|module| format!("{name}::{}", module.join("::"))));
    }
    assert!(cycles.is_empty(), "modules that import themselves by way of others:\n  {}", cycles.join("\n  "));
}

#[test]
fn engines_do_not_import_each_other() {
    let known = modules("engines");
    let is_engine = |module: &Module| {
        let of_engine = known.iter().filter(|(inside, _)| inside.starts_with(module));
        module.len() == 1 && of_engine.into_iter().any(|(_, text)| text.contains("impl Engine for"))
    };
    let engines: Vec<&Module> = known.keys().filter(|module| is_engine(module)).collect();
    assert!(engines.len() >= 5, "{engines:?}");
    let edges = edges(&known);
    let mut complaints = Vec::new();
    for engine in &engines {
        let others = reached(engine, &edges);
        let others = others.iter().filter(|other| *other != *engine && engines.contains(other));
        complaints.extend(others.map(|other| format!("{} uses {}", engine.join("::"), other.join("::"))));
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn imports_are_read() {
    let text = "use super::{a, b::{C, d::E}};\npub(crate) use crate::f::G;\nuse std::fmt;\nfn h() { self::i::j(); }\n";
    let found: Vec<String> = paths(text).iter().map(|path| path.join("::")).collect();
    let expected = [
        "super::a",
        "super::b::C",
        "super::b::d::E",
        "crate::f::G",
        "std::fmt",
        "super",
        "crate::f::G",
        "self::i::j",
    ];
    assert_eq!(found, expected);
    let known = [vec![], vec!["a"], vec!["a", "b"], vec!["c"]];
    let known: BTreeMap<Module, String> = known
        .into_iter()
        .map(|module| (module.into_iter().map(str::to_owned).collect(), String::new()))
        .collect();
    let check = |path: &str, from: &[&str], expected: Option<&[&str]>| {
        let from: Module = from.iter().map(|&name| name.to_owned()).collect();
        let expected = expected.map(|names| names.iter().map(|&name| name.to_owned()).collect());
        assert_eq!(target(&names(path), &from, &known), expected, "{path}");
    };
    check("crate::a::b::D", &["c"], Some(&["a", "b"]));
    check("super::super::c::D", &["a", "b"], Some(&["c"]));
    check("b::D", &["a"], Some(&["a", "b"]));
    check("std::fmt", &["a"], None);
}

#[test]
fn a_cycle_is_found() {
    let known: BTreeMap<Module, String> = [
        (vec!["a".to_owned()], "use crate::b::X;"),
        (vec!["b".to_owned()], "mod c;"),
        (vec!["b".to_owned(), "c".to_owned()], "use crate::a::Y; use super::Z;"),
    ]
    .into_iter()
    .map(|(module, text)| (module, text.to_owned()))
    .collect();
    let edges = edges(&known);
    let module = vec!["a".to_owned()];
    assert!(reached(&module, &edges).contains(&module));
    assert_eq!(edges.len(), 2, "a parent and its child are no cycle: {edges:?}");
}
