//! One policy file as a layer of the policy.

use serde::Deserialize;

use super::control::ControlFileSetting;
use super::decision::GRANT_RULE;
use super::pattern::Patterns;
use super::secrets::SecretsSetting;
use super::{Access, Mode, RootLocation, RuleMatch, Verdict};
use crate::guard::Guard;
use crate::path::{self, RelPath, below_root};
use crate::text::Span;

/// An error in a policy file and its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PolicyError {
    /// The message.
    pub message: String,
    /// The position in the text.
    pub span: Span,
}

/// The content of one policy file. All layers of a policy must allow an access.
#[derive(Clone, Debug)]
pub struct PolicyLayer {
    /// The name of the file.
    pub name: String,
    /// The origin of the file.
    pub origin: PolicyOrigin,
    /// The mode and its line.
    pub(super) mode: Option<(Mode, usize)>,
    pub(super) symlinks: Option<SymlinkSetting>,
    pub(super) refuses_binary: bool,
    pub(super) requires_hash: bool,
    pub(super) guards: Vec<&'static Guard>,
    pub(super) secrets: Option<SecretsSetting>,
    pub(super) control_files: Option<ControlFileSetting>,
    pub(super) max_read: Option<u64>,
    pub(super) max_write: Option<u64>,
    pub(super) grants: Vec<Grant>,
    pub(super) rules: Vec<PathRule>,
    /// The patterns of all rules.
    pub(super) patterns: Patterns,
    /// For each pattern, the index of its rule and its source text.
    pub(super) pattern_sources: Vec<(usize, String)>,
    /// The absolute paths of the root to which the file's relative paths refer, if it is not the
    /// root of the policy.
    pub(super) other_root: Option<Vec<Vec<u8>>>,
    /// Whether the rules apply only below that root.
    pub(super) is_limited_to_other_root: bool,
}

/// The origin of a policy file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolicyOrigin {
    /// The user's configuration.
    User,
    /// The command line.
    CommandLine,
    /// The project: `wpatch.toml` in the root. It can only make the policy stricter.
    Project,
}

/// The handling of symbolic links in a path, the strictest last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SymlinkSetting {
    /// Like [`SymlinkSetting::Inside`], but also accept a file outside the root if it is named by
    /// its own path.
    Follow,
    /// Follow links that stay below the root.
    #[default]
    Inside,
    /// Follow no links and create none.
    Refuse,
}

/// A granted directory. If a file contains grants, everything else is protected.
#[derive(Clone, Debug)]
pub(super) struct Grant {
    /// A path below the root, or an absolute path, without a final slash. Empty for the root
    /// itself.
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

impl PolicyLayer {
    /// Returns this layer for a policy with another root. `names` are the absolute paths of the
    /// layer's own root, without a final slash.
    ///
    /// Grants with a relative path still refer to the layer's own root. Rules match paths below the
    /// other root as if the file were there. They also match every path that leads below the
    /// layer's own root.
    #[must_use]
    pub fn with_other_root(self, names: Vec<Vec<u8>>) -> Self {
        Self {
            other_root: Some(names),
            ..self
        }
    }

    /// Returns this layer for a policy whose root is below the layer's own root. The rules apply
    /// only below the layer's root. `names` are the absolute paths of that root.
    pub(super) fn with_outer_root(self, names: Vec<Vec<u8>>) -> Self {
        Self {
            is_limited_to_other_root: true,
            ..self.with_other_root(names)
        }
    }

    /// Returns this layer with patterns that match every spelling of a path.
    pub(super) fn with_folding(&self) -> Result<Self, String> {
        Ok(Self {
            patterns: self.patterns.with_folding()?,
            ..self.clone()
        })
    }

