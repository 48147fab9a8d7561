//! Reads policy files and parses their rules.

use crate::mode::FileKind;
use crate::path::RelPath;
use crate::plan::Input;
use crate::policy::{self, PolicyError, PolicyLayer, PolicyOrigin};
use crate::preflight::{Problem, code};
use crate::text::{Bytes, Position, Span};
use crate::workspace::{ErrorKind, Workspace, WorkspaceError};

/// The project's own policy file, in the root.
pub const PROJECT_POLICY: &str = "wpatch.toml";

/// A policy file that cannot be used.
#[derive(Clone, Debug)]
pub struct UnusablePolicy {
    /// The error. Its position, if known, refers to `text`.
    pub problem: Problem,
    /// The text of the file. It is empty if the file could not be read.
    pub text: Input,
}

/// Parses the text of a policy file, for [`Policy::new`](crate::policy::Policy::new). Messages use
/// `name` for the file.
///
/// # Errors
///
/// Returns the first error with its position. The caller must not continue without the rules of the
/// file.
pub fn policy_layer(
    name: &str,
    text: Bytes,
    origin: PolicyOrigin,
) -> Result<PolicyLayer, Box<UnusablePolicy>> {
    policy::parse(name, &text, origin).map_err(|PolicyError { message, span }| {
        let Position { line, column } = Position::of(&text, span.start);
        let problem = policy_problem(name, &format!("{message}, at line {line}, column {column}"));
        let place = Some((0, Span::new(span.start, span.end)));
        let problem = Problem {
            place,
            lines: vec![line - 1],
            ..problem
        };
        Box::new(UnusablePolicy {
            problem,
            text: Input {
                name: name.to_owned(),
                bytes: text,
                ..Input::default()
            },
        })
    })
}

/// Reads the project's own policy file in the root of `workspace`; returns `None` if there is none.
/// Messages use `name` for the file.
///
/// Every command adds this file to the given policy itself. This function is for callers that work
/// in another root; they use it with [`PolicyLayer::with_other_root`].
///
/// # Errors
///
/// Returns the error if the file exists but cannot be read or parsed. The caller must not continue
/// without the rules of the file.
pub fn project_layer(
    name: &str,
    workspace: &dyn Workspace,
) -> Result<Option<PolicyLayer>, Box<UnusablePolicy>> {
    match read_policy_file(workspace, &project_file()) {
        Ok(text) => text
            .map(|text| policy_layer(name, text, PolicyOrigin::Project))
            .transpose(),
        Err(why) => Err(Box::new(UnusablePolicy {
            problem: unreadable_policy_problem(name, &why),
            text: Input::default(),
        })),
    }
}

/// Returns the problem of a policy file that cannot be read.
#[must_use]
pub fn unreadable_policy_problem(name: &str, why: &str) -> Problem {
    Problem {
        help: Some("correct the policy file or its permissions, and retry".to_owned()),
        ..policy_problem(name, why)
    }
}

/// Returns the problem of a policy file whose text is invalid.
#[must_use]
pub fn policy_problem(name: &str, why: &str) -> Problem {
    let problem = Problem::new(&code::POLICY, why.to_owned());
    let help = "the policy file is invalid; fix it and retry".to_owned();
    Problem {
        name: Some(name.as_bytes().to_vec()),
        help: Some(help),
        ..problem
    }
}

/// Returns the path of the project's own policy file.
pub(super) fn project_file() -> RelPath {
    RelPath::new(PROJECT_POLICY.as_bytes()).expect("BUG: the name is a path")
}

/// Returns the text of the policy file at `path`; `None` if there is none.
pub(super) fn read_policy_file(
    workspace: &dyn Workspace,
    path: &RelPath,
) -> Result<Option<Bytes>, String> {
    let told = |error: WorkspaceError| match error.kind {
        ErrorKind::TooLarge => format!("the file exceeds {} bytes", policy::MAX_FILE_BYTES),
        _ => format!("the file cannot be read: {}", error.source),
    };
    match workspace.stat(path).map_err(told)?.map(|stat| stat.kind) {
        None => Ok(None),
        Some(FileKind::Regular) => workspace
            .read(path, policy::MAX_FILE_BYTES)
            .map(|(text, _)| Some(text))
            .map_err(told),
        Some(kind) => Err(format!("is a {kind}, not a regular file")),
    }
}
