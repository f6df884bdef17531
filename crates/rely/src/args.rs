//! The command line, described once: the parser, the help, the completions and the man page
//! all come from here.

mod validate;

pub use crate::check_args::{CheckArgs, EvidenceArgs};
pub use crate::choices::{
    BiasChoice, CheckFormat, Externals, Language, PreprocessorChoice, ProofChoice, RuleChoice,
    SectionsChoice, ShowFormat, TraceChoice, TrustChoice,
};
pub use validate::ValidateArgs;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ColorChoice, Parser, Subcommand};
use regex_lite::Regex;
use rely_base::Limits as _;
use rely_bench::families::FAMILIES;
use rely_passes::PassRun;
use rely_program::Goal;
use rely_verify::{Effects, Limits};
use std::path::PathBuf;

/// The engine unless the user chooses one.
pub const DEFAULT_ENGINE: &str = "portfolio";

/// What stands below the help of the whole command.
const EXIT_CODES: &str = "\
Exit codes:
  0    every property holds, or has nothing to check
  1    a property is violated
  2    unknown: neither shown nor refuted
  3    the input or the command line is wrong
  4    internal failure
  5    the input uses something that is not supported
  130  stopped by Ctrl-C
Of several results the worst decides, in the order 4, 3, 5, 1, 2, 0.

Examples:
  rely check examples/peterson.c
  rely check --property deadlock examples/lock-order.c
  rely run --seed 7 examples/racy-counter.c
  rely show --format dot model.rely | dot -Tsvg > model.svg
  rely horn examples/horn/mccarthy-91.smt2
  rely bench papers";

/// Proves or refutes properties of multi-threaded programs, and shows why.
#[derive(Debug, Parser)]
#[command(name = "rely", version = crate::version::TEXT, propagate_version = true, after_help = EXIT_CODES)]
#[command(max_term_width = 100)]
pub struct Cli {
    /// Whether to use colours; `auto` uses them on a terminal unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// What the user wants.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Decide whether programs have the properties that they claim
    Check(Box<CheckArgs>),
    /// Check a proof that was written down, from the program and the file alone
    Certify(CertifyArgs),
    /// Check the witness of any verifier: confirm it, refute it by a run, or say why not
    Validate(ValidateArgs),
    /// Print the program that the engines see
    Show(ShowArgs),
    /// Run a program once, under a random or a given schedule
    Run(RunArgs),
    /// Solve Horn clauses
    Horn(HornArgs),
    /// Write the Horn clauses of a proof rule for a program
    Export(ExportArgs),
    /// Lay out .rely models in the standard way
    Fmt(FmtArgs),
    /// Measure engines on many programs, beside the figures of the papers
    Bench(BenchArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man,
}

/// `rely certify`
#[derive(Args, Debug)]
#[command(after_help = "\
No engine runs. The obligations of the proof are made from the program again, and each is decided;
`safe` is printed if all of them hold, `unknown` with the reason if not.

Examples:
  rely check --certificate lock.json examples/lock-id.rely
  rely certify lock.json examples/lock-id.rely
  rely certify --report counting.html examples/counting.proof.json examples/counting.rely")]
pub struct CertifyArgs {
    /// What `rely check --certificate` has written
    #[arg(value_name = "CERTIFICATE")]
    pub certificate: PathBuf,
    /// The C program, which may have several files, or the model that it is about
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Give up after this many seconds; without it there is no limit
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Give up when the check holds more than this many megabytes
    #[arg(long, value_name = "MB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: u64,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = CheckFormat::Text)]
    pub format: CheckFormat,
    /// Print the proof: what holds where, and what each thread does to the others; `--proof` alone means `short`
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "short")]
    pub proof: Option<ProofChoice>,
    /// Write the obligations of the proof as SMT-LIB; every answer must be `unsat`
    #[arg(long, value_name = "FILE.smt2")]
    pub export_obligations: Option<PathBuf>,
    /// Let another solver confirm the proof as well
    #[arg(long, value_name = "COMMAND")]
    pub solver: Option<String>,
    /// Show the proof in one HTML page
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// How to read the input
    #[command(flatten)]
    pub input: InputArgs,
}

/// `rely show`
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  rely show examples/peterson.c
  rely show --simplified examples/peterson.c
  rely show --passes examples/peterson.c
  rely show --after unroll examples/mutex-counter.c
  rely show --blocks examples/locked-counter.rely
  rely show --format dot model.rely | dot -Tsvg > model.svg")]
