//! The syntax tree of a model, as it was written.
//!
//! Everything carries its span. Parentheses and comments are kept, so that the formatter can
//! print the file again; names are not resolved yet.

use rely_base::Span;

/// A whole file.
#[derive(Clone, Debug)]
pub struct Ast {
    /// Declarations and properties in the order of the source.
    pub items: Vec<Item>,
    /// All comments, in order.
    pub comments: Vec<Comment>,
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The comment with its marks.
    pub span: Span,
    /// Its text with its marks.
    pub text: String,
}

/// A name where it is declared or used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A declaration or a property.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it says.
    pub kind: ItemKind,
    /// All of it.
    pub span: Span,
}

/// Kinds of [`Item`].
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// `const N = 10;`
    Const {
        /// The name.
        name: Name,
        /// Its value.
        value: Expr,
    },
    /// `var x, y: int = 0;`
    Var(Box<VarDecl>),
    /// `thread T { ... }`, `thread W[3] { ... }`
    Thread {
        /// The name.
        name: Name,
        /// How many copies run, if it is replicated.
        copies: Option<Expr>,
        /// What each does.
        body: Body,
    },
    /// `process P(n: int) { ... }`
    Process {
        /// The name.
        name: Name,
        /// What a `spawn` hands over.
        parameters: Vec<Parameter>,
        /// What it does.
        body: Body,
    },
    /// `start P(1);`
    Start {
        /// The process.
        process: Name,
        /// Its arguments.
        arguments: Vec<Expr>,
    },
    /// A property or a precondition.
    Property(PropertyClause),
}

/// Kinds of properties, with what they claim.
#[derive(Clone, Debug)]
pub enum PropertyClause {
    /// Holds in every initial state.
    Requires(Expr),
    /// Holds when all threads have ended.
    Ensures(Expr),
    /// Holds in no state.
    Never(Expr),
    /// Holds in every state.
    Invariant(Expr),
    /// Every run ends.
    Terminates,
    /// No run gets stuck.
    DeadlockFree,
}

/// Variables that are declared together, shared or local.
#[derive(Clone, Debug)]
pub struct VarDecl {
    /// The names.
    pub names: Vec<Name>,
    /// Their type.
    pub ty: TypeExpr,
    /// The value with which they start; any value if nothing is said.
    pub initial: Option<InitialExpr>,
    /// All of it.
    pub span: Span,
}

/// A type as it is written.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// Whether `atomic` stands in front of it: all accesses to the variable are.
    pub is_atomic: bool,
    /// The type of the variable or of each cell.
    pub base: BaseType,
    /// The number of cells of an array.
    pub length: Option<Expr>,
    /// `in low..high`
    pub range: Option<Range>,
    /// All of it.
    pub span: Span,
}

/// The types of single values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseType {
    /// A mathematical integer.
    Int,
    /// True or false.
    Bool,
    /// A lock that knows its owner.
    Mutex,
    /// The handle of a spawned thread.
    Thread,
}

impl BaseType {
    /// The keyword.
    pub fn name(self) -> &'static str {
        match self {
            BaseType::Int => "int",
            BaseType::Bool => "bool",
            BaseType::Mutex => "mutex",
            BaseType::Thread => "thread",
        }
    }
}

/// `low..high`, both included.
#[derive(Clone, Debug)]
pub struct Range {
    /// The least value.
    pub low: Expr,
    /// The greatest value.
    pub high: Expr,
}

/// The value with which a variable starts.
#[derive(Clone, Debug)]
pub enum InitialExpr {
    /// `*`
    Any(Span),
    /// One value, of an array: for each cell.
    Value(Expr),
    /// `{1, 2, 3}`
    List(Vec<Expr>, Span),
}

/// A parameter of a process.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The name.
    pub name: Name,
    /// Its type.
    pub ty: TypeExpr,
}

/// What a thread does: its locals, then statements, then transitions.
#[derive(Clone, Debug)]
pub struct Body {
    /// The local variables.
    pub locals: Vec<VarDecl>,
    /// The structured part.
    pub statements: Vec<Stmt>,
    /// The transitions between labels.
    pub transitions: Vec<Transition>,
    /// From the opening to the closing brace.
    pub span: Span,
}

