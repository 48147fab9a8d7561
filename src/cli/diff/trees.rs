//! `diff -r`: compares two directories, or the trees of two revisions.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anstream::AutoStream;
use clap::Args;

use super::{DiffOptions, print_difference, write_diff};
use crate::cli::args::{Global, TreeOptions, duration};
use crate::cli::arguments::parse_filter;
use crate::cli::output::{self, Output, Verbosity};
use crate::cli::policy::load_policy;
use crate::cli::read_commands::print_message;
use crate::cli::root::{canonical_root, open, open_directory, resolve_links};
use crate::cli::{EarlyExit, finish, pager, tree, watcher};
use crate::engine::options::{Action, Workspace, quote};
use crate::engine::{
    IgnoredFiles, Outcome, ReadAccess, RenameDetection, TreeDiff, TreeDiffRequest, TreeDiffSection,
    TreePlace, compare_trees,
};
use crate::path::{RelPath, path_bytes};
use crate::report::{
    ChangedFile, Difference, DifferenceWarning, GraphStyle, Op, StatRow, print_stat,
};
use crate::text::printable;

/// The options of `diff` for two trees.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Directories and git trees")]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(super) struct TreeDiffOptions {
    /// Compare two directories as a git diff with renames, copies, modes, links and binary files
    ///
    /// Applied to the first directory, the diff gives the second one. Names are relative to the
    /// directories. `.git` and the state directory of wpatch are skipped.
    #[arg(
        long,
        short = 'r',
        conflicts_with_all = ["session", "label_a", "label_b"]
    )]
    recursive: bool,
    /// Compare the trees of two revisions without a checkout, such as v1 and main:src
    #[arg(
        long,
        value_names = ["OLD", "NEW"],
        num_args = 2,
        conflicts_with_all = ["session", "files", "label_a", "label_b"]
    )]
    from_tree: Vec<OsString>,
    /// Use the repository DIR for the revisions [default: the one around --root]
    #[arg(long, value_name = "DIR", requires = "from_tree")]
    git_dir: Option<PathBuf>,
    /// Stop git after TIME without output, such as 10s or 2m [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "from_tree", hide_short_help = true)]
    git_timeout: Option<Duration>,
    /// Skip files that .gitignore files exclude
    ///
    /// The rules of each directory apply to its own files. A file is skipped if the rules of each
    /// directory in which it exists exclude it. `.git/info/exclude` applies, too. Git's configuration
    /// and index are not read, so tracked files can be skipped.
    #[arg(long, requires = "recursive")]
    gitignore: bool,
    /// Skip files and directories that match PATTERN
    ///
    /// If a file matches several --include and --exclude patterns, the first one decides.
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
    /// Compare only files and directories that match PATTERN
    #[arg(long, value_name = "PATTERN")]
    include: Vec<String>,
    /// The patterns of --include (`true`) and --exclude (`false`), in the order of the command
    /// line.
    #[arg(skip)]
    pub(super) filters: Vec<(bool, String)>,
    /// Print a renamed file as a deletion and a creation, and a copied file as a creation
    #[arg(long)]
    no_renames: bool,
    /// Print a copied file as a creation
    #[arg(long)]
    no_copies: bool,
    /// Also search unchanged files for the source of a copy
    #[arg(long, conflicts_with_all = ["no_renames", "no_copies"], hide_short_help = true)]
    find_copies_harder: bool,
    /// Set the minimum similarity of a rename or copy, in percent [default: 50]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=100), hide_short_help = true)]
    similarity: Option<u8>,
    /// Limit the size of a changed file, in bytes [default: 536870912]
    #[arg(long, value_name = "BYTES", hide_short_help = true)]
    max_file: Option<u64>,
    /// Print a graph of added and removed lines in place of the diff
    #[arg(long)]
    stat: bool,
}

impl TreeDiffOptions {
    /// Returns whether the command compares trees.
    pub(super) fn is_given(&self) -> bool {
        self.recursive || !self.from_tree.is_empty()
    }

    /// Returns the first given option that needs `-r` or `--from-tree`. clap checks the options that
    /// need exactly one of the two.
    pub(super) fn tree_only_option(&self) -> Option<&'static str> {
        let given = [
            (!self.exclude.is_empty(), "--exclude"),
            (!self.include.is_empty(), "--include"),
            (self.no_renames, "--no-renames"),
            (self.no_copies, "--no-copies"),
            (self.find_copies_harder, "--find-copies-harder"),
            (self.similarity.is_some(), "--similarity"),
            (self.max_file.is_some(), "--max-file"),
            (self.stat, "--stat"),
        ];
        given
            .iter()
            .find(|(is_given, _)| *is_given)
            .map(|(_, name)| *name)
    }

    fn rename_detection(&self) -> RenameDetection {
        match (self.no_renames, self.no_copies, self.find_copies_harder) {
            (true, ..) => RenameDetection::None,
            (_, true, _) => RenameDetection::Renames,
            (.., true) => RenameDetection::AllCopies,
            _ => RenameDetection::Copies,
        }
    }
}

