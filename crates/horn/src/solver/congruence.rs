//! Remainders that arguments always have: the even and the odd numbers of loops that step by two.
//!
//! Granger's congruences (1989): each argument at each place is `remainder` modulo `modulus`, where the
//! modulus 0 means the remainder itself, and 1 means anything. The analysis ends, because a modulus only ever
//! becomes one of its divisors.

use rely_logic::interpolate::UnknownId;
use rely_logic::{Integer, LinearForm, TermId, TermPool, VarId};
use rustc_hash::FxHashMap;

use super::reach::Engine;
use super::special::{Special, ValuesId};

/// All numbers that are `remainder` modulo `modulus`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Class {
    modulus: Integer,
    remainder: Integer,
}

impl Class {
    fn new(modulus: Integer, remainder: Integer) -> Self {
        let rest = remainder.div_rem_euclid(&modulus).map(|(_, rest)| rest);
        Self { remainder: rest.unwrap_or(remainder), modulus }
    }

    fn anything() -> Self {
        Self::new(Integer::ONE, Integer::ZERO)
    }

    fn join(&self, other: &Self) -> Self {
        let apart = &self.remainder - &other.remainder;
        Self::new(self.modulus.gcd(&other.modulus).gcd(&apart), self.remainder.clone())
    }
}

/// A predicate at values of its finite arguments, and the classes of its other arguments.
type Known = Vec<((UnknownId, ValuesId), Vec<Class>)>;

/// Formulas `parameter mod modulus = remainder` that may hold.
pub(super) fn congruences(pool: &mut TermPool, engine: &mut Engine<'_>) -> Vec<(UnknownId, TermId)> {
    let known = analyse(pool, engine);
    let mut found = Vec::new();
    for ((unknown, _), classes) in known {
        for (&parameter, class) in engine.parameters(unknown).to_vec().iter().zip(classes) {
            if class.modulus <= Integer::ONE {
                continue;
            }
            let remainder = pool.int(class.remainder);
            if let Some(rest) = pool.modulo(parameter, class.modulus) {
                found.push((unknown, pool.eq(rest, remainder)));
            }
        }
    }
    found
}

fn analyse(pool: &mut TermPool, engine: &mut Engine<'_>) -> Known {
    let mut known: Known = Vec::new();
    let mut posts = 0;
    loop {
        let mut changed = false;
        for position in 0..engine.normal.rules.len() {
            let rule = &engine.normal.rules[position];
            let Some(head) = &rule.head else { continue };
            for places in combinations(engine, &known, position) {
                posts += 1;
                if posts > engine.normal.limits.remainder_posts || engine.budget.check().is_err() {
                    return Vec::new();
                }
                let values: Vec<ValuesId> = places.iter().map(|&place| known[place].0.1).collect();
                for &special in engine.specials.of(pool, engine.normal, position, &values).iter() {
                    let special = engine.specials.get(special);
                    let Some((values, classes)) = post(pool, &special, &known, &places) else { continue };
                    changed |= join(&mut known, (head.unknown, values), classes);
                }
            }
        }
        if !changed {
            return known;
        }
    }
}

fn combinations(engine: &Engine<'_>, known: &Known, rule: usize) -> Vec<Vec<usize>> {
    let mut partial: Vec<Vec<usize>> = vec![Vec::new()];
    for used in &engine.normal.rules[rule].body {
        let places: Vec<usize> = (0..known.len()).filter(|&place| known[place].0.0 == used.unknown).collect();
        if partial.len() * places.len() > engine.normal.limits.remainder_posts {
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
    pool: &TermPool,
    special: &Special,
    known: &Known,
    places: &[usize],
) -> Option<(ValuesId, Vec<Class>)> {
    let (values, arguments) = special.head.as_ref()?;
    let mut classes: FxHashMap<VarId, Class> = FxHashMap::default();
    for (variables, &place) in special.body.iter().zip(places) {
        let pairs = variables.iter().zip(&known[place].1);
        classes.extend(pairs.filter_map(|(&variable, class)| Some((pool.as_var(variable)?, class.clone()))));
    }
    let class_of = |argument: &TermId| match pool.linear_form(*argument) {
        Some(form) => value(&form, &classes),
        None => Class::anything(),
    };
    Some((*values, arguments.iter().map(class_of).collect()))
}

fn value(form: &LinearForm, classes: &FxHashMap<VarId, Class>) -> Class {
    let (mut modulus, mut remainder) = (Integer::ZERO, form.constant_term().clone());
    for (variable, factor) in form.terms() {
        let class = classes.get(variable).cloned().unwrap_or_else(Class::anything);
        modulus = modulus.gcd(&(&class.modulus * factor));
        remainder += &class.remainder * factor;
    }
    Class::new(modulus, remainder)
}

/// Adds to what is known of a place; whether that is news.
fn join(known: &mut Known, place: (UnknownId, ValuesId), new: Vec<Class>) -> bool {
    let Some((_, classes)) = known.iter_mut().find(|(other, _)| *other == place) else {
        known.push((place, new));
        return true;
    };
    let joined: Vec<Class> = classes.iter().zip(&new).map(|(old, new)| old.join(new)).collect();
    let changed = joined != *classes;
    *classes = joined;
    changed
}
