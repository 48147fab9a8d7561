//! The tools that search many files: which of them such a search reads.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;

use super::place::{Place, Use};
use super::{Call, Decision, MAX_PATTERN, of_refused, policy};
use crate::cli::args::Global;
use crate::cli::{Stop, open};
use crate::engine::{self, SearchOf};

/// The input of `Grep`. What narrows the search in another way, such as a type of files, is not
/// looked at.
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

/// Decides on a search of texts.
pub(super) fn grep(call: &Call, global: &Global) -> Result<Decision, Stop> {
    let GrepInput { path, glob } = call.arguments()?;
    let glob = glob.unwrap_or_default();
    if let Some(denied) = too_long(&glob) {
        return Ok(denied);
    }
    let file = call.file(path.unwrap_or_default());
    let globs = Globs::of_grep(&glob);
    searched(&file, &|path| globs.take(path), SearchOf::Texts, global)
}

/// Decides on a search of names.
pub(super) fn glob(call: &Call, global: &Global) -> Result<Decision, Stop> {
    let GlobInput { pattern, path } = call.arguments()?;
    if let Some(denied) = too_long(&pattern) {
        return Ok(denied);
    }
    // The directory is what comes before the first component with a wildcard.
    let has_wildcard = |part: &&str| part.contains(['*', '?', '[', '{', '!', '(', '\\']);
    let parts: Vec<&str> = pattern.split('/').collect();
    let literal = parts
        .iter()
        .take(parts.len() - 1)
        .take_while(|part| !has_wildcard(part))
        .count();
    let (above, rest) = parts.split_at(literal);
    let rest = rest.join("/");
    if let Some(place) = leads_away(&rest, literal == 0) {
        let why = format!(
            "the pattern leads to {place}, so that policy cannot tell what it finds: search in that directory instead"
        );
        return Ok(Decision::Deny(why));
    }
    let above = if literal == 1 && above == [""] {
        "/".to_owned()
    } else {
        above.join("/")
    };
    let file = call.file(path.unwrap_or_default()).join(above);
    let globs = Globs(vec![Pattern::wanted(&rest)]);
    searched(&file, &|path| globs.take(path), SearchOf::Names, global)
}

/// Returns the refusal of a pattern that is too long.
fn too_long(pattern: &str) -> Option<Decision> {
    let why = || {
        format!(
            "the pattern has more than {MAX_PATTERN} bytes: use shorter patterns in several calls"
        )
    };
    (pattern.len() > MAX_PATTERN).then(|| Decision::Deny(why()))
}

/// Returns where the pattern `rest` leads that is not below the directory it is for. It may be
/// absolute where it `is_first`.
fn leads_away(rest: &str, is_first: bool) -> Option<&'static str> {
    let rest = &*unescaped(rest);
    let parts = || rest.split(['/', '{', '}', ',', '(', ')', '|']);
    // Two of `{.,x}{.,y}`, and one of `+(.)`.
    let dots = parts().filter(|part| *part == ".").count();
    let makes_dots = dots > 0 && rest.contains('(') || dots > 1 && rest.contains('{');
    let begins_with_group = rest.starts_with('{') || rest.find('(') == Some(1);
    let is_empty_possible = ["{,", ",,", ",}"].iter().any(|empty| rest.contains(empty));
    let is_absolute = |at: usize| {
        let before = &rest[..at];
        before.ends_with(['{', '(', ',', '|']) || is_empty_possible && before.ends_with('}')
    };
    let is_absolute = || rest.match_indices('/').any(|(at, _)| is_absolute(at));
    if makes_dots || parts().any(|part| part == "..") || has_dots_in_range(rest) {
        Some("a parent directory")
    } else if is_first && (rest.starts_with('/') || begins_with_group && is_absolute()) {
        Some("an absolute path")
    } else {
        None
    }
}

