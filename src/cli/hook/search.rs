//! The tools that search or list files. A search must not read a file that policy protects.
//!
//! The input of a tool becomes a directory and glob patterns. `globs` selects the files that the
//! search reads, `outside` detects patterns that leave the directory, and `brackets` parses
//! brackets for both. The engine then applies policy to the selected files.

mod brackets;
mod globs;
mod outside;

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::MAX_PATTERN;
use super::action::Action;
use super::call::ToolCall;
use super::decision::Decision;
use super::place::{CallPath, FileUse};
use super::rules::{decide_refusal, policy};
use crate::cli::EarlyExit;
use crate::cli::args::Global;
use crate::cli::root::open;
use crate::engine::{self, SearchTarget};
use crate::path::with_slashes;
use globs::Globs;
use outside::find_outside_place;

/// The input of `Grep`. Other restrictions, such as a file type, are ignored, so the search is
/// assumed to read more files.
#[derive(Deserialize)]
struct GrepInput {
    path: Option<PathBuf>,
    glob: Option<String>,
}

#[derive(Deserialize)]
struct GlobInput {
    pattern: String,
    path: Option<PathBuf>,
}

#[derive(Deserialize)]
struct ListInput {
    path: PathBuf,
}

/// Returns the action of `Grep`.
///
/// # Errors
///
/// Returns an error if an argument has a wrong type.
pub(super) fn grep_action(call: &ToolCall) -> Result<Action, EarlyExit> {
    let GrepInput { path, glob } = call.arguments()?;
    Ok(Action::Grep {
        path: call.absolute_path(path.unwrap_or_default()),
        glob: glob.unwrap_or_default(),
    })
}

/// Returns the action of `Glob`.
///
/// # Errors
///
/// Returns an error if an argument is missing or has a wrong type.
pub(super) fn glob_action(call: &ToolCall) -> Result<Action, EarlyExit> {
    let GlobInput { pattern, path } = call.arguments()?;
    Ok(Action::Glob {
        directory: call.absolute_path(path.unwrap_or_default()),
        pattern,
        target: SearchTarget::Names,
    })
}

/// Returns the action of `LS`.
///
/// # Errors
///
/// Returns an error if an argument is missing or has a wrong type.
pub(super) fn list_action(call: &ToolCall) -> Result<Action, EarlyExit> {
    let ListInput { path } = call.arguments()?;
    Ok(Action::List(call.absolute_path(path)))
}

/// Decides on a search in file contents.
///
/// # Errors
///
/// Returns an error if the policy or the root cannot be read.
pub(super) fn judge_grep(file: &Path, glob: &str, global: &Global) -> Result<Decision, EarlyExit> {
    if let Some(denied) = refuse_long_pattern(glob) {
        return Ok(denied);
    }
    let globs = Globs::of_grep(glob);
    decide_search(
        file,
        &|path| globs.includes(path),
        SearchTarget::Contents,
        global,
    )
}

/// Decides on a search for files whose path below `directory` matches `pattern`.
///
/// # Errors
///
/// Returns an error if the policy or the root cannot be read.
pub(super) fn judge_glob(
    directory: &Path,
    pattern: &str,
    target: SearchTarget,
    global: &Global,
) -> Result<Decision, EarlyExit> {
    if let Some(denied) = refuse_long_pattern(pattern) {
        return Ok(denied);
    }
    let decision = decide_glob(pattern, directory, target, global)?;
    // On Windows, programs differ in whether a backslash is a separator or escapes a character.
    let slashes = with_slashes(pattern.as_bytes());
    if *slashes == *pattern.as_bytes() {
        return Ok(decision);
    }
    let slashes = String::from_utf8_lossy(&slashes);
    Ok(decision.stricter(decide_glob(&slashes, directory, target, global)?))
}

/// Decides on a search for file names that match `pattern`, in the directory `path`.
fn decide_glob(
    pattern: &str,
    path: &Path,
    target: SearchTarget,
    global: &Global,
) -> Result<Decision, EarlyExit> {
    // The directory to search is the path before the first component with a wildcard.
    let has_wildcard = |part: &&str| part.contains(['*', '?', '[', '{', '!', '(', '\\']);
    let parts: Vec<&str> = pattern.split('/').collect();
    let literal = parts
        .iter()
        .take(parts.len() - 1)
        .take_while(|part| !has_wildcard(part))
        .count();
    let (above, rest) = parts.split_at(literal);
    let rest = rest.join("/");
    if let Some(place) = find_outside_place(&rest, literal == 0) {
        let why = format!(
            "the pattern leads to {place}, so policy cannot check what it finds; search in that directory instead"
        );
        return Ok(Decision::Deny(why));
    }
    let above = if literal == 1 && above == [""] {
        "/".to_owned()
    } else {
        above.join("/")
    };
    let file = path.join(above);
    let globs = Globs::of_glob(&rest);
    decide_search(&file, &|path| globs.includes(path), target, global)
}

/// Returns the refusal of a pattern that is too long.
fn refuse_long_pattern(pattern: &str) -> Option<Decision> {
    let why = || {
        format!("the pattern exceeds {MAX_PATTERN} bytes; use shorter patterns in several calls")
    };
    (pattern.len() > MAX_PATTERN).then(|| Decision::Deny(why()))
}

/// Decides on a directory listing.
///
/// # Errors
///
/// Returns an error if the policy or the root cannot be read.
pub(super) fn judge_list(directory: &Path, global: &Global) -> Result<Decision, EarlyExit> {
    decide_with(directory, global, |path, global| {
        Ok(decide_refusal(
            engine::may_list(path, &policy(global)?, &*open(global)?).err(),
        ))
    })
}

/// Decides on a search in the file or directory `file`. The search reads the files that
/// `is_searched` accepts.
fn decide_search(
    file: &Path,
    is_searched: &dyn Fn(&[u8]) -> bool,
    target: SearchTarget,
    global: &Global,
) -> Result<Decision, EarlyExit> {
    decide_with(file, global, |path, global| {
        Ok(decide_refusal(
            engine::may_search(
                path,
                (target, is_searched),
                &policy(global)?,
                &*open(global)?,
            )
            .err(),
        ))
    })
}

/// Returns the stricter decision of `check` on a file or directory and of the rules on its names.
fn decide_with(
    file: &Path,
    global: &Global,
    check: impl Fn(&[u8], &Global) -> Result<Decision, EarlyExit>,
) -> Result<Decision, EarlyExit> {
    let place = CallPath::of(file, global)?;
    let decision = place.decide(FileUse::Reads, &check)?;
    Ok(match place.outside_directory() {
        Some(outside) => decision.stricter(check(b".", &outside)?),
        None => decision,
    })
}
