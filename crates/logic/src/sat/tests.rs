//! Random formulas against brute force, damaged proofs, and formulas of extreme shape.

use rely_base::{Arena, Budget, CancelToken, Id, StopReason};

use super::*;
use crate::arith::Integer;
use crate::certificate::{Hypothesis, Proof};
use crate::conjunction::Limits;
use crate::term::{Node, TermId, TermPool};

/// A small generator of random numbers; the seed is the test.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as u64) as i64
    }
}

/// Three integers from -3 to 3 and two truth values.
struct World {
    pool: TermPool,
    ints: Vec<TermId>,
    flags: Vec<TermId>,
    random: Random,
}

const RADIUS: i64 = 3;

impl World {
    fn new(seed: u64) -> Self {
        let mut pool = TermPool::new();
        let ints = ["x", "y", "z"].map(|name| pool.int_var(name)).to_vec();
        let flags = ["p", "q"].map(|name| pool.bool_var(name)).to_vec();
        Self { pool, ints, flags, random: Random(seed) }
    }

    fn atom(&mut self) -> TermId {
        if self.random.below(4) == 0 {
            return self.flags[self.random.below(2) as usize];
        }
        let terms: Vec<_> = self
            .ints
            .clone()
            .into_iter()
            .map(|int| (int, Integer::from(self.random.between(-2, 2))))
            .collect();
        let sum = self.pool.sum(terms, Integer::from(self.random.between(-5, 5)));
        if self.random.below(3) == 0 { self.pool.eq_zero(sum) } else { self.pool.le_zero(sum) }
    }

    fn formula(&mut self, depth: u32) -> TermId {
        if depth == 0 {
            return self.atom();
        }
        match self.random.below(7) {
            0 => self.atom(),
            1 => {
                let inner = self.formula(depth - 1);
                self.pool.not(inner)
            }
            2 => {
                let (left, right) = (self.formula(depth - 1), self.formula(depth - 1));
                self.pool.iff(left, right)
            }
            kind => {
                let count = self.random.between(2, 4);
                let parts: Vec<_> = (0..count).map(|_| self.formula(depth - 1)).collect();
                if kind % 2 == 0 { self.pool.and(parts) } else { self.pool.or(parts) }
            }
        }
    }

    /// The bounds of the integers, as formulas.
    fn bounds(&mut self) -> Vec<TermId> {
        let (low, high) = (self.pool.int(-RADIUS), self.pool.int(RADIUS));
        let mut bounds = Vec::new();
        for int in self.ints.clone() {
            bounds.push(self.pool.le(low, int));
            bounds.push(self.pool.le(int, high));
        }
        bounds
    }

    fn is_satisfiable(&self, formula: TermId) -> bool {
        let side = 2 * RADIUS + 1;
        (0..side.pow(3) * 4).any(|number| {
            let coordinate = |place: u32| number / side.pow(place) % side - RADIUS;
            let flags = number / side.pow(3);
            let point = Point { ints: [0, 1, 2].map(coordinate), flags: [flags & 1 == 1, flags & 2 == 2] };
            self.truth(formula, &point)
        })
    }

    /// The meaning of a formula, straight from the definition.
    fn truth(&self, formula: TermId, point: &Point) -> bool {
        match self.pool.node(formula) {
            Node::Bool(value) => *value,
            Node::Var(variable) => point.flags[variable.index() - 3],
            Node::LeZero(inner) => self.number(*inner, point) <= 0,
            Node::EqZero(inner) => self.number(*inner, point) == 0,
            Node::Not(inner) => !self.truth(*inner, point),
            Node::And(parts) => parts.iter().all(|&part| self.truth(part, point)),
            Node::Or(parts) => parts.iter().any(|&part| self.truth(part, point)),
            Node::Iff(left, right) => self.truth(*left, point) == self.truth(*right, point),
            other => panic!("{other:?} is not made here"),
        }
    }

