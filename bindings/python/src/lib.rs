//! The native part of the Python package `wpatch`.
//!
//! `wpatch/__init__.py` has the functions of the package. Each of them makes one [`call`].

use std::collections::HashMap;
use std::collections::HashSet;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyOSError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyInt, PyList, PyString, PyTuple};
use pythonize::pythonize;
use wpatch::cli::library_call::{
    Answer, COMMANDS, Call, CallError, DocumentKind, OpenedDirectory, Root, Value, files_of,
    options_of, run, tree_of,
};
use wpatch::mode::FileKind;
use wpatch::prelude::{Entry, Interrupt, Memory};

/// The signal number of a cancelled call, so that its exit code is 128 + 15.
const CANCELLED: i32 = 15;
/// The signal number of a keyboard interrupt.
const KEYBOARD_INTERRUPT: i32 = 2;
/// The interval at which a long call looks for signals of Python.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);
/// The time after which a call runs on another thread, because Python must handle signals.
const QUICK_TIME: Duration = Duration::from_millis(20);
/// The size of an input that is not expected to be checked in the quick time, in bytes.
const LONG_INPUT: usize = 1 << 16;
/// The commands that change nothing. They can be cancelled and run again.
const READING_COMMANDS: [&str; 7] = ["check", "diff", "list", "log", "policy", "read", "show"];

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // A child process of fork(2) cannot wait for another thread that creates the table of options.
    options_of(COMMANDS[0]).for_each(drop);
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<Cancel>()?;
    module.add_class::<Directory>()?;
    module.add_class::<Tree>()?;
    module.add_function(wrap_pyfunction!(call, module)?)
}

/// Cancels all calls that received this object, from any thread.
#[pyclass(frozen, module = "wpatch")]
struct Cancel {
    interrupt: Interrupt,
}

#[pymethods]
impl Cancel {
    #[new]
    fn new() -> Self {
        Self {
            interrupt: Interrupt::new(),
        }
    }

    /// Cancels the calls. A change that is not complete is rolled back.
    fn cancel(&self) {
        self.interrupt.raise(CANCELLED);
    }

    #[getter]
    fn is_cancelled(&self) -> bool {
        self.interrupt.signal().is_some()
    }
}

/// A tree of files in memory, with a history of its changes.
#[pyclass(frozen, module = "wpatch")]
struct Tree {
    memory: Arc<Memory>,
}

#[pymethods]
impl Tree {
    #[new]
    #[pyo3(signature = (files = None, *, executable = None, links = None))]
    fn new(
        files: Option<&Bound<'_, PyAny>>,
        executable: Option<&Bound<'_, PyAny>>,
        links: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mut executable = match executable {
            Some(names) if names.is_instance_of::<PyString>() => {
                return Err(PyTypeError::new_err("executable must be a list of paths"));
            }
            Some(names) => names
                .try_iter()?
                .map(|name| text(&name?))
                .collect::<PyResult<_>>()?,
            None => HashSet::new(),
        };
        let mut entries = Vec::new();
        for (name, contents) in items(files)? {
            let name = text(&name)?;
            let contents = bytes(&contents)?;
            let entry = if executable.remove(&name) {
                Entry::executable(contents)
            } else {
                Entry::file(contents)
            };
            entries.push((name, entry));
        }
        if let Some(name) = executable.into_iter().next() {
            let message = format!("executable names no file: {}", name.display());
            return Err(PyValueError::new_err(message));
        }
        for (name, target) in items(links)? {
            entries.push((
                text(&name)?,
                Entry::link(text(&target)?.into_encoded_bytes()),
            ));
        }
        let memory = tree_of(entries).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self {
            memory: Arc::new(memory),
        })
    }

    /// The contents of the files by path.
    #[getter]
    fn files<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let files = PyDict::new(py);
        for (name, entry) in files_of(&self.memory) {
            if entry.kind == FileKind::Regular {
                files.set_item(name, PyBytes::new(py, &entry.contents))?;
            }
        }
        Ok(files)
    }

    /// The paths of the executable files.
    #[getter]
    fn executable(&self) -> HashSet<OsString> {
        let is_executable =
            |entry: &Entry| entry.kind == FileKind::Regular && entry.mode & 0o100 != 0;
        let files = files_of(&self.memory).into_iter();
        files
            .filter(|(_, entry)| is_executable(entry))
            .map(|(name, _)| name)
            .collect()
    }

    /// The targets of the symbolic links by path.
    #[getter]
    fn links(&self) -> HashMap<OsString, OsString> {
        let links = files_of(&self.memory).into_iter();
        links
            .filter(|(_, entry)| entry.kind == FileKind::Symlink)
            .filter_map(|(name, entry)| Some((name, os_string(&entry.contents)?)))
            .collect()
    }
}

