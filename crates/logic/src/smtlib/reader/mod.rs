//! Terms of a text: names with their meanings, sorts, declarations and definitions. Whoever reads commands
//! (scripts here, Horn clauses in another crate) has a [`Reader`] for what stands inside of them.
//!
//! Nothing here recurses, so that no text exhausts the stack.

mod operators;
mod terms;

use rustc_hash::FxHashMap;

use super::parse::{Assertion, ParseError};
use super::sexpr::{SexprId, SexprKind, Sexprs};
use crate::linear::VarId;
use crate::term::{FunctionId, Sort, TermId, TermPool};

/// Of what constraints may speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theory {
    /// Integers and truth values.
    Integers,
    /// Arrays of integers, too.
    Arrays,
}

impl Theory {
    /// The sorts as a message names them.
    fn sorts(self) -> &'static str {
        match self {
            Theory::Integers => "Int and Bool",
            Theory::Arrays => "Int, Bool and (Array Int Int)",
        }
    }
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// A term.
    Term(TermId),
    /// A function that has no meaning but its name.
    Function {
        /// The function of the pool. It maps integers; a truth value `b` is passed as `ite(b, 1, 0)`.
        function: FunctionId,
        /// The sorts of its arguments.
        arguments: Vec<Sort>,
    },
    /// A term with parameters.
    Macro {
        /// The variables that are replaced by the arguments.
        parameters: Vec<TermId>,
        /// The term over them.
        body: TermId,
    },
}

/// What was read, or why not.
pub type Parsed<T> = Result<T, ParseError>;

/// Makes terms of one text in a pool.
pub struct Reader<'a> {
    /// Where terms are made.
    pub pool: &'a mut TermPool,
    /// What is read.
    pub sexprs: &'a Sexprs,
    theory: Theory,
    /// Each name with its meanings, the innermost last.
    scope: FxHashMap<&'a str, Vec<Meaning>>,
    /// The variables that quantifiers have bound since the last assertion.
    quantified: Vec<VarId>,
}

impl<'a> Reader<'a> {
    /// A reader that knows no names.
    pub fn new(pool: &'a mut TermPool, sexprs: &'a Sexprs, theory: Theory) -> Self {
        Self { pool, sexprs, theory, scope: FxHashMap::default(), quantified: Vec::new() }
    }

    /// An error that points to an expression.
    pub fn error<T>(&self, at: SexprId, message: impl Into<String>) -> Parsed<T> {
        Err(ParseError::new(self.sexprs.nodes[at].start, message))
    }

    /// The children of a list, or an error that says what the list should be.
    pub fn expect_list(&self, id: SexprId, what: &str) -> Parsed<&'a [SexprId]> {
        match self.sexprs.list(id) {
            Some(children) => Ok(children),
            None => self.error(id, format!("{what} is expected here")),
        }
    }

    /// The text of an atom, or an error that says what the atom should be.
    pub fn expect_atom(&self, id: SexprId, what: &str) -> Parsed<&'a str> {
        match self.sexprs.atom(id) {
            Some(text) => Ok(text),
            None => self.error(id, format!("{what} is expected here")),
        }
    }

    /// A sort of the theory.
    pub fn sort(&self, id: SexprId) -> Parsed<Sort> {
        let parts = self.sexprs.list(id).unwrap_or_default();
        let words: Vec<Option<&str>> = parts.iter().take(4).map(|&part| self.sexprs.atom(part)).collect();
        match (self.sexprs.atom(id), words.as_slice()) {
            (Some("Int"), _) => Ok(Sort::Int),
            (Some("Bool"), _) => Ok(Sort::Bool),
            (None, [Some("Array"), Some("Int"), Some("Int")]) if self.theory == Theory::Arrays => {
                Ok(Sort::Array)
            }
            _ => {
                let (written, sorts) = (self.written(id), self.theory.sorts());
                self.error(id, format!("the sort `{written}` is not supported; constraints are over {sorts}"))
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

    /// What a name stands for.
    pub fn meaning(&self, name: &str) -> Option<&Meaning> {
        self.scope.get(name).and_then(|meanings| meanings.last())
    }

    /// Refuses a name that has a meaning already.
    pub fn expect_new(&self, at: SexprId, name: &str) -> Parsed<()> {
        match self.meaning(name) {
            Some(_) => self.error(at, format!("`{name}` is declared twice")),
            None => Ok(()),
        }
    }

    /// Gives a name a meaning inside of all meanings that it has.
    pub fn bind(&mut self, name: &'a str, meaning: Meaning) {
        self.scope.entry(name).or_default().push(meaning);
    }

    fn unbind(&mut self, names: &[&'a str]) {
        for name in names {
            if let Some(meanings) = self.scope.get_mut(name) {
                meanings.pop();
            }
        }
    }

    /// Binds each `(name sort)` of a list to a fresh variable.
    fn bind_fresh(&mut self, list: SexprId) -> Parsed<(Vec<&'a str>, Vec<VarId>)> {
        let (mut names, mut variables) = (Vec::new(), Vec::new());
        for &entry in self.expect_list(list, "a list of names with sorts")? {
            let &[name, sort] = self.expect_list(entry, "a name with its sort")? else {
                return self.error(entry, "a name with its sort is expected here");
            };
            let name = self.expect_atom(name, "a name")?;
            let sort = self.sort(sort)?;
            names.push(name);
            variables.push(self.pool.fresh_variable(name, sort));
        }
        for (name, &variable) in names.iter().zip(&variables) {
            let term = self.pool.var(variable);
            self.bind(name, Meaning::Term(term));
        }
        Ok((names, variables))
    }

    /// `define-fun`, and `define-const`, which has no parameters.
    pub fn define(
        &mut self,
        name: SexprId,
        parameters: Option<SexprId>,
        sort: SexprId,
        body: SexprId,
    ) -> Parsed<()> {
        let text = self.expect_atom(name, "a name")?;
        self.expect_new(name, text)?;
        let (names, variables) = match parameters {
            Some(parameters) => self.bind_fresh(parameters)?,
            None => (Vec::new(), Vec::new()),
        };
        let sort = self.sort(sort)?;
        let result = self.term(body, None)?;
        self.unbind(&names);
        if self.pool.sort(result) != sort {
            return self.error(body, "the body does not have the sort of the definition");
        }
        let parameters: Vec<TermId> = variables.into_iter().map(|variable| self.pool.var(variable)).collect();
        let meaning = match parameters.is_empty() {
            true => Meaning::Term(result),
            false => Meaning::Macro { parameters, body: result },
        };
        self.bind(text, meaning);
        Ok(())
    }

    /// An asserted formula. Its quantifiers are moved to the front; where they cannot be, they are refused.
    pub fn assertion(&mut self, id: SexprId) -> Parsed<Assertion> {
        self.quantified.clear();
        let body = self.term(id, Some(true))?;
        match self.pool.sort(body) {
            Sort::Bool => Ok(Assertion { quantified: std::mem::take(&mut self.quantified), body }),
            _ => self.error(id, "a formula is expected here"),
        }
    }
}
