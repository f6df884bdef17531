//! Proofs that every run ends: their form. Their obligations are made where those of
//! rely-guarantee proofs are.
//!
//! # What is proved
//!
//! *Every run ends*: no run goes on for ever, and none ends in a deadlock. A run that
//! fails a check ends there, as does one that halts the program; a run that gets to a condition
//! without which it does not count is nobody's concern. Nothing is assumed about the scheduler, unless the property
//! speaks of fair runs only: a thread that waits in a loop for another one can be the only one that ever moves.
//!
//! # The rule
//!
//! A [`Ranking`] has the assertions and effects of a rely-guarantee proof, which say what is true
//! whenever a thread is somewhere, and gives each thread at each of its places a *rank*: a tuple
//! of sums over the variables. A sum that is negative counts as zero, so a rank is a tuple of
//! natural numbers. The rank of a state is the sum of the ranks of all its threads, component by
//! component. To be shown are
//!
//! * everything that a rely-guarantee proof owes for its assertions
//!   ([`Initially`](Rule::Initially), [`OwnStep`](Rule::OwnStep), [`Start`](Rule::Start),
//!   [`Guarantee`](Rule::Guarantee), [`Interference`](Rule::Interference),
//!   [`Meaning`](Rule::Meaning));
//! * [`Descent`](Rule::Descent): each step makes the rank of the state smaller in the
//!   lexicographic order: some component gets smaller, and none before it gets greater. Which one
//!   may depend on the values. What is known is the assertion of the thread that moves, and, for
//!   every other instance whose rank the step may change, that it is somewhere where its own
//!   assertion holds;
//! * [`Progress`](Rule::Progress): a thread that has not ended can move, or some instance can.
//!
//! # Why that is a proof
//!
//! Tuples of natural numbers have no infinite descending sequence in the lexicographic order. The
//! assertions hold in every state that is reached (that is the induction of the rely-guarantee
//! rule), so every step of a run, along whatever edge, in whatever order of the threads, makes the
//! rank of the state smaller. Hence a run has finitely many steps. A step that halts the program is
//! the last one and need not make anything smaller. If a run ended in a deadlock, some
//! thread in its last state would be neither unstarted nor at its exit, and by `progress` somebody
//! could move.
//!
//! Threads made from a template can be any number, but there are finitely many in each state. A new
//! one adds its rank at its entry, for which the step that makes it has to pay. The rank of such
//! a thread may only depend on its own variables, which nobody else writes; so a step changes the
//! ranks of none but those that it moves or makes, and it does not matter how many others there
//! are.
//!
//! # Fair runs
//!
//! If only fair runs must end, a step that changes nothing need not make the rank smaller: a thread that waits in a loop
//! *goes round*. Then `progress` asks for more: whenever a thread has not ended, some instance can go on along an
//! edge that is no round, and cannot go round from where it is.
//!
//! Suppose that a fair run goes on for ever. Ranks get smaller with all steps that are no rounds, so from some state on
//! there are only rounds, and the state stays the same. By `progress` some thread can go on there, and cannot go
//! round, so it never moves; but it always could. A condition without which the run does not count is nothing that a
//! thread can pass, so a thread in front of one does not have to move; that is why it has to hold here.
//!
//! # Compared with the paper
//!
//! The rule RULETERMINATION (Popeea, Rybalchenko, Wilhelm: RedComp) asks for a transition
//! relation that is disjunctively well-founded, closed under composition. Here the well-founded
//! relation is given outright, by cases and components, and each step is compared with it once:
//! nothing has to be closed, and every obligation is about one step. Also, the paper's theorem
//! excludes infinite runs only; `progress` is ours.

#[cfg(doc)]
use crate::rely_guarantee::Rule;

pub use crate::data::{RankCase, Ranking, Sum, ThreadRanks};
