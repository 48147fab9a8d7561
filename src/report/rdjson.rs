//! The diagnostic format of reviewdog, as one JSON document.

use std::io;

use serde_json::{Value, json};

use super::findings::{Finding, FindingLevel, FindingLocation, SuggestedFix, findings};
use super::{Format, Report, print_json};
use crate::text::printable;

/// A diagnostic for each finding. If one line prevents the match, it suggests a correction.
pub(super) struct RdJson;

impl Format for RdJson {
    fn name(&self) -> &'static str {
        "rdjson"
    }

    fn print(&self, report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
        let diagnostics: Vec<_> = findings(report).iter().map(diagnostic).collect();
        print_json(
            &json!({"source": {"name": report.tool.name}, "diagnostics": diagnostics}),
            out,
        )
    }
}

fn diagnostic(finding: &Finding) -> Value {
    let mut diagnostic = json!({
        "message": finding.lines().join("\n"),
        "severity": match finding.level {
            FindingLevel::Refused | FindingLevel::Error => "ERROR",
            FindingLevel::Warning => "WARNING",
            FindingLevel::Notice => "INFO",
        },
        "code": {"value": finding.code},
    });
    if let Some(place) = finding.main_location() {
        diagnostic["location"] = location(place);
    }
    if let Some(place) = finding.second_location() {
        diagnostic["related_locations"] =
            json!([{"message": "the file", "location": location(place)}]);
    }
    if let Some(suggested_fix) = &finding.suggested_fix {
        diagnostic["suggestions"] = json!([suggestion(suggested_fix)]);
    }
    diagnostic
}

fn location(place: &FindingLocation) -> Value {
    let mut location = json!({"path": printable(place.path.as_bytes()).to_string()});
    if let Some(line) = place.line {
        location["range"] = match (place.last_line.filter(|&last| last > line), place.column) {
            // An end without a column includes the whole last line.
            (Some(last), _) => json!({"start": {"line": line}, "end": {"line": last}}),
            (None, Some(column)) => json!({"start": {"line": line, "column": column}}),
            (None, None) => json!({"start": {"line": line}}),
        };
    }
    location
}

/// Returns the suggested correction. Columns count bytes, and the first column contains the sign.
fn suggestion(suggested_fix: &SuggestedFix) -> Value {
    let position = |column: usize| json!({"line": suggested_fix.line, "column": column});
    json!({"range": {"start": position(2), "end": position(2 + suggested_fix.old.len())}, "text": suggested_fix.new})
}
