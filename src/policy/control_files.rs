//! The table of control files: files that control what an agent, an editor or a CI system executes,
//! or which instructions an agent follows.
//!
//! To add a file, add a row to the table of its kind of program. The program must execute or obey
//! the file without further action of the user. Examples are opening a directory in an agent or an
//! editor, entering it in a shell, a commit, and a push.
//!
//! Not in the table:
//! - Files that a build executes, such as `Makefile`, `package.json` and `build.rs`. They are part
//!   of the code that an agent is asked to change, and a reviewer reads them as code.
//! - `.gitattributes`: it selects the drivers of filters, diffs and merges by name. The commands of
//!   a driver are in git's configuration, see gitattributes(5).
//! - `.gitmodules`: git takes no `update = !command` from it, see gitmodules(5), and no
//!   configuration of a submodule.
//! - `.env`: programs read values from it, and `secrets = "strict"` protects it.

mod agents;
mod ci;
mod editors;
mod tools;

/// The files of one program.
pub(super) struct ProgramFiles {
    /// The name of the program in messages.
    pub(super) program: &'static str,
    /// The documentation of the program about these files.
    #[allow(
        dead_code,
        reason = "the source of the row, for readers and for the test"
    )]
    pub(super) source: &'static str,
    /// Relative paths, matched below any directory. A directory matches everything in it.
    pub(super) paths: &'static [&'static str],
}

/// Returns the rows of all tables.
pub(super) fn rows() -> impl Iterator<Item = &'static ProgramFiles> {
    [
        agents::AGENTS,
        ci::CI_SYSTEMS,
        editors::EDITORS,
        tools::TOOLS,
    ]
    .into_iter()
    .flatten()
}
