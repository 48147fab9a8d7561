//! Prints JSON Schemas of the bindings: `wpatch-binding-types documents|snake|camel`.
//!
//! `documents` are the results of all commands. `snake` and `camel` are the options, in the
//! spelling of Python and of JavaScript; `$defs` has one object for each command, such as
//! `CheckOptions`. `bindings/generate` turns the schemas into types.

#![allow(clippy::print_stdout, reason = "the program prints the schema")]

use std::process::ExitCode;

use serde_json::{Map, Value, json};
use wpatch::cli::library_call::{COMMANDS, CallOption, OptionKind, options_of};
use wpatch::report::SCHEMAS;

/// The schemas of the results, and the names of their types.
const DOCUMENTS: [(&str, &str); 8] = [
    ("report", "Report"),
    ("log", "Log"),
    ("audit-report", "AuditReport"),
    ("read", "Extract"),
    ("list", "Listing"),
    ("symbols", "SymbolListing"),
    ("diff", "Difference"),
    ("policy", "Explanation"),
];
/// The options that the functions of the bindings have as arguments.
const ARGUMENTS: [&str; 4] = ["content", "edits", "source", "to"];

/// The options of commands for other results. The functions of the bindings set them.
const RESULTS: [(&[&str], &str); 3] = [
    (&["log"], "format"),
    (&["log"], "verify"),
    (&["list"], "symbols"),
];

fn main() -> ExitCode {
    let definitions = match std::env::args().nth(1).as_deref() {
        Some("documents") => documents(),
        Some("snake") => options(snake),
        Some("camel") => options(camel),
        _ => {
            eprintln!("usage: wpatch-binding-types documents|snake|camel");
            return ExitCode::from(2);
        }
    };
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": definitions,
    });
    println!("{schema:#}");
    ExitCode::SUCCESS
}

/// Returns the definitions of all documents. Types with the same name are the same.
fn documents() -> Map<String, Value> {
    let mut all = Map::new();
    for (name, title) in DOCUMENTS {
        let schema = SCHEMAS.iter().find(|schema| schema.name == name);
        let text = schema.map(|schema| (schema.text)()).unwrap_or_default();
        let mut schema: Map<String, Value> =
            serde_json::from_str(&text).expect("BUG: a schema is a JSON object");
        if let Some(Value::Object(definitions)) = schema.remove("$defs") {
            all.extend(definitions);
        }
        schema.retain(|key, _| key != "$schema" && key != "title");
        all.insert(title.to_owned(), Value::Object(schema));
    }
    all
}

/// Returns the definitions of the options of all commands, in the spelling `spell`.
fn options(spell: fn(&str) -> String) -> Map<String, Value> {
    let definition = |command: &'static [&'static str]| {
        let properties: Map<_, _> = options_of(command)
            .filter(|option| !ARGUMENTS.contains(&&*option.name))
            .filter(|option| !RESULTS.contains(&(command, &*option.name)))
            .map(|option| (spell(&option.name), property(option)))
            .collect();
        let schema = json!({
            "description": format!("The options of `wpatch {}`.", command.join(" ")),
            "type": "object",
            "properties": properties,
        });
        (type_name(command), schema)
    };
    COMMANDS.into_iter().map(definition).collect()
}

/// Returns the schema of the values of `option`.
fn property(option: &CallOption) -> Value {
    let text = if option.choices.is_empty() {
        json!({ "type": "string" })
    } else {
        json!({ "type": "string", "enum": option.choices })
    };
    let mut schema = match option.kind {
        OptionKind::Flag => json!({ "type": "boolean" }),
        OptionKind::Number => json!({ "type": "integer", "minimum": 0 }),
        OptionKind::Text => text,
        OptionKind::List => json!({ "type": "array", "items": text }),
        OptionKind::FlagOrText => json!({ "anyOf": [{ "type": "boolean" }, text] }),
    };
    schema["description"] = json!(option.help);
    schema
}

/// Returns the name of the type for the options of `command`, such as `NotebookInsertOptions`.
fn type_name(command: &[&str]) -> String {
    command
        .iter()
        .map(|word| capitalize(word))
        .collect::<String>()
        + "Options"
}

fn snake(name: &str) -> String {
    name.replace('-', "_")
}

fn camel(name: &str) -> String {
    let mut words = name.split('-');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| name + &capitalize(word))
}

fn capitalize(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
