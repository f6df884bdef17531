//! Schemes of lemmas hold, are applied only where they fit, and damaged refutations are rejected.

use super::*;

/// Instances of every scheme about `x`, `y`, `z`, with some constants.
fn instances(world: &mut World) -> Vec<Lemma> {
    let [x, y, z] = world.ints;
    let [a, b] = world.arrays;
    let flag = world.flag;
    let number = world.random.between(-4, 4);
    let (u, v) = (world.random.between(-4, 4), world.random.between(-4, 4));
    let (u, v) = (Integer::from(u), Integer::from(v));
    let small = world.random.below(6) as u32;
    let first = world.random.below(2) == 0;
    let pool = &mut world.pool;
    let sum = pool.sum([(x, 2.into()), (y, Integer::MINUS_ONE)], Integer::from(number));
    let product = pool.mul(sum, z);
    let other = pool.mul(sum, x);
    let square = pool.mul(x, x);
    let (and, shift) = (pool.bit_and(x, y), pool.shift_right(x, y));
    let power = pool.power_of_two(x);
    let written = pool.store(a, x, y);
    let chosen = pool.ite(flag, a, b);
    let equality = pool.eq(written, b);
    let (read, read_choice) = (pool.select(written, z), pool.select(chosen, z));
    let (plain, plain_other) = (pool.select(a, x), pool.select(a, y));
    let calls = [x, y].map(|t| pool.apply(world.function, &[t]).expect("one argument"));
    vec![
        Lemma::Choice(pool.ite(flag, x, y)),
        Lemma::Quotient(pool.div(x, 3).expect("not zero")),
        Lemma::Remainder(pool.modulo(x, 3).expect("not zero")),
        Lemma::ReadOverWrite(read),
        Lemma::ReadOverChoice(read_choice),
        Lemma::EqualElements { equality, index: z },
        Lemma::Congruence(plain, plain_other),
        Lemma::Congruence(calls[0], calls[1]),
        Lemma::Polynomial(product),
        Lemma::Polynomial(other),
        Lemma::ProductZero(product),
        Lemma::ProductSign { product, first_positive: first, second_positive: u.is_positive() },
        Lemma::ProductValue { product, first, value: u.clone() },
        Lemma::ProductTangent { product, at: (u.clone(), v.clone()) },
        Lemma::Square { product: square, at: u.clone() },
        Lemma::ProductMonotone(product, other),
        Lemma::ProductMonotone(other, square),
        Lemma::AndRange(and),
        Lemma::AndBit { term: and, bit: small },
        Lemma::AndValue { term: and, first, value: v },
        Lemma::ShiftRange(shift),
        Lemma::ShiftValue { term: shift, value: small },
        Lemma::PowerRange(power),
        Lemma::PowerValue { term: power, value: small },
    ]
}

#[test]
fn every_scheme_holds_at_every_point() {
    for seed in 0..60 {
        let mut world = World::new(seed);
        let lemmas = instances(&mut world);
        let statements: Vec<TermId> = lemmas
            .iter()
            .map(|lemma| lemma.statement(&mut world.pool).unwrap_or_else(|| panic!("{lemma:?}")))
            .collect();
        for _ in 0..20 {
            let model = random_model(&mut world);
            for (lemma, &statement) in lemmas.iter().zip(&statements) {
                assert!(model.satisfies(&world.pool, statement), "{lemma:?} fails in {model:?}");
            }
        }
    }
}

fn random_model(world: &mut World) -> Interpretation {
    let mut model = Interpretation::default();
    for term in world.ints {
        let variable = world.pool.as_var(term).expect("a variable");
        let value = world.random.between(-6, 6);
        model.variables.insert(variable, Value::Int(Integer::from(value)));
        let result = world.random.between(-2, 2);
        model
            .functions
            .insert((world.function, vec![Integer::from(value)]), Value::Int(Integer::from(result)));
    }
    let flag = world.pool.as_var(world.flag).expect("a variable");
    model.variables.insert(flag, Value::Bool(world.random.below(2) == 0));
    for term in world.arrays {
        let variable = world.pool.as_var(term).expect("a variable");
        let mut elements: FxHashMap<Integer, Integer> = FxHashMap::default();
        for index in -6..6 {
            let element = world.random.between(0, 1);
            if element != 0 {
                elements.insert(Integer::from(index), Integer::from(element));
            }
        }
        model.variables.insert(variable, Value::Array { default: Integer::ZERO, elements });
    }
    model
}

