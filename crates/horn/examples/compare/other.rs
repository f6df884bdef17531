//! The other solver: one process that answers problem after problem.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// How much longer than its limit it may take before it is started again.
const GRACE: Duration = Duration::from_secs(5);

/// A solver that reads commands and answers at once.
pub struct Other {
    command: String,
    limit: Duration,
    running: Option<Running>,
}

struct Running {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
}

impl Other {
    pub fn new(command: String, limit: Duration) -> Self {
        Self { command, limit, running: None }
    }

    /// What it says about a text.
    pub fn answer(&mut self, text: &str) -> String {
        let limit = self.limit;
        if self.running.is_none() {
            self.running = Running::start(&self.command);
        }
        let Some(running) = &mut self.running else { return "none".to_owned() };
        let answer = running.ask(text, limit);
        if answer.is_none() {
            self.stop();
        }
        answer.unwrap_or_else(|| "timeout".to_owned())
    }

    fn stop(&mut self) {
        if let Some(mut running) = self.running.take() {
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Running {
    fn start(command: &str) -> Option<Self> {
        let mut words = command.split_whitespace();
        let mut child = Command::new(words.next()?)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let (input, output) = (child.stdin.take()?, child.stdout.take()?);
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut running = Self { child, input, answers };
        // Whatever it does at its start is done before the first question.
        running.ask("", Duration::from_secs(10));
        Some(running)
    }

    /// The first line that it says about a text; nothing if it takes too long or ends.
    fn ask(&mut self, text: &str, limit: Duration) -> Option<String> {
        let asked = format!("(reset)\n(set-option :timeout {})\n{text}\n(echo \"end\")\n", limit.as_millis());
        self.input.write_all(asked.as_bytes()).and_then(|()| self.input.flush()).ok()?;
        let mut first = None;
        loop {
            let line = self.answers.recv_timeout(limit + GRACE).ok()?;
            match line.trim() {
                "end" => return Some(first.unwrap_or_default()),
                line => first = first.or_else(|| Some(line.to_owned())),
            }
        }
    }
}
