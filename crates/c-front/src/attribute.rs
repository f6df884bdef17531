//! Attributes, and what they mean here.
//!
//! Each attribute stands in one of three lists: those that are handled, those that change nothing
//! that a program could notice, and those that do and are refused by name. So is what stands in no
//! list.

use lang_c::ast::{Attribute, DeclarationSpecifier, Declarator, Extension};
use lang_c::span::Node;

/// What an attribute means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The translation takes it into account.
    Handled,
    /// It is a hint for the compiler, or about the places of things in memory.
    Nothing,
    /// It changes what the program does, in a way that is not supported.
    Refused,
    Unknown,
}

/// Attributes that the translation takes into account: those of functions that run before and
/// after `main`, those of layouts, the sizes of integers, and `weak`, which is refused where it matters.
const HANDLED: &[&str] = &["constructor", "destructor", "packed", "aligned", "alignas", "mode", "weak"];

/// Attributes that a program cannot notice, sorted. Functions that return twice are known by their names.
const MEANINGLESS: &[&str] = &[
    "access",
    "acquire_capability",
    "alloc_align",
    "alloc_size",
    "always_inline",
    "artificial",
    "assert_capability",
    "assume_aligned",
    "capability",
    "cdecl",
    "cf_check",
    "cold",
    "common",
    "const",
    "copy",
    "counted_by",
    "deprecated",
    "designated_init",
    "error",
    "exclusive_lock_function",
    "exclusive_locks_required",
    "expected_throw",
    "externally_visible",
    "fallthrough",
    "fastcall",
    "fd_arg",
    "fd_arg_read",
    "fd_arg_write",
    "flag_enum",
    "flatten",
    "force_align_arg_pointer",
    "format",
    "format_arg",
    "gcc_struct",
    "gnu_inline",
    "guarded_by",
    "hot",
    "leaf",
    "lockable",
    "locks_excluded",
    "malloc",
    "may_alias",
    "ms_abi",
    "musttail",
    "no_address_safety_analysis",
    "no_icf",
    "no_instrument_function",
    "no_profile_instrument_function",
    "no_reorder",
    "no_sanitize",
    "no_sanitize_address",
    "no_sanitize_memory",
    "no_sanitize_thread",
    "no_sanitize_undefined",
    "no_split_stack",
    "no_stack_limit",
    "no_stack_protector",
    "no_thread_safety_analysis",
    "no_tsan",
    "noclone",
    "nocommon",
    "noinline",
    "noipa",
    "nomips16",
    "nonnull",
    "nonstring",
    "noplt",
    "noreturn",
    "nothrow",
    "null_terminated_string_arg",
    "optimize",
    "patchable_function_entry",
    "pt_guarded_by",
    "pure",
    "regparm",
    "release_capability",
    "reproducible",
    "requires_capability",
    "retain",
    "returns_nonnull",
    "returns_twice",
    "scoped_lockable",
    "section",
    "sentinel",
    "simd",
    "stack_protect",
    "stdcall",
    "strict_flex_array",
    "symver",
    "sysv_abi",
    "tainted_args",
    "target",
    "target_clones",
    "thiscall",
    "tls_model",
    "unavailable",
    "uninitialized",
    "unlock_function",
    "unsequenced",
    "unused",
    "used",
    "visibility",
    "warn_if_not_aligned",
    "warn_unused_result",
    "warning",
    "zero_call_used_regs",
];

/// Attributes that change what the program does.
const REFUSED: &[&str] = &[
    "alias",
    "assume",
    "cleanup",
    "hardbool",
    "ifunc",
    "interrupt",
    "ms_struct",
    "naked",
    "noinit",
    "persistent",
    "scalar_storage_order",
    "signal",
    "transparent_union",
    "vector_size",
    "weakref",
];

/// What the attribute of a name means, with or without underscores around it.
pub(crate) fn meaning(name: &str) -> Meaning {
    let name = name.trim_matches('_');
    if HANDLED.contains(&name) {
        Meaning::Handled
    } else if MEANINGLESS.binary_search(&name).is_ok() {
        Meaning::Nothing
    } else if REFUSED.contains(&name) {
        Meaning::Refused
    } else {
        Meaning::Unknown
    }
}

/// All extensions of a declared name, those in front of it and those behind it.
pub(crate) fn extensions<'a>(
    specifiers: &'a [Node<DeclarationSpecifier>],
    declarator: &'a Declarator,
) -> impl Iterator<Item = &'a Extension> {
    let in_front = specifiers.iter().filter_map(|specifier| match &specifier.node {
        DeclarationSpecifier::Extension(extensions) => Some(extensions),
        _ => None,
    });
    in_front.flatten().chain(&declarator.extensions).map(|extension| &extension.node)
}

/// The attribute that an extension is, if it has the given name.
pub(crate) fn named<'a>(extension: &'a Extension, wanted: &str) -> Option<&'a Attribute> {
    match extension {
        Extension::Attribute(attribute) if attribute.name.node.trim_matches('_') == wanted => Some(attribute),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_attribute_stands_in_one_list() {
        assert!(MEANINGLESS.is_sorted_by(|left, right| left < right));
        for (name, expected) in [
            ("__constructor__", Meaning::Handled),
            ("noinline", Meaning::Nothing),
            ("__alias__", Meaning::Refused),
            ("no_such_attribute", Meaning::Unknown),
        ] {
            assert_eq!(meaning(name), expected, "{name}");
        }
        let lists = [HANDLED, MEANINGLESS, REFUSED];
        for name in lists.concat() {
            assert_eq!(lists.iter().filter(|list| list.contains(&name)).count(), 1, "{name}");
        }
    }
}
