//! The next step after an error, for command-line users: one row for each code whose problems need
//! not state their own [`Problem::help`].
//!
//! The rows for models are in `report/advice.rs`.

use super::codes::{ProblemCode, code};
use super::problem::{Problem, Severity};

const ROWS: &[(&ProblemCode, &str)] = &[
    (
        &code::EXPECTED,
        "correct this part of the patch; run `wpatch grammar FORMAT` to print the grammar",
    ),
    (&code::NUMBER_TOO_LARGE, "correct the number in the patch"),
    (
        &code::EXTRA_LINES,
        "remove the extra lines, or correct the line counts in the hunk header",
    ),
    (
        &code::BAD_MODE,
        "use the mode 100644, 100755, 120000 or 160000",
    ),
    (
        &code::QUOTED_NAME,
        "correct the quoted name, or create the patch with `git diff`",
    ),
    (
        &code::CONTRADICTION,
        "correct this part of the patch, or create the patch again",
    ),
    (
        &code::BINARY_DATA,
        "create the patch again with `git diff --binary`",
    ),
    (
        &code::UNSUPPORTED_FORM,
        "use a supported form; run `wpatch grammar FORMAT` to print the grammar",
    ),
    (&code::UNNAMED, "use --file to name the file"),
    (
        &code::NAMES_DISAGREE,
        "use the same file name in all header lines of the section",
    ),
    (
        &code::OUTSIDE_ROOT,
        "use a path below the root, or use --root to select another root",
    ),
    (
        &code::NOT_INCLUDED,
        "create the patch with `git diff` to include the content",
    ),
    (
        &code::BINARY_DENIED,
        "remove the binary files from the patch, or change `binary` in the policy file",
    ),
    (
        &code::CLOSED,
        "run `wpatch policy explain PATH` to list the rules for this path",
    ),
    (&code::PATH_TOO_LONG, "use a shorter path"),
    (
        &code::IRREVERSIBLE,
        "run `wpatch undo` to revert a change that wpatch applied",
    ),
    (
        &code::NOTHING_SELECTED,
        "check the patterns of --include and --exclude",
    ),
    (&code::MISSING, "check the file name and the root"),
    (
        &code::EXISTS,
        "use another path, or change the existing file",
    ),
    (&code::NOT_A_FILE, "use the path of a regular file"),
    (
        &code::NOT_A_DIRECTORY,
        "use another path, or rename the existing file first",
    ),
    (
        &code::WRONG_TYPE,
        "compare the mode lines of the patch with the type of the file",
    ),
    (
        &code::TOO_LARGE,
        "split the patch, or raise the limit that applies",
    ),
    (
        &code::WRONG_BLOB,
        "create the patch again for the current content",
    ),
    (
        &code::STALE,
        "create the patch again for the current content",
    ),
    (
        &code::BINARY_FILE,
        "create a patch with `git diff --binary` to change this file",
    ),
    (
        &code::BAD_LINK,
        "correct the target of the symbolic link in the patch",
    ),
    (
        &code::NOT_FOUND,
        "create the patch again for the current content",
    ),
    (
        &code::AMBIGUOUS,
        "add context lines until the place is unique",
    ),
    (
        &code::OVERLAP,
        "combine the hunks that change the same lines",
    ),
    (
        &code::ALREADY_APPLIED,
        "read the file: the change may already be applied",
    ),
    (
        &code::SAME_TEXT,
        "use a new text that differs from the old text",
    ),
    (&code::TEXT_NOT_FOUND, "copy the text exactly from the file"),
    (&code::TEXT_OVERLAP, "combine the overlapping edits"),
    (
        &code::LINES_LOST,
        "include the section that cuts these lines",
    ),
    (
        &code::NOT_A_NOTEBOOK,
        "open and save the notebook in Jupyter to repair it",
    ),
    (
        &code::WHITESPACE,
        "remove the white space errors, or use --whitespace=fix",
    ),
    (
        &code::VERIFY,
        "fix the cause that the command reports and try again; no file was changed",
    ),
    (&code::INTERRUPTED, "run the command again"),
    (
        &code::USAGE,
        "run the command with --help to list its options",
    ),
    (
        &code::IO,
        "fix the cause that the system reports and try again",
    ),
    (
        &code::GIT_CONFIG,
        "correct the configuration of git and try again",
    ),
    (
        &code::REVISION,
        "run `git rev-parse REVISION` to check the revision",
    ),
];

impl Problem {
    /// Returns the next step for command-line users: [`Problem::help`], or the usual step for the
    /// code of an error.
    #[must_use]
    pub fn next_step(&self) -> Option<&str> {
        let usual = || {
            let is_error = self.severity != Severity::Warning;
            let row = ROWS.iter().find(|(code, _)| **code == *self.code);
            row.filter(|_| is_error && !self.facts.is_helped_elsewhere)
                .map(|(_, text)| *text)
        };
        self.help.as_deref().or_else(usual)
    }
}
