//! A report as one HTML page that needs nothing else: no network, no other file.
//!
//! What the page says is plain data ([`data`]), made here from verdicts and programs and embedded
//! as JSON. The page's own script turns it into pictures; it puts text into the page as text only,
//! so nothing that a program contains can become part of the page's structure. The parts:
//!
//! * [`run`]: a violation as lanes, values and locks;
//! * [`outline`]: a proof as assertions at places of the source;
//! * [`counting`]: counting invariants, and the places of which they speak;
//! * [`interference`]: which lines change what which assertions mention;
//! * [`margin`]: which lines are one step, and which steps concern nobody else;
//! * [`waiting`]: who waits for whom in a deadlock;
//! * [`source`]: the texts, each only once;
//! * [`page`]: the frame around it.

mod counting;
mod data;
mod interference;
mod margin;
mod outline;
mod page;
mod run;
mod source;
mod waiting;

#[cfg(test)]
mod tests;

pub use page::escape_html;

use crate::blocks::StepBlocks;
use crate::explain::Sentence;
use crate::finding::{Finding, Kind, Problem, SKIPPED};
use crate::phrase::Phrases;
use crate::text::violation_text;
use data::{Reason, Section, WaitingData};
use rely_base::{History, SourceMap};
use rely_evidence::{Proof, Verdict};
use rely_passes::{BackMap, Restored};
use rely_program::Program;
use source::SourceTable;

/// What a finding is about: the program with its texts, and what the engine made of it.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'s> {
    /// The program as the front end made it.
    pub program: &'s Program,
    /// The texts into which its spans point.
    pub sources: &'s SourceMap,
    /// The program that the engine saw.
    pub prepared: &'s Program,
    /// The way back from it.
    pub back: &'s BackMap,
    /// What is known.
    pub verdict: &'s Verdict,
    /// What the engine told about its work.
    pub history: &'s History,
    /// Why the verdict is what it is.
    pub explanation: &'s [Sentence],
    /// All blocks and movers that were found, if the proof rests on some; it mentions only those that it needs.
    pub blocks: Option<StepBlocks<'s>>,
    /// Whether the source has words for all that a proof speaks of; otherwise it is not shown.
    pub is_told: bool,
}

impl Subject<'_> {
    /// The program that the engine saw, with all the variables of which people speak.
    fn restored(&self) -> Restored {
        Restored::new(self.program, self.prepared, self.back)
    }
}

/// Collects findings and makes the page.
#[derive(Debug)]
pub struct HtmlReport {
    rely_version: String,
    sources: SourceTable,
    sections: Vec<Section>,
}

impl HtmlReport {
    /// A report without findings.
    pub fn new(rely_version: &str) -> Self {
        Self { rely_version: rely_version.to_owned(), sources: SourceTable::default(), sections: Vec::new() }
    }

    /// Adds the result for one property of one file.
    pub fn add(&mut self, file: &str, finding: &Finding, subject: &Subject<'_>) {
        let mut section = Section::new(file, finding.conclusion.name());
        section.property = Some(finding.property.name());
        section.engine = Some(finding.engine_text());
        section.assumptions.clone_from(&finding.assumptions);
        section.trusted.clone_from(&finding.trusted);
        section.counts.clone_from(&finding.statistics);
        section.seconds = Some(finding.time.as_secs_f64());
        match &finding.conclusion.0 {
            Kind::Safe { evidence, modular } => {
                section.evidence = Some(evidence.clone());
                section.modular = Some(*modular);
            }
            Kind::Nothing { why, evidence } => {
                section.headline = Some(why.clone());
                section.evidence = Some(evidence.clone());
            }
            Kind::Unsafe { evidence, violation, .. } => {
                section.headline = Some(violation_text(violation));
                section.evidence = Some(evidence.clone());
                section.place = violation.place.as_ref().map(|place| place.line);
                section.waiting = violation.waiting.iter().map(WaitingData::from).collect();
            }
            Kind::Unknown { reason, advice } => {
                section.headline = Some(reason.clone());
                section.advice.clone_from(advice);
            }
        }
        self.sources.add_program(subject.program, subject.sources);
        section.source = self.sources.main(file);
        if subject.is_told {
            self.add_pictures(&mut section, finding, subject);
        }
        self.sections.push(section);
    }

