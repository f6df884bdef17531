//! Commands: declarations, definitions and assertions.

use rely_logic::interpolate::UnknownId;
use rely_logic::smtlib::{SexprId, SexprKind, Sexprs};
use rely_logic::{FunctionId, Sort, TermId, TermPool};
use rustc_hash::FxHashMap;

use super::clausify::clausify;
use super::{Parsed, SyntaxError, Trouble};
use crate::clauses::{Model, System};

/// Reads a text; its terms are made in `pool`.
///
/// ```
/// use rely_logic::TermPool;
///
/// let error = rely_horn::parse(&mut TermPool::new(), "(declare-fun p (Real) Bool)").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "1:17: the sort `Real` is not supported; predicates are over Int and Bool"
/// );
/// ```
pub fn parse(pool: &mut TermPool, text: &str) -> Result<System, SyntaxError> {
    read(pool, text).map_err(|trouble| trouble.in_text(text))
}

fn read(pool: &mut TermPool, text: &str) -> Parsed<System> {
    let sexprs =
        Sexprs::read(text).map_err(|error| Trouble { position: error.position, message: error.message })?;
    let mut parser = Parser {
        pool,
        sexprs: &sexprs,
        scope: FxHashMap::default(),
        predicates: FxHashMap::default(),
        system: System::new(),
        text,
    };
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
    read_model(pool, system, text).map_err(|trouble| trouble.in_text(text))
}

fn read_model(pool: &mut TermPool, system: &System, text: &str) -> Parsed<Model> {
    let sexprs =
        Sexprs::read(text).map_err(|error| Trouble { position: error.position, message: error.message })?;
    let mut definitions: Vec<SexprId> = Vec::new();
    for &top in &sexprs.top {
        let parts = sexprs.list(top).unwrap_or_default();
        let is_definition = parts.first().is_some_and(|&first| sexprs.atom(first) == Some("define-fun"));
        match is_definition {
            true => definitions.push(top),
            false => definitions.extend(parts.iter().copied().filter(|&part| sexprs.list(part).is_some())),
        }
    }
    let mut parser = Parser {
        pool,
        sexprs: &sexprs,
        scope: FxHashMap::default(),
        predicates: FxHashMap::default(),
        system: System::new(),
        text,
    };
    for &definition in &definitions {
        parser.command(definition)?;
    }
    let mut model = Model::new();
    for unknown in system.unknowns().values() {
        let meaning = parser.scope.get(&unknown.name).and_then(|meanings| meanings.last()).cloned();
        let own: Vec<TermId> =
            unknown.parameters.iter().map(|&parameter| parser.pool.var(parameter)).collect();
        let formula = match meaning {
            Some(Meaning::Term(term)) if own.is_empty() => term,
            Some(Meaning::Macro { parameters, body }) if parameters.len() == own.len() => {
                let replacements = parameters.into_iter().zip(own).collect();
                parser.pool.substitute(body, &replacements)
            }
            _ => {
                let message = format!("the model does not define `{}` over its parameters", unknown.name);
                return Err(Trouble { position: 0, message });
            }
        };
        model.push(formula);
    }
    Ok(model)
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    Term(TermId),
    Predicate(FunctionId),
    Macro { parameters: Vec<TermId>, body: TermId },
}

#[derive(PartialEq, Eq)]
enum Next {
    GoOn,
    Stop,
}

pub(super) struct Parser<'a> {
    pub(super) pool: &'a mut TermPool,
    pub(super) sexprs: &'a Sexprs,
    /// Each name with its meanings, the innermost last.
    pub(super) scope: FxHashMap<String, Vec<Meaning>>,
    /// Predicates are functions of the pool until clauses are made.
    pub(super) predicates: FxHashMap<FunctionId, (UnknownId, Vec<Sort>)>,
    system: System,
    text: &'a str,
}

