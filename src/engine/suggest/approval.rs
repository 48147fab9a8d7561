//! Writes the command line that approves a plan, for a page and for the summary of a check.

use std::ffi::OsString;

use super::command::{program_words, quote_word, subcommand_index, utf8};
use crate::path::{self, absolute_file_name};
use crate::text::printable;

/// The options of `show` that `apply` does not have.
const SHOW_OPTIONS: [&str; 4] = ["--html", "--decide", "--side-by-side", "--unified"];

/// Returns the command line that approves and applies the plan that `arguments` show, quoted for a
/// shell. Returns `None` if a word is not UTF-8 or cannot be printed as it is.
///
/// The reader can be on another machine. The command line therefore names no root, and only the
/// last component of each absolute operand. Returns `None` if an option has an absolute path, or if
/// such a component would be an option.
pub(in crate::engine) fn portable_approval(
    arguments: &[OsString],
    plan_id: &str,
) -> Option<String> {
    let words = utf8(arguments)?;
    let (program, words) = words.split_first()?;
    let verb = subcommand_index(words)?;
    let mut written = program_words(absolute_file_name(program));
    add_portable_words(&words[..verb], &mut written)?;
    written.extend(["apply", "--approve", plan_id]);
    add_portable_words(&words[verb + 1..], &mut written)?;
    join_words(&written)
}

/// The command lines for decisions about a plan.
#[cfg(feature = "html")]
pub(in crate::engine) struct PortableDecision {
    /// Approves and applies a part of the plan: the texts before and after the list of its ids.
    pub(in crate::engine) part: [String; 2],
    /// Rejects the plan.
    pub(in crate::engine) reject: String,
}

/// Returns the command lines that apply a part of the plan that `arguments` show, and that reject the
/// plan. The rules of [`portable_approval`] apply.
#[cfg(feature = "html")]
pub(in crate::engine) fn portable_decision(
    arguments: &[OsString],
    plan_id: &str,
) -> Option<PortableDecision> {
    let words = utf8(arguments)?;
    let (program, words) = words.split_first()?;
    let verb = subcommand_index(words)?;
    let program = program_words(absolute_file_name(program));
    let mut before = program.clone();
    add_portable_words(&words[..verb], &mut before)?;
    before.extend(["apply", "--approve-part", plan_id, "--only"]);
    let mut after = Vec::new();
    add_portable_words(&words[verb + 1..], &mut after)?;
    let after = match &after[..] {
        [] => String::new(),
        words => format!(" {}", join_words(words)?),
    };
    let reject = join_words(&[&program[..], &["reject", plan_id]].concat())?;
    Some(PortableDecision {
        part: [join_words(&before)? + " ", after],
        reject,
    })
}

/// Adds `words` without the root and without the parents of absolute operands.
fn add_portable_words<'w>(words: &[&'w str], written: &mut Vec<&'w str>) -> Option<()> {
    let mut words = words.iter();
    let mut is_operand = false;
    while let Some(&word) = words.next() {
        is_operand |= word == "--";
        let is_option = !is_operand && word.starts_with('-');
        match word.split_once('=') {
            _ if is_option && ["-d", "--root"].contains(&word) => {
                words.next();
            }
            _ if is_option && SHOW_OPTIONS.contains(&word) => {}
            _ if is_option && word.starts_with("-d") => {}
            Some(("--root", _)) if is_option => {}
            _ if is_option => {
                let value = word.split_once('=').map_or("", |(_, value)| value);
                let is_absolute = word.contains(":/") || path::is_absolute(value.as_bytes());
                let next_is_absolute = words.as_slice().first().is_some_and(|next| {
                    path::is_absolute(next.as_bytes()) && !word.contains('=') && word != "--"
                });
                // The next word can be the value of this option. An operand after an option without
                // a value looks the same, so the command is not written in either case.
                if is_absolute || next_is_absolute {
                    return None;
                }
                written.push(word);
            }
            _ => {
                let name = absolute_file_name(word);
                if name != word && name.starts_with('-') {
                    return None;
                }
                written.push(name);
            }
        }
    }
    Some(())
}

/// Returns `words` as a command line, quoted for a shell. Returns `None` if a word cannot be
/// printed as it is: invisible and bidirectional characters would show another command.
fn join_words(words: &[&str]) -> Option<String> {
    let quoted: Option<Vec<_>> = words.iter().map(|word| quote_word(word)).collect();
    let command = quoted?.join(" ");
    (printable(command.as_bytes()).to_text() == command).then_some(command)
}

/// Returns the command line `arguments` of a check as one that approves and applies the plan `id`,
/// quoted for a shell. Returns `None` if `arguments` is no check, if a word is not UTF-8 or cannot
/// be printed as it is, or if `apply` lacks an option of the check.
#[cfg(feature = "cli")]
pub(crate) fn local_approval(arguments: &[OsString], id: &str) -> Option<String> {
    let mut words = utf8(arguments)?;
    let verb = subcommand_index(words.get(1..)?)? + 1;
    // `apply` has no `--git-timeout`, also not in an abbreviated form.
    let is_only_of_check = |word: &&str| word.starts_with("--git-t");
    if words[verb] != "check" || words.iter().any(is_only_of_check) {
        return None;
    }
    words.splice(verb..=verb, ["apply", "--approve", id]);
    words.splice(..1, program_words(words[0]));
    join_words(&words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_approval_keeps_the_options_and_no_place_of_the_machine() {
        let approved = |line: &str| {
            let words: Vec<_> = line.split(' ').map(OsString::from).collect();
            portable_approval(&words, "sha256:0")
        };
        for (shown, expected) in [
            ("wpatch show --html x", "wpatch apply --approve sha256:0 x"),
            (
                "/usr/bin/wpatch -d /srv show --html /home/a/x -p2 ../y",
                "wpatch apply --approve sha256:0 x -p2 ../y",
            ),
            (
                "/usr/lib/git-core/git-wpatch show -R x",
                "git wpatch apply --approve sha256:0 -R x",
            ),
            (
                "wpatch --root=/srv show -d. -- -d --html it's",
                "wpatch apply --approve sha256:0 -- -d --html 'it'\\''s'",
            ),
        ] {
            assert_eq!(approved(shown).as_deref(), Some(expected));
        }
        // These words would be other options or other files on another machine.
        for shown in [
            "wpatch",
            "wpatch show --html /tmp/--after=id",
            "wpatch show --html /tmp/-R",
            "wpatch show --policy=/etc/p x",
            "wpatch show --policy /etc/p x",
            "wpatch show a\u{202e}b",
        ] {
            assert_eq!(approved(shown), None, "{shown}");
        }
    }

    #[cfg(feature = "cli")]
    #[test]
    fn a_check_becomes_the_command_that_approves_its_plan() {
        let approved = |line: &str| {
            let words: Vec<_> = line.split(' ').map(OsString::from).collect();
            local_approval(&words, "sha256:0a")
        };
        let expected = [
            ("wpatch check", Some("wpatch apply --approve sha256:0a")),
            (
                "wpatch -d check check -R --policy apply a;b",
                Some("wpatch -d check apply --approve sha256:0a -R --policy apply 'a;b'"),
            ),
            ("wpatch check --git-timeout=3s x", None),
            ("wpatch check a\nb", None),
            ("wpatch check a\u{202e}b", None),
            ("wpatch apply --check x", None),
            ("wpatch", None),
        ];
        for (line, command) in expected {
            assert_eq!(approved(line).as_deref(), command, "{line}");
        }
    }
}
