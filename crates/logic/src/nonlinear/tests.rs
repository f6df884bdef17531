//! Every scheme against evaluation, random formulas against brute force, damaged refutations.

mod lemmas;

use rely_base::{Budget, Id};
use rustc_hash::FxHashMap;

use super::*;
use crate::arith::Integer;
use crate::linear::VarId;
use crate::sat::tests::Random;
use crate::term::{FunctionId, Sort, Value};

/// Variables `x`, `y`, `z`, flag `p`, arrays `a`, `b` and a function `f`.
struct World {
    pool: TermPool,
    ints: [TermId; 3],
    flag: TermId,
    arrays: [TermId; 2],
    function: FunctionId,
    random: Random,
}

/// Which operations a random formula may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flavour {
    Division,
    Products,
    Bits,
    Functions,
    Arrays,
}

const RADIUS: i64 = 2;

impl World {
    fn new(seed: u64) -> Self {
        let mut pool = TermPool::new();
        let ints = ["x", "y", "z"].map(|name| pool.int_var(name));
        let flag = pool.bool_var("p");
        let arrays = ["a", "b"].map(|name| pool.array_var(name));
        let function = pool.function("f", 1, Sort::Int);
        Self { pool, ints, flag, arrays, function, random: Random(seed) }
    }

    fn constant(&mut self) -> TermId {
        let value = self.random.between(-3, 3);
        self.pool.int(value)
    }

    fn number(&mut self, flavour: Flavour, depth: u32) -> TermId {
        if depth == 0 || self.random.below(4) == 0 {
            return match self.random.below(4) {
                0 => self.constant(),
                index => self.ints[index as usize - 1],
            };
        }
        let (left, right) = (self.number(flavour, depth - 1), self.number(flavour, depth - 1));
        match (self.random.below(4), flavour) {
            (0, _) => self.pool.add(left, right),
            (1, _) => {
                let condition = self.atom(flavour, depth - 1);
                self.pool.ite(condition, left, right)
            }
            (kind, Flavour::Division) => {
                let divisor = [2, 3, -2, 5][self.random.below(4) as usize];
                let result =
                    if kind == 2 { self.pool.div(left, divisor) } else { self.pool.modulo(left, divisor) };
                result.expect("no division by zero")
            }
            (_, Flavour::Products) => self.pool.mul(left, right),
            (_, Flavour::Bits) => match self.random.below(5) {
                0 => self.pool.bit_or(left, right),
                1 => self.pool.bit_xor(left, right),
                2 => self.pool.shift_right(left, right),
                3 => self.pool.power_of_two(left),
                _ => self.pool.bit_and(left, right),
            },
            (_, Flavour::Functions) => self.pool.apply(self.function, &[left]).expect("one argument"),
            (_, Flavour::Arrays) => {
                let array = self.array(depth - 1);
                self.pool.select(array, left)
            }
        }
    }

    fn array(&mut self, depth: u32) -> TermId {
        let array = self.arrays[self.random.below(2) as usize];
        match self.random.below(3) {
            _ if depth == 0 => array,
            0 => array,
            1 => {
                let (index, value) = (self.number(Flavour::Arrays, 0), self.number(Flavour::Arrays, 0));
                let inner = self.array(depth - 1);
                self.pool.store(inner, index, value)
            }
            _ => {
                let other = self.array(depth - 1);
                self.pool.ite(self.flag, array, other)
            }
        }
    }

    fn atom(&mut self, flavour: Flavour, depth: u32) -> TermId {
        if flavour == Flavour::Arrays && self.random.below(4) == 0 {
            let (left, right) = (self.array(1), self.array(1));
            return self.pool.eq(left, right);
        }
        let (left, right) = (self.number(flavour, depth), self.number(flavour, depth));
        match self.random.below(3) {
            0 => self.pool.eq(left, right),
            1 => self.pool.le(left, right),
            _ => self.pool.lt(left, right),
        }
    }

