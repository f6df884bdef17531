//! What the words of annotations mean, in terms of variables and locations.
//!
//! A label is a place of its own: whoever stands there has done nothing of what follows. A function that is called
//! from several places has its labels once for each of them, and all of these count.
//!
//! Numbers are mathematical, as in models: `x + 1` does not wrap round. A truth value is 1 or 0 where a number is wanted,
//! and a number holds if it is not 0.

use super::claim::LabelPlace;
use super::scope::Symbol;
use super::{Lowered, Lowering};
use crate::annotation::{Label, Operator, Part, Shape, Term, Word};
use crate::facts::Storage;
use crate::types::{CType, IntKind};
use crate::value::{Address, Known, Lvalue};
use lang_c::span::Span as TreeSpan;
use rely_base::{Diagnostic, Span, similar};
use rely_program::{BinaryOp, Expr, LocationId, ThreadId, UnaryOp};

/// An expression with what kind of value it has.
pub(super) enum Meant {
    Number(Expr),
    Truth(Expr),
}

impl Meant {
    pub(super) fn number(self) -> Expr {
        match self {
            Meant::Number(expr) => expr,
            Meant::Truth(Expr::Bool(truth)) => Expr::Int(i128::from(truth)),
            Meant::Truth(expr) => Expr::ite(expr, Expr::Int(1), Expr::Int(0)),
        }
    }

    pub(super) fn truth(self) -> Expr {
        match self {
            Meant::Truth(expr) => expr,
            Meant::Number(expr) => expr.ne(Expr::Int(0)),
        }
    }
}

/// Reads the expressions of an annotation.
pub(super) struct Reader<'l, 'a, 'f> {
    lowering: &'l mut Lowering<'a, 'f>,
    /// The file in which it stands.
    unit: usize,
}

impl<'l, 'a, 'f> Reader<'l, 'a, 'f> {
    pub(super) fn new(lowering: &'l mut Lowering<'a, 'f>, unit: usize) -> Self {
        Reader { lowering, unit }
    }

    pub(super) fn read(&mut self, term: &Term) -> Lowered<Meant> {
        Ok(match &term.shape {
            Shape::Int(number) => Meant::Number(Expr::Int(*number)),
            Shape::Bool(truth) => Meant::Truth(Expr::Bool(*truth)),
            Shape::Place(name, parts) => self.place(name, parts, term.span)?,
            Shape::At(thread, labels) => {
                let count = self.count(thread, Some(labels))?;
                Meant::Truth(count.ge(Expr::Int(1)))
            }
            Shape::Count(thread, labels, condition) => {
                let count = self.count(thread, labels.as_deref())?;
                Meant::Number(match condition {
                    Some(condition) => Expr::ite(self.read(condition)?.truth(), count, Expr::Int(0)),
                    None => count,
                })
            }
            Shape::Not(operand) => Meant::Truth(self.read(operand)?.truth().negate()),
            Shape::Minus(operand) => Meant::Number(match self.read(operand)?.number() {
                Expr::Int(number) => Expr::Int(-number),
                number => Expr::unary(UnaryOp::Neg, number),
            }),
            Shape::Conditional(parts) => {
                let [condition, yes, no] = parts.as_ref();
                let condition = self.read(condition)?.truth();
                match (self.read(yes)?, self.read(no)?) {
                    (Meant::Truth(yes), Meant::Truth(no)) => Meant::Truth(Expr::ite(condition, yes, no)),
                    (yes, no) => Meant::Number(Expr::ite(condition, yes.number(), no.number())),
                }
            }
            Shape::Binary(op, operands) => {
                let [left, right] = operands.as_ref();
                let (left, right) = (self.read(left)?, self.read(right)?);
                binary(*op, left, right)
            }
        })
    }

    // Threads.

