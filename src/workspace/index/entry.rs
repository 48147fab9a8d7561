//! What the index has for a name, and what it gets.

use std::collections::BTreeMap;
use std::fmt;

use crate::mode::FileMode;
use crate::path::RelPath;
use crate::workspace::objects::ObjectId;

/// What the index has for a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// The mode.
    pub mode: FileMode,
    /// The blob, or the commit of a submodule.
    pub id: ObjectId,
    /// What is said of it besides.
    pub mark: Mark,
}

impl IndexEntry {
    /// Returns the entry of contents that are there.
    #[must_use]
    pub fn new(mode: FileMode, id: ObjectId) -> Self {
        Self {
            mode,
            id,
            mark: Mark::Plain,
        }
    }

    /// Returns the entry that `text` is, as [`fmt::Display`] writes it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let mode = FileMode::from_bits(u32::from_str_radix(words.next()?, 8).ok()?)?;
        let id = ObjectId::from_hex(words.next()?.as_bytes())?;
        let mark = words.next().map_or(Some(Mark::Plain), Mark::named)?;
        words.next().is_none().then_some(Self { mode, id, mark })
    }
}

impl fmt::Display for IndexEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.mode, self.id)?;
        self.mark.name().map_or(Ok(()), |name| write!(f, " {name}"))
    }
}

/// All that the index has for a name: its entry as stage 0, or the stages of a conflict, or
/// nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stages(pub BTreeMap<u8, IndexEntry>);

impl Stages {
    /// Returns what there is of a name that is not in conflict.
    #[must_use]
    pub fn of(entry: Option<IndexEntry>) -> Self {
        Self(entry.into_iter().map(|entry| (0, entry)).collect())
    }

    /// Returns the stages that `text` is, as [`Stages::text`] writes them.
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

    /// Writes them: an entry alone as it is, others with the number of their stage behind each;
    /// nothing is `None`.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        let text = |(stage, entry): (&u8, &IndexEntry)| match stage {
            0 => entry.to_string(),
            stage => format!("{entry} {stage}"),
        };
        let texts: Vec<_> = self.0.iter().map(text).collect();
        (!texts.is_empty()).then(|| texts.join(", "))
    }

    /// Returns whether both have the same contents, whether these are in the work tree or not.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let contents = |stages: &Self| -> Vec<_> {
            let said = stages
                .0
                .iter()
                .map(|(&stage, &entry)| (stage, entry.mode, entry.id, entry.is_intended()));
            said.collect()
        };
        contents(self) == contents(other)
    }

    /// Returns how `path` gets them.
    #[must_use]
    pub fn updates(&self, path: &RelPath) -> Vec<Update> {
        if self.0.is_empty() {
            return vec![Update {
                path: path.clone(),
                entry: None,
                stage: 0,
            }];
        }
        let update = |(&stage, &entry): (&u8, &IndexEntry)| Update {
            path: path.clone(),
            entry: Some(entry),
            stage,
        };
        self.0.iter().map(update).collect()
    }
}

/// What becomes of a name in the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// The name, below the root.
    pub path: RelPath,
    /// What it gets; `None` takes it out, with all its stages.
    pub entry: Option<IndexEntry>,
    /// 0, or of a conflict 1 for the base, 2 for ours, 3 for theirs.
    pub stage: u8,
}

/// What is said of an entry besides its mode and its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mark {
    /// Nothing.
    Plain,
    /// A file is going to be added, and that is all; the blob is the empty one then, as git has it.
    Intended,
    /// The file of the work tree counts as unchanged, whatever it is (`--assume-unchanged`).
    Assumed,
    /// There is to be no file in the work tree, as in a sparse checkout (`--skip-worktree`).
    Skipped,
}

impl Mark {
    /// Returns what `git ls-files -v` says by the letter `tag`.
    pub(super) fn of(tag: &[u8]) -> Self {
        match tag {
            b"S" | b"s" => Self::Skipped,
            b"h" => Self::Assumed,
            _ => Self::Plain,
        }
    }

    /// Returns its name in the history.
    pub(super) fn name(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Intended => Some("intended"),
            Self::Assumed => Some("assumed"),
            Self::Skipped => Some("skipped"),
        }
    }

    /// Returns the mark with this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        [Self::Intended, Self::Assumed, Self::Skipped]
            .into_iter()
            .find(|mark| mark.name() == Some(name))
    }
}
