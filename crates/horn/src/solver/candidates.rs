//! What is likely to be a reason: bounds that an analysis with polyhedra finds, remainders, and comparisons of
//! rules.
//!
//! None of this is believed. Refinement prefers these formulas where they suffice, since they hold in
//! loops, while interpolants of a single derivation often speak of one round of a loop only.

use rely_base::Arena;
use rely_logic::domains::{NumericDomain, Polyhedra};
use rely_logic::interpolate::UnknownId;
use rely_logic::project::project;
use rely_logic::{Constraint, Domain, LinearForm, TermId, TermPool, VarId};
use rustc_hash::FxHashMap;

use super::congruence::congruences;
use super::reach::Engine;
use super::special::{Special, ValuesId};
use crate::limits::Limits;

/// A predicate at values of its finite arguments.
type PredicatePoint = (UnknownId, ValuesId);

/// For each predicate, formulas over those of its parameters that are not finite.
pub(super) fn candidates(pool: &mut TermPool, engine: &mut Engine<'_>) -> Arena<UnknownId, Vec<TermId>> {
    let limits = &engine.normal.limits;
    let mut found: Arena<UnknownId, Vec<TermId>> =
        engine.normal.predicates.ids().map(|_| Vec::new()).collect();
    let mut analysis = Analysis { engine, places: Vec::new(), elements: FxHashMap::default(), posts: 0 };
    analysis.run(pool);
    for place in &analysis.places {
        let (element, _) = &analysis.elements[place];
        for constraint in element.constraints().iter().filter(|constraint| !constraint.is_false()) {
            let literal = pool.constraint_term(constraint);
            add(&mut found[place.0], literal, limits);
        }
    }
    for (unknown, formula) in congruences(pool, engine) {
        add(&mut found[unknown], formula, limits);
    }
    for rule in 0..engine.normal.rules.len() {
        comparisons(pool, engine, rule, &mut found);
    }
    found
}

fn add(list: &mut Vec<TermId>, literal: TermId, limits: &Limits) {
    if list.len() < limits.candidates && !list.contains(&literal) {
        list.push(literal);
    }
}

/// The comparisons of a rule that speak of the arguments of one predicate of its body, or of its head.
fn comparisons(
    pool: &mut TermPool,
    engine: &Engine<'_>,
    rule: usize,
    found: &mut Arena<UnknownId, Vec<TermId>>,
) {
    let rule = &engine.normal.rules[rule];
    let mut uses: Vec<(UnknownId, Vec<Option<VarId>>)> = rule
        .body
        .iter()
        .map(|used| (used.unknown, used.arguments.iter().copied().map(Some).collect()))
        .collect();
    uses.extend(
        rule.head.iter().map(|head| {
            (head.unknown, head.arguments.iter().map(|&argument| pool.as_var(argument)).collect())
        }),
    );
    for (unknown, arguments) in uses {
        let predicate = &engine.normal.predicates[unknown];
        let mut names: FxHashMap<TermId, TermId> = FxHashMap::default();
        for ((&parameter, domain), argument) in
            predicate.parameters.iter().zip(&predicate.domains).zip(&arguments)
        {
            if let (None, Some(argument)) = (domain, argument) {
                names.insert(pool.var(*argument), pool.var(parameter));
            }
        }
        for &literal in &rule.literals {
            let mut variables = pool.free_variables(literal).into_iter();
            if pool.constraint(literal).is_some()
                && variables.all(|variable| names.contains_key(&pool.var(variable)))
            {
                let renamed = pool.substitute(literal, &names);
                add(&mut found[unknown], renamed, &engine.normal.limits);
            }
        }
    }
}

struct Analysis<'e, 'a> {
    engine: &'e mut Engine<'a>,
    places: Vec<PredicatePoint>,
    /// What may hold at a place, and how often it was joined.
    elements: FxHashMap<PredicatePoint, (Polyhedra, usize)>,
    posts: usize,
}

impl Analysis<'_, '_> {
    fn run(&mut self, pool: &mut TermPool) {
        loop {
            let mut changed = false;
            for (place, element) in self.round(pool) {
                changed |= self.join(place, &element);
            }
            if !changed || self.is_exhausted() {
                break;
            }
        }
        for _ in 0..self.engine.normal.limits.narrowing_steps {
            self.narrow(pool);
        }
    }

    fn is_exhausted(&self) -> bool {
        let Limits { posts, places, .. } = self.engine.normal.limits;
        self.posts > posts || self.places.len() > places || self.engine.budget.check_now().is_err()
    }

