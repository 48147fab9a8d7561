//! The JSON Schemas of the JSON output, from the files in `grammar/`. The code that generates them
//! from the types is three times as large as their text. A test compares the files with the types.

use serde_json::{Map, Value};

/// The names of all schemas.
pub(super) const NAMES: [&str; 10] = [
    "report",
    "batch",
    "log",
    "audit",
    "audit-report",
    "read",
    "list",
    "symbols",
    "diff",
    "policy",
];

const BATCH: &str = include_str!("../../grammar/batch.schema.json");

/// Returns the schema `name`; an empty text if there is none.
pub(super) fn schema_text(name: &str) -> String {
    let text = match name {
        "report" => return report_text().unwrap_or_default(),
        "batch" => BATCH,
        "log" => include_str!("../../grammar/log.schema.json"),
        "audit" => include_str!("../../grammar/audit.schema.json"),
        "audit-report" => include_str!("../../grammar/audit-report.schema.json"),
        "read" => include_str!("../../grammar/read.schema.json"),
        "list" => include_str!("../../grammar/list.schema.json"),
        "symbols" => include_str!("../../grammar/symbols.schema.json"),
        "diff" => include_str!("../../grammar/diff.schema.json"),
        "policy" => include_str!("../../grammar/policy.schema.json"),
        _ => "",
    };
    text.to_owned()
}

/// Returns the schema of a report. A batch answer contains a report, so its schema contains all
/// definitions.
fn report_text() -> Option<String> {
    let mut batch: Map<String, Value> = serde_json::from_str(BATCH).ok()?;
    let mut definitions = batch.remove("$defs")?;
    let mut report = definitions.as_object_mut()?.remove("Report")?;
    definitions.as_object_mut()?.remove("JobId");
    let schema = report.as_object_mut()?;
    schema.insert("$schema".to_owned(), batch.remove("$schema")?);
    schema.insert("$defs".to_owned(), definitions);
    Some(format!("{report:#}\n"))
}
