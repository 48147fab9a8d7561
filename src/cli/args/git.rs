//! The options that `git apply` has, as it means them, and that few runs need.

use std::ffi::OsString;

use clap::Args;

/// Small options of `git apply`.
#[derive(Debug, Default, Args)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(in crate::cli) struct GitOptions {
    /// Leave out the lines that the patch adds
    #[arg(long)]
    pub(in crate::cli) no_add: bool,
    /// Let a hunk go where another one went, which is done first
    #[arg(long, conflicts_with = "only")]
    pub(in crate::cli) allow_overlap: bool,
    /// Apply what fits, write hunks that do not to FILE.rej, and end with code 1
    #[arg(long, conflicts_with_all = ["three_way", "lenient", "diagnostics"])]
    pub(in crate::cli) reject: bool,
    /// Write those hunks to FILE below the root, or nowhere for -
    #[arg(short = 'r', long, value_name = "FILE", requires = "reject", conflicts_with_all = ["index", "cached", "intent_to_add"])]
    pub(in crate::cli) reject_file: Option<OsString>,
    /// Take a text without any change for a patch that changes nothing
    #[arg(long)]
    pub(in crate::cli) allow_empty: bool,
    /// Read names in git diffs from the top of the repository on, and leave out what is outside of
    /// the root
    #[arg(long, conflicts_with = "file")]
    pub(in crate::cli) git_paths: bool,
    /// Does nothing: binary data are taken anyway
    #[arg(long, visible_alias = "binary")]
    allow_binary_replacement: bool,
    /// Does nothing: no name leaves the root
    #[arg(long)]
    unsafe_paths: bool,
}
