//! Rules at values of their finite arguments.
//!
//! The finite arguments of the body are given; those of the head that are not determined by them are
//! enumerated. What remains is a conjunction over the other variables, often an empty or a
//! contradictory one.

use std::hash::Hash;
use std::rc::Rc;

use rely_base::{Arena, Id, define_id};
use rely_logic::{Constraint, Integer, Node, TermId, TermPool, VarId};
use rustc_hash::FxHashMap;

use crate::normal::{Normal, Rule, Use};

define_id!(
    /// A rule at values of its finite arguments.
    pub(super) struct SpecialId
);

define_id!(
    /// The values of the finite arguments of a predicate, in the order of its parameters.
    pub(super) struct ValuesId
);

/// A rule at values of its finite arguments.
#[derive(Clone, Debug)]
pub(super) struct Special {
    /// The rule, by its position.
    pub(super) rule: usize,
    /// What is left of its literals.
    pub(super) literals: Vec<TermId>,
    /// The same as constraints, if they all are.
    pub(super) constraints: Option<Vec<Constraint>>,
    /// The other arguments of each predicate of the body.
    pub(super) body: Vec<Vec<TermId>>,
    /// The values of the head's finite arguments, and its other arguments.
    pub(super) head: Option<(ValuesId, Vec<TermId>)>,
    /// The variables that have a value now.
    pub(super) fixed: Vec<(VarId, Integer)>,
}

/// Lists with numbers, so that they are compared and looked up at once.
#[derive(Debug)]
pub(super) struct Interner<I: Id, T> {
    lists: Arena<I, Rc<[T]>>,
    known: FxHashMap<Rc<[T]>, I>,
}

impl<I: Id, T: Clone + Eq + Hash> Interner<I, T> {
    pub(super) fn intern(&mut self, list: &[T]) -> I {
        if let Some(&known) = self.known.get(list) {
            return known;
        }
        let list: Rc<[T]> = list.into();
        let id = self.lists.push(Rc::clone(&list));
        self.known.insert(list, id);
        id
    }

    pub(super) fn get(&self, id: I) -> Rc<[T]> {
        Rc::clone(&self.lists[id])
    }
}

impl<I: Id, T> Default for Interner<I, T> {
    fn default() -> Self {
        Self { lists: Arena::new(), known: FxHashMap::default() }
    }
}

/// All that were asked for.
#[derive(Debug, Default)]
pub(super) struct Specials {
    made: Arena<SpecialId, Rc<Special>>,
    known: FxHashMap<(usize, Vec<ValuesId>), Rc<[SpecialId]>>,
    values: Interner<ValuesId, Integer>,
}

impl Specials {
    pub(super) fn get(&self, id: SpecialId) -> Rc<Special> {
        Rc::clone(&self.made[id])
    }

    pub(super) fn len(&self) -> usize {
        self.made.len()
    }

    /// The values that a number stands for.
    pub(super) fn values(&self, id: ValuesId) -> Rc<[Integer]> {
        self.values.get(id)
    }

    /// A rule at the values of its body's finite arguments: one for each values of the head's.
    pub(super) fn of(
        &mut self,
        pool: &mut TermPool,
        normal: &Normal,
        rule: usize,
        body: &[ValuesId],
    ) -> Rc<[SpecialId]> {
        let key = (rule, body.to_vec());
        if let Some(known) = self.known.get(&key) {
            return Rc::clone(known);
        }
        let values: Vec<Rc<[Integer]>> = body.iter().map(|&values| self.values.get(values)).collect();
        let made: Rc<[SpecialId]> = make(pool, normal, rule, &values, &mut self.values)
            .into_iter()
            .map(|special| self.made.push(Rc::new(special)))
            .collect();
        self.known.insert(key, Rc::clone(&made));
        made
    }
}

