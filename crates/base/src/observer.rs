//! How engines tell what they are doing without knowing who listens.

/// A report of how far work has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is going on, for a person: "exploring", "refining".
    pub activity: &'static str,
    /// Named counts in a fixed order: states, transitions, iterations.
    pub counts: Vec<(&'static str, u64)>,
}

/// Receives progress. Called now and then from inner loops, so it must be quick.
pub trait Observer {
    /// Work has come this far.
    fn progress(&self, progress: &Progress);
}

/// An observer that listens to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn progress(&self, _progress: &Progress) {}
}