    fn number(&self, term: TermId, point: &Point) -> i64 {
        let small = |value: &Integer| value.to_i64().expect("small");
        match self.pool.node(term) {
            Node::Var(variable) => point.ints[variable.index()],
            Node::Sum(sum) => {
                let scaled = |(term, factor): &(TermId, Integer)| small(factor) * self.number(*term, point);
                small(&sum.constant) + sum.terms.iter().map(scaled).sum::<i64>()
            }
            other => panic!("{other:?} is not made here"),
        }
    }
}

struct Point {
    ints: [i64; 3],
    flags: [bool; 2],
}

/// Asserts formulas and asks; both answers are checked independently.
fn decide(solver: &mut Solver, pool: &TermPool) -> bool {
    match solver.check(pool, &Budget::unlimited()) {
        Outcome::Sat => {
            let interpretation = solver.interpretation().expect("there is a model");
            assert!(solver.formulas().iter().all(|&formula| interpretation.satisfies(pool, formula)));
            true
        }
        Outcome::Unsat => {
            let proof = solver.proof().expect("there is a proof");
            assert_eq!(proof.check(pool, solver.formulas()), Ok(()));
            false
        }
        Outcome::Unknown(obstacle) => panic!("{obstacle}"),
    }
}

#[test]
fn random_formulas_agree_with_brute_force() {
    let (mut sat, mut unsat) = (0, 0);
    for seed in 0..3000 {
        let mut world = World::new(seed);
        let depth = 2 + (seed % 2) as u32;
        let mut formulas: Vec<TermId> = (0..3).map(|_| world.formula(depth)).collect();
        formulas.extend(world.bounds());
        let mut solver = Solver::new();
        for &formula in &formulas {
            solver.assert(&mut world.pool, formula).expect("linear");
        }
        let whole = world.pool.and(formulas.clone());
        let expected = world.is_satisfiable(whole);
        assert_eq!(decide(&mut solver, &world.pool), expected, "seed {seed}");
        *(if expected { &mut sat } else { &mut unsat }) += 1;
    }
    assert!(sat > 600 && unsat > 600, "{sat} {unsat}");
}

#[test]
fn scopes_and_assumptions_agree_with_starting_over() {
    for seed in 0..150 {
        let mut world = World::new(seed + 10_000);
        let mut solver = Solver::new();
        for bound in world.bounds() {
            solver.assert(&mut world.pool, bound).expect("linear");
        }
        for _ in 0..12 {
            match world.random.below(4) {
                0 => solver.push(),
                1 if solver.formulas().len() > 6 => solver.pop(),
                _ => {
                    let formula = world.formula(2);
                    solver.assert(&mut world.pool, formula).expect("linear");
                }
            }
            if solver.formulas().len() < 6 {
                for bound in world.bounds() {
                    solver.assert(&mut world.pool, bound).expect("linear");
                }
            }
            let whole = world.pool.and(solver.formulas().to_vec());
            assert_eq!(decide(&mut solver, &world.pool), world.is_satisfiable(whole), "seed {seed}");
            let assumptions = [world.formula(1), world.formula(0), world.formula(2)];
            check_assumptions(&mut world, &mut solver, whole, &assumptions);
        }
    }
}

fn check_assumptions(world: &mut World, solver: &mut Solver, whole: TermId, assumptions: &[TermId]) {
    let mut all = assumptions.to_vec();
    all.push(whole);
    let with_assumptions = world.pool.and(all);
    let expected = world.is_satisfiable(with_assumptions);
    let outcome = solver.check_assuming(&mut world.pool, assumptions, &Budget::unlimited());
    match outcome.expect("linear") {
        Outcome::Sat => {
            assert!(expected);
            assert!(solver.interpretation().expect("sat").satisfies(&world.pool, with_assumptions));
        }
        Outcome::Unsat => {
            assert!(!expected);
            let formulas: Vec<TermId> = solver.formulas().iter().chain(assumptions).copied().collect();
            let proof = solver.proof().expect("unsat");
            assert_eq!(proof.check(&world.pool, &formulas), Ok(()));
            let core: Vec<TermId> = proof.core().into_iter().map(|number| formulas[number]).collect();
            let core = world.pool.and(core);
            assert!(!world.is_satisfiable(core));
        }
        Outcome::Unknown(obstacle) => panic!("{obstacle}"),
    }
}

