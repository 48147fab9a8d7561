//! Groups of operations that depend on each other. One thread performs the operations of a group in
//! order.
//!
//! Two operations belong to one group if they name the same file, if the path of one is above the
//! path of the other, or if one takes lines from the other.

use std::collections::HashMap;
use std::hash::RandomState;

use super::Options;
use super::directories::DirectoryCache;
use super::findings::Findings;
use super::obstacles::Obstacles;
use super::operation::GroupExecutor;
use crate::change::FileChange;
use crate::path::RelPath;
use crate::plan::{Operation, Plan};
use crate::text::hash_folded;
use crate::workspace::{Workspace, WorkspaceError};

/// Disjoint groups of operations.
#[derive(Debug)]
pub(super) struct Groups {
    /// The indexes of all operations, group by group, in plan order within each group.
    members: Vec<usize>,
    /// The end of each group in `members`.
    ends: Vec<usize>,
}

impl Groups {
    /// Returns the number of groups.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the indexes of the operations in a group.
    pub(super) fn get(&self, number: usize) -> &[usize] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.members[start..self.ends[number]]
    }
}

/// Returns the groups of `plan`. With `--reject`, an operation also names the file for its rejected
/// hunks. If the interrupt is raised, the groups are incomplete and must not be used.
pub(super) fn group_operations(plan: &Plan, options: &Options) -> Groups {
    sets(plan, options).into_groups()
}

/// Returns the files for rejected hunks, each with the index of its operation.
fn reject_paths(plan: &Plan, options: &Options) -> Vec<(usize, RelPath)> {
    if !options.reject {
        return Vec::new();
    }
    let file = |operation: &Operation| options.reject_to.path(&operation.path).ok()?;
    let all = plan.operations.iter().enumerate();
    all.filter_map(|(index, operation)| Some((index, file(operation)?)))
        .collect()
}

fn sets(plan: &Plan, options: &Options) -> DisjointSets {
    let rejected = reject_paths(plan, options);
    let mut sets = DisjointSets::new(plan.operations.len());
    if plan.operations.len() < 2 {
        return sets;
    }
    // Paths are compared in folded form, because some file systems treat names that differ in case
    // as one name.
    let hasher = RandomState::new();
    let mut first: HashMap<u64, usize> = HashMap::with_capacity(plan.operations.len());
    let named = || {
        let named = plan.operations.iter().enumerate();
        let named =
            named.flat_map(|(index, operation)| paths(operation).map(move |path| (index, path)));
        let all = named.chain(rejected.iter().map(|(index, path)| (*index, path)));
        options.rules.interrupt.take_until_raised(all)
    };
    for (index, path) in named() {
        sets.join(
            index,
            *first
                .entry(hash_folded(path.as_bytes(), &hasher))
                .or_insert(index),
        );
    }
    // Successive paths are often in the same directory. Such a path belongs to the groups that were
    // found for the path before it.
    let mut spellings = VisitedDirectories::default();
    for (index, path) in named() {
        if spellings.last == path.parent_bytes() {
            spellings
                .joined
                .iter()
                .for_each(|&other| sets.join(index, other));
            continue;
        }
        spellings.last = path.parent_bytes();
        spellings.joined.clear();
        for above in path.ancestor_bytes() {
            let hash = hash_folded(above, &hasher);
            spellings.joined.extend(first.get(&hash));
            let &mut (spelling, other) = spellings.known.entry(hash).or_insert((above, index));
            // One group contains both spellings of a directory, so that the check for name clashes
            // sees both.
            if spelling != above {
                sets.join(index, other);
            }
        }
        spellings
            .joined
            .iter()
            .for_each(|&other| sets.join(index, other));
    }
    for (index, source) in super::lines::find_line_sources(plan) {
        sets.join(index, source);
    }
    sets
}

/// The directories above the paths that were visited.
#[derive(Default)]
struct VisitedDirectories<'p> {
    /// The directory of the last path.
    last: Option<&'p [u8]>,
    /// The operations whose path is the directory `last` or a directory above it.
    joined: Vec<usize>,
    /// The first spelling of each directory and the operation with this spelling, by folded hash.
    known: HashMap<u64, (&'p [u8], usize)>,
}

fn paths(operation: &Operation) -> impl Iterator<Item = &RelPath> {
    std::iter::once(&operation.path).chain(&operation.from)
}

