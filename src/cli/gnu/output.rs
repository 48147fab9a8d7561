//! The names that `--output` and `--reject-file` accept outside the directory: standard output and
//! the null device.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use super::args::GnuArguments;
use crate::cli::args::Global;
use crate::cli::early_exit::system_message;
use crate::cli::root::{absolute_paths, open, open_to_change};
use crate::cli::{EarlyExit, arguments, signals};
use crate::engine::options::{RejectTo, code};
use crate::engine::{self, Outcome, PatchedFile, Request};

/// A destination of the patched content that is not a file below the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputTarget {
    Standard,
    Discard,
}

impl OutputTarget {
    /// Returns the destination that `--output` names, or `None` for a file.
    pub(super) fn of(options: &GnuArguments) -> Option<Self> {
        match options.output.as_deref()?.as_encoded_bytes() {
            b"-" | b"/dev/stdout" => Some(Self::Standard),
            b"/dev/null" => Some(Self::Discard),
            _ => None,
        }
    }

    /// Patches a copy in memory of the only file that `request` changes, and writes the result to
    /// this destination. The file with rejected hunks is written before the result.
    ///
    /// # Errors
    ///
    /// Returns an error if the patch does not change exactly one file, or if the file or standard
    /// output fails.
    pub(super) fn patch(
        self,
        request: Request,
        is_dry: bool,
        global: &Global,
    ) -> Result<Outcome, EarlyExit> {
        let (policy, max_file) = (Arc::clone(&request.context.policy), request.decide.max_file);
        let transaction = request.commit.transaction;
        let patched =
            engine::apply_in_memory(request, &*open(global)?, &global.caller.catch_signals()?);
        let PatchedFile {
            outcome,
            content,
            rejects,
            ..
        } = patched.map_err(|error| EarlyExit::new(&code::IO, error.to_string()))?;
        let Some(content) = content else {
            let message = "--output needs a patch that changes exactly one file";
            return if outcome.report.ok {
                Err(EarlyExit::new(&code::USAGE, message.to_owned()))
            } else {
                Ok(outcome)
            };
        };
        if let Some((path, hunks)) = rejects.filter(|_| !is_dry) {
            let mut write = Request::overwrite(path.as_bytes(), hunks);
            write.commit.transaction = transaction;
            (write.context.policy, write.decide.max_file) = (policy, max_file);
            let saved = engine::apply(
                write,
                &*open_to_change(global)?,
                &global.caller.catch_signals()?,
            );
            if !saved.report.ok {
                return Ok(saved);
            }
        }
        if self == Self::Standard {
            signals::end_at_second_signal();
            let mut out = io::stdout().lock();
            let written = out.write_all(&content).and_then(|()| out.flush());
            written.map_err(|error| {
                EarlyExit::new(
                    &code::IO,
                    format!("write error: {}", system_message(&error)),
                )
            })?;
        }
        Ok(outcome)
    }
}

/// Returns `name` relative to the patched directory if `name` is an absolute path below it. Returns
/// other names unchanged.
pub(super) fn relative_to_root<'n>(name: &'n OsStr, global: &Global) -> &'n OsStr {
    let path = Path::new(name);
    let below = absolute_paths(global.root())
        .into_iter()
        .find_map(|root| path.strip_prefix(root).ok());
    below.map_or(name, Path::as_os_str)
}

/// Returns the destination of rejected hunks.
///
/// # Errors
///
/// Returns an error for a name outside the directory.
pub(super) fn reject_target(
    options: &GnuArguments,
    global: &Global,
) -> Result<RejectTo, EarlyExit> {
    match (options.reject_file.as_deref(), OutputTarget::of(options)) {
        (Some(name), _) if name == "/dev/null" => Ok(RejectTo::Nowhere),
        // GNU patch derives this name from the name of the output.
        (None, Some(OutputTarget::Standard)) => {
            arguments::parse_reject_target(Some(OsStr::new("-.rej")))
        }
        (None, Some(OutputTarget::Discard)) => Ok(RejectTo::Nowhere),
        (name, _) => {
            arguments::parse_reject_target(name.map(|name| relative_to_root(name, global)))
        }
    }
}
