//! Parses a policy file into a layer. Anything unknown is an error, because a rule that is silently
//! ignored gives false security.

use serde::Deserialize;
use serde::de::IgnoredAny;
use toml::Spanned;

use super::control::ControlFileSetting;
use super::layer::{Grant, PathRule, PolicyError, PolicyLayer, PolicyOrigin, SymlinkSetting};
use super::pattern::{self, CaseSensitivity, Patterns};
use super::secrets::SecretsSetting;
use super::{Access, Mode, Verdict};
use crate::guard::{GUARDS, Guard};
use crate::path::{is_absolute, split_root, with_slashes};
use crate::text::Span;

/// The maximum number of patterns in one file, and of wildcard characters in all of them. The work
/// grows with both.
const MAX_PATTERNS: usize = 10_000;
const MAX_WILDCARDS: usize = 20_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyDocument {
    #[serde(default)]
    policy: PolicySettings,
    #[serde(default)]
    grant: Vec<Spanned<GrantRow>>,
    #[serde(default)]
    rule: Vec<Spanned<RuleRow>>,
    /// The server table of the user's configuration. The policy ignores it.
    server: Option<Spanned<IgnoredAny>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicySettings {
    mode: Option<Spanned<Mode>>,
    symlinks: Option<SymlinkSetting>,
    binary: Option<BinarySetting>,
    secrets: Option<SecretsSetting>,
    control_files: Option<bool>,
    max_write_bytes: Option<u64>,
    max_read_bytes: Option<u64>,
    require_hash: Option<bool>,
    #[serde(default)]
    guard: Vec<Spanned<String>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum BinarySetting {
    Allow,
    Refuse,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GrantRow {
    prefix: Spanned<String>,
    mode: GrantMode,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum GrantMode {
    R,
    Rw,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleRow {
    name: Option<String>,
    paths: Vec<Spanned<String>>,
    ops: Option<Vec<RuleOperation>>,
    verdict: RuleVerdict,
    reason: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RuleOperation {
    Read,
    Write,
    Create,
    Modify,
    Delete,
    Rename,
    Mode,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RuleVerdict {
    Allow,
    Ask,
    Deny,
}

/// Parses the TOML of a policy file.
fn parse_document(bytes: &[u8]) -> Result<PolicyDocument, PolicyError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        PolicyError {
            message: "the file is not UTF-8".to_owned(),
            span: Span::new(at, at + 1),
        }
    })?;
    toml::from_str(text).map_err(|error| {
        let span = error
            .span()
            .map_or(Span::new(0, 0), |span| Span::new(span.start, span.end));
        PolicyError {
            message: error.message().trim_end().replace('\n', ", "),
            span,
        }
    })
}

/// Parses the policy file `name`. `case` states whether its patterns are case-sensitive.
pub(super) fn parse_layer(
    name: &str,
    bytes: &[u8],
    origin: PolicyOrigin,
    case: CaseSensitivity,
) -> Result<PolicyLayer, PolicyError> {
    let document = parse_document(bytes)?;
    if let Some(server) = document
        .server
        .as_ref()
        .filter(|_| origin != PolicyOrigin::User)
    {
        return Err(error_at(
            server,
            "only the configuration file of the user can contain [[server]]",
        ));
    }
    let lines = NewlineOffsets::of(bytes);
    let grants = document
        .grant
        .iter()
        .map(|row| parse_grant(row, origin, &lines))
        .collect::<Result<_, _>>()?;
    let guards = document.policy.guard.iter().map(parse_guard);
    let guards = guards.collect::<Result<_, _>>()?;
    let (rules, patterns, meant) = parse_rules(&document.rule, case, &lines)?;
    let settings = document.policy;
    Ok(PolicyLayer {
        name: name.to_owned(),
        origin,
        mode: settings
            .mode
            .map(|mode| (*mode.get_ref(), lines.line_number(mode.span().start))),
        symlinks: settings.symlinks,
        refuses_binary: settings.binary == Some(BinarySetting::Refuse),
        requires_hash: settings.require_hash == Some(true),
        guards,
        secrets: settings.secrets,
        control_files: settings.control_files.map(|is_on| {
            if is_on {
                ControlFileSetting::Ask
            } else {
                ControlFileSetting::Off
            }
        }),
        max_read: settings.max_read_bytes,
        max_write: settings.max_write_bytes,
        grants,
        rules,
        patterns,
        pattern_sources: meant,
        other_root: None,
        is_limited_to_other_root: false,
    })
}

fn error_at<T>(at: &Spanned<T>, message: impl Into<String>) -> PolicyError {
    PolicyError {
        message: message.into(),
        span: Span::new(at.span().start, at.span().end),
    }
}

fn parse_guard(name: &Spanned<String>) -> Result<&'static Guard, PolicyError> {
    let guard = GUARDS.iter().find(|guard| guard.name == name.get_ref());
    guard.ok_or_else(|| {
        let names: Vec<_> = GUARDS.iter().map(|guard| guard.name).collect();
        error_at(
            name,
            format!("unknown guard; known guards: {}", names.join(", ")),
        )
    })
}

fn parse_grant(
    row: &Spanned<GrantRow>,
    origin: PolicyOrigin,
    lines: &NewlineOffsets,
) -> Result<Grant, PolicyError> {
    let GrantRow { prefix, mode } = row.get_ref();
    let text = with_slashes(prefix.get_ref().as_bytes());
    let text = &String::from_utf8_lossy(&text);
    let is_absolute = is_absolute(text.as_bytes());
    if is_absolute && origin == PolicyOrigin::Project {
        return Err(error_at(
            prefix,
            "a policy file in the tree cannot grant access outside the root",
        ));
    }
    if pattern::is_tilde_path(text) {
        return Err(error_at(
            prefix,
            "`~` is not expanded; use the full path of the directory",
        ));
    }
    let (root, below) = text.split_at(root_length(text));
    let parts: Vec<_> = below
        .split('/')
        .filter(|part| !matches!(*part, "" | "."))
        .collect();
    if parts.contains(&"..") || text.is_empty() || text.contains('\0') {
        return Err(error_at(
            prefix,
            "a grant needs the path of a directory without `..`; `.` is the root",
        ));
    }
    Ok(Grant {
        prefix: [root, &parts.join("/")].concat().into_bytes(),
        is_writable: *mode == GrantMode::Rw,
        line: lines.line_number(row.span().start),
    })
}

/// Returns the number of bytes of the root of an absolute path, and 0 for a relative path.
fn root_length(path: &str) -> usize {
    let is_rooted = usize::from(path.starts_with('/'));
    split_root(path.as_bytes()).map_or(is_rooted, |(root, _)| root.len())
}

/// The rules, their patterns, and for each pattern the index of its rule and its source text.
type ParsedRules = (Vec<PathRule>, Patterns, Vec<(usize, String)>);

fn parse_rules(
    rows: &[Spanned<RuleRow>],
    case: CaseSensitivity,
    lines: &NewlineOffsets,
) -> Result<ParsedRules, PolicyError> {
    let (mut rules, mut globs, mut meant) = (Vec::new(), Vec::new(), Vec::new());
    let mut wildcards = 0;
    for (index, row) in rows.iter().enumerate() {
        let RuleRow {
            name,
            paths,
            ops,
            verdict,
            reason,
        } = row.get_ref();
        if paths.is_empty() || ops.as_ref().is_some_and(Vec::is_empty) {
            return Err(error_at(
                row,
                "the rule matches nothing; add `paths`, and at least one operation if it has `ops`",
            ));
        }
        for path in paths {
            let is_wildcard = |byte: &u8| b"*?[{,".contains(byte);
            wildcards += path.get_ref().bytes().filter(is_wildcard).count();
            if wildcards > MAX_WILDCARDS {
                let message =
                    format!("the patterns of the file contain more than {MAX_WILDCARDS} wildcards");
                return Err(error_at(path, message));
            }
            let found = pattern::parse_pattern(path.get_ref(), case)
                .map_err(|message| error_at(path, message))?;
            meant.extend(found.iter().map(|_| (index, path.get_ref().clone())));
            globs.extend(found);
            if globs.len() > MAX_PATTERNS {
                return Err(error_at(
                    path,
                    format!("the file has more than {MAX_PATTERNS} patterns"),
                ));
            }
        }
        rules.push(PathRule {
            name: name
                .clone()
                .unwrap_or_else(|| format!("rule-{}", index + 1)),
            accesses: ops.as_ref().map_or(Access::ALL.to_vec(), |ops| {
                ops.iter().flat_map(|op| op.accesses()).collect()
            }),
            verdict: verdict.verdict(),
            reason: reason.clone(),
            line: lines.line_number(row.span().start),
        });
    }
    let patterns = Patterns::new(&globs, case).map_err(|message| PolicyError {
        message,
        span: Span::new(0, 0),
    })?;
    Ok((rules, patterns, meant))
}

impl RuleOperation {
    fn accesses(self) -> Vec<Access> {
        vec![match self {
            Self::Read => Access::Read,
            Self::Write => return Access::ALL[1..].to_vec(),
            Self::Create => Access::Create,
            Self::Modify => Access::Modify,
            Self::Delete => Access::Delete,
            Self::Rename => Access::Rename,
            Self::Mode => Access::Mode,
        }]
    }
}

impl RuleVerdict {
    fn verdict(self) -> Verdict {
        match self {
            Self::Allow => Verdict::Allow,
            Self::Ask => Verdict::Ask,
            Self::Deny => Verdict::Deny,
        }
    }
}

/// The offsets of the newlines of a text.
struct NewlineOffsets(Vec<usize>);

impl NewlineOffsets {
    fn of(text: &[u8]) -> Self {
        Self(memchr::memchr_iter(b'\n', text).collect())
    }

    /// Returns the line of the byte at `offset`, counted from 1.
    fn line_number(&self, offset: usize) -> usize {
        self.0.partition_point(|&end| end < offset) + 1
    }
}
