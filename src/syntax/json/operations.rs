//! The operations of the `apply_patch` tool of `OpenAI`: a single operation or a list. Each
//! operation can be in the object of its call.
//!
//! The form is `{"type": "update_file", "path": "a", "diff": "@@\n-old\n+new"}`. The diff of
//! `create_file` has only added lines, and `delete_file` needs no diff. Each operation can contain
//! the required digest of its file (`expected_hash`). The diff has the format of the sections in a
//! Codex envelope, and each operation sees the tree after the previous one. As in an envelope, a
//! created file ends with a line ending.

use super::reader::{Member, Value};
use super::{Options, Sections, SyntaxError, is_digest, read_digest, read_path};
use crate::plan::{Action, Edit, Input, Name, NameCandidate};
use crate::syntax::codex;
use crate::text::Span;

const WANTED: &str = "an object with `type`, `path` and `diff`";
const KINDS: &str = "`create_file`, `update_file` or `delete_file`";
const CALL: &str = "apply_patch_call";
/// The members of a call in addition to its operation. wpatch ignores their values, except `type`.
const CALL_KEYS: [&str; 5] = ["type", "id", "call_id", "status", "created_by"];

/// Returns whether `members` are the members of an operation or a call.
pub(super) fn is_operation(members: &[Member<'_>]) -> bool {
    members
        .iter()
        .any(|member| matches!(member.key.as_str(), "type" | "operation"))
}

/// Reads a list of operations and calls.
pub(super) fn read_list(
    list: Value<'_>,
    options: Options,
    sections: &mut Sections,
) -> Result<(), SyntaxError> {
    list.entries("a list of operations")?
        .into_iter()
        .try_for_each(|entry| read_one(entry, options, sections))
}

/// Reads an operation, or the call that contains it.
pub(super) fn read_one(
    value: Value<'_>,
    options: Options,
    sections: &mut Sections,
) -> Result<(), SyntaxError> {
    let members = value.object(WANTED)?;
    let Some(operation) = members.iter().find(|member| member.key == "operation") else {
        return read_operation(value, &members, options, sections);
    };
    for member in &members {
        match member.key.as_str() {
            "type" if member.value.text(CALL)? != CALL => {
                return Err(member.value.expected_error("`apply_patch_call`"));
            }
            key if key == "operation" || CALL_KEYS.contains(&key) => {}
            _ => {
                return Err(member.unknown_key_error(
                    "`type`, `id`, `call_id`, `status`, `created_by` or `operation`",
                ));
            }
        }
    }
    read_operation(
        operation.value,
        &operation.value.object(WANTED)?,
        options,
        sections,
    )
}

fn read_operation(
    value: Value<'_>,
    members: &[Member<'_>],
    options: Options,
    sections: &mut Sections,
) -> Result<(), SyntaxError> {
    let (mut kind, mut path, mut diff, mut expected) = (None, None, None, None);
    for member in members {
        match member.key.as_str() {
            "type" => kind = Some((member.value.text(KINDS)?, member.value)),
            "path" => path = Some(read_path(member)?),
            "diff" => {
                diff = member
                    .value
                    .optional_text("the diff as a string")?
                    .map(|text| (text, member.value));
            }
            _ if is_digest(member) && expected.is_none() => expected = Some(read_digest(member)?),
            _ => {
                return Err(member
                    .unknown_key_error("`type`, `path`, `diff`, `expected_hash` or `expected`"));
            }
        }
    }
    let (Some((kind, at)), Some(path)) = (kind, path) else {
        return Err(value.expected_error(WANTED));
    };
    let action = match kind.as_str() {
        "create_file" => Action::Create,
        "update_file" => Action::Modify,
        "delete_file" => Action::Delete,
        _ => return Err(at.expected_error(KINDS)),
    };
    match (action, diff) {
        // The diff of a deletion has no effect.
        (Action::Delete, _) => {
            sections.push(action, Name::Agreed(vec![path]), Edit::Keep, value.span());
        }
        (_, Some((diff, at))) => add_change(action, path, (diff, at), options, sections)?,
        (_, None) => return Err(value.expected_error("an object with `diff`")),
    }
    if let Some(operation) = sections.operations.last_mut() {
        operation.expected = expected.map(Box::new);
    }
    sections.step += 1;
    Ok(())
}

/// Adds an operation with a diff. The diff is an input of its own, because the document does not
/// contain its lines literally.
fn add_change(
    action: Action,
    path: NameCandidate,
    (mut diff, at): (String, Value<'_>),
    options: Options,
    sections: &mut Sections,
) -> Result<(), SyntaxError> {
    if !diff.is_empty() && !diff.ends_with('\n') {
        diff.push('\n');
    }
    let text = diff.into_bytes();
    let edit = match action {
        Action::Create => codex::parse_addition(&text),
        _ => codex::parse_hunks(&text, options).map(Edit::Hunks),
    };
    let edit = edit.map_err(|error| SyntaxError::new(error.kind, at.span()))?;
    let name = Name::Agreed(vec![NameCandidate {
        // The name is in the document, not in the text of the diff.
        span: Span::new(0, 0),
        ..path
    }]);
    let span = Span::new(0, text.len());
    sections.quoted.push(Input {
        bytes: text.into(),
        ..Input::default()
    });
    let input = sections.quoted.len();
    sections.push(action, name, edit, span).input = input;
    Ok(())
}
