//! Cases through the engine on a tree in memory, and through the binary on a disk.

use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use fs_err as fs;
use jsonschema::Validator;
use serde_json::Value;
use wpatch::engine::{self, Decide, Outcome, Request};
use wpatch::guard::GUARDS;
use wpatch::mode::FileKind;
use wpatch::plan::FilterRule;
use wpatch::preflight::WhitespaceAction;
use wpatch::text::Bytes;
use wpatch::transaction;
use wpatch::transaction::{Durability, Interrupt};
use wpatch::workspace::Workspace;
use wpatch::workspace::memory::{Entry, Memory};

use crate::case::Settings;
use crate::systems::fed;
use crate::tree::{Node, Tree};

/// Returns a tree in memory.
pub(crate) fn memory(tree: &Tree) -> Memory {
    let entry = |node: &Node| match node {
        Node::File {
            bytes,
            is_executable: false,
        } => Entry::file(bytes.clone()),
        Node::File {
            bytes,
            is_executable: true,
        } => Entry::executable(bytes.clone()),
        Node::Link(target) => Entry::link(target.clone()),
        Node::Directory => Entry::directory(),
    };
    Memory::with_files(tree.iter().map(|(path, node)| (path.clone(), entry(node))))
}

/// Returns what is in `memory`, without the state directory.
pub(crate) fn tree(memory: &Memory) -> Tree {
    let entries = memory.entries();
    let is_parent = |path: &wpatch::path::RelPath| entries.keys().any(|other| other.is_below(path));
    let is_state = |path: &[u8]| {
        [&b".wpatch"[..], b".git/wpatch"]
            .iter()
            .any(|state| path.starts_with(state))
    };
    let node = |entry: &Entry| match entry.kind {
        FileKind::Regular => Node::File {
            bytes: entry.contents.clone(),
            is_executable: entry.mode & 0o100 != 0,
        },
        FileKind::Symlink => Node::Link(entry.contents.clone()),
        _ => Node::Directory,
    };
    let kept = entries
        .iter()
        .filter(|(path, _)| !is_state(path.as_bytes()));
    let kept = kept.filter(|(path, entry)| entry.kind != FileKind::Directory || !is_parent(path));
    kept.map(|(path, entry)| (path.clone(), node(entry)))
        .collect()
}

/// Runs `check` on a tree and returns its report.
pub(crate) fn check(tree: &dyn Workspace, patch: &[u8], settings: &Settings) -> Value {
    told(&engine::check(request(patch, settings), tree))
}

/// Runs `apply` on a tree and returns its report.
pub(crate) fn apply(tree: &dyn Workspace, patch: &[u8], settings: &Settings) -> Value {
    applied(tree, request(patch, settings))
}

/// Runs `apply` as `request` says, and returns its report.
pub(crate) fn applied(tree: &dyn Workspace, request: Request) -> Value {
    told(&engine::apply(request, tree, &Interrupt::new()))
}

/// Runs the binary with `command` on the tree at `root` and returns its report.
///
/// # Panics
///
/// If what it prints is not one report, or its exit code is another than the report's.
pub(crate) fn binary(command: &str, root: &Path, patch: &[u8], settings: &Settings) -> Value {
    let mut program = crate::world::wpatch();
    program
        .arg(command)
        .args(["--json", "--with-diff", "--durability", "none", "--root"])
        .arg(root)
        .args(settings.arguments())
        .args(settings.own_arguments());
    let output = fed(&mut program, patch);
    let text = String::from_utf8(output.stdout).unwrap();
    let report =
        valid(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")));
    assert_eq!(
        report["exit_code"].as_i64(),
        output.status.code().map(i64::from),
        "{text}"
    );
    report
}

/// Returns `report` if it keeps to the published schema.
///
/// # Panics
///
/// If it does not.
pub(crate) fn valid(report: Value) -> Value {
    static SCHEMA: OnceLock<Validator> = OnceLock::new();
    let schema = SCHEMA.get_or_init(|| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammar/report.schema.json");
        jsonschema::validator_for(&serde_json::from_slice(&fs::read(path).unwrap()).unwrap())
            .unwrap()
    });
    let errors: Vec<_> = schema
        .iter_errors(&report)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}\n{report:#}");
    report
}

fn told(outcome: &Outcome) -> Value {
    valid(serde_json::to_value(&outcome.report).unwrap())
}

/// Returns the request to apply `patch` in lenient mode.
pub(crate) fn lenient(patch: impl Into<Bytes>) -> Request {
    let mut request = Request::of(patch);
    request.decide = Decide {
        lenient: true,
        roots: vec![b"/srv/tree".to_vec()],
        ..Decide::default()
    };
    request
}

/// Returns the request to apply `patch` with `settings`.
pub(crate) fn request(patch: &[u8], settings: &Settings) -> Request {
    let defaults = Decide::default();
    let excludes = settings
        .exclude
        .iter()
        .map(|pattern| filter(pattern, false));
    let includes = settings.include.iter().map(|pattern| filter(pattern, true));
    let mut request = Request::of(patch);
    request.decide = Decide {
        format: settings.format.clone().unwrap_or(defaults.format),
        recount: settings.recount,
        strict_input: settings.strict_input,
        lenient: settings.lenient,
        strip: settings.strip,
        directory: settings.directory.clone().unwrap_or_default().into_bytes(),
        filters: excludes.chain(includes).collect(),
        reverse: settings.reverse,
        roots: if settings.lenient {
            vec![b"/srv/tree".to_vec()]
        } else {
            Vec::new()
        },
        context: settings.context,
        fuzz: settings.fuzz.unwrap_or(0),
        unidiff_zero: settings.unidiff_zero,
        whitespace: settings
            .whitespace
            .as_deref()
            .and_then(|name| WhitespaceAction::from_name(name.as_bytes())),
        ignore_whitespace: Some(settings.ignore_whitespace),
        inaccurate_eof: settings.inaccurate_eof,
        unique: settings.unique,
        overwrite: settings.overwrite,
        guards: GUARDS
            .iter()
            .filter(|guard| settings.guard.iter().any(|name| name == guard.name))
            .collect(),
        max_files: settings.max_files.unwrap_or(defaults.max_files),
        max_hunks: settings.max_hunks.unwrap_or(defaults.max_hunks),
        max_file: settings.max_file.unwrap_or(defaults.max_file),
        max_ratio: settings.max_ratio.unwrap_or(defaults.max_ratio),
        max_growth: settings.max_growth.unwrap_or(defaults.max_growth),
        ..defaults
    };
    request.look.describe = true;
    request.commit.transaction = transaction::Options {
        durability: Durability::None,
        lock_timeout: Duration::ZERO,
        ..transaction::Options::default()
    };
    request
}

fn filter(pattern: &str, takes: bool) -> FilterRule {
    FilterRule::new(takes, pattern).unwrap()
}
