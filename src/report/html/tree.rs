//! The tree of files at the side of a page.

use std::collections::BTreeMap;

use super::badge;
use super::markup::Markup;
use crate::report::Op;

/// The maximum nesting of directories. Deeper files are listed with the rest of their path.
const MAX_NESTING: usize = 24;
/// The width of the longest bar, in pixels.
const BAR_WIDTH: usize = 48;

/// A file in the tree.
#[derive(Clone, Debug)]
pub(super) struct Leaf<'a> {
    /// The identifier of the file's section on the page.
    pub(super) id: &'a str,
    pub(super) path: &'a [u8],
    pub(super) op: Op,
    pub(super) added: usize,
    pub(super) removed: usize,
    pub(super) tone: Option<Badge>,
}

/// A short note next to the name of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Badge {
    pub(super) class: &'static str,
    pub(super) word: &'static str,
}

/// A directory in the tree.
#[derive(Default)]
struct Directory<'a> {
    directories: BTreeMap<&'a [u8], Directory<'a>>,
    /// The files, each with its path below the directory and its index on the page.
    files: Vec<(&'a [u8], usize, &'a Leaf<'a>)>,
}

/// The tree of the files of a page.
pub(super) struct FileTree<'a> {
    top: Directory<'a>,
    /// The largest number of changed lines of a file.
    most_changed_lines: usize,
}

impl<'a> FileTree<'a> {
    pub(super) fn of(files: &'a [Leaf<'a>]) -> Self {
        let mut top = Directory::default();
        for (index, file) in files.iter().enumerate() {
            top.insert(index, file);
        }
        top.sort();
        let lines = files.iter().map(|file| file.added + file.removed);
        let most = lines.max().unwrap_or(0);
        Self {
            top,
            most_changed_lines: most,
        }
    }

    /// Adds the tree.
    pub(super) fn print(&self, out: &mut Markup) {
        self.top.print(self.most_changed_lines, out);
    }

    /// Returns the indexes of the files, in the order of the tree.
    pub(super) fn order(&self) -> Vec<usize> {
        let mut order = Vec::new();
        self.top.append_order(&mut order);
        order
    }
}

impl<'a> Directory<'a> {
    fn insert(&mut self, index: usize, file: &'a Leaf<'a>) {
        let mut directory = self;
        let mut rest = file.path;
        for _ in 0..MAX_NESTING {
            let Some(slash) = memchr::memchr(b'/', rest) else {
                break;
            };
            directory = directory.directories.entry(&rest[..slash]).or_default();
            rest = &rest[slash + 1..];
        }
        directory.files.push((rest, index, file));
    }

    /// Sorts the files of each directory by name. Changes of the same file keep their order.
    fn sort(&mut self) {
        self.files
            .sort_unstable_by_key(|&(rest, index, _)| (rest, index));
        self.directories.values_mut().for_each(Self::sort);
    }

    fn append_order(&self, order: &mut Vec<usize>) {
        self.directories
            .values()
            .for_each(|it| it.append_order(order));
        order.extend(self.files.iter().map(|&(_, index, _)| index));
    }

    fn print(&self, most: usize, out: &mut Markup) {
        out.raw("<ul>\n");
        for (name, mut directory) in &self.directories {
            out.raw("<li><details open><summary><span class=\"dir\">")
                .path(name);
            while let (Some((name, only)), 1, true) = (
                directory.directories.first_key_value(),
                directory.directories.len(),
                directory.files.is_empty(),
            ) {
                out.raw("/<wbr>").path(name);
                directory = only;
            }
            out.raw("/</span></summary>\n");
            directory.print(most, out);
            out.raw("</details></li>\n");
        }
        for (rest, _, file) in &self.files {
            add_entry(rest, file, most, out);
        }
        out.raw("</ul>\n");
    }
}

fn add_entry(rest: &[u8], file: &Leaf<'_>, most: usize, out: &mut Markup) {
    let (letter, class) = badge::letter(file.op);
    out.raw("<li><a href=\"#")
        .value(file.id)
        .raw("\"><span class=\"op ")
        .raw(class);
    out.raw("\" role=\"img\" aria-label=\"")
        .text(file.op.to_string())
        .raw("\">")
        .raw(letter)
        .raw("</span><span class=\"name\">");
    out.path(rest);
    out.raw("</span>");
    if let Some(tone) = file.tone {
        out.raw("<span class=\"flag ")
            .raw(tone.class)
            .raw("\">")
            .raw(tone.word)
            .raw("</span>");
    }
    if file.added + file.removed > 0 {
        out.counts(file.added, file.removed);
        add_bar(file, most, out);
    }
    out.raw("</a></li>\n");
}

/// Adds a bar of added and removed lines. The bar of `most` lines has the width [`BAR_WIDTH`].
fn add_bar(file: &Leaf<'_>, most: usize, out: &mut Markup) {
    let width = |lines: usize| match lines {
        0 => 0,
        // Two pixels show even a single line next to a file with thousands.
        _ => (lines.saturating_mul(BAR_WIDTH) / most.max(1)).max(2),
    };
    let (added, removed) = (width(file.added), width(file.removed));
    out.raw(
        "<svg class=\"bar\" width=\"50\" height=\"8\" aria-hidden=\"true\"><rect class=\"plus\" height=\"8\" width=\"",
    );
    out.number(added)
        .raw("\"/><rect class=\"minus\" height=\"8\" x=\"")
        .number(added)
        .raw("\" width=\"");
    out.number(removed).raw("\"/></svg>");
}
