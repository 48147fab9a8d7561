//! The ends of commands that do not end by themselves, and of their processes.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use fs_err as fs;

use super::{desk, is_supported, ops, script};
use crate::systems::{Desk, program};
use crate::tree;

/// Returns the processes whose command line contains `word`.
fn processes(word: &str) -> Vec<String> {
    let lines = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let line = fs::read(entry.unwrap().path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&line).replace('\0', " "))
    });
    lines.filter(|line| line.contains(word)).collect()
}

/// Waits until no process whose command line contains `word` exists.
fn wait_for_end(word: &str) {
    let start = Instant::now();
    while !processes(word).is_empty() {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{:?}",
            processes(word)
        );
        sleep(Duration::from_millis(5));
    }
}

/// Starts a script and waits until it has printed a line.
fn started(desk: &Desk, text: &str) -> Child {
    let mut command: Command = program(&desk.root(), &script(&[], text));
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert_eq!(line, "started\n");
    child
}

#[test]
fn a_background_process_ends_with_the_command() {
    if !is_supported() {
        return;
    }
    let desk = desk();
    let text = "(sleep 987.1; echo late > late) & setsid sleep 987.1 & echo now > now";
    let report = desk.does(&script(&[], text), b"");
    assert_eq!(ops(&report), ["create now"], "{report:#}");
    assert_eq!(processes("sleep 987.1"), Vec::<String>::new());
}

#[test]
fn a_fork_bomb_ends_at_the_limit() {
    if !is_supported() {
        return;
    }
    let desk = desk();
    let text = "b() { b | b & sleep 987.2; }; echo 1 > new; b";
    let error = desk.refuses("denied", &script(&["--max-processes=50"], text), b"");
    assert_eq!(error["code"], "wpatch::command::run");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("more than 50 processes"), "{message}");
    assert_eq!(processes("sleep 987.2"), Vec::<String>::new());
}

#[test]
fn the_kernel_limits_threads_and_processes() {
    if !is_supported() || !has_limit_of_namespace() {
        return;
    }
    let desk = desk();
    for (limit, expected) in [
        ("50", "1000\n"),
        ("2000", "8000\n"),
        ("99999999", "4194304\n"),
    ] {
        let option = format!("--max-processes={limit}");
        desk.does(
            &script(&[&option], "cat /proc/sys/kernel/pid_max > new"),
            b"",
        );
        assert_eq!(desk.bytes("new"), expected.as_bytes());
    }
}

/// Returns whether each namespace has its own limit on process IDs: since Linux 6.14.
fn has_limit_of_namespace() -> bool {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release.split(['.', '-']).map(str::parse::<u32>);
    let (major, minor) = (numbers.next().unwrap(), numbers.next().unwrap());
    (major.unwrap(), minor.unwrap()) >= (6, 14)
}

#[test]
fn a_command_ends_at_the_time_limit() {
    if !is_supported() {
        return;
    }
    let desk = desk();
    let words = script(
        &["--timeout=200ms"],
        "echo 1 > new; trap '' TERM; sleep 987.3",
    );
    let error = desk.refuses("denied", &words, b"");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("timed out after 200 ms"), "{message}");
    assert_eq!(processes("sleep 987.3"), Vec::<String>::new());
}

#[test]
fn a_command_ends_at_the_limit_on_written_bytes() {
    if !is_supported() {
        return;
    }
    let desk = desk();
    for text in [
        "head -c 2000000 /dev/zero > large",
        // No write fails that the command could ignore.
        "head -c 2000000 /dev/zero > large; exit 0",
        "head -c 2000000 /dev/zero > $TMPDIR/large; exit 0",
        "head -c 900000000 /dev/zero > large; : > large; exit 0",
    ] {
        let error = desk.refuses("denied", &script(&["--max-written=1000000"], text), b"");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("had more than 1000000 bytes"), "{message}");
    }
    for limit in [
        "--max-written=1000000",
        "--max-written=18446744073709551615",
    ] {
        desk.does(&script(&[limit], "head -c 1000000 /dev/zero > large"), b"");
        fs::remove_file(desk.path("large")).unwrap();
    }
    let words = script(&["--max-file=1000"], "head -c 2000 /dev/zero > large");
    assert_eq!(desk.refuses("too_large", &words, b"")["path"], "large");
}

