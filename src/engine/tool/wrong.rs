//! Explains to a model which argument of a tool is invalid. The schema of the arguments decides.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Accepted arguments that are not in the schema, each with the argument that it replaces. An
/// argument that replaces itself is ignored.
const ALIASES: &[(&str, &str)] = &[("command", "command"), ("new_str", "insert_text")];
/// The limit on the length of a value that a message quotes, in characters.
const MAX_QUOTED: usize = 40;
/// The limit on the size of a value that is parsed completely, in bytes.
const MAX_PARSED: usize = 4096;

/// Returns the reason why `arguments` violate `schema`; `None` if they are valid.
pub(super) fn explain(arguments: &str, schema: &Value) -> Option<String> {
    let texts: BTreeMap<String, &RawValue> = match serde_json::from_str(arguments) {
        Ok(given) => given,
        Err(_) => return Some("the arguments are not valid JSON".to_owned()),
    };
    let given: ArgumentMap = texts
        .iter()
        .map(|(name, value)| (name.clone(), parse_shallow(value)))
        .collect();
    let properties = schema["properties"].as_object()?;
    let required: Vec<_> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    // A misspelt argument is both unknown and missing. The unknown name explains more.
    let is_complete = schema["additionalProperties"] == false;
    is_complete
        .then(|| unknown_argument(&given, properties, &required))
        .flatten()
        .or_else(|| missing_argument(&given, properties, &required))
        .or_else(|| wrong_value(&given, properties))
        .or_else(|| wrong_entry(&texts, properties))
}

/// Returns a message about an entry of a list of objects.
fn wrong_entry(
    texts: &BTreeMap<String, &RawValue>,
    properties: &Map<String, Value>,
) -> Option<String> {
    texts.iter().find_map(|(name, text)| {
        let schema = &properties.get(name)?["items"];
        if !schema["properties"].is_object() {
            return None;
        }
        let entries: Vec<&RawValue> = serde_json::from_str(text.get()).ok()?;
        let wrong = entries.iter().enumerate().find_map(|(index, entry)| {
            let why = if entry.get().starts_with('{') {
                explain(entry.get(), schema)?
            } else {
                let value = describe_value(&parse_shallow(entry));
                format!("{value} is not an object")
            };
            Some((index, why))
        });
        wrong.map(|(index, why)| format!("entry {} of `{name}`: {why}", index + 1))
    })
}

/// The arguments of a call, by name.
type ArgumentMap = BTreeMap<String, Value>;

/// Returns a message about an argument that is not in the schema.
fn unknown_argument(
    given: &ArgumentMap,
    properties: &Map<String, Value>,
    required: &[&str],
) -> Option<String> {
    let is_known = |name: &str| {
        properties.contains_key(name)
            || ALIASES
                .iter()
                .any(|(also, own)| *also == name && (also == own || required.contains(own)))
    };
    let name = given.keys().find(|name| !is_known(name))?;
    let names: Vec<_> = properties.keys().map(|name| format!("`{name}`")).collect();
    Some(format!(
        "unknown argument {}; expected one of {}",
        describe_value(&name.clone().into()),
        names.join(", ")
    ))
}

/// Returns a message about a required argument that is missing.
fn missing_argument(
    given: &ArgumentMap,
    properties: &Map<String, Value>,
    required: &[&str],
) -> Option<String> {
    let is_missing = |name: &&&str| {
        let stands_in = ALIASES
            .iter()
            .any(|(also, own)| own == *name && given.contains_key(*also));
        !given.contains_key(**name) && !stands_in
    };
    let name = required.iter().find(is_missing)?;
    Some(format!(
        "the argument `{name}` is missing; expected {}",
        describe_allowed(&properties[*name])
    ))
}

/// Returns a message about an argument whose value the schema does not allow.
fn wrong_value(given: &ArgumentMap, properties: &Map<String, Value>) -> Option<String> {
    let own = |name: &str| {
        ALIASES
            .iter()
            .find(|(also, _)| *also == name)
            .map_or_else(|| name.to_owned(), |(_, own)| (*own).to_owned())
    };
    given.iter().find_map(|(name, value)| {
        let property = properties
            .get(name)
            .or_else(|| properties.get(&own(name)))?;
        (!is_allowed(value, property)).then(|| {
            format!(
                "`{name}` is {}; expected {}",
                describe_value(value),
                describe_allowed(property)
            )
        })
    })
}

/// Parses `value`. A long value is replaced by a short value of the same type, because only its
/// type matters.
fn parse_shallow(value: &RawValue) -> Value {
    let text = value.get();
    match text.as_bytes() {
        [b'"', ..] if text.len() > MAX_PARSED => Value::String("x".repeat(MAX_QUOTED)),
        [b'[', ..] if text.len() > MAX_PARSED => Value::Array(Vec::new()),
        [b'{', ..] if text.len() > MAX_PARSED => Value::Object(Map::new()),
        _ => serde_json::from_str(text).unwrap_or_default(),
    }
}

/// Returns the types that `property` allows.
fn types(property: &Value) -> Vec<&str> {
    let kinds = &property["type"];
    kinds
        .as_str()
        .into_iter()
        .chain(
            kinds
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str),
        )
        .collect()
}

/// Returns the texts that `property` allows, if they are a fixed list.
fn choices(property: &Value) -> Option<impl Iterator<Item = &str>> {
    let choices = property["enum"].as_array()?;
    Some(choices.iter().filter_map(Value::as_str))
}

/// Returns whether `property` allows `value`.
fn is_allowed(value: &Value, property: &Value) -> bool {
    let is_in_range = || match property["minimum"].as_u64() {
        Some(minimum) => value.as_u64().is_some_and(|number| number >= minimum),
        None => value.is_i64(),
    };
    // `wrong_entry` checks a list of objects.
    let are_items = |items: &Vec<Value>| {
        let count = property["maxItems"].as_u64();
        property["items"]["properties"].is_object()
            || count.is_none_or(|count| count == items.len() as u64)
                && items
                    .iter()
                    .all(|item| is_allowed(item, &property["items"]))
    };
    types(property).into_iter().any(|kind| match kind {
        "string" => value.as_str().is_some_and(|text| match choices(property) {
            Some(mut choices) => choices.any(|choice| choice == text),
            None => true,
        }),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => is_in_range(),
        "array" => value.as_array().is_some_and(are_items),
        _ => true,
    })
}

/// Returns a description of the values that `property` allows.
fn describe_allowed(property: &Value) -> String {
    match types(property).into_iter().find(|kind| *kind != "null") {
        Some("string") => match choices(property) {
            Some(choices) => format!("one of {}", choices.collect::<Vec<_>>().join(", ")),
            None => "a string".to_owned(),
        },
        Some("boolean") => "true or false".to_owned(),
        Some("integer") => match property["minimum"].as_u64() {
            Some(minimum) => format!("a whole number of at least {minimum}"),
            None => "a whole number".to_owned(),
        },
        Some("array") if property["items"]["properties"].is_object() => {
            "a list of objects".to_owned()
        }
        Some("array") => {
            let count = property["maxItems"]
                .as_u64()
                .map_or_else(String::new, |count| format!("{count} "));
            let items = if types(&property["items"]).contains(&"integer") {
                "whole numbers"
            } else {
                "values"
            };
            format!("a list of {count}{items}, such as [1, 20]")
        }
        _ => "another value".to_owned(),
    }
}

/// Returns `value` for a message. Short values are quoted.
fn describe_value(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        value => {
            let text = value.to_string();
            if text.chars().count() <= MAX_QUOTED {
                text
            } else {
                "a long string".to_owned()
            }
        }
    }
}
