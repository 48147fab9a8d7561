//! The tables of differences in the README: each row has a fixture or a test that asserts both
//! behaviours, and each fixture that differs has a row.

use std::collections::BTreeSet;

use fs_err as fs;
use walkdir::WalkDir;

use super::{cases, declared, rows as of_rows};

mod commands;

const GIT: &str = "### Differences from `git apply`";
const GNU: &str = "### Differences of `apply` from GNU patch";

/// The rows without a fixture, and the test that holds each.
const TESTS: &[(&str, &str)] = &[
    (
        "a directory in the place of a link that leads to itself",
        "a_directory_takes_the_place_of_a_link_that_leads_to_itself",
    ),
    (
        "a rename after a change of the same file in one diff",
        "a_rename_after_a_change_moves_the_changed_file",
    ),
    (
        "a rename of a file that another section creates",
        "a_file_that_the_same_diff_creates_is_renamed",
    ),
    (
        "other lines that the header of a hunk does not count",
        "what_git_ignores_is_refused",
    ),
    (
        "a combined diff, a coloured diff or an ed script next to other changes",
        "what_git_ignores_is_refused",
    ),
    (
        "new lines with `--ignore-whitespace` that end otherwise than the lines of the file",
        "new_lines_end_as_those_around_them",
    ),
    (
        "a page of HTML that contains a diff",
        "git_applies_the_diff_of_a_page",
    ),
    (
        "`--intent-to-add` in a directory of a sparse index",
        "git_crashes_at_an_intention_in_a_sparse_directory",
    ),
    (
        "merges of files with many changes of repeated lines",
        "a_change_between_large_deletions_is_merged_at_its_place",
    ),
    ("exit codes", "exit_codes_tell_more_than_those_of_git"),
    (
        "`--reject` of several patches for one file",
        "hunks_of_several_patches_for_one_file_are_all_kept",
    ),
    (
        "`--reject` with several patch files",
        "what_follows_a_patch_with_rejects_is_done",
    ),
    (
        "`--index` with a file of which only the time has changed",
        "a_file_with_another_time_is_compared",
    ),
    (
        "`--ignore-whitespace` and a hunk without new lines (`--unidiff-zero`), after a line that differs in white space only",
        "a_hunk_without_new_lines_removes_the_line_that_its_header_names",
    ),
    ("`--intent-to-add`", "an_intention_keeps_the_other_entries"),
    (
        "conflicts of `--3way`",
        "conflicts_leave_the_tree_alone_and_are_listed",
    ),
    (
        "conflicts of links with `--3way --conflict markers`",
        "links_lead_to_one_place",
    ),
    (
        "a rename or copy with `--3way` over a file that the index does not have",
        "what_the_index_does_not_have_stays_in_the_way",
    ),
    (
        "a merge driver that is a program",
        "a_merge_driver_that_is_a_program_is_named_and_not_run",
    ),
    (
        "`--3way --cached` of a file that the work tree lacks",
        "a_merge_of_the_index_alone_leaves_the_work_tree_alone",
    ),
    (
        "`--3way` of a created file that exists and has attributes",
        "a_created_file_that_exists_is_merged_by_its_attributes",
    ),
    (
        "a file that is not in its `working-tree-encoding`, or whose new content that encoding cannot represent",
        "a_file_that_is_not_in_its_encoding_is_refused_and_git_changes_its_encoding",
    ),
    (
        "a file that is not in its `working-tree-encoding`, or whose new content that encoding cannot represent",
        "a_content_that_an_encoding_cannot_represent_is_refused_and_git_writes_it_unconverted",
    ),
    (
        "a patch of `.gitattributes`",
        "a_patch_is_applied_by_the_attributes_before_it",
    ),
    (
        "a filter driver of the repository, or one that fails",
        "git_runs_a_driver_of_the_repository",
    ),
    (
        "`attr.tree` or `GIT_ATTR_SOURCE` without an index",
        "attributes_of_a_tree_count_without_an_index",
    ),
    (
        "a file in another spelling, where the file system folds names",
        "git_does_otherwise_where_names_are_folded",
    ),
    (
        "a rename that changes only the case, where the file system folds names",
        "git_does_otherwise_where_names_are_folded",
    ),
    (
        "a path in a git directory that has another name than `.git`",
        "git_writes_into_a_git_directory_by_another_name",
    ),
    (
        "two new names that are one name, where the file system folds names",
        "git_does_otherwise_where_names_are_folded",
    ),
];

