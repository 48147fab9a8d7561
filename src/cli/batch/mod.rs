//! `check --batch`: many checks in one process. Each input line is a JSON job, each output line a
//! JSON report. Threads take lines from `queue`, parse them with `job`, and check them. Read
//! [`Batch::run_jobs`] first.
//!
//! Invariants: only the lines in progress are in memory. A failure or a panic in one job does not
//! stop the others. Each job that starts has a printed report, even after a signal.

mod job;
mod panic;
mod queue;

use std::io::{self, BufRead, BufReader, IsTerminal};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{mem, thread};

use rayon::ThreadPoolBuilder;

use super::args::{BatchOptions, CheckOptions, Global, TreeOptions};
use super::early_exit::system_message;
use super::policy::PolicyFiles;
use super::root::{argument_paths, open_error, resolve_links};
use super::{CommandMode, EarlyExit, arguments, input, output, request, signals, tree, watcher};
use crate::engine::options::{Interrupt, Phase, Progress};
use crate::engine::{self, Git, Repository, Request, SuggestionMode};
use crate::mutex::lock_unpoisoned;
use crate::report::{BATCH_SCHEMA, BatchLine, Report, make_deterministic, print_json};

use job::{Job, usage_error};
use panic::catch_panic;
use queue::{JobLine, OutputOrder, Queue};

pub(super) use queue::Shard;

/// The limit on the number of open repositories.
const MAX_REPOSITORIES: usize = 8;
/// The interval at which the main thread checks for signals and finished threads.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// The number of jobs per thread that can be taken before the next result is printed, in input
/// order.
const JOBS_AHEAD: usize = 4;
/// The maximum number of threads.
const MAX_THREADS: usize = 1024;
/// The exit code after a closed pipe: 128 + SIGPIPE, as a shell reports it.
const CLOSED_PIPE: u8 = 141;

/// Runs the jobs in a file or on standard input.
pub(super) fn run(check: CheckOptions, global: Global) -> ExitCode {
    let kept = global.clone();
    let work = |progress| {
        let (batch, threads) = Batch::prepare(check, global, progress)?;
        run_workers(&batch, threads);
        Ok(batch)
    };
    // The progress line would be mixed with the reports on a terminal.
    let done: Result<_, EarlyExit> = if io::stdout().is_terminal() {
        work(Progress::default())
    } else {
        watcher::show_progress(&kept, work)
    };
    match done {
        Ok(batch) => batch.print_end(),
        Err(stop) => {
            output::print_to_stderr(&stop.to_line());
            ExitCode::from(stop.into_outcome("check").report.exit_code)
        }
    }
}

/// Runs the jobs on `threads` threads until the input ends or a signal arrives.
fn run_workers(batch: &Arc<Batch>, threads: usize) {
    let main = thread::current();
    let worker = |_| {
        let (batch, main) = (Arc::clone(batch), main.clone());
        let work = move || {
            batch.run_jobs();
            main.unpark();
        };
        thread::Builder::new().spawn(work).ok()
    };
    let workers: Vec<_> = (0..threads).map_while(worker).collect();
    if workers.is_empty() {
        // No thread could be started, so run the jobs here. Signals are checked between jobs.
        return batch.run_jobs();
    }
    // A thread can block on input that never comes. After a signal, the batch therefore ends as
    // soon as no job is in progress, without joining the threads.
    let is_over = || batch.is_interrupted() && batch.running.load(Ordering::SeqCst) == 0;
    while !workers.iter().all(thread::JoinHandle::is_finished) && !is_over() {
        thread::park_timeout(POLL_INTERVAL);
    }
}

/// A batch in progress.
struct Batch {
    queue: Queue,
    /// The request with the options of the command line.
    template: Request,
    max_patch: u64,
    /// The policy of the user, for every root.
    policy: PolicyFiles,
    tree: TreeOptions,
    global: Global,
    is_deterministic: bool,
    progress: Progress,
    /// The paths from the command line that messages of problems can contain.
    path_names: Vec<String>,
    /// The open repositories by directory, most recently used first.
    repositories: Mutex<Vec<(Option<PathBuf>, Repository)>>,
    interrupt: Interrupt,
    /// The number of jobs in progress.
    running: AtomicUsize,
    completed: AtomicUsize,
    has_failed: AtomicBool,
    /// Whether no further job may start, because of an error outside the jobs.
    is_stopped: AtomicBool,
    /// The exit code and the message of the error that stopped the batch.
    failure: Mutex<Option<(u8, String)>>,
}