/// `source -> target: actions`
#[derive(Clone, Debug)]
pub struct Transition {
    /// The label where it starts.
    pub source: Name,
    /// The label where it leads.
    pub target: Name,
    /// What it does, at once.
    pub actions: Vec<(Simple, Span)>,
    /// All of it.
    pub span: Span,
}

/// Statements in braces.
#[derive(Clone, Debug)]
pub struct Block {
    /// The statements.
    pub statements: Vec<Stmt>,
    /// From the opening to the closing brace.
    pub span: Span,
}

/// A statement with its labels.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Its labels.
    pub labels: Vec<Name>,
    /// What it does.
    pub kind: StmtKind,
    /// The statement without its labels.
    pub span: Span,
}

/// Kinds of [`Stmt`].
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// One atomic step.
    Simple(Box<Simple>),
    /// `{ ... }`
    Block(Block),
    /// `atomic { ... }`
    Atomic(Block),
    /// `await e do { ... }`
    AwaitDo(Expr, Block),
    /// `if e { ... } else if e { ... } else { ... }`
    If {
        /// The conditions with their blocks.
        branches: Vec<Branch>,
        /// The last `else`.
        otherwise: Option<Block>,
    },
    /// `while e invariant i { ... }`
    While {
        /// The condition.
        condition: Condition,
        /// What holds whenever the condition is evaluated.
        invariants: Vec<Expr>,
        /// The body.
        body: Block,
        /// From `while` to the condition.
        head: Span,
    },
    /// `goto label;`
    Goto(Name),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
}

/// A condition with its block.
#[derive(Clone, Debug)]
pub struct Branch {
    /// When the block runs.
    pub condition: Condition,
    /// What it guards.
    pub block: Block,
    /// From `if` to the condition.
    pub head: Span,
}

/// The condition of an `if` or `while`.
#[derive(Clone, Debug)]
pub enum Condition {
    /// `*`: either way.
    Any,
    /// An expression.
    Expr(Expr),
}

/// A statement that is one atomic step.
#[derive(Clone, Debug)]
pub enum Simple {
    /// `skip;`
    Skip,
    /// `halt;`
    Halt,
    /// `x, y := y, x;`
    Assign {
        /// The left sides.
        targets: Vec<Target>,
        /// The right sides.
        values: Vec<Expr>,
    },
    /// `havoc x in 0..3;`, `x := *;`
    Havoc {
        /// What gets any value.
        target: Target,
        /// From where the value comes.
        range: Option<Box<Range>>,
        /// Whether it is written as an assignment.
        as_assignment: bool,
    },
    /// `assume e;`
    Assume(Expr),
    /// `assert e;`
    Assert(Expr),
    /// `await e;`
    Await(Expr),
    /// `e;` in a transition
    Guard(Expr),
    /// `lock(m);`
    Lock(Target),
    /// `unlock(m);`
    Unlock(Target),
    /// `join t;`, `join P;`
    Join(Target),
    /// `t := spawn P(1);`
    Spawn {
        /// What receives the handle.
        handle: Option<Target>,
        /// The process.
        process: Name,
        /// Its arguments.
        arguments: Vec<Expr>,
    },
}

/// A variable or a cell of an array.
#[derive(Clone, Debug)]
pub struct Target {
    /// The variable.
    pub name: Name,
    /// The cell.
    pub index: Option<Expr>,
    /// All of it.
    pub span: Span,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// All of it.
    pub span: Span,
    /// How many levels of expressions there are in it; bounded by the parser.
    pub height: u16,
}

