//! Time stamps of the epoch say that a file does not exist, in the forms and the range of GNU
//! patch.

use super::merging::gnu;
use super::{files, patch, scene, told};

const NOW: &str = "Wed Nov 25 19:33:59 2026";
/// Time stamps, with whether each is one of the epoch.
const STAMPS: [(&str, bool); 15] = [
    ("Thu Jan  1 00:00:00 1970", true),
    ("Thu Jan  1 05:30:00 1970", true),
    ("Wed Dec 31 16:00:00 1969", true),
    ("Fri Jan  2 01:59:59 1970", true),
    ("Fri Jan  2 02:00:00 1970", false),
    ("Tue Dec 30 23:00:01 1969", true),
    ("Tue Dec 30 23:00:00 1969", false),
    ("Thu Jan  1 05:30:00 +0530 1970", true),
    ("Wed Dec 31 19:00:00 EST 1969", true),
    ("Thu Jan  1 00:00:00 1970 +0000", false),
    ("1970-01-01 01:00:00 +0000", true),
    ("1970-01-01 00:00:01", true),
    ("1970-01-02 02:00:00 +0000", false),
    ("1969-12-31 19:00:00.000000000 -0500", true),
    (NOW, false),
];

/// A context and a unified diff that removes the lines of `f`.
fn deletions(stamp: &str) -> [String; 2] {
    [
        format!(
            "*** a/f\t{NOW}\n--- b/f\t{stamp}\n***************\n*** 1,2 ****\n- x\n- y\n--- 0 ----\n"
        ),
        format!("--- a/f\t{NOW}\n+++ b/f\t{stamp}\n@@ -1,2 +0,0 @@\n-x\n-y\n"),
    ]
}

/// The reverse.
fn creations(stamp: &str) -> [String; 2] {
    [
        format!(
            "*** a/f\t{stamp}\n--- b/f\t{NOW}\n***************\n*** 0 ****\n--- 1,2 ----\n+ x\n+ y\n"
        ),
        format!("--- a/f\t{stamp}\n+++ b/f\t{NOW}\n@@ -0,0 +1,2 @@\n+x\n+y\n"),
    ]
}

#[cfg(unix)]
#[test]
fn a_stamp_of_the_epoch_deletes_and_creates_as_in_gnu_patch() {
    for (stamp, is_epoch) in STAMPS {
        let forward = deletions(stamp).map(|text| (text, &["-p1", "-f"][..]));
        let reverse = creations(stamp).map(|text| (text, &["-p1", "-f", "-R"][..]));
        for (text, arguments) in forward.into_iter().chain(reverse) {
            let [ours, theirs] = [(); 2].map(|()| scene(&[("f", "x\ny\n")]));
            let exits = [
                told(&patch(ours.path(), arguments, text.as_bytes())).0,
                gnu(&theirs, arguments, text.as_bytes()).0,
            ];
            let left = if is_epoch {
                vec![]
            } else {
                super::of(&[("f", "")])
            };
            assert_eq!(
                (exits, files(&ours), files(&theirs)),
                ([0, 0], left.clone(), left),
                "{arguments:?}\n{text}"
            );
        }
        // Lines that remain keep the file. A file with lines is not new.
        let others = [(deletions(stamp), "x\ny\nz\n"), (creations(stamp), "q\n")];
        for (text, content) in others
            .iter()
            .flat_map(|(texts, content)| texts.iter().map(move |text| (text, content)))
        {
            let [ours, theirs] = [(); 2].map(|()| scene(&[("f", content)]));
            let exits = [
                told(&patch(ours.path(), &["-p1", "-f"], text.as_bytes())).0,
                gnu(&theirs, &["-p1", "-f"], text.as_bytes()).0,
            ];
            assert_eq!(exits, [i32::from(is_epoch); 2], "{content}\n{text}");
            assert!(
                !is_epoch || files(&ours) == super::of(&[("f", content)]),
                "{content}\n{text}"
            );
        }
    }
}
