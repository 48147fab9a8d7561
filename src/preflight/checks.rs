//! Conditions that a path must satisfy before an operation uses it. Each check reports its failure.

mod creation;

use bstr::ByteSlice;

use super::codes::code;
use super::findings::Findings;
use super::modes;
use super::options::UnmetPrecondition;
use super::overlay::{Node, Overlay, PathState};
use super::problem::{Problem, ProblemFacts};
use crate::digest::{Sha256, has_blob_id};
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::plan::{Action, BlobIds, Direction, Edit, LineKind, Operation};
use crate::text::printable;
use crate::workspace::{Workspace, WorkspaceError};

pub(super) use creation::CreationCheck;

/// The maximum length of a symbolic link's target in bytes: `PATH_MAX` without the final NUL, see
/// `symlink(7)`.
const MAX_TARGET: usize = 4095;

/// The number of hex digits of a full SHA-1 object name. A full SHA-256 name is longer.
const SHA1_DIGITS: usize = 40;

/// Reports that the file at `path` is not in the required state.
pub(super) fn report_unmet(
    path: &RelPath,
    seen: &PathState,
    source: UnmetPrecondition,
    findings: &mut Findings,
) {
    let is_gone = matches!(seen, PathState::Nothing | PathState::BelowFile(_));
    let action = if is_gone { "deleted" } else { "modified" };
    let (code, since, help) = match source {
        UnmetPrecondition::Conflict => (
            &code::CONFLICT,
            "after this change",
            Some("use --force to restore the file anyway; that can be undone, too".into()),
        ),
        UnmetPrecondition::Stale => (&code::STALE, "after it was read", None),
    };
    let problem = findings.error(code, format!("the file was {action} {since}"));
    problem.path = Some(path.clone());
    problem.help = help;
}

/// Returns the file at `path`, or reports why it cannot be read.
pub(super) fn require_file(
    path: &RelPath,
    seen: PathState,
    findings: &mut Findings,
) -> Option<Node> {
    match seen {
        PathState::Node(node) => return Some(node),
        PathState::Nothing | PathState::BelowFile(_) => {
            let problem = findings.error(&code::MISSING, "the file does not exist");
            problem.path = Some(path.clone());
            problem.help =
                Some("check the file name, the root and the strip level (-p); the patch may already be applied".into());
        }
        PathState::ThroughLink(_) | PathState::Special | PathState::TooLarge { .. } => {
            refuse_blocked(path, &seen, findings);
        }
    }
    None
}

/// Reports an entry at or above `path` that blocks the path.
pub(super) fn refuse_blocked(path: &RelPath, seen: &PathState, findings: &mut Findings) {
    let problem = match seen {
        PathState::ThroughLink(at) => refuse_link(at, findings),
        PathState::BelowFile(at) => findings.error(
            &code::NOT_A_DIRECTORY,
            format!("the existing file `{at}` blocks this path"),
        ),
        PathState::Special => findings.error(
            &code::NOT_A_FILE,
            "is a special file (FIFO, socket or device), not a regular file",
        ),
        &PathState::TooLarge { size, limit } => {
            let message = format!("the file has {size} bytes, which exceeds the limit of {limit}");
            add_limit(findings.error(&code::TOO_LARGE, message), size, limit)
        }
        PathState::Nothing | PathState::Node(_) => return,
    };
    problem.path = Some(path.clone());
}

/// Adds the size, the limit (both in bytes) and a help text to `problem`.
pub(super) fn add_limit(problem: &mut Problem, size: u64, limit: u64) -> &mut Problem {
    problem.facts.limit = Some(limit);
    problem.facts.size = Some(size);
    problem.help = Some("use --max-file to raise the limit, unless policy sets it".into());
    problem
}

fn refuse_link<'f>(at: &RelPath, findings: &'f mut Findings) -> &'f mut Problem {
    let problem = findings.error(
        &code::THROUGH_LINK,
        format!("the path goes through the symbolic link {at}"),
    );
    problem.help = Some("use the path that the link points to".into());
    problem
}

