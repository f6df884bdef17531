//! Invariants in the names of the program: `count == 1 + #worker.{entry, b}`.

use crate::data::{AtomPrinter, Comparison, CountAtom, Counter, Invariant, Summand};
use rely_base::{Arena, Id};
use rely_program::{LocationId, Program, Value};

/// Writes invariants as a person would.
#[derive(Clone, Copy, Debug)]
pub struct InvariantPrinter<'p> {
    program: &'p Program,
    names: Option<&'p Arena<LocationId, String>>,
}

impl<'p> InvariantPrinter<'p> {
    /// Names come from this program.
    pub fn new(program: &'p Program) -> Self {
        Self { program, names: None }
    }

    /// Locations have these names.
    pub fn with_names(self, names: &'p Arena<LocationId, String>) -> Self {
        Self { names: Some(names), ..self }
    }

    /// A location with its thread in front: `worker.b`, or `worker.3` if it has no label.
    pub fn location(&self, location: LocationId) -> String {
        format!("{}.{}", self.program.thread_of(location).name, self.label(location))
    }

    /// A location without its thread.
    pub fn label(&self, location: LocationId) -> String {
        if let Some(names) = self.names {
            return names[location].clone();
        }
        let thread = self.program.thread_of(location);
        match &self.program.locations()[location].label {
            Some(label) => label.clone(),
            None if location == thread.entry => "entry".to_owned(),
            None if location == thread.exit => "exit".to_owned(),
            None => location.index().to_string(),
        }
    }

    /// `#worker.b`, or `#(worker.b: worker.v >= max)`.
    pub fn counter(&self, counter: &Counter) -> String {
        let place = self.location(counter.location);
        if counter.having.is_empty() {
            return format!("#{place}");
        }
        let atoms = AtomPrinter::new(self.program);
        let having: Vec<String> = counter.having.iter().map(|atom| atoms.atom(atom)).collect();
        format!("#({place}: {})", having.join(" && "))
    }

    /// The cases of an invariant, of which one holds, and the comparisons in each.
    pub fn cases(&self, invariant: &Invariant) -> Vec<Vec<String>> {
        let cube = |cube: &Vec<CountAtom>| cube.iter().map(|atom| self.atom(atom)).collect();
        invariant.cubes.iter().map(cube).collect()
    }

    /// The whole invariant.
    pub fn invariant(&self, invariant: &Invariant) -> String {
        let cases = self.cases(invariant);
        let several = cases.len() > 1;
        let case = |atoms: &Vec<String>| match atoms.as_slice() {
            [] => "true".to_owned(),
            [_, _, ..] if several => format!("({})", atoms.join(" && ")),
            _ => atoms.join(" && "),
        };
        let cases: Vec<String> = cases.iter().map(case).collect();
        if cases.is_empty() { "false".to_owned() } else { cases.join(" || ") }
    }

    /// A comparison with positive factors on both sides.
    fn atom(&self, atom: &CountAtom) -> String {
        let (left, right): (Vec<_>, Vec<_>) = atom.terms.iter().cloned().partition(|(factor, _)| *factor > 0);
        let (left, right, swapped) = if left.is_empty() { (right, left, true) } else { (left, right, false) };
        let constant = if swapped { atom.constant } else { atom.constant.saturating_neg() };
        let operator = match (atom.comparison, swapped) {
            (Comparison::Le, false) => "<=",
            (Comparison::Le, true) => ">=",
            (Comparison::Eq, _) => "==",
            (Comparison::Ne, _) => "!=",
            (Comparison::MultipleOf(divisor), _) => {
                let sum = self.sum(&left, constant.saturating_neg());
                let minus =
                    if right.is_empty() { String::new() } else { format!(" - ({})", self.sum(&right, 0)) };
                return format!("({sum}{minus}) % {divisor} == 0");
            }
        };
        format!("{} {operator} {}", self.sum(&left, 0), self.sum(&right, constant))
    }

    /// Whether two terms are numbers of threads at places of one thread, with the same factor.
    fn belong_together(&self, first: &(Value, Summand), second: &(Value, Summand)) -> bool {
        let (Summand::Count(left), Summand::Count(right)) = (&first.1, &second.1) else { return false };
        let thread = |counter: &Counter| self.program.locations()[counter.location].thread;
        let counts_all = left.having.is_empty() && right.having.is_empty();
        first.0 == second.0 && counts_all && thread(left) == thread(right)
    }

    /// The number of threads at several places: `#worker.{entry, b}`.
    fn places(&self, first: &Counter, terms: &[(Value, Summand)]) -> String {
        let mut labels: Vec<String> = Vec::new();
        for (_, summand) in terms {
            let Summand::Count(counter) = summand else { continue };
            let label = self.label(counter.location);
            // Several places of one line may have one name.
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        format!("#{}.{{{}}}", self.program.thread_of(first.location).name, labels.join(", "))
    }

    /// A sum of multiples, by the sizes of their factors, and a constant.
    fn sum(&self, terms: &[(Value, Summand)], constant: Value) -> String {
        let mut rest = terms;
        let mut products: Vec<String> = Vec::new();
        while let [(factor, summand), ..] = rest {
            let together =
                rest.iter().take_while(|&term| self.belong_together(&rest[0], term)).count().max(1);
            let name = match summand {
                Summand::Cell { var, index } => AtomPrinter::new(self.program).cell(*var, *index),
                Summand::Count(counter) if together == 1 => self.counter(counter),
                Summand::Count(counter) => self.places(counter, &rest[..together]),
            };
            products.push(match factor.unsigned_abs() {
                1 => name,
                size => format!("{size} * {name}"),
            });
            rest = &rest[together..];
        }
        let text = products.join(" + ");
        match constant {
            _ if text.is_empty() => constant.to_string(),
            0 => text,
            _ if constant < 0 => format!("{text} - {}", constant.unsigned_abs()),
            _ => format!("{text} + {constant}"),
        }
    }
}
