//! Who runs a command: the process of the program, or another program in its own process.
//!
//! [`Caller`] supplies everything that differs: the standard streams, the handle that cancels the
//! command, and the tree.

use std::io::{self, BufWriter, Write};
use std::mem;
use std::sync::{Arc, Mutex};

use serde::Serialize;

use super::early_exit::system_message;
use super::library_call::Document;
use super::opened_directory::OpenedDirectory;
use super::{EarlyExit, signals};
use crate::engine::Memory;
use crate::engine::options::{Interrupt, code};
use crate::mutex::lock_unpoisoned;
use crate::report::print_json;
use crate::text::Bytes;

/// The content, or the error that it is too large. The error has the size in bytes, if it is known.
pub(super) type LimitedRead = Result<Bytes, Option<u64>>;

/// Two arguments name standard input.
#[derive(Debug, thiserror::Error)]
#[error("only one argument can read standard input")]
pub(super) struct StdinReadTwice;

/// Who runs the command.
#[derive(Clone, Debug, Default)]
pub(super) enum Caller {
    /// The process of the program. The command uses its standard streams and signals.
    #[default]
    Process,
    /// Another program. The command prints nothing and installs no signal handlers.
    Library(Arc<LibraryCall>),
}

/// The values that another program passes to a command, and the output of the command.
#[derive(Debug, Default)]
pub(super) struct LibraryCall {
    /// The content of standard input. The first read takes it.
    input: Mutex<Option<Bytes>>,
    output: Mutex<Vec<u8>>,
    document: Mutex<Option<Document>>,
    /// The tree in memory that replaces the directory.
    tree: Option<Arc<Memory>>,
    /// The directory, if the caller has opened it.
    directory: Option<Arc<OpenedDirectory>>,
    interrupt: Interrupt,
}

impl LibraryCall {
    /// Returns the values of a call with standard input `input`. At most one of `tree` and
    /// `directory` is given.
    pub(super) fn new(
        input: Bytes,
        (tree, directory): (Option<Arc<Memory>>, Option<Arc<OpenedDirectory>>),
        interrupt: Interrupt,
    ) -> Self {
        Self {
            input: Mutex::new(Some(input)),
            tree,
            directory,
            interrupt,
            ..Self::default()
        }
    }

    /// Returns what the command has printed to standard output since the last call.
    pub(super) fn take_output(&self) -> Vec<u8> {
        mem::take(&mut lock_unpoisoned(&self.output))
    }

    /// Returns the last document.
    pub(super) fn take_document(&self) -> Option<Document> {
        lock_unpoisoned(&self.document).take()
    }
}

impl Caller {
    /// Returns the tree in memory, if the command uses none on disk.
    pub(super) fn tree(&self) -> Option<&Arc<Memory>> {
        match self {
            Self::Process => None,
            Self::Library(call) => call.tree.as_ref(),
        }
    }

    /// Returns the directory, if the caller has opened it.
    pub(super) fn directory(&self) -> Option<&Arc<OpenedDirectory>> {
        match self {
            Self::Process => None,
            Self::Library(call) => call.directory.as_ref(),
        }
    }

    /// Returns whether the command runs in the process of another program.
    pub(super) fn is_library(&self) -> bool {
        matches!(self, Self::Library(_))
    }

    /// Writes to standard output with `print`.
    ///
    /// # Errors
    ///
    /// Returns the error of `print` or of standard output.
    pub(super) fn print(
        &self,
        print: impl FnOnce(&mut (dyn Write + 'static)) -> io::Result<()>,
    ) -> io::Result<()> {
        match self {
            Self::Process => {
                signals::end_at_second_signal();
                let mut out = BufWriter::new(io::stdout().lock());
                print(&mut out)?;
                out.flush()
            }
            Self::Library(call) => print(&mut *lock_unpoisoned(&call.output)),
        }
    }

    /// Prints `value` as JSON, or keeps it as a document for a library call.
    ///
    /// # Errors
    ///
    /// Returns the error of standard output.
    pub(super) fn print_document<T: Clone + Serialize>(
        &self,
        value: &T,
        document: impl FnOnce(T) -> Document,
    ) -> io::Result<()> {
        match self {
            Self::Process => self.print(|mut out| print_json(value, &mut out)),
            Self::Library(call) => {
                *lock_unpoisoned(&call.document) = Some(document(value.clone()));
                Ok(())
            }
        }
    }

    /// Returns the content of standard input for a library call, and `None` for a process. Returns
    /// the size as an error if it is more than `limit` bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the content was read before.
    pub(super) fn read_input(&self, limit: u64) -> Option<io::Result<LimitedRead>> {
        let Self::Library(call) = self else {
            return None;
        };
        let input = lock_unpoisoned(&call.input).take();
        Some(
            input
                .ok_or_else(|| io::Error::other(StdinReadTwice))
                .map(|input| match input.len() as u64 {
                    size if size > limit => Err(Some(size)),
                    _ => Ok(input),
                }),
        )
    }

    /// Returns the handle that cancels the command, and installs no signal handlers.
    pub(super) fn interrupt(&self) -> Interrupt {
        match self {
            Self::Process => signals::interrupt(),
            Self::Library(call) => call.interrupt.clone(),
        }
    }

    /// Returns the handle that cancels the command. From here on, a signal does not end the
    /// process, but raises the handle. For a command that must stop child processes, restore a
    /// terminal, or write files outside a transaction.
    ///
    /// # Errors
    ///
    /// Returns an error if the signal handlers cannot be installed.
    pub(super) fn catch_signals(&self) -> Result<Interrupt, EarlyExit> {
        self.install_or_reuse(signals::install_interrupt)
    }

    /// Returns the handle that cancels a change, for a command that writes files only in
    /// transactions. A signal before the first one ends the process; see
    /// [`watcher`](super::watcher). Later, it raises the handle.
    ///
    /// # Errors
    ///
    /// Returns an error if the signal handlers cannot be installed.
    pub(super) fn catch_signals_in_transactions(&self) -> Result<Interrupt, EarlyExit> {
        self.install_or_reuse(signals::install_transaction_interrupt)
    }

    /// Returns the result of `install` for the process, and the handle of the caller otherwise.
    fn install_or_reuse(
        &self,
        install: impl FnOnce() -> io::Result<Interrupt>,
    ) -> Result<Interrupt, EarlyExit> {
        match self {
            Self::Process => install().map_err(|error| {
                EarlyExit::new(
                    &code::IO,
                    format!(
                        "cannot install the signal handlers: {}",
                        system_message(&error)
                    ),
                )
            }),
            Self::Library(call) => Ok(call.interrupt.clone()),
        }
    }
}