/// Returns whether `node` has the type that the operation requires, and reports it if not.
///
/// Without a mode in the patch, the file must be regular, so that no hunk can retarget a link. A
/// rename, copy or deletion without content changes also accepts a link. A link to a directory is
/// deleted only if the patch states the mode of the link, as git's patches do. Other formats state
/// only "delete", and their author may mean the directory.
pub(super) fn is_right_type(
    operation: &Operation,
    path: &RelPath,
    node: &Node,
    overlay: &Overlay<'_>,
    findings: &mut Findings,
) -> Result<bool, WorkspaceError> {
    let looks_inside = !matches!(operation.edit, Edit::Keep);
    let is_right = match operation.old_mode {
        Some(mode) => node.kind == mode.kind(),
        None if node.kind == FileKind::Symlink => {
            let may_be_followed =
                operation.action == Action::Delete && is_link_to_directory(path, node, overlay)?;
            !looks_inside && !may_be_followed
        }
        None => node.kind == FileKind::Regular,
    };
    if !is_right {
        let wanted = operation.old_mode.map_or(FileKind::Regular, FileMode::kind);
        refuse_kind(path, node.kind, wanted, findings);
        return Ok(false);
    }
    let stays = operation
        .new_mode
        .is_none_or(|mode| mode.kind() == node.kind);
    if !stays && operation.action != Action::Delete {
        let message = "a mode change cannot change the type of a file; delete the file and create the new one";
        findings.error(&code::WRONG_TYPE, message).path = Some(path.clone());
    }
    Ok(stays || operation.action == Action::Delete)
}

/// Reports that the file at `path` has another type than the operation requires.
pub(super) fn refuse_kind(
    path: &RelPath,
    kind: FileKind,
    wanted: FileKind,
    findings: &mut Findings,
) {
    let code = if kind == FileKind::Directory {
        &code::NOT_A_FILE
    } else {
        &code::WRONG_TYPE
    };
    findings
        .error(code, format!("is a {kind}, not a {wanted}"))
        .path = Some(path.clone());
}

/// Returns whether the target of the link at `path` is a directory. Does not follow a second link,
/// or an absolute target, which can be outside the root.
fn is_link_to_directory(
    path: &RelPath,
    node: &Node,
    overlay: &Overlay<'_>,
) -> Result<bool, WorkspaceError> {
    let beside = path.parent().map_or_else(
        || node.bytes.to_vec(),
        |parent| [parent.as_bytes(), &node.bytes].join(&b'/'),
    );
    let Ok(target) = RelPath::new(beside.strip_suffix(b"/").unwrap_or(&beside)) else {
        return Ok(false);
    };
    match overlay.stat(&target) {
        Ok(stat) => Ok(stat.is_some_and(|stat| stat.kind == FileKind::Directory)),
        Err(error) if error.kind == crate::workspace::ErrorKind::ThroughLink => Ok(false),
        Err(error) => Err(error),
    }
}

/// Reports that a file to create already exists, and whether it already has the new content.
pub(super) fn report_existing(
    operation: &Operation,
    seen: &PathState,
    text: &[u8],
    findings: &mut Findings,
) {
    let is_same =
        matches!(seen, PathState::Node(node) if is_already_created(operation, node, text));
    let problem = findings.error(
        &code::EXISTS,
        if is_same {
            "the file already exists with the same content"
        } else {
            "the file already exists"
        },
    );
    problem.path = Some(operation.path.clone());
    problem.facts.is_bare = !is_same;
    problem.help = Some(
        if is_same {
            "the patch may already be applied; use --idempotent to accept that"
        } else {
            "use --overwrite to replace it"
        }
        .into(),
    );
}

/// Returns whether the file that `operation` creates exists already, with the content and the mode
/// of the result.
pub(super) fn is_already_created(operation: &Operation, node: &Node, text: &[u8]) -> bool {
    if !modes::has_stated_mode(operation, node) {
        return false;
    }
    match &operation.edit {
        Edit::Hunks(_) => {}
        Edit::Whole(contents) => {
            return operation.action == Action::Create && contents[..] == node.bytes[..];
        }
        Edit::Keep | Edit::Directory => {
            return operation.action == Action::Create && node.bytes.is_empty();
        }
        // Only a full object name identifies the content.
        Edit::Binary(_) | Edit::BinaryMissing => {
            let is_new = |blobs: &BlobIds| {
                blobs.new.len() >= SHA1_DIGITS && has_blob_id(&node.bytes, &blobs.new)
            };
            return operation.action == Action::Create
                && operation.blobs.as_deref().is_some_and(is_new);
        }
        _ => return false,
    }
    let lines = operation
        .hunks()
        .flat_map(|hunk| hunk.lines(text, operation.direction));
    let made: Vec<u8> = lines
        .filter(|line| line.kind == LineKind::Insertion)
        .flat_map(|line| line.text)
        .copied()
        .collect();
    operation.action == Action::Create && made[..] == node.bytes[..]
}