/// A directory that was opened for several calls.
#[pyclass(frozen, module = "wpatch")]
struct Directory {
    opened: Arc<OpenedDirectory>,
}

#[pymethods]
impl Directory {
    #[new]
    fn new(py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<Self> {
        let path = PathBuf::from(text(path)?);
        let opened = py.detach(|| OpenedDirectory::open(&path));
        Ok(Self {
            opened: Arc::new(opened.map_err(PyOSError::new_err)?),
        })
    }

    /// The absolute path.
    #[getter]
    fn path(&self) -> OsString {
        self.opened.path().into()
    }
}

/// Runs a command. Returns either the HTML page, or the JSON document as Python objects. The document
/// of a command that has made no page is its report.
#[pyfunction]
#[allow(
    clippy::too_many_arguments,
    reason = "Python passes the parts of a call"
)]
#[pyo3(signature = (command, operands, options, input, root, is_page, cancel))]
fn call<'py>(
    py: Python<'py>,
    command: &str,
    operands: Vec<Bound<'py, PyAny>>,
    options: &Bound<'py, PyDict>,
    input: &[u8],
    root: &Bound<'py, PyAny>,
    is_page: bool,
    cancel: Option<PyRef<'py, Cancel>>,
) -> PyResult<(Option<String>, Option<Bound<'py, PyAny>>)> {
    // Ctrl-C cancels this call, and not other calls with the same object.
    let interrupt = cancel.map_or_else(Interrupt::new, |cancel| cancel.interrupt.child());
    let words = COMMANDS
        .iter()
        .find(|words| words.join(" ") == command)
        .ok_or_else(|| PyValueError::new_err(format!("unknown command {command}")))?;
    let call = Call {
        command: words,
        operands: operands.iter().map(text).collect::<PyResult<_>>()?,
        options: values(options)?,
        input: input.to_vec().into(),
        root: root_of(root)?,
        document: if is_page {
            DocumentKind::Html
        } else {
            DocumentKind::Json
        },
        interrupt: interrupt.clone(),
    };
    let can_be_quick = call.operands.is_empty()
        && input.len() < LONG_INPUT
        && READING_COMMANDS.contains(&words[0]);
    let quick = match can_be_quick {
        true => py.detach(|| run_quickly(&call)),
        false => None,
    };
    let answer = match quick {
        Some(answer) => answer,
        None => run_with_signals(py, call, &interrupt)?,
    };
    match answer {
        Ok(Ok(Answer::Page(page))) => Ok((Some(String::from_utf8(page)?), None)),
        Ok(Ok(Answer::Document(document))) => Ok((None, Some(pythonize(py, &document)?))),
        Ok(Err(error)) => Err(call_error(&error)),
        Err(panic) => Err(PyRuntimeError::new_err(panic)),
    }
}

fn root_of(root: &Bound<'_, PyAny>) -> PyResult<Root> {
    if let Ok(tree) = root.cast::<Tree>() {
        return Ok(Root::Tree(Arc::clone(&tree.get().memory)));
    }
    if let Ok(directory) = root.cast::<Directory>() {
        return Ok(Root::Opened(Arc::clone(&directory.get().opened)));
    }
    Ok(Root::Directory(text(root)?.into()))
}

/// Runs `call` on this thread, which is faster. Returns `None` if it takes longer than the quick time.
fn run_quickly(call: &Call) -> Option<Result<Result<Answer, CallError>, String>> {
    let deadline = Instant::now() + QUICK_TIME;
    let is_over = move || (Instant::now() >= deadline).then_some(CANCELLED);
    let interrupt = call.interrupt.child().with_source(is_over);
    let answer = run_unwinding(Call {
        interrupt: interrupt.clone(),
        ..call.clone()
    });
    let is_late = interrupt.is_raised() && !call.interrupt.is_raised();
    (!is_late).then_some(answer)
}

