//! Finds the file that the names in a section refer to.

use super::RefusalKind;
use super::chunk::Chunk;
use super::read::{Action, Section};
use crate::mode::FileKind;
use crate::path::{PathError, RelPath};
use crate::policy::{Access, Policy, Verdict};
use crate::syntax::unquote;
use crate::text::printable;
use crate::workspace::{ErrorKind, Stat, Workspace, WorkspaceError};

/// The inputs for looking up names.
pub(super) struct Names<'w> {
    pub(super) workspace: &'w dyn Workspace,
    pub(super) policy: &'w Policy,
    /// The least verdict on reading a file that prevents wpatch from reading it.
    pub(super) unread: Verdict,
    /// The absolute path of the root.
    pub(super) root: &'w [u8],
    /// The file that an option names, if the patch is for one file.
    pub(super) file: Option<RelPath>,
}

/// The result of looking up the names of a section.
pub(super) enum Named {
    /// A file, and whether its path differs from the name in the patch.
    Path(RelPath, bool),
    Outside(String),
    None(String),
    Several(String),
}

impl Named {
    /// Returns the file, and whether its path differs from the name in the patch.
    ///
    /// # Errors
    ///
    /// Returns the kind and the message of the refusal if the name does not refer to exactly one
    /// file.
    pub(super) fn into_path(self) -> Result<(RelPath, bool), (RefusalKind, String)> {
        Err(match self {
            Self::Path(path, is_other) => return Ok((path, is_other)),
            Self::Outside(name) => (
                RefusalKind::Outside,
                format!("{name} leads outside the root"),
            ),
            Self::None(name) => (
                RefusalKind::Name,
                format!("no file in the tree has the name {name}"),
            ),
            Self::Several(name) => (
                RefusalKind::Name,
                format!("the name {name} matches more than one file"),
            ),
        })
    }
}

impl Names<'_> {
    /// Returns the status of the entry at `path`. Returns `None` if a symbolic link is in the path,
    /// because a later stage reports that link.
    pub(super) fn stat(&self, path: &RelPath) -> Result<Option<Stat>, WorkspaceError> {
        match self.workspace.stat(path) {
            Err(error) if error.fault == ErrorKind::ThroughLink => Ok(None),
            stat => stat,
        }
    }

    /// Returns the reason why policy prevents wpatch from reading or changing `path`.
    pub(super) fn denial(&self, path: &RelPath, action: Action) -> Option<(RefusalKind, String)> {
        let accesses: &[Access] = match action {
            Action::Create => &[Access::Create],
            Action::Update => &[Access::Read, Access::Modify],
            Action::Delete => &[Access::Read, Access::Delete],
        };
        accesses.iter().find_map(|&access| {
            let ruling = self.policy.judge(path, access);
            let reason = ruling.reason()?;
            match ruling.verdict {
                Verdict::Deny => Some((
                    RefusalKind::Closed,
                    format!("policy denies this path: {reason}"),
                )),
                Verdict::Ask if access == Access::Read && self.unread == Verdict::Ask => Some((
                    RefusalKind::Unapproved,
                    format!("this change needs approval: {reason}"),
                )),
                _ => None,
            }
        })
    }

    /// Returns the file that `section` changes. `is_known` returns whether an earlier section left
    /// a file at a path.
    pub(super) fn resolve(
        &self,
        section: &Section<'_>,
        is_known: impl Fn(&RelPath) -> bool,
    ) -> Result<Named, WorkspaceError> {
        if let Some(file) = &self.file {
            return Ok(Named::Path(file.clone(), false));
        }
        let shown = section
            .names
            .first()
            .map_or_else(String::new, |name| printable(name).to_string());
        let mut claims = Vec::new();
        for name in &section.names {
            match self.candidates(name, section) {
                Some(found) => claims.push(found),
                None => return Ok(Named::Outside(shown)),
            }
        }
        // A denied path is refused without a lookup.
        if let Some((path, is_other)) = claims
            .iter()
            .flatten()
            .find(|(path, _)| self.denial(path, section.action).is_some())
        {
            return Ok(Named::Path(path.clone(), *is_other));
        }
        if section.action == Action::Create {
            let first = claims.into_iter().flatten().next();
            return Ok(first.map_or(Named::None(shown), |(path, other)| Named::Path(path, other)));
        }
        let mut there = Vec::new();
        for claim in claims {
            let mut found = Vec::new();
            for (path, is_other) in claim {
                if is_known(&path)
                    || self
                        .stat(&path)?
                        .is_some_and(|stat| stat.kind != FileKind::Directory)
                {
                    found.push((path, is_other));
                }
            }
            there.push(found);
        }
        if is_either(&there, section) {
            return Ok(Named::Several(shown));
        }
        if let Some((path, is_other)) = there.into_iter().flatten().next() {
            return Ok(Named::Path(path, is_other));
        }
        // Only deletions, which the file must contain, confirm a file with another path.
        let is_bound =
            |chunk: &Chunk<'_>| chunk.body.iter().any(|line| line.text.starts_with(b"-"));
        if section.action != Action::Update || !section.chunks.iter().all(is_bound) {
            return Ok(Named::None(shown));
        }
        self.by_tail(section, shown)
    }

    /// Returns the paths that a name can refer to, the most likely first. Each path has a flag that
    /// states whether it differs from the name. Returns `None` if the name leads out of the root.
    fn candidates(&self, name: &[u8], section: &Section<'_>) -> Option<Vec<(RelPath, bool)>> {
        let plain = cleaned(name);
        let is_changed = plain != name;
        if is_absolute(&plain) {
            return Some(vec![(self.below_root(&plain)?, true)]);
        }
        let mut found = Vec::new();
        let is_prefixed = [b"a/".as_slice(), b"b/", b"i/", b"w/"]
            .iter()
            .any(|prefix| plain.starts_with(prefix));
        let stripped = is_prefixed.then(|| &plain[2..]);
        // As in strict mode, `..` may lead back to the root. No reading of the name may lead out of
        // it.
        if [Some(&*plain), stripped]
            .into_iter()
            .flatten()
            .any(|name| RelPath::new(name) == Err(PathError::Outside))
        {
            return None;
        }
        // The same first component on both sides is a directory, not a prefix.
        let is_directory = section.names.len() > 1
            && section
                .names
                .iter()
                .all(|name| name.get(..2) == plain.get(..2));
        let whole = RelPath::new(&plain).ok();
        // git writes the names of a rename without a prefix.
        let is_whole = section.is_enveloped || is_directory || section.target.is_some();
        if is_whole {
            found.extend(whole.clone().map(|path| (path, is_changed)));
            found.extend(
                stripped
                    .and_then(|rest| RelPath::new(rest).ok())
                    .map(|path| (path, true)),
            );
        } else {
            found.extend(
                stripped
                    .and_then(|rest| RelPath::new(rest).ok())
                    .map(|path| (path, is_changed)),
            );
            found.extend(whole.map(|path| (path, true)));
        }
        if found.is_empty() {
            return None;
        }
        // The name of a backup refers to the original file only if the backup does not exist.
        let backups = found
            .iter()
            .filter_map(|(path, _)| RelPath::new(path.as_bytes().strip_suffix(b".orig")?).ok());
        let backups: Vec<_> = backups.map(|path| (path, true)).collect();
        if section.action == Action::Update && !section.is_enveloped {
            found.extend(backups);
        }
        Some(found)
    }

    /// Returns the only file whose path is the end of a name.
    fn by_tail(&self, section: &Section<'_>, shown: String) -> Result<Named, WorkspaceError> {
        let mut found: Vec<RelPath> = Vec::new();
        for name in &section.names {
            let plain = cleaned(name);
            let mut rest = plain.as_slice();
            while let Some(slash) = memchr::memchr(b'/', rest) {
                rest = &rest[slash + 1..];
                let Ok(path) = RelPath::new(rest) else { break };
                let is_file = self
                    .stat(&path)?
                    .is_some_and(|stat| stat.kind == FileKind::Regular);
                if is_file && !found.contains(&path) {
                    found.push(path);
                }
            }
        }
        Ok(match found.len() {
            0 => Named::None(shown),
            1 => Named::Path(found.remove(0), true),
            _ => Named::Several(shown),
        })
    }

    /// Returns the path of a new file.
    pub(super) fn new_path(&self, name: &[u8]) -> Option<RelPath> {
        let plain = cleaned(name);
        if is_absolute(&plain) {
            self.below_root(&plain)
        } else {
            RelPath::new(&plain).ok()
        }
    }

    /// Returns the path of an absolute name, if the path is below the root.
    fn below_root(&self, name: &[u8]) -> Option<RelPath> {
        RelPath::new(name.strip_prefix(self.root)?.strip_prefix(b"/")?).ok()
    }
}

