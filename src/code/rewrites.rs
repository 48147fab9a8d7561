//! Rewrites valid code that a grammar does not know as code that it knows.
//!
//! A rewrite keeps the length of the text and its lines, so that offsets stay correct. It returns
//! `None` if the text does not contain the construct. To support a further construct, add a
//! function and name it in the row of the language.

/// Removes `typedef` after the definition of a type, and replaces `throw` by an operator, because the
/// grammar does not know it in expressions.
pub(super) fn typedefs_and_throws(text: &str) -> Option<String> {
    let result = text.replace("} typedef ", "}         ");
    let result = name_pointers(result.replace("throw ", "    - "));
    (result != text).then_some(result)
}

/// Names pointers such as `char * = 0`, which are parameters with a default value.
fn name_pointers(text: String) -> String {
    let mut result = text.into_bytes();
    for star in memchr::memchr_iter(b'*', &result.clone()) {
        let rest = &result[star + 1..];
        // The end of the parameter. In other places, a star before `=` is a mistake.
        let value = memchr::memchr(b'=', rest).map_or(&[][..], |equals| &rest[equals..]);
        let end = value.iter().find(|byte| b",;()\n".contains(byte));
        if !end.is_some_and(|end| b",)".contains(end)) {
            continue;
        }
        let is_constant = rest.trim_ascii_start().starts_with(b"const =");
        if is_constant {
            let start = star + 1 + (rest.len() - rest.trim_ascii_start().len());
            result[start..start + "const".len()].fill(b'x');
        } else if rest.starts_with(b" = ") {
            result[star + 1] = b'x';
        }
    }
    String::from_utf8(result).expect("BUG: only ASCII characters are replaced")
}

/// Keeps the first branch of each condition of the preprocessor, and removes all directives. The
/// grammars accept conditions only around complete statements.
pub(super) fn first_branches(text: &str) -> Option<String> {
    keep_branches(text, Branch::First)
}

/// Keeps the branch after `#else`, if there is one, and otherwise the first one.
pub(super) fn last_branches(text: &str) -> Option<String> {
    keep_branches(text, Branch::Last)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Branch {
    First,
    Last,
}

/// A directive that separates branches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Separator {
    If,
    Else,
    End,
}

fn keep_branches(text: &str, branch: Branch) -> Option<String> {
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let separators: Vec<_> = lines.iter().map(|line| separator(line)).collect();
    separators.iter().flatten().next()?;
    let has_else = has_else(&separators);
    let mut result = String::with_capacity(text.len());
    // Whether the current branch of each open condition is kept.
    let mut open: Vec<bool> = Vec::new();
    let mut is_directive = false;
    for (index, line) in lines.iter().enumerate() {
        match separators[index] {
            Some(Separator::If) => {
                let is_never = matches!(condition(line), "0" | "false");
                let is_replaced = branch == Branch::Last && has_else[index];
                open.push(!is_never && !is_replaced);
            }
            Some(Separator::Else) => {
                if let Some(is_kept) = open.last_mut() {
                    *is_kept = branch == Branch::Last && has_else[index];
                }
            }
            Some(Separator::End) => drop(open.pop()),
            None => {}
        }
        // A directive continues after a backslash. A comment in it can continue on the next line.
        is_directive = is_directive || (line.trim_start().starts_with('#') && !is_broken(line));
        let removed = if open.contains(&false) {
            line.len()
        } else if is_directive {
            open_comment(line).unwrap_or(line.len())
        } else {
            0
        };
        let (directive, code) = line.split_at(removed);
        result.extend(directive.bytes().map(blank).map(char::from));
        result.push_str(code);
        is_directive = is_directive && line.trim_end().ends_with('\\');
    }
    Some(result)
}

/// Returns whether `line` is a condition with unbalanced parentheses. It stays a fault.
fn is_broken(line: &str) -> bool {
    separator(line).is_some()
        && !line.trim_end().ends_with('\\')
        && line.matches('(').count() != line.matches(')').count()
}

