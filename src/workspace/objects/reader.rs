//! A `git cat-file --batch` process that is reused. It reads one object at a time.
//!
//! git runs no program that a repository or its configuration names: no hook, no filter, no file
//! system monitor. It fetches nothing. See git-cat-file(1), "BATCH OUTPUT".

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{ChildStdin, Command};

use super::id::ObjectId;
use crate::process::{NULL_DEVICE, ProcessGroup, StderrReader, TimedReader, Timeout};
use crate::workspace::git::process::{failure_reason, set_environment, start, trusted_command};
use crate::workspace::git::special_files;

/// The limit in bytes on the line before an object. It repeats the name and adds a few words.
const MAX_HEADER: u64 = 1 << 16;

/// How a repository is located.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum RepositoryLocation {
    /// The repository is `git_dir`, as with `GIT_DIR`. The command works in `root`.
    At {
        git_dir: PathBuf,
        root: Option<PathBuf>,
    },
    /// git finds the repository from this directory upwards, and checks whether it is safe.
    FoundFrom(PathBuf),
}

impl RepositoryLocation {
    /// Returns the directory that names the repository.
    pub(super) fn directory(&self) -> &PathBuf {
        let (Self::At {
            git_dir: directory, ..
        }
        | Self::FoundFrom(directory)) = self;
        directory
    }

    /// Returns the directories that were named. A git program below them must not be used.
    fn untrusted_directories(&self) -> Vec<PathBuf> {
        let root = if let Self::At { root, .. } = self {
            root.as_ref()
        } else {
            None
        };
        root.into_iter()
            .chain([self.directory()])
            .cloned()
            .collect()
    }
}

/// The answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectHeader {
    /// The object exists, and its content follows.
    Object(ObjectId, ObjectType, u64),
    Missing,
    Ambiguous,
}

/// The types of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectType {
    Commit,
    Tree,
    Blob,
    Tag,
}

/// The running process.
#[derive(Debug)]
pub(super) struct ObjectReader {
    /// Dropping it kills the process. This is safe, because the process only reads.
    group: ProcessGroup,
    stdin: ChildStdin,
    stdout: BufReader<TimedReader>,
    stderr: StderrReader,
}

impl ObjectReader {
    /// Starts the process. `patience` limits every wait for an answer.
    pub(super) fn start(place: &RepositoryLocation, patience: Timeout) -> io::Result<Self> {
        let mut group = start(&mut command(place)?)?;
        let child = group.child();
        let pipes = child
            .stdin
            .take()
            .zip(child.stdout.take())
            .zip(child.stderr.take());
        let ((requests, answers), errors) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
        let answers = BufReader::with_capacity(1 << 16, TimedReader::new(answers, patience));
        Ok(Self {
            group,
            stdin: requests,
            stdout: answers,
            stderr: StderrReader::of(errors)?,
        })
    }

    /// Requests the object `name`, which is any name that git accepts and contains no line feed. If
    /// the object exists, the caller must call [`Self::contents`] or [`Self::skip`] next.
    pub(super) fn request(&mut self, name: &[u8]) -> io::Result<ObjectHeader> {
        self.stdin.write_all(&[name, b"\n"].concat())?;
        self.stdin.flush()?;
        let mut line = Vec::new();
        self.stdout
            .by_ref()
            .take(MAX_HEADER)
            .read_until(b'\n', &mut line)?;
        let line = line
            .strip_suffix(b"\n")
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        parse_header(line).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                "git printed an unexpected answer",
            )
        })
    }

    /// Returns the content that follows.
    pub(super) fn contents(&mut self, size: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(usize::try_from(size).unwrap_or(usize::MAX))?;
        self.stdout.by_ref().take(size).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.read_terminator()?;
        Ok(bytes)
    }

    /// Skips the content that follows.
    pub(super) fn skip(&mut self, size: u64) -> io::Result<()> {
        if io::copy(&mut self.stdout.by_ref().take(size), &mut io::sink())? != size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.read_terminator()
    }

    /// Reads the line feed after a content.
    fn read_terminator(&mut self) -> io::Result<()> {
        let mut end = [0];
        self.stdout.read_exact(&mut end)
    }

    /// Returns the error to report after `error`: git's last error message, if it printed one.
    pub(super) fn into_error(self, error: &io::Error) -> io::Error {
        let Self {
            group,
            stderr: complaints,
            ..
        } = self;
        drop(group);
        if error.kind() == io::ErrorKind::TimedOut {
            return io::Error::new(error.kind(), format!("git was killed: {error}"));
        }
        failure_reason(&complaints).unwrap_or_else(|| {
            io::Error::new(error.kind(), format!("git closed the connection: {error}"))
        })
    }
}

