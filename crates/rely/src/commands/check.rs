//! `rely check`: decides properties and prints verdicts.

use super::assumed::{Question, assumptions, depends_on_races, notes_of, said};
use super::invariants::Validation;
use super::ledger::Ledger;
use super::{Context, Ended, certify, many, output, race_pairs, reproducer, show, wanted_proof, witness};
use crate::args::{BiasChoice, CheckArgs, CheckFormat, DEFAULT_ENGINE, ProofChoice};
use crate::cache::Cache;
use crate::console::Console;
use crate::exit::Status;
use crate::files;
use crate::input::NotLoaded;
use crate::limits::{Limits, Watch, supervised};
use crate::progress::{Heartbeat, ProgressLine};
use crate::settings;
use crate::writing::write_whole;
use rely_base::{Budget, Diagnostic, Observer, Recorder};
use rely_evidence::Verdict;
use rely_passes::CriticalSections;
use rely_program::Goal;
use rely_report::{
    Conclusion, Explained, Finding, HtmlReport, Note, Problem, RaceFreedom, Sentence, Subject, Totals,
    explain, render_proof, render_summary, what_to_bound,
};
use rely_verify::{Bias, Loaded, Strategy, StrategyOptions, Verified};
use std::cell::Cell;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Checks all files and prints what was found.
pub fn check(arguments: &CheckArgs, context: &Context) -> Ended {
    let begun = Instant::now();
    let wrong = |message: String| Problem::without_source(Diagnostic::error(message));
    let chosen = settings::apply(arguments).and_then(|(mut arguments, acceptance)| {
        (arguments.files, arguments.found) = files::expand(&arguments.files).map_err(wrong)?;
        contradiction(&arguments).map_or(Ok((arguments, acceptance)), |message| Err(wrong(message)))
    });
    let (arguments, acceptance) = match chosen {
        Ok(chosen) => chosen,
        Err(problem) => return Ok(context.complain(&problem)),
    };
    let arguments = &arguments;
    let engine = match rely_verify::strategy_with(&arguments.engine, strategy_options(arguments)) {
        Ok(engine) => engine,
        Err(error) => return Ok(context.console.error(&error.to_string())),
    };
    let cache = Cache::of_user().filter(|_| arguments.wants_report_only() && !arguments.no_cache);
    let ledger = Ledger::new(arguments, context, engine.name(), &acceptance);
    let (reports, mistake) = if arguments.programs().len() > 1 && arguments.wants_report_only() {
        many::check_many(arguments, context, cache.as_ref(), &acceptance)?
    } else {
        let heartbeat = Heartbeat::new(arguments.quiet || arguments.worker);
        let watch = Watch::new(context.interrupt.clone(), heartbeat);
        let work = || check_files(arguments, engine.as_ref(), context, &watch, &ledger, cache.as_ref());
        let mistake = supervised(&watch, work, |reason| ledger.give_up(reason, watch.work()))??;
        (ledger.into_reports(), mistake)
    };
    if let Some(cache) = &cache {
        cache.tidy_up();
    }
    let mut worst = Status::of_all(&reports);
    worst = mistake.map_or(worst, |mistake| worst.max(mistake));
    let status = context.unless_interrupted(worst);
    let summary = || {
        let totals = Totals {
            time: begun.elapsed(),
            not_checked: arguments.programs().len() - reports.len(),
            by_default: arguments.property.is_empty(),
        };
        format!("\n{}", render_summary(&reports, totals, context.console.out_style))
    };
    match output::render(&reports, arguments, status) {
        Some(text) => context.console.print(&text)?,
        None if arguments.programs().len() > 1 => context.console.print(&summary())?,
        None => {}
    }
    Ok(status)
}

/// What options say that does not go together.
fn contradiction(arguments: &CheckArgs) -> Option<String> {
    if arguments.files.is_empty() {
        return Some("there is nothing to check: name files, or list `files` in rely.toml".to_owned());
    }
    if let Some(option) = arguments.evidence.needs_one_result()
        && (arguments.programs().len() > 1 || arguments.property.len() > 1)
    {
        return Some(format!("`{option}` is about one property of one file; name just one of each"));
    }
    let asks_for_end = arguments.property.iter().any(|goal| goal.is_termination());
    if arguments.fair && !arguments.property.is_empty() && !asks_for_end {
        return Some("`--fair` is about runs that never end; add `--property termination`".to_owned());
    }
    if arguments.all && !arguments.property.contains(&Goal::Race) {
        return Some("`--all` lists data races; add `--property race`".to_owned());
    }
    None
}

