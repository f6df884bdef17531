//! Formulas and clauses as short text, for tests.
//!
//! `x + 2*y <= 3 & (p | !Q) & z mod 2 = 1`: names that start with a capital letter are truth values,
//! all others integers. `u(x, y + 1) & x > 0 -> v(x)` is a clause.

use crate::interpolate::{Application, Clause, HornSystem, UnknownId};
use crate::linear::VarId;
use crate::term::{Notation, TermId, TermPool};
use rustc_hash::FxHashMap;

/// The formula that a text denotes.
pub(super) fn formula(pool: &mut TermPool, text: &str) -> TermId {
    let mut reader = Reader { pool, rest: text };
    let term = reader.disjunction();
    assert_eq!(reader.rest.trim(), "", "the rest of `{text}`");
    term
}

/// The text of a formula.
pub(super) fn shown(pool: &TermPool, term: TermId) -> String {
    pool.display(term, Notation::Mathematics).to_string()
}

/// The variable with a name.
pub(super) fn variable(pool: &mut TermPool, name: &str) -> VarId {
    let term = Reader { pool, rest: name }.name();
    pool.as_var(term).expect("a name")
}

struct Reader<'a> {
    pool: &'a mut TermPool,
    rest: &'a str,
}

impl Reader<'_> {
    fn eat(&mut self, token: &str) -> bool {
        let trimmed = self.rest.trim_start();
        match trimmed.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> &str {
        let trimmed = self.rest.trim_start();
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        let end = trimmed.find(|c| !is_part(c)).unwrap_or(trimmed.len());
        let (word, rest) = trimmed.split_at(end);
        self.rest = rest;
        word
    }

    fn disjunction(&mut self) -> TermId {
        let mut parts = vec![self.conjunction()];
        while self.eat("|") {
            parts.push(self.conjunction());
        }
        self.pool.or(parts)
    }

    fn conjunction(&mut self) -> TermId {
        let mut parts = vec![self.literal()];
        while self.eat("&") {
            parts.push(self.literal());
        }
        self.pool.and(parts)
    }

    fn literal(&mut self) -> TermId {
        if self.eat("(") {
            let inner = self.disjunction();
            assert!(self.eat(")"), "`)` expected before `{}`", self.rest);
            return inner;
        }
        for (word, value) in [("true", true), ("false", false)] {
            if self.eat(word) {
                return self.pool.truth(value);
            }
        }
        if !self.rest.trim_start().starts_with("!=") && self.eat("!") {
            let inner = self.literal();
            return self.pool.not(inner);
        }
        if self.rest.trim_start().starts_with(|c: char| c.is_uppercase()) {
            return self.name();
        }
        let left = self.sum();
        let relation = ["<=", ">=", "!=", "<", ">", "="].into_iter().find(|token| self.eat(token));
        let right = self.sum();
        match relation {
            Some("<=") => self.pool.le(left, right),
            Some(">=") => self.pool.ge(left, right),
            Some("!=") => self.pool.ne(left, right),
            Some("<") => self.pool.lt(left, right),
            Some(">") => self.pool.gt(left, right),
            Some(_) => self.pool.eq(left, right),
            None => panic!("a comparison expected before `{}`", self.rest),
        }
    }

    fn sum(&mut self) -> TermId {
        let mut total = if self.eat("-") {
            let first = self.product();
            self.pool.neg(first)
        } else {
            self.product()
        };
        loop {
            if self.eat("+") {
                let next = self.product();
                total = self.pool.add(total, next);
            } else if !self.rest.trim_start().starts_with("->") && self.eat("-") {
                let next = self.product();
                total = self.pool.sub(total, next);
            } else {
                return total;
            }
        }
    }

    fn product(&mut self) -> TermId {
        let mut factor = self.name();
        loop {
            if self.eat("*") {
                let next = self.name();
                factor = self.pool.mul(factor, next);
            } else if self.eat("mod ") {
                let divisor: i64 = self.word().parse().expect("a divisor");
                factor = self.pool.modulo(factor, divisor).expect("a divisor that is not zero");
            } else if self.eat("div ") {
                let divisor: i64 = self.word().parse().expect("a divisor");
                factor = self.pool.div(factor, divisor).expect("a divisor that is not zero");
            } else {
                return factor;
            }
        }
    }

    /// A name or a number.
    fn name(&mut self) -> TermId {
        let word = self.word().to_owned();
        match word.parse::<i128>() {
            Ok(number) => self.pool.int(number),
            Err(_) if word.starts_with(|c: char| c.is_uppercase()) => self.pool.bool_var(&word),
            Err(_) => {
                assert!(!word.is_empty(), "a name expected before `{}`", self.rest);
                self.pool.int_var(&word)
            }
        }
    }
}

/// A system of clauses and its predicates by name.
pub(super) struct NamedSystem {
    pub(super) system: HornSystem,
    pub(super) names: Vec<(String, UnknownId)>,
}

impl NamedSystem {
    /// `declarations` are predicates with their parameters: `m(x, y)`.
    pub(super) fn new(pool: &mut TermPool, declarations: &[&str], clauses: &[&str]) -> Self {
        let mut system = HornSystem::new();
        let mut names = Vec::new();
        for declaration in declarations {
            let (name, arguments) = application(declaration).expect("a declaration");
            let parameters = arguments.iter().map(|argument| variable(pool, argument)).collect();
            names.push((name.to_owned(), system.unknown(parameters)));
        }
        let mut named = Self { system, names };
        for clause in clauses {
            named.add(pool, clause);
        }
        named
    }

    /// The predicate with a name.
    pub(super) fn unknown(&self, name: &str) -> UnknownId {
        self.names.iter().find(|entry| entry.0 == name).expect("a declared predicate").1
    }

    fn add(&mut self, pool: &mut TermPool, text: &str) {
        let (left, right) = text.split_once("->").expect("a clause");
        let known: FxHashMap<&str, UnknownId> =
            self.names.iter().map(|(name, unknown)| (name.as_str(), *unknown)).collect();
        let mut read = |text: &str| {
            let (name, arguments) = application(text)?;
            let unknown = *known.get(name)?;
            let arguments = arguments.iter().map(|argument| argument_term(pool, argument)).collect();
            Some(Application { unknown, arguments })
        };
        let head = read(right.trim());
        let mut body = Vec::new();
        let mut constraints = Vec::new();
        for conjunct in left.split('&') {
            match read(conjunct.trim()) {
                Some(application) => body.push(application),
                None => constraints.push(conjunct.trim()),
            }
        }
        let constraint = if constraints.is_empty() { "true".to_owned() } else { constraints.join(" & ") };
        let constraint = formula(pool, &constraint);
        self.system.add(pool, Clause { constraint, body, head }).expect("a clause that fits");
    }
}

fn argument_term(pool: &mut TermPool, text: &str) -> TermId {
    if text.starts_with(|c: char| c.is_uppercase()) {
        return pool.bool_var(text);
    }
    Reader { pool, rest: text }.sum()
}

/// `name(argument, ...)`.
fn application(text: &str) -> Option<(&str, Vec<&str>)> {
    let (name, rest) = text.trim().split_once('(')?;
    let arguments = rest.strip_suffix(')')?;
    let is_name = !name.is_empty() && name.chars().all(char::is_alphanumeric);
    is_name.then(|| {
        let arguments = arguments.split(',').map(str::trim).filter(|argument| !argument.is_empty());
        (name, arguments.collect())
    })
}
