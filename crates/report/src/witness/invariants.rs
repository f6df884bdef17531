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
//!   nobody looks at. To leave out a comparison weakens a conjunction.
//! * Where a pass told copies of a location apart by values of the thread's own variables, each case
//!   names the values of its copy.
//! * A variable must be an integer that can be seen at the place under its own name.
//! * Where other threads are, and which locks are taken, is said with [ghost
//!   variables](super::ghosts), as far as they can follow.

use super::c_text::{CText, Integer, SourcePoint, is_identifier};
use super::ghosts::{GhostFact, GhostId, Ghosts, Speaker};
use super::statements::{Texts, has_calls};
use crate::cubes::simplified;
use rely_base::{SourceMap, Span};
use rely_evidence::rely_guarantee::{Atom, Comparison, ControlPoint, Cube, Quantity, RelyGuarantee};
use rely_passes::{BackMap, Restored};
use rely_program::analysis::{Graph, Liveness, Visibility};
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
    /// What holds for the thread that is there: one of these.
    pub disjuncts: Vec<Disjunct>,
    /// The same as an expression of C.
    pub text: String,
}

/// One of the cases of an invariant.
#[derive(Clone, Debug)]
pub struct Disjunct {
    /// What holds, over the variables of the front end's program.
    pub condition: Expr,
    /// What holds of the ghost variables.
    pub ghosts: Vec<GhostFact>,
}

/// What a witness says about a proved program.
#[derive(Clone, Debug)]
pub struct Annotations {
    /// What holds where.
    pub invariants: Vec<Invariant>,
    /// The ghost variables of which the invariants speak.
    pub ghosts: Ghosts,
    /// At how many places nothing can be said.
    pub left_out: usize,
}

impl Annotations {
    /// Keeps some of the invariants, by their positions, and the ghost variables of which they speak.
    pub(super) fn keep(&mut self, is_kept: impl Fn(usize) -> bool) {
        let mut position = 0;
        self.invariants.retain(|_| {
            position += 1;
            is_kept(position - 1)
        });
        self.ghosts = with_used_ghosts(&mut self.invariants, std::mem::take(&mut self.ghosts));
    }
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

impl ProofContext<'_> {
    /// The program of which the proof speaks, with all the variables of which people speak.
    pub(crate) fn restored(&self) -> Restored {
        Restored::new(self.program, self.prepared, self.back)
    }
}

/// The invariants of a proof that can be said in C, with ghost variables where they need some.
pub fn invariants(proof: &RelyGuarantee, context: &ProofContext<'_>) -> Annotations {
    let known = known_at(proof, context);
    let graph = Graph::new(context.program);
    let texts = Texts::of(context);
    let facts =
        Facts { visibility: Visibility::new(context.prepared), liveness: Liveness::new(context.prepared) };
    let points = source_points(context, &graph, &texts);
    let told: Vec<Cube> = points
        .iter()
        .filter(|place| place.is_known)
        .flat_map(|place| place.locations.iter().filter_map(|location| known.get(location)).flatten())
        .flat_map(|(_, _, cubes)| cubes.iter().cloned())
        .collect();
    let speaker = Speaker::new(context, &graph, &texts, &told);
    let mut found = Vec::new();
    let mut left_out = 0;
    for place in points {
        let text = texts.get(place.span.file);
        let writer =
            Writer { context, facts: &facts, speaker: &speaker, text, at: place.span.start as usize };
        match place.is_known.then(|| writer.disjunction(&place.locations, &known)).flatten() {
            Some((disjuncts, written)) => found.push(invariant(place, text, disjuncts, written)),
            None => left_out += 1,
        }
    }
    let ghosts = with_used_ghosts(&mut found, speaker.ghosts);
    Annotations { invariants: found, ghosts, left_out }
}

/// A place of the source at which something can be said.
struct SourcePlace {
    span: Span,
    point: SourcePoint,
    /// Where a thread is that is about to do what starts there.
    locations: Vec<LocationId>,
    /// Whether the proof speaks of all of these locations.
    is_known: bool,
}

fn source_points(context: &ProofContext<'_>, graph: &Graph, texts: &Texts<'_>) -> Vec<SourcePlace> {
    let (joined, kept) = (joined_locations(context), kept_locations(context));
    let places = places(context.program).into_iter().filter_map(|(span, locations)| {
        let text = texts.get(span.file);
        let point = text.source_point(span.start as usize)?;
        let is_kept = locations.iter().all(|location| kept.contains(location) && !joined.contains(location));
        let is_known = is_kept && !has_calls(context.program, graph, text, span, &locations);
        Some(SourcePlace { span, point, locations, is_known })
    });
    places.collect()
}

fn invariant(place: SourcePlace, text: &CText<'_>, disjuncts: Vec<Disjunct>, written: String) -> Invariant {
    let (is_loop, start) = match place.point {
        SourcePoint::Statement => (false, place.span.start),
        SourcePoint::LoopCondition(keyword) => (true, keyword as u32),
    };
    let function = text.function(start as usize).map(str::to_owned);
    let span = Span { start, ..place.span };
    Invariant { span, is_loop, function, locations: place.locations, disjuncts, text: written }
}

