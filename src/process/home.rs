//! The home directories of users.

use std::env;
use std::path::PathBuf;

use super::user;

/// The variables with the home directory. Git for Windows reads `HOME` first, too.
const VARIABLES: &[&str] = if cfg!(windows) {
    &["HOME", "USERPROFILE"]
} else {
    &["HOME"]
};

/// Returns the home directory of the user: the value of `HOME`, or else the entry in `/etc/passwd`,
/// see passwd(5). On Windows it is the value of `HOME` or `USERPROFILE`.
///
/// Without `HOME` the standard library calls `getpwuid_r`, for which the C library loads other
/// libraries. A statically linked program crashes in that call.
#[must_use]
pub fn home() -> Option<PathBuf> {
    VARIABLES
        .iter()
        .find_map(env::var_os)
        .map(PathBuf::from)
        .or_else(|| home_of_user_id(&users()?, user()?))
}

/// Returns the directories that can contain the configuration of programs. This process uses the
/// first. Another process of the user may have another environment and use the second.
///
/// The directories are `XDG_CONFIG_HOME` and `~/.config`, as in the XDG Base Directory
/// Specification. On Windows the second one is `APPDATA`.
#[must_use]
pub fn config_homes() -> Vec<PathBuf> {
    let usual = if cfg!(windows) {
        env::var_os("APPDATA").map(PathBuf::from)
    } else {
        home().map(|home| home.join(".config"))
    };
    let named = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let homes = named.into_iter().chain(usual);
    homes.filter(|path| path.is_absolute()).collect()
}

/// Returns the directory in which programs keep the state of the user: the value of
/// `XDG_STATE_HOME`, on Windows also `LOCALAPPDATA`. An empty value counts as not set.
///
/// The XDG Base Directory Specification has a default for its variable, but wpatch leaves no files
/// outside the root unless the user sets the variable.
#[must_use]
pub fn state_home() -> Option<PathBuf> {
    let variables: &[&str] = if cfg!(windows) {
        &["XDG_STATE_HOME", "LOCALAPPDATA"]
    } else {
        &["XDG_STATE_HOME"]
    };
    let mut values = variables.iter().filter_map(env::var_os);
    values.find(|value| !value.is_empty()).map(PathBuf::from)
}

/// Returns the home directory of the user `name`.
#[must_use]
pub fn home_of(name: &[u8]) -> Option<PathBuf> {
    find_home(&users()?, (0, name))
}

/// Returns the list of users. Windows has none, and any user can create a directory `\etc` there.
fn users() -> Option<Vec<u8>> {
    if cfg!(windows) {
        return None;
    }
    fs_err::read("/etc/passwd").ok()
}

/// Returns the home directory of the user with this user ID.
fn home_of_user_id(users: &[u8], number: u32) -> Option<PathBuf> {
    find_home(users, (2, number.to_string().as_bytes()))
}

/// Returns the home directory in the first line of `users` whose field `number` equals `wanted`.
/// Fields are counted from 0.
fn find_home(users: &[u8], (number, wanted): (usize, &[u8])) -> Option<PathBuf> {
    users.split(|&byte| byte == b'\n').find_map(|line| {
        let fields: Vec<_> = line.split(|&byte| byte == b':').collect();
        fields.get(number).filter(|&&field| field == wanted)?;
        let home = str::from_utf8(fields.get(5)?).ok()?;
        (!home.is_empty()).then(|| home.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_stands_in_the_sixth_field() {
        let users =
            b"root:x:0:0:root:/root:/bin/bash\n\n#\nnobody:x:65534:65534::\na:x:10:0:A,,:/home/a:\nb:x:11:0:::\n";
        let homes = [0, 10, 11, 1, 65_534].map(|number| home_of_user_id(users, number));
        assert_eq!(
            homes,
            [
                Some("/root".into()),
                Some("/home/a".into()),
                None,
                None,
                None
            ]
        );
        let homes = [&b"a"[..], b"nobody", b"A,,"].map(|name| find_home(users, (0, name)));
        assert_eq!(homes, [Some("/home/a".into()), None, None]);
    }
}
