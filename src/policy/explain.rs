//! What a policy comes to, for people who ask why.

use super::layer::Grant;
use super::operation::is_same;
use super::{Access, Hit, Layer, Mode, Policy, Ruling, Secrecy, secrecy};
use crate::path::RelPath;

/// A directory that a policy file opens, where it opens any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Granted {
    /// The directory below the root, `.` for the root itself, or its absolute name.
    pub prefix: String,
    /// Whether it is open for writing as well.
    pub is_writable: bool,
    /// The policy file, and the line of the grant in it, counted from 1.
    pub source: (String, usize),
}

impl Policy {
    /// Returns every rule that speaks of doing this to `path`, the strictest first, those that
    /// allow it as well.
    ///
    /// Whoever changes, moves or deletes a file reads it, since a report says what was in it; and
    /// who moves a file away deletes it there.
    #[must_use]
    pub fn explain(&self, path: &RelPath, access: Access) -> Vec<Hit> {
        let mut hits: Vec<Hit> = Vec::new();
        // It holds for what models do, and the reason says so.
        let control = |access| {
            let hit = self.control(path, access)?;
            Some(Hit {
                reason: format!("`hook` and `mcp` ask: {}", hit.reason),
                ..hit
            })
        };
        let all = |&access: &Access| self.hits(path, access).into_iter().chain(control(access));
        for hit in access.needed().iter().flat_map(all) {
            if !hits.iter().any(|known| is_same(known, &hit)) {
                hits.push(hit);
            }
        }
        Ruling::of(hits).hits.into_vec()
    }

    /// Returns how far a run may go; `None` where no file says so, which is
    /// [`Mode::WorkspaceWrite`].
    #[must_use]
    pub fn mode(&self) -> Option<Mode> {
        self.layers
            .iter()
            .filter_map(|layer| Some(layer.mode?.0))
            .min()
    }

    /// Returns how much is taken for a secret.
    #[must_use]
    pub fn secrecy(&self) -> Secrecy {
        secrecy(&self.layers)
    }

    /// Returns all grants. A file has to be open in each policy file that has any.
    pub fn grants(&self) -> impl Iterator<Item = Granted> {
        let granted = |layer: &Layer, grant: &Grant| Granted {
            prefix: grant.name(),
            is_writable: grant.is_writable,
            source: (layer.name.clone(), grant.line),
        };
        self.layers
            .iter()
            .flat_map(move |layer| layer.grants.iter().map(move |grant| granted(layer, grant)))
    }
}

impl Access {
    /// Returns all that has to be allowed for it.
    fn needed(self) -> &'static [Self] {
        match self {
            Self::Read => &[Self::Read],
            Self::Create => &[Self::Create],
            Self::Modify => &[Self::Modify, Self::Read],
            Self::Delete => &[Self::Delete, Self::Read],
            Self::Rename => &[Self::Rename, Self::Delete, Self::Read],
            Self::Mode => &[Self::Mode, Self::Read],
        }
    }
}
