//! The patch of a scene in every grammar. To add a grammar, add a row of [`GRAMMARS`].

use serde_json::{Value, json};
use wpatch::text::tag::HashlineTag;

use super::scene::{File, Hunk, Line, Scene};
use diffs::{context, diff, normal};

mod diffs;

/// The text of a patch.
#[derive(Clone, Debug, Default)]
pub(super) struct Rendered {
    pub(super) text: String,
    /// Where each hunk is complete.
    pub(super) ends: Vec<usize>,
}

/// How a change reaches the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// As a patch of `apply`.
    Patch,
    /// As the list of `edit --edits`.
    EditList,
    /// As `edit --old`: the text is a JSON list of one edit.
    Edit,
}

/// What lines of a hunk can look like in a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lines {
    /// Each begins with a sign.
    Signed,
    /// The old text and the new text, both in full.
    Texts,
    /// Changes without context.
    Bare,
    /// Lines are named by their numbers.
    Numbers,
}

/// One grammar.
pub(super) struct Grammar {
    pub(super) name: &'static str,
    pub(super) way: Way,
    pub(super) lines: Lines,
    /// Whether hunks have headers with ranges.
    pub(super) has_ranges: bool,
    pub(super) render: fn(&Scene) -> Rendered,
}

const fn patch(
    name: &'static str,
    lines: Lines,
    has_ranges: bool,
    render: fn(&Scene) -> Rendered,
) -> Grammar {
    Grammar {
        name,
        way: Way::Patch,
        lines,
        has_ranges,
        render,
    }
}

/// Every grammar, and its forms that tools differ in.
pub(super) const GRAMMARS: &[Grammar] = &[
    patch("unified", Lines::Signed, true, |scene| {
        diff(scene, |_| String::new())
    }),
    patch("git", Lines::Signed, true, |scene| {
        diff(scene, |file| {
            format!(
                "diff --git a/{0} b/{0}\nindex 1234567..89abcde 100644\n",
                file.path
            )
        })
    }),
    patch("context", Lines::Signed, true, context),
    patch("normal", Lines::Bare, true, normal),
    patch("codex", Lines::Signed, false, codex),
    patch("blocks", Lines::Texts, false, |scene| {
        blocks(scene, |file, hunk| {
            format!("{}\n{}", file.path, block(hunk, ""))
        })
    }),
    patch("blocks of Aider", Lines::Texts, false, |scene| {
        blocks(scene, |file, hunk| {
            format!("{}\n```text\n{}```\n\n", file.path, block(hunk, ""))
        })
    }),
    patch("fenced diffs of Aider", Lines::Texts, false, |scene| {
        blocks(scene, |file, hunk| {
            format!("```\n{}\n{}```\n", file.path, block(hunk, ""))
        })
    }),
    patch("blocks of Cline", Lines::Texts, false, |scene| {
        blocks(scene, |file, hunk| {
            let block = block(hunk, "").replacen("<<<<<<< SEARCH", "------- SEARCH", 1);
            let head = block.strip_suffix(">>>>>>> REPLACE\n").unwrap_or_default();
            format!("{}\n{head}+++++++ REPLACE\n", file.path)
        })
    }),
    patch("blocks of Roo", Lines::Texts, false, |scene| {
        blocks(scene, |file, hunk| {
            let start = (hunk.old.cast_signed() + 1 + hunk.off).max(1);
            format!(
                "{}\n{}",
                file.path,
                block(hunk, &format!(":start_line:{start}\n-------\n"))
            )
        })
    }),
    patch("json edits", Lines::Texts, false, |scene| {
        edits(scene, "old", "new")
    }),
    patch("json old_string", Lines::Texts, false, |scene| {
        edits(scene, "old_string", "new_string")
    }),
    patch("json old_str", Lines::Texts, false, |scene| {
        edits(scene, "old_str", "new_str")
    }),
    patch("json oldText", Lines::Texts, false, |scene| {
        edits(scene, "oldText", "newText")
    }),
    patch("json search", Lines::Texts, false, |scene| {
        edits(scene, "search", "replace")
    }),
    patch("json patch", Lines::Signed, true, |scene| {
        let diff = diff(scene, |_| String::new());
        whole(&json!({"patch": diff.text}), scene)
    }),
    patch("json operations", Lines::Signed, false, |scene| {
        let operations = scene.files.iter().map(|file| {
            let diff: String = file
                .hunks
                .iter()
                .map(|hunk| format!("@@\n{}", body(hunk, false)))
                .collect();
            json!({"type": "update_file", "path": file.path, "diff": diff})
        });
        whole(&Value::Array(operations.collect()), scene)
    }),
    patch("hashline", Lines::Numbers, false, |scene| {
        hashline(scene, "", "")
    }),
    patch("hashline envelope", Lines::Numbers, false, |scene| {
        let mut rendered = hashline(scene, "*** Begin Patch\n", "*** End Patch\n");
        rendered.ends.fill(rendered.text.len());
        rendered
    }),
    Grammar {
        name: "edit --edits",
        way: Way::EditList,
        lines: Lines::Texts,
        has_ranges: false,
        render: edit_list,
    },
    Grammar {
        name: "edit --old",
        way: Way::Edit,
        lines: Lines::Texts,
        has_ranges: false,
        render: edit_list,
    },
];

