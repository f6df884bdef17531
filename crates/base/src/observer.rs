//! How engines tell what they are doing without knowing who listens.

use crate::Span;
use serde::Serialize;
use std::sync::{Mutex, PoisonError};

/// A report of how far work has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is going on, for a person: "exploring", "refining".
    pub activity: &'static str,
    /// Named counts in a fixed order: states, transitions, iterations.
    pub counts: Vec<(&'static str, u64)>,
}

/// One round of an engine that works in rounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Round {
    /// What happened, in a few words.
    pub headline: String,
    /// Named counts in a fixed order, the same in every round of an engine.
    pub counts: Vec<(&'static str, u64)>,
    /// What is new since the round before, in the names of the program.
    pub found: Vec<String>,
}

/// An abstract reachability tree, in the names of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tree {
    /// What the tree is about: the thread.
    pub title: String,
    /// The nodes, parents before children.
    pub nodes: Vec<TreeNode>,
}

/// A node of a [`Tree`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TreeNode {
    /// The node from which this one was reached, as a position in the tree; `None` at a root.
    pub parent: Option<usize>,
    /// Where the thread stands.
    pub place: String,
    /// The statement that comes next there.
    #[serde(skip)]
    pub span: Option<Span>,
    /// The step that led here.
    pub step: String,
    /// The other thread that made the step, if the environment did.
    pub by: Option<String>,
    /// What is known here, one fact each.
    pub facts: Vec<String>,
    /// Whether another node says as much, so that nothing was derived from this one.
    pub covered: bool,
}

/// The course of a verification, for those who want to read it afterwards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct History {
    /// The rounds, in order.
    pub rounds: Vec<Round>,
    /// The trees of the last round.
    pub trees: Vec<Tree>,
}

/// Receives progress. Called now and then from inner loops, so it must be quick; engines that run
/// at the same time may share one.
pub trait Observer: Sync {
    /// Work has come this far.
    fn progress(&self, progress: &Progress);

    /// Whether rounds and trees are listened to. To tell them costs time, so engines ask first.
    fn wants_history(&self) -> bool {
        false
    }

    /// A round has ended.
    fn round(&self, _round: Round) {}

    /// The trees as they are in the end.
    fn trees(&self, _trees: Vec<Tree>) {}
}

/// An observer that listens to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn progress(&self, _progress: &Progress) {}
}

/// An observer that keeps the history, and passes progress on.
pub struct Recorder<'o> {
    listener: &'o dyn Observer,
    history: Mutex<History>,
}

impl<'o> Recorder<'o> {
    /// Nothing has happened yet.
    pub fn new(listener: &'o dyn Observer) -> Self {
        Self { listener, history: Mutex::default() }
    }

    /// What was told.
    pub fn into_history(self) -> History {
        self.history.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn with_history(&self, change: impl FnOnce(&mut History)) {
        change(&mut self.history.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Observer for Recorder<'_> {
    fn progress(&self, progress: &Progress) {
        self.listener.progress(progress);
    }

    fn wants_history(&self) -> bool {
        true
    }

    fn round(&self, round: Round) {
        self.with_history(|history| history.rounds.push(round));
    }

    fn trees(&self, trees: Vec<Tree>) {
        self.with_history(|history| history.trees = trees);
    }
}
