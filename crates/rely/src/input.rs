//! Reading what the user names: files, standard input, and what the C preprocessor makes of
//! them. This is the only place where Rely reads files.

use crate::args::{Externals, InputArgs, Language};
use crate::compilation;
use crate::preprocess::{self, Source};
use rely_base::{Budget, Diagnostic, Interrupted, Work};
use rely_report::Problem;
use rely_verify::{CText, EffectError, Effects, Harness};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Larger inputs are refused: no program of this size is analysed in a lifetime.
pub const LARGEST_INPUT: u64 = 64 << 20;

/// Why there is no program.
#[derive(Debug)]
pub enum NotLoaded {
    /// The input is wrong.
    Wrong(Problem),
    /// The budget ended before.
    Stopped(Interrupted),
}

impl NotLoaded {
    /// For those who have no limits to speak of.
    pub fn into_problem(self) -> Problem {
        match self {
            NotLoaded::Wrong(problem) => problem,
            NotLoaded::Stopped(interrupted) => {
                Problem::without_source(Diagnostic::error(interrupted.to_string()))
            }
        }
    }
}

impl From<rely_verify::NotLoaded> for NotLoaded {
    fn from(reason: rely_verify::NotLoaded) -> Self {
        match reason {
            rely_verify::NotLoaded::Wrong { diagnostics, sources } => {
                NotLoaded::Wrong(Problem::new(diagnostics, sources))
            }
            rely_verify::NotLoaded::Stopped(interrupted) => NotLoaded::Stopped(interrupted),
        }
    }
}

/// Reads the files of one program, which are C if there are several.
pub fn read_program_within(
    paths: &[PathBuf],
    options: &InputArgs,
    budget: &Budget,
) -> Result<rely_verify::Source, NotLoaded> {
    budget.set_work(Some(Work::Reading));
    let read = read_program(paths, options, budget);
    budget.check_work(Work::Reading).map_err(NotLoaded::Stopped)?;
    read.map_err(|diagnostic| NotLoaded::Wrong(Problem::without_source(diagnostic)))
}

fn read_program(
    paths: &[PathBuf],
    options: &InputArgs,
    budget: &Budget,
) -> Result<rely_verify::Source, Diagnostic> {
    let mut whole: Option<rely_verify::Source> = None;
    for unit in compilation::units(paths, options)? {
        let source = read_unless_over(&unit.path, &unit.options, budget)?;
        if source.language != rely_verify::Language::C && paths.len() > 1 {
            return Err(Diagnostic::error(format!("{}: not a C file", source.name))
                .help("a program of several files is one in C"));
        }
        match &mut whole {
            None => whole = Some(source),
            Some(whole) => whole.link(source),
        }
    }
    whole.ok_or_else(|| Diagnostic::error("there are no files"))
}

/// Reads a file, or standard input for `-`, and preprocesses it if it is C.
pub fn read(path: &Path, options: &InputArgs) -> Result<rely_verify::Source, Diagnostic> {
    read_unless_over(path, options, &Budget::unlimited())
}

/// An error if the budget ends before.
fn read_unless_over(
    path: &Path,
    options: &InputArgs,
    budget: &Budget,
) -> Result<rely_verify::Source, Diagnostic> {
    let (name, language, bytes) = read_bytes(path, options)?;
    source_of(path, (name, language, bytes), options, budget)
}

/// A file with another text.
pub fn with_text(
    path: &Path,
    text: &str,
    options: &InputArgs,
    budget: &Budget,
) -> Result<rely_verify::Source, Diagnostic> {
    let name = path.display().to_string();
    let language = language_of(path, &name, options)?;
    source_of(path, (name, language, text.as_bytes().to_vec()), options, budget)
}

fn source_of(
    path: &Path,
    (name, language, bytes): (String, Language, Vec<u8>),
    options: &InputArgs,
    budget: &Budget,
) -> Result<rely_verify::Source, Diagnostic> {
    let language = match language {
        Language::C
            if options.define.is_empty() && options.include_file.is_empty() && is_preprocessed(&bytes) =>
        {
            Language::I
        }
        other => other,
    };
    let preprocessed = match language {
        Language::C => {
            let source = Source { path, name: &name, text: &bytes, is_stdin: is_stdin(path) };
            Some(decode(&name, preprocess::run(source, options, budget)?, Encoding::Bytes)?)
        }
        Language::I | Language::Rely => None,
    };
    let encoding = match language {
        // Only shown: what is translated is the preprocessed text.
        Language::C => Encoding::Any,
        Language::I => Encoding::Bytes,
        Language::Rely => Encoding::Utf8,
    };
    let text = decode(&name, bytes, encoding)?;
    let language = match language {
        Language::C | Language::I => rely_verify::Language::C,
        Language::Rely => rely_verify::Language::Rely,
    };
    let source = rely_verify::Source::new(name, language, text);
    let included = preprocessed.as_deref().map(included).unwrap_or_default();
    let refuses_externals = options.externals == Externals::Refuse;
    let harness = Harness { setup: options.setup.clone(), entries: options.entry.clone() };
    let effects = effects(options)?;
    Ok(rely_verify::Source { preprocessed, included, refuses_externals, effects, harness, ..source })
}

