//! Jobs and pipes.

use std::io::{PipeReader, Read, Write};
use std::os::windows::io::AsHandle;
use std::os::windows::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use wpatch_nt::{Job, available_bytes, resume};

const CREATE_SUSPENDED: u32 = 4;

/// Starts a process in a job. It starts another process, which asks for input and waits. Wine cannot
/// kill a process before it has started.
fn start(job: &Job) -> Child {
    let mut command = Command::new("cmd");
    command
        .args(["/d", "/c", "cmd /d /c pause"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .creation_flags(CREATE_SUSPENDED);
    let mut child = command.spawn().unwrap();
    job.assign(child.as_handle()).unwrap();
    resume(child.as_handle()).unwrap();
    let mut output = child.stdout.take().unwrap();
    output.read_exact(&mut [0]).unwrap();
    assert_eq!(job.active_processes().unwrap(), 2);
    child
}

fn wait_until(mut is_done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_done() {
        assert!(start.elapsed() < Duration::from_secs(30));
        std::thread::yield_now();
    }
}

#[test]
fn a_job_kills_the_processes_of_its_processes() {
    let job = Job::new().unwrap();
    let mut child = start(&job);
    let input = child.stdin.take();
    job.terminate(7).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(7));
    wait_until(|| job.active_processes().unwrap() == 0);
    drop(input);
}

#[test]
fn a_dropped_job_kills_its_processes() {
    let job = Job::new().unwrap();
    let mut child = start(&job);
    // The process would also end at the end of its input.
    let input = child.stdin.take();
    drop(job);
    child.wait().unwrap();
    drop(input);
}

#[test]
fn a_suspended_process_runs_only_after_it_is_resumed() {
    let mut command = Command::new("cmd");
    command.args(["/d", "/c", "exit 3"]);
    let mut child = command.creation_flags(CREATE_SUSPENDED).spawn().unwrap();
    assert_eq!(child.try_wait().unwrap(), None);
    resume(child.as_handle()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3));
}

#[test]
fn the_bytes_in_a_pipe_are_counted() {
    let (mut reader, mut writer) = std::io::pipe().unwrap();
    let count = |reader: &PipeReader| available_bytes(reader.as_handle()).unwrap();
    assert_eq!(count(&reader), Some(0));
    writer.write_all(b"12345").unwrap();
    assert_eq!(count(&reader), Some(5));
    drop(writer);
    assert_eq!(count(&reader), Some(5));
    reader.read_exact(&mut [0; 5]).unwrap();
    assert_eq!(count(&reader), None);
}
