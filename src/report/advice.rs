//! The next step for a model whose call was refused, in a hook or an MCP server.
//!
//! The `help` of a problem is for command-line users. It names options that a model cannot use. A
//! report for a model has the texts of this table instead: one for each problem kind, and a more
//! specific one for some codes. If the next step depends on the data of a problem, it is in
//! [`ProblemFacts::advice`](crate::preflight::ProblemFacts::advice).

use super::{ProblemReport, Report};
use crate::preflight::{CODES, ProblemCode, ProblemKind, Severity, code};

/// The codes that need a more specific text than the one of their kind.
const ADVICE_BY_CODE: &[(&ProblemCode, &str)] = &[
    (
        &code::NO_PATCH,
        "send a unified, git, context or normal diff, a Codex patch, SEARCH/REPLACE blocks, hashline edits or a JSON \
         document",
    ),
    (&code::LINE_COUNT, "fix the line counts in the hunk header"),
    (&code::EXTRA_LINES, "fix the line counts in the hunk header"),
    (
        &code::NAME_STRIPPED,
        "use the prefixes `a/` and `b/` for the file names",
    ),
    (
        &code::UNNAMED,
        "add the file name to the header of each section",
    ),
    (&code::THROUGH_LINK, "use the path that the link points to"),
    (&code::FOLDED, "choose names that differ in more than case"),
    (
        &code::TEXT_AMBIGUOUS,
        "add lines around the text until it occurs only once",
    ),
    (
        &code::SAME_TEXT,
        "send a new text that differs from the old text",
    ),
    (
        &code::CELL_NOT_FOUND,
        "use the id of a cell, or cell-N, counted from 0",
    ),
    (&code::CELL_AMBIGUOUS, "use cell-N, counted from 0"),
    (&code::CELL_EXISTS, "choose another id for the new cell"),
    (&code::NO_CELL_IDS, "omit the id of the new cell"),
    (&code::OTHER_TAG, "read the file again and use its new tag"),
    (
        &code::LINE_NOT_FOUND,
        "read the file again and use existing line numbers",
    ),
    (
        &code::NOT_APPROVED,
        "check the patch again and use the new plan_id",
    ),
    (
        &code::REJECTED,
        "propose another change, because the user rejected this plan",
    ),
    (
        &code::BEFORE,
        "correct the change so that the command accepts it",
    ),
    (
        &code::VERIFY,
        "correct the change so that the command accepts it",
    ),
    (
        &code::NO_SESSION,
        "begin a session, or use the id of a session that `log` lists",
    ),
    (
        &code::SYMBOL_NOT_FOUND,
        "list the symbols of the file, and use the name of one of them",
    ),
    (
        &code::SYMBOL_AMBIGUOUS,
        "add the names around the symbol, or the line of its name, as in Class.method:12",
    ),
    (
        &code::SYMBOL_UNSUPPORTED,
        "replace a text or numbered lines instead",
    ),
    (&code::LOCKED, "try again in a moment"),
    (&code::INTERRUPTED, "try again if the user wants the change"),
    (
        &code::INCOMPLETE,
        "ask the user to run the recovery before the next change",
    ),
    (
        &code::WHITESPACE,
        "remove the white space errors from the new lines",
    ),
];

/// The names of the user's commands in messages: for command-line users, and for a model.
const COMMAND_NAMES: [(&ProblemCode, &str, &str); 3] = [
    (&code::BEFORE, "--before", "the command before the change"),
    (&code::VERIFY, "--verify", "the verification command"),
    (&code::AFTER, "--after", "the command after the change"),
];

impl ProblemReport {
    /// Returns the next step for a model.
    pub(super) fn next_step(&self) -> Option<String> {
        self.advice.clone().or_else(|| advice(self.code))
    }
}

impl Report {
    /// Returns the report for a model. The next step for a model replaces the help for command-line
    /// users.
    #[must_use]
    pub fn for_model(mut self) -> Self {
        for problem in self.problems.iter_mut().chain(&mut self.error) {
            problem.help = problem.next_step();
            problem.advice = None;
            problem.message = model_message(problem.code, &problem.message);
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

fn model_message(name: &str, message: &str) -> String {
    let spoken = COMMAND_NAMES.iter().find(|(code, ..)| code.name == name);
    let spoken = spoken
        .and_then(|(_, option, words)| Some(format!("{words}{}", message.strip_prefix(option)?)));
    spoken.unwrap_or_else(|| message.to_owned())
}

/// Returns the next step after a problem with the code `name`.
fn advice(name: &str) -> Option<String> {
    let by_code = ADVICE_BY_CODE
        .iter()
        .find(|(code, _)| code.name == name)
        .map(|(_, text)| *text);
    let by_kind = || {
        CODES
            .iter()
            .find(|code| code.name == name)
            .map(|code| advice_for_kind(code.kind))
    };
    by_code.or_else(by_kind).map(str::to_owned)
}

fn advice_for_kind(kind: ProblemKind) -> &'static str {
    match kind {
        ProblemKind::Usage => "correct the arguments of the call",
        ProblemKind::Parse => "correct the syntax of the patch and send it again",
        ProblemKind::Policy => "ask the user to fix the policy file",
        ProblemKind::Missing => "check the path, or create the file first",
        ProblemKind::Exists => "edit the existing file, or choose another path",
        ProblemKind::NotAFile => "choose the path of a regular file",
        ProblemKind::NotADirectory => "choose a path whose parents are directories",
        ProblemKind::NotFound => "read the file again and copy the text exactly as the file has it",
        ProblemKind::Ambiguous => "add surrounding lines until the place is unique",
        ProblemKind::Overlap => "combine the overlapping changes into one",
        ProblemKind::NoChange => "read the file again, because the change may already be applied",
        ProblemKind::Stale | ProblemKind::Conflict => {
            "read the file again and base the change on its current content"
        }
        ProblemKind::Binary => "ask the user to change this file, because it is binary",
        ProblemKind::Encoding => {
            "ask the user to change this file, because its encoding is not supported"
        }
        ProblemKind::TooLarge => "make the change smaller, or ask the user to make it",
        ProblemKind::OutsideRoot => "choose a path below the root",
        ProblemKind::Denied => {
            "do not change this file, and tell the user which rule prevents the change"
        }
        ProblemKind::ApprovalRequired => {
            "ask the user to approve the change, and do not try to bypass the rule"
        }
        ProblemKind::NothingToUndo => "tell the user that the history has no such change",
        ProblemKind::Suspicious => "correct the change, or ask the user whether it is intended",
        ProblemKind::Unsupported => "use another form of change",
        ProblemKind::Io => "tell the user which operation failed",
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
            model_message(code::VERIFY.name, "--verify failed"),
            "the verification command failed"
        );
    }
}
