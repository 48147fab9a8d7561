//! The options that only `check` has.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::PatchOptions;

/// The options of `check`.
#[derive(Debug, Args)]
pub(in crate::cli) struct CheckOptions {
    #[command(flatten)]
    pub(in crate::cli) patch: PatchOptions,
    #[command(flatten)]
    pub(in crate::cli) tree: TreeOptions,
    /// Keep the plan for `apply --plan`, in the place where the history is; takes the lock
    #[arg(long, conflicts_with_all = ["shape", "from_tree", "git_dir"])]
    pub(in crate::cli) save: bool,
}

/// Where a tree is that is no directory.
#[derive(Debug, Default, Args)]
pub(in crate::cli) struct TreeOptions {
    /// Check against the tree of a revision, as in main or v1:src, without a checkout
    #[arg(long, value_name = "REV")]
    pub(in crate::cli) from_tree: Option<OsString>,
    /// The repository of that revision [default: the one that --root is in]
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) git_dir: Option<PathBuf>,
}

impl TreeOptions {
    /// Returns whether a tree is meant, or half of its name.
    pub(in crate::cli) fn is_meant(&self) -> bool {
        self.from_tree.is_some() || self.git_dir.is_some()
    }
}
