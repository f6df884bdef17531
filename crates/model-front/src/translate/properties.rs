//! What is to be shown.

use super::{Translator, Viewer};
use crate::ast::{Ast, BaseType, Expr, ItemKind, PropertyClause};
use rely_base::{Diagnostic, Span};
use rely_program::{Expr as Term, Property, PropertyKind, definedness};

impl<'a> Translator<'a> {
    pub(super) fn properties(&mut self, ast: &'a Ast) {
        for item in &ast.items {
            if self.gave_up {
                return;
            }
            let ItemKind::Property(property) = &item.kind else { continue };
            let kind = match property {
                PropertyClause::Requires(condition) => {
                    if let Some(condition) = self.claim(condition, true) {
                        self.builder.requires(condition);
                    }
                    None
                }
                PropertyClause::Ensures(condition) => self.claim(condition, true).map(PropertyKind::AtEnd),
                PropertyClause::Never(condition) => self.claim(condition, false).map(PropertyKind::Always),
                PropertyClause::Invariant(condition) => self.claim(condition, true).map(PropertyKind::Always),
                PropertyClause::Terminates => Some(PropertyKind::Terminates),
                PropertyClause::DeadlockFree => Some(PropertyKind::DeadlockFree),
            };
            if let Some(kind) = kind {
                self.builder.property(Property { kind, span: Some(item.span) });
            }
        }
    }

    /// The condition, or its negation, together with that it is defined.
    fn claim(&mut self, condition: &Expr, positive: bool) -> Option<Term> {
        let term = self.expect(condition, BaseType::Bool, Viewer::Observer)?;
        self.check_says_something(&term, condition.span)?;
        self.charge(2 * super::size(&term), condition.span)?;
        let defined = definedness(self.builder.program(), &term).into_iter().map(|(_, defined)| defined);
        let claim = if positive { term.clone() } else { term.clone().negate() };
        Some(Term::all(defined.chain([claim])))
    }

    /// A property without variables and threads is a slip.
    fn check_says_something(&mut self, term: &Term, span: Span) -> Option<()> {
        let mut says_something = false;
        term.walk(&mut |part| {
            says_something |=
                matches!(part, Term::Var(_) | Term::Element(..) | Term::CountAt(_) | Term::CountRunning(_));
        });
        if says_something {
            return Some(());
        }
        let error = Diagnostic::error("a property says nothing about the program")
            .at(span, "this names no variable and no thread");
        self.error(error);
        None
    }
}
