//! Where people keep credentials.

use serde::de::{Deserialize, Deserializer, Error, Visitor};

use super::{Access, Place, names};
use crate::path::RelPath;

/// Closed with everything below, in a home.
const AT_HOME: [&[u8]; 6] = [b".aws", b".gnupg", b".kube", b".docker", b".netrc", b".pgpass"];
/// Closed but for a few files directly in it, in a home.
const SSH: &[u8] = b".ssh";
const OPEN_IN_SSH: [&[u8]; 4] = [b"config", b"known_hosts", b"known_hosts.old", b"authorized_keys"];
/// Closed with everything below, in `/etc`.
const IN_ETC: [&[u8]; 4] = [b"shadow", b"gshadow", b"sudoers", b"sudoers.d"];
/// Closed for reading wherever they are, where that is asked for: whole names, and ends of names.
const STRICT_NAMES: [&[u8]; 2] = [b".env", b".git-credentials"];
const STRICT_ENDS: [&[u8]; 4] = [b".pem", b".key", b".p12", b".pfx"];

/// How much is taken for a secret, the least first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Secrecy {
    /// Nothing.
    Off,
    /// What is in the places of a home and of a system where credentials are kept.
    #[default]
    Places,
    /// Also files with such names, wherever they are.
    Strict,
}

impl<'de> Deserialize<'de> for Secrecy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Word;
        impl Visitor<'_> for Word {
            type Value = Secrecy;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("true, false or \"strict\"")
            }

            fn visit_bool<E: Error>(self, is_on: bool) -> Result<Secrecy, E> {
                Ok(if is_on { Secrecy::Places } else { Secrecy::Off })
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Secrecy, E> {
                if word == "strict" { Ok(Secrecy::Strict) } else { Err(E::invalid_value(Unexpected::Str(word), &self)) }
            }
        }
        use serde::de::Unexpected;
        deserializer.deserialize_any(Word)
    }
}

/// What is secret below a root.
#[derive(Clone, Debug, Default)]
pub(super) struct Secrets {
    scopes: Vec<Scope>,
    is_strict: bool,
}

/// How a directory with secret places and the root lie to each other.
#[derive(Clone, Debug)]
struct Scope {
    /// The way from the directory down to the root.
    before: Vec<Vec<u8>>,
    /// The way from the root down to the directory.
    behind: Vec<Vec<u8>>,
    is_closed: fn(&[&[u8]], Access) -> bool,
}

impl Secrets {
    pub(super) fn of(place: &Place, secrecy: Secrecy) -> Self {
        let mut scopes = Vec::new();
        if secrecy > Secrecy::Off {
            for root in &place.roots {
                scopes.extend(Scope::of(root, b"/etc", is_closed_in_etc));
                scopes.extend(place.homes.iter().filter_map(|home| Scope::of(root, home, is_closed_at_home)));
            }
        }
        Self { scopes, is_strict: secrecy == Secrecy::Strict }
    }

    /// Returns whether nothing below the root can be secret.
    pub(super) fn are_none(&self) -> bool {
        self.scopes.is_empty() && !self.is_strict
    }

    pub(super) fn is_hit(&self, path: &RelPath, access: Access) -> bool {
        self.scopes.iter().any(|scope| scope.is_hit(path, access))
            || self.is_strict && access == Access::Read && is_strict_name(path.name())
    }
}

impl Scope {
    /// `None` if nothing below `root` is below `directory`, or nothing of that can be secret.
    fn of(root: &[u8], directory: &[u8], is_closed: fn(&[&[u8]], Access) -> bool) -> Option<Self> {
        let parts = |name: &[u8]| -> Vec<Vec<u8>> {
            name.split(|&byte| byte == b'/').filter(|part| !part.is_empty()).map(<[u8]>::to_vec).collect()
        };
        let (root, directory) = (parts(root), parts(directory));
        if let Some(before) = root.strip_prefix(&directory[..]) {
            let way: Vec<&[u8]> = before.iter().map(Vec::as_slice).collect();
            // Whatever is below a way that is not closed itself is open, but for what `.ssh` has in it.
            let may_be_closed = way.is_empty() || is_closed(&way, Access::Modify);
            return may_be_closed.then(|| Self { before: before.to_vec(), behind: Vec::new(), is_closed });
        }
        let behind = directory.strip_prefix(&root[..])?.to_vec();
        Some(Self { before: Vec::new(), behind, is_closed })
    }

    fn is_hit(&self, path: &RelPath, access: Access) -> bool {
        let mut parts = names::parts(path);
        if !self.behind.iter().all(|wanted| parts.next().is_some_and(|part| names::is_spelled(part, wanted))) {
            return false;
        }
        let way: Vec<&[u8]> = self.before.iter().map(Vec::as_slice).chain(parts).collect();
        (self.is_closed)(&way, access)
    }
}

/// `way` leads down from the home.
fn is_closed_at_home(way: &[&[u8]], access: Access) -> bool {
    let Some((first, rest)) = way.split_first() else { return false };
    if names::is_spelled(first, SSH) {
        return match rest {
            // Its names may be listed.
            [] => access != Access::Read,
            [name] => !OPEN_IN_SSH.contains(name),
            _ => true,
        };
    }
    AT_HOME.iter().any(|name| names::is_spelled(first, name))
}

/// `way` leads down from `/etc`.
fn is_closed_in_etc(way: &[&[u8]], _: Access) -> bool {
    way.first().is_some_and(|first| IN_ETC.iter().any(|name| names::is_spelled(first, name)))
}

fn is_strict_name(name: &[u8]) -> bool {
    STRICT_NAMES.iter().any(|secret| names::is_spelled(name, secret))
        || STRICT_ENDS.iter().any(|end| names::is_ending(name, end))
}
