//! Proofs as text, for tests.
//!
//! ```text
//! T1 @b: lock = 1 & T2 in {entry, exit} | lock >= 2
//! effect T1 @b: lock = 1 & lock' = 0
//! ```
//!
//! A line gives the cubes of a control point, or the effects of all edges that leave one. Control points are labels,
//! `entry`, `exit`, `unstarted`, or numbers of locations. `T.x` is a local, `this` the handle.

use rely_base::Id;
use rely_evidence::rely_guarantee::{
    Atom, Comparison, ControlPoint, Cube, EdgeEffect, Moment, Quantity, RelyGuarantee, ThreadAssertions,
};
use rely_program::{Program, Scope, ThreadId, Value, VarId};

/// Reads a proof; a mistake in it is a mistake of the test.
pub fn proof(program: &Program, text: &str) -> RelyGuarantee {
    let mut proof = RelyGuarantee::default();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (head, body) = line.split_once(':').unwrap_or_else(|| panic!("no colon in `{line}`"));
        let (is_effect, head) = match head.trim().strip_prefix("effect ") {
            Some(rest) => (true, rest),
            None => (false, head.trim()),
        };
        let (name, place) = head.split_once('@').unwrap_or_else(|| panic!("no place in `{line}`"));
        let thread = thread(program, name.trim());
        let point = point(program, thread, place.trim());
        let body = body.trim();
        let cubes: Vec<Cube> = match body {
            "false" => Vec::new(),
            _ => body.split('|').map(|part| cube(program, thread, part)).collect(),
        };
        match point {
            ControlPoint::At(location) if is_effect => {
                let edges = program.outgoing(location).iter();
                proof.effects.extend(edges.map(|&edge| EdgeEffect { edge, cubes: cubes.clone() }));
            }
            _ => match proof.threads.iter_mut().find(|entry| entry.thread == thread) {
                Some(entry) => entry.at.push((point, cubes)),
                None => proof.threads.push(ThreadAssertions { thread, at: vec![(point, cubes)] }),
            },
        }
    }
    proof
}

pub fn thread(program: &Program, name: &str) -> ThreadId {
    let found = program.threads().iter().find(|(_, thread)| thread.name == name);
    found.unwrap_or_else(|| panic!("no thread `{name}`")).0
}

pub fn point(program: &Program, thread: ThreadId, name: &str) -> ControlPoint {
    let declaration = &program.threads()[thread];
    match name {
        "unstarted" => return ControlPoint::Unstarted,
        "entry" => return ControlPoint::At(declaration.entry),
        "exit" => return ControlPoint::At(declaration.exit),
        _ => {}
    }
    let mut own = program.locations().iter().filter(|(_, location)| location.thread == thread);
    let found =
        own.find(|(id, location)| location.label.as_deref() == Some(name) || name == id.index().to_string());
    ControlPoint::At(found.unwrap_or_else(|| panic!("no place `{name}`")).0)
}

pub fn cube(program: &Program, owner: ThreadId, text: &str) -> Cube {
    let mut cube = Cube::default();
    for literal in text.split('&').map(str::trim).filter(|literal| *literal != "true") {
        match literal.split_once(" in ") {
            Some((name, points)) => {
                let other = thread(program, name.trim());
                let points = points.trim().trim_matches(['{', '}']).split(',');
                let points = points.map(|name| point(program, other, name.trim())).collect();
                cube.others.push((other, points));
            }
            None => cube.atoms.push(atom(program, owner, literal)),
        }
    }
    cube
}

pub fn atom(program: &Program, owner: ThreadId, text: &str) -> Atom {
    let operators = ["!=", "<=", ">=", "=", "<", ">"];
    let operator = operators.into_iter().find(|operator| text.contains(operator));
    let operator = operator.unwrap_or_else(|| panic!("no comparison in `{text}`"));
    let (left, right) = text.split_once(operator).unwrap();
    // Everything goes to one side; greater is less with the sides exchanged.
    let (left, right) = if operator.starts_with('>') { (right, left) } else { (left, right) };
    let mut atom = Atom { terms: Vec::new(), constant: 0, comparison: Comparison::Le };
    add(program, owner, left, 1, &mut atom);
    add(program, owner, right, -1, &mut atom);
    match operator {
        "=" => atom.comparison = Comparison::Eq,
        "!=" => atom.comparison = Comparison::Ne,
        "<" | ">" => atom.constant += 1,
        _ => {}
    }
    atom
}

/// Adds a sum such as `x + 2*y' - 1`.
pub fn add(program: &Program, owner: ThreadId, text: &str, sign: Value, atom: &mut Atom) {
    for part in text.replace('-', "+ -").split('+').map(str::trim).filter(|part| !part.is_empty()) {
        let (sign, part) = match part.strip_prefix('-') {
            Some(rest) => (-sign, rest.trim()),
            None => (sign, part),
        };
        let (factor, name) = part.split_once('*').unwrap_or(("1", part));
        let factor: Value = factor.trim().parse().unwrap();
        match name.parse::<Value>() {
            Ok(constant) => atom.constant += sign * factor * constant,
            Err(_) => atom.terms.push((sign * factor, quantity(program, owner, name.trim()))),
        }
    }
}

pub fn quantity(program: &Program, owner: ThreadId, name: &str) -> Quantity {
    if name == "this" {
        return Quantity::Handle;
    }
    let (name, moment) = match name.strip_suffix('\'') {
        Some(rest) => (rest, Moment::After),
        None => (name, Moment::Before),
    };
    // A global of a front end may have a name with a point in it.
    let is_global = program.vars().values().any(|var| var.is_global() && var.name == name);
    let (scope, name) = match name.split_once('.') {
        Some((thread_name, local)) if !is_global => (Scope::Local(thread(program, thread_name)), local),
        _ => (Scope::Global, name),
    };
    let find = |scope: Scope| -> Option<VarId> {
        program.vars().iter().find(|(_, var)| var.scope == scope && var.name == name).map(|(id, _)| id)
    };
    let var =
        find(scope).or_else(|| find(Scope::Local(owner))).unwrap_or_else(|| panic!("no variable `{name}`"));
    Quantity::Cell { var, index: 0, moment }
}
