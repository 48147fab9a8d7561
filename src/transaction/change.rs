//! What the journal knows of one file: what was there, what is to be there, and which scratch files
//! stand for it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::escape;
use crate::change::FileState;
use crate::digest::Digest;
use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::workspace::Stat;

/// One file of a transaction. It holds identities, never contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Change {
    /// Number of its scratch files: `n3` for the new file, `o3` for the old one.
    pub(super) number: usize,
    #[serde(with = "escape")]
    pub(super) path: RelPath,
    /// The file that is there; `None` also for a directory that gives way.
    pub(super) before: Option<Image>,
    /// The file that is to be there.
    pub(super) after: Option<Image>,
    /// Whether the old file is moved out of the tree before anything comes in.
    pub(super) leaves: bool,
    /// The scratch file that comes in.
    pub(super) arrives: Option<Arrival>,
    /// Where its scratch files stand if the state directory is on another file system: so many
    /// directories above its own, counted from 0.
    pub(super) beside: Option<usize>,
    /// Whether the file has other names that are to keep it: unless it leaves, what changes of it
    /// changes in place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) in_place: bool,
}

/// Changes by their number.
pub(super) type Numbered<'a> = BTreeMap<usize, &'a Change>;

/// Where a file comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Arrival {
    /// It was staged.
    Staged,
    /// It is the old file of the change with this number.
    Old(usize),
}

/// What tells one version of a file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Image {
    pub(super) kind: Kind,
    /// Digest of contents or target, as 32 hex digits.
    #[serde(with = "hex_digest")]
    pub(super) digest: Digest,
    /// Size in bytes.
    pub(super) size: u64,
    /// Permission bits, of 0o7777, where they are known.
    pub(super) mode: Option<u32>,
}

/// The types of file that a transaction moves about, and the ones that stand in its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    File,
    Link,
    Directory,
    Special,
}

impl From<FileKind> for Kind {
    fn from(kind: FileKind) -> Self {
        match kind {
            FileKind::Regular => Self::File,
            FileKind::Symlink => Self::Link,
            FileKind::Directory => Self::Directory,
            FileKind::Special => Self::Special,
        }
    }
}

impl Image {
    /// Returns whether both have the same contents.
    pub(super) fn is_same_content(&self, other: &Self) -> bool {
        self.kind == other.kind && self.digest == other.digest
    }
}

/// Who has a directory, and what they may do in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Standing {
    /// Permission bits, of 0o7777.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
}

impl From<&Stat> for Standing {
    fn from(stat: &Stat) -> Self {
        Self {
            mode: stat.permissions,
            uid: stat.uid,
            gid: stat.gid,
        }
    }
}

impl From<&FileState> for Image {
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

/// Returns the permission bits, where they are known.
pub(super) fn bits(permissions: Permissions) -> Option<u32> {
    if let Permissions::Exact(bits) = permissions {
        Some(bits)
    } else {
        None
    }
}

impl Change {
    /// Lets a staged file of contents of this digest and size come in.
    pub(super) fn expect(
        &mut self,
        kind: FileKind,
        (digest, size): (Digest, usize),
        permissions: Permissions,
    ) {
        let mode = bits(permissions).filter(|_| kind != FileKind::Symlink);
        self.after = Some(Image {
            kind: kind.into(),
            digest,
            size: size as u64,
            mode,
        });
        self.arrives = Some(Arrival::Staged);
    }

    /// Returns the change of the file that comes here from elsewhere in the tree. `leaving` holds
    /// what may have moved.
    pub(super) fn source<'c>(&self, leaving: &Numbered<'c>) -> Option<&'c Self> {
        let Some(Arrival::Old(number)) = self.arrives else {
            return None;
        };
        leaving.get(&number).copied()
    }

    /// Returns whether old and new file trade places.
    pub(super) fn is_exchange(&self) -> bool {
        !self.leaves && self.before.is_some() && self.arrives.is_some() && !self.in_place
    }

    /// Returns whether a staged file is written over the old one, of which a copy is the old file
    /// then.
    pub(super) fn is_overwrite(&self) -> bool {
        self.in_place && !self.leaves && self.arrives == Some(Arrival::Staged) && self.is_of_files()
    }

    /// Returns whether a regular file is there before and afterwards.
    pub(super) fn is_of_files(&self) -> bool {
        let is_file = |side: &Option<Image>| side.is_some_and(|image| image.kind == Kind::File);
        is_file(&self.before) && is_file(&self.after)
    }

    /// Returns whether only the mode changes.
    pub(super) fn is_mode(&self) -> bool {
        !self.leaves && self.arrives.is_none()
    }

    /// Returns whether `image` is the file that was there.
    ///
    /// The mode counts only where nothing else tells the two sides apart.
    pub(super) fn is_before(&self, image: Option<&Image>) -> bool {
        Self::is_side(self.before.as_ref(), self.after.as_ref(), image)
    }

    /// Returns whether `image` is the file that is to be there.
    pub(super) fn is_after(&self, image: Option<&Image>) -> bool {
        Self::is_side(self.after.as_ref(), self.before.as_ref(), image)
    }

    fn is_side(side: Option<&Image>, other: Option<&Image>, image: Option<&Image>) -> bool {
        match (side, image) {
            (None, None) => true,
            (Some(side), Some(image)) if side.is_same_content(image) => {
                let is_told = other.is_none_or(|other| !other.is_same_content(side));
                is_told || side.mode.is_none() || side.mode == image.mode
            }
            _ => false,
        }
    }
}

mod hex_digest {
    use serde::{Deserialize, Deserializer, Serializer, de};

    use crate::digest::Digest;

    pub(super) fn serialize<S: Serializer>(
        digest: &Digest,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(digest)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Digest, D::Error> {
        let text = String::deserialize(deserializer)?;
        // The standard library would take a sign as well.
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(de::Error::custom("not a digest"));
        }
        u128::from_str_radix(&text, 16)
            .map(Digest::from)
            .map_err(de::Error::custom)
    }
}
