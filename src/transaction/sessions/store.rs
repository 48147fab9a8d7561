//! Reads, begins and removes sessions.

use super::Session;
use super::document::SessionDocument;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::transaction::checksummed::{parse_checksummed, state_failure, to_checksummed};
use crate::transaction::history::{
    SESSION_DOCUMENT, ambiguous_message, history_directories, list_sessions, remove_session,
    session_name,
};
use crate::transaction::journal::Journal;
use crate::transaction::saved_plans::{SaveResult, create_history_directory};
use crate::transaction::scratch::join;
use crate::transaction::state_location::{display_path, find_lifetime_without_probe, is_private};
use crate::transaction::{Durability, Failure, Interrupt, Options, RecoveredTransaction, recover};
use crate::workspace::{ErrorKind, Stat, Workspace, top};

/// The maximum size of a document in bytes.
const MAX_DOCUMENT: u64 = 1 << 28;
/// The name of a document until it is complete and durable.
pub(super) const DRAFT: &str = "session.tmp";

/// Begins a session without changes. Returns its ID, or `None` if no history can be kept.
///
/// # Errors
///
/// Returns [`Failure`] like [`Transaction::begin`](crate::transaction::Transaction::begin), and the
/// errors of the disk. In that case no session exists.
pub fn begin(
    workspace: &dyn Workspace,
    options: Options,
    interrupt: &Interrupt,
    note: Option<&str>,
) -> Result<Option<SaveResult>, Failure> {
    let bytes = to_checksummed(&SessionDocument::new(note))?;
    create_history_directory(
        workspace,
        options,
        interrupt,
        (SESSION_DOCUMENT, &|_, _| Ok(bytes.clone()), &session_name),
        |_, _, _| Ok(()),
    )
}

/// Returns the sessions of the work tree, newest first. Takes no lock.
///
/// # Errors
///
/// Returns [`Failure::State`] if the state directory cannot be trusted, and the errors of the disk.
/// A session that cannot be read is in the list, with its damage.
pub fn list(workspace: &dyn Workspace) -> Result<Vec<Session>, Failure> {
    // An edit session belongs to one root.
    if workspace.roots().is_some() {
        return Ok(Vec::new());
    }
    let workspace = top(workspace)?;
    let mut sessions = Vec::new();
    for home in history_directories(workspace)? {
        for (id, directory) in list_sessions(workspace, &home)? {
            sessions.extend(read_or_damaged(workspace, id, directory)?);
        }
    }
    sessions.sort_unstable_by(|a, b| b.id.cmp(&a.id));
    Ok(sessions)
}

/// The session with a given ID.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SessionSearchResult {
    /// The only session whose ID starts with the text.
    Found(Box<Session>),
    /// No session, or several. The text is a message.
    NotFound(String),
}

/// Returns the session whose ID starts with `prefix`. Takes no lock.
///
/// # Errors
///
/// Returns the errors of [`list`].
pub fn search(workspace: &dyn Workspace, prefix: &str) -> Result<SessionSearchResult, Failure> {
    let mut found = list(workspace)?;
    found.retain(|session| session.id.starts_with(prefix));
    if found.len() > 1 {
        let ids = found.iter().map(|session| &*session.id);
        return Ok(SessionSearchResult::NotFound(ambiguous_message(
            prefix, ids,
        )));
    }
    Ok(match found.pop().filter(|_| !prefix.is_empty()) {
        Some(session) => SessionSearchResult::Found(Box::new(session)),
        None => SessionSearchResult::NotFound(format!("no edit session matches `{prefix}`")),
    })
}

/// Removes the session with the full ID `id`. Returns `None` if it does not exist, or if it is not
/// in the state after `revision` steps.
///
/// # Errors
///
/// Returns [`Failure`] like [`Transaction::begin`](crate::transaction::Transaction::begin). In that
/// case the session still exists, or its removal continues in the next command.
pub fn abort(
    workspace: &dyn Workspace,
    (id, revision): (&str, Option<u64>),
    options: Options,
    interrupt: &Interrupt,
) -> Result<Option<Vec<RecoveredTransaction>>, Failure> {
    let (state, recovered) = recover::open(workspace, options, interrupt)?;
    let workspace = top(workspace)?;
    let removed = match revision {
        Some(revision) => has_revision(workspace, id, revision)
            .and_then(|is_same| Ok(is_same && remove(workspace, id, options.durability)?)),
        None => remove(workspace, id, options.durability),
    };
    // The next command removes the rest.
    let _ = state.close(workspace);
    Ok(removed?.then_some(recovered))
}

