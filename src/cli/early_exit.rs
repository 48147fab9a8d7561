//! The error of a command that cannot start.

use std::io;

use crate::engine::options::{Input, Problem, ProblemCode, ProblemFacts, code};
use crate::engine::{self, Outcome};
use crate::path::RelPath;
use crate::text::without_error_number;

/// The reason why a command cannot start.
#[derive(Debug)]
pub(super) struct EarlyExit {
    pub(super) code: &'static ProblemCode,
    pub(super) message: String,
    pub(super) help: Option<String>,
    pub(super) facts: Box<ProblemFacts>,
    /// The problem with all its data. The code, the message, the help and the facts above then do
    /// not count.
    pub(super) problem: Option<Box<Problem>>,
    /// The input that contains the place of the problem.
    pub(super) inputs: Vec<Input>,
    /// The signal that stopped the command.
    pub(super) signal: Option<i32>,
}

impl EarlyExit {
    pub(super) fn new(code: &'static ProblemCode, message: String) -> Self {
        Self {
            code,
            message,
            help: None,
            facts: Box::default(),
            problem: None,
            inputs: Vec::new(),
            signal: None,
        }
    }

    pub(super) fn usage(message: &str) -> Self {
        Self::new(&code::USAGE, message.to_owned())
    }

    /// Returns the error with all data of `problem`.
    pub(super) fn from_problem(problem: Problem) -> Self {
        Self {
            problem: Some(Box::new(problem)),
            // The problem takes precedence over these values.
            ..Self::new(&code::IO, String::new())
        }
    }

    /// Adds the line of the series file `list` that names the faulty patch. A message of
    /// [`Self::problem`] is printed after the name of its file, so the line follows the message.
    pub(super) fn with_line(mut self, list: &str, line: usize) -> Self {
        match &mut self.problem {
            Some(problem) => {
                problem.message = format!("{} (line {line} of {list})", problem.message);
            }
            None => self.message = format!("{list}:{line}: {}", self.message),
        }
        self
    }

    pub(super) fn from_signal(signal: i32) -> Self {
        Self {
            signal: Some(signal),
            ..Self::new(&code::INTERRUPTED, format!("stopped by signal {signal}"))
        }
    }

    /// Returns the reason in one line.
    pub(super) fn to_line(&self) -> String {
        let Some(problem) = &self.problem else {
            return self.message.clone();
        };
        let path = problem.path.as_ref().map(RelPath::as_bytes);
        let name = path
            .or(problem.name.as_deref())
            .map_or_else(String::new, |name| {
                format!("{}: ", String::from_utf8_lossy(name))
            });
        format!("{name}{}", problem.message)
    }

    /// Returns the outcome with this error, as if `command` had run and failed.
    pub(super) fn into_outcome(self, command: &'static str) -> Outcome {
        let plain = || Problem {
            help: self.help,
            facts: *self.facts,
            ..Problem::new(self.code, self.message)
        };
        let problem = self.problem.map_or_else(plain, |problem| *problem);
        Outcome {
            inputs: self.inputs,
            ..engine::ended_outcome(command, problem, self.signal)
        }
    }
}

/// Returns the system's error message, without the file name and the error number.
pub(super) fn system_message(error: &io::Error) -> String {
    let words = error.to_string();
    // `fs_err` prints the operation, the name in back quotes, and the system's message.
    let words = words.rsplit("`: ").next().unwrap_or_default();
    without_error_number(words).to_owned()
}
