//! The options of three-way merges.

use std::ffi::OsString;

use clap::Args;

/// Whether and how a patch is merged with what became of its files.
#[derive(Debug, Default, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(in crate::cli) struct MergeOptions {
    /// Merge the patch with what became of its files since it was made; changes git's index too, as --index, or with --cached
    /// alone
    #[arg(short = '3', long = "3way", conflicts_with_all = ["diagnostics", "lenient", "relocate"])]
    pub(in crate::cli) three_way: bool,
    /// Take the lines of the file where both sides changed the same
    #[arg(long, requires = "three_way", conflicts_with_all = ["theirs", "union"])]
    pub(in crate::cli) ours: bool,
    /// Take the lines of the patch where both sides changed the same
    #[arg(long, requires = "three_way", conflicts_with = "union")]
    pub(in crate::cli) theirs: bool,
    /// Take the lines of both where both sides changed the same
    #[arg(long, requires = "three_way")]
    pub(in crate::cli) union: bool,
    /// Write conflicts of --3way into the files, as markers: both sides, or with diff3 what they come from too; all else is applied,
    /// exit code 1
    #[arg(long, value_name = "STYLE", value_parser = ["markers", "diff3"])]
    pub(in crate::cli) conflict: Option<String>,
    /// The file, or the revision of git, that the patch was made for, where its index line does not tell
    #[arg(long, value_name = "FILE|REV", requires = "three_way")]
    pub(in crate::cli) base: Option<OsString>,
}
