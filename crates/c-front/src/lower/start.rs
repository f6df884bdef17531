//! What runs before `main`, and after it.
//!
//! Constructors run before `main`, by their priorities and then in the order of their definitions;
//! destructors run when `main` returns or `exit` is called, in the reverse order. Both are called
//! like functions, by the thread that starts or ends the program.

use super::assign::Wanted;
use super::{Lowered, Lowering};
use crate::attribute;
use lang_c::ast::{Attribute, Extension};
use lang_c::span::Span as TreeSpan;

/// The priority of functions without one: they run last, and are undone first.
const NO_PRIORITY: i128 = 65_535;

impl<'a, 'f> Lowering<'a, 'f> {
    /// Calls the constructors.
    pub(super) fn run_constructors(&mut self) -> Lowered<()> {
        for name in self.marked_functions("constructor")? {
            self.run_marked(name)?;
        }
        Ok(())
    }

    /// Calls the destructors, before the program ends.
    pub(super) fn run_destructors(&mut self) -> Lowered<()> {
        if self.flow.is_dead() {
            return Ok(());
        }
        for name in self.marked_functions("destructor")?.into_iter().rev() {
            self.run_marked(name)?;
        }
        Ok(())
    }

    /// The program ends when its last thread has ended, too, and destructors run then: nobody here
    /// knows which thread that is.
    pub(super) fn refuse_late_destructors(&mut self, at: TreeSpan) -> Lowered<()> {
        match self.marked_functions("destructor")?.first() {
            Some(_) => self.refuse(at, "the attribute `destructor` if `main` ends before other threads"),
            None => Ok(()),
        }
    }

    fn run_marked(&mut self, name: &'a str) -> Lowered<()> {
        let Some(&function) = self.unit.functions.get(name) else { return Ok(()) };
        let at = function.node.declarator.span;
        if !self.parameters(&function.node)?.is_empty() {
            return self.refuse(at, "a constructor or destructor with parameters");
        }
        self.inline(name, &function.node, Vec::new(), Wanted::Nothing, at)?;
        Ok(())
    }

    /// The functions with an attribute, the first one first.
    fn marked_functions(&mut self, wanted: &str) -> Lowered<Vec<&'a str>> {
        let mut marked = Vec::new();
        for (&name, &function) in &self.unit.functions {
            let node = &function.node;
            let mut attributes: Vec<&'a Attribute> = Vec::new();
            let mut add = |extensions: &mut dyn Iterator<Item = &'a Extension>| {
                attributes.extend(extensions.filter_map(|extension| attribute::named(extension, wanted)));
            };
            add(&mut attribute::extensions(&node.specifiers, &node.declarator.node));
            for declared in self.unit.declarations.get(name).into_iter().flatten() {
                add(&mut attribute::extensions(declared.specifiers, &declared.declarator.node));
            }
            // A priority may stand with any of the declarations.
            let with_priority = attributes.iter().find(|attribute| !attribute.arguments.is_empty());
            if let Some(attribute) = with_priority.or(attributes.first()) {
                marked.push((name, function.span.start, *attribute));
            }
        }
        let mut ordered = Vec::new();
        for (name, position, attribute) in marked {
            let priority = match attribute.arguments.first() {
                Some(priority) => self.constant_expression(priority, "the priority")?.0,
                None => NO_PRIORITY,
            };
            ordered.push((priority, position, name));
        }
        ordered.sort_unstable();
        Ok(ordered.into_iter().map(|(_, _, name)| name).collect())
    }
}