/// Checks all files, one after the other. Returns what is wrong besides the results.
fn check_files(
    arguments: &CheckArgs,
    engine: &dyn Strategy,
    context: &Context,
    watch: &Watch,
    ledger: &Ledger<'_>,
    cache: Option<&Cache>,
) -> io::Result<Option<Status>> {
    if arguments.worker {
        many::end_with_parent();
    }
    let mut page = arguments.report.as_ref().map(|_| HtmlReport::new(crate::version::TEXT));
    let unwritten = Cell::new(None);
    for paths in arguments.programs() {
        let task = Task { arguments, engine, context, watch, ledger, cache, unwritten: &unwritten };
        check_program(paths, &task, &mut page)?;
        if context.interrupt.is_cancelled() {
            break;
        }
    }
    watch.end();
    if let (Some(path), Some(page)) = (&arguments.report, &page)
        && let Err(error) = write_whole(path, page.render())
    {
        return Ok(Some(context.console.error(&format!("{}: {error}", path.display()))));
    }
    Ok(unwritten.get())
}

/// What is needed to check a file.
#[derive(Clone, Copy)]
struct Task<'t> {
    arguments: &'t CheckArgs,
    engine: &'t dyn Strategy,
    context: &'t Context,
    watch: &'t Watch,
    ledger: &'t Ledger<'t>,
    /// What it means for the command that evidence which somebody wants could not be written.
    unwritten: &'t Cell<Option<Status>>,
    cache: Option<&'t Cache>,
}

/// How long a file may take if the user says nothing: one that somebody waits for, and one of several.
const USUAL_SECONDS: f64 = 60.0;
const USUAL_SECONDS_OF_SEVERAL: f64 = 20.0;

/// The seconds for a file and the megabytes for its process; of the seconds none mean that there is no limit.
pub(super) fn limits_of(arguments: &CheckArgs, at_once: usize) -> (f64, u64) {
    let is_one = arguments.programs().len() == 1;
    let usual = if is_one { USUAL_SECONDS } else { USUAL_SECONDS_OF_SEVERAL };
    let memory = arguments.memory.unwrap_or_else(|| Limits::usual_megabytes(at_once));
    (arguments.timeout.unwrap_or(usual), memory)
}

impl Task<'_> {
    /// There is no result about a program, but an explanation.
    fn refuse(&self, paths: &[PathBuf], problem: Problem, page: &mut Option<HtmlReport>) -> io::Result<()> {
        let file = super::program_name(paths);
        let problem = self.arguments.judged(paths, problem);
        if self.arguments.format == CheckFormat::Text && !self.arguments.worker && !problem.is_skipped {
            self.context.complain(&problem);
        }
        if let Some(page) = page {
            page.add_problem(&file, &problem);
        }
        self.ledger.close(file, Some(problem)).map(drop)
    }
}

pub(super) fn strategy_options(arguments: &CheckArgs) -> StrategyOptions {
    let bias = match arguments.bias {
        BiasChoice::Modular => Bias::Modular,
        BiasChoice::None => Bias::None,
    };
    let mut limits = rely_verify::Limits::default();
    for (name, value) in &arguments.limit {
        limits.set(name, *value);
    }
    StrategyOptions { bias, limits }
}

/// The limits of all engines, one in each line, if somebody wants to know.
fn limits_text(arguments: &CheckArgs) -> String {
    if !arguments.verbose {
        return String::new();
    }
    let entries = strategy_options(arguments).limits.entries().into_iter();
    let lines = entries.map(|(name, value)| format!("  limit        {name} = {value}\n"));
    lines.collect()
}

/// Invariants of a witness hold in every state, so nothing is joined for it that others could come
/// between.
pub(super) fn sections(arguments: &CheckArgs) -> CriticalSections {
    if arguments.evidence.witness.is_some() {
        CriticalSections::Interleaved
    } else {
        arguments.sections.into()
    }
}

