//! The table of what can speak against a patch: a stable name for each, and the kind that decides
//! the exit code.

use std::fmt;

use serde::Serialize;

/// A stable name of a problem, and the kind that decides the exit code.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// The stable name, as in `wpatch::hunk::not_found`.
    pub name: &'static str,
    /// The kind.
    pub kind: ProblemKind,
    /// What it means, in a sentence.
    pub meaning: &'static str,
}

/// The kinds of problem that programs tell apart. Reports have them in snake case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProblemKind {
    /// The command line.
    Usage,
    /// The patch text.
    Parse,
    /// The policy file.
    Policy,
    /// A file or directory that is not there.
    Missing,
    /// A file that is there already.
    Exists,
    /// A directory, link or special file where a file is needed.
    NotAFile,
    /// A file where a directory is needed.
    NotADirectory,
    /// Text that is not in the file.
    NotFound,
    /// Text that is there several times.
    Ambiguous,
    /// Changes that touch each other.
    Overlap,
    /// Nothing would change.
    NoChange,
    /// Contents that are not those that were expected.
    Stale,
    /// Binary data.
    Binary,
    /// Text in an encoding that is not known.
    Encoding,
    /// Something over a limit.
    TooLarge,
    /// A path that leaves the root.
    OutsideRoot,
    /// A path that is closed.
    Denied,
    /// A change that somebody has to approve.
    ApprovalRequired,
    /// Two changes of one place.
    Conflict,
    /// No transaction to take back.
    NothingToUndo,
    /// A change that looks like a mistake.
    Suspicious,
    /// Something that is understood and not done.
    Unsupported,
    /// The disk, the system, the lock.
    Io,
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

