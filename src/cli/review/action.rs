//! The actions of a reviewer and their keys.
//!
//! Both displays, the screen and the prompts, use the same keys. The keys of `git add --patch` have
//! the same meaning here. To add an action, add a variant and a row of [`KEYS`], and implement it in
//! `state` or in the displays.

/// What a reviewer can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Accept,
    Reject,
    RejectWithReason,
    Clear,
    AcceptFile,
    RejectFile,
    AcceptAll,
    RejectAll,
    Split,
    /// Selects single lines, or ends the selection.
    Lines,
    /// Accepts or rejects the line at the cursor.
    ToggleLine,
    Edit,
    Undo,
    Redo,
    Next,
    Previous,
    NextFile,
    PreviousFile,
    NextUndecided,
    NextNote,
    First,
    Last,
    Search,
    NextMatch,
    PreviousMatch,
    MoreContext,
    LessContext,
    Files,
    Apply,
    Save,
    Quit,
    Help,
}

/// A key and its action.
pub(super) struct Key {
    pub(super) letter: char,
    pub(super) action: Action,
    /// The effect, for the help.
    pub(super) help: &'static str,
}

const fn key(letter: char, action: Action, help: &'static str) -> Key {
    Key {
        letter,
        action,
        help,
    }
}

/// All keys, in the order of the help.
pub(super) const KEYS: &[Key] = &[
    key('y', Action::Accept, "accept this hunk, part or line"),
    key('n', Action::Reject, "reject it"),
    key('r', Action::RejectWithReason, "reject it with a reason"),
    key('c', Action::Clear, "clear the decision"),
    key(
        'a',
        Action::AcceptFile,
        "accept this and all later hunks of the file",
    ),
    key(
        'd',
        Action::RejectFile,
        "reject this and all later hunks of the file",
    ),
    key('A', Action::AcceptAll, "accept everything"),
    key('D', Action::RejectAll, "reject everything"),
    key(
        's',
        Action::Split,
        "split the hunk into its changes, or join them",
    ),
    key('l', Action::Lines, "select single lines, or stop"),
    key(' ', Action::ToggleLine, "accept or reject the line"),
    key('e', Action::Edit, "edit the hunk in an editor"),
    key('u', Action::Undo, "undo the last decision or edit"),
    key('U', Action::Redo, "redo a decision"),
    key('j', Action::Next, "next hunk, part or line"),
    key('k', Action::Previous, "previous hunk, part or line"),
    key('J', Action::NextFile, "next file"),
    key('K', Action::PreviousFile, "previous file"),
    key('o', Action::NextUndecided, "next part without a decision"),
    key('!', Action::NextNote, "next hunk with a note or a problem"),
    key('g', Action::First, "first hunk"),
    key('G', Action::Last, "last hunk"),
    key('/', Action::Search, "search for a text"),
    key(';', Action::NextMatch, "next match"),
    key(',', Action::PreviousMatch, "previous match"),
    key('+', Action::MoreContext, "show more lines around the hunk"),
    key('-', Action::LessContext, "show fewer lines around the hunk"),
    key('f', Action::Files, "list the files"),
    key('w', Action::Apply, "apply the accepted part and end"),
    key(
        'S',
        Action::Save,
        "save the accepted part as a plan and end",
    ),
    key('q', Action::Quit, "end without applying"),
    key('?', Action::Help, "show this help"),
];

/// Returns the action of a key.
pub(super) fn find_action(letter: char) -> Option<Action> {
    let is_it = |key: &&Key| key.letter == letter;
    KEYS.iter().find(is_it).map(|key| key.action)
}

/// Returns the name of a key in the help.
pub(super) fn key_name(letter: char) -> String {
    match letter {
        ' ' => "space".to_owned(),
        _ => letter.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_one_action() {
        for (index, key) in KEYS.iter().enumerate() {
            assert_eq!(find_action(key.letter), Some(key.action));
            assert!(KEYS[..index].iter().all(|other| other.action != key.action));
        }
    }
}
