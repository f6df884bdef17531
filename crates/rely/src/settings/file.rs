//! Reading a file of settings. All that is wrong with it is told, each with its place.

use crate::choices::Externals;
use rely_base::{Diagnostic, FileId, SourceMap, Span, similar};
use rely_program::Goal;
use rely_report::Problem;
use rely_verify::Effects;
use std::fs;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use toml_edit::{Document, Item, TableLike, Value};

/// What a file of settings can say. Its schema is `docs/schemas/rely-toml.json`.
#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) files: Vec<PathBuf>,
    pub(super) properties: Vec<Goal>,
    pub(super) timeout: Option<f64>,
    pub(super) memory: Option<u64>,
    pub(super) jobs: Option<u16>,
    pub(super) strict: bool,
    pub(super) include: Vec<PathBuf>,
    pub(super) define: Vec<String>,
    pub(super) externals: Option<Externals>,
    pub(super) effects: Vec<String>,
    pub(super) baseline: Option<PathBuf>,
    pub(super) suppress: Vec<Suppression>,
}

/// Violations that may stay.
#[derive(Debug, Default)]
pub(super) struct Suppression {
    /// A pattern of files.
    pub(super) file: String,
    pub(super) property: Option<Goal>,
    /// A part of the message.
    pub(super) message: Option<String>,
    pub(super) reason: String,
}

const NAMES: [&str; 12] = [
    "files",
    "properties",
    "timeout",
    "memory",
    "jobs",
    "strict",
    "include",
    "define",
    "externals",
    "effects",
    "baseline",
    "suppress",
];
const NAMES_OF_SUPPRESSION: [&str; 4] = ["file", "property", "message", "reason"];

/// Where something stands, as far as that is known.
type At = Option<Range<usize>>;

/// Things with their places.
type Placed<T> = Vec<(T, At)>;

/// Something is wrong here.
struct Wrong {
    at: At,
    message: String,
    help: Option<String>,
}

type Read<T> = Result<T, Wrong>;

impl Wrong {
    fn new(at: At, message: impl Into<String>) -> Self {
        Self { at, message: message.into(), help: None }
    }

    /// The word is none of those that can stand there.
    fn unknown(at: At, message: String, word: &str, known: &[&str]) -> Self {
        let help = match similar(word, known.iter().copied()) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => format!("there are {}", known.join(", ")),
        };
        Self { help: Some(help), ..Self::new(at, message) }
    }

    fn diagnostic(self, file: FileId) -> Diagnostic {
        let diagnostic = Diagnostic::error(self.message);
        let diagnostic = match self.at {
            Some(at) => diagnostic.at(Span { file, start: at.start as u32, end: at.end as u32 }, "here"),
            None => diagnostic,
        };
        match self.help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}

/// The settings of a file, or all that is wrong with them.
pub(super) fn read(path: &Path) -> Result<Settings, Problem> {
    let name = path.display().to_string();
    let unread = |error| Problem::without_source(Diagnostic::error(format!("{name}: {error}")));
    let text = fs::read_to_string(path).map_err(unread)?;
    let mut sources = SourceMap::new();
    let file = sources.add(&name, &text);
    let mut settings = Settings::default();
    let wrong = match Document::parse(text.as_str()) {
        Ok(document) => {
            let entries = document.as_table().iter();
            let set = |(key, item)| settings.set(document.as_table(), key, item).err();
            entries.filter_map(set).collect()
        }
        Err(error) => vec![Wrong::new(error.span(), error.message().lines().collect::<Vec<_>>().join(", "))],
    };
    match wrong.is_empty() {
        true => Ok(settings),
        false => {
            let diagnostics = wrong.into_iter().map(|wrong| wrong.diagnostic(file)).collect();
            Err(Problem::new(diagnostics, sources))
        }
    }
}

impl Settings {
    fn set(&mut self, table: &dyn TableLike, key: &str, item: &Item) -> Read<()> {
        match key {
            "files" => self.files = paths(item)?,
            "properties" => {
                let goals = texts(item)?.into_iter().map(|(text, at)| goal(text, at));
                self.properties = goals.collect::<Read<_>>()?;
            }
            "timeout" => self.timeout = Some(seconds(item)?),
            "memory" => self.memory = Some(whole(item, 1..=i64::MAX)?.unsigned_abs()),
            "jobs" => self.jobs = u16::try_from(whole(item, 1..=i64::from(u16::MAX))?).ok(),
            "strict" => self.strict = item.as_bool().ok_or_else(|| unlike(item, "true or false"))?,
            "include" => self.include = paths(item)?,
            "define" => self.define = texts(item)?.into_iter().map(|(text, _)| text.to_owned()).collect(),
            "externals" => self.externals = Some(externals(item)?),
            "effects" => self.effects = texts(item)?.into_iter().map(effect).collect::<Read<_>>()?,
            "baseline" => self.baseline = Some(text(item)?.into()),
            "suppress" => {
                self.suppress = tables(item)?.into_iter().map(suppression).collect::<Read<_>>()?;
            }
            _ => return Err(no_such_key(table, key, &NAMES)),
        }
        Ok(())
    }
}

