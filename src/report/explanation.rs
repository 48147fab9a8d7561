//! The policy's verdicts on one path and the deciding rules, as data and as text.

use std::io;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::RuleHit;
use super::words::{hex_if_lossy, text};
use crate::path::RelPath;
use crate::policy::{
    Access, BuiltInRule, Mode, Policy, RuleMatch, SecretsSetting, SymlinkSetting, Verdict,
};
use crate::text::printable;

/// The accesses that the policy permits for a path, and the deciding rules.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "wpatch policy"))]
#[non_exhaustive]
pub struct Explanation {
    /// `wpatch.policy/1`.
    pub schema: &'static str,
    /// Always true. If the policy is invalid, the command prints an error report instead.
    pub ok: bool,
    /// The path, with all links resolved.
    pub path: String,
    /// All bytes of the path as hex digits, if the path is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// The requested path, if it contains links and therefore differs from `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The policy files in force.
    pub sources: Vec<String>,
    /// The verdicts, one for each requested access.
    pub accesses: Vec<AccessReport>,
    /// The settings that apply to every path.
    pub limits: LimitsReport,
    /// The built-in rules, including disabled ones.
    pub built_in: Vec<BuiltInReport>,
}

/// A built-in rule. It applies without a policy file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct BuiltInReport {
    /// The name of the rule.
    pub rule: &'static str,
    /// The interfaces that enforce the rule: `every command`, or `hook` and `mcp`.
    pub interfaces: Vec<&'static str>,
    /// `on`, or `off` if a policy file disables the rule.
    pub state: &'static str,
    /// The paths that the rule protects, or examples of them. `~` is the home directory.
    pub paths: Vec<String>,
}

/// The verdict on one access, and the deciding rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct AccessReport {
    /// `read`, `create`, `modify`, `delete`, `rename` or `mode`.
    pub access: &'static str,
    /// `allow`, `ask` or `deny`: the verdict of the strictest rule. A rule that only `hook` and
    /// `mcp` enforce counts; `built_in` states the interfaces of each rule.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub verdict: Verdict,
    /// The deciding rule; null if no rule matches, so that the access is allowed.
    pub rule: Option<RuleMatchReport>,
    /// The other matching rules, strictest first.
    pub also: Vec<RuleMatchReport>,
}

/// A rule that matches an access.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct RuleMatchReport {
    /// The path that the rule matches: the resolved path or the requested path.
    pub path: String,
    /// The access that the rule concerns. A change of a file also requires permission to read it.
    pub access: &'static str,
    /// The rule.
    #[serde(flatten)]
    pub hit: RuleHit,
}

/// The settings that apply to every path. If several policy files have a setting, the strictest one
/// applies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct LimitsReport {
    /// `read-only`, `workspace-write` or `full`.
    pub mode: &'static str,
    /// `follow`, `inside` or `refuse`.
    pub symlinks: &'static str,
    /// `allow` or `refuse`.
    pub binary: &'static str,
    /// `off`, `places` or `strict`.
    pub secrets: &'static str,
    /// Whether a change of an existing file must state the digest of the file.
    pub require_hash: bool,
    /// The guards that must accept each change.
    pub guard: Vec<&'static str>,
    /// The maximum size of a file that may be read, in bytes; null if no policy file sets it.
    pub max_read_bytes: Option<u64>,
    /// The maximum size of a file that may be written, in bytes; null if no policy file sets it.
    pub max_write_bytes: Option<u64>,
    /// The directories that the policy files grant. Empty if access is not restricted to them.
    pub grants: Vec<GrantReport>,
}

/// A directory that a policy file permits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct GrantReport {
    /// The directory: a path below the root, `.` for the root itself, or an absolute path.
    pub prefix: String,
    /// `r` or `rw`.
    pub mode: &'static str,
    /// The policy file and the line of the grant.
    pub source: String,
}

impl Explanation {
    /// Returns the verdicts on `accesses` to the file at `path` under `policy`.
    ///
    /// `named` is the requested path, which resolves to `path`. The matches of each access must be
    /// sorted, strictest first.
    #[must_use]
    pub fn of(
        named: &RelPath,
        path: &RelPath,
        accesses: Vec<(Access, Vec<RuleMatch>)>,
        policy: &Policy,
    ) -> Self {
        Self {
            schema: "wpatch.policy/1",
            ok: true,
            path: text(path.as_bytes()),
            path_hex: hex_if_lossy(&path.as_bytes()),
            link: (named != path).then(|| text(named.as_bytes())),
            sources: policy.sources().into_iter().map(str::to_owned).collect(),
            accesses: accesses
                .into_iter()
                .map(|(access, hits)| AccessReport::of(access, &hits))
                .collect(),
            limits: LimitsReport::of(policy),
            built_in: policy
                .built_in_rules()
                .into_iter()
                .map(BuiltInReport::of)
                .collect(),
        }
    }

