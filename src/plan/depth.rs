//! How deep names begin where nobody says it: the strip level that git guesses, and the directory
//! of a repository that the root is.

use super::{Action, Name, Operation, Plan, Selection, Strip};
use crate::path::RelPath;

/// Guesses the strip level as git does where none is given: from the first diff without git header
/// on whose names agree on it. Names without a directory stand as they are, names from the top of
/// the repository on lose what is above the root.
pub(super) fn guess(plan: &mut Plan<Name>, selection: &Selection) {
    if selection.strip.is_some() || !selection.directory.is_empty() {
        return;
    }
    let below = selection.below.as_deref().unwrap_or_default();
    let guesses = plan
        .operations
        .iter()
        .map(|operation| guessed(operation, below));
    let Some((first, level)) = guesses
        .enumerate()
        .find_map(|(index, level)| Some((index, level?)))
    else {
        return;
    };
    for operation in &mut plan.operations[first..] {
        let names = [Some(&mut operation.path), operation.from.as_mut()];
        names.into_iter().flatten().for_each(|name| name.fix(level));
    }
}

/// Returns the level that both names of a diff without git header are written for.
fn guessed(operation: &Operation<Name>, below: &[u8]) -> Option<usize> {
    if operation.tells_missing {
        return None;
    }
    match &operation.path {
        Name::Agreed(claims) if operation.action == Action::Create => match &claims[..] {
            [only] if only.strip == Strip::Prefixed => depth(&only.bytes, below),
            _ => None,
        },
        Name::Traditional { old, new } => {
            let level = depth(&new.bytes, below)?;
            depth(&old.bytes, below)
                .is_none_or(|old| old == level)
                .then_some(level)
        }
        Name::Agreed(_)
        | Name::Paired(_)
        | Name::Header(_)
        | Name::Below { .. }
        | Name::Unnamed(_) => None,
    }
}

fn depth(name: &[u8], below: &[u8]) -> Option<usize> {
    let Some(slash) = memchr::memchr(b'/', name) else {
        return Some(0);
    };
    let is_below = |name: &[u8]| {
        name.strip_prefix(below)
            .is_some_and(|rest| rest.starts_with(b"/"))
    };
    let above = memchr::memchr_iter(b'/', below).count() + 1;
    match () {
        () if below.is_empty() => None,
        () if is_below(name) => Some(above),
        () => is_below(&name[slash + 1..]).then_some(above + 1),
    }
}

/// From where an operation names its files.
pub(super) enum View<'a> {
    /// From the root, which is below a directory of the repository or anywhere.
    Root(&'a [u8]),
    /// From the top of the repository, and the root is this directory of it.
    Top(&'a [u8]),
}

/// Why an operation is not about the root.
pub(super) enum Left {
    /// It is about another directory.
    Outside(RelPath),
    /// It takes the file of this name from there.
    Half(Vec<u8>),
}

impl<'a> View<'a> {
    /// Returns where the names of `operation` begin: those of git diffs at the top, if that is
    /// asked for.
    pub(super) fn of(operation: &Operation<Name>, selection: &'a Selection) -> Self {
        let below = selection.below.as_deref().unwrap_or_default();
        let is_plain = !operation.tells_missing || is_literal(&operation.path);
        if is_plain || below.is_empty() {
            Self::Root(below)
        } else {
            Self::Top(below)
        }
    }

    /// Returns the name that `path` has in the repository.
    pub(super) fn whole(&self, path: &RelPath) -> RelPath {
        let joined = match self {
            Self::Root(below) if !below.is_empty() => {
                RelPath::new(&[below, path.as_bytes()].join(&b'/')).ok()
            }
            _ => None,
        };
        joined.unwrap_or_else(|| path.clone())
    }

    /// Returns the operation with names below the root.
    pub(super) fn enter(&self, mut operation: Operation) -> Result<Operation, Left> {
        let Self::Top(below) = self else {
            return Ok(operation);
        };
        let lower = |path: &RelPath| {
            RelPath::new(path.as_bytes().strip_prefix(*below)?.strip_prefix(b"/")?).ok()
        };
        let Some(path) = lower(&operation.path) else {
            return Err(Left::Outside(operation.path));
        };
        operation.path = path;
        if let Some(from) = operation.from.take() {
            operation.from =
                Some(lower(&from).ok_or_else(|| Left::Half(from.as_bytes().to_vec()))?);
        }
        Ok(operation)
    }
}

fn is_literal(name: &Name) -> bool {
    matches!(name, Name::Agreed(claims) if claims.iter().any(|claim| claim.strip == Strip::Literal))
}
