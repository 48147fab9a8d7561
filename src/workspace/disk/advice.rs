//! Phrases of messages about owners and permissions, in the terms of the operating system.

use crate::workspace::Protection;

/// The user whose files each user has to trust.
#[cfg(feature = "cli")]
pub(crate) const ADMINISTRATOR: &str = if cfg!(windows) {
    "an administrator"
} else {
    "root"
};

/// The action after which other users can no longer write. The file follows after `on`.
pub(crate) const REMOVE_WRITE_PERMISSION: &str = if cfg!(windows) {
    "remove the permissions of other users"
} else {
    "run `chmod go-w`"
};

/// Returns the command that removes `protection`. The kind of file follows.
pub(crate) fn remove_protection(protection: Protection) -> &'static str {
    match protection {
        Protection::Immutable if cfg!(target_os = "linux") => "run `chattr -i`",
        Protection::AppendOnly if cfg!(target_os = "linux") => "run `chattr -a`",
        Protection::Immutable => "run `chflags nouchg,noschg`",
        Protection::AppendOnly => "run `chflags nouappnd,nosappnd`",
    }
}

/// Returns the user ID `owner` in parentheses after a space. Windows has no numbers for users.
pub(crate) fn owner_note(owner: u32) -> String {
    if cfg!(windows) {
        String::new()
    } else {
        format!(" (uid {owner})")
    }
}

/// Returns the action after which the directory `name` and its content belong to the user `user`.
pub(crate) fn change_owner(name: &str, user: u32) -> String {
    if cfg!(windows) {
        format!("run `takeown /R /F \"{name}\"` as an administrator")
    } else {
        format!("run `chown -R {user} {name}` as root or as that user")
    }
}
