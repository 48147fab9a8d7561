//! Runs git once.

use std::env;
use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::path::{self, Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::environment::set_directories;
use super::special_files;
use crate::process::{self, ProcessGroup, StderrReader, TimedReader, Timeout};

/// The limit on each wait for output of git.
pub(super) const GIT_TIMEOUT: Duration = Duration::from_secs(20);
/// The limit on each wait for output of a filter driver.
pub(super) const FILTER_TIMEOUT: Duration = Duration::from_secs(600);
/// The limit in bytes on the output of git or of a filter driver.
const MAX_OUTPUT: u64 = 256 << 20;
/// How long to wait for the error messages of a git that has ended.
const STDERR_TIMEOUT: Duration = Duration::from_secs(1);

/// Runs git with `command` and `input`, and returns its output.
///
/// # Errors
///
/// Returns an error if git cannot be started, fails, or prints nothing until `patience` ends. The
/// error quotes git's reason.
pub(in crate::workspace) fn run(
    command: &mut Command,
    input: Vec<u8>,
    patience: Timeout,
) -> io::Result<Vec<u8>> {
    // Killing git is safe: it has written only to scratch files, or objects that nothing refers to.
    run_with_input(start(command)?, "git", input, patience)
}

/// Writes `input` to the running program `name`, and returns its output.
///
/// # Errors
///
/// Returns an error if the program fails. Also returns an error if `patience` ends during a wait
/// for output or for the end of the program. The error quotes the program's reason.
pub(super) fn run_with_input(
    mut group: ProcessGroup,
    name: &str,
    input: Vec<u8>,
    patience: Timeout,
) -> io::Result<Vec<u8>> {
    let child = group.child();
    let pipes = child
        .stdin
        .take()
        .zip(child.stdout.take())
        .zip(child.stderr.take());
    let ((mut requests, answers), errors) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
    // A thread writes the input, so that a full pipe blocks neither process. Errors are ignored,
    // because the program may not read its input.
    thread::Builder::new().spawn(move || requests.write_all(&input))?;
    let complaints = StderrReader::of(errors)?;
    let unanswered =
        |error: io::Error| io::Error::new(error.kind(), format!("{name} was killed: {error}"));
    let mut answer = Vec::new();
    TimedReader::new(answers, patience.clone())
        .take(MAX_OUTPUT + 1)
        .read_to_end(&mut answer)
        .map_err(unanswered)?;
    if answer.len() as u64 > MAX_OUTPUT {
        return Err(io::Error::other(format!(
            "{name} was killed: its output exceeds {MAX_OUTPUT} bytes"
        )));
    }
    // A program can close its output and continue to run.
    patience.wait(|| group.has_ended()).map_err(unanswered)?;
    let status = group.child().wait()?;
    if status.success() {
        return Ok(answer);
    }
    Err(failure_reason_of(name, &complaints)
        .unwrap_or_else(|| io::Error::other(format!("{name} failed: {status}"))))
}

/// Starts git in its own process group, so that the keys of a terminal do not interrupt it. This
/// process ends git on an interrupt, unless a commit is in progress.
///
/// If a signal ends this process, git ends at the end of its input. It holds no lock of this
/// process, and writes only to pipes, scratch files and objects. `PR_SET_PDEATHSIG` could end it
/// sooner. But only unsafe code can set it between fork and exec, and it also fires when the thread
/// that started git ends.
///
/// # Errors
///
/// Returns an error if git cannot be started.
pub(in crate::workspace) fn start(command: &mut Command) -> io::Result<ProcessGroup> {
    ProcessGroup::start(command).map_err(|error| start_error(&error))
}

fn start_error(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("git cannot be started: {error}"))
}

/// Returns the reason that a git process gave for its failure. The process must have ended.
pub(in crate::workspace) fn failure_reason(complaints: &StderrReader) -> Option<io::Error> {
    failure_reason_of("git", complaints)
}

fn failure_reason_of(name: &str, complaints: &StderrReader) -> Option<io::Error> {
    let line = complaints.reason(Instant::now() + STDERR_TIMEOUT)?;
    let line = line
        .trim_start_matches("fatal: ")
        .trim_start_matches("error: ");
    // A shell starts the line with the name.
    let prefix = format!("{name}: ");
    Some(io::Error::other(format!(
        "{prefix}{}",
        line.strip_prefix(&prefix).unwrap_or(line)
    )))
}

/// Returns a command for a git program that is outside `trees` and outside the work trees that
/// contain them.
///
/// # Errors
///
/// Returns an error if git cannot be started.
pub(in crate::workspace) fn trusted_command(trees: &[PathBuf]) -> io::Result<Command> {
    program("git".as_ref(), trees).map_err(|error| start_error(&error))
}

/// Returns a command for the program `name` that is outside `trees` and outside the work trees that
/// contain them. `name` is a name or an absolute path.
///
/// # Errors
///
/// Returns an error if there is no such program.
pub(super) fn program(name: &OsStr, trees: &[PathBuf]) -> io::Result<Command> {
    let names = |tree: &PathBuf| [path::absolute(tree).ok(), fs_err::canonicalize(tree).ok()];
    let names: Vec<_> = trees.iter().flat_map(names).flatten().collect();
    let around = names.iter().flat_map(|name| name.ancestors());
    let around = around
        .filter(|tree| fs_err::symlink_metadata(tree.join(".git")).is_ok())
        .map(Path::to_owned);
    let trees: Vec<_> = trees.iter().cloned().chain(around).collect();
    process::find_command(name, &trees)
}

/// Returns the command for git in `directory`, on the repository that git finds there.
///
/// # Errors
///
/// Returns an error if git cannot be started, or if it would block on a file that is not regular.
pub(in crate::workspace) fn command(
    directory: &Path,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> io::Result<Command> {
    special_files::check_around(directory)?;
    let mut command = trusted_command(&[directory.to_owned()])?;
    set_environment(&mut command, is_kept);
    command
        .arg("-C")
        .arg(directory)
        .args(["--no-pager", "-c", "core.fsmonitor=false"])
        .args(arguments);
    Ok(command)
}

/// Removes git's variables from `command`, except those for which `is_kept` returns true. Makes the
/// paths in the others absolute. Sets the variables that prevent git from taking optional locks,
/// prompting and fetching.
pub(in crate::workspace) fn set_environment(command: &mut Command, is_kept: impl Fn(&str) -> bool) {
    let is_of_git = |name: &OsStr| name.as_encoded_bytes().starts_with(b"GIT_");
    for (name, _) in
        env::vars_os().filter(|(name, _)| is_of_git(name) && !is_kept(&name.to_string_lossy()))
    {
        command.env_remove(name);
    }
    set_directories(command, is_kept);
    command.envs([
        ("LC_ALL", "C"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_NO_LAZY_FETCH", "1"),
        // Prevents a git that is too old for `GIT_NO_LAZY_FETCH` from fetching.
        ("GIT_ALLOW_PROTOCOL", "none"),
    ]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
}

/// Returns whether a variable locates the repository or contains its configuration.
fn is_kept(name: &str) -> bool {
    const KEPT: [&str; 9] = [
        "GIT_EXEC_PATH",
        "GIT_DIR",
        "GIT_COMMON_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_CEILING_DIRECTORIES",
        "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    ];
    KEPT.contains(&name) || name.starts_with("GIT_CONFIG") || name.starts_with("GIT_ATTR_")
}
