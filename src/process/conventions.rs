//! Conventions of systems about programs and their environment.

/// The name of an empty file.
pub(crate) const NULL_DEVICE: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

/// The variables that set the directory of the configuration, if `XDG_CONFIG_HOME` is not set.
pub const CONFIG_VARIABLE: &str = if cfg!(windows) { "APPDATA" } else { "HOME" };

/// The program that shows long output, on systems that have one by convention.
pub const DEFAULT_PAGER: Option<&str> = if cfg!(windows) { None } else { Some("less") };

/// The program that edits texts if the user chose none.
pub const DEFAULT_EDITOR: &str = if cfg!(windows) { "notepad" } else { "vi" };

/// The name of the terminal of a process, even if its standard streams are other files.
pub const CONTROLLING_TERMINAL: &str = if cfg!(windows) { "CONIN$" } else { "/dev/tty" };

/// Whether the variable `TERM` names the kind of the terminal.
pub const HAS_TERMINAL_NAME: bool = !cfg!(windows);

/// Whether environment variables state the character encoding of terminals. Terminals of other
/// systems use UTF-8.
pub const HAS_LOCALE: bool = !cfg!(any(windows, target_vendor = "apple"));