/// Pigeons in holes, a truth value for each pair.
fn pigeonhole(pool: &mut TermPool, pigeons: i64, holes: i64) -> Vec<TermId> {
    let mut formulas = Vec::new();
    let mut sits = |bird: i64, hole: i64| pool.bool_var(&format!("bird{bird}in{hole}"));
    let table: Vec<Vec<TermId>> =
        (0..pigeons).map(|bird| (0..holes).map(|hole| sits(bird, hole)).collect()).collect();
    for (place, row) in table.iter().enumerate() {
        formulas.push(pool.or(row.clone()));
        for other in &table[..place] {
            for (&here, &there) in row.iter().zip(other) {
                let both = pool.and([here, there]);
                formulas.push(pool.not(both));
            }
        }
    }
    formulas
}

/// Pigeons in holes, each pigeon with the number of its hole.
fn numbered_pigeonhole(pool: &mut TermPool, pigeons: i64, holes: i64) -> Vec<TermId> {
    let mut formulas = Vec::new();
    let birds: Vec<TermId> = (0..pigeons).map(|bird| pool.int_var(&format!("bird{bird}"))).collect();
    let (first, last) = (pool.int(1), pool.int(holes));
    for (place, &bird) in birds.iter().enumerate() {
        formulas.push(pool.le(first, bird));
        formulas.push(pool.le(bird, last));
        formulas.extend(birds[..place].iter().map(|&other| pool.ne(bird, other)));
    }
    formulas
}

#[test]
fn pigeons_need_as_many_holes() {
    let check = |pigeons: i64, holes: i64, make: fn(&mut TermPool, i64, i64) -> Vec<TermId>| {
        let mut pool = TermPool::new();
        let mut solver = Solver::new();
        for formula in make(&mut pool, pigeons, holes) {
            solver.assert(&mut pool, formula).expect("linear");
        }
        assert_eq!(decide(&mut solver, &pool), pigeons <= holes, "{pigeons} {holes}");
    };
    for (pigeons, holes) in [(5, 5), (6, 5), (7, 6)] {
        check(pigeons, holes, pigeonhole);
    }
    for (pigeons, holes) in [(4, 4), (4, 3), (7, 7), (7, 6)] {
        check(pigeons, holes, numbered_pigeonhole);
    }
}

#[test]
fn deep_formulas_do_not_exhaust_the_stack() {
    let mut pool = TermPool::new();
    let (p, q, x) = (pool.bool_var("p"), pool.bool_var("q"), pool.int_var("x"));
    let zero = pool.int(0);
    let positive = pool.gt(x, zero);
    let mut formula = p;
    for level in 0..50_000 {
        formula = match level % 3 {
            0 => pool.iff(formula, q),
            1 => pool.and([formula, positive]),
            _ => pool.or([formula, p]),
        };
    }
    let mut solver = Solver::new();
    solver.assert(&mut pool, formula).expect("linear");
    assert!(decide(&mut solver, &pool));
    let nothing = pool.not(positive);
    let no_p = pool.not(p);
    let no_q = pool.not(q);
    solver.assert(&mut pool, nothing).expect("linear");
    solver.assert(&mut pool, no_p).expect("linear");
    solver.assert(&mut pool, no_q).expect("linear");
    decide(&mut solver, &pool);
}

