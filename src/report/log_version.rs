//! The versions of files in the log.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::mode::FileKind;
use crate::transaction::history::Version;

/// One version of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct LogVersion {
    /// The XXH3-128 digest of the content, or of the target of a link. Absent if policy denies
    /// reading the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub xxh3: Option<String>,
    /// The size in bytes.
    pub size: u64,
    /// The permission bits in octal; null if they are unknown and for a link.
    pub mode: Option<String>,
    /// `file` or `link`.
    pub file_type: &'static str,
}

impl LogVersion {
    pub(super) fn without_digest(self) -> Self {
        Self { xxh3: None, ..self }
    }

    pub(super) fn of(version: Version) -> Self {
        let is_link = version.kind == FileKind::Symlink;
        Self {
            xxh3: Some(version.digest.to_string()),
            size: version.size,
            mode: version
                .permissions
                .filter(|_| !is_link)
                .map(|bits| format!("{bits:04o}")),
            file_type: if is_link { "link" } else { "file" },
        }
    }
}
