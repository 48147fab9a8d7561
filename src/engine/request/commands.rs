//! The commands of the user around a change.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The commands of the user that a change is put to. Each is what `sh -c` does in the root, gets
/// the report as JSON on its standard input, and runs in a process group of its own that is killed
/// when it ends.
///
/// # Security
///
/// They run with all that the user may do. They come from whoever calls this, never from a patch or
/// from the tree; but what they run may well be in the tree, as tests are.
#[derive(Clone, Debug)]
pub struct Commands {
    /// Asked before anything is written; any exit code but 0 refuses the change.
    pub before: Option<OsString>,
    /// Asked when the change is in place; anything but exit code 0 in time puts everything back.
    pub verify: Option<OsString>,
    /// Told what was done.
    pub after: Option<OsString>,
    /// How long each of them may take.
    pub limit: Duration,
    /// Where they run: the root.
    pub directory: PathBuf,
}

impl Default for Commands {
    fn default() -> Self {
        let directory = PathBuf::from(".");
        Self {
            before: None,
            verify: None,
            after: None,
            limit: Duration::from_secs(60),
            directory,
        }
    }
}

impl Commands {
    /// Returns whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }

    fn all(&self) -> impl Iterator<Item = (&'static str, &OsString)> {
        let named = [
            ("before", &self.before),
            ("verify", &self.verify),
            ("after", &self.after),
        ];
        named
            .into_iter()
            .filter_map(|(name, command)| Some((name, command.as_ref()?)))
    }

    /// Says what no shell could run.
    pub(in crate::engine) fn misuse(&self) -> Option<String> {
        let is_wrong = |command: &OsString| {
            let bytes = command.as_encoded_bytes();
            bytes.trim_ascii().is_empty() || bytes.contains(&0)
        };
        let wrong = self.all().find(|(_, command)| is_wrong(command));
        wrong.map(|(name, _)| format!("--{name} needs a command: it is empty, or has a NUL in it"))
    }
}