/// Runs `call` on another thread, so that a signal handler of Python can raise an exception.
/// Cancels the call then.
fn run_with_signals(
    py: Python<'_>,
    call: Call,
    interrupt: &Interrupt,
) -> PyResult<Result<Result<Answer, CallError>, String>> {
    let (sender, receiver) = mpsc::channel();
    let work = move || {
        // The receiver waits for the answer.
        let _ = sender.send(run_unwinding(call));
    };
    let worker = thread::Builder::new().spawn(work)?;
    let interrupt = interrupt.clone();
    let (answer, raised) = py.detach(move || {
        let mut raised = Ok(());
        loop {
            match receiver.recv_timeout(SIGNAL_INTERVAL) {
                Ok(answer) => return (Some(answer), raised),
                Err(RecvTimeoutError::Disconnected) => return (None, raised),
                Err(RecvTimeoutError::Timeout) if raised.is_ok() => {
                    raised = Python::attach(|py| py.check_signals());
                    if raised.is_err() {
                        interrupt.raise(KEYBOARD_INTERRUPT);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    });
    // The thread has sent its answer and ends now.
    let _ = worker.join();
    raised?;
    answer.ok_or_else(|| PyRuntimeError::new_err("the call has ended without an answer"))
}

/// Runs `call`. Returns the message of a panic as an error.
fn run_unwinding(call: Call) -> Result<Result<Answer, CallError>, String> {
    catch_unwind(AssertUnwindSafe(|| run(call))).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        format!("internal error: {}", text.unwrap_or("unknown"))
    })
}

fn call_error(error: &CallError) -> PyErr {
    match error {
        CallError::NeedsDirectory { .. } => PyValueError::new_err(error.to_string()),
        _ => PyTypeError::new_err(error.to_string()),
    }
}

/// Returns the options. An option that is `None` is not given.
fn values(options: &Bound<'_, PyDict>) -> PyResult<Vec<(String, Value)>> {
    let mut values = Vec::with_capacity(options.len());
    for (name, value) in options {
        if !value.is_none() {
            let name = name.extract::<String>()?.replace('_', "-");
            values.push((name, option_value(&value)?));
        }
    }
    Ok(values)
}

fn option_value(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Value::Flag(flag.is_true()));
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(Value::Text(value.str()?.extract()?));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter()?.map(|item| text(&item?));
        return Ok(Value::List(items.collect::<PyResult<_>>()?));
    }
    text(value).map(Value::Text)
}

/// Returns the keys and values of a mapping, or nothing for `None`.
fn items<'py>(
    mapping: Option<&Bound<'py, PyAny>>,
) -> PyResult<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
    let Some(mapping) = mapping else {
        return Ok(Vec::new());
    };
    let items = mapping.call_method0("items")?;
    items.try_iter()?.map(|item| item?.extract()).collect()
}

/// Returns bytes, or a string in UTF-8.
fn bytes(value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    match value.cast::<PyBytes>() {
        Ok(bytes) => Ok(bytes.as_bytes().to_vec()),
        Err(_) => Ok(text(value)?.into_encoded_bytes()),
    }
}

/// Returns a string, a path or bytes as a string of the operating system.
fn text(value: &Bound<'_, PyAny>) -> PyResult<OsString> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        let text = os_string(bytes.as_bytes());
        return text.ok_or_else(|| PyValueError::new_err("expected UTF-8"));
    }
    let path = value.extract::<PathBuf>();
    path.map(PathBuf::into_os_string).map_err(|_| {
        PyTypeError::new_err(format!(
            "expected str, bytes or a path, not {}",
            value.get_type()
        ))
    })
}

/// Returns `bytes` as a string of the operating system. Windows accepts only UTF-8.
fn os_string(bytes: &[u8]) -> Option<OsString> {
    #[cfg(unix)]
    return Some(std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec()));
    #[cfg(not(unix))]
    return String::from_utf8(bytes.to_vec()).ok().map(Into::into);
}
