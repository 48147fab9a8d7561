//! The options of commands that read a patch.

use std::ffi::OsString;
use std::mem;
use std::path::PathBuf;

use clap::{Arg, Args, Command, Id};

use super::{
    BasicOptions, FilterOptions, GitOptions, Global, IndexOptions, MergeOptions, ReportOptions,
    SessionOption, digest,
};
use crate::cli::attribution::AttributionOptions;
use crate::cli::commands::CommandOptions;
use crate::cli::gnu_options::CommonGnuOptions;
use crate::cli::guards::GuardOptions;
use crate::cli::links::LinkOptions;
use crate::cli::match_mode::{MatchArg, match_mode};
use crate::cli::servers::DiagnosticsOptions;
use crate::cli::whitespace::WhitespaceOptions;
use crate::cli::{EarlyExit, arguments};
use crate::digest::Sha256;
use crate::engine::options::HunkSelection;
use crate::engine::{Decide, GnuOptions};

/// The options of `apply`.
#[derive(Clone, Debug, Default, Args)]
pub(in crate::cli) struct ApplyOptions {
    #[command(flatten)]
    pub(in crate::cli) patch: PatchOptions,
    #[command(flatten)]
    pub(in crate::cli) commands: CommandOptions,
    #[command(flatten)]
    pub(in crate::cli) attribution: AttributionOptions,
    #[command(flatten)]
    pub(in crate::cli) gnu: CommonGnuOptions,
    /// Check only, and write nothing
    #[arg(long, visible_alias = "dry-run", help_heading = "Safety")]
    pub(in crate::cli) check: bool,
    /// Apply even if --check, --stat, --numstat or --summary is given
    #[arg(long, help_heading = "Safety", hide_short_help = true)]
    pub(in crate::cli) apply: bool,
    /// Apply the plan that `check --save` stored
    ///
    /// ID is the `plan_id` of the plan, or at least its first eight hex digits. The command changes
    /// nothing if the result would differ from the plan.
    #[arg(long, value_name = "ID", conflicts_with_all = options_in_plan(), help_heading = "Safety")]
    pub(in crate::cli) plan: Option<String>,
}

/// Returns the options whose values a saved plan contains: all options of [`PatchOptions`] and
/// [`CommonGnuOptions`], except the options for the report, language servers and filter drivers.
fn options_in_plan() -> Vec<Id> {
    let all = CommonGnuOptions::augment_args(PatchOptions::augment_args(Command::new("")));
    let others = DiagnosticsOptions::augment_args(ReportOptions::augment_args(Command::new("")));
    let others = FilterOptions::augment_args(others);
    let is_decided = |id: &&Id| {
        others
            .get_arguments()
            .all(|argument| argument.get_id() != *id)
    };
    all.get_arguments()
        .map(Arg::get_id)
        .filter(is_decided)
        .cloned()
        .collect()
}

