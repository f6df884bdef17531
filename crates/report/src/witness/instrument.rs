//! A C program in which the invariants of a witness are assertions and its ghost variables are variables.
//!
//! If no run of that program violates an assertion, then the invariants hold in every run of the program. What is
//! inserted is atomic, so that no other thread comes between the parts of an invariant. An update happens in one
//! step with its statement if that is a single step anyway; otherwise it happens right before it, and other
//! threads may come in between: then an assertion that fails refutes nothing.

use super::c_text::{CText, SourcePoint};
use super::read::{Claimed, ClaimedInvariant, ClaimedPlace, ClaimedUpdate};
use std::ops::Range;

/// A program with assertions. Every line of the source is still the same line.
#[derive(Clone, Debug)]
pub struct Instrumented {
    /// Its text.
    pub text: String,
    /// Where the assertion of an invariant stands in the text, with the position of the invariant in the witness.
    pub assertions: Vec<(Range<usize>, usize)>,
    /// The invariants for which there is no assertion, by their positions in the witness, and why.
    pub unplaced: Vec<(usize, String)>,
    /// Whether every run of the program is one of the instrumented program and the other way round.
    pub is_exact: bool,
}

impl Instrumented {
    /// The invariant in whose assertion a byte of the text is.
    pub fn invariant_at(&self, byte: usize) -> Option<usize> {
        self.assertions.iter().find(|(range, _)| range.contains(&byte)).map(|(_, index)| *index)
    }
}

/// Puts those invariants of a witness that are wanted into a C program. An error says why its ghost variables cannot be
/// followed.
pub fn instrument(
    source: &str,
    claimed: &Claimed,
    is_wanted: impl Fn(usize) -> bool,
) -> Result<Instrumented, String> {
    let text = CText::new(source);
    let mut insertions = Insertions { source, text: &text, made: Vec::new(), is_exact: true };
    let mut unplaced = Vec::new();
    for (index, invariant) in claimed.invariants.iter().enumerate().filter(|(index, _)| is_wanted(*index)) {
        if let Err(reason) = insertions.assert(index, invariant) {
            unplaced.push((index, reason));
        }
    }
    for update in &claimed.updates {
        let at = update.place.line;
        insertions.update(update, claimed).map_err(|why| format!("the ghost update in line {at}: {why}"))?;
    }
    let mut head = String::from(
        "extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void); \
         extern void reach_error(void); ",
    );
    for ghost in &claimed.ghosts {
        head += &format!("{} {} = {}; ", ghost.sort, ghost.name, ghost.initial);
    }
    insertions.insert(text.first_byte().ok_or("the file is empty")?, Order::UpdateEnd, head, None);
    let is_exact = insertions.is_exact;
    let (text, assertions) = insertions.applied();
    Ok(Instrumented { text, assertions, unplaced, is_exact })
}

/// Texts to be put into a source.
struct Insertions<'s> {
    source: &'s str,
    text: &'s CText<'s>,
    made: Vec<Insertion>,
    is_exact: bool,
}

struct Insertion {
    at: usize,
    order: Order,
    text: String,
    /// The invariant of which this is the assertion.
    invariant: Option<usize>,
}

/// The order of what is inserted at one place: what ends there comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    UpdateEnd,
    BlockEnd,
    BlockBegin,
    Assertion,
    UpdateBegin,
}

