//! Extracts patches from JSON documents, as tools of models receive them. They can then be repaired
//! like any other patch.

use serde_json::Value;

use super::RepairLog;
use super::patch::DamagedPatch;
use super::read::Section;
use crate::plan::{Name, Operation};
use crate::syntax::{Options, SYNTAXES, parse};
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
    Some(envelope(&sections.concat()).into_bytes())
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
    let section = match (text("type")?, text("diff")) {
        ("create_file", Some(diff)) => format!("*** Add File: {path}\n{}", with_newline(diff)),
        ("update_file", Some(diff)) => format!("*** Update File: {path}\n{}", with_newline(diff)),
        ("delete_file", _) => format!("*** Delete File: {path}\n"),
        _ => return None,
    };
    changes_only(path.as_bytes(), envelope(&section).as_bytes()).then_some(section)
}

fn envelope(sections: &str) -> String {
    format!("*** Begin Patch\n{sections}*** End Patch\n")
}

/// Returns whether `text` changes no file except `path`, with and without repairs. A header in the
/// diff of an operation starts a section for the file that the header names.
fn changes_only(path: &[u8], text: &[u8]) -> bool {
    let is_path = |name: &[u8]| {
        let plain = name
            .strip_prefix(b"a/")
            .or_else(|| name.strip_prefix(b"b/"));
        name == path || plain == Some(path)
    };
    let is_repaired_to_path = |section: &Section<'_>| {
        section.target.is_none() && section.names.iter().all(|name| is_path(name))
    };
    // A patch that cannot be read changes no file.
    let is_repaired_ok = DamagedPatch::new(text).is_ok_and(|patch| {
        patch
            .sections(None, &mut RepairLog::default())
            .map_or(true, |sections| sections.iter().all(is_repaired_to_path))
    });
    let is_read_as_path = |operation: &Operation<Name>| {
        operation.from.is_none()
            && [0, 1].iter().any(|&level| {
                let resolved = operation.path.resolve(level, b"");
                resolved.is_ok_and(|resolved| resolved.as_bytes() == path)
            })
    };
    let plan = parse("", text.to_vec(), SYNTAXES, Options::default());
    is_repaired_ok && plan.map_or(true, |plan| plan.operations.iter().all(is_read_as_path))
}

fn with_newline(text: &str) -> String {
    // A marker follows and must begin a line.
    if text.is_empty() || text.ends_with('\n') {
        text.to_owned()
    } else {
        format!("{text}\n")
    }
}
