//! Conversions between a work tree and a repository: the same bytes as `git apply`, for random
//! attributes, configurations, contents and operations.

mod environment;
mod failures;
mod filters;
mod history;
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
use crate::repository::git;

/// Lines of attribute files.
const ATTRIBUTES: &[&str] = &[
    "* text=auto",
    "* text=auto eol=crlf",
    "*.a text",
    "*.a text eol=crlf",
    "*.a text eol=lf",
    "*.a eol=crlf",
    "*.a -text",
    "*.a binary",
    "*.a !text",
    "[attr]windows text eol=crlf ident\n*.a windows",
    "*.a crlf",
    "*.a -crlf",
    "*.a crlf=input",
    "*.a ident",
    "*.b ident eol=crlf",
    "*.b text=auto",
    "*.b working-tree-encoding=UTF-16LE-BOM",
    "*.b text working-tree-encoding=UTF-16 eol=crlf",
    "*.b working-tree-encoding=UTF-16BE ident",
    "*.b working-tree-encoding=UTF-32LE",
    "*.b working-tree-encoding=ISO-8859-1",
    "*.b working-tree-encoding=SHIFT-JIS",
    "one.* -text",
    "sub/*.a eol=crlf",
];

/// Contents of files, as a user may have them.
const CONTENTS: &[&[u8]] = &[
    b"",
    b"single",
    b"single\n",
    b"one\ntwo\nthree\n",
    b"one\r\ntwo\r\nthree\r\n",
    b"one\r\ntwo\nthree\n",
    b"one\ntwo\r\nthree",
    b"\xef\xbb\xbfone\ntwo\n",
    b"\xef\xbb\xbfone\r\ntwo\r\n",
    b"/* $Id$ */\nint a;\n",
    b"/* $Id: 0123456789012345678901234567890123456789 $ */\r\nint a;\r\n",
    b"# $Id: x.c 1.2 now $\n$Id:\n$\nend $Id$",
    b"lone\rcr\nend\n",
    b"null\0\r\nend\r\n",
    b"\x01\x02\x03\r\nend\n",
    b"caf\xc3\xa9\nend\n",
    b"\xff\xfeo\0n\0e\0\n\0t\0w\0o\0\n\0",
    b"\xff\xfeo\0n\0e\0\r\0\n\0t\0w\0o\0\r\0\n\0",
    b"\0o\0n\0e\0\n",
    b"o\0\0\0n\0\0\0\n\0\0\0",
    b"caf\xe9\nend\n",
    b"\x96\xbc\nend\n",
    b"end\r\n\x1a",
];

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
        assert!(
            git(&["init", "-q"])
                .current_dir(&root)
                .status()
                .unwrap()
                .success()
        );
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
        let mut ours = Command::new(env!("CARGO_BIN_EXE_wpatch"));
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

/// Returns a few lines of an attribute file.
fn attributes(dice: &mut Dice) -> String {
    (0..dice.below(4))
        .map(|_| dice.one(ATTRIBUTES).to_owned() + "\n")
        .collect()
}

/// Returns the contents of all files below `root` but those of `.git`, and whether they are
/// executable.
fn files(root: &Path) -> BTreeMap<PathBuf, (Vec<u8>, bool)> {
    use std::os::unix::fs::PermissionsExt;

    let all = walkdir::WalkDir::new(root)
        .into_iter()
        .filter_entry(|entry| entry.file_name() != ".git");
    let all = all
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file());
    let file = |entry: walkdir::DirEntry| {
        let is_executable = entry.metadata().unwrap().permissions().mode() & 0o100 != 0;
        (
            entry.path().strip_prefix(root).unwrap().to_owned(),
            (fs::read(entry.path()).unwrap(), is_executable),
        )
    };
    all.map(file).collect()
}