/// Removes the session that the transaction with the record `journal` committed. The caller holds
/// the lock. If this fails, the session remains, and a second commit finds all files in their new
/// state.
pub(in crate::transaction) fn remove_committed(
    workspace: &dyn Workspace,
    journal: &Journal,
    durability: Durability,
) {
    if let Some(session) = &journal.session {
        let _ = remove(workspace, &session.id, durability);
    }
}

/// Returns whether the session exists and is in the state after `revision` steps. The answer can
/// change unless the caller holds the lock.
///
/// # Errors
///
/// Returns the errors of the disk, and [`Failure::State`] if the session is damaged.
pub fn has_revision(workspace: &dyn Workspace, id: &str, revision: u64) -> Result<bool, Failure> {
    let found = find(top(workspace)?, id)?;
    Ok(found.is_some_and(|session| session.revision == revision))
}

/// Returns the session with the full ID `id`; `None` if it does not exist.
pub(super) fn find(workspace: &dyn Workspace, id: &str) -> Result<Option<Session>, Failure> {
    for home in history_directories(workspace)? {
        for (other, directory) in list_sessions(workspace, &home)? {
            if other == id {
                return read(workspace, other, directory);
            }
        }
    }
    Ok(None)
}

fn remove(workspace: &dyn Workspace, id: &str, durability: Durability) -> Result<bool, Failure> {
    let mut is_removed = false;
    for home in history_directories(workspace)? {
        for (other, directory) in list_sessions(workspace, &home)? {
            if other == id {
                remove_session(workspace, &home, (id, directory), durability)?;
                is_removed = true;
            }
        }
    }
    Ok(is_removed)
}

/// Reads a session. A session that cannot be read has only its ID and the reason.
fn read_or_damaged(
    workspace: &dyn Workspace,
    id: String,
    directory: RelPath,
) -> Result<Option<Session>, Failure> {
    match read(workspace, id.clone(), directory.clone()) {
        Err(failure @ (Failure::State { .. } | Failure::Foreign { .. })) => {
            let session = SessionDocument::default().into_session(id, directory)?;
            Ok(session.map(|session| Session {
                damage: Some(failure.to_string()),
                ..session
            }))
        }
        read => read,
    }
}

/// Reads a session. Returns `None` if another process removed it.
///
/// # Security
///
/// Only this user can have written the directory and the document, and the checksum must match.
fn read(
    workspace: &dyn Workspace,
    id: String,
    directory: RelPath,
) -> Result<Option<Session>, Failure> {
    let path = join(&directory, SESSION_DOCUMENT)?;
    let name = display_path(workspace, &path);
    let refused = |why: &str| state_failure(&name, why);
    if find_lifetime_without_probe(workspace, &directory)?.is_none() {
        return Ok(None);
    }
    let (text, stat) = match workspace.read(&path, MAX_DOCUMENT) {
        Ok(read) => read,
        Err(error) => {
            return match error.kind {
                // The session was removed. Its other files may still exist.
                ErrorKind::Missing => Ok(None),
                ErrorKind::TooLarge | ErrorKind::NotRegular | ErrorKind::ThroughLink => {
                    Err(refused(DAMAGED))
                }
                _ => Err(error.into()),
            };
        }
    };
    if stat.kind != FileKind::Regular || !is_private_document(workspace, &directory, &stat)? {
        return Err(refused("another user can write to the edit session"));
    }
    let document = parse_checksummed::<SessionDocument>(&text, &name);
    let document = document.map_err(|_| refused(DAMAGED))?;
    let session = document.into_session(id, directory)?;
    session.map(Some).ok_or_else(|| refused(DAMAGED))
}

/// Returns whether only the current user can use the document with `stat`. After a power loss, the
/// document can still have the name of the draft.
fn is_private_document(
    workspace: &dyn Workspace,
    directory: &RelPath,
    stat: &Stat,
) -> Result<bool, Failure> {
    if stat.links < 2 {
        return Ok(is_private(workspace, stat));
    }
    let draft = workspace.stat(&join(directory, DRAFT)?)?;
    let is_same = |draft: Stat| (draft.device, draft.inode) == (stat.device, stat.inode);
    let links = stat.links - u64::from(draft.is_some_and(is_same));
    Ok(is_private(workspace, &Stat { links, ..*stat }))
}

const DAMAGED: &str = "the edit session is damaged; run `wpatch abort` to remove it";
