//! The options for git's index.

use std::path::PathBuf;

use clap::Args;

/// The use of git's index.
#[derive(Clone, Debug, Default, Args)]
pub(in crate::cli) struct IndexOptions {
    /// Also update git's index
    ///
    /// Each file that the patch touches must match its index entry.
    #[arg(long, conflicts_with = "diagnostics", help_heading = "Git")]
    pub(in crate::cli) index: bool,
    /// Record new files in git's index as intended to be added
    ///
    /// This option has no effect with another option that updates the index, or without an index.
    #[arg(
        short = 'N',
        long,
        conflicts_with = "diagnostics",
        help_heading = "Git",
        hide_short_help = true
    )]
    pub(in crate::cli) intent_to_add: bool,
    /// Write an index with the preimage blobs of the patch to FILE; turns applying off
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "diagnostics",
        help_heading = "Git",
        hide_short_help = true
    )]
    pub(in crate::cli) build_fake_ancestor: Option<PathBuf>,
    /// Update only git's index, and no file of the work tree
    #[arg(long, conflicts_with_all = ["diagnostics", "lenient", "relocate"], help_heading = "Git")]
    pub(in crate::cli) cached: bool,
}

/// The filter drivers that may run.
#[derive(Clone, Debug, Default, Args)]
pub(in crate::cli) struct FilterOptions {
    /// Run the filter driver NAME even if the repository defines it instead of the user
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "Git",
        hide_short_help = true
    )]
    pub(in crate::cli) allow_filter: Vec<String>,
}
