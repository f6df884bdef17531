//! Large numbers, many variables, degenerate systems: everything ends, nothing overflows, and what
//! is answered is right.

#[path = "differential/campaign/random.rs"]
mod random;

use random::{Random, Shape, conjunction};
use rely_base::{Budget, CancelToken, Id, StopReason};
use rely_logic::domains::{Intervals, NumericDomain, Octagons, Polyhedra};
use rely_logic::interpolate::{Interpolation, Preferences, interpolate, interpolate_sequence};
use rely_logic::project::project;
use rely_logic::{
    Conjunction, Constraint, Domain, Entailment, FormulaSolver, Integer, LinearForm, Notation, Reason,
    Relation, Satisfiability, TermId, TermPool, VarId, Verdict, satisfiable,
};

const MANY: usize = 10_000;

fn var(index: usize) -> VarId {
    VarId::from_index(index)
}

fn sparse(terms: &[(usize, i64)], constant: i64, relation: Relation) -> Constraint {
    Constraint::new(LinearForm::new(terms.iter().map(|&(index, c)| (var(index), c)), constant), relation)
}

/// The answer, with its evidence checked.
fn decide(constraints: &[Constraint], budget: &Budget) -> Verdict {
    let mut solver = Conjunction::new(Domain::Integers);
    for constraint in constraints {
        solver.assert(constraint);
    }
    let verdict = solver.check(budget);
    match verdict {
        Verdict::Sat => {
            let model = solver.model().expect("a model after sat");
            let value = |variable| model.integer(variable).unwrap_or_default();
            assert!(constraints.iter().all(|constraint| constraint.holds(value)));
        }
        Verdict::Unsat => {
            let proof = solver.proof().expect("a proof after unsat");
            assert_eq!(proof.check(Domain::Integers, constraints), Ok(()));
        }
        Verdict::Unknown(_) => {}
    }
    verdict
}

/// The same question with numbers of about 200 bits: coefficients are multiplied by odd numbers and
/// moved by small ones, constants too.
fn enlarged(random: &mut Random, constraint: &Constraint) -> Constraint {
    let mut large = |number: &Integer| {
        let bits = random.between(150, 200) as u32;
        number * &(Integer::from(2).pow(bits) + Integer::from(random.between(-9, 9)))
    };
    let form = constraint.form();
    let terms: Vec<(VarId, Integer)> =
        form.terms().iter().map(|(variable, factor)| (*variable, large(factor))).collect();
    let constant = large(form.constant_term());
    Constraint::new(LinearForm::new(terms, constant), constraint.relation())
}

/// Small systems with coefficients of up to 200 bits.
fn large_numbers(seed: u64) -> Vec<Constraint> {
    let mut random = Random::new(seed);
    let shape =
        Shape { variables: 4, constraints: 6, general_percent: 60, ..Shape::like_engines(&mut random) };
    let small = conjunction(&mut random, shape);
    small.iter().map(|constraint| enlarged(&mut random, constraint)).collect()
}

#[test]
fn conjunctions_with_large_numbers() {
    let budget = Budget::unlimited();
    let (mut sat, mut unsat, mut unknown) = (0, 0, 0);
    for seed in 0..50 {
        let constraints = large_numbers(seed);
        match decide(&constraints, &budget) {
            Verdict::Sat => sat += 1,
            Verdict::Unsat => unsat += 1,
            Verdict::Unknown(_) => unknown += 1,
        }
        let mut context = Conjunction::new(Domain::Integers);
        constraints[1..].iter().for_each(|constraint| {
            context.assert(constraint);
        });
        let entailed = context.entails(&constraints[0].negated(), &budget);
        if entailed == Entailment::Yes {
            assert_ne!(decide(&constraints, &budget), Verdict::Sat);
        }
    }
    assert!(sat > 10 && unsat > 10 && unknown < 5, "{sat} sat, {unsat} unsat, {unknown} unknown");
}

