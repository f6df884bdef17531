//! `rely certify`: is this written proof one of this program? And what `rely check` leaves behind
//! for others: certificates, obligations, the word of another solver.

use super::check::proof_text;
use super::{Context, Ended, output};
use crate::args::{CertifyArgs, EvidenceArgs};
use crate::exit::Status;
use crate::input::NotLoaded;
use crate::limits::{Limits, Watch, supervised};
use crate::progress::Heartbeat;
use crate::writing::write_whole;
use rely_base::{Budget, History, Interrupted};
use rely_evidence::rely_guarantee::{ControlPoint, ObligationsError, RelyGuaranteeDefect};
use rely_evidence::{Certificate, ProofDefect, Reason, Rejection, Verdict, export_obligations, recheck};
use rely_program::Goal;
use rely_report::{
    Conclusion, Detail, Explained, FileReport, Finding, HtmlReport, Subject, explain, render_finding,
};
use rely_verify::{Loaded, Verified};
use std::fs;
use std::path::Path;
use std::time::Instant;

/// A certificate that is larger than this was not written by us.
const LARGEST_CERTIFICATE: u64 = 1 << 30;

/// Checks a certificate from nothing but the program and the file.
pub fn certify(arguments: &CertifyArgs, context: &Context) -> Ended {
    let watch = Watch::new(context.interrupt.clone(), Heartbeat::silent());
    let budget = watch.begin(Limits::new(arguments.timeout, arguments.memory));
    let start = Instant::now();
    let work = || certify_within(arguments, context, &watch, budget);
    supervised(&watch, work, |reason| {
        let conclusion = match watch.work() {
            Some(work) => Conclusion::not_begun(Interrupted { reason, work }),
            None => Conclusion::stopped(reason, None),
        };
        print_unknown(arguments, context, conclusion, start).unwrap_or(Status::Unknown).code()
    })?
}

/// There was not enough time or memory to look at the certificate.
fn print_unknown(
    arguments: &CertifyArgs,
    context: &Context,
    conclusion: Conclusion,
    start: Instant,
) -> Ended {
    let file = super::program_name(&arguments.files).to_string();
    // Which property the certificate is about may not be known yet.
    let finding =
        Finding { time: start.elapsed(), ..Finding::new(Goal::Assert, engine_name(arguments), conclusion) };
    let text = render_finding(&file, &finding, Detail::Usual, context.console.out_style);
    let status = context.unless_interrupted(Status::Unknown);
    let report = FileReport::new(file, Ok(vec![finding]));
    context.console.print(&output::render_as(&[report], arguments.format, status).unwrap_or(text))?;
    Ok(status)
}

fn engine_name(arguments: &CertifyArgs) -> String {
    format!("none: the proof is that of {}", arguments.certificate.display())
}

fn certify_within(arguments: &CertifyArgs, context: &Context, watch: &Watch, budget: Budget) -> Ended {
    let start = Instant::now();
    let certificate = match read_certificate(&arguments.certificate) {
        Ok(certificate) => certificate,
        Err(message) => return Ok(context.console.error(&message)),
    };
    let loaded = match super::load(&arguments.files, &arguments.input, &budget) {
        Ok(loaded) => loaded,
        Err(NotLoaded::Wrong(problem)) => return Ok(context.complain(&problem)),
        Err(NotLoaded::Stopped(interrupted)) => {
            return print_unknown(arguments, context, Conclusion::not_begun(interrupted), start);
        }
    };
    let goal = certificate.goal;
    let loaded = loaded.for_goal(goal);
    let verified = match rely_verify::certify(&loaded.program, &loaded.sources, certificate, &budget) {
        Ok(verified) => verified,
        Err(error) => {
            let message = format!("{}: {error}", arguments.certificate.display());
            return Ok(context.console.error(&message));
        }
    };
    let conclusion = match &verified.verdict {
        // Of an engine this would be a bug; a certificate can come from anywhere.
        Verdict::Unknown(Reason::Rejected(rejection)) => {
            let line =
                line_of(rejection, &verified, loaded).map_or(String::new(), |line| format!(", line {line}"));
            Conclusion::unknown(format!("the certificate proves nothing: {rejection}{line}"), None)
        }
        _ => conclusion(&verified, loaded, goal, arguments.solver.as_deref(), &budget),
    };
    let finding = Finding {
        trusted: verified.trusted.iter().map(|&pass| pass.to_owned()).collect(),
        assumptions: rely_verify::assumptions(&loaded.program, goal),
        time: start.elapsed(),
        ..Finding::new(goal, engine_name(arguments), conclusion)
    };
    let file = super::program_name(&arguments.files).to_string();
    let mut text = render_finding(&file, &finding, Detail::Usual, context.console.out_style);
    text += &proof_text(arguments.proof, &verified, loaded, context);
    let wanted =
        EvidenceArgs { export_obligations: arguments.export_obligations.clone(), ..EvidenceArgs::default() };
    let written = write_evidence(&wanted, &verified, loaded, goal, &budget);
    let written = written.and_then(|()| match &arguments.report {
        Some(path) => write(path, &page(&file, &finding, &verified, loaded)),
        None => Ok(()),
    });
    let report = FileReport::new(file, Ok(vec![finding]));
    let mut status = Status::of(&report);
    if let Err(message) = written {
        status = status.max(context.console.error(&message));
    }
    let status = context.unless_interrupted(status);
    watch.end();
    context.console.print(&output::render_as(&[report], arguments.format, status).unwrap_or(text))?;
    Ok(status)
}

