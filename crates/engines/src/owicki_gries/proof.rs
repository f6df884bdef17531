//! A model of the clauses as a proof. What a model says of blocks becomes assertions, too (`summaries`).
//!
//! The formula of each assertion is a disjunction of cubes, and a cube says what holds and where the others are.
//! Cubes that differ in where a single thread is become one. What is said about a remainder is a case for each
//! remainder that is possible: that a sum is a multiple of the divisor, which is an equation with a quotient.

use super::Limits;
use super::summaries::{self, Inside};
use rely_base::{Budget, Id};
use rely_evidence::rely_guarantee::RelyGuarantee;
use rely_horn::{Model, TermPool};
use rely_logic::{Constraint, Integer, LinearForm, Node, TermId, VarId};
use rely_program::ThreadId;
use rely_proof_rules::{Argument, Assertion, ProofClauses};
use rely_symbolic::outline::{self, Known, Outline};
use rely_symbolic::{ControlPointId, System};
use rustc_hash::FxHashMap;

/// The proof that a model is, or why it cannot be written down.
pub(super) fn written(
    system: &System<'_>,
    clauses: &mut ProofClauses,
    model: &Model,
    limits: Limits,
    budget: &Budget,
) -> Result<RelyGuarantee, &'static str> {
    let inside = Inside::new(system, clauses);
    let mut at: Cubes = system.threads.iter().map(|thread| vec![Vec::new(); thread.points.len()]).collect();
    for number in 0..clauses.assertions.len() {
        if budget.check().is_err() {
            return Err(NO_TIME);
        }
        let Assertion { unknown, thread, point, ref arguments } = clauses.assertions[number];
        let parameters = &clauses.system.unknowns()[unknown].parameters;
        let reader = Reader { system, limits, arguments, parameters, first_quotient: FIRST_QUOTIENT };
        let cubes = reader.cubes(&mut clauses.pool, model[unknown])?;
        let point = system.point(thread, point);
        at[thread.index()][point.index()] =
            cubes.into_iter().filter_map(|cube| inside.nobody(cube)).collect();
    }
    summaries::add(system, clauses, model, (limits, &inside), &mut at, budget)?;
    let merged = |cubes: Vec<Vec<Cube>>| cubes.into_iter().map(|cubes| merged(system, cubes)).collect();
    let at: Vec<Vec<Vec<Known>>> = at.into_iter().map(merged).collect();
    let all = || at.iter().flatten().flatten();
    let mut predicates: Vec<[Constraint; 2]> = Vec::new();
    let is_cell = |variable| system.cells.is_cell(variable);
    let constraints = all().flat_map(|known| &known.constraints);
    for constraint in constraints.filter(|constraint| constraint.form().variables().all(is_cell)) {
        if !predicates.iter().any(|sides| sides.contains(constraint)) {
            predicates.push([constraint.clone(), constraint.negated()]);
        }
    }
    let tells_places = all().any(|known| !known.others.is_empty());
    let outline = Outline { at, told: None, predicates, tells_places };
    outline::write(system, &outline, budget).ok_or("an assertion cannot be written down")
}

/// Why an assertion was not written.
pub(super) const NO_TIME: &str = "there was no time to write the proof";
pub(super) const TOO_MANY: &str = "an assertion has too many cases";

/// The number of the first auxiliary variable that is a quotient: steps have few of their own.
pub(super) const FIRST_QUOTIENT: u32 = 1 << 20;

/// What holds, and the places of all other threads.
pub(super) type Cube = (Vec<Constraint>, Vec<(ThreadId, Vec<ControlPointId>)>);

/// What is known of each thread at each of its points.
pub(super) type Cubes = Vec<Vec<Vec<Cube>>>;

/// Reads the formula of one assertion.
pub(super) struct Reader<'r, 'p> {
    pub(super) system: &'r System<'p>,
    pub(super) limits: Limits,
    /// What the parameters are.
    pub(super) arguments: &'r [Argument],
    pub(super) parameters: &'r [VarId],
    /// The number of the first quotient.
    pub(super) first_quotient: u32,
}