impl Parser<'_> {
    pub(super) fn error<T>(&self, at: SexprId, message: impl Into<String>) -> Parsed<T> {
        Err(Trouble { position: self.sexprs.nodes[at].start, message: message.into() })
    }

    pub(super) fn expect_list(&self, id: SexprId, what: &str) -> Parsed<Vec<SexprId>> {
        match self.sexprs.list(id) {
            Some(children) => Ok(children.to_vec()),
            None => self.error(id, format!("{what} is expected here")),
        }
    }

    pub(super) fn expect_atom(&self, id: SexprId, what: &str) -> Parsed<String> {
        match self.sexprs.atom(id) {
            Some(text) => Ok(text.to_owned()),
            None => self.error(id, format!("{what} is expected here")),
        }
    }

    fn command(&mut self, id: SexprId) -> Parsed<Next> {
        let parts = self.expect_list(id, "a command")?;
        let Some((&head, rest)) = parts.split_first() else { return self.error(id, "an empty command") };
        let name = self.expect_atom(head, "the name of a command")?;
        match (name.as_str(), rest) {
            ("set-info" | "set-option" | "echo" | "get-model" | "get-info" | "check-sat", _) => {}
            ("exit", _) => return Ok(Next::Stop),
            ("set-logic", &[logic]) => self.logic(logic)?,
            ("declare-const", &[name, sort]) => self.declare(name, &[], Some(sort))?,
            ("declare-fun", &[name, arguments, sort]) => {
                let arguments = self.expect_list(arguments, "a list of sorts")?;
                self.declare(name, &arguments, Some(sort))?;
            }
            ("declare-rel", &[name, arguments]) => {
                let arguments = self.expect_list(arguments, "a list of sorts")?;
                self.declare(name, &arguments, None)?;
            }
            ("define-fun", &[name, parameters, sort, body]) => {
                self.define(name, Some(parameters), sort, body)?;
            }
            ("define-const", &[name, sort, body]) => self.define(name, None, sort, body)?,
            ("assert", &[formula]) => self.assertion(formula)?,
            ("rule" | "query" | "declare-var", _) => {
                let message =
                    format!("`{name}` belongs to another format; write rules as `(assert (forall ...))`");
                return self.error(id, message);
            }
            _ => return self.error(id, format!("the command `{name}` is not supported in this form")),
        }
        Ok(Next::GoOn)
    }

    fn logic(&self, id: SexprId) -> Parsed<()> {
        match self.expect_atom(id, "a logic")?.as_str() {
            "HORN" => Ok(()),
            other => self.error(id, format!("the logic is `{other}`; only HORN is read here")),
        }
    }

    pub(super) fn sort(&self, id: SexprId) -> Parsed<Sort> {
        match self.sexprs.atom(id) {
            Some("Int") => Ok(Sort::Int),
            Some("Bool") => Ok(Sort::Bool),
            _ => {
                let written = self.written(id);
                self.error(
                    id,
                    format!("the sort `{written}` is not supported; predicates are over Int and Bool"),
                )
            }
        }
    }

    /// A short text for a message.
    fn written(&self, id: SexprId) -> String {
        match &self.sexprs.nodes[id].kind {
            SexprKind::Atom(text) | SexprKind::Text(text) => text.clone(),
            SexprKind::List(parts) => {
                let word = |&part: &SexprId| self.sexprs.atom(part).unwrap_or("...");
                let words: Vec<&str> = parts.iter().take(4).map(word).collect();
                let more = if parts.len() > 4 { " ..." } else { "" };
                format!("({}{more})", words.join(" "))
            }
        }
    }

    fn declare(&mut self, name: SexprId, arguments: &[SexprId], result: Option<SexprId>) -> Parsed<()> {
        let text = self.expect_atom(name, "a name")?;
        let sorts = arguments.iter().map(|&sort| self.sort(sort)).collect::<Parsed<Vec<Sort>>>()?;
        if let Some(result) = result
            && self.sort(result)? != Sort::Bool
        {
            let kind = if sorts.is_empty() { "constants" } else { "functions" };
            let message =
                format!("`{text}` is no predicate: uninterpreted {kind} are not supported in Horn clauses");
            return self.error(name, message);
        }
        self.expect_new(name, &text)?;
        let unknown = self.system.declare(self.pool, &text, &sorts);
        let function = self.pool.function(&text, sorts.len(), Sort::Bool);
        self.predicates.insert(function, (unknown, sorts));
        self.scope.insert(text, vec![Meaning::Predicate(function)]);
        Ok(())
    }

    fn expect_new(&self, at: SexprId, name: &str) -> Parsed<()> {
        match self.scope.get(name) {
            Some(meanings) if !meanings.is_empty() => self.error(at, format!("`{name}` is declared twice")),
            _ => Ok(()),
        }
    }

    fn define(
        &mut self,
        name: SexprId,
        parameters: Option<SexprId>,
        sort: SexprId,
        body: SexprId,
    ) -> Parsed<()> {
        let text = self.expect_atom(name, "a name")?;
        self.expect_new(name, &text)?;
        let bound = match parameters {
            Some(parameters) => self.bind_fresh(parameters)?,
            None => Vec::new(),
        };
        let sort = self.sort(sort)?;
        let result = self.term(body, None)?;
        self.unbind(bound.iter().map(|(name, _)| name.as_str()));
        if self.pool.sort(result) != sort {
            return self.error(body, "the body does not have the sort of the definition");
        }
        let parameters: Vec<TermId> = bound.into_iter().map(|(_, term)| term).collect();
        let meaning = match parameters.is_empty() {
            true => Meaning::Term(result),
            false => Meaning::Macro { parameters, body: result },
        };
        self.scope.insert(text, vec![meaning]);
        Ok(())
    }

    /// Binds each `(name sort)` of a list to a fresh variable.
    pub(super) fn bind_fresh(&mut self, list: SexprId) -> Parsed<Vec<(String, TermId)>> {
        let mut bound = Vec::new();
        for entry in self.expect_list(list, "a list of names with sorts")? {
            let &[name, sort] = self.expect_list(entry, "a name with its sort")?.as_slice() else {
                return self.error(entry, "a name with its sort is expected here");
            };
            let name = self.expect_atom(name, "a name")?;
            let sort = self.sort(sort)?;
            let variable = self.pool.fresh_variable(&name, sort);
            bound.push((name, self.pool.var(variable)));
        }
        for (name, term) in &bound {
            self.scope.entry(name.clone()).or_default().push(Meaning::Term(*term));
        }
        Ok(bound)
    }

    pub(super) fn unbind<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        for name in names {
            if let Some(meanings) = self.scope.get_mut(name) {
                meanings.pop();
            }
        }
    }

    fn assertion(&mut self, id: SexprId) -> Parsed<()> {
        let formula = self.term(id, Some(true))?;
        if self.pool.sort(formula) != Sort::Bool {
            return self.error(id, "a formula is expected here");
        }
        let clauses = match clausify(self.pool, formula, &self.predicates) {
            Ok(clauses) => clauses,
            Err(not_horn) => return self.error(id, not_horn.to_string()),
        };
        let before = self.text.get(..self.sexprs.nodes[id].start).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        for clause in clauses {
            if let Err(malformed) = self.system.add_from(self.pool, clause, Some(line)) {
                return self.error(id, malformed.to_string());
            }
        }
        Ok(())
    }
}
