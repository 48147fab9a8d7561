//! A file before and after a change, as language servers see it.

use std::path::Path;
use std::sync::Arc;

use super::uri;
use crate::path::RelPath;

/// Largest text that a server is told of, in bytes.
pub const MAX_TEXT: u64 = 4 << 20;

/// A file before and after a change.
#[derive(Clone, Debug)]
pub struct Document {
    /// Where it is afterwards, or was if it goes.
    pub path: RelPath,
    /// Where it was, if that is elsewhere.
    pub from: Option<RelPath>,
    /// Its text before; `None` if it was not there.
    pub before: Option<Text>,
    /// Its text afterwards; `None` if it is not there any more.
    pub after: Option<Text>,
}

/// The text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Text {
    /// This one, which is UTF-8: nothing else can be said in the protocol.
    Known(Arc<String>),
    /// One that no server is told of: they are not asked about the file, and only hear that it
    /// changed.
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
    /// Returns where it was.
    pub(super) fn old_path(&self) -> &RelPath {
        self.from.as_ref().unwrap_or(&self.path)
    }

    /// Returns whether servers can be asked about it.
    pub(super) fn is_known(&self) -> bool {
        [&self.before, &self.after]
            .into_iter()
            .all(|text| *text != Some(Text::Unknown))
    }

    /// Returns its text before and afterwards.
    pub(super) fn texts(&self) -> [Option<&str>; 2] {
        [&self.before, &self.after].map(|text| text.as_ref().map(Text::as_str))
    }

    /// Returns what becomes of it on the disk below `root`: URIs, with 1 for made, 2 for changed, 3
    /// for gone.
    pub(super) fn moves(&self, root: &Path) -> Vec<(String, u8)> {
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
    uri::below(root, path.as_bytes())
}

/// The languages that the protocol names, by the extensions of their files.
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

/// Returns the language of the file at `path`: by its extension, which is the name of many a
/// language itself.
pub(super) fn language(path: &RelPath) -> String {
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
