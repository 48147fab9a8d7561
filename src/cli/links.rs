//! `--in-place`: the treatment of files with several hard links.

use clap::Args;

/// The option.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct LinkOptions {
    /// Overwrite files that have several hard links, so that all their names change
    ///
    /// The names can be anywhere. A program that reads the file during the change may see a mixture
    /// of the old and the new content.
    #[arg(long, help_heading = "Safety", hide_short_help = true)]
    pub(super) in_place: bool,
}
