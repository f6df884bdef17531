//! Values that are not known exactly.
//!
//! Where the translation does not follow what C computes, a variable gets any value of the type. What is
//! proved for all of them holds for the one that C computes. A run that depends on the choice is not believed:
//! the program says which variables these are (see `Approximation`), and the replay of traces asks for them.

use super::Lowering;
use crate::fold::Range;
use crate::types::{CType, IntKind};
use crate::value::Value;
use lang_c::span::Span as TreeSpan;
use rely_program::{Approximation, Domain, Expr, Op, Place, Sort, VarId};

impl<'a, 'f> Lowering<'a, 'f> {
    /// Any value of a scalar type, for one that is not computed.
    pub(super) fn approximate(&mut self, ty: &CType, construct: &str, at: TreeSpan) -> Value {
        let kind = ty.scalar().unwrap_or(IntKind::Int);
        let chosen = self.approximate_within(kind.sort(), kind.domain(), construct, at);
        match kind {
            IntKind::Bool => Value::truth(ty.clone(), chosen),
            _ => Value::number(ty.clone(), chosen, Range::of(kind.int_type())),
        }
    }

    /// A condition that may hold or not.
    pub(super) fn approximate_truth(&mut self, construct: &str, at: TreeSpan) -> Expr {
        self.approximate_within(Sort::Bool, Domain::Bool, construct, at)
    }

    /// Any value of a domain, in a temporary. The variable that is marked keeps it for one step only, so that
    /// each construct needs one.
    pub(super) fn approximate_within(
        &mut self,
        sort: Sort,
        domain: Domain,
        construct: &str,
        at: TreeSpan,
    ) -> Expr {
        let marked = self.approximation(sort, construct, at);
        let temporary = self.temporary(sort);
        self.emit(vec![
            Op::Havoc(Place::Scalar(marked), domain),
            Op::assign(Place::Scalar(temporary), Expr::Var(marked)),
        ]);
        Expr::Var(temporary)
    }

    /// The variable of the thread that stands for a construct.
    pub(super) fn approximation(&mut self, sort: Sort, construct: &str, at: TreeSpan) -> VarId {
        // The statement, if the walk stands in one.
        let line = self.origin.lines.number(self.at.unwrap_or_else(|| self.span(at)));
        let construct = format!("{construct} in line {line}");
        let key = (self.thread.id, sort, construct);
        if let Some(&var) = self.approximations.get(&key) {
            return var;
        }
        let name = self.thread.names.unique("$any");
        let var = self.builder.local(self.thread.id, name, sort, 0);
        self.builder.approximation(Approximation { var, construct: key.2.clone() });
        self.approximations.insert(key, var);
        var
    }
}
