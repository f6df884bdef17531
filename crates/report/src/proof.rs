//! Proofs for people: per thread what it relies on, what it guarantees, and what holds where.
//!
//! The words are those of the source: names of variables, labels and lines. An effect is written
//! like the statement that has it, `[lock == 0] lock := 1`, as far as it can be; what cannot is a
//! condition in which `x'` is the value of `x` afterwards.

use crate::cubes::simplified;
use crate::layout::wrap;
use crate::style::{Role, Style};
use rely_base::{Id, SourceMap, Span};
use rely_evidence::rely_guarantee::{
    Atom, AtomPrinter, Comparison, Cube, EdgeEffect, Moment, Quantity, RelyGuarantee, Spot, ThreadAssertions,
};
use rely_evidence::{Proof, Proved};
use rely_program::analysis::Access;
use rely_program::{Program, Scope, Sort, ThreadId, ThreadKind, Value, VarId};

/// A proof as text. `program` is the program that the proof is about.
pub fn render_proof(proved: &Proved, program: &Program, sources: &SourceMap, style: Style) -> String {
    match proved.proof() {
        Proof::RelyGuarantee(proof) => {
            let writer = Writer { program, sources, style, proof };
            writer.write(proved.is_modular())
        }
        _ => "  proof        by visiting all states; there is nothing more to read\n".to_owned(),
    }
}

/// Says the parts of a proof in words.
pub(crate) struct Writer<'w> {
    pub(crate) program: &'w Program,
    pub(crate) sources: &'w SourceMap,
    pub(crate) style: Style,
    pub(crate) proof: &'w RelyGuarantee,
}

