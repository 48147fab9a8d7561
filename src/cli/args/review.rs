//! The options of `review`.

use clap::Args;

use super::PatchOptions;
use crate::cli::attribution::AttributionOptions;
use crate::cli::commands::CommandOptions;
use crate::cli::gnu_options::CommonGnuOptions;

/// The options of `review`.
#[derive(Clone, Debug, Args)]
pub(in crate::cli) struct ReviewOptions {
    #[command(flatten)]
    pub(in crate::cli) patch: PatchOptions,
    #[command(flatten)]
    pub(in crate::cli) commands: CommandOptions,
    #[command(flatten)]
    pub(in crate::cli) attribution: AttributionOptions,
    #[command(flatten)]
    pub(in crate::cli) gnu: CommonGnuOptions,
    /// Ask about one hunk after the other, without a full-screen display
    ///
    /// This is the default on terminals that cannot move the cursor (`TERM=dumb`).
    #[arg(long, help_heading = "Output")]
    pub(in crate::cli) prompts: bool,
}
