//! What an accepted proof says about places of the source.
//!
//! A proof speaks of the program that the engine saw. What is written down must hold of the
//! source, whenever *any* thread is at the place, so:
//!
//! * A place stands for all locations of the front end's program whose next step belongs to the
//!   statement that starts there. Each must still exist in the engine's program: a location that
//!   was joined into a longer step is one about which the proof says nothing. What is known at the
//!   place is the disjunction of what is known at these locations. Statements that call functions
//!   of the program are left out: their beginning is that of the function.
//! * Of what is known, only comparisons of variables that threads share, and of the thread's own
//!   variables whose values are still needed there, are kept: others may have lost a write that
//!   nobody looks at. To leave out a comparison, or where other threads are, weakens a conjunction.
//! * A variable must be an integer that can be seen at the place under its own name.

use super::c_text::{CText, Integer, Spot as SourceSpot, is_identifier};
use crate::cubes::simplified;
use rely_base::{SourceMap, Span};
use rely_evidence::rely_guarantee::{Atom, Comparison, Cube, Quantity, RelyGuarantee, Spot};
use rely_program::analysis::{Graph, Liveness, Visibility};
use rely_program::passes::BackMap;
use rely_program::{BinaryOp, Expr, LocationId, Place, Program, Scope, ThreadId, Value, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Sums of at most this many values of 32 bits, with their factors, fit into `long long`.
const LARGEST_FACTORS: u128 = 1 << 28;
/// Constants are not larger than this.
const LARGEST_CONSTANT: u128 = 1 << 60;
/// Invariants with more disjuncts are not written.
const MOST_DISJUNCTS: usize = 24;

/// Something that holds whenever a thread is at a place of the source.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// The statement, or the keyword of the loop.
    pub span: Span,
    /// Whether the place is a loop: then it holds before each look at the loop's condition.
    pub is_loop: bool,
    /// The name of the function in which it is.
    pub function: Option<String>,
    /// The locations of the front end's program for which the place stands.
    pub locations: Vec<LocationId>,
    /// What holds, over the variables of the front end's program, for the thread that is there.
    pub condition: Expr,
    /// The same as an expression of C.
    pub text: String,
}

/// The programs and texts that a proof is about.
#[derive(Clone, Copy, Debug)]
pub struct ProofContext<'c> {
    /// The program as the front end made it.
    pub program: &'c Program,
    /// The program that the engine saw, of which the proof speaks.
    pub prepared: &'c Program,
    /// From the latter to the former.
    pub back: &'c BackMap,
    /// The texts.
    pub sources: &'c SourceMap,
}

/// The invariants of a proof that can be said in C, and how many places are left out because
/// nothing can be said there.
pub fn invariants(proof: &RelyGuarantee, context: &ProofContext<'_>) -> (Vec<Invariant>, usize) {
    let known = known_at(proof, context);
    let (joined, kept) = (joined_locations(context), kept_locations(context));
    let graph = Graph::new(context.program);
    let facts =
        Facts { visibility: Visibility::new(context.prepared), liveness: Liveness::new(context.prepared) };
    let mut texts: BTreeMap<usize, CText<'_>> = BTreeMap::new();
    let mut found = Vec::new();
    let mut left_out = 0;
    for (span, locations) in places(context.program) {
        let is_kept = locations.iter().all(|location| kept.contains(location) && !joined.contains(location));
        let file = context.sources.file(span.file);
        let text = texts.entry(rely_base::Id::index(span.file)).or_insert_with(|| CText::new(file.text()));
        let Some(spot) = text.spot(span.start as usize) else { continue };
        let writer = Writer { context, facts: &facts, text, at: span.start as usize };
        let is_whole = !has_calls(context, &graph, text, span, &locations);
        match (is_kept && is_whole).then(|| writer.disjunction(&locations, &known)).flatten() {
            Some((condition, written)) => {
                found.push(invariant(span, spot, text, locations, condition, written));
            }
            None => left_out += 1,
        }
    }
    (found, left_out)
}

fn invariant(
    span: Span,
    spot: SourceSpot,
    text: &CText<'_>,
    locations: Vec<LocationId>,
    condition: Expr,
    written: String,
) -> Invariant {
    let (is_loop, start) = match spot {
        SourceSpot::Statement => (false, span.start),
        SourceSpot::LoopCondition(keyword) => (true, keyword as u32),
    };
    let function = text.function(start as usize).map(str::to_owned);
    Invariant { span: Span { start, ..span }, is_loop, function, locations, condition, text: written }
}

/// What is known at locations of the front end's program: the cubes of all locations of the
/// engine's program that stand for it, with the threads that they speak of.
type Known<'p> = BTreeMap<LocationId, Vec<(ThreadId, LocationId, &'p [Cube])>>;

fn known_at<'p>(proof: &'p RelyGuarantee, context: &ProofContext<'_>) -> Known<'p> {
    let mut known: Known<'p> = BTreeMap::new();
    for entry in &proof.threads {
        for (spot, cubes) in &entry.at {
            if let Spot::At(location) = *spot {
                let old = context.back.location(location);
                known.entry(old).or_default().push((entry.thread, location, cubes));
            }
        }
    }
    known
}

