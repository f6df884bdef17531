//! The passes of a pipeline one by one: what each does to a program, and the program behind one of them.

use crate::pass::Size;
use crate::pipeline::{Applied, Pipeline};
use rely_base::{Budget, Interrupted};
use rely_program::Program;
use std::fmt;
use std::ops::ControlFlow;
use std::str::FromStr;

/// What one pass did.
#[derive(Clone, Debug)]
pub struct PassStatistics {
    /// The name of the pass.
    pub name: &'static str,
    /// Which run of the pass this was, from 1 on.
    pub number: usize,
    /// The size of the program before.
    pub before: Size,
    /// The size of the program behind the pass.
    pub after: Size,
    /// Whether the pass changed anything, be it only an expression.
    pub is_change: bool,
}

impl PassStatistics {
    /// The name, with the number of the run if it is not the first; a [`PassRun`] is read from it.
    pub fn name_with_number(&self) -> String {
        PassRun { name: self.name.to_owned(), number: self.number }.to_string()
    }
}

/// One of the runs of a pass: `compress` is the first one of this pass, `compress:2` the second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassRun {
    /// The name of the pass.
    pub name: String,
    /// Which of its runs is meant, from 1 on.
    pub number: usize,
}

impl fmt::Display for PassRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            1 => f.write_str(&self.name),
            number => write!(f, "{}:{number}", self.name),
        }
    }
}

impl FromStr for PassRun {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, number) = match text.split_once(':') {
            None => (text, 1),
            Some((name, number)) => (name, number.parse().unwrap_or(0)),
        };
        match number {
            0 => Err("expected the name of a pass, or a name and a number from 1 on as in `compress:2`"),
            _ => Ok(Self { name: name.replace('-', "_"), number }),
        }
    }
}

/// What there is behind a run of a pass.
pub enum Shown {
    /// The program there.
    Program(Box<Program>),
    /// The pass runs less often; this is how often it does.
    RunsLess(usize),
}

impl Pipeline {
    /// What each pass does to a program, unless the budget ends before.
    pub fn statistics(&self, program: &Program, budget: &Budget) -> Result<Vec<PassStatistics>, Interrupted> {
        let mut statistics: Vec<PassStatistics> = Vec::new();
        self.run_while(program, budget, &mut |applied: &Applied<'_>| {
            let earlier = statistics.iter().filter(|pass| pass.name == applied.name).count();
            statistics.push(PassStatistics {
                name: applied.name,
                number: earlier + 1,
                before: Size::of(applied.before),
                after: Size::of(applied.after),
                is_change: applied.is_change(),
            });
            ControlFlow::Continue(())
        })?;
        Ok(statistics)
    }

    /// The program behind a run of a pass, unless the budget ends before.
    pub fn program_after(
        &self,
        program: &Program,
        wanted: &PassRun,
        budget: &Budget,
    ) -> Result<Shown, Interrupted> {
        let mut runs = 0;
        let (after, _) = self.run_while(program, budget, &mut |applied: &Applied<'_>| {
            runs += usize::from(applied.name == wanted.name);
            if runs == wanted.number { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(if runs == wanted.number { Shown::Program(Box::new(after)) } else { Shown::RunsLess(runs) })
    }
}
