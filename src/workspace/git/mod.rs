//! Questions to git about a directory: its configuration, and the attributes of paths.
//!
//! A [`Git`] takes the key of a variable or the names of attributes, and returns their values. It
//! searches the files that git would read for the key or name. It starts git only if one of them
//! contains it. New keys and attributes therefore need no change here. Read [`Git`] first, then
//! `places.rs`.

mod attributes;
mod boolean;
mod config;
mod config_environment;
mod config_files;
pub(super) mod discovery;
pub(super) mod environment;
mod filters;
pub(super) mod process;
pub(super) mod special_files;
pub(super) mod variables;

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::slice;
use std::sync::{Arc, Mutex, OnceLock};

use crate::interrupt::Interrupt;
use crate::process::Timeout;
use attributes::AttributeFiles;
use config::ConfigVariables;
use config_files::{FileVariables, LowercaseContents, RepositorySearch};

pub use attributes::Attribute;
pub use config::{config_value_bool, has_work_tree};
pub use filters::{FilterDirection, FilterDriver};

/// The git that answers questions about one directory, which may be outside any repository.
///
/// Answers are cached. A later change of the configuration has no effect.
///
/// # Security
///
/// git decides which repositories it trusts: see `safe.directory` in git-config(1). git runs no
/// program that the repository or its configuration names, except filter drivers that
/// [`Git::allow_filters`] names.
#[derive(Debug)]
pub struct Git {
    directory: PathBuf,
    /// The index whose attribute files apply where the work tree has none.
    index: Option<PathBuf>,
    /// The filter drivers of the repository that the user allows.
    allowed_filters: Vec<String>,
    interrupt: Interrupt,
    configuration: Arc<ConfigurationCache>,
    attribute_files: Mutex<AttributeFiles>,
}

/// The repository of the directory and its configuration, as far as they were read.
#[derive(Debug, Default)]
struct ConfigurationCache {
    repository: OnceLock<RepositorySearch>,
    /// The configuration files, or `None` if only git knows which files it reads.
    texts: OnceLock<Option<LowercaseContents>>,
    /// The variables that git listed, or the reason of its failure.
    variables: OnceLock<Result<ConfigVariables, (io::ErrorKind, String)>>,
    /// The variables that the files contain, if git is not installed.
    file_variables: OnceLock<FileVariables>,
}

impl Git {
    /// Returns the git of `directory`. Files are read when the first question is asked.
    #[must_use]
    pub fn for_directory(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            index: None,
            allowed_filters: Vec::new(),
            interrupt: Interrupt::new(),
            configuration: Arc::default(),
            attribute_files: Mutex::default(),
        }
    }

    /// Returns the git of `directory` that also reads attributes from the index `index`.
    #[must_use]
    pub fn with_index(directory: &Path, index: &Path) -> Self {
        Self {
            index: Some(index.to_owned()),
            ..Self::for_directory(directory)
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

    /// Returns the directory in which git is run.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns a command for the program `name`, which is a name or an absolute path.
    ///
    /// # Security
    ///
    /// The program and the search path of its process are outside the directory and the work trees
    /// around it. An absolute path is not checked.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such program.
    pub fn program(&self, name: &OsStr) -> io::Result<Command> {
        process::program(name, slice::from_ref(&self.directory))
    }

    /// Returns the git of `directory` with the same allowed filters. It reads the configuration
    /// again.
    #[must_use]
    pub fn with_directory(&self, directory: &Path) -> Self {
        Self::for_directory(directory)
            .allow_filters(&self.allowed_filters)
            .with_interrupt(&self.interrupt)
    }

    /// Returns the git of the same directory for one command. It shares the configuration, unless git
    /// failed to print it, and reads attribute files again.
    #[must_use]
    pub fn for_command(&self) -> Self {
        let fresh = Self::for_directory(&self.directory);
        if self.has_failed() {
            return fresh;
        }
        Self {
            configuration: Arc::clone(&self.configuration),
            ..fresh
        }
    }

    /// Ends every wait for git and for filter drivers when `interrupt` is raised.
    #[must_use]
    pub fn with_interrupt(self, interrupt: &Interrupt) -> Self {
        Self {
            interrupt: interrupt.clone(),
            ..self
        }
    }

    /// Returns whether git may find a repository that contains the directory.
    #[must_use]
    pub fn has_repository(&self) -> bool {
        !matches!(self.discover(), RepositorySearch::Nowhere)
    }

    /// Returns the path from the top of the work tree to the directory, without a final slash. The
    /// path is empty at the top, and outside a repository.
    ///
    /// # Errors
    ///
    /// Returns an error if git fails.
    pub fn prefix(&self) -> io::Result<Vec<u8>> {
        if matches!(self.discover(), RepositorySearch::Nowhere) {
            return Ok(Vec::new());
        }
        let answer = self.run_git(&["rev-parse", "--show-prefix"])?;
        Ok(answer.strip_suffix(b"/\n").unwrap_or_default().to_vec())
    }

    /// Runs git with `arguments` in the directory and returns its output.
    fn run_git(&self, arguments: &[&str]) -> io::Result<Vec<u8>> {
        let patience = Timeout {
            limit: process::GIT_TIMEOUT,
            interrupt: self.interrupt.clone(),
        };
        process::run(
            &mut process::command(&self.directory, arguments)?,
            Vec::new(),
            patience,
        )
    }

    fn discover(&self) -> &RepositorySearch {
        self.configuration
            .repository
            .get_or_init(|| RepositorySearch::search_upwards(&self.directory))
    }

    /// Returns the texts of the configuration, or `None` if only git knows which files it reads.
    fn texts(&self) -> Option<&LowercaseContents> {
        self.configuration
            .texts
            .get_or_init(|| config_files::read_configuration(self.discover()))
            .as_ref()
    }
}
