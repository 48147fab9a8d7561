//! Commands that do not do as they should: they end all the same, and nothing of them is left.
#![cfg(target_os = "linux")]

use std::ffi::OsStr;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use fs_err as fs;
use tempfile::TempDir;
use wpatch::process::{
    CommandOutput, ErrorTarget, ExitReason, GRACE, MAX_OUTPUT, ShellCommand, run,
};
use wpatch::transaction::Interrupt;

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(200);

fn errand<'a>(
    command: &'a str,
    directory: &'a Path,
    input: &'a [u8],
    limit: Duration,
) -> ShellCommand<'a> {
    ShellCommand {
        command: OsStr::new(command),
        directory,
        environment: &[],
        input,
        limit,
        errors: ErrorTarget::Output,
    }
}

fn ran(command: &str, input: &[u8], limit: Duration) -> CommandOutput {
    run(
        &errand(command, Path::new("/"), input, limit),
        &Interrupt::new(),
    )
    .unwrap()
}

/// Returns how `command` ends, what it says, and that it was not waited for longer than needed.
fn told(command: &str) -> (ExitReason, String) {
    let ran = ran(command, b"", LONG);
    assert!(ran.time < LONG / 2, "{ran:?}");
    (ran.reason, String::from_utf8(ran.output).unwrap())
}

#[test]
fn a_command_is_told_by_its_end_and_its_output() {
    assert_eq!(
        told("echo one; echo two >&2; echo three"),
        (ExitReason::Exited(0), "one\ntwo\nthree\n".to_owned())
    );
    assert_eq!(told("exit 7"), (ExitReason::Exited(7), String::new()));
    assert_eq!(
        told("kill -KILL $$"),
        (ExitReason::Signalled(9), String::new())
    );
    assert_eq!(
        told("-x 2> /dev/null"),
        (ExitReason::Exited(127), String::new())
    );
}

#[test]
fn input_of_any_size_goes_in_while_output_of_any_size_comes_out() {
    let input = vec![b'x'; 5 << 20];
    let both = ran("cat", &input, LONG);
    assert_eq!(
        (both.reason, both.output.len(), both.is_cut),
        (ExitReason::Exited(0), MAX_OUTPUT, true)
    );
    let count = ran("wc -c", &input, LONG);
    assert_eq!(
        (count.reason, count.output.as_slice()),
        (ExitReason::Exited(0), b"5242880\n".as_slice())
    );
    for deaf in [
        "exec 0<&-; echo done",
        "echo done",
        "head -c 10 > /dev/null; echo done",
    ] {
        assert_eq!(ran(deaf, &input, LONG).output, b"done\n", "{deaf}");
    }
}

#[test]
fn of_a_gibibyte_of_output_the_end_is_kept() {
    let ran = ran("head -c 1073741824 /dev/zero; echo the end", b"", LONG);
    assert_eq!(
        (ran.reason, ran.output.len(), ran.is_cut),
        (ExitReason::Exited(0), MAX_OUTPUT, true)
    );
    assert!(ran.output.ends_with(b"\0the end\n"));
}

#[test]
fn who_lives_on_in_the_group_is_killed_and_not_waited_for() {
    let directory = TempDir::new().unwrap();
    let path = directory.path();
    let command = "mkfifo fifo; (trap '' TERM HUP; read line < fifo; echo late > late) & echo $! > pid; exit 0";
    let ran = run(&errand(command, path, b"", LONG), &Interrupt::new()).unwrap();
    assert!(
        ran.reason == ExitReason::Exited(0) && ran.time < LONG / 2,
        "{ran:?}"
    );
    let pid = fs::read_to_string(path.join("pid")).unwrap();
    let state = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    // It is gone, or nobody has taken note of its end yet.
    assert!(state.is_empty() || state.contains(") Z "), "{state}");
}

#[test]
fn whoever_holds_the_output_open_is_not_waited_for() {
    let directory = TempDir::new().unwrap();
    // In a session of its own it lives on; the output is what it has.
    let command =
        "setsid sh -c 'echo $$ > pid; exec sleep 1000' & while ! [ -s pid ]; do :; done; echo said";
    let ran = run(
        &errand(command, directory.path(), b"", LONG),
        &Interrupt::new(),
    )
    .unwrap();
    assert!(ran.output == b"said\n" && ran.time < LONG / 2, "{ran:?}");
    let pid = fs::read_to_string(directory.path().join("pid"))
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(pid).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
}

#[test]
fn a_time_that_is_up_ends_whatever_it_is() {
    let stubborn = "trap '' TERM; while :; do sleep 1; done";
    let halted = "kill -STOP $$";
    let family = "(trap '' TERM; sleep 1000) & sleep 1000 & wait";
    for command in [
        "sleep 1000",
        stubborn,
        halted,
        family,
        "yes",
        "cat /dev/zero",
        "exec > /dev/null 2>&1; sleep 1000",
    ] {
        let start = Instant::now();
        let ran = ran(command, b"", SHORT);
        assert_eq!(ran.reason, ExitReason::TimedOut, "{command}");
        assert!(
            start.elapsed() < SHORT + GRACE * 3,
            "{command}: {:?}",
            start.elapsed()
        );
    }
}

#[test]
fn who_is_asked_to_end_may_tidy_up() {
    let own = "trap 'echo tidied; exit 3' TERM; > begun; while :; do sleep 0.01; done";
    // The shell is gone at once, but not what it runs.
    let child = "sh -c 'trap \"sleep 0.1; echo tidied; exit\" TERM; > begun; while :; do sleep 0.01; done'; echo never";
    for command in [own, child] {
        let directory = TempDir::new().unwrap();
        let begun = directory.path().join("begun");
        let interrupt = Interrupt::new();
        let ran = thread::scope(|scope| {
            scope.spawn(|| {
                while !begun.exists() {
                    thread::yield_now();
                }
                interrupt.raise(15);
            });
            run(&errand(command, directory.path(), b"", LONG), &interrupt).unwrap()
        });
        assert!(
            ran.reason == ExitReason::Stopped && ran.output.ends_with(b"tidied\n"),
            "{command}: {ran:?}"
        );
    }
}

#[test]
fn a_wish_to_stop_ends_it() {
    let ran = run(
        &errand("sleep 1000", Path::new("/"), b"", LONG),
        &Interrupt::with_read_limit(0, 15),
    )
    .unwrap();
    assert!(
        ran.reason == ExitReason::Stopped && ran.time < LONG / 2,
        "{ran:?}"
    );
}

#[test]
fn a_command_runs_where_and_with_what_it_is_given() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().canonicalize().unwrap();
    let environment = [("WPATCH_ROOT", path.clone().into_os_string())];
    let errand = ShellCommand {
        environment: &environment,
        ..errand("pwd; echo \"$WPATCH_ROOT\"; cat", &path, b"in", LONG)
    };
    let told = format!("{0}\n{0}\nin", path.display());
    assert_eq!(
        run(&errand, &Interrupt::new()).unwrap().output,
        told.as_bytes()
    );
}

#[test]
fn a_shell_that_cannot_run_is_an_error() {
    let missing = Path::new("/no/such/directory");
    assert!(run(&errand("true", missing, b"", LONG), &Interrupt::new()).is_err());
    assert!(
        run(
            &errand("a\0b", Path::new("/"), b"", LONG),
            &Interrupt::new()
        )
        .is_err()
    );
}
