//! Proofs as outlines, the way textbooks print them: what holds between the statements of each
//! thread, then what the thread relies on and what it guarantees.

use rely_evidence::rely_guarantee::{
    Atom, Comparison, Cube, EdgeEffect, Moment, Quantity, RelyGuarantee, Spot, ThreadAssertions,
};
use rely_program::analysis::Access;
use rely_program::{EdgeId, Program, ThreadId, Value};
use std::fmt::Write as _;

/// The outline of a proof: for each thread its assertions and statements, its rely and its
/// guarantee. Of a transition `P » Q`, primed variables in `Q` are the new values.
pub fn outline(program: &Program, proof: &RelyGuarantee) -> String {
    let mut text = String::new();
    for entry in &proof.threads {
        Printer { program, thread: entry.thread }.thread(entry, &proof.effects, &mut text);
    }
    text
}

/// Prints from the point of view of one thread.
struct Printer<'p> {
    program: &'p Program,
    thread: ThreadId,
}

impl Printer<'_> {
    fn thread(&self, entry: &ThreadAssertions, effects: &[EdgeEffect], text: &mut String) {
        let _ = writeln!(text, "{}:", self.program.threads()[self.thread].name);
        for (spot, cubes) in &entry.at {
            let _ = writeln!(text, "  {{ {} }}", self.disjunction(cubes));
            let Spot::At(location) = *spot else {
                let _ = writeln!(text, "  not started");
                continue;
            };
            let _ = writeln!(text, "  {}:", self.program.location_name(location));
            for &id in self.program.outgoing(location) {
                let edge = &self.program.edges()[id];
                let statement = self.program.display_ops(&edge.ops);
                let _ = writeln!(text, "      {statement} -> {}", self.program.location_name(edge.target));
            }
        }
        let is_own = |effect: &&EdgeEffect| self.actor(effect.edge) == self.thread;
        let (own, foreign): (Vec<_>, Vec<_>) = effects.iter().partition(is_own);
        self.transitions("rely", &foreign, text);
        self.transitions("guarantee", &own, text);
        text.push('\n');
    }

    fn actor(&self, edge: EdgeId) -> ThreadId {
        self.program.locations()[self.program.edges()[edge].source].thread
    }

    fn transitions(&self, title: &str, effects: &[&EdgeEffect], text: &mut String) {
        let mut lines: Vec<String> = Vec::new();
        for effect in effects {
            let acting = Printer { program: self.program, thread: self.actor(effect.edge) };
            for cube in &effect.cubes {
                lines.extend(acting.transition(effect.edge, cube).filter(|line| !lines.contains(line)));
            }
        }
        if lines.is_empty() {
            let _ = writeln!(text, "  {title}: nothing changes");
            return;
        }
        let _ = writeln!(text, "  {title}:");
        for line in lines {
            let _ = writeln!(text, "      {line}");
        }
    }

    /// `P » Q`; nothing if the edge writes nothing that others see.
    fn transition(&self, edge: EdgeId, cube: &Cube) -> Option<String> {
        let writes = Access::of_edge(self.program, edge).writes;
        let written: Vec<_> = writes.iter().filter(|var| self.program.vars()[*var].is_global()).collect();
        if written.is_empty() {
            return None;
        }
        let is_new = |quantity: &Quantity| matches!(quantity, Quantity::Cell { moment: Moment::After, .. });
        let is_after = |atom: &&Atom| atom.terms.iter().any(|(_, quantity)| is_new(quantity));
        let (after, before): (Vec<&Atom>, Vec<&Atom>) = cube.atoms.iter().partition(is_after);
        let mut before = self.comparisons(&before);
        before.extend(self.places(cube));
        let mut after = self.comparisons(&after);
        for var in written {
            let mentions = |(_, quantity): &(Value, Quantity)| {
                is_new(quantity) && matches!(quantity, Quantity::Cell { var: other, .. } if *other == var)
            };
            if !cube.atoms.iter().any(|atom| atom.terms.iter().any(mentions)) {
                after.push(format!("{}' is anything", self.program.vars()[var].name));
            }
        }
        Some(format!("{} » {}", conjunction(before), conjunction(after)))
    }

    fn disjunction(&self, cubes: &[Cube]) -> String {
        let several = cubes.len() > 1;
        let cube = |cube: &Cube| {
            let mut parts = self.places(cube);
            parts.extend(self.comparisons(&cube.atoms.iter().collect::<Vec<_>>()));
            let count = parts.len();
            let text = conjunction(parts);
            if several && count > 1 { format!("({text})") } else { text }
        };
        cubes.iter().map(cube).collect::<Vec<_>>().join(" || ")
    }

    fn places(&self, cube: &Cube) -> Vec<String> {
        let place = |spot: &Spot| match spot {
            Spot::Unstarted => "unstarted".to_owned(),
            Spot::At(location) => self.program.location_name(*location),
        };
        let test = |(thread, spots): &(ThreadId, Vec<Spot>)| {
            let name = &self.program.threads()[*thread].name;
            let places: Vec<String> = spots.iter().map(place).collect();
            match places.as_slice() {
                [only] => format!("{name} at {only}"),
                _ => format!("{name} at {{{}}}", places.join(", ")),
            }
        };
        cube.others.iter().map(test).collect()
    }

    /// The atoms as people write them: `0 <= x <= 9`, `y < x`, `x' = x + 1`.
    fn comparisons(&self, atoms: &[&Atom]) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        let mut used: Vec<usize> = Vec::new();
        for (index, atom) in atoms.iter().enumerate() {
            if used.contains(&index) {
                continue;
            }
            let range = lower_bound(atom).or(upper_bound(atom)).map(|(quantity, _)| quantity);
            let partner = range.and_then(|quantity| {
                let bounds = |other: &&Atom| {
                    lower_bound(other).or(upper_bound(other)).is_some_and(|(known, _)| known == quantity)
                };
                atoms.iter().enumerate().skip(index + 1).find(|(_, other)| bounds(other))
            });
            let other = partner.map(|(position, other)| (position, *other));
            let ends = other.and_then(|(_, other)| {
                let low = lower_bound(atom).or(lower_bound(other))?;
                let high = upper_bound(atom).or(upper_bound(other))?;
                Some((low.1, low.0, high.1))
            });
            match (ends, other) {
                (Some((low, quantity, high)), Some((position, _))) => {
                    used.push(position);
                    texts.push(format!("{low} <= {} <= {high}", self.quantity(quantity)));
                }
                _ => texts.push(self.comparison(atom)),
            }
        }
        texts
    }

    /// Terms with positive factors on one side, the others on the other.
    fn comparison(&self, atom: &Atom) -> String {
        if let Comparison::MultipleOf(divisor) = atom.comparison {
            return format!("{} is a multiple of {divisor}", self.sum(&atom.terms, atom.constant));
        }
        let (left, right): (Vec<_>, Vec<_>) = atom.terms.iter().partition(|(factor, _)| *factor > 0);
        // `y + 1 <= x` is `y < x`.
        let is_strict =
            atom.comparison == Comparison::Le && atom.constant == 1 && !left.is_empty() && !right.is_empty();
        let constant = if is_strict { 0 } else { atom.constant };
        let (symbol, turned) = match atom.comparison {
            Comparison::Le if is_strict => ("<", ">"),
            Comparison::Le => ("<=", ">="),
            Comparison::Eq | Comparison::MultipleOf(_) => ("=", "="),
            Comparison::Ne => ("!=", "!="),
        };
        if left.is_empty() {
            let negated: Vec<(Value, Quantity)> = right.iter().map(|(factor, q)| (-factor, *q)).collect();
            return format!("{} {turned} {constant}", self.sum(&negated, 0));
        }
        let negated: Vec<(Value, Quantity)> = right.iter().map(|(factor, q)| (-factor, *q)).collect();
        // New values are explained by old ones: `x' = x + 1`.
        let is_explained = atom.comparison == Comparison::Eq
            && negated.iter().any(|(_, q)| matches!(q, Quantity::Cell { moment: Moment::After, .. }));
        if is_explained {
            return format!("{} {symbol} {}", self.sum(&negated, 0), self.sum(&left, constant));
        }
        format!("{} {symbol} {}", self.sum(&left, 0), self.sum(&negated, -constant))
    }

    fn sum(&self, terms: &[(Value, Quantity)], constant: Value) -> String {
        let mut text = String::new();
        let mut add = |value: Value, name: Option<String>| {
            let sign = match (text.is_empty(), value < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let magnitude = value.unsigned_abs();
            let _ = match name {
                Some(name) if magnitude == 1 => write!(text, "{sign}{name}"),
                Some(name) => write!(text, "{sign}{magnitude}*{name}"),
                None => write!(text, "{sign}{magnitude}"),
            };
        };
        for (factor, quantity) in terms {
            add(*factor, Some(self.quantity(*quantity)));
        }
        if constant != 0 || terms.is_empty() {
            add(constant, None);
        }
        text
    }

    fn quantity(&self, quantity: Quantity) -> String {
        let Quantity::Cell { var, index, moment } = quantity else { return "this".to_owned() };
        let declaration = &self.program.vars()[var];
        let is_foreign = declaration.scope != rely_program::Scope::Local(self.thread);
        let mut name = if is_foreign { self.program.qualified_name(var) } else { declaration.name.clone() };
        if declaration.length.is_some() {
            let _ = write!(name, "[{index}]");
        }
        if moment == Moment::After {
            name.push('\'');
        }
        name
    }
}

fn conjunction(parts: Vec<String>) -> String {
    if parts.is_empty() { "true".to_owned() } else { parts.join(" && ") }
}

/// `quantity >= bound`.
fn lower_bound(atom: &Atom) -> Option<(Quantity, Value)> {
    match atom.terms.as_slice() {
        [(-1, quantity)] if atom.comparison == Comparison::Le => Some((*quantity, atom.constant)),
        _ => None,
    }
}

/// `quantity <= bound`.
fn upper_bound(atom: &Atom) -> Option<(Quantity, Value)> {
    match atom.terms.as_slice() {
        [(1, quantity)] if atom.comparison == Comparison::Le => Some((*quantity, -atom.constant)),
        _ => None,
    }
}
