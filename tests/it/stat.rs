//! The statistics of git: what the installed one and this program print of made-up patches, byte
//! for byte.
#![cfg(unix)]

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use fs_err as fs;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tempfile::TempDir;
use wpatch::syntax::quote;

use crate::whitespace::configured;

/// What happens to a file.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Modified,
    Created,
    Deleted,
    Renamed,
    Copied,
    Rewritten,
    Retyped,
    Binary,
    Plain,
    PlainCreated,
    PlainDeleted,
}

const KINDS: [Kind; 11] = [
    Kind::Modified,
    Kind::Created,
    Kind::Deleted,
    Kind::Renamed,
    Kind::Copied,
    Kind::Rewritten,
    Kind::Retyped,
    Kind::Binary,
    Kind::Plain,
    Kind::PlainCreated,
    Kind::PlainDeleted,
];

/// Lines of context before, lines that go, lines that come, lines of context behind.
type Hunk = (usize, usize, usize, usize);

/// One section of a patch.
#[derive(Clone, Debug)]
struct Section {
    kind: Kind,
    names: (String, String),
    hunks: Vec<Hunk>,
    score: u8,
}

fn name() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        6 => "[a-z]{1,9}",
        1 => "[a-z]{20,60}",
        1 => "[a-z]\u{e9}[a-z]{0,3}",
        1 => "[a-z] [a-z]{1,3}",
        1 => "[a-z]\"[a-z]{1,3}",
    ];
    prop::collection::vec(part, 1..6).prop_map(|parts| parts.join("/"))
}

fn hunk() -> impl Strategy<Value = Hunk> {
    let some = || prop_oneof![4 => 0..6_usize, 1 => 0..300_usize];
    (0..4_usize, some(), some(), 0..4_usize)
        .prop_filter("it changes something", |hunk| hunk.1 + hunk.2 > 0)
}

prop_compose! {
    fn section()(
        kind in prop::sample::select(KINDS.to_vec()),
        shared in prop_oneof![Just(String::new()), Just("d/e/".to_owned()), Just("d/".to_owned())],
        names in (name(), name()),
        hunks in prop::collection::vec(hunk(), 1..4),
        score in 0..=100_u8,
    ) -> Section {
        Section { kind, names: (format!("{shared}{}", names.0), format!("{shared}{}", names.1)), hunks, score }
    }
}

impl Section {
    fn text(&self) -> String {
        let (old, new) = match self.kind {
            Kind::Renamed | Kind::Copied => (&self.names.0, &self.names.1),
            _ => (&self.names.0, &self.names.0),
        };
        let quoted = |name: String| String::from_utf8(quote(name.as_bytes()).into_owned()).unwrap();
        let (old_name, new_name) = (quoted(format!("a/{old}")), quoted(format!("b/{new}")));
        let git = format!("diff --git {old_name} {new_name}\n");
        let sides = format!("--- {old_name}\n+++ {new_name}\n");
        let (score, hunks) = (self.score, self.hunks());
        let bare = format!(
            "from {}\nWORD to {}\n",
            quoted(old.clone()),
            quoted(new.clone())
        );
        let similar = |word: &str| {
            format!(
                "similarity index {score}%\n{word} {}",
                bare.replace("WORD", word)
            )
        };
        match self.kind {
            Kind::Modified => format!("{git}index 1111111..2222222 100644\n{sides}{hunks}"),
            Kind::Created => format!(
                "{git}new file mode 100755\n--- /dev/null\n+++ {new_name}\n{}",
                self.side('+')
            ),
            Kind::Deleted => {
                format!(
                    "{git}deleted file mode 100644\n--- {old_name}\n+++ /dev/null\n{}",
                    self.side('-')
                )
            }
            Kind::Renamed => format!("{git}{}{sides}{hunks}", similar("rename")),
            Kind::Copied => format!(
                "{git}old mode 100644\nnew mode 100755\n{}{sides}{hunks}",
                similar("copy")
            ),
            Kind::Rewritten => {
                format!(
                    "{git}old mode 100644\nnew mode 100755\ndissimilarity index {score}%\n{sides}{hunks}"
                )
            }
            Kind::Retyped => format!("{git}old mode 100755\nnew mode 100644\nwords\n"),
            Kind::Binary => {
                format!(
                    "{git}index 1111111..2222222 100644\nBinary files {old_name} and {new_name} differ\n"
                )
            }
            Kind::Plain => format!("{sides}{hunks}"),
            Kind::PlainCreated => format!("--- /dev/null\n+++ {new_name}\n{}", self.side('+')),
            Kind::PlainDeleted => format!("--- {old_name}\n+++ /dev/null\n{}", self.side('-')),
        }
    }

    fn hunks(&self) -> String {
        let (mut text, mut old, mut new) = (String::new(), 1, 1);
        for &(before, gone, come, behind) in &self.hunks {
            let (old_lines, new_lines) = (before + gone + behind, before + come + behind);
            let start = |line: usize, count: usize| if count == 0 { line - 1 } else { line };
            let (from, to) = (start(old, old_lines), start(new, new_lines));
            let _ = writeln!(text, "@@ -{from},{old_lines} +{to},{new_lines} @@");
            for (sign, count) in [(' ', before), ('-', gone), ('+', come), (' ', behind)] {
                text += &format!("{sign}x\n").repeat(count);
            }
            (old, new) = (old + old_lines + 9, new + new_lines + 9);
        }
        text
    }

    /// A hunk of a file that comes or goes.
    fn side(&self, sign: char) -> String {
        let count = self.hunks[0].1 + self.hunks[0].2;
        let ranges = if sign == '+' {
            format!("-0,0 +1,{count}")
        } else {
            format!("-1,{count} +0,0")
        };
        format!("@@ {ranges} @@\n{}", format!("{sign}x\n").repeat(count))
    }
}

fn printed(program: &str, root: &Path, arguments: &[&str], is_quoted: bool) -> Output {
    let quotes = [("core.quotepath", if is_quoted { "true" } else { "false" })];
    configured(
        Command::new(program)
            .arg("apply")
            .args(arguments)
            .arg("patch")
            .current_dir(root),
        &quotes,
    )
    .output()
    .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: RngSeed::Fixed(11), ..ProptestConfig::default() })]

    #[test]
    fn git_prints_the_same_statistics(
        sections in prop::collection::vec(section(), 1..6),
        nul in prop::option::of(Just("-z")),
        reverse in prop::option::of(Just("-R")),
        is_quoted in any::<bool>(),
    ) {
        let patch: String = sections.iter().map(Section::text).collect();
        let root = TempDir::new().unwrap();
        fs::write(root.path().join("patch"), &patch).unwrap();
        // What git before 2.50 forgets: of a copy that it was one, of a deletion the mode; of
        // others it wants the contents.
        let is_forgotten = |it: &Section| matches!(it.kind, Kind::Copied | Kind::Deleted | Kind::Binary);
        let reverse = reverse.filter(|_| !sections.iter().any(is_forgotten));
        let arguments: Vec<&str> = ["--stat", "--numstat", "--summary"].into_iter().chain(nul).chain(reverse).collect();
        let [git, ours] = ["git", env!("CARGO_BIN_EXE_wpatch")].map(|it| printed(it, root.path(), &arguments, is_quoted));
        let text = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
        prop_assert_eq!(text(&git), text(&ours), "{:?}\n{}", &arguments, &patch);
        prop_assert!(git.status.success() && git.stdout == ours.stdout, "{}", &patch);
    }
}
