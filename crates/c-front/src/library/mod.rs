//! What functions do that a program calls and does not define: a table, not code.

mod effects;
mod exact;

pub(crate) use effects::{ArgumentEffect, Effect, ResultEffect, library_effect};
pub use effects::{EffectError, Effects};
pub(crate) use exact::{exact_name, exact_text, wrapper_name};
