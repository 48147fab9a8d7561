//! The entries of an index, and changes of them.

use std::collections::BTreeMap;
use std::fmt;

use crate::mode::FileMode;
use crate::path::RelPath;
use crate::workspace::objects::ObjectId;

/// An entry of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// The file mode.
    pub mode: FileMode,
    /// The ID of the blob, or of the commit of a submodule.
    pub id: ObjectId,
    /// The flag of the entry.
    pub flag: EntryFlag,
}

impl IndexEntry {
    /// Returns an entry without a flag.
    #[must_use]
    pub fn new(mode: FileMode, id: ObjectId) -> Self {
        Self {
            mode,
            id,
            flag: EntryFlag::None,
        }
    }

    /// Parses the text format of [`fmt::Display`].
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let mode = FileMode::from_bits(u32::from_str_radix(words.next()?, 8).ok()?)?;
        let id = ObjectId::from_hex(words.next()?.as_bytes())?;
        let mark = words
            .next()
            .map_or(Some(EntryFlag::None), EntryFlag::from_name)?;
        words.next().is_none().then_some(Self {
            mode,
            id,
            flag: mark,
        })
    }
}

impl fmt::Display for IndexEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.mode, self.id)?;
        self.flag.name().map_or(Ok(()), |name| write!(f, " {name}"))
    }
}

/// All entries of one path: its entry as stage 0, or the stages of a conflict, or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stages(pub BTreeMap<u8, IndexEntry>);

impl Stages {
    /// Returns the stages of a path that is not in conflict.
    #[must_use]
    pub fn of(entry: Option<IndexEntry>) -> Self {
        Self(entry.into_iter().map(|entry| (0, entry)).collect())
    }

    /// Parses the text format of [`Stages::text`].
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(entry) = IndexEntry::parse(text) {
            return Some(Self::of(Some(entry)));
        }
        let stage = |text: &str| {
            let (entry, stage) = text.rsplit_once(' ')?;
            Some((
                stage.parse().ok().filter(|stage| (1..=3).contains(stage))?,
                IndexEntry::parse(entry)?,
            ))
        };
        text.split(", ").map(stage).collect::<Option<_>>().map(Self)
    }

    /// Returns the stages as text, or `None` if there are none. Stage 0 is written as the entry. A
    /// conflict stage is written as the entry followed by the stage number.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        let text = |(stage, entry): (&u8, &IndexEntry)| match stage {
            0 => entry.to_string(),
            stage => format!("{entry} {stage}"),
        };
        let texts: Vec<_> = self.0.iter().map(text).collect();
        (!texts.is_empty()).then(|| texts.join(", "))
    }

    /// Returns whether both have the same stages, modes, objects and intent-to-add flags. The other
    /// flags are ignored.
    #[must_use]
    pub fn is_equivalent(&self, other: &Self) -> bool {
        let contents = |stages: &Self| -> Vec<_> {
            let said = stages
                .0
                .iter()
                .map(|(&stage, &entry)| (stage, entry.mode, entry.id, entry.is_intent_to_add()));
            said.collect()
        };
        contents(self) == contents(other)
    }

    /// Returns the updates that give `path` these stages.
    #[must_use]
    pub fn updates(&self, path: &RelPath) -> Vec<IndexUpdate> {
        if self.0.is_empty() {
            return vec![IndexUpdate {
                path: path.clone(),
                entry: None,
                stage: 0,
            }];
        }
        let update = |(&stage, &entry): (&u8, &IndexEntry)| IndexUpdate {
            path: path.clone(),
            entry: Some(entry),
            stage,
        };
        self.0.iter().map(update).collect()
    }
}

/// A change of one path in the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexUpdate {
    /// The path below the root.
    pub path: RelPath,
    /// The new entry. `None` removes all stages of the path.
    pub entry: Option<IndexEntry>,
    /// 0 without a conflict. In a conflict 1 is the base, 2 is ours and 3 is theirs.
    pub stage: u8,
}

/// The flag of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryFlag {
    /// No flag.
    None,
    /// The file is only intended to be added (`git add --intent-to-add`). git stores the empty blob
    /// for it.
    IntentToAdd,
    /// git treats the file in the work tree as unchanged (`--assume-unchanged`).
    AssumeUnchanged,
    /// The work tree contains no file, as in a sparse checkout (`--skip-worktree`).
    SkipWorktree,
}

impl EntryFlag {
    /// Returns the flag for the letter `tag` of `git ls-files -v`. A lower-case letter means
    /// assume-unchanged. `s` stands for both flags, and the result is only skip-worktree.
    pub(super) fn from_tag(tag: &[u8]) -> Self {
        match tag {
            b"S" | b"s" => Self::SkipWorktree,
            b"h" => Self::AssumeUnchanged,
            _ => Self::None,
        }
    }

    /// Returns the name of the flag in the history.
    pub(super) fn name(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::IntentToAdd => Some("intended"),
            Self::AssumeUnchanged => Some("assumed"),
            Self::SkipWorktree => Some("skipped"),
        }
    }

    /// Returns the flag with this name.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        [Self::IntentToAdd, Self::AssumeUnchanged, Self::SkipWorktree]
            .into_iter()
            .find(|mark| mark.name() == Some(name))
    }
}
