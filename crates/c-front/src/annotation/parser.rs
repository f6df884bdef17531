//! The grammar of annotations: clauses, and expressions by operator precedence.

use super::tokens::{Kind as TokenKind, Token, tokens};
use super::{Annotation, Kind, Label, Operator, Part, Shape, Term, Word};
use rely_base::{Diagnostic, FileId, Span, similar};
use rely_program::BinaryOp;
use std::ops::Range;

type Parsed<T> = Result<T, Diagnostic>;

/// How deeply expressions may be nested; everything behind may recurse over them.
const MOST_LEVELS: u16 = 200;

const WORDS: [&str; 3] = ["never", "invariant", "ensures"];

/// How tightly `? :` binds; only equivalences and implications are weaker.
const CONDITIONAL: u8 = 2;

pub(super) struct Parser<'s> {
    file: FileId,
    text: &'s str,
    part: Range<usize>,
    unit: usize,
    tokens: Vec<Token<'s>>,
    at: usize,
    /// In how many expressions the one being read stands.
    depth: u16,
}

impl<'s> Parser<'s> {
    pub(super) fn new(file: FileId, text: &'s str, part: Range<usize>, unit: usize) -> Self {
        Parser { file, text, part, unit, tokens: Vec::new(), at: 0, depth: 0 }
    }

    /// Reads all clauses of a comment.
    pub(super) fn clauses(mut self, annotations: &mut Vec<Annotation>) -> Parsed<()> {
        self.tokens = tokens(self.file, self.text, self.part.clone())?;
        loop {
            let start = self.token().span;
            let kind = self.keyword()?;
            let condition = self.expression()?;
            let span = start.to(condition.span);
            annotations.push(Annotation { kind, condition, span, unit: self.unit });
            let is_separated = self.eat(";");
            if self.token().kind == TokenKind::End {
                return Ok(());
            }
            if !is_separated {
                return Err(self.unexpected("`;` or an operator"));
            }
        }
    }

    fn keyword(&mut self) -> Parsed<Kind> {
        let token = self.token();
        let word = match token.kind {
            TokenKind::Word(word) => word,
            _ => "",
        };
        let kind = match word {
            "never" => Kind::Never,
            "invariant" => Kind::Invariant,
            "ensures" => Kind::Ensures,
            other => {
                let error = self.unexpected("`never`, `invariant` or `ensures`");
                return Err(match similar(other, WORDS) {
                    Some(similar) => error.help(format!("did you mean `{similar}`?")),
                    None => error.help("as in `//@rely never #(worker at inside) >= 2;`"),
                });
            }
        };
        self.at += 1;
        Ok(kind)
    }

    // Tokens.

