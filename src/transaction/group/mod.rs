//! Transactions with several members: one for each work tree that the command changes.
//!
//! The members commit in two phases. Each member has its own state directory, journal and history,
//! because a rename cannot leave its file system. The journal of each member names all of them.
//! The order is: lock in the order of [`GroupRecord::members`], stage, intent in all members, swap
//! in all, sync all, hooks, the commit record of the coordinator, the commit records of the others,
//! history, sweep. Invariants:
//!
//! - The commit record of the coordinator is the decision. Without it, the transaction is rolled
//!   back in all members ("presumed abort").
//! - No member removes its record before the record of every member is durable. Therefore any
//!   command in any of the roots finds a record and recovers all of them.
//!
//! Read [`Transaction::begin`] first, then `commit.rs` and `phases.rs`. `recover/group.rs` recovers a group.

mod commit;
mod phases;
mod places;
mod record;
mod roots;

use std::io;

use super::IndexLocation;
use super::stage::{Arrival, read_departing};
use super::{
    CommitHook, Failure, Interrupt, Member, Options, Receipt, RecoveredTransaction, git_index_file,
    ids, recover,
};
use crate::change::{Content, FileChange, FileState, Postimage, Sink};
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::text::Contents;
use crate::workspace::{ErrorKind, Workspace, WorkspaceError};
use recover::LockedMember;

pub(super) use places::{MemberPlace, find_places};
pub(super) use record::{GroupMember, GroupRecord};
pub(super) use roots::{MemberRoot, MemberRoots};

/// One transaction for all work trees that a command changes. Usually there is one: the git work
/// tree that contains the root, or the root if it is in no work tree.
///
/// [`Transaction::begin`] takes the locks. The [`Sink`] methods stage changes, and
/// [`Transaction::commit`] commits them. Dropping the transaction without a commit abandons it,
/// also after a panic.
pub struct Transaction<'w> {
    /// The tree of the command.
    workspace: &'w dyn Workspace,
    /// The members, in the order of their locks.
    pub(super) members: Vec<Member<'w>>,
    /// The commit hooks, in the order of their execution.
    pub(super) hooks: Vec<&'w dyn CommitHook>,
    /// The record of the group and the numbers of its members, during its commit. [`Drop`] sees it
    /// only after a panic.
    committing: Option<(GroupRecord, Vec<usize>)>,
}

impl<'w> Transaction<'w> {
    /// Takes the locks and recovers interrupted transactions. A raised `interrupt` ends the wait for a
    /// lock, and later the staging of a large file: [`Sink::receive`](crate::change::Sink::receive)
    /// then fails.
    ///
    /// # Errors
    ///
    /// Returns [`Failure`]. In that case the tree has no change except those of the recovery.
    pub fn begin(
        workspace: &'w dyn Workspace,
        options: Options,
        interrupt: &Interrupt,
    ) -> Result<(Self, Vec<RecoveredTransaction>), Failure> {
        let places = find_places(workspace)?;
        let (locked, recovered) = recover::open_all(&places, options, interrupt)?;
        let mut transaction = Self {
            workspace,
            members: Vec::with_capacity(places.len()),
            hooks: Vec::new(),
            committing: None,
        };
        let mut since = Vec::with_capacity(places.len());
        let mut last = None;
        for LockedMember { workspace, state } in &locked {
            since.push(workspace.now());
            // The new ID must sort after the newest entry, even if the clock went back.
            last = last.max(Member::newest_id(*workspace, state));
        }
        let first = since.first().copied().unwrap_or_default();
        let id = ids::new_id(first, last.as_deref());
        let mut failure = None;
        for ((place, since), LockedMember { workspace, state }) in
            places.into_iter().zip(since).zip(locked)
        {
            if failure.is_some() {
                // The next command removes the rest.
                let _ = state.close(workspace);
                continue;
            }
            let roots = place.roots.clone();
            let begun = Member::begin(
                workspace,
                place.roots,
                (state, &id),
                (options, since),
                interrupt,
            );
            match begun {
                Ok(member) => transaction.members.push(member),
                Err(error) => failure = Some(roots.failure_to_caller(error)),
            }
        }
        match failure {
            Some(failure) => Err(failure),
            None => Ok((transaction, recovered)),
        }
    }

