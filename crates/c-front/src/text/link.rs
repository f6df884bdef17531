//! Names that mean different things in the files of one program.
//!
//! A program of several files is translated as one text, in which the files stand one behind the other. What one
//! file keeps to itself, with `static` or as a type or an enumerator, may have a name that means something else in
//! another file. Each such name gets a new one in its file. What is written alike in both, as in a header that both
//! include, stays what it is: a type that is defined twice is looked up once. Members and labels are never renamed:
//! they belong to their structures and functions.

use super::lexer::{TokenKind, lex_leniently};
use super::parse::parse;
use super::prepare::{Parts, Prepared, prepare};
use crate::unit::{declarator_name, has_storage};
use lang_c::ast::{
    DeclarationSpecifier, DeclaratorKind, DerivedDeclarator, EnumType, Enumerator, Expression,
    ExternalDeclaration, FunctionDefinition, FunctionSpecifier, Identifier, StorageClassSpecifier,
    StructDeclarator, StructType, TranslationUnit, TypeSpecifier,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Structures, unions and enumerations have names of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Space {
    Ordinary,
    Tag,
}

type Name = (Space, String);

/// What a name means in a file, outside of functions.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Meaning {
    /// A function or variable that all files share.
    Shared,
    /// A function or variable of this file only.
    Internal,
    /// A type or an enumerator, with the words that define it.
    Defined(Vec<String>),
}

/// A file: what its names mean, and where they stand.
#[derive(Debug, Default)]
struct File {
    meanings: FxHashMap<Name, Meaning>,
    /// Where names of types and enumerators are defined.
    definitions: FxHashMap<Name, Range<usize>>,
    /// Where a name stands in the source.
    occurrences: Vec<(Name, usize)>,
    renamed: FxHashSet<Name>,
}

/// What is to be changed in `text`, which consists of the files from the given starts on. A file that cannot be read
/// alone is not looked at: it cannot be read with the others either.
pub(crate) fn conflicting_names(text: &str, starts: &[usize]) -> Parts {
    let mut parts = Parts { starts: starts.iter().copied().skip(1).collect(), ..Parts::default() };
    if parts.starts.is_empty() {
        return parts;
    }
    let ends = starts.iter().copied().skip(1).chain([text.len()]);
    let mut files: Vec<File> =
        starts.iter().zip(ends).map(|(&start, end)| File::read(&text[start..end])).collect();
    while rename_more(&mut files) {}
    let tokens = lex_leniently(text);
    let mut taken: FxHashSet<&str> =
        tokens.iter().filter(|token| token.kind == TokenKind::Word).map(|token| token.text(text)).collect();
    taken.insert("");
    for (index, (file, start)) in files.iter().zip(starts).enumerate() {
        for (name, at) in file.occurrences.iter().filter(|(name, _)| file.renamed.contains(name)) {
            let mut new = format!("{}__{}", name.1, index + 1);
            while taken.contains(new.as_str()) {
                new.push('_');
            }
            parts.renamed.insert(start + at, new);
        }
    }
    parts
}

/// Finds more names that have to be changed; returns whether there are any.
fn rename_more(files: &mut [File]) -> bool {
    let mut more: Vec<(usize, Name)> = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let renamed = file.renamed_places();
        for (name, meaning) in file.meanings.iter().filter(|(name, _)| !file.renamed.contains(*name)) {
            let others = files.iter().enumerate().filter(|(other, _)| *other != index);
            let mut others = others.filter(|(_, other)| !other.renamed.contains(name));
            let differs = match meaning {
                Meaning::Shared => false,
                Meaning::Internal => others.any(|(_, other)| other.meanings.contains_key(name)),
                // A name that means another thing in this file than before.
                Meaning::Defined(_) => {
                    file.is_defined_around(name, &renamed)
                        || others
                            .any(|(_, other)| other.meanings.get(name).is_some_and(|known| known != meaning))
                }
            };
            if differs {
                more.push((index, name.clone()));
            }
        }
    }
    let has_more = !more.is_empty();
    for (index, name) in more {
        files[index].renamed.insert(name);
    }
    has_more
}

impl File {
    fn read(source: &str) -> File {
        let mut file = File::default();
        let Ok(prepared) = prepare(source, &Parts::default()) else { return file };
        let Ok(tree) = parse(&prepared) else { return file };
        let mut reader = Reader { file: &mut file, prepared: &prepared, is_member: false, depth: 0 };
        reader.visit_translation_unit(&tree);
        file
    }

