//! Adds hooks to a JSON configuration file, and keeps all other bytes.
//!
//! [`extend`] inserts text after the last member of an object or the last element of an array. The
//! inserted text has the line endings and the indentation of the file.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Serialize;
use serde_json::ser::PrettyFormatter;
use serde_json::value::RawValue;
use serde_json::{Serializer, Value, json};

/// The field of the file that contains the hooks.
const HOOKS: &str = "hooks";
/// The indentation in a new file.
const INDENTATION: &str = "  ";

/// The entries that register a hook.
pub(super) struct Registration {
    /// The command of the hook. An entry with this command, also with options, is the hook.
    pub(super) command: String,
    /// The value of the field `version`, if the file needs one.
    pub(super) version: Option<u64>,
    /// The events with their entries.
    pub(super) entries: Vec<(&'static str, Value)>,
}

/// The reason why a file cannot be extended.
#[derive(Debug)]
pub(super) enum MergeError {
    /// The file is not JSON.
    Syntax(serde_json::Error),
    /// The file is not UTF-8.
    Encoding,
    /// The file has another structure. Contains the fault.
    Shape(String),
}

impl From<serde_json::Error> for MergeError {
    fn from(error: serde_json::Error) -> Self {
        Self::Syntax(error)
    }
}

/// Returns the text of a file that contains only the hook.
pub(super) fn new_file(registration: &Registration) -> String {
    let events = registration.entries.iter();
    let events: BTreeMap<_, _> = events.map(|(event, entry)| (*event, [entry])).collect();
    let mut file = json!({HOOKS: events});
    if let Some(version) = registration.version {
        file["version"] = version.into();
    }
    pretty(&file, INDENTATION) + "\n"
}

/// Returns the content of a file after the hook was added. Returns it unchanged if it contains the
/// hook for all events.
///
/// # Errors
///
/// Returns an error if the file is not JSON or has another structure.
pub(super) fn extend(content: &[u8], registration: &Registration) -> Result<String, MergeError> {
    let text = str::from_utf8(content).map_err(|_| MergeError::Encoding)?;
    let mut wanted: Value = serde_json::from_str(text)?;
    let mut text = text.to_owned();
    let root = wanted
        .as_object_mut()
        .ok_or_else(|| MergeError::Shape("the file is not a JSON object".to_owned()))?;
    if let Some(version) = registration.version
        && !root.contains_key("version")
    {
        root.insert("version".to_owned(), version.into());
        text = insert_member(&text, &[], "version", &version.into())?;
    }
    if !root.contains_key(HOOKS) {
        root.insert(HOOKS.to_owned(), json!({}));
        text = insert_member(&text, &[], HOOKS, &json!({}))?;
    }
    let hooks = root[HOOKS]
        .as_object_mut()
        .ok_or_else(|| MergeError::Shape(format!("`{HOOKS}` is not an object")))?;
    for (event, entry) in &registration.entries {
        match hooks.get_mut(*event) {
            Some(Value::Array(entries)) if has_command(entries, &registration.command) => {}
            Some(Value::Array(entries)) => {
                entries.push(entry.clone());
                text = insert_element(&text, &[HOOKS, event], entry)?;
            }
            Some(_) => {
                return Err(MergeError::Shape(format!(
                    "`{HOOKS}.{event}` is not an array"
                )));
            }
            None => {
                hooks.insert((*event).to_owned(), json!([entry]));
                text = insert_member(&text, &[HOOKS], event, &json!([entry]))?;
            }
        }
    }
    // A name that occurs twice in an object makes the place of an insertion ambiguous.
    if serde_json::from_str::<Value>(&text)? != wanted {
        return Err(MergeError::Shape(
            "a name occurs twice in an object".to_owned(),
        ));
    }
    Ok(text)
}

/// Returns whether any text in `entries` is the command, or the command with options.
fn has_command(entries: &[Value], command: &str) -> bool {
    let is_command = |text: &str| {
        let rest = text.trim().strip_prefix(command);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    entries.iter().any(|value| match value {
        Value::String(text) => is_command(text),
        Value::Array(values) => has_command(values, command),
        Value::Object(members) => members
            .values()
            .any(|value| has_command(std::slice::from_ref(value), command)),
        _ => false,
    })
}

/// Returns `text` with a new last member in the object at `path`.
fn insert_member(
    text: &str,
    path: &[&str],
    name: &str,
    value: &Value,
) -> Result<String, MergeError> {
    let object = find(text, path)?;
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(&text[object.clone()])?;
    let style = Style::of(text)?;
    let name = Value::from(name);
    let item = |newline: &str| {
        let value = pretty(value, &style.indentation).replace('\n', newline);
        format!("{name}: {value}")
    };
    Ok(style.insert(text, &object, members.into_values(), item))
}

/// Returns `text` with a new last element in the array at `path`.
fn insert_element(text: &str, path: &[&str], value: &Value) -> Result<String, MergeError> {
    let array = find(text, path)?;
    let elements: Vec<&RawValue> = serde_json::from_str(&text[array.clone()])?;
    let style = Style::of(text)?;
    let item = |newline: &str| pretty(value, &style.indentation).replace('\n', newline);
    Ok(style.insert(text, &array, elements.into_iter(), item))
}

/// The layout of a file.
struct Style {
    newline: &'static str,
    indentation: String,
}

impl Style {
    /// Returns the layout of `text`, a JSON object.
    fn of(text: &str) -> Result<Self, MergeError> {
        let members: BTreeMap<String, &RawValue> = serde_json::from_str(text)?;
        let first = members.into_values().map(|value| span(text, value).start);
        let indentation = first
            .min()
            .map_or("", |first| line_indentation(text, first));
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let indentation = if indentation.is_empty() {
            INDENTATION.to_owned()
        } else {
            indentation.to_owned()
        };
        Ok(Self {
            newline,
            indentation,
        })
    }

    /// Inserts an item after the last of `values` in the object or array at `container`. `item`
    /// receives the line ending and the indentation of the lines in the item.
    fn insert<'t>(
        &self,
        text: &'t str,
        container: &Range<usize>,
        values: impl Iterator<Item = &'t RawValue>,
        item: impl Fn(&str) -> String,
    ) -> String {
        let spans: Vec<_> = values.map(|value| span(text, value)).collect();
        let first = spans.iter().map(|span| span.start).min();
        let last = spans.iter().map(|span| span.end).max();
        let (Some(first), Some(last)) = (first, last) else {
            let outer = line_indentation(text, container.start);
            let line = format!("{}{outer}", self.newline);
            let inner = format!("{line}{}", self.indentation);
            let item = format!("{inner}{}{line}", item(&inner));
            return replace(text, container.start + 1..container.end - 1, &item);
        };
        let separator = if text[container.start..first].contains('\n') {
            format!("{}{}", self.newline, line_indentation(text, first))
        } else {
            " ".to_owned()
        };
        let newline = if separator == " " {
            format!(
                "{}{}",
                self.newline,
                line_indentation(text, container.start)
            )
        } else {
            separator.clone()
        };
        replace(text, last..last, &format!(",{separator}{}", item(&newline)))
    }
}

/// Returns the place of the value at `path`, a list of member names.
fn find(text: &str, path: &[&str]) -> Result<Range<usize>, MergeError> {
    let mut value: &RawValue = serde_json::from_str(text)?;
    for name in path {
        let mut members: BTreeMap<String, &RawValue> = serde_json::from_str(value.get())?;
        value = members
            .remove(*name)
            .ok_or_else(|| MergeError::Shape(format!("`{name}` is missing")))?;
    }
    Ok(span(text, value))
}

/// Returns the place of `value` in `text`, from which it was parsed.
fn span(text: &str, value: &RawValue) -> Range<usize> {
    let start = value.get().as_ptr() as usize - text.as_ptr() as usize;
    start..start + value.get().len()
}

/// Returns the white space at the start of the line that contains the byte `at`.
fn line_indentation(text: &str, at: usize) -> &str {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let rest = &text[line..];
    &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
}

fn replace(text: &str, range: Range<usize>, new: &str) -> String {
    [&text[..range.start], new, &text[range.end..]].concat()
}

/// Returns `value` as JSON, one member or element on each line.
fn pretty(value: &Value, indentation: &str) -> String {
    let mut out = Vec::new();
    let formatter = PrettyFormatter::with_indent(indentation.as_bytes());
    value
        .serialize(&mut Serializer::with_formatter(&mut out, formatter))
        .expect("BUG: writing JSON to memory cannot fail");
    String::from_utf8(out).expect("BUG: JSON is UTF-8")
}
