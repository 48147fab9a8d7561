//! Finds what a command changed in the tree on which it ran. Read [`Observed::of`] first.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::moves::join_moves;
use super::tree_copy::{CopiedContent, CopiedEntry, TreeCopy, read_content, visit_entries};
use crate::digest::Digest;
use crate::engine::request::{TargetFile, TargetState};
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::plan::ExpectedFile;
use crate::preflight::{Problem, Severity, code};
use crate::text::Bytes;
use crate::transaction::history::Version;
use crate::transaction::{DirAttributes, Failure, Interrupt, ObservedChange, ObservedFile};
use crate::workspace::{Stat, Workspace};

/// The changes of a command.
pub(super) struct Observed {
    /// The changed files, for the plan.
    pub(super) files: Vec<TargetFile>,
    /// The same files and the directories, for the transaction.
    pub(super) change: ObservedChange,
    /// The changes that cannot be recorded.
    pub(super) problems: Vec<Problem>,
}

impl Observed {
    /// Compares the tree with its copy from before the command. Files have at most `max_file` bytes.
    pub(super) fn of(
        workspace: &dyn Workspace,
        copy: &TreeCopy,
        max_file: u64,
    ) -> Result<Self, Failure> {
        let mut stats = BTreeMap::new();
        // An interrupted command has changed files, too.
        visit_entries(workspace, &Interrupt::new(), &mut |path, stat| {
            stats.insert(path, stat);
            Ok(())
        })?;
        let mut comparison = Comparison {
            workspace,
            max_file,
            files: Vec::new(),
            change: ObservedChange::default(),
            problems: Vec::new(),
        };
        for (path, before) in &copy.entries {
            comparison.compare(path, Some(*before), stats.remove(path))?;
        }
        for (path, after) in stats {
            comparison.compare(&path, None, Some(after))?;
        }
        Ok(comparison.finish(copy))
    }
}

struct Comparison<'a> {
    workspace: &'a dyn Workspace,
    max_file: u64,
    files: Vec<TargetFile>,
    change: ObservedChange,
    problems: Vec<Problem>,
}

impl Comparison<'_> {
    fn finish(self, copy: &TreeCopy) -> Observed {
        let files = join_moves(&self.files);
        let change = ObservedChange {
            files: files.iter().map(|file| observed_file(file, copy)).collect(),
            ..self.change
        };
        Observed {
            files,
            change,
            problems: self.problems,
        }
    }

    /// Compares one path.
    fn compare(
        &mut self,
        path: &RelPath,
        before: Option<CopiedEntry>,
        after: Option<Stat>,
    ) -> Result<(), Failure> {
        let is_directory = |stat: &Stat| stat.kind == FileKind::Directory;
        let old_directory = before.map(|before| before.stat).filter(is_directory);
        let new_directory = after.filter(is_directory);
        match (old_directory, new_directory) {
            (Some(before), Some(after)) => {
                self.compare_directories(path, before, after);
                return Ok(());
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
            self.compare_files(path, before, after)?;
        }
        Ok(())
    }

    fn compare_directories(&mut self, path: &RelPath, before: Stat, after: Stat) {
        let attributes = |stat: Stat| (stat.permissions, stat.uid, stat.gid);
        if attributes(before) != attributes(after) {
            let message = "wpatch does not record the mode or owner of a directory";
            self.add_problem(path, Severity::Warning, message);
        }
    }

    fn compare_files(
        &mut self,
        path: &RelPath,
        before: Option<CopiedEntry>,
        after: Option<Stat>,
    ) -> Result<(), Failure> {
        let stat_before = before.map(|before| before.stat);
        let is_special = |stat: &Stat| stat.kind == FileKind::Special;
        if stat_before.iter().chain(&after).any(is_special) {
            if !is_unchanged(stat_before, after) {
                let message = "the change of a FIFO, a socket or a device is not recorded";
                self.add_problem(path, Severity::Reject, message);
            }
            return Ok(());
        }
        let old = before.and_then(|before| Some((before.stat, before.content?)));
        let new = match after {
            None => None,
            Some(stat) => read_content(self.workspace, path, stat, self.max_file)?
                .map(|content| (stat, content)),
        };
        if old.is_some() != before.is_some() || new.is_some() != after.is_some() {
            if !is_unchanged(stat_before, after) {
                let message = "the change is not recorded, because the file is too large or cannot \
                               be read";
                self.add_problem(path, Severity::Reject, message);
            }
            return Ok(());
        }
        self.add_file(path, old, new);
        Ok(())
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

    fn add_problem(&mut self, path: &RelPath, severity: Severity, message: &str) {
        self.problems.push(Problem {
            severity,
            path: Some(path.clone()),
            ..Problem::new(&code::NOT_APPLIED, message)
        });
    }
}

/// Returns the permission bits that a plan contains: those of a regular file.
fn recorded_bits(stat: Stat) -> Option<u32> {
    Some(stat.permissions).filter(|_| stat.kind == FileKind::Regular)
}

/// Returns whether the attributes show no change of a file whose content is unknown.
fn is_unchanged(before: Option<Stat>, after: Option<Stat>) -> bool {
    let identity = |stat: Stat| {
        let Stat {
            kind,
            permissions,
            size,
            modified,
            inode,
            ..
        } = stat;
        (kind, permissions, size, modified, inode)
    };
    before.map(identity) == after.map(identity)
}

/// Returns the change of `file` for the transaction.
fn observed_file(file: &TargetFile, copy: &TreeCopy) -> ObservedFile {
    let old_path = file.from.as_ref().unwrap_or(&file.path);
    let copied = copy.entries.get(old_path).and_then(|entry| entry.content);
    let old_size = copied.map_or(0, |content| content.size);
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
        after,
    }
}
