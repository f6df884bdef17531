//! Systems, models and derivations as text.

use std::fmt::Write;

use rely_logic::interpolate::{Application, Clause, UnknownId};
use rely_logic::smtlib::{expression, quoted, sort_name};
use rely_logic::{Integer, TermId, TermPool, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::clauses::{Derivation, Model, System, variables};

/// Names that a variable must not have: it would hide what the format means by them.
const BUILT_IN: [&str; 16] = [
    "+", "-", "*", "div", "mod", "abs", "<", "<=", ">", ">=", "=", "=>", "xor", "distinct", "select", "store",
];

/// The system in the format that [`parse`](super::parse) reads.
pub fn system_text(pool: &TermPool, system: &System) -> String {
    let printer = Printer::new(pool, system);
    let mut out = String::from("(set-logic HORN)\n");
    for (id, unknown) in system.unknowns().iter() {
        let sorts: Vec<&str> =
            unknown.parameters.iter().map(|&parameter| sort_name(pool.variable(parameter).sort)).collect();
        let _ = writeln!(out, "(declare-fun {} ({}) Bool)", printer.names[&id], sorts.join(" "));
    }
    for clause in system.clauses().values() {
        let _ = writeln!(out, "(assert {})", printer.clause(clause));
    }
    out.push_str("(check-sat)\n");
    out
}

/// A model as `define-fun`s, one for each predicate.
pub fn model_text(pool: &TermPool, system: &System, model: &Model) -> String {
    let printer = Printer::new(pool, system);
    let mut out = String::new();
    for (id, unknown) in system.unknowns().iter() {
        let names = printer.variable_names(&unknown.parameters);
        let parameters: Vec<String> =
            unknown.parameters.iter().map(|id| printer.bound(*id, &names)).collect();
        let formula = printer.term(model[id], &names);
        let _ =
            writeln!(out, "(define-fun {} ({}) Bool {formula})", printer.names[&id], parameters.join(" "));
    }
    out
}

/// A derivation, one step in each line: what is derived, from which steps, by which clause.
pub fn derivation_text(pool: &TermPool, system: &System, derivation: &Derivation) -> String {
    let printer = Printer::new(pool, system);
    let mut out = String::new();
    for (number, step) in derivation.steps.iter().enumerate() {
        let clause = &system.clauses()[step.clause];
        let values: FxHashMap<VarId, Value> = step.values.iter().cloned().collect();
        let derived = match &clause.head {
            Some(head) => printer.ground(head, &values),
            None => "false".to_owned(),
        };
        let place = match system.line(step.clause) {
            Some(line) => format!("line {line}"),
            None => format!("clause {}", rely_base::Id::index(step.clause) + 1),
        };
        let _ = write!(out, "{}: {derived} by {place}", number + 1);
        if !step.premises.is_empty() {
            let premises: Vec<String> =
                step.premises.iter().map(|premise| (premise + 1).to_string()).collect();
            let _ = write!(out, " from {}", premises.join(", "));
        }
        out.push('\n');
    }
    out
}

struct Printer<'a> {
    pool: &'a TermPool,
    names: FxHashMap<UnknownId, String>,
    taken: FxHashSet<String>,
}

impl<'a> Printer<'a> {
    fn new(pool: &'a TermPool, system: &System) -> Self {
        let mut taken: FxHashSet<String> =
            BUILT_IN.iter().flat_map(|name| [(*name).to_owned(), quoted(name)]).collect();
        let names =
            system.unknowns().iter().map(|(id, unknown)| (id, new_name(&mut taken, &unknown.name))).collect();
        Self { pool, names, taken }
    }

    fn variable_names(&self, variables: &[VarId]) -> FxHashMap<VarId, String> {
        let mut taken = self.taken.clone();
        let name = |&variable: &VarId| {
            let symbol = self.pool.symbol_name(self.pool.variable(variable).symbol);
            (variable, new_name(&mut taken, written_name(symbol)))
        };
        variables.iter().map(name).collect()
    }

    fn bound(&self, variable: VarId, names: &FxHashMap<VarId, String>) -> String {
        format!("({} {})", names[&variable], sort_name(self.pool.variable(variable).sort))
    }

    fn term(&self, term: TermId, names: &FxHashMap<VarId, String>) -> String {
        expression(self.pool, term, &|variable| names.get(&variable).cloned().unwrap_or_default())
    }

    fn clause(&self, clause: &Clause) -> String {
        let bound = variables(self.pool, clause);
        let names = self.variable_names(&bound);
        let mut parts: Vec<String> =
            clause.body.iter().map(|application| self.application(application, &names)).collect();
        if self.pool.as_truth(clause.constraint) != Some(true) {
            parts.push(self.term(clause.constraint, &names));
        }
        let body = match parts.as_slice() {
            [] => "true".to_owned(),
            [only] => only.clone(),
            _ => format!("(and {})", parts.join(" ")),
        };
        let head = match &clause.head {
            Some(head) => self.application(head, &names),
            None => "false".to_owned(),
        };
        let implication = format!("(=> {body} {head})");
        if bound.is_empty() {
            return implication;
        }
        let bound: Vec<String> = bound.iter().map(|&variable| self.bound(variable, &names)).collect();
        format!("(forall ({}) {implication})", bound.join(" "))
    }

    fn application(&self, application: &Application, names: &FxHashMap<VarId, String>) -> String {
        let arguments = application.arguments.iter().map(|&argument| self.term(argument, names));
        listed(&self.names[&application.unknown], arguments)
    }

    fn ground(&self, application: &Application, values: &FxHashMap<VarId, Value>) -> String {
        let arguments = application.arguments.iter().map(|&argument| {
            self.pool.evaluate(argument, values).map_or("?".to_owned(), |value| value_text(&value))
        });
        listed(&self.names[&application.unknown], arguments)
    }
}

fn listed(name: &str, arguments: impl Iterator<Item = String>) -> String {
    let arguments: Vec<String> = arguments.collect();
    if arguments.is_empty() { name.to_owned() } else { format!("({name} {})", arguments.join(" ")) }
}

fn value_text(value: &Value) -> String {
    match value {
        Value::Int(value) if *value < Integer::ZERO => format!("(- {})", value.abs()),
        Value::Int(value) => value.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Array { .. } => "?".to_owned(),
    }
}

/// The name that somebody wrote, of which a variable of its own was made.
fn written_name(symbol: &str) -> &str {
    match symbol.rsplit_once('!') {
        Some((name, number)) if !name.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => symbol,
    }
}

/// A name that nothing else has, as near to `wanted` as possible, as the format writes it.
fn new_name(taken: &mut FxHashSet<String>, wanted: &str) -> String {
    let mut name = quoted(wanted);
    let mut number = 1;
    while !taken.insert(name.clone()) {
        name = quoted(&format!("{wanted}@{number}"));
        number += 1;
    }
    name
}
