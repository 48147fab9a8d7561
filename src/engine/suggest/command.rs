//! Writes the command line that a message suggests: the given one with other options.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The differences from the given command line.
#[derive(Clone, Debug, Default)]
pub(super) struct CommandChange {
    /// The strip level.
    pub(super) strip: Option<usize>,
    /// The directory before all names.
    pub(super) directory: Option<Vec<u8>>,
    /// Whether names count from the top of the repository.
    pub(super) git_paths: bool,
    /// How many directories above the given root the new one is.
    pub(super) above: usize,
    /// Whether applied changes count as success.
    pub(super) idempotent: bool,
    /// The patch arguments in their new order.
    pub(super) order: Vec<String>,
    /// Whether standard input has a patch.
    pub(super) reads_input: bool,
}

/// Options that take the next word as their value.
const VALUE_OPTIONS: [&str; 8] = [
    "-d",
    "--root",
    "--policy",
    "--output",
    "--color",
    "--durability",
    "--lock-timeout",
    "--format",
];

/// Returns the command line `arguments` with `difference`, quoted for a shell. Returns `None` if a
/// word is not UTF-8, cannot be quoted, or cannot be replaced.
pub(super) fn write_command(arguments: &[OsString], difference: &CommandChange) -> Option<String> {
    let words = utf8(arguments)?;
    let (program, words) = words.split_first()?;
    let verb = subcommand_index(words)?;
    let mut written = NewCommandLine {
        words: program_words(program)
            .into_iter()
            .map(str::to_owned)
            .collect(),
        root: None,
    };
    written.add_words(&words[..verb], difference)?;
    written.words.push(words[verb].to_owned());
    // New options follow the subcommand directly, so they precede every `--`.
    let place = written.words.len();
    written.add_words(&words[verb + 1..], difference)?;
    let options = options(difference, written.root.as_deref())?;
    written.words.splice(place..place, options);
    reorder(&mut written.words, &difference.order)?;
    let quoted: Vec<_> = written
        .words
        .iter()
        .map(|word| quote_word(word))
        .collect::<Option<_>>()?;
    let suffix = if difference.reads_input {
        " with the same input"
    } else {
        ""
    };
    Some(format!("`{}`{suffix}", quoted.join(" ")))
}

/// Returns the words of a command line; `None` if one is not UTF-8.
pub(super) fn utf8(arguments: &[OsString]) -> Option<Vec<&str>> {
    arguments.iter().map(|word| word.to_str()).collect()
}

/// Returns the words that start `program`. git starts `git-wpatch` by its full path.
pub(super) fn program_words(program: &str) -> Vec<&str> {
    let name = Path::new(program).file_stem();
    if name == Some(OsStr::new("git-wpatch")) {
        vec!["git", "wpatch"]
    } else {
        vec![program]
    }
}

/// Returns the index of the subcommand.
pub(super) fn subcommand_index(words: &[&str]) -> Option<usize> {
    // The value of an option can be the name of a subcommand, as in `-d apply`.
    let is_value = |index: usize| index > 0 && VALUE_OPTIONS.contains(&words[index - 1]);
    words
        .iter()
        .enumerate()
        .position(|(index, word)| ["apply", "check", "show"].contains(word) && !is_value(index))
}

/// The words of the new command line.
struct NewCommandLine {
    words: Vec<String>,
    root: Option<String>,
}

impl NewCommandLine {
    /// Adds `words` without the options that `difference` replaces; returns `None` if such an
    /// option is part of a cluster.
    fn add_words(&mut self, words: &[&str], difference: &CommandChange) -> Option<()> {
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            let (name, glued) = match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value)),
                _ => (word, None),
            };
            let is_short = word.starts_with('-') && !word.starts_with("--") && word.len() > 2;
            match name {
                "--" => {
                    self.words.push(word.to_owned());
                    self.words
                        .extend(words.by_ref().map(|word| (*word).to_owned()));
                }
                "-p" if difference.strip.is_some() => {
                    words.next()?;
                }
                _ if difference.strip.is_some() && is_short && word.starts_with("-p") => {}
                // The level in a cluster such as `-Rp1` cannot be removed without parsing it.
                _ if difference.strip.is_some() && is_short && word.contains('p') => return None,
                "--directory" if difference.directory.is_some() && glued.is_none() => {
                    words.next()?;
                }
                "--directory" if difference.directory.is_some() => {}
                "-d" | "--root" if difference.above > 0 => {
                    self.root = Some(
                        glued
                            .map_or_else(|| words.next().copied(), Some)?
                            .to_owned(),
                    );
                }
                _ if difference.above > 0 && is_short && word.starts_with("-d") => {
                    self.root = Some(word[2..].to_owned());
                }
                _ => {
                    self.words.push(word.to_owned());
                    if VALUE_OPTIONS.contains(&word) {
                        self.words.push((*words.next()?).to_owned());
                    }
                }
            }
        }
        Some(())
    }
}

