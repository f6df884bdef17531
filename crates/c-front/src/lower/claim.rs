//! What the annotations of a program claim.
//!
//! An annotation looks at one state, between two steps, so its reads take no steps; but other threads are taken to exist,
//! since it sees what they would. What its words mean is found out in `annotation`.
//!
//! `ensures` speaks of the end of the program, by `main` or by a call of `exit`, which ends all threads wherever they
//! are, or by the end of the last thread. The former stand in places of their own, to tell them from the end of one thread.

use super::annotation::{Reader, sum};
use super::{Lowered, Lowering};
use crate::annotation::{Annotation, Kind};
use rely_base::{Diagnostic, Span};
use rely_program::{Expr, LocationId, Op, Property, PropertyKind, ThreadId, definedness};

/// More parts than this has no claim: a label counts for each copy of its function.
const MOST_PARTS: usize = 100_000;

/// A label in the code of a thread.
#[derive(Clone, Debug)]
pub(super) struct LabelPlace {
    pub(super) thread: ThreadId,
    /// As the user wrote them.
    pub(super) function: String,
    pub(super) label: String,
    pub(super) location: LocationId,
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// Notes a label, for those who count who stands there.
    pub(super) fn note_label(&mut self, location: LocationId, label: &str) {
        if self.annotations.is_empty() {
            return;
        }
        let function = self.frames.last().map_or("", |frame| self.spelled(frame.name)).to_owned();
        let label = self.spelled(label).to_owned();
        self.label_places.push(LabelPlace { thread: self.thread.id, function, label, location });
    }

    /// Ends the program here, because it is done.
    pub(super) fn finish_program(&mut self) {
        if !self.annotations.iter().any(|annotation| annotation.kind == Kind::Ensures) {
            self.emit(vec![Op::Halt]);
            self.end_here();
            return;
        }
        let Some(flow) = self.step(vec![Op::Halt]) else { return };
        let end = self.builder.location(self.thread.id, self.at);
        self.ends.push((self.thread.id, end));
        self.flow = flow;
        self.end_at(end);
    }

    /// Adds the properties that the annotations state.
    pub(super) fn annotate(&mut self) {
        if !self.annotations.is_empty() {
            self.facts.note_threads();
        }
        for annotation in self.annotations {
            match self.claims(annotation) {
                Ok(claims) => {
                    for kind in claims {
                        self.builder.property(Property { kind, span: Some(annotation.span) });
                    }
                }
                // In a round to come there may be more threads and labels.
                Err(error) => self.wrong_annotations.push(error),
            }
        }
    }

    fn claims(&mut self, annotation: &Annotation) -> Lowered<Vec<PropertyKind>> {
        self.check_budget()?;
        let condition = Reader::new(self, annotation.unit).read(&annotation.condition)?.truth();
        self.check_claim(&condition, annotation.condition.span)?;
        let defined = definedness(self.builder.program(), &condition).into_iter().map(|(_, defined)| defined);
        let holds = match annotation.kind {
            Kind::Never => condition.clone().negate(),
            Kind::Invariant | Kind::Ensures => condition.clone(),
        };
        let claim = Expr::all(defined.chain([holds]));
        if annotation.kind != Kind::Ensures {
            return Ok(vec![PropertyKind::Always(claim)]);
        }
        let mut claims = vec![PropertyKind::AtEnd(claim.clone())];
        if !self.ends.is_empty() {
            let ended = sum(self.ends.iter().map(|(_, end)| Expr::CountAt(*end)).collect());
            claims.push(PropertyKind::Always(ended.eq(Expr::Int(0)).or(claim)));
        }
        Ok(claims)
    }

    /// A claim without variables and threads is a slip.
    fn check_claim(&self, condition: &Expr, span: Span) -> Lowered<()> {
        let (mut says_something, mut parts) = (false, 0);
        condition.walk(&mut |part| {
            parts += 1;
            says_something |= !matches!(part, Expr::Int(_) | Expr::Bool(_)) && part.children().is_empty()
                || matches!(part, Expr::Element(..));
        });
        let error = |message: &str, label: &str| Err(Diagnostic::error(message).at(span, label));
        match says_something {
            _ if parts > MOST_PARTS => {
                error("an annotation about too many places", "its functions are called too often")
            }
            false => {
                error("an annotation says nothing about the program", "this names no variable and no thread")
            }
            true => Ok(()),
        }
    }
}
