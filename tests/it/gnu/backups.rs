//! Backups, and the files outside the directory that the command line can name: the same trees as
//! GNU patch.
#![cfg(unix)]

use std::process::Command;

use super::{PATCH, files, of, patch, scene, told};
use crate::systems::fed;
use crate::world;

const SCENE: &[(&str, &str)] = &[("d/x", "one\ntwo\nthree\n"), ("e", ""), ("y", "a\n")];

/// Patches that create, change, delete, rename and copy, and one that is applied already.
const PATCHES: &[&str] = &[
    PATCH,
    "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+n\n",
    "--- /dev/null\n+++ b/f/new\n@@ -0,0 +1 @@\n+n\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
    "diff --git a/made b/made\nnew file mode 100644\nindex 0000000..e69de29\n",
    "--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
    "diff --git a/y b/z\nsimilarity index 100%\nrename from y\nrename to z\n",
    "diff --git a/y b/z\nsimilarity index 100%\ncopy from y\ncopy to z\n",
    "--- a/d/x\n+++ b/d/x\n@@ -1,3 +1,3 @@\n one\n-2\n+two\n three\n",
    "--- a/d/x\n+++ b/d/x\n@@ -1,3 +1,3 @@\n one\n-2\n+two\n three\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
];

/// Options that write backups, and options that only describe them.
const OPTIONS: &[&[&str]] = &[
    &["-b"],
    &["-b", "-z", ".old"],
    &["-bV", "never", "-B", ".pc/x/"],
    &["-b", "--basename-prefix=.o."],
    &["-b", "-V", "numbered"],
    &["-b", "-V", "t", "-z", ".old"],
    &["-b", "-V", "none"],
    &["-b", "-V", "nil"],
    &["-B", "old/"],
    &["-Y", ".o."],
    &["-z", ".old"],
    &["-V", "numbered"],
    &["-V", "none"],
    &["-g1"],
    &["-g", "-1"],
    &["--read-only=warn"],
];

const VARIABLES: &[(&str, &str)] = &[
    ("PATCH_VERSION_CONTROL", "numbered"),
    ("VERSION_CONTROL", "t"),
    ("VERSION_CONTROL", "simple"),
    ("SIMPLE_BACKUP_SUFFIX", ".old"),
    ("SIMPLE_BACKUP_SUFFIX", ""),
];

/// The exit code, the output and the tree.
type Ending = (i32, String, Vec<(String, String)>);

/// Returns the endings of GNU patch and of this program.
fn both(options: &[&str], variable: Option<(&str, &str)>, text: &str) -> [Ending; 2] {
    [Command::new("patch"), world::program_named("patch")].map(|mut command| {
        let root = scene(SCENE);
        command
            .args(["-p1", "-N"])
            .args(options)
            .current_dir(root.path());
        command
            .envs(variable)
            .env("XDG_STATE_HOME", root.path().join("../state"));
        let (exit, out, _) = told(&fed(&mut command, text.as_bytes()));
        (exit, out, files(&root))
    })
}

#[test]
fn backups_are_those_of_gnu_patch() {
    let mut backups = 0;
    for text in PATCHES {
        for options in OPTIONS {
            let [theirs, ours] = both(&[&["-r", "-"], *options].concat(), None, text);
            assert_eq!(ours, theirs, "{options:?}\n{text}");
            backups += usize::from(ours.0 == 0 && ours.2.len() > SCENE.len() + 1);
        }
        for variable in VARIABLES {
            let [theirs, ours] = both(&["-b", "-r", "-"], Some(*variable), text);
            assert_eq!(ours, theirs, "{variable:?}\n{text}");
        }
    }
    assert!(backups > 20, "{backups}");
    for text in [PATCHES[0], PATCHES[7]] {
        let [theirs, ours] = both(&["-r", "/dev/null"], None, text);
        assert_eq!((ours.0, ours.2), (theirs.0, theirs.2), "{text}");
    }
    for (options, variable) in [
        (&["-b", "-z", ""][..], None),
        (&["-B", ""], None),
        (&["-b", "-V", "other"], None),
        (&["-b"], Some(("VERSION_CONTROL", "other"))),
        (&["--quoting-style=other"], None),
    ] {
        let [theirs, ours] = both(options, variable, PATCH);
        assert_eq!(
            (theirs.0, ours.0, &ours.2),
            (2, 2, &of(SCENE)),
            "{options:?}"
        );
    }
}

const LINES: &str = "a\nb\nc\nd\ne\nf\ng\nh\ni\n";
/// A patch for [`LINES`] with a hunk that fits and one that does not.
const HALF: &str = "--- a/y\n+++ b/y\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -8,2 +8,2 @@\n h\n-no\n+I\n";

