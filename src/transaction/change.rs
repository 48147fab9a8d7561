//! The journal's data about one file: its content before and after, and its scratch files.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::escape;
use crate::change::FileState;
use crate::digest::Digest;
use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::workspace::Stat;

/// The change of one file. It holds identities, not contents.
///
/// The serialized names are part of the journal format and of the history, so they never change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Change {
    /// The number of its scratch files: `n3` is the staged file, `o3` the displaced file.
    pub(super) number: usize,
    #[serde(with = "escape")]
    pub(super) path: RelPath,
    /// The old file, or `None` if the path has no file. This is also `None` for a directory that is
    /// removed to make room for the new file.
    pub(super) before: Option<FileIdentity>,
    /// The new file, or `None` for a deletion.
    pub(super) after: Option<FileIdentity>,
    /// Whether the old file is moved out of the tree before any file is moved in.
    #[serde(rename = "leaves")]
    pub(super) moves_out: bool,
    /// The scratch file that is moved in.
    #[serde(rename = "arrives")]
    pub(super) source: Option<MoveInSource>,
    /// The place of the scratch files if renaming from the state directory is not possible: the
    /// number of directories above the file's own directory.
    #[serde(rename = "beside")]
    pub(super) stage_depth: Option<usize>,
    /// Whether the file has other hard links that must stay linked. Unless the old file is moved
    /// out, the file is then changed in place.
    #[serde(
        default,
        rename = "in_place",
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub(super) overwrites: bool,
}

/// Changes by their number.
pub(super) type ChangesByNumber<'a> = BTreeMap<usize, &'a Change>;

/// The source of the file that is moved in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MoveInSource {
    /// The file was staged.
    Staged,
    /// The file is the old file of the change with this number.
    Old(usize),
}

/// The identity of one version of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileIdentity {
    pub(super) kind: JournalFileKind,
    /// The digest of the content or of the link target, as 32 hex digits.
    #[serde(with = "hex_digest")]
    pub(super) digest: Digest,
    /// The size in bytes.
    pub(super) size: u64,
    /// The permission bits (0o7777), if they are known.
    pub(super) mode: Option<u32>,
}

/// The file types in a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum JournalFileKind {
    File,
    Link,
    Directory,
    Special,
}

impl From<FileKind> for JournalFileKind {
    fn from(kind: FileKind) -> Self {
        match kind {
            FileKind::Regular => Self::File,
            FileKind::Symlink => Self::Link,
            FileKind::Directory => Self::Directory,
            FileKind::Special => Self::Special,
        }
    }
}

impl FileIdentity {
    /// Returns whether both have the same type and content.
    pub(super) fn is_same_content(&self, other: &Self) -> bool {
        self.kind == other.kind && self.digest == other.digest
    }
}

/// Owner, group and permission bits of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DirAttributes {
    /// The permission bits (0o7777).
    pub mode: u32,
    /// The owner.
    pub uid: u32,
    /// The group.
    pub gid: u32,
}

impl From<&Stat> for DirAttributes {
    fn from(stat: &Stat) -> Self {
        Self {
            mode: stat.permissions,
            uid: stat.uid,
            gid: stat.gid,
        }
    }
}

impl From<&FileState> for FileIdentity {
    fn from(state: &FileState) -> Self {
        let stat = &state.stat;
        Self {
            kind: stat.kind.into(),
            digest: state.digest,
            size: stat.size,
            mode: Some(stat.permissions),
        }
    }
}

/// Returns the permission bits, if they are known.
pub(super) fn exact_bits(permissions: Permissions) -> Option<u32> {
    if let Permissions::Exact(bits) = permissions {
        Some(bits)
    } else {
        None
    }
}

impl Change {
    /// Sets the new file: a staged file with this type, digest, size and permissions.
    pub(super) fn set_staged_file(
        &mut self,
        kind: FileKind,
        (digest, size): (Digest, usize),
        permissions: Permissions,
    ) {
        let mode = exact_bits(permissions).filter(|_| kind != FileKind::Symlink);
        self.after = Some(FileIdentity {
            kind: kind.into(),
            digest,
            size: size as u64,
            mode,
        });
        self.source = Some(MoveInSource::Staged);
    }

    /// Returns the change whose old file is moved in here. `leaving` contains the changes that move
    /// a file out.
    pub(super) fn source_change<'c>(&self, moved_out: &ChangesByNumber<'c>) -> Option<&'c Self> {
        let Some(MoveInSource::Old(number)) = self.source else {
            return None;
        };
        moved_out.get(&number).copied()
    }

    /// Returns whether the old and the new file are exchanged.
    pub(super) fn is_exchange(&self) -> bool {
        !self.moves_out && self.before.is_some() && self.source.is_some() && !self.overwrites
    }

    /// Returns whether the staged file overwrites the old file in place. The scratch file
    /// `o<number>` is then a copy of the old file.
    pub(super) fn is_overwrite(&self) -> bool {
        self.overwrites
            && !self.moves_out
            && self.source == Some(MoveInSource::Staged)
            && self.is_between_files()
    }

    /// Returns whether both the old and the new file are regular files.
    pub(super) fn is_between_files(&self) -> bool {
        let is_file = |side: &Option<FileIdentity>| {
            side.is_some_and(|image| image.kind == JournalFileKind::File)
        };
        is_file(&self.before) && is_file(&self.after)
    }

    /// Returns whether only the mode changes.
    pub(super) fn is_mode_only(&self) -> bool {
        !self.moves_out && self.source.is_none()
    }

    /// Returns whether `image` is the old file.
    ///
    /// The mode is compared only if old and new file have the same content.
    pub(super) fn is_before(&self, image: Option<&FileIdentity>) -> bool {
        Self::is_side(self.before.as_ref(), self.after.as_ref(), image)
    }

    /// Returns whether `image` is the new file.
    pub(super) fn is_after(&self, image: Option<&FileIdentity>) -> bool {
        Self::is_side(self.after.as_ref(), self.before.as_ref(), image)
    }

    fn is_side(
        side: Option<&FileIdentity>,
        other: Option<&FileIdentity>,
        image: Option<&FileIdentity>,
    ) -> bool {
        match (side, image) {
            (None, None) => true,
            (Some(side), Some(image)) if side.is_same_content(image) => {
                // If both sides have the same content, only the mode distinguishes them.
                let has_other_content = other.is_none_or(|other| !other.is_same_content(side));
                has_other_content || side.mode.is_none() || side.mode == image.mode
            }
            _ => false,
        }
    }
}

pub(super) mod hex_digest {
    use serde::{Deserialize, Deserializer, Serializer, de};

    use crate::digest::Digest;

    pub(in crate::transaction) fn serialize<S: Serializer>(
        digest: &Digest,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(digest)
    }

    pub(in crate::transaction) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Digest, D::Error> {
        let text = String::deserialize(deserializer)?;
        // `from_str_radix` also accepts a sign.
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(de::Error::custom("not a digest"));
        }
        u128::from_str_radix(&text, 16)
            .map(Digest::from)
            .map_err(de::Error::custom)
    }
}