#[test]
fn schemes_are_not_applied_to_other_terms() {
    let mut world = World::new(0);
    let [x, y, _] = world.ints;
    let product = world.pool.mul(x, y);
    let wrong = [
        Lemma::Choice(product),
        Lemma::Quotient(x),
        Lemma::Remainder(x),
        Lemma::ReadOverWrite(x),
        Lemma::ReadOverChoice(x),
        Lemma::EqualElements { equality: world.flag, index: x },
        Lemma::Witness(world.flag),
        Lemma::Congruence(x, y),
        Lemma::Polynomial(x),
        Lemma::ProductZero(x),
        Lemma::Square { product, at: Integer::ONE },
        Lemma::ProductMonotone(product, x),
        Lemma::AndRange(product),
        Lemma::ShiftRange(x),
        Lemma::PowerRange(x),
    ];
    for lemma in wrong {
        assert_eq!(lemma.statement(&mut world.pool), None, "{lemma:?}");
    }
}

/// Ways to damage a refutation of `x*y = 0` with both factors positive, and equal arrays that differ.
type Damage = fn(&mut Refutation, &mut TermPool);

const DAMAGES: &[(&str, Damage)] = &[
    ("no abstraction of a formula", |refutation, _| {
        refutation.abstractions.pop();
    }),
    ("another lemma", |refutation, _| {
        let place = refutation.lemmas.iter().position(|lemma| !matches!(lemma, Lemma::Witness(_)));
        let place = place.expect("there is one");
        let term = refutation.lemmas[place].terms()[0];
        refutation.lemmas[place] =
            Lemma::ProductValue { product: term, first: true, value: Integer::from(99) };
    }),
    ("a lemma about something else", |refutation, pool| {
        let x = pool.int_var("x");
        refutation.lemmas[0] = Lemma::ProductZero(x);
    }),
    ("a lemma about a term of another pool", |refutation, _| {
        refutation.lemmas[0] = Lemma::ProductZero(TermId::from_index(1 << 20));
    }),
    ("an abstraction of something else", |refutation, pool| {
        refutation.abstractions[0] = pool.truth(false);
    }),
    ("a variable with another meaning", |refutation, pool| {
        refutation.definitions[0].1 = pool.int(7);
    }),
    ("a variable defined twice", |refutation, _| {
        let first = refutation.definitions[0];
        refutation.definitions.push(first);
    }),
    ("an original variable with a new meaning", |refutation, pool| {
        let x = pool.int_var("x");
        let variable = pool.as_var(x).expect("a variable");
        let zero = pool.int(0);
        refutation.definitions.push((variable, zero));
    }),
    ("a missing definition", |refutation, _| refutation.definitions.clear()),
];

#[test]
fn damaged_refutations_are_rejected() {
    let mut world = World::new(0);
    let [x, y, z] = world.ints;
    let [a, b] = world.arrays;
    let pool = &mut world.pool;
    let zero = pool.int(0);
    let product = pool.mul(x, y);
    let (left, right) = (pool.select(a, z), pool.select(b, z));
    let nothing = pool.eq(product, zero);
    let read_differs = pool.ne(left, right);
    let formulas = [pool.gt(x, zero), pool.gt(y, zero), pool.or([nothing, read_differs]), pool.eq(a, b)];
    let answer = satisfiable(pool, &formulas, &Budget::unlimited());
    let Satisfiability::Unsat(refutation) = answer.satisfiability else { panic!("{answer:?}") };
    assert_eq!(refutation.check(pool, &formulas), Ok(()));
    for (name, damage) in DAMAGES {
        let mut damaged = refutation.clone();
        damage(&mut damaged, pool);
        assert!(damaged.check(pool, &formulas).is_err(), "{name} is accepted");
    }
    assert!(refutation.check(pool, &formulas[..3]).is_err());
    // A witness is a constant that nobody else speaks about.
    let witness = lemma::witness(pool, formulas[3]);
    let about_witness = pool.eq(witness, zero);
    let mentioned = [formulas[0], formulas[1], formulas[2], formulas[3], about_witness];
    let answer = satisfiable(pool, &mentioned, &Budget::unlimited());
    if let Satisfiability::Unsat(refutation) = answer.satisfiability {
        assert!(matches!(refutation.check(pool, &mentioned), Err(RefutationError::WitnessUsed(_))));
    }
}
