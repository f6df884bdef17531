//! Statements and transitions.

use super::{Failed, Parsed, Parser};
use crate::ast::{Block, Body, Branch, Condition, Expr, Simple, Stmt, StmtKind, Target, Transition};
use crate::lexer::TokenKind;
use rely_base::{Diagnostic, Span};

/// Words with which a statement starts.
const STATEMENT_WORDS: [&str; 18] = [
    "skip", "halt", "havoc", "assume", "assert", "await", "atomic", "if", "while", "goto", "break",
    "continue", "lock", "unlock", "join", "spawn", "local", "else",
];

impl Parser<'_> {
    /// Whether another member of the block opened at `opening` follows; takes the `}`.
    pub(super) fn block_continues(&mut self, opening: Span) -> Parsed<bool> {
        match self.kind() {
            TokenKind::Symbol("}") => {
                let closing = self.bump().span;
                self.check_indentation(opening, closing);
                Ok(false)
            }
            TokenKind::End if self.gave_up() => Err(Failed),
            TokenKind::End => {
                let error = Diagnostic::error("unclosed block")
                    .at(opening, "this `{` has no `}`")
                    .see(self.span(), "the file ends here");
                let error = self.blame_suspicious(error);
                Err(self.report(error))
            }
            TokenKind::Name(word @ ("thread" | "process" | "never" | "ensures" | "requires")) => {
                let error = Diagnostic::error(format!("expected a statement or `}}`, found `{word}`"))
                    .at(self.span(), format!("`{word}` cannot stand inside a block"))
                    .see(opening, "is this `{` closed?");
                let error = self.blame_suspicious(error);
                Err(self.report(error))
            }
            _ if self.gave_up() => Err(Failed),
            _ => Ok(true),
        }
    }

    fn blame_suspicious(&self, error: Diagnostic) -> Diagnostic {
        match self.suspicious {
            Some(opening) => error.see(opening, "the indentation says that this one lacks its `}`"),
            None => error,
        }
    }

    /// A local, a statement or a transition, in this order.
    pub(super) fn body_member(&mut self, body: &mut Body) -> Parsed<()> {
        let start = self.span();
        if self.eat_word("local") {
            let variables = self.variables(start)?;
            if !body.statements.is_empty() || !body.transitions.is_empty() {
                return Err(self.misplaced_local(variables.span));
            }
            body.locals.push(variables);
        } else if self.at_transition() {
            body.transitions.push(self.transition()?);
        } else if let Some(transition) = body.transitions.last() {
            let error = self
                .unexpected_error(&["a transition", "`}`"])
                .see(transition.span, "after this transition")
                .help("transitions come last; what belongs to one stands behind its `:`");
            return Err(self.report(error));
        } else {
            body.statements.push(self.statement()?);
        }
        Ok(())
    }

    fn misplaced_local(&mut self, span: Span) -> Failed {
        let error = Diagnostic::error("local variables are declared at the beginning of a thread")
            .at(span, "too late")
            .help("move it up, and assign to it here");
        self.report(error)
    }

    fn at_transition(&self) -> bool {
        matches!((self.kind(), self.look(1)), (TokenKind::Name(_), TokenKind::Symbol("->")))
    }

    fn transition(&mut self) -> Parsed<Transition> {
        let source = self.label_use()?;
        self.bump();
        let target = self.label_use()?;
        self.expect_symbol(":")?;
        let mut actions = Vec::new();
        while !self.at_symbol("}") && !self.at_transition() && self.kind() != TokenKind::End {
            if let TokenKind::Name("thread" | "process" | "never" | "ensures" | "requires") = self.kind() {
                break;
            }
            actions.push(self.action()?);
        }
        if actions.is_empty() {
            let error = self
                .unexpected_error(&["a guard or a statement"])
                .help("a transition without guard and effect is written with `skip`, as in `a -> b: skip;`");
            return Err(self.report(error));
        }
        let span = self.span_from(source.span);
        Ok(Transition { source, target, actions, span })
    }

    /// A guard or a simple statement of a transition.
    fn action(&mut self) -> Parsed<(Simple, Span)> {
        let start = self.span();
        if let Some(simple) = self.simple()? {
            return Ok((simple, self.span_from(start)));
        }
        if let TokenKind::Name(word @ ("if" | "while" | "atomic" | "goto" | "break" | "continue" | "local")) =
            self.kind()
        {
            let error = Diagnostic::error(format!("`{word}` is not allowed in a transition"))
                .at(start, "not a guard, assignment or other simple statement")
                .help("transitions branch by having several from the same label");
            return Err(self.report(error));
        }
        if let (TokenKind::Name(_), TokenKind::Symbol(":")) = (self.kind(), self.look(1)) {
            let error = Diagnostic::error("a label is not allowed in a transition")
                .at(start, "a transition is one step")
                .help("statements come before the transitions");
            return Err(self.report(error));
        }
        let guard = self.expression()?;
        self.expect_semicolon()?;
        Ok((Simple::Guard(guard), self.span_from(start)))
    }

    pub(super) fn block(&mut self) -> Parsed<Block> {
        let opening = self.expect_symbol("{")?;
        self.nested(|parser| {
            let mut statements = Vec::new();
            while parser.block_continues(opening)? {
                let before = parser.at;
                match parser.statement() {
                    Ok(statement) => statements.push(statement),
                    Err(_) => {
                        parser.recover();
                        if parser.at == before {
                            parser.bump();
                        }
                    }
                }
            }
            Ok(Block { statements, span: parser.span_from(opening) })
        })
    }

    fn statement(&mut self) -> Parsed<Stmt> {
        let mut labels = Vec::new();
        while let (TokenKind::Name(word), TokenKind::Symbol(":")) = (self.kind(), self.look(1)) {
            if let "entry" | "exit" = word {
                let error = Diagnostic::error(format!("`{word}` cannot be declared as a label"))
                    .at(self.span(), "every thread has this label already");
                self.report(error);
                self.bump();
            } else {
                labels.push(self.name("a label")?);
            }
            self.bump();
        }
        if let (Some(label), TokenKind::Symbol("}")) = (labels.last(), self.kind()) {
            let error = Diagnostic::error("a label must be followed by a statement")
                .at(label.span, "nothing follows")
                .help(format!("write `{}: skip;`", label.text));
            return Err(self.report(error));
        }
        let start = self.span();
        let kind = self.statement_kind()?;
        Ok(Stmt { labels, kind, span: self.span_from(start) })
    }

    fn statement_kind(&mut self) -> Parsed<StmtKind> {
        if self.at_word("await") {
            let condition = self.keyword_expression()?;
            if self.eat_word("do") {
                return Ok(StmtKind::AwaitDo(condition, self.block()?));
            }
            self.expect_semicolon()?;
            return Ok(StmtKind::Simple(Box::new(Simple::Await(condition))));
        }
        if let Some(simple) = self.simple()? {
            return Ok(StmtKind::Simple(Box::new(simple)));
        }
        let start = self.span();
        match self.kind() {
            TokenKind::Symbol("{") => return Ok(StmtKind::Block(self.block()?)),
            TokenKind::Name("atomic") => {
                self.bump();
                return Ok(StmtKind::Atomic(self.block()?));
            }
            TokenKind::Name("if") => return self.conditional_statement(),
            TokenKind::Name("while") => return self.while_loop(),
            TokenKind::Name("goto") => {
                self.bump();
                let label = self.label_use()?;
                self.expect_semicolon()?;
                return Ok(StmtKind::Goto(label));
            }
            TokenKind::Name(word @ ("break" | "continue")) => {
                self.bump();
                self.expect_semicolon()?;
                return Ok(if word == "break" { StmtKind::Break } else { StmtKind::Continue });
            }
            TokenKind::Name("local") => {
                self.bump();
                let variables = self.variables(start)?;
                return Err(self.misplaced_local(variables.span));
            }
            _ => {}
        }
        Err(self.no_statement())
    }

    fn no_statement(&mut self) -> Failed {
        let mut error = self.unexpected_error(&["a statement"]);
        error.help = match self.kind() {
            TokenKind::Name("else") => Some("this `else` has no `if` in front of it".into()),
            TokenKind::Name("var") => Some("variables of a thread are declared with `local`".into()),
            TokenKind::Symbol(";") => Some("a statement that does nothing is written `skip;`".into()),
            TokenKind::Name(word) if self.look(1) == TokenKind::Symbol("=") => {
                Some(format!("assignments are written `{word} := ...;`"))
            }
            TokenKind::Name(word) => Some(match self.similar_word(&STATEMENT_WORDS) {
                Some(similar) => format!("did you mean `{similar}`?"),
                None => format!(
                    "assignments are written `{word} := ...;`, and to wait for a condition `await ...;`"
                ),
            }),
            _ => None,
        };
        self.report(error)
    }

    fn condition(&mut self) -> Parsed<Condition> {
        if self.at_symbol("*") {
            self.bump();
            return Ok(Condition::Any);
        }
        // `(*)` is what those write who are used to parentheses.
        if let (TokenKind::Symbol("("), TokenKind::Symbol("*"), TokenKind::Symbol(")")) =
            (self.kind(), self.look(1), self.look(2))
        {
            self.bump();
            self.bump();
            self.bump();
            return Ok(Condition::Any);
        }
        Ok(Condition::Expr(self.expression()?))
    }

    fn conditional_statement(&mut self) -> Parsed<StmtKind> {
        let mut branches = Vec::new();
        loop {
            let start = self.bump().span;
            let condition = self.condition()?;
            let head = self.span_from(start);
            self.expect_block_start()?;
            branches.push(Branch { condition, block: self.block()?, head });
            if !self.eat_word("else") {
                return Ok(StmtKind::If { branches, otherwise: None });
            }
            if !self.at_word("if") {
                if !self.at_symbol("{") {
                    return Err(self.unexpected(&["`{`", "`if`"]));
                }
                return Ok(StmtKind::If { branches, otherwise: Some(self.block()?) });
            }
        }
    }

    fn while_loop(&mut self) -> Parsed<StmtKind> {
        let start = self.bump().span;
        let condition = self.condition()?;
        let head = self.span_from(start);
        let mut invariants = Vec::new();
        while self.eat_word("invariant") {
            invariants.push(self.expression()?);
        }
        self.expect_block_start()?;
        Ok(StmtKind::While { condition, invariants, body: self.block()?, head })
    }

    fn expect_block_start(&mut self) -> Parsed<()> {
        if self.at_symbol("{") {
            return Ok(());
        }
        let error = self.unexpected_error(&["`{`", "an operator"]).help("blocks always stand in braces");
        Err(self.report(error))
    }

    /// A statement that is one step, if one starts here.
    fn simple(&mut self) -> Parsed<Option<Simple>> {
        let TokenKind::Name(word) = self.kind() else { return Ok(None) };
        let call = self.look(1) == TokenKind::Symbol("(");
        let simple = match word {
            "skip" => {
                self.bump();
                Simple::Skip
            }
            "halt" => {
                self.bump();
                Simple::Halt
            }
            "assume" => Simple::Assume(self.keyword_expression()?),
            "assert" => Simple::Assert(self.keyword_expression()?),
            "await" => Simple::Await(self.keyword_expression()?),
            "havoc" => {
                self.bump();
                let target = self.target()?;
                let range = if self.eat_word("in") { Some(Box::new(self.range()?)) } else { None };
                Simple::Havoc { target, range, as_assignment: false }
            }
            // `lock` is a fine name for a variable, too.
            "lock" if call => Simple::Lock(self.parenthesized_target()?),
            "unlock" if call => Simple::Unlock(self.parenthesized_target()?),
            "join" => {
                self.bump();
                Simple::Join(self.target()?)
            }
            "spawn" => self.spawn(None)?,
            _ if self.at_assignment() => self.assignment()?,
            _ => return Ok(None),
        };
        self.expect_semicolon()?;
        Ok(Some(simple))
    }

    fn keyword_expression(&mut self) -> Parsed<Expr> {
        self.bump();
        self.expression()
    }

    fn spawn(&mut self, handle: Option<Target>) -> Parsed<Simple> {
        self.bump();
        let process = self.name("a process")?;
        let arguments = self.arguments()?;
        Ok(Simple::Spawn { handle, process, arguments })
    }

    fn target(&mut self) -> Parsed<Target> {
        let name = self.name("a variable")?;
        let mut index = None;
        if self.at_symbol("[") {
            let opening = self.bump().span;
            index = Some(self.expression()?);
            self.expect_closing("]", opening)?;
        }
        let span = self.span_from(name.span);
        Ok(Target { name, index, span })
    }

    fn parenthesized_target(&mut self) -> Parsed<Target> {
        self.bump();
        let opening = self.expect_symbol("(")?;
        let target = self.target()?;
        if self.at_symbol(")") {
            self.bump();
            return Ok(target);
        }
        let error = self.unexpected_error(&["`)`"]).see(opening, "to close this");
        Err(self.report(error))
    }

    /// Whether an assignment starts here: targets up to `:=`.
    fn at_assignment(&self) -> bool {
        let mut ahead = 0;
        loop {
            let TokenKind::Name(_) = self.look(ahead) else { return false };
            ahead += 1;
            if self.look(ahead) == TokenKind::Symbol("[") {
                // A bracket that is not closed is reported where the target is parsed.
                let Some(behind) = self.behind_brackets(ahead) else { return true };
                ahead = behind;
            }
            match self.look(ahead) {
                TokenKind::Symbol(":=") => return true,
                TokenKind::Symbol(",") => ahead += 1,
                _ => return false,
            }
        }
    }

    /// The token behind the bracket that closes the one `ahead`.
    fn behind_brackets(&self, mut ahead: usize) -> Option<usize> {
        let mut open = 0usize;
        loop {
            match self.look(ahead) {
                TokenKind::Symbol("[") => open += 1,
                TokenKind::Symbol("]") if open == 1 => return Some(ahead + 1),
                TokenKind::Symbol("]") => open -= 1,
                TokenKind::Symbol(";" | "{" | "}") | TokenKind::End => return None,
                _ => {}
            }
            ahead += 1;
        }
    }

    fn assignment(&mut self) -> Parsed<Simple> {
        let mut targets = vec![self.target()?];
        while self.eat_symbol(",") {
            targets.push(self.target()?);
        }
        let operator = self.expect_symbol(":=")?;
        if self.at_word("spawn") {
            return match <[Target; 1]>::try_from(targets) {
                Ok([handle]) => self.spawn(Some(handle)),
                Err(targets) => {
                    let error = Diagnostic::error("a spawn has one handle")
                        .at(operator, format!("{} variables on the left", targets.len()));
                    Err(self.report(error))
                }
            };
        }
        if self.at_symbol("*") {
            let star = self.bump().span;
            return match <[Target; 1]>::try_from(targets) {
                Ok([target]) => {
                    let range = if self.eat_word("in") { Some(Box::new(self.range()?)) } else { None };
                    Ok(Simple::Havoc { target, range, as_assignment: true })
                }
                Err(_) => Err(self.star_among_several(star)),
            };
        }
        let mut values = vec![self.expression()?];
        while self.eat_symbol(",") {
            if self.at_symbol("*") {
                let star = self.span();
                return Err(self.star_among_several(star));
            }
            values.push(self.expression()?);
        }
        if values.len() != targets.len() {
            let plural = |count: usize, word: &str| {
                if count == 1 { format!("{count} {word}") } else { format!("{count} {word}s") }
            };
            let (left, right) = (plural(targets.len(), "variable"), plural(values.len(), "value"));
            let error = Diagnostic::error(format!("{right} for {left}"))
                .at(operator, format!("{left} on the left, {right} on the right"));
            return Err(self.report(error));
        }
        Ok(Simple::Assign { targets, values })
    }

    fn star_among_several(&mut self, star: Span) -> Failed {
        let error = Diagnostic::error("`*` is not allowed in a parallel assignment")
            .at(star, "any value")
            .help("write `atomic { havoc x; ... }`");
        self.report(error)
    }
}
