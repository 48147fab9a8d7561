//! The options of every command.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::digest::Sha256;

/// The options of every command.
///
/// None has a default for the parser, which would spend time on filling them all in.
#[derive(Clone, Debug, Default, Args)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
#[command(next_help_heading = "Options of every command")]
pub(in crate::cli) struct Global {
    /// Directory that is patched [default: .]
    #[arg(short = 'd', long, global = true, value_name = "DIR")]
    pub(in crate::cli) root: Option<PathBuf>,
    /// File with rules on what may be done; of several, and of `wpatch.toml` in the root, the
    /// strictest answer counts
    #[arg(long, global = true, value_name = "FILE")]
    pub(in crate::cli) policy: Vec<PathBuf>,
    /// The root that the command was given, where the root is a directory that a grant opens
    /// outside of that.
    #[arg(skip)]
    pub(in crate::cli) given_root: Option<PathBuf>,
    /// The words of the command line.
    #[arg(skip)]
    pub(in crate::cli) arguments: Vec<OsString>,
    /// Print one JSON document, whatever happens
    #[arg(long, global = true)]
    pub(in crate::cli) json: bool,
    /// Print the report in this format, whatever happens; of json, the same as --json
    #[arg(long, global = true, value_name = "NAME", conflicts_with = "json", value_parser = outputs())]
    pub(in crate::cli) output: Option<String>,
    /// When to use colours [default: auto]
    #[arg(long, global = true, value_name = "WHEN", value_enum)]
    pub(in crate::cli) color: Option<When>,
    /// Say what is done
    #[arg(short, long, global = true, overrides_with = "quiet")]
    pub(in crate::cli) verbose: bool,
    /// Say nothing
    #[arg(short, long, global = true, overrides_with = "verbose")]
    pub(in crate::cli) quiet: bool,
    /// What survives a loss of power [default: full]
    #[arg(long, global = true, value_name = "HOW", value_enum)]
    pub(in crate::cli) durability: Option<Durability>,
    /// How long to wait for the lock, as in 10s or 500ms [default: 10s]
    #[arg(long, global = true, value_name = "TIME", value_parser = duration)]
    pub(in crate::cli) lock_timeout: Option<Duration>,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum When {
    /// On a terminal, unless `NO_COLOR` or `CLICOLOR=0` is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What survives a loss of power.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Durability {
    /// The change, once success is reported
    #[default]
    Full,
    /// Nothing is promised; quick
    None,
}

impl Global {
    /// Returns whether the report is to hold digests, and the name of the change.
    pub(in crate::cli) fn is_described(&self) -> bool {
        self.json || self.shows_changes()
    }

    /// Returns whether the report is printed in a format that shows all that changes.
    pub(in crate::cli) fn shows_changes(&self) -> bool {
        self.output.as_deref() == Some("acp")
    }

    /// Returns the directory that is patched.
    pub(in crate::cli) fn root(&self) -> &Path {
        self.root.as_deref().unwrap_or(Path::new("."))
    }
}

/// Reads a digest as reports write it, or without its prefix.
pub(in crate::cli) fn digest(text: &str) -> Result<Sha256, String> {
    Sha256::parse(text).ok_or_else(|| "expected `sha256:` and 64 hex digits".to_owned())
}

/// Reads a number with the unit `ms`, `s` or `m`; seconds without one.
pub(in crate::cli) fn duration(text: &str) -> Result<Duration, String> {
    let digits = text
        .find(|character: char| !character.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let milliseconds = match unit {
        "ms" => 1,
        "" | "s" => 1000,
        "m" => 60_000,
        _ => return Err("expected a number and ms, s or m".to_owned()),
    };
    let number: u64 = number
        .parse()
        .map_err(|_| "expected a number and ms, s or m".to_owned())?;
    number
        .checked_mul(milliseconds)
        .map(Duration::from_millis)
        .ok_or_else(|| "too long".to_owned())
}

pub(super) fn outputs() -> Vec<&'static str> {
    crate::report::FORMATS
        .iter()
        .map(|format| format.name())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(duration("7"), Ok(Duration::from_secs(7)));
        assert!(
            duration("-1s").is_err()
                && duration("1h").is_err()
                && duration("18446744073709551615m").is_err()
        );
    }
}
