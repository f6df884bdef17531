//! From Horn clauses to a tree of formulas, and back from its interpolants and models.
//!
//! Every use of a predicate becomes a part of its own (MKTREE, Fig. 15 of the POPL 2011 paper),
//! whose formula is the constraint of the clause that implies the predicate, over fresh variables.
//! Arguments and parameters that are variables are one variable of the tree; other arguments are
//! connected by equalities. Where several clauses imply a predicate, the part's formula is their
//! disjunction, and the parts below a disjunct count only if a switch says so, which the disjunct
//! sets: the interpolant with the switch on is what the predicate needs.

use rely_base::Id;
use rustc_hash::FxHashMap;

use super::system::{Application, Clause, ClauseId, Derivation, HornSystem, Solution, UnknownId};
use super::validity::private_value;
use crate::conjunction::Model;
use crate::interpolate::Unknown;
use crate::interpolate::extract::Interpolants;
use crate::interpolate::limits::Limits;
use crate::interpolate::parts::{PartId, PartTree};
use crate::interpolate::translate::{Names, Problem};
use crate::linear::VarId;
use crate::term::{Sort, TermId, TermPool, Value};

/// A use of a predicate; the root is the use of false.
struct Use {
    unknown: Option<UnknownId>,
    /// The clauses that imply it, with the parts of their bodies.
    choices: Vec<(ClauseId, Vec<PartId>)>,
    /// For every parameter, the variable that stands for it. Parameters that the solution may not
    /// mention have none.
    interface: Vec<Option<VarId>>,
    /// Whether the part counts.
    switch: Option<VarId>,
    /// The names of the variables of each clause.
    names: Vec<Names>,
}

/// The tree of a system.
pub(super) struct Unwinding<'a> {
    system: &'a HornSystem,
    pub(super) problem: Problem,
    uses: Vec<Use>,
}

impl<'a> Unwinding<'a> {
    /// Unwinds a system that is not recursive, with the vocabulary restricted or not.
    pub(super) fn new(
        system: &'a HornSystem,
        pool: &TermPool,
        restricted: bool,
        limits: &Limits,
    ) -> Result<Self, Unknown> {
        let (tree, uses) = shape(system, limits.parts)?;
        let mut unwinding = Self { system, problem: Problem::new(tree, limits), uses };
        let parts: Vec<PartId> = unwinding.problem.tree.parts().collect();
        for part in parts {
            unwinding.fill(pool, part, restricted);
        }
        Ok(unwinding)
    }

    /// Makes the formula of a part, whose interface and switch are there already.
    fn fill(&mut self, pool: &TermPool, part: PartId, restricted: bool) {
        let choices = self.uses[part.index()].choices.clone();
        let several = choices.len() > 1;
        let mut disjuncts = Vec::new();
        for (clause, below) in &choices {
            let switch = if below.is_empty() {
                None
            } else if several {
                Some(self.problem.fresh(Sort::Bool))
            } else {
                self.uses[part.index()].switch
            };
            let mut conjuncts = self.connect(pool, part, *clause, below, switch, restricted);
            if let Some(switch) = switch.filter(|_| several) {
                conjuncts.push(self.problem.truth_of(switch));
            }
            disjuncts.push(self.problem.pool.and(conjuncts));
        }
        let mut formula = self.problem.pool.or(disjuncts);
        if let Some(switch) = self.uses[part.index()].switch {
            let on = self.problem.truth_of(switch);
            formula = self.problem.pool.implies(on, formula);
        }
        self.problem.conjoin(part, formula);
    }

    /// The conjuncts of a clause at a part, with the interfaces of the parts below.
    fn connect(
        &mut self,
        pool: &TermPool,
        part: PartId,
        clause: ClauseId,
        below: &[PartId],
        switch: Option<VarId>,
        restricted: bool,
    ) -> Vec<TermId> {
        let system = self.system;
        let Clause { constraint, body, head } = &system.clauses[clause];
        let mut names = Names::default();
        let mut conjuncts = Vec::new();
        if let Some(head) = head {
            self.bind_head(pool, part, head, &mut names, &mut conjuncts);
        }
        let constraint = self.problem.import(pool, *constraint, &mut names, &mut conjuncts);
        conjuncts.push(constraint);
        for (application, &child) in body.iter().zip(below) {
            self.open_interface(pool, child, application, &mut names, &mut conjuncts, restricted);
            self.uses[child.index()].switch = switch;
        }
        self.uses[part.index()].names.push(names);
        conjuncts
    }

    /// Connects the arguments of a clause's head with the interface of its part.
    fn bind_head(
        &mut self,
        pool: &TermPool,
        part: PartId,
        head: &Application,
        names: &mut Names,
        conjuncts: &mut Vec<TermId>,
    ) {
        let interface = self.uses[part.index()].interface.clone();
        for (&argument, variable) in head.arguments.iter().zip(interface) {
            let Some(variable) = variable else { continue };
            match pool.as_var(argument) {
                Some(own) if !names.contains_key(&own) => {
                    names.insert(own, variable);
                }
                _ => {
                    let value = self.problem.import(pool, argument, names, conjuncts);
                    conjuncts.push(self.equality(pool.sort(argument), variable, value));
                }
            }
        }
    }

