//! Why a property holds: for a proof the assertion that matters, in one line.
//!
//! The smallest assertion where the property is looked at says most in the fewest words. It holds
//! there because the proof was accepted; nothing is said about what else the proof contains.

use super::{Explained, Sentence, plain};
use crate::layout::{self, group_digits};
use crate::phrase::Phrases;
use crate::recall;
use crate::reduction;
use rely_base::plural;
use rely_evidence::counting::{Invariant, InvariantPrinter};
use rely_evidence::helping::Helping;
use rely_evidence::ranking::Ranking;
use rely_evidence::reduction::Reduced;
use rely_evidence::rely_guarantee::{ControlPoint, Cube, RelyGuarantee};
use rely_evidence::{Exhausted, Proof, Proved, Reduction};
use rely_passes::Restored;
use rely_program::{Expr, Goal, LocationId, Op, Program, PropertyKind, ThreadId};

/// Says why a property holds.
pub(super) fn sentences(proved: &Proved, explained: &Explained<'_>) -> Vec<Sentence> {
    of_proof(proved.proof(), proved.is_modular(), explained)
}

fn of_proof(proof: &Proof, is_modular: bool, explained: &Explained<'_>) -> Vec<Sentence> {
    match proof {
        Proof::Exhausted(exhausted) => vec![plain(visited(exhausted, explained.goal))],
        Proof::RelyGuarantee(proof) => {
            let key = key(proof, explained);
            let mut sentences =
                vec![plain(key.unwrap_or_else(|| "Every obligation of the proof holds.".to_owned()))];
            if is_modular {
                sentences.push(plain(
                    "The proof speaks of each thread without mentioning the places or locals of the others.",
                ));
            }
            sentences
        }
        Proof::Counting(counting) => {
            let restored = Restored::new(explained.program, explained.prepared, explained.back);
            let invariants = recall::invariants(&counting.invariants, &restored);
            let names = Phrases::new(&restored, explained.sources).locations();
            let printer = InvariantPrinter::new(&restored.program).with_names(&names);
            let counted = numbers_of_threads(&invariants, printer);
            counted.into_iter().chain(key(&counting.proof, explained)).map(plain).collect()
        }
        Proof::Reduced(reduced) => {
            let mut sentences = vec![plain(blocks(reduced, explained.prepared))];
            if let Ok((smaller, back)) = reduced.program(explained.prepared) {
                let back = &explained.back.clone().then(back);
                let inner = Explained { prepared: &smaller, back, ..*explained };
                sentences.extend(of_proof(&reduced.proof, is_modular, &inner));
            }
            sentences
        }
        Proof::Ranking(ranking) => vec![plain(descends(ranking))],
        Proof::Helping(helping) => vec![plain(helps(helping))],
        _ => Vec::new(),
    }
}

fn blocks(reduced: &Reduced, program: &Program) -> String {
    let (blocks, are) = match reduction::blocks(reduced, program).len() {
        1 => ("1 block of steps".to_owned(), "is"),
        count => (format!("{count} blocks of steps"), "are"),
    };
    format!(
        "What other threads do can as well be done before or after {blocks}, which {are} proved as one step each."
    )
}

fn helps(helping: &Helping) -> String {
    match helping.helps.len() {
        0 => "No thread ever has to wait.".to_owned(),
        _ => format!(
            "At {} a thread may have to wait. Whenever one does, some step of another thread can be made that brings it \
             nearer to where it goes on, which a rank says: a natural number that gets smaller with each such step.",
            plural(helping.helps.len(), "places")
        ),
    }
}

fn descends(ranking: &Ranking) -> String {
    let numbers = match ranking.components {
        1 => "a natural number".to_owned(),
        more => format!("{more} natural numbers, of which the first that changes counts"),
    };
    format!(
        "Each thread is given {numbers} at each place, which say how far it is from its end. Every step makes the \
         sum over all threads smaller, and until all have ended one can move; so every run ends."
    )
}

fn visited(exhausted: &Exhausted, goal: Goal) -> String {
    let states = group_digits(exhausted.states);
    match exhausted.reduction {
        Reduction::None => {
            format!(
                "All states that the threads can reach were visited: {states}. `{goal}` holds in all of them."
            )
        }
        Reduction::PartialOrder => format!(
            "Interleavings were followed up to the order of steps that do not influence each other: {}. `{goal}` holds in all of them.",
            layout::counted(exhausted.states, "states")
        ),
    }
}

