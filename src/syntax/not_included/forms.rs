//! The lines with which diff programs name a change without its content.
//!
//! To add a form, add a row to [`FORMS`] and a case to the tests of the parent module.

use bstr::ByteSlice;

use crate::plan::NamedChange;

/// A line that names a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) kind: NamedChange,
    /// The name as in the input. It is empty if the line names no file.
    pub(super) name: Vec<u8>,
    pub(super) content: ContentLocation,
    pub(super) confidence: Confidence,
}

/// The place of the content of the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContentLocation {
    /// The input does not contain it.
    Missing,
    /// The section after the line, if there is one.
    Next,
}

/// The certainty that a diff program wrote the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Confidence {
    /// Certain: no prose has this form.
    Distinct,
    /// Uncertain: prose can have this form. The line counts only next to other lines of a diff
    /// program.
    Loose,
}

/// Reads a line of one form.
type ReadFormFn = fn(&[u8]) -> Option<Statement>;

/// All forms, each with the bytes that its line can start with. Most lines of prose start with
/// other bytes.
const FORMS: &[(&[u8], ReadFormFn)] = &[
    (b"O", only_in),
    (b"BFS", differing),
    (b"F", type_change),
    (b"d", diff_message),
    (b"c", cvs_message),
    (b"B", mercurial_binary),
    (b"c", fossil_binary),
    (b"C", subversion_binary),
    (b"P", subversion_properties),
    (b"*", unmerged_path),
    (b"S", submodule),
    (b"=", bazaar),
    (b"I", index),
    (b"d", diff_command),
];

/// Returns the change that `line` names. `line` has no terminator.
pub(super) fn parse_statement(line: &[u8]) -> Option<Statement> {
    let first = line.first()?;
    FORMS
        .iter()
        .filter(|(starts, _)| starts.contains(first))
        .find_map(|(_, read)| read(line))
}

fn without_content(kind: NamedChange, name: &[u8], confidence: Confidence) -> Option<Statement> {
    let has_name = !name.is_empty() || kind == NamedChange::Binary;
    has_name.then(|| Statement {
        kind,
        name: name.to_vec(),
        content: ContentLocation::Missing,
        confidence,
    })
}

/// Splits `text` at the first `separator`.
fn split<'t>(text: &'t [u8], separator: &[u8]) -> Option<(&'t [u8], &'t [u8])> {
    let at = text.find(separator)?;
    Some((&text[..at], &text[at + separator.len()..]))
}

/// `Only in DIRECTORY: NAME`, by `diff -r`.
fn only_in(line: &[u8]) -> Option<Statement> {
    let (directory, name) = split(line.strip_prefix(b"Only in ")?, b": ")?;
    if directory.is_empty() || name.is_empty() {
        return None;
    }
    without_content(
        NamedChange::OnlyIn,
        &[directory.strip_suffix(b"/").unwrap_or(directory), name].join(&b'/'),
        Confidence::Loose,
    )
}

/// `Binary files OLD and NEW differ`, `Files OLD and NEW differ` (`diff -q`),
/// `Symbolic links OLD and NEW differ`.
fn differing(line: &[u8]) -> Option<Statement> {
    const KINDS: [(&[u8], NamedChange, Confidence); 3] = [
        (b"Binary files ", NamedChange::Binary, Confidence::Distinct),
        (b"Files ", NamedChange::Differ, Confidence::Loose),
        (b"Symbolic links ", NamedChange::Link, Confidence::Distinct),
    ];
    let names = line.strip_suffix(b" differ")?;
    let (names, kind, confidence) = KINDS.iter().find_map(|&(words, kind, confidence)| {
        Some((names.strip_prefix(words)?, kind, confidence))
    })?;
    let (old, new) = two_names(names)?;
    // Bazaar writes a time stamp after a tab.
    let undated = |name: &'_ [u8]| memchr::memchr(b'\t', name).map_or(name.len(), |tab| tab);
    let (old, new) = (&old[..undated(old)], &new[..undated(new)]);
    without_content(
        kind,
        if new == b"/dev/null" { old } else { new },
        confidence,
    )
}