/// What functions do that are not defined, as the user's tables say.
fn effects(options: &InputArgs) -> Result<Effects, Diagnostic> {
    let mut effects = Effects::default();
    for path in &options.effects {
        let name = path.display().to_string();
        let bytes = read_file(path).map_err(|problem| Diagnostic::error(format!("{name}: {problem}")))?;
        let table = Effects::parse(&decode(&name, bytes, Encoding::Utf8)?).map_err(|errors| {
            let told: Vec<String> = errors.iter().map(|error| format!("{name}: {error}")).collect();
            Diagnostic::error(told.join("\n"))
        })?;
        effects.extend(table);
    }
    for line in &options.effect {
        let wrong = |errors: Vec<EffectError>| Diagnostic::error(format!("`{line}`: {}", errors[0].message));
        effects.extend(Effects::parse(line).map_err(wrong)?);
    }
    Ok(effects)
}

/// Whether the preprocessor has left its markers in a text, and there is nothing else for it to do. Such programs are
/// shown as they are: what their markers speak of is not there.
fn is_preprocessed(text: &[u8]) -> bool {
    let mut has_markers = false;
    for line in text.split(|&byte| byte == b'\n') {
        let Some(directive) = line.trim_ascii_start().strip_prefix(b"#") else { continue };
        let directive = directive.trim_ascii_start();
        let rest = directive.strip_prefix(b"line").unwrap_or(directive).trim_ascii_start();
        let is_marker = rest.first().is_some_and(u8::is_ascii_digit);
        if !is_marker && !directive.starts_with(b"pragma") {
            return false;
        }
        has_markers |= is_marker;
    }
    has_markers
}

/// What stands in the files that a program includes, besides those of the system. A file that cannot be read any more
/// is not shown.
fn included(preprocessed: &str) -> Vec<CText> {
    let names = rely_verify::included_files(preprocessed).into_iter();
    let texts = names.filter_map(|name| {
        let bytes = read_file(Path::new(name)).ok()?;
        Some(CText { name: name.to_owned(), text: decode(name, bytes, Encoding::Any).ok()? })
    });
    texts.collect()
}

/// Reads a model as it is: its name and its text.
pub fn read_model(path: &Path) -> Result<(String, String), Diagnostic> {
    let language = is_stdin(path).then_some(Language::Rely);
    let (name, language, bytes) = read_bytes(path, &InputArgs { lang: language, ..InputArgs::default() })?;
    if language != Language::Rely {
        return Err(Diagnostic::error(format!("{name}: not a `.rely` model")));
    }
    let text = decode(&name, bytes, Encoding::Utf8)?;
    Ok((name, text))
}

/// Reads a text in no language of ours as it is: its name and its text.
pub fn read_text(path: &Path) -> Result<(String, String), Diagnostic> {
    let language = Some(Language::Rely);
    let (name, _, bytes) = read_bytes(path, &InputArgs { lang: language, ..InputArgs::default() })?;
    let text = decode(&name, bytes, Encoding::Utf8)?;
    Ok((name, text))
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

fn read_bytes(path: &Path, options: &InputArgs) -> Result<(String, Language, Vec<u8>), Diagnostic> {
    // The C preprocessor calls standard input by the same name.
    let name = if is_stdin(path) { "<stdin>".to_owned() } else { path.display().to_string() };
    let language = language_of(path, &name, options)?;
    let bytes = if is_stdin(path) { read_stdin() } else { read_file(path) };
    let bytes = bytes.map_err(|problem| Diagnostic::error(format!("{name}: {problem}")))?;
    refuse_unreadable(&name, &bytes)?;
    Ok((name, language, bytes))
}

fn language_of(path: &Path, name: &str, options: &InputArgs) -> Result<Language, Diagnostic> {
    if let Some(language) = options.lang {
        return Ok(language);
    }
    if is_stdin(path) {
        return Err(Diagnostic::error("cannot infer the language of standard input")
            .help("say `--lang c`, `--lang i` (preprocessed C) or `--lang rely`"));
    }
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("c") => Ok(Language::C),
        Some("i") => Ok(Language::I),
        Some("rely") => Ok(Language::Rely),
        _ if path.is_dir() => Err(Diagnostic::error(format!("{name}: is a directory")).help("name the files in it")),
        _ if !path.exists() => Err(Diagnostic::error(format!("{name}: there is no such file"))),
        _ => Err(Diagnostic::error(format!("{name}: cannot infer the language from the file extension"))
            .help("Rely reads C programs (`.c`, preprocessed `.i`) and models (`.rely`); or say which with `--lang`")),
    }
}

impl InputArgs {
    /// The language of a file, for those who only want to know what is usual; C if nothing tells.
    pub fn language_of(&self, path: &Path) -> rely_verify::Language {
        match language_of(path, "", self) {
            Ok(Language::Rely) => rely_verify::Language::Rely,
            _ => rely_verify::Language::C,
        }
    }
}