    /// Prints the explanation as text: one line for each access, then the general settings.
    ///
    /// # Errors
    ///
    /// Returns the error of `out`.
    pub fn print(&self, out: &mut dyn io::Write) -> io::Result<()> {
        match &self.link {
            Some(link) => writeln!(out, "{} => {}", escape(link), escape(&self.path))?,
            None => writeln!(out, "{}", escape(&self.path))?,
        }
        for AccessReport {
            access,
            verdict,
            rule,
            also,
        } in &self.accesses
        {
            let why = rule.as_ref().map_or_else(
                || "no rule matches".to_owned(),
                |rule| self.describe_rule(rule, access),
            );
            writeln!(out, "  {access:<6}  {verdict:<5}  {why}")?;
            for rule in also {
                writeln!(
                    out,
                    "                 also {}: {}",
                    rule.hit.verdict,
                    self.describe_rule(rule, access)
                )?;
            }
        }
        self.limits.print(out)?;
        let names = |is_wanted: &dyn Fn(&&BuiltInReport) -> bool| {
            self.built_in
                .iter()
                .filter(is_wanted)
                .map(|rule| rule.rule)
                .collect::<Vec<_>>()
                .join(", ")
        };
        let is_on = |rule: &BuiltInReport| rule.state == "on";
        for (title, names) in [
            (
                "built-in rules of every command",
                names(&|rule| is_on(rule) && rule.interfaces == EVERY_COMMAND),
            ),
            (
                "built-in rules of hook and mcp",
                names(&|rule| is_on(rule) && rule.interfaces != EVERY_COMMAND),
            ),
            ("disabled built-in rules", names(&|rule| !is_on(rule))),
        ] {
            if !names.is_empty() {
                writeln!(out, "{title}: {names}")?;
            }
        }
        Ok(())
    }

    /// Returns one line about `rule`, for a request of `access`.
    fn describe_rule(&self, rule: &RuleMatchReport, access: &str) -> String {
        let RuleHit {
            rule: name,
            pattern,
            message,
            source,
            ..
        } = &rule.hit;
        let other = |is_other: bool, told: String| is_other.then_some(told);
        let facts = [
            Some(name.clone()),
            pattern.as_ref().map(|pattern| format!("pattern {pattern}")),
            source.clone(),
            other(rule.access != access, format!("for {}", rule.access)),
            other(rule.path != self.path, format!("of {}", rule.path)),
        ];
        let facts: Vec<_> = facts.iter().flatten().map(|fact| escape(fact)).collect();
        format!("{} ({})", escape(message), facts.join(", "))
    }
}

/// The interfaces of a rule that every command enforces.
const EVERY_COMMAND: [&str; 1] = ["every command"];

impl BuiltInReport {
    fn of(rule: BuiltInRule) -> Self {
        let interfaces = if rule.is_for_models {
            vec!["hook", "mcp"]
        } else {
            EVERY_COMMAND.to_vec()
        };
        Self {
            rule: rule.rule,
            interfaces,
            state: if rule.is_on { "on" } else { "off" },
            paths: rule.paths,
        }
    }
}

impl AccessReport {
    fn of(access: Access, hits: &[RuleMatch]) -> Self {
        let verdict = hits.first().map_or(Verdict::Allow, |hit| hit.verdict);
        let mut said = hits.iter().map(RuleMatchReport::of);
        Self {
            access: access.name(),
            verdict,
            rule: said.next(),
            also: said.collect(),
        }
    }
}

impl RuleMatchReport {
    fn of(hit: &RuleMatch) -> Self {
        Self {
            path: text(hit.path.as_bytes()),
            access: hit.access.name(),
            hit: RuleHit::of(hit),
        }
    }
}

impl LimitsReport {
    fn of(policy: &Policy) -> Self {
        let limit = |bytes: u64| (bytes < u64::MAX).then_some(bytes);
        let grants = policy.grants().map(|grant| GrantReport {
            prefix: grant.prefix,
            mode: if grant.is_writable { "rw" } else { "r" },
            source: format!("{}:{}", grant.source.0, grant.source.1),
        });
        Self {
            mode: policy.mode().unwrap_or(Mode::WorkspaceWrite).name(),
            symlinks: match policy.symlink_setting() {
                SymlinkSetting::Follow => "follow",
                SymlinkSetting::Inside => "inside",
                SymlinkSetting::Refuse => "refuse",
            },
            binary: if policy.refuses_binary() {
                "refuse"
            } else {
                "allow"
            },
            secrets: match policy.secrets_setting() {
                SecretsSetting::Off => "off",
                SecretsSetting::Places => "places",
                SecretsSetting::Strict => "strict",
            },
            require_hash: policy.requires_hash(),
            guard: policy.guards().iter().map(|guard| guard.name).collect(),
            max_read_bytes: limit(policy.max_read()),
            max_write_bytes: limit(policy.max_write()),
            grants: grants.collect(),
        }
    }

    fn print(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let Self {
            mode,
            symlinks,
            binary,
            ..
        } = self;
        // The text has the values that a policy file accepts.
        let secrets = match self.secrets {
            "off" => "false",
            "places" => "true",
            other => other,
        };
        writeln!(
            out,
            "mode {mode}, symlinks {symlinks}, binary {binary}, secrets {secrets}"
        )?;
        if self.require_hash {
            writeln!(out, "a change must state the hash of the file")?;
        }
        if !self.guard.is_empty() {
            writeln!(out, "guards {}", self.guard.join(", "))?;
        }
        for (limit, what) in [
            (self.max_read_bytes, "read"),
            (self.max_write_bytes, "written"),
        ] {
            limit.map_or(Ok(()), |limit| {
                writeln!(out, "files of more than {limit} bytes are not {what}")
            })?;
        }
        for GrantReport {
            prefix,
            mode,
            source,
        } in &self.grants
        {
            writeln!(out, "grant {} {mode} ({})", escape(prefix), escape(source))?;
        }
        Ok(())
    }
}

fn escape(text: &str) -> String {
    printable(text.as_bytes()).to_string()
}