    /// Where names stand that are renamed, in order.
    fn renamed_places(&self) -> Vec<usize> {
        let renamed = self.occurrences.iter().filter(|(name, _)| self.renamed.contains(name));
        let mut places: Vec<usize> = renamed.map(|(_, at)| *at).collect();
        places.sort_unstable();
        places
    }

    /// Whether the definition of a name mentions one of some places.
    fn is_defined_around(&self, name: &Name, places: &[usize]) -> bool {
        self.definitions.get(name).is_some_and(|definition| {
            let first = places.partition_point(|at| *at < definition.start);
            places.get(first).is_some_and(|at| *at < definition.end)
        })
    }
}

/// Walks over a file.
struct Reader<'r> {
    file: &'r mut File,
    prepared: &'r Prepared,
    /// Whether a declarator names a member.
    is_member: bool,
    /// In how many functions the walk is.
    depth: usize,
}

impl Reader<'_> {
    fn occurs(&mut self, space: Space, identifier: &Node<Identifier>) {
        let at = self.prepared.original(identifier.span.start);
        self.file.occurrences.push(((space, identifier.node.name.clone()), at));
    }

    fn means(&mut self, space: Space, name: &str, meaning: Meaning) {
        if self.depth > 0 {
            return;
        }
        let known = self.file.meanings.entry((space, name.to_owned())).or_insert_with(|| meaning.clone());
        if meaning == Meaning::Internal {
            *known = meaning;
        }
    }

    /// A type or an enumerator is defined.
    fn defines(&mut self, space: Space, name: &str, span: Span) {
        if self.depth == 0 {
            let (start, end) = (self.prepared.original(span.start), self.prepared.original(span.end));
            self.file.definitions.entry((space, name.to_owned())).or_insert(start..end);
            self.means(space, name, Meaning::Defined(self.words(span)));
        }
    }

    fn words(&self, span: Span) -> Vec<String> {
        let text = &self.prepared.text[span.start..span.end];
        let tokens = lex_leniently(text).into_iter().filter(|token| token.kind != TokenKind::Blank);
        tokens.map(|token| token.text(text).to_owned()).collect()
    }

    /// Whether a function or a variable belongs to its file.
    fn linkage(specifiers: &[Node<DeclarationSpecifier>]) -> Meaning {
        let is_inline = specifiers.iter().any(|specifier| {
            matches!(&specifier.node, DeclarationSpecifier::Function(word) if word.node == FunctionSpecifier::Inline)
        });
        let is_static = has_storage(specifiers, &StorageClassSpecifier::Static);
        match is_static || is_inline && !has_storage(specifiers, &StorageClassSpecifier::Extern) {
            true => Meaning::Internal,
            false => Meaning::Shared,
        }
    }
}

