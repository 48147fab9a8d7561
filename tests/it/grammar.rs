//! The formal grammars, executed: what they generate is taken, and what is taken is in them.

use wpatch::syntax::{Options, SYNTAXES, Sections, Syntax, mail, parse};
use wpatch::text::Span;

use crate::lark::{Generator, Grammar};

mod diffs;
mod hashline;

const SENTENCES: u64 = 300;
const MUTATIONS: u64 = 1000;

/// The bytes that mutations write.
const BYTES: &[u8] = b"\n\r\t -+@*\\\"/,.0179aAfZ~";

/// Texts by hand, most of which some grammar takes.
const TEXTS: &[&str] = &[
    "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@ fn main\n a\n\n-b\n+c\n\\ No newline at end of file\n",
    "--- a/x 2010-07-05 19:41:17 -0500\n+++ \"b/\\303\\244\" x\n@@ -1 +1 @@\n-a\n\\ x\n+b\n\\ x\n@@ -4,0 +5 @@\n+b\n",
    "--- /dev/null\r\n+++ x\r\n@@ -0,0 +1 @@\r\n+a\r\n--- x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
    "prose\nBinary files a/x and b/x differ\nprose\n",
    "diff --git a/x b/x\nold mode 100644\nnew mode 100755\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
    "diff --git \"a/\\t\" \"b/\\t\"\nnew file mode 120000\nindex 0000000..e69de29\n-- \n2.39\n",
    "diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\nindex 1..2 100644\n--- a/x\n+++ b/y\n\
     @@ -1 +1 @@\n-a\n+b\n",
    "diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\nliteral 4\nD00000\n\ndelta 2\nB00000\n\n",
    "diff --git a/x b/x\ndeleted file mode 160000\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-Subproject commit 1\n",
    "*** Begin Patch\n*** Environment ID: x\n*** Add File: a\n+1\n\n *** Delete File: b \n\n*** End Patch\n",
    "<<'EOF'\n*** Begin Patch\n*** Update File: a\n*** Move to: b\n\n*** Update File: c\n\n@@ x\n@@ y\n-a\n\
     *** End of File\n\n@@\n+b\n*** End Patch\nEOF\n",
    "<< \"PATCH\"\n*** Begin Patch\n*** Update File: c\n-a\n *** End Patch\n\nPATCH\n",
    "[a b.txt#2914]\nPUT 2.=3:\n+\n++x\n\nCUT 4.=4 @x\n[b#01ab] \r\nPUT >$ @x\nPUT <1:\n+a\nMV \"c d\"\n",
    "*** Begin Patch\n\n[a#0000]\nCUT 1.=1\nPUT >2\n[b#0000]\nREM\n*** End Patch\n",
    "[a#0000]\nMV b\n*** Abort\nPUT and anything else",
    "*** a/x\t2024\n--- b/x\t2024\n*************** fn\n*** 1,4 ****\n  a\n\n! b\n- c\n--- 1,4 ----\n  a\n  \n! c\n! d\n\\ No\n",
    "*** \"a/\\303\\244\"\n--- x\n***************\n*** 3\n--- 3,4\n+ b\n  c\n***************\n*** 5,6 ****\n- b\n  c\n--- 6 ----\n",
    "Index: x\n1,2c3\n< a\n< \n---\n> b\n\\ No newline\n5a6,7\r\n> a\n> b\n",
    "8,9d7\n< a\n< b\n",
];

/// The first words of the header lines of a git section, in the order of the grammar.
const HEADER_LINES: &[&str] = &[
    "old mode ",
    "new mode ",
    "new file mode ",
    "deleted file mode ",
    "similarity index ",
    "dissimilarity index ",
    "rename from ",
    "rename old ",
    "rename to ",
    "rename new ",
    "copy from ",
    "copy to ",
    "index ",
    "--- ",
    "+++ ",
];

/// Returns the syntaxes that have a grammar of their own; those of JSON documents have a schema.
fn larks() -> impl Iterator<Item = &'static dyn Syntax> {
    SYNTAXES
        .iter()
        .copied()
        .filter(|syntax| !syntax.grammar().starts_with('{'))
}

fn grammar(syntax: &dyn Syntax) -> Grammar {
    Grammar::read(syntax.grammar())
}

