//! The clauses as the search sees them: conjunctions of comparisons over integers.
//!
//! - Truth values are integers 0 and 1; a condition inside of a term, a quotient and a remainder are
//!   new variables with what defines them ([`encode`]).
//! - Disjunctions are split into rules of their own, and equalities are solved ([`split`]).
//! - Arguments that take finitely many values are found ([`finite`]): program counters, locks, flags.
//!
//! Every rule knows its clause and what the clause's variables are in terms of its own, so that a
//! derivation by rules is one by clauses; a formula over the parameters of a rule's predicate becomes one
//! over the original ones ([`Normal::original_formula`]).

mod encode;
mod finite;
mod split;

use rely_base::{Arena, Budget, StopReason};
use rely_logic::interpolate::{ClauseId, UnknownId};
use rely_logic::{Integer, Node, Sort, TermId, TermPool, VarId};
use rustc_hash::FxHashMap;

use crate::clauses::System;
use crate::limits::Limits;

/// A predicate over integers.
#[derive(Clone, Debug)]
pub(crate) struct Predicate {
    /// Where the original has a truth value, this has 0 or 1.
    pub(crate) parameters: Vec<VarId>,
    /// The values of the parameters that take finitely many, ascending.
    pub(crate) domains: Vec<Option<Vec<Integer>>>,
}

/// A predicate in a rule.
#[derive(Clone, Debug)]
pub(crate) struct Use<Argument> {
    pub(crate) unknown: UnknownId,
    pub(crate) arguments: Vec<Argument>,
}

/// `literals ∧ body -> head`.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// Comparisons, unless something is not linear or a disjunction too large to be split.
    pub(crate) literals: Vec<TermId>,
    /// All arguments of the body are different variables.
    pub(crate) body: Vec<Use<VarId>>,
    pub(crate) head: Option<Use<TermId>>,
    /// The clause that this is a case of.
    pub(crate) clause: ClauseId,
    /// The variables of the clause in terms of those of the rule: integers, or 0 and 1 for truth values.
    pub(crate) originals: Vec<(VarId, TermId)>,
}

/// A system in normal form.
#[derive(Clone, Debug)]
pub(crate) struct Normal {
    pub(crate) predicates: Arena<UnknownId, Predicate>,
    pub(crate) rules: Vec<Rule>,
    /// What the search may cost.
    pub(crate) limits: Limits,
}

impl Normal {
    /// Brings a system into normal form.
    pub(crate) fn new(
        limits: &Limits,
        pool: &mut TermPool,
        system: &System,
        budget: &Budget,
    ) -> Result<Self, StopReason> {
        let mut predicates: Arena<UnknownId, Predicate> = Arena::new();
        for unknown in system.unknowns().values() {
            // Variables of their own: those of the original may occur in clauses as well.
            let fresh = |&parameter: &VarId| {
                let name = pool.symbol_name(pool.variable(parameter).symbol).to_owned();
                pool.fresh_variable(&name, Sort::Int)
            };
            let parameters: Vec<VarId> = unknown.parameters.iter().map(fresh).collect();
            let domains = vec![None; parameters.len()];
            predicates.push(Predicate { parameters, domains });
        }
        let mut rules = Vec::new();
        for (id, clause) in system.clauses().iter() {
            budget.check()?;
            let encoded = encode::encode(pool, id, clause);
            rules.extend(split::split(limits, pool, encoded));
        }
        finite::find_domains(limits, pool, system, &mut predicates, &rules);
        let rules = rules
            .into_iter()
            .flat_map(|rule| split::split_distinct(limits, pool, &predicates, rule))
            .collect();
        Ok(Self { predicates, rules, limits: *limits })
    }

    /// A formula over the parameters of a predicate as one over those of the original.
    pub(crate) fn original_formula(
        &self,
        pool: &mut TermPool,
        system: &System,
        unknown: UnknownId,
        formula: TermId,
    ) -> TermId {
        let ours = &self.predicates[unknown].parameters;
        let theirs = &system.unknowns()[unknown].parameters;
        let mut flags: FxHashMap<VarId, VarId> = FxHashMap::default();
        let mut integers: FxHashMap<VarId, VarId> = FxHashMap::default();
        for (&ours, &theirs) in ours.iter().zip(theirs) {
            let kind = if pool.variable(theirs).sort == Sort::Bool { &mut flags } else { &mut integers };
            kind.insert(ours, theirs);
        }
        let mut replacements: FxHashMap<TermId, TermId> = FxHashMap::default();
        for term in pool.subterms([formula]) {
            if let Some(replacement) = about_one_flag(pool, term, &flags) {
                replacements.insert(term, replacement);
            }
        }
        for (&ours, &theirs) in &flags {
            let (flag, truth, one, zero) = (pool.var(ours), pool.var(theirs), pool.int(1), pool.int(0));
            let value = pool.ite(truth, one, zero);
            replacements.insert(flag, value);
        }
        for (&ours, &theirs) in &integers {
            replacements.insert(pool.var(ours), pool.var(theirs));
        }
        pool.substitute(formula, &replacements)
    }

    /// A formula over the parameters of an original predicate as one over ours.
    pub(crate) fn own_formula(
        &self,
        pool: &mut TermPool,
        system: &System,
        unknown: UnknownId,
        formula: TermId,
    ) -> TermId {
        let mut replacements: FxHashMap<TermId, TermId> = FxHashMap::default();
        let pairs = self.predicates[unknown].parameters.iter().zip(&system.unknowns()[unknown].parameters);
        for (&ours, &theirs) in pairs {
            let (mut value, original) = (pool.var(ours), pool.var(theirs));
            if pool.sort(original) == Sort::Bool {
                let one = pool.int(1);
                value = pool.ge(value, one);
            }
            replacements.insert(original, value);
        }
        pool.substitute(formula, &replacements)
    }
}

/// A comparison in which nothing but one flag occurs, as a literal of the truth value.
fn about_one_flag(pool: &mut TermPool, term: TermId, flags: &FxHashMap<VarId, VarId>) -> Option<TermId> {
    let (Node::LeZero(form) | Node::EqZero(form)) = *pool.node(term) else { return None };
    let form = pool.linear_form(form)?;
    let [(variable, factor)] = form.terms() else { return None };
    let truth = pool.var(*flags.get(variable)?);
    let is_le = matches!(pool.node(term), Node::LeZero(_));
    let holds = |value: Integer| if is_le { !value.is_positive() } else { value.is_zero() };
    let at_zero = holds(form.constant_term().clone());
    let at_one = holds(form.constant_term() + factor);
    Some(match (at_zero, at_one) {
        (false, true) => truth,
        (true, false) => pool.not(truth),
        (both, _) => pool.truth(both),
    })
}
