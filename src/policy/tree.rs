//! Facts about a tree that its names do not show: git directories and control files with unusual
//! names.
//!
//! The caller finds them and passes them to the policy, which reads no files.

use super::protected::ROOT_IN_GIT_DIRECTORY;
use super::{
    GIT_DIRECTORY_RULE, Policy, ProtectionRule, control, names, protecting_rule, root_rule,
};
use crate::path::RelPath;

/// The role of a directory for git, the strictest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum GitDirectoryRole {
    /// The top of a work tree. The files below it do not belong to a git directory above it.
    WorkTree,
    /// A directory from which git runs hooks.
    Hooks,
    /// A file that git's configuration names.
    Configuration,
    /// A bare repository.
    Bare,
    /// The git directory of a work tree.
    Directory,
    /// A directory to which a `.git` refers.
    Referenced,
}

/// The reason why `hook` and `mcp` ask before a file in a bare repository is changed.
const BARE_REASON: &str =
    "the path is in a bare git repository, whose configuration can run commands";
/// The reason why `hook` and `mcp` ask before a hook is changed.
const HOOKS_REASON: &str = "the path is in the directory of git hooks (`core.hooksPath`)";
/// The reason why `hook` and `mcp` ask before a file that git's configuration names is changed.
const CONFIGURATION: &str = "git's configuration names the file, which can make git run commands";
/// The reason why `hook` and `mcp` ask before any file of a very large tree is changed.
const UNSEARCHED_REASON: &str = "the tree has more than 1,000,000 names, and a control file that was not searched can be a \
     link to the path";
/// The facts that were found in a tree.
#[derive(Clone, Debug, Default)]
pub(super) struct TreeFacts {
    /// The directories of git. `None` is the root.
    git_directories: Vec<(Option<RelPath>, GitDirectoryRole)>,
    /// Other names of control files, or of directories above them: the other name (`None` is the
    /// root), and the path of the control file.
    aliases: Vec<(Option<RelPath>, RelPath)>,
    /// Control files with several names, by device and inode.
    hard_links: Vec<((u64, u64), RelPath)>,
    /// Whether the tree has too many names to search all of them for control files.
    has_unsearched_names: bool,
    /// The number of components of the root below the top of its work tree. `None` if the root is
    /// in no work tree, or if this is unknown.
    pub(super) root_depth: Option<usize>,
    /// The rule that protects everything below the root.
    pub(super) root_rule: Option<&'static ProtectionRule>,
}

impl TreeFacts {
    pub(super) fn has_git_directories(&self) -> bool {
        !self.git_directories.is_empty()
    }

    /// Returns the strictest kind of git directory that contains `path`.
    ///
    /// A git directory does not count if a work tree next to git's own directories contains the
    /// path.
    fn enclosing_git_role(&self, path: &RelPath) -> Option<GitDirectoryRole> {
        let is_around = |directory: &RelPath| names::strip_directory(path, directory).is_some();
        let around = || {
            self.git_directories
                .iter()
                .filter(|(directory, _)| directory.as_ref().is_none_or(is_around))
        };
        let tops = || {
            around()
                .filter(|(_, place)| *place == GitDirectoryRole::WorkTree)
                .filter_map(|(top, _)| top.as_ref())
        };
        let is_free =
            |git: &Option<RelPath>| tops().any(|top| is_separate_work_tree(top, git.as_ref()));
        let places =
            around().filter(|(git, place)| *place != GitDirectoryRole::WorkTree && !is_free(git));
        places.map(|(_, place)| *place).max()
    }
}

/// Returns whether the work tree `top` is below the git directory `git` (`None` is the root), next
/// to the directories that git creates there. A repository inside one of git's own directories, for
/// example `hooks`, does not make its files free.
fn is_separate_work_tree(top: &RelPath, git: Option<&RelPath>) -> bool {
    let rest = git
        .map_or_else(
            || Some(top.as_bytes().to_vec()),
            |git| names::strip_directory(top, git),
        )
        .unwrap_or_default();
    let first = rest.split(|&byte| byte == b'/').next().unwrap_or_default();
    !first.is_empty() && !names::is_git_subdirectory(first)
}

impl Policy {
    /// Returns this policy for a tree that contains `places`; `None` is the root.
    #[must_use]
    pub fn with_git_directories(&self, places: &[(Option<RelPath>, GitDirectoryRole)]) -> Self {
        let git = [&self.tree.git_directories[..], places].concat();
        Self {
            tree: TreeFacts {
                git_directories: git,
                ..self.tree.clone()
            },
            ..self.clone()
        }
    }

    /// Returns this policy for the root `root`, an absolute path without links. `depth` is the
    /// number of its components below the top of its work tree, if it is in one.
    #[must_use]
    pub fn for_root(&self, root: &[u8], depth: Option<usize>) -> Self {
        let tree = TreeFacts {
            root_depth: depth,
            root_rule: root_rule(root, depth),
            ..self.tree.clone()
        };
        let mut place = self.location.clone();
        if !place.roots.iter().any(|known| known == root) {
            place.roots.push(root.to_vec());
        }
        Self {
            location: place,
            tree,
            ..self.clone()
        }
    }

