//! The name candidates of a section, and the path that they give at a strip level.

use bstr::ByteSlice;

use crate::path::{PathError, RelPath};
use crate::text::Span;

/// The name of one file as a section states it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Name {
    /// The names on all lines that name the file. They must agree after stripping.
    Agreed(Vec<NameCandidate>),
    /// The names on two lines that differ only in the first component, such as `a/NAME` and
    /// `b/NAME`. Only the first is stored.
    Paired(Box<NameCandidate>),
    /// The rest of a `diff --git` line, which contains the name twice: `a/NAME b/NAME`.
    Header(Box<NameCandidate>),
    /// The `---` and `+++` lines of a section with git header. If the strip level leaves nothing of
    /// either, the header decides. For a created or deleted file there is one line, which must name
    /// the same file as the header.
    Below {
        /// The rest of the `diff --git` line.
        header: Box<NameCandidate>,
        /// The names on the lines.
        lines: Vec<NameCandidate>,
    },
    /// The `---` and `+++` lines of a section without git header. They can differ in a suffix
    /// (`x.orig`).
    Traditional {
        /// The name on the `---` line.
        old: Box<NameCandidate>,
        /// The name on the `+++` line.
        new: Box<NameCandidate>,
    },
    /// No name. The span is the position of the section.
    Unnamed(Span),
}

/// A name candidate: the name on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameCandidate {
    /// The name, unquoted.
    pub bytes: Vec<u8>,
    /// The way in which the strip level applies to the name.
    pub strip: StripRule,
    /// The position in the input.
    pub span: Span,
}

/// The effect of strip level n on a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StripRule {
    /// Removes n leading components (`--- a/x`).
    Prefixed,
    /// Removes n - 1 components (`rename from x`: git writes no prefix there).
    Bare,
    /// Removes nothing: the grammar has no prefixes.
    Literal,
    /// Removes this number of components at every strip level.
    Fixed(usize),
}

/// The reasons why a section names no valid file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// No line names the file.
    #[error("the patch does not name the file that it changes")]
    Unnamed,
    /// The name has fewer components than the strip level removes, or nothing is left.
    #[error("the strip level removes the whole file name")]
    Stripped,
    /// Two lines of one section name different files.
    #[error("the header lines of this section name different files")]
    Disagreement,
    /// The stripped name is not a path inside the root.
    #[error(transparent)]
    Path(#[from] PathError),
}

impl Name {
    /// Returns the name for two lines with prefixes.
    pub(crate) fn from_pair(old: NameCandidate, new: NameCandidate) -> Self {
        debug_assert!(
            old.strip == StripRule::Prefixed && new.strip == StripRule::Prefixed,
            "each has a prefix"
        );
        let are_paired = old.bytes != new.bytes
            && strip_components(&old.bytes, 1)
                .is_some_and(|rest| strip_components(&new.bytes, 1) == Some(rest));
        // A patch can have many sections, and one stored name needs half the memory of two.
        if are_paired {
            Self::Paired(Box::new(old))
        } else {
            Self::Agreed(vec![old, new])
        }
    }

