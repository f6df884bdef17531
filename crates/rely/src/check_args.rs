//! The options of `rely check`.

use crate::args::{DEFAULT_ENGINE, InputArgs, goal_parser, limit, patience};
use crate::choices::{BiasChoice, CheckFormat, ProofChoice, SectionsChoice, TraceChoice, TrustChoice};
use clap::Args;
use clap::builder::PossibleValuesParser;
use rely_program::Goal;
use rely_report::Problem;
use rely_verify::STRATEGY_NAMES;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// `rely check`
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
A violation is shown as a table of the interleaving: one column per thread, with the lines of
the source and the values that were written. `safe` and `unsafe` are only printed after the evidence
was checked independently of the engine that found it.

Examples:
  rely check examples/peterson.c
  rely check examples/
  rely check -j 4 --fail-fast 'src/**/*.c'
  rely check --property assert,deadlock examples/*.c
  rely check --timeout 0 --format json model.rely
  rely check --baseline known.json --strict src/
  rely check --report report.html examples/racy-counter.c")]
pub struct CheckArgs {
    /// C programs (.c, preprocessed .i) or models (.rely), directories, patterns like `src/**/*.c`; `-` reads
    /// standard input; without any, the `files` of rely.toml
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Those of them that nobody has named: they are in a directory or match a pattern.
    #[arg(skip)]
    pub found: BTreeSet<PathBuf>,
    /// The files are one C program; `compile_commands.json` stands for the files that it lists, with their options
    #[arg(long)]
    pub program: bool,
    /// What to decide; without it, C programs are checked for `assert`, `deadlock`, `race` and `memory`, models for
    /// `assert` and what they declare
    ///
    /// assert: every assertion, error call, `never`, `invariant` and `ensures`;
    /// race: no two conflicting accesses at once;
    /// deadlock: no deadlock can be reached;
    /// termination: every run ends, and none deadlocks; fair-termination: the same of fair runs (see `--fair`);
    /// overflow: no signed arithmetic leaves its type;
    /// memory: no access leaves its memory or uses memory that was freed.
    #[arg(long, short, value_name = "PROPERTY", value_delimiter = ',', value_parser = goal_parser())]
    pub property: Vec<Goal>,
    /// With `--property termination`: only fair runs count, in which no thread that could always go on is left out for ever
    #[arg(long)]
    pub fair: bool,
    /// How to decide it
    #[arg(long, short, value_name = "ENGINE", default_value = DEFAULT_ENGINE, value_parser = PossibleValuesParser::new(STRATEGY_NAMES))]
    pub engine: String,
    /// Which predicates rely-guarantee reasoning looks for first
    #[arg(long, value_enum, default_value_t = BiasChoice::Modular)]
    pub bias: BiasChoice,
    /// How critical sections (what is done under a lock) are executed; for witnesses always interleaved
    #[arg(long, value_enum, default_value_t = SectionsChoice::Atomic)]
    pub sections: SectionsChoice,
    /// What a proof may rely on that nobody has checked, besides the front end, the semantics and the checker
    #[arg(long, value_enum, default_value_t = TrustChoice::default())]
    pub trust: TrustChoice,
    /// Give up on a file after this many seconds, shared by its properties; 0 means never [default: 60, of several
    /// files 20 each]
    #[arg(long, value_name = "S", value_parser = patience, allow_negative_numbers = true)]
    pub timeout: Option<f64>,
    /// Give up when the process holds more than this many megabytes [default: three quarters of the machine's memory,
    /// shared by the files that are checked at the same time]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..), allow_negative_numbers = true)]
    pub memory: Option<u64>,
    /// Of several files, check this many at the same time [default: as many as there are processors]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), allow_negative_numbers = true)]
    pub jobs: Option<u16>,
    /// Of several files, check no more once one is found to be unsafe
    #[arg(long)]
    pub fail_fast: bool,
    /// Do not call safe what visibly touches an assumption: it is unknown then
    #[arg(long)]
    pub strict: bool,
    /// Findings that this JSON report has are known: they are shown, but do not count
    #[arg(long, value_name = "FILE.json")]
    pub baseline: Option<PathBuf>,
    /// Where the settings of a project are, instead of in rely.toml of the current directory
    #[arg(long, value_name = "FILE.toml")]
    pub config: Option<PathBuf>,
    /// Neither look into the cache of results nor write there
    #[arg(long)]
    pub no_cache: bool,
    /// Do not tell about progress
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the report of one file as it is kept in the cache, for the process that started this one
    #[arg(long, hide = true)]
    pub worker: bool,
    /// Another value for one of the limits that `--verbose` lists, for experiments
    #[arg(long, value_name = "NAME=N", value_parser = limit)]
    pub limit: Vec<(String, u64)>,
    /// Print the limits of the engines, too
    #[arg(long)]
    pub verbose: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = CheckFormat::Text)]
    pub format: CheckFormat,
    /// How much to tell of the run of a violation; `--trace` alone means `steps` [default: every statement, of long runs
    /// the essential ones]
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "steps")]
    pub trace: Option<TraceChoice>,
    /// Say in sentences why: who got in whose way, what makes a proof work, where it got stuck
    #[arg(long)]
    pub explain: bool,
    /// With `--property race`: say of every two conflicting accesses whether they race, grouped by variable
    #[arg(long)]
    pub all: bool,
    /// What to do with a proof
    #[command(flatten)]
    pub evidence: EvidenceArgs,
    /// Write everything into one HTML page: the run of a violation step by step, the proof of a `safe`
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// How to read the input
    #[command(flatten)]
    pub input: InputArgs,
}

impl CheckArgs {
    /// Whether all that is wanted is what a report says, so that it does not matter who found it out.
    pub fn wants_report_only(&self) -> bool {
        let keeps_evidence = self.evidence.needs_one_result().is_some() || self.evidence.solver.is_some();
        let wants_more = self.evidence.proof.is_some() || self.verbose || self.all || self.report.is_some();
        !keeps_evidence && !wants_more
    }

    /// What is wrong with the files of a program, or that they are skipped: in a directory there may be files that are
    /// parts of a program.
    pub fn judged(&self, paths: &[PathBuf], mut problem: Problem) -> Problem {
        let is_found = matches!(paths, [path] if self.found.contains(path));
        problem.is_skipped = is_found && self.programs().len() > 1 && problem.is_part();
        problem
    }

    /// What is printed of a proof. If nobody names a property, the short proofs are those of the assertions only.
    pub fn proof_of(&self, goal: Goal) -> Option<ProofChoice> {
        let is_meant = goal == Goal::Assert || !self.property.is_empty();
        self.evidence.proof.filter(|choice| is_meant || *choice == ProofChoice::Full)
    }

    /// Whether somebody reads or keeps a proof, and has not asked for all that it says.
    pub fn wants_short_proof(&self) -> bool {
        let EvidenceArgs { proof, certificate, witness, .. } = &self.evidence;
        let is_read = proof.is_some() || self.explain;
        *proof != Some(ProofChoice::Full) && (is_read || certificate.is_some() || witness.is_some())
    }

    /// The properties, asked of fair runs only if that is wanted.
    pub fn among_runs(&self, mut goals: Vec<Goal>) -> Vec<Goal> {
        for goal in goals.iter_mut().filter(|goal| self.fair && **goal == Goal::Termination) {
            *goal = Goal::FairTermination;
        }
        goals
    }
}

/// What `rely check` leaves behind for others.
#[derive(Args, Clone, Debug, Default)]
pub struct EvidenceArgs {
    /// Print the proof: what holds where, and what each thread does to the others; `--proof` alone means `short`, and
    /// unless properties are named it is that of `assert`
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "short")]
    pub proof: Option<ProofChoice>,
    /// Write the proof to a file that `rely certify` can check
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Write the obligations of the proof as SMT-LIB; every answer must be `unsat`
    #[arg(long, value_name = "FILE.smt2")]
    pub export_obligations: Option<PathBuf>,
    /// Write a witness that other verifiers can check: `.yml` for proofs and violations, `.graphml`
    /// for violations
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,
    /// Let another solver confirm the proof: `z3`, `cvc5` or any command that reads SMT-LIB
    #[arg(long, value_name = "COMMAND")]
    pub solver: Option<String>,
    /// Write the violation of a C program as a program that gcc compiles and that fails in every run, or say why
    /// there is none
    #[arg(long, value_name = "DIR")]
    pub reproducer: Option<PathBuf>,
}

impl EvidenceArgs {
    /// Whether a proof by assertions says more than one by exhaustion.
    pub fn needs_assertions(&self) -> bool {
        self.export_obligations.is_some() || self.witness.is_some() || self.proof.is_some()
    }

    /// An option that only makes sense for one property of one file.
    pub fn needs_one_result(&self) -> Option<&'static str> {
        let certificate = self.certificate.as_ref().map(|_| "--certificate");
        let obligations = || self.export_obligations.as_ref().map(|_| "--export-obligations");
        let reproducer = || self.reproducer.as_ref().map(|_| "--reproducer");
        let witness = || self.witness.as_ref().map(|_| "--witness");
        certificate.or_else(obligations).or_else(reproducer).or_else(witness)
    }
}
