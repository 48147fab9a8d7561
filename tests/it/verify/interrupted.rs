//! A verification that is killed or gets a signal.

use std::process::{Command, Stdio};

use fs_err as fs;
use rustix::process::{Pid, Signal, kill_process};

use super::{PATCH, desk};
use crate::systems::Desk;
use crate::tree;

/// Starts a change whose verification has begun and waits for something that never comes, and
/// returns its processes.
fn hanging(desk: &Desk) -> (std::process::Child, Pid) {
    fs::write(desk.path("../patch"), PATCH).unwrap();
    let command =
        "mkfifo ../begun.fifo ../never; echo $$ > ../pid; echo > ../fifo; read line < ../never";
    Command::new("mkfifo")
        .arg(desk.path("../fifo"))
        .status()
        .unwrap();
    let mut program = crate::world::wpatch();
    program
        .current_dir(desk.root())
        .args(["apply", "../patch", "--verify", command]);
    let child = program
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    fs::read(desk.path("../fifo")).unwrap();
    let pid = String::from_utf8(desk.bytes("../pid"))
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    (child, Pid::from_raw(pid).unwrap())
}

#[test]
fn a_kill_during_a_verification_is_put_back_by_the_next_command() {
    let desk = desk();
    let before = tree::read(&desk.root());
    let (mut child, command) = hanging(&desk);
    assert_eq!(desk.bytes("a"), b"1\n");
    child.kill().unwrap();
    child.wait().unwrap();
    desk.does(&["recover"], b"");
    assert_eq!(tree::read(&desk.root()), before);
    // Nobody else ends it.
    kill_process(command, Signal::KILL).unwrap();
}

#[test]
fn a_signal_during_a_verification_ends_it_and_puts_everything_back() {
    let desk = desk();
    let before = tree::read(&desk.root());
    let (mut child, command) = hanging(&desk);
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert_eq!(tree::read(&desk.root()), before);
    assert!(kill_process(command, Signal::TERM).is_err(), "it is gone");
}
