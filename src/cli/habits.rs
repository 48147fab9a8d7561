//! What `apply` and `check` have from GNU patch.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use crate::engine::{Backup, GnuOptions};

/// The options.
#[derive(Debug, Default, Args)]
pub(super) struct HabitOptions {
    /// A file that holds a patch, as the operand does
    #[arg(short, long, value_name = "PATCH")]
    input: Vec<PathBuf>,
    /// Delete a file of which the patch leaves no line
    #[arg(short = 'E', long)]
    remove_empty_files: bool,
    /// Keep the old files beside the new ones
    #[arg(short, long)]
    backup: bool,
    /// What is put behind the names of old files [default: .orig]
    #[arg(long, value_name = "SUFFIX", requires = "backup")]
    suffix: Option<OsString>,
    /// Write what comes of the only file to FILE below the root, and leave the file itself alone
    #[arg(short, long, value_name = "FILE", conflicts_with = "backup")]
    output_file: Option<OsString>,
}

impl HabitOptions {
    /// Returns the files of patches, and the other options.
    pub(super) fn into_parts(self) -> (Vec<PathBuf>, GnuOptions) {
        let suffix = self
            .suffix
            .map_or_else(|| b".orig".to_vec(), OsString::into_encoded_bytes);
        let gnu = GnuOptions {
            backup: self.backup.then(|| Backup {
                suffix,
                ..Backup::default()
            }),
            output: self.output_file.map(OsString::into_encoded_bytes),
            removes_empty: self.remove_empty_files,
            ..GnuOptions::default()
        };
        (self.input, gnu)
    }
}
