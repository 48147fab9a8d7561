//! The input and output lines of a batch. Only a few lines are in memory at a time.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::str::FromStr;
use std::sync::{Condvar, Mutex, PoisonError};

use crate::cli::line_reader::{LineRead, read_line};
use crate::mutex::lock_unpoisoned;

/// The limit on the length of a line, in bytes.
pub(super) const MAX_LINE: usize = 64 << 20;

/// The order of the printed results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputOrder {
    /// The order in which jobs finish.
    Finished,
    /// The order of the input. The number is the limit on jobs that can be taken before the next
    /// result is printed.
    Input(usize),
}

/// A part of a batch: the jobs for which the number of the line, counted from 0, leaves the
/// remainder `index - 1` when divided by `count`.
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

/// A line with a job.
pub(super) struct JobLine {
    /// The number of the job among the taken jobs, counted from 0.
    pub(super) position: usize,
    /// The number of the line among all lines, counted from 0.
    pub(super) index: usize,
    /// The text of the job; `None` if the line is too long.
    pub(super) text: Option<Vec<u8>>,
}

/// The input and output of a batch. Several threads share it.
pub(super) struct Queue {
    source: Mutex<JobInput>,
    sink: Mutex<JobOutput>,
    is_written: Condvar,
    shard: Shard,
    order: OutputOrder,
}

struct JobInput {
    input: Box<dyn BufRead + Send>,
    lines: usize,
    taken: usize,
}

struct JobOutput {
    out: Box<dyn Write + Send>,
    written: usize,
    waiting: BTreeMap<usize, Vec<u8>>,
    /// Whether a write failed. Then `written` does not increase any more.
    is_broken: bool,
}

impl Queue {
    pub(super) fn new(
        input: Box<dyn BufRead + Send>,
        out: Box<dyn Write + Send>,
        shard: Option<Shard>,
        order: OutputOrder,
    ) -> Self {
        Self {
            source: Mutex::new(JobInput {
                input,
                lines: 0,
                taken: 0,
            }),
            sink: Mutex::new(JobOutput {
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

    /// Returns the next job. Returns `None` after the last job, if `begins` returns false, and
    /// after an output error. Blank lines are skipped.
    ///
    /// # Errors
    ///
    /// Returns the I/O error of the input.
    pub(super) fn take(&self, may_start: impl Fn() -> bool) -> io::Result<Option<JobLine>> {
        let mut source = lock_unpoisoned(&self.source);
        if let OutputOrder::Input(window) = self.order {
            let mut sink = lock_unpoisoned(&self.sink);
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
            let line = read_line(&mut source.input, &mut text, MAX_LINE)?;
            if line == LineRead::End {
                return Ok(None);
            }
            let index = source.lines;
            source.lines += 1;
            let is_blank = line == LineRead::Whole && text.trim_ascii().is_empty();
            if is_blank || index % self.shard.count != self.shard.index - 1 {
                continue;
            }
            // `begins` runs in line order under the lock. Otherwise a result could wait for an
            // earlier job that never starts.
            if !may_start() {
                return Ok(None);
            }
            let place = source.taken;
            source.taken += 1;
            return Ok(Some(JobLine {
                position: place,
                index,
                text: (line == LineRead::Whole).then_some(text),
            }));
        }
    }

    /// Prints the result of job `place`. In input order, stores it until all earlier results are
    /// printed.
    ///
    /// # Errors
    ///
    /// Returns the I/O error of the output.
    pub(super) fn print_result(&self, place: usize, line: Vec<u8>) -> io::Result<()> {
        let mut sink = lock_unpoisoned(&self.sink);
        let put = if self.order == OutputOrder::Finished {
            sink.print(&line)
        } else {
            sink.print_in_turn(place, line)
        };
        sink.is_broken |= put.is_err();
        self.is_written.notify_all();
        put
    }
}

impl JobOutput {
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
            OutputOrder::Finished,
        );
        std::iter::from_fn(|| queue.take(|| true).unwrap())
            .map(|job| (job.position, job.index))
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
            OutputOrder::Input(2),
        );
        let [first, second] = [(); 2].map(|()| queue.take(|| true).unwrap().unwrap());
        queue
            .print_result(second.position, b"2\n".to_vec())
            .unwrap();
        assert_eq!(lock_unpoisoned(&queue.sink).waiting.len(), 1);
        std::thread::scope(|scope| {
            let third = scope.spawn(|| queue.take(|| true).unwrap().unwrap().index);
            queue.print_result(first.position, b"1\n".to_vec()).unwrap();
            assert_eq!(third.join().unwrap(), 2);
        });
        let sink = lock_unpoisoned(&queue.sink);
        assert_eq!((sink.waiting.len(), sink.written), (0, 2));
    }

    #[test]
    fn nobody_waits_for_an_output_that_is_broken() {
        struct FailingWriter;
        impl Write for FailingWriter {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let queue = Queue::new(
            Box::new(&b"a\nb\n"[..]),
            Box::new(FailingWriter),
            None,
            OutputOrder::Input(1),
        );
        let first = queue.take(|| true).unwrap().unwrap();
        assert!(queue.print_result(first.position, b"1\n".to_vec()).is_err());
        assert!(queue.take(|| true).unwrap().is_none());
    }
}
