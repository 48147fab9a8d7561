//! The two forms of a file in an operation of git: content of the repository, and content of the work tree.

use std::path::Path;

use super::Options;
use super::codes::code;
use super::conversions::{ConversionError, Conversions, Preimages, cr_lf, is_of_git};
use super::findings::Findings;
use super::overlay::Node;
use super::problem::Problem;
use crate::convert::EncodingError;
use crate::digest::{ObjectFormat, blob_id};
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::plan::{Action, Operation, Plan};
use crate::text::printable;

/// Converts the files of one operation.
#[derive(Clone, Copy)]
pub(super) struct Converter<'a> {
    /// `None` if the operation is not one of git, or nothing is configured.
    conversions: Option<&'a Conversions>,
    operation: &'a Operation,
    text: &'a [u8],
}

impl<'a> Converter<'a> {
    pub(super) fn new(plan: &'a Plan, operation: &'a Operation, options: &'a Options) -> Self {
        let conversions = options.conversions.as_deref().filter(|_| is_of_git(plan, operation));
        Self { conversions, operation, text: plan.text(operation) }
    }

    /// Returns `node`, the file at `path`, with the content that the repository has for it.
    pub(super) fn in_repository(&self, path: &RelPath, node: &Node) -> Result<Node, ConversionError> {
        let is_converted = |it: &&Conversions| it.preimages() == Preimages::WorkTree && node.kind == FileKind::Regular;
        let Some(conversions) = self.conversions.filter(is_converted) else { return Ok(node.clone()) };
        let bytes = match &node.in_repository {
            Some(bytes) => Some(bytes.clone()),
            None => conversions.to_repository(path, &node.bytes, || cr_lf(self.operation, self.text))?,
        };
        Ok(Node { bytes: bytes.unwrap_or_else(|| node.bytes.clone()), ..node.clone() })
    }

    /// Returns `node` and the name of its blob as a diff shows them: in the form of the repository, as `git diff` does.
    pub(super) fn shown(&self, path: &RelPath, node: Option<&Node>, blob: String) -> Option<(Node, String)> {
        let node = node?;
        let Some(shown) = self.in_repository(path, node).ok().filter(|shown| !shown.bytes.is_same(&node.bytes)) else {
            return Some((node.clone(), blob));
        };
        let blob = blob_id(&shown.bytes, ObjectFormat::Sha1);
        Some((shown, blob))
    }

    /// Returns the file that the operation starts from with the content that the repository has for it.
    pub(super) fn preimage(&self, node: &Node, findings: &mut Findings) -> Option<Node> {
        let path = match self.operation.action {
            Action::Uncopy => &self.operation.path,
            _ => self.operation.from.as_ref().unwrap_or(&self.operation.path),
        };
        self.in_repository(path, node).map_err(|error| refuse(&error, findings)).ok()
    }

    /// Returns `node`, which has content of the repository, with content of the work tree. `before` is the file that the
    /// operation starts from.
    pub(super) fn postimage(&self, node: Node, before: Option<&Node>, findings: &mut Findings) -> Option<Node> {
        let Some(conversions) = self.conversions.filter(|_| node.kind == FileKind::Regular) else { return Some(node) };
        // What remains of an undone copy is compared with the file that it was a copy of.
        let source = self.operation.from.as_ref().filter(|_| self.operation.action == Action::Uncopy);
        let path = source.unwrap_or(&self.operation.path);
        if conversions.preimages() == Preimages::Index {
            let checked = conversions.check_repository(path, &node.bytes);
            return checked.map_err(|error| refuse(&error, findings)).ok().map(|()| node);
        }
        let converted = conversions.to_work_tree(path, &node.bytes).map_err(|error| refuse(&error, findings)).ok()?;
        let is_moved = before.is_some_and(|before| before.bytes.is_same(&node.bytes));
        if converted.is_none() && is_moved {
            return Some(node);
        }
        let in_repository = Some(node.bytes.clone());
        let bytes = converted.unwrap_or_else(|| node.bytes.clone());
        let Some(before) = before.filter(|before| before.bytes == bytes) else {
            return Some(Node { bytes, in_repository, origin: None, restored: None, ..node });
        };
        let (origin, restored) = (before.origin.clone(), before.restored.clone());
        Some(Node { bytes: before.bytes.clone(), in_repository, origin, restored, ..node })
    }
}

fn refuse(error: &ConversionError, findings: &mut Findings) {
    let problem = problem_of(error);
    findings.error(problem.code, problem.message).help = problem.help;
}

/// Returns the problem of a file that has no other form for the reason `error`.
pub(super) fn problem_of(error: &ConversionError) -> Problem {
    let (code, message, help) = match error {
        ConversionError::Encoding(error) => return encoding_problem(error),
        ConversionError::DeniedFilter(name, source) => return denied_filter(name, source.as_deref()),
        ConversionError::Unknown(reason) => (
            &code::CONVERSION,
            format!("git cannot tell how it converts the file: {reason}"),
            "an attribute file or git's configuration can convert the file; fix what git reports, or install git",
        ),
        ConversionError::FailedFilter(name, error) => (
            &code::FILTER_FAILED,
            format!("the filter driver `{}` failed: {error}", printable(name.as_bytes())),
            "with --index, git itself runs the driver",
        ),
    };
    Problem { help: Some(help.to_owned()), ..Problem::new(code, message) }
}

/// Returns the problem of a file with this error.
pub(super) fn encoding_problem(error: &EncodingError) -> Problem {
    let help = "change the attribute in .gitattributes, or the encoding of the file".to_owned();
    Problem { help: Some(help), ..Problem::new(&code::ENCODING, error.to_string()) }
}

/// Returns the problem of a file that the filter driver `name` would convert, by an attribute in the file `source`.
#[must_use]
pub fn denied_filter(name: &str, source: Option<&Path>) -> Problem {
    let name = printable(name.as_bytes());
    let place = source.map(|file| format!(", which {} names", printable(file.as_os_str().as_encoded_bytes())));
    let place = place.unwrap_or_default();
    let message = format!("the filter driver `{name}`{place}, does not run: the repository defines it, not the user");
    let help = format!("--allow-filter {name} runs it; so does a definition in the user's own git configuration");
    Problem { help: Some(help), ..Problem::new(&code::FILTER, message) }
}
