//! Three-way: a patch that was made for other contents than a file has, merged with what became of the file (`--3way`).

use std::collections::HashMap;
use std::sync::Arc;

use super::edit::{self, Edited, compare};
use super::findings::Findings;
use super::overlay::Node;
use super::{Options, checks, code};
use crate::digest::is_blob;
use crate::matching::{Conflict, ConflictStyle, Favour, Merged, MergedHunk, merge};
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::plan::{Action, Blobs, Edit, Operation};
use crate::text::{Bytes, is_binary, printable};
use crate::workspace::objects::{Objects, Repository};
use crate::workspace::{Fault, Workspace, WorkspaceError};

/// Most conflicts that a message names.
const MOST_NAMED: usize = 8;

/// How patches are merged with what became of their files.
#[derive(Clone, Debug, Default)]
pub struct ThreeWay {
    /// Where the contents are that patches were made for.
    pub bases: Bases,
    /// Whose lines are taken where both sides changed the same.
    pub favour: Option<Favour>,
    /// What is done where nothing decides that.
    pub conflicts: Conflicts,
    /// What attributes say of files; see "merge" in gitattributes(5).
    pub drivers: HashMap<RelPath, Driver>,
    /// Whether git's index changes with the files. What it has gives way to what is renamed or copied to its name, as in
    /// git, and it gets the sides of conflicts.
    pub is_indexed: bool,
}

impl ThreeWay {
    /// Returns whether what is there gives way to what the operation makes; git wants a merge of lines for that.
    pub(super) fn clears(&self, operation: &Operation, limit: u64) -> Result<bool, WorkspaceError> {
        let may_merge = self.is_indexed
            && matches!(operation.action, Action::Rename | Action::Copy)
            && operation.hunks().next().is_some();
        Ok(may_merge && self.bases.find(operation, limit)?.is_some())
    }
}

/// Where the contents are that patches were made for, first to last.
#[derive(Clone, Debug, Default)]
pub struct Bases {
    /// What the user names (`--base`).
    pub given: Option<Given>,
    /// A repository that has the blobs of `index` lines.
    pub objects: Option<Repository>,
    /// What the history keeps, by the path and the name that an `index` line has for the blob.
    pub kept: KeptBases,
}

/// Contents by path and name.
pub type KeptBases = HashMap<(RelPath, Vec<u8>), Arc<Bytes>>;

/// What the user names as the contents that a patch was made for.
#[derive(Clone, Debug)]
pub enum Given {
    /// The contents of every file that it changes.
    Contents(Arc<Bytes>),
    /// The tree that it was made for.
    Tree(Arc<Objects>),
}

/// What is done where both sides changed the same lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Conflicts {
    /// Nothing is applied.
    #[default]
    Refused,
    /// Both sides are written into the file, between markers (`--conflict`).
    Marked(ConflictStyle),
}

/// How git would merge a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Driver {
    /// Lines of both sides are taken.
    Union,
    /// One side is taken as a whole.
    Binary,
    /// A program of this name in the configuration, which is not run.
    Program(Vec<u8>),
}

/// Where the contents came from that a patch was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseKind {
    /// The repository, which has the blob.
    Objects,
    /// The history.
    History,
    /// What the user named.
    Given,
    /// Nothing: both sides made the file.
    Nothing,
    /// The hunks themselves, as far as they have it.
    Hunks,
}

/// Why a patch is not merged with what became of its file, but applied as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// It changes no lines that are there, or not those that it was made for.
    Unmergeable,
    /// Nobody has what it was made for.
    Baseless,
}

/// What a patch was made for, and where that came from.
type Base = (Arc<Bytes>, BaseKind);

/// How a patch was merged with what became of its file.
#[derive(Clone, Debug)]
pub struct Merge {
    /// Where the contents came from that it was made for.
    pub base: BaseKind,
    /// The lines that both sides changed, and that nothing decided. Of binary files and links they are all.
    pub conflicts: Vec<Conflict>,
    /// Whether the sides are taken as a whole, as those of links are, too.
    pub is_binary: bool,
    /// Whether the file is going to have the conflicts in it.
    pub is_marked: bool,
    /// What became of each hunk, where they were merged one by one.
    pub hunks: Vec<MergedHunk>,
    /// The sides, of a file that is going to have conflicts in it, where an index gets them.
    pub sides: Option<MergeSides>,
}

/// The contents that were merged.
#[derive(Clone, Debug)]
pub struct MergeSides {
    /// What the patch was made for; `None` if it makes the file.
    pub base: Option<Arc<Bytes>>,
    /// What became of that since.
    pub ours: Arc<Bytes>,
    /// What the patch makes of it.
    pub theirs: Arc<Bytes>,
}

/// What came of an attempt.
pub(super) enum Attempt {
    /// The file as it is merged.
    Merged(Vec<u8>),
    /// It cannot be done, and the findings say why.
    Refused,
    /// There is nothing to merge, as the file is what the patch was made for.
    Direct,
    /// It cannot be merged.
    Unmergeable,
    /// Nobody has what the patch was made for.
    Baseless,
}

