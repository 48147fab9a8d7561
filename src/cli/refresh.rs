//! The command `refresh`: rewrites patches for the current tree.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::args::{BasicOptions, Global, PatchOptions};
use super::attribution::AttributionOptions;
use super::output::{self, Output, Verbosity};
use super::policy::load_policy;
use super::root::{canonical_root, open, open_to_change, with_root};
use super::{CommandMode, EarlyExit, files, finish, input, request, series, watcher};
use crate::engine::options::{Progress, code};
use crate::engine::{self, Commit, Outcome, OutcomeTree, Patches, RefreshRequest, What};
use crate::path::{RelPath, path_bytes, plain_path};
use crate::report::ShownHunks;
use crate::text::Bytes;

/// The default of `--fuzz`, as in quilt.
const FUZZ: usize = 2;

/// The options of `refresh`.
#[derive(Clone, Debug, Args)]
pub(super) struct RefreshOptions {
    /// The patches to rewrite, in the order in which they apply
    #[arg(value_name = "PATCH", required_unless_present = "series")]
    patches: Vec<PathBuf>,
    /// Rewrite the patches in the quilt series FILE
    #[arg(long, value_name = "FILE", conflicts_with = "patches")]
    series: Option<PathBuf>,
    /// Print what would be done, and change nothing
    #[arg(long, visible_alias = "check")]
    dry_run: bool,
    /// Refuse any change with another `plan_id`, as printed by --dry-run --json
    #[arg(long, value_name = "ID")]
    approve: Option<String>,
    /// Remove N leading components from names [default: 1]
    #[arg(short = 'p', value_name = "N")]
    strip: Option<usize>,
    /// Ignore up to N lines of context if nothing else matches [default: 2]
    #[arg(long, value_name = "N")]
    fuzz: Option<usize>,
    /// Accept hunks without context
    #[arg(long)]
    unidiff_zero: bool,
    /// Limit the size of a file that is read or created, in bytes [default: 536870912]
    #[arg(long, value_name = "BYTES")]
    max_file: Option<u64>,
    #[command(flatten)]
    attribution: AttributionOptions,
}

impl RefreshOptions {
    /// Returns the options for the check of the patches.
    fn patch_options(&self) -> PatchOptions {
        PatchOptions {
            basic: BasicOptions {
                strip: self.strip,
                ..BasicOptions::default()
            },
            fuzz: Some(self.fuzz.unwrap_or(FUZZ)),
            unidiff_zero: self.unidiff_zero,
            max_file: self.max_file,
            approve: self.approve.clone(),
            ..PatchOptions::default()
        }
    }
}

/// Rewrites the patches, and prints what each of them needed. With `--verbose`, the list has all
/// hunks.
pub(super) fn refresh(options: &RefreshOptions, global: &Global) -> ExitCode {
    let output = Output::of(global, Verbosity::Normal).without_text();
    let is_dry_run = options.dry_run;
    let name = CommandMode::Refresh.name();
    let outcome = watcher::run(name, global, |progress| {
        refresh_patches(options, global, progress)
    })
    .unwrap_or_else(|stop| stop.into_outcome(name));
    let is_listed = !output.has_report() && !global.quiet && !global.caller.is_library();
    if let Some(report) = outcome.report.refresh.as_ref().filter(|_| is_listed) {
        let shown = if global.verbose {
            ShownHunks::All
        } else {
            ShownHunks::NotClean
        };
        let text = report.to_text(outcome.report.changed && !is_dry_run, shown);
        let _ = output::print(text.as_bytes());
    }
    finish(&outcome, &output)
}

