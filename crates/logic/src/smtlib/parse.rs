//! Scripts to terms.
//!
//! What is understood: declarations of integer, boolean and integer-array constants and of
//! functions, `define-fun` (also with parameters), `assert` with any quantifier-free formula of
//! linear or non-linear integer arithmetic, `let`, and universal quantifiers in front of an
//! assertion, which is how Horn clauses are written. Everything else is refused with its position.
//!
//! Functions of this crate map integers; a boolean argument `b` is passed as `ite(b, 1, 0)`.

use rustc_hash::FxHashMap;

use super::sexpr::{SexprId, SexprKind, Sexprs};
use crate::arith::Integer;
use crate::linear::VarId;
use crate::term::{FunctionId, Sort, TermId, TermPool};

/// How deep terms may be nested in the text; chains of `let` do not count.
const DEEPEST_NESTING: usize = 1_500;

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
    let mut parser = Parser { pool, sexprs: &sexprs, scope: FxHashMap::default() };
    let mut commands = Vec::new();
    for &top in &sexprs.top {
        commands.extend(parser.command(top)?);
    }
    Ok(commands)
}

/// What a name stands for.
#[derive(Clone, Debug)]
enum Meaning {
    Term(TermId),
    Function { function: FunctionId, arguments: Vec<Sort> },
    Macro { parameters: Vec<TermId>, body: TermId },
}

struct Parser<'a> {
    pool: &'a mut TermPool,
    sexprs: &'a Sexprs,
    /// Each name with its meanings, the innermost last.
    scope: FxHashMap<String, Vec<Meaning>>,
}

type Parsed<T> = Result<T, ParseError>;

