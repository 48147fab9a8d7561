//! The options that `git apply` has, with git's meaning, and that few commands need.

use std::ffi::OsString;

use clap::Args;

/// Less common options of `git apply`.
#[derive(Clone, Debug, Default, Args)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(in crate::cli) struct GitOptions {
    /// Ignore the lines that the patch adds
    #[arg(long, help_heading = "Matching", hide_short_help = true)]
    pub(in crate::cli) no_add: bool,
    /// Allow a hunk to overlap an earlier one
    #[arg(
        long,
        conflicts_with = "only",
        help_heading = "Matching",
        hide_short_help = true
    )]
    pub(in crate::cli) allow_overlap: bool,
    /// Apply the hunks that match, and write the others to FILE.rej (exit code 1)
    #[arg(long, conflicts_with_all = ["three_way", "lenient", "diagnostics"], help_heading = "Conflicts")]
    pub(in crate::cli) reject: bool,
    /// Write rejected hunks to FILE below the root, or discard them for `-`
    #[arg(short = 'r', long, value_name = "FILE", requires = "reject", conflicts_with_all = ["index", "cached", "intent_to_add"], help_heading = "Conflicts", hide_short_help = true)]
    pub(in crate::cli) reject_file: Option<OsString>,
    /// Accept a text without any change as a patch that changes nothing
    #[arg(long, help_heading = "Input", hide_short_help = true)]
    pub(in crate::cli) allow_empty: bool,
    /// Read names in git diffs relative to the top of the repository
    ///
    /// Files outside the root are skipped.
    #[arg(
        long,
        conflicts_with = "file",
        help_heading = "Input",
        hide_short_help = true
    )]
    pub(in crate::cli) git_paths: bool,
    /// Do nothing: binary patches are always accepted
    #[arg(
        long,
        visible_alias = "binary",
        help_heading = "Git",
        hide_short_help = true
    )]
    allow_binary_replacement: bool,
    /// Do nothing: no name can leave the root
    #[arg(long, help_heading = "Git", hide_short_help = true)]
    unsafe_paths: bool,
}
