//! Finds the changes of a command in the tree on which it ran. Read [`CommandChanges::of`] first.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::moves::join_moves;
use super::scan::{CopiedContent, CopiedEntry, FileIdentity, TreeScan};
use super::tree_copy::{CopyLimits, TreeCopy, read_content};
use crate::digest::Digest;
use crate::engine::request::{TargetFile, TargetState};
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::plan::ExpectedFile;
use crate::policy::protecting_rule;
use crate::preflight::{Problem, Severity, code};
use crate::text::Bytes;
use crate::transaction::history::Version;
use crate::transaction::{DirAttributes, Failure, Interrupt, ObservedChange, ObservedFile};
use crate::workspace::{Stat, Workspace};

/// The message about the content of a file that is not recorded.
const UNREAD: &str = "the change is not recorded, because the file is too large or cannot be read";

/// The changes of a command.
pub(super) struct CommandChanges {
    /// The changed files, for the plan.
    pub(super) files: Vec<TargetFile>,
    /// The same files and the directories, for the transaction.
    pub(super) change: ObservedChange,
    /// The changes that cannot be recorded.
    pub(super) problems: Vec<Problem>,
}

impl CommandChanges {
    /// Compares the tree with its copy from before the command.
    ///
    /// # Errors
    ///
    /// Returns the error of listing the root.
    pub(super) fn of(
        workspace: &dyn Workspace,
        copy: &TreeCopy,
        limits: CopyLimits,
    ) -> Result<Self, Failure> {
        // An interrupted command has changed files, too.
        let mut after = TreeScan::of(workspace, Interrupt::never())?;
        let mut comparison = Comparison {
            workspace,
            limits,
            unread: copy.scan.unread.union(&after.unread).cloned().collect(),
            files: Vec::new(),
            change: ObservedChange::default(),
            problems: Vec::new(),
        };
        for (path, before) in &copy.scan.entries {
            let new = after.entries.remove(path);
            comparison.compare(path, Some(*before), new.map(|entry| entry.stat));
        }
        for (path, entry) in std::mem::take(&mut after.entries) {
            comparison.compare(&path, None, Some(entry.stat));
        }
        comparison.compare_unread(&copy.scan, &after);
        comparison.compare_protected(&copy.scan, &after);
        Ok(comparison.finish(copy))
    }

    /// Returns whether the command changed anything that wpatch notices.
    pub(super) fn has_changes(&self) -> bool {
        let is_change = |problem: &Problem| problem.severity == Severity::Reject;
        !self.change.is_empty() || self.problems.iter().any(is_change)
    }

    /// Returns the paths of the changed files that existed before the command.
    pub(super) fn old_paths(&self) -> Vec<RelPath> {
        let files = self.files.iter().filter(|file| file.before.is_some());
        files
            .map(|file| file.from.as_ref().unwrap_or(&file.path).clone())
            .collect()
    }
}

struct Comparison<'a> {
    workspace: &'a dyn Workspace,
    limits: CopyLimits,
    /// The paths that could not be examined before or after the command.
    unread: BTreeSet<RelPath>,
    files: Vec<TargetFile>,
    change: ObservedChange,
    problems: Vec<Problem>,
}

