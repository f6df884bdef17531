//! How large a model may be.
//!
//! Everything behind the front end may recurse over expressions and copy them, so what is too
//! large is refused here, with a message, instead of exhausting the stack or the memory later.

/// The largest source text, in bytes.
pub const SOURCE_BYTES: usize = 16 << 20;

/// How deeply blocks and expressions may be nested.
pub const NESTING: usize = 200;

/// The largest integer literal.
pub const LITERAL: i128 = u64::MAX as i128;

/// The most errors that are reported of one file.
pub const ERRORS: usize = 20;

/// The largest number of cells of all arrays together.
pub const CELLS: u64 = 1 << 20;

/// The most copies of one replicated thread.
pub const COPIES: i128 = 1_000;

/// The most threads that are told apart.
pub const THREADS: usize = 10_000;

/// The most values over which a quantifier may range.
pub const QUANTIFIER_RANGE: i128 = 1_024;

/// The most expression nodes of the translated program, checks included.
pub const EXPRESSION_NODES: usize = 1_000_000;

/// The most edges of the translated program.
pub const EDGES: usize = 1_000_000;
