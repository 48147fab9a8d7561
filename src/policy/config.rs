//! Protects the directory with the user's configuration of wpatch, even if it does not exist.

use super::{RootLocation, names};
use crate::path::RelPath;

/// The position of the directory relative to the root.
#[derive(Clone, Debug, Default)]
pub(super) struct ConfigPosition {
    /// The paths of the directory, if it is below the root.
    paths_below_root: Vec<RelPath>,
    /// Whether the directory is the root or contains it.
    is_root_or_above: bool,
}

impl ConfigPosition {
    pub(super) fn of(place: &RootLocation) -> Self {
        let mut config = Self::default();
        for (root, directory) in place
            .roots
            .iter()
            .flat_map(|root| place.configs.iter().map(move |it| (root, it)))
        {
            let (root, directory) = (components(root), components(directory));
            // `zip` stops at the shorter path, so this skips paths that do not contain each other.
            if root
                .iter()
                .zip(&directory)
                .any(|(part, name)| !names::is_spelling_of(part, name))
            {
                continue;
            }
            match directory.get(root.len()..).map(|rest| rest.join(&b'/')) {
                Some(rest) if !rest.is_empty() => {
                    config.paths_below_root.extend(RelPath::new(&rest));
                }
                _ => config.is_root_or_above = true,
            }
        }
        config
    }

    /// Returns whether no path below the root can be in the directory or above it.
    pub(super) fn is_unrelated_to_root(&self) -> bool {
        !self.is_root_or_above && self.paths_below_root.is_empty()
    }

    /// Returns whether `path` is in the directory or above it.
    pub(super) fn is_protected(&self, path: &RelPath) -> bool {
        let meets = |directory: &RelPath| {
            names::is_at_or_above(path, directory)
                || names::strip_directory(path, directory).is_some()
        };
        self.is_root_or_above || self.paths_below_root.iter().any(meets)
    }
}

fn components(name: &[u8]) -> Vec<&[u8]> {
    name.split(|&byte| byte == b'/')
        .filter(|part| !part.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_the_directory_or_on_the_way_to_it_is_protected_from_every_root() {
        let is_hit = |root: &str, path: &str| {
            let configs = vec![b"/home/me/.config/wpatch".to_vec()];
            let place = RootLocation {
                roots: vec![root.into()],
                configs,
                ..RootLocation::default()
            };
            ConfigPosition::of(&place).is_protected(&RelPath::new(path.as_bytes()).unwrap())
        };
        for (root, path) in [
            ("/home/me", ".config/wpatch/config.toml"),
            ("/home/me", ".config/WPATCH/x/y"),
            ("/home/me", ".config/wpatch"),
            ("/home/me", ".config"),
            ("", "home/me/.config/wpatch/x"),
            ("/", "home/me/.config/wpatch/x"),
            ("/home/me/.config", "wpatch/x"),
            ("/home/me/.config/wpatch", "config.toml"),
            ("/home/me/.config/wpatch/x", "y"),
        ] {
            assert!(is_hit(root, path), "{root} {path}");
        }
        for (root, path) in [
            ("/home/me", ".config/other/x"),
            ("/home/me/.config", "x"),
            ("/srv", "wpatch/x"),
        ] {
            assert!(!is_hit(root, path), "{root} {path}");
        }
    }
}
