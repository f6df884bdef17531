//! `rely check --reproducer`: writes a violation as a C program that fails under gcc.

use crate::args::{CheckArgs, InputArgs};
use crate::writing::write_whole;
use rely_base::Budget;
use rely_evidence::Verdict;
use rely_report::{CSource, reproducer};
use rely_verify::{Language, Loaded, Source, Verified};
use std::fs;

/// Writes the reproducer if the user wants one and there is a violation. Returns what to tell
/// about it, or why there is none.
pub(super) fn write(
    arguments: &CheckArgs,
    verified: &Verified,
    loaded: &Loaded,
    budget: &Budget,
) -> Result<String, String> {
    let (Some(folder), Verdict::Unsafe(shown)) = (&arguments.evidence.reproducer, &verified.verdict) else {
        return Ok(String::new());
    };
    if loaded.input.language == Language::Rely {
        return Err("there are reproducers of C programs only".to_owned());
    }
    if !loaded.input.others.is_empty() {
        return Err("there are reproducers of programs of one file only".to_owned());
    }
    let options: Vec<String> =
        arguments.input.define.iter().map(|definition| format!("-D{definition}")).collect();
    let source = c_source(&loaded.input, &arguments.input, &options);
    let files = reproducer(shown.replay(), &loaded.program, &loaded.sources, &source, budget)
        .map_err(|reason| format!("there is no reproducer: {reason}"))?;
    let fault = |error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(fault)?;
    for file in files {
        write_whole(&folder.join(file.name), file.text).map_err(fault)?;
    }
    Ok(format!("\n  reproducer   make -C {} run\n", folder.display()))
}

/// The text as it was written if it needs no files besides the system's, else the preprocessed one.
fn c_source<'s>(input: &'s Source, options: &InputArgs, definitions: &'s [String]) -> CSource<'s> {
    let is_quoted_include = |line: &str| {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        directive.is_some_and(|rest| rest.starts_with("include") && rest.contains('"'))
    };
    let needs_files = !options.include.is_empty() || input.text.lines().any(is_quoted_include);
    match &input.preprocessed {
        Some(preprocessed) if needs_files => {
            CSource { name: &input.name, text: preprocessed, preprocessed, options: &[] }
        }
        Some(preprocessed) => {
            CSource { name: &input.name, text: &input.text, preprocessed, options: definitions }
        }
        None => CSource { name: &input.name, text: &input.text, preprocessed: &input.text, options: &[] },
    }
}
