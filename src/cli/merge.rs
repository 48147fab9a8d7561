//! From the options of three-way merges to what the engine is asked for.

use std::path::Path;
use std::sync::Arc;

use super::args::{Global, MergeOptions, TreeOptions};
use super::{Stop, files, policy, tree};
use crate::engine::{Favour, Given, Marking, ThreeWayOptions};

/// Returns how a patch is merged, if it is.
pub(super) fn options(options: &MergeOptions) -> Option<ThreeWayOptions> {
    let favour = match (options.ours, options.theirs, options.union) {
        (true, ..) => Some(Favour::Ours),
        (_, true, _) => Some(Favour::Theirs),
        (_, _, true) => Some(Favour::Union),
        _ => None,
    };
    let marking = match options.conflict.as_deref() {
        Some("diff3") => Some(Marking::Base),
        Some(_) => Some(Marking::Configured),
        None => None,
    };
    options.three_way.then_some(ThreeWayOptions { favour, marking })
}

/// Returns what a patch was made for, if it is merged and the user names that (`--base`). A file has at most `limit` bytes.
///
/// # Errors
///
/// Stops if policy denies reading the file, or if it cannot be read.
pub(super) fn base(options: &MergeOptions, limit: u64, global: &Global) -> Result<Option<Given>, Stop> {
    let Some(name) = options.base.as_ref().filter(|_| options.three_way) else { return Ok(None) };
    if fs_err::metadata(name).is_ok_and(|found| found.is_file()) {
        policy::readable(Path::new(name), global)?;
        return Ok(Some(Given::Contents(Arc::new(files::regular(Path::new(name), limit)?))));
    }
    let repository = tree::repository(None, &TreeOptions::default(), global);
    Ok(Some(Given::Tree(Arc::new(tree::open(&repository, name.as_encoded_bytes())?))))
}