/// Merges what the operation makes of the contents that it was made for with `before`, which is what became of them.
pub(super) fn attempt(
    operation: &Operation,
    text: &[u8],
    before: Option<&Node>,
    options: &Options,
    findings: &mut Findings,
) -> Result<Attempt, WorkspaceError> {
    let Some(three_way) = &options.three_way else { return Ok(Attempt::Direct) };
    let Some(before) = before else { return Ok(Attempt::Unmergeable) };
    let is_made = operation.action == Action::Create;
    let may_merge = match operation.edit {
        Edit::Hunks(_) | Edit::Binary(_) | Edit::BinaryMissing => {
            !matches!(operation.action, Action::Delete | Action::Uncopy)
        }
        _ => is_made,
    };
    let is_kept = operation.new_mode.is_none_or(|mode: FileMode| mode.kind() == before.kind);
    if !may_merge || !is_kept || !matches!(before.kind, FileKind::Regular | FileKind::Symlink) {
        return Ok(Attempt::Unmergeable);
    }
    let named = operation.blobs.as_ref().map(|blobs| blobs.old.as_slice());
    if !is_made && three_way.bases.given.is_none() && named.is_some_and(|name| is_blob(&before.bytes, name)) {
        return Ok(Attempt::Direct);
    }
    let Some((base, kind)) = three_way.bases.find(operation, options.max_read())? else {
        return Ok(Attempt::Baseless);
    };
    if !is_made && &base == before.bytes.whole() {
        return Ok(Attempt::Direct);
    }
    let Some(theirs) = patched(operation, text, &base, options, findings) else {
        return Ok(if is_made { Attempt::Refused } else { Attempt::Unmergeable });
    };
    let sides = MergeSides { base: (!is_made).then_some(base), ours: Arc::clone(before.bytes.whole()), theirs };
    Ok(merged((operation, before.kind), three_way, (kind, sides), findings))
}

/// Returns what the operation makes of `base`. What it says of its places there is of no use.
fn patched(
    operation: &Operation,
    text: &[u8],
    base: &Arc<Bytes>,
    options: &Options,
    findings: &mut Findings,
) -> Option<Arc<Bytes>> {
    let mut aside = Findings::default();
    let edited = edit::postimage(operation, text, &Arc::clone(base).into(), options, &mut aside);
    if operation.action == Action::Create || edited.is_some() {
        aside.problems.retain(|problem| *problem.code != code::SEVERAL_PLACES);
        findings.problems.append(&mut aside.problems);
        findings.outcome.failed = findings.outcome.failed.or(aside.outcome.failed);
        findings.outcome.whitespace = aside.outcome.whitespace;
    }
    Some(match edited? {
        Edited::Same => Arc::clone(base),
        Edited::Changed(bytes) => Arc::clone(bytes.whole()),
    })
}

fn merged(
    (operation, kind): (&Operation, FileKind),
    three_way: &ThreeWay,
    (base, sides): (BaseKind, MergeSides),
    findings: &mut Findings,
) -> Attempt {
    let driver = three_way.drivers.get(&operation.path);
    let nothing = Arc::default();
    let texts = [sides.base.as_ref().unwrap_or(&nothing), &sides.ours, &sides.theirs];
    let is_link = kind == FileKind::Symlink;
    let is_whole = is_link || driver == Some(&Driver::Binary) || texts.iter().any(|text| is_binary(text));
    let favour = three_way.favour.or((driver == Some(&Driver::Union)).then_some(Favour::Union));
    let style = if let Conflicts::Marked(style) = three_way.conflicts { style } else { ConflictStyle::default() };
    let Merged { bytes, conflicts } = if texts[0] == texts[2] || texts[1] == texts[2] {
        Merged { bytes: texts[1].to_vec(), conflicts: Vec::new() }
    } else if let Some(Driver::Program(name)) = driver {
        tell_driver(name, findings);
        return Attempt::Refused;
    } else if is_whole {
        one_side(texts, favour)
    } else {
        merge(texts[0], texts[1], texts[2], favour, style)
    };
    compare(texts[1], &bytes, &mut findings.outcome);
    let has_conflicts = !conflicts.is_empty();
    let is_marked = three_way.conflicts != Conflicts::Refused && !is_link;
    if has_conflicts && is_link {
        tell_link(texts, findings);
    }
    let is_refused = has_conflicts && !is_marked;
    let is_marked = has_conflicts && is_marked;
    let sides = (is_marked && three_way.is_indexed).then_some(sides);
    let merge = Merge { base, conflicts, is_binary: is_whole, is_marked, hunks: Vec::new(), sides };
    if !is_link {
        tell(&merge, findings);
    }
    findings.outcome.merge = Some(Box::new(merge));
    if is_refused { Attempt::Refused } else { Attempt::Merged(bytes) }
}

