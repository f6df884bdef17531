//! Engines by name.

use crate::{Bias, Deductive, Engine, Explore, Parameterized, Portfolio, RelyGuaranteeEngine};

/// The names of all engines of the project, those to come included.
pub const ENGINE_NAMES: [&str; 7] =
    ["portfolio", "explore", "rely-guarantee", "owicki-gries", "reduction", "deductive", "parameterized"];

/// What can be said to engines; each takes what concerns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct EngineOptions {
    /// Which predicates rely-guarantee reasoning looks for first.
    pub bias: Bias,
}

/// Why there is no engine of some name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The name is reserved for an engine that this version does not have.
    #[error("the engine `{0}` is not available yet")]
    NotAvailable(&'static str),
    /// Nobody knows the name.
    #[error("there is no engine `{0}`; engines are {names}", names = ENGINE_NAMES.join(", "))]
    Unknown(String),
}

/// The engine of a name, with its default options.
pub fn engine(name: &str) -> Result<Box<dyn Engine>, EngineError> {
    engine_with(name, EngineOptions::default())
}

/// The engine of a name.
pub fn engine_with(name: &str, options: EngineOptions) -> Result<Box<dyn Engine>, EngineError> {
    let rely_guarantee = RelyGuaranteeEngine { bias: options.bias };
    match ENGINE_NAMES.into_iter().find(|known| *known == name) {
        Some("portfolio") => Ok(Box::new(Portfolio { rely_guarantee, ..Portfolio::default() })),
        Some("explore") => Ok(Box::new(Explore::default())),
        Some("rely-guarantee") => Ok(Box::new(rely_guarantee)),
        Some("deductive") => Ok(Box::new(Deductive::default())),
        Some("parameterized") => Ok(Box::new(Parameterized)),
        Some(known) => Err(EngineError::NotAvailable(known)),
        None => Err(EngineError::Unknown(name.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_have_the_names_under_which_they_are_found() {
        for name in ENGINE_NAMES {
            match engine(name) {
                Ok(engine) => assert_eq!(engine.name(), name),
                Err(error) => assert_eq!(error, EngineError::NotAvailable(name)),
            }
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let Err(error) = engine("magic") else { panic!("there is no magic") };
        let expected = "there is no engine `magic`; engines are portfolio, explore, rely-guarantee, \
                        owicki-gries, reduction, deductive, parameterized";
        assert_eq!(error.to_string(), expected);
    }
}
