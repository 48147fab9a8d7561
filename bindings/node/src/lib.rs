//! The native part of the npm package `wpatch`.
//!
//! `index.js` has the functions of the package. Each of them makes one [`call`], which runs on a
//! thread of libuv's pool.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use napi::bindgen_prelude::{AsyncTask, Buffer, Either3, Env, Error, Result, Status, Task};
use napi_derive::napi;
use wpatch::cli::library_call::{
    Answer, COMMANDS, Call, DocumentKind, OpenedDirectory, Root, Value, files_of, run, tree_of,
};
use wpatch::mode::FileKind;
use wpatch::prelude::{Entry, Interrupt, Memory};

/// The signal number of a cancelled call, so that its exit code is 128 + 15.
const CANCELLED: i32 = 15;

/// Cancels all calls that received this object.
#[napi]
#[derive(Default)]
pub struct Cancel {
    interrupt: Interrupt,
}

#[napi]
impl Cancel {
    /// Returns an object that has cancelled nothing.
    #[napi(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels the calls. A change that is not complete is rolled back.
    #[napi]
    pub fn cancel(&self) {
        self.interrupt.raise(CANCELLED);
    }
}

/// A file or symbolic link of a tree.
#[napi(object)]
pub struct TreeEntry {
    /// The path.
    pub path: String,
    /// `file`, `executable` or `link`.
    pub kind: String,
    /// The content of a file, or the target of a link.
    pub content: Buffer,
}

/// A tree of files in memory, with a history of its changes.
#[napi]
pub struct NativeTree {
    memory: Arc<Memory>,
}

#[napi]
impl NativeTree {
    /// Returns a tree with `entries`.
    ///
    /// # Errors
    ///
    /// Returns an error for a name that is not a path below the root.
    #[napi(constructor)]
    pub fn new(entries: Vec<TreeEntry>) -> Result<Self> {
        let entries = entries.into_iter().map(|entry| {
            let content = entry.content.to_vec();
            let made = match &*entry.kind {
                "executable" => Entry::executable(content),
                "link" => Entry::link(content),
                _ => Entry::file(content),
            };
            (OsString::from(entry.path), made)
        });
        let memory = tree_of(entries).map_err(|error| invalid(&error.to_string()))?;
        Ok(Self {
            memory: Arc::new(memory),
        })
    }

    /// Returns the files and symbolic links.
    #[napi]
    #[must_use]
    pub fn entries(&self) -> Vec<TreeEntry> {
        let files = files_of(&self.memory).into_iter();
        files
            .map(|(path, entry)| TreeEntry {
                path: path.to_string_lossy().into_owned(),
                kind: match entry.kind {
                    FileKind::Symlink => "link",
                    _ if entry.mode & 0o100 != 0 => "executable",
                    _ => "file",
                }
                .to_owned(),
                content: entry.contents.into(),
            })
            .collect()
    }
}

/// A directory that was opened for several calls.
#[napi]
pub struct NativeDirectory {
    opened: Arc<OpenedDirectory>,
}

#[napi]
impl NativeDirectory {
    /// Opens the directory at `path`.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory does not exist or cannot be opened.
    #[napi(constructor)]
    pub fn new(path: String) -> Result<Self> {
        let opened = OpenedDirectory::open(Path::new(&path)).map_err(|error| invalid(&error))?;
        Ok(Self {
            opened: Arc::new(opened),
        })
    }

    /// Returns the absolute path.
    #[napi]
    #[must_use]
    pub fn path(&self) -> String {
        self.opened.path().to_string_lossy().into_owned()
    }
}

/// An option of a call.
#[napi(object)]
pub struct CallValue {
    /// The name on the command line, without dashes.
    pub name: String,
    /// The value.
    pub value: Either3<bool, String, Vec<String>>,
}

/// A call of a command.
#[napi(object, object_to_js = false)]
pub struct CallArguments {
    /// The name of the command, such as `notebook insert`.
    pub command: String,
    /// The files, patches or identifiers that the command takes without a name.
    pub operands: Vec<String>,
    /// The options.
    pub options: Vec<CallValue>,
    /// The content of standard input.
    pub input: Buffer,
    /// The path of the directory, unless the call has an opened directory or a tree in memory.
    pub root: String,
    /// Whether the result is an HTML page.
    pub is_page: bool,
}

/// The result of a call.
#[napi(object)]
pub struct CallResult {
    /// Whether the result is an HTML page.
    pub is_page: bool,
    /// The page or the JSON document in UTF-8.
    pub text: Buffer,
}

/// Runs a command on a thread of libuv's pool. `tree` or `directory` replaces the path of the root,
/// and `cancel` cancels the call.
///
/// # Errors
///
/// Returns an error for an unknown command.
#[napi(ts_return_type = "Promise<CallResult>")]
pub fn call(
    arguments: CallArguments,
    tree: Option<&NativeTree>,
    directory: Option<&NativeDirectory>,
    cancel: Option<&Cancel>,
) -> Result<AsyncTask<CallTask>> {
    let words = COMMANDS
        .iter()
        .find(|words| words.join(" ") == arguments.command)
        .ok_or_else(|| invalid("unknown command"))?;
    let options = arguments.options.into_iter().map(|option| {
        let value = match option.value {
            Either3::A(flag) => Value::Flag(flag),
            Either3::B(text) => Value::Text(text.into()),
            Either3::C(items) => Value::List(items.into_iter().map(OsString::from).collect()),
        };
        (option.name, value)
    });
    let call = Call {
        command: words,
        operands: arguments.operands.into_iter().map(OsString::from).collect(),
        options: options.collect(),
        input: arguments.input.to_vec().into(),
        root: match (tree, directory) {
            (Some(tree), _) => Root::Tree(Arc::clone(&tree.memory)),
            (_, Some(directory)) => Root::Opened(Arc::clone(&directory.opened)),
            (None, None) => Root::Directory(PathBuf::from(arguments.root)),
        },
        document: if arguments.is_page {
            DocumentKind::Html
        } else {
            DocumentKind::Json
        },
        interrupt: cancel.map_or_else(Interrupt::new, |cancel| cancel.interrupt.clone()),
    };
    Ok(AsyncTask::new(CallTask(Some(call))))
}

/// A call that waits for a thread.
pub struct CallTask(Option<Call>);

impl Task for CallTask {
    type Output = Answer;
    type JsValue = CallResult;

    fn compute(&mut self) -> Result<Answer> {
        let call = self.0.take().ok_or_else(|| invalid("the call has run"))?;
        match catch_unwind(AssertUnwindSafe(|| run(call))) {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(invalid(&error.to_string())),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
                let message = format!("internal error: {}", text.unwrap_or("unknown"));
                Err(Error::new(Status::GenericFailure, message))
            }
        }
    }

    fn resolve(&mut self, _: Env, answer: Answer) -> Result<CallResult> {
        let (is_page, text) = match answer {
            Answer::Page(page) => (true, page),
            Answer::Document(document) => (false, document.to_json()),
        };
        Ok(CallResult {
            is_page,
            text: text.into(),
        })
    }
}

fn invalid(message: &str) -> Error {
    Error::new(Status::InvalidArg, message)
}