/// The locations that the engine's program still has.
fn kept_locations(context: &ProofContext<'_>) -> BTreeSet<LocationId> {
    context.prepared.locations().ids().map(|location| context.back.location(location)).collect()
}

/// Whether a statement calls functions that have statements of their own. Then a thread that has
/// not begun with it may already stand in front of a statement of the function, and the locations
/// in the middle of it would be taken for its beginning.
fn has_calls(
    context: &ProofContext<'_>,
    graph: &Graph,
    text: &CText<'_>,
    span: Span,
    locations: &[LocationId],
) -> bool {
    let own = text.function(span.start as usize);
    let comes_back = |location: &LocationId| {
        let spans = graph.incoming(*location).iter().filter_map(|&edge| context.program.edges()[edge].span);
        spans
            .into_iter()
            .any(|before| before.file != span.file || text.function(before.start as usize) != own)
    };
    let calls_itself = own.is_some_and(|name| text.is_called(span.start as usize, span.end as usize, name));
    calls_itself || locations.iter().any(comes_back)
}

/// The locations that steps of the engine's program pass through.
fn joined_locations(context: &ProofContext<'_>) -> BTreeSet<LocationId> {
    let mut joined = BTreeSet::new();
    for edge in context.prepared.edges().ids() {
        let old = context.back.edges(edge);
        let inner = old.split_last().map_or(&[][..], |(_, before)| before);
        joined.extend(inner.iter().map(|&edge| context.program.edges()[edge].target));
    }
    joined
}

/// The places of the source, with the locations at which a thread is about to do the statement
/// that starts there.
fn places(program: &Program) -> Vec<(Span, Vec<LocationId>)> {
    let mut places: BTreeMap<(usize, u32), (Span, Vec<LocationId>)> = BTreeMap::new();
    for location in program.locations().ids() {
        for &edge in program.outgoing(location) {
            let Some(span) = program.edges()[edge].span else { continue };
            let key = (rely_base::Id::index(span.file), span.start);
            let (_, locations) = places.entry(key).or_insert_with(|| (span, Vec::new()));
            if !locations.contains(&location) {
                locations.push(location);
            }
        }
    }
    places.into_values().collect()
}

/// Whose variables are whose in the engine's program, and where they are needed.
struct Facts {
    visibility: Visibility,
    liveness: Liveness,
}

/// Writes conditions for one place.
struct Writer<'w, 'c> {
    context: &'w ProofContext<'c>,
    facts: &'w Facts,
    text: &'w CText<'c>,
    at: usize,
}

/// A comparison over the front end's program, and how it is written in C.
type Written = (Expr, String);

impl Writer<'_, '_> {
    /// What holds at one of the locations; `None` if nothing but `true` can be said.
    fn disjunction(&self, locations: &[LocationId], known: &Known<'_>) -> Option<Written> {
        let mut disjuncts: Vec<Written> = Vec::new();
        for location in locations {
            for &(thread, at, cubes) in known.get(location).map_or(&[][..], Vec::as_slice) {
                for cube in simplified(cubes) {
                    let disjunct = self.conjunction(thread, at, &cube)?;
                    if !disjuncts.iter().any(|(_, text)| *text == disjunct.1) {
                        disjuncts.push(disjunct);
                    }
                }
            }
        }
        if disjuncts.len() > MOST_DISJUNCTS {
            return None;
        }
        let text = match disjuncts.as_slice() {
            [] => "0".to_owned(),
            [(_, single)] => single.clone(),
            _ => disjuncts.iter().map(|(_, text)| format!("({text})")).collect::<Vec<_>>().join(" || "),
        };
        let exprs = disjuncts.into_iter().map(|(expr, _)| expr);
        let condition = exprs.reduce(|left, right| Expr::binary(BinaryOp::Or, left, right));
        Some((condition.unwrap_or(Expr::Bool(false)), text))
    }

    /// The comparisons of a cube that can be written; `None` if there are none.
    fn conjunction(&self, thread: ThreadId, at: LocationId, cube: &Cube) -> Option<Written> {
        let written: Vec<Written> =
            cube.atoms.iter().filter_map(|atom| self.atom(thread, at, atom)).collect();
        let text = written.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(" && ");
        let exprs = written.into_iter().map(|(expr, _)| expr);
        Some((exprs.reduce(|left, right| Expr::binary(BinaryOp::And, left, right))?, text))
    }

