//! What the program is asked for: by the engine on a tree in memory, and by the command line on a
//! disk.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use fs_err as fs;
use serde_json::Value;
use wpatch::engine::options::{
    AppendMode, CellEdit, CellPosition, Edit, EditOrder, EditTarget, Interrupt, MatchMode,
    ReplaceCount, Replacement, Replacements, parse_edits,
};
use wpatch::engine::{self, FileEdit, Outcome, Request};
use wpatch::text::Span;
use wpatch::workspace::memory::Memory;

use crate::systems::fed;
use crate::world;

/// One way of saying a change.
#[derive(Debug)]
pub(super) struct Call {
    /// Its name, under which it is counted.
    pub(super) way: &'static str,
    pub(super) asks: Asks,
}

/// What is asked for, of a file by its path where it is no patch.
#[derive(Debug)]
pub(super) enum Asks {
    /// A patch in this format.
    Patch(&'static str, Vec<u8>),
    /// One edit.
    Edit(String, EditTarget, Vec<u8>),
    /// A list of edits.
    Edits(String, String, EditOrder),
    Write(String, Vec<u8>),
    Append(String, AppendMode, Vec<u8>),
    Notebook(String, CellEdit),
}

impl Call {
    /// Asks the engine.
    pub(super) fn on_memory(&self, memory: &Memory) -> Outcome {
        let (path, edit) = match &self.asks {
            Asks::Patch(format, patch) => {
                let mut request = Request::of(patch.clone());
                (*format).clone_into(&mut request.decide.format);
                return engine::apply(request, memory, &Interrupt::new());
            }
            Asks::Edit(path, target, new) => (
                path,
                replacements(vec![one(target, new)], EditOrder::Simultaneous),
            ),
            Asks::Edits(path, list, order) => (
                path,
                replacements(parse_edits(list.as_bytes()).unwrap().edits, *order),
            ),
            Asks::Write(path, bytes) => (path, Edit::Whole(Arc::new(bytes.clone().into()))),
            Asks::Append(path, ending, new) => (
                path,
                replacements(
                    vec![one(&EditTarget::End(*ending), new)],
                    EditOrder::Simultaneous,
                ),
            ),
            Asks::Notebook(path, edit) => (path, Edit::Cell(Box::new(edit.clone()))),
        };
        let makes = matches!(self.asks, Asks::Write(..) | Asks::Append(..));
        let edit = FileEdit {
            creates_missing: makes,
            ..FileEdit::of(path.as_str(), edit)
        };
        engine::apply(edit.into(), memory, &Interrupt::new())
    }

    /// Asks the program for it below `root`, and returns its report.
    pub(super) fn on_disk(&self, root: &Path) -> Value {
        let list = root.with_extension("edits");
        let mut command = world::wpatch();
        command.current_dir(root).args(self.arguments(&list)).args([
            "--json",
            "--durability",
            "none",
        ]);
        let input: &[u8] = match &self.asks {
            Asks::Patch(_, bytes) | Asks::Write(_, bytes) | Asks::Append(_, _, bytes) => bytes,
            Asks::Edits(_, text, _) => {
                fs::write(&list, text).unwrap();
                b""
            }
            Asks::Edit(..) | Asks::Notebook(..) => b"",
        };
        serde_json::from_slice(&fed(&mut command, input).stdout).unwrap()
    }

    fn arguments(&self, list: &Path) -> Vec<OsString> {
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let mut arguments = match &self.asks {
            Asks::Patch(format, _) => words(&["apply", "--format", format]),
            Asks::Edit(path, ..) => words(&["edit", path]),
            Asks::Edits(path, _, EditOrder::Sequential) => {
                words(&["edit", path, "--sequential", "--edits"])
            }
            Asks::Edits(path, ..) => words(&["edit", path, "--edits"]),
            Asks::Write(path, _) => words(&["write", path, "--overwrite"]),
            Asks::Append(path, AppendMode::Bytes, _) => words(&["append", path]),
            Asks::Append(path, _, _) => words(&["append", path, "--line"]),
            Asks::Notebook(path, edit) => notebook(path, edit),
        };
        match &self.asks {
            Asks::Edits(..) => arguments.push(list.into()),
            Asks::Edit(_, target, new) => {
                arguments.extend(options(target));
                arguments.extend(["--new".into(), world::path_of(new).into()]);
            }
            _ => {}
        }
        arguments
    }
}

fn one(target: &EditTarget, new: &[u8]) -> Replacement {
    Replacement {
        target: target.clone(),
        new: new.to_vec(),
        span: Span::default(),
        index: None,
        line: None,
    }
}

fn replacements(edits: Vec<Replacement>, order: EditOrder) -> Edit {
    Edit::Replacements(Box::new(Replacements {
        edits,
        order,
        match_mode: MatchMode::Exact,
    }))
}

fn options(target: &EditTarget) -> Vec<OsString> {
    let bytes = |bytes: &[u8]| world::path_of(bytes).into_os_string();
    match target {
        EditTarget::Text {
            old,
            times: ReplaceCount::Once,
        } => vec!["--old".into(), bytes(old)],
        EditTarget::Text {
            old,
            times: ReplaceCount::All,
        } => vec!["--all".into(), "--old".into(), bytes(old)],
        EditTarget::Range { from, to } => {
            vec!["--from".into(), bytes(from), "--to".into(), bytes(to)]
        }
        EditTarget::After(line) => vec!["--insert-after".into(), line.to_string().into()],
        EditTarget::Before(line) => vec!["--insert-before".into(), line.to_string().into()],
        _ => panic!("no option of `edit`: {target:?}"),
    }
}

fn notebook(path: &str, edit: &CellEdit) -> Vec<OsString> {
    let words: Vec<&str> = match edit {
        CellEdit::Replace { cell, kind, source } => {
            let kind = kind.map(|kind| ["--type", kind.name()]);
            [
                &["replace", path, "--cell", cell, "--source", source][..],
                kind.as_ref().map_or(&[], |kind| &kind[..]),
            ]
            .concat()
        }
        CellEdit::Insert {
            place,
            kind,
            source,
            id,
        } => {
            let place: &[&str] = match place {
                CellPosition::Start => &["--at", "start"],
                CellPosition::End => &["--at", "end"],
                CellPosition::After(cell) => &["--cell", cell],
                _ => panic!("no option of `notebook`: {place:?}"),
            };
            let id = id.as_ref().map(|id| ["--new-id", id.as_str()]);
            let what = ["insert", path, "--type", kind.name(), "--source", source];
            [&what[..], place, id.as_ref().map_or(&[], |id| &id[..])].concat()
        }
        CellEdit::Delete { cell } => vec!["delete", path, "--cell", cell],
        _ => panic!("no option of `notebook`: {edit:?}"),
    };
    std::iter::once("notebook")
        .chain(words)
        .map(OsString::from)
        .collect()
}
