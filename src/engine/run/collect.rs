//! Derives the changes of a command from its overlay. Read [`Collected::of`] first.
//!
//! The upper directory of the overlay only tells which names the command touched. The states come
//! from the tree before the command and from the merged directory after it. The way in which an
//! overlay records deletions and replaced directories therefore does not matter.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::snapshot::{Snapshot, is_git, join};
use crate::digest::Digest;
use crate::engine::problems::commit_problems;
use crate::engine::request::{TargetFile, TargetState};
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::plan::ExpectedFile;
use crate::preflight::{Problem, Severity, code};
use crate::text::Bytes;
use crate::transaction::Failure;
use crate::workspace::{Directory, ErrorKind, Stat, Workspace};

/// The bits of a file that runs with the rights of its owner or group.
const SET_ID_BITS: u32 = 0o6000;

/// How the change uses git's index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GitIndexUse {
    /// wpatch updates the index. The command's own update is not used.
    Update,
    /// The command must not change the index.
    Refuse,
}

/// The changes of a command.
pub(super) struct Collected {
    pub(super) files: Vec<TargetFile>,
    /// The changes that wpatch does not apply.
    pub(super) problems: Vec<Problem>,
}

impl Collected {
    /// Compares the trees for each name in `upper`. The files in `merged` have at most `max_file`
    /// bytes.
    pub(super) fn of(
        (upper, merged): (&dyn Workspace, &dyn Workspace),
        (base, snapshot): (&dyn Workspace, &Snapshot),
        max_file: u64,
        index_use: GitIndexUse,
    ) -> Result<Self, Failure> {
        let mut comparison = Comparison {
            upper,
            merged,
            base,
            snapshot,
            max_file,
            index_use,
            files: Vec::new(),
            problems: Vec::new(),
        };
        comparison.compare_directory(None)?;
        let Comparison {
            files, problems, ..
        } = comparison;
        Ok(Self { files, problems })
    }
}

struct Comparison<'a> {
    upper: &'a dyn Workspace,
    merged: &'a dyn Workspace,
    base: &'a dyn Workspace,
    snapshot: &'a Snapshot,
    max_file: u64,
    index_use: GitIndexUse,
    files: Vec<TargetFile>,
    problems: Vec<Problem>,
}

