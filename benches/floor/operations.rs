//! The commands, and the calls of Linux that they make.

use std::collections::BTreeSet;
use std::env;
use std::error::Error;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rustix::buffer::spare_capacity;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, RenameFlags, fchmod, fstat, fsync, mkdirat, openat, renameat,
    renameat_with, statat, syncfs, unlinkat,
};
use rustix::io::{Errno, read, write};

use super::answer::answer;

pub(super) type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// How many threads share the work.
const THREADS: usize = 2;
/// How many files `ordered` stages in one directory.
const BUCKET: usize = 32;
/// How many files a thread takes at once.
const PORTION: usize = 16;

/// Runs the command that the arguments name.
pub(super) fn run() -> Result<()> {
    let words: Vec<_> = env::args().skip(1).collect();
    match words
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["answer", before, after, patch] => {
            answer(Path::new(before), Path::new(after), Path::new(patch))
        }
        [mode @ ("plain" | "none" | "ordered" | "full"), tree] => {
            let mut text = Vec::new();
            io::stdin().lock().read_to_end(&mut text)?;
            let steps = steps(&text)?;
            let tree = openat(
                CWD,
                *tree,
                OFlags::DIRECTORY | OFlags::CLOEXEC,
                Mode::empty(),
            )?;
            if *mode != "plain" {
                return transaction(&tree, &steps, mode);
            }
            in_parts(&steps, |number, step| plain(&tree, number, step))?;
            remove_empty(&tree, &steps)
        }
        _ => Err(
            "usage: floor answer BEFORE AFTER PATCH | floor plain|none|ordered|full TREE".into(),
        ),
    }
}

/// What becomes of a file.
struct Step<'a> {
    path: &'a str,
    /// The name that it has before; none if it is made.
    from: &'a str,
    /// Which bytes of it are replaced, and with what.
    splice: (usize, usize, &'a [u8]),
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Modify,
    Create,
    Delete,
    Rename,
}

const KINDS: [(&str, Kind); 4] = [
    ("modify", Kind::Modify),
    ("create", Kind::Create),
    ("delete", Kind::Delete),
    ("rename", Kind::Rename),
];

fn steps(text: &[u8]) -> Result<Vec<Step<'_>>> {
    let mut steps = Vec::new();
    let mut rest = text;
    while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
        let words: Vec<_> = std::str::from_utf8(&rest[..end])?.split('\t').collect();
        let [kind, path, from, start, stop, count] = words[..] else {
            return Err("no answer".into());
        };
        let (_, kind) = *KINDS
            .iter()
            .find(|(name, _)| *name == kind)
            .ok_or("no such kind")?;
        let (bytes, behind) = rest[end + 1..].split_at(count.parse()?);
        steps.push(Step {
            path,
            from,
            splice: (start.parse()?, stop.parse()?, bytes),
            kind,
        });
        rest = behind;
    }
    Ok(steps)
}

/// Lets two threads do `work` for each step.
fn in_parts(
    steps: &[Step<'_>],
    work: impl Fn(usize, &Step<'_>) -> Result<()> + Sync,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let run = || -> Result<()> {
        loop {
            let start = next.fetch_add(PORTION, Ordering::Relaxed);
            let Some(part) = steps.get(start..) else {
                return Ok(());
            };
            if part.is_empty() {
                return Ok(());
            }
            for (number, step) in part.iter().take(PORTION).enumerate() {
                work(start + number, step)?;
            }
        }
    };
    if steps.len() < PORTION {
        return run();
    }
    thread::scope(|scope| {
        let threads: Vec<_> = (1..THREADS).map(|_| scope.spawn(run)).collect();
        run()?;
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|_| "a thread panicked")?)
    })
}

/// Opens the directory of a file, and makes it if `makes`.
fn parent<'p>(tree: &OwnedFd, path: &'p str, makes: bool) -> Result<(OwnedFd, &'p str)> {
    let (directory, name) = path.rsplit_once('/').unwrap_or((".", path));
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    loop {
        match openat(tree, directory, flags, Mode::empty()) {
            Err(Errno::NOENT) if makes => make_dirs(tree, directory)?,
            opened => return Ok((opened?, name)),
        }
    }
}

