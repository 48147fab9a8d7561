//! Removes the commands of psql and similar programs from scripts, because they are not SQL.

use crate::code::rewrites::blank;

/// Replaces commands of psql, data of `COPY`, separators of batches, and the marks of variables by spaces
/// and semicolons. The offsets stay the same. Comments and strings are kept.
pub(super) fn without_commands(script: &str) -> String {
    let mut result = Vec::with_capacity(script.len());
    let mut state = State::Code;
    let mut is_data = false;
    for line in script.split_inclusive('\n') {
        let content = line.trim();
        let starts_in_code = state == State::Code;
        if is_data {
            result.extend(line.bytes().map(blank));
            is_data = content != "\\.";
        } else if starts_in_code && is_copy(content) {
            // Without the end of the data, the tokenizer would take all later lines for data.
            result.extend(line.bytes().map(blank));
            is_data = true;
        } else if starts_in_code && is_command(content) {
            result.extend(line.bytes().map(blank));
        } else if starts_in_code && (is_batch_separator(line) || is_end_of_batch(line, &result)) {
            extend_with_end(&mut result, line);
        } else {
            let command = find_command(line, state);
            let (code, command) = line.split_at(command.unwrap_or(line.len()));
            state = extend_without_variables(&mut result, code, state);
            extend_with_end(&mut result, command);
        }
    }
    String::from_utf8(result).expect("BUG: characters are replaced as a whole")
}

/// Returns whether `line` is a command of psql that belongs to no statement. The tokenizer knows the end of
/// data, which is `\.`.
fn is_command(line: &str) -> bool {
    line.starts_with('\\') && !is_final_command(line) && line != "\\."
}

/// Returns whether `script` contains marks of templates, commands that select its text or change its syntax,
/// or strings of Oracle such as `q'[a]'`.
pub(super) fn has_unsupported_text(script: &str) -> bool {
    ["{{", "{%", "{#", "<%", "\\if", "q'[", "q'{", "q'("]
        .iter()
        .any(|mark| script.contains(mark))
        || script.lines().any(|line| {
            line.to_ascii_uppercase()
                .trim_start()
                .starts_with("DELIMITER")
        })
}

/// Returns whether `line` separates batches for SQL Server: `GO`, with a number or a comment.
pub(super) fn is_batch_separator(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_rest = |word: &str| word.starts_with("--") || word.bytes().all(|it| it.is_ascii_digit());
    words
        .next()
        .is_some_and(|word| word.eq_ignore_ascii_case("go"))
        && words.next().is_none_or(is_rest)
}

/// Returns whether `line` is the `/` of Oracle after a statement with a semicolon. Otherwise it can be
/// an operator.
fn is_end_of_batch(line: &str, before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    let start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    let last = &before[start..];
    let code = &last[..memchr::memmem::find(last, b"--").unwrap_or(last.len())];
    line.trim() == "/" && code.trim_ascii_end().ends_with(b";")
}

/// Returns whether lines of data follow `line`.
fn is_copy(line: &str) -> bool {
    let line = line.to_ascii_uppercase();
    line.starts_with("COPY ") && line.contains(" FROM STDIN")
}

/// Returns whether `command` is a command of psql that ends a statement, such as `\gset`.
fn is_final_command(command: &str) -> bool {
    ["\\g", "\\watch", "\\crosstabview"]
        .iter()
        .any(|known| command.starts_with(known))
}

/// Returns the offset of a command that ends a statement in `line`, which starts in `state`.
fn find_command(line: &str, state: State) -> Option<usize> {
    let start = line.rfind('\\')?;
    (is_final_command(&line[start..]) && state.after(&line[..start]) == State::Code)
        .then_some(start)
}

/// The kind of text at an offset. Escapes with a backslash and nested comments are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Code,
    /// A string or a quoted name. Contains the quotation mark.
    Quoted(u8),
    /// A comment up to the end of the line.
    LineComment,
    /// A comment up to `*/`.
    Comment,
    /// A string between two equal tags such as `$$`. Contains the tag.
    Dollar(Tag),
}

/// The tag of a string such as `$body$`. Longer tags are cut.
type Tag = [u8; 16];

