//! The action downloads a release, and refuses one with a wrong checksum. Versions of the packages.

use std::path::Path;
use std::process::{Command, Output};

use fs_err as fs;

use super::{HOUSE, WRONG, program, values};
use crate::systems::Desk;

const NAME: &str = "wpatch-0.1.0-x86_64-unknown-linux-musl";

/// Runs a command and returns its output. It must succeed.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns a directory with the release 0.1.0 below `releases`, and a directory `temp`. The program in the archive
/// starts the program of the tests.
fn releases() -> Desk {
    let script = format!("#!/bin/sh\nexec '{}' \"$@\"\n", program().display());
    let desk = Desk::with(&[
        ("a", b"one\n"),
        ("wrong.patch", WRONG.as_bytes()),
        ("temp/.keep", b""),
        ("releases/v0.1.0/.keep", b""),
        (&format!("{NAME}/wpatch"), script.as_bytes()),
    ]);
    run(Command::new("chmod")
        .arg("755")
        .arg(desk.path(&format!("{NAME}/wpatch"))));
    let archive = format!("{NAME}.tar.gz");
    let release = desk.path("releases/v0.1.0");
    run(Command::new("tar")
        .arg("-czf")
        .arg(release.join(&archive))
        .arg("-C")
        .arg(desk.root())
        .arg(NAME));
    let sums = run(Command::new("sha256sum")
        .arg(&archive)
        .current_dir(&release));
    fs::write(release.join("SHA256SUMS"), sums).unwrap();
    desk
}

/// Runs the first script of the action.
fn install(desk: &Desk, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new("bash");
    command
        .args(["-c", values("action.yml", "run").first().unwrap()])
        .current_dir(desk.root())
        .env("GITHUB_ACTION_PATH", HOUSE)
        .env("GITHUB_PATH", desk.path("path"))
        .env("RUNNER_ARCH", "X64")
        .env("RUNNER_OS", "Linux")
        .env("RUNNER_TEMP", desk.path("temp"))
        .env(
            "WPATCH_RELEASES",
            format!("file://{}", desk.path("releases").display()),
        )
        .env("WPATCH_VERSION", "")
        .envs(variables.iter().copied());
    command.output().unwrap()
}

/// Asserts that the action fails with `message`, and adds nothing to `PATH`.
fn assert_refused(desk: &Desk, variables: &[(&str, &str)], message: &str) {
    let output = install(desk, variables);
    // The standard output is the directory of the program.
    assert!(output.stdout.is_empty(), "{output:?}");
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{text}");
    assert!(
        text.contains("::error title=wpatch::") && text.contains(message),
        "{text}"
    );
    assert!(!desk.path("path").exists());
}

#[test]
fn the_action_installs_a_release_and_checks_with_it() {
    for version in ["", "0.1.0", "v0.1.0"] {
        let desk = releases();
        let output = install(&desk, &[("WPATCH_VERSION", version)]);
        assert!(output.status.success(), "{output:?}");
        let directory = fs::read_to_string(desk.path("path")).unwrap();
        assert!(
            Path::new(&directory).starts_with(desk.path("temp")),
            "{directory}"
        );
        let path = format!(
            "{}:{}",
            directory.trim_end(),
            std::env::var("PATH").unwrap()
        );
        let variables = [("PATH", path.as_str()), ("WPATCH_BINARY", "")];
        let patches = [("WPATCH_PATCHES", "wrong.patch"), ("WPATCH_RANGE", "")];
        let others = [("WPATCH_ROOT", "."), ("WPATCH_POLICY", "")];
        let output = Command::new("bash")
            .args(["-c", values("action.yml", "run").last().unwrap()])
            .current_dir(desk.root())
            .envs(variables.into_iter().chain(patches).chain(others))
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            text.starts_with("::error file=wrong.patch,line=4,"),
            "{text}"
        );
    }
}

#[test]
fn a_release_with_a_wrong_checksum_is_refused() {
    let desk = releases();
    let archive = desk.path(&format!("releases/v0.1.0/{NAME}.tar.gz"));
    let mut bytes = fs::read(&archive).unwrap();
    // The time in the header of gzip: the archive still unpacks.
    bytes[4] ^= 1;
    fs::write(&archive, bytes).unwrap();
    assert_refused(&desk, &[], "the checksum of wpatch-0.1.0-x86_64");
    fs::write(desk.path("releases/v0.1.0/SHA256SUMS"), "").unwrap();
    assert_refused(&desk, &[], "SHA256SUMS has no checksum of");
    fs::remove_file(desk.path("releases/v0.1.0/SHA256SUMS")).unwrap();
    assert_refused(&desk, &[], "cannot download file:///");
}

#[test]
fn each_system_has_its_archive() {
    let desk = releases();
    let systems = [
        ("Linux", "ARM64", "aarch64-unknown-linux-musl.tar.gz"),
        ("macOS", "ARM64", "aarch64-apple-darwin.tar.gz"),
        ("macOS", "X64", "x86_64-apple-darwin.tar.gz"),
        ("Windows", "X64", "x86_64-pc-windows-gnu.zip"),
        ("Windows", "ARM64", "x86_64-pc-windows-gnu.zip"),
    ];
    for (system, processor, name) in systems {
        let variables = [("RUNNER_OS", system), ("RUNNER_ARCH", processor)];
        assert_refused(&desk, &variables, &format!("/v0.1.0/wpatch-0.1.0-{name}\n"));
    }
    let targets = fs::read_to_string(Path::new(HOUSE).join("dist/targets")).unwrap();
    let is_built = |name: &str| targets.lines().any(|target| name.starts_with(target));
    assert!(
        systems.iter().all(|(_, _, name)| is_built(name)),
        "{targets}"
    );
    assert_refused(&desk, &[("RUNNER_ARCH", "X86")], "no release for Linux-X86");
    assert_refused(
        &desk,
        &[("WPATCH_VERSION", "../1")],
        "the input is not a version",
    );
}

#[test]
fn each_package_has_the_version_of_the_crate() {
    let version = env!("CARGO_PKG_VERSION");
    let printed = run(&mut Command::new(Path::new(HOUSE).join("dist/version")));
    assert_eq!(printed, format!("{version}\n"));
    let lines = [
        ("pyproject.toml", format!("version = \"{version}\"")),
        ("pyproject.toml", format!("\"wpatch=={version}\"")),
        ("package.json", format!("\"version\": \"{version}\"")),
        (".pre-commit-hooks.yaml", format!("[wpatch@{version}]")),
        (
            "bindings/node/package.json",
            format!("\"version\": \"{version}\""),
        ),
        (
            "bindings/python/Cargo.toml",
            format!("version = \"{version}\""),
        ),
    ];
    for (file, text) in lines {
        let content = fs::read_to_string(Path::new(HOUSE).join(file)).unwrap();
        assert!(content.contains(&text), "{file}: {text}");
    }
}