/// Kinds of [`Expr`].
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number.
    Int(i128),
    /// `true`, `false`
    Bool(bool),
    /// A variable, a constant, or `me`.
    Name(String),
    /// `this`: the handle of the thread.
    This,
    /// `a[i]`
    Element(Name, Box<Expr>),
    /// `T.v`, `W[1].v`, `T.a[2]`: a local seen from outside.
    Local(ThreadRef, Name, Option<Box<Expr>>),
    /// `T at cs`, `T at {a, b}`
    At(ThreadRef, Labels),
    /// `#(P)`, `#(P at c)`, `#(P at c && e)`
    Count(Box<CountExpr>),
    /// An operator with one operand.
    Unary(Unary, Box<Expr>),
    /// An operator with two operands.
    Binary(Binary, Box<[Expr; 2]>),
    /// `c ? a : b`
    Conditional(Box<[Expr; 3]>),
    /// `forall i in 0..2: e`, `exists i in 0..2: e`
    Quantified(Box<Quantified>),
    /// `(e)`
    Paren(Box<Expr>),
}

/// A quantifier over a constant range.
#[derive(Clone, Debug)]
pub struct Quantified {
    /// Whether all values are meant, or one of them.
    pub universal: bool,
    /// The name of the value.
    pub variable: Name,
    /// The values.
    pub range: Range,
    /// What holds of them.
    pub body: Expr,
}

/// `#(P at c && e)`
#[derive(Clone, Debug)]
pub struct CountExpr {
    /// Whose threads are counted.
    pub thread: ThreadRef,
    /// Where they stand; anywhere if nothing is said.
    pub labels: Option<Labels>,
    /// What else holds.
    pub condition: Option<Expr>,
}

/// A thread, or a copy of a replicated one.
#[derive(Clone, Debug)]
pub struct ThreadRef {
    /// The thread or process.
    pub name: Name,
    /// Which copy.
    pub index: Option<Box<Expr>>,
}

/// One label, or several in braces.
#[derive(Clone, Debug)]
pub struct Labels {
    /// The labels.
    pub names: Vec<Name>,
    /// Whether they stand in braces.
    pub braces: bool,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `-`
    Neg,
    /// `!`
    Not,
    /// `~`
    BitNot,
}

impl Unary {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Unary::Neg => "-",
            Unary::Not => "!",
            Unary::BitNot => "~",
        }
    }
}

/// Operators with two operands, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `<==>`
    Iff,
    /// `==>`
    Implies,
    /// `||`
    Or,
    /// `&&`
    And,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `&`
    BitAnd,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
}

impl Binary {
    /// Each operator with its symbol and how tightly it binds.
    const TABLE: [(Binary, &'static str, u8); 20] = [
        (Binary::Iff, "<==>", 1),
        (Binary::Implies, "==>", 2),
        (Binary::Or, "||", 4),
        (Binary::And, "&&", 5),
        (Binary::BitOr, "|", 6),
        (Binary::BitXor, "^", 7),
        (Binary::BitAnd, "&", 8),
        (Binary::Eq, "==", 9),
        (Binary::Ne, "!=", 9),
        (Binary::Lt, "<", 10),
        (Binary::Le, "<=", 10),
        (Binary::Gt, ">", 10),
        (Binary::Ge, ">=", 10),
        (Binary::Shl, "<<", 11),
        (Binary::Shr, ">>", 11),
        (Binary::Add, "+", 12),
        (Binary::Sub, "-", 12),
        (Binary::Mul, "*", 13),
        (Binary::Div, "/", 13),
        (Binary::Rem, "%", 13),
    ];

    /// How tightly `c ? a : b` binds.
    pub const CONDITIONAL_STRENGTH: u8 = 3;

    /// The operator that is written so.
    pub fn from_symbol(symbol: &str) -> Option<Binary> {
        Self::TABLE.iter().find(|(_, written, _)| *written == symbol).map(|(op, _, _)| *op)
    }

    /// How it is written.
    pub fn symbol(self) -> &'static str {
        Self::TABLE[self as usize].1
    }

    /// How tightly it binds: the greater, the tighter.
    pub fn strength(self) -> u8 {
        Self::TABLE[self as usize].2
    }

    /// Whether it compares; comparisons cannot be chained.
    pub fn is_comparison(self) -> bool {
        use Binary::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_operators_is_in_order() {
        for (index, (op, symbol, _)) in Binary::TABLE.into_iter().enumerate() {
            assert_eq!(op as usize, index);
            assert_eq!(Binary::from_symbol(symbol), Some(op));
        }
    }
}
