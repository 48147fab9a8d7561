//! A sink that records the changes for language servers, and passes them on to another sink.

use std::collections::BTreeMap;
use std::mem;
use std::sync::{Arc, Mutex};

use crate::change::{Content, FileChange, Sink};
use crate::diagnostics::{DiagnosticsOptions, Document, DocumentRole, MAX_TEXT, Text};
use crate::mode::FileKind;
use crate::mutex::lock_unpoisoned;
use crate::path::RelPath;
use crate::plan::{Action, Plan};
use crate::text::Bytes;
use crate::workspace::{ErrorKind, Workspace, WorkspaceError};

/// The limit on the total size of the recorded texts, in bytes.
pub(super) const MAX_TEXTS: usize = 64 << 20;

/// Passes changes on to another sink, and records what the servers need.
pub(in crate::engine) struct RecordingSink<'a> {
    sink: &'a dyn Sink,
    options: &'a DiagnosticsOptions,
    recorded: Mutex<RecordedFiles>,
}

/// The changed files, by path.
#[derive(Default)]
struct RecordedFiles {
    files: BTreeMap<RelPath, RecordedFile>,
    /// The total size of the texts in `files`, in bytes.
    size: usize,
}

/// A file before and after a change.
struct RecordedFile {
    /// Whether a regular file existed before the change.
    existed: bool,
    after: ResultingFile,
}

impl RecordedFile {
    fn is_deleted(&self) -> bool {
        self.existed && matches!(self.after, ResultingFile::Nothing)
    }
}

/// The file at a path after the change.
enum ResultingFile {
    Nothing,
    Contents(Arc<Bytes>),
    /// The file that was at this path before the change.
    Moved(RelPath),
    /// A content that is not sent to servers.
    Unknown,
}

impl<'a> RecordingSink<'a> {
    /// Returns a sink that passes changes on to `sink`.
    pub(in crate::engine) fn new(options: &'a DiagnosticsOptions, sink: &'a dyn Sink) -> Self {
        Self {
            sink,
            options,
            recorded: Mutex::default(),
        }
    }

    pub(super) fn options(&self) -> &'a DiagnosticsOptions {
        self.options
    }

    fn is_asked_about(&self, path: &RelPath) -> bool {
        self.options
            .servers
            .iter()
            .any(|server| server.is_for(path))
    }

    /// Returns the changed files, with their texts if a server checks them. A rename in `plan` is
    /// one file. Files whose texts cannot be sent are added to `left_out`.
    pub(super) fn documents(
        self,
        plan: &Plan,
        workspace: &dyn Workspace,
        left_out: &mut Vec<RelPath>,
    ) -> Result<Vec<Document>, WorkspaceError> {
        let mut notes = mem::take(&mut lock_unpoisoned(&self.recorded).files);
        let mut from = find_moves(&notes, plan);
        // A rename is one document, so the deletion at its old path is dropped.
        let gone: Vec<_> = from
            .values()
            .filter(|from| notes.get(*from).is_some_and(RecordedFile::is_deleted))
            .cloned()
            .collect();
        for path in gone {
            notes.remove(&path);
        }
        let mut documents = Vec::with_capacity(notes.len());
        for (path, note) in notes {
            let from = from.remove(&path);
            let old_path = from.as_ref().unwrap_or(&path);
            let is_asked = self.is_asked_about(&path) || self.is_asked_about(old_path);
            let text = |path: &RelPath| {
                if is_asked {
                    read(workspace, path)
                } else {
                    Ok(Text::Unknown)
                }
            };
            let before = if note.existed || from.is_some() {
                Some(text(old_path)?)
            } else {
                None
            };
            let after = match note.after {
                ResultingFile::Nothing => None,
                ResultingFile::Contents(contents) if is_asked => Some(text_of(contents)),
                ResultingFile::Moved(source) => Some(text(&source)?),
                ResultingFile::Contents(_) | ResultingFile::Unknown => Some(Text::Unknown),
            };
            if is_asked
                && [&before, &after]
                    .into_iter()
                    .any(|text| *text == Some(Text::Unknown))
            {
                left_out.push(path.clone());
            }
            documents.push(Document {
                path,
                from,
                before,
                after,
                role: DocumentRole::Changed,
            });
        }
        Ok(documents)
    }
}

impl Sink for RecordingSink<'_> {
    fn receive(&self, change: FileChange) -> Result<(), WorkspaceError> {
        let is_file = |kind| kind == FileKind::Regular;
        let was_there = change
            .before
            .as_ref()
            .is_some_and(|before| is_file(before.stat.kind));
        let content = change
            .after
            .as_ref()
            .filter(|after| is_file(after.kind))
            .map(|after| &after.content);
        // A change of permissions does not change the text.
        if (was_there || content.is_some()) && !matches!(content, Some(Content::Unchanged)) {
            let mut notes = lock_unpoisoned(&self.recorded);
            let after = match content {
                Some(Content::Bytes(contents)) if notes.size + contents.len() <= MAX_TEXTS => {
                    notes.size += contents.len();
                    ResultingFile::Contents(Arc::clone(contents.whole()))
                }
                Some(Content::MovedFrom(path, _)) => ResultingFile::Moved(path.clone()),
                Some(_) => ResultingFile::Unknown,
                None => ResultingFile::Nothing,
            };
            notes.files.insert(
                change.path.clone(),
                RecordedFile {
                    existed: was_there,
                    after,
                },
            );
        }
        self.sink.receive(change)
    }
}

/// Returns the new path of each moved file, with its old path.
fn find_moves(notes: &BTreeMap<RelPath, RecordedFile>, plan: &Plan) -> BTreeMap<RelPath, RelPath> {
    let renames = plan
        .operations
        .iter()
        .filter(|operation| operation.action == Action::Rename);
    let renames =
        renames.filter_map(|operation| Some((operation.path.clone(), operation.from.clone()?)));
    let renames: Vec<_> = renames.collect();
    // A file that replaces an existing one is compared with the existing file.
    let is_move = |(to, from): &(RelPath, RelPath)| {
        let is_free = notes.get(to).is_some_and(|note| !note.existed)
            || renames.iter().any(|(_, other)| other == to);
        is_free
            && (notes.get(from).is_some_and(RecordedFile::is_deleted)
                || renames.iter().any(|(other, _)| other == from))
    };
    let kept = notes.iter().filter_map(|(path, note)| match &note.after {
        ResultingFile::Moved(from) => Some((path.clone(), from.clone())),
        _ => None,
    });
    renames
        .iter()
        .filter(|rename| is_move(rename))
        .cloned()
        .chain(kept)
        .collect()
}

/// Reads the text of the existing file at `path`.
pub(super) fn read(workspace: &dyn Workspace, path: &RelPath) -> Result<Text, WorkspaceError> {
    match workspace.read(path, MAX_TEXT) {
        Ok((contents, _)) => Ok(text_of(Arc::new(contents))),
        Err(error) if error.kind == ErrorKind::TooLarge => Ok(Text::Unknown),
        Err(error) => Err(error),
    }
}

fn text_of(contents: Arc<Bytes>) -> Text {
    if u64::try_from(contents.len()).is_ok_and(|size| size > MAX_TEXT) {
        return Text::Unknown;
    }
    String::from_utf8(Arc::unwrap_or_clone(contents).into_vec())
        .map_or(Text::Unknown, |text| Text::Known(Arc::new(text)))
}