    /// Makes the interface of a part below from the arguments that it is applied to.
    fn open_interface(
        &mut self,
        pool: &TermPool,
        child: PartId,
        application: &Application,
        names: &mut Names,
        conjuncts: &mut Vec<TermId>,
        restricted: bool,
    ) {
        let allowed = &self.system.unknowns[application.unknown].allowed;
        let mut interface: Vec<Option<VarId>> = Vec::with_capacity(allowed.len());
        for (&argument, &allowed) in application.arguments.iter().zip(allowed) {
            if restricted && !allowed {
                interface.push(None);
                continue;
            }
            let sort = pool.sort(argument);
            let own = pool.as_var(argument).map(|own| self.problem.import_variable(pool, own, names));
            // A variable that is passed twice is connected once.
            let variable = match own.filter(|own| !interface.contains(&Some(*own))) {
                Some(own) => own,
                None if sort == Sort::Array => {
                    interface.push(None);
                    continue;
                }
                None => {
                    let variable = self.problem.fresh(sort);
                    let value = self.problem.import(pool, argument, names, conjuncts);
                    conjuncts.push(self.equality(sort, variable, value));
                    variable
                }
            };
            interface.push(Some(variable));
        }
        self.uses[child.index()].interface = interface;
    }

    fn equality(&mut self, sort: Sort, variable: VarId, value: TermId) -> TermId {
        let left = if sort == Sort::Bool {
            self.problem.truth_of(variable)
        } else {
            self.problem.pool.var(variable)
        };
        self.problem.pool.eq(left, value)
    }

    /// The solution: for every predicate the conjunction over its uses.
    pub(super) fn solution(&self, pool: &mut TermPool, interpolants: &Interpolants) -> Option<Solution> {
        let on = pool.truth(true);
        let mut conjuncts: Vec<Vec<TermId>> = self.system.unknowns.ids().map(|_| Vec::new()).collect();
        for (part, &interpolant) in self.problem.tree.edges().zip(interpolants) {
            let place = &self.uses[part.index()];
            let Some(unknown) = place.unknown else { continue };
            let parameters = &self.system.unknowns[unknown].parameters;
            let mut names: FxHashMap<VarId, TermId> = FxHashMap::default();
            for (&parameter, variable) in parameters.iter().zip(&place.interface) {
                if let Some(variable) = variable {
                    names.insert(*variable, pool.var(parameter));
                }
            }
            names.extend(place.switch.map(|switch| (switch, on)));
            conjuncts[unknown.index()].push(self.problem.export(pool, interpolant, &names)?);
        }
        Some(conjuncts.into_iter().map(|formulas| pool.and(formulas)).collect())
    }

    /// The derivation that a model describes. `None` if it does not satisfy the clauses, which may
    /// happen only where more than linear arithmetic takes part.
    pub(super) fn derivation(&self, pool: &TermPool, model: &Model) -> Option<Derivation> {
        self.derivation_at(pool, model, self.problem.tree.root())
    }

    fn derivation_at(&self, pool: &TermPool, model: &Model, part: PartId) -> Option<Derivation> {
        let place = &self.uses[part.index()];
        // Several clauses may imply the predicate; the model satisfies at least one of them.
        place.choices.iter().zip(&place.names).find_map(|((clause, below), names)| {
            let Clause { constraint, body, head } = &self.system.clauses[*clause];
            let values = self.values(pool, model, *clause, names);
            let lookup: FxHashMap<VarId, Value> = values.iter().cloned().collect();
            let holds = pool.evaluate(*constraint, &lookup)? == Value::Bool(true);
            let head = head.iter().map(|head| (head, part));
            let mut applications = head.chain(body.iter().zip(below.iter().copied()));
            if !holds
                || !applications
                    .all(|(application, part)| self.agrees(pool, model, application, part, &lookup))
            {
                return None;
            }
            let premises =
                below.iter().map(|&child| self.derivation_at(pool, model, child)).collect::<Option<_>>()?;
            Some(Derivation { clause: *clause, values, premises })
        })
    }

    /// Whether the arguments of an application have the values that stand at a part's interface.
    fn agrees(
        &self,
        pool: &TermPool,
        model: &Model,
        application: &Application,
        part: PartId,
        values: &FxHashMap<VarId, Value>,
    ) -> bool {
        let interface = &self.uses[part.index()].interface;
        application.arguments.iter().zip(interface).all(|(&argument, variable)| {
            let passed = variable.and_then(|variable| private_value(model, variable, pool.sort(argument)));
            passed.is_some() && pool.evaluate(argument, values) == passed
        })
    }

    /// The values of a clause's variables.
    fn values(&self, pool: &TermPool, model: &Model, clause: ClauseId, names: &Names) -> Vec<(VarId, Value)> {
        let Clause { constraint, body, head } = &self.system.clauses[clause];
        let arguments = body.iter().chain(head).flat_map(|application| &application.arguments);
        let mut variables: Vec<VarId> =
            arguments.chain([constraint]).flat_map(|&term| pool.free_variables(term)).collect();
        variables.sort_unstable();
        variables.dedup();
        let value = |variable: VarId| {
            let sort = pool.variable(variable).sort;
            let private = names.get(&variable).copied();
            private.and_then(|private| private_value(model, private, sort)).map(|value| (variable, value))
        };
        variables.into_iter().filter_map(value).collect()
    }
}

/// The tree of uses, without formulas.
fn shape(system: &HornSystem, max_parts: usize) -> Result<(PartTree, Vec<Use>), Unknown> {
    let empty = |unknown| Use {
        unknown,
        choices: Vec::new(),
        interface: Vec::new(),
        switch: None,
        names: Vec::new(),
    };
    let mut tree = PartTree::new();
    let mut uses = vec![empty(None)];
    let mut position = 0;
    while position < uses.len() {
        let part = PartId::from_index(position);
        for clause in system.implying(uses[position].unknown) {
            let mut below = Vec::new();
            for application in &system.clauses[clause].body {
                if uses.len() >= max_parts {
                    return Err(Unknown::Parts);
                }
                below.push(tree.add(part));
                uses.push(empty(Some(application.unknown)));
            }
            uses[position].choices.push((clause, below));
        }
        position += 1;
    }
    Ok((tree, uses))
}
