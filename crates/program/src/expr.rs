//! Expressions over the variables of a program.
//!
//! Integers are mathematical. What a machine does to them is explicit: [`Expr::Wrap`] reduces
//! to a machine type, and checks that nothing overflows stand in the program as operations.

use crate::ir::{LocationId, ThreadId, VarId};
use crate::types::{IntType, Sort, Value};

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Minus.
    Neg,
    /// Logical negation.
    Not,
    /// All bits of the (infinite) two's complement flipped: `-x - 1`.
    BitNot,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient rounded towards zero, as in C; undefined for a zero divisor.
    Div,
    /// Remainder with the sign of the dividend, as in C; undefined for a zero divisor.
    Rem,
    /// Bitwise and of the (infinite) two's complements.
    BitAnd,
    /// Bitwise or.
    BitOr,
    /// Bitwise exclusive or.
    BitXor,
    /// Multiplied by a power of two; undefined for shifts outside 0 to 63.
    Shl,
    /// Divided by a power of two, rounded down; undefined for shifts outside 0 to 63.
    Shr,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
    /// Equal, of integers or of booleans.
    Eq,
    /// Not equal, of integers or of booleans.
    Ne,
    /// Conjunction; the right operand matters only if the left one is true.
    And,
    /// Disjunction; the right operand matters only if the left one is false.
    Or,
    /// Implication; the right operand matters only if the left one is true.
    Implies,
}

impl BinaryOp {
    /// Whether the operator compares two values.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Lt | Le | Gt | Ge | Eq | Ne)
    }

    /// Whether the operator connects two booleans, evaluating the right one only if needed.
    pub fn is_connective(self) -> bool {
        matches!(self, BinaryOp::And | BinaryOp::Or | BinaryOp::Implies)
    }

    /// The sort of the result.
    pub fn sort(self) -> Sort {
        if self.is_comparison() || self.is_connective() { Sort::Bool } else { Sort::Int }
    }
}

/// An expression. Front ends bound its depth, so functions over it may recurse.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// An integer constant.
    Int(Value),
    /// A boolean constant.
    Bool(bool),
    /// The value of a scalar variable.
    Var(VarId),
    /// A cell of an array; undefined outside of it.
    Element(VarId, Box<Expr>),
    /// The handle of the thread that evaluates the expression: a positive number that no
    /// other thread has.
    This,
    /// An operator with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator with two operands.
    Binary(BinaryOp, Box<[Expr; 2]>),
    /// If the first, then the second, else the third; only the chosen one is evaluated.
    Ite(Box<[Expr; 3]>),
    /// The operand reduced to a machine type.
    Wrap(IntType, Box<Expr>),
    /// How many threads stand at a location (of an instance: 0 or 1). In properties only.
    CountAt(LocationId),
    /// How many threads of a kind have started and not ended. In properties only.
    CountRunning(ThreadId),
}

impl Expr {
    /// An integer constant.
    pub fn int(value: Value) -> Self {
        Expr::Int(value)
    }

    /// The value of a scalar variable.
    pub fn var(var: VarId) -> Self {
        Expr::Var(var)
    }

    /// The cell of an array.
    pub fn element(array: VarId, index: Expr) -> Self {
        Expr::Element(array, Box::new(index))
    }

    /// An operator with one operand.
    pub fn unary(op: UnaryOp, operand: Expr) -> Self {
        Expr::Unary(op, Box::new(operand))
    }

    /// An operator with two operands.
    pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Self {
        Expr::Binary(op, Box::new([left, right]))
    }

    /// `if condition then yes else no`.
    pub fn ite(condition: Expr, yes: Expr, no: Expr) -> Self {
        Expr::Ite(Box::new([condition, yes, no]))
    }

    /// The expression reduced to a machine type.
    pub fn wrap(self, int_type: IntType) -> Self {
        Expr::Wrap(int_type, Box::new(self))
    }