    fn token(&self) -> Token<'s> {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let is_here = matches!(self.token().kind, TokenKind::Symbol(here) if here == symbol);
        self.at += usize::from(is_here);
        is_here
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let is_here = matches!(self.token().kind, TokenKind::Word(here) if here == word);
        self.at += usize::from(is_here);
        is_here
    }

    fn expect(&mut self, symbol: &str) -> Parsed<()> {
        if self.eat(symbol) { Ok(()) } else { Err(self.unexpected(&format!("`{symbol}`"))) }
    }

    fn word(&mut self, expected: &str) -> Parsed<Word> {
        let token = self.token();
        match token.kind {
            TokenKind::Word(word) => {
                self.at += 1;
                Ok(Word { text: word.to_owned(), span: token.span })
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    fn unexpected(&self, expected: &str) -> Diagnostic {
        let token = self.token();
        let error = Diagnostic::error(match token.kind {
            TokenKind::End => "the annotation ends too early".into(),
            _ => format!("unexpected `{}`", token.kind),
        });
        let error = error.at(token.span, format!("expected {expected}"));
        match token.kind {
            TokenKind::Symbol("=") => error.help("two values are compared by `==`"),
            TokenKind::Symbol("&") => {
                error.help("conditions are joined by `&&`; there are no addresses and no operators on bits")
            }
            _ => error,
        }
    }

    fn span_from(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1)].span)
    }

    // Expressions.

    fn expression(&mut self) -> Parsed<Term> {
        self.nested(|parser| parser.binary(0))
    }

    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MOST_LEVELS {
            return Err(self.too_deep(self.token().span));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn too_deep(&self, at: Span) -> Diagnostic {
        Diagnostic::error(format!("an expression of more than {MOST_LEVELS} levels"))
            .at(at, "too deep here")
            .help("write several annotations")
    }

    /// An expression whose operators all bind at least as tightly as `weakest`.
    fn binary(&mut self, weakest: u8) -> Parsed<Term> {
        let mut left = self.unary()?;
        loop {
            let TokenKind::Symbol(symbol) = self.token().kind else { return Ok(left) };
            if symbol == "?" && weakest <= CONDITIONAL {
                left = self.conditional(left)?;
                continue;
            }
            let Some((op, strength)) = operator(symbol).filter(|(_, strength)| *strength >= weakest) else {
                return Ok(left);
            };
            self.refuse_chain(&left, op)?;
            self.at += 1;
            // Only the implication associates to the right.
            let is_implication = op == Operator::Plain(BinaryOp::Implies);
            let right = self.nested(|parser| parser.binary(strength + u8::from(!is_implication)))?;
            let span = left.span.to(right.span);
            left = self.node(Shape::Binary(op, Box::new([left, right])), span)?;
        }
    }

    /// `a < b < c` means something else in C.
    fn refuse_chain(&self, left: &Term, op: Operator) -> Parsed<()> {
        let is_comparison = |op: Operator| matches!(op, Operator::Plain(op) if op.is_comparison());
        let is_chain = match &left.shape {
            Shape::Binary(first, _) => is_comparison(*first) && is_comparison(op) && !left.in_brackets,
            _ => false,
        };
        match is_chain {
            true => Err(Diagnostic::error("comparisons cannot be chained")
                .at(self.token().span, "a second comparison")
                .help("write `a < b && b < c`")),
            false => Ok(()),
        }
    }

    fn conditional(&mut self, condition: Term) -> Parsed<Term> {
        self.expect("?")?;
        let yes = self.expression()?;
        self.expect(":")?;
        let no = self.nested(|parser| parser.binary(CONDITIONAL))?;
        let span = condition.span.to(no.span);
        self.node(Shape::Conditional(Box::new([condition, yes, no])), span)
    }

    fn unary(&mut self) -> Parsed<Term> {
        let start = self.token().span;
        let make: fn(Box<Term>) -> Shape = match self.token().kind {
            TokenKind::Symbol("!") => Shape::Not,
            TokenKind::Symbol("-") => Shape::Minus,
            _ => return self.primary(),
        };
        self.at += 1;
        let operand = self.nested(Parser::unary)?;
        let span = start.to(operand.span);
        self.node(make(Box::new(operand)), span)
    }

    fn primary(&mut self) -> Parsed<Term> {
        let token = self.token();
        let shape = match token.kind {
            TokenKind::Symbol("(") => {
                self.at += 1;
                let inner = self.expression()?;
                self.expect(")")?;
                return Ok(Term { span: self.span_from(token.span), in_brackets: true, ..inner });
            }
            TokenKind::Int(number) => {
                self.at += 1;
                Shape::Int(number)
            }
            TokenKind::Symbol("#") => self.count()?,
            TokenKind::Word("true" | "false") => Shape::Bool(self.word("a value")?.text == "true"),
            TokenKind::Word(_) => self.named()?,
            _ => return Err(self.unexpected("a variable, a number or `#(thread at label)`")),
        };
        self.node(shape, self.span_from(token.span))
    }

    /// What starts with a name: a variable, or where a thread stands.
    fn named(&mut self) -> Parsed<Shape> {
        let name = self.word("a name")?;
        if self.eat_word("at") {
            return Ok(Shape::At(name, self.labels()?));
        }
        let mut parts = Vec::new();
        loop {
            if self.eat(".") {
                parts.push(Part::Member(self.word("a member")?));
            } else if self.eat("[") {
                parts.push(Part::Element(self.expression()?));
                self.expect("]")?;
            } else {
                return Ok(Shape::Place(name, parts));
            }
        }
    }

    fn count(&mut self) -> Parsed<Shape> {
        self.expect("#")?;
        self.expect("(")?;
        let thread = self.word("the function of a thread")?;
        let labels = if self.eat_word("at") { Some(self.labels()?) } else { None };
        let condition = if self.eat("&&") { Some(Box::new(self.expression()?)) } else { None };
        if !self.eat(")") {
            return Err(self.unexpected(match (&labels, &condition) {
                (_, Some(_)) => "`)` or an operator",
                (Some(_), None) => "`)` or `&&`",
                (None, None) => "`at`, `&&` or `)`",
            }));
        }
        Ok(Shape::Count(thread, labels, condition))
    }

    fn labels(&mut self) -> Parsed<Vec<Label>> {
        if !self.eat("{") {
            return Ok(vec![self.label()?]);
        }
        let mut labels = vec![self.label()?];
        while self.eat(",") {
            labels.push(self.label()?);
        }
        self.expect("}")?;
        Ok(labels)
    }

    fn label(&mut self) -> Parsed<Label> {
        let first = self.word("a label")?;
        match self.eat(".") {
            true => Ok(Label { function: Some(first), name: self.word("a label")? }),
            false => Ok(Label { function: None, name: first }),
        }
    }

    /// An expression with its height, if that is allowed.
    fn node(&self, shape: Shape, span: Span) -> Parsed<Term> {
        let tallest = |terms: &[Term]| terms.iter().map(|term| term.height).max().unwrap_or(0);
        let height = 1 + match &shape {
            Shape::Int(_) | Shape::Bool(_) | Shape::At(..) | Shape::Place(..) => 0,
            Shape::Count(_, _, condition) => condition.as_ref().map_or(0, |condition| condition.height),
            Shape::Not(operand) | Shape::Minus(operand) => operand.height,
            Shape::Binary(_, operands) => tallest(&operands[..]),
            Shape::Conditional(parts) => tallest(&parts[..]),
        };
        match height <= MOST_LEVELS {
            true => Ok(Term { shape, span, height, in_brackets: false }),
            false => Err(self.too_deep(span)),
        }
    }
}

/// An operator with how tightly it binds.
fn operator(symbol: &str) -> Option<(Operator, u8)> {
    let (op, strength) = match symbol {
        "<==>" => return Some((Operator::Equivalent, 0)),
        "==>" => (BinaryOp::Implies, 1),
        "||" => (BinaryOp::Or, 3),
        "&&" => (BinaryOp::And, 4),
        "==" => (BinaryOp::Eq, 5),
        "!=" => (BinaryOp::Ne, 5),
        "<" => (BinaryOp::Lt, 6),
        "<=" => (BinaryOp::Le, 6),
        ">" => (BinaryOp::Gt, 6),
        ">=" => (BinaryOp::Ge, 6),
        "+" => (BinaryOp::Add, 7),
        "-" => (BinaryOp::Sub, 7),
        "*" => (BinaryOp::Mul, 8),
        "/" => (BinaryOp::Div, 8),
        "%" => (BinaryOp::Rem, 8),
        _ => return None,
    };
    Some((Operator::Plain(op), strength))
}
