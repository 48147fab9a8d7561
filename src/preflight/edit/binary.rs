//! Computes postimages from binary data.

use super::super::Options;
use super::super::codes::code;
use super::super::findings::Findings;
use super::{binary_from_repo, is_gone};
use crate::digest::{has_blob_id, has_object_name, hash_blob_stream, object_format_of};
use crate::plan::{BinaryPatch, Direction, Operation};
use crate::syntax::{BinaryError, BinaryLimits, BinaryPostimage};

/// The maximum size, in bytes, of contents that are produced before their blob name is verified.
const SMALL: u64 = 16 << 20;

pub(super) fn postimage(
    operation: &Operation,
    binary: BinaryPatch,
    text: &[u8],
    preimage: &[u8],
    options: &Options,
    findings: &mut Findings,
) -> Option<Vec<u8>> {
    let data = match operation.direction {
        Direction::Forward => Some(binary.forward),
        Direction::Reverse => binary.backward,
    };
    let Some(data) = data else {
        findings.error(
            &code::IRREVERSIBLE,
            "this binary patch contains no data for the reverse direction",
        );
        return None;
    };
    // git also requires full blob names, because an abbreviated name can belong to another blob.
    let Some(blobs) = binary_from_repo::full_blobs(operation) else {
        let message = "the binary patch has no `index` line with both full blob ids";
        findings.error(&code::NO_BINARY_DATA, message).help =
            Some("create the patch with `git diff --binary`".into());
        return None;
    };
    if !binary_from_repo::is_preimage(operation, preimage, blobs, findings) {
        return None;
    }
    // The `index` line of a deletion names no new blob, so the contents cannot be verified.
    let limits = BinaryLimits {
        size: options.max_write(),
        ratio: options.max_ratio,
    };
    let made = BinaryPostimage::new(data, text, preimage, limits);
    match made.and_then(|made| verify_contents(&made, (!is_gone(operation)).then_some(&*blobs.new)))
    {
        Ok(Some(after)) => Some(after),
        Ok(None) => {
            findings.error(
                &code::BINARY_DATA,
                "the result of the binary patch is not the blob of its index line",
            );
            None
        }
        Err(error) => {
            let (code, help) = match error {
                BinaryError::TooLarge(_) => {
                    (&code::TOO_LARGE, Some("use --max-file to raise the limit"))
                }
                BinaryError::RatioExceeded(_) => {
                    (&code::INFLATED, Some("use --max-ratio to raise the limit"))
                }
                _ => (&code::BINARY_DATA, None),
            };
            findings.error(code, error.to_string()).help = help.map(str::to_owned);
            None
        }
    }
}

/// Returns the contents if git would name them `name`. Without a name, returns them if they are
/// small.
///
/// A small patch can produce large contents. The function hashes large contents piece by piece and
/// keeps them in memory only if their name is correct.
fn verify_contents(
    made: &BinaryPostimage<'_>,
    name: Option<&[u8]>,
) -> Result<Option<Vec<u8>>, BinaryError> {
    if made.size() <= SMALL {
        return Ok(
            Some(made.contents()?).filter(|after| name.is_none_or(|name| has_blob_id(after, name)))
        );
    }
    let Some(name) = name else { return Ok(None) };
    // The first pass only hashes. The contents are produced a second time if the name is correct.
    let id = hash_blob_stream(made.size(), object_format_of(name), |take| {
        made.for_each_piece(take)
    })?;
    if has_object_name(&id, name) {
        made.contents().map(Some)
    } else {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::{ObjectFormat, blob_id};
    use crate::syntax::testing::literal;

    #[test]
    fn large_and_small_contents_are_verified_alike() {
        let limits = BinaryLimits {
            size: u64::MAX,
            ratio: u64::MAX,
        };
        for size in [100, SMALL, SMALL + 1] {
            let contents = vec![b'x'; usize::try_from(size).unwrap()];
            let (data, text) = literal(&contents);
            let made = BinaryPostimage::new(data, &text, b"", limits).unwrap();
            let name = blob_id(&contents, ObjectFormat::Sha1);
            let other = blob_id(b"other", ObjectFormat::Sha1);
            assert_eq!(
                verify_contents(&made, Some(name.as_bytes())),
                Ok(Some(contents))
            );
            assert_eq!(verify_contents(&made, Some(other.as_bytes())), Ok(None));
        }
    }
}
