//! Writes the command line that approves a plan on a page.

use std::ffi::OsString;

use super::command::{quoted, verb};

/// The options of `show` that `apply` does not have.
const ONLY_SHOW: [&str; 3] = ["--html", "--side-by-side", "--unified"];

/// Returns the command line that approves and applies the plan that `arguments` show, quoted for a
/// shell. Returns `None` if a word is not UTF-8 or cannot be quoted.
///
/// The reader can be on another machine. The command line therefore names no root, and only the
/// last component of each absolute path.
pub(in crate::engine) fn approval(arguments: &[OsString], plan_id: &str) -> Option<String> {
    let words: Vec<&str> = arguments
        .iter()
        .map(|word| word.to_str())
        .collect::<Option<_>>()?;
    let (program, words) = words.split_first()?;
    let verb = verb(words)?;
    let mut written = vec![last(program)];
    portable(&words[..verb], &mut written);
    written.extend(["apply", "--approve", plan_id].map(str::to_owned));
    portable(&words[verb + 1..], &mut written);
    let quoted: Option<Vec<_>> = written.iter().map(|word| quoted(word)).collect();
    Some(quoted?.join(" "))
}

/// Adds `words` without the root and without the parents of absolute paths.
fn portable(words: &[&str], written: &mut Vec<String>) {
    let mut words = words.iter();
    let mut is_operand = false;
    while let Some(&word) = words.next() {
        is_operand |= word == "--";
        let is_option = !is_operand && word.starts_with('-');
        match word.split_once('=') {
            _ if is_option && ["-d", "--root"].contains(&word) => {
                words.next();
            }
            _ if is_option && ONLY_SHOW.contains(&word) => {}
            _ if is_option && word.starts_with("-d") => {}
            Some(("--root", _)) if is_option => {}
            Some((name, value)) if is_option => written.push(format!("{name}={}", last(value))),
            _ => written.push(last(word)),
        }
    }
}

/// Returns the last component of an absolute path, and any other word as it is.
fn last(word: &str) -> String {
    let name = word.rsplit('/').next().filter(|_| word.starts_with('/'));
    name.unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_approval_keeps_the_options_and_no_place_of_the_machine() {
        let approved = |line: &str| {
            let words: Vec<_> = line.split(' ').map(OsString::from).collect();
            approval(&words, "sha256:0")
        };
        for (shown, expected) in [
            ("wpatch show --html x", "wpatch apply --approve sha256:0 x"),
            (
                "/usr/bin/wpatch -d /srv show -p2 --html --policy=/etc/p /home/a/x ../y",
                "wpatch apply --approve sha256:0 -p2 --policy=p x ../y",
            ),
            (
                "wpatch --root=/srv show -d. -- -d --html it's",
                "wpatch apply --approve sha256:0 -- -d --html 'it'\\''s'",
            ),
        ] {
            assert_eq!(approved(shown).as_deref(), Some(expected));
        }
        assert_eq!(approved("wpatch"), None);
    }
}