    /// What the rules make of what is known.
    fn round(&mut self, pool: &mut TermPool) -> Vec<(PredicatePoint, Polyhedra)> {
        let mut results = Vec::new();
        for rule in 0..self.engine.normal.rules.len() {
            if self.engine.normal.rules[rule].head.is_none() {
                continue;
            }
            for places in self.combinations(rule) {
                if self.is_exhausted() {
                    return results;
                }
                self.posts += 1;
                let values: Vec<ValuesId> = places.iter().map(|&place| self.places[place].1).collect();
                let specials = self.engine.specials.of(pool, self.engine.normal, rule, &values);
                for &id in specials.iter() {
                    let special = self.engine.specials.get(id);
                    results.extend(self.post(pool, rule, &special, &places));
                }
            }
        }
        results
    }

    fn combinations(&self, rule: usize) -> Vec<Vec<usize>> {
        let mut partial: Vec<Vec<usize>> = vec![Vec::new()];
        for used in &self.engine.normal.rules[rule].body {
            let places = (0..self.places.len()).filter(|&place| self.places[place].0 == used.unknown);
            let places: Vec<usize> = places.collect();
            if partial.len() * places.len() > self.engine.normal.limits.posts {
                return Vec::new();
            }
            partial = partial
                .iter()
                .flat_map(|chosen| places.iter().map(|&next| [chosen.as_slice(), &[next]].concat()))
                .collect();
        }
        partial
    }

    fn post(
        &self,
        pool: &TermPool,
        rule: usize,
        special: &Special,
        places: &[usize],
    ) -> Option<(PredicatePoint, Polyhedra)> {
        let head = self.engine.normal.rules[rule].head.as_ref()?;
        let (values, arguments) = special.head.as_ref()?;
        let mut constraints: Vec<Constraint> =
            special.literals.iter().filter_map(|&literal| pool.constraint(literal)).collect();
        for ((used, variables), &place) in
            self.engine.normal.rules[rule].body.iter().zip(&special.body).zip(places)
        {
            let parameters = self.engine.parameters(used.unknown).iter();
            let names: FxHashMap<VarId, VarId> = parameters
                .zip(variables)
                .filter_map(|(&parameter, &variable)| Some((pool.as_var(parameter)?, pool.as_var(variable)?)))
                .collect();
            let (element, _) = &self.elements[&self.places[place]];
            let renamed = element.constraints();
            let rename = |variable: VarId| names.get(&variable).copied().unwrap_or(variable);
            constraints.extend(renamed.iter().map(|constraint| constraint.rename(rename)));
        }
        let mut parameters = Vec::new();
        for (&parameter, &argument) in self.engine.parameters(head.unknown).iter().zip(arguments) {
            // An argument that is not linear may have any value.
            let parameter = pool.as_var(parameter)?;
            parameters.push(parameter);
            if let Some(value) = pool.linear_form(argument) {
                constraints.push(Constraint::eq(&LinearForm::variable(parameter), &value));
            }
        }
        let mut others: Vec<VarId> =
            constraints.iter().flat_map(|constraint| constraint.form().variables()).collect();
        others.retain(|variable| !parameters.contains(variable));
        let shadow = project(Domain::Integers, &constraints, &others, self.engine.budget);
        let element = Polyhedra::from_constraints(&shadow.constraints);
        (!element.is_bottom()).then_some(((head.unknown, *values), element))
    }

    /// Adds to what is known of a place; whether that is news.
    fn join(&mut self, place: PredicatePoint, new: &Polyhedra) -> bool {
        let Some((known, joins)) = self.elements.get_mut(&place) else {
            self.places.push(place);
            self.elements.insert(place, (new.clone(), 0));
            return true;
        };
        if known.includes(new) {
            return false;
        }
        *joins += 1;
        let joined = known.join(new);
        *known =
            if *joins > self.engine.normal.limits.widening_delay { known.widen(&joined) } else { joined };
        true
    }

    /// Bounds that widening has lost, where all rules together keep them.
    fn narrow(&mut self, pool: &mut TermPool) {
        if self.is_exhausted() {
            return;
        }
        let mut next: FxHashMap<PredicatePoint, Polyhedra> = FxHashMap::default();
        for (place, element) in self.round(pool) {
            let joined = next.get(&place).map_or(element.clone(), |known: &Polyhedra| known.join(&element));
            next.insert(place, joined);
        }
        for (place, element) in next {
            if let Some((known, _)) = self.elements.get_mut(&place) {
                *known = known.narrow(&element);
            }
        }
    }
}
