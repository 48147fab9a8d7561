//! Stubs for systems without overlays.

use std::ffi::OsString;
use std::process::ExitCode;

use super::{Sandbox, SandboxCommand, SandboxError};
use crate::interrupt::Interrupt;

/// No processes.
#[derive(Debug)]
pub(crate) enum Processes {}

/// Fails on this system.
pub(super) fn run_sandboxed(
    _command: &SandboxCommand<'_>,
    _interrupt: &Interrupt,
) -> Result<Sandbox, SandboxError> {
    Err(SandboxError::Unsupported(
        "only Linux has the overlays that this needs".to_owned(),
    ))
}

/// Returns `None`, because this system has no helper processes.
pub(crate) fn run_helper(_arguments: &[OsString]) -> Option<ExitCode> {
    None
}
