//! Reads single objects, from the cache or from git.

use std::io;
use std::sync::Arc;

use super::cache::{CacheWeight, MAX_OBJECT_BYTES};
use super::object_error::{ObjectError, ObjectResult};
use super::reader::{ObjectHeader, ObjectReader, ObjectType};
use super::{ObjectId, Repository};
use crate::mutex::lock_unpoisoned;
use crate::workspace::ErrorKind;

/// The limit in bytes on a commit, tag or tree.
const MAX_META_OBJECT_BYTES: u64 = 128 << 20;

/// The limit on bytes that are skipped. Above it, a new git process is started.
const MAX_SKIPPED_BYTES: u64 = 1 << 20;

/// A cached object.
#[derive(Debug)]
pub(super) struct CachedObject {
    pub(super) id: ObjectId,
    pub(super) kind: ObjectType,
    pub(super) bytes: Vec<u8>,
}

impl CacheWeight for CachedObject {
    fn weight(&self) -> usize {
        self.bytes.len() + size_of::<Self>()
    }
}

/// An object, or its size if it exceeds the limit.
pub(super) enum SizeLimited<T = Arc<CachedObject>> {
    Loaded(T),
    TooLarge(u64),
}

impl Repository {
    /// Returns the object `name`, which must not be a blob.
    pub(super) fn meta_object(&self, name: &[u8]) -> ObjectResult<Arc<CachedObject>> {
        match self.object(name, MAX_META_OBJECT_BYTES)? {
            SizeLimited::Loaded(object) => Ok(object),
            SizeLimited::TooLarge(size) => Err(ObjectError::new(
                ErrorKind::Other,
                format!("the object has {size} bytes, too many for a tree, commit or tag"),
            )),
        }
    }

    /// Returns the object `name`, if it has at most `limit` bytes.
    pub(super) fn object(&self, name: &[u8], limit: u64) -> ObjectResult<SizeLimited> {
        if let Some(object) =
            ObjectId::from_hex(name).and_then(|id| lock_unpoisoned(&self.0.objects).find(id))
        {
            let size = object.bytes.len() as u64;
            return Ok(if size <= limit {
                SizeLimited::Loaded(object)
            } else {
                SizeLimited::TooLarge(size)
            });
        }
        // git sends the whole object in any case. Cache it if possible, so that a request for the
        // size and a later one for the content run git once.
        let object = match self.read(name, limit.max(MAX_OBJECT_BYTES as u64))? {
            SizeLimited::Loaded(object) => Arc::new(object),
            SizeLimited::TooLarge(size) => return Ok(SizeLimited::TooLarge(size)),
        };
        // Trees have their own cache, which contains parsed trees.
        if object.kind != ObjectType::Tree {
            lock_unpoisoned(&self.0.objects).insert(object.id, &object);
        }
        let size = object.bytes.len() as u64;
        Ok(if size <= limit {
            SizeLimited::Loaded(object)
        } else {
            SizeLimited::TooLarge(size)
        })
    }

    /// Reads the object `name` from git, if it has at most `limit` bytes.
    fn read(&self, name: &[u8], limit: u64) -> ObjectResult<SizeLimited<CachedObject>> {
        let kept = lock_unpoisoned(&self.0.idle_readers).pop();
        if let Some(reader) = kept {
            match self.request(reader, name, limit) {
                Ok(answer) => return answer,
                Err(error) if error.kind() == io::ErrorKind::TimedOut => return Err(error.into()),
                // A reused process may have died. A new process reports the reason.
                Err(_) => {}
            }
        }
        self.request(
            ObjectReader::start(&self.0.location, self.0.timeout.clone())?,
            name,
            limit,
        )?
    }

    /// Sends a request to `reader`, and keeps the process if it can be used again.
    ///
    /// # Errors
    ///
    /// The outer error is an error of the process.
    fn request(
        &self,
        mut reader: ObjectReader,
        name: &[u8],
        limit: u64,
    ) -> io::Result<ObjectResult<SizeLimited<CachedObject>>> {
        let answer = match reader.request(name) {
            Ok(ObjectHeader::Object(id, kind, size)) if size <= limit => reader
                .contents(size)
                .map(|bytes| Ok(SizeLimited::Loaded(CachedObject { id, kind, bytes }))),
            Ok(ObjectHeader::Object(_, _, size)) if size > MAX_SKIPPED_BYTES => {
                return Ok(Ok(SizeLimited::TooLarge(size)));
            }
            Ok(ObjectHeader::Object(_, _, size)) => {
                reader.skip(size).map(|()| Ok(SizeLimited::TooLarge(size)))
            }
            Ok(ObjectHeader::Missing) => Ok(Err(self.missing_error(name))),
            Ok(ObjectHeader::Ambiguous) => Ok(Err(ObjectError::new(
                ErrorKind::Missing,
                "the abbreviated name matches several objects",
            ))),
            Err(error) => Err(error),
        };
        match answer {
            Ok(answer) => {
                lock_unpoisoned(&self.0.idle_readers).push(reader);
                Ok(answer)
            }
            Err(error) => Err(reader.into_error(&error)),
        }
    }

    fn missing_error(&self, name: &[u8]) -> ObjectError {
        let repository = self.directory().display();
        match ObjectId::from_hex(name) {
            Some(id) => ObjectError::new(
                ErrorKind::Missing,
                format!(
                    "the object {id} is not in the repository {repository}; fetch it if the clone is partial or \
                     shallow"
                ),
            ),
            None => ObjectError::new(
                ErrorKind::Missing,
                format!("the repository {repository} does not have this revision"),
            ),
        }
    }
}
