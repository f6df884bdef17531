//! Proofs that no thread waits for ever, of programs that may run for ever: their form. Their obligations are made
//! where those of rely-guarantee proofs are.
//!
//! # What is proved
//!
//! *No thread waits for ever*: from every state that is reached, and for every thread that waits in it, some run leads to
//! a state in which the thread can go on. One such run is enough: a thread that is overtaken again and
//! again does not wait for ever by this property.
//!
//! # The rule
//!
//! A [`Helping`] has the assertions and effects of a rely-guarantee proof. For each place where a thread may have to wait
//! it lists *helpful* steps of other threads (Manna and Pnueli speak of helpful transitions), and gives the
//! other threads ranks, as a [ranking](crate::ranking) does. To be shown are
//!
//! * everything that a rely-guarantee proof owes for its assertions;
//! * [`Progress`](Rule::Progress): a thread that has not ended can move, or one of the steps that help it can be made;
//! * [`Descent`](Rule::Descent): a helpful step makes the sum of the ranks smaller, if the thread waits at that place
//!   before the step, and still does after it.
//!
//! # Why that is a proof
//!
//! Take a state that is reached, and a thread that waits in it at some place. As long as it waits, it stays there, and
//! by `progress` a helpful step can be made. By `descent` each of these makes the sum of the ranks smaller, a tuple of
//! natural numbers, so finitely many of them lead to a state in which the thread does not wait any more.
//!
//! That run has to count. A step counts here only if no check fails on it and all its conditions hold. By
//! `progress` a step that counts can be made from every state that is reached and in which not all threads have ended. So
//! from each of them there is a run that counts and goes on for ever or to the end of the program. A step
//! that halts the program ends all waiting.
//!
//! Steps that do not help may do what they like: the run that is told leaves them out. So this proves
//! something of servers that never end, too, of which there is no ranking.

pub use crate::data::{Help, Helping};
#[cfg(doc)]
use crate::rely_guarantee::Rule;