impl Insertions<'_> {
    fn insert(&mut self, at: usize, order: Order, text: String, invariant: Option<usize>) {
        self.made.push(Insertion { at, order, text, invariant });
    }

    /// The text with all that is inserted, and where its assertions are.
    fn applied(mut self) -> (String, Vec<(Range<usize>, usize)>) {
        self.made.sort_by_key(|insertion| (insertion.at, insertion.order));
        let (mut result, mut assertions) = (String::new(), Vec::new());
        let mut done = 0;
        for Insertion { at, text, invariant, .. } in &self.made {
            result += &self.source[done..*at];
            let start = result.len();
            result += text;
            assertions.extend(invariant.map(|index| (start..result.len(), index)));
            done = *at;
        }
        (result + &self.source[done..], assertions)
    }

    /// The byte of a place.
    fn byte(&self, place: &ClaimedPlace) -> Result<usize, String> {
        let mut start = 0;
        for (index, line) in self.source.split_inclusive('\n').enumerate() {
            if index + 1 == place.line as usize {
                let blank = line.len() - line.trim_start().len();
                let offset = match place.column {
                    Some(column) => line.char_indices().nth(column as usize - 1).map(|(byte, _)| byte),
                    None => Some(blank),
                };
                return offset
                    .map(|offset| start + offset)
                    .ok_or_else(|| "there is no such column".to_owned());
            }
            start += line.len();
        }
        Err("there is no such line".to_owned())
    }

    fn assert(&mut self, index: usize, invariant: &ClaimedInvariant) -> Result<(), String> {
        let byte = self.byte(&invariant.place)?;
        let value = &invariant.value;
        if invariant.is_loop {
            let (condition, is_empty) = self.text.loop_condition(byte).ok_or("no loop starts there")?;
            let one = if is_empty { "1" } else { "" };
            let check = format!(
                "__VERIFIER_atomic_begin(), (({value}) ? (void)0 : reach_error()), __VERIFIER_atomic_end(), {one}"
            );
            self.insert(condition, Order::Assertion, check, Some(index));
            return Ok(());
        }
        if self.text.source_point(byte) != Some(SourcePoint::Statement) {
            return Err("no statement starts there".to_owned());
        }
        let check = format!(
            "{{ __VERIFIER_atomic_begin(); if (!({value})) reach_error(); __VERIFIER_atomic_end(); }} "
        );
        if !self.text.is_in_block(byte) {
            self.braces(byte)?;
        }
        self.insert(byte, Order::Assertion, check, Some(index));
        Ok(())
    }

    /// Makes a block of the only statement of a branch or a loop.
    fn braces(&mut self, byte: usize) -> Result<(), String> {
        let has_them = self.made.iter().any(|made| (made.at, made.order) == (byte, Order::BlockBegin));
        let end = self.text.simple_statement_end(byte).ok_or("the statement is part of another one")?;
        if !has_them {
            self.insert(byte, Order::BlockBegin, "{ ".to_owned(), None);
            self.insert(end, Order::BlockEnd, " }".to_owned(), None);
        }
        Ok(())
    }

    fn update(&mut self, update: &ClaimedUpdate, claimed: &Claimed) -> Result<(), String> {
        let byte = self.byte(&update.place)?;
        if self.text.source_point(byte) != Some(SourcePoint::Statement) {
            return Err("no statement starts there".to_owned());
        }
        let is_ghost = |word: &str| claimed.ghosts.iter().any(|ghost| ghost.name == word);
        if let Some((name, _)) = update.changes.iter().find(|(name, _)| !is_ghost(name)) {
            return Err(format!("`{name}` is not a ghost variable"));
        }
        let values: Vec<CText<'_>> = update.changes.iter().map(|(_, value)| CText::new(value)).collect();
        let reads_program = values.iter().any(|value| value.names().any(|name| !is_ghost(name)));
        let assignments: String =
            update.changes.iter().map(|(name, value)| format!("{name} = {value}; ")).collect();
        if !self.text.is_in_block(byte) {
            self.braces(byte)?;
        }
        let end = self.text.simple_statement_end(byte).filter(|_| !reads_program);
        match end.filter(|&end| self.text.is_single_step(byte, end)) {
            Some(end) => {
                self.insert(byte, Order::UpdateBegin, "__VERIFIER_atomic_begin(); ".to_owned(), None);
                self.insert(end, Order::UpdateEnd, format!(" {assignments}__VERIFIER_atomic_end();"), None);
            }
            None => {
                let own = format!("__VERIFIER_atomic_begin(); {assignments}__VERIFIER_atomic_end(); ");
                self.insert(byte, Order::UpdateBegin, own, None);
                self.is_exact = false;
            }
        }
        Ok(())
    }
}
