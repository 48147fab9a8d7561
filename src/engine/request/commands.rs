//! The commands of the user around a change: `--before`, `--verify` and `--after`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The commands of the user around a change. Each command runs with `sh -c` in the root and
/// receives the report as JSON on standard input. It has its own process group, which is killed
/// when the command ends.
///
/// # Security
///
/// The commands have all rights of the user. They come from the caller, never from a patch or from
/// the tree. The programs that they run can be in the tree, for example tests.
#[derive(Clone, Debug)]
pub struct UserCommands {
    /// Runs before the tree changes. Any exit code except 0 refuses the change.
    pub before: Option<OsString>,
    /// Runs when the change is in place. The change is rolled back unless this command exits with
    /// code 0 within the limit.
    pub verify: Option<OsString>,
    /// Runs after the commit.
    pub after: Option<OsString>,
    /// The time limit of each command.
    pub limit: Duration,
    /// The directory in which the commands run: the root.
    pub directory: PathBuf,
}

impl Default for UserCommands {
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

impl UserCommands {
    /// Returns whether there are no commands.
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

    /// Returns an error message if a shell cannot run one of the commands.
    pub(in crate::engine) fn usage_error(&self) -> Option<String> {
        let is_wrong = |command: &OsString| {
            let bytes = command.as_encoded_bytes();
            bytes.trim_ascii().is_empty() || bytes.contains(&0)
        };
        let wrong = self.all().find(|(_, command)| is_wrong(command));
        wrong.map(|(name, _)| {
            format!("--{name} needs a command that is not empty and contains no NUL byte")
        })
    }
}
