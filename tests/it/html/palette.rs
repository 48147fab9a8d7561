//! Whether the colours of a page can be read.

use std::collections::BTreeMap;
use std::path::Path;

use fs_err as fs;

/// Least contrast of text, by the level AA of the Web Content Accessibility Guidelines 2.2 (1.4.3).
const LEAST: f64 = 4.5;

/// What code stands on.
const CODE: &[&str] = &["page", "panel", "add", "add-word", "del", "del-word", "ask"];

/// Colours of texts, and what they stand on besides the page.
const TEXTS: &[(&str, &[&str])] = &[
    (
        "text",
        &[
            "page", "panel", "add", "add-word", "del", "del-word", "plain", "ask", "ask-word",
        ],
    ),
    ("muted", &["page", "panel"]),
    ("comment", CODE),
    ("string", CODE),
    ("number", CODE),
    ("keyword", CODE),
    ("link", &["page", "panel"]),
    ("add-text", &["page", "panel", "add", "plain"]),
    ("del-text", &["page", "panel", "del", "plain"]),
    ("good-text", &["good"]),
    ("plain-text", &["plain"]),
    ("ask-text", &["ask"]),
    ("bad-text", &["bad"]),
    ("esc-text", &["esc"]),
    ("create", &["page", "panel", "plain"]),
    ("modify", &["page", "panel", "plain"]),
    ("delete", &["page", "panel", "plain"]),
    ("rename", &["page", "panel", "plain"]),
    ("copy", &["page", "panel", "plain"]),
    ("mode", &["page", "panel", "plain"]),
];

fn style() -> String {
    let sheet = |name: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/report/html");
        fs::read_to_string(folder.join(name)).unwrap()
    };
    sheet("style.css") + &sheet("decide.css")
}

/// Returns the colours of the block that begins with `start`, by name.
fn colours(style: &str, start: &str) -> BTreeMap<String, u32> {
    let block = style
        .split_once(start)
        .unwrap()
        .1
        .split_once('}')
        .unwrap()
        .0;
    let declared = block
        .split(';')
        .filter_map(|line| line.trim().strip_prefix("--")?.split_once(": #"));
    declared
        .map(|(name, hex)| (name.to_owned(), u32::from_str_radix(hex, 16).unwrap()))
        .collect()
}

fn luminance(colour: u32) -> f64 {
    let channel = |shift: u32| {
        let value = f64::from(colour >> shift & 0xff) / 255.0;
        if value <= 0.04045 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0)
}

fn contrast(one: u32, other: u32) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn every_text_can_be_read_in_light_and_dark() {
    let style = style();
    let light = colours(&style, ":root {");
    let dark = colours(
        style.split_once("prefers-color-scheme: dark").unwrap().1,
        ":root {",
    );
    assert_eq!(
        light.keys().collect::<Vec<_>>(),
        dark.keys().collect::<Vec<_>>()
    );
    for palette in [light, dark] {
        for (text, grounds) in TEXTS {
            for ground in *grounds {
                let contrast = contrast(palette[*text], palette[*ground]);
                assert!(contrast >= LEAST, "--{text} on --{ground}: {contrast:.2}");
            }
        }
    }
}

#[test]
fn every_ground_comes_with_its_text_and_both_are_checked() {
    let style = style();
    let is_rule = |rule: &&str| rule.contains("background: var(--");
    let mut count = 0;
    for rule in style.split('}').filter(is_rule) {
        let variable = |property: &str| {
            let value = rule
                .split(['{', ';'])
                .find_map(|part| part.trim().strip_prefix(property))?;
            value
                .trim()
                .strip_prefix("var(--")?
                .strip_suffix(')')
                .map(str::to_owned)
        };
        let ground = variable("background:").unwrap();
        let Some(text) = variable("color:") else {
            panic!("a ground without a text:{rule}}}")
        };
        let is_checked = TEXTS
            .iter()
            .any(|(known, grounds)| *known == text && grounds.contains(&&*ground));
        assert!(is_checked, "--{text} on --{ground} is not checked");
        count += 1;
    }
    assert!(count > 10, "{count}");
}
