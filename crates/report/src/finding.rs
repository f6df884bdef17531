//! What `rely check` found out, as plain data.
//!
//! A [`Conclusion`] of `safe` or `unsafe` can only be made from a verdict, and a verdict only
//! by the check of its evidence: nothing can be reported that was not checked.

use crate::advice::{advice, after_stop, before_begin, either};
use crate::explain::Sentence;
use crate::interleaving::{Interleaving, SourceRange, StepTaken, is_named_in_source, statement, thread_name};
use crate::race::RaceReport;
use crate::race_pairs::RacePair;
use rely_base::{Diagnostic, Interrupted, SourceMap, Span, StopReason};
use rely_evidence::{Recurrence, Replay, Verdict};
use rely_program::{
    CheckKind, EdgeId, Goal, Op, Program, PropertyKind, Semantics, SlotId, SlotStatus, State, Violation,
};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::time::Duration;

/// The results for one file.
#[derive(Clone, Debug)]
pub struct FileReport {
    /// The name under which the user knows the file.
    pub file: String,
    /// One finding per property, or why there is none.
    pub outcome: Result<Vec<Finding>, Problem>,
    /// Where the program visibly touches an assumption.
    pub notes: Vec<Note>,
    /// Whether this was found out by an earlier run, about the same text, and is only repeated.
    pub is_cached: bool,
}

impl FileReport {
    /// What was found about a file, with nothing to note.
    pub fn new(file: String, outcome: Result<Vec<Finding>, Problem>) -> Self {
        Self { file, outcome, notes: Vec::new(), is_cached: false }
    }

    /// The one word about the file: that of its worst property. `error` if it was not read, `skipped` if it need not be.
    pub fn verdict(&self) -> &'static str {
        let findings = match &self.outcome {
            Ok(findings) => findings,
            Err(problem) if problem.is_skipped => return SKIPPED,
            Err(_) => return "error",
        };
        let names: Vec<&str> = findings.iter().map(|finding| finding.conclusion.name()).collect();
        let worst = ["unsafe", "unknown", "safe"].into_iter().find(|name| names.contains(name));
        worst.unwrap_or(if names.is_empty() { "unknown" } else { NOTHING })
    }
}

/// A place of the source that a verdict rests on, in a way that whoever reads it should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The section of ASSUMPTIONS.md.
    pub assumption: String,
    /// Where.
    pub place: SourceRange,
    /// What stands there and what is made of it: one sentence without a full stop.
    pub message: String,
}

/// Why a finding does not count: somebody knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Accepted {
    /// It is in the baseline.
    Baseline,
    /// Somebody has said why it may stay.
    Suppressed(String),
}

impl Accepted {
    /// In a few words.
    pub(crate) fn told(&self) -> String {
        match self {
            Self::Baseline => "known from the baseline".to_owned(),
            Self::Suppressed(reason) => format!("suppressed: {reason}"),
        }
    }
}

/// The word about a file that is a part of a program.
pub(crate) const SKIPPED: &str = "skipped";

/// The verdict where a property holds because it is about nothing.
pub(crate) const NOTHING: &str = "nothing to check";

/// The result for one property of one file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// The property.
    #[serde(with = "crate::stored::goal")]
    pub property: Goal,
    /// Who was asked for it.
    pub engine: String,
    /// The engine that proved or refuted it, if one did.
    pub decided_by: Option<String>,
    /// The result.
    pub conclusion: Conclusion,
    /// Why that is the result; empty if nobody asked.
    pub explanation: Vec<Sentence>,
    /// Why it does not count, if somebody has accepted it.
    pub accepted: Option<Accepted>,
    /// Every two accesses that conflict, if somebody asked for all of them.
    #[serde(skip)]
    pub race_pairs: Option<Vec<RacePair>>,
    /// The passes whose result nobody has compared with the program that was read, and which the proof relies on.
    pub trusted: Vec<String>,
    /// The sections of ASSUMPTIONS.md under which the result speaks of the source.
    pub assumptions: Vec<String>,
    /// What is known about data races, if the result depends on that.
    pub race_freedom: Option<RaceFreedom>,
    /// Counts of the engine's work, which unlike time do not depend on the machine.
    pub statistics: Vec<(String, u64)>,
    /// How long it took, the check of the evidence included.
    pub time: Duration,
}

impl Finding {
    /// A result with which nobody has done anything yet.
    pub fn new(property: Goal, engine: String, conclusion: Conclusion) -> Self {
        Self {
            property,
            engine,
            decided_by: None,
            conclusion,
            explanation: Vec::new(),
            accepted: None,
            race_pairs: None,
            trusted: Vec::new(),
            assumptions: Vec::new(),
            race_freedom: None,
            statistics: Vec::new(),
            time: Duration::ZERO,
        }
    }

