//! Threads that are the same up to the names of their variables.
//!
//! Two threads can be exchanged if some renaming of variables turns the steps of each into those
//! of the other, and leaves everything else as it is: the steps of the other threads, the initial
//! states, and what must not happen. Then what is found out about one of them holds of the other
//! too, after the renaming.

use super::guarantee::{Guarantee, Places};
use super::model::{Model, Offence, Step};
use super::region::{Reasoner, Region};
use super::transition::Transition;
use rely_base::Id;
use rely_evidence::rely_guarantee::ControlPoint;
use rely_logic::{Constraint, Integer, VarId};
use rely_program::{LocationId, ThreadId};
use rely_symbolic::{Cells, PlaceTest};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Two threads that can be exchanged, and what becomes of everything else. Exchanging twice changes
/// nothing.
#[derive(Clone, Debug)]
pub(super) struct Symmetry {
    threads: (ThreadId, ThreadId),
    cells: Vec<VarId>,
    locations: FxHashMap<LocationId, LocationId>,
}

impl Symmetry {
    fn thread(&self, thread: ThreadId) -> ThreadId {
        match thread {
            _ if thread == self.threads.0 => self.threads.1,
            _ if thread == self.threads.1 => self.threads.0,
            _ => thread,
        }
    }

    fn location(&self, location: LocationId) -> LocationId {
        self.locations.get(&location).copied().unwrap_or(location)
    }

    /// The same place of the other thread.
    pub(super) fn point(&self, point: ControlPoint) -> ControlPoint {
        match point {
            ControlPoint::At(location) => ControlPoint::At(self.location(location)),
            ControlPoint::Unstarted => ControlPoint::Unstarted,
        }
    }

    fn variable(&self, cells: &Cells, variable: VarId) -> VarId {
        if cells.is_cell(variable) {
            return self.cells[variable.index()];
        }
        let before = variable.index().checked_sub(cells.after(VarId::from_index(0)).index());
        match before {
            Some(before) if before < cells.count() => cells.after(self.cells[before]),
            _ => variable,
        }
    }

    /// The same condition about the exchanged threads.
    pub(super) fn constraint(&self, cells: &Cells, constraint: &Constraint) -> Constraint {
        constraint.rename(|variable| self.variable(cells, variable))
    }

    /// The same states with the threads exchanged.
    pub(super) fn region(&self, cells: &Cells, reasoner: &mut Reasoner, region: &Region) -> Region {
        let renamed = region.constraints().iter().map(|held| self.constraint(cells, held)).collect();
        reasoner.region(renamed).unwrap_or_else(|| region.clone())
    }

    /// The same places with the threads exchanged.
    pub(super) fn places(&self, places: &Places) -> Places {
        let mut exchanged = places.clone();
        for (thread, &point) in places.iter() {
            exchanged[self.thread(thread)] = self.point(point);
        }
        exchanged
    }
}

impl Symmetry {
    /// The two threads.
    pub(super) fn threads(&self) -> (ThreadId, ThreadId) {
        self.threads
    }

    /// Whether every global stays itself.
    pub(super) fn keeps_globals(&self, cells: &Cells) -> bool {
        cells.all().all(|cell| cells.owner(cell).is_some() || self.cells[cell.index()] == cell)
    }

    /// What the other thread guarantees; `None` if it has no such step.
    pub(super) fn guarantee(&self, model: &Model<'_>, guarantee: &Guarantee) -> Option<Guarantee> {
        let original =
            step_key(&model.steps[guarantee.step], |v| self.variable(&model.cells, v), |l| self.location(l));
        let mut steps = model.steps.iter();
        let (step, _) = steps.find(|(_, step)| step_key(step, |v| v, |l| l) == original)?;
        Some(Guarantee {
            step,
            origin: guarantee.origin,
            transition: self.transition(&model.cells, &guarantee.transition),
        })
    }

    /// The same transition of the other thread.
    pub(super) fn transition(&self, cells: &Cells, transition: &Transition) -> Transition {
        let variable = |variable: VarId| self.variable(cells, variable);
        Transition {
            constraints: transition.constraints.iter().map(|held| self.constraint(cells, held)).collect(),
            written: transition
                .written
                .iter()
                .map(|&(before, after)| (variable(before), variable(after)))
                .collect(),
            auxiliary: transition.auxiliary.clone(),
        }
    }

