//! Reads files and standard input, without a check by policy.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::EarlyExit;
use super::caller::{Caller, LimitedRead, StdinReadTwice};
use super::early_exit::system_message;
use crate::bytes::{MIN_PARALLEL_READ, map_pages, read_large, stdin_file};
use crate::engine::open_regular;
use crate::engine::options::{Interrupt, ProblemCode, ProblemFacts, code};
use crate::text::Bytes;

/// The name of standard input.
pub(super) const STDIN: &str = "-";

/// Whether standard input was read. A second read would find no data.
static IS_STDIN_READ: AtomicBool = AtomicBool::new(false);

/// Reads a file, or standard input for `-`. The content has at most `limit` bytes.
///
/// # Errors
///
/// Returns an error if the file cannot be read or is too large.
pub(super) fn read_contents(path: &Path, limit: u64, caller: &Caller) -> Result<Bytes, EarlyExit> {
    into_text(path, read_limited(path, limit, caller), limit)
}

/// Reads a patch as [`read_contents`] does. Errors have GNU patch's message and call the file `name`.
pub(super) fn read_gnu_patch(path: &Path, name: &Path, limit: u64) -> Result<Bytes, EarlyExit> {
    let read = read_limited(path, limit, &Caller::Process);
    if let Err(error) = &read {
        let words = format!(
            "Can't open patch file {} : {}",
            name.display(),
            system_message(error)
        );
        return Err(EarlyExit::new(error_code(error), words));
    }
    into_text(path, read, limit)
}

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
///
/// Returns an error if the file is not a regular file, cannot be read or is too large.
pub(super) fn read_regular(path: &Path, limit: u64) -> Result<Bytes, EarlyExit> {
    into_text(path, read_regular_limited(path, limit), limit)
}

/// Returns the patch that was read from `path`, and its name. Errors have git's message.
pub(super) fn into_patch(
    path: &Path,
    read: io::Result<LimitedRead>,
    limit: u64,
) -> Result<(String, Bytes), EarlyExit> {
    let name = path.to_string_lossy().into_owned();
    match read {
        Ok(Ok(bytes)) => Ok((name, bytes)),
        Ok(Err(size)) => {
            let stop = too_large(&format!("the patch {name}"), size, limit);
            Err(EarlyExit {
                help: Some("use --max-patch to raise the limit".to_owned()),
                ..stop
            })
        }
        Err(error) => Err(open_error(&name, &error)),
    }
}

/// Returns the error with git's message for a patch that cannot be read.
fn open_error(name: &str, error: &io::Error) -> EarlyExit {
    EarlyExit::new(
        error_code(error),
        format!("can't open patch '{name}': {}", system_message(error)),
    )
}

/// Returns the error for the file at `path`, which should contain `what`.
pub(super) fn read_error(what: &str, path: &Path, error: &io::Error) -> EarlyExit {
    EarlyExit::new(
        error_code(error),
        format!(
            "cannot read {what} from {}: {}",
            path.display(),
            system_message(error)
        ),
    )
}

/// Returns the code of an error. A wrong file name is a mistake in the command line.
fn error_code(error: &io::Error) -> &'static ProblemCode {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    let is_wrong_name = matches!(error.kind(), NotFound | IsADirectory | NotADirectory);
    let is_second = matches!(error.get_ref(), Some(error) if error.is::<StdinReadTwice>());
    if is_wrong_name || is_second {
        &code::USAGE
    } else {
        &code::IO
    }
}

fn into_text(path: &Path, read: io::Result<LimitedRead>, limit: u64) -> Result<Bytes, EarlyExit> {
    match read {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(size)) => Err(too_large(&path.display().to_string(), size, limit)),
        Err(error) => Err(read_error("the text", path, &error)),
    }
}

fn too_large(name: &str, size: Option<u64>, limit: u64) -> EarlyExit {
    let facts = ProblemFacts {
        limit: Some(limit),
        size,
        ..ProblemFacts::default()
    };
    EarlyExit {
        facts: Box::new(facts),
        ..EarlyExit::new(&code::TOO_LARGE, format!("{name} exceeds {limit} bytes"))
    }
}