impl Comparison<'_> {
    /// Compares a directory that exists before and after the command.
    fn compare_directory(&mut self, directory: Directory<'_>) -> Result<(), Failure> {
        let touched: BTreeSet<_> = self.upper.list(directory)?.into_iter().collect();
        // A directory that the command replaced hides the old names without naming them.
        let after: BTreeSet<_> = self.merged.list(directory)?.into_iter().collect();
        let hidden = self.base.list(directory)?.into_iter();
        // Another process can have created a name in the meantime.
        let is_known = |name: &Vec<u8>| {
            join(directory, name).is_some_and(|path| self.snapshot.get(&path).is_some())
        };
        let hidden = hidden.filter(|name| !after.contains(name) && !touched.contains(name));
        let hidden: Vec<_> = hidden.filter(is_known).collect();
        for name in touched.iter().chain(&hidden) {
            let Some(path) = join(directory, name) else {
                self.add_too_deep_problem(directory);
                continue;
            };
            // The list decides. `fuse-overlayfs` can still find a removed file by its name.
            let exists = after.contains(name);
            let new = if exists {
                self.merged.stat(&path)?
            } else {
                None
            };
            if is_git(name) {
                self.compare_git(&path, new)?;
            } else {
                self.compare_path(&path, new)?;
            }
        }
        Ok(())
    }

    /// Compares a path with the file `after` that the command left there.
    fn compare_path(&mut self, path: &RelPath, after: Option<Stat>) -> Result<(), Failure> {
        let before = self.base.stat(path)?;
        let is_directory =
            |stat: &Option<Stat>| stat.is_some_and(|stat| stat.kind == FileKind::Directory);
        match (is_directory(&before), is_directory(&after)) {
            (true, true) => {
                self.compare_directory_attributes(path, before, after);
                self.compare_directory(Some(path))
            }
            (true, false) => {
                self.visit_below(path, Side::Before)?;
                match after {
                    Some(after) => self.add_file(path, None, Some(after)),
                    None => Ok(()),
                }
            }
            (false, true) => {
                if before.is_some() {
                    self.add_file(path, before, None)?;
                }
                self.visit_below(path, Side::After)
            }
            (false, false) => self.add_file(path, before, after),
        }
    }

    /// Adds every file below the directory `path`, which exists only on one side.
    fn visit_below(&mut self, path: &RelPath, side: Side) -> Result<(), Failure> {
        let tree = match side {
            Side::Before => self.base,
            Side::After => self.merged,
        };
        let names = tree.list(Some(path))?;
        if names.is_empty() {
            let message = match side {
                Side::Before => "wpatch does not remove an empty directory",
                Side::After => "wpatch does not create an empty directory",
            };
            self.add_warning(path, message);
        }
        for name in names {
            let Some(child) = join(Some(path), &name) else {
                self.add_too_deep_problem(Some(path));
                continue;
            };
            if is_git(&name) {
                self.add_git_problem(&child);
                continue;
            }
            match (tree.stat(&child)?, side) {
                (Some(stat), _) if stat.kind == FileKind::Directory => {
                    self.visit_below(&child, side)?;
                }
                (stat, Side::Before) => self.add_file(&child, stat, None)?,
                (stat, Side::After) => self.add_file(&child, None, stat)?,
            }
        }
        Ok(())
    }

    /// Adds the change of a file, unless nothing changed.
    fn add_file(
        &mut self,
        path: &RelPath,
        before: Option<Stat>,
        after: Option<Stat>,
    ) -> Result<(), Failure> {
        // Each file of a directory that the command replaced is checked by itself.
        let was_directory =
            (self.snapshot.get(path)).is_some_and(|stat| stat.kind == FileKind::Directory);
        let is_replaced = before.is_none() && was_directory;
        if !is_replaced && !self.snapshot.is_current(path, before.as_ref()) {
            let problem = Problem {
                help: Some("run the command again".to_owned()),
                ..Problem::new(&code::STALE, "the file changed while the command ran")
            };
            self.add_problem(path, problem);
            return Ok(());
        }
        let bits = |stat: Option<Stat>| stat.map_or(0, |stat| stat.permissions & SET_ID_BITS);
        let message = if [before, after].iter().flatten().any(is_special) {
            "the file is a FIFO, a socket or a device"
        } else if bits(after) & !bits(before) != 0 {
            "the command set the set-user-ID or set-group-ID bit"
        } else {
            return self.add_ordinary_file(path, before, after);
        };
        let help = "its changes were discarded; let the command remove the file or change the mode";
        let problem = Problem {
            help: Some(help.to_owned()),
            ..Problem::new(&code::NOT_A_FILE, message)
        };
        self.add_problem(path, problem);
        Ok(())
    }

    /// Adds the change of a regular file or a symbolic link, unless nothing changed.
    fn add_ordinary_file(
        &mut self,
        path: &RelPath,
        before: Option<Stat>,
        after: Option<Stat>,
    ) -> Result<(), Failure> {
        let old = self.read(self.base, path, before)?;
        let new = self.read(self.merged, path, after)?;
        let (Ok(old), Ok(new)) = (old, new) else {
            return Ok(());
        };
        let kind = |stat: Option<Stat>| stat.map(|stat| stat.kind);
        let permissions = |stat: Option<Stat>| {
            let regular = stat.filter(|stat| stat.kind == FileKind::Regular);
            regular.map(|stat| stat.permissions)
        };
        if kind(before) == kind(after) && permissions(before) == permissions(after) && old == new {
            return Ok(());
        }
        let before = before.zip(old).map(|(stat, bytes)| ExpectedFile {
            kind: stat.kind,
            digest: Digest::of(&bytes),
            permissions: permissions(Some(stat)),
        });
        let after = after.zip(new).map(|(stat, bytes)| TargetState {
            mode: FileMode::of(stat.kind, Some(stat.permissions)),
            permissions: permissions(Some(stat)),
            content: Some(Arc::new(bytes)),
        });
        self.files.push(TargetFile {
            path: path.clone(),
            from: None,
            before,
            after,
        });
        Ok(())
    }

    /// Returns the content of a file, or the target of a link.
    fn content(&self, tree: &dyn Workspace, path: &RelPath, stat: Stat) -> Result<Bytes, Failure> {
        if stat.kind == FileKind::Symlink {
            return Ok(tree.read_link(path)?.into());
        }
        Ok(tree.read(path, self.max_file)?.0)
    }

    /// Returns the content of a file, `None` if it does not exist. Adds a problem for a file that
    /// cannot be read.
    fn read(
        &mut self,
        tree: &dyn Workspace,
        path: &RelPath,
        stat: Option<Stat>,
    ) -> Result<Result<Option<Bytes>, Unreadable>, Failure> {
        match stat.map(|stat| self.content(tree, path, stat)).transpose() {
            Ok(content) => return Ok(Ok(content)),
            Err(Failure::Workspace(error)) if error.kind == ErrorKind::TooLarge => {
                let message = format!("the file has more than {} bytes", self.max_file);
                let problem = Problem {
                    help: Some("set a higher limit with --max-file".to_owned()),
                    ..Problem::new(&code::TOO_LARGE, message)
                };
                self.add_problem(path, problem);
            }
            Err(failure @ Failure::Workspace(_)) => {
                self.problems.extend(commit_problems(&failure));
            }
            Err(failure) => return Err(failure),
        }
        Ok(Err(Unreadable))
    }

    /// Compares `.git`, a directory or a file, with the file `after` that the command left there.
    fn compare_git(&mut self, path: &RelPath, after: Option<Stat>) -> Result<(), Failure> {
        let before = self.base.stat(path)?;
        let kinds = (before.map(|stat| stat.kind), after.map(|stat| stat.kind));
        if kinds == (Some(FileKind::Directory), Some(FileKind::Directory)) {
            let listed = self.merged.list(Some(path))?;
            for name in self.upper.list(Some(path))? {
                let Some(child) = join(Some(path), &name) else {
                    continue;
                };
                let exists = listed.contains(&name);
                let new = if exists {
                    self.merged.stat(&child)?
                } else {
                    None
                };
                self.compare_git(&child, new)?;
            }
            return Ok(());
        }
        let is_same = kinds.0 == kinds.1 && self.is_same_content(path, after)?;
        if !is_same {
            self.add_git_problem(path);
        }
        Ok(())
    }

    /// Returns whether a file of git has the same content before and after the command.
    fn is_same_content(&self, path: &RelPath, stat: Option<Stat>) -> Result<bool, Failure> {
        let Some(stat) = stat else { return Ok(true) };
        let [before, after] = [self.base, self.merged].map(|tree| self.content(tree, path, stat));
        match (before, after) {
            (Ok(before), Ok(after)) => Ok(before == after),
            (Err(Failure::Workspace(error)), _) | (_, Err(Failure::Workspace(error)))
                if error.kind == ErrorKind::TooLarge =>
            {
                Ok(false)
            }
            (Err(failure), _) | (_, Err(failure)) => Err(failure),
        }
    }

    /// Refuses the change of a file of git, unless wpatch itself updates the index.
    fn add_git_problem(&mut self, path: &RelPath) {
        let name = path.as_bytes();
        let is_index = name == b".git/index";
        // The index names new objects only. wpatch itself adds the objects that it needs.
        let belongs_to_index = is_index || name.starts_with(b".git/objects/");
        if belongs_to_index && self.index_use == GitIndexUse::Update {
            return;
        }
        let help = if is_index {
            "its changes were discarded; use --index to update the index for the changed files"
        } else {
            "its changes were discarded; run a command that changes git's files without wpatch"
        };
        let problem = Problem {
            help: Some(help.to_owned()),
            ..Problem::new(&code::DENIED, "the command changed a file of git")
        };
        self.add_problem(path, problem);
    }

    fn compare_directory_attributes(
        &mut self,
        path: &RelPath,
        before: Option<Stat>,
        after: Option<Stat>,
    ) {
        let attributes = |stat: Stat| (stat.permissions, stat.uid, stat.gid);
        if before.map(attributes) != after.map(attributes) {
            self.add_warning(
                path,
                "wpatch does not change the mode or owner of a directory",
            );
        }
    }

    /// Refuses a change of a file in `directory` whose path is too long for a transaction.
    fn add_too_deep_problem(&mut self, directory: Directory<'_>) {
        let message =
            "the command changed a file whose path is too long or has too many components";
        let problem = Problem::new(&code::NOT_APPLIED, message);
        match directory {
            Some(directory) => self.add_problem(directory, problem),
            None => self.problems.push(problem),
        }
    }

    fn add_warning(&mut self, path: &RelPath, message: &str) {
        let problem = Problem {
            severity: Severity::Warning,
            ..Problem::new(&code::NOT_APPLIED, message)
        };
        self.add_problem(path, problem);
    }

    fn add_problem(&mut self, path: &RelPath, problem: Problem) {
        self.problems.push(Problem {
            path: Some(path.clone()),
            ..problem
        });
    }
}

/// A file that cannot be read.
struct Unreadable;

/// The time at which a directory exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

fn is_special(stat: &Stat) -> bool {
    stat.kind == FileKind::Special
}
