//! Proofs for people, as textbooks print them: each thread's program with what holds between the
//! statements, then what the thread relies on and what it guarantees.
//!
//! Everything is taken from the proof that was checked and from the source, so that the proofs of
//! all engines look alike. An effect is written like the statement that has it,
//! `[lock == 0] lock := 1`, as far as it can be; what cannot is a condition in which `x'` is the
//! value of `x` afterwards. A ranking says, too, how far each thread is from its end.

use crate::cubes::{simplified, without_temporaries};
use crate::layout::wrap;
use crate::outline::Outline;
use crate::phrase::Phrases;
use crate::ranks;
use crate::recall;
use crate::reduction;
use crate::style::{Role, Style};
use crate::witness::ProofContext;
use rely_evidence::counting::{Counting, Invariant, InvariantPrinter};
use rely_evidence::ranking::Ranking;
use rely_evidence::rely_guarantee::{
    Atom, Comparison, Cube, EdgeEffect, Moment, Quantity, RelyGuarantee, ThreadAssertions,
};
use rely_evidence::{Proof, Proved};
use rely_program::analysis::Access;
use rely_program::{Sort, ThreadId, ThreadKind, Value, VarId};

/// How much of a proof is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofDetail {
    /// What holds at the statements of the source where something new does, and what threads guarantee.
    Short,
    /// All that it says.
    Full,
}

/// A proof as text.
pub fn render_proof(
    proved: &Proved,
    context: &ProofContext<'_>,
    detail: ProofDetail,
    style: Style,
) -> String {
    render(proved.proof(), proved.is_modular(), context, (detail, style))
}

fn render(
    proof: &Proof,
    is_modular: bool,
    context: &ProofContext<'_>,
    (detail, style): (ProofDetail, Style),
) -> String {
    let restored = &context.restored();
    let phrases = &Phrases::new(restored, context.sources);
    let told = |proof: &RelyGuarantee| {
        let told = recall::proof(proof, restored);
        if detail == ProofDetail::Short { without_temporaries(&told, &restored.program) } else { told }
    };
    match proof {
        Proof::RelyGuarantee(proof) => {
            let proof = &told(proof);
            Writer { phrases, style, detail, proof, ranking: None }.write(is_modular)
        }
        Proof::Ranking(ranking) => {
            let (proof, ranking) = (&told(&ranking.proof), Some(ranking));
            Writer { phrases, style, detail, proof, ranking }.write(is_modular)
        }
        Proof::Helping(helping) => {
            let proof = &told(&helping.proof);
            Writer { phrases, style, detail, proof, ranking: None }.write(is_modular)
                + &ranks::helps(helping, phrases)
        }
        Proof::Counting(Counting { invariants, proof }) => {
            let invariants = recall::invariants(invariants, restored);
            let proof = &told(proof);
            Writer { phrases, style, detail, proof, ranking: None }.write_counting(&invariants)
        }
        Proof::Reduced(reduced) => {
            let mut text = match detail {
                ProofDetail::Short => reduction::summary(reduced, phrases, style),
                ProofDetail::Full => reduction::render(reduced, restored, phrases, style),
            };
            if let Ok((smaller, back)) = reduced.program(context.prepared) {
                let back = &context.back.clone().then(back);
                let inner = ProofContext { prepared: &smaller, back, ..*context };
                if detail == ProofDetail::Full {
                    text.push('\n');
                }
                text += &render(&reduced.proof, is_modular, &inner, (detail, style));
            }
            text
        }
        _ => "  proof        by visiting all states; there is nothing more to read\n".to_owned(),
    }
}

/// Of more effects of a thread a short proof does not tell.
const MOST_GUARANTEES: usize = 4;

/// Says the parts of a proof in words.
pub(crate) struct Writer<'w> {
    pub(crate) phrases: &'w Phrases<'w>,
    pub(crate) style: Style,
    pub(crate) detail: ProofDetail,
    pub(crate) proof: &'w RelyGuarantee,
    /// The ranks, if it is about these.
    pub(crate) ranking: Option<&'w Ranking>,
}

