//! Proofs in words: conditions as people write them, `0 <= x <= 9`, with the names of the source.

use crate::cubes::simplified;
use rely_base::{Id, SourceMap, Span};
use rely_evidence::rely_guarantee::{Atom, AtomPrinter, Comparison, Cube, Quantity, Spot};
use rely_program::{LocationId, Program, Scope, Sort, ThreadId, Value, VarId};

/// How a place is called that has no better name, in front of its number.
const LOCATION: &str = "location ";

/// Finds the words for what a proof says about a program.
#[derive(Clone, Copy)]
pub(crate) struct Phrases<'p> {
    pub(crate) program: &'p Program,
    pub(crate) sources: &'p SourceMap,
}

/// The bounds that one comparison gives to a sum: at least, at most.
type Bounds = (Option<Value>, Option<Value>);

impl Phrases<'_> {
    /// Writes atoms.
    pub(crate) fn printer(&self) -> AtomPrinter<'_> {
        AtomPrinter::new(self.program)
    }

    fn is_boolean(&self, quantity: Quantity) -> bool {
        matches!(quantity, Quantity::Cell { var, .. } if self.program.vars()[var].sort == Sort::Bool)
    }

    /// One of the cubes holds.
    pub(crate) fn condition(&self, cubes: &[Cube]) -> String {
        let cases = self.cases(cubes);
        let is_single = cases.len() == 1;
        let texts = cases.iter().map(|parts| match parts.as_slice() {
            [part] => part.clone(),
            _ if is_single => parts.join(" && "),
            _ => format!("({})", parts.join(" && ")),
        });
        if cases.is_empty() { "false".to_owned() } else { texts.collect::<Vec<_>>().join(" || ") }
    }

    /// A disjunction of conjunctions; none of them is empty.
    pub(crate) fn cases(&self, cubes: &[Cube]) -> Vec<Vec<String>> {
        let case = |cube: &Cube| {
            let mut parts = self.comparisons(cube.atoms.iter());
            parts.extend(self.places(cube));
            if parts.is_empty() {
                parts.push("true".to_owned());
            }
            parts
        };
        simplified(cubes).iter().map(case).collect()
    }

    /// The line and the label of a spot, as far as it has them.
    pub(crate) fn place(&self, spot: Spot) -> String {
        let line = self.span(spot).map(|span| self.sources.position(span).line);
        match (line, self.label(spot)) {
            (Some(line), Some(label)) => format!("line {line} ({label})"),
            (Some(line), None) => format!("line {line}"),
            (None, _) => self.spot(spot),
        }
    }

    /// A variable, with its thread in front if it has one.
    pub(crate) fn var(&self, var: VarId) -> String {
        let declaration = &self.program.vars()[var];
        match declaration.scope {
            Scope::Global => declaration.name.clone(),
            Scope::Local(thread) => format!("{}.{}", self.program.threads()[thread].name, declaration.name),
        }
    }

    /// Where the cube says that others stand.
    pub(crate) fn places(&self, cube: &Cube) -> Vec<String> {
        let place = |(thread, spots): &(ThreadId, Vec<Spot>)| {
            let mut names: Vec<String> = Vec::new();
            for spot in spots.iter().map(|&spot| self.spot(spot)) {
                // Several places of one line have one name.
                if !names.contains(&spot) {
                    names.push(spot);
                }
            }
            let name = &self.program.threads()[*thread].name;
            match names.as_slice() {
                [single] => format!("{name} at {single}"),
                _ => format!("{name} at {{{}}}", names.join(", ")),
            }
        };
        cube.others.iter().map(place).collect()
    }

    /// A label, or `entry` and `exit`.
    pub(crate) fn label(&self, spot: Spot) -> Option<String> {
        let Spot::At(location) = spot else { return Some("not started".to_owned()) };
        let thread = self.program.thread_of(location);
        let label = self.program.locations()[location].label.clone();
        label
            .or_else(|| (location == thread.entry).then(|| "entry".to_owned()))
            .or_else(|| (location == thread.exit).then(|| "exit".to_owned()))
    }

    /// The shortest name of a place.
    pub(crate) fn spot(&self, spot: Spot) -> String {
        let number = || match spot {
            Spot::At(location) => format!("{LOCATION}{}", location.index()),
            Spot::Unstarted => "not started".to_owned(),
        };
        let line = || Some(format!("line {}", self.sources.position(self.span(spot)?).line));
        self.label(spot).or_else(line).unwrap_or_else(number)
    }

    /// A text of an engine, which knows no lines, with the shortest names of the places in it.
    pub(crate) fn with_places(&self, text: &str) -> String {
        let mut parts = text.split(LOCATION);
        let mut told = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let digits = part.len() - part.trim_start_matches(|it: char| it.is_ascii_digit()).len();
            let number =
                part[..digits].parse().ok().filter(|&number| number < self.program.locations().len());
            match number {
                Some(number) => told += &self.spot(Spot::At(LocationId::from_index(number))),
                None => told += &format!("{LOCATION}{}", &part[..digits]),
            }
            told += &part[digits..];
        }
        told
    }

    /// The statement that starts at a location.
    pub(crate) fn span(&self, spot: Spot) -> Option<Span> {
        let Spot::At(location) = spot else { return None };
        let leaving =
            self.program.outgoing(location).iter().find_map(|&edge| self.program.edges()[edge].span);
        self.program.locations()[location].span.or(leaving)
    }

    /// All of the atoms; two bounds of one quantity are one comparison.
    pub(crate) fn comparisons<'a>(&self, atoms: impl Iterator<Item = &'a Atom>) -> Vec<String> {
        let mut left: Vec<&Atom> = atoms.collect();
        let mut texts = Vec::new();
        while !left.is_empty() {
            let atom = left.remove(0);
            let range = bounds_of_single(atom).and_then(|(quantity, bounds)| {
                let partner = left.iter().position(|other| {
                    bounds_of_single(other).is_some_and(|(other, more)| {
                        other == quantity && bounds.0.is_some() != more.0.is_some()
                    })
                })?;
                let (_, more) = bounds_of_single(left[partner])?;
                Some((partner, bounds.0.or(more.0)?, quantity, bounds.1.or(more.1)?))
            });
            match range {
                Some((partner, low, quantity, high)) if !self.is_boolean(quantity) => {
                    left.remove(partner);
                    texts.push(format!("{low} <= {} <= {high}", self.printer().sum(&[(1, quantity)], 0)));
                }
                _ => texts.push(self.printer().atom(atom)),
            }
        }
        texts
    }
}

/// `quantity >= low` or `quantity <= high`.
fn bounds_of_single(atom: &Atom) -> Option<(Quantity, Bounds)> {
    match (atom.terms.as_slice(), atom.comparison) {
        ([(1, quantity)], Comparison::Le) => Some((*quantity, (None, Some(atom.constant.checked_neg()?)))),
        ([(-1, quantity)], Comparison::Le) => Some((*quantity, (Some(atom.constant), None))),
        _ => None,
    }
}
