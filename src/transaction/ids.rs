//! The IDs of transactions.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use xxhash_rust::xxh3::xxh3_64;

use crate::workspace::Timestamp;

/// Returns the time in `id`, in seconds since 1970; 0 for a name that is not an ID.
pub(super) fn id_seconds(id: &str) -> u64 {
    let seconds = id
        .get(..10)
        .and_then(|hex| u64::from_str_radix(hex, 16).ok());
    seconds.unwrap_or_default()
}

/// Returns an ID for a transaction that starts at `now`. IDs are unique and sort by time. An ID
/// sorts after `last`, even if the clock did not advance or went back.
///
/// An ID consists of hex digits: 10 for the seconds, 8 for the nanoseconds, `-`, and 8 random ones.
pub(super) fn new_id(now: Timestamp, last: Option<&str>) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let hex = |text: Option<&str>| text.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    let time = |id: &str| Some((hex(id.get(..10))?, hex(id.get(10..18))?));
    let now = (
        u64::try_from(now.seconds).unwrap_or_default(),
        u64::from(now.nanoseconds),
    );
    let (seconds, nanoseconds) = match last.and_then(time) {
        Some(last) if last >= now => (last.0, last.1 + 1),
        _ => now,
    };
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    // The random part distinguishes processes that start at the same time.
    let seed = format!(
        "{} {count} {:p} {:?}",
        std::process::id(),
        &raw const COUNT,
        SystemTime::now()
    );
    let random = xxh3_64(seed.as_bytes()) >> 32;
    format!("{seconds:010x}{nanoseconds:08x}-{random:08x}")
}