/// Splits `OLD and NEW` where both names are equal after their first component, otherwise at the
/// first ` and `.
fn two_names(names: &[u8]) -> Option<(&[u8], &[u8])> {
    const AND: &[u8] = b" and ";
    /// The maximum length of a line for which all positions are tried. A long line can contain
    /// ` and ` every few bytes.
    const MAX: usize = 8192;
    let tail = |name: &[u8]| memchr::memchr(b'/', name).map_or(0, |slash| name.len() - slash);
    let is_alike = |old: &[u8], new: &[u8]| {
        tail(old) == tail(new) && old.ends_with(&new[new.len() - tail(new)..])
    };
    let mut splits = names
        .find_iter(AND)
        .map(|at| (&names[..at], &names[at + AND.len()..]));
    let first = splits.clone().next()?;
    let alike = if names.len() <= MAX {
        splits.find(|(old, new)| is_alike(old, new))
    } else {
        None
    };
    Some(alike.unwrap_or(first))
}

/// `File OLD is a TYPE while file NEW is a TYPE`, by `diff -r`.
fn type_change(line: &[u8]) -> Option<Statement> {
    let (_, new) = split(line.strip_prefix(b"File ")?, b" is a ")?;
    let (_, new) = split(new, b" while ")?;
    let at = new.rfind(b" is a ")?;
    let new = &new[..at];
    without_content(
        NamedChange::Type,
        new.strip_prefix(b"file ").unwrap_or(new),
        Confidence::Distinct,
    )
}

/// `diff: NAME: No such file or directory`.
fn diff_message(line: &[u8]) -> Option<Statement> {
    let message = line.strip_prefix(b"diff: ")?;
    let at = message.rfind(b": ")?;
    without_content(NamedChange::Unreadable, &message[..at], Confidence::Loose)
}

/// `cvs diff: NAME is a new entry, no comparison available`.
fn cvs_message(line: &[u8]) -> Option<Statement> {
    const ENDS: [(&[u8], NamedChange); 3] = [
        (
            b" is a new entry, no comparison available",
            NamedChange::Add,
        ),
        (
            b" was removed, no comparison available",
            NamedChange::Remove,
        ),
        (
            b" no longer exists, no comparison available",
            NamedChange::Remove,
        ),
    ];
    let (_, message) = split(line.strip_prefix(b"cvs ")?, b": ")?;
    if let Some(name) = message.strip_prefix(b"cannot find ") {
        return without_content(NamedChange::Unreadable, name, Confidence::Distinct);
    }
    let (kind, name) = ENDS
        .iter()
        .find_map(|(end, kind)| Some((*kind, message.strip_suffix(*end)?)))?;
    without_content(kind, name, Confidence::Distinct)
}

/// `Binary file NAME has changed`.
fn mercurial_binary(line: &[u8]) -> Option<Statement> {
    let name = line
        .strip_prefix(b"Binary file ")?
        .strip_suffix(b" has changed")?;
    without_content(NamedChange::Binary, name, Confidence::Distinct)
}

/// Fossil writes this line below the `Index:` line that names the file.
fn fossil_binary(line: &[u8]) -> Option<Statement> {
    if line != b"cannot compute difference between binary files" {
        return None;
    }
    without_content(NamedChange::Binary, b"", Confidence::Distinct)
}

/// Subversion writes this line below the `Index:` line that names the file.
fn subversion_binary(line: &[u8]) -> Option<Statement> {
    if line != b"Cannot display: file marked as a binary type." {
        return None;
    }
    without_content(NamedChange::Binary, b"", Confidence::Distinct)
}

/// `Property changes on: NAME`, by Subversion.
fn subversion_properties(line: &[u8]) -> Option<Statement> {
    without_content(
        NamedChange::Properties,
        line.strip_prefix(b"Property changes on: ")?,
        Confidence::Distinct,
    )
}

