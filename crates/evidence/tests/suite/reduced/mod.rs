//! Proofs by reduction: right ones, wrong ones, and a great many that nobody has looked at.

mod by_hand;
mod certificates;
mod differential;
mod generator;
mod models;
mod readers;
mod reductions;