/// How many invariants are told; the rest is only counted.
const TOLD_INVARIANTS: usize = 3;

/// The invariants that say most in the fewest words.
fn numbers_of_threads(invariants: &[Invariant], printer: InvariantPrinter<'_>) -> Option<String> {
    let mut texts: Vec<String> =
        invariants.iter().map(|invariant| format!("`{}`", printer.invariant(invariant))).collect();
    texts.sort_by_key(String::len);
    let more = texts.len().saturating_sub(TOLD_INVARIANTS);
    texts.truncate(TOLD_INVARIANTS);
    let told = match texts.as_slice() {
        [] => return None,
        [only] => format!("{only} holds"),
        [first @ .., last] if more == 0 => format!("{} and {last} hold", first.join(", ")),
        _ => format!("{} and {more} more invariants hold", texts.join(", ")),
    };
    Some(format!("In every state {told}, where `#` is the number of threads at a place."))
}

/// An assertion of a proof.
struct Known<'p> {
    thread: ThreadId,
    point: ControlPoint,
    cubes: &'p [Cube],
    /// The line of a check that needs it.
    check: Option<u32>,
}

/// The key of a proof fits into three lines.
const LONGEST_KEY: usize = 80;

/// The assertion that says most in the fewest words.
fn key(proof: &RelyGuarantee, explained: &Explained<'_>) -> Option<String> {
    let restored = Restored::new(explained.program, explained.prepared, explained.back);
    let phrases = Phrases::new(&restored, explained.sources);
    let proof = recall::proof(proof, &restored);
    let all = all_assertions(&proof, explained);
    let counted = counted(explained.prepared, explained.goal);
    let smallest = |matters: &dyn Fn(&Known<'_>) -> bool| {
        let texts = all
            .iter()
            .filter(|known| matters(known))
            .map(|known| (phrases.brief_condition(known.cubes, LONGEST_KEY), known));
        // Where nobody ever is, nothing has to hold.
        let telling = texts.filter(|(text, known)| text != "true" && !known.cubes.is_empty());
        telling.min_by_key(|(text, _)| text.len())
    };
    let (text, known) = smallest(&|known| known.check.is_some())
        .or_else(|| smallest(&|known| matches!(known.point, ControlPoint::At(at) if counted.contains(&at))))
        .or_else(|| smallest(&|_| true))?;
    let name = &explained.prepared.threads()[known.thread].name;
    let place = match known.check {
        Some(line) => format!("about to do the check at line {line}"),
        None => format!("at {}", phrases.source_line(known.point)),
    };
    Some(format!("The key: whenever {name} is {place}, `{text}` holds, whatever the others do."))
}

fn all_assertions<'p>(proof: &'p RelyGuarantee, explained: &Explained<'_>) -> Vec<Known<'p>> {
    let entries = proof.threads.iter().flat_map(|entry| entry.at.iter().map(|at| (entry.thread, at)));
    let known = |(thread, (point, cubes)): (ThreadId, &'p (ControlPoint, Vec<Cube>))| Known {
        thread,
        point: *point,
        cubes,
        check: check_line(*point, explained),
    };
    entries.map(known).collect()
}

/// The line of the first check of the goal that a step from here does.
fn check_line(point: ControlPoint, explained: &Explained<'_>) -> Option<u32> {
    let ControlPoint::At(location) = point else { return None };
    let program = explained.prepared;
    let ops = program.outgoing(location).iter().flat_map(|&edge| &program.edges()[edge].ops);
    let checks = ops.filter_map(|op| match op {
        Op::Check(_, check) => Some(&program.checks()[*check]),
        _ => None,
    });
    let mut spans = checks.filter(|check| explained.goal.includes(check.kind)).filter_map(|check| check.span);
    spans.next().map(|span| explained.sources.position(span).line)
}

/// The places at which the properties count threads.
fn counted(program: &Program, goal: Goal) -> Vec<LocationId> {
    let mut places = Vec::new();
    for property in program.properties().iter().filter(|property| property.kind.goal() == goal) {
        if let PropertyKind::Always(condition) | PropertyKind::AtEnd(condition) = &property.kind {
            condition.walk(&mut |part| {
                if let Expr::CountAt(location) = part {
                    places.push(*location);
                }
            });
        }
    }
    places
}
