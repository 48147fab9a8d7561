//! The files that a patch changes, in their state after the sections so far.

use std::collections::HashMap;

use super::chunk::{Chunk, counts};
use super::compose::{self, compose};
use super::names::{Named, Names};
use super::read::{Action, Section};
use super::refusal::{cut, refusals};
use super::{Refusal, RefusalKind, RepairKind, RepairLog};
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::plan;
use crate::syntax::write::{DiffSide, git_diff};
use crate::text::{Bytes, is_binary};
use crate::workspace::WorkspaceError;

/// The files after the sections so far.
pub(super) struct Files<'w> {
    names: Names<'w>,
    max_file: u64,
    now: HashMap<RelPath, Found>,
}

/// The mode and content of a file; `None` if the file does not exist.
type Found = Option<(FileMode, Bytes)>;

impl<'w> Files<'w> {
    pub(super) fn new(names: Names<'w>, max_file: u64) -> Self {
        Self {
            names,
            max_file,
            now: HashMap::new(),
        }
    }

    /// Returns the section as a git diff, or the reasons why it cannot be repaired.
    pub(super) fn section(
        &mut self,
        section: &Section<'_>,
        log: &mut RepairLog,
    ) -> Result<Result<Vec<u8>, Vec<Refusal>>, WorkspaceError> {
        let refuse = |kind, path: Option<RelPath>, message: String| {
            Ok(Err(vec![Refusal::new(kind, path, section.span, message)]))
        };
        let is_known = |path: &RelPath| self.now.get(path).is_some_and(Option::is_some);
        let named = self.names.resolve(section, is_known)?;
        if matches!(named, Named::None(_))
            && let Some(section) = section.created()
        {
            return self.section(&section, log);
        }
        let (path, is_other) = match named.into_path() {
            Ok(path) => path,
            Err((kind, message)) => return refuse(kind, None, message),
        };
        if is_other {
            log.note(RepairKind::Name, section.line);
        }
        if let Some((kind, message)) = self.names.denial(&path, section.action) {
            return refuse(kind, Some(path), message);
        }
        let found = match self.load(&path)? {
            Ok(found) => found,
            Err(message) => return refuse(RefusalKind::Unreadable, Some(path), message),
        };
        let target = match section.target.map(|name| self.names.new_path(name)) {
            None => path.clone(),
            Some(Some(target)) => target,
            Some(None) => {
                return refuse(
                    RefusalKind::Outside,
                    Some(path),
                    "the new name leads outside the root".into(),
                );
            }
        };
        Ok(match result(section, &path, &found, log) {
            Ok(after) => Ok(self.write(section, (&path, found), (&target, after))),
            Err(refusals) => Err(refusals),
        })
    }

    /// Returns the diff, and records the result for the next section.
    fn write(
        &mut self,
        section: &Section<'_>,
        (path, found): (&RelPath, Found),
        (target, after): (&RelPath, Found),
    ) -> Vec<u8> {
        // If a file to create already exists, applying the repaired patch reports it.
        let before = found.filter(|_| section.action != Action::Create);
        let action = match (path == target, section.action) {
            (false, _) => plan::Action::Rename,
            (_, Action::Create) => plan::Action::Create,
            (_, Action::Delete) => plan::Action::Delete,
            (_, Action::Update) => plan::Action::Modify,
        };
        let diff = git_diff(
            action,
            side(path, before.as_ref()).as_ref(),
            side(target, after.as_ref()).as_ref(),
        );
        self.now.insert(path.clone(), None);
        self.now.insert(target.clone(), after);
        diff
    }

    /// Returns the file at `path`, or the reason why it cannot be read.
    fn load(&self, path: &RelPath) -> Result<Result<Found, String>, WorkspaceError> {
        if let Some(found) = self.now.get(path) {
            return Ok(Ok(found.clone()));
        }
        let Some(stat) = self.names.stat(path)? else {
            return Ok(Ok(None));
        };
        if stat.kind != FileKind::Regular {
            return Ok(Err(format!(
                "expected a regular file, found a {}",
                stat.kind
            )));
        }
        if stat.size > self.max_file {
            return Ok(Err("the file exceeds the size limit".into()));
        }
        let (content, stat) = self.names.workspace.read(path, self.max_file)?;
        if is_binary(&content) {
            return Ok(Err("the file is binary; --lenient repairs only text".into()));
        }
        let mode = if stat.permissions & 0o100 != 0 {
            FileMode::Executable
        } else {
            FileMode::Regular
        };
        Ok(Ok(Some((mode, content))))
    }
}

/// Returns one side of a diff.
fn side<'f>(path: &'f RelPath, found: Option<&'f (FileMode, Bytes)>) -> Option<DiffSide<'f>> {
    found.map(|(mode, content)| DiffSide {
        path,
        mode: *mode,
        content,
        blob: "",
    })
}

/// Returns the file after `section`; `None` if the section deletes it.
fn result(
    section: &Section<'_>,
    path: &RelPath,
    found: &Found,
    log: &mut RepairLog,
) -> Result<Found, Vec<Refusal>> {
    let refuse = |kind, message: String| {
        Err(vec![Refusal::new(
            kind,
            Some(path.clone()),
            section.span,
            message,
        )])
    };
    match (section.action, found) {
        (Action::Create, _) => {
            let short = |chunk: &Chunk<'_>| {
                chunk
                    .shortage(counts(&chunk.body))
                    .filter(|_| !chunk.is_closed)
            };
            if let Some(shortage) = section.chunks.last().and_then(short) {
                let hunk = format!("hunk {}", section.chunks.len());
                return refuse(RefusalKind::Cut, cut(&hunk, shortage));
            }
            match compose::created(section, log) {
                Some(content) => Ok(Some((
                    section.mode.unwrap_or(FileMode::Regular),
                    content.into(),
                ))),
                None => refuse(
                    RefusalKind::Stray,
                    "it is unclear which lines belong to the new file".to_owned(),
                ),
            }
        }
        (Action::Delete, Some((_, content))) => match compose::is_whole(section, content, log) {
            Ok(true) => Ok(None),
            Ok(false) => refuse(
                RefusalKind::NotFound,
                "the file to delete differs from the patch".to_owned(),
            ),
            Err(error) => Err(refusals(section, path, content, vec![(0, error)], log)),
        },
        (Action::Delete | Action::Update, None) => {
            refuse(RefusalKind::Name, "the file does not exist".to_owned())
        }
        (Action::Update, Some((mode, content))) => match compose(section, content, log) {
            Ok(after) => Ok(Some((section.mode.unwrap_or(*mode), after.into()))),
            Err(errors) => Err(refusals(section, path, content, errors, log)),
        },
    }
}
