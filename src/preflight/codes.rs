//! The table of problem codes. Each code has a stable name, and a kind that decides the exit code.

use std::fmt;

use serde::Serialize;

/// A problem code: a stable name, and the kind that decides the exit code.
#[derive(Debug, PartialEq, Eq)]
pub struct ProblemCode {
    /// The stable name, for example `wpatch::hunk::not_found`.
    pub name: &'static str,
    /// The kind, which decides the exit code.
    pub kind: ProblemKind,
    /// The meaning, in one or two sentences.
    pub meaning: &'static str,
}

/// The category of a problem. Reports contain it in snake case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProblemKind {
    /// The command line is invalid.
    Usage,
    /// The patch is malformed.
    Parse,
    /// A policy file is invalid.
    Policy,
    /// A file or directory does not exist.
    Missing,
    /// A file already exists.
    Exists,
    /// A directory, link or special file is at the path of a file.
    NotAFile,
    /// A file is at the path of a directory.
    NotADirectory,
    /// The file does not contain the text.
    NotFound,
    /// The file contains the text several times.
    Ambiguous,
    /// Two changes overlap.
    Overlap,
    /// Nothing would change.
    NoChange,
    /// A file does not have the expected content.
    Stale,
    /// The file or the patch contains binary data.
    Binary,
    /// The encoding of a text is unknown or unsuitable.
    Encoding,
    /// A size or a number exceeds a limit.
    TooLarge,
    /// A path leaves the root.
    OutsideRoot,
    /// A path is protected, or policy denies the change.
    Denied,
    /// The change needs approval.
    ApprovalRequired,
    /// Two changes of the same lines or path contradict each other.
    Conflict,
    /// No change can be undone.
    NothingToUndo,
    /// The change looks like a mistake.
    Suspicious,
    /// wpatch recognises the input but does not support it.
    Unsupported,
    /// An I/O error, a system error, or an error of the lock occurred.
    Io,
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

