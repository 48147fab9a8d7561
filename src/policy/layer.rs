//! One policy file that is in force.

use serde::Deserialize;

use super::control::Control;
use super::pattern::Patterns;
use super::ruling::GRANT;
use super::secrets::Secrecy;
use super::{Access, Hit, Mode, Place, Verdict};
use crate::path::RelPath;
use crate::text::Span;

/// What is wrong with a policy file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PolicyError {
    /// In words.
    pub message: String,
    /// The place in the text.
    pub span: Span,
}

/// What one policy file says. Every layer has to agree to what is done.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The file's name.
    pub name: String,
    /// Who gave it.
    pub origin: Origin,
    /// The mode, and its line.
    pub(super) mode: Option<(Mode, usize)>,
    pub(super) links: Option<Links>,
    pub(super) refuses_binary: bool,
    pub(super) requires_hash: bool,
    pub(super) secrecy: Option<Secrecy>,
    pub(super) control: Option<Control>,
    pub(super) max_read: Option<u64>,
    pub(super) max_write: Option<u64>,
    pub(super) grants: Vec<Grant>,
    pub(super) rules: Vec<PathRule>,
    /// The patterns of all rules.
    pub(super) patterns: Patterns,
    /// Which rule each of them belongs to, and how the file writes it.
    pub(super) meant: Vec<(usize, String)>,
    /// The absolute names of the root that its relative names are below, where that is another one.
    pub(super) other_root: Option<Vec<Vec<u8>>>,
    /// Whether its rules hold only below that root.
    pub(super) is_bound: bool,
}

/// Who gave a policy file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The user's configuration.
    User,
    /// The command line.
    Given,
    /// The project: `wpatch.toml` in the root. It may only tighten.
    Project,
}

/// What becomes of symbolic links on the way to a file, the strictest last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Links {
    /// As [`Links::Inside`]; where a link leads out of the root, the file has to be named by its
    /// own path.
    Follow,
    /// They are followed as long as they stay below the root.
    #[default]
    Inside,
    /// None is followed, and none is made.
    Refuse,
}

/// A directory that is open, where everything else is closed.
#[derive(Clone, Debug)]
pub(super) struct Grant {
    /// Below the root, or absolute; without a final slash. Empty for the root itself.
    pub(super) prefix: Vec<u8>,
    pub(super) is_writable: bool,
    pub(super) line: usize,
}

/// A rule about paths.
#[derive(Clone, Debug)]
pub(super) struct PathRule {
    pub(super) name: String,
    pub(super) accesses: Vec<Access>,
    pub(super) verdict: Verdict,
    pub(super) reason: Option<String>,
    pub(super) line: usize,
}

impl Layer {
    /// Returns what the layer says elsewhere than below its root, which has the absolute names
    /// `names`, without a final slash.
    ///
    /// What it grants by a relative name stays there. Its rules hold as if they were about the
    /// other directory, and for what lies below its root by whatever way, as they do there.
    #[must_use]
    pub fn of_other_root(self, names: Vec<Vec<u8>>) -> Self {
        Self {
            other_root: Some(names),
            ..self
        }
    }

    /// Returns the layer as it holds below its root, which has the absolute names `names` and
    /// contains the root of the policy.
    pub(super) fn of_outer_root(self, names: Vec<Vec<u8>>) -> Self {
        Self {
            is_bound: true,
            ..self.of_other_root(names)
        }
    }

    /// Returns the layer with rules that match every spelling of a path.
    pub(super) fn folded(&self) -> Result<Self, String> {
        Ok(Self {
            patterns: self.patterns.folded()?,
            ..self.clone()
        })
    }

    /// Adds what the layer says of `path`. What it grants for writing is its exception to a mode
    /// that is for reading.
    pub(super) fn judge(&self, path: &RelPath, access: Access, place: &Place, hits: &mut Vec<Hit>) {
        if let Some((Mode::ReadOnly, line)) = self.mode
            && access != Access::Read
            && !self
                .grant(path, place)
                .is_some_and(|grant| grant.is_writable)
        {
            let reason = "the mode is read-only";
            let modes = Some((Mode::ReadOnly, Mode::WorkspaceWrite));
            hits.push(Hit {
                modes,
                ..self.hit(path, access, ("mode", line), None, reason)
            });
        }
        hits.extend(self.granted(path, access, place));
        if self.rules.is_empty() {
            return;
        }
        let mut last = None;
        for index in self.matching(path, place) {
            let (number, pattern) = &self.meant[index];
            let rule = &self.rules[*number];
            if last == Some(number) || !rule.accesses.contains(&access) {
                continue;
            }
            last = Some(number);
            let reason = rule
                .reason
                .clone()
                .unwrap_or_else(|| format!("{} says so", self.name));
            let hit = self.hit(
                path,
                access,
                (&rule.name, rule.line),
                Some(pattern),
                &reason,
            );
            hits.push(Hit {
                verdict: rule.verdict,
                ..hit
            });
        }
    }

    /// Returns whether the layer has a rule with the verdict `allow`. A project's own file has
    /// none: it only tightens.
    pub(super) fn has_allow_rule(&self) -> bool {
        self.origin != Origin::Project
            && self.rules.iter().any(|rule| rule.verdict == Verdict::Allow)
    }

    /// Returns whether a rule or a grant keeps some file from being read.
    pub(super) fn restricts_reading(&self) -> bool {
        let restricts = |rule: &PathRule| {
            rule.verdict > Verdict::Allow && rule.accesses.contains(&Access::Read)
        };
        !self.grants.is_empty() || self.rules.iter().any(restricts)
    }

    /// Returns what the layer says wherever a file is.
    pub(super) fn without_paths(&self) -> Self {
        Self {
            mode: None,
            grants: Vec::new(),
            rules: Vec::new(),
            ..self.clone()
        }
    }