    /// Returns this policy for a root inside a git directory of any name.
    #[must_use]
    pub fn for_git_directory(&self) -> Self {
        let closed_root = self.tree.root_rule.or(Some(ROOT_IN_GIT_DIRECTORY));
        Self {
            tree: TreeFacts {
                root_rule: closed_root,
                ..self.tree.clone()
            },
            ..self.clone()
        }
    }

    /// Returns whether `path` is in a git directory or a bare repository, but not in a work tree
    /// inside of it.
    #[must_use]
    pub fn is_in_git_or_bare_directory(&self, path: &RelPath) -> bool {
        self.tree.enclosing_git_role(path).is_some()
    }

    /// Returns this policy for a tree in which control files have other names.
    ///
    /// `aliases` are symbolic links (`None` is the root), each with the path of the control file.
    /// `hard_links` are the control files with several names, by device and inode.
    #[must_use]
    pub fn with_aliases(
        &self,
        aliases: &[(Option<RelPath>, RelPath)],
        hard_links: &[((u64, u64), RelPath)],
    ) -> Self {
        let aliases = [&self.tree.aliases[..], aliases].concat();
        let hard_links = [&self.tree.hard_links[..], hard_links].concat();
        Self {
            tree: TreeFacts {
                aliases,
                hard_links,
                ..self.tree.clone()
            },
            ..self.clone()
        }
    }

    /// Returns this policy for a tree with too many names to find all control files.
    #[must_use]
    pub fn with_unsearched_names(&self) -> Self {
        Self {
            tree: TreeFacts {
                has_unsearched_names: true,
                ..self.tree.clone()
            },
            ..self.clone()
        }
    }

    /// Returns whether the tree contains directories of git with other names than `.git`.
    #[must_use]
    pub fn has_git_directories(&self) -> bool {
        self.tree.has_git_directories()
    }

    /// Returns whether a control file has several hard links.
    #[must_use]
    pub fn has_hard_links(&self) -> bool {
        !self.tree.hard_links.is_empty() || self.any_root(Self::has_hard_links)
    }

    /// Returns the control file with this device and inode, if it has several hard links.
    #[must_use]
    pub fn control_file_by_inode(&self, identity: (u64, u64)) -> Option<&RelPath> {
        self.tree
            .hard_links
            .iter()
            .find(|(known, _)| *known == identity)
            .map(|(_, path)| path)
            .or_else(|| {
                let mut roots = self.roots().iter();
                roots.find_map(|(_, policy)| policy.control_file_by_inode(identity))
            })
    }

    /// Returns whether `path` is in a git directory or in the state directory.
    #[must_use]
    pub fn is_protected(&self, path: &RelPath) -> bool {
        self.protecting_rule(path).is_some() || self.is_in_git_directory(path)
    }

    /// Returns the rule that protects `path`, because of its name or the name of the root.
    ///
    /// As with `git apply`, a person can select a root inside a git directory and change files
    /// there. A model cannot.
    pub(super) fn protecting_rule(&self, path: &RelPath) -> Option<&'static ProtectionRule> {
        let holds = |rule: &&ProtectionRule| self.for_model || rule.name != GIT_DIRECTORY_RULE;
        self.tree
            .root_rule
            .filter(holds)
            .or_else(|| protecting_rule(path))
    }

    pub(super) fn is_in_git_directory(&self, path: &RelPath) -> bool {
        matches!(
            self.tree.enclosing_git_role(path),
            Some(GitDirectoryRole::Referenced | GitDirectoryRole::Directory)
        )
    }

    /// Returns the reason why `path` is a control file by its name, or `None`.
    #[must_use]
    pub fn control_reason(&self, path: &RelPath) -> Option<String> {
        control::controlled_program(path, &self.location, self.tree.root_depth)
            .map(|program| format!("the path controls {program}"))
    }

    /// Returns the reason why `path` is a control file other than by its name.
    pub(crate) fn tree_reason(&self, path: &RelPath) -> Option<String> {
        match self.tree.enclosing_git_role(path) {
            Some(GitDirectoryRole::Bare) => return Some(BARE_REASON.to_owned()),
            Some(GitDirectoryRole::Hooks) => return Some(HOOKS_REASON.to_owned()),
            Some(GitDirectoryRole::Configuration) => return Some(CONFIGURATION.to_owned()),
            _ => {}
        }
        let alias = self.tree.aliases.iter().find_map(|(target, name)| {
            let rest = target.as_ref().map_or_else(
                || Some(path.as_bytes().to_vec()),
                |target| names::strip_directory(path, target),
            )?;
            let real = if rest.is_empty() {
                name.clone()
            } else {
                name.join(&rest).ok()?
            };
            let program = control::controlled_program(&real, &self.location, self.tree.root_depth)?;
            Some(format!(
                "the path is a link to {real}, which controls {program}"
            ))
        });
        alias.or_else(|| {
            self.tree
                .has_unsearched_names
                .then(|| UNSEARCHED_REASON.to_owned())
        })
    }
}