macro_rules! codes {
    ($($(#[doc = $meaning:literal])+ $constant:ident = $name:literal, $kind:ident;)+) => {
        /// The codes, each by its name.
        pub mod code {
            use super::{Code, ProblemKind};
            $($(#[doc = $meaning])+ pub const $constant: Code =
                Code { name: $name, kind: ProblemKind::$kind, meaning: concat!($($meaning),+) };)+
        }

        /// Every code. Codes are for machines and never change; messages may.
        pub const CODES: &[&Code] = &[$(&code::$constant),+];
    };
}

codes! {
    /// No section of any grammar is in the input.
    NO_PATCH = "wpatch::parse::no_patch", Parse;
    /// Something else should stand here.
    EXPECTED = "wpatch::parse::expected", Parse;
    /// A hunk header promises another number of lines than follow.
    LINE_COUNT = "wpatch::parse::line_count", Parse;
    /// The patch ends before its last hunk does.
    TRUNCATED = "wpatch::parse::truncated", Parse;
    /// A number is larger than any file has lines or bytes.
    NUMBER_TOO_LARGE = "wpatch::parse::number_too_large", Parse;
    /// Lines of a hunk follow one whose counts are used up.
    EXTRA_LINES = "wpatch::parse::extra_lines", Parse;
    /// A file mode that no tree can hold.
    BAD_MODE = "wpatch::parse::mode", Parse;
    /// A quoted name that breaks off or has an unknown escape.
    QUOTED_NAME = "wpatch::parse::quoted_name", Parse;
    /// Header lines that cannot stand together.
    CONTRADICTION = "wpatch::parse::contradiction", Parse;
    /// A binary section that is damaged or incomplete.
    BINARY_DATA = "wpatch::parse::binary", Binary;
    /// A form that is recognised and not taken.
    UNSUPPORTED_FORM = "wpatch::parse::unsupported", Unsupported;
    /// Commands for an editor stand where a patch should.
    ED_SCRIPT = "wpatch::parse::ed_script", Unsupported;
    /// A mail cannot be decoded.
    MAIL = "wpatch::parse::mail", Parse;
    /// A patch is about more files than the limit.
    TOO_MANY_FILES = "wpatch::parse::too_many_files", TooLarge;
    /// A patch has more hunks than the limit.
    TOO_MANY_HUNKS = "wpatch::parse::too_many_hunks", TooLarge;
    /// The command line cannot be understood.
    USAGE = "wpatch::usage", Usage;
    /// Nothing is left of a name at this strip level.
    NAME_STRIPPED = "wpatch::path::stripped", Parse;
    /// No line of a section names the file that it is about.
    UNNAMED = "wpatch::path::unnamed", Parse;
    /// The lines of a section name different files.
    NAMES_DISAGREE = "wpatch::path::disagree", Parse;
    /// A path leads out of the root.
    OUTSIDE_ROOT = "wpatch::path::outside_root", OutsideRoot;
    /// A damaged patch was repaired before it was read.
    REPAIRED = "wpatch::patch::repaired", Parse;
    /// The input names a change and does not contain it, as `Only in b: x` does.
    NOT_INCLUDED = "wpatch::patch::not_included", Parse;
    /// A path goes through a symbolic link.
    THROUGH_LINK = "wpatch::path::through_link", OutsideRoot;
    /// A policy file cannot be used.
    POLICY = "wpatch::policy::file", Policy;
    /// A policy file denies what is to be done.
    DENIED = "wpatch::policy::denied", Denied;
    /// Somebody has to approve what is to be done.
    APPROVAL_REQUIRED = "wpatch::policy::approval_required", ApprovalRequired;
    /// Binary data is to be written where policy refuses it.
    BINARY_DENIED = "wpatch::policy::binary", Binary;
    /// A path is closed to patches, as `.git` is.
    CLOSED = "wpatch::path::closed", Denied;
    /// Two names of the patch are one name on the file system.
    FOLDED = "wpatch::path::folded", Conflict;
    /// A path is too long for a file system.
    PATH_TOO_LONG = "wpatch::path::too_long", TooLarge;
    /// A section that does not say what was there before cannot be reversed.
    IRREVERSIBLE = "wpatch::plan::irreversible", Unsupported;
    /// Every section was left out by a filter.
    NOTHING_SELECTED = "wpatch::plan::nothing_selected", NoChange;
    /// A file to change is not there.
    MISSING = "wpatch::file::missing", Missing;
    /// A file to make is there already.
    EXISTS = "wpatch::file::exists", Exists;
    /// A directory, a link or a special file stands where a file is needed.
    NOT_A_FILE = "wpatch::file::not_a_file", NotAFile;
    /// A file stands where a directory is needed.
    NOT_A_DIRECTORY = "wpatch::file::not_a_directory", NotADirectory;
    /// A file is of another type than the patch says.
    WRONG_TYPE = "wpatch::file::wrong_type", NotAFile;
    /// A file to delete has more in it than the patch takes away.
    NOT_EMPTIED = "wpatch::file::not_emptied", NotFound;
    /// A file is larger than the limit.
    TOO_LARGE = "wpatch::file::too_large", TooLarge;
    /// Binary data would grow more than the limit.
    INFLATED = "wpatch::file::inflated", TooLarge;
    /// Copies and binary data add more bytes to files that belong together than the limit.
    GROWTH = "wpatch::file::growth", TooLarge;
    /// A file is not the blob that the patch was made for.
    WRONG_BLOB = "wpatch::file::wrong_blob", Stale;
    /// A file of the work tree is not the one in git's index.
    NOT_AS_INDEXED = "wpatch::file::not_as_indexed", Stale;
    /// git's index stays as it is, because a part of the change is left out.
    INDEX_KEPT = "wpatch::git::index_kept", Conflict;
    /// A file is only going to be added in a directory of a sparse index, which git does not
    /// survive.
    SPARSE_INDEX = "wpatch::git::sparse_index", Unsupported;
    /// The repository does not have the blob that the patch was made for.
    NO_BLOB = "wpatch::git::no_blob", Missing;
    /// The patch and what became of the file since change the same lines.
    MERGE_CONFLICT = "wpatch::merge::conflict", Conflict;
    /// A file has another mode in git's index than the patch says.
    OTHER_MODE = "wpatch::file::other_mode", Stale;
    /// The patch says that binary files differ and does not say how.
    NO_BINARY_DATA = "wpatch::file::no_binary_data", Binary;
    /// A file is not what the change left that is to be taken back.
    CONFLICT = "wpatch::undo::conflict", Conflict;
    /// There is no change to take back, or no such.
    NOTHING_TO_UNDO = "wpatch::undo::nothing", NothingToUndo;
    /// Entries of the history were removed, because they were over its limits.
    HISTORY_PRUNED = "wpatch::history::pruned", TooLarge;
    /// A text is to be changed in a file with binary data.
    BINARY_FILE = "wpatch::file::binary", Binary;
    /// A filter driver that the repository defines would have to run.
    FILTER = "wpatch::git::filter", Denied;
    /// git cannot tell how it converts a file.
    CONVERSION = "wpatch::git::conversion", Io;
    /// A filter driver failed.
    FILTER_FAILED = "wpatch::git::filter_failed", Io;
    /// The contents of a file are no text in the encoding that is asked for.
    ENCODING = "wpatch::file::encoding", Encoding;
    /// The contents of a file are not those that the patch expects.
    UNEXPECTED = "wpatch::file::unexpected", Stale;
    /// A file does not hold the word that the patch wants in it.
    PREREQUISITE = "wpatch::file::prerequisite", Stale;
    /// A file changed while it was looked at.
    STALE = "wpatch::file::stale", Stale;
    /// A symbolic link without a target, or with one that no link can have.
    BAD_LINK = "wpatch::file::bad_link", Unsupported;
    /// A hunk fits nowhere.
    NOT_FOUND = "wpatch::hunk::not_found", NotFound;
    /// A hunk fits in several places and nothing decides.
    AMBIGUOUS = "wpatch::hunk::ambiguous", Ambiguous;
    /// A hunk fits only where another one went.
    OVERLAP = "wpatch::hunk::overlap", Overlap;
    /// A hunk's result already stands there.
    ALREADY_APPLIED = "wpatch::hunk::already_applied", NoChange;
    /// A hunk is off its stated place and fits elsewhere too.
    SEVERAL_PLACES = "wpatch::hunk::several_places", Ambiguous;
    /// A text is to be replaced by itself.
    SAME_TEXT = "wpatch::text::same", NoChange;
    /// A text is not in the file.
    TEXT_NOT_FOUND = "wpatch::text::not_found", NotFound;
    /// A text is in the file several times.
    TEXT_AMBIGUOUS = "wpatch::text::ambiguous", Ambiguous;
    /// Two changes of texts touch each other.
    TEXT_OVERLAP = "wpatch::text::overlap", Overlap;
    /// A file is no notebook, or a damaged one.
    NOT_A_NOTEBOOK = "wpatch::notebook::malformed", Parse;
    /// A notebook is of a version that is not known.
    NOTEBOOK_VERSION = "wpatch::notebook::version", Unsupported;
    /// A cell is not in the notebook.
    CELL_NOT_FOUND = "wpatch::notebook::cell_not_found", NotFound;
    /// Several cells of a notebook have the id.
    CELL_AMBIGUOUS = "wpatch::notebook::cell_ambiguous", Ambiguous;
    /// A cell of the notebook has the id of the new one.
    CELL_EXISTS = "wpatch::notebook::cell_exists", Exists;
    /// A cell is to have an id in a notebook whose cells have none.
    NO_CELL_IDS = "wpatch::notebook::no_ids", Unsupported;
    /// A file is another version than the one whose lines are numbered.
    OTHER_TAG = "wpatch::file::other_tag", Stale;
    /// A line is not in the file.
    LINE_NOT_FOUND = "wpatch::lines::not_found", NotFound;
    /// Two changes of numbered lines touch each other.
    LINES_OVERLAP = "wpatch::lines::overlap", Overlap;
    /// Lines come from a file that is not changed by this patch after all.
    LINES_LOST = "wpatch::lines::lost", NotFound;
    /// A form that is a mistake was mended.
    LINES_MENDED = "wpatch::lines::mended", Suspicious;
    /// Brackets or conditions of a file balance no longer as they did.
    UNBALANCED = "wpatch::guard::unbalanced", Suspicious;
    /// An empty list takes the place of a long block.
    PLACEHOLDER = "wpatch::guard::placeholder", Suspicious;
    /// A file parsed before, and does so no longer.
    BROKEN_SYNTAX = "wpatch::guard::syntax", Suspicious;
    /// Lines have white space that they should not have.
    WHITESPACE = "wpatch::whitespace::errors", Suspicious;
    /// git cannot say how it is configured.
    GIT_CONFIG = "wpatch::git::config", Io;
    /// A file is larger than a guard looks at.
    NOT_GUARDED = "wpatch::guard::too_large", TooLarge;
    /// The change brings errors that a language server tells of.
    NEW_ERRORS = "wpatch::diagnostics::new_errors", Suspicious;
    /// A language server did not answer, or not so that anybody understands it.
    NO_DIAGNOSIS = "wpatch::diagnostics::no_answer", Io;
    /// No language server was asked about a file.
    NOT_DIAGNOSED = "wpatch::diagnostics::not_asked", Unsupported;
    /// The change is not the one that was approved.
    NOT_APPROVED = "wpatch::plan::not_approved", Stale;
    /// The command of --before refused the change.
    BEFORE = "wpatch::command::before", Denied;
    /// The command of --verify sent the change back.
    VERIFY = "wpatch::command::verify", Denied;
    /// The command of --after failed.
    AFTER = "wpatch::command::after", Io;
    /// A file of the change was changed by others while the change was verified.
    ALTERED = "wpatch::command::altered", Stale;
    /// The change was rejected, and nobody withdrew that.
    REJECTED = "wpatch::plan::rejected", ApprovalRequired;
    /// No plan is saved under a name.
    NOT_SAVED = "wpatch::plan::not_saved", Missing;
    /// There is no place where a plan or a refusal could be kept.
    NO_PLACE = "wpatch::plan::no_place", Unsupported;
    /// A file system call failed.
    IO = "wpatch::io", Io;
    /// Another process holds the lock.
    LOCKED = "wpatch::io::locked", Io;
    /// The state directory or a journal in it cannot be trusted.
    STATE = "wpatch::io::state", Io;
    /// A signal came.
    INTERRUPTED = "wpatch::io::interrupted", Io;
    /// Rolling back could not be finished.
    INCOMPLETE = "wpatch::io::incomplete", Io;
    /// A revision is not in the repository, or it is no tree.
    REVISION = "wpatch::io::revision", Io;
    /// A change of another process is half made.
    HALF_MADE = "wpatch::io::half_made", Io;
    /// Scratch files could not be swept.
    NOT_SWEPT = "wpatch::io::not_swept", Io;
}
