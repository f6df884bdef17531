//! Commands: declarations, definitions and assertions. Terms are read by `rely_logic::smtlib::Reader`.

use rely_logic::interpolate::UnknownId;
use rely_logic::smtlib::{Meaning, ParseError, Parsed, Reader, SexprId, Sexprs, Theory};
use rely_logic::{FunctionId, Sort, TermId, TermPool};
use rustc_hash::FxHashMap;

use super::SyntaxError;
use super::clausify::clausify;
use crate::clauses::{Model, System};

/// Reads a text; its terms are made in `pool`.
///
/// ```
/// use rely_logic::TermPool;
///
/// let error = rely_horn::parse(&mut TermPool::new(), "(declare-fun p (Real) Bool)").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "1:17: the sort `Real` is not supported; constraints are over Int and Bool"
/// );
/// ```
pub fn parse(pool: &mut TermPool, text: &str) -> Result<System, SyntaxError> {
    read(pool, text).map_err(|error| SyntaxError::in_text(error, text))
}

fn read(pool: &mut TermPool, text: &str) -> Parsed<System> {
    let sexprs = Sexprs::read(text)?;
    let mut parser = Parser::new(pool, &sexprs, text);
    for &top in &sexprs.top {
        if parser.command(top)? == Next::Stop {
            break;
        }
    }
    Ok(parser.system)
}

/// Reads a model as solvers print it: a `define-fun` for every predicate, alone or in a list. Terms are made
/// in `pool`.
pub fn parse_model(pool: &mut TermPool, system: &System, text: &str) -> Result<Model, SyntaxError> {
    read_model(pool, system, text).map_err(|error| SyntaxError::in_text(error, text))
}

fn read_model(pool: &mut TermPool, system: &System, text: &str) -> Parsed<Model> {
    let sexprs = Sexprs::read(text)?;
    let mut definitions: Vec<SexprId> = Vec::new();
    for &top in &sexprs.top {
        let parts = sexprs.list(top).unwrap_or_default();
        let is_definition = parts.first().is_some_and(|&first| sexprs.atom(first) == Some("define-fun"));
        match is_definition {
            true => definitions.push(top),
            false => definitions.extend(parts.iter().copied().filter(|&part| sexprs.list(part).is_some())),
        }
    }
    let mut parser = Parser::new(pool, &sexprs, text);
    for &definition in &definitions {
        parser.command(definition)?;
    }
    let reader = parser.reader;
    let mut model = Model::new();
    for unknown in system.unknowns().values() {
        let meaning = reader.meaning(&unknown.name).cloned();
        let own: Vec<TermId> =
            unknown.parameters.iter().map(|&parameter| reader.pool.var(parameter)).collect();
        let formula = match meaning {
            Some(Meaning::Term(term)) if own.is_empty() => term,
            Some(Meaning::Macro { parameters, body }) if parameters.len() == own.len() => {
                let replacements = parameters.into_iter().zip(own).collect();
                reader.pool.substitute(body, &replacements)
            }
            _ => {
                let message = format!("the model does not define `{}` over its parameters", unknown.name);
                return Err(ParseError { position: 0, message });
            }
        };
        model.push(formula);
    }
    Ok(model)
}

#[derive(PartialEq, Eq)]
enum Next {
    GoOn,
    Stop,
}

struct Parser<'a> {
    reader: Reader<'a>,
    /// Predicates are functions of the pool until clauses are made.
    predicates: FxHashMap<FunctionId, (UnknownId, Vec<Sort>)>,
    system: System,
    text: &'a str,
}

impl<'a> Parser<'a> {
    fn new(pool: &'a mut TermPool, sexprs: &'a Sexprs, text: &'a str) -> Self {
        let reader = Reader::new(pool, sexprs, Theory::Integers);
        Self { reader, predicates: FxHashMap::default(), system: System::new(), text }
    }

    fn command(&mut self, id: SexprId) -> Parsed<Next> {
        let reader = &mut self.reader;
        let parts = reader.expect_list(id, "a command")?;
        let Some((&head, rest)) = parts.split_first() else { return reader.error(id, "an empty command") };
        let name = reader.expect_atom(head, "the name of a command")?;
        match (name, rest) {
            ("set-info" | "set-option" | "echo" | "get-model" | "get-info" | "check-sat", _) => {}
            ("exit", _) => return Ok(Next::Stop),
            ("set-logic", &[logic]) => self.logic(logic)?,
            ("declare-const", &[name, sort]) => self.declare(name, &[], Some(sort))?,
            ("declare-fun", &[name, arguments, sort]) => {
                let arguments = reader.expect_list(arguments, "a list of sorts")?;
                self.declare(name, arguments, Some(sort))?;
            }
            ("declare-rel", &[name, arguments]) => {
                let arguments = reader.expect_list(arguments, "a list of sorts")?;
                self.declare(name, arguments, None)?;
            }
            ("define-fun", &[name, parameters, sort, body]) => {
                reader.define(name, Some(parameters), sort, body)?;
            }
            ("define-const", &[name, sort, body]) => reader.define(name, None, sort, body)?,
            ("assert", &[formula]) => self.assertion(formula)?,
            ("rule" | "query" | "declare-var", _) => {
                let message =
                    format!("`{name}` belongs to another format; write rules as `(assert (forall ...))`");
                return reader.error(id, message);
            }
            _ => return reader.error(id, format!("the command `{name}` is not supported in this form")),
        }
        Ok(Next::GoOn)
    }

    fn logic(&self, id: SexprId) -> Parsed<()> {
        match self.reader.expect_atom(id, "a logic")? {
            "HORN" => Ok(()),
            other => self.reader.error(id, format!("the logic is `{other}`; only HORN is read here")),
        }
    }

    fn declare(&mut self, name: SexprId, arguments: &[SexprId], result: Option<SexprId>) -> Parsed<()> {
        let reader = &mut self.reader;
        let text = reader.expect_atom(name, "a name")?;
        let arguments = arguments.iter().map(|&sort| reader.sort(sort)).collect::<Parsed<Vec<Sort>>>()?;
        if let Some(result) = result
            && reader.sort(result)? != Sort::Bool
        {
            let kind = if arguments.is_empty() { "constants" } else { "functions" };
            let message =
                format!("`{text}` is no predicate: uninterpreted {kind} are not supported in Horn clauses");
            return reader.error(name, message);
        }
        reader.expect_new(name, text)?;
        let unknown = self.system.declare(reader.pool, text, &arguments);
        let function = reader.pool.function(text, arguments.len(), Sort::Bool);
        self.predicates.insert(function, (unknown, arguments.clone()));
        reader.bind(text, Meaning::Function { function, arguments });
        Ok(())
    }

    fn assertion(&mut self, id: SexprId) -> Parsed<()> {
        let formula = self.reader.assertion(id)?.body;
        let clauses = match clausify(self.reader.pool, formula, &self.predicates) {
            Ok(clauses) => clauses,
            Err(not_horn) => return self.reader.error(id, not_horn.to_string()),
        };
        let before = self.text.get(..self.reader.sexprs.nodes[id].start).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        for clause in clauses {
            if let Err(malformed) = self.system.add_from(self.reader.pool, clause, Some(line)) {
                return self.reader.error(id, malformed.to_string());
            }
        }
        Ok(())
    }
}