pub struct ShowArgs {
    /// A C program, which may have several files, or a model; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = ShowFormat::Text)]
    pub format: ShowFormat,
    /// Show what an engine receives: without dead variables, local steps joined
    #[arg(long)]
    pub simplified: bool,
    /// Show the program behind a pass; `compress:2` is behind the second run of the pass `compress`
    #[arg(long, value_name = "PASS", conflicts_with_all = ["simplified", "passes"])]
    pub after: Option<PassRun>,
    /// Show what each pass does instead of the program: the sizes before and after
    #[arg(long, conflicts_with_all = ["simplified", "format"])]
    pub passes: bool,
    /// Show the source with the movers and the blocks of reduction in the margin
    ///
    /// R marks right movers, L left movers, B both and N none; a bracket joins steps that others see as
    /// one. `--property` is `assert`, `overflow` or `memory`.
    #[arg(long, conflicts_with_all = ["simplified", "after", "passes", "format", "sections"])]
    pub blocks: bool,
    /// The property for which to simplify
    #[arg(long, short, value_name = "PROPERTY", default_value = "assert", value_parser = goal_parser())]
    pub property: Goal,
    /// With --simplified, --after and --passes: how critical sections are executed
    #[arg(long, value_enum, default_value_t = SectionsChoice::Atomic)]
    pub sections: SectionsChoice,
    /// How to read the input
    #[command(flatten)]
    pub input: InputArgs,
}

/// `rely run`
#[derive(Args, Debug)]
#[command(after_help = "\
A schedule names the thread that moves next: `A,B*3,A` lets A make one step, B three and A one
more. Threads that were created from one template are named with their number, as in `worker#3`.
The run stops at a violation (exit code 1), when every thread has ended or none can move, at the
end of the schedule, or after the given number of steps.

Examples:
  rely run examples/racy-counter.c
  rely run --seed 7 --steps 50 model.rely
  rely run --schedule 'T0*2,T1*5' model.rely")]
pub struct RunArgs {
    /// A C program, which may have several files, or a model; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Makes the same random choices every time; without it they differ
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Which thread moves when, as in `A,B*3,A`
    #[arg(long, value_name = "THREADS")]
    pub schedule: Option<String>,
    /// Stop after this many steps
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub steps: usize,
    /// How much to tell; `--trace` alone means `steps` [default: statements]
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "steps")]
    pub trace: Option<TraceChoice>,
    /// How to read the input
    #[command(flatten)]
    pub input: InputArgs,
}

/// `rely horn`
#[derive(Args, Debug)]
#[command(after_help = "\
Prints `sat` if the clauses have a model, `unsat` if they derive false, or `unknown`, as solvers of
CHC-COMP do. Each `sat` and `unsat` was checked: the model by putting it into the clauses as they
are written, the derivation step by step. What another solver says is only reported, unless it gives
a model that can be checked.

Exit codes:
  0    sat: every assertion of a program that the clauses are about holds
  1    unsat
  2    unknown
  3    the input or the command line is wrong

Examples:
  rely horn examples/horn/mccarthy-91.smt2
  rely horn --model examples/horn/mccarthy-91.smt2
  rely horn --derivation --timeout 60 clauses.smt2
  rely horn --horn-solver 'z3 -in' clauses.smt2
  rely export --rule owicki-gries examples/peterson.c | rely horn -")]
pub struct HornArgs {
    /// Clauses in SMT-LIB (logic HORN) over integers and truth values; `-` reads standard input
    #[arg(value_name = "FILE.smt2")]
    pub file: PathBuf,
    /// With `sat`: print the model, a `define-fun` for every predicate
    #[arg(long)]
    pub model: bool,
    /// With `unsat`: print the derivation of false, step by step
    #[arg(long)]
    pub derivation: bool,
    /// Give up after this many seconds; without it there is no limit
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Give up when the solver holds more than this many megabytes
    #[arg(long, value_name = "MB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: u64,
    /// Another value for one of the limits of the search, for experiments
    #[arg(long, value_name = "NAME=N", value_parser = horn_limit)]
    pub limit: Vec<(String, u64)>,
    /// Let another solver answer: a command that reads the clauses from standard input, or from {file}
    #[arg(long, value_name = "COMMAND")]
    pub horn_solver: Option<String>,
}

/// `rely export`
#[derive(Args, Debug)]
#[command(after_help = "\
The clauses have a model if the proof rule applies, so `sat` means that every assertion holds. `unsat`
means that the rule cannot show it: with --plain perhaps only for want of knowing where other threads stand,
without --everything for want of knowing their locals.

Examples:
  rely export --rule owicki-gries examples/peterson.c > peterson.smt2
  rely export --rule reduction examples/mutex-counter.c | rely horn -
  rely export --rule reach-env --plain model.rely | rely horn -")]
