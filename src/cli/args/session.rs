//! The options of `begin` and `commit`, and the option of commands that work in an edit session.

use clap::Args;

use crate::cli::attribution::AttributionOptions;
use crate::cli::commands::CommandOptions;
use crate::cli::guards::GuardOptions;
use crate::cli::servers::DiagnosticsOptions;

/// The options of `begin`.
#[derive(Clone, Debug, Args)]
pub(in crate::cli) struct BeginOptions {
    /// Record TEXT as a note, of at most 4096 bytes; the log shows it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(in crate::cli) note: Option<String>,
}

/// The options of `commit`.
#[derive(Clone, Debug, Args)]
pub(in crate::cli) struct CommitOptions {
    /// The identifier of the session, or its beginning
    pub(in crate::cli) id: String,
    /// Merge the session with files that changed since; a conflict changes nothing
    #[arg(long)]
    pub(in crate::cli) rebase: bool,
    /// Print what would be done, and change nothing
    #[arg(long)]
    pub(in crate::cli) dry_run: bool,
    /// Refuse any change with another `plan_id`, as printed by --dry-run --json
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) approve: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) guard: GuardOptions,
    #[command(flatten)]
    pub(in crate::cli) commands: CommandOptions,
    #[command(flatten)]
    pub(in crate::cli) attribution: AttributionOptions,
    #[command(flatten)]
    pub(in crate::cli) diagnostics: DiagnosticsOptions,
}

/// The option of commands that work in an edit session.
#[derive(Clone, Debug, Default, Args)]
pub(in crate::cli) struct SessionOption {
    /// Work in the edit session ID in place of the files
    ///
    /// `wpatch begin` prints the ID. The beginning of an ID suffices.
    #[arg(long = "in", value_name = "ID", help_heading = "Safety")]
    pub(in crate::cli) session: Option<String>,
}