/// Returns `pattern` with the character that each escape means, and with the [`meaning`] of each
/// bracket.
fn unescaped(pattern: &str) -> String {
    let (mut plain, mut rest) = (String::new(), pattern);
    while let Some(first) = rest.chars().next() {
        rest = &rest[first.len_utf8()..];
        match first {
            '\\' => {
                let mut after = rest.chars();
                plain.extend(after.next());
                rest = after.as_str();
            }
            '[' => match bracket(rest) {
                Some((content, after)) => {
                    plain.push_str(meaning(content));
                    rest = after;
                }
                None => plain.push('['),
            },
            first => plain.push(first),
        }
    }
    plain
}

/// Returns the content of the bracket that `text` is in, and what follows the bracket.
fn bracket(text: &str) -> Option<(&str, &str)> {
    // `]` as the first character belongs to the content, and so does a class such as `[:lower:]`.
    let start = usize::from(text.starts_with(['!', '^']));
    let mut at = start + usize::from(text[start..].starts_with(']'));
    loop {
        let next = at + text[at..].find([']', '['])?;
        let kind = text[next + 1..]
            .chars()
            .next()
            .filter(|kind| text[next..].starts_with('[') && ":.=".contains(*kind));
        match kind {
            Some(kind) => {
                let end = format!("{kind}]");
                at = next + 2 + text[next + 2..].find(&end)? + end.len();
            }
            None if text[next..].starts_with('[') => at = next + 1,
            None => return Some((&text[..next], &text[next + 1..])),
        }
    }
}

/// Returns text for a bracket with this content: a dot if it may match a dot, and a parent
/// directory if programs differ in where it ends.
fn meaning(content: &str) -> &'static str {
    let mut outside = content.to_owned();
    while let Some((start, end)) = outside
        .find("[:")
        .and_then(|start| Some((start, outside[start..].find(":]")?)))
    {
        outside.replace_range(start..start + end + 2, "");
    }
    if outside.contains(['/', '[', ']', '\\']) {
        "/../"
    } else if is_plain_bracket(content) {
        "x"
    } else {
        "."
    }
}

/// Returns whether all programs take the bracket with this content for the same letters, digits and
/// ranges.
fn is_plain_bracket(content: &str) -> bool {
    let is_plain = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let ranges = content.split('-').count() - 1;
    let is_range = content.len() == 3 && content.as_bytes()[1] == b'-';
    is_plain(&content.replace('-', "")) && (ranges == 0 || ranges == 1 && is_range)
}

