//! The Static Analysis Results Interchange Format (SARIF), version 2.1.0.

use std::io;

use serde_json::{Value, json};

use super::findings::{
    Finding, FindingLevel, FindingLocation, SuggestedFix, findings, fingerprints,
};
use super::{Format, Outcome, Report, print_json};
use crate::path::is_absolute;
use crate::preflight::CODES;
use crate::text::percent_encode;

/// One log with one run. Its rules are all problem codes. The rules of language servers appear only
/// in their results.
pub(super) struct Sarif;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The base identifier of paths below the root.
const ROOT: &str = "ROOT";

impl Format for Sarif {
    fn name(&self) -> &'static str {
        "sarif"
    }

    fn print(&self, report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
        let findings = findings(report);
        let results = findings.iter().zip(fingerprints(&findings));
        let mut run = json!({
            "tool": {"driver": {
                "name": report.tool.name,
                "version": report.tool.version,
                "rules": CODES.iter().map(|code| rule(code.name, code.meaning.trim())).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [invocation(report)],
            "results": results.map(|(finding, fingerprint)| result(finding, &fingerprint)).collect::<Vec<_>>(),
        });
        if let Some(root) = &report.root {
            let root = format!("file://{}/", uri(root.trim_end_matches('/')));
            run["originalUriBaseIds"] = json!({ROOT: {"uri": root}});
        }
        print_json(
            &json!({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}),
            out,
        )
    }
}

fn rule(name: &str, meaning: &str) -> Value {
    json!({"id": name, "shortDescription": {"text": meaning}})
}

/// Returns the outcome of the command. A patch that does not apply is a result, not a failure of
/// the program.
fn invocation(report: &Report) -> Value {
    let has_worked = report.ok
        || matches!(
            report.outcome,
            Outcome::Partial
                | Outcome::WouldBePartial
                | Outcome::DoesNotApply
                | Outcome::Malformed
                | Outcome::Refused
        );
    json!({
        "executionSuccessful": has_worked,
        "exitCode": report.exit_code,
        "exitCodeDescription": report.outcome,
    })
}

fn result(finding: &Finding, fingerprint: &str) -> Value {
    let mut result = json!({
        "ruleId": finding.code,
        "level": match finding.level {
            FindingLevel::Refused | FindingLevel::Error => "error",
            FindingLevel::Warning => "warning",
            FindingLevel::Notice => "note",
        },
        "message": {"text": finding.lines().join("\n")},
        "partialFingerprints": {"wpatch/v1": fingerprint},
    });
    if let Some(index) = CODES.iter().position(|code| code.name == finding.code) {
        result["ruleIndex"] = json!(index);
    }
    if let Some(place) = finding.main_location() {
        result["locations"] = json!([location(place)]);
    }
    if let Some(place) = finding.second_location() {
        result["relatedLocations"] = json!([location(place)]);
    }
    if let (Some(suggested_fix), Some(patch)) = (&finding.suggested_fix, &finding.patch) {
        result["fixes"] = json!([fix(suggested_fix, patch)]);
    }
    result
}

fn location(place: &FindingLocation) -> Value {
    let mut physical = json!({"artifactLocation": artifact(place)});
    if let Some(line) = place.line {
        physical["region"] = match place.last_line {
            Some(last) => json!({"startLine": line, "endLine": last.max(line)}),
            None => json!({"startLine": line}),
        };
    }
    json!({"physicalLocation": physical})
}

fn artifact(place: &FindingLocation) -> Value {
    match &place.path_below_root {
        Some(below) => json!({"uri": uri(below), "uriBaseId": ROOT}),
        None if is_absolute(place.path.as_bytes()) => {
            let slash = if place.path.starts_with('/') { "" } else { "/" };
            json!({"uri": format!("file://{slash}{}", uri(&place.path))})
        }
        None => json!({"uri": uri(&place.path)}),
    }
}

fn fix(suggested_fix: &SuggestedFix, patch: &FindingLocation) -> Value {
    // Columns count from 1 in characters, and the first column contains the sign.
    let region = json!({
        "startLine": suggested_fix.line,
        "startColumn": 2,
        "endColumn": 2 + suggested_fix.old.chars().count(),
    });
    let replacement =
        json!({"deletedRegion": region, "insertedContent": {"text": suggested_fix.new}});
    json!({
        "description": {"text": "the line as the file has it"},
        "artifactChanges": [{"artifactLocation": artifact(patch), "replacements": [replacement]}],
    })
}

/// Percent-encodes all characters except `/` and the unreserved characters of RFC 3986.
fn uri(path: &str) -> String {
    percent_encode(path.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_relative_reference_whatever_is_in_it() {
        assert_eq!(uri("a:b/c d%é\n"), "a%3Ab/c%20d%25%C3%A9%0A");
    }
}
