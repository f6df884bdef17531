//! The table of effects: `effects.txt` says in its head what its lines mean.

use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// What a function does with what it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentEffect {
    /// Takes a value.
    Value,
    /// Reads a string.
    Text,
    /// Reads memory.
    In,
    /// Writes memory, with values that are not computed.
    Out,
    /// Writes memory, with any values.
    Input,
}

/// What a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultEffect {
    Nothing,
    Zero,
    /// It does not return.
    Never,
    /// Any value of its type: an input.
    Any,
    /// Any of these values.
    Within(i128, i128),
    /// One value, which is not computed.
    Some,
    /// The number in a text: an input, if the text is one.
    Number,
    /// Null, or the address of memory that belongs to the library.
    Outside,
    /// The address of memory that belongs to the library.
    Memory,
    /// The same, of memory that it keeps for the thread.
    OwnMemory,
    /// As many as there are further arguments, fewer, or -1.
    Items,
    /// Its first argument.
    First,
    /// Null, or its first argument.
    FirstOrNull,
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Effect {
    pub(crate) result: ResultEffect,
    arguments: Vec<ArgumentEffect>,
    /// What more arguments than those have in common.
    more: Option<ArgumentEffect>,
}

impl Effect {
    /// How many arguments have names in the table.
    pub(crate) fn named(&self) -> usize {
        self.arguments.len()
    }

    /// What happens to the argument with this index.
    pub(crate) fn argument(&self, index: usize) -> ArgumentEffect {
        self.arguments.get(index).copied().or(self.more).unwrap_or(ArgumentEffect::Value)
    }
}

/// What a function of the libraries does, if it is in the table.
pub(crate) fn library_effect(name: &str) -> Option<&'static Effect> {
    static TABLE: LazyLock<FxHashMap<&'static str, Effect>> =
        LazyLock::new(|| include_str!("effects.txt").lines().filter_map(parse_line).collect());
    TABLE.get(name)
}

/// Effects by the names of functions.
pub(crate) type Effects = FxHashMap<String, Effect>;

/// What a user says of functions, in lines like those of the table; an error is the line that says nothing.
pub(crate) fn described<'l>(lines: &'l [String]) -> Result<Effects, &'l str> {
    let parse = |line: &'l String| {
        let (name, effect) = parse_line(line).filter(|(name, _)| is_name(name)).ok_or(line.as_str())?;
        Ok((name.to_owned(), effect))
    };
    lines.iter().map(parse).collect()
}

fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    name.bytes().all(is_part) && name.bytes().next().is_some_and(|first| !first.is_ascii_digit())
}

/// The function and the effect of a line; nothing if it is a comment, or no line of the table.
fn parse_line(line: &str) -> Option<(&str, Effect)> {
    let line = line.split('#').next()?.trim();
    let (result, call) = line.split_once(char::is_whitespace)?;
    let (name, arguments) = call.trim().strip_suffix(')')?.split_once('(')?;
    let mut effect = Effect { result: parse_result(result)?, arguments: Vec::new(), more: None };
    for argument in arguments.split(',').map(str::trim).filter(|argument| !argument.is_empty()) {
        match argument.strip_suffix("...") {
            Some(repeated) => effect.more = Some(parse_argument(repeated)?),
            None => effect.arguments.push(parse_argument(argument)?),
        }
    }
    Some((name, effect))
}

fn parse_result(word: &str) -> Option<ResultEffect> {
    Some(match word {
        "nothing" => ResultEffect::Nothing,
        "zero" => ResultEffect::Zero,
        "never" => ResultEffect::Never,
        "any" => ResultEffect::Any,
        "some" => ResultEffect::Some,
        "number" => ResultEffect::Number,
        "outside" => ResultEffect::Outside,
        "memory" => ResultEffect::Memory,
        "own" => ResultEffect::OwnMemory,
        "items" => ResultEffect::Items,
        "first" => ResultEffect::First,
        "maybe" => ResultEffect::FirstOrNull,
        range => {
            let (low, high) = range.split_once("..")?;
            ResultEffect::Within(low.parse().ok()?, high.parse().ok()?)
        }
    })
}

fn parse_argument(word: &str) -> Option<ArgumentEffect> {
    Some(match word {
        "-" => ArgumentEffect::Value,
        "text" => ArgumentEffect::Text,
        "in" => ArgumentEffect::In,
        "out" => ArgumentEffect::Out,
        "input" => ArgumentEffect::Input,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_says_something() {
        let mut names = Vec::new();
        for line in include_str!("effects.txt").lines() {
            if !line.trim_start().starts_with('#') && !line.trim().is_empty() {
                names.push(parse_line(line).unwrap_or_else(|| panic!("`{line}` is no line of the table")).0);
            }
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "a function has two lines");
        assert!(count >= 200, "{count} functions");
    }

    /// The table as a page of the book.
    fn page() -> String {
        let mut page = String::from(
            "# Functions of the library\n\n\
             What Rely takes functions of the C and POSIX libraries to do, if their names are not those of threads and\n\
             atomics, which are followed exactly. [Supported C](supported-c.md) says what that is good for.\n\n\
             A result is `any` value of its type or of a range, if it is an input; `some` value that is not computed;\n\
             `outside`, null or memory of the library, or `memory`, which is not null; the `first` argument, or `maybe`\n\
             null; a `number` in a text; how many `items` were read. An argument is a value (`-`), a `text`, memory that\n\
             is read (`in`), memory that is written with values that are not computed (`out`), or with any (`input`).\n",
        );
        for line in include_str!("effects.txt").lines() {
            if let Some(title) = line.strip_prefix("## ") {
                page += &format!("\n## {title}\n\n| function | result |\n|---|---|\n");
            } else if let Some((result, call)) = line.split_once(char::is_whitespace)
                && !line.starts_with('#')
            {
                page += &format!("| `{}` | {result} |\n", call.trim());
            }
        }
        page
    }

    #[test]
    fn the_book_has_the_table() {
        expect_test::expect_file!["../../../../docs/src/library-functions.md"].assert_eq(&page());
    }

    #[test]
    fn lines_are_read() {
        let effect = library_effect("fscanf").expect("it is in the table");
        assert_eq!(effect.result, ResultEffect::Items);
        assert_eq!(
            library_effect("getchar").map(|effect| effect.result),
            Some(ResultEffect::Within(-1, 255))
        );
        let arguments: Vec<ArgumentEffect> = (0..4).map(|index| effect.argument(index)).collect();
        use ArgumentEffect::*;
        assert_eq!(arguments, [Value, Text, Input, Input]);
        assert_eq!(parse_line("sometimes f(-)"), None);
        assert_eq!(parse_line("any f(everything)"), None);
    }

    #[test]
    fn users_describe_functions_in_the_same_way() {
        let lines = |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect::<Vec<_>>();
        let good = lines(&["0..7 read_sensor(-)", "nothing notify(in)"]);
        let effects = described(&good).expect("they say something");
        assert_eq!(effects["read_sensor"].result, ResultEffect::Within(0, 7));
        assert_eq!(effects["notify"].argument(0), ArgumentEffect::In);
        for bad in ["read_sensor", "any two words()", "any 7up()", "any f(everything)"] {
            assert_eq!(described(&lines(&[bad])), Err(bad));
        }
    }
}
