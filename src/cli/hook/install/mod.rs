//! `hook install`: registers the hook in the configuration file of a harness.
//!
//! The file is read and written by the engine, as by `wpatch read` and `wpatch write`. Policy, the
//! lock and the history therefore apply, and a file that another program changes in between is not
//! overwritten. [`merge`] adds the entries and keeps all other bytes.

mod merge;

use std::process::ExitCode;
use std::sync::Arc;

use super::harness::{Configuration, Harness};
use super::harnesses::harness_parser;
use crate::cli::args::Global;
use crate::cli::attribution::AttributionOptions;
use crate::cli::output::{self, Output, Verbosity};
use crate::cli::policy::load_policy;
use crate::cli::root::{open, with_root};
use crate::cli::{CommandMode, EarlyExit, finish, request, run_edit};
use crate::digest::Sha256;
use crate::engine::options::code;
use crate::engine::{self, Commit, Look, Outcome, ReadRequest, Request};
use crate::report::ProblemKind;
use clap::Args;
use merge::{MergeError, Registration};

/// The options of `hook install`.
#[derive(Clone, Debug, Args)]
pub(super) struct InstallOptions {
    /// The agent
    #[arg(value_parser = harness_parser())]
    agent: &'static Harness,
    /// Print the configuration instead of writing it
    #[arg(long)]
    print: bool,
}

impl InstallOptions {
    /// Returns whether the command prints a report.
    pub(super) fn has_report(&self) -> bool {
        !self.print
    }
}

/// Registers the hook, or prints the configuration that registers it.
pub(super) fn run(options: &InstallOptions, global: &Global) -> ExitCode {
    let harness = options.agent;
    let registration = harness.registration();
    if options.print {
        return output::print(merge::new_file(&registration).as_bytes());
    }
    let outcome = match build_request(harness, &registration, global) {
        Ok(request) => run_edit("hook", global, |_| Ok((CommandMode::Apply, request))),
        Err(refused) => with_root(*refused, global),
    };
    let is_installed = outcome.report.ok && !outcome.report.changed;
    let usual = if is_installed {
        Verbosity::Quiet
    } else {
        Verbosity::Verbose
    };
    let exit_code = finish(&outcome, &Output::of(global, usual));
    if global.quiet || global.has_report() {
        return exit_code;
    }
    if is_installed {
        let file = harness.configuration.file;
        return output::print(format!("{file} already contains the hook\n").as_bytes());
    }
    if outcome.report.ok {
        harness
            .configuration
            .note
            .iter()
            .for_each(|note| output::print_to_stderr(note));
    }
    exit_code
}

impl Harness {
    /// Returns the entries that register the hook.
    fn registration(&self) -> Registration {
        let command = format!("wpatch hook {}", self.name);
        let Configuration { entry, version, .. } = self.configuration;
        let events = self.events.iter();
        let entries = events
            .filter_map(|event| Some((event.name, entry(&command, event.tools?))))
            .collect();
        Registration {
            command,
            version,
            entries,
        }
    }
}

/// Returns the request to create or to extend the configuration file.
///
/// # Errors
///
/// Returns the refusal if the file cannot be read or extended.
fn build_request(
    harness: &Harness,
    registration: &Registration,
    global: &Global,
) -> Result<Request, Box<Outcome>> {
    let refuse = |stop: EarlyExit| Box::new(stop.into_outcome("hook"));
    let path = harness.configuration.file;
    let policy = load_policy(global).map_err(refuse)?;
    let read = ReadRequest {
        policy: Arc::clone(&policy),
        ..ReadRequest::of(path)
    };
    let mut request = match engine::read(&read, &*open(global).map_err(refuse)?) {
        Ok(extract) => {
            let content = merge::extend(&extract.content, registration)
                .map_err(|error| refuse(configuration_error(harness, &error)))?;
            let mut request = Request::overwrite(path, content);
            request.decide.expect_hash = Some(Sha256::of(&extract.content));
            request.decide.idempotent = true;
            request
        }
        Err(refused) => match &refused.report.error {
            Some(error) if error.kind == ProblemKind::Missing => {
                Request::write(path, merge::new_file(registration))
            }
            _ => return Err(refused),
        },
    };
    request.look = Look {
        describe: global.has_digests(),
        diff: global.has_digests(),
        ..request.look
    };
    request.commit = Commit {
        transaction: request::transaction_options(global),
        attribution: AttributionOptions::default().attribution(global),
        ..Commit::default()
    };
    request.context.policy = policy;
    Ok(request)
}

/// Returns the error for a configuration file that cannot be extended.
fn configuration_error(harness: &Harness, error: &MergeError) -> EarlyExit {
    let path = harness.configuration.file;
    let (place, what) = match error {
        MergeError::Syntax(error) => {
            let place = format!(":{}:{}", error.line(), error.column());
            let text = error.to_string();
            let what = text.split(" at line ").next().unwrap_or_default();
            (place, format!("the file is not valid JSON: {what}"))
        }
        MergeError::Encoding => (String::new(), "the file is not valid UTF-8".to_owned()),
        MergeError::Shape(what) => (
            String::new(),
            format!("{what}, so the hook cannot be added"),
        ),
    };
    EarlyExit {
        help: Some(format!(
            "fix the file, or add the hook by hand: `wpatch hook install {} --print`",
            harness.name
        )),
        ..EarlyExit::new(&code::EXPECTED, format!("{path}{place}: {what}"))
    }
}
