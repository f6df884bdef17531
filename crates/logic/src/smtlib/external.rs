//! Any SMT-LIB 2.6 solver as a long-lived process.
//!
//! One process answers many questions, each between `push` and `pop`. A solver that does not
//! answer in time, dies or complains is ended and started anew for the next question, so that one
//! bad question does not spoil the others. Nothing here waits without a limit.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::print::Script;
use crate::arith::Integer;
use crate::linear::VarId;
use crate::smtlib::sexpr::{SexprId, Sexprs};
use crate::term::Value;

/// What a solver says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
    /// The solver does not know.
    Unknown,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ExternalError {
    /// The command names no program.
    #[error("no solver is named")]
    Empty,
    /// The program cannot be started.
    #[error("the solver `{program}` cannot be started: {source}")]
    Missing {
        /// Its name.
        program: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The program ended before it answered.
    #[error("the solver `{program}` ended before it answered{}", reason(stderr))]
    Died {
        /// Its name.
        program: String,
        /// The end of what it wrote to standard error.
        stderr: String,
    },
    /// The time limit passed.
    #[error("the solver `{program}` did not answer within {} s", limit.as_secs_f64())]
    TimedOut {
        /// Its name.
        program: String,
        /// The limit.
        limit: Duration,
    },
    /// The program answered something else than was asked.
    #[error("the solver `{program}` answered: {text}")]
    Unexpected {
        /// Its name.
        program: String,
        /// What it said.
        text: String,
    },
}

fn reason(stderr: &str) -> String {
    let stderr = stderr.trim();
    if stderr.is_empty() { String::new() } else { format!(": {stderr}") }
}

/// An external solver; its process starts with the first question.
///
/// ```no_run
/// use rely_logic::TermPool;
/// use rely_logic::smtlib::{Answer, ExternalSolver, Script};
/// use std::time::Duration;
///
/// let mut pool = TermPool::new();
/// let x = pool.int_var("x");
/// let contradiction = pool.lt(x, x);
/// let mut z3 = ExternalSolver::new("z3")?;
/// let answers = z3.check_all(&[Script::new(&pool, &[contradiction]).text()], Duration::from_secs(5))?;
/// assert_eq!(answers, [Answer::Unsat]);
/// # Ok::<(), rely_logic::smtlib::ExternalError>(())
/// ```
#[derive(Debug)]
pub struct ExternalSolver {
    program: String,
    arguments: Vec<String>,
    process: Option<Process>,
}

#[derive(Debug)]
struct Process {
    child: Child,
    /// What is sent here a thread writes to the solver.
    input: Sender<String>,
    lines: Receiver<String>,
    stderr: Arc<Mutex<String>>,
}

/// How much of standard error is kept for messages.
const STDERR_BYTES_KEPT: usize = 2_000;

impl ExternalSolver {
    /// The solver with this command line: a program and its arguments, separated by blanks. The
    /// programs `z3`, `cvc5` and `yices-smt2` get the arguments they need to read from a pipe
    /// if none are given.
    pub fn new(command: &str) -> Result<Self, ExternalError> {
        let mut words = command.split_whitespace().map(str::to_string);
        let program = words.next().ok_or(ExternalError::Empty)?;
        let mut arguments: Vec<String> = words.collect();
        if arguments.is_empty() {
            arguments = pipe_arguments(&program).iter().map(ToString::to_string).collect();
        }
        Ok(Self { program, arguments, process: None })
    }

    /// Whether the program can be started at all.
    pub fn is_available(&mut self) -> bool {
        self.process().is_ok()
    }

    /// The answer to each script, in order. All scripts are sent at once, each in a scope of its
    /// own; `limit` is for all of them together.
    pub fn check_all(&mut self, scripts: &[&str], limit: Duration) -> Result<Vec<Answer>, ExternalError> {
        let mut text = String::new();
        for script in scripts {
            text.push_str("(push 1)\n");
            text.push_str(script);
            text.push_str("(check-sat)\n(pop 1)\n");
        }
        self.send(text)?;
        self.read_answers(scripts.len(), limit)
    }

    /// Sends text as it is, say declarations for all questions to come.
    pub fn tell(&mut self, text: &str) -> Result<(), ExternalError> {
        self.send(text.to_string())
    }

    /// The answers to the next `count` times that `check-sat` was [told](Self::tell).
    pub fn read_answers(&mut self, count: usize, limit: Duration) -> Result<Vec<Answer>, ExternalError> {
        let deadline = Instant::now() + limit;
        (0..count).map(|_| self.read_answer(deadline, limit)).collect()
    }

    /// The answer to one script and, if it is [`Answer::Sat`], the values of its variables.
    /// Arrays are left out.
    pub fn model(
        &mut self,
        script: &Script,
        limit: Duration,
    ) -> Result<(Answer, Vec<(VarId, Value)>), ExternalError> {
        let deadline = Instant::now() + limit;
        self.send(format!("(push 1)\n{}(check-sat)\n", script.text()))?;
        let answer = self.read_answer(deadline, limit)?;
        let mut values = Vec::new();
        if answer == Answer::Sat && !script.variables().is_empty() {
            let names: Vec<&str> = script.variables().iter().map(|(_, name)| name.as_str()).collect();
            self.send(format!("(get-value ({}))\n", names.join(" ")))?;
            let text = self.read_balanced(deadline, limit)?;
            values = self.parse_values(script, &text)?;
        }
        self.send("(pop 1)\n".to_string())?;
        Ok((answer, values))
    }

    fn process(&mut self) -> Result<&mut Process, ExternalError> {
        if self.process.is_none() {
            let process = Process::start(&self.program, &self.arguments)
                .map_err(|source| ExternalError::Missing { program: self.program.clone(), source })?;
            self.process = Some(process);
            self.send("(set-option :print-success false)\n(set-logic ALL)\n".to_string())?;
        }
        self.process.as_mut().ok_or(ExternalError::Empty)
    }

    /// Hands text to the process without waiting for it to be read: a solver that answers before
    /// it reads on would otherwise block us while we block it.
    fn send(&mut self, text: String) -> Result<(), ExternalError> {
        self.process()?.input.send(text).map_err(|_| self.died())
    }

    fn read_line(&mut self, deadline: Instant, limit: Duration) -> Result<String, ExternalError> {
        loop {
            let Some(process) = self.process.as_mut() else { return Err(self.died()) };
            match process.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) if line.trim().is_empty() => {}
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) => {
                    self.process = None;
                    return Err(ExternalError::TimedOut { program: self.program.clone(), limit });
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.died()),
            }
        }
    }

    fn read_answer(&mut self, deadline: Instant, limit: Duration) -> Result<Answer, ExternalError> {
        let line = self.read_line(deadline, limit)?;
        match line.trim() {
            "sat" => Ok(Answer::Sat),
            "unsat" => Ok(Answer::Unsat),
            "unknown" => Ok(Answer::Unknown),
            other => Err(self.unexpected(other.to_string())),
        }
    }

    fn read_balanced(&mut self, deadline: Instant, limit: Duration) -> Result<String, ExternalError> {
        let mut text = String::new();
        loop {
            text.push_str(&self.read_line(deadline, limit)?);
            text.push('\n');
            if Sexprs::read(&text).is_ok() {
                return Ok(text);
            }
        }
    }

    fn parse_values(&mut self, script: &Script, text: &str) -> Result<Vec<(VarId, Value)>, ExternalError> {
        let parsed = Sexprs::read(text).ok().and_then(|sexprs| {
            let pairs = sexprs.list(*sexprs.top.first()?)?;
            // Solvers answer in the order of the question, so names need not be matched.
            let values = script.variables().iter().zip(pairs).filter_map(|((variable, _), &pair)| {
                let &[_, value] = sexprs.list(pair)? else { return None };
                Some((*variable, value_of(&sexprs, value)?))
            });
            Some(values.collect())
        });
        parsed.ok_or_else(|| self.unexpected(text.trim().to_string()))
    }

    fn died(&mut self) -> ExternalError {
        let stderr = match self.process.take() {
            None => String::new(),
            Some(mut process) => {
                process.stop();
                process.stderr.lock().map(|text| text.clone()).unwrap_or_default()
            }
        };
        ExternalError::Died { program: self.program.clone(), stderr }
    }

    fn unexpected(&mut self, text: String) -> ExternalError {
        self.process = None;
        ExternalError::Unexpected { program: self.program.clone(), text }
    }
}