pub struct ExportArgs {
    /// A C program, which may have several files, or a model; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Which proof rule
    #[arg(long, value_enum, default_value_t = RuleChoice::OwickiGries)]
    pub rule: RuleChoice,
    /// Without auxiliary variables that tell where the other threads stand: fewer arguments, weaker
    #[arg(long)]
    pub plain: bool,
    /// With the locals of all threads in every assertion: more arguments, but nothing is lost
    #[arg(long, conflicts_with = "plain")]
    pub everything: bool,
    /// How critical sections (what is done under a lock) are executed; the rule `reduction` finds out by itself
    #[arg(long, value_enum, default_value_t = SectionsChoice::Atomic)]
    pub sections: SectionsChoice,
    /// How to read the input
    #[command(flatten)]
    pub input: InputArgs,
}

/// How inputs are read.
#[derive(Args, Clone, Debug, Default)]
pub struct InputArgs {
    /// The language, where the name of the file does not tell it
    #[arg(long, value_enum)]
    pub lang: Option<Language>,
    /// A directory in which the C preprocessor looks for headers
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// A definition for the C preprocessor, as in `-D N=3`
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// A file that the C preprocessor reads in front of every other, as `gcc -include` does
    #[arg(long, value_name = "FILE")]
    pub include_file: Vec<PathBuf>,
    /// The C standard that the C preprocessor is told, as `gcc -std` is
    #[arg(long, value_name = "STANDARD")]
    pub std: Option<String>,
    /// As for gcc: only `-m64`, which is the default, is supported
    #[arg(short = 'm', value_name = "BITS", value_parser = word_size)]
    pub machine: Option<u8>,
    /// Which C preprocessor runs
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    pub preprocessor: PreprocessorChoice,
    /// What becomes of C functions and variables that are neither defined nor known
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    pub externals: Externals,
    /// What a C function does that is not defined: RESULT NAME(ARGUMENT, ...), as in `0..7 read_sensor(-)`; see the
    /// chapter about functions of the library
    #[arg(long, value_name = "EFFECT", value_parser = effect, allow_hyphen_values = true)]
    pub effect: Vec<String>,
    /// A table of what C functions do that are not defined; the book describes it
    #[arg(long, value_name = "FILE")]
    pub effects: Vec<PathBuf>,
    /// The C files are a library: any number of threads call this function, and others that are given
    #[arg(long, value_name = "FUNCTION", value_delimiter = ',')]
    pub entry: Vec<String>,
    /// With --entry: a function that is called once, before the threads start
    #[arg(long, value_name = "FUNCTION", value_delimiter = ',', requires = "entry")]
    pub setup: Vec<String>,
}

/// `rely fmt`
#[derive(Args, Debug)]
#[command(after_help = "\
Files are rewritten in place, `-` from standard input to standard output.

