//! The examples of the README and of the book.
#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Stdio};

use ::fs_err as fs;

use super::{WPATCH, text};
use crate::docs::pages;

/// One command of an example, and what it prints; each of its lines with its line feed.
#[derive(Debug, Default)]
struct Step {
    command: String,
    printed: String,
}

/// Returns the `console` blocks of `markdown`: `$` begins a command, `>` goes on with it, the rest
/// is output.
fn examples(markdown: &str) -> Vec<Vec<Step>> {
    let mut examples: Vec<Vec<Step>> = Vec::new();
    let mut is_inside = false;
    for line in markdown.lines() {
        if line.starts_with("```") {
            is_inside = line == "```console";
            examples.extend(is_inside.then(Vec::new));
            continue;
        }
        let Some(steps) = examples.last_mut().filter(|_| is_inside) else {
            continue;
        };
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step {
                command: [command, "\n"].concat(),
                printed: String::new(),
            });
        } else if let Some(step) = steps.last_mut() {
            match line.strip_prefix("> ").or_else(|| line.strip_prefix('>')) {
                Some(more) if step.printed.is_empty() => step.command.extend([more, "\n"]),
                _ => step.printed.extend([line, "\n"]),
            }
        }
    }
    examples
}

#[test]
fn the_examples_of_the_pages_are_true() {
    let programs = Path::new(WPATCH).parent().unwrap();
    let inherited = std::env::var_os("PATH").unwrap();
    let path = std::env::join_paths(
        [programs.to_path_buf()]
            .into_iter()
            .chain(std::env::split_paths(&inherited)),
    )
    .unwrap();
    let mut count = 0;
    for steps in pages()
        .into_iter()
        .flat_map(|page| examples(&fs::read_to_string(page).unwrap()))
    {
        let root = tempfile::tempdir().unwrap();
        // One shell for the whole example, so that it keeps its variables; a NUL byte behind each
        // command.
        let commands: String = steps
            .iter()
            .flat_map(|step| [step.command.as_str(), "printf '\\0'\n"])
            .collect();
        let mut shell = Command::new("bash");
        shell
            .args(["-c", &format!("exec 2>&1\n{commands}")])
            .current_dir(root.path())
            .env("PATH", &path);
        let output = shell.stdin(Stdio::null()).output().unwrap();
        let printed: Vec<_> = text(&output.stdout).split_terminator('\0').collect();
        let expected: Vec<_> = steps.iter().map(|step| step.printed.as_str()).collect();
        assert_eq!(printed, expected, "{commands}");
        count += steps.len();
    }
    assert!(count > 200, "{count} steps");
}