    fn add_pictures(&mut self, section: &mut Section, finding: &Finding, subject: &Subject<'_>) {
        // A verdict that another solver does not confirm is not reported, and not shown either.
        if finding.conclusion.is_about(subject.verdict) {
            let sentences = subject.explanation.iter().filter(|sentence| !is_said(section, sentence));
            section.why = sentences.map(Reason::from).collect();
            section.arrows = waiting::arrows(subject.explanation);
        }
        match (subject.verdict, &finding.conclusion.0) {
            (Verdict::Unsafe(shown), Kind::Unsafe { run, .. }) => {
                section.run = Some(run::run(run, shown.replay(), subject, &self.sources));
            }
            (Verdict::Safe(proved), Kind::Safe { .. } | Kind::Nothing { .. }) => {
                section.margin = Some(margin::margin(proved.proof(), subject, &self.sources));
                self.add_places(section, proved.proof(), subject);
            }
            _ => {}
        }
        let restored = subject.restored();
        let phrases = Phrases::new(&restored, subject.sources);
        section.history = data::HistoryData::new(subject.history, &phrases, &self.sources);
    }

    /// Adds what holds where, as far as a proof says. Of a reduction whose proof says nothing about
    /// places, what is held shows why its movers are some.
    fn add_places(&self, section: &mut Section, proof: &Proof, subject: &Subject<'_>) {
        match proof {
            Proof::RelyGuarantee(proof) => {
                section.outline = Some(outline::outline(proof, None, subject, &self.sources));
            }
            Proof::Ranking(ranking) => {
                let (proof, ranking) = (&ranking.proof, Some(ranking));
                section.outline = Some(outline::outline(proof, ranking, subject, &self.sources));
            }
            Proof::Helping(helping) => {
                section.outline = Some(outline::outline(&helping.proof, None, subject, &self.sources));
            }
            Proof::Counting(counting) => {
                section.outline = Some(outline::outline(&counting.proof, None, subject, &self.sources));
                section.counting = Some(counting::counting(&counting.invariants, subject, &self.sources));
            }
            Proof::Reduced(reduced) => {
                if let Ok((smaller, back)) = reduced.program(subject.prepared) {
                    let back = subject.back.clone().then(back);
                    let inner = Subject { prepared: &smaller, back: &back, ..*subject };
                    self.add_places(section, &reduced.proof, &inner);
                }
                if section.outline.is_none() {
                    section.outline =
                        Some(outline::outline(&reduced.held.proof, None, subject, &self.sources));
                }
                if section.counting.is_none() && !reduced.held.invariants.is_empty() {
                    let invariants = &reduced.held.invariants;
                    section.counting = Some(counting::counting(invariants, subject, &self.sources));
                }
            }
            _ => {}
        }
    }

    /// Adds a file that is no program.
    pub fn add_problem(&mut self, file: &str, problem: &Problem) {
        let mut section = Section::new(file, if problem.is_skipped { SKIPPED } else { "error" });
        for diagnostic in &problem.diagnostics {
            let place = diagnostic.primary.as_ref().map(|(span, _)| problem.sources.position(*span).line);
            let line = place.map(|line| format!("line {line}: ")).unwrap_or_default();
            section.errors.push(format!("{line}{}", diagnostic.message));
            if let Some((span, _)) = &diagnostic.primary {
                self.sources.add_file(problem.sources.file(span.file));
                section.place = section.place.or(place);
            }
        }
        section.source = self.sources.main(file);
        self.sections.push(section);
    }

    /// The page.
    pub fn render(&self) -> String {
        page::render(&data::Page {
            rely: &self.rely_version,
            sources: self.sources.data(),
            sections: &self.sections,
        })
    }
}

/// Whether the head of an unknown result says already what a sentence says.
fn is_said(section: &Section, sentence: &Sentence) -> bool {
    let said = [&section.headline, &section.advice].into_iter().flatten();
    section.verdict == "unknown" && said.into_iter().any(|text| sentence.text.contains(text.as_str()))
}
