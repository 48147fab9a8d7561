//! The options of `apply`, `check` and `show` for the contents of their report.

use clap::Args;

/// What is printed.
#[derive(Debug, Default, Args)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(in crate::cli) struct LookOptions {
    /// Print a graph of added and removed lines; turns applying off
    #[arg(long)]
    pub(in crate::cli) stat: bool,
    /// Print the numbers of added and removed lines; turns applying off
    #[arg(long)]
    pub(in crate::cli) numstat: bool,
    /// Print what is created, deleted, renamed, copied or gets another mode; turns applying off
    #[arg(long)]
    pub(in crate::cli) summary: bool,
    /// End names with NUL instead of quoting them, for --numstat
    #[arg(short = 'z')]
    pub(in crate::cli) nul: bool,
    /// Include the complete diff of each file in the JSON; a check includes its first 16384 bytes
    /// in any case
    #[arg(long)]
    pub(in crate::cli) with_diff: bool,
    /// Largest diff of a file in the JSON, in bytes; a longer one ends after a line
    #[arg(long, value_name = "BYTES")]
    pub(in crate::cli) diff_max_bytes: Option<usize>,
    /// Leave the diff of a file over 64 KiB or 2000 lines out of the JSON
    #[arg(long)]
    pub(in crate::cli) no_large_diff: bool,
    /// Leave digests, `plan_id` and diffs out of the JSON, and the hunks of a file where all fit as
    /// they stand
    #[arg(long, conflicts_with = "with_diff")]
    pub(in crate::cli) brief: bool,
    /// Leave out of the JSON what depends on where and when: the same patch on the same tree has
    /// the same bytes
    #[arg(long)]
    pub(in crate::cli) deterministic: bool,
}

impl LookOptions {
    /// Returns whether one of git's statistics is printed.
    pub(in crate::cli) fn is_statistics(&self) -> bool {
        self.stat || self.numstat || self.summary
    }
}