/// Returns the hunk that makes `new` of `old`.
fn hunk(old: &[u8], new: &[u8]) -> Vec<u8> {
    let [old, new] = [old, new].map(|text| {
        text.split_inclusive(|&byte| byte == b'\n')
            .collect::<Vec<_>>()
    });
    if old == new {
        return Vec::new();
    }
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let range = |count: usize| format!("{},{count}", usize::from(count > 0));
    let mut out = format!("@@ -{} +{} @@\n", range(old.len()), range(new.len())).into_bytes();
    let parts = [
        (b' ', &old[..same]),
        (b'-', &old[same..]),
        (b'+', &new[same..]),
    ];
    for (sign, line) in parts
        .into_iter()
        .flat_map(|(sign, lines)| lines.iter().map(move |line| (sign, line)))
    {
        out.extend([&[sign], *line].concat());
        if !line.ends_with(b"\n") {
            out.extend(b"\n\\ No newline at end of file\n");
        }
    }
    out
}

/// Returns `text` with another line, ended as the dice say.
fn changed(text: &[u8], dice: &mut Dice) -> Vec<u8> {
    let lines: Vec<_> = text.split_inclusive(|&byte| byte == b'\n').collect();
    let at = dice.below(lines.len() + 1);
    let has_cr = lines.first().is_some_and(|line| line.ends_with(b"\r\n")) != dice.once_in(6);
    let line = dice.one(&["new", "$Id$", "caf\u{e9}"]);
    let end = if at == lines.len() && dice.once_in(5) {
        ""
    } else if has_cr {
        "\r\n"
    } else {
        "\n"
    };
    let new = [line.as_bytes(), end.as_bytes()].concat();
    let is_open = lines
        .get(at.wrapping_sub(1))
        .is_some_and(|line| !line.ends_with(b"\n"));
    let kept = if dice.once_in(2) {
        &lines[(at + 1).min(lines.len())..]
    } else {
        &lines[at..]
    };
    [
        &lines[..at].concat()[..],
        if is_open { b"\n" } else { b"" },
        &new,
        &kept.concat(),
    ]
    .concat()
}

/// Returns a patch for one file of `pair`.
fn patch(pair: &Pair, dice: &mut Dice) -> Vec<u8> {
    let name = dice.one(&[
        "one.a",
        "two.a",
        "three.b",
        "sub/four.a",
        "sub/five.b",
        "moved.a",
        "sub/moved.b",
    ]);
    let other = dice.one(&["moved.a", "sub/moved.b", "new.a", "sub/new.b", "plain"]);
    let mut old = pair
        .staged(name)
        .unwrap_or_else(|| b"one\ntwo\nthree\n".to_vec());
    match dice.below(8) {
        0 => old = fs::read(pair.root("git").join(name)).unwrap_or_default(),
        1 => {
            old = String::from_utf8_lossy(&old)
                .replace("\r\n", "\n")
                .into_bytes();
        }
        _ => {}
    }
    let new = changed(&old, dice);
    let header =
        |a: &str, b: &str, lines: &str| format!("diff --git a/{a} b/{b}\n{lines}").into_bytes();
    let names = |a: &str, b: &str| format!("--- {a}\n+++ {b}\n").into_bytes();
    let both = |lines: &str, new: &[u8]| {
        let body = hunk(&old, new);
        let names = if body.is_empty() {
            Vec::new()
        } else {
            names(&format!("a/{name}"), &format!("b/{other}"))
        };
        [header(name, other, lines), names, body].concat()
    };
    match dice.below(10) {
        0 => {
            let body = hunk(b"", &new);
            let names = if body.is_empty() {
                Vec::new()
            } else {
                names("/dev/null", &format!("b/{other}"))
            };
            [header(other, other, "new file mode 100644\n"), names, body].concat()
        }
        1 => {
            let body = hunk(&old, b"");
            let names = if body.is_empty() {
                Vec::new()
            } else {
                names(&format!("a/{name}"), "/dev/null")
            };
            [
                header(name, name, "deleted file mode 100644\n"),
                names,
                body,
            ]
            .concat()
        }
        2 => both(
            &format!("similarity index 90%\nrename from {name}\nrename to {other}\n"),
            &new,
        ),
        3 => both(
            &format!("similarity index 100%\nrename from {name}\nrename to {other}\n"),
            &old,
        ),
        4 => both(
            &format!("similarity index 90%\ncopy from {name}\ncopy to {other}\n"),
            &new,
        ),
        5 => header(name, name, "old mode 100644\nnew mode 100755\n"),
        _ => [
            header(name, name, ""),
            names(&format!("a/{name}"), &format!("b/{name}")),
            hunk(&old, &new),
        ]
        .concat(),
    }
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