impl Batch {
    fn prepare(
        check: CheckOptions,
        global: Global,
        progress: Progress,
    ) -> Result<(Arc<Self>, usize), EarlyExit> {
        let CheckOptions {
            mut patch,
            tree,
            batch: BatchOptions { jobs, shard, .. },
            ..
        } = check;
        if let Some(format) = &global.output {
            return Err(EarlyExit::usage(&format!(
                "a batch prints only JSON Lines, not {format}"
            )));
        }
        let threads = jobs
            .or_else(|| thread::available_parallelism().ok())
            .map_or(1, NonZero::get)
            .min(MAX_THREADS);
        if input::first_phase(&patch.basic.patches, &global.caller) == Phase::Reading {
            progress.enter(Phase::RunningJobs, 0);
        }
        let input = open_jobs(&mem::take(&mut patch.basic.patches), &global)?;
        let order = if patch.look.deterministic {
            OutputOrder::Input(JOBS_AHEAD * threads)
        } else {
            OutputOrder::Finished
        };
        let queue = Queue::new(input, Box::new(io::stdout()), shard, order);
        let max_patch = patch.max_patch.unwrap_or(request::MAX_PATCH);
        let is_deterministic = patch.look.deterministic;
        // No job has a command line of its own.
        let mut usual = request::build_request(patch, CommandMode::Check, &global)?;
        usual.look.hints = SuggestionMode::Text;
        let interrupt = global.caller.catch_signals()?;
        // After the first signal, jobs can still be blocked because their results are not read.
        signals::end_at_second_signal();
        let batch = Self {
            queue,
            template: usual,
            max_patch,
            policy: PolicyFiles::read(&global)?,
            path_names: argument_paths(&global),
            tree,
            global,
            is_deterministic,
            progress,
            repositories: Mutex::default(),
            interrupt,
            running: AtomicUsize::new(0),
            completed: AtomicUsize::new(0),
            has_failed: AtomicBool::new(false),
            is_stopped: AtomicBool::new(false),
            failure: Mutex::new(None),
        };
        Ok((Arc::new(batch), threads))
    }

    /// Runs jobs until no job is left.
    fn run_jobs(&self) {
        // The other threads have jobs of their own, so the parallel steps of a job run on this
        // thread.
        let _pool = ThreadPoolBuilder::new()
            .num_threads(1)
            .use_current_thread()
            .build();
        while !self.is_stopped.load(Ordering::SeqCst) && self.interrupt.signal().is_none() {
            match self.queue.take(|| self.try_start()) {
                Ok(Some(taken)) => {
                    self.run_job(taken);
                    self.progress.step(1);
                    self.running.fetch_sub(1, Ordering::SeqCst);
                }
                Ok(None) => return,
                Err(error) => {
                    return self.abort(
                        2,
                        format!("cannot read the jobs: {}", system_message(&error)),
                    );
                }
            }
        }
    }

    /// Returns whether one more job may start. A job that starts always gets a result. This
    /// function increments `running` before it reads the signal. The main thread reads the signal
    /// before `running`. The main thread therefore sees either the new job or the signal that prevents
    /// it.
    fn try_start(&self) -> bool {
        self.running.fetch_add(1, Ordering::SeqCst);
        let begins = !self.is_interrupted();
        if !begins {
            self.running.fetch_sub(1, Ordering::SeqCst);
        }
        begins
    }

    fn is_interrupted(&self) -> bool {
        fence(Ordering::SeqCst);
        let is_interrupted = self.interrupt.signal().is_some();
        fence(Ordering::SeqCst);
        is_interrupted
    }