/// The ghost variables that invariants speak of.
fn with_used_ghosts(invariants: &mut [Invariant], ghosts: Ghosts) -> Ghosts {
    let mut facts: Vec<&mut GhostFact> = invariants
        .iter_mut()
        .flat_map(|invariant| &mut invariant.disjuncts)
        .flat_map(|disjunct| &mut disjunct.ghosts)
        .collect();
    let used: BTreeSet<GhostId> = facts.iter().map(|fact| fact.ghost).collect();
    let (ghosts, places) = ghosts.only(&used);
    facts.iter_mut().for_each(|fact| fact.ghost = places[&fact.ghost]);
    ghosts
}

/// What is known at locations of the front end's program: the cubes of all locations of the
/// engine's program that stand for it, with the threads that they speak of.
type Known<'p> = BTreeMap<LocationId, Vec<(ThreadId, LocationId, &'p [Cube])>>;

fn known_at<'p>(proof: &'p RelyGuarantee, context: &ProofContext<'_>) -> Known<'p> {
    let mut known: Known<'p> = BTreeMap::new();
    for entry in &proof.threads {
        for (point, cubes) in &entry.at {
            if let ControlPoint::At(location) = *point {
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
    speaker: &'w Speaker<'w>,
    text: &'w CText<'c>,
    at: usize,
}

/// A comparison over the front end's program, and how it is written in C.
type Written = (Expr, String);

impl Writer<'_, '_> {
    /// What holds at one of the locations; `None` if nothing but `true` can be said. What would be
    /// too long with ghost variables is said without them.
    fn disjunction(&self, locations: &[LocationId], known: &Known<'_>) -> Option<(Vec<Disjunct>, String)> {
        let all = self.disjuncts(locations, known, true).filter(|found| found.len() <= MOST_DISJUNCTS);
        let shorter = || self.disjuncts(locations, known, false);
        let (disjuncts, texts): (Vec<Disjunct>, Vec<String>) =
            all.or_else(shorter).filter(|found| found.len() <= MOST_DISJUNCTS)?.into_iter().unzip();
        let text = match texts.as_slice() {
            [] => "0".to_owned(),
            [single] => single.clone(),
            _ => texts.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join(" || "),
        };
        Some((disjuncts, text))
    }

    fn disjuncts(
        &self,
        locations: &[LocationId],
        known: &Known<'_>,
        with_ghosts: bool,
    ) -> Option<Vec<(Disjunct, String)>> {
        let mut disjuncts: Vec<(Disjunct, String)> = Vec::new();
        for location in locations {
            for &(thread, at, cubes) in known.get(location).map_or(&[][..], Vec::as_slice) {
                for cube in simplified(cubes) {
                    let facts = with_ghosts.then(|| self.speaker.facts(thread, *location, &cube));
                    let disjunct = self.conjunction(thread, at, &cube, facts.unwrap_or_default())?;
                    if !disjuncts.iter().any(|(_, text)| *text == disjunct.1) {
                        disjuncts.push(disjunct);
                    }
                }
            }
        }
        Some(disjuncts)
    }

    /// What can be written of a cube; `None` if that is nothing.
    fn conjunction(
        &self,
        thread: ThreadId,
        at: LocationId,
        cube: &Cube,
        ghosts: Vec<GhostFact>,
    ) -> Option<(Disjunct, String)> {
        let mut written = self.values(at);
        written.extend(cube.atoms.iter().filter_map(|atom| self.atom(thread, at, atom)));
        let said = ghosts.iter().map(|fact| self.speaker.ghosts.text(fact));
        let texts: Vec<String> = written.iter().map(|(_, text)| text.clone()).chain(said).collect();
        let exprs = written.into_iter().map(|(expr, _)| expr);
        let condition = exprs.reduce(|left, right| Expr::binary(BinaryOp::And, left, right));
        let condition = condition.unwrap_or(Expr::Bool(true));
        (!texts.is_empty()).then(|| (Disjunct { condition, ghosts }, texts.join(" && ")))
    }

    /// The values that the thread's variables have at a location, because it was told from others
    /// by them.
    fn values(&self, at: LocationId) -> Vec<Written> {
        let written = |(place, values): (Place, Vec<Value>)| {
            let named = self.source_name(place)?;
            let is = |value: &Value| {
                let (constant, text) = sum(&[], *value, false);
                (
                    Expr::binary(BinaryOp::Eq, named.expr.clone(), constant),
                    format!("{} == {text}", named.text),
                )
            };
            let (exprs, texts): (Vec<Expr>, Vec<String>) = values.iter().map(is).unzip();
            let expr = exprs.into_iter().reduce(|left, right| Expr::binary(BinaryOp::Or, left, right))?;
            Some((expr, if texts.len() == 1 { texts.concat() } else { format!("({})", texts.join(" || ")) }))
        };
        self.context.back.values(at).into_iter().filter_map(written).collect()
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
        let back = self.context.back;
        let place = if is_own { back.place_at(at, var) } else { back.place(var) };
        let place = match (declaration.length, place) {
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