    /// Whether of two combinations of places the first comes first: the first of the exchanged
    /// threads stands earlier in its program.
    pub(super) fn is_earlier(&self, places: &Places, other: &Places) -> bool {
        places[self.threads.0] < other[self.threads.0]
    }
}

/// Pairs of neighbours among the threads that can be exchanged; together they generate all
/// exchanges that were found.
pub(super) fn symmetries(model: &Model<'_>, reasoner: &mut Reasoner) -> Vec<Symmetry> {
    let is_plain = |step: &Step| step.places.is_empty() && step.started.is_empty() && step.spawned.is_empty();
    if model.has_templates() || !model.steps.values().all(is_plain) {
        return Vec::new();
    }
    let mut found: Vec<Symmetry> = Vec::new();
    let threads: Vec<ThreadId> = model.program.threads().ids().collect();
    for (index, &second) in threads.iter().enumerate() {
        // The last thread of each class of threads that are alike.
        let is_last = |first: &&ThreadId| !found.iter().any(|known| known.threads.0 == **first);
        let partner = threads[..index].iter().filter(is_last);
        let symmetry = partner.rev().find_map(|&first| symmetry(model, reasoner, first, second));
        found.extend(symmetry);
    }
    found
}

fn symmetry(
    model: &Model<'_>,
    reasoner: &mut Reasoner,
    first: ThreadId,
    second: ThreadId,
) -> Option<Symmetry> {
    let points = [first, second].map(|thread| ControlPoint::all(model.program, thread));
    let steps = [first, second].map(|thread| {
        let own = model.steps.values().filter(move |step| step.thread == thread);
        own.collect::<Vec<&Step>>()
    });
    if points[0].len() != points[1].len() || steps[0].len() != steps[1].len() {
        return None;
    }
    let mut locations = FxHashMap::default();
    for (&one, &other) in points[0].iter().zip(&points[1]) {
        if let (ControlPoint::At(one), ControlPoint::At(other)) = (one, other) {
            locations.insert(one, other);
            locations.insert(other, one);
        }
    }
    let mut goals = Vec::new();
    for (one, other) in steps[0].iter().zip(&steps[1]) {
        let (mine, theirs) = (&one.transition.constraints, &other.transition.constraints);
        if mine.len() != theirs.len() || one.transition.written.len() != other.transition.written.len() {
            return None;
        }
        goals.extend(mine.iter().map(|constraint| (constraint, theirs.as_slice())));
    }
    let mut search =
        Search { cells: &model.cells, threads: (first, second), tries: model.limits.symmetry_tries };
    let known = search.solve(&goals, vec![None; model.cells.count()])?;
    let cells = known.into_iter().enumerate();
    let cells = cells.map(|(index, cell)| cell.unwrap_or_else(|| VarId::from_index(index))).collect();
    let symmetry = Symmetry { threads: (first, second), cells, locations };
    is_symmetry(model, reasoner, &symmetry).then_some(symmetry)
}

/// A renaming as far as it is known.
type Renaming = Vec<Option<VarId>>;

/// A constraint and those of which one must be its image.
type Goal<'g> = (&'g Constraint, &'g [Constraint]);

/// Looks for a renaming that turns the steps of one thread into those of the other.
struct Search<'s> {
    cells: &'s Cells,
    threads: (ThreadId, ThreadId),
    tries: usize,
}