impl Parser<'_> {
    fn error<T>(&self, at: SexprId, message: impl Into<String>) -> Parsed<T> {
        Err(ParseError::new(self.sexprs.nodes[at].start, message))
    }

    fn expect_list(&self, id: SexprId, what: &str) -> Parsed<&[SexprId]> {
        match self.sexprs.list(id) {
            Some(children) => Ok(children),
            None => self.error(id, format!("{what} is expected here")),
        }
    }

    fn expect_atom(&self, id: SexprId, what: &str) -> Parsed<&str> {
        match self.sexprs.atom(id) {
            Some(text) => Ok(text),
            None => self.error(id, format!("{what} is expected here")),
        }
    }

    fn command(&mut self, id: SexprId) -> Parsed<Option<Command>> {
        let parts = self.expect_list(id, "a command")?.to_vec();
        let Some((&head, rest)) = parts.split_first() else { return self.error(id, "an empty command") };
        let name = self.expect_atom(head, "the name of a command")?.to_string();
        Ok(match (name.as_str(), rest) {
            ("set-info" | "set-option" | "echo", _) => None,
            ("set-logic", [logic]) => {
                Some(Command::SetLogic(self.expect_atom(*logic, "a logic")?.to_string()))
            }
            ("check-sat", []) => Some(Command::CheckSat),
            ("get-model", []) => Some(Command::GetModel),
            ("exit", []) => Some(Command::Exit),
            ("push", []) => Some(Command::Push(1)),
            ("pop", []) => Some(Command::Pop(1)),
            ("push", [count]) => Some(Command::Push(self.count(*count)?)),
            ("pop", [count]) => Some(Command::Pop(self.count(*count)?)),
            ("declare-const", [name, sort]) => self.declare(*name, &[], *sort)?,
            ("declare-fun", [name, arguments, sort]) => {
                let arguments = self.expect_list(*arguments, "a list of sorts")?.to_vec();
                self.declare(*name, &arguments, *sort)?
            }
            ("define-fun", [name, parameters, sort, body]) => {
                self.define(*name, *parameters, *sort, *body)?
            }
            ("assert", [formula]) => Some(Command::Assert(self.assertion(*formula)?)),
            _ => return self.error(id, format!("the command `{name}` is not supported in this form")),
        })
    }

    fn count(&self, id: SexprId) -> Parsed<u32> {
        match self.expect_atom(id, "a number")?.parse() {
            Ok(count) => Ok(count),
            Err(_) => self.error(id, "a number is expected here"),
        }
    }

    fn sort(&self, id: SexprId) -> Parsed<Sort> {
        match &self.sexprs.nodes[id].kind {
            SexprKind::Atom(name) if name == "Int" => Ok(Sort::Int),
            SexprKind::Atom(name) if name == "Bool" => Ok(Sort::Bool),
            SexprKind::List(parts) => {
                match parts.iter().map(|&part| self.sexprs.atom(part)).collect::<Vec<_>>()[..] {
                    [Some("Array"), Some("Int"), Some("Int")] => Ok(Sort::Array),
                    _ => {
                        self.error(id, "this sort is not supported; there are Int, Bool and (Array Int Int)")
                    }
                }
            }
            _ => self.error(id, "this sort is not supported; there are Int, Bool and (Array Int Int)"),
        }
    }

    fn declare(&mut self, name: SexprId, arguments: &[SexprId], result: SexprId) -> Parsed<Option<Command>> {
        let text = self.expect_atom(name, "a name")?.to_string();
        let result_sort = self.sort(result)?;
        let arguments = arguments.iter().map(|&sort| self.sort(sort)).collect::<Parsed<Vec<Sort>>>()?;
        if self.scope.get(&text).is_some_and(|meanings| !meanings.is_empty()) {
            return self.error(name, format!("`{text}` is declared twice"));
        }
        let meaning = if arguments.is_empty() {
            Meaning::Term(self.named_variable(&text, result_sort))
        } else if arguments.contains(&Sort::Array) || result_sort == Sort::Array {
            return self.error(name, "functions from or to arrays are not supported");
        } else {
            let function = self.pool.function(&text, arguments.len(), result_sort);
            Meaning::Function { function, arguments }
        };
        self.scope.insert(text, vec![meaning]);
        Ok(None)
    }

    /// The variable of a printed name: `x#2` is the second copy of `x`.
    fn named_variable(&mut self, name: &str, sort: Sort) -> TermId {
        let (symbol, copy) = match name.rsplit_once('#') {
            Some((symbol, copy)) if !copy.starts_with('0') => match copy.parse() {
                Ok(copy) => (symbol, copy),
                Err(_) => (name, 0),
            },
            _ => (name, 0),
        };
        let symbol = self.pool.symbol(symbol);
        let variable = self.pool.variable_id(crate::term::Variable { symbol, copy, sort });
        self.pool.var(variable)
    }

    fn define(
        &mut self,
        name: SexprId,
        parameters: SexprId,
        sort: SexprId,
        body: SexprId,
    ) -> Parsed<Option<Command>> {
        let text = self.expect_atom(name, "a name")?.to_string();
        let bound = self.bind_fresh(parameters)?;
        let result = self.term(body, 0);
        self.unbind(bound.iter().map(|(name, _)| name.as_str()));
        let result = result?;
        if self.pool.sort(result) != self.sort(sort)? {
            return self.error(body, "the body does not have the sort of the definition");
        }
        let parameters: Vec<TermId> = bound.into_iter().map(|(_, term)| term).collect();
        let meaning = if parameters.is_empty() {
            Meaning::Term(result)
        } else {
            Meaning::Macro { parameters, body: result }
        };
        if self.scope.get(&text).is_some_and(|meanings| !meanings.is_empty()) {
            return self.error(name, format!("`{text}` is declared twice"));
        }
        self.scope.insert(text, vec![meaning]);
        Ok(None)
    }

    /// Binds each `(name sort)` of a list to a fresh variable.
    fn bind_fresh(&mut self, list: SexprId) -> Parsed<Vec<(String, TermId)>> {
        let entries = self.expect_list(list, "a list of names with sorts")?.to_vec();
        let mut bound = Vec::with_capacity(entries.len());
        for entry in entries {
            let &[name, sort] = self.expect_list(entry, "a name with its sort")? else {
                return self.error(entry, "a name with its sort is expected here");
            };
            let name = self.expect_atom(name, "a name")?.to_string();
            let sort = self.sort(sort)?;
            let variable = self.pool.fresh_variable(&name, sort);
            bound.push((name, self.pool.var(variable)));
        }
        for (name, term) in &bound {
            self.scope.entry(name.clone()).or_default().push(Meaning::Term(*term));
        }
        Ok(bound)
    }

    fn unbind<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        for name in names {
            if let Some(meanings) = self.scope.get_mut(name) {
                meanings.pop();
            }
        }
    }

    fn assertion(&mut self, id: SexprId) -> Parsed<Assertion> {
        if let Some(&[head, variables, body]) = self.sexprs.list(id)
            && self.sexprs.atom(head) == Some("forall")
        {
            let bound = self.bind_fresh(variables)?;
            let inner = self.assertion(body);
            self.unbind(bound.iter().map(|(name, _)| name.as_str()));
            let inner = inner?;
            let own = bound.iter().filter_map(|(_, term)| self.pool.as_var(*term));
            return Ok(Assertion { quantified: own.chain(inner.quantified).collect(), body: inner.body });
        }
        let body = self.formula(id, 0)?;
        Ok(Assertion { quantified: Vec::new(), body })
    }

    fn formula(&mut self, id: SexprId, depth: usize) -> Parsed<TermId> {
        let term = self.term(id, depth)?;
        if self.pool.sort(term) == Sort::Bool {
            Ok(term)
        } else {
            self.error(id, "a formula is expected here")
        }
    }

    fn integer(&mut self, id: SexprId, depth: usize) -> Parsed<TermId> {
        let term = self.term(id, depth)?;
        if self.pool.sort(term) == Sort::Int {
            Ok(term)
        } else {
            self.error(id, "an integer is expected here")
        }
    }

    fn term(&mut self, id: SexprId, depth: usize) -> Parsed<TermId> {
        if depth > DEEPEST_NESTING {
            return self.error(id, format!("terms are nested more than {DEEPEST_NESTING} deep"));
        }
        // Chains of `let` are followed in a loop: generated files have thousands in a row.
        let mut current = id;
        let mut bound: Vec<String> = Vec::new();
        let result = loop {
            let Some((bindings, body)) = self.let_parts(current) else {
                break self.plain_term(current, depth);
            };
            match self.bind_let(bindings, depth) {
                Ok(names) => bound.extend(names),
                Err(error) => break Err(error),
            }
            current = body;
        };
        self.unbind(bound.iter().map(String::as_str));
        result
    }

    fn let_parts(&self, id: SexprId) -> Option<(SexprId, SexprId)> {
        match self.sexprs.list(id)? {
            &[head, bindings, body] if self.sexprs.atom(head) == Some("let") => Some((bindings, body)),
            _ => None,
        }
    }

    fn bind_let(&mut self, bindings: SexprId, depth: usize) -> Parsed<Vec<String>> {
        let entries = self.expect_list(bindings, "a list of bindings")?.to_vec();
        let mut values = Vec::with_capacity(entries.len());
        for entry in entries {
            let &[name, value] = self.expect_list(entry, "a binding")? else {
                return self.error(entry, "a name with its value is expected here");
            };
            let name = self.expect_atom(name, "a name")?.to_string();
            values.push((name, self.term(value, depth + 1)?));
        }
        let names = values.iter().map(|(name, _)| name.clone()).collect();
        for (name, value) in values {
            self.scope.entry(name).or_default().push(Meaning::Term(value));
        }
        Ok(names)
    }

    fn plain_term(&mut self, id: SexprId, depth: usize) -> Parsed<TermId> {
        match &self.sexprs.nodes[id].kind {
            SexprKind::Text(_) => self.error(id, "strings are not supported"),
            SexprKind::Atom(text) => self.atom_term(id, text),
            SexprKind::List(parts) => {
                let Some((&head, arguments)) = parts.split_first() else {
                    return self.error(id, "a term is expected here");
                };
                let Some(name) = self.sexprs.atom(head) else {
                    return self.error(head, "the name of a function is expected here");
                };
                self.application(id, name, arguments, depth + 1)
            }
        }
    }

    fn atom_term(&mut self, id: SexprId, text: &str) -> Parsed<TermId> {
        if let Some(meaning) = self.scope.get(text).and_then(|meanings| meanings.last()) {
            return match meaning {
                Meaning::Term(term) => Ok(*term),
                Meaning::Function { .. } | Meaning::Macro { .. } => {
                    self.error(id, format!("the function `{text}` needs arguments"))
                }
            };
        }
        match text {
            "true" => Ok(self.pool.truth(true)),
            "false" => Ok(self.pool.truth(false)),
            _ if text.bytes().all(|byte| byte.is_ascii_digit()) => match text.parse::<Integer>() {
                Ok(value) => Ok(self.pool.int(value)),
                Err(_) => self.error(id, "this is not a number"),
            },
            _ => self.error(id, format!("`{text}` is not declared")),
        }
    }

    fn application(
        &mut self,
        id: SexprId,
        name: &str,
        arguments: &[SexprId],
        depth: usize,
    ) -> Parsed<TermId> {
        if let Some(meaning) = self.scope.get(name).and_then(|meanings| meanings.last()).cloned() {
            return self.defined_application(id, name, &meaning, arguments, depth);
        }
        match name {
            "not" | "and" | "or" | "xor" | "=>" => self.connective(id, name, arguments, depth),
            "+" | "-" | "*" | "div" | "mod" | "abs" => self.arithmetic(id, name, arguments, depth),
            "<" | "<=" | ">" | ">=" => {
                let terms = self.integers(arguments, depth)?;
                self.chain(id, &terms, |pool, left, right| match name {
                    "<" => pool.lt(left, right),
                    "<=" => pool.le(left, right),
                    ">" => pool.gt(left, right),
                    _ => pool.ge(left, right),
                })
            }
            "=" => {
                let terms = self.of_one_sort(id, arguments, depth)?;
                self.chain(id, &terms, TermPool::eq)
            }
            "distinct" => {
                let terms = self.of_one_sort(id, arguments, depth)?;
                let mut different = Vec::new();
                for (index, &left) in terms.iter().enumerate() {
                    different.extend(terms[index + 1..].iter().map(|&right| self.pool.ne(left, right)));
                }
                Ok(self.pool.and(different))
            }
            "ite" => self.if_then_else(id, arguments, depth),
            "select" | "store" => self.array_operation(id, name, arguments, depth),
            "forall" | "exists" => self.error(id, "a quantifier is only supported in front of an assertion"),
            _ => self.error(id, format!("the function `{name}` is not supported")),
        }
    }

    fn defined_application(
        &mut self,
        id: SexprId,
        name: &str,
        meaning: &Meaning,
        arguments: &[SexprId],
        depth: usize,
    ) -> Parsed<TermId> {
        let terms =
            arguments.iter().map(|&argument| self.term(argument, depth)).collect::<Parsed<Vec<_>>>()?;
        let found: Vec<Sort> = terms.iter().map(|&term| self.pool.sort(term)).collect();
        let expected: Vec<Sort> = match meaning {
            Meaning::Term(_) => return self.error(id, format!("`{name}` is not a function")),
            Meaning::Function { arguments, .. } => arguments.clone(),
            Meaning::Macro { parameters, .. } => {
                parameters.iter().map(|&term| self.pool.sort(term)).collect()
            }
        };
        if found != expected {
            return self.error(id, format!("`{name}` is applied to arguments of the wrong number or sort"));
        }
        match meaning {
            Meaning::Macro { parameters, body } => {
                let replacements = parameters.iter().copied().zip(terms).collect();
                Ok(self.pool.substitute(*body, &replacements))
            }
            Meaning::Function { function, .. } => {
                let integers: Vec<TermId> = terms.into_iter().map(|term| self.as_integer(term)).collect();
                match self.pool.apply(*function, &integers) {
                    Some(term) => Ok(term),
                    None => self.error(id, format!("`{name}` cannot be applied to these arguments")),
                }
            }
            Meaning::Term(term) => Ok(*term),
        }
    }

    fn as_integer(&mut self, term: TermId) -> TermId {
        if self.pool.sort(term) != Sort::Bool {
            return term;
        }
        let (one, zero) = (self.pool.int(1), self.pool.int(0));
        self.pool.ite(term, one, zero)
    }

    fn integers(&mut self, arguments: &[SexprId], depth: usize) -> Parsed<Vec<TermId>> {
        arguments.iter().map(|&argument| self.integer(argument, depth)).collect()
    }

    fn of_one_sort(&mut self, id: SexprId, arguments: &[SexprId], depth: usize) -> Parsed<Vec<TermId>> {
        let terms =
            arguments.iter().map(|&argument| self.term(argument, depth)).collect::<Parsed<Vec<_>>>()?;
        if terms.windows(2).any(|pair| self.pool.sort(pair[0]) != self.pool.sort(pair[1])) {
            return self.error(id, "terms of different sorts are compared");
        }
        Ok(terms)
    }

    fn chain(
        &mut self,
        id: SexprId,
        terms: &[TermId],
        mut compare: impl FnMut(&mut TermPool, TermId, TermId) -> TermId,
    ) -> Parsed<TermId> {
        if terms.len() < 2 {
            return self.error(id, "a comparison needs two operands");
        }
        let pairs: Vec<TermId> = terms.windows(2).map(|pair| compare(self.pool, pair[0], pair[1])).collect();
        Ok(self.pool.and(pairs))
    }

    fn connective(&mut self, id: SexprId, name: &str, arguments: &[SexprId], depth: usize) -> Parsed<TermId> {
        let terms =
            arguments.iter().map(|&argument| self.formula(argument, depth)).collect::<Parsed<Vec<_>>>()?;
        match (name, terms.as_slice()) {
            ("and", _) => Ok(self.pool.and(terms)),
            ("or", _) => Ok(self.pool.or(terms)),
            ("not", [operand]) => Ok(self.pool.not(*operand)),
            ("=>", [premises @ .., conclusion]) if !premises.is_empty() => {
                let premise = self.pool.and(premises.iter().copied());
                Ok(self.pool.implies(premise, *conclusion))
            }
            ("xor", [first, rest @ ..]) if !rest.is_empty() => {
                Ok(rest.iter().fold(*first, |left, &right| {
                    let same = self.pool.iff(left, right);
                    self.pool.not(same)
                }))
            }
            _ => self.error(id, format!("`{name}` has the wrong number of operands")),
        }
    }

    fn arithmetic(&mut self, id: SexprId, name: &str, arguments: &[SexprId], depth: usize) -> Parsed<TermId> {
        let terms = self.integers(arguments, depth)?;
        match (name, terms.as_slice()) {
            ("-", [operand]) => Ok(self.pool.neg(*operand)),
            ("abs", [operand]) => {
                let (zero, negated) = (self.pool.int(0), self.pool.neg(*operand));
                let is_positive = self.pool.ge(*operand, zero);
                Ok(self.pool.ite(is_positive, *operand, negated))
            }
            ("div" | "mod", [dividend, divisor]) => {
                let Some(divisor) = self.pool.as_int(*divisor).cloned() else {
                    return self
                        .error(id, format!("`{name}` by something else than a constant is not supported"));
                };
                let result = match name {
                    "div" => self.pool.div(*dividend, divisor),
                    _ => self.pool.modulo(*dividend, divisor),
                };
                result.map_or_else(|| self.error(id, format!("`{name}` by zero is not supported")), Ok)
            }
            ("+" | "-" | "*", [first, rest @ ..]) => {
                Ok(rest.iter().fold(*first, |left, &right| match name {
                    "+" => self.pool.add(left, right),
                    "-" => self.pool.sub(left, right),
                    _ => self.pool.mul(left, right),
                }))
            }
            _ => self.error(id, format!("`{name}` has the wrong number of operands")),
        }
    }

    fn if_then_else(&mut self, id: SexprId, arguments: &[SexprId], depth: usize) -> Parsed<TermId> {
        let &[condition, then, otherwise] = arguments else {
            return self.error(id, "`ite` has three operands");
        };
        let condition = self.formula(condition, depth)?;
        let branches = self.of_one_sort(id, &[then, otherwise], depth)?;
        Ok(self.pool.ite(condition, branches[0], branches[1]))
    }

    fn array_operation(
        &mut self,
        id: SexprId,
        name: &str,
        arguments: &[SexprId],
        depth: usize,
    ) -> Parsed<TermId> {
        let Some((&array, rest)) = arguments.split_first() else {
            return self.error(id, format!("`{name}` has the wrong number of operands"));
        };
        let array = self.term(array, depth)?;
        if self.pool.sort(array) != Sort::Array {
            return self.error(id, format!("`{name}` needs an array"));
        }
        match (name, self.integers(rest, depth)?.as_slice()) {
            ("select", [index]) => Ok(self.pool.select(array, *index)),
            ("store", [index, value]) => Ok(self.pool.store(array, *index, *value)),
            _ => self.error(id, format!("`{name}` has the wrong number of operands")),
        }
    }
}
