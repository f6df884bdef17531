//! C11 with pthreads, and the conventions of SV-COMP, to Rely programs.
//!
//! [`translate`] takes preprocessed C and gives a [`Program`]: every thread function becomes a
//! control-flow automaton into which the functions that it calls are inlined, every scalar
//! that lives in memory becomes a variable, and every access to memory that other threads see
//! is a step of its own. What is not supported is refused with its name and its place.
//!
//! The way there: `text` turns the text into a syntax tree, `unit` indexes its declarations,
//! and `lower` walks over the bodies of the functions, computing types and emitting edges,
//! repeatedly until `facts`, what pointers may point to, is complete.
//!
//! ```
//! use rely_base::SourceMap;
//! use rely_c_front::{CInput, translate};
//!
//! let text = "int x; int main(void) { x = 1; return 0; }";
//! let input = CInput { name: "one.i".into(), preprocessed: text.into(), ..CInput::default() };
//! let program = translate(&mut SourceMap::new(), &input)?;
//! assert_eq!(program.threads().len(), 1);
//! # Ok::<(), rely_base::Diagnostic>(())
//! ```

mod annotation;
mod attribute;
mod facts;
mod fold;
mod image;
mod layout;
mod library;
mod lower;
mod placement;
mod reach;
mod shape;
mod text;
mod types;
mod unit;
mod value;

use lang_c::ast::TranslationUnit;
pub use library::{EffectError, Effects};
use lower::Origin;
use rely_base::{Budget, Diagnostic, SourceMap, Untranslated, Work};
use rely_program::Program;
use std::borrow::Cow;
use text::{LineMap, UnitLines, Written};

/// The stack on which the syntax tree is built and walked, far more than the nesting that is
/// allowed in front of it needs.
const STACK_BYTES: usize = 512 << 20;

/// What the user gave, and what the preprocessor made of it.
#[derive(Clone, Debug, Default)]
pub struct CInput {
    /// The name of the file, as the user gave it.
    pub name: String,
    /// The text that the user wrote, if it was preprocessed.
    pub original: Option<String>,
    /// The preprocessed text, with the preprocessor's line markers.
    pub preprocessed: String,
    /// The other files of the program.
    pub others: Vec<CUnit>,
    /// Files that are included, as line markers name them, so that places in them can be shown.
    pub included: Vec<CText>,
    /// Whether the use of functions and variables is refused that are neither defined nor known; otherwise it is
    /// assumed that they touch nothing but what they are given.
    pub refuses_externals: bool,
    /// What functions do that are not part of the program, where the user says so.
    pub effects: Effects,
    /// Functions that are called by threads, where there is no program that does.
    pub harness: Harness,
}

/// What happens to the functions of a library: those of the setup are called first, one after the other, and then any
/// number of threads call the entries, in any order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Harness {
    /// Functions that `main` calls before it starts threads.
    pub setup: Vec<String>,
    /// Functions that threads call. If there are none, the program has a `main` of its own.
    pub entries: Vec<String>,
}

/// One more file of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CUnit {
    /// The name of the file, as the user gave it.
    pub name: String,
    /// The text that the user wrote, if it was preprocessed.
    pub original: Option<String>,
    /// The preprocessed text, with the preprocessor's line markers.
    pub preprocessed: String,
}

/// A text with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CText {
    /// The name of the file.
    pub name: String,
    /// What stands in it.
    pub text: String,
}

/// The names of the files that a program includes, besides those of the system.
pub fn included_files(preprocessed: &str) -> Vec<&str> {
    text::included_files(preprocessed)
}

/// How a wait for a condition variable ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wakeups {
    /// At any time, as POSIX allows: every behaviour with signals is among those that result. For properties
    /// that say that nothing bad happens.
    #[default]
    Spurious,
    /// By a signal or a broadcast only, or by the time that was given: for properties that say that something
    /// goes on.
    BySignal,
}

/// Translates a C program whose waits may end at any time. The file is added to `sources`: the original if there is one.
pub fn translate(sources: &mut SourceMap, input: &CInput) -> Result<Program, Diagnostic> {
    translate_unless_over(sources, input, Wakeups::Spurious, &Budget::unlimited())
        .and_then(PartlyTranslated::whole)
        .map_err(|mut errors| errors.swap_remove(0))
}

/// A program, and what of it is not supported.
#[derive(Debug)]
pub struct PartlyTranslated {
    /// If there are obstacles, the translation ends in front of each, with a check of the kind `Limit`. Threads may
    /// also stop there, or behind a part of a statement, which no real thread does: nothing that the program is said
    /// to do for ever, or to stop doing, is true of the whole.
    pub program: Program,
    /// What is not supported, in the order in which it was found.
    pub obstacles: Vec<Diagnostic>,
}

impl PartlyTranslated {
    /// The program if all of it was translated.
    fn whole(self) -> Result<Program, Vec<Diagnostic>> {
        if self.obstacles.is_empty() { Ok(self.program) } else { Err(self.obstacles) }
    }
}

