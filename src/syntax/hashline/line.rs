//! The syntax inside a line: headers and operations, and their distinction from text.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while_m_n, take_while1};
use nom::character::complete::digit1;
use nom::combinator::{all_consuming, map, opt, value};
use nom::sequence::{delimited, pair, preceded, separated_pair, terminated};
use nom::{IResult, Parser};

use crate::syntax::SyntaxErrorKind;
use crate::text::tag::HashlineTag;

/// The maximum length of a register name in bytes.
const LONGEST_REGISTER: usize = 32;

/// The target of an operation, as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Locator<'a> {
    Lines(&'a [u8], &'a [u8]),
    Before(&'a [u8]),
    After(&'a [u8]),
    End,
    /// A construct that is named by its first line.
    Construct(&'a [u8]),
    /// The position after a construct.
    AfterConstruct(&'a [u8]),
}

/// The source of the lines of a `PUT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineSource<'a> {
    /// The rows below.
    Body,
    /// The lines in a register. The name is empty for the unnamed register.
    Register(&'a [u8]),
}

/// The first line of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OperationLine<'a> {
    Put(Locator<'a>, LineSource<'a>),
    Cut(Locator<'a>, &'a [u8]),
    Remove,
    Move(&'a [u8]),
}

/// Returns a line without its terminator and without blanks at its end.
pub(super) fn trim_end(line: &[u8]) -> &[u8] {
    let end = line
        .iter()
        .rposition(|byte| !b" \t\r\n".contains(byte))
        .map_or(0, |last| last + 1);
    &line[..end]
}

/// Parses the first line of an operation, without blanks at its end.
pub(super) fn parse_operation(line: &[u8]) -> Result<OperationLine<'_>, SyntaxErrorKind> {
    let word = line.split(|byte| *byte == b' ').next().unwrap_or_default();
    let (parsed, wanted) = match word {
        b"PUT" => (
            all_consuming(put).parse(line),
            "`PUT` with `N.=M:`, `N*:`, `<N:`, `>N:`, `>N*:` or `>$:`, or `@register` instead of `:`",
        ),
        b"CUT" => (
            all_consuming(cut).parse(line),
            "`CUT N.=M` or `CUT N*`, optionally followed by `@register`",
        ),
        b"REM" => (
            all_consuming(value(OperationLine::Remove, tag("REM"))).parse(line),
            "`REM` alone",
        ),
        b"MV" => (all_consuming(parse_move).parse(line), "`MV` and a path"),
        _ => {
            return Err(SyntaxErrorKind::Expected(
                "`PUT`, `CUT`, `REM`, `MV` or `[path#TAG]`",
            ));
        }
    };
    parsed
        .map(|(_, operation)| operation)
        .map_err(|_| SyntaxErrorKind::Expected(wanted))
}

fn put(line: &[u8]) -> IResult<&[u8], OperationLine<'_>> {
    let source = alt((
        value(LineSource::Body, tag(":")),
        map(register, LineSource::Register),
    ));
    let spans = (alt((lines, construct)), source);
    // Only at a position between lines may `PUT` omit the name of the register.
    let gap_source = alt((
        value(LineSource::Body, tag(":")),
        map(opt(register), |name| {
            LineSource::Register(name.unwrap_or(b""))
        }),
    ));
    let gaps = (gap, gap_source);
    let (rest, (locator, source)) = preceded(
        (tag("PUT"), spaces),
        alt((all_consuming(spans), all_consuming(gaps))),
    )
    .parse(line)?;
    Ok((rest, OperationLine::Put(locator, source)))
}

fn cut(line: &[u8]) -> IResult<&[u8], OperationLine<'_>> {
    let (rest, (locator, name)) = preceded(
        (tag("CUT"), spaces),
        pair(alt((lines, construct)), opt(register)),
    )
    .parse(line)?;
    Ok((rest, OperationLine::Cut(locator, name.unwrap_or(b""))))
}

