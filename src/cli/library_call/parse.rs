//! Parses the command line of a call. A program often repeats a call with another patch, so the last
//! command lines are kept.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::sync::Mutex;

use crate::cli::args::{self, Cli};

/// The number of command lines that are kept.
const MAX_LINES: usize = 16;
/// The limit in bytes on a command line that is kept. An option can contain a whole text.
const MAX_LINE_BYTES: usize = 4 << 10;

/// A command line and its meaning.
type ParsedLine = (Vec<OsString>, Cli);

/// Returns the parsed command line `arguments`.
///
/// # Errors
///
/// Returns clap's error for a mistake in the command line.
pub(super) fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    /// The last command lines, the most recent one first.
    static LAST: Mutex<VecDeque<ParsedLine>> = Mutex::new(VecDeque::new());
    // In a child process, a thread that fork(2) has not copied can hold the lock for ever.
    let known = LAST
        .try_lock()
        .ok()
        .and_then(|mut last| take(&mut last, arguments));
    let line = match known {
        Some(line) => line,
        None => (arguments.to_vec(), args::parse(arguments)?),
    };
    let cli = line.1.clone();
    if let Ok(mut last) = LAST.try_lock() {
        keep(&mut last, line);
    }
    Ok(cli)
}

fn take(last: &mut VecDeque<ParsedLine>, arguments: &[OsString]) -> Option<ParsedLine> {
    let place = last.iter().position(|(line, _)| line == arguments)?;
    last.remove(place)
}

fn keep(last: &mut VecDeque<ParsedLine>, line: ParsedLine) {
    let bytes: usize = line.0.iter().map(|word| word.len()).sum();
    if bytes <= MAX_LINE_BYTES {
        last.truncate(MAX_LINES - 1);
        last.push_front(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &[&str]) -> ParsedLine {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let cli = args::parse(&words).expect("the command line is valid");
        (words, cli)
    }

    #[test]
    fn the_last_lines_are_kept_and_long_ones_are_not() {
        let mut last = VecDeque::new();
        keep(&mut last, line(&["wpatch", "check", "first"]));
        for number in 1..MAX_LINES {
            keep(&mut last, line(&["wpatch", "check", &number.to_string()]));
        }
        let first = line(&["wpatch", "check", "first"]).0;
        let known = take(&mut last, &first).expect("it is the oldest of the kept lines");
        keep(&mut last, known);
        keep(&mut last, line(&["wpatch", "check", "another"]));
        assert_eq!(last.len(), MAX_LINES);
        assert!(take(&mut last, &first).is_some());
        assert!(take(&mut last, &line(&["wpatch", "check", "1"]).0).is_none());

        let text = "x".repeat(MAX_LINE_BYTES);
        let kept = last.len();
        keep(&mut last, line(&["wpatch", "check", &text]));
        assert_eq!(last.len(), kept);
    }
}
