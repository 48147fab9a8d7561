//! Which of the names in a section is meant where several are, as POSIX has it for `patch`: one that is there.

use std::collections::HashMap;

use super::{Action, Claim, Direction, Name, Plan, Strip};
use crate::path::RelPath;

/// How a name is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Naming {
    /// Leading components to take off; without a number all of them (`-p`).
    pub strip: Option<usize>,
    /// Whether the first name counts that is there, instead of the best one, and an `Index:` line beside the others
    /// (`--posix`).
    pub is_posix: bool,
}

/// Gives every section of `plan` one name: of those that `is_there`, the one with the fewest components, then the shortest
/// last one, then the shortest; where none is there, of all. What earlier sections make or delete counts.
pub fn guess(plan: &mut Plan<Name>, naming: Naming, direction: Direction, is_there: &dyn Fn(&RelPath) -> bool) {
    let (makes, deletes) = match direction {
        Direction::Forward => (Action::Create, Action::Delete),
        Direction::Reverse => (Action::Delete, Action::Create),
    };
    let mut touched: HashMap<RelPath, bool> = HashMap::new();
    let mut guess = |operation: &mut super::Operation<Name>| {
        let names = names(operation, naming);
        let paths = names.iter().filter_map(|name| RelPath::new(name.as_slice()).ok()).collect::<Vec<_>>();
        let is_there = |path: &&RelPath| touched.get(*path).copied().unwrap_or_else(|| is_there(path));
        let there: Vec<_> = paths.iter().filter(is_there).collect();
        let first = if naming.is_posix { there.first().copied() } else { None };
        let best = if there.is_empty() {
            paths.iter().min_by_key(|path| cost(path))
        } else {
            there.into_iter().min_by_key(|path| cost(path))
        };
        if let Some(path) = first.or(best).cloned() {
            let span = operation.path.span();
            let claim = Claim { bytes: path.as_bytes().to_vec(), strip: Strip::Literal, span };
            operation.path = Name::Agreed(vec![claim]);
            if operation.action == makes || operation.action == deletes {
                touched.insert(path, operation.action == makes);
            }
        }
        if naming.strip.is_none()
            && let Some(from) = operation.from.as_mut()
            && let Some(bytes) = last_component(from)
        {
            *from = Name::Agreed(vec![Claim { bytes, strip: Strip::Literal, span: from.span() }]);
        }
    };
    match direction {
        Direction::Forward => plan.operations.iter_mut().for_each(&mut guess),
        Direction::Reverse => plan.operations.iter_mut().rev().for_each(&mut guess),
    }
}

/// Components, length of the last one, length.
fn cost(path: &RelPath) -> (usize, usize, usize) {
    let last = path.components().last().map_or(0, <[u8]>::len);
    (path.components().count(), last, path.as_bytes().len())
}

/// Returns the names that count, in the order of POSIX, as far as the strip level leaves any of them. Where lines have to
/// agree on a name that is none but their own.
fn names(operation: &super::Operation<Name>, naming: Naming) -> Vec<Vec<u8>> {
    let of_claim = |claim: &Claim| {
        let name = Name::Agreed(vec![claim.clone()]);
        match naming.strip {
            Some(level) => name.stripped(level).ok().map(<[u8]>::to_vec),
            None => last_component(&name),
        }
    };
    let index = operation.lead.index.iter().filter(|_| naming.is_posix);
    match &operation.path {
        Name::Traditional { old, new } => [old, new].into_iter().chain(index).filter_map(of_claim).collect(),
        other if naming.strip.is_none() => last_component(other).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn last_component(name: &Name) -> Option<Vec<u8>> {
    let whole = name.stripped(0).or_else(|_| name.stripped(1)).ok()?;
    whole.rsplit(|&byte| byte == b'/').next().map(<[u8]>::to_vec)
}
