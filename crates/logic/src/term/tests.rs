//! Normal forms, transformations and printing of terms.

use proptest::prelude::*;
use rely_base::Id;
use rustc_hash::FxHashMap;

use super::*;
use crate::arith::Integer;
use crate::linear::VarId;

/// A recipe for a formula over three integers and two truth values.
#[derive(Clone, Debug)]
enum Recipe {
    Compare(u8, [i64; 3], i64),
    DivMod(u8, [i64; 3], i64, i64),
    Flag(bool),
    Not(Box<Recipe>),
    And(Vec<Recipe>),
    Or(Vec<Recipe>),
    Iff(Box<Recipe>, Box<Recipe>),
    Choose(Box<Recipe>, [i64; 3], [i64; 3]),
    Product(u8, [i64; 3], [i64; 3]),
}

fn any_recipe() -> impl Strategy<Value = Recipe> {
    let factors = prop::array::uniform3(-3i64..=3);
    let leaf = prop_oneof![
        (0u8..6, factors.clone(), -9i64..=9).prop_map(|(op, f, k)| Recipe::Compare(op, f, k)),
        (0u8..2, factors.clone(), 1i64..=5, -4i64..=4).prop_map(|(op, f, d, k)| Recipe::DivMod(op, f, d, k)),
        any::<bool>().prop_map(Recipe::Flag),
        (0u8..6, factors.clone(), factors.clone()).prop_map(|(op, f, g)| Recipe::Product(op, f, g)),
    ];
    leaf.prop_recursive(4, 24, 3, move |inner| {
        prop_oneof![
            inner.clone().prop_map(|r| Recipe::Not(Box::new(r))),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Recipe::And),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Recipe::Or),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Recipe::Iff(Box::new(a), Box::new(b))),
            (inner, factors.clone(), factors.clone()).prop_map(|(c, f, g)| Recipe::Choose(Box::new(c), f, g)),
        ]
    })
}

struct World {
    pool: TermPool,
    ints: [TermId; 3],
    flags: [TermId; 2],
}

impl World {
    fn new() -> Self {
        let mut pool = TermPool::new();
        let ints = ["x", "y", "z"].map(|name| pool.int_var(name));
        let flags = ["p", "q"].map(|name| pool.bool_var(name));
        World { pool, ints, flags }
    }

    fn sum(&mut self, factors: &[i64; 3], constant: i64) -> TermId {
        let terms: Vec<_> = self.ints.into_iter().zip(factors.map(Integer::from)).collect();
        self.pool.sum(terms, Integer::from(constant))
    }

    fn compare(&mut self, operation: u8, left: TermId, right: TermId) -> TermId {
        match operation {
            0 => self.pool.le(left, right),
            1 => self.pool.lt(left, right),
            2 => self.pool.eq(left, right),
            3 => self.pool.ne(left, right),
            4 => self.pool.ge(left, right),
            _ => self.pool.gt(left, right),
        }
    }

    fn cook(&mut self, recipe: &Recipe) -> TermId {
        match recipe {
            Recipe::Compare(operation, factors, constant) => {
                let (left, right) = (self.sum(factors, 0), self.pool.int(*constant));
                self.compare(*operation, left, right)
            }
            Recipe::DivMod(operation, factors, divisor, constant) => {
                let sum = self.sum(factors, 1);
                let divided = match operation {
                    0 => self.pool.div(sum, *divisor),
                    _ => self.pool.modulo(sum, *divisor),
                };
                let right = self.pool.int(*constant);
                self.pool.le(divided.expect("the divisor is not zero"), right)
            }
            Recipe::Flag(first) => self.flags[usize::from(!first)],
            Recipe::Not(inner) => {
                let inner = self.cook(inner);
                self.pool.not(inner)
            }
            Recipe::And(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.cook(part)).collect();
                self.pool.and(parts)
            }
            Recipe::Or(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.cook(part)).collect();
                self.pool.or(parts)
            }
            Recipe::Iff(left, right) => {
                let (left, right) = (self.cook(left), self.cook(right));
                self.pool.iff(left, right)
            }
            Recipe::Choose(condition, then, otherwise) => {
                let condition = self.cook(condition);
                let (then, otherwise) = (self.sum(then, 0), self.sum(otherwise, 1));
                let chosen = self.pool.ite(condition, then, otherwise);
                self.pool.le_zero(chosen)
            }
            Recipe::Product(operation, left, right) => {
                let (left, right) = (self.sum(left, 1), self.sum(right, 0));
                let (product, seven) = (self.pool.mul(left, right), self.pool.int(7));
                self.compare(*operation, product, seven)
            }
        }
    }

    fn truth(&self, term: TermId, point: &Point) -> bool {
        let assignment = |variable: VarId| {
            Some(match variable.index() {
                index @ 0..3 => Value::Int(Integer::from(point.ints[index])),
                index => Value::Bool(point.flags[index - 3]),
            })
        };
        self.pool.evaluate(term, &assignment).and_then(|value| value.as_bool()).expect("all is assigned")
    }
}