impl Comparison<'_> {
    fn finish(self, copy: &TreeCopy) -> CommandChanges {
        let files = join_moves(&self.files);
        let change = ObservedChange {
            files: files
                .iter()
                .map(|file| to_observed_file(file, copy))
                .collect(),
            ..self.change
        };
        CommandChanges {
            files,
            change,
            problems: self.problems,
        }
    }

    /// Compares one path.
    fn compare(&mut self, path: &RelPath, before: Option<CopiedEntry>, after: Option<Stat>) {
        if self.unread.contains(path) || path.ancestors().any(|it| self.unread.contains(&it)) {
            return;
        }
        let is_directory = |stat: &Stat| stat.kind == FileKind::Directory;
        let old_directory = before.map(|before| before.stat).filter(is_directory);
        let new_directory = after.filter(is_directory);
        match (old_directory, new_directory) {
            (Some(before), Some(after)) => {
                let attributes = |stat: Stat| (stat.permissions, stat.uid, stat.gid);
                if attributes(before) != attributes(after) {
                    let message = "wpatch does not record the mode or owner of a directory";
                    self.add_problem(path, Severity::Warning, message);
                }
                return;
            }
            (Some(before), None) => {
                let attributes = DirAttributes::from(&before);
                self.change.removed_dirs.insert(path.clone(), attributes);
            }
            (None, Some(_)) => self.change.created_dirs.push(path.clone()),
            (None, None) => {}
        }
        let before = before.filter(|before| !is_directory(&before.stat));
        let after = after.filter(|after| !is_directory(after));
        if before.is_some() || after.is_some() {
            self.compare_files(path, before, after);
        }
    }

    fn compare_files(&mut self, path: &RelPath, before: Option<CopiedEntry>, after: Option<Stat>) {
        let stat_before = before.map(|before| before.stat);
        let owner = |stat: Stat| (stat.uid, stat.gid);
        if let (Some(before), Some(after)) = (stat_before, after)
            && owner(before) != owner(after)
        {
            let message = "wpatch does not record the new owner of a file";
            self.add_problem(path, Severity::Warning, message);
        }
        let is_special = |stat: &Stat| stat.kind == FileKind::Special;
        if stat_before.iter().chain(&after).any(is_special) && !is_unchanged(stat_before, after) {
            let message = "the change of a FIFO, a socket or a device is not recorded";
            self.add_problem(path, Severity::Reject, message);
        }
        // A file that such a file replaced is recorded as deleted, so that its content is kept.
        let before = before.filter(|before| !is_special(&before.stat));
        let after = after.filter(|after| !is_special(after));
        let stat_before = before.map(|before| before.stat);
        let old = before.and_then(|before| Some((before.stat, before.content?)));
        let new = after.and_then(|stat| {
            let content = read_content(self.workspace, path, stat, self.limits.max_file);
            Some((stat, content?))
        });
        if old.is_some() == before.is_some() && new.is_some() == after.is_some() {
            self.add_file(path, old, new);
        } else if !is_unchanged(stat_before, after) {
            self.add_problem(path, Severity::Reject, UNREAD);
        }
    }

    /// Adds the change of a file, unless nothing changed.
    fn add_file(
        &mut self,
        path: &RelPath,
        old: Option<(Stat, CopiedContent)>,
        new: Option<(Stat, Bytes)>,
    ) {
        let before = old.map(|(stat, content)| ExpectedFile {
            kind: stat.kind,
            digest: content.digest,
            permissions: recorded_bits(stat),
        });
        let expected = new.as_ref().map(|(stat, content)| ExpectedFile {
            kind: stat.kind,
            digest: Digest::of(content),
            permissions: recorded_bits(*stat),
        });
        if before == expected {
            return;
        }
        // The new contents are in memory until the end.
        let size = new.as_ref().map_or(0, |(_, content)| content.len() as u64);
        let Some(rest) = self.limits.max_copied.checked_sub(size) else {
            self.add_problem(path, Severity::Reject, UNREAD);
            return;
        };
        self.limits.max_copied = rest;
        let after = new.map(|(stat, content)| TargetState {
            mode: FileMode::of(stat.kind, Some(stat.permissions)),
            permissions: recorded_bits(stat),
            content: Some(Arc::new(content)),
        });
        self.files.push(TargetFile {
            path: path.clone(),
            from: None,
            before,
            after,
        });
    }

    /// Adds a problem for each path that could not be examined. If that was so before and after the
    /// command, it may be unchanged.
    fn compare_unread(&mut self, before: &TreeScan, after: &TreeScan) {
        for path in std::mem::take(&mut self.unread) {
            let is_unread = |scan: &TreeScan| scan.unread.contains(&path);
            let severity = if is_unread(before) && is_unread(after) {
                Severity::Warning
            } else {
                Severity::Reject
            };
            let message = "changes are not recorded here, because the file or directory cannot be \
                           read, or a path in it is too long";
            self.add_problem(&path, severity, message);
        }
    }

    /// Adds a problem for each protected file or directory with a change in it.
    fn compare_protected(&mut self, before: &TreeScan, after: &TreeScan) {
        let [old, new] = [before, after].map(|scan| &scan.protected);
        let identity = |entry: &CopiedEntry| FileIdentity::from(entry.stat);
        let is_changed =
            |path: &&RelPath| old.get(*path).map(identity) != new.get(*path).map(identity);
        let mut reported = BTreeSet::new();
        for path in (old.keys().chain(new.keys())).filter(is_changed) {
            let outermost = outermost_protected(path);
            if !reported.insert(outermost.clone()) {
                continue;
            }
            let is_in = |other: &&RelPath| **other == outermost || other.is_below(&outermost);
            let remains = new.keys().any(|other| is_in(&other));
            if remains {
                let message = "the command changed a file of git, which is not recorded";
                self.add_problem(path, Severity::Warning, message);
            } else {
                let message =
                    "the command removed files of git, which `wpatch undo` cannot restore";
                self.add_problem(&outermost, Severity::Reject, message);
            }
        }
    }

    fn add_problem(&mut self, path: &RelPath, severity: Severity, message: &str) {
        self.problems.push(Problem {
            severity,
            path: Some(path.clone()),
            ..Problem::new(&code::NOT_APPLIED, message)
        });
    }
}

/// Returns the protected path that is nearest to the root, of `path` and the directories above it.
fn outermost_protected(path: &RelPath) -> RelPath {
    let protected = path.ancestors().filter(|it| protecting_rule(it).is_some());
    protected.last().unwrap_or_else(|| path.clone())
}

/// Returns the permission bits that a plan contains, which are those of a regular file.
fn recorded_bits(stat: Stat) -> Option<u32> {
    Some(stat.permissions).filter(|_| stat.kind == FileKind::Regular)
}

/// Returns whether the attributes show no change of a file whose content is unknown.
fn is_unchanged(before: Option<Stat>, after: Option<Stat>) -> bool {
    before.map(FileIdentity::from) == after.map(FileIdentity::from)
}

/// Returns the change of `file` for the transaction.
fn to_observed_file(file: &TargetFile, copy: &TreeCopy) -> ObservedFile {
    let old_path = file.from.as_ref().unwrap_or(&file.path);
    let copied = copy.scan.entries.get(old_path);
    let old_size = copied.and_then(|entry| entry.content);
    let old_size = old_size.map_or(0, |content| content.size);
    let before = file.before.map(|before| Version {
        kind: before.kind,
        digest: before.digest,
        size: old_size,
        permissions: before.permissions,
    });
    let after = file.after.as_ref().map(|after| {
        let (digest, size) = match (&after.content, before) {
            (Some(content), _) => (Digest::of(content), content.len() as u64),
            // A moved file keeps its content.
            (None, Some(before)) => (before.digest, before.size),
            (None, None) => (Digest::of(b""), 0),
        };
        Version {
            kind: after.mode.kind(),
            digest,
            size,
            permissions: after.permissions,
        }
    });
    ObservedFile {
        path: file.path.clone(),
        from: file.from.clone(),
        before,
        owner: copied.map(|entry| (entry.stat.uid, entry.stat.gid)),
        after,
    }
}
