//! One git that is asked one thing.

use std::env;
use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// How much of what git complains about is kept, in bytes.
const LAST_WORDS: usize = 4096;
/// How long an answer may take.
const LIMIT: Duration = Duration::from_secs(20);
/// Most bytes of an answer.
const MOST_ANSWER: u64 = 256 << 20;

/// Runs git with `arguments` in `directory`, gives it `input`, and returns all that it says.
///
/// # Errors
///
/// Returns why git cannot be run, or what it complains about.
pub(super) fn answer(directory: &Path, arguments: &[&str], input: Vec<u8>) -> io::Result<Vec<u8>> {
    told(&mut command(directory, arguments), input, LIMIT)
}

/// Runs git as `command` says, gives it `input`, and returns all that it says, if that takes no longer than `limit`.
///
/// # Errors
///
/// Returns why git cannot be run, or what it complains about.
pub(in crate::workspace) fn told(command: &mut Command, input: Vec<u8>, limit: Duration) -> io::Result<Vec<u8>> {
    let mut child = command.spawn().map_err(|error| unstarted(&error))?;
    let answered = converse(&mut child, input, limit);
    // What it was to write is in a scratch file, or objects that nobody names.
    let _ = if answered.is_err() { child.kill() } else { Ok(()) };
    let status = child.wait()?;
    let (answer, words) = answered?;
    if status.success() {
        return Ok(answer);
    }
    Err(complaint(&words).unwrap_or_else(|| io::Error::other(format!("git ended with {status}"))))
}

/// Says that git cannot be started.
pub(in crate::workspace) fn unstarted(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("git cannot be started, and it is what reads repositories: {error}"))
}

/// Returns the last of what git complained about, if it did.
pub(in crate::workspace) fn complaint(words: &[u8]) -> Option<io::Error> {
    let words = String::from_utf8_lossy(words);
    let last = words.lines().rfind(|line| !line.trim().is_empty())?;
    Some(io::Error::other(format!("git: {}", last.trim_start_matches("fatal: "))))
}

/// Returns the command that is git in `directory`, in the repository that it finds there.
pub(in crate::workspace) fn command(
    directory: &Path,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Command {
    let mut command = Command::new("git");
    keep(&mut command, is_kept);
    command.arg("-C").arg(directory).args(["--no-pager", "-c", "core.fsmonitor=false"]).args(arguments);
    alone(&mut command);
    command
}

/// Takes the variables of git from `command` but those that `is_kept`, and gives it those that keep git from writing,
/// asking and fetching.
pub(in crate::workspace) fn keep(command: &mut Command, is_kept: impl Fn(&str) -> bool) {
    let is_of_git = |name: &OsStr| name.as_encoded_bytes().starts_with(b"GIT_");
    for (name, _) in env::vars_os().filter(|(name, _)| is_of_git(name) && !is_kept(&name.to_string_lossy())) {
        command.env_remove(name);
    }
    command.envs([
        ("LC_ALL", "C"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_NO_LAZY_FETCH", "1"),
        // What a git fetches all the same that is too old for that variable.
        ("GIT_ALLOW_PROTOCOL", "none"),
    ]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
}

/// Returns whether a variable says where the repository is, or how it is configured.
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

/// Takes the process out of reach of the keys of a terminal: who is told to stop ends it when nothing is in the making.
#[cfg(unix)]
pub(in crate::workspace) fn alone(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
pub(in crate::workspace) fn alone(_: &mut Command) {}

/// Gives the process `input` and returns what it says and what it complains about.
fn converse(child: &mut Child, input: Vec<u8>, limit: Duration) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let pipes = child.stdin.take().zip(child.stdout.take()).zip(child.stderr.take());
    let ((mut requests, answers), errors) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
    // It need not read what it gets.
    thread::Builder::new().spawn(move || requests.write_all(&input))?;
    let listener = thread::Builder::new().spawn(move || last_words(errors))?;
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new().spawn(move || {
        let mut answer = Vec::new();
        let read = answers.take(MOST_ANSWER).read_to_end(&mut answer);
        sender.send(read.map(|_| answer))
    })?;
    let late = |_| io::Error::new(io::ErrorKind::TimedOut, "git does not answer");
    let answer = receiver.recv_timeout(limit).map_err(late)??;
    Ok((answer, listener.join().unwrap_or_default()))
}

/// Reads to the end, so that git is never stopped by a full pipe, and returns the last of it.
pub(in crate::workspace) fn last_words(mut errors: ChildStderr) -> Vec<u8> {
    let (mut words, mut piece) = (Vec::new(), [0; 1024]);
    while let Ok(length @ 1..) = errors.read(&mut piece) {
        words.extend_from_slice(&piece[..length]);
        words.drain(..words.len().saturating_sub(LAST_WORDS));
    }
    words
}