fn command(place: &RepositoryLocation) -> io::Result<Command> {
    match place {
        RepositoryLocation::At { git_dir, .. } => special_files::check_git_directory(git_dir)?,
        RepositoryLocation::FoundFrom(directory) => special_files::check_around(directory)?,
    }
    let mut command = trusted_command(&place.untrusted_directories())?;
    set_environment(&mut command, |name| is_kept(name, place));
    match place {
        RepositoryLocation::At { git_dir, .. } => {
            // The user who names a repository trusts it. Only its own configuration applies.
            command
                .env("GIT_DIR", git_dir)
                .env("GIT_CONFIG_NOSYSTEM", "1")
                .env("GIT_CONFIG_GLOBAL", NULL_DEVICE)
        }
        RepositoryLocation::FoundFrom(directory) => command.arg("-C").arg(directory),
    };
    command.args([
        "--no-pager",
        "--no-replace-objects",
        "-c",
        "core.fsmonitor=false",
        "cat-file",
        "--batch",
    ]);
    Ok(command)
}

/// Returns whether a git variable has the same meaning for the child as for this process. In a hook
/// that runs before objects are accepted, `GIT_OBJECT_DIRECTORY` and
/// `GIT_ALTERNATE_OBJECT_DIRECTORIES` locate the objects.
fn is_kept(name: &str, place: &RepositoryLocation) -> bool {
    let is_found = matches!(place, RepositoryLocation::FoundFrom(_));
    match name {
        "GIT_EXEC_PATH" => true,
        "GIT_DIR"
        | "GIT_COMMON_DIR"
        | "GIT_OBJECT_DIRECTORY"
        | "GIT_ALTERNATE_OBJECT_DIRECTORIES"
        | "GIT_QUARANTINE_PATH"
        | "GIT_CEILING_DIRECTORIES"
        | "GIT_DISCOVERY_ACROSS_FILESYSTEM"
        | "GIT_CONFIG_NOSYSTEM"
        | "GIT_CONFIG_SYSTEM"
        | "GIT_CONFIG_GLOBAL" => is_found,
        _ => false,
    }
}

/// Parses `ID TYPE SIZE`, or a name followed by `missing` or `ambiguous`.
fn parse_header(line: &[u8]) -> Option<ObjectHeader> {
    if line.ends_with(b" missing") {
        return Some(ObjectHeader::Missing);
    }
    if line.ends_with(b" ambiguous") {
        return Some(ObjectHeader::Ambiguous);
    }
    let mut words = line.split(|&byte| byte == b' ');
    let id = ObjectId::from_hex(words.next()?)?;
    let kind = match words.next()? {
        b"commit" => ObjectType::Commit,
        b"tree" => ObjectType::Tree,
        b"blob" => ObjectType::Blob,
        b"tag" => ObjectType::Tag,
        _ => return None,
    };
    let size = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
    words
        .next()
        .is_none()
        .then_some(ObjectHeader::Object(id, kind, size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_an_object_or_says_what_is_wrong() {
        let hex = "0123456789".repeat(4);
        let id = ObjectId::from_hex(hex.as_bytes()).unwrap();
        assert_eq!(
            parse_header(format!("{hex} blob 7").as_bytes()),
            Some(ObjectHeader::Object(id, ObjectType::Blob, 7))
        );
        assert_eq!(
            parse_header(format!("{hex} blob 7 missing").as_bytes()),
            Some(ObjectHeader::Missing)
        );
        assert_eq!(parse_header(b"ab ambiguous"), Some(ObjectHeader::Ambiguous));
        for wrong in [
            &b""[..],
            b"x blob 7",
            format!("{hex} blob -7").as_bytes(),
            format!("{hex} blob 7 8").as_bytes(),
        ] {
            assert_eq!(parse_header(wrong), None);
        }
    }

    #[test]
    fn a_repository_that_is_named_is_read_as_it_is() {
        let (at, around) = (
            RepositoryLocation::At {
                git_dir: "x".into(),
                root: None,
            },
            RepositoryLocation::FoundFrom("x".into()),
        );
        assert!(is_kept("GIT_OBJECT_DIRECTORY", &around) && !is_kept("GIT_OBJECT_DIRECTORY", &at));
        assert!(!is_kept("GIT_CONFIG_PARAMETERS", &around) && !is_kept("GIT_EXTERNAL_DIFF", &at));
    }
}
