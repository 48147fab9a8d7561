//! Finds the first fault of a tree: a token that the grammar does not expect, or that is missing.

use tree_sitter::{Node, Tree, TreeCursor};

/// The number of bytes of a token in a message.
const MAX_TOKEN: usize = 40;

/// A fault in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenFault {
    /// The offset of the token.
    pub offset: usize,
    /// What was found or expected.
    pub message: String,
}

/// Returns the first fault of `tree` that ends at or after `from`, or the last one before it.
pub(super) fn first(tree: &Tree, text: &str, from: usize) -> Option<TokenFault> {
    let mut cursor = tree.walk();
    let mut found = None;
    loop {
        let node = cursor.node();
        if node.is_missing() || node.is_error() || has_hidden_fault(node) {
            found = Some(node);
            if node.end_byte() >= from {
                break;
            }
        }
        if !move_to_next(&mut cursor, Visit::Faults) {
            break;
        }
    }
    let node = found?;
    Some(if node.is_error() {
        unexpected(node, text, from)
    } else {
        TokenFault {
            offset: node.start_byte(),
            message: format!("expected {}", describe(node)),
        }
    })
}

/// Returns whether a token of `node` is missing that has no name in the grammar. The tree does not
/// show it.
fn has_hidden_fault(node: Node<'_>) -> bool {
    let has_fault = |child: Node<'_>| child.has_error() || child.is_missing();
    node.has_error() && !node.children(&mut node.walk()).any(has_fault)
}

/// Returns the first node that `is_fault` selects, or the first name that is one of `keywords`.
pub(super) fn find_accepted(
    tree: &Tree,
    text: &str,
    is_fault: impl Fn(Node<'_>) -> bool,
    keywords: &[&str],
) -> Option<TokenFault> {
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let is_keyword = || {
            let word = text.get(node.byte_range()).unwrap_or_default();
            let before = text.get(..node.start_byte()).unwrap_or_default().trim_end();
            let is_name = before.ends_with(['.', ':']) || before.ends_with("def");
            node.kind() == "identifier" && keywords.contains(&word) && !is_name
        };
        if is_fault(node) || is_keyword() {
            return Some(unexpected(node, text, 0));
        }
        if !move_to_next(&mut cursor, Visit::All) {
            return None;
        }
    }
}

/// The nodes that are visited.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    Faults,
    All,
}

/// Moves to the next node in the order of the text that can be a fault or contain one. Does not
/// enter errors, except at the root: their content is the part of the text that was skipped.
fn move_to_next(cursor: &mut TreeCursor<'_>, visit: Visit) -> bool {
    let is_relevant = |node: Node<'_>| node.has_error() || node.is_missing() || visit == Visit::All;
    let node = cursor.node();
    let is_entered = is_relevant(node) && (!node.is_error() || cursor.depth() == 0);
    if is_entered && cursor.goto_first_child() && is_relevant(cursor.node()) {
        return true;
    }
    loop {
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
        }
        if is_relevant(cursor.node()) {
            return true;
        }
    }
}

/// Returns the name of a missing token: the token itself, or what it is.
fn describe(node: Node<'_>) -> String {
    if node.is_named() {
        node.kind().trim_start_matches('_').replace('_', " ")
    } else {
        format!("`{}`", node.kind())
    }
}

/// Describes the first token of `error` that ends after `from`.
fn unexpected(error: Node<'_>, text: &str, from: usize) -> TokenFault {
    unexpected_at(text, error.start_byte().max(from.min(error.end_byte())))
}

/// Describes the first token of `text` at or after `start`.
pub(super) fn unexpected_at(text: &str, start: usize) -> TokenFault {
    let rest = text.get(start..).unwrap_or_default();
    let token = rest.trim_start();
    let offset = start + (rest.len() - token.len());
    if token.is_empty() {
        return TokenFault {
            offset: text.len(),
            message: "unexpected end of file".to_owned(),
        };
    }
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let first = token.chars().next().map_or(0, char::len_utf8);
    let length = token
        .find(|character| !is_word(character))
        .unwrap_or(token.len())
        .max(first);
    let end = (0..=length.min(MAX_TOKEN))
        .rev()
        .find(|end| token.is_char_boundary(*end))
        .unwrap_or(0);
    TokenFault {
        offset,
        message: format!("unexpected `{}`", &token[..end]),
    }
}
