//! New blobs for a repository. Their IDs are computed at once; the blobs are written together as
//! packs.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use sha1::Digest as _;

use super::super::objects::ObjectId;
use super::GitIndex;
use crate::digest::{ObjectFormat, blob_id};
use crate::workspace::Result;

/// The limit on compressed bytes that are collected before they are written.
const MAX_PENDING_BYTES: usize = 16 << 20;
/// The type of a blob in a pack; see gitformat-pack(5).
const BLOB: u8 = 3;

/// Collects blobs for a repository. Several threads can add blobs.
#[derive(Debug)]
pub struct BlobCollector<'i> {
    index: &'i GitIndex,
    mode: BlobMode,
    pending: Mutex<PendingBlobs>,
}

/// Whether blobs are written or only their IDs are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlobMode {
    HashOnly,
    Write,
}

#[derive(Debug, Default)]
struct PendingBlobs {
    /// The blobs that are not written yet, in the format of a pack without its header.
    objects: Vec<u8>,
    count: u32,
    /// The IDs of all blobs that were added so far.
    known: HashSet<ObjectId>,
}

impl<'i> BlobCollector<'i> {
    /// Returns a collector that only computes IDs and writes nothing.
    #[must_use]
    pub fn without_writes(index: &'i GitIndex) -> Self {
        Self {
            index,
            mode: BlobMode::HashOnly,
            pending: Mutex::default(),
        }
    }

    /// Returns a collector that writes blobs.
    #[must_use]
    pub fn with_writes(index: &'i GitIndex) -> Self {
        Self {
            mode: BlobMode::Write,
            ..Self::without_writes(index)
        }
    }

    /// Adds `bytes` and returns their blob ID. The repository may contain the blob only after
    /// [`BlobCollector::write`].
    ///
    /// # Errors
    ///
    /// Returns an error if git cannot write the blobs.
    pub fn add(&self, bytes: &[u8]) -> Result<ObjectId> {
        let id = blob_id(bytes, self.index.format);
        let Some(id) = ObjectId::from_hex(id.as_bytes()) else {
            return Err(self.index.answer_error());
        };
        if self.mode == BlobMode::HashOnly {
            return Ok(id);
        }
        if self.lock().known.contains(&id) {
            return Ok(id);
        }
        let object = pack_blob(bytes);
        let mut waiting = self.lock();
        if waiting.known.insert(id) {
            waiting.objects.extend(object);
            waiting.count += 1;
        }
        if waiting.objects.len() > MAX_PENDING_BYTES {
            self.flush(&mut waiting).map(|()| id)
        } else {
            Ok(id)
        }
    }

    /// Writes all added blobs. They are at least as durable as git is configured to make objects.
    /// After an error, the next call writes the same blobs again.
    ///
    /// # Errors
    ///
    /// Returns an error if git cannot write the blobs.
    pub fn write(&self) -> Result<()> {
        self.flush(&mut self.lock())
    }

    fn flush(&self, waiting: &mut PendingBlobs) -> Result<()> {
        if waiting.count == 0 {
            return Ok(());
        }
        let mut pack = [&b"PACK\0\0\0\x02"[..], &waiting.count.to_be_bytes()].concat();
        let objects = pack.len()..pack.len() + waiting.objects.len();
        pack.append(&mut waiting.objects);
        let digest = match self.index.format {
            ObjectFormat::Sha1 => sha1::Sha1::digest(&pack).to_vec(),
            ObjectFormat::Sha256 => sha2::Sha256::digest(&pack).to_vec(),
        };
        pack.extend(digest);
        // An index must not refer to objects that a power loss can destroy, so git must sync them.
        let arguments = ["-c", "core.fsync=committed", "unpack-objects", "-q"].map(OsString::from);
        let written = self
            .index
            .run(&arguments, None, &pack, &self.index.interrupt);
        if let Err(source) = written {
            pack.truncate(objects.end);
            waiting.objects = pack.split_off(objects.start);
            return Err(self.index.to_error(source));
        }
        waiting.count = 0;
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, PendingBlobs> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns `bytes` in the format of a pack: type and length, then the compressed data.
fn pack_blob(bytes: &[u8]) -> Vec<u8> {
    let low = |size: usize, mask: u8| size.to_le_bytes()[0] & mask;
    let mut size = bytes.len() >> 4;
    let mut head = vec![BLOB << 4 | low(bytes.len(), 0x0f)];
    while size > 0 {
        // The high bit states that another byte of the length follows.
        head.last_mut().into_iter().for_each(|last| *last |= 0x80);
        head.push(low(size, 0x7f));
        size >>= 7;
    }
    let mut encoder = ZlibEncoder::new(head, Compression::fast());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::interrupt::Interrupt;

    #[test]
    fn blobs_of_a_failed_write_are_written_again() {
        let root = tempfile::tempdir().unwrap();
        let git = |arguments: &[&str]| {
            let mut command = Command::new("git");
            let command = command.current_dir(&root).args(arguments);
            let output = command.output().unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        git(&["init", "-q"]);
        let index = GitIndex::find(root.path(), &Interrupt::new()).unwrap();
        let blobs = BlobCollector::with_writes(&index);
        let id = blobs.add(b"new blob\n").unwrap();
        let objects = root.path().join(".git/objects");
        let moved = root.path().join("moved");
        fs_err::rename(&objects, &moved).unwrap();
        blobs.write().unwrap_err();
        fs_err::rename(&moved, &objects).unwrap();
        assert_eq!(blobs.add(b"new blob\n").unwrap(), id);
        blobs.write().unwrap();
        assert_eq!(git(&["cat-file", "-p", &id.to_string()]), "new blob\n");
    }
}