/// The trees to compare, with their names.
struct NamedTrees {
    names: [Vec<u8>; 2],
    trees: [Box<dyn Workspace>; 2],
    access: [Option<ReadAccess>; 2],
}

/// Compares two trees. The exit code is 0 if they are equal, 1 if they differ, and 2 if they cannot
/// be compared.
pub(super) fn diff(options: &DiffOptions, global: &Global) -> ExitCode {
    let printed = if global.json {
        let difference = watcher::run("diff", global, |_| {
            compare(options, global, |found, named| {
                document(found, named, options)
            })
        });
        difference.map(|difference| print_difference(Ok(difference), global))
    } else {
        compare(options, global, |found, _| print(found, options, global))
    };
    printed.unwrap_or_else(|mut outcome| {
        // The exit code 1 means a difference. Errors use 2, except the codes of signals.
        if outcome.report.exit_code < 128 {
            outcome.report.exit_code = 2;
        }
        finish(&outcome, &Output::of(global, Verbosity::Normal))
    })
}

/// Compares two trees, and returns the result of `run` for their difference.
fn compare<T>(
    options: &DiffOptions,
    global: &Global,
    run: impl FnOnce(&TreeDiff<'_>, &NamedTrees) -> Result<T, Box<Outcome>>,
) -> Result<T, Box<Outcome>> {
    check_limit(options, global)
        .and_then(|()| open_trees(options, global))
        .and_then(|named| Ok((build_request(options, &named, global)?, named)))
        .map_err(|stop| Box::new(stop.into_outcome("diff")))
        .and_then(|(request, named)| {
            let [old, new] = &named.trees;
            run(&compare_trees(&request, &**old, &**new)?, &named)
        })
}

/// Refuses a limit that would cut a diff in text form, which nothing marks as cut.
fn check_limit(options: &DiffOptions, global: &Global) -> Result<(), EarlyExit> {
    if options.max_bytes.is_some() && !global.json {
        let message = "--max-bytes needs --json with -r or --from-tree";
        return Err(EarlyExit::usage(message));
    }
    Ok(())
}

fn build_request(
    options: &DiffOptions,
    named: &NamedTrees,
    global: &Global,
) -> Result<TreeDiffRequest, EarlyExit> {
    let trees = &options.trees;
    let mut request = TreeDiffRequest::default();
    request.context = options.context.map_or(request.context, usize::from);
    request.whitespace = options.whitespace();
    request.renames = trees.rename_detection();
    request.min_similarity = trees.similarity.map_or(request.min_similarity, usize::from);
    request.filters = (trees.filters.iter())
        .map(|(is_include, pattern)| parse_filter(*is_include, pattern))
        .collect::<Result<_, _>>()?;
    if trees.gitignore {
        request.ignored = IgnoredFiles::Skipped;
    }
    request.max_file = trees.max_file.unwrap_or(request.max_file);
    request.access.clone_from(&named.access);
    request.interrupt = global.caller.interrupt();
    Ok(request)
}

fn open_trees(options: &DiffOptions, global: &Global) -> Result<NamedTrees, EarlyExit> {
    let trees = &options.trees;
    if !global.roots.is_empty() {
        return Err(EarlyExit::usage(
            "`diff -r` works in one root; use --root only once",
        ));
    }
    let root = open(global)?;
    let policy = load_policy(global)?;
    if !trees.from_tree.is_empty() && !global.json && !io::stdout().is_terminal() {
        // The process that started git must also stop it, so catch the signals. A terminal sends its
        // signals to git, too, and while a pager runs, they are meant for the pager.
        global.caller.catch_signals()?;
    }
    let access = |place: TreePlace| {
        let access = ReadAccess::new(&policy, &*root, place);
        access.map_err(|mut outcome| match outcome.problems.pop() {
            Some(problem) => EarlyExit::from_problem(problem),
            None => EarlyExit::usage("the policy cannot be read"),
        })
    };
    if let [old, new] = &trees.from_tree[..] {
        let access = access(TreePlace::Root)?;
        let has_directory = |name: &OsString| name.as_encoded_bytes().contains(&b':');
        if access.policy.restricts_reading() && (has_directory(old) || has_directory(new)) {
            let message = "policy restricts reading, so name whole revisions without `:`";
            return Err(EarlyExit::usage(message));
        }
        let settings = TreeOptions {
            git_timeout: trees.git_timeout,
            ..TreeOptions::default()
        };
        let repository = tree::repository(trees.git_dir.as_deref(), &settings, global);
        let open_tree = |name: &OsString| tree::open(&repository, name.as_encoded_bytes());
        return Ok(NamedTrees {
            names: [old, new].map(|name| name.as_encoded_bytes().to_vec()),
            trees: [Box::new(open_tree(old)?), Box::new(open_tree(new)?)],
            access: [Some(access.clone()), Some(access)],
        });
    }
    let [old, new] = &options.files[..] else {
        return Err(EarlyExit::usage("`diff -r` needs two directories"));
    };
    let directory = |path: &Path| -> Result<Box<dyn Workspace>, EarlyExit> {
        Ok(Box::new(open_directory(&global.root().join(path))?))
    };
    let access = |path: &Path| {
        let place = find_place(&global.root().join(path), global)?;
        place.map(&access).transpose()
    };
    Ok(NamedTrees {
        names: [old, new].map(|path| path_bytes(path).into_owned()),
        trees: [directory(old)?, directory(new)?],
        access: [access(old)?, access(new)?],
    })
}

/// Returns the place of `directory` if it is the root, below the root, or above it.
fn find_place(directory: &Path, global: &Global) -> Result<Option<TreePlace>, EarlyExit> {
    let (directory, root) = (resolve_links(directory), canonical_root(global));
    let (directory, root) = (Path::new(&directory), Path::new(&root));
    let is_too_long = |_| EarlyExit::usage("the path of the directory is too long");
    let relative = |path: &Path| RelPath::new(&path_bytes(path)).map_err(is_too_long);
    Ok(if directory == root {
        Some(TreePlace::Root)
    } else if let Ok(below) = directory.strip_prefix(root) {
        Some(TreePlace::Below(relative(below)?))
    } else if let Ok(below) = root.strip_prefix(directory) {
        Some(TreePlace::Above(relative(below)?))
    } else {
        None
    })
}

/// Prints the difference as text, and returns the exit code.
fn print(
    found: &TreeDiff<'_>,
    options: &DiffOptions,
    global: &Global,
) -> Result<ExitCode, Box<Outcome>> {
    let color = output::color(global, &io::stdout());
    // The pager can make `print_paged` call the function twice, so it captures no mutable reference.
    let (error, is_different) = (RefCell::new(None), RefCell::new(false));
    let printed = pager::print_paged(global, |out| {
        let mut rows = Vec::new();
        for section in found.sections() {
            let section = match section {
                Ok(section) => section,
                Err(outcome) => {
                    *error.borrow_mut() = Some(outcome);
                    return Ok(());
                }
            };
            *is_different.borrow_mut() = true;
            if options.trees.stat {
                rows.push(stat_row(&section));
            } else {
                write_diff(&section.diff.text, color, out)?;
            }
        }
        if options.trees.stat && !rows.is_empty() {
            let mut out = AutoStream::new(out, color);
            print_stat(&rows, GraphStyle::Coloured, &mut out)?;
        }
        Ok(())
    });
    if let Some(outcome) = error.into_inner() {
        return Err(outcome);
    }
    for warning in found.warnings() {
        let path = warning.path.as_ref();
        let place = path.map(|path| format!("{}: ", printable(path.as_bytes())));
        let message = format!("{}{}", place.unwrap_or_default(), warning.message);
        print_message(global, Some(message));
    }
    let is_different = is_different.into_inner() || has_inexpressible_difference(found);
    Ok(if output::exit_code(printed) == ExitCode::SUCCESS {
        ExitCode::from(u8::from(is_different))
    } else {
        ExitCode::from(2)
    })
}

/// Returns whether the trees differ in a way that no diff can express.
fn has_inexpressible_difference(found: &TreeDiff<'_>) -> bool {
    found.warnings().iter().any(|warning| warning.is_difference)
}

fn stat_row(section: &TreeDiffSection) -> StatRow {
    let name = quote(section.path.as_bytes());
    let name = match &section.from {
        Some(from) => [&quote(from.as_bytes()), &b" => "[..], &name].concat(),
        None => name.into_owned(),
    };
    StatRow {
        name,
        is_binary: section.is_binary,
        added: section.diff.added,
        removed: section.diff.removed,
    }
}

/// Returns the JSON document of the difference.
fn document(
    found: &TreeDiff<'_>,
    named: &NamedTrees,
    options: &DiffOptions,
) -> Result<Difference, Box<Outcome>> {
    let [old, new] = &named.names;
    let mut difference = Difference::new([old, new], [b"", b""]);
    let max_output = options.max_bytes.unwrap_or(usize::MAX);
    let (mut text, mut files) = (Vec::new(), Vec::new());
    for section in found.sections() {
        let section = section?;
        difference.added += section.diff.added;
        difference.removed += section.diff.removed;
        files.push(changed_file(&section));
        // One section beyond the limit shows that the diff is cut.
        if !options.trees.stat && text.len() <= max_output {
            text.extend(section.diff.text);
        }
    }
    difference.identical = files.is_empty() && !has_inexpressible_difference(found);
    difference.files = Some(files);
    let warnings = found.warnings().iter();
    difference.warnings = warnings
        .map(|warning| DifferenceWarning::new(warning.path.as_ref(), warning.message))
        .collect();
    difference.set_limited_diff(text, max_output);
    Ok(difference)
}

fn changed_file(section: &TreeDiffSection) -> ChangedFile {
    let op = match section.action {
        Action::Create => Op::Create,
        Action::Delete => Op::Delete,
        Action::Rename => Op::Rename,
        Action::Copy => Op::Copy,
        _ if section.is_content_changed => Op::Modify,
        _ => Op::Mode,
    };
    let mut file = ChangedFile::new(op, &section.path, section.from.as_ref(), section.modes);
    file.binary = section.is_binary;
    (file.added, file.removed) = (section.diff.added, section.diff.removed);
    file
}