impl State {
    /// Returns the state after the first characters of `rest`, and their number.
    fn step(self, rest: &[u8]) -> (Self, usize) {
        let first = rest[0];
        match self {
            Self::Code if rest.starts_with(b"--") => (Self::LineComment, 2),
            Self::Code if rest.starts_with(b"/*") => (Self::Comment, 2),
            Self::Code if first == b'$' => match dollar_tag(rest) {
                Some((tag, length)) => (Self::Dollar(tag), length),
                None => (self, 1),
            },
            Self::Code if b"'\"`".contains(&first) => (Self::Quoted(first), 1),
            Self::Quoted(mark) if first == mark => (Self::Code, 1),
            Self::LineComment if first == b'\n' => (Self::Code, 1),
            Self::Comment if rest.starts_with(b"*/") => (Self::Code, 2),
            Self::Dollar(tag) if first == b'$' => match dollar_tag(rest) {
                Some((found, length)) if found == tag => (Self::Code, length),
                _ => (self, 1),
            },
            _ => (self, 1),
        }
    }

    /// Returns the state after `text`, which starts in this state.
    fn after(self, text: &str) -> Self {
        let mut state = self;
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let length;
            (state, length) = state.step(rest);
            rest = &rest[length..];
        }
        state
    }
}

/// Returns the tag at the start of `text`, and its length.
fn dollar_tag(text: &[u8]) -> Option<(Tag, usize)> {
    let name = text[1..].iter().take_while(|byte| is_part(**byte)).count();
    let length = name + 2;
    if text.get(length - 1) != Some(&b'$') {
        return None;
    }
    let mut tag = Tag::default();
    let cut = length.min(tag.len());
    tag[..cut].copy_from_slice(&text[..cut]);
    Some((tag, length))
}

/// Appends a semicolon and spaces in place of `line`.
fn extend_with_end(result: &mut Vec<u8>, line: &str) {
    let mut bytes = line.bytes().map(blank);
    if bytes.next().is_some() {
        result.push(b';');
        result.extend(bytes);
    }
}

/// Appends `line` without the marks of variables: the colon of `:name`, `:'name'` and `:"name"`, and
/// both characters of `@name@`. Returns the state after it.
fn extend_without_variables(result: &mut Vec<u8>, line: &str, mut state: State) -> State {
    let bytes = line.as_bytes();
    let mut index = 0;
    while index < bytes.len() {
        let rest = &bytes[index..];
        let length;
        if state == State::Code && is_colon_of_variable(bytes, index) {
            result.push(b' ');
            index += 1;
            continue;
        }
        if let Some(name) = extension_variable(rest).filter(|_| state == State::Code) {
            result.push(b' ');
            result.extend(name);
            result.push(b' ');
            index += name.len() + 2;
            continue;
        }
        (state, length) = state.step(rest);
        result.extend(&rest[..length]);
        index += length;
    }
    state
}

/// Returns whether the character at `index` is the colon of a variable.
fn is_colon_of_variable(line: &[u8], index: usize) -> bool {
    let previous = index.checked_sub(1).map_or(b' ', |before| line[before]);
    let next = line.get(index + 1).copied().unwrap_or(b' ');
    line[index] == b':'
        && (previous.is_ascii_whitespace() || b"(,=[".contains(&previous))
        && (is_part(next) || b"'\"".contains(&next))
}

/// Returns the name in `@name@` at the start of `text`.
fn extension_variable(text: &[u8]) -> Option<&[u8]> {
    let rest = text.strip_prefix(b"@")?;
    let length = rest.iter().take_while(|byte| is_part(**byte)).count();
    (length > 0 && rest.get(length) == Some(&b'@')).then(|| &rest[..length])
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_become_spaces_and_semicolons() {
        for (script, code) in [
            ("\\set a\nb\n", "      \nb\n"),
            ("a \\gset\n\\gx\nb\n", "a ;    \n;  \nb\n"),
            (
                "COPY a FROM stdin;\nb\n\\.\nc\n",
                "                  \n \n  \nc\n",
            ),
            (
                "a\nGO 5\nb; -- c\n/\nc\n/\nd\n",
                "a\n;   \nb; -- c\n;\nc\n/\nd\n",
            ),
            (":a (:'b', c::d, @e@)\n", " a ( 'b', c::d,  e )\n"),
        ] {
            assert_eq!(without_commands(script), code);
        }
    }

    #[test]
    fn comments_and_strings_are_kept() {
        for script in [
            "/* a\n\\b\n use \\gset */ c\n",
            "$a$ \\gx\n\\b $b$\n/\n$a$\n",
            "'a\n\\b'\n\"\\g\"\n",
            "a\n/\nb\n",
            "-- COPY a FROM stdin\nb -- \\gset\n",
            "':a' /* :b @c@ */ d\n",
        ] {
            assert_eq!(without_commands(script), script);
        }
    }
}