    /// Takes git's lock of the index. A change of [`IndexLocation::path`] can then be staged like
    /// the change of any other file.
    ///
    /// The lock is held until the transaction ends. Read the index only after this call.
    ///
    /// # Errors
    ///
    /// Returns [`Failure::IndexLocked`] if another process holds the lock. Like git, it does not
    /// wait. Returns [`Failure::State`] if the transaction has several members.
    pub fn lock_index(&self, location: &IndexLocation) -> Result<(), Failure> {
        let member = self.only_member()?;
        git_index_file::lock_index(
            member.workspace,
            &member.scratch,
            member.options.durability,
            location,
        )
    }

    /// Returns the path of a scratch file for additional data of the transaction, below
    /// [`Transaction::workspace`]. The file is removed together with the transaction.
    ///
    /// # Errors
    ///
    /// Returns [`Failure::State`] if the path is too long, or if the transaction has several
    /// members.
    pub fn extra_file(&self) -> Result<RelPath, Failure> {
        self.only_member()?.scratch.file("aside")
    }

    /// Returns the workspace that the transaction changes: the work tree's top directory, or the
    /// root. For several roots, returns the tree with all of them.
    #[must_use]
    pub fn workspace(&self) -> &'w dyn Workspace {
        match &self.members[..] {
            [member] if self.workspace.roots().is_none() => member.workspace,
            _ => self.workspace,
        }
    }

    pub(super) fn only_member(&self) -> Result<&Member<'w>, Failure> {
        match &self.members[..] {
            [member] if self.workspace.roots().is_none() => Ok(member),
            _ => Err(Failure::State {
                reason: "this change is possible in one root only".to_owned(),
            }),
        }
    }

    /// Abandons the staged changes, like dropping the transaction.
    pub fn abandon(self) {}

    /// Commits all staged changes.
    ///
    /// # Errors
    ///
    /// Returns [`Failure`] after the rollback. If [`Sink::receive`] returned an error, the
    /// transaction must not be committed.
    pub fn commit(mut self, interrupt: &Interrupt) -> Result<Receipt, Failure> {
        self.commit_members(interrupt)
    }

    /// Returns the member and the root that contain `path`, and the path below the root.
    fn route(&self, path: &RelPath) -> Option<(&Member<'w>, &MemberRoot, RelPath)> {
        let Some(roots) = self.workspace.roots() else {
            let member = self.members.first()?;
            return Some((member, member.roots.0.first()?, path.clone()));
        };
        let (root, rest) = roots.split(path)?;
        let is_root = |it: &&MemberRoot| it.name.as_ref() == Some(&root.name);
        self.members.iter().find_map(|member| {
            let found = member.roots.0.iter().find(is_root)?;
            Some((member, found, rest.clone()?))
        })
    }

    /// Returns the number of the member that contains `path`, and the path from its top.
    pub(super) fn member_path(&self, path: &RelPath) -> Option<(usize, RelPath)> {
        if self.workspace.roots().is_none() {
            // The paths of an undo, the only caller, start at the top already.
            return Some((0, path.clone()));
        }
        let (member, root, rest) = self.route(path)?;
        let number = self
            .members
            .iter()
            .position(|it| std::ptr::eq(it, member))?;
        Some((number, root.prefix.to_top_path(rest).ok()?))
    }

    /// Converts the paths of `change` to the root that contains it. A file that moves from another
    /// work tree is copied here, and its source is staged there as a departure.
    fn change_to_root(
        &self,
        (member, root): (&Member<'w>, &MemberRoot),
        (change, path): (FileChange, RelPath),
    ) -> Result<(FileChange, Option<Arrival>), WorkspaceError> {
        let is_same = |other: &Member<'w>| std::ptr::eq(other, member);
        // A path of another root in the same work tree starts at the top, so it cannot be
        // converted to this root.
        let local = |path: &RelPath| {
            let (other, source, rest) = self.route(path)?;
            (is_same(other) && source.name == root.name).then_some(rest)
        };
        let Some(after) = change.after else {
            return Ok((FileChange { path, ..change }, None));
        };
        let mut arrival = None;
        let content = match after.content {
            Content::MovedFrom(from, state) => {
                if let Some(from) = local(&from) {
                    Content::MovedFrom(from, state)
                } else {
                    let (bytes, found) = self.take_departure(&from, state)?;
                    arrival = found;
                    Content::Bytes(bytes)
                }
            }
            Content::Restored(from, state) => {
                Content::Restored(local(&from).unwrap_or(from), state)
            }
            content => content,
        };
        let attribute_source = after.attribute_source.as_ref().and_then(local);
        if let (Some(from), None) = (&after.attribute_source, &attribute_source)
            && let Some((other, source, rest)) = self.route(from)
        {
            arrival = arrival_from(other, &source.prefix.to_top_path(rest)?);
        }
        let after = Postimage {
            content,
            attribute_source,
            ..after
        };
        let change = FileChange {
            path,
            before: change.before,
            after: Some(after),
        };
        Ok((change, arrival))
    }
}

