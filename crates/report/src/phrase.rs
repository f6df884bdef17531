//! Proofs in words: conditions as people write them, `0 <= x <= 9`, with the names of the source.

use crate::cubes::{common_part, factors, simplified};
use rely_base::{Arena, Id, SourceMap, Span};
use rely_evidence::rely_guarantee::{Atom, AtomPrinter, Comparison, ControlPoint, Cube, Quantity};
use rely_passes::{Restored, VarValues};
use rely_program::{LocationId, Program, Scope, Sort, ThreadId, Value, VarId};
use std::collections::BTreeSet;

/// How a place is called that has no better name, in front of its number.
const LOCATION: &str = "location ";

/// Of so many places those are told where a thread is not, if these are fewer.
const LONG_LIST: usize = 4;

/// Where a thread is before it runs.
const NOT_STARTED: &str = "not started";

/// Finds the words for what a proof says about a program.
pub(crate) struct Phrases<'p> {
    pub(crate) program: &'p Program,
    pub(crate) sources: &'p SourceMap,
    /// What every location is called.
    names: Arena<LocationId, Name>,
}

/// What a location is called.
struct Name {
    /// The label or the line, which others of its thread may have as well.
    short: String,
    /// The values that tell it from these.
    values: Option<String>,
}

/// The bounds that one comparison gives to a sum: at least, at most.
type Bounds = (Option<Value>, Option<Value>);

impl<'p> Phrases<'p> {
    /// Names come from this program.
    pub(crate) fn new(restored: &'p Restored, sources: &'p SourceMap) -> Self {
        let program = &restored.program;
        let mut phrases = Self { program, sources, names: Arena::new() };
        let short: Arena<LocationId, String> =
            program.locations().ids().map(|location| phrases.short_name(location)).collect();
        for (location, name) in short.iter() {
            let thread = program.locations()[location].thread;
            let namesakes = short
                .iter()
                .filter(|(other, short)| *short == name && program.locations()[*other].thread == thread);
            let namesakes: Vec<&[VarValues]> = namesakes.map(|(other, _)| restored.values(other)).collect();
            let values = telling_values(program, restored.values(location), &namesakes);
            phrases.names.push(Name { short: name.clone(), values });
        }
        phrases
    }

    fn short_name(&self, location: LocationId) -> String {
        let point = ControlPoint::At(location);
        let line = || Some(format!("line {}", self.sources.position(self.span(point)?).line));
        self.label(point).or_else(line).unwrap_or_else(|| format!("{LOCATION}{}", location.index()))
    }