fn make(
    pool: &mut TermPool,
    normal: &Normal,
    position: usize,
    body: &[Rc<[Integer]>],
    interner: &mut Interner<ValuesId, Integer>,
) -> Vec<Special> {
    let rule = &normal.rules[position];
    let mut fixed: Vec<(VarId, Integer)> = Vec::new();
    let mut open = Vec::new();
    for (used, values) in rule.body.iter().zip(body) {
        let mut values = values.iter();
        let mut others = Vec::new();
        for (&argument, domain) in used.arguments.iter().zip(&normal.predicates[used.unknown].domains) {
            match domain.as_ref().and_then(|_| values.next()) {
                Some(value) => fixed.push((argument, value.clone())),
                None => others.push(pool.var(argument)),
            }
        }
        open.push(others);
    }
    let Some(literals) = at(pool, &rule.literals, &fixed) else { return Vec::new() };
    let partial = Special { rule: position, literals, constraints: None, body: open, head: None, fixed };
    heads(pool, normal, rule, partial, interner)
}

/// One for each combination of values of the head's finite arguments.
fn heads(
    pool: &mut TermPool,
    normal: &Normal,
    rule: &Rule,
    partial: Special,
    interner: &mut Interner<ValuesId, Integer>,
) -> Vec<Special> {
    let Some(head) = &rule.head else { return vec![finished(pool, partial)] };
    let mut cases = vec![(partial, Vec::new(), Vec::new())];
    for (position, domain) in normal.predicates[head.unknown].domains.iter().enumerate() {
        let mut next = Vec::new();
        for (special, values, others) in cases {
            let argument = argument_at(pool, head, position, &special.fixed);
            match domain {
                None => next.push((special, values, [others, vec![argument]].concat())),
                Some(domain) => {
                    let determined = pool.as_int(argument).cloned();
                    for value in determined.map_or(domain.clone(), |value| vec![value]) {
                        let values = [values.clone(), vec![value.clone()]].concat();
                        let case = restricted(pool, &special, argument, value);
                        next.extend(case.map(|case| (case, values, others.clone())));
                    }
                }
            }
        }
        cases = next;
    }
    let cases = cases.into_iter().map(|(special, values, others)| {
        let fixed = special.fixed.clone();
        let others = others.into_iter().map(|term| substituted(pool, term, &fixed)).collect();
        finished(pool, Special { head: Some((interner.intern(&values), others)), ..special })
    });
    cases.collect()
}

fn argument_at(
    pool: &mut TermPool,
    head: &Use<TermId>,
    position: usize,
    fixed: &[(VarId, Integer)],
) -> TermId {
    substituted(pool, head.arguments[position], fixed)
}

/// Where an argument has a value.
fn restricted(pool: &mut TermPool, special: &Special, argument: TermId, value: Integer) -> Option<Special> {
    if pool.as_int(argument).is_some() {
        return Some(special.clone());
    }
    let mut case = special.clone();
    match pool.as_var(argument) {
        Some(variable) => {
            let binding = [(variable, value.clone())];
            case.literals = at(pool, &case.literals, &binding)?;
            case.fixed.push((variable, value));
        }
        None => {
            let constant = pool.int(value);
            let equality = pool.eq(argument, constant);
            case.literals.push(equality);
            case.literals = at(pool, &case.literals, &[])?;
        }
    }
    Some(case)
}

/// Literals at values; `None` if one is false.
fn at(pool: &mut TermPool, literals: &[TermId], fixed: &[(VarId, Integer)]) -> Option<Vec<TermId>> {
    let replacements = bindings(pool, fixed);
    let images: Vec<TermId> =
        literals.iter().map(|&literal| pool.substitute(literal, &replacements)).collect();
    let conjunction = pool.and(images);
    match pool.node(conjunction) {
        Node::Bool(true) => Some(Vec::new()),
        Node::Bool(false) => None,
        Node::And(parts) => Some(parts.to_vec()),
        _ => Some(vec![conjunction]),
    }
}

fn substituted(pool: &mut TermPool, term: TermId, fixed: &[(VarId, Integer)]) -> TermId {
    let replacements = bindings(pool, fixed);
    pool.substitute(term, &replacements)
}

fn bindings(pool: &mut TermPool, fixed: &[(VarId, Integer)]) -> FxHashMap<TermId, TermId> {
    fixed.iter().map(|(variable, value)| (pool.var(*variable), pool.int(value.clone()))).collect()
}

fn finished(pool: &TermPool, mut special: Special) -> Special {
    special.constraints = special.literals.iter().map(|&literal| pool.constraint(literal)).collect();
    special
}
