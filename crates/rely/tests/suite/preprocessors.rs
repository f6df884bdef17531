//! Comparing the embedded preprocessor with the compiler's: the same tokens on the same lines
//! of the same files.

use rely::args::InputArgs;
use rely::preprocess::{Source, embedded, system};
use rely_base::Budget;
use std::path::Path;

/// How the two preprocessors relate on one program.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Both give the same tokens with the same places; whether even the white space is the same.
    Equal { to_the_byte: bool },
    /// The embedded one declines, for this reason.
    Declined(String),
    /// They differ: here the first difference.
    Different(String),
}

/// Runs both on a file.
pub fn compare(path: &Path, options: &InputArgs) -> Outcome {
    let text = std::fs::read(path).expect("the program can be read");
    let name = path.display().to_string();
    let source = Source { path, name: &name, text: &text, is_stdin: false };
    let ours = match embedded::run(source, options, &Budget::unlimited()) {
        Ok(ours) => ours,
        Err(reason) => return Outcome::Declined(reason),
    };
    let theirs = match system::run(source, options, &Budget::unlimited()) {
        Ok(theirs) => theirs,
        Err(error) => return Outcome::Different(format!("only the compiler complains: {}", error.message)),
    };
    let to_the_byte = ours == theirs;
    let (ours, theirs) = (String::from_utf8_lossy(&ours), String::from_utf8_lossy(&theirs));
    let (ours, theirs) = (placed_lines(&ours), placed_lines(&theirs));
    let difference = (0..ours.len().max(theirs.len())).find(|&at| ours.get(at) != theirs.get(at));
    match difference {
        None => Outcome::Equal { to_the_byte },
        Some(at) => {
            Outcome::Different(format!("ours {:?}, the compiler's {:?}", ours.get(at), theirs.get(at)))
        }
    }
}

/// The text of each line of each file in the order in which it appears, its white space made
/// one blank. What macros spread over several lines is joined.
fn placed_lines(text: &str) -> Vec<(String, usize, String)> {
    let mut lines: Vec<(String, usize, String)> = Vec::new();
    let (mut file, mut number) = (String::new(), 0);
    for line in text.lines() {
        if let Some((marked, name)) = marker(line) {
            (number, file) = (marked, name);
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        if !words.is_empty() {
            match lines.last_mut() {
                Some((last_file, last_number, text)) if *last_file == file && *last_number == number => {
                    text.push(' ');
                    text.push_str(&words.join(" "));
                }
                _ => lines.push((file.clone(), number, words.join(" "))),
            }
        }
        number += 1;
    }
    lines
}

fn marker(line: &str) -> Option<(usize, String)> {
    let rest = line.strip_prefix("# ")?;
    let (number, name) = rest.split_once(' ')?;
    Some((number.parse().ok()?, name.trim_start_matches('"').split('"').next()?.to_owned()))
}