    /// Adds the matches of this layer with an access to `path`, including rules that allow it. A
    /// writable grant is an exception to the mode `read-only`.
    pub(super) fn add_matches(
        &self,
        path: &RelPath,
        access: Access,
        place: &RootLocation,
        hits: &mut Vec<RuleMatch>,
    ) {
        if let Some((Mode::ReadOnly, line)) = self.mode
            && access != Access::Read
            && !self
                .find_grant(path, place)
                .is_some_and(|grant| grant.is_writable)
        {
            let reason = "the mode is read-only";
            let modes = Some((Mode::ReadOnly, Mode::WorkspaceWrite));
            hits.push(RuleMatch {
                modes,
                ..self.rule_match(path, access, ("mode", line), None, reason)
            });
        }
        hits.extend(self.grant_match(path, access, place));
        if self.rules.is_empty() {
            return;
        }
        // The patterns of one rule are adjacent, so this reports only the first one that matches.
        let mut last = None;
        for index in self.matching_patterns(path, place) {
            let (number, pattern) = &self.pattern_sources[index];
            let rule = &self.rules[*number];
            if last == Some(number) || !rule.accesses.contains(&access) {
                continue;
            }
            last = Some(number);
            let reason = rule
                .reason
                .clone()
                .unwrap_or_else(|| format!("a rule of {}", self.name));
            let hit = self.rule_match(
                path,
                access,
                (&rule.name, rule.line),
                Some(pattern),
                &reason,
            );
            hits.push(RuleMatch {
                verdict: rule.verdict,
                ..hit
            });
        }
    }

    /// Returns whether the layer has a rule with the verdict `allow`. Such rules in a project's own
    /// file do not count, because it can only make the policy stricter.
    pub(super) fn has_allow_rule(&self) -> bool {
        self.origin != PolicyOrigin::Project
            && self.rules.iter().any(|rule| rule.verdict == Verdict::Allow)
    }

    /// Returns whether a rule or a grant prevents reading some file.
    pub(super) fn restricts_reading(&self) -> bool {
        let restricts = |rule: &PathRule| {
            rule.verdict > Verdict::Allow && rule.accesses.contains(&Access::Read)
        };
        !self.grants.is_empty() || self.rules.iter().any(restricts)
    }

    /// Returns this layer without the parts that depend on paths.
    pub(super) fn without_paths(&self) -> Self {
        Self {
            mode: None,
            grants: Vec::new(),
            rules: Vec::new(),
            ..self.clone()
        }
    }

    /// Returns whether a rule with the verdict `allow` matches.
    pub(super) fn allows(&self, path: &RelPath, access: Access, place: &RootLocation) -> bool {
        let is_match =
            |rule: &PathRule| rule.verdict == Verdict::Allow && rule.accesses.contains(&access);
        self.has_allow_rule()
            && self
                .matching_patterns(path, place)
                .into_iter()
                .any(|index| is_match(&self.rules[self.pattern_sources[index].0]))
    }