macro_rules! codes {
    ($($(#[doc = $meaning:literal])+ $constant:ident = $name:literal, $kind:ident;)+) => {
        /// The problem codes as constants.
        pub mod code {
            use super::{ProblemCode, ProblemKind};
            $($(#[doc = $meaning])+ pub const $constant: ProblemCode =
                ProblemCode { name: $name, kind: ProblemKind::$kind, meaning: concat!($($meaning),+) };)+
        }

        /// All codes. Programs depend on codes, so codes never change. Messages may change.
        pub const CODES: &[&ProblemCode] = &[$(&code::$constant),+];
    };
}

codes! {
    /// The input contains no section of any supported format.
    NO_PATCH = "wpatch::parse::no_patch", Parse;
    /// The input does not contain the expected element at this position.
    EXPECTED = "wpatch::parse::expected", Parse;
    /// A hunk header states a different number of lines than the body contains.
    LINE_COUNT = "wpatch::parse::line_count", Parse;
    /// The patch ends before its last hunk is complete.
    TRUNCATED = "wpatch::parse::truncated", Parse;
    /// A number exceeds every possible line count and file size.
    NUMBER_TOO_LARGE = "wpatch::parse::number_too_large", Parse;
    /// A hunk has more lines after its stated counts are used up.
    EXTRA_LINES = "wpatch::parse::extra_lines", Parse;
    /// A file mode is not one that a git tree can contain.
    BAD_MODE = "wpatch::parse::mode", Parse;
    /// A quoted name is incomplete or contains an unknown escape.
    QUOTED_NAME = "wpatch::parse::quoted_name", Parse;
    /// Two header lines contradict each other.
    CONTRADICTION = "wpatch::parse::contradiction", Parse;
    /// A binary section is damaged or incomplete.
    BINARY_DATA = "wpatch::parse::binary", Binary;
    /// The input has a known form that wpatch does not support.
    UNSUPPORTED_FORM = "wpatch::parse::unsupported", Unsupported;
    /// The input is an ed script instead of a patch.
    ED_SCRIPT = "wpatch::parse::ed_script", Unsupported;
    /// A mail cannot be decoded.
    MAIL = "wpatch::parse::mail", Parse;
    /// A patch changes more files than the limit allows.
    TOO_MANY_FILES = "wpatch::parse::too_many_files", TooLarge;
    /// A patch has more hunks than the limit allows.
    TOO_MANY_HUNKS = "wpatch::parse::too_many_hunks", TooLarge;
    /// The command line is invalid.
    USAGE = "wpatch::usage", Usage;
    /// The strip level removes every component of a name.
    NAME_STRIPPED = "wpatch::path::stripped", Parse;
    /// No line of a section names the file to change.
    UNNAMED = "wpatch::path::unnamed", Parse;
    /// The lines of a section name different files.
    NAMES_DISAGREE = "wpatch::path::disagree", Parse;
    /// A path leads out of the root.
    OUTSIDE_ROOT = "wpatch::path::outside_root", OutsideRoot;
    /// A damaged patch was repaired before it was parsed.
    REPAIRED = "wpatch::patch::repaired", Parse;
    /// The input names a change but does not contain it, for example `Only in b: x`.
    NOT_INCLUDED = "wpatch::patch::not_included", Parse;
    /// A path passes through a symbolic link.
    THROUGH_LINK = "wpatch::path::through_link", OutsideRoot;
    /// A policy file cannot be used.
    POLICY = "wpatch::policy::file", Policy;
    /// A policy file denies the change.
    DENIED = "wpatch::policy::denied", Denied;
    /// The change needs approval.
    APPROVAL_REQUIRED = "wpatch::policy::approval_required", ApprovalRequired;
    /// Policy denies binary data at this path.
    BINARY_DENIED = "wpatch::policy::binary", Binary;
    /// Patches may not change this path, for example `.git`.
    CLOSED = "wpatch::path::closed", Denied;
    /// Two names in the patch are the same name on the file system.
    FOLDED = "wpatch::path::folded", Conflict;
    /// A path is too long for a file system.
    PATH_TOO_LONG = "wpatch::path::too_long", TooLarge;
    /// A section does not contain its preimage and cannot be reversed.
    IRREVERSIBLE = "wpatch::plan::irreversible", Unsupported;
    /// The format to write cannot express a change, or cannot express it exactly.
    INEXPRESSIBLE = "wpatch::convert::inexpressible", Unsupported;
    /// A patch cannot be rewritten for the tree, for example because a mail encodes it.
    NOT_REFRESHABLE = "wpatch::refresh::not_rewritable", Unsupported;
    /// The tree already has the patches that are to be rewritten for it.
    PATCHES_APPLIED = "wpatch::refresh::already_applied", NoChange;
    /// The filters excluded every section.
    NOTHING_SELECTED = "wpatch::plan::nothing_selected", NoChange;
    /// A file to change does not exist.
    MISSING = "wpatch::file::missing", Missing;
    /// A file to create already exists.
    EXISTS = "wpatch::file::exists", Exists;
    /// A directory, a link or a special file is at the path of a file.
    NOT_A_FILE = "wpatch::file::not_a_file", NotAFile;
    /// A file is at the path of a directory.
    NOT_A_DIRECTORY = "wpatch::file::not_a_directory", NotADirectory;
    /// A file has a different type than the patch states.
    WRONG_TYPE = "wpatch::file::wrong_type", NotAFile;
    /// A file to delete contains more lines than the patch deletes.
    NOT_EMPTIED = "wpatch::file::not_emptied", NotFound;
    /// A file exceeds the size limit.
    TOO_LARGE = "wpatch::file::too_large", TooLarge;
    /// Binary data would expand beyond the limit on the ratio.
    INFLATED = "wpatch::file::inflated", TooLarge;
    /// Copies and binary data add more bytes to related files than the limit allows.
    GROWTH = "wpatch::file::growth", TooLarge;
    /// A file is not the blob that the patch was made for.
    WRONG_BLOB = "wpatch::file::wrong_blob", Stale;
    /// A file in the work tree differs from its entry in git's index.
    NOT_AS_INDEXED = "wpatch::file::not_as_indexed", Stale;
    /// git's index was not updated, because a part of the change was skipped.
    INDEX_KEPT = "wpatch::git::index_kept", Conflict;
    /// A file would be marked as intent-to-add in a directory of a sparse index. git cannot handle
    /// such an index.
    SPARSE_INDEX = "wpatch::git::sparse_index", Unsupported;
    /// The repository does not contain the blob that the patch was made for.
    NO_BLOB = "wpatch::git::no_blob", Missing;
    /// The patch and later changes of the file change the same lines.
    MERGE_CONFLICT = "wpatch::merge::conflict", Conflict;
    /// A file has a different mode in git's index than the patch states.
    OTHER_MODE = "wpatch::file::other_mode", Stale;
    /// The patch states that binary files differ, but contains no data.
    NO_BINARY_DATA = "wpatch::file::no_binary_data", Binary;
    /// A file changed after the change that is undone.
    CONFLICT = "wpatch::undo::conflict", Conflict;
    /// No change can be undone, or the named change does not exist.
    NOTHING_TO_UNDO = "wpatch::undo::nothing", NothingToUndo;
    /// Entries of the history were removed, because the history exceeded its limits.
    HISTORY_PRUNED = "wpatch::history::pruned", TooLarge;
    /// A text edit concerns a file with binary data.
    BINARY_FILE = "wpatch::file::binary", Binary;
    /// The conversion needs a filter driver that the repository defines.
    FILTER = "wpatch::git::filter", Denied;
    /// git cannot tell how it converts a file.
    CONVERSION = "wpatch::git::conversion", Io;
    /// A filter driver failed.
    FILTER_FAILED = "wpatch::git::filter_failed", Io;
    /// The file or the new text cannot be represented in the selected encoding.
    ENCODING = "wpatch::file::encoding", Encoding;
    /// A file does not have the content that the patch expects.
    UNEXPECTED = "wpatch::file::unexpected", Stale;
    /// A file does not contain the word that the patch requires.
    PREREQUISITE = "wpatch::file::prerequisite", Stale;
    /// A file changed after it was read.
    STALE = "wpatch::file::stale", Stale;
    /// A symbolic link has no target or an invalid target, or the user cannot create links.
    BAD_LINK = "wpatch::file::bad_link", Unsupported;
    /// A hunk does not match anywhere in the file.
    NOT_FOUND = "wpatch::hunk::not_found", NotFound;
    /// A hunk matches several places, and no rule selects one.
    AMBIGUOUS = "wpatch::hunk::ambiguous", Ambiguous;
    /// A hunk matches only at the place of another hunk.
    OVERLAP = "wpatch::hunk::overlap", Overlap;
    /// The result of a hunk is already in the file.
    ALREADY_APPLIED = "wpatch::hunk::already_applied", NoChange;
    /// A hunk matches at an offset, and matches other places too.
    SEVERAL_PLACES = "wpatch::hunk::several_places", Ambiguous;
    /// A text would be replaced by itself.
    SAME_TEXT = "wpatch::text::same", NoChange;
    /// The file does not contain a text.
    TEXT_NOT_FOUND = "wpatch::text::not_found", NotFound;
    /// The file contains a text several times.
    TEXT_AMBIGUOUS = "wpatch::text::ambiguous", Ambiguous;
    /// Two text edits overlap.
    TEXT_OVERLAP = "wpatch::text::overlap", Overlap;
    /// The file does not contain a symbol.
    SYMBOL_NOT_FOUND = "wpatch::symbol::not_found", NotFound;
    /// The file contains several symbols with a name.
    SYMBOL_AMBIGUOUS = "wpatch::symbol::ambiguous", Ambiguous;
    /// The symbols of a file are unknown, or the end of a symbol is.
    SYMBOL_UNSUPPORTED = "wpatch::symbol::unsupported", Unsupported;
    /// A file is not a notebook, or the notebook is damaged.
    NOT_A_NOTEBOOK = "wpatch::notebook::malformed", Parse;
    /// The version of a notebook is not supported.
    NOTEBOOK_VERSION = "wpatch::notebook::version", Unsupported;
    /// The notebook does not contain a cell.
    CELL_NOT_FOUND = "wpatch::notebook::cell_not_found", NotFound;
    /// Several cells of a notebook have the same id.
    CELL_AMBIGUOUS = "wpatch::notebook::cell_ambiguous", Ambiguous;
    /// The notebook already has a cell with the id of the new cell.
    CELL_EXISTS = "wpatch::notebook::cell_exists", Exists;
    /// A cell needs an id, but the cells of the notebook have none.
    NO_CELL_IDS = "wpatch::notebook::no_ids", Unsupported;
    /// A file is not the version whose lines are numbered.
    OTHER_TAG = "wpatch::file::other_tag", Stale;
    /// The file does not contain a line.
    LINE_NOT_FOUND = "wpatch::lines::not_found", NotFound;
    /// Two edits of numbered lines overlap.
    LINES_OVERLAP = "wpatch::lines::overlap", Overlap;
    /// Lines come from a file that this patch does not change after all.
    LINES_LOST = "wpatch::lines::lost", NotFound;
    /// A mistake in the form of an edit was corrected.
    LINES_MENDED = "wpatch::lines::mended", Suspicious;
    /// The change unbalances the brackets or conditions of a file.
    UNBALANCED = "wpatch::guard::unbalanced", Suspicious;
    /// An empty list replaces a long block.
    PLACEHOLDER = "wpatch::guard::placeholder", Suspicious;
    /// A file parsed before the change, but does not parse after it.
    BROKEN_SYNTAX = "wpatch::guard::syntax", Suspicious;
    /// Lines contain white space errors.
    WHITESPACE = "wpatch::whitespace::errors", Suspicious;
    /// git cannot report its configuration.
    GIT_CONFIG = "wpatch::git::config", Io;
    /// A file is too large for a guard.
    NOT_GUARDED = "wpatch::guard::too_large", TooLarge;
    /// A guard cannot parse a file.
    NOT_PARSED = "wpatch::guard::not_parsed", Unsupported;
    /// A language server reports new errors after the change.
    NEW_ERRORS = "wpatch::diagnostics::new_errors", Suspicious;
    /// A language server did not answer, or its answer is invalid.
    NO_DIAGNOSIS = "wpatch::diagnostics::no_answer", Io;
    /// No language server checked a file.
    NOT_DIAGNOSED = "wpatch::diagnostics::not_asked", Unsupported;
    /// The change is not the change that was approved.
    NOT_APPROVED = "wpatch::plan::not_approved", Stale;
    /// The command of `run` failed, so its changes were discarded.
    RUN = "wpatch::command::run", Denied;
    /// The command changed something that wpatch does not apply.
    NOT_APPLIED = "wpatch::command::not_applied", Unsupported;
    /// The system cannot run a command on an overlay of the root.
    NO_OVERLAY = "wpatch::command::no_overlay", Unsupported;
    /// The command of --before refused the change.
    BEFORE = "wpatch::command::before", Denied;
    /// The command of --verify refused the change, and the change was rolled back.
    VERIFY = "wpatch::command::verify", Denied;
    /// The command of --after failed.
    AFTER = "wpatch::command::after", Io;
    /// Another process changed a file of the change while the change was verified.
    ALTERED = "wpatch::command::altered", Stale;
    /// The change was rejected, and the rejection was not withdrawn.
    REJECTED = "wpatch::plan::rejected", ApprovalRequired;
    /// No saved plan has this name.
    NOT_SAVED = "wpatch::plan::not_saved", Missing;
    /// No edit session has this identifier, or several do.
    NO_SESSION = "wpatch::session::missing", Missing;
    /// No directory exists in which a plan or a rejection can be stored.
    NO_PLACE = "wpatch::plan::no_place", Unsupported;
    /// A file system call failed.
    IO = "wpatch::io", Io;
    /// Another process holds the lock.
    LOCKED = "wpatch::io::locked", Io;
    /// The state directory, or a journal in it, cannot be trusted.
    STATE = "wpatch::io::state", Io;
    /// A signal interrupted the command.
    INTERRUPTED = "wpatch::io::interrupted", Io;
    /// The rollback could not be completed.
    INCOMPLETE = "wpatch::io::incomplete", Io;
    /// A revision is not in the repository, or it is not a tree.
    REVISION = "wpatch::io::revision", Io;
    /// Another process has not completed its change.
    HALF_MADE = "wpatch::io::half_made", Io;
    /// Scratch files could not be removed.
    NOT_SWEPT = "wpatch::io::not_swept", Io;
}
