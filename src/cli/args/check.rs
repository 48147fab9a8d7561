//! The options that only `check` has.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{BasicOptions, PatchOptions, duration};
use crate::cli::batch::Shard;
use crate::cli::gnu_options::CommonGnuOptions;

/// The options of `check`.
#[derive(Clone, Debug, Default, Args)]
pub(in crate::cli) struct CheckOptions {
    #[command(flatten)]
    pub(in crate::cli) patch: PatchOptions,
    #[command(flatten)]
    pub(in crate::cli) gnu: CommonGnuOptions,
    #[command(flatten)]
    pub(in crate::cli) tree: TreeOptions,
    /// Save the plan for `apply --plan` in the state directory
    ///
    /// This takes the lock.
    #[arg(long, conflicts_with_all = ["session", "shape", "from_tree", "git_dir", "index", "cached", "intent_to_add", "three_way", "merge_hunks", "reject_file", "remove_empty_files", "backup", "output_file"], help_heading = "Safety")]
    pub(in crate::cli) save: bool,
    #[command(flatten)]
    pub(in crate::cli) batch: BatchOptions,
}

/// Options for many checks in one process.
#[derive(Clone, Debug, Default, Args)]
pub(in crate::cli) struct BatchOptions {
    /// Read jobs, one JSON object per line, and print one report per line
    #[arg(long, conflicts_with_all = ["session", "stat", "numstat", "summary", "shape", "save", "diagnostics", "three_way", "merge_hunks", "build_fake_ancestor", "series", "input", "remove_empty_files", "backup", "output_file"], help_heading = "Batch and git trees")]
    pub(in crate::cli) batch: bool,
    /// Run N jobs in parallel, at most 1024 [default: the number of processors]
    #[arg(
        long,
        value_name = "N",
        requires = "batch",
        help_heading = "Batch and git trees",
        hide_short_help = true
    )]
    pub(in crate::cli) jobs: Option<NonZero<usize>>,
    /// Run only every Nth job, starting with the Ith, such as 1/4
    #[arg(
        long,
        value_name = "I/N",
        requires = "batch",
        help_heading = "Batch and git trees",
        hide_short_help = true
    )]
    pub(in crate::cli) shard: Option<Shard>,
}

/// A git tree to check against instead of a directory.
#[derive(Clone, Debug, Default, Args)]
pub(in crate::cli) struct TreeOptions {
    /// Check against the tree of a revision without a checkout, such as main or v1:src
    #[arg(long, value_name = "REV", conflicts_with_all = ["session", "diagnostics", "index", "cached", "intent_to_add", "three_way"], help_heading = "Batch and git trees")]
    pub(in crate::cli) from_tree: Option<OsString>,
    /// Use the repository DIR for that revision [default: the one around --root]
    #[arg(
        long,
        value_name = "DIR",
        help_heading = "Batch and git trees",
        hide_short_help = true
    )]
    pub(in crate::cli) git_dir: Option<PathBuf>,
    /// Limit the time that git may give no output, such as 10s or 2m [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Batch and git trees", hide_short_help = true)]
    pub(in crate::cli) git_timeout: Option<Duration>,
}

impl TreeOptions {
    /// Returns whether one of the options that name a tree is given.
    pub(in crate::cli) fn is_given(&self) -> bool {
        self.from_tree.is_some() || self.git_dir.is_some()
    }
}

impl From<BasicOptions> for CheckOptions {
    fn from(usual: BasicOptions) -> Self {
        Self {
            patch: usual.into(),
            ..Self::default()
        }
    }
}