#[test]
fn projections_and_domains_with_large_numbers() {
    for seed in 0..30 {
        let constraints = large_numbers(seed);
        let budget = Budget::unlimited();
        let shadow = project(Domain::Integers, &constraints, &[var(0), var(1)], &budget);
        let (mut intervals, mut octagons, mut polyhedra) =
            (Intervals::top(), Octagons::top(), Polyhedra::top());
        for constraint in &constraints {
            intervals.meet(constraint);
            octagons.meet(constraint);
            polyhedra.meet(constraint);
        }
        let wider = polyhedra.widen(&polyhedra.join(&Polyhedra::from_constraints(&shadow.constraints)));
        let mut solver = Conjunction::new(Domain::Integers);
        constraints.iter().for_each(|constraint| {
            solver.assert(constraint);
        });
        let found = shadow.constraints.iter().cloned();
        let found = found.chain(intervals.constraints()).chain(octagons.constraints());
        for constraint in found.chain(wider.constraints()) {
            assert_ne!(solver.entails(&constraint, &budget), Entailment::No, "{constraint}");
        }
    }
}

#[test]
fn interpolants_with_large_numbers() {
    let mut found = 0;
    for seed in 0..20 {
        let constraints = large_numbers(seed);
        let mut pool = TermPool::new();
        let variables: Vec<VarId> = (0..4)
            .map(|index| {
                let term = pool.int_var(&format!("x{index}"));
                pool.as_var(term).expect("a variable")
            })
            .collect();
        let terms: Vec<TermId> = constraints
            .iter()
            .map(|constraint| pool.constraint_term(&constraint.rename(|v| variables[v.index()])))
            .collect();
        let (a, b) = (pool.and(terms[..3].to_vec()), pool.and(terms[3..].to_vec()));
        let budget = Budget::unlimited();
        if let Interpolation::Found(middle) = interpolate(&mut pool, a, b, &Preferences::default(), &budget) {
            found += 1;
            let not_middle = pool.not(middle);
            for question in [[a, not_middle], [middle, b]] {
                let answer = satisfiable(&mut pool, &question, &budget);
                assert!(!matches!(answer.satisfiability, Satisfiability::Sat(_)));
            }
        }
    }
    assert!(found > 5, "{found}");
}

/// Sums of three neighbours in a ring.
fn ring() -> Vec<Constraint> {
    let triple = |index: usize| [(index, 1), ((index + 1) % MANY, 1), ((index + 2) % MANY, 1)];
    let mut sums: Vec<Constraint> =
        (0..MANY - 2).map(|index| sparse(&triple(index), -(index as i64 % 7), Relation::Le)).collect();
    sums.extend((0..MANY).map(|index| sparse(&[(index, -1)], 0, Relation::Le)));
    sums
}

#[test]
fn many_variables_in_sums() {
    let budget = Budget::unlimited();
    let mut sums = ring();
    assert_eq!(decide(&sums, &budget), Verdict::Sat);
    sums.push(sparse(&[(6, 1), (7, 1), (8, 1)], -6, Relation::Lt));
    sums.push(sparse(&[(7, 1), (8, 1), (9, 1)], -9, Relation::Eq));
    assert_eq!(decide(&sums, &budget), Verdict::Unsat);
}

fn chain_terms(pool: &mut TermPool) -> Vec<TermId> {
    let variables: Vec<TermId> = (0..MANY).map(|index| pool.int_var(&format!("x{index}"))).collect();
    variables.windows(2).map(|pair| pool.lt(pair[0], pair[1])).collect()
}

#[test]
fn many_variables_in_formulas() {
    let mut pool = TermPool::new();
    let mut chain = chain_terms(&mut pool);
    let (first, last) = (pool.int_var("x0"), pool.int_var(&format!("x{}", MANY - 1)));
    chain.push(pool.lt(last, first));
    let budget = Budget::unlimited();
    let mut solver = FormulaSolver::new(10);
    let answer = solver.satisfiable(&mut pool, &chain, &budget);
    let Satisfiability::Unsat(refutation) = &answer.satisfiability else { panic!("a ring is no order") };
    assert_eq!(refutation.check(&mut pool, &chain), Ok(()));
    let zero = pool.int(0);
    let choices: Vec<TermId> = (0..MANY / 2)
        .map(|index| {
            let [x, y] = [index, index + MANY / 2].map(|index| pool.int_var(&format!("x{index}")));
            let (below, above) = (pool.lt(x, zero), pool.lt(zero, y));
            pool.or([below, above])
        })
        .collect();
    let answer = solver.satisfiable(&mut pool, &choices, &budget);
    assert!(matches!(answer.satisfiability, Satisfiability::Sat(_)), "each choice is free");
}