#[test]
fn a_budget_that_ended_means_unknown() {
    let mut pool = TermPool::new();
    let mut solver = Solver::new();
    for formula in pigeonhole(&mut pool, 9, 8) {
        solver.assert(&mut pool, formula).expect("linear");
    }
    let token = CancelToken::new();
    token.cancel();
    let cancelled = Budget::unlimited().with_token(token);
    let stopped = |reason| Outcome::Unknown(Obstacle::Stopped(reason));
    assert_eq!(solver.check(&pool, &cancelled), stopped(StopReason::Cancelled));
    let small = Budget::builder().memory_bytes(100_000).build();
    assert_eq!(solver.check(&pool, &small), stopped(StopReason::Memory));
    // An interrupted search can be taken up again.
    assert!(!decide(&mut solver, &pool));
}

#[test]
fn other_terms_are_refused() {
    let mut pool = TermPool::new();
    let (x, y) = (pool.int_var("x"), pool.int_var("y"));
    let product = pool.mul(x, y);
    let atom = pool.le_zero(product);
    let less = pool.lt(x, y);
    let formula = pool.or([less, atom]);
    let mut solver = Solver::new();
    assert_eq!(solver.assert(&mut pool, formula), Err(NotLinear(atom)));
    assert!(solver.formulas().is_empty());
    assert_eq!(solver.check_assuming(&mut pool, &[formula], &Budget::unlimited()), Err(NotLinear(atom)));
    assert!(decide(&mut solver, &pool));
}

#[test]
fn constants_are_formulas_too() {
    let mut pool = TermPool::new();
    let (yes, no) = (pool.truth(true), pool.truth(false));
    let mut solver = Solver::new();
    solver.assert(&mut pool, yes).expect("linear");
    assert!(decide(&mut solver, &pool));
    assert_eq!(solver.check_assuming(&mut pool, &[yes, no], &Budget::unlimited()), Ok(Outcome::Unsat));
    assert_eq!(solver.proof().expect("unsat").check(&pool, &[yes, yes, no]), Ok(()));
    assert!(decide(&mut solver, &pool));
    let p = pool.bool_var("p");
    let no_p = pool.not(p);
    assert_eq!(solver.check_assuming(&mut pool, &[p, no_p], &Budget::unlimited()), Ok(Outcome::Unsat));
    assert_eq!(solver.proof().expect("unsat").check(&pool, &[yes, p, no_p]), Ok(()));
    solver.assert(&mut pool, no).expect("linear");
    assert!(!decide(&mut solver, &pool));
}

#[test]
fn a_conjunction_that_is_too_hard_is_no_answer() {
    // Huge coefficients and a tiny budget of case distinctions: the answer may be missing, never
    // wrong, and the solver stays usable.
    let mut pool = TermPool::new();
    let (x, y, p) = (pool.int_var("x"), pool.int_var("y"), pool.bool_var("p"));
    let mut solver = Solver::with_limits(Limits { splits: 0, cuts: 0, ..Limits::default() });
    let sum = pool.sum([(x, 3.into()), (y, 5.into())], Integer::ZERO);
    let (four, two, zero) = (pool.int(4), pool.int(2), pool.int(0));
    let exactly = pool.eq(sum, four);
    let bounds =
        [pool.le(zero, x), pool.le(x, two), pool.le(zero, y), pool.le(y, two), pool.or([exactly, p])];
    for bound in bounds {
        solver.assert(&mut pool, bound).expect("linear");
    }
    assert!(decide(&mut solver, &pool));
    let no_p = pool.not(p);
    let outcome = solver.check_assuming(&mut pool, &[no_p], &Budget::unlimited()).expect("linear");
    assert!(matches!(outcome, Outcome::Unknown(Obstacle::Conjunction(_))), "{outcome:?}");
    assert!(decide(&mut solver, &pool));
}