/// What is wrong with a file, to stand behind its name.
#[derive(Debug, thiserror::Error)]
enum Unreadable {
    #[error("there is no such file")]
    Missing,
    #[error("this is a directory")]
    Directory,
    #[error("the file is larger than {} MB, the largest size that Rely reads", LARGEST_INPUT >> 20)]
    TooLarge,
    #[error("the file cannot be read: {0}")]
    Other(#[source] io::Error),
}

impl From<io::Error> for Unreadable {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Unreadable::Missing,
            io::ErrorKind::IsADirectory => Unreadable::Directory,
            _ => Unreadable::Other(error),
        }
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, Unreadable> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(Unreadable::Directory);
    }
    read_at_most(file)
}

fn read_stdin() -> Result<Vec<u8>, Unreadable> {
    read_at_most(io::stdin().lock())
}

fn read_at_most(source: impl Read) -> Result<Vec<u8>, Unreadable> {
    let mut bytes = Vec::new();
    source.take(LARGEST_INPUT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST_INPUT { Err(Unreadable::TooLarge) } else { Ok(bytes) }
}

fn refuse_unreadable(name: &str, bytes: &[u8]) -> Result<(), Diagnostic> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Diagnostic::error(format!("{name}: the file is empty")));
    }
    match bytes.iter().position(|&byte| byte == 0) {
        Some(at) => Err(Diagnostic::error(format!("{name}: not a text file: byte {at} is zero"))),
        None => Ok(()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    /// Anything else is refused.
    Utf8,
    /// What is not UTF-8 is replaced; for texts that are only shown.
    Any,
    /// What is not UTF-8 is written as C writes bytes in literals: `\\351`. Elsewhere it is no C.
    Bytes,
}

fn decode(name: &str, bytes: Vec<u8>, encoding: Encoding) -> Result<String, Diagnostic> {
    let text = match (String::from_utf8(bytes), encoding) {
        (Ok(text), _) => text,
        (Err(error), Encoding::Any) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        (Err(error), Encoding::Bytes) => with_escapes(error.as_bytes()),
        (Err(error), Encoding::Utf8) => {
            let at = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
            return Err(Diagnostic::error(format!("{name}: not valid UTF-8: byte {at}, in line {line}"))
                .help("convert it, for example with `iconv -f latin1 -t utf-8`"));
        }
    };
    // Some editors put a byte order mark in front.
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// The text with an octal escape for each byte that is not UTF-8.
fn with_escapes(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\{byte:03o}")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check_bytes(bytes: &[u8], expected: &Expect) {
        let read = refuse_unreadable("a.rely", bytes)
            .and_then(|()| decode("a.rely", bytes.to_vec(), Encoding::Utf8));
        expected.assert_debug_eq(&read.map_err(|error| error.message));
    }

    #[test]
    fn texts_are_decoded_and_others_refused() {
        check_bytes(
            b"var x: int;",
            &expect![[r#"
            Ok(
                "var x: int;",
            )
        "#]],
        );
        check_bytes(
            b"\xef\xbb\xbfvar x",
            &expect![[r#"
            Ok(
                "var x",
            )
        "#]],
        );
        check_bytes(
            b"var x\n\xe9",
            &expect![[r#"
            Err(
                "a.rely: not valid UTF-8: byte 6, in line 2",
            )
        "#]],
        );
        check_bytes(
            b"\x7fELF\0\0",
            &expect![[r#"
            Err(
                "a.rely: not a text file: byte 4 is zero",
            )
        "#]],
        );
        check_bytes(
            b" \n\t",
            &expect![[r#"
            Err(
                "a.rely: the file is empty",
            )
        "#]],
        );
    }

    #[test]
    fn bytes_of_other_alphabets_stay_what_they_are() {
        let text = decode("a.i", b"char s[] = \"caf\xe9!\"; // \xc3\xa9".to_vec(), Encoding::Bytes);
        assert_eq!(text.map_err(|error| error.message).as_deref(), Ok("char s[] = \"caf\\351!\"; // é"));
    }

    #[test]
    fn what_was_preprocessed_is_known_by_its_markers() {
        for (text, expected) in [
            ("# 1 \"a.c\"\nint x;\n#line 7\n#pragma pack(1)\n", true),
            ("# 1 \"a.c\"\n#define X 1\n", false),
            ("#include <stdio.h>\n", false),
            ("int x;\n", false),
        ] {
            assert_eq!(is_preprocessed(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn the_ending_names_the_language() {
        let language =
            |name: &str| language_of(Path::new(name), name, &InputArgs::default()).map_err(|e| e.message);
        assert_eq!(language("a/b.c"), Ok(Language::C));
        assert_eq!(language("b.i"), Ok(Language::I));
        assert_eq!(language("b.rely"), Ok(Language::Rely));
        assert_eq!(language("-"), Err("cannot infer the language of standard input".to_owned()));
        assert_eq!(language("no-such-file"), Err("no-such-file: there is no such file".to_owned()));
    }
}