    /// Returns the position of the first name in the section.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Agreed(claims) | Self::Below { lines: claims, .. } => {
                claims.first().map_or(Span::default(), |claim| claim.span)
            }
            Self::Paired(claim) | Self::Header(claim) | Self::Traditional { old: claim, .. } => {
                claim.span
            }
            Self::Unnamed(span) => *span,
        }
    }

    /// Returns the path at strip level `level`, below `directory` if it is not empty.
    ///
    /// # Errors
    ///
    /// Returns [`NameError`] if nothing is left of the name, if the lines disagree, or if the rest
    /// is not a path inside the root.
    pub fn resolve(&self, level: usize, directory: &[u8]) -> Result<RelPath, NameError> {
        let bytes = self.name_at_level(level)?;
        if directory.is_empty() {
            return Ok(RelPath::new(bytes)?);
        }
        if bytes.starts_with(b"/") {
            return Err(PathError::Absolute.into());
        }
        Ok(RelPath::new(
            &[directory.strip_suffix(b"/").unwrap_or(directory), bytes].join(&b'/'),
        )?)
    }

    /// Fixes the strip level of the name to `level`. Later calls ignore the level that they are
    /// given.
    pub(super) fn fix_strip_level(&mut self, level: usize) {
        let claims = match self {
            Self::Agreed(claims) => claims.iter_mut().collect(),
            Self::Paired(claim) | Self::Header(claim) => vec![&mut **claim],
            Self::Below { header, lines } => std::iter::once(&mut **header).chain(lines).collect(),
            Self::Traditional { old, new } => vec![&mut **old, new],
            Self::Unnamed(_) => Vec::new(),
        };
        for claim in claims {
            claim.strip = match claim.strip {
                StripRule::Prefixed => StripRule::Fixed(level),
                StripRule::Bare => StripRule::Fixed(level.saturating_sub(1)),
                told @ (StripRule::Literal | StripRule::Fixed(_)) => told,
            };
        }
    }

    /// Returns the names on the lines at strip level `level` if they disagree, otherwise nothing.
    /// `text` is the input.
    pub(super) fn disagreeing_names(&self, level: usize, text: &[u8]) -> Vec<Vec<u8>> {
        if self.name_at_level(level) != Err(NameError::Disagreement) {
            return Vec::new();
        }
        let other = |bytes: &[u8], like: &NameCandidate| NameCandidate {
            bytes: bytes.to_vec(),
            ..like.clone()
        };
        let claims = match self {
            Self::Agreed(claims) | Self::Below { lines: claims, .. } => claims.clone(),
            Self::Paired(old) => {
                // Only the old name is stored. The new one is on the next line of the input.
                let mut lines = text
                    .get(old.span.end..)
                    .unwrap_or_default()
                    .split(|byte| *byte == b'\n')
                    .skip(1);
                let new = lines.next().and_then(|line| line.strip_prefix(b"+++ "));
                let new = new
                    .map(|name| &name[..memchr::memchr2(b'\t', b'\r', name).unwrap_or(name.len())]);
                std::iter::once((**old).clone())
                    .chain(new.map(|new| other(new, old)))
                    .collect()
            }
            // The halves agree at level 1. The first half ends where this name first occurs.
            Self::Header(both) => split_halves(&both.bytes, 1).map_or_else(Vec::new, |name| {
                let (old, new) = both
                    .bytes
                    .split_at(both.bytes.find(name).unwrap_or(0) + name.len());
                [old, new.strip_prefix(b" ").unwrap_or(new)]
                    .map(|bytes| other(bytes, both))
                    .to_vec()
            }),
            Self::Traditional { .. } | Self::Unnamed(_) => Vec::new(),
        };
        claims
            .iter()
            .filter_map(|claim| claim.name_at_level(level).ok().map(<[u8]>::to_vec))
            .collect()
    }

    /// Returns the name at strip level `level`. The name need not be a valid path.
    pub(super) fn name_at_level(&self, level: usize) -> Result<&[u8], NameError> {
        match self {
            Self::Agreed(claims) => agreed_name(claims, level),
            // Without stripping, the different first components remain.
            Self::Paired(claim) if claim.strip_count(level) == 0 => Err(NameError::Disagreement),
            Self::Paired(claim) => claim.name_at_level(level),
            Self::Unnamed(_) => Err(NameError::Unnamed),
            Self::Header(claim) => {
                split_halves(&claim.bytes, claim.strip_count(level)).ok_or(NameError::Disagreement)
            }
            Self::Below { header, lines } => {
                // The lines decide, and the header confirms a single line. A header of a created
                // file can be `/dev/null b/x`, which has no name that could confirm it.
                let header = split_halves(&header.bytes, header.strip_count(level));
                if lines.iter().all(|line| line.name_at_level(level).is_err()) {
                    return header.ok_or(NameError::Stripped);
                }
                let name = agreed_name(lines, level)?;
                let is_other = lines.len() == 1 && header.is_some_and(|header| header != name);
                if is_other {
                    Err(NameError::Disagreement)
                } else {
                    Ok(name)
                }
            }
            // git prefers the old name if the new name only appends a suffix to it, as in
            // `+++ x.c~` (`find_name_common` in git's `apply.c`). If the strip level leaves nothing
            // of one name, the other one is used.
            Self::Traditional { old, new } => {
                match (old.name_at_level(level), new.name_at_level(level)) {
                    (Ok(old), Ok(new)) => Ok(if new.len() > old.len() && new.starts_with(old) {
                        old
                    } else {
                        new
                    }),
                    (Ok(name), Err(_)) | (Err(_), Ok(name)) => Ok(name),
                    (Err(error), Err(_)) => Err(error),
                }
            }
        }
    }
}