    /// Returns the indexes of the patterns that match `path`, in ascending order.
    ///
    /// A layer with another root also matches the path as it is below that root.
    fn matching_patterns(&self, path: &RelPath, place: &RootLocation) -> Vec<usize> {
        let mut found = if self.is_limited_to_other_root {
            Vec::new()
        } else {
            self.patterns.matching(path)
        };
        let Some(roots) = &self.other_root else {
            return found;
        };
        for name in absolute_paths(place, Some(path)) {
            let below = roots
                .iter()
                .filter_map(|root| RelPath::new(below_root(root, &name)?).ok());
            found.extend(below.flat_map(|path| self.patterns.matching(&path)));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn rule_match(
        &self,
        path: &RelPath,
        access: Access,
        (rule, line): (&str, usize),
        pattern: Option<&String>,
        reason: &str,
    ) -> RuleMatch {
        let source = Some((self.name.clone(), line));
        RuleMatch {
            pattern: pattern.cloned(),
            source,
            ..RuleMatch::of_built_in(path, access, rule, reason)
        }
    }

    /// Returns the match of the grants with `path`, if the layer has grants.
    fn grant_match(
        &self,
        path: &RelPath,
        access: Access,
        place: &RootLocation,
    ) -> Option<RuleMatch> {
        let first = self.grants.first()?;
        let Some(grant) = self.find_grant(path, place) else {
            let reason = format!("no grant of {} allows it", self.name);
            return Some(self.rule_match(path, access, (GRANT_RULE, first.line), None, &reason));
        };
        let is_open = access == Access::Read || grant.is_writable;
        let (verdict, opens) = if is_open {
            (Verdict::Allow, "allows it")
        } else {
            (Verdict::Deny, "allows only reading")
        };
        let prefix = grant.name();
        let reason = format!("the grant {prefix} {opens}");
        Some(RuleMatch {
            verdict,
            ..self.rule_match(
                path,
                access,
                (GRANT_RULE, grant.line),
                Some(&prefix),
                &reason,
            )
        })
    }

    /// Returns the grant with the longest path that contains `path`. Of two grants for the same
    /// directory, the stricter one is returned.
    fn find_grant(&self, path: &RelPath, place: &RootLocation) -> Option<&Grant> {
        let names = absolute_paths(place, Some(path));
        let covering = self
            .grants
            .iter()
            .filter(|grant| match self.absolute_prefixes(grant) {
                Some(prefixes) => prefixes
                    .iter()
                    .any(|prefix| names.iter().any(|name| is_at_or_below(prefix, name))),
                None => covers(&grant.prefix, path.as_bytes()),
            });
        // Relative and absolute grants are compared by the length of their absolute paths.
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

    /// Returns whether a listing may contain `path`: it is granted, or it is above a granted
    /// directory.
    pub(super) fn is_visible(&self, path: Option<&RelPath>, place: &RootLocation) -> bool {
        if self.grants.is_empty() || path.is_some_and(|path| self.find_grant(path, place).is_some())
        {
            return true;
        }
        let names = absolute_paths(place, path);
        self.grants
            .iter()
            .any(|grant| match self.absolute_prefixes(grant) {
                // Compares in both directions, because the root may be below the granted directory.
                Some(prefixes) => prefixes.iter().any(|prefix| {
                    names
                        .iter()
                        .any(|name| is_at_or_below(name, prefix) || is_at_or_below(prefix, name))
                }),
                None => path.is_none_or(|path| covers(path.as_bytes(), &grant.prefix)),
            })
    }

    /// Returns the absolute paths of a grant, or `None` if its path is relative to the root of the
    /// policy.
    fn absolute_prefixes(&self, grant: &Grant) -> Option<Vec<Vec<u8>>> {
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

    /// Returns the granted absolute paths.
    pub(super) fn absolute_grants(&self) -> impl Iterator<Item = &[u8]> {
        self.grants
            .iter()
            .filter(|grant| grant.is_absolute())
            .map(|grant| grant.prefix.as_slice())
    }
}

impl Grant {
    /// Returns the path of the directory as in the policy file.
    pub(super) fn name(&self) -> String {
        if self.prefix.is_empty() {
            ".".to_owned()
        } else {
            String::from_utf8_lossy(&self.prefix).into_owned()
        }
    }

    fn is_absolute(&self) -> bool {
        path::is_absolute(&self.prefix)
    }
}

fn absolute_paths(place: &RootLocation, path: Option<&RelPath>) -> Vec<Vec<u8>> {
    let name = |root: &Vec<u8>| {
        path.map_or_else(|| root.clone(), |path| [root, path.as_bytes()].join(&b'/'))
    };
    place.roots.iter().map(name).collect()
}

/// Returns whether the absolute path `name` is `directory` or is below it.
fn is_at_or_below(directory: &[u8], name: &[u8]) -> bool {
    below_root(directory, name).is_some()
}

/// Returns whether `name` is `prefix` or is below it.
pub(super) fn covers(prefix: &[u8], name: &[u8]) -> bool {
    match name.strip_prefix(prefix) {
        Some(_) if prefix.ends_with(b"/") => true,
        _ if prefix.is_empty() => true,
        Some(rest) => rest.is_empty() || rest.starts_with(b"/"),
        None => false,
    }
}
