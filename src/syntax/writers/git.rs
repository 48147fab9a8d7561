//! Writes diffs with git's headers.

use super::unified::{put_hunks, put_names};
use super::{PatchChange, WriteError, for_each_change};
use crate::digest::{ObjectFormat, blob_id};
use crate::mode::FileMode;
use crate::plan::Action;
use crate::syntax::line_diff::WhitespaceComparison;
use crate::syntax::quote;
use crate::syntax::write::{DiffSide, tree_diff_section};

/// The caller then reads the mode from the tree.
const NO_MODE: &str = "the mode of the file is not known";

/// Writes `changes` as a git diff with `context` context lines.
pub(in crate::syntax) fn write(
    changes: &[PatchChange<'_>],
    context: usize,
) -> Result<Vec<u8>, WriteError> {
    let mut out = Vec::new();
    for_each_change(changes, |change| {
        if change.action == Action::RemoveCopy {
            return Err("the format cannot express the reverse of a copy");
        }
        match change.contents {
            Some(contents) => put_with_contents(&mut out, change, contents, context),
            None => put_with_hunks(&mut out, change),
        }
    })?;
    Ok(out)
}

fn put_with_contents(
    out: &mut Vec<u8>,
    change: &PatchChange<'_>,
    contents: [&[u8]; 2],
    context: usize,
) -> Result<(), &'static str> {
    let paths = [change.from.unwrap_or(change.path), change.path];
    let blobs = contents.map(|content| blob_id(content, ObjectFormat::Sha1));
    let exists = [
        change.action != Action::Create,
        change.action != Action::Delete,
    ];
    let [before, after] = [0, 1].map(|side| {
        let mode = change.modes[side].ok_or(NO_MODE);
        exists[side].then(|| {
            Ok::<_, &'static str>(DiffSide {
                path: paths[side],
                mode: mode?,
                content: contents[side],
                blob: &blobs[side],
            })
        })
    });
    let (before, after) = (before.transpose()?, after.transpose()?);
    let (before, after) = (before.as_ref(), after.as_ref());
    let comparison = WhitespaceComparison::Exact;
    let section = tree_diff_section(change.action, before, after, context, comparison);
    if section.text.is_empty() {
        return Err("the format cannot express an operation without a change");
    }
    out.extend(section.text);
    Ok(())
}

/// Writes a change whose contents are not known.
fn put_with_hunks(out: &mut Vec<u8>, change: &PatchChange<'_>) -> Result<(), &'static str> {
    let old = change.from.unwrap_or(change.path);
    let [a, b] = [
        [b"a/", old.as_bytes()].concat(),
        [b"b/", change.path.as_bytes()].concat(),
    ];
    out.extend([b"diff --git ", &*quote(&a), b" ", &*quote(&b), b"\n"].concat());
    let [old_mode, new_mode] = change.modes;
    let mut line = |text: String| out.extend([text.as_bytes(), b"\n"].concat());
    match (change.action, old_mode, new_mode) {
        (Action::Create, _, mode) => {
            line(format!(
                "new file mode {}",
                mode.unwrap_or(FileMode::Regular)
            ));
        }
        (Action::Delete, mode, _) => line(format!("deleted file mode {}", mode.ok_or(NO_MODE)?)),
        (_, Some(old), Some(new)) if old != new => {
            line(format!("old mode {old}"));
            line(format!("new mode {new}"));
        }
        _ => {}
    }
    let verb = match change.action {
        Action::Rename => Some("rename"),
        Action::Copy => Some("copy"),
        _ => None,
    };
    if let Some(verb) = verb {
        out.extend([verb.as_bytes(), b" from ", &quote(old.as_bytes()), b"\n"].concat());
        out.extend(
            [
                verb.as_bytes(),
                b" to ",
                &quote(change.path.as_bytes()),
                b"\n",
            ]
            .concat(),
        );
    }
    if let Some(blobs) = change.blobs {
        // As in git, the line states the mode if the change keeps it.
        let mode = match (change.action, old_mode, new_mode) {
            (Action::Create | Action::Delete, ..) => String::new(),
            (_, Some(old), new) if new.is_none_or(|new| new == old) => format!(" {old}"),
            _ => String::new(),
        };
        let blobs = [b"index ", &blobs.old[..], b"..", &blobs.new].concat();
        out.extend([&blobs, mode.as_bytes(), b"\n"].concat());
    }
    if change.has_hunks() {
        put_names(out, [b"--- ", b"+++ "], change);
        put_hunks(out, change);
    }
    Ok(())
}
