//! The options of three-way merges.

use std::ffi::OsString;

use clap::Args;

use crate::engine::options::ConflictStyle;
use crate::engine::{Favour, Marking, ThreeWayOptions};

/// What knows no conflicts of hunks.
const WHOLE: [&str; 9] = [
    "three_way",
    "index",
    "cached",
    "intent_to_add",
    "reject",
    "only",
    "lenient",
    "relocate",
    "diagnostics",
];

/// Whether and how a patch is merged with what became of its files.
#[derive(Debug, Default, Args)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(in crate::cli) struct MergeOptions {
    /// Merge the patch with what became of its files since it was made; changes git's index too, as
    /// --index, or with --cached alone
    #[arg(short = '3', long = "3way", conflicts_with_all = ["diagnostics", "lenient", "relocate"])]
    pub(in crate::cli) three_way: bool,
    /// Take the lines of the file where both sides changed the same
    #[arg(long, requires = "three_way", conflicts_with_all = ["theirs", "union"])]
    pub(in crate::cli) ours: bool,
    /// Take the lines of the patch where both sides changed the same
    #[arg(long, requires = "three_way", conflicts_with = "union")]
    pub(in crate::cli) theirs: bool,
    /// Take the lines of both where both sides changed the same
    #[arg(long, requires = "three_way")]
    pub(in crate::cli) union: bool,
    /// Write conflicts of --3way into the files, as markers: both sides, or with diff3 what they
    /// come from too; all else is applied, exit code 1
    #[arg(long, value_name = "STYLE", value_parser = ["markers", "diff3"])]
    pub(in crate::cli) conflict: Option<String>,
    /// Merge hunks that do not fit with what became of their lines, by what they have of them, and
    /// write conflicts into the files, as markers; all else is applied, exit code 1 [default:
    /// merge]
    #[arg(long = "merge", value_name = "STYLE", value_parser = ["merge", "diff3"], num_args = 0..=1, require_equals = true, default_missing_value = "merge", conflicts_with_all = WHOLE)]
    pub(in crate::cli) merge_hunks: Option<String>,
    /// The file, or the revision of git, that the patch was made for, where its index line does not
    /// tell
    #[arg(long, value_name = "FILE|REV", requires = "three_way")]
    pub(in crate::cli) base: Option<OsString>,
}

impl MergeOptions {
    /// Returns how a patch is merged, if it is.
    pub(in crate::cli) fn three_way(&self) -> Option<ThreeWayOptions> {
        let favour = match (self.ours, self.theirs, self.union) {
            (true, ..) => Some(Favour::Ours),
            (_, true, _) => Some(Favour::Theirs),
            (_, _, true) => Some(Favour::Union),
            _ => None,
        };
        let marking = match self.conflict.as_deref() {
            Some("diff3") => Some(Marking::Base),
            Some(_) => Some(Marking::Configured),
            None => None,
        };
        self.three_way
            .then_some(ThreeWayOptions { favour, marking })
    }

    /// Returns how conflicts of hunks are written into files, if hunks are merged.
    pub(in crate::cli) fn hunkwise(&self) -> Option<ConflictStyle> {
        self.merge_hunks.as_deref().map(conflict_style)
    }
}

/// Returns what GNU patch means by `name`.
pub(in crate::cli) fn conflict_style(name: &str) -> ConflictStyle {
    if name == "diff3" {
        ConflictStyle::Base
    } else {
        ConflictStyle::Sides
    }
}
