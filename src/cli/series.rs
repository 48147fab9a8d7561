//! `--series`: reads a quilt series file and the patches that it lists.

use std::path::{Path, PathBuf};

use super::args::Global;
use super::{EarlyExit, files, input};
use crate::engine::Series;
use crate::engine::options::{code, detect_compression, parse_list};
use crate::path::{RelPath, os_path, path_bytes, plain_path};
use crate::text::Bytes;

/// A series file and its patches.
pub(super) struct SeriesFile {
    /// The text of the series file.
    pub(super) text: Bytes,
    pub(super) series: Series,
    /// The names and the texts of the patches.
    pub(super) patches: Vec<(String, Bytes)>,
    /// The files of the patches.
    pub(super) files: Vec<PathBuf>,
}

/// Reads the series file at `path` and its patches. The patches are below the directory of the
/// file. Together they have at most `limit` bytes. `usual` is the strip level of entries without
/// one.
///
/// # Errors
///
/// Returns an error if a file cannot be read, if a patch is compressed, or if the series file is
/// malformed.
pub(super) fn read(
    path: &Path,
    limit: u64,
    usual: usize,
    global: &Global,
) -> Result<SeriesFile, EarlyExit> {
    if path == Path::new(files::STDIN) {
        return Err(EarlyExit::new(
            &code::USAGE,
            "--series needs a file whose patches are in the same directory".to_owned(),
        ));
    }
    let (name, text) = input::read_patch(path, limit, global)?;
    let broken =
        |(line, message)| EarlyExit::new(&code::USAGE, format!("{name}:{line}: {message}"));
    let all = parse_list(&text, usual).map_err(broken)?;
    let directory = path.parent().unwrap_or(Path::new(""));
    let mut left = limit;
    let (mut patches, mut entries) = (Vec::with_capacity(all.len()), Vec::with_capacity(all.len()));
    let mut files = Vec::with_capacity(all.len());
    for (patch, entry) in all {
        let told = |stop: EarlyExit| stop.with_line(&name, entry.line);
        let file = os_path(patch.as_bytes()).ok_or_else(|| told(not_utf8_error(&patch)))?;
        let file = plain_path(directory.join(file));
        let file = path_bytes(&file);
        let file = os_path(&file).ok_or_else(|| told(not_utf8_error(&patch)))?;
        let (title, text) = input::read_patch(file, left, global).map_err(told)?;
        if let Some(format) = detect_compression(&text) {
            let stop = EarlyExit::new(
                &code::UNSUPPORTED_FORM,
                format!("{title} is compressed with {}", format.program()),
            );
            return Err(told(EarlyExit {
                help: Some("decompress it and use the decompressed file".to_owned()),
                ..stop
            }));
        }
        left = left.saturating_sub(text.len() as u64);
        files.push(file.to_owned());
        patches.push((title, text));
        entries.push(entry);
    }
    Ok(SeriesFile {
        text,
        series: Series { name, entries },
        patches,
        files,
    })
}

/// Returns the error for a name that this operating system cannot represent.
fn not_utf8_error(name: &RelPath) -> EarlyExit {
    EarlyExit::new(
        &code::USAGE,
        format!("the name {name} is not valid UTF-8, which this system requires"),
    )
}
