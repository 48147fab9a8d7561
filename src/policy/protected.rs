//! The protected paths. No policy can release them.
//!
//! To add a rule, add a row to [`PROTECTION_RULES`]. Also extend [`names::is_ordinary`], which knows the first
//! characters of protected names.

use super::names::{self, GIT_REASON};
use crate::path::RelPath;

/// A reason why a path is protected.
#[derive(Debug)]
pub struct ProtectionRule {
    /// The name in reports.
    pub name: &'static str,
    /// The reason, as a message about the path.
    pub reason: &'static str,
    /// Examples of protected paths.
    pub examples: &'static [&'static str],
    is_match: fn(&RelPath) -> bool,
}

impl PartialEq for ProtectionRule {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ProtectionRule {}

/// The rule that protects git directories.
pub const GIT_DIRECTORY_RULE: &str = "git-directory";

/// The rule that protects the state directory of wpatch.
const STATE_DIRECTORY_RULE: &str = "state-directory";

/// The rule for a root inside a git directory with another name than `.git`.
pub(super) const ROOT_IN_GIT_DIRECTORY: &ProtectionRule = &ProtectionRule {
    name: GIT_DIRECTORY_RULE,
    reason: GIT_REASON,
    examples: &[],
    is_match: |_| false,
};

/// The rules that always apply. The first matching rule decides.
pub const PROTECTION_RULES: &[ProtectionRule] = &[
    ProtectionRule {
        name: GIT_DIRECTORY_RULE,
        reason: "`.git` is protected; patches may not change it",
        examples: &[".git", "sub/.git/config"],
        is_match: |path| names::components(path).any(|part| part == b".git"),
    },
    ProtectionRule {
        name: GIT_DIRECTORY_RULE,
        reason: "some file systems treat this name as `.git`, which is protected",
        examples: &[".GIT", "git~1"],
        is_match: |path| names::components(path).any(names::is_git_directory),
    },
    ProtectionRule {
        name: STATE_DIRECTORY_RULE,
        reason: "the path contains the state of wpatch",
        examples: &[
            ".wpatch",
            ".wpatch-attic",
            ".wpatch-git",
            ".wpatch-index",
            "wpatch~1",
        ],
        is_match: |path| names::components(path).any(names::is_state_directory),
    },
    ProtectionRule {
        name: "drive-letter",
        reason: "other systems interpret the path as a drive",
        examples: &["C:"],
        is_match: |path| names::has_drive_letter(path.as_bytes()),
    },
    ProtectionRule {
        name: "backslash-parent",
        reason: "other systems interpret the path as a path outside the root",
        examples: &["a\\..\\b"],
        is_match: |path| names::components(path).any(|part| part == b".."),
    },
];

/// Returns the rule that protects `path`, if there is one.
#[must_use]
pub fn protecting_rule(path: &RelPath) -> Option<&'static ProtectionRule> {
    // Fast path: most paths resemble no protected name.
    if names::is_ordinary(path) {
        return None;
    }
    PROTECTION_RULES.iter().find(|rule| (rule.is_match)(path))
}

