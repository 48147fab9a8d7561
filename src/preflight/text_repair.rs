//! Repairs of the texts that an operation searches for, for the file as the operations before it leave it.

use std::fmt::Debug;

use super::Options;
use crate::plan::{Edit, Operation, Replacements};
use crate::text::{Contents, is_data};

/// Repairs the texts of operations.
pub trait TextRepair: Debug + Send + Sync {
    /// Returns what the operation at `index` was meant to do with a file that has `content`; `None` if it stays as it is.
    fn repair(&self, index: usize, operation: &Operation, content: &[u8]) -> Option<Replacements>;
}

/// Returns the operation at `index` with repaired texts, for a file with `content`; `None` if nothing is repaired.
pub(super) fn repaired(
    index: usize,
    operation: &Operation,
    content: &Contents,
    options: &Options,
) -> Option<Operation> {
    let text_repair = options.text_repair.as_ref().filter(|_| options.encoding.is_none())?;
    if !matches!(operation.edit, Edit::Replacements(_)) || is_data(content.whole()) {
        return None;
    }
    let changes = text_repair.repair(index, operation, content.whole())?;
    Some(Operation { edit: Edit::Replacements(Box::new(changes)), ..operation.clone() })
}
