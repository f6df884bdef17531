//! The files of one program, and how each of them is compiled.
//!
//! `compile_commands.json` is what build systems write down for other tools: for each file the command that compiles
//! it. Of its options those count here that the preprocessor heeds.

use crate::args::{CheckArgs, InputArgs};
use rely_base::Diagnostic;
use serde::Deserialize;
use std::path::{Path, PathBuf};

impl CheckArgs {
    /// The files of each program.
    pub fn programs(&self) -> Vec<&[PathBuf]> {
        if self.program { vec![&self.files] } else { self.files.chunks(1).collect() }
    }
}

/// A file of a program.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Where it is.
    pub path: PathBuf,
    /// How it is read.
    pub options: InputArgs,
}

/// How a file is compiled, as build systems write it down.
#[derive(Debug, Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    #[serde(default)]
    arguments: Vec<String>,
    #[serde(default)]
    command: String,
}

/// The files that the user names, those in lists of files among them.
pub fn units(paths: &[PathBuf], options: &InputArgs) -> Result<Vec<Unit>, Diagnostic> {
    let mut units = Vec::new();
    for path in paths {
        if path.extension().is_some_and(|extension| extension == "json") {
            units.append(&mut listed(path, options)?);
        } else {
            units.push(Unit { path: path.clone(), options: options.clone() });
        }
    }
    Ok(units)
}

fn listed(path: &Path, options: &InputArgs) -> Result<Vec<Unit>, Diagnostic> {
    let wrong = |what: String| Diagnostic::error(format!("{}: {what}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let entries: Vec<Entry> = serde_json::from_str(&text)
        .map_err(|error| wrong(format!("this is no list of commands that compile files: {error}")))?;
    let mut units: Vec<Unit> = Vec::new();
    for entry in entries {
        let unit = entry.unit(options).map_err(wrong)?;
        // A file that is compiled twice, for a library and for tests, is one file of the program.
        if units.iter().all(|known| known.path != unit.path) {
            units.push(unit);
        }
    }
    Ok(units)
}

impl Entry {
    /// An error if the options make another language of C.
    fn unit(self, options: &InputArgs) -> Result<Unit, String> {
        let words = match self.arguments.is_empty() {
            true => words(&self.command),
            false => self.arguments,
        };
        let mut options = options.clone();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let mut value = |flag: &str| match word.strip_prefix(flag) {
                Some("") => words.next(),
                rest => rest.map(str::to_owned),
            };
            if let Some(file) = value("-include") {
                options.include_file.push(self.directory.join(file));
            } else if let Some(directory) =
                value("-isystem").or_else(|| value("-iquote")).or_else(|| value("-I"))
            {
                options.include.push(self.directory.join(directory));
            } else if let Some(definition) = value("-D") {
                options.define.push(definition);
            } else if let Some(name) = value("-U") {
                options.define.retain(|definition| definition.split('=').next() != Some(name.as_str()));
            } else if matches!(word.as_str(), "-m32" | "-mx32" | "-m16") {
                let file = self.file.display();
                return Err(format!(
                    "`{file}` is compiled with `{word}`: only programs of 64 bits are supported"
                ));
            } else if let Some(standard) = word.strip_prefix("-std=") {
                options.std = Some(standard.to_owned());
            }
        }
        Ok(Unit { path: self.directory.join(self.file), options })
    }
}

/// The words of a command, as a shell sees them.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (None, ' ' | '\t' | '\n') => words.extend(word.take()),
            (None, '"' | '\'') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (Some(open), _) if character == open => quote = None,
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(characters.next()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(entry: &str, expected: &Expect) {
        let entry: Entry = serde_json::from_str(entry).expect("an entry");
        let Unit { path, options } = entry.unit(&InputArgs::default()).expect("these options are supported");
        let InputArgs { include, define, include_file, std, .. } = options;
        expected.assert_eq(&format!("{path:?} {include:?} {define:?} {include_file:?} {std:?}"));
    }

    #[test]
    fn options_of_the_preprocessor_are_taken_from_commands() {
        check(
            r#"{"directory": "/p", "file": "a.c", "arguments": ["cc", "-Ilib", "-I", "/q", "-DN=2", "-O2", "-c", "a.c"]}"#,
            &expect![[r#""/p/a.c" ["/p/lib", "/q"] ["N=2"] [] None"#]],
        );
        check(
            r#"{"directory": "/p", "file": "/p/a.c", "command": "cc -std=c99 -include x.h -D'A=\"b c\"' -DB=\\\"q\\\" a.c"}"#,
            &expect![[r#""/p/a.c" [] ["A=\"b c\"", "B=\"q\""] ["/p/x.h"] Some("c99")"#]],
        );
        check(
            r#"{"directory": "/p", "file": "a.c", "command": "cc -DA=1 -DAB -UA -iquote sub -m64 a.c"}"#,
            &expect![[r#""/p/a.c" ["/p/sub"] ["AB"] [] None"#]],
        );
    }

    #[test]
    fn other_sizes_of_types_are_refused() {
        let entry = r#"{"directory": "/p", "file": "a.c", "arguments": ["cc", "-m32", "a.c"]}"#;
        let entry: Entry = serde_json::from_str(entry).expect("an entry");
        assert_eq!(
            entry.unit(&InputArgs::default()).expect_err("types have other sizes"),
            "`a.c` is compiled with `-m32`: only programs of 64 bits are supported"
        );
    }
}
