//! The lines of a batch on their way in and out: few are held at a time, however many there are.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::str::FromStr;
use std::sync::{Condvar, Mutex, PoisonError};

use crate::cli::line::{Line, next_line};
use crate::mutex::locked;

/// Longest line, in bytes.
pub(super) const MAX_LINE: usize = 64 << 20;

/// In which order answers are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// As jobs are finished.
    Finished,
    /// As jobs were read. At most so many are ahead of the one that is printed next.
    Read(usize),
}

/// Every job whose line, counted from 0, leaves `index - 1` when it is divided by `count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) struct Shard {
    index: usize,
    count: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text
            .split_once('/')
            .and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        let shard = parts.map(|(index, count)| Self { index, count });
        let is_right = |shard: &Self| 0 < shard.index && shard.index <= shard.count;
        shard
            .filter(is_right)
            .ok_or_else(|| "expected I/N with I from 1 to N, as in 2/8".to_owned())
    }
}

/// A line that is a job.
pub(super) struct Taken {
    /// Its place among those that were taken.
    pub(super) place: usize,
    /// Its place among all lines, counted from 0.
    pub(super) index: usize,
    /// What it says; `None` if it is too long.
    pub(super) text: Option<Vec<u8>>,
}

/// The lines, in and out.
pub(super) struct Queue {
    source: Mutex<Source>,
    sink: Mutex<Sink>,
    is_written: Condvar,
    shard: Shard,
    order: Order,
}

struct Source {
    input: Box<dyn BufRead + Send>,
    lines: usize,
    taken: usize,
}

struct Sink {
    out: Box<dyn Write + Send>,
    written: usize,
    waiting: BTreeMap<usize, Vec<u8>>,
    /// Whether it takes no more: the window never moves on then.
    is_broken: bool,
}

impl Queue {
    pub(super) fn new(
        input: Box<dyn BufRead + Send>,
        out: Box<dyn Write + Send>,
        shard: Option<Shard>,
        order: Order,
    ) -> Self {
        Self {
            source: Mutex::new(Source {
                input,
                lines: 0,
                taken: 0,
            }),
            sink: Mutex::new(Sink {
                out,
                written: 0,
                waiting: BTreeMap::new(),
                is_broken: false,
            }),
            is_written: Condvar::new(),
            shard: shard.unwrap_or(Shard { index: 1, count: 1 }),
            order,
        }
    }

    /// Returns the next job, unless `begins` says that none begins any more; `None` after the last
    /// one, and when the output is broken. Blank lines are passed over.
    ///
    /// # Errors
    ///
    /// Returns the error of the input.
    pub(super) fn take(&self, begins: impl Fn() -> bool) -> io::Result<Option<Taken>> {
        let mut source = locked(&self.source);
        if let Order::Read(window) = self.order {
            let mut sink = locked(&self.sink);
            while source.taken - sink.written >= window && !sink.is_broken {
                sink = self
                    .is_written
                    .wait(sink)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            if sink.is_broken {
                return Ok(None);
            }
        }
        let mut text = Vec::new();
        loop {
            let line = next_line(&mut source.input, &mut text, MAX_LINE)?;
            if line == Line::End {
                return Ok(None);
            }
            let index = source.lines;
            source.lines += 1;
            let is_blank = line == Line::Whole && text.trim_ascii().is_empty();
            if is_blank || index % self.shard.count != self.shard.index - 1 {
                continue;
            }
            // Asked in the order of the lines, so that no answer waits for one that never comes.
            if !begins() {
                return Ok(None);
            }
            let place = source.taken;
            source.taken += 1;
            return Ok(Some(Taken {
                place,
                index,
                text: (line == Line::Whole).then_some(text),
            }));
        }
    }

    /// Prints the answer to the job at `place`, or keeps it until those before it are printed.
    ///
    /// # Errors
    ///
    /// Returns the error of the output.
    pub(super) fn put(&self, place: usize, line: Vec<u8>) -> io::Result<()> {
        let mut sink = locked(&self.sink);
        let put = if self.order == Order::Finished {
            sink.print(&line)
        } else {
            sink.print_in_turn(place, line)
        };
        sink.is_broken |= put.is_err();
        self.is_written.notify_all();
        put
    }
}

impl Sink {
    fn print(&mut self, line: &[u8]) -> io::Result<()> {
        self.out.write_all(line)?;
        self.out.flush()
    }

    fn print_in_turn(&mut self, place: usize, line: Vec<u8>) -> io::Result<()> {
        self.waiting.insert(place, line);
        while let Some(line) = self.waiting.remove(&self.written) {
            self.print(&line)?;
            self.written += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(input: &'static str, shard: &str) -> Vec<(usize, usize)> {
        let shard = Some(shard.parse().unwrap());
        let queue = Queue::new(
            Box::new(input.as_bytes()),
            Box::new(io::sink()),
            shard,
            Order::Finished,
        );
        std::iter::from_fn(|| queue.take(|| true).unwrap())
            .map(|job| (job.place, job.index))
            .collect()
    }

    #[test]
    fn shards_are_by_the_number_of_the_line() {
        assert_eq!(
            taken("a\n\nb\nc\nd", "1/1"),
            [(0, 0), (1, 2), (2, 3), (3, 4)]
        );
        assert_eq!(taken("a\n\nb\nc\nd", "1/2"), [(0, 0), (1, 2), (2, 4)]);
        assert_eq!(taken("a\n\nb\nc\nd", "2/2"), [(0, 3)]);
        for wrong in ["", "1", "0/1", "2/1", "1/0", "a/b", "-1/2"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn no_more_jobs_are_taken_than_the_window_holds() {
        let queue = Queue::new(
            Box::new(&b"a\nb\nc\n"[..]),
            Box::new(io::sink()),
            None,
            Order::Read(2),
        );
        let [first, second] = [(); 2].map(|()| queue.take(|| true).unwrap().unwrap());
        queue.put(second.place, b"2\n".to_vec()).unwrap();
        assert_eq!(locked(&queue.sink).waiting.len(), 1);
        std::thread::scope(|scope| {
            let third = scope.spawn(|| queue.take(|| true).unwrap().unwrap().index);
            queue.put(first.place, b"1\n".to_vec()).unwrap();
            assert_eq!(third.join().unwrap(), 2);
        });
        let sink = locked(&queue.sink);
        assert_eq!((sink.waiting.len(), sink.written), (0, 2));
    }

    #[test]
    fn nobody_waits_for_an_output_that_is_broken() {
        struct Broken;
        impl Write for Broken {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let queue = Queue::new(
            Box::new(&b"a\nb\n"[..]),
            Box::new(Broken),
            None,
            Order::Read(1),
        );
        let first = queue.take(|| true).unwrap().unwrap();
        assert!(queue.put(first.place, b"1\n".to_vec()).is_err());
        assert!(queue.take(|| true).unwrap().is_none());
    }
}
