//! Schedules as the user writes them: `A,B*3,A`.

/// Who moves when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    turns: Vec<(String, usize)>,
}

/// What is wrong with a schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// A turn is not a name with an optional number.
    #[error("`{0}` is not a turn of a schedule: write a thread's name, or `name*3` for three steps")]
    BadTurn(String),
    /// There is no thread of this name, or not yet.
    #[error("there is no thread `{name}` at this point; there are: {}", known.join(", "))]
    NoSuchThread {
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
}

impl Schedule {
    /// Reads a schedule; turns are separated by commas or spaces.
    pub fn parse(text: &str) -> Result<Self, ScheduleError> {
        let words = text.split([',', ' ', '\n', '\t']).filter(|word| !word.is_empty());
        Ok(Self { turns: words.map(turn).collect::<Result<_, _>>()? })
    }

    /// The name of the thread that moves, for each step.
    pub fn turns(&self) -> impl Iterator<Item = &str> {
        self.turns.iter().flat_map(|(name, steps)| std::iter::repeat_n(name.as_str(), *steps))
    }
}

fn turn(word: &str) -> Result<(String, usize), ScheduleError> {
    let bad = || ScheduleError::BadTurn(word.to_owned());
    let (name, steps) = match word.split_once('*') {
        None => (word, 1),
        Some((name, steps)) => (name, steps.parse().map_err(|_| bad())?),
    };
    if name.is_empty() { Err(bad()) } else { Ok((name.to_owned(), steps)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let told = match Schedule::parse(text) {
            Ok(schedule) => schedule.turns().collect::<Vec<_>>().join(" "),
            Err(error) => error.to_string(),
        };
        assert_eq!(told, expected);
    }

    #[test]
    fn turns_are_names_with_counts() {
        check("A,B*3,A", "A B B B A");
        check(" worker#2 , A*0 ", "worker#2");
        check("", "");
        check("A*", "`A*` is not a turn of a schedule: write a thread's name, or `name*3` for three steps");
        check("*2", "`*2` is not a turn of a schedule: write a thread's name, or `name*3` for three steps");
        check(
            "A*-1",
            "`A*-1` is not a turn of a schedule: write a thread's name, or `name*3` for three steps",
        );
    }
}
