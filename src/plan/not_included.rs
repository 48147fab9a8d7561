//! Changes that an input names without their content, such as `Only in b: x`.

use crate::text::Span;

/// A change that an input names without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentlessChange {
    /// The kind of change.
    pub kind: NamedChange,
    /// The file name as in the input. It is empty if the line names no file.
    pub name: Vec<u8>,
    /// The line without its terminator, cut to [`ContentlessChange::MAX_BYTES`] bytes.
    pub text: Vec<u8>,
    /// The number of the line in the input, counted from 1.
    pub line: usize,
    /// The position in the input.
    pub span: Span,
    /// Index of the input.
    pub input: usize,
}

impl ContentlessChange {
    /// The maximum number of bytes of a line that are kept.
    pub const MAX_BYTES: usize = 500;
}

/// The kinds of change that programs name without their content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NamedChange {
    /// A file exists on one side only.
    OnlyIn,
    /// A binary file differs.
    Binary,
    /// Two files differ.
    Differ,
    /// The type of a file differs.
    Type,
    /// The target of a symbolic link differs.
    Link,
    /// A file was added.
    Add,
    /// A file was removed.
    Remove,
    /// A file was changed.
    Modify,
    /// A file was renamed.
    Rename,
    /// The properties of a file differ.
    Properties,
    /// A file has a merge conflict.
    Unmerged,
    /// A submodule differs.
    Submodule,
    /// The program that wrote the input could not read a file.
    Unreadable,
}

impl NamedChange {
    /// Returns the name of the kind in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OnlyIn => "only_in",
            Self::Binary => "binary",
            Self::Differ => "differ",
            Self::Type => "type",
            Self::Link => "link",
            Self::Add => "add",
            Self::Remove => "remove",
            Self::Modify => "modify",
            Self::Rename => "rename",
            Self::Properties => "properties",
            Self::Unmerged => "unmerged",
            Self::Submodule => "submodule",
            Self::Unreadable => "unreadable",
        }
    }
}
