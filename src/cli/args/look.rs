//! The options of `apply`, `check` and `show` for the contents of their report.

use clap::Args;

/// The content of the report.
#[derive(Clone, Debug, Default, Args)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(in crate::cli) struct ReportOptions {
    /// Print a graph of added and removed lines; turns applying off
    #[arg(long, help_heading = "Output")]
    pub(in crate::cli) stat: bool,
    /// Print the numbers of added and removed lines; turns applying off
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    pub(in crate::cli) numstat: bool,
    /// Print creations, deletions, renames, copies and mode changes; turns applying off
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    pub(in crate::cli) summary: bool,
    /// End names with NUL instead of quoting them, for --numstat
    #[arg(short = 'z', help_heading = "Output", hide_short_help = true)]
    pub(in crate::cli) nul: bool,
    /// Include the complete diff of each file in the JSON
    ///
    /// Without this option, a check includes the first 16384 bytes.
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    pub(in crate::cli) with_diff: bool,
    /// Limit the diff of each file in the JSON, in bytes, cut after a line
    #[arg(
        long,
        value_name = "BYTES",
        help_heading = "Output",
        hide_short_help = true
    )]
    pub(in crate::cli) diff_max_bytes: Option<usize>,
    /// Omit the diff of a file over 64 KiB or 2000 lines from the JSON
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    pub(in crate::cli) no_large_diff: bool,
    /// Omit digests, `plan_id` and diffs from the JSON
    ///
    /// The hunks of a file are also omitted if all of them match at their stated lines.
    #[arg(
        long,
        conflicts_with = "with_diff",
        help_heading = "Output",
        hide_short_help = true
    )]
    pub(in crate::cli) brief: bool,
    /// Omit data that depends on place and time from the JSON
    ///
    /// The output for the same patch and the same tree is then always the same.
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    pub(in crate::cli) deterministic: bool,
}

impl ReportOptions {
    /// Returns whether an option asks for one of git's statistics.
    pub(in crate::cli) fn has_statistics(&self) -> bool {
        self.stat || self.numstat || self.summary
    }
}
