//! Runs a command for another program in its own process. The bindings for other languages use it.
//!
//! A call has the options of the command line, and its result is the document that `--json` prints, as a value.
//! A binding therefore has no options and no documents of its own. The command prints nothing,
//! starts no pager and installs no signal handlers.

mod document;
mod opened;
mod options;
mod parse;
mod tree;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use super::args::ColorMode;
use super::caller::{Caller, LibraryCall};
use super::{dispatch, report_misuse};
use crate::engine::Memory;
use crate::engine::options::Interrupt;
use crate::text::Bytes;

pub use document::Document;
pub use opened::OpenedDirectory;
pub use options::{COMMANDS, CallOption, OptionKind, Value, options_of};
pub use tree::{TreeError, files_of, tree_of};

/// A call of a command.
#[derive(Clone, Debug)]
pub struct Call {
    /// A row of [`COMMANDS`].
    pub command: &'static [&'static str],
    /// The files, patches or identifiers that the command takes without a name.
    pub operands: Vec<OsString>,
    /// The options by name. See [`options_of`].
    pub options: Vec<(String, Value)>,
    /// The content of standard input: a patch, or the content of a file.
    pub input: Bytes,
    /// The tree.
    pub root: Root,
    /// The form of the result.
    pub document: DocumentKind,
    /// Cancels the call.
    pub interrupt: Interrupt,
}

/// The tree of a call.
#[derive(Clone, Debug)]
pub enum Root {
    /// A directory.
    Directory(PathBuf),
    /// A directory that was opened for several calls.
    Opened(Arc<OpenedDirectory>),
    /// A tree in memory.
    Tree(Arc<Memory>),
}

/// The form of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    /// The JSON document of the command.
    Json,
    /// The HTML page of `show`.
    Html,
}

/// The result of a call.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The HTML page.
    Page(Vec<u8>),
    /// The JSON document. It is a report if the command has ended before it could make a page.
    Document(Box<Document>),
}

/// The reason why a call has no command line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The command has no such option.
    #[error("{command} has no option {name}")]
    UnknownOption {
        /// The command.
        command: String,
        /// The option.
        name: String,
    },
    /// The option needs another kind of value.
    #[error("the option {name} needs {expected}")]
    WrongKind {
        /// The option.
        name: String,
        /// The kind of value.
        expected: &'static str,
    },
    /// The option has no meaning for a tree in memory.
    #[error("the option {name} needs a directory, and the tree is in memory")]
    NeedsDirectory {
        /// The option.
        name: String,
    },
}

/// Runs the command. Every failure of the command is a document, like the result.
///
/// # Errors
///
/// Returns an error if the options do not belong to the command.
pub fn run(call: Call) -> Result<Answer, CallError> {
    let arguments = options::command_line(&call)?;
    let is_page = call.document == DocumentKind::Html;
    let root = match call.root {
        Root::Directory(_) => (None, None),
        Root::Opened(directory) => (None, Some(directory)),
        Root::Tree(tree) => (Some(tree), None),
    };
    let shared = Arc::new(LibraryCall::new(call.input, root, call.interrupt));
    let caller = Caller::Library(Arc::clone(&shared));
    // The caller reads the document; the exit code is part of it.
    let _ = match parse::parse(&arguments) {
        Ok(mut cli) => {
            cli.global.quiet = true;
            cli.global.color = Some(ColorMode::Never);
            cli.global.caller = caller;
            cli.global.arguments = arguments;
            dispatch(cli)
        }
        Err(error) => report_misuse(&error, &arguments, &caller),
    };
    let page = shared.take_output();
    Ok(match shared.take_document() {
        // The page of a cancelled call is not complete.
        Some(document) if !is_page || page.is_empty() || document.is_cancelled() => {
            Answer::Document(Box::new(document))
        }
        _ => Answer::Page(page),
    })
}
