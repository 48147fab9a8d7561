//! Converts the preimage and the postimage of a git operation between the form of the repository
//! and the form of the work tree.

use super::conversions::{
    ConversionError, Conversions, PreimageSource, is_git_operation, problem_of,
};
use super::findings::Findings;
use super::options::Options;
use super::overlay::Node;
use super::whitespace;
use crate::convert::CrLfHandling;
use crate::digest::{ObjectFormat, blob_id};
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::plan::{Action, Edit, Operation, Plan};

/// Converts the files of one operation.
#[derive(Clone, Copy)]
pub(super) struct Converter<'a> {
    /// `None` if `git apply` cannot perform the operation, or if the options have no conversions.
    conversions: Option<&'a Conversions>,
    operation: &'a Operation,
    text: &'a [u8],
    options: &'a Options,
}

impl<'a> Converter<'a> {
    pub(super) fn new(plan: &'a Plan, operation: &'a Operation, options: &'a Options) -> Self {
        let conversions = options
            .conversions
            .as_deref()
            .filter(|_| is_git_operation(plan, operation));
        Self {
            conversions,
            operation,
            text: plan.text(operation),
            options,
        }
    }

    /// Returns `node`, the file at `path`, with the repository's content for it.
    pub(super) fn to_repository(
        self,
        path: &RelPath,
        node: &Node,
    ) -> Result<Node, ConversionError> {
        let is_converted = |it: &&Conversions| {
            it.preimages() == PreimageSource::WorkTree && node.kind == FileKind::Regular
        };
        let Some(conversions) = self.conversions.filter(is_converted) else {
            return Ok(node.clone());
        };
        // An earlier operation may have computed the content. A second conversion of its result can
        // give other bytes.
        let bytes = match &node.in_repository {
            Some(bytes) => Some(bytes.clone()),
            None => {
                conversions.to_repository(path, &node.bytes, || cr_lf(self.operation, self.text))?
            }
        };
        Ok(Node {
            bytes: bytes.unwrap_or_else(|| node.bytes.clone()),
            ..node.clone()
        })
    }

    /// Returns `node` and its blob name as `git diff` shows them: in the form of the repository.
    /// `blob` is the SHA-1 name of `node`.
    pub(super) fn convert_for_diff(
        &self,
        path: &RelPath,
        node: Option<&Node>,
        blob: String,
    ) -> Option<(Node, String)> {
        let node = node?;
        let format = self.options.object_format();
        let Some(shown) = self
            .to_repository(path, node)
            .ok()
            .filter(|shown| !shown.bytes.has_same_memory(&node.bytes))
        else {
            let blob = match format {
                ObjectFormat::Sha256 if !blob.is_empty() => blob_id(&node.bytes, format),
                _ => blob,
            };
            return Some((node.clone(), blob));
        };
        let blob = blob_id(&shown.bytes, format);
        Some((shown, blob))
    }

    /// Returns the preimage of the operation with the repository's content for it.
    pub(super) fn preimage(&self, node: &Node, findings: &mut Findings) -> Option<Node> {
        let path = match self.operation.action {
            Action::RemoveCopy => &self.operation.path,
            _ => self.operation.from.as_ref().unwrap_or(&self.operation.path),
        };
        self.to_repository(path, node)
            .map_err(|error| refuse(&error, findings))
            .ok()
    }

    /// Converts `node` from the content of the repository to the content of the work tree. `before`
    /// is the preimage in the work tree.
    pub(super) fn postimage(
        &self,
        node: Node,
        before: Option<&Node>,
        findings: &mut Findings,
    ) -> Option<Node> {
        let Some(conversions) = self.conversions.filter(|_| node.kind == FileKind::Regular) else {
            return Some(node);
        };
        // The remainder of an undone copy is compared with the source of the copy.
        let source = self
            .operation
            .from
            .as_ref()
            .filter(|_| self.operation.action == Action::RemoveCopy);
        let path = source.unwrap_or(&self.operation.path);
        if conversions.preimages() == PreimageSource::Index {
            let checked = conversions.check_repository(path, &node.bytes);
            return checked
                .map_err(|error| refuse(&error, findings))
                .ok()
                .map(|()| node);
        }
        let converted = conversions
            .to_work_tree(path, &node.bytes)
            .map_err(|error| refuse(&error, findings))
            .ok()?;
        let is_moved = before.is_some_and(|before| before.bytes.has_same_memory(&node.bytes));
        if converted.is_none() && is_moved {
            return Some(node);
        }
        let in_repository = Some(node.bytes.clone());
        let bytes = converted.unwrap_or_else(|| node.bytes.clone());
        // A file with the same bytes on disk keeps its inode, even if it was converted in between.
        let Some(before) = before.filter(|before| before.bytes == bytes) else {
            return Some(Node {
                bytes,
                in_repository,
                origin: None,
                restored: None,
                ..node
            });
        };
        let (origin, restored) = (before.origin.clone(), before.restored.clone());
        Some(Node {
            bytes: before.bytes.clone(),
            in_repository,
            origin,
            restored,
            ..node
        })
    }
}

fn refuse(error: &ConversionError, findings: &mut Findings) {
    let problem = problem_of(error);
    findings.error(problem.code, problem.message).help = problem.help;
}

/// Returns how CR LF is treated in the file that `operation` changes.
fn cr_lf(operation: &Operation, text: &[u8]) -> CrLfHandling {
    match &operation.edit {
        Edit::Hunks(hunks) if whitespace::has_crlf_preimage(operation, (text, hunks)) => {
            CrLfHandling::Kept
        }
        _ => CrLfHandling::Normalized,
    }
}