/// What a grammar without context cannot say: the counts of a hunk, the length of a base-85 line,
/// the delimiter of a here-document.
fn mend(rule: &str, made: Vec<u8>) -> Vec<u8> {
    match rule {
        "hunk" if made.starts_with(b"***") => diffs::context(&made),
        "added" | "deleted" | "changed" if made[0].is_ascii_digit() => diffs::normal(&made),
        "hunk" | "created_hunk" | "deleted_hunk" if made.starts_with(b"@@") => counted(&made),
        "base85" => {
            let groups = made
                .iter()
                .filter(|byte| !byte.is_ascii_whitespace())
                .count()
                / 5;
            let length = u8::try_from(groups * 4).expect("a short line");
            let letter = if length <= 26 {
                b'A' + length - 1
            } else {
                b'a' + length - 27
            };
            [&[letter], &made[1..]].concat()
        }
        "document" => hashline::mended(&made),
        "heredoc" => delimited(&made),
        _ => made,
    }
}

/// Ends a here-document with the delimiter that its first line names.
fn delimited(heredoc: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(heredoc).expect("made of ASCII");
    let first = text.lines().next().expect("a wrapper");
    let delimiter = first[2..].trim().trim_matches(['\'', '"']);
    let body = text.trim_end_matches(['\r', '\n']);
    let start = body.rfind('\n').expect("a last line") + 1;
    [&text[..start], delimiter, &text[body.len()..]]
        .concat()
        .into_bytes()
}

/// Writes the counts of the body into the header of a hunk.
fn counted(hunk: &[u8]) -> Vec<u8> {
    let hunk = std::str::from_utf8(hunk).expect("made of ASCII");
    let (header, body) = hunk.split_once('\n').expect("a header");
    let count = |signs: &str| {
        let is_counted = |line: &&str| {
            line.chars()
                .next()
                .is_none_or(|first| first == '\r' || signs.contains(first))
        };
        body.lines().filter(is_counted).count()
    };
    let mut words = header.splitn(4, ' ').map(str::to_owned).collect::<Vec<_>>();
    for (word, signs) in [(1, " -"), (2, " +")] {
        let start = words[word].split(',').next().unwrap_or_default();
        words[word] = format!("{start},{}", count(signs));
    }
    format!("{}\n{body}", words.join(" ")).into_bytes()
}