    /// Returns whether such a rule matches.
    pub(super) fn allows(&self, path: &RelPath, access: Access, place: &Place) -> bool {
        let is_match =
            |rule: &PathRule| rule.verdict == Verdict::Allow && rule.accesses.contains(&access);
        self.has_allow_rule()
            && self
                .matching(path, place)
                .into_iter()
                .any(|index| is_match(&self.rules[self.meant[index].0]))
    }

    /// Returns the numbers of the patterns that mean `path`, in their order.
    fn matching(&self, path: &RelPath, place: &Place) -> Vec<usize> {
        let mut found = if self.is_bound {
            Vec::new()
        } else {
            self.patterns.matching(path)
        };
        let Some(roots) = &self.other_root else {
            return found;
        };
        for name in absolute(place, Some(path)) {
            let below = roots.iter().filter_map(|root| {
                RelPath::new(name.strip_prefix(&root[..])?.strip_prefix(b"/")?).ok()
            });
            found.extend(below.flat_map(|path| self.patterns.matching(&path)));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn hit(
        &self,
        path: &RelPath,
        access: Access,
        (rule, line): (&str, usize),
        pattern: Option<&String>,
        reason: &str,
    ) -> Hit {
        let source = Some((self.name.clone(), line));
        Hit {
            pattern: pattern.cloned(),
            source,
            ..Hit::built_in(path, access, rule, reason)
        }
    }

    /// Says whether a grant opens `path`, where there are grants.
    fn granted(&self, path: &RelPath, access: Access, place: &Place) -> Option<Hit> {
        let first = self.grants.first()?;
        let Some(grant) = self.grant(path, place) else {
            let reason = format!("no grant of {} opens it", self.name);
            return Some(self.hit(path, access, (GRANT, first.line), None, &reason));
        };
        let is_open = access == Access::Read || grant.is_writable;
        let (verdict, opens) = if is_open {
            (Verdict::Allow, "opens it")
        } else {
            (Verdict::Deny, "is for reading")
        };
        let prefix = grant.name();
        let reason = format!("the grant {prefix} {opens}");
        Some(Hit {
            verdict,
            ..self.hit(path, access, (GRANT, grant.line), Some(&prefix), &reason)
        })
    }

    /// Returns the grant that is nearest to `path`; of two for one directory the stricter one.
    fn grant(&self, path: &RelPath, place: &Place) -> Option<&Grant> {
        let names = absolute(place, Some(path));
        let covering = self
            .grants
            .iter()
            .filter(|grant| match self.prefixes(grant) {
                Some(prefixes) => prefixes
                    .iter()
                    .any(|prefix| names.iter().any(|name| covers(prefix, name))),
                None => covers(&grant.prefix, path.as_bytes()),
            });
        let depth = |grant: &Grant| {
            let roots = self.other_root.as_ref().unwrap_or(&place.roots);
            let above = if grant.is_absolute() {
                None
            } else {
                roots.first()
            };
            grant.prefix.len() + above.map_or(0, |root| root.len() + 1)
        };
        covering.max_by_key(|grant| (depth(grant), !grant.is_writable))
    }

    /// Returns whether a listing may name `path`: it is granted, or leads to what is.
    pub(super) fn shows(&self, path: Option<&RelPath>, place: &Place) -> bool {
        if self.grants.is_empty() || path.is_some_and(|path| self.grant(path, place).is_some()) {
            return true;
        }
        let names = absolute(place, path);
        self.grants.iter().any(|grant| match self.prefixes(grant) {
            // Both ways: the root may be below what is granted.
            Some(prefixes) => prefixes.iter().any(|prefix| {
                names
                    .iter()
                    .any(|name| covers(name, prefix) || covers(prefix, name))
            }),
            None => path.is_none_or(|path| covers(path.as_bytes(), &grant.prefix)),
        })
    }

    /// Returns the absolute names of what is granted; `None` if it is named from this root on.
    fn prefixes(&self, grant: &Grant) -> Option<Vec<Vec<u8>>> {
        if grant.is_absolute() {
            return Some(vec![grant.prefix.clone()]);
        }
        let below = |root: &Vec<u8>| {
            if grant.prefix.is_empty() {
                root.clone()
            } else {
                [&root[..], &grant.prefix].join(&b'/')
            }
        };
        Some(self.other_root.as_ref()?.iter().map(below).collect())
    }

    /// Returns the absolute prefixes that are granted.
    pub(super) fn absolute_grants(&self) -> impl Iterator<Item = &[u8]> {
        self.grants
            .iter()
            .filter(|grant| grant.is_absolute())
            .map(|grant| grant.prefix.as_slice())
    }
}

impl Grant {
    /// Returns the directory as a policy file names it.
    pub(super) fn name(&self) -> String {
        if self.prefix.is_empty() {
            ".".to_owned()
        } else {
            String::from_utf8_lossy(&self.prefix).into_owned()
        }
    }

    fn is_absolute(&self) -> bool {
        self.prefix.starts_with(b"/")
    }
}

fn absolute(place: &Place, path: Option<&RelPath>) -> Vec<Vec<u8>> {
    let name = |root: &Vec<u8>| {
        path.map_or_else(|| root.clone(), |path| [root, path.as_bytes()].join(&b'/'))
    };
    place.roots.iter().map(name).collect()
}

/// Returns whether `name` is `prefix`, or below it.
pub(super) fn covers(prefix: &[u8], name: &[u8]) -> bool {
    match name.strip_prefix(prefix) {
        _ if prefix == b"/" => name.starts_with(b"/"),
        _ if prefix.is_empty() => true,
        Some(rest) => rest.is_empty() || rest.starts_with(b"/"),
        None => false,
    }
}
