//! The reference of all commands and options in Markdown.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory};

use super::data::{EXAMPLES, find_row};
use crate::cli::args::Cli;
use crate::cli::output::print;

/// Prints the reference of all commands and options as Markdown.
pub(in crate::cli) fn print_reference() -> ExitCode {
    let mut whole = Cli::command();
    whole.build();
    let mut out = String::from(
        "# Commands\n\nThis page is generated from the definitions of the options: `wpatch man --markdown`. \
         The global options are listed once, at the end.\n",
    );
    for command in whole
        .get_subcommands()
        .filter(|command| command.get_name() != "help")
    {
        section(
            command,
            &format!("wpatch {}", command.get_name()),
            2,
            &mut out,
        );
    }
    out.push_str("\n## Global options\n\n");
    let globals = whole
        .get_arguments()
        .filter(|argument| argument.is_global_set());
    globals.for_each(|argument| entry(argument, &mut out));
    print(out.as_bytes())
}

/// Adds the reference of `command` and of its subcommands.
fn section(command: &Command, title: &str, level: usize, out: &mut String) {
    let _ = write!(out, "\n{} {title}\n\n", "#".repeat(level));
    let about = command.get_long_about().or_else(|| command.get_about());
    let _ = writeln!(out, "{}", sentences(about).join("\n\n"));
    let own = |argument: &&Arg| {
        !argument.is_global_set() && !argument.is_hide_set() && argument.get_id() != "help"
    };
    let mut headings: Vec<_> = command
        .get_arguments()
        .filter(own)
        .map(Arg::get_help_heading)
        .collect();
    headings.dedup();
    let mut done = Vec::new();
    for heading in headings {
        if done.contains(&heading) {
            continue;
        }
        done.push(heading);
        let _ = write!(
            out,
            "\n{}\n\n",
            heading.map_or("Arguments and options:".to_owned(), |heading| format!(
                "{heading}:"
            ))
        );
        let all = command.get_arguments().filter(own);
        all.filter(|argument| argument.get_help_heading() == heading)
            .for_each(|argument| entry(argument, out));
    }
    if let Some(examples) = find_row(EXAMPLES, command.get_name()).filter(|_| level == 2) {
        out.push_str("\nExamples:\n\n");
        for (purpose, line) in examples {
            let _ = writeln!(out, "- {purpose}: `{line}`");
        }
    }
    for inner in command
        .get_subcommands()
        .filter(|inner| inner.get_name() != "help")
    {
        section(
            inner,
            &format!("{title} {}", inner.get_name()),
            level + 1,
            out,
        );
    }
}

/// Adds the reference of one argument or option.
fn entry(argument: &Arg, out: &mut String) {
    let mut names = Vec::new();
    names.extend(argument.get_short().map(|short| format!("-{short}")));
    names.extend(argument.get_long().map(|long| format!("--{long}")));
    names.extend(
        argument
            .get_visible_aliases()
            .unwrap_or_default()
            .iter()
            .map(|long| format!("--{long}")),
    );
    let values: Vec<_> = argument
        .get_value_names()
        .filter(|_| argument.get_action().takes_values())
        .unwrap_or_default()
        .iter()
        .map(|name| {
            if argument.is_positional() {
                format!("[{name}]")
            } else {
                name.to_string()
            }
        })
        .collect();
    let mut term = names.join(", ");
    if !values.is_empty() {
        let _ = write!(
            term,
            "{}{}",
            if term.is_empty() { "" } else { " " },
            values.join(" ")
        );
    }
    let help = argument.get_long_help().or_else(|| argument.get_help());
    let _ = write!(out, "- `{term}`: {}", sentences(help).join(" "));
    let possible: Vec<_> = argument
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if !possible.is_empty() && argument.get_action().takes_values() {
        let _ = write!(out, " Values: {}.", possible.join(", "));
    }
    out.push('\n');
}

/// Returns a help text whose paragraphs end with a full stop.
fn sentences(text: Option<&StyledStr>) -> Vec<String> {
    let text = text.map(ToString::to_string).unwrap_or_default();
    let paragraphs = text.trim().split("\n\n").map(|paragraph| {
        let paragraph = paragraph.replace('\n', " ");
        if paragraph.is_empty() || paragraph.ends_with('.') {
            paragraph
        } else {
            paragraph + "."
        }
    });
    paragraphs.collect()
}
