//! The next step for a model whose call was refused, in a hook or an MCP server.
//!
//! The `help` of a problem is for command-line users. It names options that a model cannot use. A
//! report for a model has the texts of this table instead: one for each problem kind, and a more
//! specific one for some codes. If the next step depends on the data of a problem, it is in
//! [`Facts::advice`](crate::preflight::Facts::advice).

use super::Report;
use crate::preflight::{CODES, Code, ProblemKind, Severity, code};

/// The codes that need a more specific text than the one of their kind.
const BY_CODE: &[(&Code, &str)] = &[
    (
        &code::NO_PATCH,
        "send a unified, git, context or normal diff, a Codex envelope, SEARCH/REPLACE blocks, hashline edits or a JSON \
         document",
    ),
    (
        &code::LINE_COUNT,
        "count the lines of the hunk again, so that its header and its body agree",
    ),
    (
        &code::EXTRA_LINES,
        "count the lines of the hunk again, so that its header and its body agree",
    ),
    (
        &code::NAME_STRIPPED,
        "write the names of the diff with the prefixes `a/` and `b/`",
    ),
    (
        &code::UNNAMED,
        "name the file of each section in its header",
    ),
    (&code::THROUGH_LINK, "use the path that the link leads to"),
    (
        &code::FOLDED,
        "choose names that differ in more than upper and lower case",
    ),
    (
        &code::TEXT_AMBIGUOUS,
        "add lines around the text until it occurs only once",
    ),
    (
        &code::SAME_TEXT,
        "write a new text that differs from the old one",
    ),
    (
        &code::CELL_NOT_FOUND,
        "name a cell by its id, or as cell-N, counted from 0",
    ),
    (
        &code::CELL_AMBIGUOUS,
        "name the cell as cell-N, counted from 0",
    ),
    (&code::CELL_EXISTS, "choose another id for the new cell"),
    (&code::NO_CELL_IDS, "leave out the id of the new cell"),
    (&code::OTHER_TAG, "read the file again and use its new tag"),
    (
        &code::LINE_NOT_FOUND,
        "read the file again and use line numbers that it has",
    ),
    (
        &code::NOT_APPROVED,
        "check the patch again and use the new plan_id",
    ),
    (
        &code::REJECTED,
        "tell the user that this plan was rejected, and propose another change",
    ),
    (
        &code::BEFORE,
        "correct the change so that the command accepts it",
    ),
    (
        &code::VERIFY,
        "correct the change so that the command accepts it",
    ),
    (&code::LOCKED, "try again in a moment"),
    (&code::INTERRUPTED, "try again if the user wants the change"),
    (
        &code::INCOMPLETE,
        "tell the user that the tree has to be recovered before the next change",
    ),
    (
        &code::WHITESPACE,
        "remove the white space that the message names",
    ),
];

/// The names of the user's commands in messages: for command-line users, and for a model.
const COMMANDS: [(&Code, &str, &str); 3] = [
    (
        &code::BEFORE,
        "--before",
        "the command that runs before a change",
    ),
    (
        &code::VERIFY,
        "--verify",
        "the command that verifies a change",
    ),
    (
        &code::AFTER,
        "--after",
        "the command that runs after a change",
    ),
];

impl Report {
    /// Returns the report for a model. The next step for a model replaces the help for command-line
    /// users.
    #[must_use]
    pub fn for_model(mut self) -> Self {
        for problem in self.problems.iter_mut().chain(&mut self.error) {
            problem.help = problem.advice.take().or_else(|| advice(problem.code));
            problem.message = message(problem.code, &problem.message);
        }
        for warning in self
            .problems
            .iter_mut()
            .filter(|problem| problem.severity == Severity::Warning)
        {
            warning.help = None;
        }
        for input in &mut self.inputs {
            // A text that was passed in a command-line option has the option as its name.
            if let Some(name) = input.name.strip_prefix("--") {
                input.name = name.to_owned();
            }
        }
        self
    }
}

fn message(name: &str, message: &str) -> String {
    let spoken = COMMANDS.iter().find(|(code, ..)| code.name == name);
    let spoken = spoken
        .and_then(|(_, option, words)| Some(format!("{words}{}", message.strip_prefix(option)?)));
    spoken.unwrap_or_else(|| message.to_owned())
}

/// Returns the next step after a problem with the code `name`.
fn advice(name: &str) -> Option<String> {
    let by_code = BY_CODE
        .iter()
        .find(|(code, _)| code.name == name)
        .map(|(_, text)| *text);
    let by_kind = || {
        CODES
            .iter()
            .find(|code| code.name == name)
            .map(|code| by_kind(code.kind))
    };
    by_code.or_else(by_kind).map(str::to_owned)
}

fn by_kind(kind: ProblemKind) -> &'static str {
    match kind {
        ProblemKind::Usage => "correct the arguments of the call",
        ProblemKind::Parse => "write the patch again as its format demands",
        ProblemKind::Policy => "ask the user to fix the policy file",
        ProblemKind::Missing => "check the path, or create the file first",
        ProblemKind::Exists => "edit the existing file, or choose another path",
        ProblemKind::NotAFile => "choose the path of a regular file",
        ProblemKind::NotADirectory => "choose a path whose parents are directories",
        ProblemKind::NotFound => "read the file again and copy the text exactly as the file has it",
        ProblemKind::Ambiguous => "add surrounding lines until the place is unique",
        ProblemKind::Overlap => "combine the changes that touch each other into one",
        ProblemKind::NoChange => "read the file again: the change may be applied already",
        ProblemKind::Stale => "read the file again and base the change on its current content",
        ProblemKind::Binary => "ask the user to change this file, since it has binary data",
        ProblemKind::Encoding => {
            "ask the user to change this file, since its encoding is not supported here"
        }
        ProblemKind::TooLarge => "make the change smaller, or ask the user to make it",
        ProblemKind::OutsideRoot => "choose a path below the root",
        ProblemKind::Denied => "leave this file as it is, and tell the user what the rule prevents",
        ProblemKind::ApprovalRequired => {
            "ask the user to approve the change, and try no other way around the rule"
        }
        ProblemKind::Conflict => {
            "read the file again and make a change that fits its current content"
        }
        ProblemKind::NothingToUndo => "tell the user that no such change is recorded",
        ProblemKind::Suspicious => "correct the change, or ask the user whether it is intended",
        ProblemKind::Unsupported => "make the change in another form",
        ProblemKind::Io => "tell the user what failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_next_step_without_options_and_commands() {
        for code in CODES {
            let text = advice(code.name).unwrap();
            assert!(
                !text.contains("--") && !text.contains("wpatch"),
                "{}: {text}",
                code.name
            );
            // The text must be one sentence without a final period.
            assert!(
                !text.contains(". ") && !text.ends_with('.') && text.len() < 160,
                "{}: {text}",
                code.name
            );
        }
        assert_eq!(
            message(code::VERIFY.name, "--verify failed"),
            "the command that verifies a change failed"
        );
    }
}
