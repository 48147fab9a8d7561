//! Protects credentials.

use serde::de::{Deserialize, Deserializer, Error, Visitor};

use super::places::{
    AT_HOME, IN_ETC, IN_RUN, Protection, STRICT_NAMES, STRICT_PREFIXES, STRICT_SUFFIXES,
    STRICT_TEMPLATES, SecretPath,
};
use super::{Access, RootLocation, names};
use crate::path::RelPath;

/// A protected directory in a home, and the files directly in it that are not protected.
const SSH_DIRECTORY: &[u8] = b".ssh";
const UNPROTECTED_IN_SSH: [&[u8]; 4] = [
    b"config",
    b"known_hosts",
    b"known_hosts.old",
    b"authorized_keys",
];

/// The files that are protected as credentials, the fewest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SecretsSetting {
    /// None.
    Off,
    /// The files in the known places for credentials, in a home and in the system.
    #[default]
    Places,
    /// Also files with the names of credentials in any directory.
    Strict,
}

impl<'de> Deserialize<'de> for SecretsSetting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SecretsVisitor;
        impl Visitor<'_> for SecretsVisitor {
            type Value = SecretsSetting;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("true, false or \"strict\"")
            }

            fn visit_bool<E: Error>(self, is_on: bool) -> Result<SecretsSetting, E> {
                Ok(if is_on {
                    SecretsSetting::Places
                } else {
                    SecretsSetting::Off
                })
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<SecretsSetting, E> {
                if word == "strict" {
                    Ok(SecretsSetting::Strict)
                } else {
                    Err(E::invalid_value(Unexpected::Str(word), &self))
                }
            }
        }
        use serde::de::Unexpected;
        deserializer.deserialize_any(SecretsVisitor)
    }
}

/// A directory of the system that contains credentials.
struct SecretsDirectory {
    secrets: &'static [SecretPath],
    /// Whether it contains `.ssh`, in which only [`UNPROTECTED_IN_SSH`] is not protected.
    has_ssh: bool,
}

static HOME: SecretsDirectory = SecretsDirectory {
    secrets: AT_HOME,
    has_ssh: true,
};
static ETC: SecretsDirectory = SecretsDirectory {
    secrets: IN_ETC,
    has_ssh: false,
};
static RUN: SecretsDirectory = SecretsDirectory {
    secrets: IN_RUN,
    has_ssh: false,
};

/// The credentials below a root.
#[derive(Clone, Debug, Default)]
pub(super) struct Secrets {
    positions: Vec<DirectoryPosition>,
    is_strict: bool,
}

/// The relative position of the root and a directory that contains credentials.
#[derive(Clone)]
struct DirectoryPosition {
    /// The components from the directory down to the root.
    above_root: Vec<Vec<u8>>,
    /// The components from the root down to the directory.
    below_root: Vec<Vec<u8>>,
    secrets_directory: &'static SecretsDirectory,
}

impl std::fmt::Debug for DirectoryPosition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DirectoryPosition")
            .field("above_root", &self.above_root)
            .field("below_root", &self.below_root)
            .finish_non_exhaustive()
    }
}

impl Secrets {
    pub(super) fn of(place: &RootLocation, secrecy: SecretsSetting) -> Self {
        let mut scopes = Vec::new();
        if secrecy > SecretsSetting::Off {
            for root in &place.roots {
                let areas = [(&b"/etc"[..], &ETC), (b"/run", &RUN), (b"/var/run", &RUN)];
                scopes.extend(
                    areas.into_iter().filter_map(|(directory, area)| {
                        DirectoryPosition::of(root, directory, area)
                    }),
                );
                scopes.extend(
                    place
                        .homes
                        .iter()
                        .filter_map(|home| DirectoryPosition::of(root, home, &HOME)),
                );
            }
        }
        Self {
            positions: scopes,
            is_strict: secrecy == SecretsSetting::Strict,
        }
    }

    /// Returns whether no path below the root can be protected.
    pub(super) fn is_empty(&self) -> bool {
        self.positions.is_empty() && !self.is_strict
    }

    pub(super) fn is_protected(&self, path: &RelPath, access: Access) -> bool {
        self.positions
            .iter()
            .any(|scope| scope.is_protected(path, access))
            || self.is_strict && access == Access::Read && is_strict_name(path.name())
    }
}

impl DirectoryPosition {
    /// Returns `None` if the root and `directory` do not contain each other, or if no path below
    /// the root can be protected.
    fn of(root: &[u8], directory: &[u8], area: &'static SecretsDirectory) -> Option<Self> {
        let parts = |name: &[u8]| -> Vec<Vec<u8>> {
            name.split(|&byte| byte == b'/')
                .filter(|part| !part.is_empty())
                .map(<[u8]>::to_vec)
                .collect()
        };
        let (root, directory) = (parts(root), parts(directory));
        if let Some(before) = root.strip_prefix(&directory[..]) {
            let way: Vec<&[u8]> = before.iter().map(Vec::as_slice).collect();
            return area.can_contain_secret(&way).then(|| Self {
                above_root: before.to_vec(),
                below_root: Vec::new(),
                secrets_directory: area,
            });
        }
        let below_root = directory.strip_prefix(&root[..])?.to_vec();
        Some(Self {
            above_root: Vec::new(),
            below_root,
            secrets_directory: area,
        })
    }

