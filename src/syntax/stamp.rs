//! Time stamps after file names, as `diff` writes them.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while_m_n};
use nom::character::complete::{char, digit1, one_of, space1};
use nom::combinator::{all_consuming, opt, value};
use nom::sequence::{preceded, terminated};
use nom::{IResult, Parser};

/// The maximum number of bytes in a time stamp with weekday, fraction and zone.
const LONGEST: usize = 48;
/// The range of times that GNU patch reads as the epoch, in minutes, without the first moment.
const EARLIEST: i32 = -25 * 60;
const LATEST: i32 = 26 * 60;

/// Returns the length of the name at the start of `line`. A time stamp can follow the name.
///
/// The rule is git's: a complete time stamp at the end of the line ends the name, so the name can
/// contain blanks and tabs. Without a time stamp the first tab ends the name. GNU patch ends the
/// name at the first blank.
pub(super) fn name_length(line: &[u8]) -> usize {
    // A time stamp has at most `LONGEST` bytes, so only the end of a long line is searched.
    let from = line.len().saturating_sub(LONGEST);
    let is_stamp = |at: usize| {
        matches!(line[at], b' ' | b'\t') && is_time_stamp(line[at..].trim_ascii_start())
    };
    let stamp = (from..line.len())
        .find(|&at| is_stamp(at))
        .map(|stamp| line[..stamp].trim_ascii_end().len());
    stamp
        .or_else(|| memchr::memchr(b'\t', line))
        .unwrap_or(line.len())
}

/// Returns whether GNU patch reads `stamp` as the time stamp of a missing file.
///
/// This is the start of the epoch in an unknown zone, as `diff -N` writes it, or the text that
/// Subversion writes. A time without a zone is UTC.
pub(super) fn is_missing(stamp: &[u8]) -> bool {
    let moment = alt((parse_iso, all_consuming(parse_ctime))).parse(stamp.trim_ascii());
    is_nonexistent(stamp) || moment.is_ok_and(|(_, moment)| moment.may_be_epoch())
}

/// Returns whether git reads `stamp`, the text after a name, as the time stamp of a missing file.
/// git requires a tab, and a zone in digits.
pub(super) fn is_missing_for_git(stamp: &[u8]) -> bool {
    let after_tab = memchr::memrchr(b'\t', stamp).map(|tab| &stamp[tab + 1..]);
    let has_zone = |stamp: &[u8]| {
        let zone = memchr::memrchr(b' ', stamp).map(|blank| &stamp[blank + 1..]);
        stamp.get(10) == Some(&b' ') && zone.is_some_and(|zone| matches!(zone, [b'+' | b'-', ..]))
    };
    let is_epoch =
        |stamp: &[u8]| parse_iso(stamp.trim_ascii()).is_ok_and(|(_, moment)| moment.is_epoch());
    is_nonexistent(stamp) || after_tab.is_some_and(|stamp| has_zone(stamp) && is_epoch(stamp))
}

/// Returns whether `stamp` is the text that Subversion writes for a missing file.
pub(super) fn is_nonexistent(stamp: &[u8]) -> bool {
    matches!(stamp.trim_ascii(), b"(nonexistent)" | b"(revision 0)")
}

fn is_time_stamp(stamp: &[u8]) -> bool {
    all_consuming(alt((value((), parse_iso), value((), parse_ctime))))
        .parse(stamp)
        .is_ok()
}

/// A point in time, as precise as needed to recognise the epoch.
#[derive(Clone, Copy)]
struct TimeStamp {
    /// Days since 1970-01-01, or `None` outside December 1969 and January 1970.
    day: Option<i32>,
    hour: i32,
    minute: i32,
    has_seconds: bool,
    /// Minutes east of Greenwich.
    zone: i32,
}

impl TimeStamp {
    fn is_epoch(self) -> bool {
        !self.has_seconds && self.minutes() == Some(0)
    }