/// Returns the options of `difference`; `None` if a directory is not UTF-8.
fn options(difference: &CommandChange, root: Option<&str>) -> Option<Vec<String>> {
    let mut options = Vec::new();
    options.extend(difference.strip.map(|level| format!("-p{level}")));
    if let Some(directory) = difference
        .directory
        .as_ref()
        .filter(|directory| !directory.is_empty())
    {
        options.push(format!(
            "--directory={}",
            std::str::from_utf8(directory).ok()?
        ));
    }
    if difference.git_paths {
        options.push("--git-paths".to_owned());
    }
    if difference.above > 0 {
        let above = vec![".."; difference.above].join("/");
        let root = root.filter(|root| *root != ".");
        options.push(format!(
            "--root={}",
            root.map_or(above.clone(), |root| format!("{root}/{above}"))
        ));
    }
    if difference.idempotent {
        options.push("--idempotent".to_owned());
    }
    Some(options)
}

/// Puts the patch arguments in another order; returns `None` if they are not all present.
fn reorder(words: &mut [String], order: &[String]) -> Option<()> {
    let places: Vec<_> = (0..words.len())
        .filter(|&place| order.contains(&words[place]))
        .collect();
    // A name that is also the value of an option occurs too often.
    if places.len() != order.len() {
        return None;
    }
    for (place, name) in places.into_iter().zip(order) {
        words[place].clone_from(name);
    }
    Some(())
}

/// Quotes `word` for a POSIX shell; returns `None` if it contains control characters, which a
/// terminal does not show.
pub(super) fn quote_word(word: &str) -> Option<String> {
    if word.chars().any(char::is_control) {
        return None;
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"%+,-./:=@_".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return Some(word.to_owned());
    }
    Some(format!("'{}'", word.replace('\'', "'\\''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suggested(line: &str, difference: &CommandChange) -> Option<String> {
        let words: Vec<_> = line.split(' ').map(OsString::from).collect();
        write_command(&words, difference)
    }

    #[test]
    fn options_replace_those_that_were_given() {
        let strip = CommandChange {
            strip: Some(2),
            ..CommandChange::default()
        };
        for line in [
            "wpatch apply -p1 x",
            "wpatch apply -p 0 x",
            "wpatch apply x",
            "wpatch apply x -p3",
        ] {
            assert_eq!(
                suggested(line, &strip).as_deref(),
                Some("`wpatch apply -p2 x`"),
                "{line}"
            );
        }
        let directory = CommandChange {
            directory: Some(b"a b".to_vec()),
            ..strip.clone()
        };
        for line in [
            "wpatch -d apply check --directory=c x",
            "wpatch -d apply check --directory c x",
        ] {
            let expected = "`wpatch -d apply check -p2 '--directory=a b' x`";
            assert_eq!(
                suggested(line, &directory).as_deref(),
                Some(expected),
                "{line}"
            );
        }
        let above = CommandChange {
            above: 2,
            ..CommandChange::default()
        };
        for (line, root) in [
            ("wpatch apply x", "../.."),
            ("wpatch apply -d s x", "s/../.."),
            ("wpatch --root=. apply x", "../.."),
        ] {
            assert_eq!(
                suggested(line, &above),
                Some(format!("`wpatch apply --root={root} x`")),
                "{line}"
            );
        }
        assert_eq!(suggested("wpatch apply -Rp1 x", &strip), None);
        assert_eq!(suggested("wpatch undo", &strip), None);
    }

    #[test]
    fn patches_change_their_places_and_nothing_else_does() {
        let order = CommandChange {
            order: vec!["b".to_owned(), "a".to_owned()],
            ..CommandChange::default()
        };
        assert_eq!(
            suggested("wpatch apply a -R b", &order).as_deref(),
            Some("`wpatch apply b -R a`")
        );
        assert_eq!(suggested("wpatch apply a", &order), None);
        let strip = CommandChange {
            strip: Some(0),
            reads_input: true,
            ..CommandChange::default()
        };
        assert_eq!(
            suggested("wpatch apply", &strip).as_deref(),
            Some("`wpatch apply -p0` with the same input")
        );
    }

    #[test]
    fn a_command_of_git_is_suggested_as_one() {
        let strip = CommandChange {
            strip: Some(0),
            ..CommandChange::default()
        };
        assert_eq!(
            suggested("/usr/lib/git-core/git-wpatch apply x", &strip).as_deref(),
            Some("`git wpatch apply -p0 x`")
        );
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        for (word, expected) in [
            ("a/b.c", "a/b.c"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("$x", "'$x'"),
            ("", "''"),
        ] {
            assert_eq!(quote_word(word).as_deref(), Some(expected));
        }
        assert_eq!(quote_word("a\nb"), None);
    }
}