    fn formula(&mut self, flavour: Flavour) -> TermId {
        let mut parts = Vec::new();
        for _ in 0..3 {
            let (left, right) = (self.atom(flavour, 2), self.atom(flavour, 2));
            let left = if self.random.below(2) == 0 { self.pool.not(left) } else { left };
            parts.push(self.pool.or([left, right]));
        }
        parts.push(self.atom(flavour, 2));
        self.pool.and(parts)
    }

    fn bounds(&mut self) -> Vec<TermId> {
        let (low, high) = (self.pool.int(-RADIUS), self.pool.int(RADIUS));
        let ints = self.ints;
        ints.into_iter().flat_map(|x| [self.pool.le(low, x), self.pool.le(x, high)]).collect()
    }

    /// Whether some values of the variables within their bounds make a formula without functions
    /// and arrays true.
    fn is_satisfiable(&self, formula: TermId) -> bool {
        let side = 2 * RADIUS + 1;
        (0..side.pow(3) * 2).any(|number| {
            let coordinate = |place: u32| Integer::from(number / side.pow(place) % side - RADIUS);
            let assignment = |variable: VarId| {
                Some(match variable.index() {
                    place @ 0..3 => Value::Int(coordinate(place as u32)),
                    _ => Value::Bool(number / side.pow(3) == 1),
                })
            };
            self.pool.evaluate(formula, &assignment) == Some(Value::Bool(true))
        })
    }
}

/// How often each answer was given.
#[derive(Debug, Default)]
struct Tally {
    sat: u32,
    unsat: u32,
    unknown: u32,
}

/// Asks, and checks whatever evidence comes with the answer.
fn ask(world: &mut World, formulas: &[TermId], tally: &mut Tally) -> Option<bool> {
    let answer = satisfiable(&mut world.pool, formulas, &Budget::unlimited());
    match &answer.satisfiability {
        Satisfiability::Sat(model) => {
            assert!(formulas.iter().all(|&formula| model.satisfies(&world.pool, formula)));
            tally.sat += 1;
            Some(true)
        }
        Satisfiability::Unsat(refutation) => {
            assert_eq!(refutation.check(&mut world.pool, formulas), Ok(()));
            tally.unsat += 1;
            Some(false)
        }
        Satisfiability::Unknown(_) => {
            tally.unknown += 1;
            None
        }
    }
}

fn check_flavour(flavour: Flavour, seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let mut world = World::new(seed);
        let count = if matches!(flavour, Flavour::Functions | Flavour::Arrays) { 4 } else { 2 };
        let mut formulas: Vec<TermId> = (0..count).map(|_| world.formula(flavour)).collect();
        formulas.extend(world.bounds());
        let answer = ask(&mut world, &formulas, &mut tally);
        if matches!(flavour, Flavour::Functions | Flavour::Arrays) {
            continue;
        }
        let whole = world.pool.and(formulas);
        if let Some(answer) = answer {
            assert_eq!(answer, world.is_satisfiable(whole), "{flavour:?}, seed {seed}");
        }
    }
    tally
}

#[test]
fn divisions_and_choices_are_decided() {
    let tally = check_flavour(Flavour::Division, 0..200);
    assert!(tally.sat > 40 && tally.unsat > 40 && tally.unknown == 0, "{tally:?}");
}

#[test]
fn products_over_small_domains_are_decided() {
    let tally = check_flavour(Flavour::Products, 0..150);
    assert!(tally.sat > 30 && tally.unsat > 30 && tally.unknown < 5, "{tally:?}");
}

#[test]
fn bit_operations_over_small_domains_are_decided() {
    let tally = check_flavour(Flavour::Bits, 0..100);
    assert!(tally.sat > 20 && tally.unsat > 20 && tally.unknown < 5, "{tally:?}");
}

#[test]
fn functions_and_arrays_are_decided() {
    let tally = check_flavour(Flavour::Functions, 0..80);
    assert!(tally.sat > 30 && tally.unsat > 5 && tally.unknown == 0, "{tally:?}");
    let tally = check_flavour(Flavour::Arrays, 0..80);
    assert!(tally.sat > 30 && tally.unsat > 5 && tally.unknown == 0, "{tally:?}");
}