impl Search<'_> {
    fn solve(&mut self, goals: &[Goal<'_>], known: Renaming) -> Option<Renaming> {
        let Some(((constraint, candidates), rest)) = goals.split_first() else { return Some(known) };
        candidates.iter().find_map(|candidate| {
            let alike = candidate.relation() == constraint.relation()
                && candidate.form().constant_term() == constraint.form().constant_term()
                && candidate.form().terms().len() == constraint.form().terms().len();
            let terms = candidate.form().terms().to_vec();
            alike.then(|| self.terms(constraint.form().terms(), terms, rest, known.clone())).flatten()
        })
    }

    /// Each of the terms becomes one of the others; then the remaining goals.
    fn terms(
        &mut self,
        terms: &[(VarId, Integer)],
        left: Vec<(VarId, Integer)>,
        goals: &[Goal<'_>],
        known: Renaming,
    ) -> Option<Renaming> {
        self.tries = self.tries.checked_sub(1)?;
        let Some(((variable, factor), rest)) = terms.split_first() else { return self.solve(goals, known) };
        for (index, (other, other_factor)) in left.iter().enumerate() {
            if factor != other_factor {
                continue;
            }
            if let Some(extended) = self.bind(&known, *variable, *other) {
                let mut left = left.clone();
                left.remove(index);
                if let Some(found) = self.terms(rest, left, goals, extended) {
                    return Some(found);
                }
            }
        }
        None
    }

    fn bind(&self, known: &Renaming, one: VarId, other: VarId) -> Option<Renaming> {
        let count = self.cells.count();
        let kind = |variable: VarId| variable.index() / count;
        if kind(one) != kind(other) || kind(one) > 2 {
            return (one == other).then(|| known.clone());
        }
        let [one, other] = [one, other].map(|variable| VarId::from_index(variable.index() % count));
        let owners = (self.cells.owner(one), self.cells.owner(other));
        let may_be_exchanged = match owners {
            (None, None) => true,
            (Some(one), Some(other)) => {
                self.threads == (one, other) || self.threads == (other, one) || one == other
            }
            _ => false,
        };
        let is_free = |cell: VarId, image: VarId| known[cell.index()].is_none_or(|known| known == image);
        if !may_be_exchanged || !is_free(one, other) || !is_free(other, one) {
            return None;
        }
        let mut extended = known.clone();
        extended[one.index()] = Some(other);
        extended[other.index()] = Some(one);
        Some(extended)
    }
}

/// Whether everything stays as it is.
fn is_symmetry(model: &Model<'_>, reasoner: &mut Reasoner, symmetry: &Symmetry) -> bool {
    let cells = &model.cells;
    let atomic = |location: LocationId| model.program.locations()[location].atomic;
    let places_agree = symmetry.locations.iter().all(|(&one, &other)| atomic(one) == atomic(other));
    let starts = |thread: ThreadId| model.start_of(thread).map(|point| symmetry.point(point));
    let starts_agree = starts(symmetry.threads.0) == model.start_of(symmetry.threads.1);
    let steps: BTreeSet<_> = model.steps.values().map(|step| step_key(step, |v| v, |l| l)).collect();
    let images = model.steps.values().map(|step| {
        step_key(step, |variable| symmetry.variable(cells, variable), |location| symmetry.location(location))
    });
    let offences: BTreeSet<_> =
        model.offences.iter().map(|offence| offence_key(offence, None, cells)).collect();
    let offences_agree = model.offences.iter().all(|offence| {
        offence.witnesses.is_empty() && offences.contains(&offence_key(offence, Some(symmetry), cells))
    });
    let initial = model.initial.iter().all(|region| {
        let image = symmetry.region(cells, reasoner, region);
        model.initial.contains(&image)
    });
    places_agree
        && starts_agree
        && images.into_iter().all(|image| steps.contains(&image))
        && offences_agree
        && initial
}

/// A step as something to compare, after a renaming.
fn step_key(
    step: &Step,
    variable: impl Fn(VarId) -> VarId,
    location: impl Fn(LocationId) -> LocationId,
) -> (usize, usize, BTreeSet<Constraint>, BTreeSet<VarId>, Vec<VarId>) {
    let constraints = step.transition.constraints.iter().map(|held| held.rename(&variable)).collect();
    let written = step.transition.written.iter().map(|(before, _)| variable(*before)).collect();
    let places = [step.source, step.target].map(|place| location(place).index());
    (places[0], places[1], constraints, written, step.transition.auxiliary.clone())
}

/// Where threads stand, by their numbers.
type PlaceKey = BTreeSet<(usize, BTreeSet<ControlPoint>)>;

/// An offence as something to compare, after an exchange.
fn offence_key(
    offence: &Offence,
    symmetry: Option<&Symmetry>,
    cells: &Cells,
) -> (BTreeSet<Constraint>, PlaceKey, Option<(usize, usize)>, bool) {
    let constraint =
        |held: &Constraint| symmetry.map_or_else(|| held.clone(), |by| by.constraint(cells, held));
    let thread = |thread: ThreadId| symmetry.map_or(thread, |by| by.thread(thread)).index();
    let point = |point: ControlPoint| symmetry.map_or(point, |by| by.point(point));
    let place = |test: &PlaceTest| (thread(test.thread), test.points.iter().map(|&one| point(one)).collect());
    let mover = offence
        .mover
        .map(|(mover, source)| (thread(mover), symmetry.map_or(source, |by| by.location(source)).index()));
    (
        offence.guard.iter().map(constraint).collect(),
        offence.places.iter().map(place).collect(),
        mover,
        offence.alone,
    )
}

#[cfg(test)]
mod tests {
    use super::super::DeductiveOptions;
    use super::*;
    use rely_base::{Budget, SourceMap};
    use rely_program::{Goal, Program};

    fn translate(text: &str) -> Program {
        let mut sources = SourceMap::new();
        let file = sources.add("test", text.to_owned());
        rely_model_front::translate(&sources, file).expect("a model")
    }

    /// The names of all cells, by their numbers.
    fn names(program: &Program, cells: &Cells) -> Vec<String> {
        let mut names = vec![String::new(); cells.count()];
        for (var, declaration) in program.vars().iter() {
            for index in 0..declaration.cells() {
                let number = declaration.length.map_or(String::new(), |_| format!("[{index}]"));
                names[cells.cell(var, index).index()] = format!("{}{number}", declaration.name);
            }
        }
        names
    }

    /// What was found: the threads of each exchange, and the variables that it exchanges.
    fn check(text: &str, expected: &[&str]) {
        let program = translate(text);
        let budget = Budget::unlimited();
        let mut reasoner = Reasoner::new(&budget);
        let options = DeductiveOptions::default();
        let Ok(model) = Model::new(&program, Goal::Assert, &options, &mut reasoner, &budget) else {
            panic!("too many cases")
        };
        let names = names(&program, &model.cells);
        let mut found = Vec::new();
        for symmetry in symmetries(&model, &mut reasoner) {
            let (one, other) = symmetry.threads();
            let mut parts =
                vec![format!("{} <-> {}", program.threads()[one].name, program.threads()[other].name)];
            for (cell, image) in symmetry.cells.iter().enumerate() {
                assert_eq!(symmetry.cells[image.index()].index(), cell, "twice changes nothing");
                if cell < image.index() {
                    parts.push(format!("{} <-> {}", names[cell], names[image.index()]));
                }
            }
            found.push(parts.join(", "));
        }
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn locals_have_other_names() {
        check(
            "var x: int = 0;
             thread A { local i: int = 0; while i < 3 { i := i + 1; x := x + i; } }
             thread B { local j: int = 0; while j < 3 { j := j + 1; x := x + j; } }
             ensures x >= 0;",
            &["A <-> B, i <-> j"],
        );
    }

    #[test]
    fn each_thread_has_its_own_global() {
        check(
            "var left, right: bool = false; var inside: int = 0;
             thread A { left := true; await !right; cs: skip; left := false; }
             thread B { right := true; await !left; cs: skip; right := false; }
             never A at cs && B at cs;",
            &["A <-> B, left <-> right"],
        );
    }

    #[test]
    fn each_thread_has_its_own_cell() {
        check(
            "var a: int[2]; var s: int = 0;
             requires a[0] == 0 && a[1] == 0;
             thread A { a[0] := a[0] + 1; s := s + a[1]; }
             thread B { a[1] := a[1] + 1; s := s + a[0]; }
             ensures s <= 2;",
            &["A <-> B, a[0] <-> a[1]"],
        );
    }

    #[test]
    fn neighbours_generate_all_exchanges() {
        check(
            "var x: int = 0;
             thread W[3] { local i: int = 0; i := x; x := i + 1; }
             ensures x >= 1;",
            &["W[0] <-> W[1], i <-> i", "W[1] <-> W[2], i <-> i"],
        );
    }

    #[test]
    fn what_differs_is_not_exchanged() {
        // The threads write different constants.
        check("var x: int = 0; thread A { x := 1; } thread B { x := 2; } ensures x >= 1;", &[]);
        // One of them has more to do.
        check("var x: int = 0; thread A { x := 1; } thread B { x := 1; x := 1; } ensures x == 1;", &[]);
        // The property tells their variables apart.
        check("var a, b: int = 0; thread A { a := 1; } thread B { b := 1; } ensures a == 1;", &[]);
        // So do the initial values.
        check(
            "var a: int = 0; var b: int = 1; thread A { a := a + 1; } thread B { b := b + 1; } ensures a + b == 3;",
            &[],
        );
        // A third thread looks at one of them only.
        check(
            "var a, b, c: int = 0; thread A { a := 1; } thread B { b := 1; } thread C { c := a; } ensures c <= 1;",
            &[],
        );
        // One of them reads what the other one writes.
        check(
            "var a, b: int = 0; thread A { a := a + 1; } thread B { b := a + 1; } ensures a >= 0 && b >= 0;",
            &[],
        );
    }
}
