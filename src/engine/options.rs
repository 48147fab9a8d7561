//! Re-exports the types of the fields of a [`Request`](super::Request) and an
//! [`Outcome`](super::Outcome).

pub use super::request::{MAX_DIFF, MAX_FILE};
pub use crate::diagnostics::{
    DiagnosticsOptions, NewErrors, QUIET as DIAGNOSTICS_QUIET, Server,
    TIMEOUT as DIAGNOSTICS_TIMEOUT,
};
pub use crate::guard::{GUARDS, Guard};
pub use crate::matching::{ConflictStyle, Detail, Rules};
pub use crate::plan::{
    Action, CellEdit, CellId, CellKind, CellPlace, Direction, Edit, EditOrder, Filter, Input,
    LastLineEnding, MatchMode, Naming, Only, OnlyError, Replacement, Replacements, Selection,
    Target, Times,
};
pub use crate::policy::{
    Access, Layer, MAX_FILE as MAX_POLICY_FILE, Origin, Policy, RootLocation, RuleMatch, Verdict,
    control_paths,
};
pub use crate::preflight::{
    ACTIONS, ApprovalGate, Cause, Code, Facts, Fallback, FileWhitespace,
    Options as PreflightOptions, Problem, RejectTo, Severity, WhitespaceAction, code,
};
pub use crate::process::Timeout;
pub use crate::progress::{Phase, Progress, ProgressState};
pub use crate::syntax::{
    Broken, Options as SyntaxOptions, SYNTAXES, Syntax, SyntaxError, SyntaxErrorKind, Unnamed,
    detect_compression, edits, find_syntax, parse_list, quote,
};
pub use crate::transaction::Limits;
pub use crate::transaction::{Durability, Interrupt, Links, Options as TransactionOptions, Remedy};
pub use crate::workspace::{ErrorKind, Workspace, WorkspaceError};
