//! Counting proofs as text, for tests.
//!
//! ```text
//! invariant: count = #worker.entry + #worker.b
//! invariant: prev <= max | #(proc.lc1: val >= prev) >= 1
//! worker @b: go = 1
//! ```
//!
//! A line is an invariant, or one of the notation for rely-guarantee proofs.

use crate::notation::{self, atom, point, quantity, thread};
use rely_evidence::counting::{CountAtom, Counter, Counting, Invariant, Summand};
use rely_evidence::rely_guarantee::{Atom, Comparison, ControlPoint, Quantity};
use rely_program::{LocationId, Program, ThreadId, Value};

/// Reads a proof; a mistake in it is a mistake of the test.
pub fn proof(program: &Program, text: &str) -> Counting {
    let mut invariants = Vec::new();
    let mut rest = String::new();
    for line in text.lines().map(str::trim) {
        match line.strip_prefix("invariant:") {
            Some(body) => invariants.push(invariant(program, body)),
            None => rest += &format!("{line}\n"),
        }
    }
    Counting { invariants, proof: notation::proof(program, &rest) }
}

fn invariant(program: &Program, text: &str) -> Invariant {
    // Counters with a condition contain what separates the other parts, so they get a name first.
    let mut text = text.to_owned();
    let mut counters = Vec::new();
    while let Some(start) = text.find("#(") {
        let length = text[start..].find(')').expect("a counter ends") + 1;
        counters.push(counter_with_condition(program, &text[start + 2..start + length - 1]));
        text.replace_range(start..start + length, &format!("${}", counters.len() - 1));
    }
    let cube = |cube: &str| cube.split('&').map(|part| count_atom(program, part.trim(), &counters)).collect();
    Invariant { cubes: text.split('|').map(cube).collect() }
}

fn counter_with_condition(program: &Program, text: &str) -> Counter {
    let (place, condition) = text.split_once(':').expect("a condition");
    let (owner, location) = place_of(program, place);
    let having: Vec<Atom> = condition.split('&').map(|part| atom(program, owner, part.trim())).collect();
    Counter { location, having }
}

fn place_of(program: &Program, text: &str) -> (ThreadId, LocationId) {
    let (name, label) = text.trim().split_once('.').expect("a place");
    let owner = thread(program, name);
    let ControlPoint::At(location) = point(program, owner, label) else { panic!("`{text}` is no location") };
    (owner, location)
}

fn count_atom(program: &Program, text: &str, counters: &[Counter]) -> CountAtom {
    let operators = ["!=", "<=", ">=", "=", "<", ">"];
    let operator = operators.into_iter().find(|operator| text.contains(operator));
    let operator = operator.unwrap_or_else(|| panic!("no comparison in `{text}`"));
    let (left, right) = text.split_once(operator).unwrap();
    let (left, right) = if operator.starts_with('>') { (right, left) } else { (left, right) };
    let mut atom = CountAtom { terms: Vec::new(), constant: 0, comparison: Comparison::Le };
    add(program, left, 1, counters, &mut atom);
    add(program, right, -1, counters, &mut atom);
    match operator {
        "=" => atom.comparison = Comparison::Eq,
        "!=" => atom.comparison = Comparison::Ne,
        "<" | ">" => atom.constant += 1,
        _ => {}
    }
    atom
}

fn add(program: &Program, text: &str, sign: Value, counters: &[Counter], atom: &mut CountAtom) {
    for part in text.replace('-', "+ -").split('+').map(str::trim).filter(|part| !part.is_empty()) {
        let (sign, part) = match part.strip_prefix('-') {
            Some(rest) => (-sign, rest.trim()),
            None => (sign, part),
        };
        let (factor, name) = part.split_once('*').unwrap_or(("1", part));
        let factor: Value = factor.trim().parse().unwrap();
        let name = name.trim();
        if let Ok(constant) = name.parse::<Value>() {
            atom.constant += sign * factor * constant;
        } else if let Some(number) = name.strip_prefix('$') {
            let counter = counters[number.parse::<usize>().unwrap()].clone();
            atom.terms.push((sign * factor, Summand::Count(counter)));
        } else if let Some(place) = name.strip_prefix('#') {
            let (_, location) = place_of(program, place);
            atom.terms.push((sign * factor, Summand::Count(Counter::at(location))));
        } else {
            let any_thread = program.threads().ids().next().expect("a program has threads");
            let Quantity::Cell { var, index, .. } = quantity(program, any_thread, name) else {
                panic!("{name}")
            };
            atom.terms.push((sign * factor, Summand::Cell { var, index }));
        }
    }
}
