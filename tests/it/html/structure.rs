//! The elements and attributes of a page, and the checks that each page passes.

use std::collections::BTreeMap;

use scraper::Html;

use super::all;

/// Every element that a page is made of, and its attributes.
const ELEMENTS: &[(&str, &[&str])] = &[
    ("html", &["lang", "dir"]),
    ("head", &[]),
    ("meta", &["charset", "http-equiv", "content", "name"]),
    ("title", &[]),
    ("style", &[]),
    ("body", &[]),
    ("a", &["class", "href", "id"]),
    ("header", &[]),
    ("h1", &[]),
    ("h2", &["id"]),
    ("h3", &[]),
    ("h4", &["class", "id"]),
    ("p", &["class"]),
    ("br", &[]),
    ("wbr", &[]),
    ("b", &["class"]),
    ("bdi", &["dir"]),
    ("ins", &[]),
    ("del", &[]),
    ("mark", &[]),
    ("strong", &[]),
    ("span", &["class", "role", "aria-label"]),
    ("code", &["class", "dir"]),
    ("dl", &["class"]),
    ("dt", &[]),
    ("dd", &[]),
    ("section", &["class"]),
    ("ul", &[]),
    ("li", &[]),
    ("div", &["class"]),
    ("nav", &["id", "tabindex", "aria-labelledby"]),
    ("main", &["id"]),
    ("details", &["class", "id", "open"]),
    ("summary", &[]),
    ("label", &["class"]),
    ("input", &["type", "id", "checked"]),
    ("table", &["class", "dir"]),
    ("caption", &[]),
    ("colgroup", &[]),
    ("col", &["class"]),
    ("thead", &["class"]),
    ("th", &["scope"]),
    ("tbody", &["class"]),
    ("tr", &["class"]),
    ("td", &["class", "aria-hidden"]),
    ("figure", &[]),
    ("figcaption", &[]),
    ("img", &["alt", "src"]),
    ("svg", &["class", "width", "height", "aria-hidden"]),
    ("rect", &["class", "width", "height", "x"]),
    ("footer", &[]),
];

/// The elements and attributes that only a page for decisions has.
pub(super) const DECISION_ELEMENTS: &[(&str, &[&str])] = &[
    ("fieldset", &["class", "id", "data-id", "data-path"]),
    ("legend", &["class"]),
    ("input", &["type", "id", "name", "value", "checked"]),
    ("textarea", &["rows", "maxlength"]),
    (
        "section",
        &[
            "id",
            "class",
            "aria-labelledby",
            "data-plan",
            "data-approve",
            "data-before",
            "data-after",
            "data-reject",
        ],
    ),
    ("h3", &[]),
    ("p", &["class", "id", "role"]),
    ("pre", &["id", "class", "dir", "tabindex"]),
    ("button", &["type", "data-copy", "hidden"]),
    ("script", &[]),
];

/// Parses a page that can also have the elements `more`.
pub(super) fn parsed_with(text: &str, more: &[(&'static str, &'static [&'static str])]) -> Html {
    let page = Html::parse_document(text);
    assert!(page.errors.is_empty(), "{:?}\n{text}", page.errors);
    let known: BTreeMap<_, _> = ELEMENTS.iter().chain(more).copied().collect();
    let mut ids = Vec::new();
    for element in all(&page, "*") {
        let name = element.value().name();
        let attributes = known
            .get(name)
            .unwrap_or_else(|| panic!("<{name}>\n{text}"));
        for (attribute, value) in element.value().attrs() {
            assert!(attributes.contains(&attribute), "<{name} {attribute}>");
            match attribute {
                "id" => ids.push(value),
                "href" => assert!(value.starts_with('#'), "{value}"),
                "src" => assert!(
                    value.starts_with("data:image/") && value.contains(";base64,"),
                    "{value:.80}"
                ),
                _ => {}
            }
        }
    }
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "an id twice");
    for link in all(&page, "a") {
        assert!(
            ids.contains(&&link.value().attr("href").unwrap()[1..]),
            "{:?}",
            link.value()
        );
    }
    let dangerous = |character: &char| character.is_control() && !matches!(character, '\n' | '\t');
    assert_eq!(text.chars().find(dangerous), None);
    let hidden = |character: &char| matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    assert_eq!(text.chars().find(hidden), None);
    page
}
