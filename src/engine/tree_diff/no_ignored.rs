//! The rules of `.gitignore` files without the feature `cli`: there are none.

use super::TreeResult;
use crate::path::RelPath;
use crate::workspace::{Directory, Workspace};

/// No rules.
#[derive(Debug, Default)]
pub(super) struct IgnoreRules;

#[allow(
    clippy::unused_self,
    clippy::unnecessary_wraps,
    reason = "the functions with the feature need both"
)]
impl IgnoreRules {
    /// Does nothing.
    pub(super) fn enter(&mut self, _: Directory<'_>, _: Option<&dyn Workspace>) -> TreeResult<()> {
        Ok(())
    }

    /// Does nothing.
    pub(super) fn leave(&mut self) {}

    /// Returns false.
    pub(super) fn is_ignored(&self, _: &RelPath, _: bool) -> bool {
        false
    }
}
