//! What is measured: engines of Rely, and other verifiers by a command line.

use super::BenchError;
use super::process::{Ending, Limits, Run};
use super::task::Task;
use regex_lite::Regex;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// A way to decide tasks.
#[derive(Clone, Debug)]
pub enum Tool {
    /// `rely check` with an engine and perhaps further arguments.
    Engine {
        /// What stands behind `--engine`.
        engine: String,
        /// What stands behind that.
        arguments: Vec<String>,
    },
    /// Another verifier.
    Other(Box<OtherTool>),
}

/// Another verifier: how it is called and how its answer is recognized.
#[derive(Clone, Debug)]
pub struct OtherTool {
    /// How it is called in tables.
    pub name: String,
    /// A shell command in which `{file}` stands for the program and `{property}` for the property file.
    pub template: String,
    /// Output that means that the property holds.
    pub safe: Regex,
    /// Output that means that the property is violated.
    pub violated: Regex,
}

/// What came out of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The property holds.
    Safe,
    /// The property is violated.
    Unsafe,
    /// The tool gave up, and said why.
    Unknown(String),
    /// The time limit was reached.
    OutOfTime,
    /// The memory limit was reached.
    OutOfMemory,
    /// No answer that could be understood.
    Failed(String),
}

/// What Rely itself tells of its work, as far as it does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Counts that do not depend on the machine: states, queries, iterations.
    pub counts: BTreeMap<String, u64>,
    /// Whether the proof is modular.
    pub modular: Option<bool>,
}

/// Whether `rely check` understands an engine with options, or what is wrong with them.
pub type Understands<'u> = dyn Fn(&str, &[String]) -> Result<(), String> + 'u;

impl Tool {
    /// An engine as the user names it: `NAME` or `NAME --option value ...`. Whether `rely check` knows such
    /// options, `understands` says.
    pub fn engine(text: &str, understands: &Understands<'_>) -> Result<Self, BenchError> {
        let mut words = text.split_whitespace().map(str::to_owned);
        let engine = words.next().ok_or_else(|| BenchError::Request("an engine has a name".to_owned()))?;
        rely_verify::strategy(&engine).map_err(|error| BenchError::Request(error.to_string()))?;
        let arguments: Vec<String> = words.collect();
        // What `rely check` would not understand is a mistake now, not a failure of every task.
        understands(&engine, &arguments)
            .map_err(|error| BenchError::Request(format!("the engine `{engine}`: {error}")))?;
        Ok(Tool::Engine { engine, arguments })
    }

    /// Another verifier as the user names it: `COMMAND` or `NAME: COMMAND`.
    pub fn other(text: &str, safe: &Regex, violated: &Regex) -> Result<Self, BenchError> {
        let (name, template) = match text.split_once(": ") {
            Some((name, template)) if !name.contains(char::is_whitespace) => (name, template),
            _ => (text.split_whitespace().next().unwrap_or_default(), text),
        };
        if !template.contains("{file}") {
            let message = format!("`{template}` must say with {{file}} where the program goes");
            return Err(BenchError::Request(message));
        }
        let name =
            Path::new(name).file_name().map_or(name.to_owned(), |name| name.to_string_lossy().into_owned());
        let template = template.to_owned();
        Ok(Tool::Other(Box::new(OtherTool {
            name,
            template,
            safe: safe.clone(),
            violated: violated.clone(),
        })))
    }

    /// How it is called in tables.
    pub fn name(&self) -> String {
        match self {
            Tool::Engine { engine, arguments } => {
                let words: Vec<&str> = std::iter::once(engine).chain(arguments).map(String::as_str).collect();
                words.join(" ")
            }
            Tool::Other(other) => other.name.clone(),
        }
    }

    /// All that a result depends on, besides the task.
    pub fn fingerprint(&self) -> String {
        match self {
            Tool::Engine { .. } => self.name(),
            Tool::Other(other) => {
                format!("{}: {} {} {}", other.name, other.template, other.safe, other.violated)
            }
        }
    }

    /// The process that decides a task. Rely is told its limits a little wider, so that it ends by
    /// itself should nobody be there any more to end it.
    pub fn command(&self, rely: &Path, task: &Task, limits: Limits) -> Command {
        match self {
            Tool::Engine { engine, arguments } => {
                let mut command = Command::new(rely);
                command
                    .args(["check", "--no-cache", "--quiet", "--format", "json", "--engine", engine])
                    .args(arguments);
                command.args(["--property", task.goal.name()]);
                command.args(["--timeout", &format!("{}", limits.time.as_secs_f64() + 2.0)]);
                command.args(["--memory", &limits.bytes.div_ceil(1_000_000).to_string()]);
                command.arg(&task.input);
                command
            }
            Tool::Other(other) => {
                let script = other.template.replace("{file}", "\"$1\"").replace("{property}", "\"$2\"");
                let mut command = Command::new("sh");
                command.args(["-c", &script, "rely-bench"]).arg(&task.input).arg(&task.property_file);
                command
            }
        }
    }

    /// What a run says.
    pub fn outcome(&self, run: &Run) -> (Outcome, Work) {
        let plain = |outcome| (outcome, Work::default());
        match (run.ending, self) {
            (Ending::OutOfTime, _) => plain(Outcome::OutOfTime),
            (Ending::OutOfMemory, _) => plain(Outcome::OutOfMemory),
            (Ending::Interrupted, _) => plain(Outcome::Failed("stopped".to_owned())),
            (Ending::Exited(code), Tool::Engine { .. }) => {
                report(&run.output).unwrap_or_else(|| plain(failure(code, &run.complaints)))
            }
            (Ending::Exited(code), Tool::Other(other)) => {
                let text = format!("{}\n{}", run.output, run.complaints);
                plain(other.verdict(&text).unwrap_or_else(|| failure(code, &run.complaints)))
            }
        }
    }
}

