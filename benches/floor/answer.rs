//! The answer of a patch: what becomes of each file, found by comparing both trees.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use fs_err as fs;

use super::operations::Result;

/// Writes a line for each file, and behind it the bytes that are new.
pub(super) fn answer(before: &Path, after: &Path, patch: &Path) -> Result<()> {
    let (old, new) = (files(before)?, files(after)?);
    let mut renames = renames(patch)?;
    let mut out = BufWriter::new(io::stdout().lock());
    let mut write = |kind: &str, path: &str, from: &str, old: &[u8], new: &[u8]| -> Result<()> {
        let start = old
            .iter()
            .zip(new)
            .take_while(|(old, new)| old == new)
            .count();
        let rest = old[start..].iter().rev().zip(new[start..].iter().rev());
        let same = rest.take_while(|(old, new)| old == new).count();
        let bytes = &new[start..new.len() - same];
        writeln!(
            out,
            "{kind}\t{path}\t{from}\t{start}\t{}\t{}",
            old.len() - same,
            bytes.len()
        )?;
        Ok(out.write_all(bytes)?)
    };
    let moved: BTreeSet<_> = renames.values().cloned().collect();
    for path in old
        .iter()
        .filter(|&path| !new.contains(path) && !moved.contains(path))
    {
        write("delete", path, path, b"", b"")?;
    }
    for path in &new {
        let bytes = fs::read(after.join(path))?;
        if let Some(from) = renames.remove(path) {
            write(
                "rename",
                path,
                &from,
                &fs::read(before.join(&from))?,
                &bytes,
            )?;
        } else if old.contains(path) {
            let was = fs::read(before.join(path))?;
            if was != bytes {
                write("modify", path, path, &was, &bytes)?;
            }
        } else {
            write("create", path, "", b"", &bytes)?;
        }
    }
    Ok(())
}

/// Returns the regular files; links stay as they are.
fn files(root: &Path) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let mut open = vec![PathBuf::new()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(root.join(&directory))? {
            let entry = entry?;
            let path = directory.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                open.push(path);
            } else if entry.file_type()?.is_file() {
                found.insert(path.to_str().ok_or("a name is no text")?.to_owned());
            }
        }
    }
    Ok(found)
}

/// Returns the names before, by the names after.
fn renames(patch: &Path) -> Result<BTreeMap<String, String>> {
    let bytes = fs::read(patch)?;
    let mut found = BTreeMap::new();
    let mut from = String::new();
    for line in bytes.split(|&byte| byte == b'\n') {
        let line = String::from_utf8_lossy(line);
        if let Some(name) = line.strip_prefix("rename from ") {
            name.clone_into(&mut from);
        } else if let Some(name) = line.strip_prefix("rename to ") {
            found.insert(name.to_owned(), from.clone());
        }
    }
    Ok(found)
}