fn make_dirs(tree: &OwnedFd, directory: &str) -> Result<()> {
    let ends = directory
        .match_indices('/')
        .map(|(end, _)| end)
        .chain([directory.len()]);
    for end in ends {
        match mkdirat(tree, &directory[..end], Mode::from_raw_mode(0o777)) {
            Err(Errno::EXIST) => {}
            made => made?,
        }
    }
    Ok(())
}

/// Returns what the file becomes, and its mode.
fn made(tree: &OwnedFd, step: &Step<'_>) -> Result<(Vec<u8>, Mode)> {
    let (from, to, new) = step.splice;
    if step.kind == Kind::Create {
        return Ok((new.to_vec(), Mode::from_raw_mode(0o644)));
    }
    let (directory, name) = parent(tree, step.from, false)?;
    let file = openat(
        directory,
        name,
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
        Mode::empty(),
    )?;
    let stat = fstat(&file)?;
    let mut old = Vec::with_capacity(usize::try_from(stat.st_size)?);
    while old.len() < old.capacity() && read(&file, spare_capacity(&mut old))? > 0 {}
    let bytes = [&old[..from], new, &old[to..]].concat();
    Ok((bytes, Mode::from_raw_mode(stat.st_mode & 0o7777)))
}

fn put(directory: impl AsFd, name: &str, (bytes, mode): &(Vec<u8>, Mode)) -> Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let file = openat(directory, name, flags, Mode::from_raw_mode(0o600))?;
    let mut rest = &bytes[..];
    while !rest.is_empty() {
        rest = &rest[write(&file, rest)?..];
    }
    Ok(fchmod(&file, *mode)?)
}

fn plain(tree: &OwnedFd, number: usize, step: &Step<'_>) -> Result<()> {
    if step.kind != Kind::Delete {
        let bytes = made(tree, step)?;
        let (directory, name) = parent(tree, step.path, true)?;
        let temporary = format!(".floor{number}");
        put(&directory, &temporary, &bytes)?;
        renameat(&directory, &temporary, &directory, name)?;
    }
    if matches!(step.kind, Kind::Delete | Kind::Rename) {
        let (directory, name) = parent(tree, step.from, false)?;
        unlinkat(directory, name, AtFlags::empty())?;
    }
    Ok(())
}

/// Returns the scratch file of the step `number`: `n` of its new contents, `o` of its old ones.
fn slot(letter: char, number: usize, is_ordered: bool) -> String {
    if is_ordered {
        format!("files{}/{letter}{number}", number / BUCKET)
    } else {
        format!("{letter}{number}")
    }
}

/// Writes the new contents of all files below `scratch`.
fn stage(tree: &OwnedFd, scratch: &OwnedFd, steps: &[Step<'_>], is_ordered: bool) -> Result<()> {
    in_parts(steps, |number, _| {
        if is_ordered && number % BUCKET == 0 {
            make_dirs(scratch, &format!("files{}", number / BUCKET))
        } else {
            Ok(())
        }
    })?;
    let is_staged = |step: &Step<'_>| {
        step.kind != Kind::Delete && (step.kind != Kind::Rename || !step.is_same())
    };
    in_parts(steps, |number, step| {
        match is_staged(step) {
            true => put(scratch, &slot('n', number, is_ordered), &made(tree, step)?),
            // What goes has to be what the patch says.
            false if is_ordered => made(tree, step).map(drop),
            false => Ok(()),
        }
    })
}

