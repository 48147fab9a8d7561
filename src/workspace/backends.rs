//! The table of backends. To add one, add `workspace/<name>.rs` and a row of [`BACKENDS`].

use std::path::Path;

use super::{Result, Workspace, disk, memory};

/// An implementation of [`Workspace`].
#[derive(Clone, Copy, Debug)]
pub struct Backend {
    /// The name of the backend.
    pub name: &'static str,
    /// Opens the root: an existing directory, or a new tree in memory.
    pub open: fn(&Path) -> Result<Box<dyn Workspace + Send>>,
}

/// All backends. The tests run the same cases on each of them.
pub const BACKENDS: &[Backend] = &[
    Backend {
        name: "disk",
        open: |root| Ok(Box::new(disk::Disk::open(root)?)),
    },
    Backend {
        name: "memory",
        open: |_| Ok(Box::new(memory::Memory::with_files([]))),
    },
];
