//! Parses the command line of a call. A program often repeats a call with another patch, so the last
//! command lines are kept.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::sync::Mutex;

use crate::cli::args::{self, Cli};
use crate::mutex::lock_unpoisoned;

/// The number of command lines that are kept.
const KEPT: usize = 16;
/// The limit in bytes on a command line that is kept. An option can contain a whole text.
const MAX_KEPT: usize = 4 << 10;

/// Returns the parsed command line `arguments`.
///
/// # Errors
///
/// Returns clap's error for a mistake in the command line.
pub(super) fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    static PARSED: Mutex<VecDeque<(Vec<OsString>, Cli)>> = Mutex::new(VecDeque::new());
    let known = lock_unpoisoned(&PARSED)
        .iter()
        .find(|(line, _)| line == arguments)
        .map(|(_, cli)| cli.clone());
    if let Some(cli) = known {
        return Ok(cli);
    }
    let cli = args::parse(arguments)?;
    if arguments.iter().map(|word| word.len()).sum::<usize>() > MAX_KEPT {
        return Ok(cli);
    }
    let mut parsed = lock_unpoisoned(&PARSED);
    parsed.truncate(KEPT - 1);
    parsed.push_front((arguments.to_vec(), cli.clone()));
    Ok(cli)
}
