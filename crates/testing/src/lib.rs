//! Support for tests of engines: programs made at random, and an oracle for them.
//!
//! * [`generate`] makes a small program with a goal from a seed, the same one every time.
//! * [`random`] makes programs that no front end would write, with locks, and with random edits.
//! * [`Reference`] says what is true of a program. It is written from the documentation of the
//!   language, shares no code with [`rely_program::Semantics`], and does everything in the
//!   plainest way.
//! * [`sketch`] writes small programs down quickly.
//! * [`classics`] are programs from the literature with known answers.
//!
//! Nothing but tests may depend on this crate.

pub mod classics;
mod endings;
mod generator;
pub mod random;
mod reference;
mod script;
pub mod sketch;

pub use endings::Termination;
pub use generator::{Sample, generate};
pub use reference::{Answer, Reference};
pub use rely_base::Random;
pub use script::Script;
