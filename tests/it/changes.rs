//! Sets of changes for the tests of transactions, with the trees before and after.

use std::collections::BTreeMap;
use std::sync::Arc;

use wpatch::change::{Content, FileChange, FileState, Postimage, Sink};
use wpatch::digest::Digest;
use wpatch::mode::{FileKind, Permissions};
use wpatch::path::RelPath;
use wpatch::transaction::{Failure, Interrupt, Options, Receipt, Single, Transaction};
use wpatch::workspace::memory::{Entry, Memory};
use wpatch::workspace::{Result, Workspace};

/// A tree with its directories.
pub(crate) type Tree = BTreeMap<RelPath, Entry>;

/// What is done to one path.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// It becomes this file, link or directory.
    Put(&'static str, Entry),
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

/// Returns the path that `text` names.
pub(crate) fn path(text: &str) -> RelPath {
    RelPath::new(text.as_bytes()).expect("a path inside the root")
}

impl Case {
    /// Returns it with a directory of git's beside everything.
    fn in_git(&self) -> Self {
        let mut case = self.clone();
        for files in [&mut case.before, &mut case.after] {
            files.push((".git/HEAD", Entry::file("ref")));
        }
        case
    }

    /// Returns the tree before, durable.
    pub(crate) fn memory(&self) -> Memory {
        let memory = Memory::with_files(self.before.iter().map(|(name, entry)| (path(name), entry.clone())));
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
        Memory::with_files(self.after.iter().map(|(name, entry)| (path(name), entry.clone()))).entries()
    }

    /// Returns whether the path of `step` is there before.
    pub(crate) fn finds(&self, step: &Step) -> bool {
        let (Step::Put(name, _) | Step::Delete(name) | Step::Mode(name, _) | Step::Move(_, name)) = step;
        self.before.iter().any(|(before, _)| before == name)
    }

    /// Runs the whole transaction.
    pub(crate) fn run(&self, workspace: &dyn Workspace, options: Options) -> std::result::Result<Receipt, Failure> {
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
    if let [step @ Step::Put(..)] = steps
        && let Some(single) = Single::begin(workspace, options)
    {
        single.take(step.change(workspace)?)?;
        if let Some(receipt) = single.commit(interrupt)? {
            return Ok(receipt);
        }
    }
    let (transaction, _) = Transaction::begin(workspace, options, interrupt)?;
    for step in steps {
        transaction.take(step.change(workspace)?)?;
    }
    transaction.commit(interrupt)
}

impl Step {
    /// Returns the change that it is on the tree as it stands.
    pub(crate) fn change(&self, workspace: &dyn Workspace) -> Result<FileChange> {
        let (Self::Put(name, _) | Self::Delete(name) | Self::Mode(name, _) | Self::Move(_, name)) = self;
        let name = path(name);
        let before = state(workspace, &name)?;
        let is_file = |state: &&FileState| state.stat.kind == FileKind::Regular;
        let old = before.as_ref().filter(is_file).map(|state| Permissions::Exact(state.stat.permissions));
        let after = match self {
            Self::Delete(_) => None,
            Self::Put(_, entry) => Some(Postimage {
                kind: entry.kind,
                permissions: old.unwrap_or(Permissions::New { executable: entry.mode & 0o100 != 0 }),
                content: Content::Bytes(Arc::new(entry.contents.clone())),
                like: old.map(|_| name.clone()),
            }),
            Self::Mode(_, bits) => Some(Postimage {
                kind: FileKind::Regular,
                permissions: Permissions::Exact(*bits),
                content: Content::Kept,
                like: None,
            }),
            Self::Move(from, _) => {
                let from = path(from);
                let state = state(workspace, &from)?.expect("the source of a move is there");
                Some(Postimage {
                    kind: state.stat.kind,
                    permissions: Permissions::Exact(state.stat.permissions),
                    content: Content::MovedFrom(from, state),
                    like: None,
                })
            }
        };
        Ok(FileChange { path: name, before, after })
    }
}

fn state(workspace: &dyn Workspace, path: &RelPath) -> Result<Option<FileState>> {
    let Some(stat) = workspace.stat(path)? else { return Ok(None) };
    let digest = match stat.kind {
        FileKind::Regular => Digest::of(&workspace.read(path, u64::MAX)?.0),
        FileKind::Symlink => Digest::of(&workspace.read_link(path)?),
        FileKind::Directory | FileKind::Special => Digest::of(b""),
    };
    Ok(Some(FileState { stat, digest }))
}

/// Returns every set of changes, in a plain directory and in a work tree of git, where scratch files have another place.
pub(crate) fn cases() -> Vec<Case> {
    let plain = plain_cases();
    plain.iter().cloned().chain(plain.iter().map(Case::in_git)).collect()
}

fn plain_cases() -> Vec<Case> {
    let mut cases = singles();
    cases.extend(contents());
    cases.extend(names());
    cases.extend(types());
    cases
}

fn singles() -> Vec<Case> {
    vec![
        Case {
            name: "update",
            before: vec![("a", Entry::file("old")), ("b", Entry::file("stays"))],
            links: vec![],
            mounts: vec![],
            steps: vec![Step::Put("a", Entry::file("new"))],
            after: vec![("a", Entry::file("new")), ("b", Entry::file("stays"))],
        },
        Case {
            name: "update below a directory",
            before: vec![("d/a", Entry::executable("old"))],
            links: vec![("d/a", "b")],
            mounts: vec![],
            steps: vec![Step::Put("d/a", Entry::executable("new"))],
            after: vec![("d/a", Entry::executable("new")), ("b", Entry::executable("old"))],
        },
        Case {
            name: "create",
            before: vec![("d/b", Entry::file("b"))],
            links: vec![],
            mounts: vec![],
            steps: vec![Step::Put("d/a", Entry::file("a"))],
            after: vec![("d/a", Entry::file("a")), ("d/b", Entry::file("b"))],
        },
        Case {
            name: "create in a new directory",
            before: vec![],
            links: vec![],
            mounts: vec![],
            steps: vec![Step::Put("d/a", Entry::file("a"))],
            after: vec![("d/a", Entry::file("a"))],
        },
        Case {
            name: "link in the place of a file",
            before: vec![("a", Entry::file("a"))],
            links: vec![],
            mounts: vec![],
            steps: vec![Step::Put("a", Entry::link("b"))],
            after: vec![("a", Entry::link("b"))],
        },
        Case {
            name: "update below a mount",
            before: vec![("m/a", Entry::file("old"))],
            links: vec![],
            mounts: vec!["m"],
            steps: vec![Step::Put("m/a", Entry::file("new"))],
            after: vec![("m/a", Entry::file("new"))],
        },
    ]
}

fn contents() -> Vec<Case> {
    vec![
        Case {
            name: "several updates",
            before: vec![("d/a", Entry::executable("a")), ("d/b", Entry::file("b")), ("c", Entry::file("c"))],
            links: vec![],
            mounts: vec![],
            steps: vec![
                Step::Put("d/a", Entry::executable("A")),
                Step::Put("d/b", Entry::file("B")),
                Step::Put("c", Entry::file("")),
            ],
            after: vec![("d/a", Entry::executable("A")), ("d/b", Entry::file("B")), ("c", Entry::file(""))],
        },
        Case {
            name: "more files and directories than are synced one by one",
            before: ["1/a", "2/a", "3/a", "4/a", "5/a"].map(|name| (name, Entry::file("old"))).to_vec(),
            links: vec![],
            mounts: vec![],
            steps: ["1/a", "2/a", "3/a", "4/a", "5/a"].map(|name| Step::Put(name, Entry::file("new"))).to_vec(),
            after: ["1/a", "2/a", "3/a", "4/a", "5/a"].map(|name| (name, Entry::file("new"))).to_vec(),
        },
        Case {
            name: "creates in new directories",
            before: vec![("x", Entry::file("x"))],
            links: vec![],
            mounts: vec![],
            steps: vec![
                Step::Put("n/m/a", Entry::file("a")),
                Step::Put("n/b", Entry::executable("b")),
                Step::Put("e", Entry::file("")),
            ],
            after: vec![
                ("x", Entry::file("x")),
                ("n/m/a", Entry::file("a")),
                ("n/b", Entry::executable("b")),
                ("e", Entry::file("")),
            ],
        },
        Case {
            name: "deletes that empty directories",
            before: vec![
                ("d/e/a", Entry::file("a")),
                ("d/b", Entry::file("b")),
                ("k/c", Entry::file("c")),
                ("k/s", Entry::file("s")),
            ],
            links: vec![],
            mounts: vec![],
            steps: vec![Step::Delete("d/e/a"), Step::Delete("d/b"), Step::Delete("k/c")],
            after: vec![("k/s", Entry::file("s"))],
        },
        Case {
            name: "mode only",
            before: vec![("a", Entry::file("a"))],
            links: vec![],
            mounts: vec![],
            steps: vec![Step::Mode("a", 0o755)],
            after: vec![("a", Entry::executable("a"))],
        },
        Case {
            name: "mode of a file with two names",
            before: vec![("a", Entry::file("a"))],
            links: vec![("a", "b")],
            mounts: vec![],
            steps: vec![Step::Mode("a", 0o755)],
            after: vec![("a", Entry::executable("a")), ("b", Entry::file("a"))],
        },
    ]
}

fn names() -> Vec<Case> {
    vec![
        Case {
            name: "rename",
            before: vec![("d/a", Entry::file("a"))],
            links: vec![],
            mounts: vec![],
            steps: vec![Step::Move("d/a", "n/b")],
            after: vec![("n/b", Entry::file("a"))],
        },
        Case {
            name: "rename with an edit",
            before: vec![("d/a", Entry::file("a")), ("d/s", Entry::file("s"))],
            links: vec![],
            mounts: vec![],
            steps: vec![Step::Delete("d/a"), Step::Put("b", Entry::file("A"))],
            after: vec![("b", Entry::file("A")), ("d/s", Entry::file("s"))],
        },
        Case {
            name: "files below a mount",
            before: vec![
                ("m/a", Entry::executable("a")),
                ("m/b", Entry::file("b")),
                ("m/c", Entry::file("c")),
                ("m/s", Entry::file("s")),
                ("d", Entry::file("d")),
            ],
            links: vec![],
            mounts: vec!["m"],
            steps: vec![
                Step::Put("m/a", Entry::executable("A")),
                Step::Delete("m/b"),
                Step::Move("m/c", "c"),
                Step::Move("d", "m/n/d"),
            ],
            after: vec![
                ("m/a", Entry::executable("A")),
                ("m/s", Entry::file("s")),
                ("c", Entry::file("c")),
                ("m/n/d", Entry::file("d")),
            ],
        },
        Case {
            name: "the last file of a mount",
            before: vec![("d/m/a", Entry::file("a")), ("d/b", Entry::file("b"))],
            links: vec![],
            mounts: vec!["d/m"],
            steps: vec![Step::Delete("d/m/a"), Step::Delete("d/b")],
            after: vec![("d/m", Entry::directory())],
        },
        Case {
            name: "criss-cross",
            before: vec![("d/a", Entry::file("a")), ("b", Entry::executable("b"))],
            links: vec![],
            mounts: vec![],
            steps: vec![Step::Move("d/a", "b"), Step::Move("b", "d/a")],
            after: vec![("b", Entry::file("a")), ("d/a", Entry::executable("b"))],
        },
        Case {
            name: "criss-cross of twins",
            before: vec![("a", Entry::file("same")), ("b", Entry::file("same")), ("c", Entry::file("c"))],
            links: vec![],
            mounts: vec![],
            steps: vec![Step::Move("a", "b"), Step::Move("b", "a"), Step::Move("c", "d")],
            after: vec![("a", Entry::file("same")), ("b", Entry::file("same")), ("d", Entry::file("c"))],
        },
        Case {
            name: "rename onto a name that leaves",
            before: vec![("a", Entry::file("a")), ("b", Entry::file("b")), ("l", Entry::link("b"))],
            links: vec![],
            mounts: vec![],
            steps: vec![Step::Move("a", "b"), Step::Move("b", "c"), Step::Move("l", "m/l")],
            after: vec![("b", Entry::file("a")), ("c", Entry::file("b")), ("m/l", Entry::link("b"))],
        },
    ]
}

fn types() -> Vec<Case> {
    vec![
        Case {
            name: "symbolic links",
            before: vec![("l", Entry::link("old")), ("m", Entry::link("gone")), ("f", Entry::file("f"))],
            links: vec![],
            mounts: vec![],
            steps: vec![
                Step::Put("n", Entry::link("new")),
                Step::Put("l", Entry::link("aimed")),
                Step::Delete("m"),
                Step::Put("f", Entry::link("l")),
            ],
            after: vec![("n", Entry::link("new")), ("l", Entry::link("aimed")), ("f", Entry::link("l"))],
        },
        Case {
            name: "a file gives way to a directory",
            before: vec![("a", Entry::file("a")), ("s", Entry::file("s"))],
            links: vec![],
            mounts: vec![],
            steps: vec![Step::Delete("a"), Step::Put("a/b/c", Entry::file("c"))],
            after: vec![("a/b/c", Entry::file("c")), ("s", Entry::file("s"))],
        },
        Case {
            name: "a directory gives way to a file",
            before: vec![("a/b/c", Entry::file("c")), ("a/d", Entry::file("d"))],
            links: vec![],
            mounts: vec![],
            steps: vec![Step::Delete("a/b/c"), Step::Delete("a/d"), Step::Put("a", Entry::file("a"))],
            after: vec![("a", Entry::file("a"))],
        },
        Case {
            name: "submodules",
            before: vec![("old", Entry::directory()), ("f", Entry::file("f")), ("a", Entry::file("a"))],
            links: vec![],
            mounts: vec![],
            steps: vec![
                Step::Put("new/sub", Entry::directory()),
                Step::Delete("old"),
                Step::Put("f", Entry::directory()),
                Step::Put("a", Entry::file("A")),
            ],
            after: vec![("new/sub", Entry::directory()), ("f", Entry::directory()), ("a", Entry::file("A"))],
        },
    ]
}
