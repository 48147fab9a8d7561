//! Tests that the small parsers and the complete parser agree.

use std::cell::Cell;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{RngSeed, TestRunner};

use super::*;

fn parsed(arguments: &[&str]) -> Cli {
    parse(&arguments.iter().map(OsString::from).collect::<Vec<_>>()).unwrap()
}

#[test]
fn the_command_line_is_consistent() {
    Cli::command().debug_assert();
    let named: Vec<_> = Cli::command()
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect();
    assert_eq!(named, COMMANDS);
}

#[test]
fn the_spellings_of_git_need_no_command_as_the_first_word() {
    for words in [
        &["wpatch", "-d", "check", "apply", "--no-index", "p"][..],
        &["wpatch", "--json", "apply", "--ind", "p"],
        &["wpatch", "-q", "apply", "-Rp1", "--no-reverse", "p"],
    ] {
        assert_eq!(parsed(words).command.name(), "apply", "{words:?}");
    }
}

#[test]
fn each_command_has_the_name_that_the_command_line_contains() {
    let arguments = |name: &str| -> &[&str] {
        match name {
            "edit" => &["f", "--old", "a", "--new", "b"],
            "write" | "append" | "read" | "completions" | "grammar" | "hook" => &["@"],
            "notebook" => &["delete", "f", "--cell", "1"],
            "diff" => &["a", "b"],
            "convert" => &["--to", "git"],
            "refresh" => &["p"],
            "reject" | "commit" | "abort" => &["x"],
            "run" => &["--", "f"],
            "policy" => &["explain", "f"],
            _ => &[],
        }
    };
    for &name in COMMANDS {
        let value = match name {
            "completions" => "bash",
            "grammar" => "codex",
            "hook" => "claude",
            _ => "f",
        };
        let mut line = vec!["wpatch", name];
        line.extend(
            arguments(name)
                .iter()
                .map(|&it| if it == "@" { value } else { it }),
        );
        assert_eq!(parsed(&line).command.name(), name);
    }
}

/// Command lines that the complete parser accepts. The first [`COMMON`] contain only common
/// options, each in its own word.
const LINES: [&[&str]; 11] = [
    &["apply"],
    &[
        "check",
        "-R",
        "-p2",
        "--durability",
        "none",
        "--json",
        "-d",
        "x",
        "--format=git",
        "-v",
        "b",
        "-p",
        "3",
    ],
    &[
        "check",
        "--json",
        "-q",
        "a",
        "--root=x=y",
        "-",
        "-v",
        "--reverse",
        "b=c",
        "-p+2",
    ],
    &[
        "apply",
        "-v",
        "--quiet",
        "--durability=full",
        "--root=d",
        "--format",
        "auto",
        "--durability=none",
    ],
    &[
        "check",
        "-Rp2",
        "--durability",
        "none",
        "--json",
        "-d",
        "x",
        "--format=git",
        "--",
        "-v",
        "b",
    ],
    &[
        "apply",
        "-Rp2",
        "-p3",
        "--include",
        "x",
        "--color",
        "never",
        "--",
        "-v",
    ],
    &[
        "check",
        "--exclude=a",
        "--include",
        "b",
        "-C1",
        "--durability=none",
        "--lock-timeout",
        "1m",
    ],
    &["check", "--from-tree", "main", "--git-dir=x.git", "a"],
    &[
        "check",
        "--batch",
        "--shard",
        "2/3",
        "--jobs=4",
        "--deterministic",
    ],
    &["apply", "--approve-part=x", "--only", "f1h2"],
    &[
        "apply",
        "--approve",
        "x",
        "--format",
        "git",
        "--max-patch",
        "7",
        "--stat",
        "--apply",
        "-z",
    ],
];

const COMMON: usize = 4;

/// Arguments that some parsers reject.
const DOUBTFUL: [&str; 17] = [
    "-h",
    "--help",
    "-V",
    "--version",
    "--no-such",
    "-vq",
    "help",
    "--fuzz=x",
    "-p-1",
    "--format=x",
    "--json=x",
    "-px",
    "-p",
    "",
    "--root=",
    "--durability=x",
    "--root",
];

#[test]
fn all_parsers_read_the_same() {
    for (number, line) in LINES.into_iter().enumerate() {
        let arguments: Vec<_> = ["wpatch"].iter().chain(line).map(OsString::from).collect();
        let read = |usual: Option<Cli>, alone: Option<Cli>| {
            let whole = parse_complete(&arguments)
                .ok()
                .map(|cli| format!("{cli:?}"));
            assert_eq!(alone.map(|cli| format!("{cli:?}")), whole, "{line:?}");
            assert_eq!(usual.is_some(), number < COMMON, "{line:?}");
            assert!(
                usual.is_none_or(|cli| Some(format!("{cli:?}")) == whole),
                "{line:?}"
            );
        };
        match line[0] {
            "apply" => read(
                parse_basic(&arguments[1..], Command::Apply),
                parse_one_command(&arguments[1..], Command::Apply),
            ),
            _ => read(
                parse_basic(&arguments[1..], Command::Check),
                parse_one_command(&arguments[1..], Command::Check),
            ),
        }
    }
}

