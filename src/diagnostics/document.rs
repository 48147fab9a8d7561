//! The text of one file before and after a change.

use std::path::Path;
use std::sync::Arc;

use super::uri;
use crate::path::RelPath;

/// The maximum size in bytes of a text that is sent to a server.
pub const MAX_TEXT: u64 = 4 << 20;

/// A file before and after a change.
#[derive(Clone, Debug)]
pub struct Document {
    /// The path after the change, or the previous path of a deleted file.
    pub path: RelPath,
    /// The previous path of a renamed file.
    pub from: Option<RelPath>,
    /// The text before the change; `None` for a new file.
    pub before: Option<Text>,
    /// The text after the change; `None` for a deleted file.
    pub after: Option<Text>,
    /// Whether the change contains the file.
    pub role: DocumentRole,
}

/// The role of a file in a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DocumentRole {
    /// The change contains the file.
    Changed,
    /// The file is unchanged. Servers open it, because it can depend on changed files.
    Unchanged,
}

/// The text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Text {
    /// A UTF-8 text. The protocol cannot represent any other encoding.
    Known(Arc<String>),
    /// A text that is never sent. Servers are not queried about the file; they only receive the
    /// notification of its change.
    Unknown,
}

impl Text {
    fn as_str(&self) -> &str {
        match self {
            Self::Known(text) => text,
            Self::Unknown => "",
        }
    }
}

impl Document {
    /// Returns the path before the change.
    pub(super) fn old_path(&self) -> &RelPath {
        self.from.as_ref().unwrap_or(&self.path)
    }

    /// Returns whether servers can be queried about the file.
    pub(super) fn is_known(&self) -> bool {
        [&self.before, &self.after]
            .into_iter()
            .all(|text| *text != Some(Text::Unknown))
    }

    /// Returns the text before and after the change.
    pub(super) fn texts(&self) -> [Option<&str>; 2] {
        [&self.before, &self.after].map(|text| text.as_ref().map(Text::as_str))
    }

    /// Returns the changes of the file on the disk, as URIs with the protocol's `FileChangeType`: 1
    /// created, 2 changed, 3 deleted. A rename is a deletion and a creation.
    pub(super) fn file_changes(&self, root: &Path) -> Vec<(String, u8)> {
        if self.role == DocumentRole::Unchanged {
            return Vec::new();
        }
        let was = self.before.is_some().then(|| uri(root, self.old_path()));
        let is = self.after.is_some().then(|| uri(root, &self.path));
        match (was, is) {
            (Some(was), Some(is)) if was == is => vec![(is, 2)],
            (was, is) => was
                .map(|was| (was, 3))
                .into_iter()
                .chain(is.map(|is| (is, 1)))
                .collect(),
        }
    }
}

/// Returns the URI of the file at `path` below `root`.
pub(super) fn uri(root: &Path, path: &RelPath) -> String {
    uri::join(root, path.as_bytes())
}

/// The protocol's language identifiers, by file extension.
const LANGUAGES: &[(&str, &str)] = &[
    ("c", "c"),
    ("cc", "cpp"),
    ("cjs", "javascript"),
    ("cpp", "cpp"),
    ("cs", "csharp"),
    ("cts", "typescript"),
    ("cxx", "cpp"),
    ("h", "c"),
    ("hpp", "cpp"),
    ("js", "javascript"),
    ("jsx", "javascriptreact"),
    ("kt", "kotlin"),
    ("md", "markdown"),
    ("mjs", "javascript"),
    ("mts", "typescript"),
    ("pl", "perl"),
    ("py", "python"),
    ("pyi", "python"),
    ("rb", "ruby"),
    ("rs", "rust"),
    ("sh", "shellscript"),
    ("tex", "latex"),
    ("ts", "typescript"),
    ("tsx", "typescriptreact"),
    ("yml", "yaml"),
];

/// Returns the language identifier of the file at `path`.
///
/// An extension without an entry in [`LANGUAGES`] is itself the identifier, which is correct for
/// many languages.
pub(super) fn language_id(path: &RelPath) -> String {
    let name = String::from_utf8_lossy(path.as_bytes());
    let Some(extension) = Path::new(&*name)
        .extension()
        .and_then(|extension| extension.to_str())
    else {
        return "plaintext".to_owned();
    };
    let extension = extension.to_ascii_lowercase();
    let known = LANGUAGES.iter().find(|(known, _)| *known == extension);
    known.map_or(extension, |(_, language)| (*language).to_owned())
}