/// The options of `apply`, `check` and `show`.
#[derive(Clone, Debug, Default, Args)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(in crate::cli) struct PatchOptions {
    #[command(flatten)]
    pub(in crate::cli) basic: BasicOptions,
    /// Apply the patches in the quilt series FILE in order: all of them or none
    ///
    /// Each line is the name of a patch below the directory of FILE, optionally followed by -pN and
    /// -R.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["patches", "file", "lenient"], help_heading = "Input", hide_short_help = true)]
    pub(in crate::cli) series: Option<PathBuf>,
    /// Prepend DIR to all names
    #[arg(long, value_name = "DIR", help_heading = "Input")]
    pub(in crate::cli) directory: Option<OsString>,
    /// Skip files that match PATTERN
    ///
    /// If a file matches several --include and --exclude patterns, the first one decides.
    #[arg(long, value_name = "PATTERN", help_heading = "Selection")]
    pub(in crate::cli) exclude: Vec<String>,
    /// Apply only to files that match PATTERN
    #[arg(long, value_name = "PATTERN", help_heading = "Selection")]
    pub(in crate::cli) include: Vec<String>,
    /// The patterns of --include (`true`) and --exclude (`false`), in the order of the command
    /// line.
    #[arg(skip)]
    pub(in crate::cli) filters: Vec<(bool, String)>,
    #[command(flatten)]
    pub(in crate::cli) session: SessionOption,
    /// The options of GNU patch that `apply` and `check` accept.
    #[arg(skip)]
    pub(in crate::cli) gnu: GnuOptions,
    /// Apply only the listed files, hunks and lines, such as 1,3-4,f6,f7h2,f8h1:3-5
    ///
    /// `check --json` with the same other options prints the numbers and names. `f8h1:3-5` names lines
    /// of a hunk, counted from 1 below its header.
    #[arg(long, value_name = "LIST", help_heading = "Selection")]
    pub(in crate::cli) only: Option<HunkSelection>,
    /// Require N matching lines of context on each side of a change
    #[arg(
        short = 'C',
        value_name = "N",
        help_heading = "Matching",
        hide_short_help = true
    )]
    pub(in crate::cli) context: Option<usize>,
    /// Accept hunks without context
    #[arg(long, help_heading = "Matching", hide_short_help = true)]
    pub(in crate::cli) unidiff_zero: bool,
    /// Repair a patch that does not apply, if exactly one reading is certain
    #[arg(long, help_heading = "Matching")]
    pub(in crate::cli) lenient: bool,
    /// Refuse an input that names a change without its content, such as "Only in b: x"
    #[arg(long, help_heading = "Input", hide_short_help = true)]
    pub(in crate::cli) strict_input: bool,
    /// Accept line numbers of an earlier version in the history
    ///
    /// Every line that the patch names must be unchanged since that version.
    #[arg(long, help_heading = "Matching", hide_short_help = true)]
    pub(in crate::cli) relocate: bool,
    /// Count the lines of hunks instead of reading the numbers in their headers
    #[arg(long, help_heading = "Matching", hide_short_help = true)]
    pub(in crate::cli) recount: bool,
    #[command(flatten)]
    pub(in crate::cli) whitespace: WhitespaceOptions,
    #[command(flatten)]
    pub(in crate::cli) git: GitOptions,
    /// Ignore up to N lines of context if nothing else matches [default: 0]
    #[arg(long, value_name = "N", help_heading = "Matching")]
    pub(in crate::cli) fuzz: Option<usize>,
    /// Replace existing files that the patch creates or moves to
    #[arg(long, help_heading = "Safety", hide_short_help = true)]
    pub(in crate::cli) overwrite: bool,
    #[command(flatten)]
    pub(in crate::cli) links: LinkOptions,
    /// Refuse hunks that match several places, but not their stated line
    #[arg(long, help_heading = "Matching", hide_short_help = true)]
    pub(in crate::cli) unique: bool,
    /// Set how closely context and deleted lines must match [default: exact]
    #[arg(
        long = "match",
        value_name = "HOW",
        value_enum,
        help_heading = "Matching",
        hide_short_help = true
    )]
    pub(in crate::cli) match_mode: Option<MatchArg>,
    /// Indent added lines like the matched lines; needs --match ladder
    #[arg(
        long,
        requires = "match_mode",
        help_heading = "Matching",
        hide_short_help = true
    )]
    pub(in crate::cli) reindent: bool,
    /// Apply a patch of one file to FILE, regardless of the name in the patch
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "directory",
        help_heading = "Input",
        hide_short_help = true
    )]
    pub(in crate::cli) file: Option<OsString>,
    /// Refuse to change a file with another SHA-256; only for a patch of one file
    #[arg(long, value_name = "HASH", value_parser = digest, help_heading = "Selection", hide_short_help = true)]
    pub(in crate::cli) expect_hash: Option<Sha256>,
    /// Describe the patch without reading any file; turns applying off
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    pub(in crate::cli) shape: bool,
    /// Treat a change that is already applied as success
    #[arg(long, visible_alias = "forward", help_heading = "Matching")]
    pub(in crate::cli) idempotent: bool,
    #[command(flatten)]
    pub(in crate::cli) index: IndexOptions,
    #[command(flatten)]
    pub(in crate::cli) filter: FilterOptions,
    #[command(flatten)]
    pub(in crate::cli) merge: MergeOptions,
    #[command(flatten)]
    pub(in crate::cli) guard: GuardOptions,
    #[command(flatten)]
    pub(in crate::cli) diagnostics: DiagnosticsOptions,
    /// Refuse any change with another `plan_id`
    #[arg(long, value_name = "ID", help_heading = "Safety")]
    pub(in crate::cli) approve: Option<String>,
    /// Apply the part that --only selects, and refuse it if the whole plan is not the plan ID
    #[arg(
        long,
        value_name = "ID",
        requires = "only",
        conflicts_with = "approve",
        help_heading = "Safety",
        hide_short_help = true
    )]
    pub(in crate::cli) approve_part: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) look: ReportOptions,
    /// Limit the size of the patch, in bytes [default: 4294967296]
    #[arg(
        long,
        value_name = "BYTES",
        help_heading = "Limits",
        hide_short_help = true
    )]
    pub(in crate::cli) max_patch: Option<u64>,
    /// Limit the size of a file that is read or created, in bytes [default: 536870912]
    #[arg(
        long,
        value_name = "BYTES",
        help_heading = "Limits",
        hide_short_help = true
    )]
    pub(in crate::cli) max_file: Option<u64>,
    /// Limit the number of files in a patch [default: 100000]
    #[arg(
        long,
        value_name = "N",
        help_heading = "Limits",
        hide_short_help = true
    )]
    pub(in crate::cli) max_files: Option<usize>,
    /// Limit the number of hunks in a patch [default: 1000000]
    #[arg(
        long,
        value_name = "N",
        help_heading = "Limits",
        hide_short_help = true
    )]
    pub(in crate::cli) max_hunks: Option<usize>,
    /// Limit the bytes to which one byte of binary data expands [default: 200]
    ///
    /// The first 16777216 bytes of content do not count.
    #[arg(
        long,
        value_name = "N",
        help_heading = "Limits",
        hide_short_help = true
    )]
    pub(in crate::cli) max_ratio: Option<u64>,
    /// Limit the bytes that copies and binary data add to related files [default: 134217728]
    #[arg(
        long,
        value_name = "BYTES",
        help_heading = "Limits",
        hide_short_help = true
    )]
    pub(in crate::cli) max_growth: Option<u64>,
}

