//! Changes as a JSON document: the whole content of files, or replacements of texts in them.
//!
//! - `{"replace": [{"path": "a", "content": "..."}]}` creates or overwrites files. `changes` is a
//!   synonym of `replace`.
//! - `{"edits": [{"path": "a", "old": "...", "new": "..."}]}` replaces texts.
//! - `{"patch": "..."}` contains a patch in another grammar.
//! - `{"type": "update_file", ...}` is an operation of the `apply_patch` tool of `OpenAI`, see
//!   `operations.rs`.
//!
//! `expected_hash` is the required digest of the file before the change. It is a member of an
//! entry, or of a document for one file. The grammar is a JSON Schema, `grammar/json.schema.json`.
//! Read this file first; `reader.rs` keeps the position of each value.

mod edits;
mod listed_edit;
mod operations;
mod patch;
mod reader;
mod symbols;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

pub use edits::EditList;
use reader::{Member, Value};

use super::{Options, Sections, Syntax, SyntaxError, SyntaxErrorKind};
use crate::digest::Sha256;
use crate::path::RelPath;
use crate::plan::{Action, Edit, Name, NameCandidate, Operation, StripRule};
use crate::syntax::writers::{self, PatchChange, WriteError};
use crate::text::Span;

/// The kinds of change: the key in the document, and the function that reads its value.
const KINDS: &[(&str, ReadFn)] = &[
    ("replace", read_whole_files),
    ("changes", read_whole_files),
    ("edits", edits::read_edits),
    ("patch", patch::read_patch),
];

const DOCUMENT_KEYS: &str =
    "`replace`, `changes`, `edits` or `patch`, and `expected_hash` or `expected`";

/// Reads the value of one of [`KINDS`].
type ReadFn = fn(Value<'_>, Options, &mut Sections) -> Result<(), SyntaxError>;

/// The grammar of JSON documents.
pub(super) struct Json;

impl Syntax for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn formats(&self) -> &'static [&'static str] {
        &["json"]
    }

    fn grammar(&self) -> &'static str {
        include_str!("../../../grammar/json.schema.json")
    }

    /// A document must be next in the text: below other text, an opening brace has no meaning.
    fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        let next = |at: usize| {
            Some(
                at + text[at..]
                    .iter()
                    .position(|byte| !byte.is_ascii_whitespace())?,
            )
        };
        let start = next(from).filter(|&start| matches!(text[start], b'{' | b'['))?;
        // An object has a key or ends. A list of operations contains objects.
        let may_follow: &[u8] = if text[start] == b'{' { b"\"}" } else { b"{" };
        next(start + 1)
            .filter(|&key| may_follow.contains(&text[key]))
            .map(|_| start)
    }

    fn parse(
        &self,
        text: &[u8],
        from: usize,
        options: Options,
        sections: &mut Sections,
    ) -> Result<usize, SyntaxError> {
        let (document, end) = Value::read(text, from)?;
        if text[from..].trim_ascii_start().starts_with(b"[") {
            return operations::read_list(document, options, sections).map(|()| end);
        }
        let members = document.object("an object with `replace`")?;
        if operations::is_operation(&members) {
            return operations::read_one(document, options, sections).map(|()| end);
        }
        let (mut found, mut expected) = (None, None);
        for member in &members {
            if is_digest(member) && expected.is_none() {
                expected = Some((read_digest(member)?, member.at));
                continue;
            }
            let kind = KINDS.iter().find(|(key, _)| *key == member.key);
            let (_, read) = kind.ok_or_else(|| member.unknown_key_error(DOCUMENT_KEYS))?;
            if found.replace((read, member.value)).is_some() {
                return Err(SyntaxError::new(
                    SyntaxErrorKind::Contradiction("two kinds of change in one document"),
                    member.at,
                ));
            }
        }
        let Some((read, value)) = found else {
            return Err(document.expected_error(DOCUMENT_KEYS));
        };
        let known = sections.operations.len();
        read(value, options, sections)?;
        if let Some((digest, at)) = expected {
            set_expected_digest(&mut sections.operations[known..], digest, at)?;
        }
        sections.step += 1;
        Ok(end)
    }

    fn write(&self, changes: &[PatchChange<'_>], context: usize) -> Result<Vec<u8>, WriteError> {
        writers::write_json(changes, context)
    }
}

/// Sets the required digest of the file. `operations` must contain exactly one operation.
fn set_expected_digest(
    operations: &mut [Operation<Name>],
    digest: Sha256,
    at: Span,
) -> Result<(), SyntaxError> {
    let contradiction = |says| Err(SyntaxError::new(SyntaxErrorKind::Contradiction(says), at));
    let [operation] = operations else {
        return contradiction("a digest needs a change of exactly one file");
    };
    if operation
        .expected
        .as_ref()
        .is_some_and(|known| **known != digest)
    {
        return contradiction("two digests for one file");
    }
    operation.expected = Some(Box::new(digest));
    Ok(())
}

