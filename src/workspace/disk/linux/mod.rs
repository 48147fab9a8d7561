//! The disk on Linux: handles and single names, by system calls that follow no link.

mod annex;
mod attic;
mod attributes;
mod birth;
mod contents;
mod create;
mod directory;
mod dot_git;
mod fault;
mod git_files;
mod git_names;
mod handle;
mod heritage;
mod lock;
mod machine;
mod modes;
mod parents;
mod rename;
mod spellings;
mod stat;
mod sync;
mod verbs;
mod walk;
mod work_tree;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::sleep;
use std::time::Duration;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::retry_on_intr;

use self::attic::Attic;
use self::birth::{Birth, Memo};
use self::fault::{Attempt, Trouble};
use self::handle::Handle;
use self::heritage::Heritage;
use self::modes::Modes;
use self::parents::Parents;
use self::work_tree::Located;
use crate::mutex::locked;
use crate::path::RelPath;
use crate::text::printable;
use crate::workspace::{Directory, Result, Workspace, WorkspaceError};

/// How often a verb is tried again that found no file handle free, and the pause before.
const MOST_TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(2);

/// A directory of the real file system. It is `Send` and `Sync`.
///
/// # Security
///
/// The root is opened once and is what it was then, wherever its name leads later. Below it a verb
/// takes two steps: it resolves the directory through directories alone (`openat2` with
/// `RESOLVE_BENEATH` and `RESOLVE_NO_SYMLINKS`, or one component after the other on kernels before
/// 5.6), and works with a single name in it. A directory that somebody moves elsewhere between the
/// two steps, or less than a second before, takes the verb with it. Mounts below the root are
/// entered.
#[derive(Debug)]
pub struct Disk {
    parents: Parents,
    /// The name that it was opened by.
    root: PathBuf,
    /// What the attic is in, if there is one.
    above: Option<PathBuf>,
    /// Where it is in a work tree, once that was needed.
    located: OnceLock<Located>,
    /// That of the process when it was first needed.
    umask: OnceLock<u32>,
    births: Memo<Birth>,
    heritages: Memo<Heritage>,
    modes: Modes,
    /// Held by the one verb that goes on while handles are short.
    shortage: Mutex<()>,
}

impl Disk {
    /// Opens the directory `root`; its own path may go through links.
    ///
    /// # Errors
    ///
    /// Returns [`Fault::Missing`](crate::workspace::Fault::Missing) if nothing is there,
    /// [`Fault::NotDirectory`](crate::workspace::Fault::NotDirectory) if it is no directory.
    pub fn open(root: &Path) -> Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match retry_on_intr(|| open(root, flags, Mode::empty())) {
            Ok(handle) => {
                let parents = Parents::new(handle);
                Ok(Self {
                    parents,
                    root: root.to_owned(),
                    above: None,
                    located: OnceLock::new(),
                    umask: OnceLock::new(),
                    births: Memo::default(),
                    heritages: Memo::default(),
                    modes: Modes::default(),
                    shortage: Mutex::default(),
                })
            }
            Err(errno) => {
                let path = printable(root.as_os_str().as_encoded_bytes()).to_string();
                let trouble = Trouble::from(errno);
                Err(WorkspaceError {
                    verb: "open",
                    path,
                    fault: trouble.fault,
                    source: trouble.source,
                })
            }
        }
    }

    /// Lets the history be kept in `above/wpatch` where there is no place for it below the root,
    /// which is `root` still. It is not, if one of the two is below the other.
    #[must_use]
    pub fn with_attic(self, root: &Path, above: &Path) -> Self {
        let attic = self
            .identity()
            .ok()
            .and_then(|identity| Attic::new(above, root, &identity));
        Self {
            parents: self.parents.with_attic(attic),
            above: Some(above.to_owned()),
            ..self
        }
    }

    /// Carries out a verb, which opens all that it needs before it changes anything: it can be
    /// tried again as long as handles are short.
    fn attempt<T>(
        &self,
        verb: &'static str,
        path: Directory<'_>,
        work: impl Fn() -> Attempt<T>,
    ) -> Result<T> {
        let result = match work() {
            Err(trouble) if trouble.is_out_of_handles() => self.try_again(work, trouble),
            result => result,
        };
        result.map_err(|trouble| {
            let path = trouble
                .path
                .as_ref()
                .or(path)
                .map_or_else(|| ".".to_owned(), |path| self.shown(path));
            WorkspaceError {
                verb,
                path,
                fault: trouble.fault,
                source: trouble.source,
            }
        })
    }

    fn opened(&self, directory: Directory<'_>) -> Attempt<Handle> {
        match directory {
            None => Ok(Arc::clone(self.parents.root())),
            Some(path) => self.parents.directory(path.as_bytes()),
        }
    }

    /// Returns how messages call `path`.
    fn shown(&self, path: &RelPath) -> String {
        self.outside(path).map_or_else(
            || path.to_string(),
            |real| printable(real.as_os_str().as_encoded_bytes()).to_string(),
        )
    }

    /// Returns where `path` is if it is outside of the root.
    fn outside(&self, path: &RelPath) -> Option<PathBuf> {
        let outside = self.parents.attic().and_then(|attic| attic.real(path));
        outside
            .or_else(|| self.parents.annex().real(path))
            .or_else(|| self.in_git(path))
    }

    /// Gives the kept handles back.
    fn give_back(&self) {
        self.parents.forget_all();
        self.births.forget();
        self.heritages.forget();
    }

    /// Gives the kept handles back and tries again, alone, until the other threads have given back
    /// theirs.
    fn try_again<T>(&self, work: impl Fn() -> Attempt<T>, trouble: Trouble) -> Attempt<T> {
        let _alone = locked(&self.shortage);
        let mut result = Err(trouble);
        for _ in 0..MOST_TRIES {
            self.give_back();
            result = work();
            if !matches!(&result, Err(trouble) if trouble.is_out_of_handles()) {
                break;
            }
            sleep(PAUSE);
        }
        result
    }
}