/// Merges what has no lines.
fn one_side([base, ours, theirs]: [&Arc<Bytes>; 3], favour: Option<Favour>) -> Merged {
    let all = |text: &[u8]| 0..text.split_inclusive(|&byte| byte == b'\n').count();
    let conflict = Conflict { base: all(base), ours: all(ours), theirs: all(theirs) };
    match favour {
        Some(Favour::Ours) => Merged { bytes: ours.to_vec(), conflicts: Vec::new() },
        Some(Favour::Theirs) => Merged { bytes: theirs.to_vec(), conflicts: Vec::new() },
        Some(Favour::Union) | None => Merged { bytes: ours.to_vec(), conflicts: vec![conflict] },
    }
}

/// Says where the conflicts are, if there are any.
pub(super) fn tell(merge: &Merge, findings: &mut Findings) {
    let &Merge { ref conflicts, is_binary, is_marked, .. } = merge;
    if conflicts.is_empty() {
        return;
    }
    let message = if is_binary {
        "the patch and the file change the same binary contents".to_owned()
    } else {
        let named: Vec<_> = conflicts.iter().take(MOST_NAMED).map(place).collect();
        let more = if conflicts.len() > MOST_NAMED { " and others" } else { "" };
        let what = if conflicts.len() == 1 { "a conflict" } else { "conflicts" };
        format!("the patch changes lines that the file has otherwise: {what} at {}{more}", named.join(", "))
    };
    let problem = if is_marked {
        findings.warning(&code::MERGE_CONFLICT, message)
    } else {
        findings.error(&code::MERGE_CONFLICT, message)
    };
    problem.lines = conflicts.iter().map(|conflict| conflict.ours.start).collect();
    let help = if is_marked && !is_binary {
        "both sides are in the file, between markers"
    } else if is_marked {
        "the file is unchanged; --theirs uses the result of the patch"
    } else {
        "--ours, --theirs or --union decides, --conflict markers writes both sides into the file"
    };
    problem.help = Some(help.to_owned());
}

/// Says that a link can lead to one place only, and to no lines of markers.
fn tell_link([_, ours, theirs]: [&Arc<Bytes>; 3], findings: &mut Findings) {
    let (ours, theirs) = (printable(ours), printable(theirs));
    let message = format!("both sides changed the link: it leads to `{ours}` now, and to `{theirs}` by the patch");
    let help = "a link cannot contain conflict markers: --ours keeps it, --theirs uses that of the patch";
    findings.error(&code::MERGE_CONFLICT, message).help = Some(help.to_owned());
}

/// Says that nobody but a program knows how the file is merged.
fn tell_driver(name: &[u8], findings: &mut Findings) {
    let message =
        format!("both sides changed it, and the merge driver `{}` is a program, which is not run", printable(name));
    let help = "`git apply --3way` runs it; --exclude leaves the file out".to_owned();
    findings.error(&code::MERGE_CONFLICT, message).help = Some(help);
}

/// Returns where a conflict is in the file as it was, as people count lines.
fn place(conflict: &Conflict) -> String {
    let lines = &conflict.ours;
    match lines.len() {
        0 => format!("line {} (nothing there)", lines.start + 1),
        1 => format!("line {}", lines.end),
        _ => format!("lines {}-{}", lines.start + 1, lines.end),
    }
}

/// Says that there was nothing to merge a patch with that does not fit.
pub(super) fn tell_baseless(operation: &Operation, findings: &mut Findings) {
    let message = match &operation.blobs {
        Some(blobs) => {
            format!("the repository lacks the blob {} that the patch is based on", printable(&blobs.old))
        }
        None => "the patch does not name the blob that it was made for".to_owned(),
    };
    findings.warning(&code::NO_BLOB, message).help = Some("--base names the file or the revision".to_owned());
}

/// Says that a file is there already which the patch makes, and with which it cannot be merged.
pub(super) fn tell_rival(operation: &Operation, text: &[u8], before: &Node, findings: &mut Findings) {
    checks::exists(operation, &super::overlay::Seen::Node(before.clone()), text, findings);
}

impl Bases {
    /// Returns the contents that the operation was made for, if they are known and not larger than `limit`.
    fn find(&self, operation: &Operation, limit: u64) -> Result<Option<Base>, WorkspaceError> {
        if operation.action == Action::Create {
            return Ok(Some((Arc::default(), BaseKind::Nothing)));
        }
        let path = operation.from.as_ref().unwrap_or(&operation.path);
        match &self.given {
            Some(Given::Contents(contents)) => return Ok(Some((Arc::clone(contents), BaseKind::Given))),
            Some(Given::Tree(tree)) => {
                return match tree.read(path, limit) {
                    Ok((contents, _)) => Ok(Some((Arc::new(contents), BaseKind::Given))),
                    Err(error) if error.fault == Fault::Other => Err(error),
                    Err(_) => Ok(None),
                };
            }
            None => {}
        }
        let Some(Blobs { old: name, .. }) = operation.blobs.as_deref() else { return Ok(None) };
        let blob = self.objects.as_ref().map(|objects| objects.find_blob(name, limit)).transpose()?.flatten();
        let found = blob.map(|(_, contents)| (Arc::new(contents.into()), BaseKind::Objects));
        let kept = || self.kept.get(&(path.clone(), name.clone())).map(|kept| (Arc::clone(kept), BaseKind::History));
        Ok(found.or_else(kept))
    }
}
