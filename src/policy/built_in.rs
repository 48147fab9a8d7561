//! The built-in rules as a table for display.

use super::control::ControlFileSetting;
use super::places::{AT_HOME, IN_ETC, IN_RUN, STRICT_NAMES, STRICT_PREFIXES, STRICT_SUFFIXES};
use super::protected::PROTECTION_RULES;
use super::{Policy, SecretsSetting, control, control_paths};

/// A rule that applies without a policy file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltInRule {
    /// The name in reports.
    pub rule: &'static str,
    /// Whether the rule applies only to changes by a model, in `hook` and `mcp`.
    pub is_for_models: bool,
    /// Whether the rule is in effect. A policy can switch some rules off.
    pub is_on: bool,
    /// The paths that the rule protects, or examples of them.
    pub paths: Vec<String>,
}

impl Policy {
    /// Returns all built-in rules, including those that are switched off.
    #[must_use]
    pub fn built_in_rules(&self) -> Vec<BuiltInRule> {
        let always = |rule, paths| BuiltInRule {
            rule,
            is_for_models: false,
            is_on: true,
            paths,
        };
        let mut rules: Vec<BuiltInRule> = Vec::new();
        for rule in PROTECTION_RULES {
            let examples = rule.examples.iter().map(|&path| path.to_owned());
            match rules.last_mut().filter(|known| known.rule == rule.name) {
                Some(known) => known.paths.extend(examples),
                None => rules.push(always(rule.name, examples.collect())),
            }
        }
        rules.push(always(
            super::POLICY_FILE_RULE,
            vec!["wpatch.toml".to_owned()],
        ));
        let secrecy = self.secrets_setting();
        rules.push(BuiltInRule {
            is_on: secrecy > SecretsSetting::Off,
            ..always("secrets", secret_paths(secrecy))
        });
        let control = super::strictest(&self.layers, |layer| layer.control_files);
        rules.push(BuiltInRule {
            rule: control::CONTROL_FILES_RULE,
            is_for_models: true,
            is_on: control == ControlFileSetting::Ask,
            paths: control_paths().map(|(path, _)| path.to_owned()).collect(),
        });
        rules
    }
}

/// Returns the paths of credentials: below a home, in the system, and under `strict` also the names
/// that are protected everywhere.
fn secret_paths(secrecy: SecretsSetting) -> Vec<String> {
    let below = |start: &'static str, all: &'static [super::places::SecretPath]| {
        all.iter()
            .map(move |secret| format!("{start}/{}", secret.path))
    };
    let mut paths = vec!["~/.ssh".to_owned()];
    paths.extend(
        below("~", AT_HOME)
            .chain(below("/etc", IN_ETC))
            .chain(below("/run", IN_RUN)),
    );
    if secrecy == SecretsSetting::Strict {
        paths.extend(STRICT_NAMES.iter().map(|&name| name.to_owned()));
        paths.extend(STRICT_PREFIXES.iter().map(|start| format!("{start}*")));
        paths.extend(STRICT_SUFFIXES.iter().map(|end| format!("*{end}")));
    }
    paths
}
