//! Taking changes back, and taking that back: from entries of the history to a plan like any other.

use super::problems::half_made;
use super::{Outcome, Run};
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::plan::{Action, Direction, Edit, Guard, Input, Operation, Restore};
use crate::preflight::{self, Problem, code};
use crate::report;
use crate::text::Span;
use crate::transaction::history::{Chain, Entry, EntryFile, Label, Old, Version, entries};
use crate::transaction::{self, Failure, Interrupt};
use crate::workspace::Workspace;

/// What is to be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// So many of the last changes that hold.
    Last(usize),
    /// The change with this name, or whose name begins so.
    Entry(String),
    /// The last taking back.
    Undo,
}

/// A wish to take changes back.
#[derive(Clone, Debug)]
pub struct UndoRequest {
    /// Which.
    pub target: Target,
    /// Whether what others did since goes with it.
    pub force: bool,
    /// Whether it is only said what would be done; nothing is locked or written then.
    pub is_dry_run: bool,
    /// How the tree is looked at.
    pub preflight: preflight::Options,
    /// How the change is committed.
    pub transaction: transaction::Options,
}

impl UndoRequest {
    /// Returns the wish to take `target` back, with the defaults of the program.
    #[must_use]
    pub fn of(target: Target) -> Self {
        Self {
            target,
            force: false,
            is_dry_run: false,
            preflight: preflight::Options::default(),
            transaction: transaction::Options::default(),
        }
    }
}

/// Takes changes back as a whole, or leaves the tree as it was and says why.
///
/// It is a transaction like any other: guarded by the contents that the changes left, journaled, and an entry of the
/// history itself, so that it can be taken back too.
pub fn undo(request: &UndoRequest, workspace: &dyn Workspace, interrupt: &Interrupt) -> Outcome {
    let command = if request.target == Target::Undo { "redo" } else { "undo" };
    let success = if request.is_dry_run { report::Outcome::WouldApply } else { report::Outcome::Applied };
    let mut run = Run::new(command, success);
    run.is_described = request.preflight.describe;
    if let Err(failure) = run.take_back(request, workspace, interrupt) {
        run.fail(&failure);
    }
    run.finish()
}

impl Run {
    fn take_back(
        &mut self,
        request: &UndoRequest,
        workspace: &dyn Workspace,
        interrupt: &Interrupt,
    ) -> Result<(), Failure> {
        let options = preflight::Options { overwrite: request.force, ..request.preflight.clone() };
        if request.is_dry_run {
            if transaction::examine(workspace)? {
                self.problems.push(half_made());
            }
            if self.plan_back(request, workspace)?.is_some() {
                let resolution = preflight::resolve(&self.plan, workspace, &options, &crate::change::Dropped)?;
                self.resolved(resolution, None);
            }
            return Ok(());
        }
        let (transaction, recovered) = transaction::Transaction::begin(workspace, request.transaction, interrupt)?;
        self.recovered = recovered;
        let Some(chosen) = self.plan_back(request, workspace)? else { return Ok(()) };
        let resolution = preflight::resolve(&self.plan, workspace, &options, &transaction)?;
        self.resolved(resolution, None);
        if self.is_refused() {
            return Ok(());
        }
        // What an older change took away stood there before all the others.
        let directories = chosen.iter().flat_map(|entry| entry.removed.clone()).collect();
        let undoes = chosen.into_iter().map(|entry| entry.id).collect();
        let label = Label { command: self.command.to_owned(), undoes };
        self.committed(transaction.labelled(label).with_directories(directories).commit(interrupt)?);
        Ok(())
    }

    /// Makes the plan, and returns the entries that it takes back, the newest first; `None` if that is none.
    fn plan_back(&mut self, request: &UndoRequest, workspace: &dyn Workspace) -> Result<Option<Vec<Entry>>, Failure> {
        let all = entries(workspace)?;
        let chosen = match choose(&all, &request.target) {
            Ok(chosen) => chosen,
            Err(why) => {
                let help =
                    Some("`wpatch log` lists what can be taken back; `wpatch init` makes a place for it".to_owned());
                self.problems.push(Problem { help, ..Problem::new(&code::NOTHING_TO_UNDO, why) });
                return Ok(None);
            }
        };
        for (step, entry) in chosen.iter().enumerate() {
            let input = Input {
                name: entry.id.clone(),
                formats: vec!["history"],
                sections: entry.files.len(),
                ..Input::default()
            };
            self.plan.inputs.push(input);
            let way = Back { entry, step, is_forced: request.force, workspace };
            self.plan.operations.extend(way.operations()?);
            self.problems.extend(lost(entry));
            self.problems.extend(way.blocked()?);
        }
        Ok(Some(chosen.into_iter().cloned().collect()))
    }
}

