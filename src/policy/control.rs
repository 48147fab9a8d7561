//! Control files: files that control what an agent, an editor or a CI system executes, or which
//! instructions an agent follows.
//!
//! `hook` and `mcp` ask before they change such a file. [`control_files`](super::control_files)
//! contains the table.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::{RootLocation, control_files, names};
use crate::path::RelPath;

/// The name of the rule in reports.
pub(super) const CONTROL_FILES_RULE: &str = "control-files";

/// The setting of the rule, least strict first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ControlFileSetting {
    /// The rule is off (`control_files = false`).
    Off,
    /// `hook` and `mcp` ask.
    #[default]
    Ask,
}

/// Returns each path of the table and the program that it controls.
pub fn control_paths() -> impl Iterator<Item = (&'static str, &'static str)> {
    control_files::rows().flat_map(|files| files.paths.iter().map(|path| (*path, files.program)))
}

/// The suffix of workspace files of Visual Studio Code.
const WORKSPACE_SUFFIX: &[u8] = b".code-workspace";

/// Returns whether a path with the component `part` can match the table. The name `HEAD`, which
/// `controlled_program` also knows, is not in the table.
#[must_use]
pub fn is_control_component(part: &[u8]) -> bool {
    static PARTS: LazyLock<HashSet<Vec<u8>>> = LazyLock::new(|| {
        let parts = control_paths().flat_map(|(path, _)| path.split('/'));
        parts
            .map(|part| part.to_ascii_lowercase().into_bytes())
            .collect()
    });
    !part.is_ascii()
        || names::has_suffix(part, WORKSPACE_SUFFIX)
        || PARTS.contains(&part.to_ascii_lowercase())
}

/// Returns the program that `path` controls.
///
/// The root is at `place`. Its last `depth` components are below the top of its work tree.
pub(super) fn controlled_program(
    path: &RelPath,
    place: &RootLocation,
    depth: Option<usize>,
) -> Option<&'static str> {
    let parts: Vec<&[u8]> = names::components(path).collect();
    if parts
        .last()
        .is_some_and(|name| names::has_suffix(name, WORKSPACE_SUFFIX))
    {
        return Some("Visual Studio Code");
    }
    // A file with this name can turn a directory into a git directory, see `is_git_directory` in
    // git's `setup.c`. With other case it is an ordinary name.
    if parts.last() == Some(&&b"HEAD"[..]) {
        return Some("git");
    }
    // The first components of a match may be above the root. Its last component must be below the
    // top of the work tree or below the home, because a work tree can be in a directory such as
    // `.codex/worktrees`.
    let above = |root: &Vec<u8>| {
        let parts = components(root);
        let top = depth.map_or(0, |depth| parts.len().saturating_sub(depth));
        let homes = place
            .homes
            .iter()
            .map(|home| components(home))
            .filter(|home| parts.starts_with(home));
        let end = homes.map(|home| home.len()).max().unwrap_or(0).max(top);
        (parts, end)
    };
    let roots: Vec<(Vec<Vec<u8>>, usize)> = if place.roots.is_empty() {
        vec![(Vec::new(), 0)]
    } else {
        place.roots.iter().map(above).collect()
    };
    let is_control = |wanted: &str| {
        let wanted: Vec<&[u8]> = wanted.split('/').map(str::as_bytes).collect();
        roots
            .iter()
            .any(|(root, end)| is_match(&wanted, (root, *end), &parts))
    };
    control_files::rows()
        .find(|files| files.paths.iter().any(|wanted| is_control(wanted)))
        .map(|files| files.program)
}

fn components(name: &[u8]) -> Vec<Vec<u8>> {
    name.split(|&byte| byte == b'/')
        .map(<[u8]>::to_vec)
        .collect()
}

