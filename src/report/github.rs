//! Workflow commands of GitHub Actions: an annotation for each finding.

use std::io;

use super::findings::{Finding, FindingLevel, FindingLocation, findings};
use super::stat::result;
use super::{Format, Report};
use crate::text::printable;

/// One line for each finding, and a total.
///
/// # Security
///
/// The runner interprets every line that begins with `::` as a command. Line endings of patches and
/// paths are escaped, and so are the characters that end a property. A patch therefore cannot
/// inject commands.
pub(super) struct GitHub;

impl Format for GitHub {
    fn name(&self) -> &'static str {
        "github"
    }

    fn print(&self, report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
        for finding in findings(report) {
            let command = match finding.level {
                FindingLevel::Refused | FindingLevel::Error => "error",
                FindingLevel::Warning => "warning",
                FindingLevel::Notice => "notice",
            };
            let message = finding
                .lines()
                .iter()
                .map(|line| escape_data(line))
                .collect::<Vec<_>>()
                .join("%0A");
            writeln!(out, "::{command} {}::{message}", properties(&finding))?;
        }
        for line in report.omitted.lines() {
            writeln!(out, "::notice::{line}")?;
        }
        result(report)
            .iter()
            .try_for_each(|result| writeln!(out, "{result}"))
    }
}

fn properties(finding: &Finding) -> String {
    let title = format!("title={}", escape_property(&finding.code));
    let Some(FindingLocation {
        path,
        line,
        last_line: last,
        column,
        ..
    }) = finding.main_location()
    else {
        return title;
    };
    let mut properties = vec![format!(
        "file={}",
        escape_property(&printable(path.as_bytes()).to_string())
    )];
    if let Some(line) = line {
        properties.push(format!("line={line}"));
        match last.filter(|last| last > line) {
            Some(last) => properties.push(format!("endLine={last}")),
            None => properties.extend(column.map(|column| format!("col={column}"))),
        }
    }
    properties.push(title);
    properties.join(",")
}

/// Escapes the characters that end a message.
fn escape_data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes the characters that end a property.
fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_command_or_a_property_is_escaped() {
        assert_eq!(
            escape_data("5%: a,b\r\n::error::x"),
            "5%25: a,b%0D%0A::error::x"
        );
        assert_eq!(escape_property("5%: a,b\r\n"), "5%25%3A a%2Cb%0D%0A");
    }
}