    /// The logical negation; comparisons are turned around instead of wrapped.
    pub fn negate(self) -> Self {
        use BinaryOp::*;
        let turned = |op, operands| Expr::Binary(op, operands);
        match self {
            Expr::Bool(value) => Expr::Bool(!value),
            Expr::Unary(UnaryOp::Not, operand) => *operand,
            Expr::Binary(Lt, operands) => turned(Ge, operands),
            Expr::Binary(Le, operands) => turned(Gt, operands),
            Expr::Binary(Gt, operands) => turned(Le, operands),
            Expr::Binary(Ge, operands) => turned(Lt, operands),
            Expr::Binary(Eq, operands) => turned(Ne, operands),
            Expr::Binary(Ne, operands) => turned(Eq, operands),
            other => Expr::unary(UnaryOp::Not, other),
        }
    }

    /// `low <= self && self <= high`.
    pub fn between(self, low: Value, high: Value) -> Self {
        self.clone().ge(Expr::int(low)).and(self.le(Expr::int(high)))
    }

    /// The conjunction of all, true for none.
    pub fn all(conjuncts: impl IntoIterator<Item = Expr>) -> Self {
        conjuncts.into_iter().reduce(Expr::and).unwrap_or(Expr::Bool(true))
    }

    /// Calls `visit` for this expression and all its parts, parents first.
    pub fn walk<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr)) {
        visit(self);
        for child in self.children() {
            child.walk(visit);
        }
    }

    /// The direct parts.
    pub fn children(&self) -> &[Expr] {
        match self {
            Expr::Element(_, index) => std::slice::from_ref(index),
            Expr::Unary(_, operand) | Expr::Wrap(_, operand) => std::slice::from_ref(operand),
            Expr::Binary(_, operands) => operands.as_slice(),
            Expr::Ite(parts) => parts.as_slice(),
            Expr::Int(_)
            | Expr::Bool(_)
            | Expr::Var(_)
            | Expr::This
            | Expr::CountAt(_)
            | Expr::CountRunning(_) => &[],
        }
    }

    /// The same expression with each direct part replaced.
    pub fn map_children(&self, mut replace: impl FnMut(&Expr) -> Expr) -> Expr {
        match self {
            Expr::Element(array, index) => Expr::element(*array, replace(index)),
            Expr::Unary(op, operand) => Expr::unary(*op, replace(operand)),
            Expr::Wrap(int_type, operand) => replace(operand).wrap(*int_type),
            Expr::Binary(op, operands) => {
                let [left, right] = operands.as_ref();
                Expr::binary(*op, replace(left), replace(right))
            }
            Expr::Ite(parts) => {
                let [condition, yes, no] = parts.as_ref();
                Expr::ite(replace(condition), replace(yes), replace(no))
            }
            leaf => leaf.clone(),
        }
    }

    /// Calls `visit` for each variable read, array or scalar, once per occurrence.
    pub fn for_each_var(&self, mut visit: impl FnMut(VarId)) {
        self.walk(&mut |part| {
            if let Expr::Var(var) | Expr::Element(var, _) = part {
                visit(*var);
            }
        });
    }
}

macro_rules! binary_constructors {
    ($($(#[$meta:meta])* $name:ident => $op:ident),* $(,)?) => {
        /// Constructors for the binary operators, in the order of their operands.
        #[allow(clippy::should_implement_trait)] // the operators build syntax, they do not compute
        impl Expr {
            $($(#[$meta])* pub fn $name(self, right: Expr) -> Self {
                Expr::binary(BinaryOp::$op, self, right)
            })*
        }
    };
}

binary_constructors! {
    /// `self + right`
    add => Add,
    /// `self - right`
    sub => Sub,
    /// `self * right`
    mul => Mul,
    /// `self < right`
    lt => Lt,
    /// `self <= right`
    le => Le,
    /// `self > right`
    gt => Gt,
    /// `self >= right`
    ge => Ge,
    /// `self == right`
    eq => Eq,
    /// `self != right`
    ne => Ne,
    /// `self && right`
    and => And,
    /// `self || right`
    or => Or,
    /// `self ==> right`
    implies => Implies,
}