/// Checks the files of one program; text is printed as soon as everything is known about it.
fn check_program(paths: &[PathBuf], task: &Task<'_>, page: &mut Option<HtmlReport>) -> io::Result<()> {
    let Task { arguments, ledger, .. } = *task;
    let file = super::program_name(paths);
    let (seconds, megabytes) = limits_of(arguments, 1);
    let limits = Limits::new((seconds > 0.0).then_some(seconds), megabytes);
    let begun = Instant::now();
    ledger.expect(&ledger.wanted(paths));
    let budget = task.watch.begin(limits);
    task.watch.heartbeat.set(|| format!("{file}: reading"));
    let source = match super::input::read_program_within(paths, &arguments.input, &budget) {
        Ok(source) => source,
        Err(reason) => return not_loaded(paths, reason, task, page, begun),
    };
    // What is kept is about one file.
    let cache = task.cache.filter(|_| paths.len() == 1);
    let key = cache.map(|cache| cache.key(&many::options_text(arguments, (seconds, megabytes)), &source));
    let cached = cache.zip(key.as_ref()).and_then(|(cache, key)| cache.get(key));
    if let Some(report) = cached {
        return ledger.adopt(report);
    }
    let loaded = match rely_verify::load_partly_within(&source, &budget) {
        Ok(loaded) => loaded,
        Err(reason) => return not_loaded(paths, reason.into(), task, page, begun),
    };
    let notes = notes_of(&loaded);
    let change = what_to_bound(&loaded.program, &loaded.sources);
    ledger.note(notes.iter().map(|(_, note)| note.clone()).collect(), change);
    if !check_goals(&file, &loaded, &notes, limits.after(begun.elapsed()), task, page) {
        let problem = Problem::new(loaded.obstacles, loaded.sources);
        return task.refuse(paths, problem, page);
    }
    let report = ledger.close(file, None)?;
    if let (Some(cache), Some(key)) = (cache, key)
        && !task.context.interrupt.is_cancelled()
    {
        cache.put(&key, &report);
    }
    Ok(())
}

/// There is no program, or there was no time to make one.
fn not_loaded(
    paths: &[PathBuf],
    reason: NotLoaded,
    task: &Task<'_>,
    page: &mut Option<HtmlReport>,
    begun: Instant,
) -> io::Result<()> {
    let ledger = task.ledger;
    let file = super::program_name(paths);
    match reason {
        NotLoaded::Wrong(problem) => task.refuse(paths, problem, page),
        NotLoaded::Stopped(interrupted) => {
            for goal in ledger.wanted(paths) {
                let finding = ledger.unknown(goal, Conclusion::not_begun(interrupted), begun.elapsed());
                ledger.add(finding, String::new());
            }
            ledger.close(file, None).map(drop)
        }
    }
}