    /// Writes atoms.
    pub(crate) fn printer(&self) -> AtomPrinter<'_> {
        AtomPrinter::new(self.program)
    }

    fn is_boolean(&self, quantity: Quantity) -> bool {
        matches!(quantity, Quantity::Cell { var, .. } if self.program.vars()[var].sort == Sort::Bool)
    }

    /// One of the cubes holds.
    pub(crate) fn condition(&self, cubes: &[Cube]) -> String {
        let cubes = simplified(cubes);
        match factors(self.program, &cubes) {
            Some([one, other]) => {
                let factor = |cubes: &[Cube]| match self.factored(cubes) {
                    (common, cases) if common.is_empty() && cases.len() > 1 => {
                        format!("({})", self.condition(cubes))
                    }
                    _ => self.condition(cubes),
                };
                [one, other].map(|cubes| factor(&cubes)).join(" && ")
            }
            None => self.plain_condition(&cubes),
        }
    }

    fn plain_condition(&self, cubes: &[Cube]) -> String {
        let (mut common, cases) = self.factored(cubes);
        let texts = cases.iter().map(|parts| match parts.as_slice() {
            [part] => part.clone(),
            _ => format!("({})", parts.join(" && ")),
        });
        let texts: Vec<String> = texts.collect();
        match texts.len() {
            0 if common.is_empty() => "false".to_owned(),
            0 => common.join(" && "),
            _ if common.is_empty() => texts.join(" || "),
            _ => {
                common.push(format!("({})", texts.join(" || ")));
                common.join(" && ")
            }
        }
    }

    /// The same if it is not too long; otherwise what all cases have in common, and how many there are.
    pub(crate) fn brief_condition(&self, cubes: &[Cube], longest: usize) -> String {
        let whole = self.condition(cubes);
        if whole.len() <= longest {
            return whole;
        }
        let (common, cases) = self.factored(cubes);
        let mut told: Vec<String> = Vec::new();
        for part in &common {
            if told.iter().map(|part| part.len() + 4).sum::<usize>() + part.len() <= longest {
                told.push(part.clone());
            }
        }
        match cases.len() {
            0 => told.push("more".to_owned()),
            count => told.push(format!("one of {count} cases")),
        }
        told.join(" && ")
    }

    /// What all cases have in common, and what is left of each; no cases are left if there is only one, or if one of them
    /// says nothing more.
    fn factored(&self, cubes: &[Cube]) -> (Vec<String>, Vec<Vec<String>>) {
        let (common, rest) = common_part(&simplified(cubes));
        let parts = |cube: &Cube| {
            let mut parts = self.comparisons(cube.atoms.iter());
            parts.extend(self.places(cube));
            parts
        };
        let mut cases: Vec<Vec<String>> = rest.iter().map(parts).collect();
        if cases.iter().any(Vec::is_empty) {
            cases.clear();
        }
        let common = match cubes.is_empty() {
            true => Vec::new(),
            false if cases.is_empty() && parts(&common).is_empty() => vec!["true".to_owned()],
            false => parts(&common),
        };
        (common, cases)
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

    /// The line and the label of a point, as far as it has them.
    pub(crate) fn place(&self, point: ControlPoint) -> String {
        let line = self.span(point).map(|span| self.sources.position(span).line);
        let place = match (line, self.label(point)) {
            (Some(line), Some(label)) => format!("line {line} ({label})"),
            (Some(line), None) => format!("line {line}"),
            (None, _) => self.short(point).to_owned(),
        };
        with_values(place, self.values(point))
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
        let place = |(thread, points): &(ThreadId, Vec<ControlPoint>)| {
            let all = ControlPoint::all(self.program, *thread);
            let (here, elsewhere): (Vec<ControlPoint>, Vec<ControlPoint>) =
                all.into_iter().partition(|point| points.contains(point));
            let (here, elsewhere) = (self.names_of(&here, &elsewhere), self.names_of(&elsewhere, &here));
            let is_clear = elsewhere.iter().all(|name| !here.contains(name));
            let is_shorter = !elsewhere.is_empty() && elsewhere.len() < here.len() && here.len() >= LONG_LIST;
            let (word, names) = match is_clear && is_shorter {
                true => ("not at", elsewhere),
                false => ("at", here),
            };
            let name = &self.program.threads()[*thread].name;
            match names.as_slice() {
                [single] => format!("{name} {word} {single}"),
                _ => format!("{name} {word} {{{}}}", names.join(", ")),
            }
        };
        cube.others.iter().map(place).collect()
    }

    /// The names of places, which need not be told from others than these.
    fn names_of(&self, points: &[ControlPoint], others: &[ControlPoint]) -> Vec<String> {
        let elsewhere: BTreeSet<&str> = others.iter().map(|&point| self.short(point)).collect();
        let mut names: Vec<String> = Vec::new();
        for &point in points {
            let short = self.short(point);
            let name = if elsewhere.contains(short) { self.source_line(point) } else { short.to_owned() };
            // Several places of one line have one name.
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// A label, or `entry` and `exit`.
    pub(crate) fn label(&self, point: ControlPoint) -> Option<String> {
        let ControlPoint::At(location) = point else { return Some(NOT_STARTED.to_owned()) };
        let thread = self.program.thread_of(location);
        let label = self.program.locations()[location].label.clone();
        label
            .or_else(|| (location == thread.entry).then(|| "entry".to_owned()))
            .or_else(|| (location == thread.exit).then(|| "exit".to_owned()))
    }

    /// The shortest name of a place, with the values that tell it from others of that name.
    pub(crate) fn source_line(&self, point: ControlPoint) -> String {
        with_values(self.short(point).to_owned(), self.values(point))
    }

    /// The shortest names of all locations.
    pub(crate) fn locations(&self) -> Arena<LocationId, String> {
        self.program.locations().ids().map(|location| self.source_line(ControlPoint::At(location))).collect()
    }

    fn short(&self, point: ControlPoint) -> &str {
        match point {
            ControlPoint::At(location) => &self.names[location].short,
            ControlPoint::Unstarted => NOT_STARTED,
        }
    }

    fn values(&self, point: ControlPoint) -> Option<&str> {
        match point {
            ControlPoint::At(location) => self.names[location].values.as_deref(),
            ControlPoint::Unstarted => None,
        }
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
                Some(number) => told += &self.source_line(ControlPoint::At(LocationId::from_index(number))),
                None => told += &format!("{LOCATION}{}", &part[..digits]),
            }
            told += &part[digits..];
        }
        told
    }

    /// The statement that starts at a location.
    pub(crate) fn span(&self, point: ControlPoint) -> Option<Span> {
        let ControlPoint::At(location) = point else { return None };
        let leaving =
            self.program.outgoing(location).iter().find_map(|&edge| self.program.edges()[edge].span);
        self.program.locations()[location].span.or(leaving)
    }

    /// Whether a bound of a boolean says nothing.
    fn is_trivial(&self, atom: &Atom) -> bool {
        match (atom.terms.as_slice(), atom.comparison) {
            (&[(factor, quantity)], Comparison::Le) if self.is_boolean(quantity) => {
                factor.max(0).checked_add(atom.constant).is_some_and(|greatest| greatest <= 0)
            }
            _ => false,
        }
    }

    /// All of the atoms; two bounds of one quantity are one comparison.
    pub(crate) fn comparisons<'a>(&self, atoms: impl Iterator<Item = &'a Atom>) -> Vec<String> {
        let mut left: Vec<&Atom> = atoms.filter(|atom| !self.is_trivial(atom)).collect();
        let known = left.clone();
        left.retain(|atom| !known.iter().any(|bound| excludes_value(bound, atom)));
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
                    if low == high {
                        texts.push(format!("{} == {low}", self.printer().sum(&[(1, quantity)], 0)));
                        continue;
                    }
                    texts.push(format!("{low} <= {} <= {high}", self.printer().sum(&[(1, quantity)], 0)));
                }
                _ => texts.push(self.printer().atom(atom)),
            }
        }
        texts
    }
}

