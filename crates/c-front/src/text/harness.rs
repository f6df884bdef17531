//! A start for programs that have none: functions of a library, called by any number of threads.
//!
//! The harness is C, and stands behind the program. What the functions are given is up to the lowering, which knows their
//! types: here it is a call of [`ARGUMENT`].

use super::lexer::{TokenKind, lex_leniently};
use super::prepare::{Parts, Prepared};
use crate::Harness;
use crate::unit::{Unit, function_part};
use lang_c::ast::{
    DeclarationSpecifier, DerivedDeclarator, ParameterDeclaration, TranslationUnit, TypeSpecifier,
};
use rely_base::Diagnostic;
use std::fmt::Write;

/// `ARGUMENT(f, 0)` is some first argument for `f`.
pub(crate) const ARGUMENT: &str = "__entry_argument";

/// How variables are called that hold what the functions of the setup return; a number follows.
pub(crate) const MADE: &str = "__entry_made_";

/// Lets the program's own `main` be a function like others.
pub(crate) fn rename_main(text: &str, parts: &mut Parts) {
    let tokens = lex_leniently(text);
    let mains = tokens.iter().filter(|token| token.kind == TokenKind::Word && token.text(text) == "main");
    parts.renamed.extend(mains.map(|token| (token.start, "__own_main".to_owned())));
}

/// Adds the harness to a program with this tree.
pub(crate) fn add_harness(
    prepared: &mut Prepared,
    tree: &TranslationUnit,
    harness: &Harness,
) -> Result<(), Diagnostic> {
    let unit = Unit::new(tree);
    let mut text = String::from("\n");
    let (mut setup, mut choices) = (String::new(), String::new());
    for (number, name) in harness.setup.iter().enumerate() {
        let call = call_of(&unit, name)?;
        match returns_nothing(&unit, name) {
            true => writeln!(setup, "    {call};"),
            false => {
                writeln!(text, "static __typeof__({call}) {MADE}{number};").expect("strings take text");
                writeln!(setup, "    {MADE}{number} = {call};")
            }
        }
        .expect("strings take text");
    }
    for (number, name) in harness.entries.iter().enumerate() {
        let call = call_of(&unit, name)?;
        writeln!(choices, "        if (choice == {number}) {call};").expect("strings take text");
    }
    write!(
        text,
        "static void *__entry_thread(void *unused) {{\n    while (__VERIFIER_nondet_bool()) {{\n        int choice = \
         __VERIFIER_nondet_int();\n{choices}    }}\n    return 0;\n}}\nint main(void) {{\n{setup}    while \
         (__VERIFIER_nondet_bool()) pthread_create(0, 0, __entry_thread, 0);\n    pthread_exit(0);\n}}\n"
    )
    .expect("strings take text");
    prepared.text.push_str(&text);
    Ok(())
}

/// A call of a function with some arguments.
fn call_of(unit: &Unit<'_>, name: &str) -> Result<String, Diagnostic> {
    let Some(function) = unit.functions.get(name) else {
        return Err(Diagnostic::error(format!("there is no function `{name}` to be called")));
    };
    let count = match function_part(&function.node.declarator.node) {
        Some(DerivedDeclarator::Function(part)) => {
            part.node.parameters.iter().filter(|parameter| !is_void(&parameter.node)).count()
        }
        Some(DerivedDeclarator::KRFunction(names)) => names.len(),
        _ => 0,
    };
    let arguments: Vec<String> = (0..count).map(|index| format!("{ARGUMENT}({name}, {index})")).collect();
    Ok(format!("{name}({})", arguments.join(", ")))
}

/// `(void)`.
fn is_void(parameter: &ParameterDeclaration) -> bool {
    parameter.declarator.is_none()
        && parameter.specifiers.iter().any(|specifier| is_word_void(&specifier.node))
}

fn is_word_void(specifier: &DeclarationSpecifier) -> bool {
    matches!(specifier, DeclarationSpecifier::TypeSpecifier(ty) if ty.node == TypeSpecifier::Void)
}

fn returns_nothing(unit: &Unit<'_>, name: &str) -> bool {
    unit.functions.get(name).is_some_and(|function| {
        // A pointer to `void` has a part besides that of the function.
        let is_plain = function.node.declarator.node.derived.len() == 1;
        is_plain && function.node.specifiers.iter().any(|specifier| is_word_void(&specifier.node))
    })
}
