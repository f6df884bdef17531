//! Inline assembly.
//!
//! What instructions compute is not followed: each output gets any value, which is marked. If the statement says that it
//! changes memory, so does all that its inputs lead to. That it touches nothing else, and does not jump, is assumed.

use super::assign::Wanted;
use super::{Lowered, Lowering};
use crate::value::{Target, merge_targets};
use lang_c::ast::{AsmStatement, GnuAsmOperand, GnuExtendedAsmStatement, StringLiteral};
use lang_c::span::{Node, Span as TreeSpan};

/// What a verdict says that depends on values of instructions.
const CONSTRUCT: &str = "inline assembly";

impl<'a, 'f> Lowering<'a, 'f> {
    pub(super) fn assembly(&mut self, asm: &'a AsmStatement, at: TreeSpan) -> Lowered<()> {
        let template = match asm {
            AsmStatement::GnuBasic(template) => template,
            AsmStatement::GnuExtended(asm) => &asm.template,
        };
        let text = unquoted(template);
        let instruction = text.trim();
        let is_barrier = matches!(instruction, "" | "mfence" | "lfence" | "sfence" | "pause" | "nop");
        match asm {
            AsmStatement::GnuBasic(_) if is_barrier => Ok(()),
            AsmStatement::GnuBasic(_) => self.refuse(at, "inline assembly without operands"),
            AsmStatement::GnuExtended(asm) => {
                if !is_barrier {
                    self.assume("assembly-touches-only-its-operands");
                }
                self.with_atomicity(is_atomic(instruction).then_some(true), |lowering| {
                    lowering.assembly_with_operands(asm, is_barrier, at)
                })
            }
        }
    }

    fn assembly_with_operands(
        &mut self,
        asm: &'a GnuExtendedAsmStatement,
        is_barrier: bool,
        at: TreeSpan,
    ) -> Lowered<()> {
        let mut led_to: Vec<Target> = Vec::new();
        for input in &asm.inputs {
            let expression = &input.node.variable_name;
            // An input in memory is an address.
            if unquoted(&input.node.constraints).contains('m') {
                let place = self.lvalue(expression)?;
                self.settle_lvalue(place);
                continue;
            }
            let value = self.eval(expression)?;
            let value = self.snapshot(value);
            led_to = merge_targets(&led_to, &self.pointed_to(&value));
        }
        if !is_barrier && asm.clobbers.iter().any(|clobber| unquoted(clobber) == "memory") {
            self.overwrite_reachable(&led_to, CONSTRUCT, at)?;
        }
        for output in &asm.outputs {
            self.assembly_output(&output.node, is_barrier, at)?;
        }
        Ok(())
    }

    /// An operand that is written. If there are no instructions, one that is also read stays what it is.
    fn assembly_output(&mut self, output: &'a GnuAsmOperand, is_barrier: bool, at: TreeSpan) -> Lowered<()> {
        let place = self.lvalue(&output.variable_name)?;
        let place = self.settle_lvalue(place);
        if unquoted(&output.constraints).starts_with('+') {
            let old = self.read(place.clone(), at)?;
            self.snapshot(old);
            if is_barrier {
                return Ok(());
            }
        }
        let value = self.unknown_value(&place.ty.clone(), CONSTRUCT, at)?;
        self.assign_value(place, value, Wanted::Nothing, at, at)?;
        Ok(())
    }
}

/// Whether all instructions are atomic, or cannot touch the memory of others. Of those of x86, `xchg` and what has the
/// prefix `lock` are atomic; `set` and its conditions are how their outcome is told.
fn is_atomic(template: &str) -> bool {
    let separated = template.replace("\\n", ";").replace("\\t", " ");
    let mut has_prefix = false;
    let mut is_one = |instruction: &str| {
        let mut words = instruction.split_whitespace();
        let first = words.next().unwrap_or("");
        let is_alone = words.next().is_none();
        // The prefix may stand in a statement of its own.
        let is_locked = std::mem::replace(&mut has_prefix, first == "lock" && is_alone);
        let is_exchange = matches!(first, "xchg" | "xchgb" | "xchgw" | "xchgl" | "xchgq");
        is_locked || first == "lock" || is_exchange || first.is_empty() || first.starts_with("set")
    };
    separated.split([';', '\n']).all(|instruction| is_one(instruction.trim()))
}

/// The text of a string, as far as assembler is concerned.
fn unquoted(text: &Node<StringLiteral>) -> String {
    text.node.iter().map(|part| part.trim_matches('"')).collect()
}

#[cfg(test)]
mod tests {
    use super::is_atomic;

    #[test]
    fn only_what_is_locked_is_atomic() {
        for (template, expected) in [
            ("lock; incl %0", true),
            ("lock\\n\\tcmpxchgl %2, %1\\n\\tsete %0", true),
            ("lock xaddl %0, %1", true),
            ("xchgl %0, %1", true),
            ("cmpxchgl %2, %1", false),
            ("incl %0", false),
            ("lock; incl %0; incl %1", false),
            ("incl clock", false),
            ("rdtsc # unlock", false),
        ] {
            assert_eq!(is_atomic(template), expected, "{template}");
        }
    }
}