impl Writer<'_> {
    fn printer(&self) -> AtomPrinter<'_> {
        AtomPrinter::new(self.program)
    }

    fn write(&self, is_modular: bool) -> String {
        let mut text = String::from(if is_modular {
            "  proof        modular: each thread can be understood without the others\n"
        } else {
            "  proof        threads know about each other's places and locals\n"
        });
        for entry in &self.proof.threads {
            text += &self.thread(entry);
        }
        text
    }

    fn thread(&self, entry: &ThreadAssertions) -> String {
        let name = &self.program.threads()[entry.thread].name;
        let kind = match self.program.threads()[entry.thread].kind {
            ThreadKind::Template => " (any number of them)",
            ThreadKind::Instance { .. } => "",
        };
        let mut text = format!("\n  {}{kind}\n", self.style.paint(Role::Heading, name));
        text += &self.block("relies on", &self.relies(entry.thread));
        text += &self.block("guarantees", &self.guarantees(entry.thread));
        let assertions: Vec<String> =
            entry.at.iter().map(|(spot, cubes)| self.assertion(*spot, cubes)).collect();
        text + &self.block("asserts", &assertions)
    }

    /// A heading and indented lines.
    fn block(&self, heading: &str, lines: &[String]) -> String {
        let mut text = format!("    {}\n", self.style.paint(Role::Quiet, heading));
        let nothing = ["nothing changes".to_owned()];
        let lines = if lines.is_empty() { &nothing } else { lines };
        for line in lines {
            for (number, part) in wrap(line, self.style.width.saturating_sub(10)).iter().enumerate() {
                let indent = if number == 0 { 6 } else { 10 };
                text += &format!("{:indent$}{part}\n", "");
            }
        }
        text
    }

    /// Whether steps of `actor` happen while `thread` stands somewhere: those of the others, and of
    /// a template those of its other instances.
    pub(crate) fn disturbs(&self, actor: ThreadId, thread: ThreadId) -> bool {
        actor != thread || self.program.threads()[actor].kind == ThreadKind::Template
    }

    /// What the others may do to the shared variables.
    pub(crate) fn relies(&self, thread: ThreadId) -> Vec<String> {
        let effects = self.proof.effects.iter();
        self.effects(effects.filter(|effect| self.disturbs(self.actor(effect), thread)))
    }

    /// What the thread itself may do to them.
    pub(crate) fn guarantees(&self, thread: ThreadId) -> Vec<String> {
        self.effects(self.proof.effects.iter().filter(|effect| self.actor(effect) == thread))
    }

    /// The thread whose step has the effect.
    pub(crate) fn actor(&self, effect: &EdgeEffect) -> ThreadId {
        self.program.locations()[self.program.edges()[effect.edge].source].thread
    }

    /// What steps do to the shared variables, each only once.
    fn effects<'e>(&self, effects: impl Iterator<Item = &'e EdgeEffect>) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for effect in effects {
            let writes = Access::of_edge(self.program, effect.edge).writes;
            let globals: Vec<VarId> =
                writes.iter().filter(|&var| self.program.vars()[var].is_global()).collect();
            if globals.is_empty() {
                continue;
            }
            for cube in simplified(&effect.cubes) {
                let line = self.effect(&globals, &cube);
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
        lines
    }

    /// `[guard] x := e, y' >= y`
    fn effect(&self, globals: &[VarId], cube: &Cube) -> String {
        let mut guards = self.places(cube);
        let mut actions = Vec::new();
        let mut told: Vec<VarId> = Vec::new();
        for atom in &cube.atoms {
            let written = atom.terms.iter().filter_map(|(_, quantity)| match quantity {
                Quantity::Cell { var, moment: Moment::After, .. } => Some(*var),
                _ => None,
            });
            let written: Vec<VarId> = written.collect();
            if written.is_empty() {
                guards.push(self.printer().atom(atom));
            } else {
                actions.push(self.assignment(atom).unwrap_or_else(|| self.printer().atom(atom)));
                told.extend(written);
            }
        }
        let untold = globals.iter().filter(|var| !told.contains(var));
        actions.extend(untold.map(|&var| format!("{} := any", self.program.vars()[var].name)));
        let guard = if guards.is_empty() { String::new() } else { format!("[{}] ", guards.join(" && ")) };
        format!("{guard}{}", actions.join(", "))
    }

    /// An equation that says what one variable becomes.
    fn assignment(&self, atom: &Atom) -> Option<String> {
        let is_after =
            |(_, part): &&(Value, Quantity)| matches!(part, Quantity::Cell { moment: Moment::After, .. });
        let [&(factor, Quantity::Cell { var, index, .. })] =
            *atom.terms.iter().filter(is_after).collect::<Vec<_>>()
        else {
            return None;
        };
        if atom.comparison != Comparison::Eq || factor.abs() != 1 {
            return None;
        }
        let rest = atom.terms.iter().filter(|term| !is_after(term));
        let rest: Vec<(Value, Quantity)> = rest.map(|&(other, part)| (-factor * other, part)).collect();
        let constant = -factor * atom.constant;
        let target = self.printer().cell(var, index);
        if self.program.vars()[var].sort == Sort::Bool && rest.is_empty() {
            return Some(format!("{target} := {}", constant != 0));
        }
        Some(format!("{target} := {}", self.printer().sum(&rest, constant)))
    }

    /// Where, and what holds there.
    fn assertion(&self, spot: Spot, cubes: &[Cube]) -> String {
        let cases = self.cases(cubes);
        let texts: Vec<String> = match cases.as_slice() {
            [single] => vec![single.join(" && ")],
            several => several
                .iter()
                .map(|parts| match parts.as_slice() {
                    [part] => part.clone(),
                    _ => format!("({})", parts.join(" && ")),
                })
                .collect(),
        };
        let condition = if texts.is_empty() { "never reached".to_owned() } else { texts.join(" || ") };
        format!("{}: {condition}", self.place(spot))
    }

    /// An assertion as a disjunction of conjunctions; none of them is empty.
    pub(crate) fn cases(&self, cubes: &[Cube]) -> Vec<Vec<String>> {
        let case = |cube: &Cube| {
            let mut parts: Vec<String> = cube.atoms.iter().map(|atom| self.printer().atom(atom)).collect();
            parts.extend(self.places(cube));
            if parts.is_empty() {
                parts.push("true".to_owned());
            }
            parts
        };
        simplified(cubes).iter().map(case).collect()
    }

    /// The line and the label of a spot, as far as it has them.
    pub(crate) fn place(&self, spot: Spot) -> String {
        match (self.line(spot), self.label(spot)) {
            (Some(line), Some(label)) => format!("line {line} ({label})"),
            (Some(line), None) => format!("line {line}"),
            (None, _) => self.spot(spot),
        }
    }

    fn places(&self, cube: &Cube) -> Vec<String> {
        let place = |(thread, spots): &(ThreadId, Vec<Spot>)| {
            let names: Vec<String> = spots.iter().map(|&spot| self.spot(spot)).collect();
            let name = &self.program.threads()[*thread].name;
            match names.as_slice() {
                [single] => format!("{name} at {single}"),
                _ => format!("{name} at {{{}}}", names.join(", ")),
            }
        };
        cube.others.iter().map(place).collect()
    }

    /// A label, or `entry` and `exit`.
    fn label(&self, spot: Spot) -> Option<String> {
        let Spot::At(location) = spot else { return Some("not started".to_owned()) };
        let thread = self.program.thread_of(location);
        let label = self.program.locations()[location].label.clone();
        label
            .or_else(|| (location == thread.entry).then(|| "entry".to_owned()))
            .or_else(|| (location == thread.exit).then(|| "exit".to_owned()))
    }

    fn spot(&self, spot: Spot) -> String {
        let number = || match spot {
            Spot::At(location) => format!("location {}", location.index()),
            Spot::Unstarted => "not started".to_owned(),
        };
        let line = || self.line(spot).map(|line| format!("line {line}"));
        self.label(spot).or_else(line).unwrap_or_else(number)
    }

    fn line(&self, spot: Spot) -> Option<u32> {
        self.span(spot).map(|span| self.sources.position(span).line)
    }

    /// The statement that starts at a location.
    pub(crate) fn span(&self, spot: Spot) -> Option<Span> {
        let Spot::At(location) = spot else { return None };
        let leaving =
            self.program.outgoing(location).iter().find_map(|&edge| self.program.edges()[edge].span);
        self.program.locations()[location].span.or(leaving)
    }

    /// A variable, with its thread in front if it has one.
    pub(crate) fn var(&self, var: VarId) -> String {
        let declaration = &self.program.vars()[var];
        match declaration.scope {
            Scope::Global => declaration.name.clone(),
            Scope::Local(thread) => format!("{}.{}", self.program.threads()[thread].name, declaration.name),
        }
    }
}