/// Returns the entries to take back, the newest first, or why there are none.
fn choose<'e>(all: &'e [Entry], target: &Target) -> Result<Vec<&'e Entry>, String> {
    let chain = Chain::of(all);
    let heads = || all.iter().filter(|entry| chain.is_head(entry));
    match target {
        Target::Last(count) => {
            let chosen: Vec<_> = heads().filter(|entry| chain.holds(entry)).take(*count).collect();
            match chosen.len() {
                0 => Err("there is no change to take back".to_owned()),
                found if found < *count => Err(format!("the history has only {found} changes to take back")),
                _ => Ok(chosen),
            }
        }
        Target::Undo => {
            // What was redone a moment ago is passed over; a new change ends it.
            let mut heads = heads().skip_while(|entry| chain.holds(entry) && !entry.label.undoes.is_empty());
            let last = heads.next().filter(|entry| !chain.holds(entry));
            last.map(|entry| vec![entry]).ok_or_else(|| "the last change took nothing back".to_owned())
        }
        Target::Entry(name) => {
            let mut named = all.iter().filter(|entry| entry.id.starts_with(name.as_str()));
            let (Some(entry), None) = (named.next(), named.next()) else {
                return Err(format!("no change, or more than one, has a name that begins with {name}"));
            };
            let head = chain.head(entry);
            if chain.holds(head) == chain.holds(entry) {
                Ok(vec![head])
            } else {
                Err(format!("{} was taken back already", entry.id))
            }
        }
    }
}

/// The files whose old contents are nowhere.
fn lost(entry: &Entry) -> impl Iterator<Item = Problem> + '_ {
    entry.files.iter().filter(|file| file.old == Old::Lost).map(|file| Problem {
        path: Some(file.path.clone()),
        ..Problem::new(&code::NOTHING_TO_UNDO, format!("the history does not have the old contents of {}", file.path))
    })
}

/// The way back from one entry.
struct Back<'a> {
    entry: &'a Entry,
    step: usize,
    is_forced: bool,
    workspace: &'a dyn Workspace,
}