fn with_values(place: String, values: Option<&str>) -> String {
    match values {
        Some(values) => format!("{place} with {values}"),
        None => place,
    }
}

/// The values of a location that not all of its namesakes have.
fn telling_values(program: &Program, known: &[VarValues], namesakes: &[&[VarValues]]) -> Option<String> {
    let differs = |known: &&VarValues| namesakes.iter().any(|values| !values.contains(known));
    let texts: Vec<String> = known.iter().filter(differs).map(|known| value_text(program, known)).collect();
    match texts.as_slice() {
        [] => None,
        [single] => Some(single.clone()),
        _ => Some(format!("({})", texts.join(" && "))),
    }
}

/// A variable of the thread that is spoken of, without the thread's name.
fn value_text(program: &Program, known: &VarValues) -> String {
    let declaration = &program.vars()[known.var];
    let name = &declaration.name;
    match (known.values.as_slice(), declaration.sort) {
        ([0], Sort::Bool) => format!("!{name}"),
        ([_], Sort::Bool) => name.clone(),
        (values, _) => {
            let texts: Vec<String> = values.iter().map(|value| format!("{name} == {value}")).collect();
            if texts.len() == 1 { texts.concat() } else { format!("({})", texts.join(" || ")) }
        }
    }
}

/// Whether a bound says already that something does not have a value: `x >= 1` and `x != 0`.
fn excludes_value(bound: &Atom, other: &Atom) -> bool {
    let value = match (other.terms.as_slice(), other.comparison) {
        ([(1, quantity)], Comparison::Ne) => other.constant.checked_neg().map(|value| (*quantity, value)),
        _ => None,
    };
    value.zip(bounds_of_single(bound)).is_some_and(|((quantity, value), (bounded, (low, high)))| {
        bounded == quantity && (low.is_some_and(|low| value < low) || high.is_some_and(|high| value > high))
    })
}