/// Reads a file of any type, or standard input for `-`. A command can read standard input once.
pub(super) fn read_limited(path: &Path, limit: u64, caller: &Caller) -> io::Result<LimitedRead> {
    if path == Path::new(STDIN) {
        if let Some(read) = caller.read_input(limit) {
            return read;
        }
        if IS_STDIN_READ.swap(true, Ordering::Relaxed) {
            return Err(io::Error::other(StdinReadTwice));
        }
        return read_whole(&stdin_file()?, io::stdin().lock(), limit);
    }
    let file = fs_err::File::open(path)?;
    read_whole(file.file(), &file, limit)
}

/// Reads a file only if it is a regular file. Reading a pipe or a terminal could block forever, and
/// a second read would find no data.
pub(super) fn read_regular_limited(path: &Path, limit: u64) -> io::Result<LimitedRead> {
    let file = open_regular(path)?;
    read_whole(file.file(), &file, limit)
}

/// Reads `file` from its position to its end. Returns the size as an error if it is more than
/// `limit`. `source` reads the same file at the same position.
fn read_whole(mut file: &File, mut source: impl Read, limit: u64) -> io::Result<LimitedRead> {
    // Windows reports no attributes of a pipe.
    let stat = file.metadata().ok().filter(Metadata::is_file);
    // Some files that look regular cannot seek.
    let place = file.stream_position().ok();
    let Some((stat, place)) = stat.zip(place) else {
        return read_all(source, Vec::new(), limit);
    };
    let rest = stat.len().saturating_sub(place);
    if rest > limit {
        return Ok(Err(Some(rest)));
    }
    let size = usize::try_from(rest).unwrap_or(usize::MAX);
    if size < MIN_PARALLEL_READ {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size.saturating_add(1))?;
        return read_all(source, bytes, limit);
    }
    let bytes =
        map_pages(size).and_then(|pages| read_large(file, place, pages, Interrupt::never()))?;
    // The next reader starts after the content.
    file.seek(SeekFrom::Start(place + bytes.len() as u64))?;
    let mut next = Vec::new();
    source.by_ref().take(1).read_to_end(&mut next)?;
    if next.is_empty() {
        return Ok(Ok(bytes));
    }
    // Another process appended to the file.
    let mut all = Vec::new();
    all.try_reserve_exact(bytes.len() + 1)?;
    all.extend_from_slice(&bytes);
    all.append(&mut next);
    drop(bytes);
    read_all(source, all, limit)
}

/// Appends the rest of `source` to `bytes`, which are at most `limit` bytes. If the total exceeds
/// `limit`, counts the rest up to another `limit` bytes, because the source may be endless.
fn read_all(mut source: impl Read, mut bytes: Vec<u8>, limit: u64) -> io::Result<LimitedRead> {
    let room = limit.saturating_sub(bytes.len() as u64);
    source
        .by_ref()
        .take(room.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 <= limit {
        return Ok(Ok(bytes.into()));
    }
    let more = io::copy(&mut source.take(limit), &mut io::sink())?;
    Ok(Err((more < limit).then_some(bytes.len() as u64 + more)))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_patch_over_the_limit_is_not_taken() {
        let read = |source: &[u8]| read_all(source, b"a".to_vec(), 3).unwrap();
        assert_eq!(
            (read(b"bc"), read(b"bcd")),
            (Ok(b"abc".into()), Err(Some(4)))
        );
        assert_eq!(read_all(io::repeat(0), Vec::new(), 3).unwrap(), Err(None));
    }

    #[test]
    fn a_file_is_read_from_where_it_stands_to_its_end() {
        let mut file = tempfile::tempfile().unwrap();
        let contents = vec![b'x'; MIN_PARALLEL_READ + 7];
        file.write_all(&contents).unwrap();
        for (place, limit) in [
            (0, contents.len()),
            (5, MIN_PARALLEL_READ + 2),
            (MIN_PARALLEL_READ, 7),
            (MIN_PARALLEL_READ + 7, 0),
        ] {
            file.seek(SeekFrom::Start(place as u64)).unwrap();
            assert_eq!(
                read_whole(&file, &file, limit as u64 - u64::from(limit > 0))
                    .unwrap()
                    .is_err(),
                limit > 0
            );
            file.seek(SeekFrom::Start(place as u64)).unwrap();
            assert!(
                read_whole(&file, &file, limit as u64).unwrap() == Ok(contents[place..].into()),
                "from {place}"
            );
            assert_eq!(file.stream_position().unwrap(), contents.len() as u64);
        }
    }
}