impl NameCandidate {
    /// Returns the number of leading components to remove at strip level `level`.
    fn strip_count(&self, level: usize) -> usize {
        match self.strip {
            StripRule::Prefixed => level,
            StripRule::Bare => level.saturating_sub(1),
            StripRule::Literal => 0,
            StripRule::Fixed(count) => count,
        }
    }

    fn name_at_level(&self, level: usize) -> Result<&[u8], NameError> {
        let name =
            strip_components(&self.bytes, self.strip_count(level)).ok_or(NameError::Stripped)?;
        if name.is_empty() {
            Err(NameError::Stripped)
        } else {
            Ok(name)
        }
    }
}

/// Returns the name on which all of `claims` agree. As in git, a `rename from` line is ignored if
/// the strip level leaves nothing of it and another line names the file.
fn agreed_name(claims: &[NameCandidate], level: usize) -> Result<&[u8], NameError> {
    // A `rename from` line loses one component fewer than the lines with a prefix.
    let claims = match claims {
        [bare, others @ ..]
            if others
                .iter()
                .any(|other| other.strip_count(level) > bare.strip_count(level)) =>
        {
            if bare.name_at_level(level).is_ok() {
                claims
            } else {
                others
            }
        }
        _ => claims,
    };
    let (first, others) = claims.split_first().ok_or(NameError::Stripped)?;
    let name = first.name_at_level(level)?;
    for other in others {
        if other.name_at_level(level)? != name {
            return Err(NameError::Disagreement);
        }
    }
    Ok(name)
}

/// Removes `count` leading components. As in git, consecutive slashes count once.
fn strip_components(mut name: &[u8], count: usize) -> Option<&[u8]> {
    for _ in 0..count {
        let slash = memchr::memchr(b'/', name)?;
        let run = name[slash..]
            .iter()
            .take_while(|&&byte| byte == b'/')
            .count();
        name = &name[slash + run..];
    }
    Some(name)
}

/// Splits `a/NAME b/NAME` where both halves give the same name at `level`.
///
/// As the separating blank moves right, the first name grows and the second shrinks. The names have
/// equal length for at most one blank, which a binary search finds. A long line therefore needs few
/// comparisons.
fn split_halves(line: &[u8], level: usize) -> Option<&[u8]> {
    let start = line.len() - strip_components(line, level)?.len();
    let blanks: Vec<usize> = memchr::memchr_iter(b' ', line).collect();
    let new = |blank: usize| strip_components(&line[blank + 1..], level);
    let at =
        blanks.partition_point(|&blank| new(blank).is_some_and(|new| blank < start + new.len()));
    let &blank = blanks.get(at)?;
    let old = line.get(start..blank)?;
    (!old.is_empty() && new(blank) == Some(old)).then_some(old)
}

#[cfg(test)]
mod tests;
