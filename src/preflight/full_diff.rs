//! The combined diff of a group, with one section for each file that changes.
//!
//! Any pair of an old and a new file gives a correct diff. A rename is written only if git can
//! apply it: the source is removed, and the target did not exist or is renamed itself.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Options;
use super::converter::Converter;
use super::findings::Findings;
use super::modes::git_mode;
use super::overlay::{Node, Overlay};
use crate::digest::{ObjectFormat, blob_id};
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::plan::{Action, Edit, LineKind, Operation, Plan};
use crate::syntax::write::{DiffSide, whole_diff};

/// Attaches the diff of each file to the last operation on it.
pub(super) fn write(
    plan: &Plan,
    overlay: &Overlay<'_>,
    options: &Options,
    all: &mut [(usize, Findings)],
) {
    let members: Vec<_> = all
        .iter()
        .map(|(index, _)| &plan.operations[*index])
        .collect();
    let files = DiffFiles::of(overlay, &members);
    // Contents are shown in the form of the repository, as `git diff` shows them.
    let shown = |path: &RelPath, node: &Node| {
        let member = files
            .last
            .get(path)
            .and_then(|&member| members.get(member))?;
        Converter::new(plan, member, options)
            .to_repository(path, node)
            .ok()
    };
    let shown = DiffContent {
        find: &shown,
        format: options.object_format(),
    };
    for (path, file) in &files.all {
        let diff = files.diff(path, file, shown);
        if let Some((_, findings)) = files.last.get(path).and_then(|&member| all.get_mut(member)) {
            findings.outcome.diff.get_or_insert_default().extend(diff);
        }
    }
    let modes: Vec<_> = all
        .iter()
        .map(|(_, findings)| findings.outcome.modes)
        .collect();
    for (path, diff) in Submodules::of(plan, &members, &modes).diffs() {
        if let Some((_, findings)) = files.last.get(path).and_then(|&member| all.get_mut(member)) {
            findings.outcome.diff.get_or_insert_default().extend(diff);
        }
    }
}

/// A file before and after all operations. Directories do not count as files.
#[derive(Clone, Copy)]
struct NodePair<'n> {
    before: Option<&'n Node>,
    after: Option<&'n Node>,
}

/// The content that a diff shows.
#[derive(Clone, Copy)]
struct DiffContent<'s> {
    /// Returns a file with the shown content; `None` if the diff shows the content in the work
    /// tree.
    find: &'s dyn Fn(&RelPath, &Node) -> Option<Node>,
    /// The hash of the object names.
    format: ObjectFormat,
}

struct DiffFiles<'n> {
    all: BTreeMap<&'n RelPath, NodePair<'n>>,
    /// The last operation on each file, as its position in the group. For a file that is only the
    /// source of renames and copies, the first of them.
    last: HashMap<&'n RelPath, usize>,
    /// The source of each copied file.
    copies: HashMap<&'n RelPath, &'n RelPath>,
    /// The source of each renamed file.
    renames: HashMap<&'n RelPath, &'n RelPath>,
    /// The sources of the renamed files.
    gone: HashSet<&'n RelPath>,
}

impl<'n> DiffFiles<'n> {
    fn of(overlay: &'n Overlay<'_>, members: &[&'n Operation]) -> Self {
        let file = |node: Option<&'n Node>| node.filter(|node| node.kind != FileKind::Directory);
        let nodes = overlay.nodes().map(|(path, before, after)| {
            (
                path,
                NodePair {
                    before: file(before),
                    after: file(after),
                },
            )
        });
        let (mut last, mut copies) = (HashMap::new(), HashMap::new());
        for (member, operation) in members.iter().enumerate() {
            last.insert(overlay.stored_name(&operation.path), member);
            if let (Action::Copy, Some(from)) = (operation.action, &operation.from) {
                copies.insert(
                    overlay.stored_name(&operation.path),
                    overlay.stored_name(from),
                );
            }
        }
        for (member, operation) in members.iter().enumerate() {
            operation
                .from
                .iter()
                .for_each(|from| _ = last.entry(overlay.stored_name(from)).or_insert(member));
        }
        let all = nodes.collect();
        let renames = renames(&all);
        let gone = renames.values().copied().collect();
        Self {
            all,
            last,
            copies,
            renames,
            gone,
        }
    }

    fn before(&self, path: &RelPath) -> Option<&'n Node> {
        self.all.get(path)?.before
    }

