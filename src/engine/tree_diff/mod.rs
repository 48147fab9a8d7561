//! `diff -r`: compares two trees, and writes the difference as a git diff.
//!
//! [`compare_trees`] walks both trees (`walk.rs`) and finds renamed and copied files (`renames.rs`).
//! The result lists the changed files. [`TreeDiff::sections`] reads their contents and writes the
//! diff of each. Applied to the old tree, the diff gives the new tree. [`TreeDiff::warnings`] are the
//! exceptions, such as empty directories.

mod file;
#[cfg_attr(not(feature = "cli"), path = "no_ignored.rs")]
mod ignored;
mod renames;
mod walk;

use std::sync::Arc;

use super::failure::failure_outcome;
use super::govern::extend_policy;
use super::{Outcome, refused_outcome};
use crate::mode::FileMode;
use crate::path::RelPath;
use crate::plan::{Action, FilterRule};
use crate::policy::Policy;
use crate::preflight::{self, Problem};
use crate::syntax::WhitespaceComparison;
use crate::syntax::write::UnifiedDiff;
use crate::text::is_binary;
use crate::threads::map_parallel;
use crate::transaction::{Failure, Interrupt};
use crate::workspace::Workspace;

use file::{FilePair, TreeComparison};

/// The number of sections that are written, and kept in memory, together.
const BATCH: usize = 256;
/// The minimum number of files that each thread reads.
const MIN_READS: usize = 16;
/// The minimum number of files that each thread compares or writes.
const MIN_WRITES: usize = 4;

/// Options of a comparison of two trees.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TreeDiffRequest {
    /// The number of context lines around each change.
    pub context: usize,
    /// How lines are compared. If the comparison is not exact, applying the diff does not give the new
    /// tree.
    pub whitespace: WhitespaceComparison,
    /// The renames and copies that are searched for.
    pub renames: RenameDetection,
    /// The minimum similarity of a rename or copy, in percent.
    pub min_similarity: usize,
    /// The paths to compare. The first matching rule decides. If no rule matches, the path is compared,
    /// except if there is an include rule.
    pub filters: Vec<FilterRule>,
    /// Whether files are compared that `.gitignore` excludes.
    pub ignored: IgnoredFiles,
    /// The maximum size of a file in bytes.
    pub max_file: u64,
    /// For each tree, the policy that decides which files may be read.
    pub access: [Option<ReadAccess>; 2],
    /// Cancels the comparison.
    pub interrupt: Interrupt,
}

impl Default for TreeDiffRequest {
    /// Returns the usual options: three context lines, renames, and copies of changed files.
    fn default() -> Self {
        Self {
            context: 3,
            whitespace: WhitespaceComparison::Exact,
            renames: RenameDetection::Copies,
            min_similarity: 50,
            filters: Vec::new(),
            ignored: IgnoredFiles::Compared,
            max_file: preflight::Options::default().max_file,
            access: [None, None],
            interrupt: Interrupt::new(),
        }
    }
}

/// The renames and copies that a comparison of trees searches for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RenameDetection {
    /// None. A renamed file is a deletion and a creation.
    None,
    /// Renames of deleted files.
    Renames,
    /// Also copies of files that change, like `-C` of git-diff(1).
    Copies,
    /// Also copies of files that do not change, like `--find-copies-harder` of git-diff(1).
    AllCopies,
}

/// How files are treated that `.gitignore` files exclude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IgnoredFiles {
    /// They are compared like all others.
    Compared,
    /// A file is skipped if the rules of each tree in which it exists exclude it.
    #[cfg(feature = "cli")]
    Skipped,
}

impl IgnoredFiles {
    fn are_skipped(self) -> bool {
        self != Self::Compared
    }
}

/// The policy for reading the files of a tree.
#[derive(Clone, Debug)]
pub struct ReadAccess {
    /// The policy.
    pub policy: Arc<Policy>,
    /// Where the tree is, relative to the root of the policy.
    pub place: TreePlace,
}

/// Where a tree is, relative to the root of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TreePlace {
    /// The tree is the root.
    Root,
    /// The tree is this directory below the root.
    Below(RelPath),
    /// The root is this directory in the tree. The policy does not decide about other files.
    Above(RelPath),
}

impl ReadAccess {
    /// Returns the policy of a tree: `policy` together with the policy file of `root`.
    ///
    /// # Errors
    ///
    /// Returns the outcome with the problem if the rules are invalid.
    pub fn new(
        policy: &Arc<Policy>,
        root: &dyn Workspace,
        place: TreePlace,
    ) -> Result<Self, Box<Outcome>> {
        Ok(Self {
            policy: extend_policy("diff", policy, root)?,
            place,
        })
    }

    /// Returns the path of the tree's file `path` below the root of the policy; `None` if it is
    /// outside.
    fn path_below_root(&self, path: &RelPath) -> Option<RelPath> {
        match &self.place {
            TreePlace::Root => Some(path.clone()),
            // No rule can match a path that exceeds the limit of `RelPath`.
            TreePlace::Below(directory) => directory.join(path.as_bytes()).ok(),
            TreePlace::Above(root) => {
                let below = path
                    .as_bytes()
                    .strip_prefix(root.as_bytes())?
                    .strip_prefix(b"/")?;
                RelPath::new(below).ok()
            }
        }
    }
}

/// The difference of two trees.
pub struct TreeDiff<'w> {
    trees: TreeComparison<'w>,
    pairs: Vec<FilePair>,
    warnings: Vec<TreeDiffWarning>,
}

