//! Where the user is at home.

use std::env;
use std::path::PathBuf;

use super::user;

/// Returns the home of the user: what `HOME` says, or if that is not set what `/etc/passwd` does, see passwd(5).
///
/// The standard library asks `getpwuid_r` in that case, for which the C library loads others: a program that is linked with
/// nothing to be loaded dies of it.
#[must_use]
pub fn home() -> Option<PathBuf> {
    env::var_os("HOME").map(PathBuf::from).or_else(|| home_among(&fs_err::read("/etc/passwd").ok()?, user()?))
}

/// Returns the home of the user with this number.
fn home_among(users: &[u8], number: u32) -> Option<PathBuf> {
    let number = number.to_string();
    users.split(|&byte| byte == b'\n').find_map(|line| {
        let mut fields = line.split(|&byte| byte == b':');
        fields.nth(2).filter(|&field| field == number.as_bytes())?;
        let home = str::from_utf8(fields.nth(2)?).ok()?;
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
        let homes = [0, 10, 11, 1, 65_534].map(|number| home_among(users, number));
        assert_eq!(homes, [Some("/root".into()), Some("/home/a".into()), None, None, None]);
    }
}