impl Writer<'_> {
    fn write(&self, is_modular: bool) -> String {
        let text = if is_modular {
            "  proof        modular: each thread can be understood without the others\n"
        } else {
            "  proof        threads know about each other's places and locals\n"
        };
        let ranks = self.ranking.map(|ranking| format!("  ranks        {}\n", ranks::summary(ranking)));
        self.threads(text.to_owned() + &ranks.unwrap_or_default())
    }

    /// Invariants first: what is said of threads may rest on them.
    fn write_counting(&self, invariants: &[Invariant]) -> String {
        let mut text = "  proof        threads know how many of them are where\n\n".to_owned();
        let names = self.phrases.locations();
        let printer = InvariantPrinter::new(self.phrases.program).with_names(&names);
        let lines: Vec<String> = invariants.iter().map(|one| printer.invariant(one)).collect();
        text += &self.block("in every state", &lines, "nothing");
        self.threads(text)
    }

    fn threads(&self, mut text: String) -> String {
        let is_silent = |entry: &&ThreadAssertions| {
            self.detail == ProofDetail::Short && self.ranking.is_none() && !says_something(entry)
        };
        let (silent, speaking): (Vec<_>, Vec<_>) = self.proof.threads.iter().partition(is_silent);
        for (number, entry) in speaking.into_iter().enumerate() {
            if number > 0 || self.detail == ProofDetail::Full {
                text.push('\n');
            }
            text += &self.thread(entry);
        }
        let names: Vec<&str> =
            silent.iter().map(|entry| self.phrases.program.threads()[entry.thread].name.as_str()).collect();
        if !names.is_empty() {
            let line = format!("nothing has to hold of {}", names.join(", "));
            for part in wrap(&line, self.style.width.saturating_sub(4)) {
                text += &format!("  {part}\n");
            }
        }
        text
    }

    fn thread(&self, entry: &ThreadAssertions) -> String {
        let name = &self.phrases.program.threads()[entry.thread].name;
        let kind = match self.phrases.program.threads()[entry.thread].kind {
            ThreadKind::Template => " (any number of them)",
            ThreadKind::Instance { .. } => "",
        };
        let mut text = format!("  {}{kind}\n", self.style.paint(Role::Heading, name));
        if self.detail == ProofDetail::Short {
            return text + &self.essence(entry);
        }
        text += &self.outline(entry);
        let nothing = "nothing changes";
        text += &self.block("relies on", &self.relies(entry), nothing);
        text + &self.block("guarantees", &self.guarantees(entry.thread), nothing)
    }

    /// What has to hold of a thread, and what it guarantees, as far as there is something to say.
    fn essence(&self, entry: &ThreadAssertions) -> String {
        // If threads know about each other's places, what each does to the others is what its statements do.
        let guarantees = match self.guarantees(entry.thread) {
            lines if lines.is_empty() || lines.len() > MOST_GUARANTEES || !self.is_modular() => String::new(),
            lines => self.block("guarantees", &lines, ""),
        };
        self.outline(entry) + &guarantees
    }

    /// Whether no thread speaks of the places or the locals of others.
    fn is_modular(&self) -> bool {
        self.proof.is_modular(self.phrases.program)
    }

    /// The program of a thread with its assertions.
    fn outline(&self, entry: &ThreadAssertions) -> String {
        let mut text = String::new();
        for line in Outline::of(self.phrases, entry, self.ranking, self.detail).lines() {
            let indent = 4 + line.indent;
            let width = self.style.width.saturating_sub(indent + 2).max(20);
            if !line.is_assertion {
                text += &format!("{:indent$}{}\n", "", line.text);
                continue;
            }
            for (number, part) in wrap(&line.text, width).iter().enumerate() {
                let indent = if number == 0 { indent } else { indent + 2 };
                text += &format!("{:indent$}{}\n", "", self.style.paint(Role::Quiet, part));
            }
        }
        text
    }

    /// A heading and indented lines, or a word for none.
    fn block(&self, heading: &str, lines: &[String], nothing: &str) -> String {
        let mut text = format!("    {}\n", self.style.paint(Role::Quiet, heading));
        let nothing = [nothing.to_owned()];
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
        actor != thread || self.phrases.program.threads()[actor].kind == ThreadKind::Template
    }

    /// What the others may do to the shared variables. A thread about which nothing has to hold
    /// does not care.
    pub(crate) fn relies(&self, entry: &ThreadAssertions) -> Vec<String> {
        let effects = self.proof.effects.iter();
        let told = self.effects(effects.filter(|effect| self.disturbs(self.actor(effect), entry.thread)));
        if says_something(entry) || told.is_empty() {
            return told;
        }
        vec!["nothing: the others may do what they like".to_owned()]
    }

    /// What the thread itself may do to them.
    pub(crate) fn guarantees(&self, thread: ThreadId) -> Vec<String> {
        self.effects(self.proof.effects.iter().filter(|effect| self.actor(effect) == thread))
    }

    /// The thread whose step has the effect.
    pub(crate) fn actor(&self, effect: &EdgeEffect) -> ThreadId {
        self.phrases.program.locations()[self.phrases.program.edges()[effect.edge].source].thread
    }

    /// What steps do to the shared variables, each only once. Effects that are part of others are
    /// not shown, also if another statement has them.
    fn effects<'e>(&self, effects: impl Iterator<Item = &'e EdgeEffect>) -> Vec<String> {
        let mut by_writes: Vec<(Vec<VarId>, Vec<Cube>)> = Vec::new();
        for effect in effects {
            let writes = Access::of_edge(self.phrases.program, effect.edge).writes;
            let globals: Vec<VarId> =
                writes.iter().filter(|&var| self.phrases.program.vars()[var].is_global()).collect();
            if globals.is_empty() {
                continue;
            }
            match by_writes.iter_mut().find(|(known, _)| *known == globals) {
                Some((_, cubes)) => cubes.extend(effect.cubes.iter().cloned()),
                None => by_writes.push((globals, effect.cubes.clone())),
            }
        }
        let mut lines: Vec<String> = Vec::new();
        for (globals, cubes) in by_writes {
            for cube in simplified(&cubes) {
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
        let written = |atom: &Atom| -> Vec<VarId> {
            let after = atom.terms.iter().filter_map(|(_, quantity)| match quantity {
                Quantity::Cell { var, moment: Moment::After, .. } => Some(*var),
                _ => None,
            });
            after.collect()
        };
        let atoms: Vec<Atom> = cube.atoms.iter().map(|atom| in_old_values(atom, cube)).collect();
        let (guards, changes): (Vec<&Atom>, Vec<&Atom>) =
            atoms.iter().partition(|atom| written(atom).is_empty());
        let mut guards = self.phrases.comparisons(guards.into_iter());
        guards.extend(self.phrases.places(cube));
        let told: Vec<VarId> = changes.iter().flat_map(|atom| written(atom)).collect();
        let (assigning, others): (Vec<&Atom>, Vec<&Atom>) =
            changes.into_iter().partition(|atom| self.assignment(atom).is_some());
        let mut actions: Vec<String> = assigning.iter().filter_map(|atom| self.assignment(atom)).collect();
        actions.extend(self.phrases.comparisons(others.into_iter()));
        let untold = globals.iter().filter(|var| !told.contains(var));
        actions.extend(untold.map(|&var| format!("{} := any", self.phrases.program.vars()[var].name)));
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
        let target = self.phrases.printer().cell(var, index);
        if self.phrases.program.vars()[var].sort == Sort::Bool && rest.is_empty() {
            return Some(format!("{target} := {}", constant != 0));
        }
        Some(format!("{target} := {}", self.phrases.printer().sum(&rest, constant)))
    }
}

/// Whether something has to hold of a thread somewhere.
fn says_something(entry: &ThreadAssertions) -> bool {
    let mut cubes = entry.at.iter().flat_map(|(_, cubes)| cubes);
    cubes.any(|cube| !cube.atoms.is_empty() || !cube.others.is_empty())
}

fn is_new(quantity: &Quantity) -> bool {
    matches!(quantity, Quantity::Cell { moment: Moment::After, .. })
}

/// A bound of a new value as one of the old value from which it comes: with `x' == x + 1`, that
/// `x' <= 10` is that `x <= 9`.
fn in_old_values(atom: &Atom, cube: &Cube) -> Atom {
    let explained = |&(factor, new): &(Value, Quantity)| {
        let explain = |other: &Atom| match *other.terms.as_slice() {
            [(left, one), (right, two)] if other.comparison == Comparison::Eq && left == -right => {
                let (old, sign) = if two == new { (one, right) } else { (two, left) };
                let fits = (one == new || two == new) && !is_new(&old) && sign.abs() == 1;
                // sign * (new - old) + constant == 0
                let constant = factor.checked_mul(-sign)?.checked_mul(other.constant)?;
                fits.then(|| Some((old, atom.constant.checked_add(constant)?))).flatten()
            }
            _ => None,
        };
        cube.atoms.iter().find_map(explain).map(|(old, constant)| (factor, old, constant))
    };
    match atom.terms.as_slice() {
        [term] if is_new(&term.1) => match explained(term) {
            Some((factor, old, constant)) => {
                Atom { terms: vec![(factor, old)], constant, comparison: atom.comparison }
            }
            None => atom.clone(),
        },
        _ => atom.clone(),
    }
}
