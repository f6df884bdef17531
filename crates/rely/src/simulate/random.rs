//! Random values for what a program leaves open.

use rely_base::Random;
use rely_program::{Chooser, Domain, Expr, Op, Place, Program, Value};
use std::cell::RefCell;

/// Domains of at most this size are tried completely.
const SMALL_DOMAIN: u128 = 4;
/// How many values of a larger domain are tried at a time.
const SAMPLES: usize = 4;

/// Guesses values: those of small domains, and of large ones mostly the numbers that the
/// program itself mentions and their neighbours, since those decide its conditions.
#[derive(Debug)]
pub struct RandomValues {
    constants: Vec<Value>,
    random: RefCell<Random>,
}

impl RandomValues {
    /// Guesses for one program.
    pub fn new(program: &Program, random: Random) -> Self {
        let mut constants = vec![0, 1, 2, -1];
        let mut note = |expr: &Expr| {
            expr.walk(&mut |part| {
                if let Expr::Int(value) = part {
                    constants.extend([*value, value.saturating_sub(1), value.saturating_add(1)]);
                }
            });
        };
        program.requires().iter().for_each(&mut note);
        for op in program.edges().values().flat_map(|edge| &edge.ops) {
            match op {
                Op::Assume(condition, _) | Op::Check(condition, _) => note(condition),
                Op::Assign(assignments) => assignments.iter().for_each(|(_, value)| note(value)),
                Op::Spawn { arguments, .. } => arguments.iter().for_each(&mut note),
                Op::Havoc(Place::Element(_, index), _) | Op::Join(index) => note(index),
                Op::Havoc(Place::Scalar(_), _) | Op::Halt => {}
            }
        }
        constants.sort_unstable();
        constants.dedup();
        Self { constants, random: RefCell::new(random) }
    }

    /// A value of the domain, if it has one.
    pub fn sample(&self, domain: Domain) -> Option<Value> {
        let mut random = self.random.borrow_mut();
        let any = match domain {
            Domain::Bool => return Some(random.below(2) as Value),
            Domain::Range { low, high } if low > high => return None,
            Domain::Range { low, high } => {
                // Two draws cover every 64-bit type, with hardly any value left out.
                let mut half = || random.below(usize::MAX) as u128;
                let draw = (half() << 64) | half();
                low.saturating_add_unsigned(draw % domain.size().unwrap_or(u128::MAX)).min(high)
            }
            Domain::AllInts => random.below(200) as Value - 100,
        };
        let mentioned = self.constants[random.below(self.constants.len())];
        Some(if domain.contains(mentioned) && random.below(4) != 0 { mentioned } else { any })
    }
}

impl Chooser for RandomValues {
    fn choose(&self, domain: Domain, values: &mut Vec<Value>) -> bool {
        match domain {
            Domain::Bool => values.extend([0, 1]),
            Domain::Range { low, high } if domain.size().is_some_and(|size| size <= SMALL_DOMAIN) => {
                values.extend(low..=high);
            }
            Domain::Range { .. } | Domain::AllInts => {
                let first = values.len();
                values.extend((0..SAMPLES).filter_map(|_| self.sample(domain)));
                values[first..].sort_unstable();
                values.dedup();
                return false;
            }
        }
        let first = self.random.borrow_mut().below(values.len().max(1));
        values.rotate_left(first);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rely_program::ProgramBuilder;

    #[test]
    fn guesses_are_in_their_domain() {
        let program = ProgramBuilder::new("empty").finish().expect("well formed");
        let guesses = RandomValues::new(&program, Random::new(3));
        for domain in [
            Domain::Range { low: -5, high: 100 },
            Domain::Range { low: 1000, high: 1_000_000 },
            Domain::Range { low: Value::MIN, high: Value::MAX },
            Domain::AllInts,
        ] {
            let mut values = Vec::new();
            assert!(!guesses.choose(domain, &mut values));
            assert!(!values.is_empty());
            assert!(values.iter().all(|&value| domain.contains(value)), "{domain}: {values:?}");
        }
    }

    #[test]
    fn an_empty_domain_has_no_guesses() {
        let program = ProgramBuilder::new("empty").finish().expect("well formed");
        let mut values = Vec::new();
        assert!(
            RandomValues::new(&program, Random::new(3))
                .choose(Domain::Range { low: 1, high: 0 }, &mut values)
        );
        assert_eq!(values, []);
    }
}