/// The proof as an HTML page.
fn page(file: &str, finding: &Finding, verified: &Verified, loaded: &Loaded) -> String {
    let explained = Explained {
        verdict: &verified.verdict,
        goal: finding.property,
        program: &loaded.program,
        prepared: &verified.prepared,
        back: &verified.back,
        sources: &loaded.sources,
        engine: "none",
        statistics: &[],
    };
    let mut page = HtmlReport::new(crate::version::TEXT);
    let subject = Subject {
        program: &loaded.program,
        sources: &loaded.sources,
        prepared: &verified.prepared,
        back: &verified.back,
        verdict: &verified.verdict,
        history: &History::default(),
        explanation: &explain(&explained),
        // Those of this proof are shown, whoever has found them.
        blocks: None,
        is_told: verified.speaks_of_source,
    };
    page.add(file, finding, &subject);
    page.render()
}

fn read_certificate(path: &Path) -> Result<Certificate, String> {
    let fault = |what: &dyn std::fmt::Display| format!("{}: {what}", path.display());
    let size = fs::metadata(path).map_err(|error| fault(&error))?.len();
    if size > LARGEST_CERTIFICATE {
        return Err(fault(&"the file is too large for a certificate"));
    }
    let text = fs::read_to_string(path).map_err(|error| fault(&error))?;
    Certificate::from_json(&text).map_err(|error| fault(&error))
}

/// What is reported, after another solver was asked if the user wants that.
pub(super) fn conclusion(
    verified: &Verified,
    loaded: &Loaded,
    goal: Goal,
    solver: Option<&str>,
    budget: &Budget,
) -> Conclusion {
    let conclusion = Conclusion::new(&verified.verdict, &loaded.program, &loaded.sources);
    let (Some(command), Verdict::Safe(proved)) = (solver, &verified.verdict) else { return conclusion };
    match recheck(&verified.prepared, goal, proved.proof(), command, budget) {
        Err(ObligationsError::NoObligations) => {
            let reason = "another solver can only look at obligations, and this proof is by exhaustion";
            Conclusion::unknown(reason, Some("leave out `--solver`".to_owned()))
        }
        Ok(count) => conclusion.confirmed_by(&format!("`{command}` confirms {count} queries")),
        Err(error) => Conclusion::unknown(format!("`{command}` does not confirm the proof: {error}"), None),
    }
}

/// Writes the files that the user wants to have about a result. Returns what went wrong.
pub(super) fn write_evidence(
    wanted: &EvidenceArgs,
    verified: &Verified,
    loaded: &Loaded,
    goal: Goal,
    budget: &Budget,
) -> Result<(), String> {
    let Verdict::Safe(proved) = &verified.verdict else { return Ok(()) };
    if let Some(path) = &wanted.certificate {
        let text = rely_verify::certificate(&loaded.program, &loaded.sources, goal, verified);
        write(path, &text.unwrap_or_default())?;
    }
    if let Some(path) = &wanted.export_obligations {
        let script = export_obligations(&verified.prepared, goal, proved.proof(), budget);
        write(path, &script.map_err(|error| error.to_string())?)?;
    }
    Ok(())
}

/// The line of the statement, or of the place, of which an obligation does not hold.
fn line_of(rejection: &Rejection, verified: &Verified, loaded: &Loaded) -> Option<u32> {
    let Rejection::Proof(ProofDefect::RelyGuarantee(
        RelyGuaranteeDefect::Invalid { subject, .. } | RelyGuaranteeDefect::Undecided { subject, .. },
    )) = rejection
    else {
        return None;
    };
    let program = &verified.prepared;
    let edge = subject.edge.and_then(|edge| program.edges().get(edge)?.span);
    let place = || match subject.point? {
        ControlPoint::At(location) => program.locations().get(location)?.span,
        ControlPoint::Unstarted => None,
    };
    Some(loaded.sources.position(edge.or_else(place)?).line)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    write_whole(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
