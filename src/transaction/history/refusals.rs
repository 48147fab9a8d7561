//! Plans that somebody refused: entries of the history that changed nothing.

use serde::{Deserialize, Serialize};

use super::plans::{self, Saved};
use super::{Failure, Interrupt, Options, homes, name, places};
use crate::transaction::failure::is_unreachable;
use crate::transaction::scratch::Scratch;
use crate::transaction::sealed::{damaged, seal, unseal};
use crate::workspace::{Fault, Workspace, top};

/// The only file of such an entry.
const FILE: &str = "refused";
/// Largest one, in bytes.
const MAX_REFUSAL: u64 = 16 << 20;

/// What was refused, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// The name of the change, as `sha256:HEX`.
    pub plan: String,
    /// Why, in somebody's words; may hold anything that a text does.
    pub reason: Option<String>,
    /// The files that it would have changed with what it would have done, as far as that was known.
    pub files: Vec<(String, String)>,
}

/// Makes `refusal` an entry; `None` where there is no place for a history.
///
/// # Errors
///
/// Returns [`Failure`] as [`plans::save`] does.
pub fn refuse(
    workspace: &dyn Workspace,
    options: Options,
    interrupt: &Interrupt,
    refusal: &Refusal,
) -> Result<Option<Saved>, Failure> {
    let text = seal(refusal)?;
    let tree = top(workspace)?;
    plans::put(workspace, options, interrupt, (FILE, &text, &|id| name(id, 0)), |home, _| {
        super::prune(tree, home, (options.history, super::Spares::Newest)).map(drop)
    })
}

/// Returns the newest refusal of the change with the name `plan`, if there is one. Takes no lock.
///
/// # Errors
///
/// Returns [`Failure`] as [`entries`](super::entries) does.
pub fn find(workspace: &dyn Workspace, plan: &str) -> Result<Option<Refusal>, Failure> {
    let workspace = top(workspace)?;
    for home in homes(workspace)? {
        for place in places(workspace, &home)?.iter().rev() {
            match read(workspace, &place.scratch) {
                Ok(refusal) if refusal.plan == plan => return Ok(Some(refusal)),
                Ok(_) | Err(Failure::State { .. }) => {}
                Err(Failure::Workspace(error)) if is_unreachable(error.fault) => {}
                Err(failure) => return Err(failure),
            }
        }
    }
    Ok(None)
}

/// Removes every refusal of the change with the name `plan`, and returns how many those were.
///
/// # Errors
///
/// Returns [`Failure`] as [`entries`](super::entries) does.
pub fn withdraw(workspace: &dyn Workspace, plan: &str) -> Result<usize, Failure> {
    let workspace = top(workspace)?;
    let mut count = 0;
    for home in homes(workspace)? {
        for place in places(workspace, &home)? {
            if read(workspace, &place.scratch).is_ok_and(|refusal| refusal.plan == plan) {
                place.remove(workspace, &home)?;
                count += 1;
            }
        }
    }
    Ok(count)
}

/// Reads the refusal in `scratch`.
pub(super) fn read(workspace: &dyn Workspace, scratch: &Scratch) -> Result<Refusal, Failure> {
    let path = scratch.file(FILE)?;
    let read = workspace.read(&path, MAX_REFUSAL).map_err(|error| match error.fault {
        Fault::NotRegular | Fault::TooLarge => damaged(&path),
        _ => error.into(),
    });
    unseal(&read?.0, &path)
}
