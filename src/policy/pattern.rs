//! The path patterns of rules.

use globset::{Candidate, Glob, GlobBuilder, GlobSet};

use crate::path::{RelPath, exclude_slashes};
use crate::text::fold_spelling;

/// The maximum length of a pattern in bytes.
const MAX_PATTERN_BYTES: usize = 4096;

/// Whether patterns are case-sensitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CaseSensitivity {
    Sensitive,
    /// Case is ignored, as on file systems that find a file under any case of its name.
    Insensitive,
}

impl CaseSensitivity {
    /// Returns the usual behaviour of this system.
    pub(super) fn system_default() -> Self {
        if matches!(std::env::consts::OS, "macos" | "windows") {
            Self::Insensitive
        } else {
            Self::Sensitive
        }
    }

    /// Returns `text` in the form in which patterns and paths are compared.
    fn normalize(self, text: &str) -> String {
        if self == Self::Insensitive {
            fold_spelling(text)
        } else {
            text.to_owned()
        }
    }
}

/// Patterns that are matched together.
#[derive(Clone, Debug)]
pub(super) struct Patterns {
    set: GlobSet,
    globs: Vec<Glob>,
    case: CaseSensitivity,
}

impl Patterns {
    /// Creates a set of `globs`.
    ///
    /// # Errors
    ///
    /// Returns the message of the library if the globs together are too large.
    pub(super) fn new(globs: &[Glob], case: CaseSensitivity) -> Result<Self, String> {
        let set = GlobSet::new(globs).map_err(|error| error.kind().to_string())?;
        Ok(Self {
            set,
            globs: globs.to_vec(),
            case,
        })
    }

    /// Returns the patterns for a file system that finds a file under several spellings of its
    /// name.
    ///
    /// # Errors
    ///
    /// Returns an error if the patterns are too large.
    pub(super) fn with_folding(&self) -> Result<Self, String> {
        let globs: Vec<_> = self
            .globs
            .iter()
            .map(|it| build_glob(&CaseSensitivity::Insensitive.normalize(it.glob())))
            .collect::<Result<_, _>>()?;
        Self::new(&globs, CaseSensitivity::Insensitive)
    }

    /// Returns the indexes of the patterns that match `path`.
    pub(super) fn matching(&self, path: &RelPath) -> Vec<usize> {
        if self.case == CaseSensitivity::Insensitive {
            let folded = self
                .case
                .normalize(&String::from_utf8_lossy(path.as_bytes()));
            return self
                .set
                .matches_candidate(&Candidate::from_bytes(folded.as_bytes()));
        }
        self.set
            .matches_candidate(&Candidate::from_bytes(path.as_bytes()))
    }
}

/// Converts `pattern` to globs for complete paths.
///
/// - A pattern without a slash, except at its end, matches a name in any directory.
/// - A pattern with a slash at its end matches everything in a directory.
/// - A pattern without wildcards also matches everything in a directory with that name.
/// - `?` and `[...]` match one byte, as in git. A set with a character outside ASCII is an error,
///   because it could never match this character.
///
/// # Errors
///
/// Returns a message about the error in the pattern.
pub(super) fn parse_pattern(pattern: &str, case: CaseSensitivity) -> Result<Vec<Glob>, String> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(format!("the pattern exceeds {MAX_PATTERN_BYTES} bytes"));
    }
    if let Some(why) = unsupported_meaning(pattern) {
        return Err(format!(
            "{why}; use `./{pattern}` for a file with this name"
        ));
    }
    if has_wide_set(pattern) {
        return Err(
            "`[...]` matches one byte, so a set contains only ASCII characters; use \
             `{...,...}` or one pattern for each name"
                .to_owned(),
        );
    }
    // `./` only removes the special meaning of the first character. It does not anchor the pattern
    // at the root, as a leading `/` does.
    let whole = pattern.strip_prefix("./").unwrap_or(pattern);
    let is_rooted = whole.starts_with('/');
    let inside = whole.trim_end_matches('/');
    let is_directory = inside.len() < whole.len();
    let inside = inside.trim_start_matches('/');
    if inside.is_empty() {
        return Err("the pattern matches nothing".to_owned());
    }
    if inside
        .split('/')
        .any(|part| matches!(part, "" | "." | ".."))
    {
        return Err(
            "expected a path below the root, without `.`, `..` and repeated slashes".to_owned(),
        );
    }
    let anchored = if is_rooted || inside.contains('/') {
        inside.to_owned()
    } else {
        format!("**/{inside}")
    };
    let has_wildcards = inside.contains(['*', '?', '[', '{', '\\']);
    let mut texts = Vec::new();
    if is_directory || !has_wildcards {
        texts.push(format!("{anchored}/**"));
    }
    if !is_directory {
        texts.push(anchored);
    }
    texts
        .iter()
        .map(|text| build_glob(&case.normalize(text)))
        .collect()
}

/// Returns the reason why `pattern` has a special meaning in git or in a shell that policy files do
/// not support; `None` if it has none.
fn unsupported_meaning(pattern: &str) -> Option<&'static str> {
    if pattern.starts_with('!') {
        return Some("`!` is not supported, because the strictest rule decides");
    }
    is_tilde_path(pattern)
        .then_some("`~` is not expanded, because a pattern is a path below the root")
}

/// Returns whether a set `[...]` of `pattern` contains a character outside ASCII.
fn has_wide_set(pattern: &str) -> bool {
    let mut rest = pattern.chars().peekable();
    while let Some(character) = rest.next() {
        if character == '\\' {
            rest.next();
        }
        if character != '[' {
            continue;
        }
        rest.next_if(|it| matches!(it, '!' | '^'));
        // As the first character, `]` is a member of the set. A set has no escapes.
        let mut is_wide = rest.next().is_some_and(|first| !first.is_ascii());
        for member in rest.by_ref().take_while(|&member| member != ']') {
            is_wide |= !member.is_ascii();
        }
        if is_wide {
            return true;
        }
    }
    false
}

/// Returns whether a shell would expand `path` to a home directory, or to a path below one.
pub(super) fn is_tilde_path(path: &str) -> bool {
    path == "~" || path.starts_with('~') && path.contains('/')
}

fn build_glob(text: &str) -> Result<Glob, String> {
    let built = GlobBuilder::new(&exclude_slashes(text))
        .literal_separator(true)
        .backslash_escape(true)
        .build();
    let glob = built.map_err(|error| error.kind().to_string())?;
    // `build` does not check the size of the compiled glob. Building a set does.
    GlobSet::new([&glob]).map_err(|error| error.kind().to_string())?;
    Ok(glob)
}