/// Returns whether a range in braces, such as `{-../}`, may contain a dot or a slash.
fn has_dots_in_range(pattern: &str) -> bool {
    let bytes = pattern.as_bytes();
    let is_plain = |end: Option<&u8>| end.is_some_and(u8::is_ascii_alphanumeric);
    let mut depth = 0_i64;
    (0..bytes.len()).any(|at| {
        match bytes[at] {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        let has_plain_ends = || {
            is_plain(at.checked_sub(1).map(|before| &bytes[before])) && is_plain(bytes.get(at + 2))
        };
        depth > 0 && bytes[at..].starts_with(b"..") && !has_plain_ends()
    })
}

/// Decides on a list of names.
pub(super) fn list(call: &Call, global: &Global) -> Result<Decision, Stop> {
    let ListInput { path } = call.arguments()?;
    looked_into(&call.file(path), global, |path, global| {
        Ok(of_refused(
            engine::may_list(path, &policy(global)?, &open(global)?).err(),
        ))
    })
}

/// Decides on a search in the file or the directory `file`, of the files that `is_searched` names.
fn searched(
    file: &Path,
    is_searched: &dyn Fn(&[u8]) -> bool,
    of: SearchOf,
    global: &Global,
) -> Result<Decision, Stop> {
    looked_into(file, global, |path, global| {
        Ok(of_refused(
            engine::may_search(path, (of, is_searched), &policy(global)?, &open(global)?).err(),
        ))
    })
}

/// Returns the decision of `check` on a file or a directory, and of the rules on its names.
fn looked_into(
    file: &Path,
    global: &Global,
    check: impl Fn(&[u8], &Global) -> Result<Decision, Stop>,
) -> Result<Decision, Stop> {
    let place = Place::of(file, global)?;
    let decision = place.decide(Use::Reads, &check)?;
    Ok(match place.outside_directory() {
        Some(outside) => decision.or_stricter(check(b".", &outside)?),
        None => decision,
    })
}

/// The patterns that choose files, of which the last one that matches decides. Where it is not
/// certain how the search program understands a pattern, more files are taken than it reads.
struct Globs(Vec<Pattern>);

/// One pattern.
struct Pattern {
    /// `None` matches every file.
    matcher: Option<GlobMatcher>,
    /// Whether it leaves files out, those in a directory of that name as well.
    excludes: bool,
    /// Whether it is only about directories of that name, and what is in them.
    is_for_directories: bool,
}

impl Globs {
    /// Reads the option `glob`: patterns with blanks or commas between them, and `!` before those
    /// that leave files out.
    fn of_grep(text: &str) -> Self {
        let words = text.split_whitespace().flat_map(|word| {
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

    /// Returns whether the search reads the file at `path`, below the directory that is searched.
    fn take(&self, path: &[u8]) -> bool {
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
            return Some(Self::wanted(word.trim_end_matches('/')));
        };
        if is_uncertain(excluded) {
            return None;
        }
        let whole = excluded.strip_prefix("**/").unwrap_or(excluded);
        let name = whole
            .strip_suffix("/**")
            .unwrap_or(whole)
            .trim_end_matches('/');
        // Of a longer path it is not certain where it begins.
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

    /// Returns a pattern for all files with a name like the last one of `pattern`.
    fn wanted(pattern: &str) -> Self {
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
        let is_named =
            |name: &[u8]| std::str::from_utf8(name).is_ok_and(|name| matcher.is_match(name));
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

/// Returns whether the meaning of `pattern` depends on the program: it has parentheses as in
/// `@(a).pem`, alternatives of several components as in `{a/b,c}`, a range as in `{a..c}`, braces
/// with one alternative, a class as in `[[:lower:]]`, an escape, or a negation.
fn is_uncertain(pattern: &str) -> bool {
    let mut rest = pattern;
    while let Some((_, after)) = rest.split_once('[') {
        match bracket(after) {
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
            ["a.rs", ".env", "d/.env", "d/x.PEM"].map(|path| globs.take(path.as_bytes()))
        };
        assert_eq!(takes(""), [true, true, true, true]);
        assert_eq!(takes("*.rs"), [true, false, false, false]);
        assert_eq!(takes("*.{rs,pem}"), [true, false, false, true]);
        assert_eq!(takes("*.rs,*.pem"), [true, false, false, true]);
        assert_eq!(takes("!.env"), [true, false, false, true]);
        // Only a directory of that name is left out.
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
        // Programs differ in what these mean.
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
        // Without case, it would not match a file `A.rs`.
        assert_eq!(takes("[!a].rs"), [true, true, true, true]);
        assert_eq!(takes("!.env .e*"), [false, true, true, false]);
        assert_eq!(takes("**/*.rs"), [true, false, false, false]);
        assert_eq!(takes("d/**"), [true, true, true, true]);
        assert_eq!(takes("!d/**"), [true, true, false, false]);
        assert_eq!(takes("!d/e/.env"), [true, true, true, true]);
        assert_eq!(takes("[a"), [true, true, true, true]);
    }

    #[test]
    fn a_component_that_can_become_a_parent_directory_leads_away() {
        for pattern in [
            "[.][.]/x",
            ".\\./x",
            "\\.\\./x",
            "a/[.].",
            "[!a][^b]/x",
            "[[:punct:]][--9]/x",
            "{[.],x}[.]/x",
            "[]./]x",
            "{-../}{-../}/x",
            "{a,.\\.}/x",
        ] {
            assert_eq!(
                leads_away(pattern, false),
                Some("a parent directory"),
                "{pattern}"
            );
        }
        for pattern in [
            "[ab].[c]/x",
            "a\\.b/x",
            "[a-c]/..x",
            "{1..3}/x",
            "{a..c}/x",
            "*.[ch]",
            ".[a-z]*/x",
            "[",
            "\\",
        ] {
            assert_eq!(leads_away(pattern, false), None, "{pattern}");
        }
        assert_eq!(leads_away("\\/etc/*", true), Some("an absolute path"));
    }
}
