//! The options of every command that edits one file.

use std::path::{Path, PathBuf};

use clap::Args;

use super::args::{Global, SessionOption, digest};
use super::attribution::AttributionOptions;
use super::commands::CommandOptions;
use super::guards::GuardOptions;
use super::links::LinkOptions;
use super::policy::load_policy;
use super::root::root_paths;
use super::servers::DiagnosticsOptions;
use super::{CommandMode, EarlyExit, input, request};
use crate::digest::Sha256;
use crate::engine::options::MAX_FILE;
use crate::engine::{self, Commit, Look, Request};

/// The options that all editing commands have.
#[derive(Clone, Debug, Args)]
pub(super) struct FileOptions {
    /// The file: below the root, or at another path that policy grants
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    /// Refuse to change a file with another SHA-256
    #[arg(long, value_name = "HASH", value_parser = digest)]
    expect_hash: Option<Sha256>,
    /// Refuse to change a file unless its content equals the content of FILE
    #[arg(long, value_name = "FILE", conflicts_with = "expect_hash")]
    expect_file: Option<PathBuf>,
    /// Treat an edit that is already applied as success
    #[arg(long)]
    idempotent: bool,
    #[command(flatten)]
    pub(super) session: SessionOption,
    #[command(flatten)]
    guard: GuardOptions,
    #[command(flatten)]
    links: LinkOptions,
    #[command(flatten)]
    commands: CommandOptions,
    #[command(flatten)]
    attribution: AttributionOptions,
    #[command(flatten)]
    diagnostics: DiagnosticsOptions,
    /// Limit the diff in the JSON, in bytes, cut after a line [default: 16384]
    #[arg(long, value_name = "BYTES")]
    diff_max_bytes: Option<usize>,
    /// Omit the diff of a file over 64 KiB or 2000 lines from the JSON
    #[arg(long)]
    no_large_diff: bool,
    /// Limit the size of a file that is read or written, in bytes [default: 10485760]
    #[arg(long, visible_alias = "max-file", value_name = "BYTES")]
    pub(super) max_bytes: Option<u64>,
    /// Print what would be done, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Refuse any change with another `plan_id`, as printed by --dry-run --json
    #[arg(long, value_name = "ID")]
    approve: Option<String>,
}

impl FileOptions {
    /// Returns the path of the file below the root.
    pub(super) fn path(&self, global: &Global) -> Vec<u8> {
        relative_to_root(&self.file, global)
    }

    /// Returns `request` with these options.
    ///
    /// # Errors
    ///
    /// Returns an error if the options contradict each other, or if an input or the policy cannot
    /// be read.
    pub(super) fn complete(
        &self,
        mut request: Request,
        global: &Global,
    ) -> Result<(CommandMode, Request), EarlyExit> {
        let limit = self.max_bytes.unwrap_or(MAX_FILE).max(MAX_FILE);
        let expected = match &self.expect_file {
            Some(path) => Some(Sha256::of(&input::read_text(path, limit, global)?)),
            None => self.expect_hash,
        };
        let decide = &mut request.decide;
        if expected.is_some()
            && decide
                .expect_hash
                .is_some_and(|listed| Some(listed) != expected)
        {
            return Err(EarlyExit::usage(
                "the edits and the options state different digests for one file",
            ));
        }
        decide.expect_hash = expected.or(decide.expect_hash);
        decide.max_file = self.max_bytes.unwrap_or(decide.max_file);
        decide.idempotent = self.idempotent;
        decide.in_place = self.links.in_place;
        decide.guards = self.guard.selected_guards();
        let usual = if global.has_all_changes() {
            usize::MAX
        } else {
            request.look.max_diff
        };
        request.look = Look {
            describe: global.has_digests(),
            diff: global.has_digests(),
            max_diff: self.diff_max_bytes.unwrap_or(usual),
            no_large_diff: self.no_large_diff,
            diagnostics: self.diagnostics.to_options(global)?,
            ..request.look
        };
        request.commit = Commit {
            approve: self.approve.clone(),
            approve_part: None,
            transaction: request::transaction_options(global),
            commands: self.commands.commands(global),
            attribution: self.attribution.attribution(global),
        };
        request.context.policy = load_policy(global)?;
        Ok((
            if self.dry_run {
                CommandMode::Check
            } else {
                CommandMode::Apply
            },
            request,
        ))
    }
}

/// Returns the path of `file` relative to the root if `file` is an absolute path below the root.
/// Returns any other path unchanged.
pub(super) fn relative_to_root(file: &Path, global: &Global) -> Vec<u8> {
    engine::relative_to(&root_paths(global), file)
}