/// Returns whether the components `above` and `below` the root contain `wanted`.
///
/// The match must end after the first `least` components. A path that ends within `wanted` also
/// matches, because a file there would replace a directory of the control file.
fn is_match(wanted: &[&[u8]], (above, least): (&[Vec<u8>], usize), below: &[&[u8]]) -> bool {
    let parts: Vec<&[u8]> = above
        .iter()
        .map(Vec::as_slice)
        .chain(below.iter().copied())
        .collect();
    (0..parts.len()).any(|start| {
        // `zip` stops at the shorter side, so a file `.github` matches `.github/workflows`.
        let way = parts[start..].iter().zip(wanted);
        let length = way.clone().count();
        start + length > least
            && way
                .into_iter()
                .all(|(part, name)| names::is_spelling_of(part, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(root: &str, name: &str) -> Option<&'static str> {
        found_below(root, None, name)
    }

    fn found_below(root: &str, depth: Option<usize>, name: &str) -> Option<&'static str> {
        let roots = if root.is_empty() {
            Vec::new()
        } else {
            vec![root.into()]
        };
        let place = RootLocation {
            roots,
            homes: vec![b"/home/me".to_vec()],
            ..RootLocation::default()
        };
        controlled_program(&RelPath::new(name.as_bytes()).unwrap(), &place, depth)
    }

    #[test]
    fn every_file_of_the_table_is_found_in_every_spelling() {
        for files in control_files::rows() {
            assert!(
                files.source.contains("://")
                    || files.source.contains("(1)")
                    || files.source.contains("(5)")
            );
            for path in files.paths {
                let spellings = [
                    (*path).to_owned(),
                    path.to_uppercase(),
                    format!("sub/{path}"),
                    format!("{path}/below"),
                    format!("{path}. "),
                    format!("{path}::$DATA"),
                    path.replace('/', "\\"),
                    path.replace('e', "e\u{200b}"),
                    path.split('/').next().unwrap().to_owned(),
                ];
                for spelling in spellings {
                    assert!(found("", &spelling).is_some(), "{spelling}");
                    assert!(found("/srv/p", &spelling).is_some(), "{spelling}");
                }
            }
        }
        assert_eq!(found("", "p.Code-Workspace"), Some("Visual Studio Code"));
    }

    #[test]
    fn other_files_are_not_found() {
        for name in [
            "a",
            "src/main.rs",
            "claude.md2",
            ".claude/plans/plan.md",
            ".claude/projects/p/memory/MEMORY.md",
            ".github/CODEOWNERS",
            "settings.json",
            "hooks/x",
            "workflows/ci.yml",
            ".vscode/snippets.json",
            "package.json",
            "Makefile",
            ".env",
            "config",
            "docs/AGENTS.md.txt",
            ".cargo/credentials.toml",
        ] {
            assert_eq!(found("/srv/p", name), None, "{name}");
        }
    }

    #[test]
    fn the_way_to_a_file_may_begin_above_the_root() {
        assert_eq!(
            found("/srv/p/.claude", "settings.json"),
            Some("Claude Code")
        );
        assert_eq!(
            found("/srv/p/.github", "workflows/ci.yml"),
            Some("GitHub Actions")
        );
        assert_eq!(
            found_below("/home/me/.codex/worktrees/p", Some(0), "src/a.rs"),
            None
        );
        assert_eq!(
            found_below("/home/me/.cursor/worktrees/p/src", Some(1), "a.rs"),
            None
        );
    }

    #[test]
    fn a_root_in_the_directory_of_a_row_does_not_switch_the_row_off() {
        for files in control_files::rows() {
            for path in files.paths {
                let depth = path.split('/').count();
                for (root, depth) in [
                    ("/srv/p", None),
                    ("/srv/p", Some(depth)),
                    ("/home/me", None),
                ] {
                    let (root, other) = (format!("{root}/{path}"), format!("{root}/x/{path}/y"));
                    assert!(found_below(&root, depth, "x").is_some(), "{root} {depth:?}");
                    let deeper = depth.map(|depth| depth + 2);
                    assert!(
                        found_below(&other, deeper, "x").is_some(),
                        "{other} {deeper:?}"
                    );
                }
                let top = format!("/srv/{path}/p");
                assert_eq!(found_below(&top, Some(0), "x"), None, "{top}");
            }
        }
        assert_eq!(
            found_below("/srv/.codex/p/.github/workflows", Some(2), "x.yml"),
            Some("GitHub Actions")
        );
    }
}
