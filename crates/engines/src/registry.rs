//! Engines by name.

use crate::{Engine, Explore, RelyGuaranteeEngine};

/// The names of all engines of the project, those to come included.
pub const ENGINE_NAMES: [&str; 6] =
    ["explore", "rely-guarantee", "owicki-gries", "reduction", "deductive", "parameterized"];

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
    match ENGINE_NAMES.into_iter().find(|known| *known == name) {
        Some("explore") => Ok(Box::new(Explore::default())),
        Some("rely-guarantee") => Ok(Box::new(RelyGuaranteeEngine::default())),
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
        let expected = "there is no engine `magic`; engines are explore, rely-guarantee, owicki-gries, \
                        reduction, deductive, parameterized";
        assert_eq!(error.to_string(), expected);
    }
}
