//! Deletes single tokens of valid files, and checks whether the guard notices.

use std::error::Error;
use std::path::Path;

use fs_err as fs;
use wpatch::code::{Comparison, Language, is_valid_sql, language_of};
use wpatch::guard::{Change, GUARDS, GuardFinding};
use wpatch::path::RelPath;

/// The tokens of which a file needs an equal number.
const BRACKETS: [&str; 10] = ["(", ")", "[", "]", "{", "}", "<", ">", "</", "\""];

/// Deletes `count` tokens of each file, one at a time. Writes the results into `directory`, and
/// prints a line for each: number, language, file, line, token, whether the guard refuses it.
pub(crate) fn write(
    directory: &Path,
    tokens: &str,
    count: usize,
    paths: &[&str],
) -> Result<(), Box<dyn Error>> {
    let mut number = 0_usize;
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for path in paths {
        let text = fs::read_to_string(path).unwrap_or_default();
        let name = RelPath::new(path.trim_start_matches('/').as_bytes())?;
        let Some(language) = language_of(&name, text.as_bytes()) else {
            continue;
        };
        println!("file\t{}\t{}", language.name, is_valid(language, &text));
        if !is_valid(language, &text) {
            continue;
        }
        let spans = match tokens {
            "bracket" => brackets(language, &text),
            _ => words(&text),
        };
        for _ in 0..count.min(spans.len()) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let index = usize::try_from(random >> 1)? % spans.len();
            let (start, end) = spans[index];
            let broken = [&text[..start], &text[end..]].concat();
            let verdict = verdict(&name, &text, &broken);
            let extension = path.rsplit(['.', '/']).next().unwrap_or_default();
            fs::write(directory.join(format!("{number}.{extension}")), &broken)?;
            let line = text[..start].matches('\n').count() + 1;
            let token = text[start..end].escape_debug();
            println!(
                "token\t{number}\t{}\t{path}\t{line}\t{token}\t{verdict}",
                language.name
            );
            number += 1;
        }
    }
    Ok(())
}

fn is_valid(language: &Language, text: &str) -> bool {
    if language.comparison() == Comparison::Statements {
        return is_valid_sql(text);
    }
    language.variants().any(|variant| {
        let tree = language.parse_variant(text, variant);
        tree.is_ok_and(|tree| tree.is_some_and(|tree| !language.has_fault(&tree, text, variant)))
    })
}

fn verdict(path: &RelPath, before: &str, after: &str) -> &'static str {
    let change = Change {
        path,
        before: before.as_bytes(),
        after: after.as_bytes(),
    };
    let guard = GUARDS.iter().find(|guard| guard.name == "syntax");
    match guard.and_then(|guard| guard.check_file(&change)) {
        None => "passes",
        Some(GuardFinding::InvalidSyntax { .. }) => "refused",
        Some(_) => "note",
    }
}

/// Returns the words and single symbols of `text`, in comments too.
fn words(text: &str) -> Vec<(usize, usize)> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let bytes = text.as_bytes();
    let mut spans = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let mut end = at + 1;
        if is_word(bytes[at]) {
            while bytes.get(end).copied().is_some_and(is_word) {
                end += 1;
            }
        }
        if bytes[at].is_ascii_graphic() {
            spans.push((at, end));
        }
        at = end;
    }
    spans
}

/// Returns the brackets of `text` that are tokens of the language.
fn brackets(language: &Language, text: &str) -> Vec<(usize, usize)> {
    let Ok(tree) = language.parse(text) else {
        return Vec::new();
    };
    let is_html = language.name == "HTML";
    let mut spans = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let is_angle = matches!(node.kind(), "<" | ">" | "</" | "\"");
        if BRACKETS.contains(&node.kind()) && is_html == is_angle {
            spans.push((node.start_byte(), node.end_byte()));
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return spans;
            }
        }
    }
}
