//! Random constraints, seeded and the same on every machine.

use rely_base::Id;
pub use rely_base::Random;
use rely_logic::{Constraint, LinearForm, Relation, VarId};

/// The shape of a random conjunction.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// How many variables there are.
    pub variables: i64,
    /// How many constraints.
    pub constraints: usize,
    /// How many percent of the constraints are general, not differences or bounds.
    pub general_percent: usize,
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