/// Returns whether several existing files are possible. Either both names of the section exist and
/// neither is a backup of the other, or a single name exists with and without its prefix.
fn is_either(there: &[Vec<(RelPath, bool)>], section: &Section<'_>) -> bool {
    if section.is_enveloped {
        return false;
    }
    let firsts: Vec<_> = there
        .iter()
        .filter_map(|found| found.first())
        .map(|(path, _)| path.as_bytes())
        .collect();
    match there {
        [found] => {
            matches!(&found[..], [one, other, ..] if !is_backup(one.0.as_bytes(), other.0.as_bytes()))
        }
        _ => matches!(firsts[..], [new, old] if new != old && !is_backup(new, old)),
    }
}

/// Returns whether one name is a backup of the other, such as `f.orig` and `f`.
fn is_backup(one: &[u8], other: &[u8]) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

/// Removes quotes, backquotes and `./` from a name, and converts backslashes to slashes.
fn cleaned(name: &[u8]) -> Vec<u8> {
    let mut name = name.trim_ascii();
    // Unquote the name as git quotes it. A control character in the result comes from a backslash
    // that separates directories.
    if let Some((plain, [])) =
        unquote(name).filter(|(plain, _)| !plain.iter().any(u8::is_ascii_control))
    {
        return plain;
    }
    for quote in [b'"', b'`', b'\''] {
        if let [first, inner @ .., last] = name
            && *first == quote
            && *last == quote
        {
            name = inner;
        }
    }
    while let Some(rest) = name.strip_prefix(b"./") {
        name = rest;
    }
    name.iter()
        .map(|&byte| if byte == b'\\' { b'/' } else { byte })
        .collect()
}

/// Returns whether `name` is absolute, such as `/x` or `C:/x`.
fn is_absolute(name: &[u8]) -> bool {
    matches!(name, [b'/', ..])
        || matches!(name, [letter, b':', b'/', ..] if letter.is_ascii_alphabetic())
}