#[derive(Clone, Debug)]
struct Point {
    ints: [i64; 3],
    flags: [bool; 2],
}

fn any_point() -> impl Strategy<Value = Point> {
    (prop::array::uniform3(-9i64..=9), prop::array::uniform2(any::<bool>()))
        .prop_map(|(ints, flags)| Point { ints, flags })
}

/// The meaning of a recipe, straight from the definition.
fn meaning(recipe: &Recipe, point: &Point) -> bool {
    let dot = |factors: &[i64; 3]| factors.iter().zip(point.ints).map(|(f, x)| f * x).sum::<i64>();
    let compare = |operation: u8, left: i64, right: i64| match operation {
        0 => left <= right,
        1 => left < right,
        2 => left == right,
        3 => left != right,
        4 => left >= right,
        _ => left > right,
    };
    match recipe {
        Recipe::Compare(operation, factors, constant) => compare(*operation, dot(factors), *constant),
        Recipe::DivMod(0, factors, divisor, constant) => (dot(factors) + 1).div_euclid(*divisor) <= *constant,
        Recipe::DivMod(_, factors, divisor, constant) => (dot(factors) + 1).rem_euclid(*divisor) <= *constant,
        Recipe::Flag(first) => point.flags[usize::from(!first)],
        Recipe::Not(inner) => !meaning(inner, point),
        Recipe::And(parts) => parts.iter().all(|part| meaning(part, point)),
        Recipe::Or(parts) => parts.iter().any(|part| meaning(part, point)),
        Recipe::Iff(left, right) => meaning(left, point) == meaning(right, point),
        Recipe::Choose(condition, then, otherwise) => {
            (if meaning(condition, point) { dot(then) } else { dot(otherwise) + 1 }) <= 0
        }
        Recipe::Product(operation, left, right) => compare(*operation, (dot(left) + 1) * dot(right), 7),
    }
}

proptest! {
    #[test]
    fn constructors_and_normal_forms_keep_the_meaning(recipe in any_recipe(), point in any_point()) {
        let mut world = World::new();
        let term = world.cook(&recipe);
        let expected = meaning(&recipe, &point);
        prop_assert_eq!(world.truth(term, &point), expected);
        let normal = world.pool.negation_normal_form(term);
        prop_assert_eq!(world.truth(normal, &point), expected);
        let negated = world.pool.not(term);
        prop_assert_eq!(world.truth(negated, &point), !expected);
        if let Ok(cubes) = world.pool.cubes(term, 64) {
            let holds = cubes.iter().any(|cube| cube.iter().all(|&literal| world.truth(literal, &point)));
            prop_assert_eq!(holds, expected);
        }
    }

    #[test]
    fn substitution_is_evaluation_at_another_point(recipe in any_recipe(), point in any_point()) {
        let mut world = World::new();
        let term = world.cook(&recipe);
        let [x, y, z] = world.ints;
        // x, y := y + 1, 2z at once.
        let one = world.pool.int(1);
        let (y_plus_one, two_z) = (world.pool.add(y, one), world.pool.scale(2, z));
        let replacements = FxHashMap::from_iter([(x, y_plus_one), (y, two_z)]);
        let substituted = world.pool.substitute(term, &replacements);
        let [_, y, z] = point.ints;
        let moved = Point { ints: [y + 1, 2 * z, z], ..point.clone() };
        prop_assert_eq!(world.truth(substituted, &point), world.truth(term, &moved));
    }

    #[test]
    fn a_linear_literal_and_its_constraint_agree(recipe in any_recipe(), point in any_point()) {
        let mut world = World::new();
        let term = world.cook(&recipe);
        if let Some(constraint) = world.pool.constraint(term) {
            let holds = constraint.holds(|variable| Integer::from(point.ints[variable.index()]));
            prop_assert_eq!(holds, world.truth(term, &point));
            prop_assert_eq!(world.pool.constraint_term(&constraint), term);
        }
    }
}

