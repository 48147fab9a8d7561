//! The identifier of a change. It does not depend on the location of the root.

use std::iter;

use super::file::FileReport;
use super::operation::FileType;
use crate::digest::Sha256;

/// Returns the identifier of the change that `files` describe, as `sha256:HEX`.
///
/// Other programs can compute it. It is the SHA-256 digest of the line `wpatch.plan/1` with its
/// line feed, followed by netstrings (`LENGTH:BYTES,`). Each file contributes six netstrings, in
/// the order of the files:
///
/// - `op`
/// - `from`
/// - `path`
/// - both modes, separated by a blank (`000000` for none)
/// - `sha256_before`
/// - `sha256_after`
///
/// A missing value is the empty netstring. Paths are their bytes. More netstrings follow in this
/// order, one for each item that applies:
///
/// - `replaces`, the mode and the `sha256` of the overwritten file (`replaces`), separated by
///   blanks
/// - `in_place`, if other hard links change too
/// - `regular_file`, for a symbolic link that is written as a regular file
/// - `rejects` and the `sha256` of the reject file, then `replaces`, the mode and the `sha256` of
///   an overwritten reject file, separated by blanks
/// - `rejected`, if the whole file is rejected
///
/// A change of git's index adds one netstring after all files: `index`, `cached` if no file of the
/// work tree changes, or `intent_to_add` if only new files are recorded.
pub(super) fn plan_id(files: &[FileReport], reach: Option<&str>) -> String {
    let mut last = Vec::new();
    if let Some(reach) = reach {
        append_netstring(&mut last, reach.as_bytes());
    }
    let first = iter::once(b"wpatch.plan/1\n".to_vec());
    Sha256::of_all(first.chain(files.iter().map(netstrings)).chain([last])).to_string()
}

/// Returns the netstrings of `file`. Other programs compute the same bytes, see [`plan_id`].
fn netstrings(file: &FileReport) -> Vec<u8> {
    let mut text = Vec::with_capacity(512);
    append_netstring(&mut text, file.op.to_string().as_bytes());
    append_netstring(
        &mut text,
        file.from.as_ref().map_or(b"", |from| from.as_bytes()),
    );
    append_netstring(&mut text, file.path.as_bytes());
    append_netstring(
        &mut text,
        [file.mode.old, file.mode.new]
            .map(|mode| mode.unwrap_or("000000"))
            .join(" ")
            .as_bytes(),
    );
    append_netstring(
        &mut text,
        file.sha256_before.as_deref().unwrap_or_default().as_bytes(),
    );
    append_netstring(
        &mut text,
        file.sha256_after.as_deref().unwrap_or_default().as_bytes(),
    );
    if let Some(replaced) = &file.replaces {
        append_netstring(
            &mut text,
            format!("replaces {} {}", replaced.mode, replaced.sha256).as_bytes(),
        );
    }
    if file.in_place {
        append_netstring(&mut text, b"in_place");
    }
    if file.file_type == FileType::Text && file.mode.new == Some("120000") {
        append_netstring(&mut text, b"regular_file");
    }
    if let Some(rejects) = &file.rejects {
        let lost = rejects.replaces.as_ref();
        let lost = lost.map_or_else(String::new, |lost| {
            format!(" replaces {} {}", lost.mode, lost.sha256)
        });
        let sha256 = rejects.sha256.as_deref().unwrap_or_default();
        append_netstring(&mut text, format!("rejects {sha256}{lost}").as_bytes());
    } else if file.is_rejected() {
        append_netstring(&mut text, b"rejected");
    }
    text
}

fn append_netstring(text: &mut Vec<u8>, bytes: &[u8]) {
    text.extend_from_slice(bytes.len().to_string().as_bytes());
    text.push(b':');
    text.extend_from_slice(bytes);
    text.push(b',');
}
