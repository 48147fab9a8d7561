//! The facts that a report is built from.

use super::{HistoryReport, IndexReport, Outcome};
use crate::diagnostics::Findings;
use crate::path::RelPath;
use crate::plan::{Input, LeftOut, Plan};
use crate::policy::Policy;
use crate::preflight::{FileWhitespace, Problem, Resolution};
use crate::transaction::{KeptFile, Links, Receipt, Recovered};

/// What is known when a command ends. What it did not come to is missing or empty.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Parts<'a> {
    /// The command.
    pub command: &'static str,
    /// How it ended if no problem says otherwise.
    pub success: Outcome,
    /// The patches, also those that could not be read.
    pub inputs: &'a [Input],
    /// What is asked for.
    pub plan: Option<&'a Plan>,
    /// What may be done.
    pub policy: Option<&'a Policy>,
    /// What came of it; its problems are not read here.
    pub resolution: Option<&'a Resolution>,
    /// The errors in white space of a plan that is compared with no file, by the index of the operation, in order.
    pub described_whitespace: &'a [(usize, FileWhitespace)],
    /// Whether digests were worked out for every file, so that the change can be named.
    pub is_described: bool,
    /// Whether numbers are enough of a change that was made as the patches say: the report names no file then.
    pub is_brief: bool,
    /// Whether the report lists every failure, however many there are.
    pub is_complete: bool,
    /// Whether nothing was to be written.
    pub is_dry: bool,
    /// What becomes of the other names of files.
    pub links: Links,
    /// The plan that the command is about, where it looks at none.
    pub plan_id: Option<&'a str>,
    /// Until when the plan is kept, in seconds since 1970.
    pub saved_until: Option<u64>,
    /// What was left out of the patches (`--only`).
    pub left_out: &'a [LeftOut],
    /// What language servers said of it, if they were asked.
    pub findings: Option<&'a Findings>,
    /// What becomes of git's index, if that is changed.
    pub index: Option<&'a IndexReport>,
    /// All problems, in order.
    pub problems: &'a [Problem],
    /// The signal that stopped it.
    pub signal: Option<i32>,
    /// Proof of commit.
    pub receipt: Option<&'a Receipt>,
    /// What a dead process had left.
    pub recovered: &'a [Recovered],
    /// What the command's own rollback could not put back: the paths, and the displaced files.
    pub unrestored: (&'a [RelPath], &'a [KeptFile]),
    /// Whether the change can be undone later.
    pub history: Option<&'a HistoryReport>,
}

impl Parts<'_> {
    /// Returns parts that know nothing but the command, and how it ended if no problem says otherwise.
    #[must_use]
    pub fn new(command: &'static str, success: Outcome) -> Self {
        Self {
            command,
            success,
            inputs: &[],
            plan: None,
            policy: None,
            resolution: None,
            described_whitespace: &[],
            is_described: false,
            is_brief: false,
            is_complete: false,
            is_dry: false,
            links: Links::Parted,
            plan_id: None,
            saved_until: None,
            left_out: &[],
            findings: None,
            index: None,
            problems: &[],
            signal: None,
            receipt: None,
            recovered: &[],
            unrestored: (&[], &[]),
            history: None,
        }
    }
}
