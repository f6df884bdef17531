//! Scripts to terms.
//!
//! What is understood: declarations of integer, boolean and integer-array constants and of
//! functions, `define-fun` (also with parameters), `assert` with any quantifier-free formula of
//! linear or non-linear integer arithmetic, `let`, and quantifiers that can be moved to the front of an
//! assertion, which is how Horn clauses are written. Everything else is refused with its position.
//!
//! Only commands are read here. Terms are the business of the [`reader`](super::reader).

use super::reader::{Meaning, Parsed, Reader, Theory};
use super::sexpr::{SexprId, Sexprs};
use crate::linear::VarId;
use crate::term::{Sort, TermId, TermPool};

/// Why a text is not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at byte {position}: {message}")]
pub struct ParseError {
    /// The byte at which the offending part starts.
    pub position: usize,
    /// What is wrong with it.
    pub message: String,
}

impl ParseError {
    pub(super) fn new(position: usize, message: impl Into<String>) -> Self {
        Self { position, message: message.into() }
    }
}

/// A command of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `(set-logic NAME)`
    SetLogic(String),
    /// `(assert ...)`
    Assert(Assertion),
    /// `(check-sat)`
    CheckSat,
    /// `(push N)`
    Push(u32),
    /// `(pop N)`
    Pop(u32),
    /// `(get-model)`
    GetModel,
    /// `(exit)`
    Exit,
}

/// A formula, true for all values of the quantified variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// The variables of the outermost universal quantifier; none for a ground formula.
    pub quantified: Vec<VarId>,
    /// What is asserted.
    pub body: TermId,
}

/// Reads a script; its terms are made in `pool`.
pub fn parse(pool: &mut TermPool, text: &str) -> Result<Vec<Command>, ParseError> {
    let sexprs = Sexprs::read(text)?;
    let mut reader = Reader::new(pool, &sexprs, Theory::Arrays);
    let mut commands = Vec::new();
    for &top in &sexprs.top {
        commands.extend(command(&mut reader, top)?);
    }
    Ok(commands)
}

/// Reads a command; declarations and definitions, of which only the names remain, yield nothing.
fn command(reader: &mut Reader<'_>, id: SexprId) -> Parsed<Option<Command>> {
    let parts = reader.expect_list(id, "a command")?;
    let Some((&head, rest)) = parts.split_first() else { return reader.error(id, "an empty command") };
    let name = reader.expect_atom(head, "the name of a command")?;
    Ok(match (name, rest) {
        ("set-info" | "set-option" | "echo", _) => None,
        ("set-logic", &[logic]) => Some(Command::SetLogic(reader.expect_atom(logic, "a logic")?.to_string())),
        ("check-sat", []) => Some(Command::CheckSat),
        ("get-model", []) => Some(Command::GetModel),
        ("exit", []) => Some(Command::Exit),
        ("push", []) => Some(Command::Push(1)),
        ("pop", []) => Some(Command::Pop(1)),
        ("push", &[levels]) => Some(Command::Push(count(reader, levels)?)),
        ("pop", &[levels]) => Some(Command::Pop(count(reader, levels)?)),
        ("declare-const", &[name, sort]) => {
            declare(reader, name, &[], sort)?;
            None
        }
        ("declare-fun", &[name, arguments, sort]) => {
            let arguments = reader.expect_list(arguments, "a list of sorts")?;
            declare(reader, name, arguments, sort)?;
            None
        }
        ("define-fun", &[name, parameters, sort, body]) => {
            reader.define(name, Some(parameters), sort, body)?;
            None
        }
        ("assert", &[formula]) => Some(Command::Assert(reader.assertion(formula)?)),
        _ => return reader.error(id, format!("the command `{name}` is not supported in this form")),
    })
}

fn count(reader: &Reader<'_>, id: SexprId) -> Parsed<u32> {
    match reader.expect_atom(id, "a number")?.parse() {
        Ok(count) => Ok(count),
        Err(_) => reader.error(id, "a number is expected here"),
    }
}

fn declare(reader: &mut Reader<'_>, name: SexprId, arguments: &[SexprId], result: SexprId) -> Parsed<()> {
    let text = reader.expect_atom(name, "a name")?;
    let result = reader.sort(result)?;
    let arguments = arguments.iter().map(|&sort| reader.sort(sort)).collect::<Parsed<Vec<Sort>>>()?;
    reader.expect_new(name, text)?;
    let meaning = if arguments.is_empty() {
        Meaning::Term(named_variable(reader.pool, text, result))
    } else if arguments.contains(&Sort::Array) || result == Sort::Array {
        return reader.error(name, "functions from or to arrays are not supported");
    } else {
        let function = reader.pool.function(text, arguments.len(), result);
        Meaning::Function { function, arguments }
    };
    reader.bind(text, meaning);
    Ok(())
}

/// The variable of a printed name: `x#2` is the second copy of `x`.
fn named_variable(pool: &mut TermPool, name: &str, sort: Sort) -> TermId {
    let (symbol, copy) = match name.rsplit_once('#') {
        Some((symbol, copy)) if !copy.starts_with('0') => match copy.parse() {
            Ok(copy) => (symbol, copy),
            Err(_) => (name, 0),
        },
        _ => (name, 0),
    };
    let symbol = pool.symbol(symbol);
    let variable = pool.variable_id(crate::term::Variable { symbol, copy, sort });
    pool.var(variable)
}
