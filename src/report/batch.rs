//! What is said of one job of a batch, and reports that are the same on every machine.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use super::Report;

/// The name and version of the shape of [`BatchLine`].
pub const BATCH_SCHEMA: &str = "wpatch.batch/1";

/// One job of a batch: a line for each.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "wpatch batch")]
pub struct BatchLine {
    /// `wpatch.batch/1`.
    pub schema: &'static str,
    /// The line of the job, counted from 0.
    pub index: usize,
    /// Its `id` as it was given; null if it has none, or cannot be read.
    pub id: Option<JobId>,
    /// What a check says.
    pub report: Report,
}

/// What a caller calls a job by.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum JobId {
    /// A string.
    Text(String),
    /// A number, digit for digit.
    Number(#[schemars(with = "f64")] Box<RawValue>),
}

/// Takes out of `report` what depends on where and when it was made: the directory, the repository, the directories in
/// names of patches, and the name of a transaction. What remains is the same for the same patch on the same tree.
pub fn forget_place(report: &mut Report) {
    report.root = None;
    if let Some(tree) = &mut report.tree {
        tree.repository = None;
    }
    for input in &mut report.inputs {
        if let Some((_, name)) = input.name.rsplit_once('/') {
            input.name = name.to_owned();
        }
    }
    if let Some(transaction) = &mut report.transaction {
        transaction.id = None;
        transaction.recovered.clear();
    }
}
