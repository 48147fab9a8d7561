//! Staging: new contents go to scratch files at once; only identities stay in memory.

use std::collections::{BTreeSet, HashMap};
use std::sync::Mutex;

use super::annex;
use super::change::{Arrival, Change, Image, Standing, bits};
use super::escape;
use super::failure::is_unreachable;
use super::numbers::{Number, Numbers};
use super::scratch::{Scratch, Slot};
use super::staged::{One, Staged};
use super::{Durability, Failure, Links, Options};
use crate::change::{Content, FileChange, FileState, Postimage};
use crate::digest::Digest;
use crate::mode::{FileKind, Permissions, with_execution};
use crate::mutex::locked;
use crate::path::RelPath;
use crate::text::Contents;
use crate::threads::both;
use crate::workspace::{Fault, Like, Probe, Rename, Stat, Workspace, WorkspaceError};

/// Takes changes from several threads.
#[derive(Debug)]
pub(super) struct Stage {
    scratch: Scratch,
    durability: Durability,
    /// What becomes of the other names of files that change.
    pub(super) links: Links,
    numbers: Numbers,
    staged: Mutex<Staged>,
    stale: Mutex<Vec<RelPath>>,
    /// The directories that are missing.
    missing: Mutex<BTreeSet<RelPath>>,
    /// For each directory that was looked at, whether scratch files have to stand in it; the root
    /// has no name.
    beside: Mutex<HashMap<Box<[u8]>, bool>>,
}

impl Stage {
    pub(super) fn new(scratch: Scratch, options: Options) -> Self {
        Self {
            scratch,
            durability: options.durability,
            links: options.links,
            numbers: Numbers::default(),
            staged: Mutex::default(),
            stale: Mutex::default(),
            missing: Mutex::default(),
            beside: Mutex::default(),
        }
    }

    /// Makes room for so many changes, if there is any.
    pub(super) fn reserve(&self, changes: usize) {
        locked(&self.staged).reserve(changes);
    }

    /// Returns what was staged, and the files that were seen to have changed meanwhile.
    pub(super) fn finish(&self) -> (Staged, Vec<RelPath>) {
        let staged = std::mem::take(&mut *locked(&self.staged));
        (staged.sorted(), std::mem::take(&mut *locked(&self.stale)))
    }

