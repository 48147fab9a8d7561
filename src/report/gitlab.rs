//! The Code Quality report of GitLab: a JSON list with an entry for each finding.

use std::io;

use serde_json::{Value, json};

use super::findings::{Finding, FindingLevel, findings, fingerprints};
use super::{Format, Report, print_json};
use crate::text::printable;

/// A list of findings; empty if there are none.
pub(super) struct GitLab;

impl Format for GitLab {
    fn name(&self) -> &'static str {
        "gitlab"
    }

    fn print(&self, report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
        let findings = findings(report);
        let entries = findings.iter().zip(fingerprints(&findings));
        print_json(
            &entries
                .map(|(finding, fingerprint)| entry(finding, &fingerprint))
                .collect::<Vec<_>>(),
            out,
        )
    }
}

fn entry(finding: &Finding, fingerprint: &str) -> Value {
    let place = finding.main_location();
    // GitLab requires a file and a line in every entry.
    let path = place.map_or_else(
        || ".".to_owned(),
        |place| printable(place.path.as_bytes()).to_string(),
    );
    let begin = place.and_then(|place| place.line).unwrap_or(1);
    let end = place
        .and_then(|place| place.last_line)
        .unwrap_or(begin)
        .max(begin);
    json!({
        "type": "issue",
        "description": finding.lines().join("; "),
        "check_name": finding.code,
        "fingerprint": fingerprint,
        "severity": match finding.level {
            FindingLevel::Refused => "critical",
            FindingLevel::Error => "major",
            FindingLevel::Warning => "minor",
            FindingLevel::Notice => "info",
        },
        "location": {"path": path, "lines": {"begin": begin, "end": end}},
    })
}