impl OtherTool {
    /// The last thing that looks like a verdict: tools announce what they try before they conclude.
    fn verdict(&self, text: &str) -> Option<Outcome> {
        let last = |pattern: &Regex| pattern.find_iter(text).last().map(|found| found.end());
        match (last(&self.safe), last(&self.violated)) {
            (None, None) => None,
            (safe, violated) if safe > violated => Some(Outcome::Safe),
            _ => Some(Outcome::Unsafe),
        }
    }
}

fn failure(code: Option<i32>, complaints: &str) -> Outcome {
    let code = code.map_or("ended by a signal".to_owned(), |code| format!("exit code {code}"));
    match complaints.lines().rev().find(|line| !line.trim().is_empty()) {
        Some(line) => Outcome::Failed(format!("{code}: {}", line.trim())),
        None => Outcome::Failed(code),
    }
}

/// What the JSON report of `rely check` says about its one file and property.
fn report(text: &str) -> Option<(Outcome, Work)> {
    let document: Value = serde_json::from_str(text).ok()?;
    let file = document["files"].get(0)?;
    if let Some(error) = file["errors"].get(0) {
        let message = error["message"].as_str().unwrap_or("the program cannot be read");
        return Some((Outcome::Failed(message.to_owned()), Work::default()));
    }
    let result = file["results"].get(0)?;
    let outcome = match result["verdict"].as_str()? {
        // A property about nothing holds.
        "safe" | "nothing-to-check" => Outcome::Safe,
        "unsafe" => Outcome::Unsafe,
        _ => Outcome::Unknown(result["reason"].as_str().unwrap_or_default().to_owned()),
    };
    let counts = result["statistics"].as_object().into_iter().flatten();
    let counts = counts.filter_map(|(name, count)| Some((name.clone(), count.as_u64()?))).collect();
    Some((outcome, Work { counts, modular: result["modular"].as_bool() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn other() -> OtherTool {
        let (safe, violated) =
            (Regex::new(r"\bTRUE\b").expect("valid"), Regex::new(r"\bFALSE\b").expect("valid"));
        match Tool::other("mine: ./verify.sh {file}", &safe, &violated).expect("well written") {
            Tool::Other(other) => *other,
            Tool::Engine { .. } => panic!("this is no engine"),
        }
    }

    #[test]
    fn other_tools_are_understood_by_their_last_word() {
        let check =
            |text: &str, expected: Option<Outcome>| assert_eq!(other().verdict(text), expected, "{text}");
        check("trying...\nTRUE\n", Some(Outcome::Safe));
        check("is it TRUE?\nno: FALSE\n", Some(Outcome::Unsafe));
        check("TRUENESS cannot be decided", None);
    }

    #[test]
    fn other_tools_have_names() {
        let name = |text: &str| {
            let any = Regex::new("x").expect("valid");
            Tool::other(text, &any, &any).map(|tool| tool.name()).map_err(|error| error.to_string())
        };
        assert_eq!(name("mine: ./verify.sh {file}"), Ok("mine".to_owned()));
        assert_eq!(name("/opt/bin/verify --fast {file}"), Ok("verify".to_owned()));
        assert_eq!(name("verify").unwrap_err(), "`verify` must say with {file} where the program goes");
    }

    fn only_trace(_: &str, options: &[String]) -> Result<(), String> {
        let is_known = options.iter().all(|option| option == "--trace");
        is_known.then_some(()).ok_or_else(|| "no such option".to_owned())
    }

    #[test]
    fn engines_have_names_that_exist() {
        let tool = |text: &str| Tool::engine(text, &only_trace);
        assert_eq!(tool("explore").expect("it exists").name(), "explore");
        assert_eq!(tool("explore --trace").expect("it exists").name(), "explore --trace");
        let error = tool("explore --deeper").unwrap_err().to_string();
        assert_eq!(error, "the engine `explore`: no such option");
        assert!(tool("magic").unwrap_err().to_string().starts_with("there is no engine `magic`"));
    }

    #[test]
    fn reports_of_rely_are_read() {
        let text = r#"{"files": [{"file": "a", "results": [
            {"verdict": "safe", "modular": true, "statistics": {"states": 12, "name": "x"}}]}]}"#;
        let (outcome, work) = report(text).expect("this is a report");
        assert_eq!(outcome, Outcome::Safe);
        assert_eq!(work, Work { counts: BTreeMap::from([("states".to_owned(), 12)]), modular: Some(true) });
        let (outcome, _) =
            report(r#"{"files": [{"errors": [{"message": "no"}]}]}"#).expect("this is one, too");
        assert_eq!(outcome, Outcome::Failed("no".to_owned()));
        assert!(report("Segmentation fault").is_none());
    }

    #[test]
    fn a_crash_is_no_verdict() {
        let run = Run {
            ending: Ending::Exited(None),
            output: String::new(),
            complaints: "it hurts\n\n".to_owned(),
            time: Duration::ZERO,
            peak_bytes: 0,
        };
        let tool = Tool::engine("explore", &only_trace).expect("it exists");
        assert_eq!(tool.outcome(&run).0, Outcome::Failed("ended by a signal: it hurts".to_owned()));
    }
}
