//! Counting invariants: proofs about any number of threads.
//!
//! An assertion about one thread cannot say that *all* others are behind a barrier. A
//! [`Counting`] proof can: besides a rely-guarantee proof it has [invariants](Invariant), linear
//! relations between variables and *counters*. A [`Counter`] is how many threads stand at a
//! location, or how many there of which a condition holds: `count == #worker.entry + #worker.b`.
//!
//! # The rule
//!
//! All invariants together are inductive. They hold initially ([`Rule::InvariantInitially`]), and
//! every edge preserves each ([`Rule::InvariantStep`]), given all of them before the step, the
//! assertion of the thread that acts, and that this thread is there to be counted. What a step
//! does to counters needs no proof, it is computed from the program: the thread that acts leaves
//! the source of the edge and arrives at its target, threads that it starts arrive at their entry,
//! and nobody else moves. A thread that has ended stays at its exit, joined or not.
//!
//! The obligations of the [rely-guarantee rule](crate::rely_guarantee) may use the invariants. In
//! all of them the thread that acts is counted where it stands. When the assertion of another
//! thread is at stake, that one is counted too, so that there are two if both stand at the same
//! location; and the invariants hold after the step as well. What must hold always or at the end
//! of the program may use them for the counters that it mentions.
//!
//! # Why it is sound
//!
//! By induction over the steps of a run: in every state that is reached before the program halts,
//! each thread satisfies one of the cubes at its control point, and all invariants hold. Assume this of a
//! state, and let a thread make a step. The invariants after the step follow from the state
//! before alone (`invariant-step` asks for nothing about the state after), so whoever reasons about
//! the state after may assume them. The assertions after the step follow as in the plain rule, from
//! hypotheses that are all true of this step: the invariants before and after; that counters are
//! numbers of threads, at least zero, and at least the number of the different threads that are
//! known to be counted; that of the other threads at a location no more are counted than there are;
//! that no thread stands where the proof has no assertion; and that in a state in which a thread acts
//! no other one is inside an atomic block.
//!
//! # Counters with a condition
//!
//! `#(worker.b: v >= max)` counts the workers at `b` of which `v >= max` holds. The condition may
//! speak of the locals of the counted thread, of its handle and of globals. If it speaks of locals
//! and the handle alone, no step changes it but those of the thread itself, so the counter changes
//! by exactly the threads that come and go. If a step changes a global that the condition mentions,
//! the condition may begin or cease to hold of any thread that stands there: of these the rule then
//! knows only that between none and all of them are counted afterwards.
//!
//! # Deadlocks
//!
//! With the invariants it can be shown of any number of threads that nobody waits forever
//! ([`Rule::Stuck`]): in a state in which no thread can move forward, all have ended or can move back. Each location is
//! empty or its threads have no edge forward to take; see the obligation for how little is assumed there.
//!
//! [`Rule::InvariantInitially`]: crate::rely_guarantee::Rule::InvariantInitially
//! [`Rule::InvariantStep`]: crate::rely_guarantee::Rule::InvariantStep
//! [`Rule::Stuck`]: crate::rely_guarantee::Rule::Stuck

pub use crate::data::{CountAtom, Counter, Counting, Invariant, InvariantPrinter, Summand};
