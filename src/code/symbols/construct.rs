//! The construct that begins on a line.

use std::ops::Range;

use tree_sitter::{Node, TreeCursor};

use super::{Source, extent, is_comment, parse};
use crate::code::Unparsed;

/// Nodes that contain a sequence of statements and begin with the first of them.
const SEQUENCES: &[&str] = &[
    "block",
    "block_body",
    "body_statement",
    "compound_statement",
    "declaration_list",
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
    let comments: Vec<_> = comment_after(&mut cursor).into_iter().collect();
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

/// Returns the span of the comment that follows the node at the cursor, after at most two
/// separators.
fn comment_after(cursor: &mut TreeCursor<'_>) -> Option<Range<usize>> {
    for _ in 0..3 {
        if !cursor.goto_next_sibling() {
            return None;
        }
        if is_comment(cursor.node()) {
            return Some(cursor.node().byte_range());
        }
    }
    None
}
