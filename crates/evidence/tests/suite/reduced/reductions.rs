//! Reductions as text, for tests.
//!
//! ```text
//! before T: a b
//! after T: c
//! right T: entry a
//! left T: b c
//! ```
//!
//! `before` and `after` name locations inside of blocks, before and after the commit. `right`,
//! `left` and `both` name the sources of movers: all edges that leave them.

use crate::{counting_notation, notation};
use rely_evidence::reduction::{Mover, Phase, Reduced};
use rely_evidence::rely_guarantee::ControlPoint;
use rely_evidence::{Exhausted, Proof, Reduction};
use rely_program::{EdgeId, LocationId, Program};

/// A proof by exhaustion that claims so many states.
pub fn exhausted(states: u64) -> Proof {
    Proof::Exhausted(Exhausted { states, transitions: 0, reduction: Reduction::None, visited: None })
}

/// Reads a reduction; a mistake in it is a mistake of the test.
pub fn reduction(program: &Program, held: &str, text: &str, proof: Proof) -> Reduced {
    let held = counting_notation::proof(program, held);
    let mut reduced = Reduced {
        forgotten: Vec::new(),
        held,
        inside: Vec::new(),
        movers: Vec::new(),
        proof: Box::new(proof),
    };
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (head, names) = line.split_once(':').unwrap_or_else(|| panic!("no colon in `{line}`"));
        let (what, thread) = head.split_once(' ').unwrap_or_else(|| panic!("no thread in `{line}`"));
        for name in names.split_whitespace() {
            let location = location(program, thread.trim(), name);
            match what {
                "before" => reduced.inside.push((location, Phase::BeforeCommit)),
                "after" => reduced.inside.push((location, Phase::AfterCommit)),
                "right" => reduced.movers.extend(moving(program, location, Mover::Right)),
                "left" => reduced.movers.extend(moving(program, location, Mover::Left)),
                "both" => reduced.movers.extend(moving(program, location, Mover::Both)),
                _ => panic!("what is `{line}`?"),
            }
        }
    }
    reduced
}

fn moving(program: &Program, from: LocationId, mover: Mover) -> impl Iterator<Item = (EdgeId, Mover)> + '_ {
    program.outgoing(from).iter().map(move |&edge| (edge, mover))
}

fn location(program: &Program, thread: &str, name: &str) -> LocationId {
    let thread = notation::thread(program, thread);
    match notation::point(program, thread, name) {
        ControlPoint::At(location) => location,
        ControlPoint::Unstarted => panic!("`{name}` is no location"),
    }
}
