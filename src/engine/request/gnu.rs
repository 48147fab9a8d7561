//! The behaviour that only GNU patch has.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::path::RelPath;
use crate::plan::Naming;

/// The behaviour that only GNU patch has.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub struct GnuOptions {
    /// How of several names one is chosen; without it as git does.
    pub naming: Option<Naming>,
    /// What is put around the names of files, in which they stay as they were (`--backup`).
    pub backup: Option<Backup>,
    /// The file below the root that gets what comes of the only file, which stays as it is
    /// (`--output`).
    pub output: Option<Vec<u8>>,
    /// Whether a file is deleted of which the patch leaves no line (`--remove-empty-files`).
    pub removes_empty: bool,
    /// Whether a file that the patch makes may be there already, as long as nothing is in it.
    pub fills_empty: bool,
    /// Whether a `Prereq:` line is ignored (`--force`).
    pub ignores_prerequisites: bool,
    /// Whether hunks are placed as in GNU patch, see
    /// [`Rules::as_gnu`](crate::matching::Rules::as_gnu), and sections without a name are accepted.
    pub as_gnu: bool,
    /// Whether the carriage returns of the patch were removed, so that CR LF and LF are the same.
    pub converts_line_ends: bool,
}

/// The names of copies of old files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Backup {
    /// Put in front of the whole name.
    pub prefix: Vec<u8>,
    /// Put in front of its last component.
    pub basename_prefix: Vec<u8>,
    /// Put behind it.
    pub suffix: Vec<u8>,
    /// Whether all that is not used, and a number put behind the name (`x.~1~`).
    pub numbering: Numbering,
    /// Whether a name without a file gets an empty backup. quilt and dpkg-source remove the file of
    /// such a backup when they revert a patch.
    pub marks_new: bool,
    /// Files without a backup, because the patch does not change them.
    pub unchanged: HashSet<RelPath>,
}

/// When copies of old files have numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Numbering {
    /// Never.
    #[default]
    Never,
    /// Where there are such copies already.
    Continued,
    /// Always.
    Always,
}
