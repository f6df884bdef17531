//! Hypotheses, divided into parts that have nothing to do with each other.
//!
//! Formulas belong together if they mention the same variables. What follows from hypotheses
//! follows from the parts whose variables it mentions, unless one of the parts contradicts itself;
//! so each question can be asked about a few formulas instead of all. The same few formulas occur
//! in many obligations, and an answer that is known need not be found again. Fewer hypotheses never
//! prove more: nothing here has to be trusted.

use super::encode::Encoder;
use rely_logic::{TermId, VarId as Symbol};
use rustc_hash::FxHashMap;

/// Hypotheses by what they are about.
#[derive(Debug)]
pub(super) struct Parts {
    /// Each in ascending order, so that equal parts look equal.
    parts: Vec<Vec<TermId>>,
    /// The part that mentions a variable.
    by_symbol: FxHashMap<Symbol, usize>,
}

impl Parts {
    pub(super) fn new(encoder: &mut Encoder<'_>, hypotheses: &[TermId]) -> Self {
        let mut sorted = hypotheses.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let mut parts: Vec<Vec<TermId>> = Vec::new();
        let mut by_symbol: FxHashMap<Symbol, usize> = FxHashMap::default();
        for hypothesis in sorted {
            let own = parts.len();
            parts.push(vec![hypothesis]);
            for &symbol in encoder.symbols(hypothesis).iter() {
                let met = *by_symbol.entry(symbol).or_insert(own);
                if met != own {
                    let moved = std::mem::take(&mut parts[met]);
                    parts[own].extend(moved);
                    by_symbol.values_mut().filter(|part| **part == met).for_each(|part| *part = own);
                }
            }
        }
        parts.iter_mut().for_each(|part| part.sort_unstable());
        Self { parts, by_symbol }
    }

    /// The parts of several formulas.
    pub(super) fn several(&self) -> impl Iterator<Item = &[TermId]> {
        self.parts.iter().map(Vec::as_slice).filter(|part| part.len() > 1)
    }

    /// The hypotheses that have to do with a formula.
    pub(super) fn about(&self, encoder: &mut Encoder<'_>, formula: TermId) -> Vec<TermId> {
        let symbols = encoder.symbols(formula);
        let mut concerned: Vec<usize> =
            symbols.iter().filter_map(|symbol| self.by_symbol.get(symbol).copied()).collect();
        concerned.sort_unstable();
        concerned.dedup();
        concerned.into_iter().flat_map(|part| self.parts[part].iter().copied()).collect()
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
