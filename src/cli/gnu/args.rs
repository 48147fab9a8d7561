//! The command line of GNU patch, as types.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, Parser};

/// The values of `--quoting-style`.
const QUOTING_STYLES: [&str; 9] = [
    "literal",
    "shell",
    "shell-always",
    "shell-escape",
    "c",
    "c-maybe",
    "escape",
    "locale",
    "clocale",
];

/// Applies a diff to the files that it names: completely or not at all.
///
/// The options and messages are those of GNU patch. These are the differences:
///
/// If a hunk fails, no file is changed and no reject file is written, unless --reject is given. The
/// program asks no questions. It refuses a patch that is already applied.
///
/// Exit codes: 0 success, 1 the patch does not apply, 2 trouble.
#[derive(Debug, Parser)]
#[command(
    name = "patch",
    version,
    disable_version_flag = true,
    disable_help_flag = true,
    args_override_self = true,
    infer_long_args = true
)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(super) struct GnuArguments {
    /// The file to patch, regardless of the names in the patch
    #[arg(value_name = "ORIGFILE")]
    pub(super) original: Option<PathBuf>,
    /// The patch [default: standard input]
    #[arg(value_name = "PATCHFILE")]
    pub(super) patch: Option<PathBuf>,
    /// Remove NUM leading components from names [default: all but the last]
    #[arg(short = 'p', long, value_name = "NUM")]
    pub(super) strip: Option<usize>,
    /// Read the patch from PATCHFILE
    #[arg(short, long, value_name = "PATCHFILE")]
    pub(super) input: Option<PathBuf>,
    /// Change to the directory DIR first
    #[arg(short, long, value_name = "DIR")]
    pub(super) directory: Option<PathBuf>,
    /// Apply the patch in reverse
    #[arg(short = 'R', long)]
    pub(super) reverse: bool,
    /// Skip changes that are already applied
    #[arg(short = 'N', long)]
    pub(super) forward: bool,
    /// Delete files that the patch leaves empty
    #[arg(short = 'E', long)]
    pub(super) remove_empty_files: bool,
    /// Check only, and write nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Ignore up to LINES lines of context [default: 2]
    #[arg(short = 'F', long, value_name = "LINES")]
    pub(super) fuzz: Option<usize>,
    /// Treat all runs of blanks as equal
    #[arg(short = 'l', long)]
    pub(super) ignore_whitespace: bool,
    /// Write the patched content to FILE; `-` is standard output, /dev/null discards it
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<OsString>,
    /// Keep the old files under another name
    #[arg(short, long)]
    pub(super) backup: bool,
    /// Prepend PREFIX to the whole name of a backup
    #[arg(short = 'B', long, value_name = "PREFIX")]
    pub(super) prefix: Option<OsString>,
    /// Prepend PREFIX to the last component of the name of a backup
    #[arg(short = 'Y', long, value_name = "PREFIX")]
    pub(super) basename_prefix: Option<OsString>,
    /// Append SUFFIX to the name of a backup [default: .orig]
    #[arg(short = 'z', long, value_name = "SUFFIX")]
    pub(super) suffix: Option<OsString>,
    /// Set the style of backup names [default: existing]
    ///
    /// `simple` appends the suffix, `numbered` appends a number. `existing` appends a number if the
    /// file already has numbered backups.
    #[arg(short = 'V', long, value_name = "STYLE")]
    pub(super) version_control: Option<String>,
    /// Accept only a unified diff
    #[arg(short, long, group = "form")]
    pub(super) unified: bool,
    /// Accept only a context diff
    #[arg(short, long, group = "form")]
    pub(super) context: bool,
    /// Accept only a normal diff
    #[arg(short, long, group = "form")]
    pub(super) normal: bool,
    /// Print only failures
    #[arg(short = 's', long, visible_alias = "silent")]
    pub(super) quiet: bool,
    /// Print more
    #[arg(long)]
    pub(super) verbose: bool,
    /// Choose the first name of an existing file
    #[arg(long)]
    pub(super) posix: bool,
    /// Ignore `Prereq:` lines; the program asks no questions in any case
    #[arg(short, long)]
    pub(super) force: bool,
    /// Ask no questions; this is always the case
    #[arg(short = 't', long)]
    batch: bool,
    /// Keep CR LF at the ends of lines if all lines of the patch have it
    #[arg(long)]
    pub(super) binary: bool,
    /// Ignore that a file is read-only
    ///
    /// `ignore` and `warn` have the same effect: only the directory must be writable.
    #[arg(long, value_name = "BEHAVIOR", value_parser = ["ignore", "warn", "fail"])]
    read_only: Option<String>,
    /// Keep no backup for inexact matches; this is always the case
    #[arg(long)]
    no_backup_if_mismatch: bool,
    /// Apply the hunks that match, and write the others to FILE.rej as in the patch
    ///
    /// Without this option, a failed hunk prevents all changes.
    #[arg(long)]
    pub(super) reject: bool,
    /// Write rejected hunks to FILE with --reject; `-` and /dev/null discard them
    #[arg(short, long, value_name = "FILE")]
    pub(super) reject_file: Option<OsString>,
    /// Do nothing: rejected hunks keep the format of the patch
    #[arg(long, value_name = "FORMAT", value_parser = ["context", "unified"])]
    reject_format: Option<String>,
    /// Do nothing: no file is fetched from a version control system
    #[arg(short, long, value_name = "NUM", allow_negative_numbers = true)]
    get: Option<i64>,
    /// Do nothing: names in output are quoted as git does it
    #[arg(long, value_name = "WORD", value_parser = QUOTING_STYLES)]
    quoting_style: Option<String>,
    /// Merge hunks that do not apply, and write conflicts into the file
    ///
    /// The style is `merge` or `diff3`.
    #[arg(long, value_name = "STYLE", num_args = 0..=1, require_equals = true, default_missing_value = "merge", value_parser = ["merge", "diff3"])]
    pub(super) merge: Option<String>,
    #[command(flatten)]
    pub(super) refused: UnsupportedOptions,
    /// Print help
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,
    /// Print the version
    #[arg(short, long, action = ArgAction::Version)]
    version: Option<bool>,
}

