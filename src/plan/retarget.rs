//! Applies the options that refer to files outside the patch text: the root, the file (`--file`),
//! its version (`--expect-hash`) and the tolerance of text matches.

use super::{
    Edit, InvalidOperation, InvalidOperationKind, Name, NameCandidate, Operation, Plan, Selection,
    StripRule,
};
use crate::digest::Sha256;
use crate::path::{below_root, with_slashes};

/// Replaces the name in every operation with `file`.
///
/// # Errors
///
/// Returns a rejection of the first operation that names a different file than the previous ones,
/// or that has two names.
pub(super) fn retarget(
    plan: &mut Plan<Name>,
    file: &[u8],
    selection: &Selection,
) -> Result<(), InvalidOperation> {
    let mut header: Option<Vec<u8>> = None;
    for operation in &mut plan.operations {
        let (input, span) = (operation.input, operation.path.span());
        let named = patch_name(&operation.path, selection);
        // A section without a name can apply to any file.
        let is_other =
            |header: &Vec<u8>| !header.is_empty() && !named.is_empty() && *header != named;
        if operation.from.is_some() || header.as_ref().is_some_and(is_other) {
            return Err(InvalidOperation {
                input,
                span,
                name: None,
                kind: InvalidOperationKind::SeveralFiles,
            });
        }
        header = Some(header.filter(|header| !header.is_empty()).unwrap_or(named));
        operation.path = Name::Agreed(vec![NameCandidate {
            bytes: file.to_vec(),
            strip: StripRule::Literal,
            span,
        }]);
    }
    for input in &mut plan.inputs {
        input.header_path.clone_from(&header);
    }
    Ok(())
}

/// Sets the required digest of the preimage on the first operation. The later operations must
/// concern the same file and see the result of the first.
///
/// # Errors
///
/// Returns a rejection of the first operation on a different file. Also rejects the first operation
/// if it requires another digest.
pub(super) fn require_digest(
    operations: &mut [Operation],
    digest: Sha256,
) -> Result<(), InvalidOperation> {
    let Some((first, others)) = operations.split_first_mut() else {
        return Ok(());
    };
    let rejected = |operation: &Operation, kind| {
        let Operation { input, span, .. } = *operation;
        InvalidOperation {
            input,
            span,
            name: None,
            kind,
        }
    };
    // The source of a rename or a copy is a second file.
    let is_other = |operation: &&mut Operation| {
        operation.from.as_ref().unwrap_or(&operation.path) != &first.path
            || operation.path != first.path
    };
    if let Some(other) = others.iter_mut().find(is_other) {
        return Err(rejected(other, InvalidOperationKind::SeveralFiles));
    }
    if first
        .expected
        .as_ref()
        .is_some_and(|known| **known != digest)
    {
        return Err(rejected(first, InvalidOperationKind::OtherDigest));
    }
    first.expected = Some(Box::new(digest));
    Ok(())
}

/// Permits looser rungs for text matches if the selection does.
pub(super) fn relax(plan: &mut Plan<Name>, selection: &Selection) {
    for operation in &mut plan.operations {
        if let Edit::Replacements(changes) = &mut operation.edit {
            changes.match_mode = changes.match_mode.max(selection.match_mode);
        }
    }
}

/// Converts absolute names below the root to relative ones, in grammars without prefixes. On
/// Windows, also converts backslashes in these names to slashes.
pub(super) fn make_relative(plan: &mut Plan<Name>, selection: &Selection) {
    // With `--directory`, a name is below that directory and cannot be absolute.
    let roots = if selection.directory.is_empty() {
        selection.roots.as_slice()
    } else {
        &[]
    };
    let names = plan
        .operations
        .iter_mut()
        .flat_map(|operation| [Some(&mut operation.path), operation.from.as_mut()]);
    let claims = names.flatten().filter_map(|name| match name {
        Name::Agreed(claims) => Some(claims),
        Name::Paired(_)
        | Name::Header(_)
        | Name::Below { .. }
        | Name::Traditional { .. }
        | Name::Unnamed(_) => None,
    });
    for claim in claims
        .flatten()
        .filter(|claim| claim.strip == StripRule::Literal)
    {
        claim.bytes = with_slashes(&claim.bytes).into_owned();
        let below = |root: &Vec<u8>| below_root(root, &claim.bytes).filter(|path| !path.is_empty());
        if let Some(name) = roots.iter().find_map(below) {
            claim.bytes = name.to_vec();
        }
    }
}

/// Returns the name of the file in the patch. A name that is not a valid path is returned
/// unchanged.
fn patch_name(name: &Name, selection: &Selection) -> Vec<u8> {
    match (
        name.resolve(selection.strip_level(), &selection.directory),
        name,
    ) {
        (Ok(path), _) => path.as_bytes().to_vec(),
        (Err(_), Name::Unnamed(_)) => Vec::new(),
        (Err(_), Name::Agreed(claims) | Name::Below { lines: claims, .. }) => claims
            .first()
            .map(|claim| claim.bytes.clone())
            .unwrap_or_default(),
        (
            Err(_),
            Name::Paired(claim) | Name::Header(claim) | Name::Traditional { new: claim, .. },
        ) => claim.bytes.clone(),
    }
}
