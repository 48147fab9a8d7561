//! The options of every command.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::cli::caller::Caller;
use crate::digest::Sha256;

/// The options of every command.
///
/// No option has a default for clap, because clap takes time to fill in each default.
#[derive(Clone, Debug, Default, Args)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
#[command(next_help_heading = "Global options")]
pub(in crate::cli) struct Global {
    /// Set the directory to patch [default: .]; repeat it to patch several together
    ///
    /// With several directories, each path begins with the name of a directory: NAME of `NAME=DIR`,
    /// or the last component of DIR. `NAME=DIR` alone has the same effect. A directory whose name
    /// contains `=` is written with a slash before the name, as in `./a=b`.
    #[arg(
        id = "root",
        short = 'd',
        long = "root",
        global = true,
        value_name = "[NAME=]DIR"
    )]
    pub(in crate::cli) given_roots: Vec<PathBuf>,
    /// The directory to patch, unless there are several.
    #[arg(skip)]
    pub(in crate::cli) root: Option<PathBuf>,
    /// The directories to patch, if paths begin with their names.
    #[arg(skip)]
    pub(in crate::cli) roots: Vec<NamedRoot>,
    /// Apply the policy rules in FILE
    ///
    /// If several files or `wpatch.toml` in the root have rules, the strictest verdict applies.
    #[arg(long, global = true, value_name = "FILE")]
    pub(in crate::cli) policy: Vec<PathBuf>,
    /// The edit session in which the command works (`--in`).
    #[arg(skip)]
    pub(in crate::cli) session: Option<String>,
    /// The root on the command line, if `root` is another directory to which a policy rule grants
    /// access.
    #[arg(skip)]
    pub(in crate::cli) given_root: Option<PathBuf>,
    /// Who runs the command.
    #[arg(skip)]
    pub(in crate::cli) caller: Caller,
    /// All words of the command line.
    #[arg(skip)]
    pub(in crate::cli) arguments: Vec<OsString>,
    /// Print one JSON document, for success and failure
    #[arg(long, global = true)]
    pub(in crate::cli) json: bool,
    /// Print the report in the format NAME, for success and failure
    ///
    /// The format `json` is the same as --json.
    #[arg(long, global = true, value_name = "NAME", conflicts_with = "json", value_parser = output_formats())]
    pub(in crate::cli) output: Option<String>,
    /// Set when to use colors [default: auto]
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        value_enum,
        hide_short_help = true
    )]
    pub(in crate::cli) color: Option<ColorMode>,
    /// Print long output at once instead of page by page
    ///
    /// `show`, `log`, `diff` and `check` run a pager on a terminal. `WPATCH_PAGER`, `GIT_PAGER`,
    /// git's `core.pager` and `PAGER` name it. The default is `less`, or none if `TERM` is empty or
    /// `dumb`.
    #[arg(long, global = true, hide_short_help = true)]
    pub(in crate::cli) no_pager: bool,
    /// Print each action
    #[arg(short, long, global = true, overrides_with = "quiet")]
    pub(in crate::cli) verbose: bool,
    /// Print no messages
    #[arg(short, long, global = true, overrides_with = "verbose")]
    pub(in crate::cli) quiet: bool,
    /// Set whether a change survives a power loss [default: full]
    #[arg(
        long,
        global = true,
        value_name = "HOW",
        value_enum,
        hide_short_help = true
    )]
    pub(in crate::cli) durability: Option<Durability>,
    /// Limit the time to wait for the lock, such as 10s or 500ms [default: 10s]
    #[arg(long, global = true, value_name = "TIME", value_parser = duration, hide_short_help = true)]
    pub(in crate::cli) lock_timeout: Option<Duration>,
}

/// A root with the name with which paths begin.
#[derive(Clone, Debug)]
pub(in crate::cli) struct NamedRoot {
    pub(in crate::cli) name: String,
    pub(in crate::cli) directory: PathBuf,
}

/// When to use colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ColorMode {
    /// On a terminal, unless `NO_COLOR` or `CLICOLOR=0` is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The guarantee about power loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Durability {
    /// A change survives once success is reported
    #[default]
    Full,
    /// No guarantee, but faster
    None,
}

impl Global {
    /// Returns whether `--json` or `--output` requests a report.
    pub(in crate::cli) fn has_report(&self) -> bool {
        self.json || self.output.is_some()
    }

    /// Returns whether the report contains digests and the name of the change.
    pub(in crate::cli) fn has_digests(&self) -> bool {
        self.json || self.has_all_changes()
    }

    /// Returns whether the report format contains all changes.
    pub(in crate::cli) fn has_all_changes(&self) -> bool {
        self.output.as_deref() == Some("acp")
    }

    /// Returns the directory to patch.
    pub(in crate::cli) fn root(&self) -> &Path {
        self.root.as_deref().unwrap_or(Path::new("."))
    }
}

/// Parses a digest with or without the prefix `sha256:`.
pub(in crate::cli) fn digest(text: &str) -> Result<Sha256, String> {
    Sha256::parse(text).ok_or_else(|| "expected `sha256:` and 64 hex digits".to_owned())
}

/// Parses a number with the unit `ms`, `s` or `m`. A number without a unit is in seconds.
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

pub(super) fn output_formats() -> Vec<&'static str> {
    crate::report::FORMATS
        .iter()
        .map(|format| format.name())
        .collect()
}

/// Parses `A-B`, `A-` or `A` as a range of lines, counted from 1.
pub(in crate::cli) fn line_range(text: &str) -> Result<(usize, usize), String> {
    let number = |text: &str| text.parse().ok().filter(|&line| line > 0);
    let range = match text.split_once('-') {
        None => number(text).map(|line| (line, line)),
        Some((first, "")) => number(first).map(|first| (first, usize::MAX)),
        Some((first, last)) => number(first).zip(number(last)),
    };
    let range = range.filter(|(first, last)| first <= last);
    range.ok_or_else(|| "expected a range of lines counted from 1, such as 2-4".to_owned())
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
