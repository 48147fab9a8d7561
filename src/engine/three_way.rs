//! The inputs of a three-way merge: the contents for which patches were made, and git's merge
//! configuration.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use super::load_history::{old_versions, read_version};
use super::request::{ConflictMarkers, ThreeWayOptions};
use super::stages::Selected;
use super::task::CommandRun;
use crate::digest::has_blob_id;
use crate::matching::ConflictStyle;
use crate::path::RelPath;
use crate::plan::Plan;
use crate::preflight::{
    self, Bases, ConflictHandling, HistoryBases, MergeDriver, Problem, ThreeWay, code,
};
use crate::transaction::Failure;
use crate::transaction::history::entries;
use crate::workspace::git::{Attribute, Git};
use crate::workspace::{Workspace, top};

/// Adds to `options` the contents for which the patches of `selected` were made, and git's merge
/// configuration.
pub(super) fn find_bases(
    task: &CommandRun<'_>,
    selected: &mut Selected,
    options: &mut preflight::Options,
) {
    let Some(ThreeWayOptions { favour, marking }) = task.request.decide.three_way else {
        return;
    };
    // Changes of the index use the configuration of the repository that has the index.
    let git = match &task.index_target {
        Some(indexed) => Some(indexed.index.git()),
        None => task.request.context.git.as_ref(),
    };
    let mut failed = |error: &io::Error| {
        let message = format!("git cannot report its merge configuration: {error}");
        selected
            .problems
            .push(Problem::new(&code::GIT_CONFIG, message));
    };
    let conflicts = match marking {
        None => ConflictHandling::Refuse,
        Some(ConflictMarkers::Base) => ConflictHandling::WriteMarkers(ConflictStyle::Base),
        Some(ConflictMarkers::Configured) => {
            let style = git
                .as_ref()
                .map_or(Ok(ConflictStyle::Sides), |git| style(git));
            ConflictHandling::WriteMarkers(style.inspect_err(&mut failed).unwrap_or_default())
        }
    };
    let paths: Vec<_> = selected
        .plan
        .operations
        .iter()
        .map(|operation| &operation.path)
        .collect();
    let drivers = git
        .as_ref()
        .map_or_else(|| Ok(HashMap::new()), |git| drivers(git, &paths));
    let drivers = drivers.inspect_err(&mut failed).unwrap_or_default();
    let given = task.request.context.base.clone();
    let mut bases = Bases {
        given,
        objects: options.objects.clone(),
        kept: HashMap::new(),
    };
    if bases.given.is_none() {
        match find_history_bases(&selected.plan, task.workspace, options.max_file, &bases) {
            Ok(kept) => bases.kept = kept,
            Err(failure) => selected.add_failure(&failure),
        }
    }
    let is_indexed = task.index_target.is_some();
    options.three_way = Some(Arc::new(ThreeWay {
        bases,
        favour,
        conflicts,
        drivers,
        is_indexed,
    }));
}

/// Returns the contents for which the patches of `plan` were made, if the history has them and the
/// repository does not. No content has more than `max_size` bytes.
fn find_history_bases(
    plan: &Plan,
    workspace: &dyn Workspace,
    max_size: u64,
    bases: &Bases,
) -> Result<HistoryBases, Failure> {
    let all = entries(workspace)?;
    let (versions, tree) = (old_versions(&all, workspace), top(workspace)?);
    let mut found = HashMap::new();
    for operation in &plan.operations {
        let path = operation.from.as_ref().unwrap_or(&operation.path);
        let Some((blobs, versions)) = operation.blobs.as_ref().zip(versions.get(path)) else {
            continue;
        };
        // A blob in the repository needs no copy from the history.
        let found_there = bases
            .objects
            .as_ref()
            .map(|objects| objects.find_blob(&blobs.old, max_size))
            .transpose()?;
        if found_there.flatten().is_some() {
            continue;
        }
        let mut contents = versions
            .iter()
            .filter_map(|version| read_version(tree, *version, max_size));
        if let Some(base) = contents.find(|contents| has_blob_id(contents, &blobs.old)) {
            found.insert((path.clone(), blobs.old.clone()), Arc::new(base));
        }
    }
    Ok(found)
}

/// Returns how conflicts are written according to git's configuration; see `merge.conflictStyle` in
/// git-config(1).
fn style(git: &Git) -> io::Result<ConflictStyle> {
    Ok(match git.config("merge.conflictstyle")? {
        Some(b"diff3") => ConflictStyle::Base,
        Some(b"zdiff3") => ConflictStyle::ShortBase,
        _ => ConflictStyle::Sides,
    })
}

/// Returns the merge drivers that git's attributes set for `paths`.
fn drivers(git: &Git, paths: &[&RelPath]) -> io::Result<HashMap<RelPath, MergeDriver>> {
    let attributes = git.attributes(&["merge"], paths)?;
    let usual = git.config("merge.default")?;
    let mut drivers = HashMap::new();
    for (path, values) in paths.iter().zip(&attributes) {
        let driver = match (&values[0], usual) {
            (Attribute::Unset, _) => Some(MergeDriver::Binary),
            (Attribute::Value(name), _) => find_driver(git, name)?,
            (Attribute::Unspecified, Some(name)) => find_driver(git, name)?,
            (Attribute::Set | Attribute::Unspecified, _) => None,
        };
        drivers.extend(driver.map(|driver| ((*path).clone(), driver)));
    }
    Ok(drivers)
}

/// Returns the merge driver `name`. A driver in the configuration overrides a built-in driver of
/// git. git merges lines if it does not know the name. See "Defining a custom merge driver" in
/// gitattributes(5).
fn find_driver(git: &Git, name: &[u8]) -> io::Result<Option<MergeDriver>> {
    let is_program = match std::str::from_utf8(name) {
        Ok(text) => git.config(&format!("merge.{text}.driver"))?.is_some(),
        Err(_) => true,
    };
    Ok(match name {
        _ if is_program => Some(MergeDriver::Program(name.to_vec())),
        b"binary" => Some(MergeDriver::Binary),
        b"union" => Some(MergeDriver::Union),
        _ => None,
    })
}
