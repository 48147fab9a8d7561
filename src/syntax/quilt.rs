//! Lists of patches in the format of quilt and Debian source packages (`debian/patches/series`).

use crate::path::RelPath;
use crate::plan::{Direction, SeriesSettings};
use crate::text::{lines, without_ending};

/// The maximum number of patches in a list.
const MAX_PATCHES: usize = 100_000;

/// Returns the patches of a list in order, each with its settings. `usual` is the strip level of
/// entries without one. A name is relative to the directory of the list. A `#` at the start of a
/// line or after a blank starts a comment.
///
/// # Errors
///
/// Returns the number of the first invalid line, counted from 1, and a message.
pub fn parse_list(
    text: &[u8],
    default_strip_level: usize,
) -> Result<Vec<(RelPath, SeriesSettings)>, (usize, String)> {
    let mut all = Vec::new();
    for (index, (_, line)) in lines(text).enumerate() {
        let entry = parse_entry(without_ending(line), default_strip_level)
            .map_err(|message| (index + 1, message))?;
        all.extend(entry.map(|(path, strip, direction)| {
            (
                path,
                SeriesSettings {
                    line: index + 1,
                    strip,
                    direction,
                },
            )
        }));
        if all.len() > MAX_PATCHES {
            return Err((
                index + 1,
                format!("the series file names more than {MAX_PATCHES} patches"),
            ));
        }
    }
    Ok(all)
}

/// Parses `NAME [-pN] [-R] [# comment]`. Returns `None` for a line without a name.
fn parse_entry(line: &[u8], usual: usize) -> Result<Option<(RelPath, usize, Direction)>, String> {
    let said = |word: &[u8]| String::from_utf8_lossy(word).into_owned();
    let mut words = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let mut words = words.by_ref().take_while(|word| !word.starts_with(b"#"));
    let Some(name) = words.next() else {
        return Ok(None);
    };
    let path = RelPath::new(name).map_err(|error| format!("{}: {error}", said(name)))?;
    let (mut strip, mut direction) = (usual, Direction::Forward);
    while let Some(word) = words.next() {
        let level = match word {
            b"-R" | b"--reverse" => {
                direction = Direction::Reverse;
                continue;
            }
            // quilt writes `-pab` for the prefixes `a/` and `b/`.
            b"-pab" => b"1",
            b"-p" => words.next().unwrap_or_default(),
            _ => word
                .strip_prefix(b"-p")
                .or_else(|| word.strip_prefix(b"--strip="))
                .ok_or_else(|| {
                    format!(
                        "{}: a series file supports only the options -pN and -R",
                        said(word)
                    )
                })?,
        };
        let number = std::str::from_utf8(level)
            .ok()
            .and_then(|level| level.parse().ok());
        strip = number.ok_or_else(|| format!("{}: expected a number after -p", said(word)))?;
    }
    Ok(Some((path, strip, direction)))
}

#[cfg(test)]
mod tests {
    use super::*;

    type SeriesRows = Vec<(String, usize, usize, Direction)>;

    fn read(text: &str) -> Result<SeriesRows, (usize, String)> {
        let all = parse_list(text.as_bytes(), 1)?;
        let told = |(path, listed): (RelPath, SeriesSettings)| {
            (
                path.to_string(),
                listed.line,
                listed.strip,
                listed.direction,
            )
        };
        Ok(all.into_iter().map(told).collect())
    }

    #[test]
    fn a_list_has_names_options_and_remarks() {
        let text = "# first\n\n  one.patch \t# said\r\nd/two#2 -p0 -R\nthree -pab\nfour -p 2 #-R\n";
        let expected = [
            ("one.patch", 3, 1, Direction::Forward),
            ("d/two#2", 4, 0, Direction::Reverse),
            ("three", 5, 1, Direction::Forward),
            ("four", 6, 2, Direction::Forward),
        ];
        let expected = expected
            .map(|(name, line, strip, direction)| (name.to_owned(), line, strip, direction));
        assert_eq!(read(text), Ok(expected.to_vec()));
    }

    #[test]
    fn what_is_no_list_is_named_with_its_line() {
        for line in [
            "../x",
            "/x",
            "a/../../b",
            "x -p",
            "x -pz",
            "x --fuzz=3",
            "x y",
            "x -p-1",
        ] {
            let (number, message) = read(&format!("fine\n{line}\n")).unwrap_err();
            assert!(number == 2 && !message.is_empty(), "{line}: {message}");
        }
    }
}
