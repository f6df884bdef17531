//! `rely check`: decides properties and prints verdicts.

use super::invariants::Validation;
use super::ledger::Ledger;
use super::{Context, Ended, certify, output, race_pairs, reproducer, witness};
use crate::args::{BiasChoice, CheckArgs, CheckFormat, DEFAULT_ENGINE};
use crate::console::Console;
use crate::exit::Status;
use crate::input::NotLoaded;
use crate::limits::{Limits, Watch, supervised};
use crate::progress::ProgressLine;
use rely_base::{Budget, Observer, Recorder, Silent};
use rely_evidence::{Proof, Verdict};
use rely_passes::CriticalSections;
use rely_program::{Goal, Program};
use rely_report::{
    Conclusion, Explained, Finding, HtmlReport, Problem, RaceFreedom, Sentence, Subject, explain,
    render_proof,
};
use rely_verify::{Bias, Loaded, Strategy, StrategyOptions, Verified};
use std::cell::Cell;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Checks all files and prints what was found.
pub fn check(arguments: &CheckArgs, context: &Context) -> Ended {
    let engine = match rely_verify::strategy_with(&arguments.engine, strategy_options(arguments)) {
        Ok(engine) => engine,
        Err(error) => return Ok(context.console.error(&error.to_string())),
    };
    if let Some(option) = arguments.evidence.needs_one_result()
        && (arguments.files.len() > 1 && !arguments.program || arguments.property.len() > 1)
    {
        let message = format!("`{option}` is about one property of one file; name just one of each");
        return Ok(context.console.error(&message));
    }
    let asks_for_end = arguments.property.iter().any(|goal| goal.is_termination());
    if arguments.fair && !arguments.property.is_empty() && !asks_for_end {
        return Ok(context
            .console
            .error("`--fair` is about runs that never end; add `--property termination`"));
    }
    if arguments.all && !arguments.property.contains(&Goal::Race) {
        return Ok(context.console.error("`--all` lists data races; add `--property race`"));
    }
    let watch = Watch::new(context.interrupt.clone());
    let ledger = Ledger::new(arguments, context, engine.name());
    let work = || check_files(arguments, engine.as_ref(), context, &watch, &ledger);
    let mistake = supervised(&watch, work, |reason| ledger.give_up(reason, watch.work()))??;
    let reports = ledger.into_reports();
    let mut worst = reports.iter().map(Status::of).max().unwrap_or(Status::Unknown);
    worst = mistake.map_or(worst, |mistake| worst.max(mistake));
    let status = context.unless_interrupted(worst);
    if let Some(text) = output::render(&reports, arguments.format, status) {
        context.console.print(&text)?;
    }
    Ok(status)
}

/// Checks all files. Returns what is wrong besides the results.
fn check_files(
    arguments: &CheckArgs,
    engine: &dyn Strategy,
    context: &Context,
    watch: &Watch,
    ledger: &Ledger<'_>,
) -> io::Result<Option<Status>> {
    let mut page = arguments.report.as_ref().map(|_| HtmlReport::new(crate::version::TEXT));
    let unwritten = Cell::new(None);
    for paths in arguments.programs() {
        let task = Task { arguments, engine, context, watch, ledger, unwritten: &unwritten };
        check_program(paths, &task, &mut page)?;
        if context.interrupt.is_cancelled() {
            break;
        }
    }
    watch.end();
    if let (Some(path), Some(page)) = (&arguments.report, &page)
        && let Err(error) = std::fs::write(path, page.render())
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
}

impl Task<'_> {
    /// There is no result about a program, but an explanation.
    fn refuse(&self, file: String, problem: Problem, page: &mut Option<HtmlReport>) {
        if self.arguments.format == CheckFormat::Text {
            self.context.complain(&problem);
        }
        if let Some(page) = page {
            page.add_problem(&file, &problem);
        }
        self.ledger.close(file, Some(problem));
    }
}

