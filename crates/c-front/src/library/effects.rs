//! The table of effects: `effects.txt` says in its head what its lines mean. Users may have tables of their own.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
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
    /// The same, of memory that each call writes: those of several threads get in each other's way.
    Reused,
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

/// What functions do that are not part of the program, by their names: a table of the user.
///
/// ```
/// use rely_c_front::Effects;
///
/// let effects = Effects::parse("0..1 sensor_read(-, out)  # its number, where the value goes")?;
/// assert!(effects.names().eq(["sensor_read"]));
/// assert_eq!(Effects::parse("perhaps f()").unwrap_err()[0].line, 1);
/// # Ok::<(), Vec<rely_c_front::EffectError>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects(BTreeMap<String, Effect>);

/// What is wrong with a line of a table of effects.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct EffectError {
    /// The number of the line; the first one is 1.
    pub line: usize,
    /// What is wrong, and what could stand there.
    pub message: String,
}

impl Effects {
    /// Reads a table, which consists of lines like those of the table for the library. If some are wrong, all of these are
    /// told.
    pub fn parse(text: &str) -> Result<Effects, Vec<EffectError>> {
        let (mut effects, mut errors) = (Effects::default(), Vec::new());
        for (index, line) in text.lines().enumerate() {
            let mut wrong = |message| errors.push(EffectError { line: index + 1, message });
            match parse_line(line) {
                Ok(None) => {}
                Ok(Some((name, _))) if effects.0.contains_key(name) => {
                    wrong(format!("`{name}` has a line already"));
                }
                Ok(Some((name, effect))) => drop(effects.0.insert(name.to_owned(), effect)),
                Err(message) => wrong(message),
            }
        }
        if errors.is_empty() { Ok(effects) } else { Err(errors) }
    }

    /// Adds the lines of another table; where both have one, that of the other table counts.
    pub fn extend(&mut self, other: Effects) {
        self.0.extend(other.0);
    }

    /// The functions that the table is about.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Effect> {
        self.0.get(name)
    }
}

/// What a function of the libraries does, if it is in the table.
pub(crate) fn library_effect(name: &str) -> Option<&'static Effect> {
    static TABLE: LazyLock<FxHashMap<&'static str, Effect>> = LazyLock::new(|| {
        include_str!("effects.txt").lines().filter_map(|line| parse_line(line).ok()?).collect()
    });
    TABLE.get(name)
}

/// The function and the effect of a line; nothing if nothing stands there but a comment.
fn parse_line(line: &str) -> Result<Option<(&str, Effect)>, String> {
    let line = line.split('#').next().unwrap_or("").trim();
    if line.is_empty() {
        return Ok(None);
    }
    let form = || "a line has the form `RESULT NAME(ARGUMENT, ...)`".to_owned();
    let (result, call) = line.split_once(char::is_whitespace).ok_or_else(form)?;
    let (name, arguments) =
        call.trim().strip_suffix(')').and_then(|call| call.split_once('(')).ok_or_else(form)?;
    let name = name.trim_end();
    let is_letter = |letter: char| letter == '_' || letter.is_alphanumeric();
    if name.is_empty()
        || name.starts_with(|first: char| first.is_ascii_digit())
        || !name.chars().all(is_letter)
    {
        return Err(format!("`{name}` is no name of a function"));
    }
    let mut effect = Effect { result: parse_result(result)?, arguments: Vec::new(), more: None };
    let words: Vec<&str> = match arguments.trim() {
        "" => Vec::new(),
        arguments => arguments.split(',').map(str::trim).collect(),
    };
    for (index, word) in words.iter().enumerate() {
        match word.strip_suffix("...") {
            Some(repeated) if index + 1 == words.len() => effect.more = Some(parse_argument(repeated)?),
            Some(_) => return Err("`...` stands behind the last argument".to_owned()),
            None => effect.arguments.push(parse_argument(word)?),
        }
    }
    let wants_argument =
        matches!(effect.result, ResultEffect::First | ResultEffect::FirstOrNull | ResultEffect::Number);
    if wants_argument && effect.arguments.is_empty() {
        return Err(format!("`{result}` speaks of the first argument, and there is none"));
    }
    Ok(Some((name, effect)))
}