impl Back<'_> {
    fn operations(&self) -> Result<Vec<Operation>, Failure> {
        let mut operations = Vec::new();
        for file in &self.entry.files {
            self.file(file, &mut operations)?;
        }
        self.directories(&mut operations)?;
        Ok(operations)
    }

    /// Adds what brings one file back.
    fn file(&self, file: &EntryFile, operations: &mut Vec<Operation>) -> Result<(), Failure> {
        let guard = |version: Option<Version>| match version {
            _ if self.is_forced => Guard::Anything,
            Some(version) => {
                let bits = version.permissions.filter(|_| version.kind == FileKind::Regular);
                Guard::Contents(version.digest, bits)
            }
            None => Guard::Nothing,
        };
        let here = self.here(file)?;
        let plain = Operation { guard: Some(guard(file.after)), ..self.operation(Action::Modify, &file.path) };
        match (&file.old, file.before) {
            (Old::MovedTo(to), Some(before)) => {
                if let Some(kind) = here.filter(|_| !self.is_moved_here(&file.path)) {
                    operations.push(Operation {
                        action: Action::Delete,
                        old_mode: Some(of_kind(kind)),
                        ..plain.clone()
                    });
                }
                let there = self.entry.files.iter().find(|other| other.path == *to).and_then(|other| other.after);
                operations.push(Operation {
                    from: Some(to.clone()),
                    guard: Some(guard(there)),
                    old_mode: there.map(mode),
                    permissions: before.permissions.filter(|_| before.kind == FileKind::Regular),
                    ..self.operation(Action::Rename, &file.path)
                });
            }
            (Old::Kept(from), Some(before)) => {
                let edit = Edit::Restore(Restore { from: from.clone(), kind: before.kind, digest: before.digest });
                let permissions = before.permissions.filter(|_| before.kind == FileKind::Regular);
                let back = Operation { edit, permissions, new_mode: Some(mode(before)), ..plain.clone() };
                match here {
                    Some(kind) if kind == before.kind => {
                        operations.push(Operation { old_mode: Some(mode(before)), ..back });
                    }
                    None => operations.push(Operation { action: Action::Create, ..back }),
                    Some(kind) => {
                        operations.push(Operation { action: Action::Delete, old_mode: Some(of_kind(kind)), ..plain });
                        operations.push(Operation { action: Action::Create, guard: Some(Guard::Anything), ..back });
                    }
                }
            }
            (Old::None, Some(before)) => {
                operations.push(Operation { permissions: before.permissions, ..plain });
            }
            (Old::None, None) if !self.is_moved_here(&file.path) => {
                if let Some(kind) = here {
                    operations.push(Operation { action: Action::Delete, old_mode: Some(of_kind(kind)), ..plain });
                } else if !self.is_forced {
                    operations.push(Operation { action: Action::Delete, ..plain });
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns what not even force goes over: where a file was, somebody has made a directory and put something into it.
    fn blocked(&self) -> Result<Vec<Problem>, Failure> {
        let mut problems = Vec::new();
        for file in self.entry.files.iter().filter(|_| self.is_forced) {
            let is_directory = self.here(file)? == Some(FileKind::Directory);
            if is_directory && !self.workspace.list(Some(&file.path))?.is_empty() {
                let problem = Problem::new(&code::CONFLICT, "a directory with something in it is there now");
                problems.push(Problem { path: Some(file.path.clone()), ..problem });
            }
        }
        Ok(problems)
    }

    /// Returns the type of what is to be replaced: what the entry left there, or what stands there now.
    fn here(&self, file: &EntryFile) -> Result<Option<FileKind>, Failure> {
        if !self.is_forced {
            return Ok(file.after.map(|after| after.kind));
        }
        Ok(self.workspace.stat(&file.path)?.map(|stat| stat.kind))
    }

    fn is_moved_here(&self, path: &RelPath) -> bool {
        self.entry.files.iter().any(|other| matches!(&other.old, Old::MovedTo(to) if to == path))
    }

    /// Adds the directories that no file brings along: those that were made empty go, those that went empty come back,
    /// and those that only the entry put something into stay.
    fn directories(&self, operations: &mut Vec<Operation>) -> Result<(), Failure> {
        let is_above = |directory: &&RelPath, file: &EntryFile| file.path.is_below(directory);
        let is_empty = |directory: &&RelPath, side: fn(&EntryFile) -> bool| {
            !self.entry.files.iter().any(|file| side(file) && is_above(directory, file))
        };
        let submodule = Some(FileMode::Submodule);
        for path in self.entry.made.iter().rev().filter(|path| is_empty(path, |file| file.after.is_some())) {
            operations.push(Operation { old_mode: submodule, ..self.operation(Action::Delete, path) });
        }
        for path in self.entry.removed.keys().filter(|path| is_empty(path, |file| file.before.is_some())) {
            operations.push(Operation { new_mode: submodule, ..self.operation(Action::Create, path) });
        }
        let goes = |file: &EntryFile| file.before.is_none() && file.after.is_some();
        let mut parents: Vec<_> =
            self.entry.files.iter().filter(|file| goes(file)).filter_map(|file| file.path.parent()).collect();
        parents.dedup();
        let is_needed =
            |parent: &RelPath| self.entry.made.contains(parent) || !is_empty(&parent, |file| file.before.is_some());
        for parent in parents.into_iter().filter(|parent| !is_needed(parent)) {
            let is_gone = |name: &Vec<u8>| {
                let path = parent.join(name);
                path.is_ok_and(|path| self.entry.files.iter().any(|file| goes(file) && file.path == path))
            };
            let is_directory = self.workspace.stat(&parent)?.is_some_and(|stat| stat.kind == FileKind::Directory);
            if is_directory && self.workspace.list(Some(&parent))?.iter().all(is_gone) {
                operations.push(Operation { new_mode: submodule, ..self.operation(Action::Create, &parent) });
            }
        }
        Ok(())
    }

    fn operation(&self, action: Action, path: &RelPath) -> Operation {
        Operation {
            action,
            path: path.clone(),
            from: None,
            edit: Edit::Keep,
            old_mode: None,
            new_mode: None,
            blobs: None,
            input: self.step,
            span: Span::default(),
            step: self.step,
            direction: Direction::Forward,
            tells_missing: true,
            guard: None,
            permissions: None,
            expected: None,
        }
    }
}

fn mode(version: Version) -> FileMode {
    match version.kind {
        FileKind::Regular if version.permissions.is_some_and(|bits| bits & 0o100 != 0) => FileMode::Executable,
        kind => of_kind(kind),
    }
}

fn of_kind(kind: FileKind) -> FileMode {
    match kind {
        FileKind::Symlink => FileMode::Symlink,
        FileKind::Directory => FileMode::Submodule,
        FileKind::Regular | FileKind::Special => FileMode::Regular,
    }
}
