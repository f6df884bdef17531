//! Numbers of things in sentences.

use std::fmt::Display;

/// A number with its noun, which is given in the plural: `1 state`, `2 states`. Only nouns that add an `s` will do.
///
/// ```
/// assert_eq!(rely_base::plural(1, "states"), "1 state");
/// assert_eq!(rely_base::plural(0, "states"), "0 states");
/// ```
pub fn plural(count: impl Display, nouns: &str) -> String {
    let count = count.to_string();
    let noun = if count == "1" { nouns.strip_suffix('s').unwrap_or(nouns) } else { nouns };
    format!("{count} {noun}")
}
