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

use super::place::{CallPath, FileUse};
use super::{Call, Decision, MAX_PATTERN, decide_refusal, policy};
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

/// Decides on a search in file contents.
pub(super) fn grep(call: &Call, global: &Global) -> Result<Decision, EarlyExit> {
    let GrepInput { path, glob } = call.arguments()?;
    let glob = glob.unwrap_or_default();
    if let Some(denied) = refuse_long_pattern(&glob) {
        return Ok(denied);
    }
    let file = call.absolute_path(path.unwrap_or_default());
    let globs = Globs::of_grep(&glob);
    decide_search(
        &file,
        &|path| globs.includes(path),
        SearchTarget::Contents,
        global,
    )
}

/// Decides on a search in file names.
pub(super) fn glob(call: &Call, global: &Global) -> Result<Decision, EarlyExit> {
    let GlobInput { pattern, path } = call.arguments()?;
    if let Some(denied) = refuse_long_pattern(&pattern) {
        return Ok(denied);
    }
    let path = call.absolute_path(path.unwrap_or_default());
    let decision = decide_glob(&pattern, &path, global)?;
    // On Windows, programs differ in whether a backslash is a separator or escapes a character.
    let slashes = with_slashes(pattern.as_bytes());
    if *slashes == *pattern.as_bytes() {
        return Ok(decision);
    }
    let slashes = String::from_utf8_lossy(&slashes);
    Ok(decision.stricter(decide_glob(&slashes, &path, global)?))
}

/// Decides on a search for file names that match `pattern`, in the directory `path`.
fn decide_glob(pattern: &str, path: &Path, global: &Global) -> Result<Decision, EarlyExit> {
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
    decide_search(
        &file,
        &|path| globs.includes(path),
        SearchTarget::Names,
        global,
    )
}

/// Returns the refusal of a pattern that is too long.
fn refuse_long_pattern(pattern: &str) -> Option<Decision> {
    let why = || {
        format!("the pattern exceeds {MAX_PATTERN} bytes; use shorter patterns in several calls")
    };
    (pattern.len() > MAX_PATTERN).then(|| Decision::Deny(why()))
}

/// Decides on a directory listing.
pub(super) fn list(call: &Call, global: &Global) -> Result<Decision, EarlyExit> {
    let ListInput { path } = call.arguments()?;
    decide_with(&call.absolute_path(path), global, |path, global| {
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
