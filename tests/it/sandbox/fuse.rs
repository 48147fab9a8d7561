//! The overlay of `fuse-overlayfs`, on a root on which the kernel mounts none.

use std::process::{Command, Output};

use super::is_supported;

/// Prepares the root `$ROOT` and the program `$WPATCH` in a private mount namespace. The root is an
/// overlay of an overlay, the most that the kernel stacks, and belongs to the user.
const PREPARE: &str = r#"set -eu
mount -t tmpfs tmpfs "$BASE"
cd "$BASE"
chmod 755 .
mkdir lower upper1 work1 first second root
printf 'one\n' > lower/a
mkdir lower/d
echo x > lower/d/x
git -C lower init -q
chown -R $USER_ID:$USER_ID lower upper1
mount -t overlay overlay -o lowerdir=lower,upperdir=upper1,workdir=work1 first
mount -t tmpfs tmpfs second
mkdir second/upper second/work
chown $USER_ID:$USER_ID second/upper
mount -t overlay overlay -o lowerdir=first,upperdir=second/upper,workdir=second/work root
mknod fuse c 10 229
chmod 666 fuse
mount --bind fuse /dev/fuse
cp "$PROGRAM" wpatch
run() { setpriv --reuid=$USER_ID --regid=$USER_ID --clear-groups env HOME=/nonexistent "$BASE/wpatch" run "$@"; }
are_gone() { for i in $(seq 500); do pgrep -u $USER_ID >/dev/null || return 0; sleep 0.01; done; return 1; }
cd root
"#;

/// Runs a script as root in a private mount namespace, after [`PREPARE`].
///
/// The script finds and kills processes by their user. Tests run in parallel, so each has a user of its own, which
/// exists on no system.
fn run(user: &str, script: &str) -> Output {
    let base = tempfile::tempdir().unwrap();
    let output = Command::new("unshare")
        .args(["-m", "sh", "-c"])
        .arg(format!("{PREPARE}{script}"))
        .env("BASE", base.path())
        .env("PROGRAM", env!("CARGO_BIN_EXE_wpatch"))
        .env("USER_ID", user)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:#?}");
    output
}

/// Only root can change its user and stack overlays.
fn is_possible() -> bool {
    rustix::process::getuid().is_root() && is_supported()
}

#[test]
fn without_an_overlay_of_the_kernel_a_server_provides_one() {
    if !is_possible() {
        return;
    }
    let output = run(
        "54321",
        r#"run -v -- sh -c 'echo 2 >> a; rm -r d; mkdir d; echo y > d/y; mv a b; ls; grep -c fuse-overlayfs /proc/self/mountinfo'
test "$(cat b d/*)" = "$(printf 'one\n2\ny')"
test ! -e a
are_gone
"#,
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let expected = "b\nd\n1\ndelete a +0 -1\ncreate b +2 -0\ncreate d/y +1 -0\ndelete d/x +0 -1\n\
                    applied: 4 files changed, 3 insertions(+), 2 deletions(-)\n";
    assert_eq!(text, expected);
}

#[test]
fn the_server_ends_with_a_killed_program() {
    if !is_possible() {
        return;
    }
    run(
        "54322",
        r#"run -- sh -c 'echo 2 >> a; sleep 60' &
until pgrep -u $USER_ID sleep >/dev/null; do sleep 0.01; done
pgrep -u $USER_ID fuse-overlayfs >/dev/null
pkill -KILL -o -u $USER_ID wpatch
wait || true
are_gone
test "$(cat a)" = one
"#,
    );
}