Examples:
  rely fmt model.rely
  rely fmt --check examples/*.rely")]
pub struct FmtArgs {
    /// Models (.rely)
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Change nothing; name the files that are laid out otherwise and exit with code 1
    #[arg(long)]
    pub check: bool,
}

/// `rely bench`
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "\
Each task runs in a process of its own, with limits that are enforced from outside. A benchmark that
was stopped goes on where it was when the same command is given again. The exit code is 0 if every
verdict is right, 1 if one is wrong and 2 if one is missing.

Examples:
  rely bench papers
  rely bench popl11 --engine explore --repeat 5
  rely bench papers --compare 'other: /opt/other/verify {file}' --timeout 60
  rely bench readers-writer-lock:2..12 --engine explore
  rely bench trend")]
pub struct BenchArgs {
    /// Instead of measuring
    #[command(subcommand)]
    pub command: Option<BenchCommand>,
    /// What to measure
    #[command(flatten)]
    pub run: BenchRunArgs,
}

/// What `rely bench` does besides measuring.
#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// Show how the recorded rows developed
    Trend(TrendArgs),
    /// Print a member of a scaled family as a model
    Generate(GenerateArgs),
}

/// `rely bench trend`
#[derive(Args, Debug)]
pub struct TrendArgs {
    /// Only rows whose name contains this
    pub rows: Option<String>,
    /// The log; without it that of the repository
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
}

/// `rely bench generate`
#[derive(Args, Debug)]
pub struct GenerateArgs {
    /// The family
    #[arg(value_parser = PossibleValuesParser::new(FAMILIES.map(|family| family.name)))]
    pub family: String,
    /// How large
    pub size: u64,
}

/// What `rely bench` measures, and how.
#[derive(Args, Debug)]
pub struct BenchRunArgs {
    /// `papers`, a table of them, a folder or file of task definitions (.yml), or `FAMILY:N..M`
    #[arg(value_name = "SET", default_value = rely_bench::set::PAPERS)]
    pub set: String,
    /// Engines, with their arguments: `--engine 'NAME --option value,NAME'`; without it those of the table
    #[arg(long, short, value_name = "ENGINE", value_delimiter = ',')]
    pub engine: Vec<String>,
    /// Another verifier as a shell command with {file} and perhaps {property}, `NAME: ` may precede it
    #[arg(long, value_name = "COMMAND")]
    pub compare: Vec<String>,
    /// Output of another verifier that means that the property holds
    #[arg(long, value_name = "REGEX", default_value = r"\bTRUE\b|VERIFICATION SUCCESSFUL|\bsafe\b", value_parser = pattern)]
    pub compare_safe: Regex,
    /// Output of another verifier that means that the property is violated
    #[arg(long, value_name = "REGEX", default_value = r"\bFALSE\b|VERIFICATION FAILED|\bunsafe\b", value_parser = pattern)]
    pub compare_unsafe: Regex,
    /// End a run after this many seconds
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = seconds)]
    pub timeout: f64,
    /// End a run that holds more than this many megabytes
    #[arg(long, value_name = "MB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: u64,
    /// How many runs at a time; more than one disturb each other's time
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: u16,
    /// How often each run is repeated, for the median
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,
    /// Where the journal and the results go; without it a folder under `bench-results`
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Start again, even if there is a benchmark to go on with
    #[arg(long)]
    pub fresh: bool,
    /// Add the results to the performance log of the repository
    #[arg(long)]
    pub record: bool,
}

/// `rely completions`
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  rely completions bash > ~/.local/share/bash-completion/completions/rely
  rely completions fish > ~/.config/fish/completions/rely.fish")]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

pub(crate) fn goal_parser() -> impl TypedValueParser<Value = Goal> {
    PossibleValuesParser::new(Goal::ALL.map(Goal::name)).map(|name| {
        let named = Goal::ALL.into_iter().find(|goal| goal.name() == name);
        named.expect("the parser lets only the names of goals pass")
    })
}

/// What a function does that is not defined.
fn effect(text: &str) -> Result<String, String> {
    match Effects::parse(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(errors) => Err(format!("{}, as in `0..7 read_sensor(-)`", errors[0].message)),
    }
}

/// Seconds, of which none mean that there is no limit.
pub(crate) fn patience(text: &str) -> Result<f64, String> {
    if text.parse() == Ok(0.0) { Ok(0.0) } else { seconds(text) }
}

fn pattern(text: &str) -> Result<Regex, String> {
    Regex::new(text).map_err(|error| error.to_string())
}

pub(crate) fn limit(text: &str) -> Result<(String, u64), String> {
    let (name, value) = named_number(text)?;
    match Limits::default().set(&name, value) {
        true => Ok((name, value)),
        false => {
            let limits = Limits::default().entries();
            let close = rely_base::similar(&name, limits.iter().map(|(name, _)| name.as_str()));
            let close = close.map(|name| format!(": did you mean `{name}`?")).unwrap_or_default();
            Err(format!("there is no such limit{close}; `--verbose` lists them"))
        }
    }
}

/// A limit of `rely horn`, which are few enough to be listed in a message.
fn horn_limit(text: &str) -> Result<(String, u64), String> {
    let (name, value) = named_number(text)?;
    let mut limits = rely_horn::Limits::default();
    if limits.set(&name, value) {
        return Ok((name, value));
    }
    let known: Vec<String> =
        limits.entries().iter().map(|(name, value)| format!("{name} = {value}")).collect();
    Err(format!("there is no such limit; there are {}", known.join(", ")))
}

fn named_number(text: &str) -> Result<(String, u64), String> {
    let (name, value) = text.split_once('=').ok_or("a limit is changed by `NAME=N`")?;
    let value = value.parse().map_err(|_| format!("`{value}` is no number"))?;
    Ok((name.to_owned(), value))
}

/// `-m64`: what else there is would have types of other sizes.
fn word_size(text: &str) -> Result<u8, String> {
    match text {
        "64" => Ok(64),
        _ => Err("only programs of 64 bits are supported: types have other sizes in others".to_owned()),
    }
}

pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds > 0.0 => Ok(seconds),
        Ok(_) => Err("a time limit is more than zero seconds".to_owned()),
        Err(_) => Err("not a number of seconds".to_owned()),
    }
}