/// Formulas with a contradiction that takes all kinds of clauses.
fn contradiction(pool: &mut TermPool) -> Vec<TermId> {
    let (x, y, p) = (pool.int_var("x"), pool.int_var("y"), pool.bool_var("p"));
    let less = pool.lt(x, y);
    let equal = pool.eq(x, y);
    let one = pool.int(1);
    let small = pool.lt(y, one);
    let big = pool.gt(x, one);
    let both = pool.and([p, equal]);
    let first = pool.or([less, both]);
    let second = pool.and([small, big]);
    let no_p = pool.not(p);
    let third = pool.or([second, no_p]);
    let fourth = pool.iff(p, less);
    let not_less = pool.not(less);
    let fifth = pool.or([p, not_less, big]);
    let sixth = pool.or([p, not_less, small]);
    let seventh = pool.or([p, less, big]);
    vec![first, third, fourth, fifth, sixth, seventh]
}

/// Damages a proof in some way; tells whether there was something to damage.
type Damage = fn(&mut Vec<ProofClause>) -> bool;

fn last_resolution(clauses: &mut [ProofClause]) -> Option<&mut ProofClause> {
    clauses.iter_mut().rev().find(|clause| matches!(clause.origin, Origin::Resolution { .. }))
}

fn lemma_node(clauses: &mut [ProofClause]) -> Option<(usize, Proof)> {
    clauses.iter().enumerate().find_map(|(place, clause)| match &clause.origin {
        Origin::Lemma { proof } if proof.as_farkas().is_some() => Some((place, proof.clone())),
        _ => None,
    })
}

const DAMAGES: &[(&str, Damage)] = &[
    ("no clause at all", |clauses| {
        clauses.clear();
        true
    }),
    ("no empty clause", |clauses| clauses.pop().is_some()),
    ("an antecedent dropped", |clauses| {
        let Some(ProofClause { origin: Origin::Resolution { steps, .. }, .. }) = last_resolution(clauses)
        else {
            return false;
        };
        *steps = steps[1..].into();
        true
    }),
    ("a wrong pivot", |clauses| {
        let other = clauses[0].literals[0].atom();
        let Some(ProofClause { origin: Origin::Resolution { steps, .. }, .. }) = last_resolution(clauses)
        else {
            return false;
        };
        let changed = steps[0].0 != other;
        steps[0].0 = other;
        changed
    }),
    ("a clause derived from itself", |clauses| {
        let place = clauses.len() - 1;
        let Origin::Resolution { first, .. } = &mut clauses[place].origin else { return false };
        *first = ClauseId::from_index(place);
        true
    }),
    ("an antecedent that does not exist", |clauses| {
        let Some(ProofClause { origin: Origin::Resolution { first, .. }, .. }) = last_resolution(clauses)
        else {
            return false;
        };
        *first = ClauseId::from_index(1 << 20);
        true
    }),
    ("a literal left out of a learnt clause", |clauses| {
        let learnt = clauses
            .iter_mut()
            .find(|clause| matches!(clause.origin, Origin::Resolution { .. }) && !clause.literals.is_empty());
        let Some(learnt) = learnt else { return false };
        learnt.literals = learnt.literals[1..].into();
        true
    }),
    ("a literal left out of an input", |clauses| {
        let input = clauses.iter_mut().find(|clause| matches!(clause.origin, Origin::Input { .. }));
        let Some(input) = input else { return false };
        input.literals = input.literals[1..].into();
        true
    }),
    ("an input of another formula", |clauses| {
        let input = clauses.iter_mut().find_map(|clause| match &mut clause.origin {
            Origin::Input { formula, .. } => Some(formula),
            _ => None,
        });
        let Some(formula) = input else { return false };
        *formula = (*formula + 1) % 6;
        true
    }),
    ("an input of no formula", |clauses| {
        let input = clauses.iter_mut().find_map(|clause| match &mut clause.origin {
            Origin::Input { formula, .. } => Some(formula),
            _ => None,
        });
        let Some(formula) = input else { return false };
        *formula = 77;
        true
    }),
    ("a conjunct that does not exist", |clauses| {
        let input = clauses.iter_mut().find_map(|clause| match &mut clause.origin {
            Origin::Input { conjunct, .. } => Some(conjunct),
            _ => None,
        });
        let Some(conjunct) = input else { return false };
        *conjunct = Some(99);
        true
    }),
    ("a definition with the wrong sign", |clauses| {
        let definition = clauses.iter_mut().find(|clause| matches!(clause.origin, Origin::Definition { .. }));
        let Some(definition) = definition else { return false };
        for literal in &mut definition.literals {
            *literal = literal.negated();
        }
        true
    }),
    ("a definition of something else", |clauses| {
        let atom = clauses.iter().find_map(|clause| match clause.origin {
            Origin::Lemma { .. } => Some(clause.literals[0].atom()),
            _ => None,
        });
        let definition = clauses.iter_mut().find_map(|clause| match &mut clause.origin {
            Origin::Definition { term, .. } => Some(term),
            _ => None,
        });
        let (Some(atom), Some(term)) = (atom, definition) else { return false };
        *term = atom;
        true
    }),
    ("an altered weight in a lemma", |clauses| {
        let Some((place, proof)) = lemma_node(clauses) else { return false };
        let mut combination = proof.as_farkas().expect("looked for").clone();
        combination[0].1 = &combination[0].1 + &Integer::from(7);
        clauses[place].origin = Origin::Lemma { proof: Proof::farkas(combination) };
        true
    }),
    ("a lemma with a hypothesis that does not exist", |clauses| {
        let Some((place, proof)) = lemma_node(clauses) else { return false };
        let mut combination = proof.as_farkas().expect("looked for").clone();
        combination[0].0 = Hypothesis(50);
        clauses[place].origin = Origin::Lemma { proof: Proof::farkas(combination) };
        true
    }),
    ("a lemma with a literal negated", |clauses| {
        let Some((place, _)) = lemma_node(clauses) else { return false };
        let literal = &mut clauses[place].literals[0];
        *literal = literal.negated();
        true
    }),
    ("a foreign clause", |clauses| {
        let Some(learnt) = last_resolution(clauses) else { return false };
        let origin = Origin::Lemma { proof: Proof::farkas(Vec::new()) };
        *learnt = ProofClause { literals: learnt.literals.clone(), origin };
        true
    }),
];

