//! Links between pages, and from pages into the project.
#![cfg(unix)]

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use fs_err as fs;
use regex::Regex;

use super::pages;

/// Returns the lines of `markdown` that are in no fenced block, each with its number.
fn prose(markdown: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_fenced = false;
    let lines = markdown.lines().enumerate().filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        !is_fenced && !is_fence
    });
    lines.map(|(index, line)| (index + 1, line))
}

/// Returns the anchors of the headings of a page, as GitHub and mdBook form them.
fn anchors(markdown: &str) -> BTreeSet<String> {
    let headings = prose(markdown).filter_map(|(_, line)| {
        let title = line.trim_start_matches('#');
        (title.len() < line.len()).then(|| title.trim().to_lowercase())
    });
    let anchor = |title: String| {
        title
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn each_link_leads_to_a_file_and_a_heading() {
    let pattern = Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    let quoted = Regex::new("`[^`]*`").unwrap();
    let texts: HashMap<PathBuf, String> = pages()
        .into_iter()
        .map(|page| {
            (
                page.canonicalize().unwrap(),
                fs::read_to_string(&page).unwrap(),
            )
        })
        .collect();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (page, text) in &texts {
        for (number, line) in prose(text) {
            let line = quoted.replace_all(line, "");
            let targets = pattern
                .captures_iter(&line)
                .map(|found| found[1].to_owned());
            for target in targets.filter(|target| !target.contains(':')) {
                count += 1;
                let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
                let path = match file {
                    "" => page.clone(),
                    file => page.parent().unwrap().join(file),
                };
                let linked = path.canonicalize().ok();
                let has_anchor = linked.as_ref().is_some_and(|path| {
                    anchor.is_empty()
                        || texts
                            .get(path)
                            .is_some_and(|text| anchors(text).contains(anchor))
                });
                if !has_anchor {
                    wrong.push(format!("{}:{number}: {target}", page.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 50, "{count} links");
}

#[test]
fn the_table_of_contents_has_each_page_of_the_book() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let contents = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    for page in pages() {
        let Ok(name) = page.strip_prefix(&docs) else {
            continue;
        };
        let name = name.to_str().unwrap();
        let is_listed = name == "SUMMARY.md" || contents.contains(&format!("({name})"));
        assert!(is_listed, "SUMMARY.md does not list {name}");
    }
}
