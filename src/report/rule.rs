//! The policy rules in a report.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::policy::{PolicyDecision, RuleMatch, Verdict};

/// A policy rule that matches a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct RuleHit {
    /// The name of the rule.
    pub rule: String,
    /// The verdict: `ask` or `deny`. An explanation of the policy also lists `allow`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub verdict: Verdict,
    /// The pattern that matches the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// The reason for the verdict.
    pub message: String,
    /// The policy file and the line of the rule; absent for built-in rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl RuleHit {
    pub(super) fn of(hit: &RuleMatch) -> Self {
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

/// Returns the matched rules without duplicates.
pub(super) fn rule_hits(ruling: &PolicyDecision) -> Vec<RuleHit> {
    let mut hits: Vec<RuleHit> = Vec::new();
    for hit in ruling.matches.iter().map(RuleHit::of) {
        if !hits.contains(&hit) {
            hits.push(hit);
        }
    }
    hits
}
