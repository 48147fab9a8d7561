//! What becomes of files that have other names, as the command line says it.

use clap::Args;

/// The option.
#[derive(Debug, Default, Args)]
pub(super) struct LinkOptions {
    /// Write over files that have other names (hard links): all of these change, wherever they are,
    /// and who reads meanwhile may see some of each
    #[arg(long)]
    pub(super) in_place: bool,
}
