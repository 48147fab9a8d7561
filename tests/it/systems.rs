//! What the users of other systems find here, a module for each system. The number in the name of a
//! test is that of the statement that it holds the program to.

mod adk_rust;
mod cheetahclaws;
mod claude_code;
mod claw;
mod codewhale;
mod codex;
mod oh_my_pi;
mod picoclaw;
mod reasonix;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

use fs_err as fs;
use serde_json::Value;
use tempfile::TempDir;

use crate::mcp;
use crate::tree;

/// A root with files, below a directory that is not the root's.
pub(crate) struct Desk {
    directory: TempDir,
}

impl Desk {
    /// Returns a root that holds `files`; a name may begin with `../`.
    pub(crate) fn with(files: &[(&str, &[u8])]) -> Self {
        let desk = Self {
            directory: TempDir::new().unwrap(),
        };
        fs::create_dir(desk.root()).unwrap();
        for (name, bytes) in files {
            fs::create_dir_all(desk.path(name).parent().unwrap()).unwrap();
            fs::write(desk.path(name), bytes).unwrap();
        }
        desk
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().join("root")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// Returns the contents of a file.
    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Runs the program with the root as its directory.
    pub(crate) fn runs(&self, arguments: &[&str], input: &[u8]) -> Output {
        runs(&self.root(), arguments, input)
    }

    /// Returns the document that the program prints, after comparing it with the schema that it is
    /// to keep to.
    pub(crate) fn says(&self, arguments: &[&str], input: &[u8]) -> Value {
        // The words after `--` are no options of the program.
        let end = arguments.iter().position(|word| *word == "--");
        let (options, rest) = arguments.split_at(end.unwrap_or(arguments.len()));
        let output = self.runs(&[options, &["--json"], rest].concat(), input);
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        let of_its_own = ["read", "list", "diff", "log", "policy"].contains(&arguments[0])
            && document["ok"] == true;
        let name = if of_its_own { arguments[0] } else { "report" };
        let schema = wpatch::report::SCHEMAS
            .iter()
            .find(|schema| schema.name == name)
            .unwrap();
        let schema = serde_json::from_str(&(schema.text)()).unwrap();
        assert!(
            jsonschema::is_valid(&schema, &document),
            "{arguments:?}: {document:#}"
        );
        document
    }

    /// Returns the results of calls of tools that a server answers.
    pub(crate) fn serves(&self, options: &[&str], calls: &[(&str, Value)]) -> Vec<Value> {
        let output = self.runs(
            &[&["mcp"], options].concat(),
            mcp::session(calls).as_bytes(),
        );
        mcp::results(&output, calls.len())
    }

    /// Returns the document of a success.
    ///
    /// # Panics
    ///
    /// If it is none.
    pub(crate) fn does(&self, arguments: &[&str], input: &[u8]) -> Value {
        let document = self.says(arguments, input);
        assert_eq!(document["ok"], true, "{arguments:?}: {document:#}");
        document
    }

    /// Returns the `error` of the document of a refusal.
    ///
    /// # Panics
    ///
    /// If it is none, is one of another kind, or has changed anything below the root or beside it.
    pub(crate) fn refuses(&self, kind: &str, arguments: &[&str], input: &[u8]) -> Value {
        let before = tree::read(self.directory.path());
        let document = self.says(arguments, input);
        assert_eq!(
            (&document["ok"], &document["changed"]),
            (&false.into(), &false.into()),
            "{document:#}"
        );
        assert_eq!(
            document["error"]["kind"], kind,
            "{arguments:?}: {document:#}"
        );
        assert_eq!(tree::read(self.directory.path()), before, "{arguments:?}");
        document["error"].clone()
    }
}

/// Returns some fields of a value, in the order in which they are named.
fn fields(value: &Value, names: &[&str]) -> Value {
    names.iter().map(|name| value[name].clone()).collect()
}

/// Runs the program in `directory`.
pub(crate) fn runs(directory: &Path, arguments: &[&str], input: &[u8]) -> Output {
    fed(&mut program(directory, arguments), input)
}

/// Returns the program with `directory` as its own.
pub(crate) fn program(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = crate::world::wpatch();
    // Whoever runs the tests may have a configuration.
    command
        .current_dir(directory)
        .args(arguments)
        .env("XDG_CONFIG_HOME", directory.join("../config"));
    command
}

/// Runs `command` with `input` as its standard input.
pub(crate) fn fed(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A server answers while it is written to. A program that has its text already does not read.
    thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().unwrap()
    })
}