    fn is_protected(&self, path: &RelPath, access: Access) -> bool {
        let mut parts = names::components(path);
        if !self.below_root.iter().all(|wanted| {
            parts
                .next()
                .is_some_and(|part| names::is_spelling_of(part, wanted))
        }) {
            return false;
        }
        let way: Vec<&[u8]> = self
            .above_root
            .iter()
            .map(Vec::as_slice)
            .chain(parts)
            .collect();
        self.secrets_directory.is_protected(&way, access)
    }
}

impl SecretsDirectory {
    /// Returns whether a path is protected. `way` are its components below the directory.
    fn is_protected(&self, way: &[&[u8]], access: Access) -> bool {
        let is_closed_in_ssh = match way {
            [first, rest @ ..] if self.has_ssh && names::is_spelling_of(first, SSH_DIRECTORY) => {
                match rest {
                    // Listing the names in `.ssh` is allowed.
                    [] => access != Access::Read,
                    // Only the exact spelling: with other case, the name can be another file.
                    [name] => !UNPROTECTED_IN_SSH.contains(name),
                    _ => true,
                }
            }
            _ => false,
        };
        let closes =
            |secret: &SecretPath| secret.protection == Protection::All || access != Access::Read;
        let is_there = |secret: &SecretPath| {
            let mut parts = way.iter();
            secret.path.split('/').all(|name| {
                parts
                    .next()
                    .is_some_and(|part| names::is_spelling_of(part, name.as_bytes()))
            })
        };
        is_closed_in_ssh
            || self
                .secrets
                .iter()
                .any(|secret| closes(secret) && is_there(secret))
    }

    /// Returns whether a path at or below `way` can be protected. `zip` stops at the shorter side,
    /// so a directory above a secret counts.
    fn can_contain_secret(&self, way: &[&[u8]]) -> bool {
        let leads = |secret: &SecretPath| {
            way.iter()
                .zip(secret.path.split('/'))
                .all(|(part, name)| names::is_spelling_of(part, name.as_bytes()))
        };
        let is_ssh = self.has_ssh
            && way
                .first()
                .is_some_and(|first| names::is_spelling_of(first, SSH_DIRECTORY));
        is_ssh || self.secrets.iter().any(leads)
    }
}

/// Returns whether `name` is a file name that [`SecretsSetting::Strict`] protects.
fn is_strict_name(name: &[u8]) -> bool {
    let is_one = |names: &[&str]| {
        names
            .iter()
            .any(|known| names::is_spelling_of(name, known.as_bytes()))
    };
    let begins = || {
        STRICT_PREFIXES
            .iter()
            .any(|start| names::has_prefix(name, start.as_bytes()))
    };
    is_one(STRICT_NAMES)
        || begins() && !is_one(STRICT_TEMPLATES)
        || STRICT_SUFFIXES
            .iter()
            .any(|end| names::has_suffix(name, end.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_the_table_is_closed_and_has_a_source() {
        let homes = || vec![b"/home/me".to_vec()];
        for (root, secrets) in [
            ("/home/me", AT_HOME),
            ("/etc", IN_ETC),
            ("/run", IN_RUN),
            ("/var/run", IN_RUN),
        ] {
            for SecretPath {
                path,
                protection,
                source,
            } in secrets
            {
                assert!(source.contains("://") || source.contains('('), "{path}");
                let (first, last) = path.rsplit_once('/').unwrap_or(("", path));
                for (root, name) in [
                    (root.to_owned(), (*path).to_owned()),
                    (root.to_owned(), path.to_uppercase()),
                    (root.to_owned(), format!("{path}/below")),
                    (
                        format!("{root}/{first}").trim_end_matches('/').to_owned(),
                        last.to_owned(),
                    ),
                    (String::new(), format!("{}/{path}", &root[1..])),
                ] {
                    let place = RootLocation {
                        roots: vec![root.clone().into()],
                        homes: homes(),
                        ..RootLocation::default()
                    };
                    let secrets = Secrets::of(&place, SecretsSetting::Places);
                    let path = RelPath::new(name.as_bytes()).unwrap();
                    assert!(
                        secrets.is_protected(&path, Access::Modify)
                            && secrets.is_protected(&path, Access::Create),
                        "{root} {name}"
                    );
                    let is_readable =
                        *protection == Protection::Write && name.ends_with("authorized_keys");
                    assert_eq!(
                        secrets.is_protected(&path, Access::Read),
                        !is_readable,
                        "{root} {name}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_project_in_a_home_costs_nothing() {
        for root in [
            "/home/me/work",
            "/home/me/.config/other",
            "/srv/p",
            "/home/me/.local/share/x",
        ] {
            let place = RootLocation {
                roots: vec![root.into()],
                homes: vec![b"/home/me".to_vec()],
                ..RootLocation::default()
            };
            assert!(
                Secrets::of(&place, SecretsSetting::Places).is_empty(),
                "{root}"
            );
        }
    }
}
