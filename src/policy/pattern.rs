//! The patterns of rules: which paths they mean.

use globset::{Candidate, Glob, GlobBuilder, GlobSet};

use crate::path::RelPath;
use crate::text::folded;

/// Most bytes of a pattern.
const MOST_BYTES: usize = 4096;

/// Whether case counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    Kept,
    /// As on file systems that find a file by any case of its name.
    Folded,
}

impl Case {
    /// Returns what this system usually does.
    pub(super) fn usual() -> Self {
        if matches!(std::env::consts::OS, "macos" | "windows") {
            Self::Folded
        } else {
            Self::Kept
        }
    }

    fn of(self, text: &str) -> String {
        if self == Self::Folded {
            folded(text)
        } else {
            text.to_owned()
        }
    }
}

/// Patterns that are asked all at once.
#[derive(Clone, Debug)]
pub(super) struct Patterns {
    set: GlobSet,
    globs: Vec<Glob>,
    case: Case,
}

impl Patterns {
    /// Returns a set of `globs`.
    ///
    /// # Errors
    ///
    /// Returns the words of who could not: together they are too large.
    pub(super) fn new(globs: &[Glob], case: Case) -> Result<Self, String> {
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
    pub(super) fn folded(&self) -> Result<Self, String> {
        let globs: Vec<_> = self
            .globs
            .iter()
            .map(|it| glob(&Case::Folded.of(it.glob())))
            .collect::<Result<_, _>>()?;
        Self::new(&globs, Case::Folded)
    }

    /// Returns the numbers of the patterns that mean `path`.
    pub(super) fn matching(&self, path: &RelPath) -> Vec<usize> {
        if self.case == Case::Folded {
            let folded = self.case.of(&String::from_utf8_lossy(path.as_bytes()));
            return self
                .set
                .matches_candidate(&Candidate::from_bytes(folded.as_bytes()));
        }
        self.set
            .matches_candidate(&Candidate::from_bytes(path.as_bytes()))
    }
}

/// Returns what `pattern` stands for, as globs of whole paths.
///
/// Without a slash before its end it is about a name, wherever that is; with one at its end about
/// everything in a directory. One without wildcards that names a directory means what is in it as
/// well.
///
/// # Errors
///
/// Returns what is wrong with it.
pub(super) fn globs(pattern: &str, case: Case) -> Result<Vec<Glob>, String> {
    if pattern.len() > MOST_BYTES {
        return Err(format!("the pattern has more than {MOST_BYTES} bytes"));
    }
    if let Some(why) = means_more_elsewhere(pattern) {
        return Err(format!(
            "{why}: `./{pattern}` means a file that is called so"
        ));
    }
    let whole = pattern.strip_prefix("./").unwrap_or(pattern);
    let is_rooted = whole.starts_with('/');
    let inside = whole.trim_end_matches('/');
    let is_directory = inside.len() < whole.len();
    let inside = inside.trim_start_matches('/');
    if inside.is_empty() {
        return Err("the pattern means nothing".to_owned());
    }
    if inside
        .split('/')
        .any(|part| matches!(part, "" | "." | ".."))
    {
        return Err(
            "a pattern is a path below the root, without `.`, `..` and doubled slashes".to_owned(),
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
    texts.iter().map(|text| glob(&case.of(text))).collect()
}

/// Returns why `pattern`, by which somebody may mean what it does for git or a shell, would not do
/// that.
fn means_more_elsewhere(pattern: &str) -> Option<&'static str> {
    if pattern.starts_with('!') {
        return Some("`!` takes nothing back, as the strictest rule counts");
    }
    is_in_home(pattern).then_some("`~` is no home, as a pattern is a path below the root")
}

/// Returns whether a shell would take `path` for a home, or for a path below one.
pub(super) fn is_in_home(path: &str) -> bool {
    path == "~" || path.starts_with('~') && path.contains('/')
}

fn glob(text: &str) -> Result<Glob, String> {
    let built = GlobBuilder::new(text)
        .literal_separator(true)
        .backslash_escape(true)
        .build();
    let glob = built.map_err(|error| error.kind().to_string())?;
    // A matcher of its own shows whether it is too large, which building it does not.
    GlobSet::new([&glob]).map_err(|error| error.kind().to_string())?;
    Ok(glob)
}