/// The options of GNU patch that this program refuses.
#[derive(Debug, clap::Args)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(super) struct UnsupportedOptions {
    #[arg(short, long, hide = true)]
    ed: bool,
    #[arg(short = 'D', long, value_name = "NAME", hide = true)]
    ifdef: Option<OsString>,
    #[arg(short = 'T', long, hide = true)]
    set_time: bool,
    #[arg(short = 'Z', long, hide = true)]
    set_utc: bool,
    #[arg(long, hide = true)]
    backup_if_mismatch: bool,
    #[arg(long, hide = true)]
    follow_symlinks: bool,
    #[arg(short = 'x', long, value_name = "NUM", hide = true)]
    debug: Option<String>,
}

impl GnuArguments {
    /// Returns an option of the command line that this program refuses, and the reason.
    pub(super) fn refused_option(&self) -> Option<(&'static str, &'static str)> {
        let Self {
            refused, read_only, ..
        } = self;
        let rows = [
            (
                refused.ed,
                "--ed",
                "ed scripts can run commands and are never run",
            ),
            (
                refused.ifdef.is_some(),
                "--ifdef",
                "a file is either patched or unchanged",
            ),
            (
                refused.set_time,
                "--set-time",
                "the time stamps of the patch are not used",
            ),
            (
                refused.set_utc,
                "--set-utc",
                "the time stamps of the patch are not used",
            ),
            (
                refused.backup_if_mismatch,
                "--backup-if-mismatch",
                "use --backup to keep all old files",
            ),
            (
                refused.follow_symlinks,
                "--follow-symlinks",
                "symbolic links in paths are refused",
            ),
            (
                refused.debug.is_some(),
                "--debug",
                "use --verbose for details",
            ),
            (
                read_only.as_deref() == Some("fail"),
                "--read-only",
                "read-only files are replaced, too",
            ),
        ];
        rows.into_iter()
            .find(|(is_given, ..)| *is_given)
            .map(|(_, option, why)| (option, why))
    }
}