    /// Returns a number that no scratch file has.
    pub(super) fn number(&self, workspace: &dyn Workspace) -> Result<Number<'_>, Failure> {
        self.numbers.take(workspace, &self.scratch)
    }

    /// Returns whether the scratch files of `path`, whose directory was looked at, stand beside it.
    pub(super) fn is_known_beside(&self, path: &RelPath) -> bool {
        self.is_known(path.directory()).unwrap_or_default()
    }

    /// Returns whether scratch files have to stand in `directory`; `None` if it was not looked at.
    fn is_known(&self, directory: Option<&[u8]>) -> Option<bool> {
        locked(&self.beside)
            .get(directory.unwrap_or_default())
            .copied()
    }

    /// Stages one change.
    pub(super) fn take(
        &self,
        workspace: &dyn Workspace,
        change: FileChange,
    ) -> Result<(), Failure> {
        let FileChange {
            path,
            before,
            after,
        } = change;
        let is_directory = |state: &FileState| state.stat.kind == FileKind::Directory;
        let is_directory_after = after
            .as_ref()
            .is_some_and(|after| after.kind == FileKind::Directory);
        if is_directory_after && before.as_ref().is_some_and(is_directory) {
            self.push(One {
                keeps: Some(path),
                ..One::default()
            });
            return Ok(());
        }
        let going = before.as_ref().filter(|state| is_directory(state));
        let removes = going.map(|state| (path.clone(), Standing::from(&state.stat)));
        let found = before.filter(|state| !is_directory(state));
        let place = self.place(workspace, &path, found.is_some() || removes.is_some())?;
        let mut one = One {
            found,
            makes: place.makes,
            removes,
            ..One::default()
        };
        let number = self.number(workspace)?;
        let mut change = Change {
            number: number.value,
            path,
            before: one.found.as_ref().map(Image::from),
            after: None,
            leaves: after.is_none(),
            arrives: None,
            beside: place.is_beside.then_some(place.missing),
            in_place: false,
        };
        self.note(workspace, &change)?;
        match after {
            Some(after) if after.kind == FileKind::Directory => {
                one.makes.push(change.path.clone());
                change.leaves = true;
            }
            Some(after) => self.stage(workspace, &mut change, (&mut one, place.missing), after)?,
            None => {}
        }
        drop(number);
        change.in_place = self.keeps_names(one.found.as_ref()) && change.is_of_files();
        let is_a_file = change.before.is_some() || change.after.is_some();
        one.change = is_a_file.then_some(change);
        self.push(one);
        Ok(())
    }

    /// Returns whether a file has other names that are to keep it.
    fn keeps_names(&self, found: Option<&FileState>) -> bool {
        self.links == Links::Kept && found.is_some_and(|found| found.stat.links > 1)
    }

    fn push(&self, one: One) {
        locked(&self.staged).add(one);
    }

    fn stage(
        &self,
        workspace: &dyn Workspace,
        change: &mut Change,
        (one, missing): (&mut One, usize),
        after: Postimage,
    ) -> Result<(), Failure> {
        let Postimage {
            kind,
            permissions,
            content,
            like,
        } = after;
        let shown = if let Content::MovedFrom(_, state) = &content {
            Some(state)
        } else {
            one.found.as_ref()
        };
        let permissions = self.kept_bits(workspace, &change.path, shown, permissions);
        match content {
            Content::Bytes(bytes) => {
                let above = change.path.ancestors().nth(missing);
                let found = one.found.as_ref().filter(|_| kind == FileKind::Regular);
                let like = likeness(like.as_ref(), above.as_ref(), (&change.path, found));
                self.write(workspace, change, (kind, &bytes), permissions, like)
            }
            Content::Kept => {
                let Some(found) = &one.found else {
                    return Err(vanished(&change.path));
                };
                let permissions = exact(permissions, found.stat.permissions);
                if found.stat.links > 1 && !self.keeps_names(Some(found)) {
                    let path = change.path.clone();
                    return self.copy(workspace, change, (&path, found), permissions);
                }
                change.after = Some(Image {
                    mode: bits(permissions),
                    ..Image::from(found)
                });
                Ok(())
            }
            Content::Restored(from, state) => {
                self.restore(workspace, change, (&from, &state), permissions)
            }
            Content::MovedFrom(from, state) => {
                // The source is looked at in any case: where its own scratch files stand depends on
                // it.
                let is_beside =
                    self.is_beside(workspace, from.parent().as_ref())? || change.beside.is_some();
                let is_same_mode = kind == FileKind::Symlink
                    || permissions == Permissions::Exact(state.stat.permissions);
                if is_beside || !is_same_mode {
                    self.copy(
                        workspace,
                        change,
                        (&from, &state),
                        exact(permissions, state.stat.permissions),
                    )?;
                } else {
                    change.after = Some(Image::from(&state));
                }
                one.moved = Some((from, state));
                Ok(())
            }
        }
    }

    /// Returns `permissions`, or those that the file has in any case where the file system is known
    /// to keep no bits: the journal says what is going to be there.
    fn kept_bits(
        &self,
        workspace: &dyn Workspace,
        path: &RelPath,
        found: Option<&FileState>,
        permissions: Permissions,
    ) -> Permissions {
        let is_set = matches!(permissions, Permissions::Exact(bits) if found.is_none_or(|it| it.stat.permissions != bits));
        let above = path
            .ancestors()
            .find(|above| !locked(&self.missing).contains(above));
        if !is_set || workspace.keeps_modes(above.as_ref(), Probe::Never) {
            return permissions;
        }
        found.map_or(Permissions::New { executable: false }, |found| {
            Permissions::Exact(found.stat.permissions)
        })
    }

    /// Stages the file that was found at `from` in the history, by a second name if that is
    /// possible.
    fn restore(
        &self,
        workspace: &dyn Workspace,
        change: &mut Change,
        (from, found): (&RelPath, &FileState),
        permissions: Permissions,
    ) -> Result<(), Failure> {
        let is_as_it_was = found.stat.kind == FileKind::Symlink
            || permissions == Permissions::Exact(found.stat.permissions);
        if change.beside.is_none() && is_as_it_was && found.stat.links == 1 {
            match workspace.link(from, &self.scratch.slot(change, Slot::New)?) {
                Err(error) if matches!(error.fault, Fault::Unsupported | Fault::CrossDevice) => {}
                linked => {
                    linked?;
                    change.after = Some(Image::from(found));
                    change.arrives = Some(Arrival::Staged);
                    return Ok(());
                }
            }
        }
        self.copy(workspace, change, (from, found), permissions)
    }

    /// Stages a copy of the file that was found at `from`.
    fn copy(
        &self,
        workspace: &dyn Workspace,
        change: &mut Change,
        (from, found): (&RelPath, &FileState),
        permissions: Permissions,
    ) -> Result<(), Failure> {
        let bytes = match found.stat.kind {
            FileKind::Symlink => workspace.read_link(from)?.into(),
            _ => workspace.read(from, u64::MAX)?.0,
        };
        if Digest::of(&bytes) != found.digest {
            locked(&self.stale).push(from.clone());
        }
        self.write(
            workspace,
            change,
            (found.stat.kind, &bytes.into()),
            permissions,
            Like::File(from),
        )
    }

    fn write(
        &self,
        workspace: &dyn Workspace,
        change: &mut Change,
        (kind, contents): (FileKind, &Contents),
        permissions: Permissions,
        like: Like<'_>,
    ) -> Result<(), Failure> {
        let written = || {
            write(
                workspace,
                (&self.scratch, change),
                (kind, contents),
                permissions,
                like,
            )
        };
        let digest = || Digest::of_all(&contents.slices());
        let (written, digest) = both(contents.len(), written, digest);
        change.expect(kind, (digest, contents.len()), permissions);
        written
    }

    /// Notes scratch files that are going to stand outside of the state directory, so that they can
    /// be swept.
    pub(super) fn note(&self, workspace: &dyn Workspace, change: &Change) -> Result<(), Failure> {
        if change.beside.is_none() {
            return Ok(());
        }
        let note = self.scratch.file(format!("b{}", change.number))?;
        let path = self.scratch.slot(change, Slot::New)?;
        let text = escape::escape(path.as_bytes());
        let noted = workspace.create(&note, &[text.as_bytes()], Permissions::Exact(0o600), None);
        let about = |error| Failure::from(error).about(&change.path);
        noted.map_err(about)?;
        if self.durability == Durability::Full {
            self.scratch.make_durable(workspace, &note).map_err(about)?;
        }
        Ok(())
    }

    /// Notes scratch files that are going to stand elsewhere than it was noted; none of them is
    /// there yet.
    pub(super) fn note_again(
        &self,
        workspace: &dyn Workspace,
        change: &Change,
    ) -> Result<(), Failure> {
        workspace.remove(&self.scratch.file(format!("b{}", change.number))?)?;
        self.note(workspace, change)
    }

    /// Finds out which directories above `path` are missing, and where its scratch files have to
    /// stand.
    fn place(
        &self,
        workspace: &dyn Workspace,
        path: &RelPath,
        is_there: bool,
    ) -> Result<Place, Failure> {
        if let (true, Some(is_beside)) = (is_there, self.is_known(path.directory())) {
            return Ok(Place {
                missing: 0,
                makes: Vec::new(),
                is_beside,
            });
        }
        let mut above_it = Vec::new();
        let mut directory = path.parent();
        while let Some(above) = directory.clone() {
            let is_known = self.is_known(Some(above.as_bytes())).is_some();
            let is_missing = locked(&self.missing).contains(&above);
            let is_directory = || -> Result<bool, Failure> {
                Ok(!is_missing
                    && workspace
                        .stat(&above)?
                        .is_some_and(|stat| stat.kind == FileKind::Directory))
            };
            if is_there || is_known || is_directory()? {
                break;
            }
            directory = above.parent();
            above_it.push(above);
        }
        let is_beside = self.is_beside(workspace, directory.as_ref())?;
        let missing = above_it.len();
        let mut noted = locked(&self.missing);
        let makes = above_it
            .into_iter()
            .filter(|above| noted.insert(above.clone()))
            .collect();
        Ok(Place {
            missing,
            makes,
            is_beside,
        })
    }

    /// Returns whether no file can be renamed from `directory` to the one above it.
    pub(super) fn is_mount(&self, workspace: &dyn Workspace, directory: &RelPath) -> bool {
        let absent = self.scratch.beside(Some(directory), "absent");
        absent
            .and_then(|absent| self.are_apart(workspace, &absent, directory.parent().as_ref()))
            .unwrap_or(true)
    }

    /// Returns whether no file can be renamed from the state directory to `directory`.
    fn is_beside(
        &self,
        workspace: &dyn Workspace,
        directory: Option<&RelPath>,
    ) -> Result<bool, Failure> {
        let name = directory.map(RelPath::as_bytes);
        if let Some(known) = self.is_known(name) {
            return Ok(known);
        }
        let is_beside = annex::is_annex(directory)
            || self.are_apart(workspace, &self.scratch.file("absent")?, directory)?;
        locked(&self.beside).insert(name.unwrap_or_default().into(), is_beside);
        Ok(is_beside)
    }

    /// Returns whether a file cannot be renamed from `absent`, where none is, to `directory`.
    ///
    /// Device numbers do not tell it (bind mounts have equal ones), so a file that is not there is
    /// renamed to it: `renameat2` of Linux compares the mounts before it looks at the names.
    fn are_apart(
        &self,
        workspace: &dyn Workspace,
        absent: &RelPath,
        directory: Option<&RelPath>,
    ) -> Result<bool, Failure> {
        let target = self.scratch.beside(directory, "p")?;
        let probe = || {
            workspace
                .rename(absent, &target, Rename::Replace)
                .err()
                .map(|error| error.fault)
        };
        // An error of the disk says neither; one that passes is not to be taken for an answer.
        let first = probe();
        let is_answer = matches!(first, Some(Fault::Missing | Fault::CrossDevice));
        Ok((if is_answer { first } else { probe() }) == Some(Fault::CrossDevice))
    }
}

