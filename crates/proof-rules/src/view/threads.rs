//! Threads, the places where they can be, and the names of variables.

use crate::NoClauses;
use rely_evidence::rely_guarantee::ControlPoint;
use rely_logic::VarId;
use rely_program::{Program, ThreadId, ThreadKind};
use rely_symbolic::Cells;

/// A thread and the places where it can be.
pub(crate) struct ThreadView {
    pub(crate) name: String,
    pub(crate) points: Vec<ControlPoint>,
    pub(crate) atomic: Vec<bool>,
    pub(crate) start: usize,
    pub(crate) entry: usize,
    pub(crate) locals: Vec<VarId>,
}

/// The positions at which something is true.
pub(super) fn positions(list: &[bool]) -> Vec<usize> {
    (0..list.len()).filter(|&position| list[position]).collect()
}

/// All ways to choose one place for each of some threads; `None` if there are too many.
pub(crate) fn choices(tests: &[(usize, Vec<usize>)]) -> Result<Vec<Vec<(usize, usize)>>, NoClauses> {
    const MOST: usize = 10_000;
    let mut chosen: Vec<Vec<(usize, usize)>> = vec![Vec::new()];
    for (thread, points) in tests {
        if chosen.len() * points.len() > MOST {
            return Err(NoClauses::TooManyCases);
        }
        chosen = chosen
            .iter()
            .flat_map(|known| points.iter().map(|&point| [known.as_slice(), &[(*thread, point)]].concat()))
            .collect();
    }
    Ok(chosen)
}

pub(super) fn thread_view(program: &Program, cells: &Cells, thread: ThreadId) -> ThreadView {
    let declaration = &program.threads()[thread];
    let points = ControlPoint::all(program, thread);
    let position = |point: ControlPoint| points.iter().position(|&known| known == point).unwrap_or(0);
    let entry = position(ControlPoint::At(declaration.entry));
    let start = match declaration.kind {
        ThreadKind::Instance { running: false } => position(ControlPoint::Unstarted),
        _ => entry,
    };
    let is_atomic = |point: &ControlPoint| match point {
        ControlPoint::Unstarted => false,
        ControlPoint::At(location) => program.locations()[*location].atomic,
    };
    ThreadView {
        name: declaration.name.clone(),
        atomic: points.iter().map(is_atomic).collect(),
        start,
        entry,
        locals: cells.all().filter(|&cell| cells.owner(cell) == Some(thread)).collect(),
        points,
    }
}

pub(super) fn cell_name(program: &Program, cells: &Cells, cell: VarId) -> String {
    let Some((var, index)) = cells.variable(cell) else { return "handle".to_owned() };
    let declaration = &program.vars()[var];
    let index = declaration.length.map_or(String::new(), |_| format!("[{index}]"));
    format!("{}{index}", declaration.name)
}
