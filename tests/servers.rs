//! Changes judged by real language servers. `.ci/servers` installs them; `cargo test --test
//! servers` runs this.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fs_err as fs;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A root beside the configuration that names the servers.
struct Place(TempDir);

impl Place {
    fn with(files: &[(&str, &str)]) -> Self {
        let place = Self(TempDir::new().unwrap());
        place.configure(&[
            ("pyright", &[".bin/pyright-langserver"], "*.py"),
            ("typescript", &[".bin/typescript-language-server"], "*.ts"),
        ]);
        fs::create_dir(place.root()).unwrap();
        for (name, text) in files {
            fs::write(place.root().join(name), text).unwrap();
        }
        place
    }

    /// Configures servers: the name, the program below `node_modules` with its arguments except the
    /// last, and the files.
    fn configure(&self, servers: &[(&str, &[&str], &str)]) {
        let mut configuration = String::new();
        for (name, command, files) in servers {
            let mut words = vec![json!(installed(command[0]))];
            words.extend(command[1..].iter().map(|word| json!(word)));
            words.push(json!("--stdio"));
            let command = Value::from(words);
            configuration += &format!(
                "[[server]]\nname = \"{name}\"\nfiles = [\"{files}\"]\ncommand = {command}\n"
            );
        }
        fs::create_dir_all(self.0.path().join("config/wpatch")).unwrap();
        fs::write(
            self.0.path().join("config/wpatch/config.toml"),
            configuration,
        )
        .unwrap();
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("root")
    }

    fn report(&self, command: &str, patch: &str) -> Value {
        self.report_with(command, &[], patch)
    }