/// The result of a group: the findings by index of the operation, and the file changes.
type GroupResolution = (Vec<(usize, Findings)>, Vec<FileChange>);

/// Performs the operations `members` of `plan` in order over one overlay.
pub(super) fn resolve(
    plan: &Plan,
    members: &[usize],
    (workspace, directories): (&dyn Workspace, &DirectoryCache),
    options: &Options,
) -> Result<GroupResolution, WorkspaceError> {
    let mut worker = GroupExecutor::new(plan, members, (workspace, directories), options);
    let mut all = Vec::with_capacity(members.len());
    let mut step = 0;
    for &index in members {
        // A step ends when the next one begins.
        if plan.operations[index].step != step {
            worker.check_uncopies(&mut all)?;
            step = plan.operations[index].step;
        }
        let findings = worker.resolve(index)?;
        let is_last = findings.has_error() && options.can_stop_early();
        all.push((index, findings));
        if is_last {
            return Ok((all, Vec::new()));
        }
    }
    worker.check_uncopies(&mut all)?;
    if members.len() > 1 {
        worker.check_parents(&mut all)?;
    }
    worker.store_all_rejects(&mut all)?;
    worker.check_dependent_rejects(&mut all);
    worker.run_guards(&mut all);
    worker.write_full_diff(&mut all);
    for (index, findings) in &mut all {
        findings.set_operations(plan, *index);
    }
    if all.iter().any(|(_, findings)| findings.has_error()) {
        return Ok((all, Vec::new()));
    }
    let changes = worker.into_changes();
    if !options.checks_rights {
        return Ok((all, changes));
    }
    let obstacles = Obstacles {
        workspace,
        rights: &directories.rights,
        keeps_hard_links: options.keeps_hard_links,
    };
    let is_writable = obstacles.report(plan, &changes, &mut all);
    Ok((all, if is_writable { changes } else { Vec::new() }))
}

/// Disjoint sets of operations: a union-find forest with path halving.
struct DisjointSets {
    parent: Vec<usize>,
}

impl DisjointSets {
    fn new(count: usize) -> Self {
        Self {
            parent: (0..count).collect(),
        }
    }

    fn root(&mut self, mut index: usize) -> usize {
        while self.parent[index] != index {
            self.parent[index] = self.parent[self.parent[index]];
            index = self.parent[index];
        }
        index
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
    }

    /// Returns the sets, ordered by their first members.
    fn into_groups(mut self) -> Groups {
        let roots: Vec<_> = (0..self.parent.len())
            .map(|index| self.root(index))
            .collect();
        let mut members: Vec<_> = (0..roots.len()).collect();
        // `join` keeps the smaller root, so a root is the first member of its set.
        members.sort_unstable_by_key(|&index| (roots[index], index));
        let ends = members
            .chunk_by(|&a, &b| roots[a] == roots[b])
            .scan(0, |end, group| {
                *end += group.len();
                Some(*end)
            });
        let ends = ends.collect();
        Groups { members, ends }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Selection, select};
    use crate::syntax;

    /// Returns the groups of a patch that changes files with these names in this order.
    fn grouped(names: &[&str]) -> Vec<Vec<usize>> {
        let section =
            |name: &&str| format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-{name}\n+x\n");
        let text: String = names.iter().map(section).collect();
        let parsed = syntax::parse(
            "-",
            text,
            &syntax::select_syntaxes("auto"),
            syntax::Options::default(),
        )
        .unwrap();
        let groups = group_operations(
            &select(parsed, &Selection::default()).plan,
            &Options::default(),
        );
        (0..groups.len())
            .map(|number| groups.get(number).to_vec())
            .collect()
    }

    #[test]
    fn a_group_has_what_touches_one_file_or_what_is_below_it() {
        assert_eq!(grouped(&["a", "b", "c"]), [[0], [1], [2]]);
        assert_eq!(
            grouped(&["a", "b", "a", "c", "b"]),
            [vec![0, 2], vec![1, 4], vec![3]]
        );
        assert_eq!(
            grouped(&["d/e/f", "b", "d", "d-e"]),
            [vec![0, 2], vec![1], vec![3]]
        );
        let nothing = group_operations(&Plan::default(), &Options::default());
        assert_eq!(nothing.len(), 0);
    }
}
