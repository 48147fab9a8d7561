//! Conversions between a work tree and a repository: the same bytes as `git apply`, for random
//! attributes, configurations, contents and operations.
#![cfg(unix)]

mod environment;
mod failures;
mod filters;
mod history;
mod inputs;
mod rules;
mod sources;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use fs_err as fs;
use tempfile::TempDir;

use crate::dice::Dice;
use crate::repository::{git, init};
use crate::world;
use inputs::{CONTENTS, attributes, patch};

const INTEND: &str = "--intent-to-add";

/// A repository with files, in two copies.
struct Pair {
    directory: TempDir,
    /// Variables of the environment.
    variables: Vec<(&'static str, &'static str)>,
    /// Whether attributes come from a tree of the repository.
    has_source: bool,
    /// The time of all files, in seconds.
    time: Cell<u64>,
}

impl Pair {
    /// Makes both with the files that `dice` choose.
    fn new(dice: &mut Dice) -> Self {
        let pair = Self {
            directory: TempDir::new().unwrap(),
            variables: Vec::new(),
            has_source: false,
            time: Cell::new(1_000_000_000),
        };
        let root = pair.root("git");
        fs::create_dir_all(root.join("sub")).unwrap();
        init(&root);
        let settings: [(&str, &[&str]); 2] = [
            ("core.autocrlf", &["", "", "true", "input", "false"]),
            ("core.eol", &["", "", "lf", "crlf"]),
        ];
        for (key, values) in settings {
            let value = dice.one(values);
            if !value.is_empty() {
                assert!(
                    git(&["config", key, value])
                        .current_dir(&root)
                        .status()
                        .unwrap()
                        .success()
                );
            }
        }
        for (file, one_in) in [
            (".gitattributes", 1),
            ("sub/.gitattributes", 3),
            (".git/info/attributes", 4),
        ] {
            let lines = attributes(dice);
            if dice.once_in(one_in) && !lines.is_empty() && dice.below(8) > 0 {
                fs::create_dir_all(root.join(".git/info")).unwrap();
                fs::write(root.join(file), lines).unwrap();
            }
        }
        for name in ["one.a", "two.a", "three.b", "sub/four.a", "sub/five.b"] {
            fs::write(root.join(name), dice.one(CONTENTS)).unwrap();
            // A file that is not in its encoding cannot be added.
            let _ = git(&["add", "--", name])
                .current_dir(&root)
                .output()
                .unwrap();
        }
        let _ = git(&["add", "-A"]).current_dir(&root).output().unwrap();
        let copied = Command::new("cp")
            .args(["-a", "git", "wpatch"])
            .current_dir(pair.directory.path())
            .status();
        assert!(copied.unwrap().success());
        pair.refresh();
        pair
    }

    fn root(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Adds what changed to both indexes: git takes a file of another size for another one without
    /// looking at its content. It looks at a file only if its time is another one, whatever its
    /// attributes are now.
    fn refresh(&self) {
        self.time.set(self.time.get() + 1);
        for name in ["git", "wpatch"] {
            for file in files(&self.root(name)).keys() {
                let file = fs::OpenOptions::new()
                    .append(true)
                    .open(self.root(name).join(file))
                    .unwrap();
                file.file()
                    .set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(self.time.get()))
                    .unwrap();
            }
            let variables = self.variables.iter().copied();
            let _ = git(&["add", "-u"])
                .envs(variables)
                .current_dir(self.root(name))
                .output()
                .unwrap();
        }
    }

    /// Returns the content of the index for `name`.
    fn staged(&self, name: &str) -> Option<Vec<u8>> {
        let output = git(&["cat-file", "blob", &format!(":{name}")])
            .current_dir(self.root("git"))
            .output()
            .unwrap();
        output.status.success().then_some(output.stdout)
    }

    /// Applies `patch` in both copies.
    fn apply(&self, options: &[&str], patch: &[u8]) -> [Output; 2] {
        let file = self.directory.path().join("patch");
        fs::write(&file, patch).unwrap();
        let mut by_git = git(&["apply", "--whitespace=nowarn"]);
        by_git
            .args(options)
            .arg(&file)
            .current_dir(self.root("git"));
        let mut ours = world::wpatch();
        ours.args(["apply", "--durability", "none", "--whitespace=nowarn"])
            .args(options)
            .arg(&file);
        ours.env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .current_dir(self.root("wpatch"));
        let variables = self.variables.iter().copied();
        [by_git, ours].map(|mut command| command.envs(variables.clone()).output().unwrap())
    }

    /// Returns the files and the index of a copy.
    fn state(&self, name: &str) -> (BTreeMap<PathBuf, (Vec<u8>, bool)>, String) {
        (
            files(&self.root(name)),
            crate::index::tree::asked(&self.root(name), &["ls-files", "-s"]),
        )
    }
}

/// Returns the contents of all files below `root` but those of `.git`, and whether they are
/// executable.
fn files(root: &Path) -> BTreeMap<PathBuf, (Vec<u8>, bool)> {
    let all = walkdir::WalkDir::new(root)
        .into_iter()
        .filter_entry(|entry| entry.file_name() != ".git");
    let all = all
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file());
    let file = |entry: walkdir::DirEntry| {
        let is_executable = world::is_executable(&entry.metadata().unwrap());
        (
            entry.path().strip_prefix(root).unwrap().to_owned(),
            (fs::read(entry.path()).unwrap(), is_executable),
        )
    };
    all.map(file).collect()
}

