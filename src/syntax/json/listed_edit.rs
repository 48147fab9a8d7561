//! An entry in a list of edits.

use crate::digest::Sha256;
use crate::plan::{NameCandidate, Replacement};

/// One entry of a list.
pub(super) struct ListedEdit {
    pub(super) path: Option<NameCandidate>,
    pub(super) expected: Option<Sha256>,
    pub(super) edit: Replacement,
}