#[test]
fn rejects_of_an_output_are_those_of_gnu_patch() {
    let mut saved = 0;
    for output in ["-", "out"] {
        for rejects in [&[][..], &["-r", "rest"], &["-r", "-"]] {
            for file in [LINES, "other\n"] {
                let arguments = [&["-p1", "-N", "-o", output], rejects].concat();
                let [theirs, ours] = [scene(&[("y", file)]), scene(&[("y", file)])];
                let mut gnu = Command::new("patch");
                let (exit, out, _) = told(&fed(
                    gnu.args(&arguments).current_dir(theirs.path()),
                    HALF.as_bytes(),
                ));
                let our = told(&patch(
                    ours.path(),
                    &[&["--reject"], &arguments[..]].concat(),
                    HALF.as_bytes(),
                ));
                let expected = files(&theirs);
                // Hunks are rejected as they stand in the patch.
                let plain = |(name, text): (String, String)| {
                    (name, text.replace("--- a/y\n+++ b/y", "--- y\n+++ y"))
                };
                let left: Vec<_> = files(&ours).into_iter().map(plain).collect();
                assert_eq!(
                    (our.0, &our.1, &left),
                    (exit, &out, &expected),
                    "{arguments:?} {}",
                    our.2
                );
                let named = left.iter().find(|(_, text)| text.starts_with("--- "));
                let words = format!("{}{}", our.1, our.2);
                let says = named.map(|(name, _)| {
                    words.contains(&format!(" -- saving rejects to file {name}\n"))
                });
                assert!(
                    says.unwrap_or(!words.contains("saving")),
                    "{arguments:?} {words}"
                );
                saved += usize::from(named.is_some());
            }
        }
    }
    assert_eq!(saved, 8);
}

#[test]
fn no_reject_file_is_next_to_a_device() {
    // GNU patch would write next to the device.
    for (output, rejects) in [("/dev/stdout", &["-.rej"][..]), ("/dev/null", &[])] {
        let root = scene(&[("y", LINES)]);
        assert_eq!(
            told(&patch(
                root.path(),
                &["-p1", "--reject", "-o", output],
                HALF.as_bytes()
            ))
            .0,
            1
        );
        let names: Vec<_> = files(&root).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, [rejects, &["y"]].concat(), "{output}");
    }
}

#[test]
fn output_goes_where_gnu_patch_writes_it() {
    let new = "one\n2\nthree\n";
    for output in ["-", "/dev/stdout", "/dev/null"] {
        let [theirs, ours] = both(&["-s", "-o", output], None, PATCH);
        assert_eq!(ours, theirs, "{output}");
        assert_eq!(
            (ours.1.as_str(), ours.2),
            (if output == "/dev/null" { "" } else { new }, of(SCENE)),
            "{output}"
        );
    }
    let root = scene(SCENE);
    let ending = told(&patch(root.path(), &["-p1", "-o", "-"], PATCH.as_bytes()));
    assert_eq!(
        ending,
        (
            0,
            new.to_owned(),
            "patching file - (read from d/x)\n".to_owned()
        )
    );
    let [theirs, ours] = both(&["-s", "-o", "-", "--dry-run"], None, PATCH);
    assert_eq!((&ours, ours.1.as_str()), (&theirs, new));
    let failed = told(&patch(
        root.path(),
        &["-p1", "-o", "-"],
        PATCH.replace("-two", "-deux").as_bytes(),
    ));
    assert_eq!((failed.0, failed.1), (1, String::new()), "{}", failed.2);
    let several = [PATCH, "--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n"].concat();
    assert_eq!(
        told(&patch(root.path(), &["-p1", "-o", "-"], several.as_bytes())).0,
        2
    );
    assert_eq!(files(&root), of(SCENE));
    // An absolute name below the directory is a name in it.
    let named = |name: &str| root.path().join(name).to_str().unwrap().to_owned();
    let ending = told(&patch(
        root.path(),
        &["-p1", "-o", &named("out")],
        PATCH.as_bytes(),
    ));
    assert_eq!(ending.0, 0, "{ending:?}");
    assert!(files(&root).contains(&("out".to_owned(), new.to_owned())));
    let wrong = PATCH.replace("-two", "-deux");
    let ending = told(&patch(
        root.path(),
        &["-p1", "--reject", "-r", &named("rest")],
        wrong.as_bytes(),
    ));
    assert_eq!(ending.0, 1, "{ending:?}");
    assert!(files(&root).contains(&("rest".to_owned(), wrong)));
    let outside = told(&patch(
        root.path(),
        &["-p1", "-o", &named("../out")],
        PATCH.as_bytes(),
    ));
    assert_eq!(outside.0, 2, "{outside:?}");
}
