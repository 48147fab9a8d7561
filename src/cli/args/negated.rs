//! Spellings that git's option parser accepts: `--no-NAME` and unambiguous abbreviations.

use std::ffi::OsString;

/// The long options of `git apply` and their short names. The last field states whether `--no-NAME`
/// cancels the option.
const OPTIONS: [(&str, Option<char>, bool); 31] = [
    ("exclude", None, false),
    ("include", None, false),
    ("no-add", None, true),
    ("stat", None, true),
    ("numstat", None, true),
    ("summary", None, true),
    ("check", None, true),
    ("index", None, true),
    ("intent-to-add", Some('N'), true),
    ("cached", None, true),
    ("unsafe-paths", None, true),
    ("apply", None, true),
    ("3way", Some('3'), true),
    ("ours", None, false),
    ("theirs", None, false),
    ("union", None, false),
    ("build-fake-ancestor", None, false),
    ("whitespace", None, false),
    ("ignore-space-change", None, false),
    ("ignore-whitespace", None, false),
    ("reverse", Some('R'), true),
    ("unidiff-zero", None, true),
    ("reject", None, true),
    ("allow-overlap", None, true),
    ("verbose", Some('v'), true),
    ("quiet", Some('q'), true),
    ("inaccurate-eof", None, true),
    ("recount", None, true),
    ("directory", None, false),
    ("allow-empty", None, true),
    ("binary", None, true),
];

/// The short options without a value. Several of them can share an argument.
const SHORT: &str = "N3RvqzEb";

/// Returns the arguments of `apply` in the spelling that clap accepts. Returns `None` if no
/// argument changes. An option that a later `--no-NAME` cancels is removed.
pub(super) fn expand_arguments(arguments: &[OsString]) -> Option<Vec<OsString>> {
    let mut known: Vec<OsString> = Vec::with_capacity(arguments.len());
    let mut words = arguments.iter();
    for word in words.by_ref() {
        let Some(long) = word.to_str().and_then(|word| word.strip_prefix("--")) else {
            known.push(word.clone());
            continue;
        };
        if long.is_empty() {
            known.push(word.clone());
            break;
        }
        let (name, value) = long
            .split_once('=')
            .map_or((long, None), |(name, value)| (name, Some(value)));
        // As in git, the last word counts: `--no-NAME` has no effect on a later `--NAME`.
        if let Some(cancelled) = find_cancelled(name).filter(|_| value.is_none()) {
            remove_option(&mut known, cancelled);
        } else {
            let name = find_option(name).map_or(name, |(name, ..)| *name);
            let value = value.map_or_else(String::new, |value| format!("={value}"));
            known.push(format!("--{name}{value}").into());
        }
    }
    known.extend(words.cloned());
    (known != arguments).then_some(known)
}

/// Returns the option with this name, or the only option whose name starts with `name`.
fn find_option(name: &str) -> Option<&'static (&'static str, Option<char>, bool)> {
    if let Some(option) = OPTIONS.iter().find(|(known, ..)| *known == name) {
        return Some(option);
    }
    // Negated options such as `--no-add` have a common prefix and cannot be abbreviated.
    let mut options = OPTIONS
        .iter()
        .filter(|(known, ..)| known.starts_with(name) && !known.starts_with("no-"));
    options.next().filter(|_| options.next().is_none())
}

/// Returns the option that `--name` cancels: `--recount` for `--no-recount`, and `--no-add` for
/// `--add`.
fn find_cancelled(name: &str) -> Option<&'static (&'static str, Option<char>, bool)> {
    let is_opposite = OPTIONS
        .iter()
        .find(|(known, ..)| known.strip_prefix("no-") == Some(name));
    let without = || {
        name.strip_prefix("no-")
            .and_then(find_option)
            .filter(|(.., may_cancel)| *may_cancel)
    };
    is_opposite.or_else(|| without().filter(|_| OPTIONS.iter().all(|(known, ..)| *known != name)))
}

/// Removes the option from the arguments, including its letter in a group of short options. In a
/// group, an option with a value takes the rest of the argument.
fn remove_option(arguments: &mut Vec<OsString>, &(name, short, _): &(&str, Option<char>, bool)) {
    let long = format!("--{name}");
    arguments.retain(|word| *word != *long);
    let Some(short) = short else { return };
    let without = |word: OsString| {
        let flags = word
            .to_str()
            .and_then(|word| word.strip_prefix('-'))
            .unwrap_or_default();
        let end = flags
            .find(|flag| !SHORT.contains(flag))
            .unwrap_or(flags.len());
        let (flags, value) = flags.split_at(end);
        if !flags.contains(short) {
            return Some(word);
        }
        let rest = flags.replace(short, "") + value;
        (!rest.is_empty()).then(|| format!("-{rest}").into())
    };
    *arguments = std::mem::take(arguments)
        .into_iter()
        .filter_map(without)
        .collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(words: &[&str]) -> Option<Vec<String>> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        expand_arguments(&words).map(|words| {
            words
                .into_iter()
                .map(|word| word.into_string().unwrap())
                .collect()
        })
    }

    #[test]
    fn options_are_spelled_out_as_git_reads_them() {
        for (given, known) in [
            (&["--no-index", "p"][..], Some(&["p"][..])),
            (&["--no-recount", "--no-3way", "--no-check"], Some(&[])),
            (&["--index", "--no-index"], Some(&[])),
            (&["--no-index", "--index"], Some(&["--index"])),
            (
                &["--ind", "--dir=x", "--unid"],
                Some(&["--index", "--directory=x", "--unidiff-zero"]),
            ),
            (&["--no-add", "--add"], Some(&[])),
            (&["--no-add", "--no-no-add"], Some(&[])),
            (&["-Rv", "--no-rev"], Some(&["-v"])),
            (&["-bRE", "--no-reverse"], Some(&["-bE"])),
            (&["-R", "--no-reverse", "-"], Some(&["-"])),
            (&["-Rp1", "--no-reverse"], Some(&["-p1"])),
            (&["-v3C1", "--no-3way", "--no-verbose"], Some(&["-C1"])),
            (&["-pR", "--no-reverse"], Some(&["-pR"])),
            (&["-", "-3", "--no-3way"], Some(&["-"])),
            (&["--no-add", "-p1", "--recount"], None),
            (&["--no-exclude", "--in", "--bogus", "--no", "--no-a"], None),
            (&["--", "--no-index"], None),
        ] {
            let known = known.map(|known| {
                known
                    .iter()
                    .map(|&word| word.to_owned())
                    .collect::<Vec<_>>()
            });
            assert_eq!(spelled(given), known, "{given:?}");
        }
    }
}