    /// The engine that proved or refuted it, and who was asked if that is somebody else.
    pub(crate) fn engine_text(&self) -> String {
        match &self.decided_by {
            Some(engine) if *engine != self.engine => format!("{engine} ({})", self.engine),
            _ => self.engine.clone(),
        }
    }
}

/// Whether a program has data races. One that has none, and no weak atomics, behaves as if threads took turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RaceFreedom {
    /// There are none, which was proved.
    Shown,
    /// There is one, which was replayed.
    Refuted,
    /// It was asked, and not found out.
    Unknown,
    /// Nobody asked.
    NotChecked,
}

impl RaceFreedom {
    /// What the answer to the question says.
    pub fn of(races: &Conclusion) -> Self {
        match races.0 {
            Kind::Safe { .. } | Kind::Nothing { .. } => Self::Shown,
            Kind::Unsafe { .. } => Self::Refuted,
            Kind::Unknown { .. } => Self::Unknown,
        }
    }

    /// What it means for another verdict; nothing to say where nobody asked.
    pub(crate) fn told(self) -> Option<&'static str> {
        match self {
            Self::Shown => Some("shown to be absent"),
            Self::Refuted => Some("there are some: what compilers make of them is not explored"),
            Self::Unknown => Some("unknown"),
            Self::NotChecked => None,
        }
    }
}

/// Why a file has no results.
#[derive(Clone, Debug)]
pub struct Problem {
    /// What is wrong with it: at least one thing.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts to which the diagnostics point.
    pub sources: SourceMap,
    /// Whether that is as it may be: nobody has named the file, and it is only a part of a program.
    pub is_skipped: bool,
}

impl Problem {
    /// Things that are wrong, at least one, with the texts to which they point.
    pub fn new(diagnostics: Vec<Diagnostic>, sources: SourceMap) -> Self {
        Self { diagnostics, sources, is_skipped: false }
    }

    /// One thing that is wrong, before any text was read.
    pub fn without_source(diagnostic: Diagnostic) -> Self {
        Self::new(vec![diagnostic], SourceMap::new())
    }

    /// Whether nothing is wrong but that a part of the program is missing.
    pub fn is_part(&self) -> bool {
        self.diagnostics.iter().all(|diagnostic| diagnostic.is_part)
    }

    /// All that is wrong, in one line.
    pub(crate) fn messages(&self) -> String {
        let messages = self.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str());
        messages.collect::<Vec<_>>().join("; ")
    }
}

/// A verdict in the words of the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conclusion(pub(crate) Kind);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    Safe {
        evidence: String,
        modular: bool,
    },
    /// It holds, but it is about nothing.
    Nothing {
        why: String,
        evidence: String,
    },
    Unsafe {
        evidence: String,
        violation: ViolationReport,
        #[serde(with = "crate::stored::run")]
        run: Interleaving,
    },
    Unknown {
        reason: String,
        advice: Option<String>,
    },
}

/// What is violated, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViolationReport {
    /// Which kind of mistake it is: `assertion`, `bounds`, `arithmetic`, `overflow`,
    /// `property`, `deadlock`, `race`.
    pub kind: Cow<'static, str>,
    /// One sentence without a full stop.
    pub message: String,
    /// Where the violated condition stands.
    pub place: Option<SourceRange>,
    /// For a deadlock: the threads that wait, and for what.
    pub waiting: Vec<Waiting>,
    /// For a data race: both accesses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub race: Option<Box<RaceReport>>,
}

/// A thread that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// The thread.
    pub thread: String,
    /// Where it stands.
    pub place: Option<SourceRange>,
    /// The statement that it cannot do, as it is written in the source.
    pub statement: String,
}

impl Conclusion {
    /// The verdict about `program`, whose source texts are `sources`.
    pub fn new(verdict: &Verdict, program: &Program, sources: &SourceMap) -> Self {
        Conclusion(match verdict {
            Verdict::Safe(proved) => Kind::Safe { evidence: proved.evidence(), modular: proved.is_modular() },
            Verdict::Unsafe(shown) => Kind::Unsafe {
                evidence: shown.evidence(),
                violation: ViolationReport::of_replay(shown.replay(), program, sources),
                run: interleaving(shown.replay(), program, sources),
            },
            Verdict::Unknown(reason) => {
                Kind::Unknown { reason: reason.to_string(), advice: advice(reason, program, sources) }
            }
        })
    }

    /// That nothing is known, and what the user could do.
    pub fn unknown(reason: impl Into<String>, advice: Option<String>) -> Self {
        Conclusion(Kind::Unknown { reason: reason.into(), advice })
    }

