//! The verbs of a tree with several roots, which delegate to the roots.

use std::path::PathBuf;

use super::Roots;
use crate::interrupt::Interrupt;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::text::Bytes;
use crate::workspace::read_only::read_only;
use crate::workspace::{
    Directory, EntryRights, InPlaceChange, ModeProbe, Result, Spellings, Stat, Timestamp, Workspace,
};

impl Workspace for Roots {
    fn stat(&self, path: &RelPath) -> Result<Option<Stat>> {
        match self.split(path) {
            None => Ok(None),
            Some((root, Some(rest))) => {
                let found = root.workspace.stat(&rest);
                found.map_err(|error| root.error(error))
            }
            Some((root, None)) => {
                let number = self.roots.iter().position(|it| it.name == root.name);
                Ok(Some(root.stat(number.unwrap_or_default() as u64)))
            }
        }
    }

    fn read(&self, path: &RelPath, limit: u64) -> Result<(Bytes, Stat)> {
        self.read_in_parts(path, limit, Interrupt::never())
    }

    fn read_in_parts(
        &self,
        path: &RelPath,
        limit: u64,
        interrupt: &Interrupt,
    ) -> Result<(Bytes, Stat)> {
        self.delegate("read", path, |root, path| {
            root.read_in_parts(path, limit, interrupt)
        })
    }

    fn read_link(&self, path: &RelPath) -> Result<Vec<u8>> {
        self.delegate("read", path, |root, path| root.read_link(path))
    }

    fn list(&self, directory: Directory<'_>) -> Result<Vec<Vec<u8>>> {
        let mut names: Vec<_> = self
            .roots
            .iter()
            .map(|root| root.name.as_bytes().to_vec())
            .collect();
        names.sort_unstable();
        self.delegate_directory("list", directory, names, |root, path| root.list(path))
    }

    fn roots(&self) -> Option<&Self> {
        Some(self)
    }

    fn now(&self) -> Timestamp {
        let first = self.roots.first();
        first.map_or_else(Timestamp::default, |root| root.workspace.now())
    }

    fn user(&self) -> u32 {
        self.roots.first().map_or(0, |root| root.workspace.user())
    }

    fn stored_bits(&self, directory: Directory<'_>, bits: u32, probe: ModeProbe) -> Option<u32> {
        let stored =
            |root: &dyn Workspace, path: Directory<'_>| Ok(root.stored_bits(path, bits, probe));
        self.delegate_directory("stat", directory, Some(bits), stored)
            .unwrap_or(Some(bits))
    }

    fn check_name(&self, path: &RelPath) -> std::result::Result<(), &'static str> {
        match self.split(path) {
            Some((root, Some(rest))) => root.workspace.check_name(&rest),
            _ => Ok(()),
        }
    }

    fn symlink_refusal(&self) -> Option<&'static str> {
        let mut roots = self.roots.iter();
        roots.find_map(|root| root.workspace.symlink_refusal())
    }

    fn entry_rights(&self, directory: Directory<'_>) -> Result<EntryRights> {
        let all = EntryRights::default();
        self.delegate_directory("stat", directory, all, |root, path| root.entry_rights(path))
    }

    fn check_in_place(&self, path: &RelPath, change: InPlaceChange) -> Result<()> {
        self.delegate("change", path, |root, path| {
            root.check_in_place(path, change)
        })
    }

    fn spellings(&self) -> Option<&dyn Spellings> {
        let mut roots = self.roots.iter();
        roots
            .any(|root| root.workspace.spellings().is_some())
            .then_some(self)
    }

    fn identity(&self) -> Result<String> {
        read_only("identify", None)
    }

    fn close_cached_handles(&self) {
        let roots = self.roots.iter();
        roots.for_each(|root| root.workspace.close_cached_handles());
    }

    fn real_path(&self, path: &RelPath) -> Vec<u8> {
        match self.split(path) {
            Some((root, Some(rest))) => {
                let real = root.workspace.real_path(&rest);
                if real == rest.as_bytes() {
                    path.as_bytes().to_vec()
                } else {
                    real
                }
            }
            _ => path.as_bytes().to_vec(),
        }
    }

    fn git_directory_paths(&self, directory: Directory<'_>) -> Vec<RelPath> {
        let Some((root, rest)) = directory.and_then(|path| self.split(path)) else {
            return Vec::new();
        };
        let paths = root.workspace.git_directory_paths(rest.as_ref());
        paths.iter().filter_map(|path| root.join(path)).collect()
    }

    fn hook_directory_paths(&self) -> Vec<Option<RelPath>> {
        let paths = self.roots.iter().flat_map(|root| {
            let paths = root.workspace.hook_directory_paths().into_iter();
            paths.map(|path| match path {
                Some(path) => root.join(&path),
                None => Some(root.name.clone()),
            })
        });
        paths.collect()
    }

    fn configuration_file_paths(&self) -> Vec<RelPath> {
        self.collect_paths(|root| root.configuration_file_paths())
            .collect()
    }

    fn visit_names(
        &self,
        max_names: usize,
        visit: &mut dyn FnMut(Directory<'_>, &[u8], FileKind),
    ) -> bool {
        self.roots.iter().all(|root| {
            let mut visit_in_root = |directory: Directory<'_>, name: &[u8], kind| {
                let above = match directory {
                    Some(path) => root.join(path),
                    None => Some(root.name.clone()),
                };
                visit(above.as_ref(), name, kind);
            };
            root.workspace.visit_names(max_names, &mut visit_in_root)
        })
    }

    fn link_targets(&self, path: &RelPath) -> Vec<RelPath> {
        let Some((root, Some(rest))) = self.split(path) else {
            return Vec::new();
        };
        let targets = root.workspace.link_targets(&rest);
        targets.iter().filter_map(|path| root.join(path)).collect()
    }

    fn absolute_path(&self, path: &RelPath) -> Option<PathBuf> {
        match self.split(path)? {
            (root, Some(rest)) => root.workspace.absolute_path(&rest),
            (root, None) => root.workspace.absolute_root(),
        }
    }
}

impl Spellings for Roots {
    fn lists_stored_names(&self, directory: Directory<'_>) -> bool {
        let Some((root, rest)) = directory.and_then(|path| self.split(path)) else {
            return true;
        };
        let spellings = root.workspace.spellings();
        spellings.is_none_or(|spellings| spellings.lists_stored_names(rest.as_ref()))
    }

    fn is_root_folded(&self) -> bool {
        false
    }
}
