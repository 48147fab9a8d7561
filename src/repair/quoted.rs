//! Extracts patches from JSON documents, as tools of models receive them. They can then be repaired
//! like any other patch.

use serde_json::Value;

use super::read::starts_section;
use crate::text::without_bom;

/// Returns the patch in a JSON document; `None` for any other text. The patch is the member
/// `patch`, or an envelope that is equivalent to the operations of `OpenAI`'s tool.
///
/// A document with further members, such as the digest of a file, is not converted. Its author has
/// read exactly that file, so a repair for another content would be wrong.
#[must_use]
pub fn unquote_json(text: &[u8]) -> Option<Vec<u8>> {
    let text = without_bom(text);
    if !matches!(text.trim_ascii_start(), [b'{' | b'[', ..]) {
        return None;
    }
    let document: Value = serde_json::from_slice(text).ok()?;
    if let Some(patch) = document.get("patch") {
        let is_lone = document
            .as_object()
            .is_some_and(|members| members.len() == 1);
        return Some(with_newline(patch.as_str()?).into_bytes()).filter(|_| is_lone);
    }
    let list = std::slice::from_ref(&document);
    let operations = document.as_array().map_or(list, Vec::as_slice);
    let sections = operations
        .iter()
        .map(build_section)
        .collect::<Option<Vec<_>>>()?;
    Some(format!("*** Begin Patch\n{}*** End Patch\n", sections.concat()).into_bytes())
}

/// Returns the section for an operation, which can be wrapped in the object of a tool call.
fn build_section(operation: &Value) -> Option<String> {
    let operation = operation.get("operation").unwrap_or(operation);
    let members = operation.as_object()?;
    if members
        .keys()
        .any(|key| !["type", "path", "diff"].contains(&key.as_str()))
    {
        return None;
    }
    let text = |key: &str| members.get(key).and_then(Value::as_str);
    // A newline in the path would start another line of the envelope. An envelope has no form for
    // white space around a path.
    let path = text("path").filter(|path| !path.contains('\n') && path.trim() == *path)?;
    // The operation concerns the file `path` only. A header in its diff would start a section for
    // another file.
    let diff = text("diff");
    let lines = diff.unwrap_or_default().split('\n').map(str::as_bytes);
    if lines.into_iter().any(starts_section) {
        return None;
    }
    match (text("type")?, diff) {
        ("create_file", Some(diff)) => {
            Some(format!("*** Add File: {path}\n{}", with_newline(diff)))
        }
        ("update_file", Some(diff)) => {
            Some(format!("*** Update File: {path}\n{}", with_newline(diff)))
        }
        ("delete_file", _) => Some(format!("*** Delete File: {path}\n")),
        _ => None,
    }
}

fn with_newline(text: &str) -> String {
    // A marker follows and must begin a line.
    if text.is_empty() || text.ends_with('\n') {
        text.to_owned()
    } else {
        format!("{text}\n")
    }
}
