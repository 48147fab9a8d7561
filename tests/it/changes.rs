//! Sets of changes for the tests of transactions, with the trees before and after.

mod sets;

use std::collections::BTreeMap;

use wpatch::change::{Content, FileChange, FileState, Postimage, Sink};
use wpatch::digest::Digest;
use wpatch::mode::{FileKind, Permissions};
use wpatch::path::RelPath;
use wpatch::transaction::{
    CommitHook, Failure, HardLinkMode, IndexLocation, Interrupt, Options, Receipt, Transaction,
};
use wpatch::workspace::memory::{Entry, Memory};
use wpatch::workspace::{GIT_INDEX_DIRECTORY_NAME, Result, Workspace};

use crate::tree::path;

/// A tree with its directories.
pub(crate) type Tree = BTreeMap<RelPath, Entry>;

/// What is done to one path.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// It becomes this file, link or directory.
    Put(&'static str, Entry),
    /// It becomes this file under all its names.
    Overwrite(&'static str, Entry),
    /// It goes.
    Delete(&'static str),
    /// It gets this mode.
    Mode(&'static str, u32),
    /// It comes from there unchanged.
    Move(&'static str, &'static str),
}

/// One set of changes.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) before: Vec<(&'static str, Entry)>,
    /// Second names of files: what, and where.
    pub(crate) links: Vec<(&'static str, &'static str)>,
    /// Directories that are other file systems.
    pub(crate) mounts: Vec<&'static str>,
    pub(crate) steps: Vec<Step>,
    pub(crate) after: Vec<(&'static str, Entry)>,
}

impl Case {
    /// Returns it with a directory of git's beside everything.
    pub(crate) fn in_git(&self) -> Self {
        let mut case = self.clone();
        for files in [&mut case.before, &mut case.after] {
            files.push((".git/HEAD", Entry::file("ref")));
        }
        case
    }

    /// Returns whether git's index changes with the tree.
    pub(crate) fn has_annex(&self) -> bool {
        self.steps.iter().any(Step::is_annexed)
    }

    /// Returns the tree before, durable.
    pub(crate) fn memory(&self) -> Memory {
        let memory = Memory::with_files(
            self.before
                .iter()
                .map(|(name, entry)| (path(name), entry.clone())),
        );
        for (from, to) in &self.links {
            memory.put_link(&path(from), &path(to));
        }
        for mount in &self.mounts {
            memory.mount(&path(mount));
        }
        memory
    }

    /// Returns the tree after.
    pub(crate) fn after(&self) -> Tree {
        Memory::with_files(
            self.after
                .iter()
                .map(|(name, entry)| (path(name), entry.clone())),
        )
        .entries()
    }

    /// Returns whether the path of `step` is there before.
    pub(crate) fn finds(&self, step: &Step) -> bool {
        self.before.iter().any(|(before, _)| *before == step.name())
    }

    /// Runs the whole transaction.
    pub(crate) fn run(
        &self,
        workspace: &dyn Workspace,
        options: Options,
    ) -> std::result::Result<Receipt, Failure> {
        run(workspace, &self.steps, options, &Interrupt::new())
    }
}

/// Runs a transaction that reads what it changes, as an engine does.
pub(crate) fn run(
    workspace: &dyn Workspace,
    steps: &[Step],
    options: Options,
    interrupt: &Interrupt,
) -> std::result::Result<Receipt, Failure> {
    begun(workspace, steps, options, interrupt)?.commit(interrupt)
}

/// Runs a transaction that `trial` has a say in.
pub(crate) fn tried(
    workspace: &dyn Workspace,
    steps: &[Step],
    options: Options,
    trial: &dyn CommitHook,
) -> std::result::Result<Receipt, Failure> {
    let interrupt = Interrupt::new();
    begun(workspace, steps, options, &interrupt)?
        .with_hook(trial)
        .commit(&interrupt)
}

/// Returns a transaction that has everything staged.
fn begun<'w>(
    workspace: &'w dyn Workspace,
    steps: &[Step],
    options: Options,
    interrupt: &Interrupt,
) -> std::result::Result<Transaction<'w>, Failure> {
    let is_overwrite = |step: &Step| matches!(step, Step::Overwrite(..));
    let links = if steps.iter().any(is_overwrite) {
        HardLinkMode::Kept
    } else {
        HardLinkMode::Separate
    };
    let (transaction, _) = Transaction::begin(workspace, Options { links, ..options }, interrupt)?;
    claim(&transaction, steps)?;
    for step in steps {
        transaction.receive(step.change(workspace)?)?;
    }
    Ok(transaction)
}

/// Takes the lock of the index, if a step is about that.
pub(crate) fn claim(
    transaction: &Transaction<'_>,
    steps: &[Step],
) -> std::result::Result<(), Failure> {
    if !steps.iter().any(Step::is_annexed) {
        return Ok(());
    }
    transaction.lock_index(&IndexLocation {
        directory: "/elsewhere".into(),
        name: b"index".to_vec(),
    })
}

impl Step {
    /// Returns the path that it is about.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Put(name, _)
            | Self::Overwrite(name, _)
            | Self::Delete(name)
            | Self::Mode(name, _)
            | Self::Move(_, name) => name,
        }
    }

    /// Returns whether it is about git's index.
    fn is_annexed(&self) -> bool {
        self.name().starts_with(GIT_INDEX_DIRECTORY_NAME)
    }

    /// Returns the change that it is on the tree as it stands.
    pub(crate) fn change(&self, workspace: &dyn Workspace) -> Result<FileChange> {
        let name = path(self.name());
        let before = state(workspace, &name)?;
        let is_file = |state: &&FileState| state.stat.kind == FileKind::Regular;
        let old = before
            .as_ref()
            .filter(is_file)
            .map(|state| Permissions::Exact(state.stat.permissions));
        let after = match self {
            Self::Delete(_) => None,
            Self::Put(_, entry) => Some(Postimage {
                kind: entry.kind,
                permissions: old.unwrap_or(Permissions::New {
                    executable: entry.mode & 0o100 != 0,
                }),
                content: Content::Bytes(entry.contents.clone().into()),
                attribute_source: old.map(|_| name.clone()),
            }),
            Self::Overwrite(_, entry) => Some(Postimage {
                kind: entry.kind,
                permissions: Permissions::Exact(entry.mode),
                content: Content::Bytes(entry.contents.clone().into()),
                attribute_source: Some(name.clone()),
            }),
            Self::Mode(_, bits) => Some(Postimage {
                kind: FileKind::Regular,
                permissions: Permissions::Exact(*bits),
                content: Content::Unchanged,
                attribute_source: None,
            }),
            Self::Move(from, _) => {
                let from = path(from);
                let state = state(workspace, &from)?.expect("the source of a move is there");
                Some(Postimage {
                    kind: state.stat.kind,
                    permissions: Permissions::Exact(state.stat.permissions),
                    content: Content::MovedFrom(from, state),
                    attribute_source: None,
                })
            }
        };
        Ok(FileChange {
            path: name,
            before,
            after,
        })
    }
}

fn state(workspace: &dyn Workspace, path: &RelPath) -> Result<Option<FileState>> {
    let Some(stat) = workspace.stat(path)? else {
        return Ok(None);
    };
    let digest = match stat.kind {
        FileKind::Regular => Digest::of(&workspace.read(path, u64::MAX)?.0),
        FileKind::Symlink => Digest::of(&workspace.read_link(path)?),
        _ => Digest::of(b""),
    };
    Ok(Some(FileState { stat, digest }))
}

/// Returns every set of changes, in a plain directory and in a work tree of git, where scratch
/// files have another place.
pub(crate) fn cases() -> Vec<Case> {
    let plain = sets::plain();
    plain
        .iter()
        .cloned()
        .chain(plain.iter().map(Case::in_git))
        .collect()
}
