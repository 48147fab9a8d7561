//! The JSON Schemas of all JSON output, generated from the types.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::Value;

use super::{
    AuditReport, BatchLine, Difference, Explanation, Extract, Listing, Log, Report, SymbolListing,
};
use crate::transaction::audit::AuditRecord;

/// A JSON Schema that `wpatch schema` prints.
pub struct Schema {
    /// The name of the schema.
    pub name: &'static str,
    /// Returns the text of the schema: one document and a line feed.
    pub text: fn() -> String,
}

/// All schemas.
pub const SCHEMAS: &[Schema] = &[
    Schema {
        name: "report",
        text: text::<Report>,
    },
    Schema {
        name: "batch",
        text: text::<BatchLine>,
    },
    Schema {
        name: "log",
        text: text::<Log>,
    },
    Schema {
        name: "audit",
        text: text::<AuditRecord>,
    },
    Schema {
        name: "audit-report",
        text: text::<AuditReport>,
    },
    Schema {
        name: "read",
        text: text::<Extract>,
    },
    Schema {
        name: "list",
        text: text::<Listing>,
    },
    Schema {
        name: "symbols",
        text: text::<SymbolListing>,
    },
    Schema {
        name: "diff",
        text: text::<Difference>,
    },
    Schema {
        name: "policy",
        text: text::<Explanation>,
    },
];

fn text<T: JsonSchema>() -> String {
    let schema = SchemaSettings::draft2020_12()
        .for_serialize()
        .with_transform(RecursiveTransform(join_lines))
        .into_generator()
        .into_root_schema_for::<T>();
    format!("{:#}\n", schema.as_value())
}

/// Joins the lines of each paragraph of a description. Schemas therefore do not depend on the line
/// breaks of documentation comments.
fn join_lines(schema: &mut schemars::Schema) {
    let Some(Value::String(description)) = schema.get_mut("description") else {
        return;
    };
    let is_kept = |next: &str| next.is_empty() || next.starts_with("- ");
    let mut joined = String::with_capacity(description.len());
    for line in description.lines() {
        let is_start = joined.is_empty() || joined.ends_with('\n');
        if !is_start {
            joined.push(if is_kept(line) { '\n' } else { ' ' });
        }
        if line.is_empty() {
            joined.push('\n');
        }
        joined.push_str(line);
    }
    *description = joined;
}