impl Transaction<'_> {
    /// Stages the departure of the file `from` to another work tree. Returns its content, and its
    /// source if it is a regular file.
    fn take_departure(
        &self,
        from: &RelPath,
        state: FileState,
    ) -> Result<(Contents, Option<Arrival>), WorkspaceError> {
        let (other, source, rest) = self.route(from).ok_or_else(|| no_root(from))?;
        let found = source.prefix.to_top_path(rest)?;
        let bytes = read_departing(other.workspace, &found, &state, &other.stage.interrupt)
            .map_err(|error| source.error_to_caller(error))?;
        let is_regular = state.stat.kind == FileKind::Regular;
        let arrival = is_regular.then(|| arrival_from(other, &found)).flatten();
        other.stage.take_departure(found, state);
        Ok((bytes, arrival))
    }
}

/// Returns the source of a file that moves from the path `found` of `other`. Returns `None` for a
/// tree that other processes cannot open.
fn arrival_from(other: &Member<'_>, found: &RelPath) -> Option<Arrival> {
    Some(Arrival {
        location: other.workspace.location()?,
        path: found.clone(),
    })
}

impl Drop for Transaction<'_> {
    /// Recovers the commit of a group that a panic interrupted. The members abandon other changes.
    fn drop(&mut self) {
        let Some((record, numbers)) = self.committing.take() else {
            return;
        };
        let Some(&first) = numbers.first() else {
            return;
        };
        let id = self.members[first].scratch.id.clone();
        let options = self.members[first].options;
        let take = |number: usize| {
            let member = &mut self.members[number];
            Some((member.workspace, member.state.take()?))
        };
        let members = numbers.into_iter().filter_map(take).collect();
        // If this fails, the next command in any of the roots recovers them.
        let _ = recover::recover_locked(members, (&id, record), options);
    }
}

impl Sink for Transaction<'_> {
    fn receive(&self, change: FileChange) -> Result<(), WorkspaceError> {
        let (member, root, path) =
            (self.route(&change.path)).ok_or_else(|| no_root(&change.path))?;
        let change = if self.workspace.roots().is_some() {
            self.change_to_root((member, root), (change, path))?
        } else {
            (change, None)
        };
        let received = member.receive(change, &root.prefix);
        received.map_err(|error| root.error_with_name(error))
    }
}

/// Returns the error of a path that is in no root.
fn no_root(path: &RelPath) -> WorkspaceError {
    WorkspaceError {
        verb: "stage",
        path: path.to_string(),
        kind: ErrorKind::Other,
        source: io::Error::other("the path is in none of the roots"),
    }
}