    /// How many threads stand at some labels, or have started and not ended.
    fn count(&mut self, thread: &Word, labels: Option<&[Label]>) -> Lowered<Expr> {
        let id = self.thread(thread)?;
        let Some(labels) = labels else { return Ok(Expr::CountRunning(id)) };
        let mut locations: Vec<LocationId> = Vec::new();
        for label in labels {
            for location in self.locations(id, thread, label)? {
                if !locations.contains(&location) {
                    locations.push(location);
                }
            }
        }
        Ok(sum(locations.into_iter().map(Expr::CountAt).collect()))
    }

    fn thread(&self, name: &Word) -> Lowered<ThreadId> {
        let threads = &self.lowering.threads;
        if let Some(known) = self.named(name, threads.keys().map(String::as_str))? {
            return Ok(threads[known]);
        }
        let functions = self.lowering.unit.functions.keys().map(|name| self.lowering.spelled(name));
        let is_function = functions.into_iter().any(|function| function == name.text);
        let mut started: Vec<&str> = threads.keys().map(|name| self.lowering.spelled(name)).collect();
        started.sort_unstable();
        let error = match is_function {
            true => Diagnostic::error(format!("no thread is started with the function `{}`", name.text))
                .at(name.span, "so there is nobody to count"),
            false => Diagnostic::error(format!("there is no thread function `{}`", name.text))
                .at(name.span, "unknown name"),
        };
        Err(error.help(match similar(&name.text, started.iter().copied()).filter(|_| !is_function) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => format!("threads are called by the functions they start with: {}", listed(&started)),
        }))
    }

    /// Where a label stands in the code of a thread, each time that the code is there.
    fn locations(&self, id: ThreadId, thread: &Word, label: &Label) -> Lowered<Vec<LocationId>> {
        let lowering = &*self.lowering;
        let own = || lowering.label_places.iter().filter(|place| place.thread == id);
        let is_meant = |place: &&LabelPlace| {
            place.label == label.name.text
                && label.function.as_ref().is_none_or(|function| place.function == function.text)
        };
        let places: Vec<LocationId> = own().filter(is_meant).map(|place| place.location).collect();
        let end = match (&label.function, label.name.text.as_str()) {
            (None, "entry") => vec![lowering.builder.entry(id)],
            (None, "exit") => {
                let ends = lowering.ends.iter().filter(|(ended, _)| *ended == id).map(|(_, end)| *end);
                ends.chain([lowering.builder.exit(id)]).collect()
            }
            _ => Vec::new(),
        };
        let name = &label.name.text;
        match (places.is_empty(), end.is_empty()) {
            (false, false) => Err(Diagnostic::error(format!("`{name}` can be read in two ways"))
                .at(label.name.span, "a label of the program, and where every thread starts or ends")
                .help(format!(
                    "write `{}.{name}`, or give the label another name",
                    own().find(is_meant).map_or("", |place| &place.function)
                ))),
            (true, false) => Ok(end),
            (false, true) => self.visible(places, label),
            (true, true) => Err(self.unknown_label(thread, label, own().map(|place| place.label.as_str()))),
        }
    }

    fn visible(&self, places: Vec<LocationId>, label: &Label) -> Lowered<Vec<LocationId>> {
        let locations = self.lowering.builder.program().locations();
        match places.iter().any(|&place| locations[place].atomic) {
            true => Err(Diagnostic::error(format!("`{}` is inside of an atomic section", label.name.text))
                .at(label.name.span, "nobody sees a thread there")),
            false => Ok(places),
        }
    }

    fn unknown_label<'n>(
        &self,
        thread: &Word,
        label: &Label,
        known: impl Iterator<Item = &'n str>,
    ) -> Diagnostic {
        let (name, thread) = (&label.name.text, &thread.text);
        let function =
            label.function.as_ref().map_or(String::new(), |function| format!(" in `{}`", function.text));
        let error = Diagnostic::error(format!("the threads of `{thread}` have no label `{name}`{function}"))
            .at(label.name.span, "unknown label");
        let mut known: Vec<&str> = known.collect();
        known.sort_unstable();
        known.dedup();
        error.help(match similar(name, known.iter().copied()) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None if known.is_empty() => "label a statement that they execute, as in `inside: x = 1;`".into(),
            None => format!("their labels are {}, `entry` and `exit`", listed(&known)),
        })
    }

    // Variables.

    /// The name in the program of what is spelled like this, preferably in the same file.
    fn named<'n>(&self, word: &Word, names: impl IntoIterator<Item = &'n str>) -> Lowered<Option<&'n str>> {
        let spelled = names.into_iter().filter(|name| self.lowering.spelled(name) == word.text);
        let mut found: Vec<&str> = spelled.collect();
        found.sort_unstable();
        found.dedup();
        let own = found.iter().find(|name| self.lowering.unit_of(name) == Some(self.unit));
        // What all files share has kept its name.
        let preferred = own.or_else(|| found.iter().find(|name| **name == word.text));
        match (found.as_slice(), preferred) {
            ([], _) => Ok(None),
            ([name], _) | (_, Some(name)) => Ok(Some(name)),
            _ => {
                let message = format!("`{}` means different things in the files of this program", word.text);
                Err(Diagnostic::error(message).at(word.span, "which one?"))
            }
        }
    }

    fn place(&mut self, name: &Word, parts: &[Part], span: Span) -> Lowered<Meant> {
        let mut place = match self.variable(name)? {
            Symbol::Object(object) => {
                if self.lowering.facts.object(object).storage != Storage::Global {
                    return Err(Diagnostic::error(format!("each thread has a `{}` of its own", name.text))
                        .at(name.span, "whose is meant?"));
                }
                let ty = self.lowering.facts.object(object).ty.clone();
                Lvalue { ty, address: Address::Known(Known::start_of(object)), guards: Vec::new() }
            }
            Symbol::Constant(value, _) if parts.is_empty() => return Ok(Meant::Number(Expr::Int(value))),
            Symbol::Bound(value) if parts.is_empty() && value.as_constant().is_some() => {
                return Ok(Meant::Number(Expr::Int(value.as_constant().unwrap_or(0))));
            }
            Symbol::Outside(_) => {
                return Err(Diagnostic::error(format!("`{}` is defined outside of the program", name.text))
                    .at(name.span, "nobody knows what it holds"));
            }
            _ => {
                return Err(Diagnostic::error(format!("`{}` is not a variable", name.text))
                    .at(name.span, "an annotation speaks of variables, threads and labels"));
            }
        };
        for part in parts {
            place = self.part(place, part)?;
        }
        self.value(&place, span)
    }

    fn variable(&mut self, name: &Word) -> Lowered<Symbol> {
        let unit = self.lowering.unit;
        let known =
            || unit.declarations.keys().chain(unit.functions.keys()).chain(unit.enumerators.keys()).copied();
        let nowhere = TreeSpan { start: 0, end: 0 };
        let symbol = match self.named(name, known())? {
            Some(found) => self.lowering.at_file_scope(|lowering| lowering.file_symbol(found, nowhere)),
            None => Ok(None),
        };
        match symbol {
            Ok(Some(symbol)) => Ok(symbol),
            Ok(None) => Err(self.unknown_variable(name, known())),
            Err(error) => Err(Diagnostic { primary: Some((name.span, "named here".into())), ..error }),
        }
    }

    fn unknown_variable<'n>(&self, name: &Word, known: impl Iterator<Item = &'n str>) -> Diagnostic {
        let error = Diagnostic::error(format!("there is no shared variable `{}`", name.text))
            .at(name.span, "unknown name");
        let mut known: Vec<&str> = known.map(|name| self.lowering.spelled(name)).collect();
        known.sort_unstable();
        error.help(match similar(&name.text, known) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => "an annotation sees what is declared outside of functions: no locals, no macros".into(),
        })
    }

    /// A member or an element.
    fn part(&mut self, place: Lvalue, part: &Part) -> Lowered<Lvalue> {
        match part {
            Part::Member(member) => {
                let nowhere = TreeSpan { start: 0, end: 0 };
                let found =
                    self.lowering.at_file_scope(|lowering| lowering.member(place, &member.text, nowhere));
                found.map_err(|error| Diagnostic::error(error.message).at(member.span, "here"))
            }
            Part::Element(index) => {
                let wrong = |message: String| Err(Diagnostic::error(message).at(index.span, "here"));
                let CType::Array(element, length) = place.ty.unqualified().clone() else {
                    return wrong("this is an index of something that is not an array".into());
                };
                let Expr::Int(number) = self.read(index)?.number() else {
                    return wrong("the index in an annotation is a number".into());
                };
                let length = length.unwrap_or(0);
                match u64::try_from(number) {
                    Ok(number) if number < length => {
                        let size = self.lowering.facts.records.size_of(&element).unwrap_or(0);
                        Ok(self.lowering.part(place, number * size, (*element).clone()))
                    }
                    _ => wrong(format!("there is no element {number}: the array has {length}")),
                }
            }
        }
    }

    /// What a variable holds, if that is an integer.
    fn value(&mut self, place: &Lvalue, span: Span) -> Lowered<Meant> {
        let kind = match place.ty.unqualified() {
            CType::Int(kind) => *kind,
            CType::BitField(bits) => bits.kind,
            other => {
                let ty = self.lowering.facts.records.display(other);
                return Err(Diagnostic::error(format!("a value of type `{ty}` in an annotation"))
                    .at(span, "annotations speak of integers"));
            }
        };
        let nowhere = TreeSpan { start: 0, end: 0 };
        let found = self.lowering.at_file_scope(|lowering| {
            // What is looked at in a state is no step.
            lowering.flow.atomic = 1;
            lowering.cells(place, nowhere)
        });
        let found =
            found.map_err(|error| Diagnostic { primary: Some((span, "named here".into())), ..error })?;
        // What nobody reads need not be kept up to date everywhere.
        found.cells.iter().for_each(|cell| self.lowering.facts.read(cell.target));
        match found.cells.as_slice() {
            [cell] if !self.lowering.is_vague(cell) => Ok(match kind {
                IntKind::Bool => Meant::Truth(cell.load(kind)),
                _ => Meant::Number(cell.load(kind)),
            }),
            _ => {
                Err(Diagnostic::error("this variable is not followed exactly")
                    .at(span, "its value is not known"))
            }
        }
    }
}