    /// Returns whether the time can be the epoch in a zone that POSIX allows (`fetchname` in GNU
    /// patch's `pch.c`).
    fn may_be_epoch(self) -> bool {
        let is_in_range = |minutes| {
            (EARLIEST..LATEST).contains(&minutes) && (minutes > EARLIEST || self.has_seconds)
        };
        self.minutes().is_some_and(is_in_range)
    }

    /// Returns the whole minutes since the epoch.
    fn minutes(self) -> Option<i32> {
        self.day
            .map(|day| (day * 24 + self.hour) * 60 + self.minute - self.zone)
    }
}

/// Returns the days since 1970-01-01, or `None` outside December 1969 and January 1970.
fn days(year: i32, month: i32, day: i32) -> Option<i32> {
    match (year, month) {
        (1970, 1) => Some(day - 1),
        (1969, 12) => Some(day - 32),
        _ => None,
    }
}

/// Parses `2010-07-05 19:41:17.620000023 -0500`. The fraction and the zone are optional. A `T` can
/// separate date and time.
fn parse_iso(input: &[u8]) -> IResult<&[u8], TimeStamp> {
    let (rest, year) = digits(4, 4)(input)?;
    let (rest, month) = preceded(char('-'), digits(2, 2)).parse(rest)?;
    let (rest, day) = preceded(char('-'), digits(2, 2)).parse(rest)?;
    let (rest, (hour, minute, second)) = preceded(one_of(" T"), clock).parse(rest)?;
    let (rest, zone) = opt(preceded(opt(char(' ')), zone)).parse(rest)?;
    Ok((
        rest,
        TimeStamp {
            day: days(year, month, day),
            hour,
            minute,
            has_seconds: second,
            zone: zone.unwrap_or(0),
        },
    ))
}

/// Parses `Mon Jul  5 19:41:17 2010`, as `ctime(3)` writes it. A zone can precede the year; the
/// name of a zone has no effect.
fn parse_ctime(input: &[u8]) -> IResult<&[u8], TimeStamp> {
    let name = |most| take_while_m_n(3, most, |byte: u8| byte.is_ascii_alphabetic());
    let (rest, (_, _, month, _, day, _)) =
        (name(3), space1, name(3), space1, digits(1, 2), space1).parse(input)?;
    let (rest, (hour, minute, has_seconds)) = clock(rest)?;
    let (rest, zone) = opt(preceded(space1, alt((zone, value(0, name(5)))))).parse(rest)?;
    let (rest, year) = preceded(space1, digits(4, 4)).parse(rest)?;
    // Only these two months can contain the epoch in some zone.
    let month = match month {
        b"Jan" => 1,
        b"Dec" => 12,
        _ => 0,
    };
    Ok((
        rest,
        TimeStamp {
            day: days(year, month, day),
            hour,
            minute,
            has_seconds,
            zone: zone.unwrap_or(0),
        },
    ))
}

/// Parses a time of day. Returns the hour, the minute, and whether the seconds are not zero.
fn clock(input: &[u8]) -> IResult<&[u8], (i32, i32, bool)> {
    let (rest, hour) = terminated(digits(1, 2), char(':')).parse(input)?;
    let (rest, minute) = digits(2, 2)(rest)?;
    let (rest, second) = opt(preceded(char(':'), digits(2, 2))).parse(rest)?;
    let (rest, fraction) = opt(preceded(one_of(".,"), digit1)).parse(rest)?;
    let is_zero = second.unwrap_or(0) == 0
        && fraction
            .unwrap_or_default()
            .iter()
            .all(|&digit| digit == b'0');
    Ok((rest, (hour, minute, !is_zero)))
}

/// Parses `Z`, `-0500` or `-05:00`. Returns minutes east of Greenwich.
fn zone(input: &[u8]) -> IResult<&[u8], i32> {
    let offset = (one_of("+-"), digits(2, 2), opt(char(':')), digits(2, 2));
    let minutes = offset
        .map(|(sign, hours, _, minutes)| (hours * 60 + minutes) * if sign == '-' { -1 } else { 1 });
    alt((minutes, value(0, tag("Z")))).parse(input)
}