fn parse_move(line: &[u8]) -> IResult<&[u8], OperationLine<'_>> {
    let (path, _) = (tag("MV"), spaces).parse(line)?;
    let inside = path
        .strip_prefix(b"\"")
        .and_then(|rest| rest.strip_suffix(b"\""))
        .filter(|inside| !inside.contains(&b'"'));
    let path = inside.unwrap_or(path);
    if path.is_empty() {
        return Err(nom::Err::Error(nom::error::Error::new(
            line,
            nom::error::ErrorKind::Verify,
        )));
    }
    Ok((&path[path.len()..], OperationLine::Move(path)))
}

fn lines(line: &[u8]) -> IResult<&[u8], Locator<'_>> {
    map(
        separated_pair(digit1, tag(".="), digit1),
        |(first, last)| Locator::Lines(first, last),
    )
    .parse(line)
}

fn construct(line: &[u8]) -> IResult<&[u8], Locator<'_>> {
    map(construct_start, Locator::Construct).parse(line)
}

/// Parses `N*`.
fn construct_start(line: &[u8]) -> IResult<&[u8], &[u8]> {
    terminated(digit1, tag("*")).parse(line)
}

fn gap(line: &[u8]) -> IResult<&[u8], Locator<'_>> {
    alt((
        value(Locator::End, tag(">$")),
        map(preceded(tag(">"), construct_start), Locator::AfterConstruct),
        map(preceded(tag("<"), digit1), Locator::Before),
        map(preceded(tag(">"), digit1), Locator::After),
    ))
    .parse(line)
}

fn spaces(line: &[u8]) -> IResult<&[u8], &[u8]> {
    take_while1(|byte| byte == b' ').parse(line)
}

/// Parses ` @name`.
fn register(line: &[u8]) -> IResult<&[u8], &[u8]> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    preceded(
        (spaces, tag("@")),
        take_while_m_n(1, LONGEST_REGISTER, is_letter),
    )
    .parse(line)
}

/// Parses a header without blanks at its end: the path and the tag.
pub(super) fn parse_header(line: &[u8]) -> Result<(&[u8], HashlineTag), SyntaxErrorKind> {
    const TAG: SyntaxErrorKind =
        SyntaxErrorKind::Expected("`[path#TAG]`, with a tag of four hex digits");
    let inside = line
        .strip_prefix(b"[")
        .and_then(|rest| rest.strip_suffix(b"]"))
        .ok_or(TAG)?;
    let at = memchr::memrchr(b'#', inside)
        .filter(|&at| at > 0)
        .ok_or(TAG)?;
    HashlineTag::parse(&inside[at + 1..])
        .map(|tag| (&inside[..at], tag))
        .ok_or(TAG)
}

/// Returns whether a line, without blanks at its end, resembles a header.
pub(super) fn is_header_like(line: &[u8]) -> bool {
    matches!(line, [b'[', _, .., b']'])
}

/// Returns whether a line, without blanks at its end, starts an operation.
pub(super) fn begins_operation(line: &[u8]) -> bool {
    line == b"REM"
        || [&b"PUT "[..], b"CUT ", b"MV "]
            .iter()
            .any(|word| line.starts_with(word))
}

/// Returns whether a line starts with a line number as viewers write it: `7:`.
pub(super) fn is_numbered(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && line.get(digits) == Some(&b':')
}

/// Returns the name of the older form of hashline that this line has, if any.
pub(super) fn detect_older_form(line: &[u8]) -> Option<&'static str> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric();
    let with_sign = |line| -> IResult<&[u8], &[u8]> {
        delimited(
            pair(digit1, tag("#")),
            take_while_m_n(2, 4, is_letter),
            tag(":"),
        )
        .parse(line)
    };
    let with_bar = |line| -> IResult<&[u8], &[u8]> {
        delimited(
            pair(digit1, opt(tag("+"))),
            take_while_m_n(2, 4, is_letter),
            tag("|"),
        )
        .parse(line)
    };
    if with_sign(line).is_ok() {
        Some("lines of an older hashline version, `LINE#HH:text`,")
    } else if with_bar(line).is_ok() {
        Some("lines of an older hashline version, `LINE+HASH|TEXT`,")
    } else {
        None
    }
}