    fn diff(&self, path: &RelPath, file: &NodePair<'_>, shown: DiffContent<'_>) -> Vec<u8> {
        let moved = self.renames.get(path).map(|&from| (Action::Rename, from));
        let copied = || self.copies.get(path).map(|&from| (Action::Copy, from));
        let moved = moved.or_else(|| copied().filter(|_| file.before.is_none()));
        let same_kind = |from| {
            self.before(from)
                .filter(|old| file.after.is_some_and(|new| new.kind == old.kind))
        };
        if let Some((action, from, old)) =
            moved.and_then(|(action, from)| Some((action, from, same_kind(from)?)))
        {
            return diff(
                action,
                Some((from, old)),
                file.after.map(|new| (path, new)),
                shown,
            );
        }
        let before = file.before.filter(|_| !self.gone.contains(path));
        diff(
            Action::Modify,
            before.map(|old| (path, old)),
            file.after.map(|new| (path, new)),
            shown,
        )
    }
}

/// Returns the source of each file that the diff can show as renamed.
fn renames<'n>(files: &BTreeMap<&'n RelPath, NodePair<'n>>) -> HashMap<&'n RelPath, &'n RelPath> {
    let (mut from, mut to) = (HashMap::new(), HashMap::new());
    for (&path, file) in files {
        let Some((new, source)) = file.after.and_then(|new| Some((new, new.like.as_ref()?))) else {
            continue;
        };
        let is_left = |left: &NodePair<'_>| {
            left.after
                .is_none_or(|after| after.like.as_ref() != Some(source))
        };
        let is_moved = |left: &NodePair<'_>| {
            left.before.is_some_and(|old| old.kind == new.kind) && is_left(left)
        };
        if source != path && files.get(source).is_some_and(is_moved) && !to.contains_key(source) {
            to.insert(source, path);
            from.insert(path, source);
        }
    }
    // git cannot rename a file to an existing one, unless the existing file is renamed too. If a
    // rename is dropped, its source counts as existing again and can block a further rename.
    let was_there = |path: &RelPath| files.get(path).is_some_and(|file| file.before.is_some());
    let mut blocked: Vec<_> = from
        .keys()
        .copied()
        .filter(|path| was_there(path) && !to.contains_key(path))
        .collect();
    while let Some(path) = blocked.pop() {
        let Some(source) = from.remove(path) else {
            continue;
        };
        to.remove(source);
        blocked.push(source);
    }
    from
}

/// Returns the diff between two files with their names.
fn diff(
    action: Action,
    before: Option<(&RelPath, &Node)>,
    after: Option<(&RelPath, &Node)>,
    shown: DiffContent<'_>,
) -> Vec<u8> {
    if before.is_none() && after.is_none() {
        return Vec::new();
    }
    let sides = [before, after].map(|file| {
        let (path, node) = file?;
        let node = (shown.find)(path, node).unwrap_or_else(|| node.clone());
        let blob = blob_id(&node.bytes, shown.format);
        Some((path, node, blob))
    });
    let [old, new] = sides.each_ref().map(|side| {
        let (path, node, blob) = side.as_ref()?;
        Some(DiffSide {
            path,
            mode: git_mode(node),
            content: &node.bytes,
            blob,
        })
    });
    whole_diff(action, old.as_ref(), new.as_ref())
}

/// Submodules. The tree does not contain their commits, so the patch supplies them.
#[derive(Default)]
struct Submodules<'n> {
    before: BTreeMap<&'n RelPath, Vec<u8>>,
    after: BTreeMap<&'n RelPath, Submodule<'n>>,
}

