//! The options that only GNU patch has.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::path::RelPath;
use crate::plan::NameGuessOptions;

/// The options that only GNU patch has.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub struct GnuOptions {
    /// How a file is chosen from several name candidates; `None` for git's rule.
    pub naming: Option<NameGuessOptions>,
    /// The names of backup files, which keep the old contents (`--backup`).
    pub backup: Option<BackupNames>,
    /// The file below the root that receives the new contents. The only file of the patch keeps its
    /// own contents (`--output-file`).
    pub output: Option<Vec<u8>>,
    /// Whether a file is deleted if the patch leaves it empty (`--remove-empty-files`).
    pub removes_empty: bool,
    /// Whether a file that the patch creates may already exist if it is empty.
    pub fills_empty: bool,
    /// Whether a `Prereq:` line is ignored (`--force`).
    pub ignores_prerequisites: bool,
    /// Whether hunks are placed by the rules of GNU patch, see
    /// [`MatchRules::is_gnu`](crate::matching::MatchRules::is_gnu). Sections without a name are
    /// then accepted.
    pub as_gnu: bool,
    /// Whether the carriage returns of the patch were removed. CR LF and LF then compare as equal.
    pub converts_line_ends: bool,
}

/// The names of backup files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupNames {
    /// The text before the whole path.
    pub prefix: Vec<u8>,
    /// The text before the last component of the path.
    pub basename_prefix: Vec<u8>,
    /// The text after the path.
    pub suffix: Vec<u8>,
    /// Whether a number after the path replaces these texts (`x.~1~`).
    pub numbering: BackupNumbering,
    /// Whether a path without a file gets an empty backup. When quilt and dpkg-source revert a
    /// patch, they remove the file of an empty backup.
    pub marks_new: bool,
    /// The files that get no backup, because the patch does not change them.
    pub unchanged: HashSet<RelPath>,
}

/// When backup files have numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum BackupNumbering {
    /// Never.
    #[default]
    Never,
    /// If the file already has numbered backups.
    Continued,
    /// Always.
    Always,
}
