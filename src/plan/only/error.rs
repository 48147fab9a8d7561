//! The errors in a choice of files, hunks and lines.

/// The errors in a choice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HunkSelectionError {
    /// The word is not a number, a range or an id.
    #[error("`{0}` is not a number, range or id; expected a list such as 1,3-4,f6,f7h2,f7h3:2-5")]
    Unreadable(String),
    /// The word is a range whose last number is smaller than its first one.
    #[error("the range {0} is reversed; write the smaller number first")]
    Reversed(String),
    /// The word names a file that does not exist in the patch.
    #[error("{word} is not a file of the patch, which has {}", counted(*files, "file"))]
    NoFile {
        /// The word of the list.
        word: String,
        /// The number of files in the patch.
        files: usize,
    },
    /// The word names a hunk that does not exist in its file.
    #[error("{word} is not a hunk of its file, which has {}", counted(*hunks, "hunk"))]
    NoHunk {
        /// The word of the list.
        word: String,
        /// The number of hunks in the file.
        hunks: usize,
    },
    /// The word names a part of a file that can only be chosen as a whole.
    #[error("{word} is not a hunk of a diff; select the whole file with f{file}")]
    Indivisible {
        /// The word of the list.
        word: String,
        /// The file, counted from 1.
        file: usize,
    },
    /// The word names lines that do not exist in their hunk.
    #[error("{word} is not in its hunk, which has {}", counted(*lines, "line"))]
    NoLine {
        /// The word of the list.
        word: String,
        /// The number of lines in the hunk.
        lines: usize,
    },
    /// The word names only lines that the hunk does not change.
    #[error("{word} contains no line that the hunk deletes or inserts")]
    Unchanged {
        /// The word of the list.
        word: String,
    },
    /// The selection of lines would join two lines.
    #[error(
        "with the selected lines of {hunk}, the line {hunk}:{line} would be inside the file, but it \
         has no newline; also select the changed lines around it"
    )]
    Unterminated {
        /// The `id` of the hunk.
        hunk: String,
        /// The line in the hunk, counted from 1.
        line: usize,
    },
}

/// Returns a number with its noun.
fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
