//! The options for merges.

use std::ffi::OsString;

use clap::Args;

use crate::engine::options::ConflictStyle;
use crate::engine::{ConflictMarkers, ConflictResolution, ThreeWayOptions};

/// The options that cannot be combined with `--merge`, which writes conflicts of single hunks.
const CONFLICTS_WITH_MERGE: [&str; 9] = [
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

/// Whether and how a patch is merged with the current files.
#[derive(Clone, Debug, Default, Args)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(in crate::cli) struct MergeOptions {
    /// Merge the patch with the current files by a three-way merge
    ///
    /// As --index, this option also updates git's index. With --cached it updates only the index.
    #[arg(short = '3', long = "3way", conflicts_with_all = ["diagnostics", "lenient", "relocate"], help_heading = "Conflicts")]
    pub(in crate::cli) three_way: bool,
    /// Resolve conflicts with the lines of the file
    #[arg(long, requires = "three_way", conflicts_with_all = ["theirs", "union"], help_heading = "Conflicts", hide_short_help = true)]
    pub(in crate::cli) ours: bool,
    /// Resolve conflicts with the lines of the patch
    #[arg(
        long,
        requires = "three_way",
        conflicts_with = "union",
        help_heading = "Conflicts",
        hide_short_help = true
    )]
    pub(in crate::cli) theirs: bool,
    /// Resolve conflicts with the lines of both sides
    #[arg(
        long,
        requires = "three_way",
        help_heading = "Conflicts",
        hide_short_help = true
    )]
    pub(in crate::cli) union: bool,
    /// Write conflicts of --3way into the files as markers
    ///
    /// `markers` uses git's merge.conflictStyle, by default both sides. `diff3` also writes their
    /// common base. All other changes are applied, and the exit code is 1.
    #[arg(long, value_name = "STYLE", value_parser = ["markers", "diff3"], help_heading = "Conflicts", hide_short_help = true)]
    pub(in crate::cli) conflict: Option<String>,
    /// Merge hunks that do not apply with the current lines [default: merge]
    ///
    /// The merge uses the context and deletions of each hunk as its base. Conflicts are written
    /// into the files as markers. All other changes are applied, and the exit code is 1.
    #[arg(long = "merge", value_name = "STYLE", value_parser = ["merge", "diff3"], num_args = 0..=1, require_equals = true, default_missing_value = "merge", conflicts_with_all = CONFLICTS_WITH_MERGE, help_heading = "Conflicts", hide_short_help = true)]
    pub(in crate::cli) merge_hunks: Option<String>,
    /// The file or git revision that the patch was made for
    ///
    /// Use this option if the index lines of the patch do not name an available blob.
    #[arg(
        long,
        value_name = "FILE|REV",
        requires = "three_way",
        help_heading = "Conflicts",
        hide_short_help = true
    )]
    pub(in crate::cli) base: Option<OsString>,
}

impl MergeOptions {
    /// Returns the options of the three-way merge; `None` without `--3way`.
    pub(in crate::cli) fn three_way(&self) -> Option<ThreeWayOptions> {
        let favour = match (self.ours, self.theirs, self.union) {
            (true, ..) => Some(ConflictResolution::Ours),
            (_, true, _) => Some(ConflictResolution::Theirs),
            (_, _, true) => Some(ConflictResolution::Union),
            _ => None,
        };
        let marking = match self.conflict.as_deref() {
            Some("diff3") => Some(ConflictMarkers::Base),
            Some(_) => Some(ConflictMarkers::Configured),
            None => None,
        };
        self.three_way
            .then_some(ThreeWayOptions { favour, marking })
    }

    /// Returns how conflicts of hunks are written into files; `None` without `--merge`.
    pub(in crate::cli) fn hunk_conflict_style(&self) -> Option<ConflictStyle> {
        self.merge_hunks.as_deref().map(parse_conflict_style)
    }
}

/// Returns the style to which GNU patch's name `name` refers.
pub(in crate::cli) fn parse_conflict_style(name: &str) -> ConflictStyle {
    if name == "diff3" {
        ConflictStyle::Base
    } else {
        ConflictStyle::Sides
    }
}
