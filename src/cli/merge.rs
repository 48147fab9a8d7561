//! From the options of three-way merges to what the engine is asked for.

use std::path::Path;
use std::sync::Arc;

use super::args::{Global, MergeOptions, TreeOptions};
use super::{Stop, input, policy, tree};
use crate::engine::{Favour, Given, Marking, ThreeWayRequest};

/// Returns how a patch is merged, if it is; no file that is read for it is larger than `limit` bytes.
///
/// # Errors
///
/// Stops if what it was made for is closed by policy, or cannot be read.
pub(super) fn meant(options: &MergeOptions, limit: u64, global: &Global) -> Result<Option<ThreeWayRequest>, Stop> {
    if !options.three_way {
        return Ok(None);
    }
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
    let base = match &options.base {
        None => None,
        Some(name) if fs_err::metadata(name).is_ok_and(|found| found.is_file()) => {
            policy::readable(Path::new(name), global)?;
            Some(Given::Contents(Arc::new(input::regular(Path::new(name), limit)?)))
        }
        Some(name) => {
            let repository = tree::repository(None, &TreeOptions::default(), global);
            Some(Given::Tree(Arc::new(tree::open(&repository, name.as_encoded_bytes())?)))
        }
    };
    Ok(Some(ThreeWayRequest { favour, marking, base, directory: Some(global.root().to_owned()) }))
}
