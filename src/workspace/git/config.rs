//! git's configuration: all scopes, includes and the environment, as git itself reads them.

use std::io;

use super::{Git, process};

/// The variables in their order, names as git writes them; one without a value is true.
pub(super) type Entries = Vec<(Vec<u8>, Vec<u8>)>;

impl Git {
    /// Returns what the configuration says of `key`, such as `core.whitespace`, in lower case.
    ///
    /// # Errors
    ///
    /// Returns why git cannot tell, if it has to be asked.
    pub fn config(&self, key: &str) -> io::Result<Option<&[u8]>> {
        let variable = key.rsplit('.').next().unwrap_or(key);
        if self.texts().is_some_and(|texts| !texts.mention(variable) && !texts.mention("include")) {
            return Ok(None);
        }
        let entries = self.entries.get_or_init(|| {
            let list = process::answer(&self.directory, &["config", "--list", "-z", "--includes"], Vec::new());
            list.map(|list| entries(&list)).map_err(|error| error.to_string())
        });
        let entries = entries.as_ref().map_err(|why| io::Error::other(why.clone()))?;
        let last = entries.iter().rfind(|(name, _)| name == key.as_bytes());
        Ok(last.map(|(_, value)| value.as_slice()))
    }

    /// Returns whether git was asked for the configuration and could not tell: nor does it later.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.entries.get().is_some_and(Result::is_err)
    }

    /// Returns what the configuration says of `key`, as a truth; `None` too if it is none.
    ///
    /// # Errors
    ///
    /// Returns why git cannot tell, if it has to be asked.
    pub fn is_on(&self, key: &str) -> io::Result<Option<bool>> {
        Ok(self.config(key)?.and_then(truth))
    }
}

/// Reads `NAME LF VALUE NUL` or `NAME NUL` again and again.
fn entries(list: &[u8]) -> Entries {
    let entries = list.split(|&byte| byte == 0).filter(|entry| !entry.is_empty());
    let split = |entry: &[u8]| match entry.iter().position(|&byte| byte == b'\n') {
        Some(end) => (entry[..end].to_vec(), entry[end + 1..].to_vec()),
        None => (entry.to_vec(), b"true".to_vec()),
    };
    entries.map(split).collect()
}

/// See "Values", "boolean" in git-config(1).
fn truth(value: &[u8]) -> Option<bool> {
    match value.to_ascii_lowercase().as_slice() {
        b"true" | b"yes" | b"on" => Some(true),
        b"false" | b"no" | b"off" | b"" => Some(false),
        number => Some(std::str::from_utf8(number).ok()?.parse::<i64>().ok()? != 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_has_a_value_or_is_true() {
        let found = entries(b"core.whitespace\n-trailing\0apply.x\0a.b\nc\nd\0");
        let expected: [(&[u8], &[u8]); 3] =
            [(b"core.whitespace", b"-trailing"), (b"apply.x", b"true"), (b"a.b", b"c\nd")];
        assert_eq!(found, expected.map(|(name, value)| (name.to_vec(), value.to_vec())));
        let truths: [&[u8]; 6] = [b"Yes", b"off", b"", b"2", b"0", b"input"];
        assert_eq!(truths.map(truth), [Some(true), Some(false), Some(false), Some(true), Some(false), None]);
    }
}
