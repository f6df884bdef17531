//! Terms, read with a stack of our own.

use super::{Meaning, Parsed, Reader};
use crate::arith::Integer;
use crate::smtlib::sexpr::{SexprId, SexprKind};
use crate::term::TermId;

/// How deep terms may be nested in the text; chains of `let` do not count. Nobody writes more, and what is made of
/// a term need not be prepared for more.
const DEEPEST_NESTING: u32 = 5_000;

/// Whether a formula is asserted (`true`), negated (`false`) or both; this is what tells the quantifiers
/// that can be moved to the front from those that cannot.
pub(super) type Polarity = Option<bool>;

/// What is still to be done. What was read so far is on a stack of terms.
enum Task<'a> {
    Read {
        id: SexprId,
        polarity: Polarity,
        depth: u32,
    },
    /// The arguments of a function are on the stack.
    Apply {
        id: SexprId,
        name: &'a str,
        count: usize,
    },
    /// The values of a `let` are on the stack.
    Bind {
        names: Vec<&'a str>,
        body: SexprId,
        polarity: Polarity,
        depth: u32,
    },
    Unbind {
        names: Vec<&'a str>,
    },
}

impl<'a> Reader<'a> {
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
                    let term = self.application(id, name, &arguments)?;
                    terms.push(term);
                }
                Task::Bind { names, body, polarity, depth } => {
                    let values = terms.split_off(terms.len().saturating_sub(names.len()));
                    for (name, value) in names.iter().zip(values) {
                        self.bind(name, Meaning::Term(value));
                    }
                    tasks.push(Task::Unbind { names });
                    tasks.push(Task::Read { id: body, polarity, depth });
                }
                Task::Unbind { names } => self.unbind(&names),
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
        tasks: &mut Vec<Task<'a>>,
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
            ("let", &[bindings, body]) => self.read_let(bindings, body, polarity, depth, tasks)?,
            ("forall" | "exists", &[variables, body]) => {
                self.check_quantifier(id, name, polarity)?;
                let (names, variables) = self.bind_fresh(variables)?;
                self.quantified.extend(variables);
                tasks.push(Task::Unbind { names });
                tasks.push(Task::Read { id: body, polarity, depth: depth + 1 });
            }
            ("!", &[annotated, ..]) => tasks.push(Task::Read { id: annotated, polarity, depth: depth + 1 }),
            _ => {
                tasks.push(Task::Apply { id, name, count: arguments.len() });
                for (position, &argument) in arguments.iter().enumerate().rev() {
                    let polarity = polarity
                        .and_then(|positive| argument_polarity(name, position, arguments.len(), positive));
                    tasks.push(Task::Read { id: argument, polarity, depth: depth + 1 });
                }
            }
        }
        Ok(())
    }

    fn read_let(
        &mut self,
        bindings: SexprId,
        body: SexprId,
        polarity: Polarity,
        depth: u32,
        tasks: &mut Vec<Task<'a>>,
    ) -> Parsed<()> {
        let mut names = Vec::new();
        let mut values = Vec::new();
        for &entry in self.expect_list(bindings, "a list of bindings")? {
            let &[name, value] = self.expect_list(entry, "a binding")? else {
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

    /// An asserted `forall` and a negated `exists` quantify the whole assertion.
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
        match self.meaning(text) {
            Some(Meaning::Term(term)) => return Ok(*term),
            Some(Meaning::Function { .. }) => return self.application(id, text, &[]),
            Some(Meaning::Macro { .. }) => return self.error(id, format!("`{text}` needs arguments")),
            None => {}
        }
        match text {
            "true" => Ok(self.pool.truth(true)),
            "false" => Ok(self.pool.truth(false)),
            _ if text.bytes().all(|byte| byte.is_ascii_digit()) => match text.parse::<Integer>() {
                Ok(value) => Ok(self.pool.int(value)),
                Err(_) => self.error(id, "this is not a number"),
            },
            _ if text.starts_with('#') => self.unsupported(id, "bit vectors"),
            _ if text.starts_with(|c: char| c.is_ascii_digit()) => self.unsupported(id, "reals"),
            _ => self.error(id, format!("`{text}` is not declared")),
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
