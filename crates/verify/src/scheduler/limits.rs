//! What strategies may do, and all limits together.

use rely_base::{Limits as _, define_limits};
use rely_engines::{
    SymbolicLimits, WalkLimits, deductive, explore, houdini, owicki_gries, parameterized, reduction,
    rely_guarantee, termination,
};

define_limits! {
    /// The limits of turns.
    pub struct TurnLimits {
        /// The size of the trees at which an attempt has to wait for the other one, at first. Later turns have
        /// twice as many nodes each.
        nodes_per_turn = 3_000,
        /// After how many turns a proof without trees is looked for. That can take longer than all trees so
        /// far, so they have a second turn first.
        turns_before_clauses = 2,
        /// The size of the trees at which a violation is looked for in the program itself, at first.
        nodes_before_exploration = 400,
        /// How many states are looked at then for each node: so many cost about half as much.
        states_per_node = 10,
    }
}

define_limits! {
    /// The limits of the portfolio.
    pub struct PortfolioLimits {
        /// How many states are explored before anything else is tried.
        states_at_first = 10_000,
        /// How many steps are tried for that. States with ever more threads have ever more steps.
        steps_at_first = 1_000_000,
        /// How many steps the check of what exploration claims may take before a proof is looked for meanwhile:
        /// the check explores the program as it was before any reduction, which may have far more states. Steps
        /// and not seconds, so that the evidence does not depend on how busy the machine is.
        check_steps_at_first = 8_000,
        /// How many steps of random walks come next.
        walk_steps = 50_000,
        /// How many steps deduction may take before rely-guarantee reasoning begins, where there are not enough
        /// cores for both: it is done soon or takes long.
        deduction_steps_at_first = 50_000,
        /// With more threads than this, all of them known, a sum that all steps keep is looked for before: steps of
        /// deduction take longer with every thread. Proofs of fewer threads are easier to read without numbers of threads.
        threads_of_deduction_at_first = 8,
    }
}

/// The limits of all engines and strategies that have some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Of the portfolio.
    pub portfolio: PortfolioLimits,
    /// Of turns between attempts of rely-guarantee reasoning.
    pub turns: TurnLimits,
    /// Of each of these attempts.
    pub rely_guarantee: rely_guarantee::Limits,
    /// Of exploration.
    pub explore: explore::Limits,
    /// Of random walks.
    pub walks: WalkLimits,
    /// Of deductive inference.
    pub deductive: deductive::Limits,
    /// Of the translation of programs into guarded commands, and of questions about these.
    pub symbolic: SymbolicLimits,
    /// Of clausal proofs.
    pub houdini: houdini::Limits,
    /// Of assertions by Horn clauses.
    pub owicki_gries: owicki_gries::Limits,
    /// Of the solver of these clauses.
    pub horn: owicki_gries::HornLimits,
    /// Of counting threads.
    pub parameterized: parameterized::Limits,
    /// Of the inference of blocks.
    pub reduction: reduction::Limits,
    /// Of the search for rankings.
    pub termination: termination::Limits,
}

impl Limits {
    /// The names of all limits, as in `houdini.cubes`, and their values.
    pub fn entries(&self) -> Vec<(String, u64)> {
        let parts: [(&str, &dyn rely_base::Limits); 15] = [
            ("portfolio", &self.portfolio),
            ("turns", &self.turns),
            ("explore", &self.explore),
            ("walks", &self.walks),
            ("rely-guarantee", &self.rely_guarantee),
            ("deductive", &self.deductive),
            ("houdini", &self.houdini),
            ("owicki-gries", &self.owicki_gries),
            ("horn", &self.horn),
            ("parameterized", &self.parameterized),
            ("reduction", &self.reduction),
            ("termination", &self.termination),
            ("symbolic", &self.symbolic.translation),
            ("solver", &self.symbolic.solver),
            ("interpolation", &self.symbolic.interpolation),
        ];
        let of = |(part, limits): (&str, &dyn rely_base::Limits)| {
            let entries = limits.entries().into_iter();
            entries.map(|(name, value)| (format!("{part}.{name}"), value)).collect::<Vec<_>>()
        };
        parts.into_iter().flat_map(of).collect()
    }

    /// Changes a limit; says whether there is one of this name.
    pub fn set(&mut self, name: &str, value: u64) -> bool {
        let Some((part, name)) = name.split_once('.') else { return false };
        match part {
            "portfolio" => self.portfolio.set(name, value),
            "turns" => self.turns.set(name, value),
            "explore" => self.explore.set(name, value),
            "walks" => self.walks.set(name, value),
            "rely-guarantee" => self.rely_guarantee.set(name, value),
            "deductive" => self.deductive.set(name, value),
            "symbolic" => self.symbolic.translation.set(name, value),
            "solver" => self.symbolic.solver.set(name, value),
            "interpolation" => self.symbolic.interpolation.set(name, value),
            "houdini" => self.houdini.set(name, value),
            "owicki-gries" => self.owicki_gries.set(name, value),
            "horn" => self.horn.set(name, value),
            "parameterized" => self.parameterized.set(name, value),
            "reduction" => self.reduction.set(name, value),
            "termination" => self.termination.set(name, value),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_can_be_changed_by_its_name() {
        let usual = Limits::default();
        for (name, value) in usual.entries() {
            let mut changed = usual;
            assert!(changed.set(&name, value + 1), "{name}");
            let differing: Vec<_> =
                changed.entries().into_iter().filter(|entry| !usual.entries().contains(entry)).collect();
            assert_eq!(differing, [(name, value + 1)]);
        }
        assert!(!Limits::default().set("houdini.magic", 1) && !Limits::default().set("cubes", 1));
    }
}