/// What applies the patch of a test with git: the command itself, or a function of the tests that
/// runs it.
const RUNS_GIT: [&str; 8] = [
    "applied_by_git(",
    "[\"git\", env!(",
    "git(&[\"apply\"",
    "beside(",
    "hunk_beside(",
    "by_git(",
    "compared(",
    "differences(",
];

/// Returns whether the code of a test, without its comments, has one of [`RUNS_GIT`].
fn is_run_by_git(body: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let has = |line: &str, call: &str| {
        line.match_indices(call)
            .any(|(at, _)| !line[..at].ends_with(is_word))
    };
    let code = body
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    code.into_iter()
        .any(|line| RUNS_GIT.iter().any(|call| has(line, call)))
}

#[test]
fn a_comment_or_a_variable_runs_no_git() {
    for body in [
        "// By beside(..)",
        "let theirs = 1;",
        "let [by_git, ours] = x;",
        "git(&[\"init\"])",
        "not_beside(x)",
    ] {
        assert!(!is_run_by_git(body), "{body}");
    }
    for body in [
        "let x = beside(&y, z);",
        "x(by_git(&tree, &[]))",
        "git(&[\"apply\"])",
    ] {
        assert!(is_run_by_git(body), "{body}");
    }
}

/// Returns the first cells of the rows of the table below `heading`.
pub(crate) fn rows(heading: &str) -> Vec<String> {
    let readme = fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/docs/compatibility.md"
    ))
    .unwrap();
    let section = readme.split(heading).nth(1).expect("the section");
    let table = section
        .lines()
        .skip_while(|line| !line.starts_with("| ---"))
        .skip(1);
    let rows = table.take_while(|line| line.starts_with("| "));
    rows.map(|line| line[2..].split(" | ").next().unwrap().to_owned())
        .collect()
}

/// Returns the rows without a fixture, each with its test.
fn tests() -> impl Iterator<Item = (&'static str, &'static str)> {
    TESTS
        .iter()
        .copied()
        .chain(of_rows::names().map(|row| (row, of_rows::TEST)))
}

/// Returns the bodies of all tests named `name`.
fn bodies(name: &str) -> Vec<String> {
    let files = WalkDir::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it")).into_iter();
    let paths = files.map(|entry| entry.unwrap().into_path());
    let texts = paths.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let start = format!("#[test]\nfn {name}() {{");
    let body = |text: String| Some(text.split(&start).nth(1)?.split("\n}\n").next()?.to_owned());
    texts
        .filter_map(|path| body(fs::read_to_string(path).unwrap()))
        .collect()
}

#[cfg(unix)]
#[test]
fn each_difference_has_a_row_and_each_row_is_held() {
    let all = cases();
    let of_fixtures = |says: fn(&crate::case::Declared) -> &str| -> BTreeSet<String> {
        let declared = all.iter().map(|case| says(declared(case).unwrap()));
        declared
            .filter_map(|says| says.strip_prefix("differs: "))
            .map(str::to_owned)
            .collect()
    };
    let (git, gnu) = (
        of_fixtures(|declared| &declared.git),
        of_fixtures(|declared| &declared.patch),
    );
    let of_tests: BTreeSet<_> = tests().map(|(row, _)| row.to_owned()).collect();
    assert!(
        git.is_disjoint(&of_tests),
        "a row with a fixture needs no test"
    );
    let expected = [git.union(&of_tests).cloned().collect(), gnu];
    for (heading, expected) in [GIT, GNU].into_iter().zip(expected) {
        let rows = rows(heading);
        let set: BTreeSet<_> = rows.iter().cloned().collect();
        assert_eq!(set.len(), rows.len(), "{heading}: a row is repeated");
        let lacking: [Vec<_>; 2] = [
            expected.difference(&set).collect(),
            set.difference(&expected).collect(),
        ];
        assert_eq!(
            lacking,
            [const { Vec::<&String>::new() }; 2],
            "{heading}: without a row; without a fixture or test"
        );
    }
    for (row, name) in tests() {
        let bodies = bodies(name);
        assert!(
            bodies.len() == 1 && is_run_by_git(&bodies[0]),
            "{row}: no test `{name}` that runs git"
        );
    }
}
