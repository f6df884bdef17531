//! Which build of Rely this is.

/// The version, with the commit when it was built in a git checkout.
pub const TEXT: &str = env!("RELY_VERSION_TEXT");
