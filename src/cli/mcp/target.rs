//! The root of the calls, and their options.

use std::path::PathBuf;
use std::sync::Arc;

use percent_encoding::percent_decode_str;

use super::McpOptions;
use crate::cli::args::Global;
use crate::cli::policy::load_policy;
use crate::cli::root::{absolute_paths, open};
use crate::cli::{EarlyExit, request};
use crate::engine::options::{Interrupt, Workspace, code};
use crate::engine::{Approver, Git, ToolOptions};

/// A root, with the options of the calls on it.
pub(super) struct Target {
    global: Global,
    options: ToolOptions,
}

impl Target {
    /// Opens the root of `global`.
    ///
    /// # Errors
    ///
    /// Returns an error if the root cannot be opened, or if its policy cannot be used.
    pub(super) fn open(global: Global, options: &McpOptions) -> Result<Self, EarlyExit> {
        open(&global)?;
        let options = ToolOptions {
            roots: absolute_paths(global.root()),
            transaction: request::transaction_options(&global),
            commands: options.commands.commands(&global),
            attribution: options.attribution.attribution(&global),
            policy: load_policy(&global)?,
            approver: if options.approvals {
                Approver::Person
            } else {
                Approver::Model
            },
            ..ToolOptions::default()
        };
        Ok(Self { global, options })
    }

    /// Opens the directory `root` with the other options of this root.
    ///
    /// # Errors
    ///
    /// Fails as [`Target::open`] does.
    pub(super) fn with_root(&self, root: PathBuf, options: &McpOptions) -> Result<Self, EarlyExit> {
        let root = Some(root);
        let global = Global {
            root,
            ..self.global.clone()
        };
        // The model cannot correct a root of the client.
        Self::open(global, options).map_err(|stop| EarlyExit {
            code: &code::IO,
            ..stop
        })
    }

    /// Returns whether the command line names the root.
    pub(super) fn is_named(&self) -> bool {
        self.global.root.is_some()
    }

    /// Opens the workspace for a call.
    ///
    /// # Errors
    ///
    /// Returns an error if the root cannot be opened any more.
    pub(super) fn workspace(&self) -> Result<Arc<dyn Workspace>, EarlyExit> {
        open(&self.global)
    }

    /// Returns the options of a call that `interrupt` cancels.
    pub(super) fn options(&self, interrupt: &Interrupt) -> ToolOptions {
        let git = Git::for_directory(self.global.root()).with_interrupt(interrupt);
        ToolOptions {
            git: Some(Arc::new(git)),
            ..self.options.clone()
        }
    }
}

/// Returns the path of a `file:` URI.
pub(super) fn file_path(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    // The host is empty or this machine.
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let path = percent_decode_str(path).decode_utf8().ok()?;
    // The path of a drive of Windows follows a slash, and is absolute only without it.
    let spellings = [&*path, path.strip_prefix('/').unwrap_or_default()];
    let mut paths = spellings.into_iter().map(PathBuf::from);
    paths.find(|path| path.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_of_no_file_has_no_path() {
        for uri in [
            "file://other/srv",
            "https://x/y",
            "file:///%ff",
            "file:",
            "x",
        ] {
            assert_eq!(file_path(uri), None, "{uri}");
        }
    }
}
