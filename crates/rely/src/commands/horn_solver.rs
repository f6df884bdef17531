//! Another solver for Horn clauses, as a process that answers one question.

use rely_base::Budget;
use rely_horn::check::{WrongModel, check_model};
use rely_horn::{Answer, System, TermPool, parse_model, system_text};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

/// How often it is looked whether the process has ended.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);
/// Where the name of a file goes in a command.
const FILE: &str = "{file}";

/// What the other solver says.
pub(super) struct Said {
    /// Its word.
    pub(super) name: &'static str,
    /// The model, if it gave one that was checked.
    pub(super) answer: Option<Answer>,
    /// What to think of it.
    pub(super) note: String,
}

/// Asks a solver, and checks its model if it gives one that can be read.
pub(super) fn ask(
    command: &str,
    file: &Path,
    pool: &mut TermPool,
    system: &System,
    budget: &Budget,
) -> Result<Said, String> {
    let text = system_text(pool, system) + "(get-model)\n";
    let output = run(command, file, &text, budget)?;
    let (word, rest) = output.trim_start().split_once('\n').unwrap_or((output.trim(), ""));
    let name = match word.trim() {
        "sat" => "sat",
        "unsat" => "unsat",
        "unknown" | "timeout" => "unknown",
        "" => return Err(format!("the solver `{command}` gave no answer")),
        other => return Err(format!("the solver `{command}` answered: {other}")),
    };
    let mut said = Said { name, answer: None, note: format!("this is the word of `{command}`, not checked") };
    if name == "sat"
        && let Ok(model) = parse_model(pool, system, rest)
    {
        match check_model(pool, system, &model, budget) {
            Ok(()) => {
                said.note = format!("the model is that of `{command}`, checked");
                said.answer = Some(Answer::Sat(model));
            }
            Err(wrong @ WrongModel::Undecided { .. }) => said.note = format!("{}: {wrong}", said.note),
            Err(wrong) => {
                said.name = "unknown";
                said.note = format!("`{command}` says sat, but its model is wrong: {wrong}");
            }
        }
    }
    Ok(said)
}

/// What the command prints within the budget. It reads the file that the user named, or what we write to
/// its standard input.
fn run(command: &str, file: &Path, text: &str, budget: &Budget) -> Result<String, String> {
    let reads_file = command.contains(FILE);
    if reads_file && file == Path::new("-") {
        return Err(format!("there is no file for {FILE}: the clauses come from standard input"));
    }
    let path = file.display().to_string();
    let words: Vec<String> = command.split_whitespace().map(|word| word.replace(FILE, &path)).collect();
    let (program, arguments) = words.split_first().ok_or("no solver is named")?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("the solver `{program}` cannot be started: {error}"))?;
    let output = child.stdout.take();
    let reader = thread::spawn(move || {
        let mut text = Vec::new();
        output.map(|mut output| output.read_to_end(&mut text));
        String::from_utf8_lossy(&text).into_owned()
    });
    if let Some(mut input) = child.stdin.take() {
        let text = if reads_file { String::new() } else { text.to_owned() };
        // A solver that ends early does not read everything; what it says counts.
        thread::spawn(move || input.write_all(text.as_bytes()).ok());
    }
    if !ended(&mut child, budget) {
        child.kill().ok();
        child.wait().ok();
        return Ok("unknown".to_owned());
    }
    reader.join().map_err(|_| format!("the output of `{program}` cannot be read"))
}

/// Waits for the process; whether it ended within the budget.
fn ended(child: &mut Child, budget: &Budget) -> bool {
    loop {
        match child.try_wait() {
            Ok(Some(_)) | Err(_) => return true,
            Ok(None) if budget.check_now().is_err() => return false,
            Ok(None) => thread::sleep(BETWEEN_LOOKS),
        }
    }
}