impl Lowering<'_, '_> {
    /// The file in which a name is defined that several files have.
    fn unit_of(&self, name: &str) -> Option<usize> {
        let function = self.unit.functions.get(name).map(|function| function.span.start);
        let variable = || Some(self.unit.declarations.get(name)?.first()?.declarator.span.start);
        let enumerator = || Some(self.unit.enumerators.get(name)?.span.start);
        let position = function.or_else(variable).or_else(enumerator)?;
        Some(self.origin.lines.unit_at(self.origin.prepared.original(position)))
    }
}

fn binary(op: Operator, left: Meant, right: Meant) -> Meant {
    match op {
        Operator::Equivalent => Meant::Truth(left.truth().eq(right.truth())),
        Operator::Plain(op) if op.is_connective() => {
            Meant::Truth(Expr::binary(op, left.truth(), right.truth()))
        }
        Operator::Plain(op @ (BinaryOp::Eq | BinaryOp::Ne)) => Meant::Truth(match (left, right) {
            (Meant::Truth(left), Meant::Truth(right)) => Expr::binary(op, left, right),
            (left, right) => Expr::binary(op, left.number(), right.number()),
        }),
        Operator::Plain(op) if op.is_comparison() => {
            Meant::Truth(Expr::binary(op, left.number(), right.number()))
        }
        Operator::Plain(op) => Meant::Number(Expr::binary(op, left.number(), right.number())),
    }
}

fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().take(8).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > quoted.len() { ", ..." } else { "" };
    format!("{}{more}", quoted.join(", "))
}

/// The sum of some numbers, no deeper than needed.
pub(super) fn sum(mut terms: Vec<Expr>) -> Expr {
    while terms.len() > 1 {
        let pairs =
            terms.chunks(2).map(|pair| pair.iter().cloned().reduce(Expr::add).unwrap_or(Expr::Int(0)));
        terms = pairs.collect();
    }
    terms.pop().unwrap_or(Expr::Int(0))
}
