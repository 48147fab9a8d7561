//! The options of GNU patch that `apply` and `check` accept.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use crate::engine::{BackupNames, GnuOptions};

/// The options.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct CommonGnuOptions {
    /// Read the patch from PATCH, like the operand
    #[arg(
        short,
        long,
        value_name = "PATCH",
        help_heading = "Input",
        hide_short_help = true
    )]
    input: Vec<PathBuf>,
    /// Delete files that the patch leaves empty
    #[arg(short = 'E', long, help_heading = "GNU patch", hide_short_help = true)]
    remove_empty_files: bool,
    /// Keep the old files next to the new ones
    #[arg(short, long, help_heading = "GNU patch", hide_short_help = true)]
    backup: bool,
    /// Append SUFFIX to the names of old files [default: .orig]
    #[arg(
        long,
        value_name = "SUFFIX",
        requires = "backup",
        help_heading = "GNU patch",
        hide_short_help = true
    )]
    suffix: Option<OsString>,
    /// Write the result for the only file to FILE below the root, and keep the file itself
    #[arg(
        short,
        long,
        value_name = "FILE",
        conflicts_with = "backup",
        help_heading = "GNU patch",
        hide_short_help = true
    )]
    output_file: Option<OsString>,
}

impl CommonGnuOptions {
    /// Returns the patch files and the other options.
    pub(super) fn into_parts(self) -> (Vec<PathBuf>, GnuOptions) {
        let suffix = self
            .suffix
            .map_or_else(|| b".orig".to_vec(), OsString::into_encoded_bytes);
        let gnu = GnuOptions {
            backup: self.backup.then(|| BackupNames {
                suffix,
                ..BackupNames::default()
            }),
            output: self.output_file.map(OsString::into_encoded_bytes),
            removes_empty: self.remove_empty_files,
            ..GnuOptions::default()
        };
        (self.input, gnu)
    }
}