fn refresh_patches(
    options: &RefreshOptions,
    global: &Global,
    progress: Progress,
) -> Result<Outcome, EarlyExit> {
    let read = InputFiles::read(options, global)?;
    let root = patch_root(&read, global)?;
    let patch_global = Global {
        root: Some(root.clone()),
        roots: Vec::new(),
        ..global.clone()
    };
    let mut request =
        request::build_request(options.patch_options(), CommandMode::Refresh, global)?;
    request.commit = Commit {
        attribution: options.attribution.attribution(&patch_global),
        ..request.commit
    };
    request.what = What::Patches(read.patches);
    let policy = load_policy(&patch_global)?;
    let below = |file: &PathBuf| relative_path(file, &root);
    let files = read
        .files
        .iter()
        .map(below)
        .collect::<Result<Vec<_>, _>>()?;
    let series = read
        .series
        .map(|(path, text)| Ok((relative_path(&path, &root)?, text)));
    let series = series.transpose()?;
    let tree = open(global)?;
    request.look.progress = progress;
    let refresh = RefreshRequest {
        request,
        files,
        policy,
        series,
    };
    let refreshed = if options.dry_run {
        engine::check_refresh(refresh, &*tree, &*open(&patch_global)?)
    } else {
        let patch_tree = open_to_change(&patch_global)?;
        let interrupt = global.caller.catch_signals_in_transactions()?;
        engine::refresh(refresh, &*tree, &*patch_tree, &interrupt)
    };
    Ok(match refreshed.tree {
        OutcomeTree::Patched => with_root(refreshed.outcome, global),
        OutcomeTree::PatchFiles => with_root(refreshed.outcome, &patch_global),
    })
}

/// The patches with their files.
struct InputFiles {
    patches: Patches,
    /// The files of the patches.
    files: Vec<PathBuf>,
    /// The series file and its text, if there is one.
    series: Option<(PathBuf, Bytes)>,
}

impl InputFiles {
    fn read(options: &RefreshOptions, global: &Global) -> Result<Self, EarlyExit> {
        if global.caller.tree().is_some() {
            let message = "the patches of a refresh must be files";
            return Err(EarlyExit::usage(message));
        }
        if let Some(path) = &options.series {
            let strip = options.strip.unwrap_or(1);
            let read = series::read(path, request::MAX_PATCH, strip, global)?;
            return Ok(Self {
                patches: Patches {
                    texts: read.patches,
                    series: Some(read.series),
                    is_saved: false,
                },
                files: read.files,
                series: Some((path.clone(), read.text)),
            });
        }
        if options
            .patches
            .iter()
            .any(|path| path == Path::new(files::STDIN))
        {
            let message = "refresh rewrites files and does not read standard input";
            return Err(EarlyExit::usage(message));
        }
        Ok(Self {
            patches: Patches {
                texts: input::read_patches(&options.patches, request::MAX_PATCH, global)?,
                ..Patches::default()
            },
            files: options.patches.clone(),
            series: None,
        })
    }
}

/// Returns the directory in which the patch files change: the root if it contains all of them, so
/// that they have the same history as its files. Otherwise their nearest common directory.
fn patch_root(read: &InputFiles, global: &Global) -> Result<PathBuf, EarlyExit> {
    let series = read.series.iter().map(|(path, _)| path);
    let directories = (read.files.iter().chain(series))
        .map(|file| directory(file))
        .collect::<Result<Vec<_>, _>>()?;
    let root = PathBuf::from(canonical_root(global));
    let is_above = |root: &Path| {
        directories
            .iter()
            .all(|directory| directory.starts_with(root))
    };
    if global.roots.is_empty() && is_above(&root) {
        return Ok(root);
    }
    let first = directories.first().map_or(root.as_path(), PathBuf::as_path);
    let common = first.ancestors().find(|above| is_above(above));
    Ok(common.unwrap_or(first).to_owned())
}

/// Returns the absolute path of the directory of `file`, without links.
fn directory(file: &Path) -> Result<PathBuf, EarlyExit> {
    let above = file.parent().filter(|above| !above.as_os_str().is_empty());
    let found = fs_err::canonicalize(above.unwrap_or(Path::new("."))).map(plain_path);
    found.map_err(|error| EarlyExit::new(&code::IO, error.to_string()))
}

/// Returns the path of `file` below the directory `root`.
fn relative_path(file: &Path, root: &Path) -> Result<RelPath, EarlyExit> {
    let name = file.file_name().unwrap_or_default();
    let path = directory(file)?.join(name);
    let below = path.strip_prefix(root).unwrap_or(&path);
    RelPath::new(&path_bytes(below))
        .map_err(|error| EarlyExit::usage(&format!("{}: {error}", file.display())))
}
