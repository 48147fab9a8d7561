//! The program `wpatch`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    wpatch::cli::run(&arguments)
}