/// Replaces a byte by a space, except in line endings.
pub(super) fn blank(byte: u8) -> u8 {
    if matches!(byte, b'\n' | b'\r') {
        byte
    } else {
        b' '
    }
}

/// Returns the offset of a comment in `line` that does not end there.
fn open_comment(line: &str) -> Option<usize> {
    line.rfind("/*")
        .filter(|&start| !line[start..].contains("*/"))
}

/// Returns for each `#if` whether its condition has an `#else`, and for each `#elif` or `#else`
/// whether it is the last one.
fn has_else(separators: &[Option<Separator>]) -> Vec<bool> {
    let mut result = vec![false; separators.len()];
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (index, separator) in separators.iter().enumerate() {
        match separator {
            Some(Separator::If) => open.push((index, index)),
            Some(Separator::Else) => {
                if let Some((_, last)) = open.last_mut() {
                    *last = index;
                }
            }
            Some(Separator::End) => {
                if let Some((first, last)) = open.pop().filter(|(first, last)| first != last) {
                    (result[first], result[last]) = (true, true);
                }
            }
            None => {}
        }
    }
    result
}

/// Returns the word of the directive in `line`, and the rest of the line.
fn directive(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let end = rest
        .find(|character: char| !character.is_ascii_alphabetic())
        .unwrap_or(rest.len());
    Some(rest.split_at(end))
}

fn separator(line: &str) -> Option<Separator> {
    match directive(line)?.0 {
        "if" | "ifdef" | "ifndef" => Some(Separator::If),
        "elif" | "elifdef" | "elifndef" | "else" => Some(Separator::Else),
        "endif" => Some(Separator::End),
        _ => None,
    }
}

fn condition(line: &str) -> &str {
    directive(line).map_or("", |(_, rest)| rest.trim())
}

/// Renames the macro `try!` of Rust 2015, and macros with the name of a type. The grammar knows only
/// the keyword and the types. Removes the manifest of a script.
pub(super) fn named_macros(text: &str) -> Option<String> {
    let result = text.replace("try!", "tri!").replace("str!", "sti!");
    let result = result.replace("bool!", "booi!").replace("char!", "chai!");
    let (start, end) = manifest(&result).unwrap_or_default();
    let (before, after) = (&result[..start], &result[end..]);
    let blanks: String = result[start..end]
        .bytes()
        .map(blank)
        .map(char::from)
        .collect();
    let result = [before, &blanks, after].concat();
    (result != text).then_some(result)
}

/// Returns the lines between `---` at the start of a script for Cargo.
fn manifest(text: &str) -> Option<(usize, usize)> {
    let mut start = 0;
    let mut fence: Option<(usize, &str)> = None;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        match fence {
            Some((first, dashes)) if line.trim_end() == dashes => return Some((first, end)),
            Some(_) => {}
            None if line.starts_with("---") => {
                let length = line.bytes().take_while(|byte| *byte == b'-').count();
                fence = Some((start, &line[..length]));
            }
            None if start == 0 && line.starts_with("#!") || line.trim().is_empty() => {}
            None => return None,
        }
        start = end;
    }
    None
}

/// Replaces types such as `import("x")` by a name, and `export type *` by `export *`.
pub(super) fn type_imports(text: &str) -> Option<String> {
    const START: &str = "import(";
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(START) {
        let (before, found) = rest.split_at(start);
        result.push_str(before);
        let end = found[START.len()..]
            .find([')', '\n'])
            .map_or(found.len(), |end| START.len() + end + 1);
        let (import, after) = found.split_at(end);
        if import.ends_with(')') && import.is_ascii() {
            result.extend(import.chars().map(|_| 'i'));
        } else {
            result.push_str(import);
        }
        rest = after;
    }
    result.push_str(rest);
    let result = result.replace("export type *", "export      *");
    (result != text).then_some(result)
}