/// [`translate`] with the given end of waits, unless the budget ends before.
pub fn translate_within(
    sources: &mut SourceMap,
    input: &CInput,
    wakeups: Wakeups,
    budget: &Budget,
) -> Result<Program, Untranslated> {
    let translated = translate_partly_within(sources, input, wakeups, budget)?;
    translated.whole().map_err(Untranslated::Wrong)
}

/// [`translate_within`], which also gives a program if there are statements that are not supported.
pub fn translate_partly_within(
    sources: &mut SourceMap,
    input: &CInput,
    wakeups: Wakeups,
    budget: &Budget,
) -> Result<PartlyTranslated, Untranslated> {
    budget.check_work(Work::Translating)?;
    let translated = translate_unless_over(sources, input, wakeups, budget);
    // Who stops early says so by some error.
    budget.check_work(Work::Translating)?;
    translated.map_err(Untranslated::Wrong)
}

/// An error if the budget ends before.
fn translate_unless_over(
    sources: &mut SourceMap,
    input: &CInput,
    wakeups: Wakeups,
    budget: &Budget,
) -> Result<PartlyTranslated, Vec<Diagnostic>> {
    let whole = Whole::new(input);
    let is_too_large = |text: &str| text.len() >= u32::MAX as usize;
    if is_too_large(&whole.text) || whole.shown.iter().any(|(_, text)| is_too_large(text)) {
        return Err(vec![Diagnostic::error(format!("`{}` is too large", input.name))]);
    }
    let ids: Vec<_> = whole.shown.iter().map(|(name, text)| sources.add(*name, *text)).collect();
    // A budget counts for itself on each thread.
    let budget = budget.clone();
    let run = move || {
        let shown = ids.into_iter().zip(&whole.shown);
        let written = shown.map(|(id, (name, text))| Written::new(id, name, text)).collect();
        let lines = LineMap::new(&whole.text, written, whole.units.clone());
        translate_text(input, &whole, &lines, wakeups, &budget)
    };
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run);
        match worker.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => Err(vec![Diagnostic::error(format!("no thread for the parser: {error}"))]),
        }
    })
}

/// All files of a program as one text.
struct Whole<'s> {
    text: Cow<'s, str>,
    /// Where the files start in it.
    units: Vec<UnitLines>,
    /// The texts that the user knows, with their names.
    shown: Vec<(&'s str, &'s str)>,
}

impl<'s> Whole<'s> {
    fn new(input: &'s CInput) -> Self {
        let main = (input.name.as_str(), input.original.as_deref(), input.preprocessed.as_str());
        let mut whole = Whole { text: Cow::Borrowed(main.2), units: Vec::new(), shown: Vec::new() };
        whole.add(main, 0);
        for unit in &input.others {
            // What the file before says about the layout of structures is not said of this one.
            whole.text.to_mut().push_str("\n#pragma pack()\n");
            let start = whole.text.len();
            whole.text.to_mut().push_str(&unit.preprocessed);
            whole.add((&unit.name, unit.original.as_deref(), &unit.preprocessed), start);
        }
        for file in &input.included {
            whole.shown.push((&file.name, &file.text));
        }
        whole
    }

    fn add(&mut self, (name, original, preprocessed): (&'s str, Option<&'s str>, &'s str), start: usize) {
        let (file, is_preprocessed) = (self.shown.len(), original.is_some());
        self.units.push(UnitLines { start, file, is_preprocessed });
        self.shown.push((name, original.unwrap_or(preprocessed)));
    }
}

fn translate_text(
    input: &CInput,
    whole: &Whole<'_>,
    lines: &LineMap<'_>,
    wakeups: Wakeups,
    budget: &Budget,
) -> Result<PartlyTranslated, Vec<Diagnostic>> {
    let starts: Vec<usize> = whole.units.iter().map(|unit| unit.start).collect();
    let mut renamed = text::conflicting_names(&whole.text, &starts);
    let annotations = lines.annotations().map_err(|error| vec![error])?;
    let has_harness = !input.harness.entries.is_empty();
    if has_harness {
        text::rename_main(&whole.text, &mut renamed);
    }
    let mut prepared = text::prepare(&whole.text, &renamed).map_err(|unreadable| {
        let end = (unreadable.at + 1).min(whole.text.len());
        vec![Diagnostic::error(unreadable.message).at(lines.span(unreadable.at.min(end), end), "here")]
    })?;
    let mut tree = parse(&prepared, lines)?;
    if has_harness {
        text::add_harness(&mut prepared, &tree, &input.harness).map_err(|error| vec![error])?;
        tree = parse(&prepared, lines)?;
    }
    let origin = Origin { prepared: &prepared, lines };
    lower::lower(input, &tree, &annotations, &origin, wakeups, budget)
}

fn parse(prepared: &text::Prepared, lines: &LineMap<'_>) -> Result<TranslationUnit, Vec<Diagnostic>> {
    let origin = Origin { prepared, lines };
    text::parse(prepared).map_err(|fault| {
        let error = Diagnostic::error(fault.message).at(origin.span(fault.start, fault.end), "here");
        let error = Diagnostic { is_unsupported: fault.is_unsupported, ..error };
        vec![match fault.help {
            Some(help) => error.help(help),
            None => error,
        }]
    })
}
