//! The options of the commands that take changes back, or refuse them.

use clap::Args;

use crate::cli::commands::CommandOptions;

/// The options of `reject`.
#[derive(Debug, Args)]
pub(in crate::cli) struct RejectOptions {
    /// The plan: its `plan_id`, or at least eight hex digits of that of a saved one
    pub(in crate::cli) id: String,
    /// Why, for people; at most 4096 bytes
    #[arg(long, value_name = "TEXT", conflicts_with = "withdraw")]
    pub(in crate::cli) reason: Option<String>,
    /// Let the plan be approved again
    #[arg(long)]
    pub(in crate::cli) withdraw: bool,
}

/// The options of `undo`.
#[derive(Debug, Args)]
pub(in crate::cli) struct UndoOptions {
    /// The change, or how its name begins; without it the last one that holds
    #[arg(conflicts_with = "last")]
    pub(in crate::cli) id: Option<String>,
    /// Take the last N changes back
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) last: Option<u32>,
    #[command(flatten)]
    pub(in crate::cli) back: BackOptions,
}

/// The options of `undo` and `redo`.
#[derive(Debug, Args)]
pub(in crate::cli) struct BackOptions {
    /// Take back also what somebody else changed since
    #[arg(long)]
    pub(in crate::cli) force: bool,
    /// Only say what would be done
    #[arg(long)]
    pub(in crate::cli) dry_run: bool,
    /// Refuse to do anything but what has this `plan_id`, which --dry-run --json tells
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) approve: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) commands: CommandOptions,
}