fn check_text(build: impl FnOnce(&mut World) -> TermId, mathematics: &str, c: &str) {
    let mut world = World::new();
    let term = build(&mut world);
    assert_eq!(world.pool.display(term, Notation::Mathematics).to_string(), mathematics);
    assert_eq!(world.pool.display(term, Notation::C).to_string(), c);
}

#[test]
fn terms_print_as_mathematics_and_as_c() {
    check_text(
        |world| {
            let [x, y, _] = world.ints;
            let [p, q] = world.flags;
            let first = world.pool.lt(x, y);
            let equal = world.pool.ne(x, y);
            let either = world.pool.or([p, equal]);
            let not_q = world.pool.not(q);
            world.pool.and([first, either, not_q])
        },
        "x < y ∧ (p ∨ x ≠ y) ∧ ¬q",
        "x < y && (p || x != y) && !q",
    );
    check_text(
        |world| {
            let [x, y, z] = world.ints;
            let product = world.pool.mul(y, z);
            let remainder = world.pool.modulo(x, 3).unwrap();
            let sum = world.pool.add(product, remainder);
            world.pool.eq(sum, x)
        },
        "x = y * z + mod(x, 3)",
        "x == y * z + mod(x, 3)",
    );
    check_text(
        |world| {
            let x = world.pool.as_var(world.ints[0]).unwrap();
            let next = world.pool.copy_of(x, 1);
            let (now, next) = (world.ints[0], world.pool.var(next));
            world.pool.gt(next, now)
        },
        "x < x#1",
        "x < x__1",
    );
}

#[test]
fn copies_share_the_symbol() {
    let mut world = World::new();
    let [x, y, _] = world.ints;
    let atom = world.pool.lt(x, y);
    let primed = world.pool.with_copy(atom, 1);
    assert_ne!(atom, primed);
    assert_eq!(world.pool.with_copy(primed, 0), atom);
    let names: Vec<SymbolId> = [atom, primed]
        .iter()
        .flat_map(|&term| world.pool.free_variables(term))
        .map(|variable| world.pool.variable(variable).symbol)
        .collect();
    assert_eq!(names[0], names[2]);
}

#[test]
fn writes_to_other_cells_are_looked_through() {
    let mut world = World::new();
    let [x, y, z] = world.ints;
    let one = world.pool.int(1);
    let next = world.pool.add(x, one);
    let array = world.pool.array_var("a");
    let written = world.pool.store(array, x, z);
    assert_eq!(world.pool.select(written, x), z);
    let beside = world.pool.select(written, next);
    assert_eq!(beside, world.pool.select(array, next));
    let unknown = world.pool.select(written, y);
    assert!(matches!(world.pool.node(unknown), Node::Select(inner, _) if *inner == written));
}

/// Far more levels than any stack has room for.
const DEEP: usize = 100_000;

#[test]
fn deep_terms_do_not_exhaust_the_stack() {
    let mut world = World::new();
    let [x, y, _] = world.ints;
    let [p, q] = world.flags;
    let mut formula = p;
    let mut number = x;
    for level in 0..DEEP {
        formula = if level % 2 == 0 { world.pool.iff(formula, q) } else { world.pool.and([formula, p]) };
        number = world.pool.mul(number, y);
    }
    let positive = world.pool.gt(number, x);
    formula = world.pool.or([formula, positive]);
    let point = Point { ints: [1, 1, 1], flags: [true, true] };
    assert!(world.truth(formula, &point));
    let normal = world.pool.negation_normal_form(formula);
    assert!(world.truth(normal, &point));
    let primed = world.pool.with_copy(formula, 7);
    assert_ne!(primed, formula);
    assert!(world.pool.display(formula, Notation::C).to_string().len() > DEEP);
}