impl<'t> Visit<'t> for Reader<'_> {
    fn visit_translation_unit(&mut self, tree: &'t TranslationUnit) {
        for external in &tree.0 {
            // Functions of the library that stand behind the file are the same everywhere.
            if !self.prepared.is_of_library(external.span.start) {
                self.visit_external_declaration(&external.node, &external.span);
            }
        }
    }

    fn visit_external_declaration(&mut self, external: &'t ExternalDeclaration, span: &'t Span) {
        if let ExternalDeclaration::Declaration(declaration) = external {
            let is_typedef = has_storage(&declaration.node.specifiers, &StorageClassSpecifier::Typedef);
            for declared in &declaration.node.declarators {
                match declarator_name(&declared.node.declarator.node) {
                    Some(name) if is_typedef => self.defines(Space::Ordinary, name, *span),
                    Some(name) => {
                        self.means(Space::Ordinary, name, Self::linkage(&declaration.node.specifiers));
                    }
                    None => {}
                }
            }
        }
        visit::visit_external_declaration(self, external, span);
    }

    fn visit_function_definition(&mut self, function: &'t FunctionDefinition, span: &'t Span) {
        if let Some(name) = declarator_name(&function.declarator.node) {
            self.means(Space::Ordinary, name, Self::linkage(&function.specifiers));
        }
        self.depth += 1;
        visit::visit_function_definition(self, function, span);
        self.depth -= 1;
    }

    fn visit_expression(&mut self, expression: &'t Expression, span: &'t Span) {
        if let Expression::Identifier(identifier) = expression {
            self.occurs(Space::Ordinary, identifier);
        }
        visit::visit_expression(self, expression, span);
    }

    fn visit_declarator_kind(&mut self, kind: &'t DeclaratorKind, span: &'t Span) {
        match kind {
            DeclaratorKind::Identifier(identifier) if !self.is_member => {
                self.occurs(Space::Ordinary, identifier);
            }
            _ => {}
        }
        visit::visit_declarator_kind(self, kind, span);
    }

    fn visit_derived_declarator(&mut self, derived: &'t DerivedDeclarator, span: &'t Span) {
        if let DerivedDeclarator::KRFunction(parameters) = derived {
            parameters.iter().for_each(|parameter| self.occurs(Space::Ordinary, parameter));
        }
        visit::visit_derived_declarator(self, derived, span);
    }

    fn visit_struct_declarator(&mut self, declarator: &'t StructDeclarator, span: &'t Span) {
        let was_member = std::mem::replace(&mut self.is_member, true);
        visit::visit_struct_declarator(self, declarator, span);
        self.is_member = was_member;
    }

    fn visit_type_specifier(&mut self, specifier: &'t TypeSpecifier, span: &'t Span) {
        if let TypeSpecifier::TypedefName(identifier) = specifier {
            self.occurs(Space::Ordinary, identifier);
        }
        visit::visit_type_specifier(self, specifier, span);
    }

    fn visit_struct_type(&mut self, structure: &'t StructType, span: &'t Span) {
        if let Some(tag) = &structure.identifier {
            self.occurs(Space::Tag, tag);
            if structure.declarations.is_some() {
                self.defines(Space::Tag, &tag.node.name, *span);
            }
        }
        visit::visit_struct_type(self, structure, span);
    }

    fn visit_enum_type(&mut self, enumeration: &'t EnumType, span: &'t Span) {
        if let Some(tag) = &enumeration.identifier {
            self.occurs(Space::Tag, tag);
            if !enumeration.enumerators.is_empty() {
                self.defines(Space::Tag, &tag.node.name, *span);
            }
        }
        for enumerator in &enumeration.enumerators {
            self.defines(Space::Ordinary, &enumerator.node.identifier.node.name, *span);
        }
        visit::visit_enum_type(self, enumeration, span);
    }

    fn visit_enumerator(&mut self, enumerator: &'t Enumerator, span: &'t Span) {
        self.occurs(Space::Ordinary, &enumerator.identifier);
        visit::visit_enumerator(self, enumerator, span);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    /// Prints the files with their new names.
    fn check(files: &[&str], expected: &Expect) {
        let mut starts = Vec::new();
        let mut text = String::new();
        for file in files {
            starts.push(text.len());
            text.push_str(file);
            text.push('\n');
        }
        let renamed = conflicting_names(&text, &starts);
        let prepared = prepare(&text, &renamed).expect("the text is readable");
        expected.assert_eq(prepared.text.split_once('\n').expect("a prelude").1);
    }

    #[test]
    fn what_files_keep_to_themselves_is_kept_apart() {
        check(
            &[
                "static int n; int f(void) { return n; }",
                "static int n; struct s { int n; }; int g(struct s *p) { return p->n + n; }",
            ],
            &expect![[r#"
                static int n__1; int f(void) { return n__1; }
                static int n__2; struct s { int n; }; int g(struct s *p) { return p->n + n__2; }
            "#]],
        );
        check(
            &[
                "static int x; static int f(void) { return x; }",
                "extern int x; int g(void) { return x; } int f;",
            ],
            &expect![[r#"
                static int x__1; static int f__1(void) { return x__1; }
                extern int x; int g(void) { return x; } int f;
            "#]],
        );
        check(
            &[
                "typedef int t; enum { A }; struct s { t x; };",
                "typedef int t; enum { A }; struct s { t x; };",
            ],
            &expect![[r#"
                typedef int t; enum { A }; struct s { t x; };
                typedef int t; enum { A }; struct s { t x; };
            "#]],
        );
        check(
            &[
                "struct s { int x; }; typedef struct s t;",
                "struct s { char x; }; typedef struct s t; int f(t *p) { goto s; s: return p->x; }",
            ],
            &expect![[r#"
                struct s__1 { int x; }; typedef struct s__1 t__1;
                struct s__2 { char x; }; typedef struct s__2 t__2; int f(t__2 *p) { goto s; s: return p->x; }
            "#]],
        );
        check(
            &[
                "inline int f(void) { return 1; }",
                "inline int f(void) { return 1; } int g(void) { return f(); }",
            ],
            &expect![[r#"
                inline int f__1(void) { return 1; }
                inline int f__2(void) { return 1; } int g(void) { return f__2(); }
            "#]],
        );
        check(
            &["enum { A = 1 };", "enum { A = 2 }; int f(A) int A; { return A; }"],
            &expect![[r#"
                enum { A__1 = 1 };
                enum { A__2 = 2 }; int f(A__2) int A__2; { return A__2; }
            "#]],
        );
    }
}
