//! What the method may do. Every value is a guess that was good on the tables of the papers; `cargo run
//! --release -p rely --example limits` tells which verdicts and counts depend on which of them.

use rely_base::define_limits;

define_limits! {
    /// The limits of rely-guarantee reasoning.
    pub struct Limits {
        /// The size of the trees at which predicates are tracked only where they are needed, at first, when
        /// the engine runs alone; a strategy chooses its own.
        nodes_at_first = 3_000,
        /// Derivations of excluded counterexamples with more nodes than this are not kept, so places may be
        /// forgotten that they need.
        nodes_kept = 400,
        /// While trees have fewer nodes than this, places cost less than to find those of them again that are
        /// needed after all.
        nodes_worth_fewer_places = 800,
        /// If there are so many predicates about a cell, one more of them is unlikely to help, and refinement
        /// has stalled.
        predicates_before_stall = 8,
        /// For each of so many nodes that the trees may have, refinement may stall once before another attempt
        /// has its turn.
        nodes_per_stall = 300,
        /// With so many predicates about one cell, those that the source suggests are tried first, even if they
        /// speak of other cells.
        predicates_before_suggestions = 4,
        /// More remembered steps than this are forgotten together: they are what takes memory.
        remembered_steps = 1 << 19,
        /// When there are so many increments of one refinement, none is made out of them for symmetric threads.
        symmetric_increments = 4_096,
        /// With more states than this at one control point, only few are compared with each other when the
        /// proof is written: that is quadratic.
        merged_states = 600,
        /// More candidates than this make refinement slower than they make it better.
        candidates = 96,
        /// So many relations of the analysis are added to them, with their negations.
        relations = 16,
        /// So many bounds of an analysis cost a small part of what refinement does for one unknown.
        bounds_per_unknown = 25,
        /// How often octagons are joined before they are widened.
        widening_delay = 3,
        /// How often a bound that was widened is computed again: into a loop and out of it.
        narrowing_steps = 2,
        /// After so many rounds the analysis has no result.
        analysis_rounds = 16,
        /// How many cells the analysis relates: the cost of an octagon grows with the third power of this.
        pack_cells = 5,
        /// How many such packs of cells are looked at.
        packs = 4,
        /// Derivations with more nodes than this are not turned into clauses.
        derivation_nodes = 400,
        /// Derivations with more steps than this are not looked at for a smallest vocabulary.
        vocabulary_steps = 600,
        /// Longer schedules are not tried.
        schedule_moves = 400,
    }
}