/// Returns the rule that protects everything below a root, because the root itself is in a git
/// directory or in a state directory.
///
/// `root` must be absolute and free of links. `depth` is the number of its components below the top
/// of its work tree.
#[must_use]
pub fn root_rule(root: &[u8], depth: Option<usize>) -> Option<&'static ProtectionRule> {
    let parts: Vec<&[u8]> = root
        .split(|&byte| byte == b'/')
        .filter(|part| !part.is_empty())
        .collect();
    let top = parts.len().saturating_sub(depth.unwrap_or(parts.len()));
    let rule = |index: usize| {
        let part = parts[index];
        // A linked work tree can be next to git's own directories, see `git worktree add`.
        let is_free = |after: &[u8]| index + 1 < top && !names::is_git_subdirectory(after);
        if names::is_git_directory(part)
            && !parts.get(index + 1).is_some_and(|after| is_free(after))
        {
            PROTECTION_RULES
                .iter()
                .find(|rule| rule.name == GIT_DIRECTORY_RULE)
        } else if names::is_state_directory(part) {
            PROTECTION_RULES
                .iter()
                .find(|rule| rule.name == STATE_DIRECTORY_RULE)
        } else {
            None
        }
    };
    (0..parts.len()).find_map(rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_closed_below_a_root_in_a_git_directory() {
        let rule = |root: &str, depth| root_rule(root.as_bytes(), depth).map(|rule| rule.name);
        for (root, depth) in [
            ("/r/.git", None),
            ("/r/.git/hooks", None),
            ("/r/.GIT/hooks", Some(2)),
            ("/r/sub/.git/x", Some(3)),
            // A repository inside one of git's own directories, or in `.git` itself.
            ("/r/.git/hooks", Some(0)),
            ("/r/.git/modules/m/x", Some(1)),
            ("/r/.git", Some(0)),
            ("/r/.git/x", Some(1)),
        ] {
            assert_eq!(
                rule(root, depth),
                Some(GIT_DIRECTORY_RULE),
                "{root} {depth:?}"
            );
        }
        assert_eq!(rule("/r/.wpatch/txn", None), Some(STATE_DIRECTORY_RULE));
        assert_eq!(rule("/r/.WPATCH-1000", Some(1)), Some(STATE_DIRECTORY_RULE));
        for (root, depth) in [
            ("/r", None),
            ("/", None),
            ("/r/.github", Some(1)),
            ("/r/.git/trees/x", Some(0)),
        ] {
            assert_eq!(rule(root, depth), None, "{root} {depth:?}");
        }
        assert_eq!(
            rule("/r/.git/trees/x/.git", Some(1)),
            Some(GIT_DIRECTORY_RULE)
        );
    }

    #[test]
    fn no_ordinary_path_is_hit_by_a_rule() {
        for rule in PROTECTION_RULES {
            let is_closed = |name: &&&str| {
                protecting_rule(&RelPath::new(name.as_bytes()).unwrap()) == Some(rule)
            };
            assert!(
                !rule.examples.is_empty() && rule.examples.iter().all(|name| is_closed(&name)),
                "{}",
                rule.name
            );
        }
        let protected = PROTECTION_RULES
            .iter()
            .flat_map(|rule| rule.examples)
            .chain(&["wpatch.toml", "wpatch~1.tom"]);
        let (mut ordinary, mut closed) = (0, 0);
        for name in protected {
            let upper = name.to_uppercase();
            let parts: Vec<_> = ["", "x", "\\", "C:", ".", "G", "w"]
                .iter()
                .flat_map(|first| [*name, &upper].map(|name| format!("{first}{name}")))
                .collect();
            for path in parts
                .iter()
                .flat_map(|part| ["", "a/", "a\\"].map(|above| format!("{above}{part}")))
            {
                for end in ["", " .", ":x", "/x", "\\x", "x", "\u{200b}"] {
                    let Ok(path) = RelPath::new(format!("{path}{end}").as_bytes()) else {
                        continue;
                    };
                    let is_hit = PROTECTION_RULES.iter().any(|rule| (rule.is_match)(&path))
                        || names::is_project_policy_file(&path);
                    assert!(!(is_hit && names::is_ordinary(&path)), "{path}");
                    ordinary += usize::from(names::is_ordinary(&path));
                    closed += usize::from(is_hit);
                }
            }
        }
        assert!(ordinary > 20 && closed > 200, "{ordinary} {closed}");
    }

    fn rule_for(path: &[u8]) -> Option<&'static str> {
        protecting_rule(&RelPath::new(path).unwrap()).map(|rule| rule.name)
    }

    #[test]
    fn every_spelling_of_the_git_directory_is_closed() {
        let spellings: [&[u8]; 16] = [
            b".git",
            b".GIT/config",
            b"sub/.Git/hooks/x",
            b".git. ./x",
            b".git /x",
            b".git::$INDEX_ALLOCATION/x",
            b".git:stream",
            b"GIT~1/config",
            b"git~1 .",
            ".g\u{200c}it/config".as_bytes(),
            ".git\u{feff}/x".as_bytes(),
            ".gi\u{206a}t".as_bytes(),
            ".gi\u{ad}t/config".as_bytes(),
            ".g\u{180b}it/config".as_bytes(),
            b".git\\hooks\\x",
            b"a\\.GIT\\x",
        ];
        for spelling in spellings {
            assert_eq!(
                rule_for(spelling),
                Some("git-directory"),
                "{}",
                crate::text::printable(spelling)
            );
        }
    }

    #[test]
    fn names_that_only_look_like_it_are_open() {
        let names: [&[u8]; 9] = [
            b".gitignore",
            b"foo.git/x",
            b".../x",
            b".gitkeep",
            b".git~x",
            b"git~2",
            b".github/x",
            b"a:b",
            "caf\u{e9}/\u{200c}x".as_bytes(),
        ];
        for name in names {
            let expected = (name == b"a:b").then_some("drive-letter");
            assert_eq!(rule_for(name), expected, "{}", crate::text::printable(name));
        }
    }

    #[test]
    fn the_state_directory_is_closed() {
        assert_eq!(rule_for(b".wpatch/journal"), Some("state-directory"));
        assert_eq!(rule_for(b"sub/.WPATCH. /x"), Some("state-directory"));
        assert_eq!(rule_for(b".wpatch-index/index"), Some("state-directory"));
    }

    #[test]
    fn names_of_other_systems_do_not_lead_out() {
        assert_eq!(rule_for(b"C:\\Windows\\x"), Some("drive-letter"));
        assert_eq!(rule_for(b"..\\x"), Some("backslash-parent"));
    }
}
