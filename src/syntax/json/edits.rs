//! Replacements of texts, with the key names that tools for models use.

use std::collections::HashMap;

use super::listed_edit::ListedEdit;
use super::reader::{Member, Value};
use super::symbols;
use super::{Options, Sections, SyntaxError, SyntaxErrorKind, read_digest, read_path};
use crate::digest::Sha256;
use crate::path::RelPath;
use crate::plan::{
    Action, Edit, EditOrder, EditTarget, MatchMode, Name, ReplaceCount, Replacement, Replacements,
};

/// The keys of the old and the new text.
const SPELLINGS: &[(&str, &str)] = &[
    ("old", "new"),
    ("old_string", "new_string"),
    ("old_str", "new_str"),
    ("oldText", "newText"),
    ("search", "replace"),
];

/// A list of edits of one file.
#[derive(Debug)]
pub struct EditList {
    /// The edits, in the order of the list.
    pub edits: Vec<Replacement>,
    /// The required digest of the file before the change.
    pub expected: Option<Sha256>,
}

/// Reads a list of edits, each with its file. All edits of one file see the file before the change.
pub(super) fn read_edits(
    list: Value<'_>,
    _: Options,
    sections: &mut Sections,
) -> Result<(), SyntaxError> {
    let mut operations: HashMap<Vec<u8>, usize> = HashMap::new();
    for (index, value) in list.entries("a list of edits")?.into_iter().enumerate() {
        let entry = read_entry(value, index)?;
        let claim = entry
            .path
            .ok_or_else(|| value.expected_error("an object with `path`"))?;
        let file = RelPath::new(&claim.bytes)
            .map_or_else(|_| claim.bytes.clone(), |path| path.as_bytes().to_vec());
        // All edits of a file belong to one operation, at the place of the first one.
        let at = *operations.entry(file).or_insert_with(|| {
            let changes = Replacements {
                edits: Vec::new(),
                order: EditOrder::Simultaneous,
                match_mode: MatchMode::Exact,
            };
            let name = Name::Agreed(vec![claim]);
            sections.push(
                Action::Modify,
                name,
                Edit::Replacements(Box::new(changes)),
                value.span(),
            );
            sections.operations.len() - 1
        });
        let operation = &mut sections.operations[at];
        if entry.expected.is_some_and(|expected| {
            **operation.expected.get_or_insert_with(|| Box::new(expected)) != expected
        }) {
            return Err(two_digests_error(value));
        }
        if let Edit::Replacements(changes) = &mut operation.edit {
            changes.edits.push(entry.edit);
        }
    }
    Ok(())
}

/// Reads a list of edits of one file that is named elsewhere.
///
/// `expected` is the digest that is stated next to the list.
pub(super) fn read_edits_of_one_file(
    list: Value<'_>,
    mut expected: Option<Sha256>,
) -> Result<EditList, SyntaxError> {
    let mut edits = Vec::new();
    for (index, value) in list.entries("a list of edits")?.into_iter().enumerate() {
        let entry = read_entry(value, index)?;
        if entry.path.is_some() {
            return Err(value.expected_error("an edit without `path`"));
        }
        if entry
            .expected
            .is_some_and(|digest| *expected.get_or_insert(digest) != digest)
        {
            return Err(two_digests_error(value));
        }
        edits.push(entry.edit);
    }
    Ok(EditList { edits, expected })
}

fn two_digests_error(value: Value<'_>) -> SyntaxError {
    SyntaxError::new(
        SyntaxErrorKind::Contradiction("two digests for one file"),
        value.span(),
    )
}

fn read_entry(value: Value<'_>, index: usize) -> Result<ListedEdit, SyntaxError> {
    let members = value.object("an object with `old` and `new`")?;
    if members.iter().any(|member| member.key == "symbol") {
        return symbols::read_entry(value, &members, index);
    }
    let is_spelled = |(old, new): &&(&str, &str)| {
        members
            .iter()
            .any(|member| member.key == *old || member.key == *new)
    };
    // The first pair with one of its keys decides. The keys of the other pairs are then unknown.
    let &(old_key, new_key) = SPELLINGS
        .iter()
        .find(is_spelled)
        .ok_or_else(|| value.expected_error("an object with `old` and `new`"))?;
    let (mut path, mut expected, mut old, mut new, mut times) = (None, None, None, None, None);
    for member in &members {
        match member.key.as_str() {
            key if key == old_key => old = Some(read_old_text(member)?),
            key if key == new_key => new = Some(member.value.text("the new text as a string")?),
            "path" => path = Some(read_path(member)?),
            "expected_hash" | "expected" if expected.is_none() => {
                expected = Some(read_digest(member)?);
            }
            "all" | "replace_all" if times.is_none() => {
                times = Some(if member.value.flag()? {
                    ReplaceCount::All
                } else {
                    ReplaceCount::Once
                });
            }
            _ => {
                return Err(member.unknown_key_error(
                    "`path`, `old`, `new`, `all`, `expected_hash` or `expected`",
                ));
            }
        }
    }
    let (Some(old), Some(new)) = (old, new) else {
        return Err(value.expected_error("`old` and `new` together"));
    };
    let target = EditTarget::Text {
        old: old.into_bytes(),
        times: times.unwrap_or(ReplaceCount::Once),
    };
    let edit = Replacement {
        target,
        new: new.into_bytes(),
        span: value.span(),
        index: Some(index),
        line: None,
    };
    Ok(ListedEdit {
        path,
        expected,
        edit,
    })
}

fn read_old_text(member: &Member<'_>) -> Result<String, SyntaxError> {
    const WANTED: &str = "the old text as a string that is not empty";
    Some(member.value.text(WANTED)?)
        .filter(|old| !old.is_empty())
        .ok_or_else(|| member.value.expected_error(WANTED))
}
