//! Repairs of the texts that an operation searches for, for the file as the operations before it leave it.

use std::fmt::Debug;

use super::Options;
use crate::plan::{Edit, Operation, Replacements};
use crate::text::{Contents, is_data};

/// Repairs the texts of operations.
pub trait Mend: Debug + Send + Sync {
    /// Returns what the operation at `index` was meant to do with a file that has `content`; `None` if it stays as it is.
    fn mend(&self, index: usize, operation: &Operation, content: &[u8]) -> Option<Replacements>;
}

/// Returns the operation at `index` with repaired texts, for a file with `content`; `None` if nothing is repaired.
pub(super) fn mended(index: usize, operation: &Operation, content: &Contents, options: &Options) -> Option<Operation> {
    let mender = options.mender.as_ref().filter(|_| options.encoding.is_none())?;
    if !matches!(operation.edit, Edit::Replacements(_)) || is_data(content.whole()) {
        return None;
    }
    let changes = mender.mend(index, operation, content.whole())?;
    Some(Operation { edit: Edit::Replacements(Box::new(changes)), ..operation.clone() })
}
