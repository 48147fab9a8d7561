//! The manual pages, generated from the definitions of the options.

mod data;
mod reference;

use std::io;
use std::process::ExitCode;

use clap::CommandFactory;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, italic, roman};

use super::args::{COMMANDS, Cli, page_names};
use super::output::{exit_code, print};
use data::{ENVIRONMENT, EXAMPLES, EXIT_CODES, FILES, OWN_EXIT_CODES, find_row};

pub(super) use reference::print_reference;

/// Prints the names of all pages, one per line.
pub(super) fn print_names() -> ExitCode {
    let names: String = page_names()
        .flat_map(|name| [name, "\n".to_owned()])
        .collect();
    print(names.as_bytes())
}

/// Prints the page `name`: the name of a command, or of a page.
pub(super) fn print_page(name: Option<&str>) -> ExitCode {
    let mut out = Vec::new();
    match render(name.unwrap_or("wpatch"), &mut out) {
        Ok(()) => print(&out),
        failed => exit_code(failed),
    }
}

fn render(name: &str, out: &mut Vec<u8>) -> io::Result<()> {
    // `.so` includes another page; see man(7). `git help wpatch` looks for this name.
    if name == "git-wpatch" {
        out.extend_from_slice(b".so man1/wpatch.1\n");
        return Ok(());
    }
    let mut whole = Cli::command();
    whole.build();
    let name = name.strip_prefix("wpatch-").unwrap_or(name);
    let command = whole.find_subcommand(name).unwrap_or(&whole).clone();
    let title = match name {
        "wpatch" => "wpatch".to_owned(),
        name => format!("wpatch-{name}"),
    };
    let has_commands = command.has_subcommands();
    // clap_mangen omits the help of an option that has no long help and is hidden from `-h`.
    let command =
        command.mut_args(
            |argument| match (argument.get_long_help(), argument.get_help()) {
                (None, Some(help)) => {
                    let help = help.clone();
                    argument.long_help(help)
                }
                _ => argument,
            },
        );
    let page = Man::new(command)
        .title(&title)
        .source(concat!("wpatch ", env!("CARGO_PKG_VERSION")));
    page.render_title(out)?;
    page.render_name_section(out)?;
    page.render_synopsis_section(out)?;
    page.render_description_section(out)?;
    page.render_options_section(out)?;
    if has_commands {
        page.render_subcommands_section(out)?;
    }
    let mut sections = Roff::new();
    let codes = find_row(OWN_EXIT_CODES, name).unwrap_or(EXIT_CODES);
    definitions(&mut sections, "EXIT STATUS", codes);
    definitions(&mut sections, "ENVIRONMENT", ENVIRONMENT);
    definitions(&mut sections, "FILES", FILES);
    sections.control("SH", ["EXAMPLES"]);
    for (purpose, line) in find_row(EXAMPLES, name).unwrap_or_default() {
        sections.control("TP", []);
        sections.text([roman(format!("{purpose}:"))]);
        sections.text([bold(*line)]);
    }
    sections.control("SH", ["SEE ALSO"]);
    let others: Vec<_> = see_also(name).collect();
    sections.text([roman(others.join(", "))]);
    sections.to_writer(out)
}

/// Adds a section with a list of terms.
fn definitions(sections: &mut Roff, title: &str, rows: &[(&str, &str)]) {
    sections.control("SH", [title]);
    for (term, meaning) in rows {
        sections.control("TP", []);
        sections.text([italic(*term)]);
        sections.text([roman(*meaning)]);
    }
}

/// Returns the related pages of the page of `name`.
fn see_also(name: &str) -> impl Iterator<Item = String> {
    let commands: &[&str] = if name == "wpatch" {
        COMMANDS
    } else {
        &["apply", "check", "undo"]
    };
    let own = commands
        .iter()
        .filter(move |other| **other != name)
        .map(|other| format!("wpatch-{other}(1)"));
    let others = ["git-apply(1)", "patch(1)"].map(String::from);
    own.chain(others)
}
