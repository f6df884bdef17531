//! The program in which blocks are single steps, compared with the one in which they are atomic.
//!
//! A pass joins the steps of blocks. Nobody has to believe that it does so correctly: here its result, the *joined*
//! program, is compared with the program in which blocks are atomic. Each location of the joined program is one of
//! the other, and the rest, which are atomic, are *gone*. Then
//!
//! * every way from one location that is there to the next one, over others that are gone, is an edge of the joined
//!   program that carries out the same operations one after the other;
//! * no way goes round in circles over locations that are gone, and each of these is left by an edge;
//! * no step halts the program where it leads to a location that is gone;
//! * all else is the same: variables, threads and where they start and end, what must hold, and of which kind each
//!   check is.
//!
//! So whatever goes wrong in the atomic program does so in the joined one. Nobody else moves while a thread stands at a
//! location that is gone, so its steps there follow each other, and they are the beginning of a way to a location that
//! is there. That way is an edge, and what goes wrong in the middle of the way goes wrong in the middle of the edge.
//! A thread that cannot leave a block makes the run none. That the joined program can do no more is not shown: a
//! proof does not need it.

use crate::data::ReducedDefect;
use rely_passes::BackMap;
use rely_program::{EdgeId, Expr, LocationId, Op, Program, Property, PropertyKind};
use rustc_hash::FxHashMap;

/// More ways through blocks than this are not compared: passes do not write out so many.
const MOST_WAYS: usize = 100_000;

/// Makes sure that the joined program can do whatever the one with atomic blocks can do.
pub(super) fn compare(atomic: &Program, joined: &Program, back: &BackMap) -> Result<(), ReducedDefect> {
    let mut there: FxHashMap<LocationId, LocationId> = FxHashMap::default();
    for location in joined.locations().ids() {
        if there.insert(back.location(location), location).is_some() {
            return different("a location is there twice");
        }
    }
    let comparison = Comparison { atomic, joined, back, there };
    comparison.declarations()?;
    comparison.locations()?;
    let mut ways = 0;
    joined.locations().ids().try_for_each(|location| comparison.ways_from(location, &mut ways))
}

fn different<T>(what: &str) -> Result<T, ReducedDefect> {
    Err(ReducedDefect::Malformed(format!("joining its blocks went wrong: {what}")))
}

struct Comparison<'c> {
    atomic: &'c Program,
    joined: &'c Program,
    back: &'c BackMap,
    /// The locations that are there, by what they are in the atomic program.
    there: FxHashMap<LocationId, LocationId>,
}