#[test]
fn conjunctions_are_decided_without_search() {
    let mut tally = Tally::default();
    for seed in 0..300 {
        let mut world = World::new(seed);
        let mut formulas = world.bounds();
        for _ in 0..3 {
            let mut part = || {
                let factors = world.ints.map(|int| (int, Integer::from(world.random.between(-2, 2))));
                let sum = world.pool.sum(factors, Integer::from(world.random.between(-4, 4)));
                let equal = world.pool.eq_zero(sum);
                match world.random.below(3) {
                    0 => equal,
                    1 => world.pool.not(equal),
                    _ => world.pool.le_zero(sum),
                }
            };
            let parts = [part(), part()];
            formulas.push(world.pool.and(parts));
        }
        formulas.retain(|&formula| world.pool.as_truth(formula).is_none());
        // Conjuncts may occur twice.
        formulas.push(formulas[formulas.len() - 1]);
        let answer = satisfiable(&mut world.pool, &formulas, &Budget::unlimited());
        assert_eq!(answer.statistics.theory_checks, 0, "{answer:?}");
        let whole = world.pool.and(formulas.clone());
        assert_eq!(ask(&mut world, &formulas, &mut tally), Some(world.is_satisfiable(whole)), "seed {seed}");
    }
    assert!(tally.sat > 50 && tally.unsat > 50, "{tally:?}");
}

/// Which answer is right for a formula.
fn check(build: impl FnOnce(&mut World) -> Vec<TermId>, expected: Option<bool>) {
    let mut world = World::new(0);
    let formulas = build(&mut world);
    assert_eq!(ask(&mut world, &formulas, &mut Tally::default()), expected);
}

#[test]
fn arrays_are_equal_exactly_if_their_elements_are() {
    // Two writes at different places commute.
    let commuted = |world: &mut World, same_values: bool| {
        let [x, y, z] = world.ints;
        let [a, _] = world.arrays;
        let pool = &mut world.pool;
        let (first, second) = (pool.store(a, x, z), pool.store(a, y, z));
        let (left, right) = (pool.store(first, y, x), pool.store(second, x, if same_values { z } else { x }));
        // left: x -> z, y -> x; right: y -> z, x -> z (or x).
        let left = pool.store(left, y, z);
        let distinct = pool.ne(x, y);
        let different = pool.ne(left, right);
        vec![distinct, different]
    };
    check(|world| commuted(world, true), Some(false));
    check(|world| commuted(world, false), Some(true));
    // Arrays that agree on an index need not be equal; equal ones agree everywhere.
    check(
        |world| {
            let ([a, b], [x, ..]) = (world.arrays, world.ints);
            let (left, right) = (world.pool.select(a, x), world.pool.select(b, x));
            vec![world.pool.eq(left, right), world.pool.ne(a, b)]
        },
        Some(true),
    );
    check(
        |world| {
            let ([a, b], [x, y, _]) = (world.arrays, world.ints);
            let (left, right) = (world.pool.select(a, x), world.pool.select(b, y));
            vec![world.pool.ne(left, right), world.pool.eq(a, b), world.pool.eq(x, y)]
        },
        Some(false),
    );
    // A chain of equalities carries an element along.
    check(
        |world| {
            let ([a, b], [x, y, z]) = (world.arrays, world.ints);
            let c = world.pool.array_var("c");
            let written = world.pool.store(b, x, y);
            let (first, second) = (world.pool.eq(a, written), world.pool.eq(a, c));
            let (read, expected) = (world.pool.select(c, z), world.pool.select(b, z));
            vec![first, second, world.pool.ne(x, z), world.pool.ne(read, expected)]
        },
        Some(false),
    );
}

#[test]
fn functions_are_congruent() {
    check(
        |world| {
            let [x, y, z] = world.ints;
            let mut f = |argument| world.pool.apply(world.function, &[argument]).expect("one argument");
            let (fx, fy) = (f(x), f(y));
            let (ffx, ffy, fz) = (f(fx), f(fy), f(z));
            let pool = &mut world.pool;
            let equal = pool.eq(x, y);
            vec![equal, pool.ne(ffx, ffy), pool.eq(fz, x)]
        },
        Some(false),
    );
    check(
        |world| {
            let [x, y, _] = world.ints;
            let mut f = |argument| world.pool.apply(world.function, &[argument]).expect("one argument");
            let (fx, fy) = (f(x), f(y));
            vec![world.pool.lt(x, y), world.pool.gt(fx, fy)]
        },
        Some(true),
    );
}

