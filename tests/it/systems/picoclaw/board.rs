//! Statements 12, 13, 15: what a file keeps, what readers see, and how little memory it takes.
#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, chown};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use fs_err as fs;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use super::super::Desk;

use crate::world;

#[test]
fn s12_a_file_keeps_its_mode_and_its_owner() {
    let desk = Desk::with(&[("a", b"1\n")]);
    // Only a privileged user can give it away; others have one owner alone.
    let _ = chown(desk.path("a"), Some(12_345), Some(23_456));
    let standing = || {
        fs::metadata(desk.path("a"))
            .map(|data| (data.uid(), data.gid(), data.mode() & 0o7777))
            .unwrap()
    };
    for mode in [0o644, 0o640, 0o600, 0o755, 0o444] {
        world::set_mode(desk.path("a"), mode);
        let before = standing();
        for arguments in [
            &["edit", "a", "--old", "1", "--new", "2"][..],
            &["write", "a", "--content", "1\n", "--overwrite"],
            &["append", "a", "--content", "x"],
            &["write", "a", "--content", "1\n", "--overwrite"],
        ] {
            assert_eq!(desk.does(arguments, b"")["changed"], true);
            assert_eq!(standing(), before, "{mode:o} {arguments:?}");
        }
    }
}

#[test]
fn s12_new_files_and_directories_have_what_the_mask_leaves() {
    for mask in [0o022, 0o002, 0o077, 0o000] {
        let desk = Desk::with(&[]);
        let command = format!("umask {mask:03o} && exec \"$0\" write d/e/f --content x");
        let status = world::sh(&command)
            .arg(env!("CARGO_BIN_EXE_wpatch"))
            .current_dir(desk.root())
            .status();
        assert!(status.unwrap().success());
        let mode = |name: &str| world::mode(desk.path(name));
        let expected = (0o666 & !mask, 0o777 & !mask, 0o777 & !mask);
        assert_eq!(
            (mode("d/e/f"), mode("d/e"), mode("d")),
            expected,
            "{mask:o}"
        );
    }
}

/// Without an exchange of two names, a file is absent for a moment while it is replaced.
#[cfg(not(wpatch_plain_unix))]
#[test]
fn s13_a_reader_sees_whole_versions_only() {
    const EDITS: usize = 150;
    let version = |number: usize| format!("{number:05}\n").repeat(500).into_bytes();
    let desk = Desk::with(&[("f", &version(0))]);
    let (path, is_over) = (desk.path("f"), AtomicBool::new(false));
    let seen = thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let (mut reads, mut last, mut versions) = (0, 0, 0);
            while !is_over.load(Ordering::Relaxed) {
                let bytes = fs::read(&path).unwrap();
                let number: usize = std::str::from_utf8(&bytes[..5]).unwrap().parse().unwrap();
                assert!(
                    bytes == version(number) && number >= last,
                    "{number} after {last}, {} bytes",
                    bytes.len()
                );
                versions += usize::from(number > last);
                (reads, last) = (reads + 1, number);
            }
            (reads, versions)
        });
        for number in 0..EDITS {
            let (old, new) = (format!("{number:05}"), format!("{:05}", number + 1));
            let edit = [
                "edit",
                "f",
                "--old",
                &old,
                "--new",
                &new,
                "--all",
                "--durability",
                "none",
            ];
            assert!(desk.runs(&edit, b"").status.success());
        }
        is_over.store(true, Ordering::Relaxed);
        reader.join().unwrap()
    });
    assert!(desk.bytes("f") == version(EDITS));
    assert!(seen.0 > EDITS && seen.1 > EDITS / 10, "{seen:?}");
}

/// Returns a number of kilobytes from the status of a process.
fn kilobytes(process: u32, key: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(key))
        .expect("a kernel that says it");
    line.trim_start_matches(':')
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap()
}

/// Returns the most kilobytes that the program had in memory when it did `arguments`, which changes
/// `name`.
///
/// It cannot say that it is done until somebody reads what is before that in the pipe, so that
/// there is time to look.
fn peak(desk: &Desk, name: &str, arguments: &[&str]) -> u64 {
    // A refusal would wait for its reader as well.
    desk.does(&[arguments, &["--dry-run"]].concat(), b"");
    let (mut reader, mut writer) = std::io::pipe().unwrap();
    let flags = fcntl_getfl(&writer).unwrap();
    fcntl_setfl(&writer, flags | OFlags::NONBLOCK).unwrap();
    while writer.write(&[b' '; 512]).is_ok() {}
    fcntl_setfl(&writer, flags).unwrap();
    let before = desk.bytes(name);
    let mut command = world::wpatch();
    command
        .current_dir(desk.root())
        .args(arguments)
        .arg("--json")
        .stdin(Stdio::null())
        .stdout(writer);
    let mut child = command.spawn().unwrap();
    // It holds the other end of the pipe too.
    drop(command);
    while desk.bytes(name) == before {
        assert!(child.try_wait().unwrap().is_none());
        thread::yield_now();
    }
    // Pages of the program itself count where it is built as people get it.
    let own = if cfg!(debug_assertions) {
        kilobytes(child.id(), "RssFile")
    } else {
        0
    };
    let peak = kilobytes(child.id(), "VmHWM") - own;
    let mut told = String::new();
    reader.read_to_string(&mut told).unwrap();
    assert!(
        child.wait().unwrap().success() && told.contains("\"changed\":true"),
        "{told}"
    );
    peak
}

#[test]
fn s15_an_edit_of_a_mebibyte_takes_less_than_sixteen() {
    let text: String = (0..)
        .map(|line| format!("line number {line:07} of a file\n"))
        .take((1 << 20) / 31)
        .collect();
    let desk = Desk::with(&[("f", text.as_bytes())]);
    assert!(text.len() > 1_000_000);
    let edits: [&[&str]; 4] = [
        &[
            "edit",
            "f",
            "--old",
            "number 0012345",
            "--new",
            "number 12345",
        ],
        &[
            "edit",
            "f",
            "--old",
            "line number 0012346",
            "--new",
            "number 12346",
            "--match",
            "ladder",
        ],
        &["append", "f", "--content", "the end\n"],
        &["edit", "f", "--insert-after", "0", "--new", "the start\n"],
    ];
    for arguments in edits {
        let peak = peak(&desk, "f", arguments);
        assert!(
            peak > 1 << 10 && peak <= 16 << 10,
            "{peak} kB: {arguments:?}"
        );
    }
}