/// A note on the comparison, such as a difference that no diff can express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeDiffWarning {
    /// The path, or `None` if the warning is about the whole comparison.
    pub path: Option<RelPath>,
    /// The reason.
    pub message: &'static str,
    /// Whether the trees differ here.
    pub is_difference: bool,
}

/// The diff of one file.
#[derive(Clone, Debug)]
pub struct TreeDiffSection {
    /// The kind of change.
    pub action: Action,
    /// The path after the change. For a deletion, the path of the deleted file.
    pub path: RelPath,
    /// The source of a rename or a copy.
    pub from: Option<RelPath>,
    /// The modes before and after the change.
    pub modes: [Option<FileMode>; 2],
    /// Whether the diff changes the content, and not only the name or the mode.
    pub is_content_changed: bool,
    /// Whether a content is binary, so that no lines are counted.
    pub is_binary: bool,
    /// The section of the diff, and the numbers of its added and removed lines.
    pub diff: UnifiedDiff,
}

/// Compares the tree `old` with the tree `new`.
///
/// # Errors
///
/// Returns the outcome with the problem, for example if a directory cannot be read. Its exit code is
/// 2, because 1 means that the trees differ.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{TreeDiffRequest, compare_trees};
/// use wpatch::path::RelPath;
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// let old = Memory::with_files([(RelPath::new(b"a")?, Entry::file("one\ntwo\n"))]);
/// let new = Memory::with_files([(RelPath::new(b"b")?, Entry::file("one\ntwo\n"))]);
/// let difference = compare_trees(&TreeDiffRequest::default(), &old, &new).unwrap();
/// let section = difference.sections().next().unwrap().unwrap();
/// let text = "diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n";
/// assert_eq!(section.diff.text, text.as_bytes());
/// # Ok::<(), wpatch::path::PathError>(())
/// ```
pub fn compare_trees<'w>(
    request: &TreeDiffRequest,
    old: &'w dyn Workspace,
    new: &'w dyn Workspace,
) -> Result<TreeDiff<'w>, Box<Outcome>> {
    find_pairs(request, [old, new]).map_err(into_outcome)
}

/// The reasons why trees cannot be compared.
enum TreeDiffError {
    Failure(Failure),
    Refused(Box<Problem>),
}

impl<E: Into<Failure>> From<E> for TreeDiffError {
    fn from(error: E) -> Self {
        Self::Failure(error.into())
    }
}

type TreeResult<T> = Result<T, TreeDiffError>;

fn into_outcome(error: TreeDiffError) -> Box<Outcome> {
    let mut outcome = match error {
        TreeDiffError::Failure(failure) => failure_outcome("diff", &failure),
        TreeDiffError::Refused(problem) => refused_outcome("diff", *problem),
    };
    // The code of a signal is 128 plus its number.
    if outcome.report.exit_code < 128 {
        outcome.report.exit_code = 2;
    }
    outcome
}

fn find_pairs<'w>(
    request: &TreeDiffRequest,
    workspaces: [&'w dyn Workspace; 2],
) -> TreeResult<TreeDiff<'w>> {
    let trees = TreeComparison::new(request, workspaces);
    let mut found = walk::walk(&trees)?;
    let changed = map_parallel(&found.pairs, MIN_READS, |pair| trees.is_changed(pair));
    let mut pairs = Vec::new();
    for (pair, is_changed) in found.pairs.into_iter().zip(changed) {
        if is_changed? {
            pairs.push(pair);
        } else if request.renames == RenameDetection::AllCopies {
            found.unchanged.extend(pair.before);
        }
    }
    let is_complete = renames::join_renames(&mut pairs, &found.unchanged, &trees)?;
    if !is_complete {
        found.warnings.push(TreeDiffWarning {
            path: None,
            message: "too many files were created and deleted, so renames and copies with changes are \
                      not detected",
            is_difference: false,
        });
    }
    pairs.sort_by(|one, other| one.path().cmp(other.path()));
    Ok(TreeDiff {
        trees,
        pairs,
        warnings: found.warnings,
    })
}

impl TreeDiff<'_> {
    /// Returns the differences that no diff can express, and other notes.
    #[must_use]
    pub fn warnings(&self) -> &[TreeDiffWarning] {
        &self.warnings
    }

    /// Returns the diff of each changed file, in the order of the paths. A file whose changes the
    /// comparison ignores has no diff.
    ///
    /// # Errors
    ///
    /// An item is the outcome with the problem if a file cannot be read.
    pub fn sections(&self) -> impl Iterator<Item = Result<TreeDiffSection, Box<Outcome>>> {
        let batches = self.pairs.chunks(BATCH);
        let written = batches
            .flat_map(|batch| map_parallel(batch, MIN_WRITES, |pair| self.write_section(pair)));
        written.filter_map(|section| match section {
            Ok(section) if section.diff.text.is_empty() => None,
            section => Some(section.map_err(into_outcome)),
        })
    }

    fn write_section(&self, pair: &FilePair) -> TreeResult<TreeDiffSection> {
        self.trees.check_interrupt()?;
        let contents = self.trees.contents(pair)?;
        let modes = pair.sides().map(|file| file.map(|file| file.mode));
        let is_binary = contents.iter().flatten().any(|content| is_binary(content));
        let diff = self.trees.write_section(pair, &contents);
        Ok(TreeDiffSection {
            action: pair.action,
            path: pair.path().clone(),
            from: pair.source().map(|file| file.path.clone()),
            modes,
            is_content_changed: diff.added + diff.removed > 0
                || is_binary && contents[0] != contents[1],
            is_binary,
            diff,
        })
    }
}
