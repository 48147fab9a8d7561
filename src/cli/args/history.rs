//! The options of `reject`, `log`, `undo` and `redo`.

use clap::Args;

use crate::cli::attribution::AttributionOptions;
use crate::cli::commands::CommandOptions;

/// The options of `reject`.
#[derive(Clone, Debug, Args)]
pub(in crate::cli) struct RejectOptions {
    /// The `plan_id` of the plan, or at least the first eight hex digits of a saved one
    pub(in crate::cli) id: String,
    /// Record TEXT as the reason, of at most 4096 bytes
    #[arg(long, value_name = "TEXT", conflicts_with = "withdraw")]
    pub(in crate::cli) reason: Option<String>,
    /// Record REASON as the reason for a file, a hunk or lines, such as f1h2=REASON
    ///
    /// The report of the check shows the ids of files and hunks. Lines are counted from 1 below the
    /// header of their hunk, as in f1h2:3-5=REASON. The report of a later attempt with
    /// this plan contains the reasons.
    #[arg(long = "hunk", value_name = "ID=REASON", value_parser = parse_hunk_reason, conflicts_with = "withdraw")]
    pub(in crate::cli) hunks: Vec<(String, String)>,
    /// Remove the rejection, so that the plan can be approved again
    #[arg(long)]
    pub(in crate::cli) withdraw: bool,
    #[command(flatten)]
    pub(in crate::cli) attribution: AttributionOptions,
}

/// The options of `log`.
#[derive(Clone, Debug, Args)]
pub(in crate::cli) struct LogOptions {
    /// Verify the audit file, and exit with 1 if a record was changed or removed
    ///
    /// The audit file has one record for each change in the history and for each older one. The
    /// command names the first record that was changed, dropped, inserted, reordered or cut off.
    #[arg(long, conflicts_with = "format")]
    pub(in crate::cli) verify: bool,
    /// Print the changes in the format NAME: one JSON document for each change
    #[arg(long, value_name = "NAME", value_parser = ["agent-trace"])]
    pub(in crate::cli) format: Option<String>,
}

/// Parses the id of a hunk with the reason for its rejection.
fn parse_hunk_reason(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=');
    parts
        .map(|(id, reason)| (id.to_owned(), reason.to_owned()))
        .ok_or_else(|| "expected the id of a hunk and a reason, such as f1h2=REASON".to_owned())
}

/// The options of `undo`.
#[derive(Clone, Debug, Args)]
pub(in crate::cli) struct UndoOptions {
    /// The identifier of the change, or its beginning [default: the last change that is not undone]
    #[arg(conflicts_with = "last")]
    pub(in crate::cli) id: Option<String>,
    /// Undo the last N changes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) last: Option<u32>,
    #[command(flatten)]
    pub(in crate::cli) revert: RevertOptions,
}

/// The options of `recover`.
#[derive(Clone, Debug, Args)]
pub(in crate::cli) struct RecoverOptions {
    /// Also roll back a change whose journal names another directory or machine
    ///
    /// A journal names the directory by its inode number and the machine by its ID. Both can change
    /// while the directory stays the same: some file systems, such as exFAT, number the inodes anew
    /// at each mount, and a copy or a backup has other numbers. Use this option only if the
    /// interrupted command was yours. Files that were changed since are left unchanged.
    #[arg(long)]
    pub(in crate::cli) adopt: bool,
    /// Decide about a change of several roots without the roots that cannot be opened
    ///
    /// The change is committed if one of the other roots has its commit record. Otherwise it is
    /// rolled back. The missing root can then have the other result, so use this option only if that
    /// root is lost.
    #[arg(long)]
    pub(in crate::cli) without_missing_roots: bool,
}

/// The options of `undo` and `redo`.
#[derive(Clone, Debug, Args)]
pub(in crate::cli) struct RevertOptions {
    /// Undo a change even if its files were changed since
    #[arg(long)]
    pub(in crate::cli) force: bool,
    /// Print what would be done, and change nothing
    #[arg(long)]
    pub(in crate::cli) dry_run: bool,
    /// Refuse any change with another `plan_id`, as printed by --dry-run --json
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) approve: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) commands: CommandOptions,
    #[command(flatten)]
    pub(in crate::cli) attribution: AttributionOptions,
}
