//! The JSON Schemas of what is printed as JSON, made from the types.

use schemars::generate::SchemaSettings;

use schemars::JsonSchema;

use super::{BatchLine, Difference, Explanation, Extract, Listing, Log, Report};

/// A JSON Schema that `wpatch schema` prints.
pub struct Schema {
    /// Its name.
    pub name: &'static str,
    /// Returns its text: one document and a newline.
    pub text: fn() -> String,
}

/// Every schema.
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
        name: "read",
        text: text::<Extract>,
    },
    Schema {
        name: "list",
        text: text::<Listing>,
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
        .into_generator()
        .into_root_schema_for::<T>();
    format!("{:#}\n", schema.as_value())
}
