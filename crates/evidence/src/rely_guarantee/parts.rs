//! Hypotheses, divided into parts that have nothing to do with each other.
//!
//! Formulas belong together if they mention the same variables. What follows from hypotheses
//! follows from the parts whose variables it mentions, unless one of the parts contradicts itself;
//! so each question can be asked about a few formulas instead of all. The same few formulas occur
//! in many obligations, and an answer that is known need not be found again. Fewer hypotheses never
//! prove more: nothing here has to be trusted.

use crate::obligations::encode::Encoder;
use rely_logic::{TermId, VarId as Symbol};
use rustc_hash::FxHashMap;

/// Hypotheses by what they are about.
#[derive(Debug)]
pub(crate) struct Parts {
    /// Each in ascending order, so that equal parts look equal.
    parts: Vec<Vec<TermId>>,
    /// The part of each hypothesis.
    part_of: Vec<usize>,
    /// A hypothesis that mentions a variable.
    by_symbol: FxHashMap<Symbol, usize>,
}

impl Parts {
    pub(crate) fn new(encoder: &mut Encoder<'_>, hypotheses: &[TermId]) -> Self {
        let mut sorted = hypotheses.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let mut together = Forest::new(sorted.len());
        let mut by_symbol: FxHashMap<Symbol, usize> = FxHashMap::default();
        for (number, &hypothesis) in sorted.iter().enumerate() {
            for &symbol in encoder.symbols(hypothesis).iter() {
                let met = *by_symbol.entry(symbol).or_insert(number);
                together.join(met, number);
            }
        }
        let mut parts: Vec<Vec<TermId>> = Vec::new();
        let mut part_of = Vec::with_capacity(sorted.len());
        for (number, hypothesis) in sorted.into_iter().enumerate() {
            // The root is the first of its part, so the part of every other one is known already.
            let root = together.root(number);
            if root == number {
                part_of.push(parts.len());
                parts.push(vec![hypothesis]);
            } else {
                part_of.push(part_of[root]);
                parts[part_of[root]].push(hypothesis);
            }
        }
        Self { parts, part_of, by_symbol }
    }

    /// The parts of several formulas.
    pub(crate) fn several(&self) -> impl Iterator<Item = &[TermId]> {
        self.parts.iter().map(Vec::as_slice).filter(|part| part.len() > 1)
    }

    /// The hypotheses that have to do with a formula.
    pub(crate) fn about(&self, encoder: &mut Encoder<'_>, formula: TermId) -> Vec<TermId> {
        let symbols = encoder.symbols(formula);
        let mut concerned: Vec<usize> =
            symbols.iter().filter_map(|symbol| Some(self.part_of[*self.by_symbol.get(symbol)?])).collect();
        concerned.sort_unstable();
        concerned.dedup();
        concerned.into_iter().flat_map(|part| self.parts[part].iter().copied()).collect()
    }
}

/// Numbers that belong together, as trees whose roots are the smallest of each.
struct Forest {
    parents: Vec<usize>,
}

impl Forest {
    fn new(count: usize) -> Self {
        Self { parents: (0..count).collect() }
    }

    fn root(&mut self, mut number: usize) -> usize {
        while self.parents[number] != number {
            self.parents[number] = self.parents[self.parents[number]];
            number = self.parents[number];
        }
        number
    }

    fn join(&mut self, left: usize, right: usize) {
        let (left, right) = (self.root(left), self.root(right));
        self.parents[left.max(right)] = left.min(right);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rely_program::{ProgramBuilder, Sort};

    #[test]
    fn what_shares_variables_belongs_together() {
        let mut builder = ProgramBuilder::new("parts");
        builder.global("unused", Sort::Int, 0);
        let program = builder.finish().expect("a program");
        let mut encoder = Encoder::new(&program);
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| encoder.new_variable(name));
        let pool = &mut encoder.pool;
        let zero = pool.int(0);
        let [low_a, low_b, low_c, low_d] = [a, b, c, d].map(|term| pool.ge(term, zero));
        let (a_b, b_d) = (pool.le(a, b), pool.le(b, d));
        let parts = Parts::new(&mut encoder, &[low_d, low_a, low_b, low_c, a_b, b_d]);
        let mut together = vec![low_a, low_b, low_d, a_b, b_d];
        together.sort_unstable();
        assert_eq!(parts.several().collect::<Vec<_>>(), [together.as_slice()]);
        assert_eq!(parts.about(&mut encoder, low_c), [low_c]);
        assert_eq!(parts.about(&mut encoder, low_d), together);
        // A formula may connect parts that the hypotheses do not connect.
        let c_d = encoder.pool.le(c, d);
        assert_eq!(parts.about(&mut encoder, c_d).len(), 6);
        let unknown = encoder.new_variable("e");
        let unknown = encoder.pool.ge(unknown, zero);
        assert_eq!(parts.about(&mut encoder, unknown), []);
    }
}
