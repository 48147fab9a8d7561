//! The last bytes of a long output.

use std::io::{self, Read};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::wait;
use crate::mutex::lock_unpoisoned;

/// Keeps the last bytes of the added data.
#[derive(Debug)]
pub(super) struct TailBuffer {
    limit: usize,
    bytes: Vec<u8>,
    is_cut: bool,
}

impl TailBuffer {
    /// Returns a tail of at most `most` bytes.
    pub(super) fn of(most: usize) -> Self {
        Self {
            limit: most,
            bytes: Vec::new(),
            is_cut: false,
        }
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        // Cutting only at twice the limit moves each byte at most once on average.
        if self.bytes.len() > 2 * self.limit {
            self.truncate();
        }
    }

    /// Returns the last bytes, and whether earlier bytes were dropped.
    #[allow(dead_code, reason = "unused on systems without a backend")]
    pub(super) fn finish(mut self) -> (Vec<u8>, bool) {
        self.truncate();
        (self.bytes, self.is_cut)
    }

    fn truncate(&mut self) {
        let over = self.bytes.len().saturating_sub(self.limit);
        self.is_cut |= over > 0;
        self.bytes.drain(..over);
    }
}

/// The standard error of a process.
///
/// A thread reads it to the end, so that a full pipe never blocks the process.
#[derive(Debug)]
pub(crate) struct StderrReader {
    kept: Arc<Mutex<TailBuffer>>,
    reader: JoinHandle<()>,
}

/// The maximum number of bytes of standard error that are kept.
const MAX_STDERR: usize = 4 << 10;

impl StderrReader {
    /// Starts the thread that reads `errors`.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if the thread cannot be started.
    pub(crate) fn of(mut errors: impl Read + Send + 'static) -> io::Result<Self> {
        let kept = Arc::new(Mutex::new(TailBuffer::of(MAX_STDERR)));
        let tail = Arc::clone(&kept);
        let listen = move || {
            let mut buffer = [0; MAX_STDERR];
            loop {
                match errors.read(&mut buffer) {
                    Ok(read @ 1..) => lock_unpoisoned(&tail).add(&buffer[..read]),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Ok(0) | Err(_) => return,
                }
            }
        };
        let listener = thread::Builder::new()
            .name("complaints".to_owned())
            .spawn(listen)?;
        Ok(Self {
            kept,
            reader: listener,
        })
    }

    /// Returns the line that states the reason of a failure. Waits until the end of standard error,
    /// but not longer than `until`.
    ///
    /// The reason is the last line that starts with `fatal:`, else the first line that starts with
    /// `error:`, else the last line that is not blank. If a line with a git command follows, it is
    /// added. Git prints one for a repository of another owner.
    pub(crate) fn reason(&self, until: Instant) -> Option<String> {
        let patience = until.saturating_duration_since(Instant::now());
        if patience > Duration::ZERO {
            wait(patience, || self.reader.is_finished());
        }
        let kept = lock_unpoisoned(&self.kept);
        find_reason(&String::from_utf8_lossy(&kept.bytes))
    }
}

fn find_reason(text: &str) -> Option<String> {
    let lines: Vec<_> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let fatal = lines.iter().rposition(|line| line.starts_with("fatal:"));
    let place = fatal.or_else(|| lines.iter().position(|line| line.starts_with("error:")));
    let place = place.or(lines.len().checked_sub(1))?;
    let command = lines[place + 1..]
        .iter()
        .find(|line| line.starts_with("git "));
    Some(command.map_or_else(
        || lines[place].to_owned(),
        |command| format!("{}; run `{command}`", lines[place]),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: usize = 16 << 10;

    #[test]
    fn the_last_bytes_are_kept() {
        let whole: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        for (size, length) in [
            (1, 10),
            (7, MAX),
            (7, MAX + 1),
            (4096, whole.len()),
            (65536, whole.len()),
        ] {
            let mut tail = TailBuffer::of(MAX);
            whole[..length]
                .chunks(size)
                .for_each(|chunk| tail.add(chunk));
            let start = length.saturating_sub(MAX);
            assert_eq!(
                tail.finish(),
                (whole[start..length].to_vec(), start > 0),
                "{size} {length}"
            );
        }
    }

    #[test]
    fn the_line_that_states_the_reason_is_returned() {
        let last = |said: &'static str| {
            StderrReader::of(said.as_bytes())
                .unwrap()
                .reason(Instant::now() + MINUTE)
        };
        assert_eq!(
            last("hint: a\nerror: one\nerror: two\nhint: b\n").as_deref(),
            Some("error: one")
        );
        assert_eq!(
            last("error: one\nfatal: two\nusage: c\n\n").as_deref(),
            Some("fatal: two")
        );
        let owner = "fatal: detected dubious ownership\nTo add an exception, call:\n\n\tgit config --add a b\n";
        let expected = "fatal: detected dubious ownership; run `git config --add a b`";
        assert_eq!(last(owner).as_deref(), Some(expected));
        assert_eq!(last("one\n two \n\n  \n").as_deref(), Some("two"));
        assert_eq!(last(" \n"), None);
    }

    /// A reader that fails with `Interrupted` before each byte.
    struct InterruptedReader<'a>(&'a [u8], bool);

    impl Read for InterruptedReader<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            self.0.read(&mut buffer[..1])
        }
    }

    #[test]
    fn a_signal_does_not_end_the_listening() {
        let complaints = StderrReader::of(InterruptedReader(b"one\ntwo\n", false)).unwrap();
        assert_eq!(
            complaints.reason(Instant::now() + MINUTE).as_deref(),
            Some("two")
        );
    }

    const MINUTE: Duration = Duration::from_secs(60);
}