impl From<BasicOptions> for PatchOptions {
    fn from(usual: BasicOptions) -> Self {
        Self {
            basic: usual,
            ..Self::default()
        }
    }
}

impl From<BasicOptions> for ApplyOptions {
    fn from(usual: BasicOptions) -> Self {
        Self {
            patch: usual.into(),
            ..Self::default()
        }
    }
}

impl PatchOptions {
    /// Returns the options that decide the result, except for git's index.
    pub(in crate::cli) fn build_decide(&mut self, global: &Global) -> Result<Decide, EarlyExit> {
        let usual = Decide::default();
        Ok(Decide {
            format: self.basic.format.take().unwrap_or(usual.format),
            recount: self.recount,
            strict_input: self.strict_input,
            allow_empty: self.git.allow_empty,
            lenient: self.lenient,
            relocate: self.relocate,
            strip: self.basic.strip,
            directory: self
                .directory
                .as_deref()
                .map_or(Ok(Vec::new()), arguments::parse_directory)?,
            below: self
                .git
                .git_paths
                .then(|| arguments::root_prefix(global))
                .transpose()?,
            filters: self
                .filters
                .iter()
                .map(|(takes, pattern)| arguments::parse_filter(*takes, pattern))
                .collect::<Result<_, _>>()?,
            reverse: self.basic.reverse,
            file: self.file.take().map(OsString::into_encoded_bytes),
            expect_hash: self.expect_hash,
            only: self.only.take(),
            roots: arguments::roots(global),
            match_mode: match_mode(self.match_mode, self.reindent)?,
            context: self.context,
            fuzz: self.fuzz(),
            unidiff_zero: self.unidiff_zero,
            whitespace: self.whitespace.action(),
            ignore_whitespace: self.whitespace.ignore_setting(),
            inaccurate_eof: self.whitespace.inaccurate_eof,
            no_add: self.git.no_add,
            allow_overlap: self.git.allow_overlap,
            unique: self.unique,
            overwrite: self.overwrite,
            reject: self.git.reject,
            reject_to: arguments::parse_reject_target(self.git.reject_file.as_deref())?,
            idempotent: self.idempotent,
            in_place: self.links.in_place,
            merge_hunks: self.merge.hunk_conflict_style(),
            three_way: self.merge.three_way(),
            // `request` sets the use of the index after it has opened it.
            index: None,
            // Only the editing commands have the option `--encoding`.
            encoding: None,
            gnu: mem::take(&mut self.gnu),
            guards: self.guard.selected_guards(),
            max_files: self.max_files.unwrap_or(usual.max_files),
            max_hunks: self.max_hunks.unwrap_or(usual.max_hunks),
            max_file: self.max_file.unwrap_or(usual.max_file),
            max_ratio: self.max_ratio.unwrap_or(usual.max_ratio),
            max_growth: self.max_growth.unwrap_or(usual.max_growth),
        })
    }

    /// Returns the number of context lines that can be ignored. A merge ignores none.
    fn fuzz(&self) -> usize {
        let fuzz = self.fuzz.filter(|_| self.merge.merge_hunks.is_none());
        fuzz.unwrap_or_default()
    }

    /// Adds the options of GNU patch.
    pub(in crate::cli) fn add_gnu_options(&mut self, gnu: CommonGnuOptions) {
        let (patches, gnu) = gnu.into_parts();
        self.basic.patches.extend(patches);
        self.gnu = gnu;
    }

    /// Returns whether an option turns applying off.
    pub(in crate::cli) fn is_apply_disabled(&self) -> bool {
        self.look.has_statistics() || self.shape || self.index.build_fake_ancestor.is_some()
    }
}
