//! Checks the lengths of files and functions.

use super::{everything, refuse};

const MAX_LINES: usize = 400;
const MAX_LINES_OF_A_FUNCTION: usize = 60;

#[test]
fn files_are_short() {
    let sources = everything();
    let long = sources
        .iter()
        .filter(|source| source.text.lines().count() > MAX_LINES);
    refuse(long.map(|source| format!("{}: more than {MAX_LINES} lines", source.path)));
}

#[test]
fn functions_are_short() {
    let sources = everything();
    let long = sources.iter().flat_map(|source| {
        let lines: Vec<_> = source.text.lines().collect();
        let functions = lines.iter().enumerate().filter_map(|(start, line)| {
            let (before, after) = line
                .split_once("fn ")
                .filter(|_| line.ends_with(['{', '(', ',', '>']))?;
            let is_function = before
                .split_whitespace()
                .all(|word| word.starts_with("pub") || word == "const");
            let indent = before.len() - before.trim_start().len();
            let is_end = |line: &&str| {
                line.strip_suffix('}')
                    .is_some_and(|rest| rest == &before[..indent])
            };
            let length = 1 + lines[start..].iter().position(is_end)?;
            let name = after.split(['(', '<']).next()?;
            (is_function && !name.starts_with('$') && length > MAX_LINES_OF_A_FUNCTION)
                .then(|| format!("{}::{name}", source.path))
        });
        functions.collect::<Vec<_>>()
    });
    refuse(long);
}
