//! Parses one file of git's configuration with the rules of git's `config.c`.

/// A variable of one file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Variable {
    /// Section without subsection, a full stop, and the name, in lower case.
    pub(super) key: String,
    pub(super) has_subsection: bool,
    /// The value. It is `true` for a variable without a value.
    pub(super) value: Vec<u8>,
}

impl Variable {
    /// Returns the variable with the name `name`, such as `remote.origin.url`. Returns `None` for a
    /// name without a section.
    pub(super) fn named(name: &str, value: Vec<u8>) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let (section, rest) = name.split_once('.')?;
        let (has_subsection, last) = match rest.rsplit_once('.') {
            Some((_, last)) => (true, last),
            None => (false, rest),
        };
        Some(Self {
            key: format!("{section}.{last}"),
            has_subsection,
            value,
        })
    }

    /// Returns whether this is the variable `key`, which has no subsection.
    pub(super) fn is(&self, key: &str) -> bool {
        self.key == key && !self.has_subsection
    }

    /// Returns whether this can be the variable `key`. The subsection is not compared.
    pub(super) fn may_be(&self, key: &str) -> bool {
        Self::named(key, Vec::new()).is_some_and(|named| {
            (&named.key, named.has_subsection) == (&self.key, self.has_subsection)
        })
    }

    /// Returns whether the variable is in `section`.
    pub(super) fn is_in(&self, section: &str) -> bool {
        self.key.split('.').next() == Some(section)
    }
}

/// Returns the variables of `text` before the first line that git rejects.
pub(super) fn parse_variables(text: &[u8]) -> Vec<Variable> {
    parse_file(text).0
}

/// Returns the variables of `text` before the first line that git rejects, and whether there is no
/// such line.
pub(super) fn parse_file(text: &[u8]) -> (Vec<Variable>, bool) {
    let mut reader = ConfigReader {
        rest: text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text),
    };
    let mut variables = Vec::new();
    let mut section = (String::new(), false);
    while let Some(&byte) = reader.rest.first() {
        match byte {
            b'#' | b';' => reader.skip_line(),
            _ if is_space(byte) => drop(reader.next()),
            b'[' => match reader.read_section() {
                Some(name) => section = name,
                None => return (variables, false),
            },
            _ if byte.is_ascii_alphabetic()
                && reader.read_variable(&section, &mut variables).is_some() => {}
            _ => return (variables, false),
        }
    }
    (variables, true)
}

struct ConfigReader<'t> {
    rest: &'t [u8],
}

impl ConfigReader<'_> {
    /// Returns the next byte. CR LF is read as LF, and the end of the text as an LF.
    fn next(&mut self) -> u8 {
        if self.rest.starts_with(b"\r\n") {
            self.rest = &self.rest[1..];
        }
        let Some((&byte, rest)) = self.rest.split_first() else {
            return b'\n';
        };
        self.rest = rest;
        byte
    }

    fn skip_line(&mut self) {
        while self.next() != b'\n' {}
    }

    /// Reads a section header, such as `[include]` or `[includeIf "gitdir:x"]`. Returns the section
    /// and whether it has a subsection.
    fn read_section(&mut self) -> Option<(String, bool)> {
        self.next();
        let mut name = String::new();
        loop {
            match self.next() {
                b']' => {
                    let section = before_dot(&name);
                    return Some((section.to_owned(), section != name));
                }
                byte if is_space(byte) => {
                    self.read_subsection(byte)?;
                    return Some((before_dot(&name).to_owned(), true));
                }
                byte if is_key_byte(byte) || byte == b'.' => {
                    name.push(byte.to_ascii_lowercase().into());
                }
                _ => return None,
            }
        }
    }

    /// Reads the quoted subsection after the space `byte`, and the bracket that ends the header.
    fn read_subsection(&mut self, mut byte: u8) -> Option<()> {
        while is_space(byte) {
            if byte == b'\n' {
                return None;
            }
            byte = self.next();
        }
        if byte != b'"' {
            return None;
        }
        loop {
            match self.next() {
                b'"' => break,
                b'\n' => return None,
                // The guard reads the escaped byte, which is part of the name.
                b'\\' if self.next() == b'\n' => return None,
                _ => {}
            }
        }
        (self.next() == b']').then_some(())
    }

    /// Reads a variable of `section` and adds it to `variables`. Returns `None` for a line that git
    /// rejects.
    fn read_variable(
        &mut self,
        (section, has_subsection): &(String, bool),
        variables: &mut Vec<Variable>,
    ) -> Option<()> {
        let mut key = format!("{section}.");
        let mut byte = self.next();
        while is_key_byte(byte) {
            key.push(byte.to_ascii_lowercase().into());
            byte = self.next();
        }
        while matches!(byte, b' ' | b'\t') {
            byte = self.next();
        }
        let value = match byte {
            b'\n' => b"true".to_vec(),
            b'=' => self.read_value()?,
            _ => return None,
        };
        variables.push(Variable {
            key,
            has_subsection: *has_subsection,
            value,
        });
        Some(())
    }

    /// Reads a value to the end of its line. A line that ends with `\` continues.
    fn read_value(&mut self) -> Option<Vec<u8>> {
        let mut value = Vec::new();
        // The length without unquoted white space at the end.
        let mut length = 0;
        let mut is_quoted = false;
        loop {
            match self.next() {
                b'\n' if is_quoted => return None,
                b'\n' => break,
                b'#' | b';' if !is_quoted => {
                    self.skip_line();
                    break;
                }
                byte if is_space(byte) && !is_quoted => {
                    if !value.is_empty() {
                        value.push(byte);
                    }
                    continue;
                }
                b'"' => is_quoted = !is_quoted,
                b'\\' => match self.next() {
                    b'\n' => {}
                    b't' => value.push(b'\t'),
                    b'b' => value.push(b'\x08'),
                    b'n' => value.push(b'\n'),
                    byte @ (b'\\' | b'"') => value.push(byte),
                    _ => return None,
                },
                byte => value.push(byte),
            }
            length = value.len();
        }
        value.truncate(length);
        Some(value)
    }
}