/// The words of the random command lines.
const WORDS: [&str; 34] = [
    "-",
    "--",
    "-d",
    "-d=x",
    "-dx",
    "-p",
    "-p0",
    "-p=1",
    "-p1x",
    "-px",
    "-q",
    "-v",
    "-R",
    "-Rp1",
    "--color",
    "--durability",
    "--durability=none",
    "--format",
    "--format=git",
    "--json",
    "--no-pager",
    "--policy",
    "--policy=a=b",
    "--quiet",
    "--reverse",
    "--reverse=x",
    "--root",
    "--root=",
    "--root=-x",
    "--verbose",
    "-1",
    "",
    "git",
    "none",
];

#[test]
fn a_random_line_of_common_options_has_one_meaning() {
    let config = ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(33),
        ..ProptestConfig::with_cases(2000)
    };
    let accepted = Cell::new(0);
    let lines = (
        select(&["apply", "check"][..]),
        vec(select(&WORDS[..]), 0..6),
    );
    let result = TestRunner::new(config).run(&lines, |(name, words)| {
        let line = ["wpatch", name].into_iter().chain(words);
        let arguments: Vec<_> = line.map(OsString::from).collect();
        let common = match name {
            "apply" => parse_basic(&arguments[1..], Command::Apply),
            _ => parse_basic(&arguments[1..], Command::Check),
        };
        if let Some(cli) = common {
            accepted.set(accepted.get() + 1);
            let complete = parse_complete(&arguments).map(|cli| format!("{cli:?}"));
            prop_assert_eq!(Some(format!("{cli:?}")), complete.ok());
        }
        Ok(())
    });
    assert_eq!(result, Ok(()));
    assert!(accepted.get() > 500, "{}", accepted.get());
}

#[test]
fn the_quick_parser_takes_what_the_whole_one_takes() {
    for argument in DOUBTFUL {
        let arguments: Vec<_> = ["wpatch", "apply", argument]
            .iter()
            .map(OsString::from)
            .collect();
        let (is_taken, is_right) = (
            parse_fast(&arguments[1..], Command::Apply).is_some(),
            parse_complete(&arguments).is_ok(),
        );
        assert_eq!(is_taken, is_right, "{argument}");
    }
}

#[test]
fn filters_keep_their_order() {
    let cli = parsed(&[
        "wpatch",
        "check",
        "--exclude=a",
        "--include",
        "b",
        "--exclude=c",
    ]);
    let Command::Check(CheckOptions { patch, .. }) = cli.command else {
        panic!("check")
    };
    assert_eq!(
        patch.filters,
        [
            (false, "a".to_owned()),
            (true, "b".to_owned()),
            (false, "c".to_owned())
        ]
    );
}

#[test]
fn numbers_may_be_glued_to_their_letters() {
    let cli = parsed(&["wpatch", "apply", "-p0", "-C3", "-Rz", "x"]);
    let Command::Apply(ApplyOptions { patch, .. }) = cli.command else {
        panic!("apply")
    };
    assert_eq!(
        (
            patch.basic.strip,
            patch.context,
            patch.basic.reverse,
            patch.look.nul
        ),
        (Some(0), Some(3), true, true)
    );
}

#[test]
fn of_an_option_given_twice_the_last_counts() {
    let cli = parsed(&["wpatch", "apply", "--json", "-p1", "--json", "-p2", "x"]);
    let Command::Apply(ApplyOptions { patch, .. }) = cli.command else {
        panic!("apply")
    };
    assert_eq!((cli.global.json, patch.basic.strip), (true, Some(2)));
}

#[test]
fn a_saved_plan_has_decided_every_option_that_can_change_its_result() {
    let refuses = |option: &str| {
        let line = ["wpatch", "apply", "--plan", "12345678", option].map(OsString::from);
        parse(&line).err().map(|error| error.kind()) == Some(ErrorKind::ArgumentConflict)
    };
    let decided = [
        "-p1",
        "-R",
        "--only=1",
        "--in-place",
        "--index",
        "--3way",
        "--backup",
        "--guard=syntax",
        "p.diff",
    ];
    assert_eq!(decided.map(refuses), [true; 9]);
    let others = [
        "--with-diff",
        "--stat",
        "--brief",
        "--allow-filter=x",
        "--verify=make",
        "--json",
    ];
    assert_eq!(others.map(refuses), [false; 6]);
}
