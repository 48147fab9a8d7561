//! What strace wrote about a run, as the steps that change the tree or make it durable.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use wpatch::text::printable;

/// The calls that change no name, no contents and no permission bits; owners and extended
/// attributes are no part of the trees that are compared.
const HARMLESS: &[&str] = &[
    "access",
    "close",
    "execve",
    "faccessat",
    "faccessat2",
    "fadvise64",
    "fchown",
    "fcntl",
    "fgetxattr",
    "flistxattr",
    "flock",
    "fremovexattr",
    "fsetxattr",
    "fstat",
    "getcwd",
    "getdents64",
    "getxattr",
    "listxattr",
    "lseek",
    "lstat",
    "mmap",
    "newfstatat",
    "poll",
    "pread64",
    "read",
    "readlink",
    "readlinkat",
    "stat",
    "statfs",
    "statx",
    "fstatfs",
];

/// A path below the root; the root's is empty.
pub(super) type Name = String;

/// One call that succeeded, or that was made at all if it is a sync.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Makes an empty file.
    Create(Name, u32),
    /// Writes behind what was written before.
    Write(Name, Vec<u8>),
    MakeDir(Name, u32),
    Symlink(Name, Vec<u8>),
    Link(Name, Name),
    Rename(Name, Name),
    Exchange(Name, Name),
    Remove(Name),
    RemoveDir(Name),
    SetMode(Name, u32),
    Sync(Name),
    SyncAll,
    /// Should have made something durable and did not.
    FailedSync(Name),
    FailedSyncAll,
    /// It was said how it ended: the tree is as after if that is success, else as before.
    Report,
}

impl Step {
    /// Returns whether it makes something durable.
    pub(super) fn is_sync(&self) -> bool {
        matches!(self, Self::Sync(_) | Self::SyncAll)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sync(name) => write!(f, "sync {}", if name.is_empty() { "." } else { name }),
            Self::SyncAll => f.write_str("sync all"),
            Self::Write(name, bytes) => write!(f, "write {name} \"{}\"", printable(bytes)),
            other => write!(f, "{other:?}"),
        }
    }
}

/// Reads what `strace -f -y -xx` wrote about a run below `root`.
///
/// # Panics
///
/// If there is a call in it that the model does not know: then nothing that it says can be trusted.
pub(super) fn steps(log: &str, root: &Path) -> Vec<Step> {
    let mut reader = Reader {
        root: root.to_str().unwrap().to_owned(),
        handles: BTreeMap::new(),
    };
    let mut open: BTreeMap<&str, String> = BTreeMap::new();
    let mut steps = Vec::new();
    for line in log.lines() {
        let (thread, text) = line.trim_start().split_once(' ').unwrap();
        let text = text.trim_start();
        if text.starts_with("+++") || text.starts_with("---") {
            continue;
        }
        if let Some(begun) = text.strip_suffix("<unfinished ...>") {
            open.insert(thread, begun.trim_end().to_owned());
            continue;
        }
        let resumed = text
            .strip_prefix("<... ")
            .map(|text| text.split_once(" resumed>").unwrap().1);
        let whole = resumed.map_or_else(
            || text.to_owned(),
            |rest| open.remove(thread).unwrap() + rest,
        );
        steps.extend(reader.step(&whole));
    }
    steps
}

/// One call as it stands in a line.
struct Call<'a> {
    name: &'a str,
    arguments: Vec<&'a str>,
    result: &'a str,
}

impl<'a> Call<'a> {
    fn parse(line: &'a str) -> Self {
        let (name, rest) = line
            .split_once('(')
            .unwrap_or_else(|| panic!("no call: {line}"));
        let (arguments, result) = rest
            .rsplit_once(" = ")
            .unwrap_or_else(|| panic!("no result: {line}"));
        let arguments = arguments
            .trim_end()
            .strip_suffix(')')
            .unwrap_or_else(|| panic!("no end: {line}"));
        // Strings are in hexadecimal digits, so that no comma stands in them.
        Self {
            name,
            arguments: arguments.split(", ").collect(),
            result,
        }
    }

    fn is_failed(&self) -> bool {
        self.result.starts_with('-') || self.result.starts_with('?')
    }

    fn has(&self, flag: &str) -> bool {
        self.arguments.iter().any(|argument| {
            argument
                .split(['|', '=', '{', '}'])
                .any(|word| word == flag)
        })
    }

    /// Returns the permission bits in an argument.
    fn mode(&self, index: usize) -> u32 {
        u32::from_str_radix(self.arguments[index], 8).unwrap()
    }
}

/// Reads calls, and knows the handles by their numbers.
struct Reader {
    root: String,
    handles: BTreeMap<u32, String>,
}

impl Reader {
    fn step(&mut self, line: &str) -> Option<Step> {
        let call = Call::parse(line);
        self.note_handle(&call);
        if call.name == "exit_group" {
            // Any other code promises nothing of the tree.
            return ["0", "1", "4"]
                .contains(&call.arguments[0])
                .then_some(Step::Report);
        }
        if call.is_failed() {
            return self.failed_sync(&call);
        }
        // The model has no inode flags, and no other attributes.
        let is_flags = call.has("FS_IOC_GETFLAGS") || call.has("FS_IOC_SETFLAGS");
        if is_flags || HARMLESS.contains(&call.name) {
            return None;
        }
        let step = self.names(&call).or_else(|| self.contents(&call));
        step.unwrap_or_else(|| panic!("the model does not know: {line}"))
    }

