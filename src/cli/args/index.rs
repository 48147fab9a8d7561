//! The options that are about git's index.

use clap::Args;

/// What of git's index is changed.
#[derive(Debug, Default, Args)]
pub(in crate::cli) struct IndexOptions {
    /// Change git's index too, of which the files that change have to be those; the patch is put to what it holds
    #[arg(long, conflicts_with = "diagnostics")]
    pub(in crate::cli) index: bool,
    /// Change git's index alone, and no file of the work tree
    #[arg(long, conflicts_with_all = ["diagnostics", "lenient", "relocate"])]
    pub(in crate::cli) cached: bool,
}