fn no_such_key(table: &dyn TableLike, key: &str, known: &[&str]) -> Wrong {
    let at = table.key(key).and_then(toml_edit::Key::span);
    Wrong::unknown(at, format!("there is no setting `{key}`"), key, known)
}

fn suppression((table, at): (&dyn TableLike, At)) -> Read<Suppression> {
    let mut suppression = Suppression::default();
    for (key, item) in table.iter() {
        match key {
            "file" => text(item)?.clone_into(&mut suppression.file),
            "property" => suppression.property = Some(goal(text(item)?, item.span())?),
            "message" => suppression.message = Some(text(item)?.to_owned()),
            "reason" => text(item)?.clone_into(&mut suppression.reason),
            _ => return Err(no_such_key(table, key, &NAMES_OF_SUPPRESSION)),
        }
    }
    if suppression.file.is_empty() {
        return Err(Wrong::new(at, "a suppression has a `file`: a name or a pattern"));
    }
    match suppression.reason.trim().is_empty() {
        true => Err(Wrong::new(at, "a suppression has a `reason`: why the violation may stay")),
        false => Ok(suppression),
    }
}

/// The item is something else than what can stand there.
fn unlike(item: &Item, wanted: &str) -> Wrong {
    Wrong::new(item.span(), format!("this is {}, but must be {wanted}", with_article(item.type_name())))
}

fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {noun}")
}

fn text(item: &Item) -> Read<&str> {
    item.as_str().ok_or_else(|| unlike(item, "a string"))
}

/// Strings, each with its place.
fn texts(item: &Item) -> Read<Placed<&str>> {
    let values = item.as_array().ok_or_else(|| unlike(item, "an array of strings"))?;
    let one = |value: &Value| {
        let kind = with_article(value.type_name());
        Wrong::new(value.span(), format!("this is {kind}, but must be a string"))
    };
    values.iter().map(|value| Ok((value.as_str().ok_or_else(|| one(value))?, value.span()))).collect()
}

fn paths(item: &Item) -> Read<Vec<PathBuf>> {
    Ok(texts(item)?.into_iter().map(|(text, _)| PathBuf::from(text)).collect())
}

/// Tables, whichever of the two ways in which TOML writes them was taken.
fn tables(item: &Item) -> Read<Placed<&dyn TableLike>> {
    let wanted = "a list of tables, each with `[[suppress]]`";
    if let Some(tables) = item.as_array_of_tables() {
        return Ok(tables.iter().map(|table| (table as &dyn TableLike, table.span())).collect());
    }
    let values = item.as_array().ok_or_else(|| unlike(item, wanted))?;
    let one = |value: &Value| Wrong::new(value.span(), format!("this must be one of {wanted}"));
    let table = |value| Value::as_inline_table(value).ok_or_else(|| one(value));
    values.iter().map(|value| Ok((table(value)? as &dyn TableLike, value.span()))).collect()
}

fn whole(item: &Item, range: RangeInclusive<i64>) -> Read<i64> {
    let wanted = match *range.end() {
        i64::MAX => format!("a whole number, {} or more", range.start()),
        most => format!("a whole number from {} to {most}", range.start()),
    };
    let number = item.as_integer().ok_or_else(|| unlike(item, &wanted))?;
    let outside = || Wrong::new(item.span(), format!("this must be {wanted}"));
    range.contains(&number).then_some(number).ok_or_else(outside)
}

fn seconds(item: &Item) -> Read<f64> {
    let number = item.as_float().or(item.as_integer().map(|number| number as f64));
    let number = number.ok_or_else(|| unlike(item, "a number of seconds"))?;
    let outside = || Wrong::new(item.span(), "this must be a number of seconds, 0 for no limit");
    (number.is_finite() && number >= 0.0).then_some(number).ok_or_else(outside)
}

fn goal(name: &str, at: At) -> Read<Goal> {
    let known = Goal::ALL.map(Goal::name);
    let unknown = || Wrong::unknown(at, format!("there is no property `{name}`"), name, &known);
    Goal::ALL.into_iter().find(|goal| goal.name() == name).ok_or_else(unknown)
}

fn externals(item: &Item) -> Read<Externals> {
    let choice = text(item)?;
    let unknown = || {
        let message = format!("`externals` cannot be `{choice}`");
        Wrong::unknown(item.span(), message, choice, &["assume", "refuse"])
    };
    <Externals as clap::ValueEnum>::from_str(choice, false).map_err(|_| unknown())
}

fn effect((line, at): (&str, At)) -> Read<String> {
    match Effects::parse(line) {
        Ok(_) => Ok(line.to_owned()),
        Err(errors) => {
            let help = Some("as in `0..7 read_sensor(-)`".to_owned());
            Err(Wrong { help, ..Wrong::new(at, errors[0].message.clone()) })
        }
    }
}
