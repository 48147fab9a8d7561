//! `--base`: the preimage for a three-way merge.

use std::path::Path;
use std::sync::Arc;

use super::args::{Global, MergeOptions, TreeOptions};
use super::{EarlyExit, files, policy, tree};
use crate::engine::ExplicitBase;

/// Returns the file or git tree that `--base` names; `None` without a merge or without the option.
/// A file has at most `limit` bytes.
///
/// # Errors
///
/// Returns an error if policy denies reading the file, or if the file or revision cannot be read.
pub(super) fn load_base(
    options: &MergeOptions,
    limit: u64,
    global: &Global,
) -> Result<Option<ExplicitBase>, EarlyExit> {
    let Some(name) = options.base.as_ref().filter(|_| options.three_way) else {
        return Ok(None);
    };
    if fs_err::metadata(name).is_ok_and(|found| found.is_file()) {
        policy::check_readable(Path::new(name), global)?;
        return Ok(Some(ExplicitBase::Contents(Arc::new(files::read_regular(
            Path::new(name),
            limit,
        )?))));
    }
    let repository = tree::repository(None, &TreeOptions::default(), global);
    Ok(Some(ExplicitBase::Tree(Arc::new(tree::open(
        &repository,
        name.as_encoded_bytes(),
    )?))))
}