fn digits(least: usize, most: usize) -> impl Fn(&[u8]) -> IResult<&[u8], i32> {
    move |input| {
        let digits = take_while_m_n(least, most, |byte: u8| byte.is_ascii_digit());
        digits
            .map(|digits: &[u8]| {
                digits
                    .iter()
                    .fold(0, |value, digit| value * 10 + i32::from(digit - b'0'))
            })
            .parse(input)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_before_its_time_stamp() {
        let lines: [(&str, &str); 11] = [
            ("a\tb.c\t2010-07-05 19:41:17.620000023 -0500", "a\tb.c"),
            ("a\tb.c\t(revision 7)", "a"),
            ("a b.c\t2010-07-05 19:41:17", "a b.c"),
            ("a b.c 2010-07-05 19:41:17.620000023 -0500", "a b.c"),
            ("a b.c 2010-07-05 19:41:17 +05:30", "a b.c"),
            ("a b.c  2010-07-05 19:41:17", "a b.c"),
            ("a b.c Mon Jul  5 19:41:17 2010", "a b.c"),
            ("a b.c Mon Jul  5 19:41:17 CEST 2010", "a b.c"),
            ("a b.c 2010-07-05T19:41:17Z", "a b.c"),
            (
                "News/Core and Builtins/x 2010",
                "News/Core and Builtins/x 2010",
            ),
            ("a b", "a b"),
        ];
        for (line, name) in lines {
            assert_eq!(&line[..name_length(line.as_bytes())], name);
        }
    }

    #[test]
    fn the_epoch_means_no_file_in_every_zone() {
        for stamp in [
            "1970-01-01 00:00:00.000000000 +0000",
            "1969-12-31 19:00:00.000000000 -0500",
            "1970-01-01 05:30:00 +05:30",
            "1970-01-01 00:00:00",
            "1970-01-01 14:00:00",
            "1970-01-02 01:59:59 +0000",
            "1969-12-30 23:00:01 +0000",
            "1969-12-30 13:00:01 -1000",
            "Thu Jan  1 00:00:00 1970",
            "Thu Jan  1 05:30:00 +05:30 1970",
            "Wed Dec 31 19:00:00 EST 1969",
            "(nonexistent)",
            "(revision 0)",
        ] {
            assert!(is_missing(stamp.as_bytes()), "{stamp}");
        }
        for stamp in [
            "\t1970-01-01 00:00:00.000 +0000",
            "\t1969-12-31 19:00:00 -05:00",
            "\t(nonexistent)",
        ] {
            assert!(is_missing_for_git(stamp.as_bytes()), "{stamp}");
        }
        for stamp in [
            "\t1970-01-01 00:00:00",
            " 1970-01-01 00:00:00 +0000",
            "\t1970-01-01T00:00:00Z",
            "\t1970-01-01T00:00:00 +0000",
            "\t1970-01-01 00:00:00 UTC",
        ] {
            assert!(!is_missing_for_git(stamp.as_bytes()), "{stamp}");
        }
        for stamp in [
            "\t1970-01-01 00:00:01 +0000",
            "\t1970-01-01 01:00:00 +0000",
            "\tThu Jan  1 00:00:00 1970 +0000",
        ] {
            assert!(!is_missing_for_git(stamp.as_bytes()), "{stamp}");
        }
        for stamp in [
            "1970-01-02 02:00:00 +0000",
            "1969-12-30 23:00:00 +0000",
            "2010-01-01 00:00:00 +0000",
            "Sat Jan  3 00:00:00 1970",
            "Thu Jan  1 00:00:00 1970 +0000",
            "Thu Jan  1 00:00:00 1971",
            "Sun Feb  1 00:00:00 1970",
            "",
        ] {
            assert!(!is_missing(stamp.as_bytes()), "{stamp}");
        }
    }
}
