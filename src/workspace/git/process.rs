//! One git that is asked one thing.

use std::env;
use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::path::{self, Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::special;
use crate::process::{self, Complaints, Group, Patience, Patient};

/// How long an answer may take.
pub(super) const LIMIT: Duration = Duration::from_secs(20);
/// How long a filter driver may take.
pub(super) const FILTER_LIMIT: Duration = Duration::from_secs(600);
/// Most bytes of an answer.
const MOST_ANSWER: u64 = 256 << 20;
/// How long the last words of a git that has ended are waited for.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Runs git as `command` says, gives it `input`, and returns its output.
///
/// # Errors
///
/// Returns an error if git cannot be started, fails, or gives no answer before `patience` ends. The
/// error quotes git's reason.
pub(in crate::workspace) fn told(
    command: &mut Command,
    input: Vec<u8>,
    patience: Patience,
) -> io::Result<Vec<u8>> {
    // If git is killed, its output is in a scratch file, or in objects that no other object names.
    output(start(command)?, "git", input, patience)
}

/// Gives `input` to the running program `name`, and returns its output.
///
/// # Errors
///
/// Returns an error if the program fails, or does not end before `patience` does. The error quotes
/// the program's reason.
pub(super) fn output(
    mut group: Group,
    name: &str,
    input: Vec<u8>,
    patience: Patience,
) -> io::Result<Vec<u8>> {
    let child = group.child();
    let pipes = child
        .stdin
        .take()
        .zip(child.stdout.take())
        .zip(child.stderr.take());
    let ((mut requests, answers), errors) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
    // The program need not read its input.
    thread::Builder::new().spawn(move || requests.write_all(&input))?;
    let complaints = Complaints::of(errors)?;
    let unanswered =
        |error: io::Error| io::Error::new(error.kind(), format!("{name} was ended: {error}"));
    let mut answer = Vec::new();
    Patient::new(answers, patience.clone())
        .take(MOST_ANSWER + 1)
        .read_to_end(&mut answer)
        .map_err(unanswered)?;
    if answer.len() as u64 > MOST_ANSWER {
        return Err(io::Error::other(format!(
            "{name} was ended: its output has more than {MOST_ANSWER} bytes"
        )));
    }
    // A program can close its output and continue to run.
    patience.wait(|| group.has_ended()).map_err(unanswered)?;
    let status = group.child().wait()?;
    if status.success() {
        return Ok(answer);
    }
    Err(complaint_of(name, &complaints)
        .unwrap_or_else(|| io::Error::other(format!("{name} ended with {status}"))))
}

/// Starts git, out of reach of the keys of a terminal: who is told to stop ends it when nothing is
/// in the making.
///
/// A git whose parent was killed by SIGKILL ends at the end of its input. It holds no lock of this
/// process, and writes only to pipes, scratch files and objects. `PR_SET_PDEATHSIG` could end it
/// sooner, but only unsafe code can set that between fork and exec, and it also fires when the
/// thread ends that started git.
///
/// # Errors
///
/// Says that git cannot be started.
pub(in crate::workspace) fn start(command: &mut Command) -> io::Result<Group> {
    Group::start(command).map_err(|error| unstarted(&error))
}

fn unstarted(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("git cannot be started: {error}"))
}

/// Returns the reason that a git process which has ended gave for its failure.
pub(in crate::workspace) fn complaint(complaints: &Complaints) -> Option<io::Error> {
    complaint_of("git", complaints)
}

fn complaint_of(name: &str, complaints: &Complaints) -> Option<io::Error> {
    let line = complaints.reason(Instant::now() + LAST_WORDS)?;
    let line = line
        .trim_start_matches("fatal: ")
        .trim_start_matches("error: ");
    // A shell begins the line with the name.
    let prefix = format!("{name}: ");
    Some(io::Error::other(format!(
        "{prefix}{}",
        line.strip_prefix(&prefix).unwrap_or(line)
    )))
}

/// Returns the command that is a git which none of `trees`, and no work tree that they are in, has
/// brought.
///
/// # Errors
///
/// Says that git cannot be started.
pub(in crate::workspace) fn outside(trees: &[PathBuf]) -> io::Result<Command> {
    let names = |tree: &PathBuf| [path::absolute(tree).ok(), fs_err::canonicalize(tree).ok()];
    let names: Vec<_> = trees.iter().flat_map(names).flatten().collect();
    let around = names.iter().flat_map(|name| name.ancestors());
    let around = around
        .filter(|tree| fs_err::symlink_metadata(tree.join(".git")).is_ok())
        .map(Path::to_owned);
    let trees: Vec<_> = trees.iter().cloned().chain(around).collect();
    process::command("git".as_ref(), &trees).map_err(|error| unstarted(&error))
}

/// Returns the command that is git in `directory`, in the repository that it finds there.
///
/// # Errors
///
/// Says that git cannot be started, or must not be, because it would wait for a file that is not
/// regular.
pub(in crate::workspace) fn command(
    directory: &Path,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> io::Result<Command> {
    special::check_around(directory)?;
    let mut command = outside(&[directory.to_owned()])?;
    keep(&mut command, is_kept);
    command
        .arg("-C")
        .arg(directory)
        .args(["--no-pager", "-c", "core.fsmonitor=false"])
        .args(arguments);
    Ok(command)
}

/// Takes the variables of git from `command` but those that `is_kept`, and gives it those that keep
/// git from writing, asking and fetching.
pub(in crate::workspace) fn keep(command: &mut Command, is_kept: impl Fn(&str) -> bool) {
    let is_of_git = |name: &OsStr| name.as_encoded_bytes().starts_with(b"GIT_");
    for (name, _) in
        env::vars_os().filter(|(name, _)| is_of_git(name) && !is_kept(&name.to_string_lossy()))
    {
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
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
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