/// The value that an S-expression denotes: `12`, `(- 12)`, `true`.
fn value_of(sexprs: &Sexprs, id: SexprId) -> Option<Value> {
    match sexprs.atom(id) {
        Some("true") => Some(Value::Bool(true)),
        Some("false") => Some(Value::Bool(false)),
        Some(number) => number.parse().ok().map(Value::Int),
        None => match sexprs.list(id)? {
            &[minus, number] if sexprs.atom(minus) == Some("-") => {
                let value: Integer = sexprs.atom(number)?.parse().ok()?;
                Some(Value::Int(-&value))
            }
            _ => None,
        },
    }
}

fn pipe_arguments(program: &str) -> &'static [&'static str] {
    match program.rsplit('/').next() {
        Some("z3") => &["-in", "-smt2"],
        Some("cvc5") => &["--incremental", "--produce-models", "--lang=smt2"],
        Some("yices-smt2") => &["--incremental"],
        _ => &[],
    }
}

impl Process {
    fn start(program: &str, arguments: &[String]) -> std::io::Result<Self> {
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (sender, lines) = channel();
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || {
                for line in BufReader::new(stdout).lines() {
                    let Ok(line) = line else { break };
                    if sender.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        let stderr = Arc::new(Mutex::new(String::new()));
        if let Some(mut pipe) = child.stderr.take() {
            let kept = Arc::clone(&stderr);
            thread::spawn(move || keep_stderr(&mut pipe, &kept));
        }
        let (input, texts) = channel::<String>();
        if let Some(mut stdin) = child.stdin.take() {
            thread::spawn(move || {
                for text in texts {
                    if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                        break;
                    }
                }
            });
        }
        Ok(Self { child, input, lines, stderr })
    }

    fn stop(&mut self) {
        // Errors mean that it has ended already, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stop();
    }
}

fn keep_stderr(pipe: &mut impl Read, kept: &Mutex<String>) {
    let mut buffer = [0; 512];
    while let Ok(count @ 1..) = pipe.read(&mut buffer) {
        let Ok(mut text) = kept.lock() else { break };
        if text.len() < STDERR_BYTES_KEPT {
            text.push_str(&String::from_utf8_lossy(&buffer[..count]));
        }
    }
}
