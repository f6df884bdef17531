//! What is not supported: all of it, not only what comes first.
//!
//! Where a statement is not supported, the walk notes that and goes on with the next one. There will be no program, but
//! whoever reads the list knows what there is to do. Behind an obstacle only other obstacles count: a name
//! that is missing may be one whose declaration was not supported.
//!
//! A second walk may make a program of what is supported: the translation ends in front of each statement that is not,
//! with a check of the kind `Limit`. What was emitted of such a statement stays, as another way to go on from there: it is
//! a beginning of what the statement does, and leads nowhere. That is only right if no label inside of the statement lets
//! others in: then the end is in front of the call of the function, or there is no program.

use super::{Lowered, Lowering};
use crate::value::Guard;
use lang_c::ast::{BlockItem, Label, SwitchStatement};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use rely_program::{CheckKind, Expr};

/// More obstacles than this are not collected.
const MOST: usize = 20;

impl<'a, 'f> Lowering<'a, 'f> {
    /// Does something, and goes on behind it if it is not supported. It may have labels to which others go.
    pub(super) fn unless_unsupported(
        &mut self,
        has_labels: impl Fn() -> bool,
        action: impl FnOnce(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let frames = self.frames.len();
        let depths = self.frames.last().map(super::scope::Frame::depths);
        let flow = self.flow.clone();
        let (completing, naming, silent) = (self.completing.clone(), self.naming, self.is_silent);
        let result = action(self);
        match result {
            // Nobody comes here, so nothing is made of it either.
            Err(_) if self.ends_at_obstacles && flow.is_dead() && !has_labels() => {}
            Err(error) if self.ends_at_obstacles && has_labels() => return Err(error),
            Err(error) if error.is_unsupported && self.obstacles.len() < MOST => {
                if !self.obstacles.contains(&error) {
                    self.obstacles.push(error.clone());
                }
                if self.ends_at_obstacles {
                    self.flow = flow.clone();
                    self.end_translation(error.message);
                }
            }
            other => return other,
        }
        self.frames.truncate(frames);
        if let (Some(frame), Some(depths)) = (self.frames.last_mut(), depths) {
            frame.truncate(depths);
        }
        if self.flow.is_dead() && !self.ends_at_obstacles {
            self.flow = flow;
        }
        self.evaluated.clear();
        (self.completing, self.naming, self.is_silent) = (completing, naming, silent);
        Ok(())
    }

    /// What follows is not translated.
    fn end_translation(&mut self, message: String) {
        let condition = Expr::Bool(false);
        self.emit_guards(vec![Guard { kind: CheckKind::Limit, condition, message, span: self.at }]);
        self.end_here();
    }
}

/// Whether somebody else than who comes from in front of it may come into a part of a function.
pub(super) fn lets_others_in(item: &Node<BlockItem>) -> bool {
    struct Finder {
        is_found: bool,
        switches: usize,
    }
    impl<'t> Visit<'t> for Finder {
        fn visit_switch_statement(&mut self, switch: &'t SwitchStatement, span: &'t Span) {
            self.switches += 1;
            visit::visit_switch_statement(self, switch, span);
            self.switches -= 1;
        }

        fn visit_label(&mut self, label: &'t Label, span: &'t Span) {
            self.is_found |= matches!(label, Label::Identifier(_)) || self.switches == 0;
            visit::visit_label(self, label, span);
        }
    }
    let mut finder = Finder { is_found: false, switches: 0 };
    finder.visit_block_item(&item.node, &item.span);
    finder.is_found
}
