//! The command line of GNU patch, typed.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, Parser};

/// The words of `--quoting-style`.
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

/// Applies a diff to the files that it names, all of it or nothing.
///
/// The options are those of GNU patch, and so are the words. What is different: when a hunk fails,
/// no file is changed and no reject file is written, unless --reject asks for that; nothing is ever
/// asked; no file is changed twice by mistake: a patch that is applied already is refused. Exit
/// codes: 0 done, 1 something does not apply, 2 trouble.
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
pub(super) struct Options {
    /// The file to patch, whatever the patch names
    #[arg(value_name = "ORIGFILE")]
    pub(super) original: Option<PathBuf>,
    /// The patch; standard input without it
    #[arg(value_name = "PATCHFILE")]
    pub(super) patch: Option<PathBuf>,
    /// Leading components to take off names; without it all but the last one
    #[arg(short = 'p', long, value_name = "NUM")]
    pub(super) strip: Option<usize>,
    /// The patch
    #[arg(short, long, value_name = "PATCHFILE")]
    pub(super) input: Option<PathBuf>,
    /// Work in DIR
    #[arg(short, long, value_name = "DIR")]
    pub(super) directory: Option<PathBuf>,
    /// Undo the patch
    #[arg(short = 'R', long)]
    pub(super) reverse: bool,
    /// Pass over what has been applied already
    #[arg(short = 'N', long)]
    pub(super) forward: bool,
    /// Remove files that are empty afterwards
    #[arg(short = 'E', long)]
    pub(super) remove_empty_files: bool,
    /// Change nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Most lines of context that may be left out [default: 2]
    #[arg(short = 'F', long, value_name = "LINES")]
    pub(super) fuzz: Option<usize>,
    /// Compare runs of blanks as one
    #[arg(short = 'l', long)]
    pub(super) ignore_whitespace: bool,
    /// Write the patched content to FILE, to standard output for `-`, or nowhere for /dev/null
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<OsString>,
    /// Keep the old files under another name
    #[arg(short, long)]
    pub(super) backup: bool,
    /// What is put in front of whole names for that
    #[arg(short = 'B', long, value_name = "PREFIX")]
    pub(super) prefix: Option<OsString>,
    /// What is put in front of last components for that
    #[arg(short = 'Y', long, value_name = "PREFIX")]
    pub(super) basename_prefix: Option<OsString>,
    /// What is put behind names for that [default: .orig]
    #[arg(short = 'z', long, value_name = "SUFFIX")]
    pub(super) suffix: Option<OsString>,
    /// How old files are named: `simple`, `numbered`, or `existing`, the latter where there are
    /// such [default: existing]
    #[arg(short = 'V', long, value_name = "STYLE")]
    pub(super) version_control: Option<String>,
    /// Take nothing but a unified diff
    #[arg(short, long, group = "form")]
    pub(super) unified: bool,
    /// Take nothing but a context diff
    #[arg(short, long, group = "form")]
    pub(super) context: bool,
    /// Take nothing but a normal diff
    #[arg(short, long, group = "form")]
    pub(super) normal: bool,
    /// Say nothing but what fails
    #[arg(short = 's', long, visible_alias = "silent")]
    pub(super) quiet: bool,
    /// Say more
    #[arg(long)]
    pub(super) verbose: bool,
    /// Choose the first name that is there
    #[arg(long)]
    pub(super) posix: bool,
    /// Take no notice of `Prereq:` lines; nothing is asked anyway
    #[arg(short, long)]
    pub(super) force: bool,
    /// For scripts that want no questions: there are none
    #[arg(short = 't', long)]
    batch: bool,
    /// Leave lines of the patch that all end with CR LF as they are
    #[arg(long)]
    pub(super) binary: bool,
    /// Ignore that a file is read-only: `ignore` and `warn` do the same, since only the directory
    /// must be writable
    #[arg(long, value_name = "BEHAVIOR", value_parser = ["ignore", "warn", "fail"])]
    read_only: Option<String>,
    /// No old files are kept because hunks are off their places, anyway
    #[arg(long)]
    no_backup_if_mismatch: bool,
    /// Apply what fits, and write the hunks that do not to FILE.rej, as they stand in the patch;
    /// without it nothing is changed
    #[arg(long)]
    pub(super) reject: bool,
    /// Write these with --reject to FILE, or nowhere for `-` and /dev/null
    #[arg(short, long, value_name = "FILE")]
    pub(super) reject_file: Option<OsString>,
    /// How rejects would be written: they stand as in the patch
    #[arg(long, value_name = "FORMAT", value_parser = ["context", "unified"])]
    reject_format: Option<String>,
    /// Accepted for scripts: no file is fetched from a version control system
    #[arg(short, long, value_name = "NUM", allow_negative_numbers = true)]
    get: Option<i64>,
    /// How names are quoted in output: as git does
    #[arg(long, value_name = "WORD", value_parser = QUOTING_STYLES)]
    quoting_style: Option<String>,
    /// Merge hunks that do not fit with what became of their lines, and write conflicts into the
    /// file; `merge` or `diff3`
    #[arg(long, value_name = "STYLE", num_args = 0..=1, require_equals = true, default_missing_value = "merge", value_parser = ["merge", "diff3"])]
    pub(super) merge: Option<String>,
    #[command(flatten)]
    pub(super) refused: Refused,
    /// Print help
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,
    /// Print the version
    #[arg(short, long, action = ArgAction::Version)]
    version: Option<bool>,
}

/// What GNU patch takes and this does not.
#[derive(Debug, clap::Args)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(super) struct Refused {
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

impl Options {
    /// Returns the first option that is given and not taken, and why.
    pub(super) fn not_taken(&self) -> Option<(&'static str, &'static str)> {
        let Self {
            refused, read_only, ..
        } = self;
        let rows = [
            (
                refused.ed,
                "--ed",
                "an ed script is a program, and nothing runs one",
            ),
            (
                refused.ifdef.is_some(),
                "--ifdef",
                "a file becomes what the patch says, or stays as it is",
            ),
            (
                refused.set_time,
                "--set-time",
                "files get the time at which they are written",
            ),
            (
                refused.set_utc,
                "--set-utc",
                "files get the time at which they are written",
            ),
            (
                refused.backup_if_mismatch,
                "--backup-if-mismatch",
                "--backup keeps all old files",
            ),
            (
                refused.follow_symlinks,
                "--follow-symlinks",
                "no name leads through a link",
            ),
            (
                refused.debug.is_some(),
                "--debug",
                "there is nothing to see but --verbose",
            ),
            (
                read_only.as_deref() == Some("fail"),
                "--read-only",
                "a file is replaced, whatever its permissions are",
            ),
        ];
        rows.into_iter()
            .find(|(is_given, ..)| *is_given)
            .map(|(_, option, why)| (option, why))
    }
}