impl Comparison<'_> {
    fn declarations(&self) -> Result<(), ReducedDefect> {
        let Self { atomic, joined, back, .. } = *self;
        let is_same_thread = |thread| {
            let (old, new) = (&atomic.threads()[thread], &joined.threads()[thread]);
            old.kind == new.kind
                && old.parameters == new.parameters
                && old.entry == back.location(new.entry)
                && old.exit == back.location(new.exit)
        };
        if atomic.vars() != joined.vars() {
            return different("the variables differ");
        }
        if atomic.threads().len() != joined.threads().len() || !atomic.threads().ids().all(is_same_thread) {
            return different("the threads differ");
        }
        let properties: Vec<Property> = joined.properties().iter().map(|it| self.old_property(it)).collect();
        let requires: Vec<Expr> = joined.requires().iter().map(|it| self.old_expr(it)).collect();
        if atomic.properties() != properties || atomic.requires() != requires {
            return different("the properties differ");
        }
        Ok(())
    }

    fn old_property(&self, property: &Property) -> Property {
        let kind = match &property.kind {
            PropertyKind::Always(condition) => PropertyKind::Always(self.old_expr(condition)),
            PropertyKind::AtEnd(condition) => PropertyKind::AtEnd(self.old_expr(condition)),
            other => other.clone(),
        };
        Property { kind, ..property.clone() }
    }

    fn old_expr(&self, expr: &Expr) -> Expr {
        match expr {
            Expr::CountAt(location) => Expr::CountAt(self.back.location(*location)),
            other => other.map_children(|child| self.old_expr(child)),
        }
    }

    fn locations(&self) -> Result<(), ReducedDefect> {
        for (id, old) in self.atomic.locations().iter() {
            let is_same = match self.there.get(&id) {
                Some(&new) => {
                    let new = &self.joined.locations()[new];
                    old.thread == new.thread && old.atomic == new.atomic
                }
                None => old.atomic && !self.atomic.outgoing(id).is_empty(),
            };
            if !is_same {
                return different("a location differs");
            }
        }
        Ok(())
    }

    /// Every way from a location to the next one that is there is an edge.
    fn ways_from(&self, location: LocationId, ways: &mut usize) -> Result<(), ReducedDefect> {
        let mut pending: Vec<(LocationId, Vec<EdgeId>)> = vec![(self.back.location(location), Vec::new())];
        while let Some((at, way)) = pending.pop() {
            for &edge in self.atomic.outgoing(at) {
                *ways += 1;
                let target = self.atomic.edges()[edge].target;
                let way: Vec<EdgeId> = way.iter().copied().chain([edge]).collect();
                match self.there.get(&target) {
                    Some(&target) if self.is_edge(location, target, &way) => {}
                    Some(_) => return different("a way through a block is missing"),
                    None if self.atomic.edges()[edge].ops.contains(&Op::Halt) => {
                        return different("the program halts inside of a block");
                    }
                    None if way.len() > self.atomic.locations().len() => {
                        return different("there is a cycle inside of a block");
                    }
                    None if *ways > MOST_WAYS => return different("there are too many ways through blocks"),
                    None => pending.push((target, way)),
                }
            }
        }
        Ok(())
    }

    /// Whether an edge of the joined program carries out the operations of a way.
    fn is_edge(&self, source: LocationId, target: LocationId, way: &[EdgeId]) -> bool {
        let mut edges = self.joined.outgoing(source).iter().map(|&edge| &self.joined.edges()[edge]);
        edges.any(|edge| {
            let mut ops = edge.ops.iter();
            let mut steps = way.iter().flat_map(|&step| &self.atomic.edges()[step].ops);
            edge.target == target
                && steps.all(|step| ops.next().is_some_and(|op| self.is_same_op(step, op)))
                && ops.next().is_none()
        })
    }

    /// Whether two operations are the same but for the numbers of checks.
    fn is_same_op(&self, old: &Op, new: &Op) -> bool {
        match (old, new) {
            (Op::Check(old, one), Op::Check(new, other)) => {
                old == new && self.atomic.checks()[*one].kind == self.joined.checks()[*other].kind
            }
            _ => old == new,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::reduced_program;
    use rely_base::SourceMap;
    use rely_program::{Blocking, CheckKind, ProgramEditor};

    const TEXT: &str = "var x, y: int = 0;
        thread A { x := 1; if x == 1 { y := 2; } else { y := 3; } assert y <= 3; x := 0; }
        thread B { y := 1; x := 4; }";

    /// The program with atomic blocks, the joined one, and the way back from it.
    fn made() -> (Program, Program, BackMap) {
        let mut sources = SourceMap::new();
        let file = sources.add("joined.rely", TEXT);
        let program = rely_model_front::translate(&sources, file).expect("a program");
        let ends = |id| program.threads().values().any(|thread| id == thread.entry || id == thread.exit);
        let inside: Vec<LocationId> = program.locations().ids().filter(|&id| !ends(id)).collect();
        let (joined, back) = reduced_program(&program, inside.iter().copied()).expect("blocks");
        (program.with_atomic(inside).expect("blocks"), joined, back)
    }

    #[test]
    fn what_the_pass_makes_is_accepted() {
        let (atomic, joined, back) = made();
        assert!(joined.locations().len() < atomic.locations().len());
        compare(&atomic, &joined, &back).expect("the same");
    }

    #[test]
    fn an_edge_that_does_something_else_is_found_out() {
        let (atomic, joined, back) = made();
        let mut damages = 0;
        for (edge, declaration) in joined.edges().iter() {
            for position in 0..declaration.ops.len() {
                let never = Op::Assume(Expr::Bool(false), Blocking::Wait);
                for ops in [vec![], vec![never]] {
                    let mut editor = ProgramEditor::new(joined.clone());
                    editor.edges_mut()[edge].ops.splice(position..=position, ops);
                    compare(&atomic, &editor.finish(), &back).expect_err("an operation is missing");
                    damages += 1;
                }
            }
            let mut editor = ProgramEditor::new(joined.clone());
            editor.edges_mut()[edge].target = declaration.source;
            compare(&atomic, &editor.finish(), &back).expect_err("an edge leads somewhere else");
        }
        assert!(damages >= 20, "{damages}");
    }

    #[test]
    fn other_declarations_are_found_out() {
        let (atomic, joined, back) = made();
        let changes: [fn(&mut ProgramEditor); 3] = [
            |editor| {
                for (_, check) in editor.checks_mut().iter_mut() {
                    check.kind = CheckKind::Overflow;
                }
            },
            |editor| editor.requires_mut().push(Expr::Bool(false)),
            |editor| {
                for (_, location) in editor.locations_mut().iter_mut() {
                    location.atomic = true;
                }
            },
        ];
        for change in changes {
            let mut editor = ProgramEditor::new(joined.clone());
            change(&mut editor);
            compare(&atomic, &editor, &back).expect_err("something else is declared");
        }
    }
}
