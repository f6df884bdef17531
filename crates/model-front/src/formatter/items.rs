//! Declarations, statements and transitions as lines.

use super::{Printer, STEP, WIDTH};
use crate::ast::{
    Block, Body, Condition, Expr, Item, ItemKind, PropertyClause, Simple, Stmt, StmtKind, Transition, VarDecl,
};
use rely_base::Span;

impl Printer<'_> {
    pub(super) fn item(&mut self, item: &Item) {
        let line = match &item.kind {
            ItemKind::Const { name, value } => self.around(&format!("const {} = ", name.text), value, ";"),
            ItemKind::Var(declaration) => self.variables("var", declaration),
            ItemKind::Start { process, arguments } => {
                format!("start {}{};", process.text, self.arguments(arguments))
            }
            ItemKind::Property(property) => self.property(property),
            ItemKind::Thread { name, copies, body } => {
                let copies =
                    copies.as_ref().map_or(String::new(), |copies| format!("[{}]", self.expr(copies)));
                self.body(&format!("thread {}{copies}", name.text), item.span, body);
                return;
            }
            ItemKind::Process { name, parameters, body } => {
                let parameters: Vec<String> = parameters
                    .iter()
                    .map(|parameter| format!("{}: {}", parameter.name.text, self.type_expr(&parameter.ty)))
                    .collect();
                let parameters = if parameters.is_empty() {
                    String::new()
                } else {
                    format!("({})", parameters.join(", "))
                };
                self.body(&format!("process {}{parameters}", name.text), item.span, body);
                return;
            }
        };
        self.line(item.span, &line);
    }

    fn property(&self, property: &PropertyClause) -> String {
        match property {
            PropertyClause::Requires(condition) => self.around("requires ", condition, ";"),
            PropertyClause::Ensures(condition) => self.around("ensures ", condition, ";"),
            PropertyClause::Never(condition) => self.around("never ", condition, ";"),
            PropertyClause::Invariant(condition) => self.around("invariant ", condition, ";"),
            PropertyClause::Terminates => "terminates;".into(),
            PropertyClause::DeadlockFree => "deadlock-free;".into(),
        }
    }

    fn variables(&self, keyword: &str, declaration: &VarDecl) -> String {
        let names: Vec<&str> = declaration.names.iter().map(|name| name.text.as_str()).collect();
        let initial = declaration
            .initial
            .as_ref()
            .map_or(String::new(), |initial| format!(" = {}", self.initial(initial)));
        format!("{keyword} {}: {}{initial};", names.join(", "), self.type_expr(&declaration.ty))
    }

    /// Empty parentheses are left out.
    fn arguments(&self, arguments: &[Expr]) -> String {
        if arguments.is_empty() { String::new() } else { format!("({})", self.exprs(arguments)) }
    }

    fn body(&mut self, head: &str, start: Span, body: &Body) {
        let is_empty = body.locals.is_empty() && body.statements.is_empty() && body.transitions.is_empty();
        if is_empty && !self.has_comments_in(body.span) {
            self.line(start, &(super::brace(head) + "}"));
            return;
        }
        self.open(Span { end: body.span.start + 1, ..start }, head);
        for declaration in &body.locals {
            let line = self.variables("local", declaration);
            self.line(declaration.span, &line);
        }
        self.statements(&body.statements);
        for transition in &body.transitions {
            let line = self.transition(transition);
            self.line(transition.span, &line);
        }
        self.close(body.span);
    }

    fn transition(&self, transition: &Transition) -> String {
        let head = format!("{} -> {}:", transition.source.text, transition.target.text);
        let actions: Vec<String> =
            transition.actions.iter().map(|(action, _)| self.simple("", action)).collect();
        let flat = format!("{head} {}", actions.join(" "));
        if self.indent + flat.chars().count() <= WIDTH {
            return flat;
        }
        let separator = format!("\n{}", " ".repeat(self.indent + STEP));
        format!("{head}{separator}{}", actions.join(&separator))
    }

    fn statements(&mut self, statements: &[Stmt]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        let labels: String = statement.labels.iter().map(|label| format!("{}: ", label.text)).collect();
        let start = statement.labels.first().map_or(statement.span, |label| label.span.to(statement.span));
        match &statement.kind {
            StmtKind::Simple(simple) => {
                let line = self.simple(&labels, simple);
                self.line(start, &line);
            }
            StmtKind::Goto(label) => self.line(start, &format!("{labels}goto {};", label.text)),
            StmtKind::Break => self.line(start, &format!("{labels}break;")),
            StmtKind::Continue => self.line(start, &format!("{labels}continue;")),
            StmtKind::Block(block) => self.braces(labels.trim_end(), start, block),
            StmtKind::Atomic(block) => self.braces(&format!("{labels}atomic"), start, block),
            StmtKind::AwaitDo(condition, block) => {
                let head = self.around(&format!("{labels}await "), condition, " do");
                self.braces(&head, start, block);
            }
            StmtKind::While { condition, invariants, body, .. } => {
                let head = self.while_head(&labels, condition, invariants);
                self.braces(&head, start, body);
            }
            StmtKind::If { branches, otherwise } => {
                let head = self.condition(&format!("{labels}if "), &branches[0].condition);
                if let ([only], None) = (branches.as_slice(), otherwise) {
                    self.braces(&head, start, &only.block);
                    return;
                }
                self.open(Span { end: branches[0].block.span.start + 1, ..start }, &head);
                self.statements(&branches[0].block.statements);
                let mut last = branches[0].block.span;
                for branch in &branches[1..] {
                    // The closing brace is printed together with the `else`.
                    self.indent -= STEP;
                    let head = self.condition("else if ", &branch.condition);
                    self.indent += STEP;
                    self.next_branch(&mut last, &head, &branch.block);
                }
                if let Some(block) = otherwise {
                    self.next_branch(&mut last, "else", block);
                }
                self.close(last);
            }
        }
    }

    fn next_branch(&mut self, last: &mut Span, head: &str, block: &Block) {
        self.reopen(Span { start: last.end - 1, end: block.span.start + 1, ..*last }, head);
        self.statements(&block.statements);
        *last = block.span;
    }

    fn braces(&mut self, head: &str, start: Span, block: &Block) {
        if block.statements.is_empty() && !self.has_comments_in(block.span) {
            self.line(start, &(super::brace(head) + "}"));
            return;
        }
        self.open(Span { end: block.span.start + 1, ..start }, head);
        self.statements(&block.statements);
        self.close(block.span);
    }

    fn condition(&self, prefix: &str, condition: &Condition) -> String {
        match condition {
            Condition::Any => format!("{prefix}*"),
            Condition::Expr(condition) => self.around(prefix, condition, ""),
        }
    }

    fn while_head(&self, labels: &str, condition: &Condition, invariants: &[Expr]) -> String {
        let head = self.condition(&format!("{labels}while "), condition);
        let flat: Vec<String> =
            invariants.iter().map(|invariant| format!(" invariant {}", self.expr(invariant))).collect();
        let flat = format!("{head}{}", flat.concat());
        if self.indent + flat.chars().count() + 2 <= WIDTH {
            return flat;
        }
        let separator = format!("\n{}", " ".repeat(self.indent + STEP));
        let lines = invariants.iter().map(|invariant| self.around("invariant ", invariant, ""));
        lines.fold(head, |head, line| head + &separator + &line)
    }

    fn simple(&self, prefix: &str, simple: &Simple) -> String {
        match simple {
            Simple::Skip => format!("{prefix}skip;"),
            Simple::Halt => format!("{prefix}halt;"),
            Simple::Assign { targets, values } => {
                let targets: Vec<String> = targets.iter().map(|target| self.target(target)).collect();
                let prefix = format!("{prefix}{} := ", targets.join(", "));
                match values.as_slice() {
                    [value] => self.around(&prefix, value, ";"),
                    values => format!("{prefix}{};", self.exprs(values)),
                }
            }
            Simple::Havoc { target, range, as_assignment } => {
                let range =
                    range.as_ref().map_or(String::new(), |range| format!(" in {}", self.range(range)));
                let target = self.target(target);
                if *as_assignment {
                    format!("{prefix}{target} := *{range};")
                } else {
                    format!("{prefix}havoc {target}{range};")
                }
            }
            Simple::Assume(condition) => self.around(&format!("{prefix}assume "), condition, ";"),
            Simple::Assert(condition) => self.around(&format!("{prefix}assert "), condition, ";"),
            Simple::Await(condition) => self.around(&format!("{prefix}await "), condition, ";"),
            Simple::Guard(condition) => self.around(prefix, condition, ";"),
            Simple::Lock(target) => format!("{prefix}lock({});", self.target(target)),
            Simple::Unlock(target) => format!("{prefix}unlock({});", self.target(target)),
            Simple::Join(target) => format!("{prefix}join {};", self.target(target)),
            Simple::Spawn { handle, process, arguments } => {
                let handle =
                    handle.as_ref().map_or(String::new(), |handle| format!("{} := ", self.target(handle)));
                format!("{prefix}{handle}spawn {}{};", process.text, self.arguments(arguments))
            }
        }
    }
}