    /// That the limits did not even suffice for what comes before an engine.
    pub fn not_begun(interrupted: Interrupted) -> Self {
        Self::unknown(interrupted.to_string(), before_begin(interrupted))
    }

    /// That an engine, or the check of its evidence, was stopped, and what in the program could be smaller.
    pub fn stopped(reason: StopReason, change: Option<String>) -> Self {
        Self::unknown(reason.to_string(), either(change, after_stop(reason)))
    }

    /// Whether it is known if the property holds.
    pub fn is_decided(&self) -> bool {
        !matches!(self.0, Kind::Unknown { .. })
    }

    /// Whether this says what the verdict says; what another solver does not confirm is not said.
    pub fn is_about(&self, verdict: &Verdict) -> bool {
        matches!(
            (&self.0, verdict),
            (Kind::Safe { .. } | Kind::Nothing { .. }, Verdict::Safe(_))
                | (Kind::Unsafe { .. }, Verdict::Unsafe(_))
                | (Kind::Unknown { .. }, Verdict::Unknown(_))
        )
    }

    /// The same with one more confirmation of a proof.
    pub fn confirmed_by(self, confirmation: &str) -> Self {
        Conclusion(match self.0 {
            Kind::Safe { evidence, modular } => {
                Kind::Safe { evidence: format!("{evidence}; {confirmation}"), modular }
            }
            other => other,
        })
    }

    /// The same if the property is about nothing in this program: then it is not called safe.
    pub fn about_nothing(self, why: &str) -> Self {
        Conclusion(match self.0 {
            Kind::Safe { evidence, .. } => Kind::Nothing { why: why.to_owned(), evidence },
            other => other,
        })
    }

    /// `safe`, `unsafe`, `unknown` or `nothing to check`.
    pub fn name(&self) -> &'static str {
        match self.0 {
            Kind::Safe { .. } => "safe",
            Kind::Nothing { .. } => NOTHING,
            Kind::Unsafe { .. } => "unsafe",
            Kind::Unknown { .. } => "unknown",
        }
    }

    /// What is violated, if something is.
    pub fn violation(&self) -> Option<&ViolationReport> {
        match &self.0 {
            Kind::Unsafe { violation, .. } => Some(violation),
            Kind::Safe { .. } | Kind::Nothing { .. } | Kind::Unknown { .. } => None,
        }
    }
}

impl ViolationReport {
    /// Where to look first: the violated condition, or the first thread that waits.
    pub fn primary_place(&self) -> Option<&SourceRange> {
        let first_waiting = || self.waiting.iter().find_map(|waiting| waiting.place.as_ref());
        self.place.as_ref().or_else(first_waiting)
    }

    /// The violation at the end of a run. In a deadlock others may go on: only those who wait for ever are named.
    pub(crate) fn of_replay(replay: &Replay, program: &Program, sources: &SourceMap) -> Self {
        let last = replay.states().last().expect("a replay has an initial state");
        let mut report = Self::new(replay.violation(), program, sources, last);
        if let (Some(race), Violation::Race(racers)) = (&mut report.race, replay.violation()) {
            race.add_calls(replay, racers, program, sources);
        }
        if let Violation::Lasso(_) = replay.violation() {
            report.message += match replay.loop_is_fair() {
                true => "; the loop leaves out no thread that could always go on",
                false => {
                    "; the loop is unfair: it leaves out a thread that could always go on (see `--fair`)"
                }
            };
            report.message += &replay.recurrence().map(|set| changes(set, program, last)).unwrap_or_default();
        }
        let semantics = Semantics::new(program);
        let running = last.slots().filter(|&slot| semantics.status(last, slot) == SlotStatus::Running);
        let stuck = replay.stuck();
        if stuck.is_empty() || running.count() == stuck.len() {
            return report;
        }
        let names: Vec<String> = stuck.iter().map(|&slot| thread_name(program, last, slot)).collect();
        let (verb, names) = (if names.len() == 1 { "waits" } else { "wait" }, names.join(" and "));
        let message = format!("{names} {verb} for ever, whatever the others do");
        Self { message, waiting: waiting(program, sources, last, stuck.iter().copied()), ..report }
    }