    fn atom(&self, thread: ThreadId, at: LocationId, atom: &Atom) -> Option<Written> {
        let mut left: Vec<(Value, Named)> = Vec::new();
        let mut right: Vec<(Value, Named)> = Vec::new();
        let mut factors: u128 = 0;
        for &(factor, quantity) in &atom.terms {
            let named = self.named(thread, at, quantity)?;
            factors = factors.checked_add(factor.unsigned_abs())?;
            let side = if factor > 0 { &mut left } else { &mut right };
            side.push((factor.checked_abs()?, named));
        }
        if factors > LARGEST_FACTORS || atom.constant.unsigned_abs() > LARGEST_CONSTANT {
            return None;
        }
        let wide = atom.terms.len() > 1
            || factors > 1
            || left.iter().chain(&right).any(|(_, named)| !named.kind.is_signed);
        let sum = |side: &[(Value, Named)], constant: Value| sum(side, constant, wide);
        let constant = atom.constant;
        let (operator, name) = match atom.comparison {
            Comparison::Le => (BinaryOp::Le, "<="),
            Comparison::Eq => (BinaryOp::Eq, "=="),
            Comparison::Ne => (BinaryOp::Ne, "!="),
            Comparison::MultipleOf(divisor) => {
                let divisor = Some(Value::from(divisor)).filter(|&divisor| divisor > 0)?;
                let ((plus, plus_text), (minus, minus_text)) = (sum(&left, constant), sum(&right, 0));
                let difference = Expr::binary(BinaryOp::Sub, plus, minus);
                let rest = Expr::binary(BinaryOp::Rem, difference, Expr::int(divisor));
                let text = format!("({plus_text} - ({minus_text})) % {divisor} == 0");
                return Some((Expr::binary(BinaryOp::Eq, rest, Expr::int(0)), text));
            }
        };
        let ((plus, plus_text), (minus, minus_text)) = match constant {
            0.. => (sum(&left, constant), sum(&right, 0)),
            _ => (sum(&left, 0), sum(&right, -constant)),
        };
        Some((Expr::binary(operator, plus, minus), format!("{plus_text} {name} {minus_text}")))
    }

    /// A quantity as the source names it, if it may be spoken of.
    fn named(&self, thread: ThreadId, at: LocationId, quantity: Quantity) -> Option<Named> {
        let Quantity::Cell { var, index, .. } = quantity else { return None };
        let declaration = &self.context.prepared.vars()[var];
        let is_own = match declaration.scope {
            Scope::Local(owner) if owner != thread => return None,
            Scope::Local(_) => true,
            Scope::Global => self.facts.visibility.is_private(var),
        };
        // A write that nobody looks at may be missing, and private variables of others are not in step.
        if is_own && !self.facts.liveness.is_live(at, var) {
            return None;
        }
        let place = match (declaration.length, self.context.back.place(var)) {
            (None, place) => place,
            (Some(_), Place::Scalar(array)) => Place::Element(array, Expr::int(Value::from(index))),
            (Some(_), Place::Element(..)) => return None,
        };
        self.source_name(place)
    }

    fn source_name(&self, place: Place) -> Option<Named> {
        let program = self.context.program;
        let var = place.var();
        let declaration = &program.vars()[var];
        let name = declaration.name.as_str();
        let declared = declaration.span?.start as usize;
        if !is_identifier(name) || self.is_ambiguous(var) || !self.text.is_visible(declared, self.at) {
            return None;
        }
        let kind = self.text.small_integer(declared, name)?;
        let text = match &place {
            Place::Scalar(_) => name.to_owned(),
            Place::Element(_, Expr::Int(index)) => format!("{name}[{index}]"),
            Place::Element(..) => return None,
        };
        Some(Named { expr: place.read(), text, kind })
    }

    /// Whether another variable has the same name in the source.
    fn is_ambiguous(&self, var: VarId) -> bool {
        let vars = self.context.program.vars();
        let base = |name: &str| name.split('#').next().unwrap_or(name).rsplit('.').next().map(str::to_owned);
        let name = base(&vars[var].name);
        let may_collide = |other: &rely_program::Var| {
            other.is_global() || vars[var].is_global() || other.scope == vars[var].scope
        };
        vars.iter().any(|(other, declaration)| {
            other != var && may_collide(declaration) && base(&declaration.name) == name
        })
    }
}

/// A variable or a cell that can be written in C.
struct Named {
    expr: Expr,
    text: String,
    kind: Integer,
}

/// A sum of terms, in `long long` if it could leave the type of a term.
fn sum(terms: &[(Value, Named)], constant: Value, wide: bool) -> Written {
    let mut exprs: Vec<Expr> = Vec::new();
    let mut texts: Vec<String> = Vec::new();
    for (factor, named) in terms {
        let name = if wide { format!("(long long){}", named.text) } else { named.text.clone() };
        let (expr, text) = match factor {
            1 => (named.expr.clone(), name),
            _ => (
                Expr::binary(BinaryOp::Mul, Expr::int(*factor), named.expr.clone()),
                format!("{factor}LL * {name}"),
            ),
        };
        exprs.push(expr);
        texts.push(text);
    }
    if constant != 0 || exprs.is_empty() {
        exprs.push(Expr::int(constant));
        let suffix = if i32::try_from(constant).is_ok() { "" } else { "LL" };
        texts.push(format!("{constant}{suffix}"));
    }
    let expr = exprs.into_iter().reduce(|left, right| Expr::binary(BinaryOp::Add, left, right));
    (expr.unwrap_or(Expr::int(0)), texts.join(" + "))
}
