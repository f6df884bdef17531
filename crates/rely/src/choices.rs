//! The values that options of the command line can take.

use clap::ValueEnum;
use rely_passes::CriticalSections;
use rely_report::{Detail, ProofDetail};
use rely_verify::Trust;

/// `--sections`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SectionsChoice {
    /// One step each, as far as the lock protects what they access: much is proved faster
    #[value(alias = "joined")]
    Atomic,
    /// The steps of the program: assertions of a proof hold in every state
    #[value(alias = "apart")]
    Interleaved,
}

impl From<SectionsChoice> for CriticalSections {
    fn from(choice: SectionsChoice) -> Self {
        match choice {
            SectionsChoice::Atomic => CriticalSections::Atomic,
            SectionsChoice::Interleaved => CriticalSections::Interleaved,
        }
    }
}

/// `--trace`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceChoice {
    /// Only statements that matter to other threads
    Essential,
    /// Every statement
    Statements,
    /// Every step of the intermediate program, with its operations
    Steps,
}

impl TraceChoice {
    /// How much is told of a run; of a long one only what matters if nobody says more.
    pub fn detail(choice: Option<Self>) -> Detail {
        match choice {
            None => Detail::Usual,
            Some(TraceChoice::Essential) => Detail::Essential,
            Some(TraceChoice::Statements) => Detail::Compact,
            Some(TraceChoice::Steps) => Detail::Full,
        }
    }
}

/// `--proof`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProofChoice {
    /// What it needs, at the statements of the source
    Short,
    /// All that it says, with the steps that commute and what each thread relies on
    Full,
}

impl From<ProofChoice> for ProofDetail {
    fn from(choice: ProofChoice) -> Self {
        match choice {
            ProofChoice::Short => ProofDetail::Short,
            ProofChoice::Full => ProofDetail::Full,
        }
    }
}

/// `--trust`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TrustChoice {
    /// Passes that simplify the program, which the verdict names: the least work
    Passes,
    /// The same, but a proof is looked for once more in the program as it was read, for a short time
    #[default]
    FewestPasses,
    /// Nothing: a proof that trusts a pass is `unknown`, unless one is found of the program as it was read
    None,
}

impl From<TrustChoice> for Trust {
    fn from(choice: TrustChoice) -> Self {
        match choice {
            TrustChoice::Passes => Trust::Passes,
            TrustChoice::FewestPasses => Trust::FewestPasses,
            TrustChoice::None => Trust::Nothing,
        }
    }
}

/// `--externals`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Externals {
    /// They touch nothing but their arguments, which the verdict says
    #[default]
    Assume,
    /// They are not supported
    Refuse,
}

/// `--bias`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BiasChoice {
    /// Those in which each thread speaks of globals and its own locals only
    Modular,
    /// Any
    None,
}

/// `--rule`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RuleChoice {
    /// A predicate for each location of each thread, which no step of another thread invalidates
    OwickiGries,
    /// What each thread reaches, and what its steps do to the others
    ReachEnv,
    /// Like owicki-gries, but steps that others cannot come between are summarised
    Reduction,
}

/// `--preprocessor`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PreprocessorChoice {
    /// Rely's own if it is sure to do what the compiler does, else the compiler's
    #[default]
    Auto,
    /// Rely's own, or none
    Embedded,
    /// The compiler's: `$CC -E`, or that of `cc`, `gcc` or `clang`
    System,
}

/// How `rely check` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// For people.
    Text,
    /// One JSON document, described in the book.
    Json,
    /// A SARIF 2.1.0 log, for code-scanning services and editors.
    Sarif,
    /// JUnit XML, for dashboards of continuous integration.
    Junit,
    /// One line per result like those of a compiler, for problem matchers.
    Lines,
}

/// How `rely show` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShowFormat {
    /// As text.
    Text,
    /// As a graph for Graphviz.
    Dot,
}

/// The input languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// C11 with pthreads, before the preprocessor.
    C,
    /// C11 with pthreads, already preprocessed.
    I,
    /// The modelling language.
    Rely,
}
