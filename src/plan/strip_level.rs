//! The strip level if none is given, as git guesses it, and the position of the root in its
//! repository.

use super::{Action, Name, Operation, Plan, Selection, StripRule};
use crate::path::RelPath;

/// Guesses the strip level if none is given, as `guess_p_value` in git's `apply.c` does.
///
/// The first diff without git header whose names agree on a level decides. The level holds for this
/// diff and all later ones. A name without a directory has level 0. A name that starts at the top
/// of the repository loses the directories above the root.
pub(super) fn guess_strip_level(plan: &mut Plan<Name>, selection: &Selection) {
    if selection.strip.is_some() || !selection.directory.is_empty() {
        return;
    }
    let below = selection.below.as_deref().unwrap_or_default();
    let guesses = plan
        .operations
        .iter()
        .map(|operation| guess_level(operation, below));
    let Some((first, level)) = guesses
        .enumerate()
        .find_map(|(index, level)| Some((index, level?)))
    else {
        return;
    };
    for operation in &mut plan.operations[first..] {
        let names = [Some(&mut operation.path), operation.from.as_mut()];
        names
            .into_iter()
            .flatten()
            .for_each(|name| name.fix_strip_level(level));
    }
}

/// Returns the strip level on which both names of a diff without git header agree.
fn guess_level(operation: &Operation<Name>, below: &[u8]) -> Option<usize> {
    if operation.distinguishes_missing {
        return None;
    }
    match &operation.path {
        // A created file has one name. A deleted file decides nothing: as in git, the name on the
        // `+++` line must have a level, and `/dev/null` has none.
        Name::Agreed(claims) if operation.action == Action::Create => match &claims[..] {
            [only] if only.strip == StripRule::Prefixed => strip_level_of(&only.bytes, below),
            _ => None,
        },
        Name::Traditional { old, new } => {
            let level = strip_level_of(&new.bytes, below)?;
            strip_level_of(&old.bytes, below)
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

/// Returns the strip level of one name; `None` if the name does not show it. `below` is the path of
/// the root in its repository.
fn strip_level_of(name: &[u8], below: &[u8]) -> Option<usize> {
    let Some(slash) = memchr::memchr(b'/', name) else {
        return Some(0);
    };
    let is_below = |name: &[u8]| {
        name.strip_prefix(below)
            .is_some_and(|rest| rest.starts_with(b"/"))
    };
    let above = memchr::memchr_iter(b'/', below).count() + 1;
    // Below `lib/src`, both `lib/src/x` (level 2) and `a/lib/src/x` (level 3) show the level.
    match () {
        () if below.is_empty() => None,
        () if is_below(name) => Some(above),
        () => is_below(&name[slash + 1..]).then_some(above + 1),
    }
}

/// The directory at which the names of an operation start.
pub(super) enum NameBase<'a> {
    /// The root. The field is the path of the root in its repository, or empty.
    Root(&'a [u8]),
    /// The top of the repository. The field is the path of the root in it.
    Top(&'a [u8]),
}

/// The reasons why an operation concerns files outside the root.
pub(super) enum OutsideRoot {
    /// The file is outside the root.
    Outside(RelPath),
    /// The source of the rename or copy is outside the root. The field is its name.
    SourceOutside(Vec<u8>),
}

impl<'a> NameBase<'a> {
    /// Returns the directory at which the names of `operation` start. With `--git-paths`, the names
    /// of git diffs start at the top of the repository.
    pub(super) fn of(operation: &Operation<Name>, selection: &'a Selection) -> Self {
        let below = selection.below.as_deref().unwrap_or_default();
        let is_plain = !operation.distinguishes_missing || is_literal(&operation.path);
        if is_plain || below.is_empty() {
            Self::Root(below)
        } else {
            Self::Top(below)
        }
    }

    /// Returns the name of `path` in the repository.
    pub(super) fn repository_path(&self, path: &RelPath) -> RelPath {
        let joined = match self {
            Self::Root(below) if !below.is_empty() => {
                RelPath::new(&[below, path.as_bytes()].join(&b'/')).ok()
            }
            _ => None,
        };
        joined.unwrap_or_else(|| path.clone())
    }

    /// Makes the names of the operation relative to the root.
    pub(super) fn make_relative(&self, mut operation: Operation) -> Result<Operation, OutsideRoot> {
        let Self::Top(below) = self else {
            return Ok(operation);
        };
        // The components must match, so `library/x` is not below `lib`.
        let lower = |path: &RelPath| {
            RelPath::new(path.as_bytes().strip_prefix(*below)?.strip_prefix(b"/")?).ok()
        };
        let Some(path) = lower(&operation.path) else {
            return Err(OutsideRoot::Outside(operation.path));
        };
        operation.path = path;
        if let Some(from) = operation.from.take() {
            operation.from = Some(
                lower(&from).ok_or_else(|| OutsideRoot::SourceOutside(from.as_bytes().to_vec()))?,
            );
        }
        Ok(operation)
    }
}

fn is_literal(name: &Name) -> bool {
    matches!(name, Name::Agreed(claims) if claims.iter().any(|claim| claim.strip == StripRule::Literal))
}
