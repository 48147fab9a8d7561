//! The command line of GNU patch, typed.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, Parser};

/// Applies a diff to the files that it names, all of it or nothing.
///
/// The options are those of GNU patch, and so are the words. What is different: when a hunk fails, no file is changed and
/// no reject file is written; nothing is ever asked; no file is changed twice by mistake: a patch that is applied already
/// is refused. Exit codes: 0 done, 1 something does not apply, 2 trouble.
#[derive(Debug, Parser)]
#[command(name = "patch", version, disable_version_flag = true, disable_help_flag = true, args_override_self = true)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
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
    /// Write what comes of the file to FILE
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
    /// How old files are named: `simple` is taken
    #[arg(short = 'V', long, value_name = "STYLE", value_parser = ["simple", "never"])]
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
    /// Lines are never changed when they are read or written
    #[arg(long)]
    binary: bool,
    /// No old files are kept because hunks are off their places, anyway
    #[arg(long)]
    no_backup_if_mismatch: bool,
    /// Where rejects would go; none are written, because nothing is changed then
    #[arg(short, long, value_name = "FILE")]
    reject_file: Option<OsString>,
    /// How rejects would be written
    #[arg(long, value_name = "FORMAT", value_parser = ["context", "unified"])]
    reject_format: Option<String>,
    /// Whether files are fetched from a version control system: they are not
    #[arg(short, long, value_name = "NUM", value_parser = ["0"])]
    get: Option<String>,
    /// How names are quoted in output: as git does
    #[arg(long, value_name = "WORD")]
    quoting_style: Option<String>,
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
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Refused {
    #[arg(short, long, hide = true)]
    ed: bool,
    #[arg(long, value_name = "STYLE", num_args = 0..=1, require_equals = true, default_missing_value = "merge", hide = true)]
    merge: Option<String>,
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
}

impl Refused {
    /// Returns the first option that is given and why it is not taken.
    pub(super) fn first(&self) -> Option<(&'static str, &'static str)> {
        let rows = [
            (self.ed, "--ed", "an ed script is a program, and nothing runs one"),
            (self.merge.is_some(), "--merge", "conflicts are never written into files here"),
            (self.ifdef.is_some(), "--ifdef", "a file becomes what the patch says, or stays as it is"),
            (self.set_time, "--set-time", "files get the time at which they are written"),
            (self.set_utc, "--set-utc", "files get the time at which they are written"),
            (self.backup_if_mismatch, "--backup-if-mismatch", "--backup keeps all old files"),
            (self.follow_symlinks, "--follow-symlinks", "no name leads through a link"),
        ];
        rows.into_iter().find(|(is_given, ..)| *is_given).map(|(_, option, why)| (option, why))
    }
}
