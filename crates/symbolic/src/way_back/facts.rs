//! What analyses know of variables, as facts at places: passes have used it, and a proof need not say it again.

use super::{Assertions, Made};
use crate::outline::constraint_of;
use crate::system::System;
use rely_base::Id;
use rely_evidence::rely_guarantee::{ControlPoint, RelyGuarantee};
use rely_logic::{Constraint, Integer, LinearForm, VarId};
use rely_program::analysis::{Access, IdSet, Range, Ranges};
use rely_program::{Expr, Initial, LocationId, Scope, ThreadId, Value, VarId as ProgramVar};
use rustc_hash::{FxHashMap, FxHashSet};

/// Bounds beyond this are those of a type, and nothing that was found out.
const WIDE: Value = 1 << 30;

/// Adds to each assertion the ranges of variables that the thread looks at, and what is held there.
pub(super) fn add(system: &System<'_>, target: Made<'_>, held: Option<&RelyGuarantee>, at: &mut Assertions) {
    let facts = Facts::new(system);
    for thread in system.thread_ids() {
        let told = facts.told_by(thread);
        for (number, point) in system.thread(thread).points.iter().enumerate() {
            let ControlPoint::At(location) = point else { continue };
            let Some(cases) = &mut at[thread.index()][number] else { continue };
            let mut news = facts.of_ranges(&told, (thread, *location));
            news.extend(of_held(system, held, (thread, target.back.location(*location))));
            for known in cases {
                for fact in &news {
                    if !known.constraints.contains(fact) {
                        known.constraints.push(fact.clone());
                    }
                }
            }
        }
    }
}

/// What an analysis knows of ranges.
struct Facts<'f, 'p> {
    system: &'f System<'p>,
    ranges: Ranges<'p>,
    /// The variables that each thread uses: only of these the analysis knows what others do to them meanwhile.
    used: Vec<IdSet<ProgramVar>>,
    /// The cells that conditions of steps and of violations mention.
    looked_at: FxHashSet<VarId>,
    /// In which range each shared variable is at any time.
    anytime: FxHashMap<ProgramVar, Range>,
}

impl<'f, 'p> Facts<'f, 'p> {
    fn new(system: &'f System<'p>) -> Self {
        let program = system.program;
        let ranges = Ranges::new(program);
        let mut used: Vec<IdSet<ProgramVar>> = system.threads.iter().map(|_| IdSet::new()).collect();
        for edge in program.edges().values() {
            let access = Access::of_ops(&edge.ops);
            let vars = access.reads.iter().chain(access.writes.iter());
            used[program.locations()[edge.source].thread.index()].extend(vars);
        }
        let guards = system.moves.iter().flat_map(|by| &by.branch.guard);
        let violated = system.violations.iter().flat_map(|violation| &violation.guard);
        let conditions = guards.chain(violated);
        let looked_at = conditions.flat_map(|constraint| constraint.form().variables()).collect();
        let mut facts = Facts { system, ranges, used, looked_at, anytime: FxHashMap::default() };
        let shared = program.vars().iter().filter(|(_, var)| var.is_global() && var.length.is_none());
        facts.anytime = shared.map(|(var, _)| (var, facts.hull(var))).collect();
        facts
    }

    /// What a variable holds initially, and wherever somebody is who uses it.
    fn hull(&self, var: ProgramVar) -> Range {
        let program = self.system.program;
        let initial = match &program.vars()[var].initial {
            Initial::Values(values) => values.first().map_or(Range::ALL, |value| Range::only(*value)),
            Initial::Any(domain) => Range::of_domain(*domain),
        };
        let users = program.locations().iter().filter(|(_, at)| self.used[at.thread.index()].contains(var));
        let known = users.filter_map(|(location, _)| self.ranges.at(location));
        known.fold(initial, |hull, known| hull.hull(self.ranges.of(known, &Expr::Var(var))))
    }

    /// The variables of which a thread says something: those it uses; and if it starts others, all that others use,
    /// for they start with what it knows.
    fn told_by(&self, thread: ThreadId) -> Vec<ProgramVar> {
        let program = self.system.program;
        let starts = self.system.thread(thread).moves.iter().flatten().any(|by| {
            let branch = &self.system.get(*by).branch;
            !branch.started.is_empty() || !branch.spawned.is_empty()
        });
        let is_told = |var: ProgramVar| {
            let is_visible = match program.vars()[var].scope {
                Scope::Global => starts || self.used[thread.index()].contains(var),
                Scope::Local(owner) => owner == thread,
            };
            is_visible
                && program.vars()[var].length.is_none()
                && self.looked_at.contains(&self.system.cells.cell(var, 0))
        };
        program.vars().ids().filter(|&var| is_told(var)).collect()
    }

    fn of_ranges(&self, told: &[ProgramVar], (thread, location): (ThreadId, LocationId)) -> Vec<Constraint> {
        let system = self.system;
        let Some(known) = self.ranges.at(location) else { return Vec::new() };
        let point = system.point(thread, ControlPoint::At(location));
        let mut facts = Vec::new();
        for &var in told {
            let cell = system.cells.cell(var, 0);
            if !system.is_live(thread, point, cell) {
                continue;
            }
            let range = match self.anytime.get(&var) {
                Some(anytime) if !self.used[thread.index()].contains(var) => *anytime,
                _ => self.ranges.of(known, &Expr::Var(var)),
            };
            let form = LinearForm::variable(cell);
            let bound = |value: Option<Value>| {
                let value = value.filter(|value| (-WIDE..=WIDE).contains(value))?;
                Some(LinearForm::constant(Integer::from(value)))
            };
            facts.extend(bound(range.low()).map(|low| Constraint::ge(&form, &low)));
            facts.extend(bound(range.high()).map(|high| Constraint::le(&form, &high)));
        }
        facts
    }
}

/// What holds at a location of the source as long as nothing goes wrong, as far as it is one case.
fn of_held(
    system: &System<'_>,
    held: Option<&RelyGuarantee>,
    (thread, location): (ThreadId, LocationId),
) -> Vec<Constraint> {
    let own = held.into_iter().flat_map(|held| &held.threads).find(|entry| entry.thread == thread);
    let here = own.into_iter().flat_map(|entry| &entry.at);
    let Some((_, cubes)) = here.into_iter().find(|(point, _)| *point == ControlPoint::At(location)) else {
        return Vec::new();
    };
    let [cube] = cubes.as_slice() else { return Vec::new() };
    cube.atoms.iter().filter_map(|atom| constraint_of(system, thread, atom)).collect()
}