/// Returns whether the member states the required digest or content of a file before the change.
fn is_digest(member: &Member<'_>) -> bool {
    matches!(member.key.as_str(), "expected_hash" | "expected")
}

/// Reads the edits of one file: a list of `{"old", "new", "all", "expected_hash"}`, or an object
/// with this list as `edits`. The object can also contain `expected_hash`.
///
/// # Errors
///
/// Returns the first error.
pub fn parse_edits(text: &[u8]) -> Result<EditList, SyntaxError> {
    const WANTED: &str = "a list of edits";
    let start = text
        .iter()
        .position(|byte| !byte.is_ascii_whitespace())
        .unwrap_or(text.len());
    let (value, end) = Value::read(text, start)?;
    super::refuse_prose(text, end, text.len())?;
    if !text[start..].starts_with(b"{") {
        return edits::read_edits_of_one_file(value, None);
    }
    let (mut list, mut expected) = (None, None);
    for member in &value.object(WANTED)? {
        match member.key.as_str() {
            "edits" if list.is_none() => list = Some(member.value),
            _ if is_digest(member) && expected.is_none() => expected = Some(read_digest(member)?),
            _ => return Err(member.unknown_key_error("`edits`, `expected_hash` or `expected`")),
        }
    }
    let list = list.ok_or_else(|| {
        SyntaxError::new(SyntaxErrorKind::Expected(WANTED), Span::new(start, end))
    })?;
    edits::read_edits_of_one_file(list, expected)
}

/// Reads a list of `{"path", "content", "expected_hash"}`. `expected` can replace `expected_hash`.
fn read_whole_files(
    list: Value<'_>,
    _: Options,
    sections: &mut Sections,
) -> Result<(), SyntaxError> {
    let mut seen = HashSet::new();
    for entry in list.entries("a list of files")? {
        let (mut path, mut content, mut expected) = (None, None, None);
        for member in entry.object("an object with `path` and `content`")? {
            match member.key.as_str() {
                "path" => path = Some(read_unique_path(&member, &mut seen)?),
                "content" => content = Some(member.value.text("the content as a string")?),
                "expected_hash" | "expected" if expected.is_none() => {
                    expected = Some(read_digest(&member)?);
                }
                _ => {
                    return Err(member
                        .unknown_key_error("`path`, `content`, `expected_hash` or `expected`"));
                }
            }
        }
        let path = path.ok_or_else(|| entry.expected_error("an object with `path`"))?;
        let content = content.ok_or_else(|| entry.expected_error("an object with `content`"))?;
        let edit = Edit::Whole(Arc::new(content.into()));
        let operation = sections.push(Action::Modify, path, edit, entry.span());
        operation.distinguishes_missing = false;
        operation.expected = expected.map(Box::new);
    }
    Ok(())
}

/// Reads the name of a file. Each file may have only one entry.
fn read_unique_path(member: &Member<'_>, seen: &mut HashSet<Vec<u8>>) -> Result<Name, SyntaxError> {
    let bytes = member.value.text("a path as a string")?.into_bytes();
    // `./a` and `a` are the same file. An invalid path is reported later.
    let plain =
        RelPath::new(&bytes).map_or_else(|_| bytes.clone(), |path| path.as_bytes().to_vec());
    if !seen.insert(plain) {
        let twice = SyntaxErrorKind::Contradiction("two entries for one file");
        return Err(SyntaxError::new(twice, member.value.span()));
    }
    Ok(Name::Agreed(vec![NameCandidate {
        bytes,
        strip: StripRule::Literal,
        span: member.value.span(),
    }]))
}

/// Reads the required digest of a file. The key `expected` contains the required content instead.
fn read_digest(member: &Member<'_>) -> Result<Sha256, SyntaxError> {
    const WANTED: &str = "`sha256:` and 64 hex digits";
    if member.key == "expected" {
        return Ok(Sha256::of(
            member.value.text("the content as a string")?.as_bytes(),
        ));
    }
    Sha256::parse(&member.value.text(WANTED)?).ok_or_else(|| member.value.expected_error(WANTED))
}

fn read_path(member: &Member<'_>) -> Result<NameCandidate, SyntaxError> {
    let bytes = member.value.text("a path as a string")?.into_bytes();
    Ok(NameCandidate {
        bytes,
        strip: StripRule::Literal,
        span: member.value.span(),
    })
}
