//! Formats points in time.

/// The number of seconds in a day.
const SECONDS_PER_DAY: u64 = 24 * 60 * 60;
/// The number of days from 0000-03-01 to 1970-01-01.
const EPOCH_DAYS: u64 = 719_468;
/// The number of days in 400 years, after which the calendar repeats.
const DAYS_PER_ERA: u64 = 146_097;

/// The last second of the year 9999, the last one that RFC 3339 can represent.
const MAX_SECONDS: u64 = 253_402_300_799;

/// Formats the time `seconds` after the start of 1970 as in RFC 3339. A time after the year 9999
/// becomes its end.
///
/// The calculation uses years that start in March, so a leap day is the last day of a year.
#[must_use]
pub fn format_rfc3339(seconds: u64) -> String {
    let seconds = seconds.min(MAX_SECONDS);
    let (days, time) = (
        seconds / SECONDS_PER_DAY + EPOCH_DAYS,
        seconds % SECONDS_PER_DAY,
    );
    let (era, day) = (days / DAYS_PER_ERA, days % DAYS_PER_ERA);
    // Without the leap days before `day`, every year has 365 days.
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // `(153 * month + 2) / 5` is the number of days before `month`, where 0 is March. This line is
    // the inverse.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, is_next_year) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    let year = era * 400 + year + is_next_year;
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        time / 3600,
        time / 60 % 60,
        time % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leap_days_exist_where_the_calendar_has_them() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (68_169_599, "1972-02-28T23:59:59Z"),
            (68_169_600, "1972-02-29T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(format_rfc3339(seconds), text);
        }
    }
}
