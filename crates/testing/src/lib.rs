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
//!
//! There are other generators, each for what these do not make, beside the only tests that need them:
//!
//! | where | what it makes, and why it is none of these |
//! |---|---|
//! | `c-front/tests/suite/{arithmetic, effects, memory, ...}` | texts of C, sequential and defined, to be compared with gcc |
//! | `c-front/examples/fuzz_c.rs`, `model-front/examples/fuzz_models.rs` | texts that are damaged: there is no program behind them |
//! | `model-front/tests/suite/generate.rs` | texts of models, laid out badly: what is tested is the formatter |
//! | `evidence/tests/suite/reduced/generator.rs` | programs together with claims about movers and blocks, most of them nearly right |
//! | `horn/tests/suite/random.rs`, `logic/tests/differential` | clauses and formulas; there are no programs |

pub mod classics;
mod endings;
mod fair;
mod generator;
pub mod random;
mod reference;
mod script;
pub mod sketch;
mod stuck;

pub use endings::Termination;
pub use generator::{Sample, generate};
pub use reference::{Answer, Reference};
pub use rely_base::Random;
pub use script::Script;
