//! What a property is about in a program. Where there is nothing of the kind, that the property holds says nothing,
//! and nobody should read it as a promise.
//!
//! The program is looked at as the front end made it. What counts is what control can reach if no condition is
//! looked at: less than that is a question for engines.

use rely_program::{
    Blocking, CheckKind, EdgeId, Goal, LocationId, Op, Program, ThreadId, ThreadKind, definedness,
};
use std::collections::BTreeSet;

/// Why a property says nothing about a program, if it does not: a sentence without a full stop.
pub fn nothing_to_check(program: &Program, goal: Goal) -> Option<&'static str> {
    let reached = Reached::new(program);
    let is_declared = program.properties().iter().any(|property| property.kind.goal() == goal);
    let is_about_checks = is_declared || reached.checks(program).any(|kind| goal.includes(kind));
    match goal {
        _ if is_declared => None,
        Goal::Assert if !is_about_checks => Some("no assertion is reachable"),
        Goal::Memory if !is_about_checks => Some("nothing is accessed through a pointer or an index"),
        Goal::Overflow if !is_about_checks => Some("no signed arithmetic is reachable that could overflow"),
        Goal::Race if !reached.has_several_threads(program) => Some("there is only one thread"),
        Goal::Deadlock if !reached.has_several_threads(program) && !reached.waits(program) => {
            Some("there is only one thread, which waits for nothing")
        }
        _ => None,
    }
}

/// What control can reach.
struct Reached {
    threads: BTreeSet<ThreadId>,
    edges: Vec<EdgeId>,
    spawns: usize,
}

impl Reached {
    fn new(program: &Program) -> Self {
        let threads = program.threads();
        let runs = |kind: ThreadKind| matches!(kind, ThreadKind::Instance { running: true });
        let first = threads.iter().filter(|(_, thread)| runs(thread.kind)).map(|(id, _)| id);
        let mut reached = Self { threads: first.collect(), edges: Vec::new(), spawns: 0 };
        let mut open: Vec<LocationId> = reached.threads.iter().map(|&thread| threads[thread].entry).collect();
        let mut seen: BTreeSet<LocationId> = open.iter().copied().collect();
        while let Some(location) = open.pop() {
            for &id in program.outgoing(location) {
                let edge = &program.edges()[id];
                reached.edges.push(id);
                let mut next = vec![edge.target];
                for op in &edge.ops {
                    if let Op::Spawn { thread, .. } = op {
                        reached.spawns += 1;
                        reached.threads.insert(*thread);
                        next.push(threads[*thread].entry);
                    }
                }
                open.extend(next.into_iter().filter(|&target| seen.insert(target)));
            }
        }
        reached
    }

    fn ops<'p>(&'p self, program: &'p Program) -> impl Iterator<Item = &'p Op> {
        self.edges.iter().flat_map(|&edge| &program.edges()[edge].ops)
    }

    /// The kinds of the checks, those included that expressions imply.
    fn checks<'p>(&'p self, program: &'p Program) -> impl Iterator<Item = CheckKind> {
        self.ops(program).flat_map(|op| {
            let mut kinds = Vec::new();
            let mut implied =
                |expr| kinds.extend(definedness(program, expr).into_iter().map(|(kind, _)| kind));
            match op {
                Op::Check(condition, _) => implied(condition),
                Op::Assume(condition, _) | Op::Join(condition) => implied(condition),
                Op::Assign(parts) => parts.iter().for_each(|(_, value)| implied(value)),
                Op::Spawn { arguments, .. } => arguments.iter().for_each(implied),
                Op::Havoc(..) | Op::Halt => {}
            }
            if let Op::Check(_, check) = op {
                kinds.push(program.checks()[*check].kind);
            }
            kinds
        })
    }

    fn has_several_threads(&self, program: &Program) -> bool {
        let is_template = |thread: &ThreadId| program.threads()[*thread].kind == ThreadKind::Template;
        self.threads.len() > 1 || self.threads.iter().any(is_template) && self.spawns > 0
    }

    /// Whether there is a step without an alternative that has to wait. A branch has an alternative.
    fn waits(&self, program: &Program) -> bool {
        let edges = self.edges.iter().map(|&edge| &program.edges()[edge]);
        let only = edges.filter(|edge| program.outgoing(edge.source).len() == 1);
        only.flat_map(|edge| &edge.ops).any(|op| matches!(op, Op::Join(_) | Op::Assume(_, Blocking::Wait)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, Source, load};

    fn check(language: Language, text: &str, goal: Goal, expected: Option<&str>) {
        let loaded = load(&Source::new("t", language, text)).expect("a program");
        assert_eq!(nothing_to_check(&loaded.program, goal), expected, "{goal}: {text}");
    }

    #[test]
    fn what_is_missing_is_named() {
        let c = |text: &str, goal, expected| check(Language::C, text, goal, expected);
        let plain = "int x; int main(void) { x = 1; return 0; }";
        c(plain, Goal::Assert, Some("no assertion is reachable"));
        c(plain, Goal::Race, Some("there is only one thread"));
        c(plain, Goal::Deadlock, Some("there is only one thread, which waits for nothing"));
        c(plain, Goal::Memory, Some("nothing is accessed through a pointer or an index"));
        c(plain, Goal::Overflow, Some("no signed arithmetic is reachable that could overflow"));
        c(plain, Goal::Termination, None);
        let branches = "int x; int main(void) { if (x) x = 2; else x = 3; while (x) x = 0; return 0; }";
        c(branches, Goal::Deadlock, Some("there is only one thread, which waits for nothing"));
        let unreachable =
            "void f(int x) { if (x != 1) __builtin_unreachable(); } int main(void) { return 0; }";
        c(unreachable, Goal::Assert, Some("no assertion is reachable"));
    }

    #[test]
    fn what_is_there_is_found() {
        let c = |text: &str, goal| check(Language::C, text, goal, None);
        c("int x, y; int main(void) { x = 1 / y; return 0; }", Goal::Assert);
        c("int a[2], x; int main(void) { a[x] = 1; return 0; }", Goal::Memory);
        c("int x; int main(void) { x = x + 1; return 0; }", Goal::Overflow);
        let model = |text: &str, goal| check(Language::Rely, text, goal, None);
        model("var x: int = 0; thread A { await x == 1; }", Goal::Deadlock);
        model("var x: int = 0; thread A { x := 1; } thread B { x := 2; }", Goal::Race);
        model("var x: int = 0; thread A { x := 1; } ensures x == 1;", Goal::Assert);
        model("var x: int = 0; process P { x := 1; } start P; start P;", Goal::Race);
    }
}
