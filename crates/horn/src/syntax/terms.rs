//! Terms, read with a stack of our own.

use rely_logic::smtlib::{SexprId, SexprKind};
use rely_logic::{Integer, Sort, TermId, TermPool};

use super::Parsed;
use super::parse::{Meaning, Parser};

/// How deep terms may be nested in the text; chains of `let` do not count.
const DEEPEST_NESTING: u32 = 5_000;

/// Whether a formula is asserted (`true`), negated (`false`) or both; this is what tells the quantifiers
/// that can be moved to the front from those that cannot.
pub(super) type Polarity = Option<bool>;

/// What is still to be done. What was read so far is on a stack of terms.
enum Task {
    Read {
        id: SexprId,
        polarity: Polarity,
        depth: u32,
    },
    /// The arguments of a function are on the stack.
    Apply {
        id: SexprId,
        name: String,
        count: usize,
    },
    /// The values of a `let` are on the stack.
    Bind {
        names: Vec<String>,
        body: SexprId,
        polarity: Polarity,
        depth: u32,
    },
    Unbind {
        names: Vec<String>,
    },
}

impl Parser<'_> {
    /// Reads a term. Names that it binds are unbound again, unless there is an error, which is the
    /// end of everything.
    pub(super) fn term(&mut self, id: SexprId, polarity: Polarity) -> Parsed<TermId> {
        let mut tasks = vec![Task::Read { id, polarity, depth: 0 }];
        let mut terms: Vec<TermId> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Read { id, polarity, depth } => {
                    self.read(id, polarity, depth, &mut tasks, &mut terms)?;
                }
                Task::Apply { id, name, count } => {
                    let arguments = terms.split_off(terms.len().saturating_sub(count));
                    let term = self.application(id, &name, &arguments)?;
                    terms.push(term);
                }
                Task::Bind { names, body, polarity, depth } => {
                    let values = terms.split_off(terms.len().saturating_sub(names.len()));
                    for (name, value) in names.iter().zip(values) {
                        self.scope.entry(name.clone()).or_default().push(Meaning::Term(value));
                    }
                    tasks.push(Task::Unbind { names });
                    tasks.push(Task::Read { id: body, polarity, depth });
                }
                Task::Unbind { names } => self.unbind(names.iter().map(String::as_str)),
            }
        }
        match terms.pop() {
            Some(term) => Ok(term),
            None => self.error(id, "a term is expected here"),
        }
    }

    fn read(
        &mut self,
        id: SexprId,
        polarity: Polarity,
        depth: u32,
        tasks: &mut Vec<Task>,
        terms: &mut Vec<TermId>,
    ) -> Parsed<()> {
        let sexprs = self.sexprs;
        let parts = match &sexprs.nodes[id].kind {
            SexprKind::Text(_) => return self.error(id, "strings are not supported"),
            SexprKind::Atom(text) => {
                terms.push(self.atom(id, text)?);
                return Ok(());
            }
            SexprKind::List(parts) => parts,
        };
        if depth > DEEPEST_NESTING {
            return self.error(id, format!("terms are nested more than {DEEPEST_NESTING} deep"));
        }
        let Some((&head, arguments)) = parts.split_first() else {
            return self.error(id, "a term is expected here");
        };
        let Some(name) = sexprs.atom(head) else {
            return self.error(head, "the name of a function is expected here");
        };
        match (name, arguments) {
            ("let", &[bindings, body]) => self.read_let(bindings, body, polarity, depth, tasks),
            ("forall" | "exists", &[variables, body]) => {
                self.check_quantifier(id, name, polarity)?;
                let bound = self.bind_fresh(variables)?;
                tasks.push(Task::Unbind { names: bound.into_iter().map(|(name, _)| name).collect() });
                tasks.push(Task::Read { id: body, polarity, depth: depth + 1 });
                Ok(())
            }
            ("!", &[annotated, ..]) => {
                tasks.push(Task::Read { id: annotated, polarity, depth: depth + 1 });
                Ok(())
            }
            _ => {
                tasks.push(Task::Apply { id, name: name.to_owned(), count: arguments.len() });
                for (position, &argument) in arguments.iter().enumerate().rev() {
                    let polarity = polarity
                        .and_then(|positive| argument_polarity(name, position, arguments.len(), positive));
                    tasks.push(Task::Read { id: argument, polarity, depth: depth + 1 });
                }
                Ok(())
            }
        }
    }

    fn read_let(
        &mut self,
        bindings: SexprId,
        body: SexprId,
        polarity: Polarity,
        depth: u32,
        tasks: &mut Vec<Task>,
    ) -> Parsed<()> {
        let mut names = Vec::new();
        let mut values = Vec::new();
        for entry in self.expect_list(bindings, "a list of bindings")? {
            let &[name, value] = self.expect_list(entry, "a binding")?.as_slice() else {
                return self.error(entry, "a name with its value is expected here");
            };
            names.push(self.expect_atom(name, "a name")?);
            values.push(value);
        }
        tasks.push(Task::Bind { names, body, polarity, depth });
        for &value in values.iter().rev() {
            tasks.push(Task::Read { id: value, polarity: None, depth: depth + 1 });
        }
        Ok(())
    }

    /// An asserted `forall` and a negated `exists` quantify the whole clause.
    fn check_quantifier(&self, id: SexprId, name: &str, polarity: Polarity) -> Parsed<()> {
        if polarity == Some(name == "forall") {
            return Ok(());
        }
        self.error(
            id,
            format!("`{name}` is not supported here: only variables of whole clauses are quantified"),
        )
    }

    fn atom(&mut self, id: SexprId, text: &str) -> Parsed<TermId> {
        if let Some(meaning) = self.scope.get(text).and_then(|meanings| meanings.last()).cloned() {
            return match meaning {
                Meaning::Term(term) => Ok(term),
                Meaning::Predicate(_) => self.application(id, text, &[]),
                Meaning::Macro { .. } => self.error(id, format!("`{text}` needs arguments")),
            };
        }
        match text {
            "true" => Ok(self.pool.truth(true)),
            "false" => Ok(self.pool.truth(false)),
            _ if text.bytes().all(|byte| byte.is_ascii_digit()) => match text.parse::<Integer>() {
                Ok(value) => Ok(self.pool.int(value)),
                Err(_) => self.error(id, "this is not a number"),
            },
            _ if text.starts_with('#') => {
                self.error(id, "bit vectors are not supported; constraints are over Int and Bool")
            }
            _ if text.starts_with(|c: char| c.is_ascii_digit()) => {
                self.error(id, "reals are not supported; constraints are over Int and Bool")
            }
            _ => self.error(id, format!("`{text}` is not declared")),
        }
    }

    fn application(&mut self, id: SexprId, name: &str, arguments: &[TermId]) -> Parsed<TermId> {
        if let Some(meaning) = self.scope.get(name).and_then(|meanings| meanings.last()).cloned() {
            return self.defined_application(id, name, &meaning, arguments);
        }
        match name {
            "not" | "and" | "or" | "xor" | "=>" => self.connective(id, name, arguments),
            "+" | "-" | "*" | "div" | "mod" | "abs" => self.arithmetic(id, name, arguments),
            "<" | "<=" | ">" | ">=" => {
                self.expect_sorts(id, arguments, Sort::Int)?;
                self.chain(id, arguments, |pool, left, right| match name {
                    "<" => pool.lt(left, right),
                    "<=" => pool.le(left, right),
                    ">" => pool.gt(left, right),
                    _ => pool.ge(left, right),
                })
            }
            "=" => {
                self.expect_one_sort(id, arguments)?;
                self.chain(id, arguments, TermPool::eq)
            }
            "distinct" => {
                self.expect_one_sort(id, arguments)?;
                let mut different = Vec::new();
                for (index, &left) in arguments.iter().enumerate() {
                    different.extend(arguments[index + 1..].iter().map(|&right| self.pool.ne(left, right)));
                }
                Ok(self.pool.and(different))
            }
            "ite" => match *arguments {
                [condition, then, otherwise] => {
                    self.expect_sorts(id, &[condition], Sort::Bool)?;
                    self.expect_one_sort(id, &[then, otherwise])?;
                    Ok(self.pool.ite(condition, then, otherwise))
                }
                _ => self.error(id, "`ite` has three operands"),
            },
            "select" | "store" => {
                self.error(id, "arrays are not supported; constraints are over Int and Bool")
            }
            _ if name.starts_with("bv") => {
                self.error(id, "bit vectors are not supported; constraints are over Int and Bool")
            }
            _ => self.error(id, format!("the function `{name}` is not supported")),
        }
    }

    fn defined_application(
        &mut self,
        id: SexprId,
        name: &str,
        meaning: &Meaning,
        arguments: &[TermId],
    ) -> Parsed<TermId> {
        let expected: Vec<Sort> = match meaning {
            Meaning::Term(_) => return self.error(id, format!("`{name}` is no function")),
            Meaning::Predicate(function) => self.predicates[function].1.clone(),
            Meaning::Macro { parameters, .. } => {
                parameters.iter().map(|&parameter| self.pool.sort(parameter)).collect()
            }
        };
        let found: Vec<Sort> = arguments.iter().map(|&argument| self.pool.sort(argument)).collect();
        if found != expected {
            return self.error(id, format!("`{name}` is applied to arguments of the wrong number or sort"));
        }
        match meaning {
            Meaning::Macro { parameters, body } => {
                let replacements = parameters.iter().copied().zip(arguments.iter().copied()).collect();
                Ok(self.pool.substitute(*body, &replacements))
            }
            Meaning::Predicate(function) => {
                let integers: Vec<TermId> = arguments.iter().map(|&term| self.as_integer(term)).collect();
                match self.pool.apply(*function, &integers) {
                    Some(term) => Ok(term),
                    None => self.error(id, format!("`{name}` cannot be applied to these arguments")),
                }
            }
            Meaning::Term(term) => Ok(*term),
        }
    }

    /// Functions of the pool map integers: a truth value is passed as one until clauses are made.
    fn as_integer(&mut self, term: TermId) -> TermId {
        if self.pool.sort(term) != Sort::Bool {
            return term;
        }
        let (one, zero) = (self.pool.int(1), self.pool.int(0));
        self.pool.ite(term, one, zero)
    }

    fn expect_sorts(&self, id: SexprId, terms: &[TermId], sort: Sort) -> Parsed<()> {
        if terms.iter().all(|&term| self.pool.sort(term) == sort) {
            return Ok(());
        }
        let expected = if sort == Sort::Int { "integers" } else { "formulas" };
        self.error(id, format!("the operands here must be {expected}"))
    }

    fn expect_one_sort(&self, id: SexprId, terms: &[TermId]) -> Parsed<()> {
        if terms.windows(2).all(|pair| self.pool.sort(pair[0]) == self.pool.sort(pair[1])) {
            return Ok(());
        }
        self.error(id, "terms of different sorts are compared")
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

    fn connective(&mut self, id: SexprId, name: &str, terms: &[TermId]) -> Parsed<TermId> {
        self.expect_sorts(id, terms, Sort::Bool)?;
        match (name, terms) {
            ("and", _) => Ok(self.pool.and(terms.iter().copied())),
            ("or", _) => Ok(self.pool.or(terms.iter().copied())),
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

    fn arithmetic(&mut self, id: SexprId, name: &str, terms: &[TermId]) -> Parsed<TermId> {
        self.expect_sorts(id, terms, Sort::Int)?;
        match (name, terms) {
            ("-", [operand]) => Ok(self.pool.neg(*operand)),
            ("abs", [operand]) => {
                let (zero, negated) = (self.pool.int(0), self.pool.neg(*operand));
                let is_positive = self.pool.ge(*operand, zero);
                Ok(self.pool.ite(is_positive, *operand, negated))
            }
            ("div" | "mod", [dividend, divisor]) => {
                let Some(divisor) = self.pool.as_int(*divisor).cloned() else {
                    let message = format!("`{name}` by something else than a constant is not supported");
                    return self.error(id, message);
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
}

/// The polarity of an argument of a connective that stands in a formula of the given one.
fn argument_polarity(name: &str, position: usize, count: usize, positive: bool) -> Polarity {
    match name {
        "and" | "or" => Some(positive),
        "not" => Some(!positive),
        "=>" => Some(positive == (position + 1 == count)),
        "ite" if position > 0 => Some(positive),
        _ => None,
    }
}
