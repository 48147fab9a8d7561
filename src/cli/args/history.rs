//! The options of `reject`, `undo` and `redo`.

use clap::Args;

use crate::cli::commands::CommandOptions;

/// The options of `reject`.
#[derive(Clone, Debug, Args)]
pub(in crate::cli) struct RejectOptions {
    /// The `plan_id` of the plan, or at least the first eight hex digits of a saved one
    pub(in crate::cli) id: String,
    /// Record TEXT as the reason, of at most 4096 bytes
    #[arg(long, value_name = "TEXT", conflicts_with = "withdraw")]
    pub(in crate::cli) reason: Option<String>,
    /// Remove the rejection, so that the plan can be approved again
    #[arg(long)]
    pub(in crate::cli) withdraw: bool,
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
}
