//! What functions and operators make of their operands.

use super::{Meaning, Parsed, Reader, Theory};
use crate::smtlib::sexpr::SexprId;
use crate::term::{Sort, TermId, TermPool};

impl Reader<'_> {
    pub(super) fn application(&mut self, id: SexprId, name: &str, arguments: &[TermId]) -> Parsed<TermId> {
        if let Some(meaning) = self.meaning(name).cloned() {
            return self.defined_application(id, name, &meaning, arguments);
        }
        match name {
            "not" | "and" | "or" | "xor" | "=>" => self.connective(id, name, arguments),
            "+" | "-" | "*" | "div" | "mod" | "abs" => self.arithmetic(id, name, arguments),
            "<" | "<=" | ">" | ">=" => {
                self.expect_operands(id, arguments, Sort::Int)?;
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
            "ite" => self.if_then_else(id, arguments),
            "select" | "store" if self.theory == Theory::Arrays => self.array_operation(id, name, arguments),
            "select" | "store" => self.unsupported(id, "arrays"),
            _ if name.starts_with("bv") => self.unsupported(id, "bit vectors"),
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
            Meaning::Function { arguments, .. } => arguments.clone(),
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
            Meaning::Function { function, .. } => {
                let integers: Vec<TermId> = arguments.iter().map(|&term| self.as_integer(term)).collect();
                match self.pool.apply(*function, &integers) {
                    Some(term) => Ok(term),
                    None => self.error(id, format!("`{name}` cannot be applied to these arguments")),
                }
            }
            Meaning::Term(term) => Ok(*term),
        }
    }

    /// Functions of the pool map integers: a truth value is passed as one.
    fn as_integer(&mut self, term: TermId) -> TermId {
        if self.pool.sort(term) != Sort::Bool {
            return term;
        }
        let (one, zero) = (self.pool.int(1), self.pool.int(0));
        self.pool.ite(term, one, zero)
    }

    /// Something of another theory.
    pub(super) fn unsupported<T>(&self, id: SexprId, what: &str) -> Parsed<T> {
        let sorts = self.theory.sorts();
        self.error(id, format!("{what} are not supported; constraints are over {sorts}"))
    }

    /// Points to the first operand of an application that has another sort.
    fn expect_operands(&self, id: SexprId, operands: &[TermId], sort: Sort) -> Parsed<()> {
        match operands.iter().position(|&operand| self.pool.sort(operand) != sort) {
            None => Ok(()),
            Some(wrong) => self.expect_operand(id, wrong, operands[wrong], sort),
        }
    }

    fn expect_operand(&self, id: SexprId, position: usize, operand: TermId, sort: Sort) -> Parsed<()> {
        let expected = match sort {
            _ if self.pool.sort(operand) == sort => return Ok(()),
            Sort::Int => "an integer",
            Sort::Bool => "a formula",
            Sort::Array => "an array",
        };
        let written = self.sexprs.list(id).and_then(|parts| parts.get(position + 1));
        self.error(written.copied().unwrap_or(id), format!("{expected} is expected here"))
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
        self.expect_operands(id, terms, Sort::Bool)?;
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
        self.expect_operands(id, terms, Sort::Int)?;
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

    fn if_then_else(&mut self, id: SexprId, arguments: &[TermId]) -> Parsed<TermId> {
        let &[condition, then, otherwise] = arguments else {
            return self.error(id, "`ite` has three operands");
        };
        self.expect_operand(id, 0, condition, Sort::Bool)?;
        self.expect_one_sort(id, &[then, otherwise])?;
        Ok(self.pool.ite(condition, then, otherwise))
    }

    fn array_operation(&mut self, id: SexprId, name: &str, arguments: &[TermId]) -> Parsed<TermId> {
        for (position, &argument) in arguments.iter().enumerate() {
            let sort = if position == 0 { Sort::Array } else { Sort::Int };
            self.expect_operand(id, position, argument, sort)?;
        }
        match (name, arguments) {
            ("select", &[array, index]) => Ok(self.pool.select(array, index)),
            ("store", &[array, index, value]) => Ok(self.pool.store(array, index, value)),
            _ => self.error(id, format!("`{name}` has the wrong number of operands")),
        }
    }
}
