//! git's messages about a file that it cannot change: a table with one row per problem code.

use super::{GitMessageOptions, progress};
use crate::engine::Outcome;
use crate::engine::options::{Problem, ProblemCode, Severity, code};
use crate::path::RelPath;
use crate::report::{FileReport, IndexReport, Op};
use crate::text::printable;

/// The last line of the messages about a file whose content does not match.
const DOES_NOT_APPLY: &str = "{old}: patch does not apply";

/// The code of a problem, its messages for the work tree, and its messages for the index. `{old}`
/// is the name before the change, `{new}` the name after it, and `{blob}` the blob of the preimage.
pub(super) const MESSAGES: &[(ProblemCode, &[&str], &[&str])] = &[
    (
        code::MISSING,
        &["{old}: No such file or directory"],
        &["{old}: does not exist in index"],
    ),
    (
        code::NOT_A_DIRECTORY,
        &["{old}: Not a directory"],
        &["{old}: Not a directory"],
    ),
    (
        code::EXISTS,
        &["{new}: already exists in working directory"],
        &["{new}: already exists in index"],
    ),
    (
        code::NOT_A_FILE,
        &["{old}: wrong type"],
        &["{old}: wrong type"],
    ),
    (
        code::WRONG_TYPE,
        &["{old}: wrong type"],
        &["{old}: wrong type"],
    ),
    (
        code::NOT_AS_INDEXED,
        &["{old}: does not match index"],
        &["{old}: does not match index"],
    ),
    (
        code::CLOSED,
        &["invalid path '{new}'"],
        &["invalid path '{new}'"],
    ),
    (
        code::OUTSIDE_ROOT,
        &["invalid path '{new}'"],
        &["invalid path '{new}'"],
    ),
    (
        code::NOT_EMPTIED,
        &[NOT_EMPTIED, DOES_NOT_APPLY],
        &[NOT_EMPTIED, DOES_NOT_APPLY],
    ),
    (
        code::NO_BLOB,
        &["sha1 information is lacking or useless ({old})."],
        &["sha1 information is lacking or useless ({old})."],
    ),
    (
        code::NO_BINARY_DATA,
        &[NO_INDEX_LINE, DOES_NOT_APPLY],
        &[NO_INDEX_LINE, DOES_NOT_APPLY],
    ),
    (
        code::WRONG_BLOB,
        &[OTHER_BLOB, DOES_NOT_APPLY],
        &[OTHER_BLOB, DOES_NOT_APPLY],
    ),
    (
        code::BINARY_DATA,
        &[DAMAGED, DOES_NOT_APPLY],
        &[DAMAGED, DOES_NOT_APPLY],
    ),
    (
        code::IRREVERSIBLE,
        &[NO_REVERSE_DATA, DOES_NOT_APPLY],
        &[NO_REVERSE_DATA, DOES_NOT_APPLY],
    ),
    (
        code::THROUGH_LINK,
        &[BEYOND_LINK, DOES_NOT_APPLY],
        &[BEYOND_LINK, DOES_NOT_APPLY],
    ),
];

const NOT_EMPTIED: &str = "removal patch leaves file contents";
const NO_INDEX_LINE: &str = "cannot apply binary patch to '{old}' without full index line";
const OTHER_BLOB: &str =
    "the patch applies to '{old}' ({blob}), which does not match the current contents.";
const OTHER_COMMIT: &str = "patch failed: {old}:1";
const DAMAGED: &str = "binary patch does not apply to '{old}'";
const NO_REVERSE_DATA: &str =
    "cannot reverse-apply a binary patch without the reverse hunk to '{old}'";
const BEYOND_LINK: &str = "reading from '{old}' beyond a symbolic link";
const CREATED_BEYOND_LINK: &str = "affected file '{new}' is beyond a symbolic link";

/// Returns git's messages about `problem` of `file`.
pub(super) fn file_messages(
    outcome: &Outcome,
    file: &FileReport,
    problem: &Problem,
    speech: GitMessageOptions,
) -> Vec<String> {
    let new = printable(file.path.as_bytes()).to_string();
    let old = printable(old_name(file).as_bytes()).to_string();
    let words = |row: &[&str]| {
        let blob = problem.facts.blob.as_deref().unwrap_or_default();
        let filled = |line: &&str| {
            let line = line.replace("{blob}", &printable(blob).to_string());
            format!(
                "error: {}",
                line.replace("{old}", &old).replace("{new}", &new)
            )
        };
        row.iter().map(filled).collect::<Vec<_>>()
    };
    if let Some(hunk) = problem.hunk.filter(|&hunk| file.hunk(hunk).is_some()) {
        return match failure_message(file, hunk) {
            Some(_) if problem.severity == Severity::Reject && file.op == Op::Delete => {
                words(&[NOT_EMPTIED, DOES_NOT_APPLY])
            }
            Some(_) => words(&[DOES_NOT_APPLY]),
            None => Vec::new(),
        };
    }
    let is_onto = *problem.code == code::EXISTS && matches!(file.op, Op::Rename | Op::Copy);
    if speech.is_merge && is_onto && !problem.facts.is_untracked {
        let is_moved = file.op == Op::Rename && file.added + file.removed == 0;
        return words(if is_moved {
            &[DOES_NOT_APPLY]
        } else {
            &[progress::NO_BLOB, DOES_NOT_APPLY]
        });
    }
    // A submodule has a commit instead of a blob, and its diff has only the line of the commit.
    if *problem.code == code::WRONG_BLOB && problem.facts.blob.is_none() {
        return words(&[OTHER_COMMIT, DOES_NOT_APPLY]);
    }
    if is_created_beyond_link(file, problem) {
        return words(&[CREATED_BEYOND_LINK]);
    }
    let row = MESSAGES.iter().find(|(code, ..)| code == problem.code);
    let is_of_index = outcome
        .report
        .index
        .as_ref()
        .is_some_and(IndexReport::decides)
        && !problem.facts.is_untracked;
    row.map_or(Vec::new(), |(_, usual, indexed)| {
        words(if is_of_index { indexed } else { usual })
    })
}

/// Returns the message about the place of a failed hunk.
pub(super) fn failure_message(file: &FileReport, hunk: usize) -> Option<String> {
    let old = printable(old_name(file).as_bytes());
    Some(format!(
        "error: patch failed: {old}:{}",
        file.hunk(hunk)?.patch.old_start?
    ))
}

/// Returns whether the path of a new file goes through a symbolic link.
pub(super) fn is_created_beyond_link(file: &FileReport, problem: &Problem) -> bool {
    *problem.code == code::THROUGH_LINK && matches!(file.op, Op::Create | Op::Rename | Op::Copy)
}

/// Returns the name of a file before the change. For a reversed copy this is the name of the copy.
fn old_name(file: &FileReport) -> &RelPath {
    file.from
        .as_ref()
        .filter(|_| file.op != Op::Delete)
        .unwrap_or(&file.path)
}
