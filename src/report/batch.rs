//! The result of one batch job, and the removal of machine-dependent data from reports.

use std::path::MAIN_SEPARATOR;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use super::Report;
use crate::path;

/// The name and version of the JSON format of [`BatchLine`].
pub const BATCH_SCHEMA: &str = "wpatch.batch/1";

/// The result of one batch job. Each result is printed as one line.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "wpatch batch"))]
#[non_exhaustive]
pub struct BatchLine {
    /// `wpatch.batch/1`.
    pub schema: &'static str,
    /// The line of the job, counted from 0.
    pub index: usize,
    /// The `id` of the job; null if it has none or cannot be parsed.
    pub id: Option<JobId>,
    /// The report of the check.
    pub report: Report,
}

/// The caller's identifier of a job.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(untagged)]
#[non_exhaustive]
pub enum JobId {
    /// A string.
    Text(String),
    /// A number. Its digits are preserved exactly.
    Number(#[cfg_attr(feature = "schema", schemars(with = "f64"))] Box<RawValue>),
}

/// Removes data from `report` that depends on the location or the time: the root, the repository,
/// the directories in the names of patches and policy files, the transaction identifier, and times.
///
/// `places` are absolute paths. Problems keep only the last component of these. The remaining
/// report is equal for equal patches and trees.
pub fn make_deterministic(report: &mut Report, places: &[String]) {
    (report.root, report.saved) = (None, None);
    if let Some(tree) = &mut report.tree {
        tree.repository = None;
    }
    if let Some(index) = &mut report.index {
        index.file = None;
    }
    report
        .inputs
        .iter_mut()
        .for_each(|input| keep_last_component(&mut input.name));
    if let Some(source) = &mut report.policy.source {
        *source = source
            .split(", ")
            .map(last_component)
            .collect::<Vec<_>>()
            .join(", ");
    }
    if let Some(transaction) = &mut report.transaction {
        transaction.id = None;
        transaction.recovered.clear();
    }
    let commands = [&mut report.before, &mut report.verify, &mut report.after];
    commands
        .into_iter()
        .flatten()
        .for_each(|command| command.duration_ms = 0);
    let servers = report.diagnostics.iter_mut();
    servers
        .flat_map(|found| &mut found.servers)
        .for_each(|server| server.duration_ms = 0);
    for problem in report.problems.iter_mut().chain(&mut report.error) {
        shorten_paths(&mut problem.message, places);
        let details = &mut problem.details;
        [
            &mut problem.path,
            &mut problem.help,
            &mut problem.advice,
            &mut details.reason,
        ]
        .into_iter()
        .flatten()
        .for_each(|text| shorten_paths(text, places));
    }
    for file in &mut report.files {
        file.reason
            .iter_mut()
            .for_each(|text| shorten_paths(text, places));
        for hit in &mut file.policy {
            shorten_paths(&mut hit.message, places);
            hit.source.iter_mut().for_each(keep_last_component);
        }
    }
}

/// Replaces each path of `places` in `text` by its last component.
fn shorten_paths(text: &mut String, places: &[String]) {
    let mut places: Vec<&String> = places
        .iter()
        .filter(|place| path::is_absolute(place.as_bytes()))
        .collect();
    // A path can contain another one, so replace the longest ones first.
    places.sort_unstable_by_key(|place| std::cmp::Reverse(place.len()));
    for place in places {
        let name = last_component(place.trim_end_matches('/'));
        if !name.is_empty() && text.contains(place.as_str()) {
            *text = text.replace(place.as_str(), name);
        }
    }
}

fn keep_last_component(name: &mut String) {
    *name = last_component(name).to_owned();
}

fn last_component(name: &str) -> &str {
    let is_separator = |character: char| character == '/' || character == MAIN_SEPARATOR;
    name.rsplit_once(is_separator)
        .map_or(name, |(_, last)| last)
}
