//! Tests of commands and jobs. Wine runs them too.

use std::process::Stdio;

use super::*;

/// Returns the result of a command with `input` and `limit`.
fn run(command: &str, input: &[u8], limit: Duration, interrupt: &Interrupt) -> CommandOutput {
    let directory = env::temp_dir().canonicalize().unwrap();
    let shell_command = ShellCommand {
        command: command.as_ref(),
        directory: &directory,
        environment: &[("WPATCH_TEST", "value".into())],
        input,
        limit,
        errors: ErrorTarget::Output,
    };
    run_with_io(&shell_command, interrupt).unwrap()
}

const MINUTE: Duration = Duration::from_secs(60);

fn run_for_a_minute(command: &str, input: &[u8]) -> (ExitReason, String) {
    let output = run(command, input, MINUTE, &Interrupt::new());
    (output.reason, String::from_utf8(output.output).unwrap())
}

#[test]
fn a_command_returns_its_output_and_its_code() {
    let (reason, output) = run_for_a_minute("echo one& echo two>&2& exit 3", b"");
    assert_eq!(reason, ExitReason::Exited(3));
    assert_eq!(output, "one\r\ntwo\r\n");
    let (reason, output) = run_for_a_minute("echo \"%WPATCH_TEST%\" \"a b\"", b"");
    assert_eq!(reason, ExitReason::Exited(0));
    assert_eq!(output.trim_end(), "\"value\" \"a b\"");
}

#[test]
fn a_command_runs_in_its_directory() {
    let (_, output) = run_for_a_minute("cd", b"");
    let directory = working_directory(&env::temp_dir().canonicalize().unwrap());
    assert_eq!(Path::new(output.trim_end()), directory);
    assert!(!output.starts_with(r"\\"));
}

#[test]
fn a_command_reads_its_input_or_not() {
    let (_, output) = run_for_a_minute("findstr x", b"1\r\n2x\r\n");
    assert_eq!(output.trim_end(), "2x");
    let (reason, _) = run_for_a_minute("exit 0", &vec![b'x'; 1 << 20]);
    assert_eq!(reason, ExitReason::Exited(0));
}

#[test]
fn the_time_limit_and_an_interrupt_end_a_command() {
    // `ping` waits for a second between two requests.
    let wait = "ping -n 60 127.0.0.1";
    let output = run(wait, b"", Duration::from_millis(200), &Interrupt::new());
    assert_eq!(output.reason, ExitReason::TimedOut);
    assert!(output.time < MINUTE / 2);
    let interrupt = Interrupt::new();
    interrupt.raise(2);
    let output = run(wait, b"", MINUTE, &interrupt);
    assert_eq!(output.reason, ExitReason::Stopped);
    assert!(output.time < MINUTE / 2);
}

#[test]
fn only_the_end_of_a_long_output_is_kept() {
    let command = "for /l %i in (1,1,3000) do @echo 0123456789 %i";
    let output = run(command, b"", MINUTE, &Interrupt::new());
    assert_eq!((output.output.len(), output.is_cut), (MAX_OUTPUT, true));
    assert!(output.output.ends_with(b"0123456789 3000\r\n"));
}

#[test]
fn a_dropped_group_ends_its_processes() {
    let mut command = Command::new("cmd");
    command
        .args(["/d", "/c", "cmd /d /c pause"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut group = ProcessGroup::start(&mut command).unwrap();
    let input = group.child().stdin.take();
    let mut output = group.child().stdout.take().unwrap();
    output.read_exact(&mut [0]).unwrap();
    assert!(!group.has_ended().unwrap());
    drop(group);
    // The pipe ends because no process is left that could write to it.
    output.read_to_end(&mut Vec::new()).unwrap();
    drop(input);
}

#[test]
fn a_wait_for_output_has_a_limit() {
    let mut command = Command::new("cmd");
    command
        .args(["/d", "/c", "set /p line=& echo end"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut group = ProcessGroup::start(&mut command).unwrap();
    let input = group.child().stdin.take();
    let output = group.child().stdout.take().unwrap();
    let short = Timeout {
        limit: Duration::from_millis(50),
        interrupt: Interrupt::new(),
    };
    let error = wait_for_bytes(&output, &short).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    drop(input);
    wait_for_bytes(&output, &Timeout::default()).unwrap();
}

#[test]
fn a_working_directory_has_no_verbatim_prefix() {
    let paths = [
        (r"\\?\C:\a\b", r"C:\a\b"),
        (r"\\?\C:\", r"C:\"),
        (r"\\?\UNC\server\share\a", r"\\server\share\a"),
        (r"C:\a", r"C:\a"),
    ];
    for (path, expected) in paths {
        let found = working_directory(Path::new(path));
        assert_eq!(found.as_os_str(), expected, "{path}");
    }
    let long = format!(r"\\?\C:\{}", "n".repeat(300));
    assert_eq!(working_directory(long.as_ref()), Path::new(&long));
}
