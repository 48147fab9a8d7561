//! Binary files without data in the patch. The repository supplies the blob that the patch names.

use crate::digest::{ObjectFormat, blob_id, has_blob_id, object_format_of};
use crate::plan::{Action, BlobIds, Operation};
use crate::preflight::findings::Findings;
use crate::preflight::{Options, checks, code};
use crate::text::printable;
use crate::workspace::ErrorKind;
use crate::workspace::objects::ObjectId;

/// Returns the new blob that the patch names. The patch must name both blobs in full, and the
/// preimage must be the old blob.
pub(super) fn postimage(
    operation: &Operation,
    preimage: &[u8],
    options: &Options,
    findings: &mut Findings,
) -> Option<Vec<u8>> {
    let Some((blobs, objects)) = full_blobs(operation).zip(options.objects.as_ref()) else {
        return refuse_unknown(findings);
    };
    if !is_preimage(operation, preimage, blobs, findings) {
        return None;
    }
    // The null object name means a deleted file.
    if blobs.new.iter().all(|&digit| digit == b'0') {
        return Some(Vec::new());
    }
    let id = ObjectId::from_hex(&blobs.new)?;
    match objects.blob(id, options.max_write()) {
        Ok(bytes) if has_blob_id(&bytes, &blobs.new) => Some(bytes),
        Err(error) if error.kind == ErrorKind::TooLarge => {
            let (size, limit) = (
                objects.blob_size(id).unwrap_or(u64::MAX),
                options.max_write(),
            );
            let message = format!("the blob has {size} bytes, which exceeds the limit of {limit}");
            checks::add_limit(findings.error(&code::TOO_LARGE, message), size, limit);
            None
        }
        Ok(_) | Err(_) => refuse_unknown(findings),
    }
}

/// Returns whether the preimage is the old blob of the `index` line, and reports it if not.
pub(super) fn is_preimage(
    operation: &Operation,
    preimage: &[u8],
    blobs: &BlobIds,
    findings: &mut Findings,
) -> bool {
    if operation.action == Action::Create || has_blob_id(preimage, &blobs.old) {
        return true;
    }
    let problem = findings.error(
        &code::WRONG_BLOB,
        "the file is not the base of the binary patch",
    );
    problem.help = Some(format!(
        "apply the patch to a file with the blob id {}",
        printable(&blobs.old)
    ));
    // git's message names the blob of the existing file.
    problem.facts.blob = Some(blob_id(preimage, object_format_of(&blobs.old)).into_bytes());
    false
}

/// Returns the blobs of the `index` line if the line names both in full.
pub(in crate::preflight) fn full_blobs(operation: &Operation) -> Option<&BlobIds> {
    operation
        .blobs
        .as_deref()
        .filter(|BlobIds { old, new }| [old, new].into_iter().all(|name| is_whole(name)))
}

fn refuse_unknown(findings: &mut Findings) -> Option<Vec<u8>> {
    let message = "the patch states that binary files differ, but does not contain the change";
    findings.error(&code::NO_BINARY_DATA, message).help =
        Some("create the patch with `git diff --binary`".into());
    None
}

fn is_whole(name: &[u8]) -> bool {
    ObjectFormat::from_hex_length(name.len()).is_some() && ObjectId::from_hex(name).is_some()
}
