//! Regular expressions over bytes: classes, groups, alternatives, `? * + {n} {n,m}` and escapes.

use super::Expr;

/// Reads the text between the slashes.
pub(super) fn read(text: &str) -> Expr {
    let mut rest = text.as_bytes();
    let expr = alternatives(&mut rest);
    assert!(rest.is_empty(), "a group is opened in {text}");
    expr
}

/// Returns what a letter behind a backslash stands for.
pub(super) fn escaped(letter: u8) -> u8 {
    match letter {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        other => other,
    }
}

fn next(rest: &mut &[u8]) -> u8 {
    let (&first, others) = rest.split_first().expect("the expression goes on");
    *rest = others;
    first
}

fn take(rest: &mut &[u8], wanted: u8) -> bool {
    let is_there = rest.first() == Some(&wanted);
    if is_there {
        next(rest);
    }
    is_there
}

fn alternatives(rest: &mut &[u8]) -> Expr {
    let mut alternatives = vec![sequence(rest)];
    while take(rest, b'|') {
        alternatives.push(sequence(rest));
    }
    Expr::Alt(alternatives)
}

fn sequence(rest: &mut &[u8]) -> Expr {
    let mut parts = Vec::new();
    while !matches!(rest.first(), None | Some(b'|' | b')')) {
        let atom = atom(rest);
        parts.push(match repetition(rest) {
            Some((least, most)) => Expr::Repeat(Box::new(atom), least, most),
            None => atom,
        });
    }
    Expr::Seq(parts)
}

fn repetition(rest: &mut &[u8]) -> Option<(usize, Option<usize>)> {
    if take(rest, b'?') {
        Some((0, Some(1)))
    } else if take(rest, b'*') {
        Some((0, None))
    } else if take(rest, b'+') {
        Some((1, None))
    } else if take(rest, b'{') {
        let least = number(rest);
        let most = if take(rest, b',') {
            number(rest)
        } else {
            least
        };
        assert!(take(rest, b'}'), "a repetition is closed");
        Some((least, Some(most)))
    } else {
        None
    }
}

fn number(rest: &mut &[u8]) -> usize {
    let mut number = 0;
    while rest.first().is_some_and(u8::is_ascii_digit) {
        number = number * 10 + usize::from(next(rest) - b'0');
    }
    number
}

fn atom(rest: &mut &[u8]) -> Expr {
    match next(rest) {
        b'(' => {
            let group = alternatives(rest);
            assert!(take(rest, b')'), "a group is closed");
            group
        }
        b'[' => class(rest),
        b'\\' => Expr::Bytes(vec![escaped(next(rest))]),
        byte => Expr::Bytes(vec![byte]),
    }
}

fn class(rest: &mut &[u8]) -> Expr {
    let is_negated = take(rest, b'^');
    let mut set = [is_negated; 256];
    while !take(rest, b']') {
        let first = member(rest);
        let is_range = rest.first() == Some(&b'-') && rest.get(1) != Some(&b']');
        let last = if is_range {
            next(rest);
            member(rest)
        } else {
            first
        };
        set[usize::from(first)..=usize::from(last)].fill(!is_negated);
    }
    Expr::Class(Box::new(set))
}

fn member(rest: &mut &[u8]) -> u8 {
    match next(rest) {
        b'\\' => escaped(next(rest)),
        byte => byte,
    }
}
