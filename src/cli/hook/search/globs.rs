//! The glob patterns that choose the files of a search.

use globset::{GlobBuilder, GlobMatcher};

use super::brackets::{is_plain_bracket, split_bracket};
use crate::cli::hook::call::is_javascript_space;

/// The patterns that choose files. The last matching pattern decides. If programs interpret a
/// pattern differently, it is taken to match more files than the search reads.
pub(super) struct Globs(Vec<Pattern>);

/// One pattern.
struct Pattern {
    /// `None` matches every file.
    matcher: Option<GlobMatcher>,
    /// Whether the pattern excludes files, including those in a directory with a matching name.
    excludes: bool,
    /// Whether the pattern applies only to directories with a matching name, and to their files.
    is_for_directories: bool,
}

impl Globs {
    /// Parses the `glob` option of `Grep`: patterns that are separated by blanks or commas. `!`
    /// starts a pattern that excludes files.
    pub(super) fn of_grep(text: &str) -> Self {
        let words = text.split(is_javascript_space).flat_map(|word| {
            let is_whole = word.contains('{') && word.contains('}');
            word.split(move |character| character == ',' && !is_whole)
        });
        Self(
            words
                .filter(|word| !word.is_empty())
                .filter_map(Pattern::of_grep)
                .collect(),
        )
    }

    /// Parses the pattern of a search in file names.
    pub(super) fn of_glob(pattern: &str) -> Self {
        Self(vec![Pattern::for_name(pattern)])
    }

    /// Returns whether the search reads the file at `path`, which is relative to the searched
    /// directory.
    pub(super) fn includes(&self, path: &[u8]) -> bool {
        let decisive = self.0.iter().rev().find(|pattern| pattern.is_match(path));
        decisive.map_or_else(
            || self.0.iter().all(|pattern| pattern.excludes),
            |pattern| !pattern.excludes,
        )
    }
}

impl Pattern {
    fn of_grep(word: &str) -> Option<Self> {
        let Some(excluded) = word.strip_prefix('!') else {
            return Some(Self::for_name(word.trim_end_matches('/')));
        };
        if is_uncertain(excluded) {
            return None;
        }
        let whole = excluded.strip_prefix("**/").unwrap_or(excluded);
        let name = whole
            .strip_suffix("/**")
            .unwrap_or(whole)
            .trim_end_matches('/');
        // Programs differ in the directory to which a longer path is relative.
        let matcher = if name.contains('/') {
            None
        } else {
            matcher(name, false)
        };
        let is_for_directories = name != whole;
        matcher.map(|matcher| Self {
            matcher: Some(matcher),
            excludes: true,
            is_for_directories,
        })
    }

    /// Returns a pattern for all files whose name matches the last component of `pattern`.
    fn for_name(pattern: &str) -> Self {
        let name = pattern.rsplit('/').next().unwrap_or_default();
        let matcher = if is_uncertain(pattern) {
            None
        } else {
            matcher(name, true)
        };
        Self {
            matcher,
            excludes: false,
            is_for_directories: false,
        }
    }

    fn is_match(&self, path: &[u8]) -> bool {
        let Some(matcher) = &self.matcher else {
            return true;
        };
        // A name that is not UTF-8 counts as a file that the search reads.
        let is_named = |name: &[u8]| match std::str::from_utf8(name) {
            Ok(name) => matcher.is_match(name),
            Err(_) => !self.excludes,
        };
        let mut names = path
            .rsplit(|&byte| byte == b'/')
            .skip(usize::from(self.is_for_directories));
        if self.excludes {
            names.any(is_named)
        } else {
            names.next().is_some_and(is_named)
        }
    }
}

/// Returns whether the meaning of `pattern` depends on the program. Such patterns contain
/// parentheses as in `@(a).pem`, alternatives of several components as in `{a/b,c}`, a range as in
/// `{a..c}`, braces with one alternative, a class as in `[[:lower:]]`, an escape, or a negation.
fn is_uncertain(pattern: &str) -> bool {
    let mut rest = pattern;
    while let Some((_, after)) = rest.split_once('[') {
        match split_bracket(after) {
            Some((content, after)) if is_plain_bracket(content) => rest = after,
            _ => return true,
        }
    }
    let mut depth = 0_usize;
    let has_slash = |character: char| {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == '/' && depth > 0
    };
    let has_braces = pattern.contains('{');
    pattern.contains(['(', '\\'])
        || pattern.starts_with('!')
        || has_braces && (pattern.contains("..") || !pattern.contains(','))
        || pattern.chars().any(has_slash)
}

fn matcher(name: &str, is_case_ignored: bool) -> Option<GlobMatcher> {
    GlobBuilder::new(name)
        .case_insensitive(is_case_ignored)
        // As in a shell, `key{,x}` matches `key`.
        .empty_alternates(true)
        .build()
        .ok()
        .map(|glob| glob.compile_matcher())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_leaves_out_no_file_that_a_search_reads() {
        let takes = |glob: &str| {
            let globs = Globs::of_grep(glob);
            ["a.rs", ".env", "d/.env", "d/x.PEM"].map(|path| globs.includes(path.as_bytes()))
        };
        assert_eq!(takes(""), [true, true, true, true]);
        assert_eq!(takes("*.rs"), [true, false, false, false]);
        assert_eq!(takes("*.{rs,pem}"), [true, false, false, true]);
        assert_eq!(takes("*.rs,*.pem"), [true, false, false, true]);
        assert_eq!(takes("!.env"), [true, false, false, true]);
        // Only a directory of that name is excluded.
        for glob in [
            "!.env/",
            "!.env/**",
            "!**/.env/**",
            "!**/.env/",
            "!.env//",
            "!{.env,*.PEM}/",
            "!{.env,x}/**",
        ] {
            assert_eq!(takes(glob), [true, true, true, true], "{glob}");
        }
        assert_eq!(takes("!d/"), [true, true, false, false]);
        // Programs differ in the meaning of these patterns.
        for glob in [
            "[[:lower:]].md",
            "{w..y}.md",
            "\\.md",
            "[.]md",
            "[a-z-]",
            "{a}",
            "[!.]x",
            "!\\.env",
            "![.]env",
            "!!x",
        ] {
            assert_eq!(takes(glob), [true, true, true, true], "{glob}");
        }
        assert_eq!(takes("[a-c].rs"), [true, false, false, false]);
        // With case ignored, the pattern would not match a file `A.rs`.
        assert_eq!(takes("[!a].rs"), [true, true, true, true]);
        assert_eq!(takes("!.env .e*"), [false, true, true, false]);
        assert_eq!(takes("**/*.rs"), [true, false, false, false]);
        assert_eq!(takes("d/**"), [true, true, true, true]);
        assert_eq!(takes("!d/**"), [true, true, false, false]);
        assert_eq!(takes("!d/e/.env"), [true, true, true, true]);
        assert_eq!(takes("[a"), [true, true, true, true]);
        assert_eq!(takes("a.rs{,.bak}"), [true, false, false, false]);
        assert_eq!(takes("!.env{,.bak}"), [true, false, false, true]);
    }

    #[test]
    fn a_name_that_is_not_utf8_counts_as_read() {
        assert!(Globs::of_grep("*.rs").includes(b"d/\xff.rs"));
        assert!(Globs::of_grep("!*.rs").includes(b"d/\xff.rs"));
    }
}
