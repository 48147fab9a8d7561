//! The options that are about git's index.

use std::path::PathBuf;

use clap::Args;

/// What of git's index is changed.
#[derive(Debug, Default, Args)]
pub(in crate::cli) struct IndexOptions {
    /// Change git's index too, of which the files that change have to be those; the patch is put to
    /// what it holds
    #[arg(long, conflicts_with = "diagnostics")]
    pub(in crate::cli) index: bool,
    /// Note in git's index that new files are going to be added; without effect where the index
    /// changes anyway, or there is none
    #[arg(short = 'N', long, conflicts_with = "diagnostics")]
    pub(in crate::cli) intent_to_add: bool,
    /// Write an index with the blobs that the patch was made for to FILE; turns applying off
    #[arg(long, value_name = "FILE", conflicts_with = "diagnostics")]
    pub(in crate::cli) build_fake_ancestor: Option<PathBuf>,
    /// Change git's index alone, and no file of the work tree
    #[arg(long, conflicts_with_all = ["diagnostics", "lenient", "relocate"])]
    pub(in crate::cli) cached: bool,
}

/// The filter drivers that are run.
#[derive(Debug, Default, Args)]
pub(in crate::cli) struct FilterOptions {
    /// Run the filter driver NAME even if the repository defines it, and not the user
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) allow_filter: Vec<String>,
}
