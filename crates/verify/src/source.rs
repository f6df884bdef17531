//! From a text to a program.

use rely_base::{Budget, Diagnostic, Interrupted, SourceMap, Untranslated};
use rely_c_front::{CInput, CText, CUnit, Effects, Harness, PartlyTranslated, Wakeups};
use rely_program::{Goal, Program};

/// The assumption of programs that wait on condition variables: a wait that may end at any time can do so for
/// ever, and it hides that a signal is lost. [`Loaded::for_goal`](crate::Loaded::for_goal) has the program without it.
pub(crate) const INEXACT_WAITS: &str = "waits-may-end-at-any-time";

/// The languages of which there is a front end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Language {
    /// C11 with pthreads.
    C,
    /// The modelling language.
    Rely,
}

/// A source text and what to do with it. Whoever makes it has read it: nothing here reads files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name under which the user knows it.
    pub name: String,
    /// In which language it is written.
    pub language: Language,
    /// The text as it was written.
    pub text: String,
    /// For C that had to be preprocessed: the text behind the preprocessor.
    pub preprocessed: Option<String>,
    /// The other files of a C program.
    pub others: Vec<CUnit>,
    /// Files that a C program includes, so that places in them can be shown.
    pub included: Vec<CText>,
    /// Whether a C program may not use what it does not define and nobody knows.
    pub refuses_externals: bool,
    /// What functions do that a C program calls and does not define, where the user says so.
    pub effects: Effects,
    /// Which functions of C are called by threads, if it is a library.
    pub harness: Harness,
}

impl Source {
    /// A text that need not be preprocessed.
    pub fn new(name: impl Into<String>, language: Language, text: impl Into<String>) -> Self {
        Source {
            name: name.into(),
            language,
            text: text.into(),
            preprocessed: None,
            others: Vec::new(),
            included: Vec::new(),
            refuses_externals: false,
            effects: Effects::default(),
            harness: Harness::default(),
        }
    }
}

impl Source {
    /// Adds another file to a C program.
    pub fn link(&mut self, unit: Source) {
        let preprocessed = unit.preprocessed;
        self.others.push(match preprocessed {
            Some(preprocessed) => CUnit { name: unit.name, original: Some(unit.text), preprocessed },
            None => CUnit { name: unit.name, original: None, preprocessed: unit.text },
        });
        self.others.extend(unit.others);
        for file in unit.included {
            if !self.included.contains(&file) {
                self.included.push(file);
            }
        }
    }
}

/// A program together with the texts it came from.
#[derive(Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// The program as the front end made it.
    pub program: Program,
    /// The texts into which its spans point.
    pub sources: SourceMap,
    /// What the user gave.
    pub input: Source,
    /// What is not supported. If there is anything, the program ends in front of it, and threads may stop there.
    pub obstacles: Vec<Diagnostic>,
    /// The same with waits that end by a signal only, if `program` has waits that may end at any time.
    exact: Option<Box<Loaded>>,
}

impl Loaded {
    /// The translation that a verdict about the goal speaks of. Whether a thread waits for ever is asked of a
    /// program whose waits for condition variables end by a signal only; for all other goals they may end at
    /// any time.
    pub fn for_goal(&self, goal: Goal) -> &Loaded {
        match (&self.exact, goal) {
            (Some(exact), Goal::Deadlock | Goal::Termination | Goal::FairTermination) => exact,
            _ => self,
        }
    }
}

/// Why there is no program.
#[derive(Debug, thiserror::Error)]
pub enum NotLoaded {
    /// The text is wrong.
    #[error("{}", diagnostics.first().map_or("no program", |diagnostic| diagnostic.message.as_str()))]
    Wrong {
        /// What is wrong with it: at least one thing.
        diagnostics: Vec<Diagnostic>,
        /// The texts to which the diagnostics point.
        sources: SourceMap,
    },
    /// The budget ended before.
    #[error("{0}")]
    Stopped(Interrupted),
}

/// From a text to a program, or to the reasons why there is none.
pub fn load(input: &Source) -> Result<Loaded, NotLoaded> {
    load_within(input, &Budget::unlimited())
}

/// [`load`], unless the budget ends before.
pub fn load_within(input: &Source, budget: &Budget) -> Result<Loaded, NotLoaded> {
    let loaded = load_partly_within(input, budget)?;
    match loaded.obstacles.is_empty() {
        true => Ok(loaded),
        false => Err(NotLoaded::Wrong { diagnostics: loaded.obstacles, sources: loaded.sources }),
    }
}

/// [`load_within`], which also gives a program if a part of it is not supported.
pub fn load_partly_within(input: &Source, budget: &Budget) -> Result<Loaded, NotLoaded> {
    let mut loaded = load_with(input, Wakeups::Spurious, budget)?;
    if loaded.obstacles.is_empty() && loaded.program.assumptions().contains(&INEXACT_WAITS) {
        loaded.exact = Some(Box::new(load_with(input, Wakeups::BySignal, budget)?));
    }
    Ok(loaded)
}

fn load_with(input: &Source, wakeups: Wakeups, budget: &Budget) -> Result<Loaded, NotLoaded> {
    let mut sources = SourceMap::new();
    match translate(input, &mut sources, wakeups, budget) {
        Ok(PartlyTranslated { program, obstacles }) => {
            Ok(Loaded { program, sources, input: input.clone(), obstacles, exact: None })
        }
        Err(Untranslated::Wrong(diagnostics)) => Err(NotLoaded::Wrong { diagnostics, sources }),
        Err(Untranslated::Stopped(interrupted)) => Err(NotLoaded::Stopped(interrupted)),
    }
}

fn translate(
    input: &Source,
    sources: &mut SourceMap,
    wakeups: Wakeups,
    budget: &Budget,
) -> Result<PartlyTranslated, Untranslated> {
    match (input.language, &input.preprocessed) {
        (Language::Rely, _) => {
            let file = sources.add(input.name.as_str(), input.text.as_str());
            let program = rely_model_front::translate_within(sources, file, budget)?;
            Ok(PartlyTranslated { program, obstacles: Vec::new() })
        }
        (Language::C, preprocessed) => {
            let original = preprocessed.is_some().then(|| input.text.clone());
            let preprocessed = preprocessed.clone().unwrap_or_else(|| input.text.clone());
            let input = CInput {
                name: input.name.clone(),
                original,
                preprocessed,
                others: input.others.clone(),
                included: input.included.clone(),
                refuses_externals: input.refuses_externals,
                effects: input.effects.clone(),
                harness: input.harness.clone(),
            };
            rely_c_front::translate_partly_within(sources, &input, wakeups, budget)
        }
    }
}
