//! What strace does to the calls of a program, and what it writes about them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What strace does to one call of a run.
#[derive(Clone, Debug)]
pub(crate) struct Injection {
    /// The system call.
    pub(crate) call: &'static str,
    /// What happens instead of it or with it, such as `error=EIO`.
    pub(crate) fault: &'static str,
    /// Which of the calls, counted from 1; with a `+`, that one and all later ones.
    pub(crate) when: String,
}

/// What came of one run with a fault.
pub(crate) struct Ending {
    /// Whether the fault happened.
    pub(crate) was_met: bool,
    /// What is wrong with it.
    pub(crate) problem: Option<String>,
}

/// The file that strace writes to.
#[derive(Clone, Debug)]
pub(crate) struct Log(pub(crate) PathBuf);

impl Log {
    pub(crate) fn at(directory: &Path) -> Self {
        Self(directory.join("log"))
    }

    /// Returns the arguments of strace that have it write down these calls. With `--seccomp-bpf` it
    /// would forget the signals of faults.
    pub(crate) fn tracing(&self, calls: &[&str]) -> Vec<String> {
        let file = self.0.display().to_string();
        [
            "-f",
            "-qq",
            "-o",
            &file,
            "-e",
            &format!("trace=?{}", calls.join(",?")),
        ]
        .map(str::to_owned)
        .to_vec()
    }

    /// Returns the arguments of strace for a fault.
    pub(crate) fn injecting(&self, Injection { call, fault, when }: &Injection) -> Vec<String> {
        let mut words = self.tracing(&[call]);
        words.extend([
            "-e".to_owned(),
            format!("inject={call}:{fault}:when={when}"),
        ]);
        words
    }

    pub(crate) fn text(&self) -> String {
        fs_err::read_to_string(&self.0).unwrap_or_default()
    }

    /// Returns whether a fault happened.
    pub(crate) fn has_fault(&self) -> bool {
        let text = self.text();
        ["(INJECTED)", "SIGKILL", "SIGTERM"]
            .iter()
            .any(|sign| text.contains(sign))
    }

    /// Returns how often one thread made each of the calls, of those that were made.
    pub(crate) fn counts(&self, calls: &[&'static str]) -> BTreeMap<&'static str, usize> {
        let text = self.text();
        let count = |call: &str| {
            let mut threads: BTreeMap<&str, usize> = BTreeMap::new();
            for line in text
                .lines()
                .filter(|line| line.contains(&format!(" {call}(")))
            {
                *threads
                    .entry(line.split(' ').next().unwrap_or_default())
                    .or_default() += 1;
            }
            threads.into_values().max().unwrap_or_default()
        };
        calls
            .iter()
            .map(|call| (*call, count(call)))
            .filter(|(_, count)| *count > 0)
            .collect()
    }
}
