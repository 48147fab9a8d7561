//! The programs that the user's environment names: the pager and the editor.

use std::ffi::{OsStr, OsString};
use std::process::Command;

use crate::engine::Git;

/// The characters that need a shell; see `prepare_shell_cmd` in git's run-command.c. A blank needs
/// none here.
const SHELL_CHARACTERS: &str = "|&;<>()$`\\\"'\t\n*?[#~=%";

/// Returns the command for `text`, to which arguments can be added: a program with its arguments, or
/// a shell command. Programs in the directory of `git` are not used. Returns `None` if there is no
/// such program.
pub(super) fn user_command(git: &Git, text: &OsStr) -> Option<Command> {
    let plain = text
        .to_str()
        .filter(|text| !text.contains(|c| SHELL_CHARACTERS.contains(c)));
    if let Some(words) = plain {
        let mut words = words.split_ascii_whitespace();
        let mut command = git.program(OsStr::new(words.next()?)).ok()?;
        command.args(words);
        return Some(command);
    }
    let mut command = git.program(OsStr::new("/bin/sh")).ok()?;
    let mut script: OsString = text.to_owned();
    script.push(" \"$@\"");
    // The first argument after the script is the name of the shell.
    command.arg("-c").arg(script).arg(text);
    Some(command)
}
