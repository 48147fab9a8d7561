//! What git says of a directory: its configuration, and the attributes of paths.
//!
//! git is started only where a text that it would read has the word that is asked for. To ask for
//! another key or attribute, ask: nothing has to be added here.

mod attributes;
mod config;
pub(super) mod discovery;
mod filters;
mod places;
pub(super) mod process;
pub(super) mod special;
pub(super) mod variables;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use crate::interrupt::Interrupt;
use crate::process::Patience;
use attributes::AttributeFiles;
use config::Entries;
use places::{Found, Texts};

pub use attributes::Attribute;
pub use config::has_work_tree;
pub use filters::{Filter, FilterDriver};

/// The git that is asked about one directory, which need not be in a repository.
///
/// What was asked once is kept: a change of the configuration meanwhile is not seen.
///
/// # Security
///
/// git decides whose repository it trusts: see `safe.directory` in git-config(1). It runs nothing
/// that the repository or its configuration names, except filter drivers that
/// [`Git::allow_filters`] names.
#[derive(Debug)]
pub struct Git {
    directory: PathBuf,
    /// The index whose files of attributes count as well, where the work tree does not have them.
    index: Option<PathBuf>,
    /// The filter drivers of the repository that the user allows.
    allowed_filters: Vec<String>,
    interrupt: Interrupt,
    found: OnceLock<Found>,
    texts: OnceLock<Option<Texts>>,
    entries: OnceLock<Result<Entries, String>>,
    attribute_files: Mutex<AttributeFiles>,
}

impl Git {
    /// Returns the git of `directory`. Nothing is looked at before something is asked.
    #[must_use]
    pub fn around(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            index: None,
            allowed_filters: Vec::new(),
            interrupt: Interrupt::new(),
            found: OnceLock::new(),
            texts: OnceLock::new(),
            entries: OnceLock::new(),
            attribute_files: Mutex::default(),
        }
    }

    /// Returns the git of `directory` that works on the index `index` as well.
    #[must_use]
    pub fn with_index(directory: &Path, index: &Path) -> Self {
        Self {
            index: Some(index.to_owned()),
            ..Self::around(directory)
        }
    }

    /// Allows the filter drivers `names`, even if the repository defines them.
    ///
    /// # Security
    ///
    /// Such a driver is a program that the author of the repository chose. It runs with all rights
    /// of the user.
    #[must_use]
    pub fn allow_filters(self, names: &[String]) -> Self {
        Self {
            allowed_filters: names.to_vec(),
            ..self
        }
    }

    /// Returns the directory that it is asked about.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the git of `directory` with the same permissions, which reads the configuration
    /// again.
    #[must_use]
    pub fn renewed(&self, directory: &Path) -> Self {
        Self::around(directory)
            .allow_filters(&self.allowed_filters)
            .interrupted_by(&self.interrupt)
    }

    /// Ends every wait for git and for filter drivers when `interrupt` is raised.
    #[must_use]
    pub fn interrupted_by(self, interrupt: &Interrupt) -> Self {
        Self {
            interrupt: interrupt.clone(),
            ..self
        }
    }

    /// Returns whether git may find a repository for the directory.
    #[must_use]
    pub fn has_repository(&self) -> bool {
        !matches!(self.found(), Found::Nowhere)
    }

    /// Returns where the directory is below the top of its work tree, without a slash at the end;
    /// empty at the top, and where there is no repository.
    ///
    /// # Errors
    ///
    /// Returns an error if git cannot tell.
    pub fn prefix(&self) -> io::Result<Vec<u8>> {
        if matches!(self.found(), Found::Nowhere) {
            return Ok(Vec::new());
        }
        let answer = self.answer(&["rev-parse", "--show-prefix"])?;
        Ok(answer.strip_suffix(b"/\n").unwrap_or_default().to_vec())
    }

    /// Runs git with `arguments` in the directory and returns its output.
    fn answer(&self, arguments: &[&str]) -> io::Result<Vec<u8>> {
        let patience = Patience {
            limit: process::LIMIT,
            interrupt: self.interrupt.clone(),
        };
        process::told(
            &mut process::command(&self.directory, arguments)?,
            Vec::new(),
            patience,
        )
    }

    fn found(&self) -> &Found {
        self.found.get_or_init(|| Found::above(&self.directory))
    }

    /// The texts of the configuration; `None` where it cannot be told which ones git would read.
    fn texts(&self) -> Option<&Texts> {
        self.texts
            .get_or_init(|| places::configuration(self.found()))
            .as_ref()
    }
}
