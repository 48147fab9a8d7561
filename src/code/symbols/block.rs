//! The construct that begins on a line.

use std::ops::Range;

use tree_sitter::{Node, TreeCursor};

use super::{extent, is_comment, parse};
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

/// Returns the last line of the construct that begins on `line`, as
/// [`crate::code::last_line_of_block`] describes.
pub(in crate::code) fn last_line_of_block(
    path: &[u8],
    text: &[u8],
    line: usize,
) -> Result<Option<usize>, Unparsed> {
    let source = parse(path, text)?;
    let text = source.text;
    let Some(start) = first_character(text, line) else {
        return Ok(None);
    };
    let mut cursor = source.tree.walk();
    let Some(node) = descend(&mut cursor, start) else {
        return Ok(None);
    };
    let Some(last) = last_node(&mut cursor, node, source.rules.attributes) else {
        return Ok(None);
    };
    let comments: Vec<_> = comment_after(&mut cursor).into_iter().collect();
    let end = extent::end_of_line(text, last.end_byte(), &comments);
    Ok(end.map(|end| memchr::memchr_iter(b'\n', text[..end].as_bytes()).count() + 1))
}

/// Returns the offset of the first character of `line` that is not white space. Lines are counted
/// from 1.
fn first_character(text: &str, line: usize) -> Option<usize> {
    let line = text.split_inclusive('\n').nth(line.checked_sub(1)?)?;
    let start = line.as_ptr() as usize - text.as_ptr() as usize;
    let content = line.trim_start();
    (!content.is_empty()).then(|| start + line.len() - content.len())
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