/// Replaces collections of C# such as `[a, b]` by tuples.
pub(super) fn collections(text: &str) -> Option<String> {
    const MAX_LENGTH: usize = 2000;
    let mut result = text.as_bytes().to_vec();
    for start in memchr::memchr_iter(b'[', text.as_bytes()) {
        let before = text[..start].trim_end();
        let is_value = before.ends_with(['(', ',', '=', ':', '?'])
            || before.ends_with("=>")
            || before.ends_with("return");
        let mut depth = 0_usize;
        let end = text[start..].bytes().take(MAX_LENGTH).position(|byte| {
            depth = match byte {
                b'[' => depth + 1,
                b']' => depth - 1,
                _ => depth,
            };
            depth == 0
        });
        let Some(end) = end.map(|length| start + length).filter(|_| is_value) else {
            continue;
        };
        // Otherwise, it is an attribute of a parameter.
        if text[end + 1..]
            .trim_start()
            .starts_with([')', ',', ';', '}', ']', '.'])
        {
            let content = text[start + 1..end].trim_end();
            let last = start + content.len();
            if content.ends_with(',') {
                result[last] = b' ';
            }
            let is_empty = end == start + 1;
            (result[start], result[end]) = if is_empty { (b'0', b'0') } else { (b'(', b')') };
        }
    }
    let result = String::from_utf8(result).ok()?;
    (result != text).then_some(result)
}

/// Replaces collections, and keeps the first branch of each condition.
pub(super) fn collections_in_first_branches(text: &str) -> Option<String> {
    first_branches(&collections(text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rewrite_keeps_the_length_and_the_lines() {
        let rewrites: [fn(&str) -> Option<String>; 6] = [
            typedefs_and_throws,
            collections,
            first_branches,
            last_branches,
            named_macros,
            type_imports,
        ];
        let texts = [
            "a\r\n#if X /* é\n */\nb\n#else\nc é\n#endif\n",
            "try!(é)",
            "#!/bin/cargo\n---toml\r\né\n---\nfn f() {}\n",
            "f(é, [é], [], [A] b, [c, é,\n], [d,])",
            "f(char * = é, char *const = é)",
            "é: import('x') import(\"é\") export type * from x",
        ];
        let mut count = 0;
        for (rewrite, text) in rewrites.iter().flat_map(|it| texts.map(|text| (it, text))) {
            let Some(rewritten) = rewrite(text) else {
                continue;
            };
            count += 1;
            assert_ne!(rewritten, text);
            assert_eq!(rewritten.len(), text.len(), "{rewritten}");
            let ends = |text: &str| memchr::memchr_iter(b'\n', text.as_bytes()).collect::<Vec<_>>();
            assert_eq!(ends(&rewritten), ends(text));
        }
        assert!(count >= texts.len());
    }

    #[test]
    fn constructs_become_ones_that_the_grammar_knows() {
        let rewritten = typedefs_and_throws("f(a * = 0, b *const = 0, c * d = 0); e * = g();");
        assert_eq!(
            rewritten.as_deref(),
            Some("f(a *x= 0, b *xxxxx = 0, c * d = 0); e * = g();")
        );
        assert_eq!(
            collections("a = [b, [c,],];").as_deref(),
            Some("a = (b, (c ) );")
        );
    }

    #[test]
    fn one_branch_of_each_condition_remains() {
        let text = "a\n#ifdef B\nb\n#elif C\nc\n#else\nd\n#endif\n#if 0\ne\n#endif\n#define F \\\n  f\ng\n";
        let words = |text: Option<String>| text.unwrap().split_whitespace().collect::<String>();
        assert_eq!(words(first_branches(text)), "abg");
        assert_eq!(words(last_branches(text)), "adg");
        assert_eq!(first_branches("a\n"), None);
        let broken = "#if defined(A\na\n#endif\n";
        assert!(
            first_branches(broken)
                .unwrap()
                .starts_with("#if defined(A\n")
        );
    }
}