fn transaction(tree: &OwnedFd, steps: &[Step<'_>], mode: &str) -> Result<()> {
    let (is_full, is_ordered) = (mode == "full", mode == "ordered");
    let keeps_old = statat(tree, ".git", AtFlags::empty()).is_ok();
    let place = if keeps_old { ".git/floor" } else { ".floor" };
    make_dirs(tree, place)?;
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let scratch = openat(tree, place, flags, Mode::empty())?;
    stage(tree, &scratch, steps, is_ordered)?;
    let line = |step: &Step<'_>| format!("{}\t{}\t{:096x}\n", step.path, step.from, 0);
    let lines = steps.iter().map(line).collect::<Vec<_>>().concat();
    put(
        &scratch,
        "journal.tmp",
        &(lines.into_bytes(), Mode::from_raw_mode(0o600)),
    )?;
    if is_full {
        syncfs(&scratch)?;
    }
    renameat(&scratch, "journal.tmp", &scratch, "journal")?;
    if is_full {
        fsync(&scratch)?;
    }
    let swap = |number, step: &Step<'_>| {
        swap(
            tree,
            &scratch,
            (
                &slot('n', number, is_ordered),
                &slot('o', number, is_ordered),
            ),
            step,
        )
    };
    if is_ordered {
        steps
            .iter()
            .enumerate()
            .try_for_each(|(number, step)| swap(number, step))?;
    } else {
        in_parts(steps, swap)?;
    }
    remove_empty(tree, steps)?;
    if is_full {
        syncfs(&scratch)?;
    }
    renameat(&scratch, "journal", &scratch, "done")?;
    if is_full {
        fsync(&scratch)?;
    }
    if keeps_old {
        return Ok(());
    }
    remove_old(&scratch, steps, is_ordered)?;
    Ok(unlinkat(tree, place, AtFlags::REMOVEDIR)?)
}

/// Removes everything below `scratch`.
fn remove_old(scratch: &OwnedFd, steps: &[Step<'_>], is_ordered: bool) -> Result<()> {
    let remove = |name: &str, flags| match unlinkat(scratch, name, flags) {
        Err(Errno::NOENT) => Ok(()),
        removed => removed,
    };
    in_parts(steps, |number, step| {
        match step.kind {
            Kind::Create => {}
            Kind::Modify => remove(&slot('n', number, is_ordered), AtFlags::empty())?,
            // A file that only gets another name has left its slot.
            Kind::Delete | Kind::Rename => {
                remove(&slot('o', number, is_ordered), AtFlags::empty())?;
            }
        }
        Ok(())
    })?;
    for bucket in 0..=steps.len() / BUCKET {
        remove(&format!("files{bucket}"), AtFlags::REMOVEDIR)?;
    }
    Ok(remove("done", AtFlags::empty())?)
}

/// Removes the directories in which nothing is left.
fn remove_empty(tree: &OwnedFd, steps: &[Step<'_>]) -> Result<()> {
    let leave = |step: &&Step<'_>| matches!(step.kind, Kind::Delete | Kind::Rename);
    let mut emptied: BTreeSet<_> = steps
        .iter()
        .filter(leave)
        .filter_map(|step| Some(step.from.rsplit_once('/')?.0))
        .collect();
    while let Some(directory) = emptied.pop_last() {
        match unlinkat(tree, directory, AtFlags::REMOVEDIR) {
            Err(Errno::NOTEMPTY) => {}
            removed => {
                removed?;
                emptied.extend(directory.rsplit_once('/').map(|(above, _)| above));
            }
        }
    }
    Ok(())
}

impl Step<'_> {
    fn is_same(&self) -> bool {
        self.splice.0 == self.splice.1 && self.splice.2.is_empty()
    }
}

/// Puts the new file in and moves the old one out; then looks at what came out.
fn swap(
    tree: &OwnedFd,
    scratch: &OwnedFd,
    (new, old): (&str, &str),
    step: &Step<'_>,
) -> Result<()> {
    let look = |slot: &str| statat(scratch, slot, AtFlags::SYMLINK_NOFOLLOW);
    if step.kind == Kind::Modify {
        let (directory, name) = parent(tree, step.path, false)?;
        renameat_with(scratch, new, &directory, name, RenameFlags::EXCHANGE)?;
        look(new)?;
        return Ok(());
    }
    if step.kind != Kind::Create {
        let (directory, name) = parent(tree, step.from, false)?;
        renameat_with(&directory, name, scratch, old, RenameFlags::NOREPLACE)?;
        look(old)?;
    }
    if step.kind != Kind::Delete {
        let (directory, name) = parent(tree, step.path, true)?;
        let slot = if step.kind == Kind::Rename && step.is_same() {
            old
        } else {
            new
        };
        renameat_with(scratch, slot, &directory, name, RenameFlags::NOREPLACE)?;
    }
    Ok(())
}
