//! Random constraints, seeded and the same on every machine.

use rely_base::Id;
use rely_logic::{Constraint, LinearForm, Relation, VarId};

/// SplitMix64: small, fast, good enough to make test cases.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1) as u64) as i64
    }

    /// True this often.
    pub fn percent(&mut self, percent: i64) -> bool {
        self.between(1, 100) <= percent
    }

    /// One of the items.
    pub fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.between(0, items.len() as i64 - 1) as usize]
    }
}

/// The shape of a random conjunction.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// How many variables there are.
    pub variables: i64,
    /// How many constraints.
    pub constraints: usize,
    /// How many percent of the constraints are general, not differences or bounds.
    pub general_percent: i64,
    /// The largest coefficient of a general constraint.
    pub largest_coefficient: i64,
}

impl Shape {
    /// What engines ask: few variables, mostly differences.
    pub fn like_engines(random: &mut Random) -> Self {
        Self {
            variables: random.between(5, 20),
            constraints: random.between(5, 30) as usize,
            general_percent: 10,
            largest_coefficient: 3,
        }
    }
}

/// A conjunction of the given shape.
pub fn conjunction(random: &mut Random, shape: Shape) -> Vec<Constraint> {
    (0..shape.constraints).map(|_| constraint(random, shape)).collect()
}

/// One constraint of the given shape.
pub fn constraint(random: &mut Random, shape: Shape) -> Constraint {
    let form = if random.percent(shape.general_percent) {
        general_form(random, shape)
    } else if random.percent(75) && shape.variables > 1 {
        let (left, right) = two_variables(random, shape.variables);
        LinearForm::new([(left, 1), (right, -1)], random.between(-6, 10))
    } else {
        let sign = *random.pick(&[1, -1]);
        LinearForm::new([(variable(random, shape.variables), sign)], random.between(-12, 12))
    };
    let relation = match random.between(1, 100) {
        1..=15 => Relation::Eq,
        16..=22 => Relation::Ne,
        _ => Relation::Le,
    };
    Constraint::new(form, relation)
}

fn general_form(random: &mut Random, shape: Shape) -> LinearForm {
    let count = random.between(2, 4);
    let terms: Vec<(VarId, i64)> = (0..count)
        .map(|_| {
            let coefficient = random.between(-shape.largest_coefficient, shape.largest_coefficient);
            (variable(random, shape.variables), coefficient)
        })
        .collect();
    LinearForm::new(terms, random.between(-15, 15))
}

fn variable(random: &mut Random, variables: i64) -> VarId {
    VarId::from_index(random.between(0, variables - 1) as usize)
}

fn two_variables(random: &mut Random, variables: i64) -> (VarId, VarId) {
    let left = random.between(0, variables - 1);
    let right = (left + random.between(1, variables - 1)) % variables;
    (VarId::from_index(left as usize), VarId::from_index(right as usize))
}