fn strategy_options(arguments: &CheckArgs) -> StrategyOptions {
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
fn sections(arguments: &CheckArgs) -> CriticalSections {
    if arguments.evidence.witness.is_some() {
        CriticalSections::Interleaved
    } else {
        arguments.sections.into()
    }
}

/// Checks the files of one program; text is printed as soon as something is known.
fn check_program(paths: &[PathBuf], task: &Task<'_>, page: &mut Option<HtmlReport>) -> io::Result<()> {
    let Task { arguments, ledger, .. } = *task;
    let file = super::program_name(paths);
    let limits = Limits::new(arguments.timeout, arguments.memory);
    let begun = Instant::now();
    ledger.expect(&ledger.wanted());
    let loaded = match super::load_partly(paths, &arguments.input, &task.watch.begin(limits)) {
        Ok(loaded) => loaded,
        Err(NotLoaded::Wrong(problem)) => {
            task.refuse(file, problem, page);
            return Ok(());
        }
        Err(NotLoaded::Stopped(interrupted)) => {
            for goal in ledger.wanted() {
                let finding = ledger.unknown(goal, Conclusion::not_begun(interrupted), begun.elapsed());
                ledger.add(&file, finding, "")?;
            }
            ledger.close(file, None);
            return Ok(());
        }
    };
    let goals = match arguments.property.as_slice() {
        // Evidence for others is about one result, and that is about the assertions.
        [] if arguments.evidence.needs_one_result().is_some() => vec![Goal::Assert],
        [] => rely_verify::default_goals(&loaded.program),
        chosen => chosen.to_vec(),
    };
    let mut goals = arguments.among_runs(goals);
    // Each property has the time that the translation has left, whichever others are decided before.
    let limits = limits.after(begun.elapsed());
    // What the others assume depends on whether there are races.
    goals.sort_by_key(|goal| *goal != Goal::Race);
    ledger.expect(&goals);
    if !loaded.obstacles.is_empty() {
        return check_part(file, loaded, &goals, task, limits, page);
    }
    let mut races = RaceFreedom::NotChecked;
    for goal in goals {
        let budget = task.watch.begin(limits);
        let (finding, told) = check_goal(&file, loaded.for_goal(goal), (goal, races), task, &budget, page);
        if goal == Goal::Race {
            races = RaceFreedom::of(&finding.conclusion);
        }
        ledger.add(&file, finding, &told)?;
    }
    ledger.close(file, None);
    Ok(())
}

/// How many seconds are spent on a program of which a part is not supported, to find out whether that matters.
const SECONDS_FOR_PARTS: f64 = 10.0;

/// Checks a program of which a part is not supported: if what is translated decides all properties, that is the result;
/// otherwise the program is refused.
fn check_part(
    file: String,
    loaded: Loaded,
    goals: &[Goal],
    task: &Task<'_>,
    limits: Limits,
    page: &mut Option<HtmlReport>,
) -> io::Result<()> {
    let is_of_beginnings = |goal: &Goal| !goal.is_termination() && *goal != Goal::Deadlock;
    let mut results = Vec::new();
    if goals.iter().all(is_of_beginnings) {
        for &goal in goals {
            let budget = task.watch.begin(limits.at_most(SECONDS_FOR_PARTS));
            let asked = (goal, RaceFreedom::NotChecked);
            let result = check_goal(&file, &loaded, asked, task, &budget, page);
            if !result.0.conclusion.is_decided() {
                break;
            }
            results.push(result);
        }
    }
    if results.len() < goals.len() {
        let problem = Problem { diagnostics: loaded.obstacles, sources: loaded.sources };
        task.refuse(file, problem, page);
        return Ok(());
    }
    for (finding, told) in results {
        task.ledger.add(&file, finding, &told)?;
    }
    task.ledger.close(file, None);
    Ok(())
}

/// Decides one property. Returns the result, and the proof as text if the user wants to read it.
fn check_goal(
    file: &str,
    loaded: &Loaded,
    (goal, races): (Goal, RaceFreedom),
    task: &Task<'_>,
    budget: &Budget,
    page: &mut Option<HtmlReport>,
) -> (Finding, String) {
    let Task { arguments, engine, context, .. } = *task;
    let start = Instant::now();
    let progress = ProgressLine::new(format!("{file} ({goal})"));
    let recorder = Recorder::new(&progress);
    let observer: &dyn Observer = if page.is_some() { &recorder } else { &progress };
    let verified = decide(loaded, goal, task, budget, observer);
    let conclusion =
        certify::conclusion(&verified, loaded, goal, arguments.evidence.solver.as_deref(), budget);
    progress.clear();
    let mut finding = Finding {
        decided_by: verified.engine,
        trusted: verified.trusted.clone(),
        assumptions: assumptions(&loaded.program, goal, races),
        race_freedom: depends_on_races(&loaded.program, goal).then_some(races),
        statistics: progress.counts(),
        time: start.elapsed(),
        ..Finding::new(goal, engine.name().to_owned(), conclusion)
    };
    task.ledger.know(finding.clone());
    let is_shown = verified.speaks_of_source || !matches!(verified.verdict, Verdict::Safe(_));
    let reproduced = write_files(file, &verified, loaded, goal, is_shown, task, budget);
    let is_wanted =
        (arguments.explain || page.is_some()) && is_shown && finding.conclusion.is_about(&verified.verdict);
    let explain = || explain_verdict(&verified, loaded, goal, engine.name(), &finding.statistics);
    let explanation = if is_wanted { explain() } else { Vec::new() };
    if arguments.explain {
        finding.explanation.clone_from(&explanation);
    }
    if arguments.all && goal == Goal::Race {
        finding.race_pairs = race_pairs::survey(loaded, engine, budget, observer);
        progress.clear();
    }
    finding.time = start.elapsed();
    if let Some(page) = page.as_mut().filter(|_| is_shown) {
        let subject = Subject {
            program: &loaded.program,
            sources: &loaded.sources,
            prepared: &verified.prepared,
            back: &verified.back,
            verdict: &verified.verdict,
            history: &recorder.into_history(),
            explanation: &explanation,
        };
        page.add(file, &finding, &subject);
    }
    (
        finding,
        limits_text(arguments)
            + &proof_text(arguments.evidence.proof, &verified, loaded, context)
            + &reproduced,
    )
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
    with_assertions(verified, loaded, goal, arguments, budget)
}

/// How long a proof by assertions is looked for if there is one by exhaustion.
const PATIENCE_FOR_ASSERTIONS: Duration = Duration::from_secs(60);

/// A proof by assertions instead of one by exhaustion, if somebody wants what only assertions can give and leaves the
/// choice of the engine to us.
fn with_assertions(
    verified: Verified,
    loaded: &Loaded,
    goal: Goal,
    arguments: &CheckArgs,
    budget: &Budget,
) -> Verified {
    let is_free = arguments.engine == DEFAULT_ENGINE && arguments.evidence.needs_assertions();
    let Verdict::Safe(proved) = &verified.verdict else { return verified };
    if !is_free || !matches!(proved.proof(), Proof::Exhausted(_)) {
        return verified;
    }
    let Ok(engine) = rely_verify::strategy_with("rely-guarantee", strategy_options(arguments)) else {
        return verified;
    };
    let patience = budget.with_time_limit(PATIENCE_FOR_ASSERTIONS);
    let shape = (sections(arguments), arguments.trust.into());
    let other =
        rely_verify::verify_trusting(&loaded.program, goal, shape, engine.as_ref(), &patience, &Silent);
    match &other.verdict {
        Verdict::Safe(proved) if !matches!(proved.proof(), Proof::Exhausted(_)) => other,
        _ => verified,
    }
}

/// Whether a verdict about the program speaks of its source only if threads take turns.
fn depends_on_races(program: &Program, goal: Goal) -> bool {
    goal != Goal::Race
        && rely_verify::assumptions(program, goal).iter().any(|name| name == "sequential-consistency")
}

fn assumptions(program: &Program, goal: Goal, races: RaceFreedom) -> Vec<String> {
    match races {
        RaceFreedom::Shown => rely_verify::assumptions_without_races(program, goal),
        _ => rely_verify::assumptions(program, goal),
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
    if let Err(message) = certify::write_evidence(&arguments.evidence, verified, goal, budget) {
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

/// Why the verdict is as it is, in sentences.
fn explain_verdict(
    verified: &Verified,
    loaded: &Loaded,
    goal: Goal,
    engine: &str,
    statistics: &[(&'static str, u64)],
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
pub(super) fn proof_text(is_wanted: bool, verified: &Verified, loaded: &Loaded, context: &Context) -> String {
    match &verified.verdict {
        Verdict::Safe(_) if is_wanted && !verified.speaks_of_source => {
            "\n  the proof speaks of a cell of an array that is chosen at the beginning, which the source does not name\n".to_owned()
        }
        Verdict::Safe(proved) if is_wanted => {
            let style = context.console.out_style;
            let text = render_proof(proved, &super::proof_context(verified, loaded), style);
            format!("\n{text}")
        }
        _ => String::new(),
    }
}
