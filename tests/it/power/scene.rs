//! A run of the program under strace on a real directory, and the trees that a loss of power leaves
//! in its place.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use fs_err as fs;
use wpatch::transaction::{Durability, Options, recover};
use wpatch::workspace::disk::Disk;

use crate::faults::scene::program;

use super::drafts::Draft;
use super::model::{Model, Tree, tree};
use super::states::{Bound, survivors};
use super::trace::{Step, steps};
use trees::{lasting, listed, read, without_inodes};

mod roots;
mod trees;

/// Where files are kept in memory on most systems.
const MEMORY: &str = "/dev/shm";
/// One state in so many is recovered by the program too.
const BY_PROGRAM: usize = 100;

/// One run, recorded.
pub(super) struct Scene {
    _directory: tempfile::TempDir,
    root: PathBuf,
    place: Place,
    pub(super) name: String,
    /// What the program is told, and the code that it ends with when nothing fails.
    words: Vec<&'static str>,
    code: i32,
    umask: u32,
    /// What was there when the recording began, all of it durable.
    before: Tree,
    /// What a success leaves, and what this run has left.
    success: Tree,
    after: Tree,
    pub(super) steps: Vec<Step>,
    /// The first step behind which the power is cut.
    start: usize,
    /// What recovery makes of a state.
    verdicts: RefCell<HashMap<Tree, Result<Tree, String>>>,
}

/// What came of a check.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// How many states were looked at, moment by moment.
    pub(super) states: usize,
    /// Whether they were all that there are.
    pub(super) is_complete: bool,
    /// The first that ended wrong.
    pub(super) bad: Option<String>,
}

/// Where the run is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Plain,
    Git,
    /// The directories [`ROOTS`] are the roots of one change.
    Roots,
}

impl Scene {
    /// Lays the tree of `draft` and records how the patch is applied.
    pub(super) fn apply(draft: &Draft, place: Place, arguments: &[&str]) -> Self {
        let mut scene = Self::lay(draft, place);
        (scene.steps, _) = scene.record(&[&scene.words, arguments].concat(), &[], Some(scene.code));
        scene.finish()
    }

    /// Lays the tree of `draft` in a repository, applies its patch to an edit session, and records
    /// how the session is committed.
    pub(super) fn session(draft: &Draft) -> Self {
        let mut scene = Self::lay(draft, Place::Git);
        let step = [scene.words.as_slice(), &["--in", "0"]].concat();
        for words in [&["begin"][..], &step] {
            let output = scene.run(program(), words);
            assert!(output.status.success(), "{}: {output:?}", scene.name);
        }
        // The session is there when the recording begins; whether it is left does not matter.
        scene.before = read(&scene.root);
        scene.success = lasting(scene.before.clone());
        scene.words = vec!["commit", "0"];
        scene.name = format!("{}, a session", scene.name);
        (scene.steps, _) = scene.record(&scene.words, &[], Some(scene.code));
        scene.finish()
    }

    /// As [`Scene::apply`], but sync number `number` of those by `call` fails; `None` if there are
    /// fewer.
    pub(super) fn with_failed_sync(
        draft: &Draft,
        place: Place,
        (call, number): (&str, usize),
    ) -> Option<Self> {
        let mut scene = Self::lay_again(draft, place);
        let fault = format!("inject={call}:error=EIO:when={number}");
        (scene.steps, _) = scene.record(&scene.words, &["-e", &fault], None);
        let is_failed = |step: &Step| matches!(step, Step::FailedSync(_) | Step::FailedSyncAll);
        let is_met = scene.steps.iter().any(is_failed);
        scene.name = format!("{}, {call} {number} fails", scene.name);
        is_met.then(|| scene.finish())
    }

