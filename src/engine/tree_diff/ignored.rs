//! The rules of `.gitignore` files, see gitignore(5).

use std::path::Path;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::TreeResult;
use crate::path::{RelPath, os_path};
use crate::text::without_bom;
use crate::workspace::{Directory, ErrorKind, Workspace};

/// The maximum size of a file with rules, in bytes.
const MAX_RULES: u64 = 16 << 20;

/// The rules that apply to the current directory of a walk, and to the directories above it.
#[derive(Debug, Default)]
pub(super) struct IgnoreRules {
    /// The rules of each directory, from the top down.
    levels: Vec<Level>,
}

#[derive(Debug)]
struct Level {
    /// The number of bytes at the start of a path that name the directory.
    prefix: usize,
    /// The rules, in the order of their precedence. At the top, the rules of `.git/info/exclude` are the
    /// last ones.
    rules: Vec<Gitignore>,
}

impl IgnoreRules {
    /// Reads the rules in `directory`. Without a tree, there are none.
    pub(super) fn enter(
        &mut self,
        directory: Directory<'_>,
        tree: Option<&dyn Workspace>,
    ) -> TreeResult<()> {
        let mut rules = Vec::new();
        if let Some(tree) = tree {
            let file = match directory {
                None => RelPath::new(b".gitignore"),
                Some(directory) => directory.join(b".gitignore"),
            };
            if let Ok(file) = file {
                rules.extend(read_rules(&file, tree)?);
            }
            if let (None, Ok(exclude)) = (directory, RelPath::new(b".git/info/exclude")) {
                rules.extend(read_rules(&exclude, tree)?);
            }
        }
        let prefix = directory.map_or(0, |directory| directory.as_bytes().len() + 1);
        self.levels.push(Level { prefix, rules });
        Ok(())
    }

    /// Drops the rules of the current directory.
    pub(super) fn leave(&mut self) {
        self.levels.pop();
    }

    /// Returns whether the rules ignore `path` in the current directory. The rules of the lowest
    /// directory have precedence.
    pub(super) fn is_ignored(&self, path: &RelPath, is_directory: bool) -> bool {
        for level in self.levels.iter().rev() {
            let Some(below) = os_path(&path.as_bytes()[level.prefix..]) else {
                continue;
            };
            for rules in &level.rules {
                match rules.matched(below, is_directory) {
                    Match::None => {}
                    found => return found.is_ignore(),
                }
            }
        }
        false
    }
}

/// Returns the rules in `file`, if it is a regular file. A line that is no valid rule is skipped, as
/// in git.
fn read_rules(file: &RelPath, tree: &dyn Workspace) -> TreeResult<Option<Gitignore>> {
    let text = match tree.read(file, MAX_RULES) {
        Ok((text, _)) => text,
        Err(error) => {
            return match error.kind {
                ErrorKind::Missing
                | ErrorKind::NotRegular
                | ErrorKind::NotDirectory
                | ErrorKind::ThroughLink
                | ErrorKind::TooLarge => Ok(None),
                _ => Err(error.into()),
            };
        }
    };
    let mut builder = GitignoreBuilder::new(Path::new(""));
    for line in String::from_utf8_lossy(without_bom(&text)).lines() {
        let _ = builder.add_line(None, &escape_braces(line));
    }
    Ok(builder.build().ok())
}

/// Returns `line` with a backslash before each brace. gitignore(5) gives braces no meaning, but the
/// patterns of the builder have alternatives.
fn escape_braces(line: &str) -> String {
    let mut escaped = String::with_capacity(line.len());
    let mut is_escaped = false;
    for character in line.chars() {
        if matches!(character, '{' | '}') && !is_escaped {
            escaped.push('\\');
        }
        escaped.push(character);
        is_escaped = character == '\\' && !is_escaped;
    }
    escaped
}
