//! What functions do that a program calls and does not define: a table, not code.

mod effects;
mod exact;

pub(crate) use effects::{ArgumentEffect, Effect, Effects, ResultEffect, described, library_effect};
pub(crate) use exact::{exact_name, exact_text, wrapper_name};