/// Where the scratch files of one path have to stand.
struct Place {
    /// How many directories above the path are missing.
    missing: usize,
    /// Those of them that were not noted before.
    makes: Vec<RelPath>,
    is_beside: bool,
}

/// Returns what a new file is like: the one at `like`, which is not looked at again if that is the
/// one that was `found` at its own path and all of it is known; a new one in `above` otherwise.
pub(super) fn likeness<'a>(
    like: Option<&'a RelPath>,
    above: Option<&'a RelPath>,
    (path, found): (&RelPath, Option<&FileState>),
) -> Like<'a> {
    let is_all = |stat: &Stat| like == Some(path) && stat.kind == FileKind::Regular && stat.is_bare;
    match (like, found) {
        (_, Some(FileState { stat, .. })) if is_all(stat) => Like::Bare {
            uid: stat.uid,
            gid: stat.gid,
        },
        (Some(like), _) => Like::File(like),
        (None, _) => Like::NewIn(above),
    }
}

/// Writes the new file of `change`.
pub(super) fn write(
    workspace: &dyn Workspace,
    (scratch, change): (&Scratch, &Change),
    (kind, contents): (FileKind, &Contents),
    permissions: Permissions,
    like: Like<'_>,
) -> Result<(), Failure> {
    let path = scratch.slot(change, Slot::New)?;
    let staged = match kind {
        FileKind::Symlink => {
            let model = if let Like::File(model) = like {
                Some(model)
            } else {
                None
            };
            workspace.symlink(contents, &path, model)
        }
        _ => workspace.create(&path, &contents.slices(), permissions, Some(like)),
    };
    staged.map_err(|error| match like {
        // What it is to be like went away, or another thing has its place.
        Like::File(model) if is_unreachable(error.fault) && error.path == model.to_string() => {
            vanished(model)
        }
        _ => Failure::from(WorkspaceError {
            verb: "stage",
            ..error
        })
        .about(&change.path),
    })
}

fn exact(permissions: Permissions, old: u32) -> Permissions {
    match permissions {
        Permissions::New { executable } => Permissions::Exact(with_execution(old, executable)),
        Permissions::Exact(_) => permissions,
    }
}

fn vanished(path: &RelPath) -> Failure {
    Failure::Stale(vec![path.clone()])
}