#[test]
fn damaged_proofs_are_rejected() {
    let mut pool = TermPool::new();
    let formulas = contradiction(&mut pool);
    let mut solver = Solver::new();
    for &formula in &formulas {
        solver.assert(&mut pool, formula).expect("linear");
    }
    assert_eq!(solver.check(&pool, &Budget::unlimited()), Outcome::Unsat);
    let proof = solver.proof().expect("unsat");
    assert_eq!(proof.check(&pool, &formulas), Ok(()));
    for (name, damage) in DAMAGES {
        let mut clauses: Vec<ProofClause> = proof.clauses().values().cloned().collect();
        assert!(damage(&mut clauses), "{name}: nothing to damage");
        let damaged = BooleanProof::new(clauses.into_iter().collect::<Arena<_, _>>());
        assert!(damaged.check(&pool, &formulas).is_err(), "{name} is accepted");
    }
    // The proof of one problem is no proof of another.
    assert!(proof.check(&pool, &formulas[1..]).is_err());
}

#[test]
fn a_solver_can_be_used_again() {
    let mut solver = Solver::new();
    for seed in 0..200 {
        let mut world = World::new(seed + 50_000);
        let mut formulas: Vec<TermId> = (0..3).map(|_| world.formula(2)).collect();
        formulas.extend(world.bounds());
        solver.reset();
        for &formula in &formulas {
            solver.assert(&mut world.pool, formula).expect("linear");
        }
        let whole = world.pool.and(formulas);
        assert_eq!(decide(&mut solver, &world.pool), world.is_satisfiable(whole), "seed {seed}");
        if seed % 3 == 0 {
            let assumption = world.formula(1);
            let outcome = solver.check_assuming(&mut world.pool, &[assumption], &Budget::unlimited());
            assert!(outcome.is_ok());
        }
    }
}