/// Returns the section of a header. `[a.b]` is an old spelling of `[a "b"]`.
fn before_dot(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Configurations that git accepts.
    const TEXTS: &[&str] = &[
        "[include] path = ../fi ; c\n",
        "[core] attributesFile = \"/a/x]y\"\n",
        "[core]\n\tattributesFile = /a b \t# c\n[a]\n",
        "[core]\r\n\tattributesFile = /a \\\r\n  b\r\n",
        "\u{feff}# c\n; c\n[A.b \"x]\\\"y\"]k=\"1 ;\" 2 \\\" \\n\\t\\\\ ;x\nk-2 = \"a\"b\"c \"  \n",
        "[a]\nb\nc =\nd = \" \"\ne=1#2\n",
        "[includeIf \"gitdir:/x\"] Path = q[1]\nk = [include]\n",
        "[a] b = 1",
        "[a]\nb = x\\\n  y\n",
    ];
    const REFUSED: &[&str] = &[
        "[a]b=1\n[x\n]c=1\n",
        "[a]b=1\n1=2\n",
        "[a]b=1\nc d\n",
        "[a]b=1\nc=\"x\n",
        "[a]b=1\nc=\\q\n",
        "[a]b=1\n[x y]\n",
    ];

    #[test]
    fn a_configuration_has_the_variables_that_git_reads() {
        for text in TEXTS {
            let directory = tempfile::tempdir().unwrap();
            let file = directory.path().join("config");
            fs_err::write(&file, text).unwrap();
            let mut git = Command::new("git");
            git.args(["config", "--null", "--list", "--no-includes", "--file"])
                .arg(&file);
            let output = git.output().unwrap();
            assert!(output.status.success(), "{text:?}");
            let listed: Vec<_> = output
                .stdout
                .split(|&byte| byte == 0)
                .filter_map(variable)
                .collect();
            assert_eq!(parse_variables(text.as_bytes()), listed, "{text:?}");
        }
    }

    #[test]
    fn a_line_that_git_refuses_ends_a_configuration() {
        for text in REFUSED {
            let expected = [Variable {
                key: "a.b".to_owned(),
                has_subsection: false,
                value: b"1".to_vec(),
            }];
            assert_eq!(parse_variables(text.as_bytes()), expected, "{text:?}");
        }
    }

    /// Parses an entry of `git config --list --null`: the key, and a line feed with the value if
    /// there is one.
    fn variable(entry: &[u8]) -> Option<Variable> {
        let (key, value) = match memchr::memchr(b'\n', entry) {
            Some(end) => (&entry[..end], &entry[end + 1..]),
            None if entry.is_empty() => return None,
            None => (entry, &b"true"[..]),
        };
        let key = String::from_utf8(key.to_vec()).unwrap();
        let (section, name) = (
            key.split(['.']).next().unwrap(),
            key.rsplit('.').next().unwrap(),
        );
        let short = format!("{section}.{name}");
        Some(Variable {
            has_subsection: short != key,
            key: short,
            value: value.to_vec(),
        })
    }
}