/// `quantity >= low` or `quantity <= high`.
fn bounds_of_single(atom: &Atom) -> Option<(Quantity, Bounds)> {
    match (atom.terms.as_slice(), atom.comparison) {
        ([(1, quantity)], Comparison::Le) => Some((*quantity, (None, Some(atom.constant.checked_neg()?)))),
        ([(-1, quantity)], Comparison::Le) => Some((*quantity, (Some(atom.constant), None))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rely_evidence::rely_guarantee::Moment;
    use rely_passes::{BackMap, Pass, SeparateValues};
    use rely_program::{Expr, Op, Place, ProgramBuilder, ThreadKind};

    /// A thread that looks for something until it has `found` it.
    fn searching() -> (Program, Program, BackMap) {
        let mut builder = ProgramBuilder::new("searching");
        let x = builder.global("x", Sort::Int, 0);
        let thread = builder.thread("T", ThreadKind::Instance { running: true });
        let found = builder.local(thread, "found", Sort::Int, 0);
        let (entry, exit) = (builder.entry(thread), builder.exit(thread));
        let (head, body) = (builder.location(thread, None), builder.location(thread, None));
        builder.set_label(head, "head");
        builder.set_label(body, "body");
        let is = |value: Value| Expr::var(found).eq(Expr::int(value));
        builder.edge(entry, head, vec![], None);
        builder.edge(head, body, vec![Op::wait(is(0))], None);
        builder.edge(head, exit, vec![Op::wait(is(1))], None);
        builder.edge(body, head, vec![Op::assign(Place::Scalar(x), Expr::int(1))], None);
        builder.edge(body, head, vec![Op::assign(Place::Scalar(found), Expr::int(1))], None);
        let old = builder.finish().expect("well formed");
        let (new, back) = SeparateValues.apply(&old);
        (old, new, back)
    }

    fn check_places(points: &[usize], expected: &str) {
        let (old, new, back) = searching();
        let restored = Restored::new(&old, &new, &back);
        let sources = SourceMap::new();
        let phrases = Phrases::new(&restored, &sources);
        let thread = new.threads().ids().next().expect("a thread");
        let points = points.iter().map(|&point| ControlPoint::At(LocationId::from_index(point))).collect();
        let cube = Cube { atoms: vec![], others: vec![(thread, points)] };
        assert_eq!(phrases.places(&cube), [expected]);
    }

    #[test]
    fn copies_are_told_apart_by_values() {
        check_places(&[2], "T at head with found == 0");
        check_places(&[4], "T at head with found == 1");
        check_places(&[0, 4], "T at {entry, head with found == 1}");
    }

    #[test]
    fn what_need_not_be_told_apart_is_not() {
        check_places(&[3], "T at body");
        check_places(&[2, 4], "T at head");
        check_places(&[2, 3, 4], "T at {head, body}");
    }

    #[test]
    fn where_a_thread_is_not_may_be_shorter() {
        check_places(&[0, 1, 2, 3], "T not at head with found == 1");
    }

    #[test]
    fn one_value_is_no_range() {
        let (old, new, back) = searching();
        let restored = Restored::new(&old, &new, &back);
        let sources = SourceMap::new();
        let phrases = Phrases::new(&restored, &sources);
        let x = Quantity::Cell { var: VarId::from_index(0), index: 0, moment: Moment::Before };
        let bound = |factor: Value, constant: Value| Atom {
            terms: vec![(factor, x)],
            constant,
            comparison: Comparison::Le,
        };
        let check = |low: Value, high: Value, expected: &str| {
            assert_eq!(phrases.comparisons([bound(-1, low), bound(1, -high)].iter()), [expected]);
        };
        check(2, 3, "2 <= x <= 3");
        check(2, 2, "x == 2");
    }
}
