//! Checks the lengths of files and functions.

use super::{everything, refuse, refuse_more};

const MOST_LINES: usize = 400;
const MOST_LINES_OF_A_FUNCTION: usize = 60;

/// Functions that are still longer. No function may be added.
const LONG_FUNCTIONS_LEFT: &[&str] = &[
    "tests/it/changes/sets.rs::contents",
    "tests/it/changes/sets.rs::names",
    "tests/it/changes/sets.rs::overwritten",
    "tests/it/hook/control.rs::allow_is_not_about_another_name_of_a_control_file",
    "tests/it/hook/words.rs::a_hook_shows_no_option_to_a_model",
    "tests/it/mcp/protocol.rs::what_breaks_the_protocol_gets_the_code_that_says_so",
    "tests/it/mcp/arguments.rs::a_wrong_argument_is_named_with_the_expected_value",
    "tests/it/output/formats.rs::sarif_has_a_rule_for_each_result",
    "tests/it/report.rs::a_check_says_what_would_become_of_each_file",
];

#[test]
fn files_are_short() {
    let sources = everything();
    let long = sources
        .iter()
        .filter(|source| source.text.lines().count() > MOST_LINES);
    refuse(long.map(|source| format!("{}: more than {MOST_LINES} lines", source.path)));
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
            (is_function && !name.starts_with('$') && length > MOST_LINES_OF_A_FUNCTION)
                .then(|| format!("{}::{name}", source.path))
        });
        functions.collect::<Vec<_>>()
    });
    refuse_more(long, LONG_FUNCTIONS_LEFT);
}