    /// Lays the tree, kills the program at call number `number` of the name `call`, and records
    /// that and the recovery; `None` if there are fewer.
    pub(super) fn recovery(
        draft: &Draft,
        place: Place,
        (call, number): (&str, usize),
    ) -> Option<Self> {
        let mut scene = Self::lay_again(draft, place);
        let fault = format!("inject={call}:signal=KILL:when={number}");
        let is_killed;
        (scene.steps, is_killed) = scene.record(&scene.words, &["-e", &fault], None);
        if !is_killed {
            return None;
        }
        scene.start = scene.steps.len();
        scene
            .steps
            .extend(scene.record(&["recover"], &[], Some(0)).0);
        scene.name = format!("{}, killed at {call} {number}", scene.name);
        Some(scene.finish())
    }

    /// Lays the tree of `draft` when it is known what becomes of it.
    fn lay_again(draft: &Draft, place: Place) -> Self {
        let first = Self::lay(draft, place);
        let output = first.run(program(), &[&first.words, first.each_root()].concat());
        assert_eq!(
            output.status.code(),
            Some(first.code),
            "{}: {output:?}",
            first.name
        );
        Self {
            success: lasting(read(&first.root)),
            ..Self::lay(draft, place)
        }
    }

    fn lay(draft: &Draft, place: Place) -> Self {
        // Thousands of trees are laid, and no power is going to fail really: memory does, where it
        // is a file system.
        let directory = tempfile::tempdir_in(MEMORY)
            .or_else(|_| tempfile::tempdir())
            .unwrap();
        let root = fs::canonicalize(directory.path()).unwrap().join("root");
        fs::create_dir(&root).unwrap();
        let umask = 0o777 & !fs::metadata(&root).unwrap().mode();
        fs::write(directory.path().join("patch"), &draft.patch).unwrap();
        if place == Place::Git {
            fs::create_dir(root.join(".git")).unwrap();
            fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        }
        for (path, mode, contents) in &draft.files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, contents).unwrap();
            fs::set_permissions(&path, std::fs::Permissions::from_mode(*mode)).unwrap();
        }
        for (path, target) in &draft.links {
            symlink(target, root.join(path)).unwrap();
        }
        let (name, before) = (format!("{} ({place:?})", draft.name), read(&root));
        let (success, after, steps, verdicts) =
            (Tree::new(), Tree::new(), Vec::new(), RefCell::default());
        let (words, code) = (draft.words.to_vec(), draft.code);
        Self {
            _directory: directory,
            root,
            place,
            name,
            words,
            code,
            umask,
            before,
            success,
            after,
            steps,
            start: 0,
            verdicts,
        }
    }

    /// Notes the tree after. The model has to have come to the same, or nothing it says can be
    /// trusted.
    fn finish(mut self) -> Self {
        let found = read(&self.root);
        let mut model = self.model();
        self.steps.iter().for_each(|step| model.run(step));
        assert_eq!(
            without_inodes(tree(&model.live)),
            found,
            "{}: the model is wrong",
            self.name
        );
        self.after = self.without_records(lasting(found));
        assert_eq!(self.steps.last(), Some(&Step::Report), "{}", self.name);
        self
    }

    fn model(&self) -> Model {
        Model::new(&self.before, self.umask)
    }

    /// Returns what the program does when it is told `told`, and whether it was killed; if nothing
    /// is to fail, it ends with `code`.
    fn record(&self, told: &[&str], strace: &[&str], code: Option<i32>) -> (Vec<Step>, bool) {
        let (log, program) = (self.root.with_file_name("log"), program());
        let mut words = vec![
            "-f",
            "-y",
            "-qq",
            "-xx",
            "-s",
            "1000000000",
            "-e",
            "trace=%file,%desc,exit_group",
        ];
        words.extend(strace);
        words.extend(["-o", log.to_str().unwrap(), program.to_str().unwrap()]);
        words.extend(told);
        words.extend(self.each_root());
        words.push("--json");
        let output = self.run("strace", &words);
        let is_killed = output.status.signal() == Some(9);
        assert!(
            code.is_none() || code == output.status.code(),
            "{}: {output:?}",
            self.name
        );
        (
            steps(&fs::read_to_string(log).unwrap(), &self.root),
            is_killed,
        )
    }

    fn run(&self, program: impl AsRef<OsStr>, words: &[&str]) -> Output {
        let program = program.as_ref();
        let mut run = Command::new(program);
        run.args(words)
            .current_dir(&self.root)
            .env("RAYON_NUM_THREADS", "1")
            .stdin(Stdio::null());
        run.output()
            .unwrap_or_else(|error| panic!("{} has to be installed: {error}", program.display()))
    }

    /// Cuts the power after each of `steps`, in every way that `bound` lets through, and recovers.
    ///
    /// It ends with the first state that recovery does not make the tree before or the tree after,
    /// or not the latter though success was reported.
    pub(super) fn check(&self, steps: &[Step], bound: Bound) -> Findings {
        let mut model = self.model();
        let mut findings = Findings {
            is_complete: true,
            ..Findings::default()
        };
        let mut is_reported = false;
        for (at, step) in steps.iter().enumerate() {
            model.run(step);
            if at < self.start {
                continue;
            }
            is_reported |= *step == Step::Report;
            let (states, is_all) = survivors(&model, bound);
            findings.is_complete &= is_all;
            for state in states {
                findings.states += 1;
                if let Some(why) = self.problem(&state, is_reported) {
                    let state = listed(&state);
                    let text = format!("{} after step {at}, {step}: {why}\nof\n{state}", self.name);
                    return Findings {
                        bad: Some(text),
                        ..findings
                    };
                }
            }
        }
        findings
    }

    /// Returns how many different states were recovered.
    pub(super) fn recovered(&self) -> usize {
        self.verdicts.borrow().len()
    }

    /// Says what is wrong with what recovery makes of `state`.
    fn problem(&self, state: &Tree, is_reported: bool) -> Option<String> {
        if !self.verdicts.borrow().contains_key(state) {
            let verdict = self.judge(state);
            self.verdicts.borrow_mut().insert(state.clone(), verdict);
        }
        match &self.verdicts.borrow()[state] {
            Err(why) => Some(why.clone()),
            Ok(found)
                if *found == self.after
                    || !is_reported && [&self.before, &self.success].contains(&found) =>
            {
                None
            }
            Ok(found) => {
                let when = if is_reported {
                    "after the report"
                } else {
                    "before the report"
                };
                Some(format!("recovery leaves, {when},\n{}", listed(found)))
            }
        }
    }

    /// Lays `state` in the place of the root, whose identity stands in the journal, and recovers.
    fn judge(&self, state: &Tree) -> Result<Tree, String> {
        // Nothing is synced: it is another power that goes here, and the steps are the same.
        let options = Options {
            durability: Durability::None,
            // A process that another test starts has the lock open for a moment.
            lock_timeout: Duration::from_secs(10),
            ..Options::default()
        };
        self.put(state);
        let mut roots = self.roots();
        // A recovery in any of the roots is enough.
        let first = self.recovered() % roots.len();
        roots.rotate_left(first);
        let mut is_complete = true;
        let mut found = Ok(Tree::new());
        for root in roots {
            let recovered = recover(&Disk::open(&root).unwrap(), options);
            is_complete &= recovered.as_ref().is_ok_and(|ends| {
                ends.iter()
                    .all(|end| end.left.is_empty() && end.kept.is_empty())
            });
            let whole = recovered
                .map(|_| lasting(read(&self.root)))
                .map_err(|failure| format!("recovery fails: {failure}"));
            found = found.and(whole);
            if let Ok(found) = &found {
                self.check_roots(found)?;
            }
        }
        if self.recovered().is_multiple_of(BY_PROGRAM) {
            self.put(state);
            let output = self.run(program(), &[&["recover"], self.each_root()].concat());
            assert_eq!(
                output.status.success(),
                is_complete,
                "{}: {output:?}",
                self.name
            );
            assert_eq!(
                lasting(read(&self.root)),
                found.clone().unwrap_or_default(),
                "{}: {output:?}",
                self.name
            );
        }
        found
    }
}