/// Returns whether the file satisfies the digest and the prerequisite word that the operation
/// states, if any (`Prereq:` in GNU patch). Reports the first requirement that is not met.
pub(super) fn is_expectation_met(
    operation: &Operation,
    node: Option<&Node>,
    findings: &mut Findings,
) -> bool {
    if let Some(word) = operation
        .preamble
        .as_ref()
        .and_then(|lead| lead.prerequisite.as_ref())
        && !node.is_some_and(|node| has_word(&node.bytes, word))
    {
        let message = format!(
            "the file does not contain the word {} that the patch requires",
            printable(word)
        );
        findings.error(&code::PREREQUISITE, message).help =
            Some("apply the patch to the version of the file that contains the word".into());
        return false;
    }
    let Some(&expected) = operation.expected.as_deref() else {
        return true;
    };
    let actual = node.map(|node| Sha256::of(&node.bytes));
    if actual == Some(expected) {
        return true;
    }
    let message = match actual {
        Some(actual) => format!("the digest of the file differs from the expected one: {actual}"),
        None => "the expected file does not exist".to_owned(),
    };
    let problem = findings.error(&code::UNEXPECTED, message);
    problem.help = Some("the file has changed; read it again".into());
    // The preimage of a copy or rename is its source, not its target.
    problem.path = operation
        .from
        .clone()
        .filter(|_| operation.action != Action::RemoveCopy);
    problem.facts = ProblemFacts {
        expected: Some(expected),
        actual,
        ..ProblemFacts::default()
    };
    false
}

/// Returns whether `text` contains `word` with white space or an end of the text on each side.
fn has_word(text: &[u8], word: &[u8]) -> bool {
    let is_border = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_whitespace);
    text.find_iter(word).any(|at| {
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        is_border(before) && is_border(text.get(at + word.len()))
    })
}

/// Reports the lines `left` of a file that the patch deletes, if the patch states which content it
/// deletes.
pub(super) fn check_emptied(operation: &Operation, left: &[u8], findings: &mut Findings) {
    if operation.guard.is_some() {
        return;
    }
    let says_what = operation.old_mode.is_some()
        || operation.blobs.is_some()
        || !matches!(operation.edit, Edit::Keep | Edit::Lines(_));
    if says_what && !left.is_empty() {
        let lines = memchr::memchr_iter(b'\n', left).count() + usize::from(!left.ends_with(b"\n"));
        let left = if lines == 1 {
            "1 line".to_owned()
        } else {
            format!("{lines} lines")
        };
        let message = format!("the patch deletes the file, but {left} would remain");
        findings.error(&code::NOT_EMPTIED, message).help =
            Some("compare the file with the patch, and delete all lines".into());
    }
}

/// Returns whether a postimage of `size` bytes is within the limit `max_file`, and reports it if
/// not.
pub(super) fn is_within_limit(size: usize, max_file: u64, findings: &mut Findings) -> bool {
    let size = size as u64;
    if size > max_file {
        let message =
            format!("the file would have {size} bytes, which exceeds the limit of {max_file}");
        add_limit(findings.error(&code::TOO_LARGE, message), size, max_file);
    }
    size <= max_file
}

/// Returns whether a file system can store `node`, within the limit `max_file` in bytes.
pub(super) fn is_storable(node: &Node, max_file: u64, findings: &mut Findings) -> bool {
    if is_within_limit(node.bytes.len(), max_file, findings) && node.kind == FileKind::Symlink {
        let fault = match &node.bytes[..] {
            [] => Some("a symbolic link needs a target"),
            bytes if bytes.contains(&0) => {
                Some("the target of a symbolic link contains a NUL byte")
            }
            bytes if bytes.len() > MAX_TARGET => Some("the target of a symbolic link is too long"),
            _ => None,
        };
        if let Some(fault) = fault {
            findings.error(&code::BAD_LINK, fault);
        }
    }
    !findings.is_failed()
}

/// Returns whether this user can create `node`, and reports it if not. Only a link that differs from
/// `before` can be refused.
pub(super) fn can_create(
    node: &Node,
    before: Option<&Node>,
    workspace: &dyn Workspace,
    findings: &mut Findings,
) -> bool {
    let is_kept =
        before.is_some_and(|before| before.kind == node.kind && before.bytes == node.bytes);
    if node.kind != FileKind::Symlink || is_kept {
        return true;
    }
    let Some(reason) = workspace.symlink_refusal() else {
        return true;
    };
    findings.error(&code::BAD_LINK, reason).help = Some(
        "remove the link from the patch; on Windows, you can also turn on developer mode".into(),
    );
    false
}

/// Returns the participle for `direction` in messages.
pub(super) fn participle(direction: Direction) -> &'static str {
    match direction {
        Direction::Forward => "applied",
        Direction::Reverse => "reversed",
    }
}