    fn run_job(
        &self,
        JobLine {
            position: place,
            index,
            text,
        }: JobLine,
    ) {
        let (id, result) = match &text {
            Some(text) => Job::parse(text),
            None => (
                None,
                Err(usage_error(format!(
                    "the job exceeds {} bytes",
                    queue::MAX_LINE
                ))),
            ),
        };
        // The parsed job contains the data.
        drop(text);
        let mut places = Vec::new();
        let mut report = catch_panic(|| {
            let job = result?;
            if self.is_deterministic {
                places = [&self.path_names[..], &job.path_names()].concat();
            }
            self.check(job)
        });
        if self.is_deterministic {
            make_deterministic(&mut report, &places);
        }
        if !report.ok {
            self.has_failed.store(true, Ordering::SeqCst);
        }
        let mut line = Vec::new();
        let answer = BatchLine {
            schema: BATCH_SCHEMA,
            index,
            id,
            report,
        };
        let printed =
            print_json(&answer, &mut line).and_then(|()| self.queue.print_result(place, line));
        match printed {
            Ok(()) => {
                self.completed.fetch_add(1, Ordering::SeqCst);
            }
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.abort(CLOSED_PIPE, String::new());
            }
            Err(error) => self.abort(
                4,
                format!("cannot write the reports: {}", system_message(&error)),
            ),
        }
    }

    fn check(&self, mut job: Job) -> Result<Report, EarlyExit> {
        let (root, git_dir, rev) = (job.root.take(), job.git_dir.take(), job.rev.take());
        let global = Global {
            root: root.clone().or_else(|| self.global.root.clone()),
            ..self.global.clone()
        };
        let mut request = job.into_request(&self.template, self.max_patch, &global)?;
        request.context.git = request
            .context
            .git
            .map(|git| self.git(&git, root.as_deref()));
        let is_tree =
            git_dir.is_some() || rev.is_some() || (root.is_none() && self.tree.is_given());
        if !is_tree {
            if root.is_some() {
                request.decide.roots = arguments::roots(&global);
                request.context.policy = self.policy.to_policy(&global);
            }
            let root = root.as_deref().unwrap_or(self.global.root());
            let name = resolve_links(root);
            let workspace = engine::open(root).map_err(|error| open_error(root, &error))?;
            let mut outcome = engine::check(request, &workspace);
            outcome.report.root = Some(name);
            return Ok(outcome.report);
        }
        if root.is_some() {
            return Err(usage_error(
                "a job needs either a root, or a git_dir with a rev".to_owned(),
            ));
        }
        let named = self
            .tree
            .from_tree
            .as_ref()
            .map(|name| name.as_encoded_bytes().to_vec());
        let Some(revision) = rev.map(String::into_bytes).or(named) else {
            return Err(usage_error("a git_dir needs a rev".to_owned()));
        };
        let repository = self.repository(git_dir.as_deref().or(self.tree.git_dir.as_deref()));
        Ok(tree::check_tree(&repository, &revision, request)?.report)
    }

    /// Returns git for the root of a job. All jobs without a root share one value, unless git has
    /// failed.
    fn git(&self, usual: &Arc<Git>, root: Option<&Path>) -> Arc<Git> {
        match root {
            None if !usual.has_failed() => Arc::clone(usual),
            root => Arc::new(usual.with_directory(root.unwrap_or(self.global.root()))),
        }
    }

    /// Returns the repository `git_dir`, or the repository around the root. Recently used
    /// repositories stay open.
    fn repository(&self, git_dir: Option<&Path>) -> Repository {
        let mut kept = lock_unpoisoned(&self.repositories);
        let place = kept
            .iter()
            .position(|(known, _)| known.as_deref() == git_dir);
        let found = if let Some(place) = place {
            kept.remove(place)
        } else {
            (
                git_dir.map(Path::to_owned),
                tree::repository(git_dir, &self.tree, &self.global),
            )
        };
        let repository = found.1.clone();
        kept.insert(0, found);
        kept.truncate(MAX_REPOSITORIES);
        repository
    }

    /// Stops the batch. The first reason decides the exit code.
    fn abort(&self, exit_code: u8, message: String) {
        self.is_stopped.store(true, Ordering::SeqCst);
        let mut broken = lock_unpoisoned(&self.failure);
        broken.get_or_insert((exit_code, message));
    }

    /// Prints the error that stopped the batch, and returns the exit code.
    fn print_end(&self) -> ExitCode {
        if let Some((exit_code, message)) = lock_unpoisoned(&self.failure).take() {
            if !message.is_empty() {
                output::print_to_stderr(&message);
            }
            return ExitCode::from(exit_code);
        }
        if let Some(signal) = self
            .interrupt
            .signal()
            .and_then(|signal| u8::try_from(signal).ok())
        {
            let answered = self.completed.load(Ordering::SeqCst);
            output::print_to_stderr(&format!(
                "stopped by signal {signal}: {answered} jobs completed, the others were not started"
            ));
            return ExitCode::from(128 + signal);
        }
        ExitCode::from(u8::from(self.has_failed.load(Ordering::SeqCst)))
    }
}

/// Opens the job file or standard input.
fn open_jobs(files: &[PathBuf], global: &Global) -> Result<Box<dyn BufRead + Send>, EarlyExit> {
    match files {
        [] => Ok(Box::new(BufReader::new(io::stdin()))),
        [file] if file == Path::new("-") => Ok(Box::new(BufReader::new(io::stdin()))),
        [file] => Ok(Box::new(BufReader::new(input::open_job_file(
            file, global,
        )?))),
        _ => Err(EarlyExit::usage("a batch needs exactly one file with jobs")),
    }
}