/// `* Unmerged path NAME`, by git.
fn unmerged_path(line: &[u8]) -> Option<Statement> {
    without_content(
        NamedChange::Unmerged,
        line.strip_prefix(b"* Unmerged path ")?,
        Confidence::Loose,
    )
}

/// `Submodule NAME OLD..NEW:` and `Submodule NAME contains modified content`, by
/// `git diff --submodule`.
fn submodule(line: &[u8]) -> Option<Statement> {
    let rest = line.strip_prefix(b"Submodule ")?;
    for words in [
        &b" contains untracked content"[..],
        b" contains modified content",
    ] {
        if let Some(name) = rest.strip_suffix(words) {
            return without_content(NamedChange::Submodule, name, Confidence::Distinct);
        }
    }
    let is_range = |word: &[u8]| {
        let word = word.strip_suffix(b":").unwrap_or(word);
        let id = |part: &[u8]| part.len() >= 4 && part.iter().all(u8::is_ascii_hexdigit);
        split(word, b"..")
            .is_some_and(|(old, new)| id(old) && id(new.strip_prefix(b".").unwrap_or(new)))
    };
    let mut start = 0;
    for word in rest.split(|byte| *byte == b' ') {
        if start > 0 && is_range(word) {
            return without_content(
                NamedChange::Submodule,
                &rest[..start - 1],
                Confidence::Distinct,
            );
        }
        start += word.len() + 1;
    }
    None
}

/// `=== modified file 'NAME'` and similar lines, by Bazaar. Directories have no content.
fn bazaar(line: &[u8]) -> Option<Statement> {
    const VERBS: [(&[u8], NamedChange); 5] = [
        (b"added ", NamedChange::Add),
        (b"removed ", NamedChange::Remove),
        (b"modified ", NamedChange::Modify),
        (b"renamed ", NamedChange::Rename),
        (b"kind changed ", NamedChange::Type),
    ];
    let rest = line.strip_prefix(b"=== ")?;
    let (kind, rest) = VERBS
        .iter()
        .find_map(|(verb, kind)| Some((*kind, rest.strip_prefix(*verb)?)))?;
    let (entry, rest) = split(rest, b" '")?;
    let (name, behind) = match kind {
        NamedChange::Rename => split(rest, b"' => '").and_then(|(_, new)| split(new, b"'"))?,
        _ => split(rest, b"'")?,
    };
    let (kind, content) = match (kind, entry) {
        (NamedChange::Rename | NamedChange::Type, _) => (kind, ContentLocation::Missing),
        (_, b"directory") => return None,
        _ if behind.starts_with(b" (properties changed") => {
            (NamedChange::Properties, ContentLocation::Missing)
        }
        _ => (kind, ContentLocation::Next),
    };
    Some(Statement {
        kind,
        name: name.to_vec(),
        content,
        confidence: Confidence::Distinct,
    })
}

/// `Index: NAME`, by Subversion, CVS and quilt. The line below distinguishes it from prose.
fn index(line: &[u8]) -> Option<Statement> {
    let name = line.strip_prefix(b"Index: ")?;
    Some(Statement {
        kind: NamedChange::Modify,
        name: name.to_vec(),
        content: ContentLocation::Next,
        confidence: Confidence::Loose,
    })
}

/// `diff -ru OLD NEW`, the command that `diff -r` and Mercurial write above each file.
fn diff_command(line: &[u8]) -> Option<Statement> {
    let words = line
        .strip_prefix(b"diff -")
        .filter(|words| !words.starts_with(b"-git "))?;
    let mut names = words.rsplit(|byte| *byte == b' ');
    let name = names.next().filter(|name| !name.is_empty())?;
    names.next()?;
    Some(Statement {
        kind: NamedChange::Modify,
        name: name.to_vec(),
        content: ContentLocation::Next,
        confidence: Confidence::Loose,
    })
}