fn parse_result(word: &str) -> Result<ResultEffect, String> {
    Ok(match word {
        "nothing" => ResultEffect::Nothing,
        "zero" => ResultEffect::Zero,
        "never" => ResultEffect::Never,
        "any" => ResultEffect::Any,
        "some" => ResultEffect::Some,
        "number" => ResultEffect::Number,
        "outside" => ResultEffect::Outside,
        "reused" => ResultEffect::Reused,
        "memory" => ResultEffect::Memory,
        "own" => ResultEffect::OwnMemory,
        "items" => ResultEffect::Items,
        "first" => ResultEffect::First,
        "maybe" => ResultEffect::FirstOrNull,
        range => {
            let bounds =
                range.split_once("..").and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
            match bounds {
                Some((low, high)) if low <= high => ResultEffect::Within(low, high),
                Some(_) => return Err(format!("no number is in `{range}`")),
                None => {
                    return Err(format!(
                        "`{range}` is no result: nothing, zero, never, LOW..HIGH, any, some, number, outside, reused, \
                         memory, own, items, first or maybe"
                    ));
                }
            }
        }
    })
}

fn parse_argument(word: &str) -> Result<ArgumentEffect, String> {
    Ok(match word {
        "-" => ArgumentEffect::Value,
        "text" => ArgumentEffect::Text,
        "in" => ArgumentEffect::In,
        "out" => ArgumentEffect::Out,
        "input" => ArgumentEffect::Input,
        other => return Err(format!("`{other}` is no argument: -, text, in, out or input")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_says_something() {
        let effects = Effects::parse(include_str!("effects.txt")).expect("the table is right");
        assert!(effects.0.len() >= 200, "{} functions", effects.0.len());
    }

    /// The table as a page of the book.
    fn page() -> String {
        let mut page = String::from(
            "# Functions of the library\n\n\
             What Rely takes functions of the C and POSIX libraries to do, if their names are not those of threads and\n\
             atomics, which are followed exactly. [Supported C](supported-c.md) says what that is good for.\n\n\
             A result is `any` value of its type or of a range, if it is an input; `some` value that is not computed;\n\
             `outside`, null or memory of the library, `reused`, the same, and each call writes there, or `memory`, which\n\
             is not null; the `first` argument, or `maybe` null; a `number` in a text; how many `items` were read. An\n\
             argument is a value (`-`), a `text`, memory that is read (`in`), memory that is written with values that are\n\
             not computed (`out`), or with any (`input`).\n",
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
    }

    #[test]
    fn wrong_lines_are_told_with_what_could_stand_there() {
        let text = "any f(-)\nsometimes f(-)\nany g(everything)\nany\n\nsome f()\nany a-b()\n5..1 h()\nfirst i()\n\
                    zero j(-..., -)\nzero k(- # open\n";
        let errors = Effects::parse(text).expect_err("nearly all lines are wrong");
        let told: String = errors.iter().map(|error| format!("{error}\n")).collect();
        expect_test::expect![[r#"
            line 2: `sometimes` is no result: nothing, zero, never, LOW..HIGH, any, some, number, outside, reused, memory, own, items, first or maybe
            line 3: `everything` is no argument: -, text, in, out or input
            line 4: a line has the form `RESULT NAME(ARGUMENT, ...)`
            line 6: `f` has a line already
            line 7: `a-b` is no name of a function
            line 8: no number is in `5..1`
            line 9: `first` speaks of the first argument, and there is none
            line 10: `...` stands behind the last argument
            line 11: a line has the form `RESULT NAME(ARGUMENT, ...)`
        "#]]
        .assert_eq(&told);
    }

    #[test]
    fn users_describe_functions_in_the_same_way() {
        let effects = Effects::parse("0..7 read_sensor(-)\nnothing notify(in)").expect("they say something");
        assert_eq!(effects.get("read_sensor").map(|effect| effect.result), Some(ResultEffect::Within(0, 7)));
        assert_eq!(effects.get("notify").map(|effect| effect.argument(0)), Some(ArgumentEffect::In));
        for bad in ["read_sensor", "any two words()", "any 7up()", "any f(everything)"] {
            assert!(Effects::parse(bad).is_err(), "{bad}");
        }
    }
}