/// Changes a byte, takes one away, or takes away or doubles a line.
fn mutated(text: &[u8], generator: &mut Generator<'_>) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = text
        .split_inclusive(|&byte| byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    let line = generator.below(lines.len());
    let column = generator.below(lines[line].len());
    match generator.below(4) {
        0 => drop(lines.remove(line)),
        1 => lines.insert(line, lines[line].clone()),
        2 => drop(lines[line].remove(column)),
        _ => lines[line][column] = BYTES[generator.below(BYTES.len())],
    }
    lines.concat()
}

/// Returns the parts of `text` that the parser takes and the rule each of them has to be.
fn taken(syntax: &'static dyn Syntax, text: &[u8]) -> Vec<(&'static str, Span)> {
    let Ok(plan) = parse("-", text.to_vec(), &[syntax], Options::default()) else {
        return Vec::new();
    };
    // What is read in another form stands there in that form.
    if plan.operations.iter().any(|operation| operation.input > 0) {
        return sections(syntax, text);
    }
    if syntax.can_contain_prose() {
        return plan
            .operations
            .iter()
            .map(|operation| ("section", operation.span))
            .collect();
    }
    let start = text.len() - text.trim_ascii_start().len();
    vec![(
        "start",
        Span::new(start, text.trim_ascii_end().len().max(start)),
    )]
}

/// Returns the sections.
fn sections(syntax: &'static dyn Syntax, text: &[u8]) -> Vec<(&'static str, Span)> {
    let (mut from, mut found, mut spans) = (0, Sections::default(), Vec::new());
    while let Some(start) = syntax.find(text, from) {
        from = syntax
            .parse(text, start, Options::default(), &mut found)
            .expect("it was taken");
        spans.push(("section", Span::new(start, from)));
    }
    spans
}

/// Puts the header lines of a git section into the order of the grammar; the parser takes any.
fn ordered(section: &[u8]) -> Vec<u8> {
    let place = |line: &[u8]| {
        HEADER_LINES
            .iter()
            .position(|words| line.starts_with(words.as_bytes()))
    };
    let mut lines: Vec<&[u8]> = section.split_inclusive(|&byte| byte == b'\n').collect();
    let end = lines
        .iter()
        .skip(1)
        .position(|line| place(line).is_none())
        .map_or(lines.len(), |end| end + 1);
    lines[1.min(end)..end].sort_by_key(|line| place(line));
    lines.concat()
}

/// Asserts that what the parser takes of `text` is in the grammar; returns whether it takes
/// anything.
fn is_taken_and_recognised(syntax: &'static dyn Syntax, grammar: &Grammar, text: &[u8]) -> bool {
    let parts = taken(syntax, text);
    for &(rule, span) in &parts {
        let part = span.slice(text);
        // The last line may lack its newline where the text ends.
        let whole = ordered(&[part.strip_suffix(b"\n").unwrap_or(part), b"\n"].concat());
        let is_sentence = grammar.recognises(rule, part) || grammar.recognises(rule, &whole);
        assert!(
            is_sentence,
            "{} has no {rule}\n{}",
            syntax.name(),
            String::from_utf8_lossy(part)
        );
    }
    !parts.is_empty()
}

#[test]
fn a_sentence_of_the_grammar_is_taken() {
    for syntax in larks() {
        let grammar = grammar(syntax);
        for seed in 0..SENTENCES {
            let text = Generator::new(&grammar, seed, mend).sentence("start");
            let parsed = parse("-", text.clone(), &[syntax], Options::default());
            if let Err(broken) = parsed {
                panic!(
                    "{} {:?}\n{}",
                    syntax.name(),
                    broken.error,
                    String::from_utf8_lossy(&text)
                );
            }
            assert!(
                grammar.recognises("start", &text),
                "{}",
                String::from_utf8_lossy(&text)
            );
        }
    }
}

#[test]
fn what_is_taken_is_in_the_grammar() {
    let fixtures: Vec<Vec<u8>> =
        walkdir::WalkDir::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"))
            .into_iter()
            .filter_map(|entry| entry.ok().filter(|entry| entry.file_name() == "patch"))
            .filter_map(|entry| {
                fs_err::read(entry.path())
                    .ok()
                    .filter(|patch| patch.len() < 8192)
            })
            // A grammar describes the decoded text of a mail.
            .map(|patch| {
                mail::decode(&patch)
                    .ok()
                    .flatten()
                    .map_or(patch, |opened| opened.text)
            })
            .collect();
    for syntax in larks() {
        let grammar = grammar(syntax);
        let texts = TEXTS
            .iter()
            .map(|text| text.as_bytes())
            .chain(fixtures.iter().map(Vec::as_slice));
        let count = texts
            .filter(|text| is_taken_and_recognised(syntax, &grammar, text))
            .count();
        assert!(count >= 2, "{} takes {count} of the texts", syntax.name());
    }
}

#[test]
fn what_is_taken_of_a_damaged_sentence_is_in_the_grammar() {
    for syntax in larks() {
        let grammar = grammar(syntax);
        let (mut taken, mut refused) = (0, 0);
        for seed in 0..MUTATIONS {
            let mut generator = Generator::new(&grammar, seed, mend);
            let sentence = generator.sentence("start");
            let text = mutated(&sentence, &mut generator);
            if is_taken_and_recognised(syntax, &grammar, &text) {
                taken += 1;
            } else {
                refused += 1;
            }
        }
        assert!(
            taken > 100 && refused > 100,
            "{}: {taken} taken, {refused} refused",
            syntax.name()
        );
    }
}

#[test]
fn a_grammar_does_not_take_everything() {
    for syntax in larks() {
        assert!(!grammar(syntax).recognises("start", b"prose\n"));
    }
    let unified = grammar(*SYNTAXES.last().expect("a grammar"));
    assert!(!unified.recognises("hunk", b"@@ -1 +1 @@\n a\n"));
    assert!(!unified.recognises("hunk", b"@@ -1 +1 @@\n-a\n\\ x\n b\n"));
}