#[test]
fn products_without_bounds_have_provable_properties() {
    // (x + 1)^2 < x^2 needs x negative.
    check(
        |world| {
            let [x, ..] = world.ints;
            let pool = &mut world.pool;
            let (one, zero) = (pool.int(1), pool.int(0));
            let next = pool.add(x, one);
            let (square, next_square) = (pool.mul(x, x), pool.mul(next, next));
            vec![pool.lt(next_square, square), pool.ge(x, zero)]
        },
        Some(false),
    );
    // x*y < 0 with both positive.
    check(
        |world| {
            let [x, y, _] = world.ints;
            let pool = &mut world.pool;
            let zero = pool.int(0);
            let product = pool.mul(x, y);
            vec![pool.gt(x, zero), pool.gt(y, zero), pool.le(product, y), pool.lt(product, x)]
        },
        Some(false),
    );
    // The same factor keeps the order.
    check(
        |world| {
            let [x, y, z] = world.ints;
            let pool = &mut world.pool;
            let zero = pool.int(0);
            let (left, right) = (pool.mul(x, z), pool.mul(y, z));
            vec![pool.ge(z, zero), pool.le(x, y), pool.gt(left, right)]
        },
        Some(false),
    );
}

#[test]
fn what_no_lemma_settles_is_unknown() {
    // 3 does not divide x^2 + 1; no bound ends the search for x.
    let mut world = World::new(0);
    let [x, y, _] = world.ints;
    let pool = &mut world.pool;
    let (square, triple, one) = (pool.mul(x, x), pool.scale(3, y), pool.int(1));
    let next = pool.add(square, one);
    let formulas = [pool.eq(next, triple)];
    let answer = satisfiable(pool, &formulas, &Budget::unlimited());
    assert!(matches!(answer.satisfiability, Satisfiability::Unknown(_)), "{answer:?}");
}

#[test]
fn deep_terms_do_not_exhaust_the_stack() {
    let mut world = World::new(0);
    let [x, y, _] = world.ints;
    let pool = &mut world.pool;
    let mut number = x;
    for level in 0..3_000 {
        number = match level % 2 {
            0 => {
                let condition = pool.le(number, y);
                pool.ite(condition, number, y)
            }
            _ => {
                let one = pool.int(1);
                pool.add(number, one)
            }
        };
    }
    let formulas = [pool.eq(number, x)];
    let budget = Budget::builder().time(std::time::Duration::ZERO).build();
    let answer = satisfiable(pool, &formulas, &budget);
    assert!(matches!(answer.satisfiability, Satisfiability::Unknown(Obstacle::Stopped(_))), "{answer:?}");
}

#[test]
fn answers_are_remembered_up_to_the_capacity() {
    let mut world = World::new(0);
    let [x, ..] = world.ints;
    let pool = &mut world.pool;
    let formulas: Vec<TermId> = (0..10)
        .map(|value| {
            let value = pool.int(value);
            pool.eq(x, value)
        })
        .collect();
    let budget = Budget::unlimited();
    let mut solver = FormulaSolver::new(4);
    for _ in 0..3 {
        let answer = solver.satisfiable(pool, &formulas[..2], &budget);
        assert!(matches!(answer.satisfiability, Satisfiability::Unsat(_)));
    }
    assert_eq!((solver.queries(), solver.hits()), (3, 2));
    for formula in &formulas {
        solver.satisfiable(pool, std::slice::from_ref(formula), &budget);
    }
    assert_eq!((solver.queries(), solver.hits()), (13, 2));
    solver.satisfiable(pool, &formulas[..2], &budget);
    assert_eq!((solver.queries(), solver.hits()), (14, 2));
    solver.satisfiable(pool, &formulas[9..], &budget);
    assert_eq!((solver.queries(), solver.hits()), (15, 3));
}