#[test]
fn a_signal_ends_the_command_and_changes_nothing() {
    if !is_supported() {
        return;
    }
    for (signal, code) in [("-TERM", Some(143)), ("-INT", Some(130)), ("-KILL", None)] {
        let desk = desk();
        let before = tree::read(&desk.root());
        let mut child = started(&desk, "echo 1 > new; echo started; sleep 987.4");
        let id = child.id().to_string();
        assert!(
            Command::new("kill")
                .args([signal, &id])
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(child.wait().unwrap().code(), code, "{signal}");
        wait_for_end("sleep 987.4");
        assert_eq!(tree::read(&desk.root()), before, "{signal}");
        desk.does(&script(&[], "echo 1 > new"), b"");
        assert_eq!(desk.bytes("new"), b"1\n");
    }
}

#[test]
fn a_file_that_changes_while_the_command_runs_is_stale() {
    if !is_supported() {
        return;
    }
    let wait = "echo started; while [ ! -e ../go ]; do sleep 0.01; done";
    for (text, other) in [
        (format!("echo 3 >> a; {wait}"), "a"),
        (format!("rm a; {wait}"), "a"),
        (format!("rm -r d; {wait}"), "d/c"),
        (format!("echo 3 > new; {wait}"), "new"),
    ] {
        let desk = desk();
        let child = started(&desk, &text);
        fs::write(desk.path(other), "other\n").unwrap();
        let before = tree::read(&desk.root());
        fs::write(desk.path("../go"), "").unwrap();
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}: {errors}");
        assert!(
            errors.contains(&format!("{other}: ")) && errors.contains("while the command ran"),
            "{errors}"
        );
        assert_eq!(tree::read(&desk.root()), before, "{text}");
    }
    // Other files may change.
    let desk = desk();
    let child = started(&desk, &format!("echo 3 >> a; {wait}"));
    fs::write(desk.path("d/c"), "other\n").unwrap();
    fs::write(desk.path("../go"), "").unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(
        (desk.bytes("a"), desk.bytes("d/c")),
        (b"one\ntwo\n3\n".to_vec(), b"other\n".to_vec())
    );
}

/// Runs a script in a sandbox under strace, which changes the system calls `call` as in `change`.
/// Returns the output of the program, and the log of strace.
fn run_under_strace(desk: &Desk, (call, change): (&str, &str), text: &str) -> (Output, String) {
    let log = desk.path("../log");
    let output = Command::new("strace")
        .args(["-f", "-qq", "-o", &log.display().to_string()])
        .args(["-e", &format!("trace={call}")])
        .args(["-e", &format!("inject={call}:{change}")])
        .arg(env!("CARGO_BIN_EXE_wpatch"))
        .args(script(&[], text))
        .current_dir(desk.root())
        .output()
        .unwrap();
    (output, fs::read_to_string(log).unwrap())
}

/// The second write of each process is delayed. Of the helpers, only the one that reports the
/// overlay has a second one.
#[test]
fn a_command_that_ends_at_once_does_not_overtake_its_overlay() {
    if !is_supported() {
        return;
    }
    let desk = desk();
    let delay = ("write", "delay_enter=300000:when=2");
    let (output, log) = run_under_strace(&desk, delay, "echo 2 >> a");
    assert!(output.status.success(), "{output:?}");
    assert!(desk.bytes("a").ends_with(b"2\n"));
    assert!(log.contains("(DELAYED)"), "{log}");
}

/// Only the first process of the namespace uses `pidfd_getfd`.
#[test]
fn the_end_of_the_first_process_ends_the_sandbox() {
    if !is_supported() {
        return;
    }
    for (change, expected) in [
        ("error=EMFILE", "a process of the sandbox failed: Too many"),
        ("signal=KILL", "the sandbox ended before its command"),
    ] {
        let desk = desk();
        let before = tree::read(&desk.root());
        let (output, log) = run_under_strace(&desk, ("pidfd_getfd", change), "echo 2 >> a");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{errors}\n{log}");
        assert!(errors.contains(expected), "{errors}");
        assert_eq!(tree::read(&desk.root()), before);
    }
}