/// What came of one patch in both copies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    Applied,
    Refused,
    /// git continues with unconverted bytes where we refuse.
    Declared,
}

/// Applies `patch` in both copies and compares; returns the difference if there is one.
fn compared(pair: &Pair, options: &[&str], patch: &[u8]) -> Result<Outcome, String> {
    let before = pair.state("wpatch");
    let [by_git, ours] = pair.apply(options, patch);
    let [said, ours_said] =
        [&by_git, &ours].map(|output| String::from_utf8_lossy(&output.stderr).into_owned());
    let after = pair.state("wpatch");
    let told = |what: &str| {
        let read = |name: &str| fs::read_to_string(pair.root("git").join(name)).unwrap_or_default();
        let attributes = [
            ".git/config",
            ".gitattributes",
            "sub/.gitattributes",
            ".git/info/attributes",
        ]
        .map(read);
        let patch = String::from_utf8_lossy(patch);
        let (attributes, by_git) = (attributes.join("--\n"), pair.state("git"));
        format!(
            "{what}\n{attributes}\n{patch}\ngit: {said}\nwpatch: {ours_said}\n{before:?}\n{by_git:?}\n{after:?}"
        )
    };
    if !ours.status.success() && after != before {
        return Err(told("a refusal changed something"));
    }
    // git also prints that of other files, and of the index alone.
    let is_about = |line: &str| {
        let name = line.split('\'').nth(1).unwrap_or_default();
        patch
            .windows(name.len())
            .any(|text| text == name.as_bytes())
    };
    let is_unencodable = |line: &str| line.contains("failed to encode") || line.contains("BOM is ");
    if !options.contains(&"--cached")
        && said
            .lines()
            .any(|line| is_unencodable(line) && is_about(line))
    {
        return if ours.status.success() {
            Err(told("it is not refused"))
        } else {
            Ok(Outcome::Declared)
        };
    }
    let theirs = pair.state("git");
    // git drops all other entries with `--intent-to-add`.
    let is_same = after == theirs || options.contains(&INTEND) && after.0 == theirs.0;
    match (by_git.status.success(), ours.status.success()) {
        (true, true) if !is_same => Err(told("the results differ")),
        (true, true) => Ok(Outcome::Applied),
        (false, false) => Ok(Outcome::Refused),
        (true, false) => Err(told("only git applies it")),
        (false, true) => Err(told("git does not apply it")),
    }
}

#[test]
fn random_patches_give_the_bytes_of_git_apply() {
    let counts = random(&|_, _| {}, &|pair, dice| {
        let reach = dice.one(&[&[][..], &[], &[], &["--index"], &["--cached"], &[INTEND]]);
        (reach, patch(pair, dice))
    });
    assert!(
        counts[0] > 50 && counts[1] > 5 && counts[2] > 0,
        "{counts:?}"
    );
}

/// The options and the patch of one step.
type Step = (&'static [&'static str], Vec<u8>);

/// Applies random patches in random repositories that `prepare` changes, with the options and the
/// patch that `choose` returns. Returns the number of each outcome.
fn random(
    prepare: &dyn Fn(&mut Pair, &mut Dice),
    choose: &dyn Fn(&Pair, &mut Dice) -> Step,
) -> [usize; 3] {
    let scenarios = if std::env::var("WPATCH_FAULTS").is_ok_and(|value| value == "all") {
        300
    } else {
        30
    };
    let (mut outcomes, mut differences) = (Vec::new(), Vec::new());
    for seed in 0..scenarios {
        let mut dice = Dice::new(seed);
        let mut pair = Pair::new(&mut dice);
        prepare(&mut pair, &mut dice);
        for step in 0..5 {
            let (reach, text) = choose(&pair, &mut dice);
            let is_undone = dice.once_in(2) && !text.windows(9).any(|word| word == b"copy from");
            let mut result = compared(&pair, reach, &text);
            pair.refresh();
            if result == Ok(Outcome::Applied) && is_undone {
                result = compared(&pair, &[reach, &["-R"]].concat(), &text);
                pair.refresh();
            }
            // git writes the conflicts of a merge into the files.
            let is_refused = result == Ok(Outcome::Refused) && !reach.contains(&"--3way");
            let is_same = result == Ok(Outcome::Applied) || is_refused;
            match result {
                Ok(outcome) => outcomes.push(outcome),
                Err(difference) => {
                    differences.push(format!("seed {seed} step {step} {reach:?} {difference}"));
                }
            }
            if !is_same || reach.contains(&INTEND) {
                break;
            }
        }
    }
    assert!(
        differences.is_empty(),
        "{}: {}",
        differences.len(),
        differences.join("\n\n")
    );
    let count = |wanted| {
        outcomes
            .iter()
            .filter(|outcome| **outcome == wanted)
            .count()
    };
    [Outcome::Applied, Outcome::Refused, Outcome::Declared].map(count)
}