/// A submodule after the operations so far.
struct Submodule<'n> {
    /// The path before all operations, if the submodule existed then.
    from: Option<&'n RelPath>,
    /// The text of its side of a diff (`Subproject commit ...`); empty if it is unknown.
    commit: Vec<u8>,
}

impl<'n> Submodules<'n> {
    fn of(
        plan: &Plan,
        members: &[&'n Operation],
        modes: &[(Option<FileMode>, Option<FileMode>)],
    ) -> Self {
        let is = |mode: Option<FileMode>| mode == Some(FileMode::Submodule);
        let mut modules = Self::default();
        for (operation, modes) in members
            .iter()
            .zip(modes)
            .filter(|(_, modes)| is(modes.0) || is(modes.1))
        {
            let [old, new] = [LineKind::Insertion, LineKind::Deletion]
                .map(|other| lines_without(operation, plan, other));
            let found = is(modes.0).then(|| {
                modules.take_module(operation.from.as_ref().unwrap_or(&operation.path), old)
            });
            if is(modes.1) {
                let (from, known) =
                    found.map_or((None, Vec::new()), |module| (module.from, module.commit));
                let commit = if new.is_empty() { known } else { new };
                modules
                    .after
                    .insert(&operation.path, Submodule { from, commit });
            }
        }
        modules
    }

    /// Removes and returns the submodule at `path`. It has `commit` if no operation put it there.
    fn take_module(&mut self, path: &'n RelPath, commit: Vec<u8>) -> Submodule<'n> {
        self.after.remove(path).unwrap_or_else(|| {
            self.before.insert(path, commit.clone());
            Submodule {
                from: Some(path),
                commit,
            }
        })
    }

    fn diffs(&self) -> Vec<(&'n RelPath, Vec<u8>)> {
        let kept: HashSet<_> = self
            .after
            .values()
            .filter_map(|module| module.from)
            .collect();
        let gone = self.before.iter().filter(|(path, _)| !kept.contains(*path));
        let gone = gone.map(|(&path, commit)| (path, module_diff(Some((path, commit)), None)));
        let after = self.after.iter().map(|(&path, module)| {
            let before = module
                .from
                .and_then(|from| Some((from, self.before.get(from)?)));
            (path, module_diff(before, Some((path, &module.commit))))
        });
        gone.chain(after).collect()
    }
}

/// Returns the lines of the operation, except the lines of one kind.
fn lines_without(operation: &Operation, plan: &Plan, kind: LineKind) -> Vec<u8> {
    let Edit::Hunks(hunks) = &operation.edit else {
        return Vec::new();
    };
    let lines = hunks
        .iter()
        .flat_map(|hunk| hunk.lines(plan.text(operation), operation.direction));
    lines
        .filter(|line| line.kind != kind)
        .flat_map(|line| line.text.to_vec())
        .collect()
}

fn module_diff(
    before: Option<(&RelPath, &Vec<u8>)>,
    after: Option<(&RelPath, &Vec<u8>)>,
) -> Vec<u8> {
    let blob = |side: Option<(&RelPath, &Vec<u8>)>| {
        let name = side
            .and_then(|(_, commit)| commit.strip_prefix(b"Subproject commit "))
            .unwrap_or_default();
        String::from_utf8_lossy(name.trim_ascii()).into_owned()
    };
    let (old_blob, new_blob) = (blob(before), blob(after));
    let mode = FileMode::Submodule;
    let old = before.map(|(path, commit)| DiffSide {
        path,
        mode,
        content: commit,
        blob: &old_blob,
    });
    let new = after.map(|(path, commit)| DiffSide {
        path,
        mode,
        content: commit,
        blob: &new_blob,
    });
    let is_move = before.zip(after).is_some_and(|(old, new)| old.0 != new.0);
    whole_diff(
        if is_move {
            Action::Rename
        } else {
            Action::Modify
        },
        old.as_ref(),
        new.as_ref(),
    )
}
