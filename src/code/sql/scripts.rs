//! Removes what belongs to the programs that run scripts, and not to SQL.

use crate::code::rewrites::blank;

/// Replaces commands of psql, data of `COPY`, separators of batches, and the marks of variables. The
/// offsets stay the same.
pub(super) fn without_commands(script: &str) -> String {
    let mut result = Vec::with_capacity(script.len());
    let mut is_data = false;
    for line in script.split_inclusive('\n') {
        let is_command = line.trim_start().starts_with('\\');
        if is_data || (is_command && !ends_statement(line)) {
            result.extend(line.bytes().map(blank));
            is_data = is_data && !line.trim_start().starts_with("\\.");
        } else if is_batch(line) {
            extend_with_end(&mut result, line);
        } else {
            let start = line
                .rfind('\\')
                .filter(|&start| ends_statement(&line[start..]));
            let (code, command) = line.split_at(start.unwrap_or(line.len()));
            extend_without_variables(&mut result, code);
            extend_with_end(&mut result, command);
            is_data = is_copy(line);
        }
    }
    String::from_utf8(result).expect("BUG: characters are replaced as a whole")
}

/// Returns whether `script` has conditions of psql.
pub(super) fn has_conditions(script: &str) -> bool {
    script
        .lines()
        .any(|line| line.trim_start().starts_with("\\if"))
}

/// Returns whether `command` is a command of psql that ends a statement, such as `\gset`.
fn ends_statement(command: &str) -> bool {
    let command = command.trim_start();
    ["\\g", "\\watch", "\\crosstabview"]
        .iter()
        .any(|known| command.starts_with(known))
        && !command.contains(['\'', '"'])
}

/// Appends a semicolon and spaces in place of `line`.
fn extend_with_end(result: &mut Vec<u8>, line: &str) {
    let mut bytes = line.bytes().map(blank);
    if bytes.next().is_some() {
        result.push(b';');
        result.extend(bytes);
    }
}

/// Returns whether `line` separates batches for SQL Server or Oracle.
pub(super) fn is_batch(line: &str) -> bool {
    let word = line.trim_end();
    word.eq_ignore_ascii_case("go") || word == "/"
}

/// Returns whether lines of data follow `line`.
fn is_copy(line: &str) -> bool {
    let line = line.trim_start().to_ascii_uppercase();
    line.starts_with("COPY ") && line.contains(" FROM STDIN")
}

/// Appends `line` without the marks of variables: the colon of `:name`, `:'name'` and `:"name"`, and
/// both characters of `@name@`. The first character of a line is kept.
fn extend_without_variables(result: &mut Vec<u8>, line: &str) {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let start = result.len();
    let bytes = line.as_bytes();
    result.extend(bytes);
    for (index, pair) in bytes.windows(2).enumerate() {
        let is_start = pair[0].is_ascii_whitespace() || b"(,=[".contains(&pair[0]);
        let next = bytes.get(index + 2).copied().unwrap_or(b' ');
        if pair[1] == b':' && is_start && (is_part(next) || b"'\"".contains(&next)) {
            result[start + index + 1] = b' ';
        }
    }
    let mut rest = 0;
    while let Some(open) = memchr::memchr(b'@', &bytes[rest..]).map(|found| rest + found) {
        let length = bytes[open + 1..]
            .iter()
            .take_while(|byte| is_part(**byte))
            .count();
        rest = open + 1 + length;
        if length > 0 && bytes.get(rest) == Some(&b'@') {
            (result[start + open], result[start + rest]) = (b' ', b' ');
            rest += 1;
        }
    }
}
