//! The construct that begins on a line.

use std::ops::Range;

use tree_sitter::{Node, TreeCursor};

use super::{Source, extent, is_comment, parse};
use crate::code::Unparsed;

/// Nodes that can begin where their first element begins, such as `block` in Python and
/// `body_statement` in Ruby. The element is meant then. A bare `{}` of these kinds is no construct.
const SEQUENCES: &[&str] = &[
    "block",
    "block_body",
    "body_statement",
    "compound_statement",
    "declaration_list",
    "select_expression",
    "statement_list",
    "statements",
];

/// Returns the last line of each construct that begins on one of `lines`, as
/// [`crate::code::last_lines_of_constructs`] describes.
pub(in crate::code) fn last_lines_of_constructs(
    path: &[u8],
    text: &[u8],
    lines: &[usize],
) -> Result<Vec<Option<usize>>, Unparsed> {
    let source = parse(path, text)?;
    let newlines: Vec<_> = memchr::memchr_iter(b'\n', source.text.as_bytes()).collect();
    let last_line = |line: &usize| {
        let first = match line.checked_sub(2) {
            None => 0,
            Some(before) => newlines.get(before)? + 1,
        };
        let end = end_of_construct(&source, first)?;
        Some(newlines.partition_point(|&newline| newline < end) + 1)
    };
    Ok(lines.iter().map(last_line).collect())
}

/// Returns the end of the construct that begins on the line that starts at `line_start`.
fn end_of_construct(source: &Source<'_>, line_start: usize) -> Option<usize> {
    let text = source.text;
    let line = text[line_start..].lines().next()?;
    let start = line_start + line.len() - line.trim_start().len();
    let mut cursor = source.tree.walk();
    let node = descend(&mut cursor, start)?;
    let last = last_node(&mut cursor, node, source.rules.attributes)?;
    let (comment, here_document) = nodes_after(&mut cursor);
    if let Some(here_document) = here_document {
        return Some(text[..here_document.end].trim_end().len());
    }
    let comments: Vec<_> = comment.into_iter().collect();
    extent::end_of_line(text, last.end_byte(), &comments)
}

/// Moves the cursor to the outermost node that begins at `start` and is a construct of its own.
fn descend<'t>(cursor: &mut TreeCursor<'t>, start: usize) -> Option<Node<'t>> {
    while cursor.goto_first_child_for_byte(start).is_some() {
        let node = cursor.node();
        if node.is_error() {
            return None;
        }
        if node.start_byte() > start {
            return None;
        }
        if node.start_byte() == start && !SEQUENCES.contains(&node.kind()) {
            return node.is_named().then_some(node);
        }
    }
    None
}

/// Moves the cursor from an attribute to the definition to which it belongs. Returns `None` if the
/// node has a syntax error.
fn last_node<'t>(
    cursor: &mut TreeCursor<'t>,
    node: Node<'t>,
    attributes: &[&str],
) -> Option<Node<'t>> {
    let mut last = node;
    if attributes.contains(&node.kind()) {
        while attributes.contains(&last.kind()) || is_comment(last) {
            if last.has_error() || !cursor.goto_next_sibling() {
                return None;
            }
            last = cursor.node();
        }
    }
    (!last.has_error()).then_some(last)
}

/// Returns the spans of the comment and of the last text of a here-document in Ruby that follow the
/// node at the cursor. `extent` ignores a comment that does not follow directly.
fn nodes_after(cursor: &mut TreeCursor<'_>) -> (Option<Range<usize>>, Option<Range<usize>>) {
    let (mut comment, mut here_document) = (None, None);
    for _ in 0..4 {
        if !cursor.goto_next_sibling() {
            break;
        }
        let node = cursor.node();
        if node.kind() == "heredoc_body" {
            here_document = Some(node.byte_range());
        } else if is_comment(node) {
            comment.get_or_insert(node.byte_range());
        } else if node.is_named() {
            break;
        }
    }
    (comment, here_document)
}
