//! `refresh`: patches get the lines of the current tree, and keep everything else.

#[cfg(unix)]
mod command;
mod places;
mod random;
mod texts;

use std::sync::Arc;

use wpatch::engine::{self, RefreshOutcome, RefreshRequest, Request, Series, What};
use wpatch::path::RelPath;
use wpatch::plan::{Direction, SeriesSettings};
use wpatch::report::PatchStatus;
use wpatch::transaction::Interrupt;
use wpatch::workspace::memory::{Entry, Memory};

use crate::tree::path;

/// The patches in a directory in memory.
struct PatchFiles {
    files: Memory,
    names: Vec<RelPath>,
    /// The direction in which a series applies them.
    direction: Direction,
}

impl PatchFiles {
    fn new(texts: &[String]) -> Self {
        let names: Vec<_> = (1..=texts.len())
            .map(|number| path(&format!("{number}.patch")))
            .collect();
        let entries = texts.iter().map(|text| Entry::file(text.clone()));
        Self {
            files: Memory::with_files(names.iter().cloned().zip(entries)),
            names,
            direction: Direction::Forward,
        }
    }

    /// Returns the texts that are left, in order.
    fn texts(&self) -> Vec<(String, Vec<u8>)> {
        let files = self.files.files();
        let text = |name: &RelPath| Some((name.to_string(), files.get(name)?.contents.clone()));
        self.names.iter().filter_map(text).collect()
    }

    fn request(&self) -> RefreshRequest {
        let texts = self.texts();
        let names: Vec<_> = texts.iter().map(|(name, _)| path(name)).collect();
        let texts = texts.into_iter().map(|(name, text)| (name, text.into()));
        let mut request = Request::of_all(texts.collect());
        request.decide.fuzz = 2;
        if let What::Patches(patches) = &mut request.what {
            let entry = |line| SeriesSettings {
                line,
                strip: 1,
                direction: self.direction,
            };
            patches.series = Some(Series {
                name: "series".to_owned(),
                entries: (1..=patches.texts.len()).map(entry).collect(),
            });
        }
        RefreshRequest {
            request,
            files: names,
            policy: Arc::default(),
            series: None,
        }
    }

    fn refresh(&self, tree: &Memory) -> RefreshOutcome {
        engine::refresh(self.request(), tree, &self.files, &Interrupt::new())
    }
}

/// Returns the status of each patch.
fn statuses(refreshed: &RefreshOutcome) -> Vec<PatchStatus> {
    let report = refreshed.outcome.report.refresh.as_ref().unwrap();
    report.patches.iter().map(|patch| patch.status).collect()
}

/// Refreshes one patch for a tree with one file, and returns its new text. `None` if it is removed.
fn refreshed(patch: &str, file: &str) -> Option<String> {
    let tree = Memory::with_files([(path("a"), Entry::file(file))]);
    let patches = PatchFiles::new(&[patch.to_owned()]);
    let refreshed = patches.refresh(&tree);
    assert!(
        refreshed.outcome.report.ok,
        "{:#?}",
        refreshed.outcome.report.problems
    );
    let (_, text) = patches.texts().pop()?;
    Some(String::from_utf8(text).unwrap())
}

/// Refreshes a patch for some files, and returns its status and its new text.
fn refreshed_for(files: &[(&str, Entry)], patch: &str) -> (PatchStatus, String) {
    let files = files
        .iter()
        .map(|(name, entry)| (path(name), entry.clone()));
    let tree = Memory::with_files(files);
    let patches = PatchFiles::new(&[patch.to_owned()]);
    let status = statuses(&patches.refresh(&tree))[0];
    let text = patches.texts().pop().map(|(_, text)| text);
    (status, String::from_utf8(text.unwrap_or_default()).unwrap())
}

/// The numbers from `first` to `last`, one in each line.
fn numbers(first: usize, last: usize) -> String {
    let lines: Vec<_> = (first..=last).map(|number| format!("{number}\n")).collect();
    lines.concat()
}
