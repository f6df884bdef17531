//! Strategies by name. On the command line they are called engines: most of them are a single one.

use crate::{Limits, Portfolio, ReductionStrategy, RelyGuaranteeStrategy, Standard, Strategy};
use rely_engines::deductive::DeductiveOptions;
use rely_engines::{
    Bias, Deductive, Explore, ExploreOptions, Helping, Houdini, OwickiGries, Parameterized, Termination,
};

/// The names of all strategies.
pub const STRATEGY_NAMES: [&str; 11] = [
    "portfolio",
    "explore",
    "rely-guarantee",
    "owicki-gries",
    "reduction",
    "rule-safety",
    "deductive",
    "parameterized",
    "houdini",
    "termination",
    "helping",
];

/// What can be said to strategies; each takes what concerns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct StrategyOptions {
    /// Which predicates rely-guarantee reasoning looks for first.
    pub bias: Bias,
    /// What they may do.
    pub limits: Limits,
}

/// Why there is no engine of some name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StrategyError {
    /// Nobody knows the name.
    #[error("there is no engine `{0}`; the engines are {names}", names = STRATEGY_NAMES.join(", "))]
    Unknown(String),
}

/// The strategy of a name, with its default options.
pub fn strategy(name: &str) -> Result<Box<dyn Strategy>, StrategyError> {
    strategy_with(name, StrategyOptions::default())
}

/// The strategy of a name.
pub fn strategy_with(name: &str, options: StrategyOptions) -> Result<Box<dyn Strategy>, StrategyError> {
    let StrategyOptions { bias, limits: all } = options;
    let Limits { symbolic, walks, .. } = all;
    let explore = ExploreOptions { limits: all.explore, walks, ..ExploreOptions::default() };
    let houdini = Houdini { limits: all.houdini, walks, symbolic };
    let parameterized = Parameterized { limits: all.parameterized, walks, symbolic };
    let deductive = DeductiveOptions { limits: all.deductive, symbolic, ..DeductiveOptions::default() };
    let rely_guarantee = RelyGuaranteeStrategy {
        bias,
        turns: all.turns,
        limits: all.rely_guarantee,
        symbolic,
        explore: all.explore,
        houdini,
    };
    let termination = Termination { limits: all.termination, symbolic };
    let helping = Helping { limits: all.termination, symbolic };
    let limits = all.portfolio;
    let portfolio = Portfolio { explore, rely_guarantee, parameterized, termination, helping, limits };
    let owicki_gries =
        OwickiGries { limits: all.owicki_gries, horn: all.horn, symbolic, ..OwickiGries::default() };
    match STRATEGY_NAMES.into_iter().find(|known| *known == name) {
        Some("portfolio") => Ok(Box::new(Standard { portfolio, reduction: all.reduction })),
        Some("reduction") => Ok(Box::new(ReductionStrategy::new(portfolio, all.reduction))),
        Some("rule-safety") => Ok(Box::new(ReductionStrategy::by_clauses(owicki_gries, all.reduction))),
        Some("explore") => Ok(Box::new(Explore { options: explore })),
        Some("rely-guarantee") => Ok(Box::new(rely_guarantee)),
        Some("deductive") => Ok(Box::new(Deductive { options: deductive })),
        Some("parameterized") => Ok(Box::new(parameterized)),
        Some("houdini") => Ok(Box::new(houdini)),
        Some("termination") => Ok(Box::new(termination)),
        Some("helping") => Ok(Box::new(helping)),
        Some("owicki-gries") => Ok(Box::new(owicki_gries)),
        Some(_) | None => Err(StrategyError::Unknown(name.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strategies_have_the_names_under_which_they_are_found() {
        for name in STRATEGY_NAMES {
            let Ok(strategy) = strategy(name) else { panic!("there is no `{name}`") };
            assert_eq!(strategy.name(), name);
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let Err(error) = strategy("magic") else { panic!("there is no magic") };
        let expected = "there is no engine `magic`; the engines are portfolio, explore, rely-guarantee, \
                        owicki-gries, reduction, rule-safety, deductive, parameterized, houdini, \
                        termination, helping";
        assert_eq!(error.to_string(), expected);
    }
}