    fn report_with(&self, command: &str, options: &[&str], patch: &str) -> Value {
        let mut child = Command::new(env!("CARGO_BIN_EXE_wpatch"))
            .args([
                command,
                "--json",
                "--diagnostics=deny",
                "--diagnostics-timeout=5m",
            ])
            .args(options)
            .current_dir(self.root())
            .env("XDG_CONFIG_HOME", self.0.path().join("config"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(patch.as_bytes())
            .unwrap();
        serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap()
    }
}

fn installed(program: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("target/servers/node_modules")
        .join(program);
    assert!(
        path.exists(),
        "{} is not there: run .ci/servers first",
        path.display()
    );
    path
}

/// Returns the rules and places of what is new, and how the command ended.
fn told(report: &Value) -> Value {
    let new = report["diagnostics"]["new"]
        .as_array()
        .unwrap_or_else(|| panic!("{report:#}"))
        .iter();
    let new: Vec<_> = new
        .map(|it| json!([it["path"], it["line"], it["severity"], it["code"]]))
        .collect();
    json!([report["exit_code"], new, report["diagnostics"]["fixed"]])
}

const PYTHON: &str = "def f(x: int) -> int:\n    return x\n\n\ny: str = f(1)\nf(2)\n";
const TYPESCRIPT: &str =
    "export function f(x: number): number {\n  return x;\n}\nconst y: string = f(1);\n";

#[test]
fn errors_that_a_change_brings_are_denied_and_those_that_only_moved_are_not() {
    let python = "--- a/a.py\n+++ b/a.py\n@@ -1,6 +1,7 @@\n+import os\n def f(x: int) -> int:\n     return x\n \n \n y: str = f(1)\n-f(2)\n+f(NEW)\n";
    let typescript = "--- a/a.ts\n+++ b/a.ts\n@@ -1,4 +1,5 @@\n+export const z = f(NEW);\n export function f(x: number): number {\n   return x;\n }\n const y: string = f(1);\n";
    let patch = [python, typescript].concat();
    for command in ["check", "apply"] {
        let place = Place::with(&[
            ("a.py", PYTHON),
            ("a.ts", TYPESCRIPT),
            ("tsconfig.json", "{}"),
        ]);
        let worse = place.report(command, &patch.replace("NEW", "\"2\""));
        let new = json!([
            ["a.py", 7, "error", "reportArgumentType"],
            ["a.ts", 1, "error", "2345"]
        ]);
        assert_eq!(told(&worse), json!([3, new, 0]), "{worse:#}");
        assert_eq!(
            fs::read_to_string(place.root().join("a.py")).unwrap(),
            PYTHON
        );
        let fine = place.report(command, &patch.replace("NEW", "2"));
        assert_eq!(told(&fine), json!([0, [], 0]), "{fine:#}");
    }
}

#[test]
fn a_change_that_brings_what_it_needs_is_applied_and_one_that_takes_it_away_is_not() {
    let makes = "--- /dev/null\n+++ b/m.py\n@@ -0,0 +1 @@\n+k = 1\n--- /dev/null\n+++ b/m.ts\n@@ -0,0 +1 @@\n+export const k = 1;\n";
    let uses = "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,4 @@\n+from m import k\n def f(x: int) -> int:\n     return x\n \n--- a/a.ts\n+++ b/a.ts\n@@ -1,3 +1,4 @@\n+import { k } from \"./m\";\n export function f(x: number): number {\n   return x;\n }\n";
    let place = Place::with(&[
        ("a.py", PYTHON),
        ("a.ts", TYPESCRIPT),
        ("tsconfig.json", "{}"),
    ]);
    let applied = place.report("apply", &[makes, uses].concat());
    let errors = |report: &Value| report["diagnostics"]["errors"].clone();
    assert_eq!(
        json!([applied["ok"], errors(&applied)]),
        json!([true, 0]),
        "{applied:#}"
    );

    let gone = "--- a/m.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-k = 1\n--- a/m.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-export const k = 1;\n";
    let touched = "--- a/a.py\n+++ b/a.py\n@@ -5,3 +5,3 @@\n \n y: str = f(1)\n-f(2)\n+f(3)\n--- a/a.ts\n+++ b/a.ts\n@@ -3,3 +3,3 @@\n   return x;\n }\n-const y: string = f(1);\n+const y: string = f(1); // k\n";
    let refused = place.report("apply", &[gone, touched].concat());
    let new = refused["diagnostics"]["new"]
        .as_array()
        .unwrap_or_else(|| panic!("{refused:#}"));
    let places: Vec<_> = new
        .iter()
        .map(|it| json!([it["path"], it["line"], it["code"]]))
        .collect();
    assert!(
        places.contains(&json!(["a.py", 1, "reportMissingImports"])),
        "{refused:#}"
    );
    assert!(places.contains(&json!(["a.ts", 1, "2307"])), "{refused:#}");
    assert!(place.root().join("m.py").exists() && refused["outcome"] == "refused");
}

#[test]
fn an_unchanged_file_that_depends_on_the_change_is_checked() {
    let patch = "--- a/a.ts\n+++ b/a.ts\n@@ -1,3 +1,3 @@\n-export function f(x: number): number {\n-  return x;\n+export function f(x: string): number {\n+  return x.length;\n }\n";
    // `typescript-language-server` does not publish the diagnostics of a file that has none before and
    // after the change, so each file has the hint about an unused name.
    let user = "import { f } from \"./a\";\nf(1);\nconst unused = 1;\n";
    let own = "export function f(x: number): number {\n  return x;\n}\nconst unused = 1;\n";
    let place = Place::with(&[("a.ts", own), ("b.ts", user), ("tsconfig.json", "{}")]);
    for (name, command) in [
        ("typescript", &[".bin/typescript-language-server"][..]),
        ("typescript 7", &["typescript7/bin/tsc", "--lsp"]),
    ] {
        place.configure(&[(name, command, "*.ts")]);
        for command in ["check", "apply"] {
            let report = place.report_with(command, &["--diagnostics-also=*.ts"], patch);
            let new = json!([["b.ts", 2, "error", "2345"]]);
            assert_eq!(told(&report), json!([3, new, 0]), "{name} {report:#}");
        }
        let report = place.report("check", patch);
        assert_eq!(told(&report), json!([0, [], 0]), "{name} {report:#}");
    }
}
