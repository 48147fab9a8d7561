//! Reading patches and contents.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::Stop;
use crate::engine::options::code;

/// What standard input is called.
const STDIN: &str = "-";

/// Reads every patch, standard input if none is named; of each at most `limit` bytes.
///
/// # Errors
///
/// Stops at a file that cannot be read or is larger.
pub(super) fn read(paths: &[PathBuf], limit: u64) -> Result<Vec<(String, Vec<u8>)>, Stop> {
    if paths.is_empty() {
        return Ok(vec![read_one(Path::new(STDIN), limit)?]);
    }
    paths.iter().map(|path| read_one(path, limit)).collect()
}

/// Reads the contents of a file, or standard input for `-`; at most `limit` bytes.
///
/// # Errors
///
/// Stops if it cannot be read or is larger.
pub(super) fn contents(path: &Path, limit: u64) -> Result<Vec<u8>, Stop> {
    match open(path, limit) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(Stop::new(&code::TOO_LARGE, format!("{} has more than {limit} bytes", path.display()))),
        Err(error) => Err(Stop::new(&code::IO, format!("cannot read the text: {error}"))),
    }
}

fn read_one(path: &Path, limit: u64) -> Result<(String, Vec<u8>), Stop> {
    let name = path.to_string_lossy().into_owned();
    match open(path, limit) {
        Ok(Some(bytes)) => Ok((name, bytes)),
        Ok(None) => {
            let stop = Stop::new(&code::TOO_LARGE, format!("the patch {name} has more than {limit} bytes"));
            Err(Stop { help: Some("--max-patch raises the limit".to_owned()), ..stop })
        }
        Err(error) => Err(Stop::new(&code::IO, format!("cannot read the patch: {error}"))),
    }
}

fn open(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    if path == Path::new(STDIN) {
        return read_all(io::stdin().lock(), 0, limit);
    }
    let file = fs_err::File::open(path)?;
    let size = file.metadata()?.len();
    read_all(file, size, limit)
}

/// Returns all bytes, or nothing if there are more than `limit`. `size` is what to expect.
fn read_all(source: impl Read, size: u64, limit: u64) -> io::Result<Option<Vec<u8>>> {
    if size > limit {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(size).unwrap_or(usize::MAX).saturating_add(1))?;
    source.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_over_the_limit_is_not_taken() {
        assert_eq!(read_all(&b"abc"[..], 0, 3).unwrap(), Some(b"abc".to_vec()));
        assert_eq!(read_all(&b"abcd"[..], 0, 3).unwrap(), None);
        assert_eq!(read_all(&b""[..], 4, 3).unwrap(), None);
    }
}
