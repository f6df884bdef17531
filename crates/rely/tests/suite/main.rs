//! The command as its users meet it, and what the repository promises about itself.
//!
//! One program for all of these tests: the command and everything below it is linked once.

mod agreement;
mod any_number;
mod bench;
mod book;
mod browser;
mod causes;
mod certify;
mod cli;
mod counting;
#[path = "../../../evidence/tests/suite/counting_notation.rs"]
mod counting_notation;
mod deadlocks;
mod engines;
mod examples;
mod expectation;
mod explain;
mod externals;
mod formats;
mod horn;
mod interrupt;
mod killed;
mod limits;
mod links;
mod macros;
mod many;
mod modules;
mod mutants;
#[path = "../../../evidence/tests/suite/notation.rs"]
mod notation;
mod obligations;
mod packages;
mod preprocess;
mod preprocessors;
mod races;
mod readers;
mod report_html;
mod reproducer;
mod reproducer_kinds;
mod rules;
mod short_proofs;
mod support;
mod tidy;
mod trust;
mod validate;
mod witness;
