//! From the names that a section gives to the file that it means.

use super::RefusalKind;
use super::chunk::Chunk;
use super::read::{Action, Section};
use crate::mode::FileKind;
use crate::path::{PathError, RelPath};
use crate::policy::{Access, Policy, Verdict};
use crate::syntax::unquote;
use crate::text::printable;
use crate::workspace::{Fault, Stat, Workspace, WorkspaceError};

/// Looks names up.
pub(super) struct Names<'w> {
    pub(super) workspace: &'w dyn Workspace,
    pub(super) policy: &'w Policy,
    /// The least verdict on reading a file that keeps it unread.
    pub(super) unread: Verdict,
    /// The absolute name of the root.
    pub(super) root: &'w [u8],
    /// The file that an option names, if the patch is for one file.
    pub(super) file: Option<RelPath>,
}

/// What a name comes to.
pub(super) enum Named {
    /// A file, and whether it is another than the name says as it stands.
    Path(RelPath, bool),
    Outside(String),
    None(String),
    Several(String),
}

impl Named {
    /// Returns the file, and whether it is another than the name says as it stands.
    ///
    /// # Errors
    ///
    /// Returns the kind and the message of the refusal if the name is not that of one file.
    pub(super) fn into_path(self) -> Result<(RelPath, bool), (RefusalKind, String)> {
        Err(match self {
            Self::Path(path, is_other) => return Ok((path, is_other)),
            Self::Outside(name) => (
                RefusalKind::Outside,
                format!("{name} leads out of the root"),
            ),
            Self::None(name) => (
                RefusalKind::Name,
                format!("no file here has the name {name}"),
            ),
            Self::Several(name) => (
                RefusalKind::Name,
                format!("{name} can name more than one file"),
            ),
        })
    }
}

impl Names<'_> {
    /// Returns what is at `path`; nothing where links or policy are in the way, which is for others
    /// to say.
    pub(super) fn stat(&self, path: &RelPath) -> Result<Option<Stat>, WorkspaceError> {
        match self.workspace.stat(path) {
            Err(error) if error.fault == Fault::ThroughLink => Ok(None),
            stat => stat,
        }
    }

    /// Returns why policy keeps `path` from being looked at.
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

    /// Returns the file that `section` is about; `is_known` tells of those that sections before it
    /// made.
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
        // What is closed is not looked for: it is refused as it stands.
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
        // Only lines that have to be there show that it is the file.
        let is_bound =
            |chunk: &Chunk<'_>| chunk.body.iter().any(|line| line.text.starts_with(b"-"));
        if section.action != Action::Update || !section.chunks.iter().all(is_bound) {
            return Ok(Named::None(shown));
        }
        self.by_tail(section, shown)
    }

    /// Returns the paths that a name may mean, the likeliest first; `None` if it leads out of the
    /// root.
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
        // `..` may lead back to the root, as in strict mode, but not out of it under any reading.
        if [Some(&*plain), stripped]
            .into_iter()
            .flatten()
            .any(|name| RelPath::new(name) == Err(PathError::Outside))
        {
            return None;
        }
        // One prefix on both sides is a directory.
        let is_directory = section.names.len() > 1
            && section
                .names
                .iter()
                .all(|name| name.get(..2) == plain.get(..2));
        let whole = RelPath::new(&plain).ok();
        // The names of a rename have no prefix.
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
        // A backup's name stands for the file only where there is no backup.
        let backups = found
            .iter()
            .filter_map(|(path, _)| RelPath::new(path.as_bytes().strip_suffix(b".orig")?).ok());
        let backups: Vec<_> = backups.map(|path| (path, true)).collect();
        if section.action == Action::Update && !section.is_enveloped {
            found.extend(backups);
        }
        Some(found)
    }

    /// Looks for the one file that the end of a name leads to.
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

    /// Returns the path of a file that comes to be.
    pub(super) fn new_path(&self, name: &[u8]) -> Option<RelPath> {
        let plain = cleaned(name);
        if is_absolute(&plain) {
            self.below_root(&plain)
        } else {
            RelPath::new(&plain).ok()
        }
    }

    /// Returns the path that an absolute name means, if it is one below the root.
    fn below_root(&self, name: &[u8]) -> Option<RelPath> {
        RelPath::new(name.strip_prefix(self.root)?.strip_prefix(b"/")?).ok()
    }
}

/// Returns whether the files that are there leave it open which one is meant: those of both names,
/// none of which is a backup of the other, or those of a single one with a prefix and without.
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

/// `f.orig` beside `f`.
fn is_backup(one: &[u8], other: &[u8]) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

/// Takes quotes, backquotes and `./` off, and turns backslashes round.
fn cleaned(name: &[u8]) -> Vec<u8> {
    let mut name = name.trim_ascii();
    // As git writes it; a control character comes of a backslash between directories.
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

/// `/x` or `C:/x`.
fn is_absolute(name: &[u8]) -> bool {
    matches!(name, [b'/', ..])
        || matches!(name, [letter, b':', b'/', ..] if letter.is_ascii_alphabetic())
}
