//! Reduction: blocks of steps that may be taken for one step, and a proof about what is left.
//!
//! This is Lipton's theory of reduction as evidence, in the form in which Popeea, Rybalchenko and
//! Wilhelm use it (FMCAD 2014): a [`Reduced`] proof names *blocks* of each thread, says which edges
//! are *movers*, and proves the program in which each block is one step. Their rule RULESAFETY has
//! relations for what a block does (`LStep`) and for what others see of it (`IStep`); here the
//! blocks become edges of a new program ([`Reduced::program`]), and any other kind of proof is
//! about that one.
//!
//! # What is forgotten first
//!
//! A proof may name shared variables that nothing but assumptions looks at. Everything below is about the program that
//! has forgotten them ([`Reduced::forgetful`], made by [`rely_passes::forget`], which says why every run of the program is
//! one of that program). It is the abstraction that Elmas, Qadeer and Tasiran put in front of a reduction (POPL 2009).
//!
//! # What a proof says
//!
//! Some locations of each thread are *inside* of blocks, each either before or after the commit
//! ([`Phase`]); all others are outside. So on its way through a block, a thread first passes
//! locations before the commit, then locations after it, and is outside again. The edge on which it
//! leaves "outside or before" for "after or outside again" is the *commit*: every complete block
//! has exactly one. Then
//!
//! * every edge that leads to a location before the commit is a right mover, every edge that leaves
//!   a location after the commit is a left mover, and no edge leads from after to before;
//! * no cycle consists of locations after the commit only, and at each of them some edge can always
//!   be taken, or goes wrong;
//! * what the properties that must always hold look at changes with commits only;
//! * threads start and end outside; blocks do not touch the atomic blocks that the program has;
//!   a step that halts the program leads outside.
//!
//! What the movers are is checked with the help of *held* assertions about the program as it is, such
//! as who holds which lock. Their exact conditions stand in `obligations/movers.rs`. Commits may
//! do anything: start threads, wait for them, halt. Edges with checks may be movers.
//!
//! # Why that is a proof
//!
//! Suppose that the program can violate the goal. Then there is a run that ends in a state `s` such
//! that a property is violated there, or a step of a thread `t` goes wrong from there. From it we
//! make such a run in which every block is done without interruption; that is a run of the reduced
//! program, about which it is proved that there is none.
//!
//! All states in which the conditions of movers are used can be reached in the program, so the held
//! assertions are true there: assertions need not survive a step that goes wrong, since nothing
//! comes after it. (If a mover passes a whole atomic block of another thread step by step, it is for
//! a moment between two of these steps, which is no run. But the states before it are states of a
//! run, and only of these the assertions are used.)
//!
//! 1. *A step after the commit goes wrong.* If `t` is in a block, behind its commit: its left
//!    movers go to the left until they follow the commit, and the step that goes wrong goes to the
//!    left past all that follows, which is dropped (condition 2 of left movers). Now nobody has
//!    moved since `t`'s commit but `t`.
//! 2. *Who has committed completes its block.* For every other thread that stands after its commit
//!    in `s`: one edge after the other can be taken until it is outside, since some edge always can
//!    and there is no cycle. The step of `t` still goes wrong (condition 3 of left movers), and the
//!    property is still violated, since these edges change nothing that it looks at. If the last step
//!    has halted the program, then the others complete their blocks before it, with the same result
//!    as far as the property looks (condition 4). It may be that one of the edges goes wrong instead:
//!    then we forget why we came, and begin again with 1. and the run that ends there. That
//!    happens only finitely often, for each time the number of commits in the run gets smaller: if the
//!    thread of 1. commits last, who has to complete its block has committed before.
//! 3. *Who has not committed has done nothing.* For every other thread that stands before its commit:
//!    its right movers since it came from outside go to the right, to the end of the run, and are
//!    dropped. What goes wrong still does (condition 2 of right movers), and what is violated still
//!    is, since these edges change nothing that the property looks at.
//! 4. *Blocks in one piece.* Now every block is complete, except that of `t`, if `t` is in one. From
//!    left to right, each left mover goes to the left until it follows the step of its block before
//!    it; then, from right to left, each right mover goes to the right until it precedes the next step
//!    of its block. Only movers have moved, so the order of all other steps is as before, and with it
//!    the numbers of new threads. The last state is the same.
//!
//! A thread that waits before its commit forever, or goes round in circles there, is dropped in 3.:
//! reduction preserves what can go wrong, not that something will happen. So deadlock and
//! termination are not proved this way.
//!
//! What must hold at the end is looked at when all threads stand outside, so it needs no condition.
//! A violated property inside of an atomic block of the program is none, with or without reduction.

mod check;
mod joined;
mod shape;

pub use crate::data::{BlockRule, Mover, Phase, Reduced, ReducedDefect, reduced_program};

pub(crate) use check::{check, movability};
