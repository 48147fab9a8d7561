//! Checks for hooks whether another program may search a file or a directory. Reads no contents.

use std::sync::Arc;

use super::list::resolve_directory;
use super::read::check_readable;
use super::{LookResult, file_problem, refused_outcome};
use crate::engine::Outcome;
use crate::engine::govern::extend_policy;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::policy::{Access, Policy, RuleMatch, Verdict};
use crate::preflight::{Problem, ProblemFacts, ProblemKind, code};
use crate::workspace::Workspace;

/// The limit on the number of names that are examined below one directory.
const MAX_NAMES: usize = 200_000;

/// The object of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchTarget {
    /// The contents of files. A glob of the program can exclude files.
    Contents,
    /// The names of files. The program has one pattern that selects files.
    Names,
}

/// The kind of search, and a function that returns whether the search reads a file. The function
/// receives the path of the file relative to the searched directory.
type SearchedFiles<'a> = (SearchTarget, &'a dyn Fn(&[u8]) -> bool);

/// Checks whether policy allows reading the file at `path`, or every file below the directory at
/// `path`. In a directory, only the files are checked that `files` selects.
///
/// Directories of git and state directories of wpatch are skipped: search programs do not enter
/// them, and they contain no secrets. Links below the directory are not followed. A path that does
/// not exist may be searched.
///
/// # Errors
///
/// Returns the outcome with the rule that protects a file, or with the problem of a directory that
/// has too many names to check.
pub fn may_search(
    path: &[u8],
    files: SearchedFiles<'_>,
    policy: &Arc<Policy>,
    workspace: &dyn Workspace,
) -> Result<(), Box<Outcome>> {
    let policy = extend_policy("read", policy, workspace)?;
    check_search(path, files, &policy, workspace)
        .map_err(|problem| refused_outcome("read", *problem))
}

/// Checks whether policy allows listing the names in the directory at `path`. A directory that does
/// not exist may be listed.
///
/// # Errors
///
/// Returns the outcome with the rule that protects the directory.
pub fn may_list(
    path: &[u8],
    policy: &Arc<Policy>,
    workspace: &dyn Workspace,
) -> Result<(), Box<Outcome>> {
    let policy = extend_policy("list", policy, workspace)?;
    match resolve_directory(workspace, &policy, path) {
        Err(problem) if is_refusal(&problem) => Err(refused_outcome("list", *problem)),
        _ => Ok(()),
    }
}

fn check_search(
    path: &[u8],
    files: SearchedFiles<'_>,
    policy: &Policy,
    workspace: &dyn Workspace,
) -> LookResult<()> {
    let directory = match resolve_directory(workspace, policy, path) {
        Ok(directory) => directory,
        Err(problem) if problem.code.kind == ProblemKind::NotADirectory => {
            return check_readable(path, policy, workspace);
        }
        Err(problem) if is_refusal(&problem) => return Err(problem),
        Err(_) => return Ok(()),
    };
    if !policy.restricts_reading() {
        return Ok(());
    }
    let mut walk = SearchWalk {
        files,
        policy,
        workspace,
        examined: 0,
        first_ask: None,
    };
    walk.enter(directory.as_ref(), b"")?;
    walk.first_ask
        .map_or(Ok(()), |hit| Err(search_problem(&hit, files.0)))
}

/// Returns whether the problem is a refusal by policy, not a fact about the tree.
fn is_refusal(problem: &Problem) -> bool {
    matches!(
        problem.code.kind,
        ProblemKind::Denied
            | ProblemKind::ApprovalRequired
            | ProblemKind::OutsideRoot
            | ProblemKind::Policy
    )
}

/// A walk through a directory and its subdirectories.
struct SearchWalk<'a> {
    files: SearchedFiles<'a>,
    policy: &'a Policy,
    workspace: &'a dyn Workspace,
    examined: usize,
    /// The first rule that asks.
    first_ask: Option<RuleMatch>,
}

impl SearchWalk<'_> {
    /// Checks the files below `directory` up to the first denied one. `prefix` is the path of
    /// `directory` relative to the searched directory.
    fn enter(&mut self, directory: Option<&RelPath>, prefix: &[u8]) -> LookResult<()> {
        // A directory that cannot be listed cannot be searched either.
        let Ok(names) = self.workspace.list(directory) else {
            return Ok(());
        };
        for name in names {
            let path =
                directory.map_or_else(|| RelPath::new(&name), |directory| directory.join(&name));
            let Ok(path) = path else { continue };
            self.examined += 1;
            if self.examined > MAX_NAMES {
                let message = format!(
                    "the directory has more than {MAX_NAMES} entries, too many to check against policy"
                );
                let problem = Problem::new(&code::DENIED, message);
                let help = Some("search a smaller directory".to_owned());
                let facts = ProblemFacts {
                    advice: help.clone(),
                    ..ProblemFacts::default()
                };
                return Err(Box::new(Problem {
                    help,
                    facts,
                    ..problem
                }));
            }
            if self.policy.is_protected(&path) {
                continue;
            }
            let below = [prefix, &name].concat();
            match self.workspace.stat(&path) {
                Ok(Some(stat)) if stat.kind == FileKind::Directory => {
                    self.enter(Some(&path), &[&below[..], b"/"].concat())?;
                }
                Ok(Some(stat)) if stat.kind == FileKind::Regular && (self.files.1)(&below) => {
                    self.check_file(&path)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn check_file(&mut self, path: &RelPath) -> LookResult<()> {
        let ruling = self.policy.judge(path, Access::Read);
        match (ruling.verdict, ruling.matches.into_vec().into_iter().next()) {
            (Verdict::Deny, Some(hit)) => Err(search_problem(&hit, self.files.0)),
            (Verdict::Ask, hit) => {
                // The search continues, because a later file can be denied.
                self.first_ask = self.first_ask.take().or(hit);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// Returns the problem of a file that the search would read.
fn search_problem(hit: &RuleMatch, target: SearchTarget) -> Box<Problem> {
    let code = if hit.verdict == Verdict::Deny {
        &code::DENIED
    } else {
        &code::APPROVAL_REQUIRED
    };
    let name = String::from_utf8_lossy(hit.path.name()).into_owned();
    let problem = file_problem(
        &hit.path,
        code,
        &format!("the search would read a protected file: {}", hit.reason),
    );
    let help = Some(match target {
        SearchTarget::Contents => {
            format!("search another directory, or exclude the file with the glob `!{name}`")
        }
        SearchTarget::Names => "search another directory".to_owned(),
    });
    let facts = ProblemFacts {
        reason: Some(hit.reason.clone()),
        advice: help.clone(),
        ..ProblemFacts::default()
    };
    Box::new(Problem {
        help,
        facts,
        ..*problem
    })
}