    fn failed_sync(&self, call: &Call<'_>) -> Option<Step> {
        match call.name {
            "fsync" | "fdatasync" => self.below(&text(call.arguments[0])).map(Step::FailedSync),
            "syncfs" => Some(Step::FailedSyncAll),
            _ => None,
        }
    }

    fn note_handle(&mut self, call: &Call<'_>) {
        if call.name.starts_with("open")
            && let Some((number, path)) = call.result.split_once('<')
        {
            self.handles.insert(number.parse().unwrap(), text(path));
        }
    }

    /// Reads a call that changes names; `None` if it is none, `Some(None)` if it is outside of the
    /// root.
    #[allow(
        clippy::option_option,
        reason = "unknown and without effect are two things"
    )]
    fn names(&self, call: &Call<'_>) -> Option<Option<Step>> {
        let at = |index| self.at(call, index);
        let pair = || at(0).zip(at(2));
        Some(match call.name {
            "mkdirat" => at(0).map(|name| Step::MakeDir(name, call.mode(2))),
            "symlinkat" => at(1).map(|name| Step::Symlink(name, bytes(call.arguments[0]))),
            "linkat" => pair().map(|(from, to)| Step::Link(from, to)),
            "renameat2" if call.has("RENAME_EXCHANGE") => {
                pair().map(|(from, to)| Step::Exchange(from, to))
            }
            "renameat" | "renameat2" => pair().map(|(from, to)| Step::Rename(from, to)),
            "unlinkat" if call.has("AT_REMOVEDIR") => at(0).map(Step::RemoveDir),
            "unlinkat" => at(0).map(Step::Remove),
            _ => return None,
        })
    }

    /// Reads a call that changes contents or modes, or makes them durable.
    #[allow(clippy::option_option, reason = "as for names")]
    fn contents(&self, call: &Call<'_>) -> Option<Option<Step>> {
        let handle = || self.below(&text(call.arguments[0]));
        Some(match call.name {
            "openat" | "openat2" | "open" if call.has("O_CREAT") => return self.create(call),
            "openat" | "openat2" | "open" => {
                // A file that is there is never written to.
                let writes = ["O_WRONLY", "O_RDWR", "O_TRUNC", "O_TMPFILE"]
                    .iter()
                    .any(|flag| call.has(flag));
                return (!writes).then_some(None);
            }
            "write" if call.arguments[0].starts_with("1<") => {
                is_success(&bytes(call.arguments[1])).then_some(Step::Report)
            }
            "write" => handle().map(|name| {
                let written = call.result.parse().unwrap();
                Step::Write(name, bytes(call.arguments[1])[..written].to_vec())
            }),
            "fchmod" => handle().map(|name| Step::SetMode(name, call.mode(1))),
            "fchmodat" => self
                .at(call, 0)
                .map(|name| Step::SetMode(name, call.mode(2))),
            "fsync" | "fdatasync" => handle().map(Step::Sync),
            "syncfs" => handle().map(|_| Step::SyncAll),
            _ => return None,
        })
    }

    /// Reads a call that makes a file, which has to be new, unless it is never written to.
    #[allow(clippy::option_option, reason = "as for names")]
    fn create(&self, call: &Call<'_>) -> Option<Option<Step>> {
        let Some(name) = self.at(call, 0).filter(|_| call.name == "openat") else {
            return Some(None);
        };
        let is_known = call.has("O_EXCL") || name.ends_with("/lock");
        is_known.then(|| Some(Step::Create(name, call.mode(3))))
    }

    /// Returns the path that a handle and a name stand for, if it is below the root.
    fn at(&self, call: &Call<'_>, index: usize) -> Option<Name> {
        let name = String::from_utf8(bytes(call.arguments[index + 1])).unwrap();
        match name.strip_prefix("/proc/self/fd/") {
            Some(number) => self.below(&self.handles[&number.parse().unwrap()]),
            None if name.starts_with('/') => self.below(&name),
            None => self.below(&format!("{}/{name}", text(call.arguments[index]))),
        }
    }

    fn below(&self, path: &str) -> Option<Name> {
        let rest = path.strip_prefix(&self.root)?;
        if rest.is_empty() {
            Some(Name::new())
        } else {
            rest.strip_prefix('/').map(str::to_owned)
        }
    }
}

/// Returns whether what was printed is the report of a success.
fn is_success(text: &[u8]) -> bool {
    let word = b"\"ok\":true";
    text.windows(word.len()).any(|part| part == word)
}

/// Returns the path of a handle such as `3<\x2f\x61>`, or of what stands behind its `<`.
fn text(argument: &str) -> String {
    let path = argument.split_once('<').map_or(argument, |(_, path)| path);
    String::from_utf8(hexadecimal(path.split('>').next().unwrap())).unwrap()
}

/// Returns what is between quotation marks.
fn bytes(argument: &str) -> Vec<u8> {
    let inside = argument
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    hexadecimal(inside.unwrap_or_else(|| panic!("not a whole string: {argument}")))
}

fn hexadecimal(digits: &str) -> Vec<u8> {
    let bytes = digits.split("\\x").skip(1);
    bytes
        .map(|byte| {
            u8::from_str_radix(byte, 16).unwrap_or_else(|_| panic!("not hexadecimal: {digits}"))
        })
        .collect()
}
