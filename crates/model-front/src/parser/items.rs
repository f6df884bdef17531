//! Declarations and properties.

use super::{ITEM_WORDS, Parsed, Parser};
use crate::ast::{
    BaseType, Body, Expr, InitialExpr, Item, ItemKind, Name, Parameter, PropertyClause, TypeExpr, VarDecl,
};
use crate::lexer::TokenKind;
use rely_base::Diagnostic;

impl Parser<'_> {
    /// All items of the file; what is wrong is recorded and skipped.
    pub(super) fn file(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while self.kind() != TokenKind::End && !self.gave_up() {
            let before = self.at;
            match self.item() {
                Ok(item) => items.push(item),
                Err(_) => {
                    self.recover();
                    // A closing brace too many must not stop the parser.
                    if self.at_symbol("}") || self.at == before {
                        self.bump();
                    }
                }
            }
        }
        items
    }

    fn item(&mut self) -> Parsed<Item> {
        let start = self.span();
        let TokenKind::Name(word) = self.kind() else { return Err(self.no_item()) };
        let kind = match word {
            "const" => self.constant()?,
            "var" => {
                self.bump();
                ItemKind::Var(Box::new(self.variables(start)?))
            }
            "thread" => self.thread()?,
            "process" => self.process()?,
            "start" => {
                self.bump();
                let process = self.name("a process")?;
                let arguments = self.arguments()?;
                self.expect_semicolon()?;
                ItemKind::Start { process, arguments }
            }
            "requires" => ItemKind::Property(PropertyClause::Requires(self.claim()?)),
            "ensures" => ItemKind::Property(PropertyClause::Ensures(self.claim()?)),
            "never" => ItemKind::Property(PropertyClause::Never(self.claim()?)),
            "invariant" => ItemKind::Property(PropertyClause::Invariant(self.claim()?)),
            "terminates" => {
                self.bump();
                self.expect_semicolon()?;
                ItemKind::Property(PropertyClause::Terminates)
            }
            "deadlock" => {
                self.bump();
                if !self.eat_symbol("-") || !self.eat_word("free") {
                    return Err(self.unexpected(&["`deadlock-free`"]));
                }
                self.expect_semicolon()?;
                ItemKind::Property(PropertyClause::DeadlockFree)
            }
            _ => return Err(self.no_item()),
        };
        Ok(Item { kind, span: self.span_from(start) })
    }

    fn no_item(&mut self) -> super::Failed {
        let mut error = self.unexpected_error(&["a declaration", "a property"]);
        error.help = match (self.kind(), self.similar_word(&ITEM_WORDS)) {
            (_, Some(similar)) => Some(format!("did you mean `{similar}`?")),
            (TokenKind::Symbol("}"), _) => Some("this `}` closes nothing".into()),
            (TokenKind::Name("local"), _) => {
                Some("`local` stands in a thread; shared variables are declared with `var`".into())
            }
            (TokenKind::Name("int" | "bool" | "mutex"), _) => {
                Some("variables are declared as in `var x: int = 0;`".into())
            }
            _ => Some(
                "a file has `const`, `var`, `thread`, `process`, `start`, `requires`, `ensures`, `never`, \
                 `invariant`, `terminates` and `deadlock-free`"
                    .into(),
            ),
        };
        self.report(error)
    }

    fn constant(&mut self) -> Parsed<ItemKind> {
        self.bump();
        let name = self.name("the name of a constant")?;
        if !self.eat_symbol("=") {
            let error = self.unexpected_error(&["`=`"]).help("constants are declared as in `const N = 10;`");
            return Err(self.report(error));
        }
        let value = self.expression()?;
        self.expect_semicolon()?;
        Ok(ItemKind::Const { name, value })
    }

    fn claim(&mut self) -> Parsed<Expr> {
        self.bump();
        let claim = self.expression()?;
        self.expect_semicolon()?;
        Ok(claim)
    }

    /// `x, y: int = 0;`, behind the keyword at `start`
    pub(super) fn variables(&mut self, start: rely_base::Span) -> Parsed<VarDecl> {
        let names = self.names()?;
        if !self.eat_symbol(":") {
            let error = self
                .unexpected_error(&["`,`", "`:`"])
                .help("variables are declared as in `var x, y: int = 0;`");
            return Err(self.report(error));
        }
        let ty = self.type_expression()?;
        let initial = match self.kind() {
            TokenKind::Symbol("=") => {
                self.bump();
                Some(self.initial()?)
            }
            TokenKind::Symbol(":=") => {
                let error = self
                    .unexpected_error(&["`=`", "`;`"])
                    .help("an initial value is written `= 0`, not `:= 0`");
                return Err(self.report(error));
            }
            _ => None,
        };
        if !self.at_symbol(";") && initial.is_none() {
            return Err(self.unexpected(&["`=`", "`;`"]));
        }
        self.expect_semicolon()?;
        Ok(VarDecl { names, ty, initial, span: self.span_from(start) })
    }

    fn names(&mut self) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name("the name of a variable")?];
        while self.eat_symbol(",") {
            names.push(self.name("the name of a variable")?);
        }
        Ok(names)
    }

    fn type_expression(&mut self) -> Parsed<TypeExpr> {
        let start = self.span();
        let is_atomic = self.eat_word("atomic");
        let base = match self.kind() {
            TokenKind::Name("int") => BaseType::Int,
            TokenKind::Name("bool") => BaseType::Bool,
            TokenKind::Name("mutex") => BaseType::Mutex,
            TokenKind::Name("thread") => BaseType::Thread,
            TokenKind::Name(word) => {
                let error = Diagnostic::error(format!("there is no type `{word}`"))
                    .at(start, "not a type")
                    .help("types are `int`, `bool`, `mutex` and `thread`, and arrays of them as in `int[3]`");
                return Err(self.report(error));
            }
            _ => return Err(self.unexpected(&["a type"])),
        };
        self.bump();
        let mut length = None;
        if self.at_symbol("[") {
            let opening = self.bump().span;
            length = Some(self.expression()?);
            self.expect_closing("]", opening)?;
        }
        let range = if self.eat_word("in") { Some(self.range()?) } else { None };
        Ok(TypeExpr { is_atomic, base, length, range, span: self.span_from(start) })
    }

    fn initial(&mut self) -> Parsed<InitialExpr> {
        let start = self.span();
        if self.eat_symbol("*") {
            return Ok(InitialExpr::Any(start));
        }
        if !self.eat_symbol("{") {
            return Ok(InitialExpr::Value(self.expression()?));
        }
        let mut values = vec![self.expression()?];
        while self.eat_symbol(",") {
            values.push(self.expression()?);
        }
        if !self.eat_symbol("}") {
            let error = self.unexpected_error(&["`,`", "`}`", "an operator"]).see(start, "to close this");
            return Err(self.report(error));
        }
        Ok(InitialExpr::List(values, self.span_from(start)))
    }

    fn thread(&mut self) -> Parsed<ItemKind> {
        self.bump();
        let name = self.name("the name of a thread")?;
        let mut copies = None;
        if self.at_symbol("[") {
            let opening = self.bump().span;
            copies = Some(self.expression()?);
            self.expect_closing("]", opening)?;
        }
        if self.at_symbol("(") {
            let error = self
                .unexpected_error(&["`{`"])
                .help("a `thread` runs from the beginning and takes no arguments; a `process` does");
            return Err(self.report(error));
        }
        Ok(ItemKind::Thread { name, copies, body: self.body()? })
    }

    fn process(&mut self) -> Parsed<ItemKind> {
        self.bump();
        let name = self.name("the name of a process")?;
        let mut parameters = Vec::new();
        if self.eat_symbol("(") && !self.eat_symbol(")") {
            loop {
                let name = self.name("the name of a parameter")?;
                if !self.eat_symbol(":") {
                    let error = self
                        .unexpected_error(&["`:`"])
                        .help("parameters have types, as in `(n: int, b: bool)`");
                    return Err(self.report(error));
                }
                parameters.push(Parameter { name, ty: self.type_expression()? });
                if self.eat_symbol(")") {
                    break;
                }
                if !self.eat_symbol(",") {
                    return Err(self.unexpected(&["`,`", "`)`"]));
                }
            }
        }
        Ok(ItemKind::Process { name, parameters, body: self.body()? })
    }

    /// The arguments of a spawn or start; the parentheses may be missing.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut arguments = Vec::new();
        if self.at_symbol("(") {
            let opening = self.bump().span;
            if self.eat_symbol(")") {
                return Ok(arguments);
            }
            arguments.push(self.expression()?);
            while self.eat_symbol(",") {
                arguments.push(self.expression()?);
            }
            self.expect_closing(")", opening)?;
        }
        Ok(arguments)
    }

    fn body(&mut self) -> Parsed<Body> {
        let Ok(opening) = self.expect_symbol("{") else { return Err(super::Failed) };
        let mut body =
            Body { locals: Vec::new(), statements: Vec::new(), transitions: Vec::new(), span: opening };
        while self.block_continues(opening)? {
            let before = self.at;
            if self.body_member(&mut body).is_err() {
                self.recover();
                if self.at == before {
                    self.bump();
                }
            }
        }
        body.span = self.span_from(opening);
        Ok(body)
    }
}