fn written(line: &Line) -> String {
    if line.is_bare {
        format!("{}\n", line.text)
    } else {
        format!("{}{}\n", line.sign, line.text)
    }
}

pub(super) const NOTE: &str = "\\ No newline at end of file\n";

/// Returns the lines of a hunk with their signs; `has_notes` says whether the grammar knows of
/// missing newlines.
fn body(hunk: &Hunk, has_notes: bool) -> String {
    let mut body: String = hunk.lines.iter().map(written).collect();
    if hunk.has_note && has_notes {
        body.push_str(NOTE);
    }
    body
}

fn codex(scene: &Scene) -> Rendered {
    let mut text = "*** Begin Patch\n".to_owned();
    for file in &scene.files {
        text += &format!("*** Update File: {}\n", file.path);
        for hunk in &file.hunks {
            text += &format!(
                "{}\n{}",
                hunk.header.as_deref().unwrap_or("@@"),
                body(hunk, false)
            );
        }
    }
    text += "*** End Patch\n";
    let ends = vec![text.len(); hunks(scene)];
    Rendered { text, ends }
}

fn hunks(scene: &Scene) -> usize {
    scene.files.iter().map(|file| file.hunks.len()).sum()
}

fn block(hunk: &Hunk, lines: &str) -> String {
    format!(
        "<<<<<<< SEARCH\n{lines}{}=======\n{}>>>>>>> REPLACE\n",
        hunk.text('+'),
        hunk.text('-')
    )
}

fn blocks(scene: &Scene, block: impl Fn(&File, &Hunk) -> String) -> Rendered {
    let mut rendered = Rendered::default();
    for file in &scene.files {
        for hunk in &file.hunks {
            rendered.unit(&block(file, hunk));
        }
    }
    // The fence behind a block is no part of it.
    let marker = "REPLACE\n";
    let text = &rendered.text;
    let end = |&end: &usize| {
        text[..end]
            .rfind(marker)
            .map_or(end, |at| at + marker.len())
    };
    let ends = rendered.ends.iter().map(end).collect();
    Rendered { ends, ..rendered }
}

/// Returns the old and the new text of a hunk without the newline of the last line, which a file
/// may not have.
fn texts(hunk: &Hunk) -> (String, String) {
    let cut = |text: String| text.strip_suffix('\n').unwrap_or(&text).to_owned();
    (cut(hunk.text('+')), cut(hunk.text('-')))
}

fn edits(scene: &Scene, old_key: &str, new_key: &str) -> Rendered {
    let edit = |file: &File, hunk: &Hunk| {
        let (old, new) = texts(hunk);
        json!({"path": file.path, old_key: old, new_key: new})
    };
    let edits = scene
        .files
        .iter()
        .flat_map(|file| file.hunks.iter().map(move |hunk| edit(file, hunk)));
    let edits: Vec<_> = edits.collect();
    whole(&json!({"edits": edits}), scene)
}

/// Returns a document that is complete at its last byte.
fn whole(document: &Value, scene: &Scene) -> Rendered {
    let text = document.to_string();
    Rendered {
        ends: vec![text.len(); hunks(scene)],
        text: text + "\n",
    }
}

/// Returns the list for the first file.
fn edit_list(scene: &Scene) -> Rendered {
    let list = scene.files[0].hunks.iter().map(|hunk| {
        let (old, new) = texts(hunk);
        json!({"old": old, "new": new})
    });
    let text = Value::Array(list.collect()).to_string();
    Rendered {
        ends: vec![text.len(); scene.files[0].hunks.len()],
        text,
    }
}

fn hashline(scene: &Scene, begin: &str, end: &str) -> Rendered {
    let mut rendered = Rendered {
        text: begin.to_owned(),
        ends: Vec::new(),
    };
    for file in &scene.files {
        rendered.text += &format!(
            "[{}#{}]\n",
            file.path,
            HashlineTag::of(file.before.as_bytes())
        );
        for hunk in &file.hunks {
            let mut text = String::new();
            for (old, _, gone, come) in hunk.changes() {
                text += &match (gone.len(), come.len()) {
                    (0, _) if old == 0 => "PUT <1:\n".to_owned(),
                    (0, _) => format!("PUT >{old}:\n"),
                    (count, 0) => format!("CUT {}.={}\n", old + 1, old + count),
                    (count, _) => format!("PUT {}.={}:\n", old + 1, old + count),
                };
                text.extend(come.iter().map(|line| format!("+{}\n", line.text)));
            }
            rendered.unit(&text);
        }
    }
    rendered.text += end;
    rendered
}

impl Rendered {
    /// Adds a hunk.
    fn unit(&mut self, text: &str) {
        self.text += text;
        self.ends.push(self.text.len());
    }
}
