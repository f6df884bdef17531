//! Lets threads start behind a first step that does nothing.
//!
//! The entry of a thread is a location of its own, even if all that happens there is that a
//! loop begins. A thread that nothing leads back to its entry, and whose only way on is an
//! empty step, can as well start where that step leads: the step is local and always possible,
//! so in any run it can be left out, or taken right before the thread's next step. Before a
//! deadlock it has been taken, so the way back adds it for threads that have not moved. No
//! property may see whether a thread stands before or behind the step.

use crate::back::BackMap;
use crate::draft::Draft;
use crate::pass::Pass;
use rely_program::analysis::{Graph, Visibility};
use rely_program::{Edge, EdgeId, Expr, Program, Thread};

/// The program without steps at the beginning of threads that do nothing.
#[derive(Clone, Copy, Debug)]
pub struct StartLater;

impl Pass for StartLater {
    fn name(&self) -> &'static str {
        "start_later"
    }

    fn apply(&self, program: &Program) -> (Program, BackMap) {
        let visibility = Visibility::new(program);
        let graph = Graph::new(program);
        let mut draft = Draft::new(program);
        if !program.requires().iter().any(counts_threads) {
            for thread in program.threads().values() {
                if let Some(edge) = empty_first_step(program, &visibility, &graph, thread) {
                    draft.start_behind(edge);
                }
            }
        }
        draft.finish()
    }
}

/// Whether a condition of the initial state is about where threads stand.
fn counts_threads(condition: &Expr) -> bool {
    let mut counts = false;
    condition.walk(&mut |part| counts |= matches!(part, Expr::CountAt(_) | Expr::CountRunning(_)));
    counts
}

/// Whether a thread can start behind its first step once that does nothing.
pub(super) fn can_start_behind(program: &Program, edge: EdgeId) -> bool {
    let emptied = Edge { ops: Vec::new(), ..program.edges()[edge].clone() };
    !program.requires().iter().any(counts_threads) && Visibility::new(program).is_local(program, &emptied)
}

fn empty_first_step(
    program: &Program,
    visibility: &Visibility,
    graph: &Graph,
    thread: &Thread,
) -> Option<EdgeId> {
    let [edge] = program.outgoing(thread.entry) else { return None };
    let step = &program.edges()[*edge];
    let is_empty = step.ops.is_empty()
        && step.target != thread.exit
        && graph.incoming(thread.entry).is_empty()
        && visibility.is_local(program, step);
    is_empty.then_some(*edge)
}
