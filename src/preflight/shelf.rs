//! The diffs of a change, for who shows one after the other: some are held, and the others are made
//! again when their turn comes, so that no more of them take memory than the first few and the
//! largest.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::{Mutex, MutexGuard, OnceLock};

use super::directories::Directories;
use super::{Options, group};
use crate::digest::Digest;
use crate::mutex::locked;
use crate::plan::Plan;
use crate::workspace::Workspace;

/// Most bytes of diffs that are held.
const MOST: usize = 16 << 20;

/// What is known of the diffs of a change.
#[derive(Debug, Default)]
pub struct Shelf {
    held: Mutex<Held>,
    /// The operations that are looked at together, and which of these each one is in.
    groups: OnceLock<(group::Groups, Vec<usize>)>,
}

#[derive(Debug, Default)]
struct Held {
    diffs: HashMap<usize, Diff>,
    sum: usize,
}

/// One of them, as it was when it was first made.
enum Diff {
    Whole(Vec<u8>),
    Known(Digest),
}

/// A diff that has to be made again.
#[derive(Debug)]
struct NotHeld;

impl Shelf {
    /// Takes the diff of the operation at `index`.
    pub(crate) fn put(&self, index: usize, diff: Vec<u8>) {
        let mut held = self.held();
        let diff = if held.sum + diff.len() <= MOST {
            Diff::Whole(diff)
        } else {
            Diff::Known(Digest::of(&diff))
        };
        held.sum += diff.held();
        held.diffs.insert(index, diff);
    }

    /// Returns the diff of the operation at `index` of `plan`, if it has one: the same as the first
    /// time.
    ///
    /// # Errors
    ///
    /// Returns an error if the files are no longer what they were, or the disk fails.
    pub fn diff(
        &self,
        index: usize,
        plan: &Plan,
        workspace: &dyn Workspace,
        options: &Options,
    ) -> io::Result<Option<Vec<u8>>> {
        if let Ok(taken) = self.held().take(index) {
            return Ok(taken);
        }
        let (groups, places) = self.groups.get_or_init(|| {
            let groups = group::groups(plan, options);
            let mut places = vec![0; plan.operations.len()];
            for place in 0..groups.len() {
                for &member in groups.get(place) {
                    places[member] = place;
                }
            }
            (groups, places)
        });
        let (found, _) = group::resolve(
            plan,
            groups.get(places[index]),
            (workspace, &Directories::default()),
            options,
        )
        .map_err(io::Error::other)?;
        let mut held = self.held();
        for (member, findings) in found {
            let diff = findings.outcome.diff.unwrap_or_default();
            if member >= index && !held.renew(member, diff) {
                let path = &plan.operations[member].path;
                return Err(io::Error::other(format!(
                    "{path}: it changed while it was shown"
                )));
            }
        }
        Ok(held.take(index).unwrap_or_default())
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        locked(&self.held)
    }
}

impl Held {
    /// Hands out the diff at `index`, if there is one.
    ///
    /// # Errors
    ///
    /// Returns an error if it has to be made again.
    fn take(&mut self, index: usize) -> Result<Option<Vec<u8>>, NotHeld> {
        let Some(diff) = self.diffs.get_mut(&index) else {
            return Ok(None);
        };
        self.sum -= diff.held();
        match diff {
            Diff::Whole(bytes) => {
                let digest = Digest::of(bytes);
                let Diff::Whole(bytes) = std::mem::replace(diff, Diff::Known(digest)) else {
                    return Err(NotHeld);
                };
                Ok(Some(bytes))
            }
            Diff::Known(_) => Err(NotHeld),
        }
    }

    /// Puts a diff back that was made again; says whether it is the same.
    fn renew(&mut self, index: usize, bytes: Vec<u8>) -> bool {
        match self.diffs.get_mut(&index) {
            Some(Diff::Known(digest)) if *digest != Digest::of(&bytes) => return false,
            Some(diff @ Diff::Known(_)) => {
                self.sum += bytes.len();
                *diff = Diff::Whole(bytes);
            }
            Some(Diff::Whole(_)) | None => {}
        }
        true
    }
}

impl Diff {
    fn held(&self) -> usize {
        match self {
            Self::Whole(bytes) => bytes.len(),
            Self::Known(_) => 0,
        }
    }
}

impl fmt::Debug for Diff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(bytes) => write!(f, "{} bytes", bytes.len()),
            Self::Known(digest) => write!(f, "{digest}"),
        }
    }
}
