//! The edit of one file without a patch: `wpatch edit`, `write`, `append` and `notebook`.

use super::{Request, What};
use crate::digest::Sha256;
use crate::mode::FileMode;
use crate::plan::{
    Action, Edit, EditTarget, Input, Name, NameCandidate, Operation, Plan, Replacement, StripRule,
};
use crate::text::Span;

/// The default limit on the size of a file that is read or created without a patch, in bytes.
pub const MAX_FILE: u64 = 10 << 20;
/// The default limit on the size of a diff in the report of an edit without a patch, in bytes.
pub const MAX_DIFF: usize = 16 << 10;

/// The edit of one file without a patch.
#[derive(Clone, Debug)]
pub struct FileEdit {
    /// The name of the command in the report.
    pub command: &'static str,
    /// The path of the file below the root. Links are followed as long as they stay below the root.
    pub path: Vec<u8>,
    /// [`Action::Create`] for a file that must not exist, [`Action::Modify`] for any other.
    pub action: Action,
    /// The change of its content.
    pub edit: Edit,
    /// Whether [`Action::Modify`] creates a file that does not exist.
    pub creates_missing: bool,
    /// The mode that the file gets; `None` to keep its mode.
    pub mode: Option<FileMode>,
    /// The action if the parent directories do not exist.
    pub parents: MissingParents,
    /// The text that the spans of `edit` refer to.
    pub input: Input,
}

/// The action if parent directories do not exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MissingParents {
    /// Creates the directories.
    #[default]
    Create,
    /// Refuses the edit.
    Refuse,
}

impl FileEdit {
    /// Returns `edit` as an edit of the file at `path`.
    ///
    /// For every command of the program, [`Request`] has a constructor: [`Request::edit`],
    /// [`Request::write`], [`Request::append`], [`Request::notebook`] and others.
    #[must_use]
    pub fn of(path: impl Into<Vec<u8>>, edit: Edit) -> Self {
        Self {
            command: "edit",
            path: path.into(),
            action: Action::Modify,
            edit,
            creates_missing: false,
            mode: None,
            parents: MissingParents::Create,
            input: Input {
                name: "edit".to_owned(),
                ..Input::default()
            },
        }
    }

    /// Returns the reason why the edit is invalid for any file.
    pub(in crate::engine) fn usage_error(&self) -> Option<String> {
        match &self.edit {
            Edit::Replacements(changes) if changes.edits.is_empty() => {
                Some("the call contains no edit".to_owned())
            }
            Edit::Replacements(changes) => changes
                .edits
                .iter()
                .find_map(empty_text_error)
                .map(str::to_owned),
            Edit::Cell(_) if !has_extension(&self.path, b"ipynb") => {
                let path = String::from_utf8_lossy(&self.path);
                Some(format!(
                    "{path} is not a notebook: its name does not end in .ipynb"
                ))
            }
            _ => None,
        }
    }

    /// Returns the plan with the edit as its only operation. `expected` is the required digest of
    /// the file before the edit.
    pub(in crate::engine) fn into_plan(self, expected: Option<Sha256>) -> Plan<Name> {
        let span = Span::new(0, self.input.bytes.len());
        let name = Name::Agreed(vec![NameCandidate {
            bytes: self.path,
            strip: StripRule::Literal,
            span,
        }]);
        let operation = Operation {
            edit: self.edit,
            new_mode: self.mode,
            expected: expected.map(Box::new),
            span,
            distinguishes_missing: !self.creates_missing,
            ..Operation::new(self.action, name)
        };
        Plan {
            inputs: vec![self.input],
            operations: vec![operation],
        }
    }
}

impl From<FileEdit> for Request {
    fn from(edit: FileEdit) -> Self {
        let mut request = Self::with(What::Edit(Box::new(edit)));
        request.decide.max_file = MAX_FILE;
        request.look.max_diff = MAX_DIFF;
        request
    }
}

/// Returns an error message if a text of `edit` is empty and must not be.
fn empty_text_error(edit: &Replacement) -> Option<&'static str> {
    match &edit.target {
        EditTarget::Text { old, .. } | EditTarget::Lines(old) if old.is_empty() => {
            Some("the old text must not be empty")
        }
        EditTarget::Range { from, to } if from.is_empty() || to.is_empty() => {
            Some("the first and the last text of a range must not be empty")
        }
        _ => None,
    }
}

fn has_extension(path: &[u8], wanted: &[u8]) -> bool {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let dot = memchr::memrchr(b'.', name).filter(|&dot| dot > 0);
    dot.is_some_and(|dot| name[dot + 1..].eq_ignore_ascii_case(wanted))
}
