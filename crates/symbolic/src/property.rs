//! Initial states and violations of properties as conjunctions.

use crate::cells::Cells;
use crate::expr::{Path, TooManyCases, Translator};
use crate::{Limits, PlaceTest};
use rely_evidence::rely_guarantee::ControlPoint;
use rely_logic::{Constraint, LinearForm};
use rely_program::{
    Domain, Goal, Initial, LocationId, Program, PropertyKind, Scope, ThreadKind, definedness,
};

/// A way in which a state can violate a property.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The index of the property.
    pub property: usize,
    /// What holds of the variables.
    pub guard: Vec<Constraint>,
    /// Where instances stand.
    pub places: Vec<PlaceTest>,
    /// How many instances of templates stand somewhere, at least.
    pub witnesses: Vec<(LocationId, u32)>,
    /// Whether the property has no value here, rather than the value false.
    pub undefined: bool,
}

impl Translator<'_> {
    /// All ways in which a state can violate a property of the goal. Each place test of an
    /// instance is the only one for it.
    pub fn violations(&self, goal: Goal) -> Result<Vec<Violation>, TooManyCases> {
        let mut violations = Vec::new();
        for (index, property) in self.program.properties().iter().enumerate() {
            if property.kind.goal() != goal {
                continue;
            }
            let (start, condition) = match &property.kind {
                PropertyKind::Always(condition) => (Path::default(), condition),
                PropertyKind::AtEnd(condition) => (self.ended(), condition),
                PropertyKind::DeadlockFree | PropertyKind::Terminates => continue,
            };
            let mut add = |paths: Vec<Path>, undefined| {
                let made = paths.into_iter().filter_map(|path| violation(index, path, undefined));
                violations.extend(made);
            };
            for (_, defined) in definedness(self.program, condition) {
                add(self.condition(start.clone(), &defined, false)?, true);
            }
            add(self.condition(start, condition, false)?, false);
        }
        Ok(violations)
    }

    /// The state in which everything that started has ended.
    fn ended(&self) -> Path {
        let mut path = Path::default();
        for (thread, declaration) in self.program.threads().iter() {
            let exit = ControlPoint::At(declaration.exit);
            let points = match declaration.kind {
                ThreadKind::Instance { running: true } => vec![exit],
                ThreadKind::Instance { running: false } => vec![ControlPoint::Unstarted, exit],
                ThreadKind::Template => continue,
            };
            path.places.push(PlaceTest { thread, points });
        }
        path
    }
}

/// The case as a violation; `None` if a thread would have to be at two places.
fn violation(property: usize, path: Path, undefined: bool) -> Option<Violation> {
    let mut places: Vec<PlaceTest> = Vec::new();
    for test in path.places {
        match places.iter_mut().find(|known| known.thread == test.thread) {
            Some(known) => known.points.retain(|point| test.points.contains(point)),
            None => places.push(test),
        }
    }
    let possible = places.iter().all(|test| !test.points.is_empty());
    possible.then_some(Violation {
        property,
        guard: path.guard,
        places,
        witnesses: path.witnesses,
        undefined,
    })
}

/// The initial values of the globals and of the instances' locals, case by case.
pub fn initial_states(
    program: &Program,
    cells: &Cells,
    limits: Limits,
) -> Result<Vec<Vec<Constraint>>, TooManyCases> {
    let translator = Translator::new(program, cells, None, limits);
    let mut start = Path::default();
    for (var, declaration) in program.vars().iter() {
        if let Scope::Local(thread) = declaration.scope
            && program.threads()[thread].kind == ThreadKind::Template
        {
            continue;
        }
        for index in 0..declaration.cells() {
            let cell = LinearForm::variable(cells.cell(var, index));
            match &declaration.initial {
                Initial::Values(values) => {
                    let value = LinearForm::constant(values[index]);
                    start.guard.push(Constraint::eq(&cell, &value));
                }
                Initial::Any(domain) => {
                    let bounds = match domain {
                        Domain::Bool => Some((0, 1)),
                        Domain::Range { low, high } => Some((*low, *high)),
                        Domain::AllInts => None,
                    };
                    if let Some((low, high)) = bounds {
                        start.guard.push(Constraint::ge(&cell, &LinearForm::constant(low)));
                        start.guard.push(Constraint::le(&cell, &LinearForm::constant(high)));
                    }
                }
            }
        }
    }
    let mut cases = vec![start];
    for condition in program.requires() {
        let mut next = Vec::new();
        for path in cases {
            next.extend(translator.condition(path, condition, true)?);
        }
        cases = next;
    }
    Ok(cases.into_iter().map(|path| path.guard).collect())
}