    /// A violation in the words of the source; `last` is the state in which the run ends.
    pub fn new(violation: Violation, program: &Program, sources: &SourceMap, last: &State) -> Self {
        let place = |span: Option<Span>| span.map(|span| SourceRange::of(span, sources));
        match violation {
            Violation::Check(check) => {
                let check = &program.checks()[check];
                let kind = kind_name(check.kind);
                Self {
                    kind: kind.into(),
                    message: check.message.clone(),
                    place: place(check.span),
                    waiting: Vec::new(),
                    race: None,
                }
            }
            Violation::Property(index) => {
                let property = &program.properties()[index];
                let message = property_message(&property.kind, property.span, program, sources);
                Self {
                    kind: "property".into(),
                    message,
                    place: place(property.span),
                    waiting: Vec::new(),
                    race: None,
                }
            }
            Violation::Deadlock => Self {
                kind: "deadlock".into(),
                message: "no thread can move, and not all have ended".to_owned(),
                place: None,
                waiting: waiting(program, sources, last, last.slots()),
                race: None,
            },
            Violation::Lasso(repeated) => Self {
                kind: "lasso".into(),
                message: match repeated {
                    1 => "a run that never ends: its last step is a loop, repeated for ever".to_owned(),
                    _ => format!(
                        "a run that never ends: its last {repeated} steps are a loop, repeated for ever"
                    ),
                },
                place: None,
                waiting: Vec::new(),
                race: None,
            },
            Violation::Race(racers) => {
                let race = RaceReport::new(racers, program, sources, last);
                let message = race.as_ref().map_or_else(|| "a data race".to_owned(), RaceReport::message);
                let place = race.as_ref().and_then(|race| race.accesses[0].place.clone());
                Self { kind: "race".into(), message, place, waiting: Vec::new(), race: race.map(Box::new) }
            }
        }
    }
}

/// What differs from round to round of a loop that leads to other states.
fn changes(set: &Recurrence, program: &Program, last: &State) -> String {
    let changing = set.changing().filter_map(|(slot, var, range)| {
        let name = &program.vars()[var].name;
        let owner = slot.map(|slot| format!("{}.", thread_name(program, last, slot))).unwrap_or_default();
        is_named_in_source(name).then(|| format!("`{owner}{name}` ({range})"))
    });
    let changing: Vec<String> = changing.collect();
    let values = if changing.is_empty() { "values".to_owned() } else { changing.join(", ") };
    format!("; {values} may differ from round to round, and the loop can be repeated for all of them")
}

/// Where each of some threads stands that has started and not ended.
fn waiting(
    program: &Program,
    sources: &SourceMap,
    last: &State,
    slots: impl Iterator<Item = SlotId>,
) -> Vec<Waiting> {
    let semantics = Semantics::new(program);
    let running = slots.filter(|&slot| semantics.status(last, slot) == SlotStatus::Running);
    let edge_of = |slot: SlotId| Some((slot, *program.outgoing(last.location(slot)?).first()?));
    let mut stuck: Vec<(SlotId, EdgeId)> = running.filter_map(edge_of).collect();
    // Who waits for the end of another thread is rarely the reason.
    stuck.sort_by_key(|(_, edge)| program.edges()[*edge].ops.iter().any(|op| matches!(op, Op::Join(_))));
    let stands = stuck.into_iter().map(|(slot, edge)| {
        let (place, statement) = statement(program, sources, edge);
        Waiting { thread: thread_name(program, last, slot), place, statement }
    });
    stands.collect()
}

fn kind_name(kind: CheckKind) -> &'static str {
    match kind {
        CheckKind::Assertion => "assertion",
        CheckKind::Bounds => "bounds",
        CheckKind::Arithmetic => "arithmetic",
        CheckKind::Overflow => "overflow",
        CheckKind::Lifetime => "lifetime",
        CheckKind::Limit => "limit",
    }
}

fn property_message(
    kind: &PropertyKind,
    span: Option<Span>,
    program: &Program,
    sources: &SourceMap,
) -> String {
    let source = span.map(|span| crate::layout::one_line(sources.text(span))).filter(|text| !text.is_empty());
    let text = source.unwrap_or_else(|| match kind {
        PropertyKind::Always(condition) | PropertyKind::AtEnd(condition) => {
            program.display_expr(condition).qualified().to_string()
        }
        PropertyKind::DeadlockFree => "deadlock-free".to_owned(),
        PropertyKind::Terminates => "terminates".to_owned(),
    });
    let text = text.trim_end_matches(';');
    match kind {
        PropertyKind::AtEnd(_) => format!("`{text}` does not hold at the end"),
        _ => format!("`{text}` does not hold"),
    }
}

fn interleaving(replay: &Replay, program: &Program, sources: &SourceMap) -> Interleaving {
    let states = replay.states();
    let steps = replay.trace().steps.iter().enumerate().map(|(index, step)| StepTaken {
        slot: step.slot,
        edge: step.edge,
        after: states.get(index + 1),
    });
    Interleaving::of_run(program, sources, &states[0], steps)
}
