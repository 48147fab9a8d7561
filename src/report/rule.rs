//! What policy says of a file, in a report.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::policy::{Hit, Ruling, Verdict};

/// A rule of policy that speaks of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct RuleHit {
    /// Its name.
    pub rule: String,
    /// What it says: `ask` or `deny`; where everything is told that speaks of a path, also `allow`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub verdict: Verdict,
    /// The pattern that the path matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Why.
    pub message: String,
    /// The policy file that has the rule, and its line there; left out for what always holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl RuleHit {
    pub(super) fn of(hit: &Hit) -> Self {
        Self {
            rule: hit.rule.clone(),
            verdict: hit.verdict,
            pattern: hit.pattern.clone(),
            message: hit.reason.clone(),
            source: hit
                .source
                .as_ref()
                .map(|(name, line)| format!("{name}:{line}")),
        }
    }
}

/// Returns the rules that have something against it, each once.
pub(super) fn rule_hits(ruling: &Ruling) -> Vec<RuleHit> {
    let mut hits: Vec<RuleHit> = Vec::new();
    for hit in ruling.hits.iter().map(RuleHit::of) {
        if !hits.contains(&hit) {
            hits.push(hit);
        }
    }
    hits
}