#[test]
fn many_variables_in_interpolants() {
    let mut pool = TermPool::new();
    let chain = chain_terms(&mut pool);
    let (first, last) = (pool.int_var("x0"), pool.int_var(&format!("x{}", MANY - 1)));
    let (a, back) = (pool.and(chain[..MANY / 2].to_vec()), pool.lt(last, first));
    let mut rest = chain[MANY / 2..].to_vec();
    rest.push(back);
    let b = pool.and(rest);
    let budget = Budget::unlimited();
    let answer = interpolate(&mut pool, a, b, &Preferences::default(), &budget);
    let Interpolation::Found(middle) = answer else { panic!("a ring is no order") };
    assert_eq!(pool.display(middle, Notation::C).to_string(), "x0 + 5000 <= x5000");
    let mut sequence = chain[..100].to_vec();
    let hundredth = pool.int_var("x100");
    sequence.push(pool.lt(hundredth, first));
    let answer = interpolate_sequence(&mut pool, &sequence, &Preferences::default(), &budget);
    let Interpolation::Found(middles) = answer else { panic!("a ring is no order") };
    assert_eq!(pool.display(middles[98], Notation::C).to_string(), "x0 + 99 <= x99");
}

#[test]
fn many_variables_in_projections() {
    let chain: Vec<Constraint> =
        (1..MANY).map(|index| sparse(&[(index - 1, 1), (index, -1)], 1, Relation::Le)).collect();
    let inner: Vec<VarId> = (1..MANY - 1).map(var).collect();
    let budget = Budget::unlimited();
    let shadow = project(Domain::Integers, &chain, &inner, &budget);
    assert!(shadow.is_exact);
    assert_eq!(shadow.constraints, [sparse(&[(0, 1), (MANY - 1, -1)], MANY as i64 - 1, Relation::Le)]);
    let mut element = Polyhedra::from_constraints(&chain[..1_000]);
    element.forget(var(3));
    assert!(element.entails(&sparse(&[(0, 1), (1_000, -1)], 1_000, Relation::Le)));
}

#[test]
fn many_bounds_on_one_variable() {
    // Eliminating the middle would leave a million constraints.
    let mut star: Vec<Constraint> =
        (1..=1_000).map(|index| sparse(&[(0, 2), (index, -3)], 1, Relation::Le)).collect();
    star.extend((1_001..=2_000).map(|index| sparse(&[(0, -5), (index, 7)], 1, Relation::Le)));
    let shadow = project(Domain::Integers, &star, &[var(0)], &Budget::unlimited());
    assert!(!shadow.is_exact);
    assert!(shadow.constraints.len() <= star.len());
}

#[test]
fn an_ended_budget_ends_everything() {
    let token = CancelToken::new();
    token.cancel();
    let budget = Budget::unlimited().with_token(token);
    let sums = ring();
    assert!(matches!(decide(&sums, &budget), Verdict::Unknown(Reason::Stopped(StopReason::Cancelled))));
    let shadow = project(Domain::Integers, &sums, &[var(5), var(6)], &budget);
    assert!(!shadow.is_exact);
    assert!(shadow.constraints.iter().all(|c| !c.form().contains(var(5)) && !c.form().contains(var(6))));
    let mut pool = TermPool::new();
    let chain = chain_terms(&mut pool);
    let answer = interpolate_sequence(&mut pool, &chain, &Preferences::default(), &budget);
    assert!(matches!(answer, Interpolation::Unknown(_)), "nothing is found without time");
    let answer = satisfiable(&mut pool, &chain, &budget);
    assert!(matches!(answer.satisfiability, Satisfiability::Unknown(_)), "nothing is found without time");
}

/// Coefficients that grow exponentially: the numbers of the tableau count as memory, too.
#[test]
fn memory_counts_the_digits() {
    let constraints: Vec<Constraint> = (0..60)
        .map(|index| sparse(&[(index, 3), (index + 1, -7), (index + 2, -5)], 1, Relation::Eq))
        .collect();
    let large: Vec<Constraint> =
        constraints.iter().map(|constraint| enlarged(&mut Random::new(1), constraint)).collect();
    let budget = Budget::builder().memory_bytes(40_000).build();
    let verdict = decide(&large, &budget);
    assert_eq!(verdict, Verdict::Unknown(Reason::Stopped(StopReason::Memory)));
}