/// Decides all properties of a program; not if a part of it is not supported, and that may matter.
fn check_goals(
    file: &str,
    loaded: &Loaded,
    notes: &[(&'static str, Note)],
    limits: Limits,
    task: &Task<'_>,
    page: &mut Option<HtmlReport>,
) -> bool {
    let Task { arguments, ledger, .. } = *task;
    let goals = match arguments.property.as_slice() {
        // Evidence for others is about one result, and that is about the assertions.
        [] if arguments.evidence.needs_one_result().is_some() => vec![Goal::Assert],
        [] => rely_verify::default_goals(loaded.input.language, &loaded.program),
        chosen => chosen.to_vec(),
    };
    let mut goals = arguments.among_runs(goals);
    let begun = Instant::now();
    // What the others assume depends on whether there are races.
    goals.sort_by_key(|goal| *goal != Goal::Race);
    ledger.expect(&goals);
    if !loaded.obstacles.is_empty() {
        return check_part(file, loaded, &goals, notes, limits, task, page);
    }
    let mut races = RaceFreedom::NotChecked;
    for (done, &goal) in goals.iter().enumerate() {
        // Each property has its share of the time that is left.
        let share = limits.after(begun.elapsed()).share(goals.len() - done);
        let budget = task.watch.begin(share);
        let question = Question { goal, races, notes };
        let (finding, told) = check_goal(file, loaded.for_goal(goal), question, task, &budget, page);
        if goal == Goal::Race {
            races = RaceFreedom::of(&finding.conclusion);
        }
        ledger.add(finding, told);
    }
    true
}

/// How many seconds are spent on a program of which a part is not supported, to find out whether that matters.
const SECONDS_FOR_PARTS: f64 = 10.0;

/// Checks a program of which a part is not supported. If what is translated decides the properties, that is the result;
/// otherwise there is none. That a thread goes on, or a run ends, may depend on what is missing.
fn check_part(
    file: &str,
    loaded: &Loaded,
    goals: &[Goal],
    notes: &[(&'static str, Note)],
    limits: Limits,
    task: &Task<'_>,
    page: &mut Option<HtmlReport>,
) -> bool {
    let is_of_beginnings = |goal: &&Goal| !goal.is_termination() && **goal != Goal::Deadlock;
    let decidable = goals.iter().filter(is_of_beginnings).count();
    if decidable == 0 || decidable < goals.len() && !task.arguments.property.is_empty() {
        return false;
    }
    let mut results = Vec::new();
    for &goal in goals.iter().filter(is_of_beginnings) {
        let budget = task.watch.begin(limits.share(decidable).at_most(SECONDS_FOR_PARTS));
        let question = Question { goal, races: RaceFreedom::NotChecked, notes };
        let result = check_goal(file, loaded, question, task, &budget, page);
        if !result.0.conclusion.is_decided() {
            return false;
        }
        results.push(result);
    }
    for &goal in goals.iter().filter(|goal| !is_of_beginnings(goal)) {
        let conclusion = Conclusion::unknown("a part of the program is not supported", None);
        results.push((task.ledger.unknown(goal, conclusion, Duration::ZERO), String::new()));
    }
    results.into_iter().for_each(|(finding, told)| task.ledger.add(finding, told));
    true
}

/// Decides one property. Returns the result, and the proof as text if the user wants to read it.
fn check_goal(
    file: &str,
    loaded: &Loaded,
    question: Question<'_>,
    task: &Task<'_>,
    budget: &Budget,
    page: &mut Option<HtmlReport>,
) -> (Finding, String) {
    let Task { arguments, engine, context, watch, .. } = *task;
    let Question { goal, races, .. } = question;
    let start = Instant::now();
    let is_quiet = arguments.quiet || arguments.worker;
    let progress = ProgressLine::new(format!("{file} ({goal})"), is_quiet, &watch.heartbeat);
    let recorder = Recorder::new(&progress);
    let observer: &dyn Observer = if page.is_some() { &recorder } else { &progress };
    let verified = decide(loaded, goal, task, budget, observer);
    let conclusion =
        certify::conclusion(&verified, loaded, goal, arguments.evidence.solver.as_deref(), budget);
    let conclusion = said(conclusion, loaded, question, arguments.strict);
    progress.clear();
    let mut finding = Finding {
        decided_by: verified.engine.map(str::to_owned),
        trusted: verified.trusted.iter().map(|&pass| pass.to_owned()).collect(),
        assumptions: assumptions(&loaded.program, goal, races),
        race_freedom: depends_on_races(&loaded.program, goal).then_some(races),
        statistics: progress.counts(),
        time: start.elapsed(),
        ..Finding::new(goal, engine.name().to_owned(), conclusion)
    };
    task.ledger.know(finding.clone());
    let is_shown = verified.speaks_of_source || !matches!(verified.verdict, Verdict::Safe(_));
    let reproduced = write_files(file, &verified, loaded, goal, is_shown, task, budget);
    let explanation = explanation(&finding, &verified, loaded, arguments);
    let is_told = arguments.explain || finding.conclusion.violation().is_some();
    if is_told {
        finding.explanation.clone_from(&explanation);
    }
    if arguments.all && goal == Goal::Race {
        finding.race_pairs = race_pairs::survey(loaded, engine, budget, observer);
        progress.clear();
    }
    finding.time = start.elapsed();
    if let Some(page) = page {
        let blocks = show::blocks_of_proof(&verified.verdict, &loaded.program, goal, budget);
        let subject = Subject {
            program: &loaded.program,
            sources: &loaded.sources,
            prepared: &verified.prepared,
            back: &verified.back,
            verdict: &verified.verdict,
            history: &recorder.into_history(),
            explanation: &explanation,
            blocks: blocks.as_ref().map(show::step_blocks),
            is_told: is_shown,
        };
        page.add(file, &finding, &subject);
    }
    let proof = proof_text(arguments.proof_of(goal), &verified, loaded, context);
    (finding, limits_text(arguments) + &proof + &reproduced)
}

/// The verdict, with evidence of the kind that somebody wants if there is some.
fn decide(
    loaded: &Loaded,
    goal: Goal,
    task: &Task<'_>,
    budget: &Budget,
    observer: &dyn Observer,
) -> Verified {
    let Task { arguments, engine, .. } = *task;
    let shape = (sections(arguments), arguments.trust.into());
    let verified = rely_verify::verify_trusting(&loaded.program, goal, shape, engine, budget, observer);
    let verified = wanted_proof::with_assertions(verified, loaded, goal, arguments, budget);
    match arguments.wants_short_proof() {
        true => rely_verify::with_short_proof(&loaded.program, goal, verified, budget),
        false => verified,
    }
}

/// Writes what somebody wants to keep: evidence, a reproducer, and a witness of what can be shown. Returns what is to
/// be said of the reproducer.
fn write_files(
    file: &str,
    verified: &Verified,
    loaded: &Loaded,
    goal: Goal,
    is_shown: bool,
    task: &Task<'_>,
    budget: &Budget,
) -> String {
    let Task { arguments, context, .. } = *task;
    if let Err(message) = certify::write_evidence(&arguments.evidence, verified, loaded, goal, budget) {
        task.unwritten.set(Some(context.console.error(&message)));
    }
    let reproduced = reproducer::write(arguments, verified, loaded, budget).unwrap_or_else(|message| {
        context.console.error(&message);
        String::new()
    });
    if is_shown {
        let (path, options, text) = (Path::new(file), &arguments.input, &loaded.input.text);
        // Whoever has found the proof: what it says is looked at as any program is.
        let validator = rely_verify::strategy_with(DEFAULT_ENGINE, strategy_options(arguments));
        let strategy = validator.as_deref().unwrap_or(task.engine);
        let validation = Validation { path, text, options, strategy, budget };
        write_witness(file, verified, loaded, goal, &validation, task);
    }
    reproduced
}

/// Why the finding is as it is, if somebody wants to know: of violations everybody does.
fn explanation(
    finding: &Finding,
    verified: &Verified,
    loaded: &Loaded,
    arguments: &CheckArgs,
) -> Vec<Sentence> {
    let is_violated = finding.conclusion.violation().is_some();
    let is_wanted = arguments.explain || is_violated || arguments.report.is_some();
    let is_shown = verified.speaks_of_source || !matches!(verified.verdict, Verdict::Safe(_));
    match is_wanted && is_shown && finding.conclusion.is_about(&verified.verdict) {
        true => explain_verdict(verified, loaded, finding.property, &finding.engine, &finding.statistics),
        false => Vec::new(),
    }
}

/// Why the verdict is as it is, in sentences.
fn explain_verdict(
    verified: &Verified,
    loaded: &Loaded,
    goal: Goal,
    engine: &str,
    statistics: &[(String, u64)],
) -> Vec<Sentence> {
    explain(&Explained {
        verdict: &verified.verdict,
        goal,
        program: &loaded.program,
        prepared: &verified.prepared,
        back: &verified.back,
        sources: &loaded.sources,
        engine,
        statistics,
    })
}

/// Writes a witness if somebody wants one, and says what it leaves out.
fn write_witness(
    file: &str,
    verified: &Verified,
    loaded: &Loaded,
    goal: Goal,
    validation: &Validation<'_>,
    Task { arguments, context, unwritten, .. }: &Task<'_>,
) {
    let Some(path) = &arguments.evidence.witness else { return };
    match witness::write(path, Path::new(file), verified, loaded, goal, validation) {
        Ok(None) => {}
        Ok(Some(left_out)) => Console::complain(&format!("{}: {left_out}\n", path.display())),
        Err(message) => unwritten.set(Some(context.console.error(&message))),
    }
}

/// The proof for people, if there is one to read and somebody wants to.
pub(super) fn proof_text(
    wanted: Option<ProofChoice>,
    verified: &Verified,
    loaded: &Loaded,
    context: &Context,
) -> String {
    let Some(wanted) = wanted else { return String::new() };
    match &verified.verdict {
        Verdict::Safe(_) if !verified.speaks_of_source => {
            "\n  the proof speaks of a cell of an array that is chosen at the beginning, which the source does not name\n".to_owned()
        }
        Verdict::Safe(proved) => {
            let style = context.console.out_style;
            let text = render_proof(proved, &super::proof_context(verified, loaded), wanted.into(), style);
            format!("\n{text}")
        }
        _ => String::new(),
    }
}
