//! Re-exports the types of the fields of a [`Request`](super::Request) and an
//! [`Outcome`](super::Outcome).

pub use super::request::{MAX_DIFF, MAX_FILE};
pub use crate::diagnostics::{
    DiagnosticsOptions, NewErrors, QUIET as DIAGNOSTICS_QUIET, Server,
    TIMEOUT as DIAGNOSTICS_TIMEOUT,
};
pub use crate::guard::{GUARDS, Guard};
pub use crate::matching::{ConflictStyle, MatchRules, MismatchDetail};
pub use crate::plan::{
    Action, AppendMode, CellEdit, CellId, CellKind, CellPosition, Direction, Edit, EditOrder,
    EditTarget, FilterRule, HunkSelection, HunkSelectionError, Input, LineKind, MatchMode,
    NameGuessOptions, ReplaceCount, Replacement, Replacements, Selection, SymbolAction, SymbolName,
};
pub use crate::policy::{
    Access, MAX_FILE_BYTES as MAX_POLICY_FILE, Policy, PolicyLayer, PolicyOrigin, RootLocation,
    RuleMatch, Verdict, control_paths,
};
pub use crate::preflight::{
    ACTIONS, ApprovalGate, FileWhitespace, MismatchCause, NoMergeReason,
    Options as PreflightOptions, Problem, ProblemCode, ProblemFacts, RejectTo, Severity,
    WhitespaceAction, code,
};
pub use crate::process::Timeout;
pub use crate::progress::{Phase, Progress, ProgressState};
pub use crate::syntax::{
    MalformedPatch, Options as SyntaxOptions, SYNTAXES, Syntax, SyntaxError, SyntaxErrorKind,
    UnnamedHandling, WhitespaceComparison, detect_compression, find_syntax, parse_edits,
    parse_list, quote,
};
pub use crate::transaction::HistoryLimits;
pub use crate::transaction::{
    Durability, HardLinkMode, Interrupt, JournalAdoption, MissingRoots,
    Options as TransactionOptions, Remedy,
};
pub use crate::workspace::{ErrorKind, Workspace, WorkspaceError};
