//! Passes about which threads there are, and where they start.

mod begin_initialised;
mod instantiate;
mod start_later;
mod unroll;

pub use begin_initialised::BeginInitialised;
pub use instantiate::Instantiate;
pub use start_later::StartLater;
pub use unroll::Unroll;
