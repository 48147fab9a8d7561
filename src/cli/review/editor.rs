//! The user's editor.

use std::env;
use std::ffi::OsString;
use std::io::Write;

use crate::cli::args::Global;
use crate::cli::early_exit::system_message;
use crate::cli::signals;
use crate::cli::user_program::user_command;
use crate::engine::{DEFAULT_EDITOR, Git};
use crate::path::os_str;

/// The user's editor.
pub(super) struct Editor {
    git: Git,
}

impl Editor {
    pub(super) fn of(global: &Global) -> Self {
        Self {
            git: Git::for_directory(global.root()),
        }
    }

    /// Returns `text` as the user has changed it in the editor.
    ///
    /// # Errors
    ///
    /// Returns a message if the editor cannot be started or fails, or if the file cannot be read.
    pub(super) fn edit(&self, text: &[u8]) -> Result<Vec<u8>, String> {
        let name = self.find_name();
        let shown = || name.to_string_lossy().into_owned();
        let failed = |error| format!("cannot edit the hunk: {}", system_message(&error));
        let mut file = tempfile::Builder::new()
            .prefix("wpatch-")
            .suffix(".diff")
            .tempfile()
            .map_err(failed)?;
        file.write_all(text)
            .and_then(|()| file.flush())
            .map_err(failed)?;
        let mut command = user_command(&self.git, &name)
            .ok_or_else(|| format!("cannot find the editor `{}`; set EDITOR", shown()))?;
        command.arg(file.path());
        let _ = signals::ignore_keyboard_signals();
        let status = command.status();
        signals::restore_keyboard_signals();
        let status = status.map_err(|error| {
            format!(
                "cannot start the editor `{}`: {}",
                shown(),
                system_message(&error)
            )
        })?;
        if !status.success() {
            return Err(format!(
                "the editor `{}` failed, so nothing changes",
                shown()
            ));
        }
        // An editor can replace the file instead of writing to it.
        fs_err::read(file.path()).map_err(failed)
    }

    /// Returns the editor that the user chose, or the default one. The variables are those of git;
    /// see `git-var(1)`.
    fn find_name(&self) -> OsString {
        let configured = || Some(os_str(self.git.user_config("core.editor").ok()??)?.to_owned());
        let variable = |name| env::var_os(name).filter(|value| !value.is_empty());
        variable("GIT_EDITOR")
            .or_else(configured)
            .or_else(|| variable("VISUAL"))
            .or_else(|| variable("EDITOR"))
            .unwrap_or_else(|| DEFAULT_EDITOR.into())
    }
}