impl Reader<'_, '_> {
    /// The cases of a formula.
    pub(super) fn cubes(&self, pool: &mut TermPool, formula: TermId) -> Result<Vec<Cube>, &'static str> {
        let most = self.limits.cubes;
        let mut found = Vec::new();
        for cube in pool.cubes(formula, most).map_err(|_| TOO_MANY)? {
            found.extend(self.cases(pool, &cube)?);
            if found.len() > most {
                return Err(TOO_MANY);
            }
        }
        Ok(found)
    }

    /// What a cube says; nothing if it is impossible.
    fn cases(&self, pool: &mut TermPool, cube: &[TermId]) -> Result<Vec<Cube>, &'static str> {
        let others = self.arguments.iter().filter_map(|argument| match argument {
            Argument::Place(thread) => Some((*thread, all_points(self.system, *thread))),
            Argument::Cell(_) => None,
        });
        let mut others: Vec<(ThreadId, Vec<ControlPointId>)> = others.collect();
        let mut cases: Vec<Vec<Constraint>> = vec![Vec::new()];
        for &literal in cube {
            let Some(constraint) = pool.constraint(literal) else {
                cases = self.with_remainder(pool, literal, &cases)?;
                continue;
            };
            match self.subject(&constraint)? {
                Some(thread) => {
                    for (_, points) in others.iter_mut().filter(|(other, _)| *other == thread) {
                        points.retain(|point| constraint.holds(|_| (point.index() as i64).into()));
                    }
                }
                None if constraint.is_true() => {}
                None => {
                    let constraint = constraint.rename(|parameter| self.cell(parameter));
                    cases.iter_mut().for_each(|case| case.push(constraint.clone()));
                }
            }
        }
        let is_possible = others.iter().all(|(_, points)| !points.is_empty());
        let cases = cases.into_iter().filter(|_| is_possible);
        Ok(cases.map(|case| (case, others.clone())).collect())
    }

    /// The cases with each remainder for which a literal holds. It must speak of one remainder and nothing else.
    fn with_remainder(
        &self,
        pool: &mut TermPool,
        literal: TermId,
        cases: &[Vec<Constraint>],
    ) -> Result<Vec<Vec<Constraint>>, &'static str> {
        let not_linear = "an assertion is not linear";
        let (remainder, inner, divisor) = pool
            .subterms([literal])
            .into_iter()
            .find_map(|term| match pool.node(term) {
                Node::Mod(inner, divisor) => Some((term, *inner, divisor.clone())),
                _ => None,
            })
            .ok_or(not_linear)?;
        let form = pool.linear_form(inner).ok_or(not_linear)?.rename(|parameter| self.cell(parameter));
        let largest = self.limits.largest_divisor as i64;
        let count = divisor.to_i64().filter(|&divisor| divisor <= largest).ok_or(not_linear)?;
        let mut found = Vec::new();
        for value in 0..count {
            let constant = pool.int(value);
            let instance = pool.substitute(literal, &[(remainder, constant)].into_iter().collect());
            if pool.as_truth(instance).ok_or(not_linear)? {
                let numbered = cases.iter().map(|case| {
                    let quotient = self.system.cells.auxiliary(self.first_quotient + case.len() as u32);
                    let product = LinearForm::variable(quotient).scaled(&divisor);
                    let sum = product.plus(&LinearForm::constant(Integer::from(value)));
                    [case.as_slice(), &[Constraint::eq(&form, &sum)]].concat()
                });
                found.extend(numbered);
            }
        }
        Ok(found)
    }

    /// The thread of whose place a constraint speaks; none if it speaks of cells.
    fn subject(&self, constraint: &Constraint) -> Result<Option<ThreadId>, &'static str> {
        let mut threads =
            constraint.form().variables().filter_map(|parameter| match self.argument(parameter) {
                Some(Argument::Place(thread)) => Some(thread),
                _ => None,
            });
        let first = threads.next();
        let is_alone = constraint.form().terms().len() == 1;
        if first.is_some() && !is_alone { Err("an assertion compares places") } else { Ok(first) }
    }

    fn argument(&self, parameter: VarId) -> Option<Argument> {
        let position = self.parameters.iter().position(|&known| known == parameter)?;
        self.arguments.get(position).copied()
    }

    fn cell(&self, parameter: VarId) -> VarId {
        match self.argument(parameter) {
            Some(Argument::Cell(cell)) => cell,
            // Not a cell of the program, so nothing can be written about it.
            _ => self.system.cells.auxiliary(0),
        }
    }
}

/// All points of a thread.
pub(super) fn all_points(system: &System<'_>, thread: ThreadId) -> Vec<ControlPointId> {
    (0..system.thread(thread).points.len()).map(ControlPointId::from_index).collect()
}

/// The cubes, those together that differ in the place of one thread; and no word about places that may be any.
fn merged(system: &System<'_>, mut cubes: Vec<Cube>) -> Vec<Known> {
    let count = cubes.first().map_or(0, |(_, others)| others.len());
    for position in 0..count {
        cubes = merged_at(cubes, position);
    }
    let known = cubes.into_iter().map(|(constraints, mut others)| {
        others.retain(|(thread, points)| points.len() < system.thread(*thread).points.len());
        Known { constraints, others }
    });
    known.collect()
}

/// The cubes, those together that differ in the places at one position.
fn merged_at(cubes: Vec<Cube>, position: usize) -> Vec<Cube> {
    let mut order: Vec<Cube> = Vec::new();
    let mut known: FxHashMap<Cube, usize> = FxHashMap::default();
    for cube in cubes {
        let mut key = cube.clone();
        key.1[position].1.clear();
        match known.get(&key) {
            Some(&first) => {
                let points = &mut order[first].1[position].1;
                points.extend(&cube.1[position].1);
                points.sort_unstable();
                points.dedup();
            }
            None => {
                known.insert(key, order.len());
                order.push(cube);
            }
        }
    }
    order
}
