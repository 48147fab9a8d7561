//! Reads the file headers of diffs.

use super::markers::{is_fence, parse_marker};
use super::{Line, Section, SectionAction, SectionReader};
use crate::mode::FileMode;

/// The prefixes of the lines in a git header.
const GIT_HEADER_PREFIXES: &[&[u8]] = &[
    b"old mode ",
    b"new mode ",
    b"new file mode ",
    b"deleted file mode ",
    b"similarity index ",
    b"dissimilarity index ",
    b"rename ",
    b"copy ",
    b"index ",
    b"Binary files ",
    b"GIT binary patch",
];

impl<'t> SectionReader<'t> {
    /// Reads `diff --git a/NAME b/NAME` and the lines after it, up to `---` or the first hunk.
    pub(super) fn read_git_header(&mut self, rest: &'t [u8], line: Line<'t>) {
        let mut section = Section::new(SectionAction::Update, parse_names(rest), line);
        self.next += 1;
        self.is_enveloped = false;
        self.has_gap = false;
        let (mut is_half, mut has_target, mut is_binary) = (false, false, false);
        while let Some(line) = self.peek(0) {
            let text = line.text;
            let is_word = GIT_HEADER_PREFIXES
                .iter()
                .any(|word| text.starts_with(word));
            // The lines of a binary patch start with a letter: a keyword, or the length of the
            // data. A line with a sign therefore ends it.
            let is_data = is_binary && !matches!(text.first(), Some(b'+' | b'-' | b'@'));
            if !is_word && !is_data
                || is_fence(text)
                || text.starts_with(b"diff --git ")
                || parse_marker(text).is_some()
            {
                break;
            }
            section.read_header_line(text);
            is_half |= [&b"rename from "[..], b"copy from ", b"similarity "]
                .iter()
                .any(|word| text.starts_with(word));
            has_target |= text.starts_with(b"rename to ") || text.starts_with(b"copy to ");
            is_binary |=
                text.starts_with(b"Binary files ") || text.starts_with(b"GIT binary patch");
            section.span.end = line.span.end;
            self.next += 1;
        }
        section.is_verbatim |= is_binary;
        // A creation, a deletion, a rename or a mode is a change even without hunks.
        section.has_marker = section.action != SectionAction::Update
            || section.target.is_some()
            || section.mode.is_some();
        // A `rename from` without `rename to` is cut off. It must not become a change of the old
        // file.
        if is_half && !has_target {
            self.stray.get_or_insert(section.span);
        }
        self.begin_section();
        self.sections.push(section);
    }

    /// Reads `---` and `+++`, or one of the two lines if the model left out the other. One line is
    /// a header only directly above `@@`, because `--- x` can also delete the line `-- x`. Returns
    /// the number of lines.
    pub(super) fn read_file_header(&mut self, line: Line<'t>) -> Option<usize> {
        let second = self.peek(1);
        let old = line.text.strip_prefix(b"--- ");
        let new = second.and_then(|line| line.text.strip_prefix(b"+++ "));
        let is_chunk =
            |line: Option<Line<'_>>| line.is_some_and(|line| line.text.starts_with(b"@@"));
        let (old, new, taken) = match (old, new) {
            (Some(old), Some(new)) => (Some(old), Some(new), 2),
            (Some(old), None) if is_chunk(second) => (Some(old), None, 1),
            (None, _) => {
                let new = line
                    .text
                    .strip_prefix(b"+++ ")
                    .filter(|_| is_chunk(second))?;
                (None, Some(new), 1)
            }
            _ => return None,
        };
        self.has_gap = false;
        let inside = self.is_enveloped
            && self
                .sections
                .last()
                .is_some_and(|section| section.hunks.is_empty());
        if inside {
            // The envelope has already named the file.
            return Some(taken);
        }
        // Directly after the lines of `diff --git`, the names belong to that section.
        let is_new = !self.sections.last().is_some_and(|section| {
            !section.is_enveloped && section.hunks.is_empty() && section.span.end == line.span.start
        });
        if is_new {
            self.is_closed = false;
            self.sections
                .push(Section::new(SectionAction::Update, Vec::new(), line));
        }
        let section = self.sections.last_mut()?;
        let sides = [old, new].map(|name| name.map(without_time));
        // If the names contradict `diff --git`, nothing shows which of them is right.
        if !section.has_matching_name(sides) {
            self.stray.get_or_insert(line.span);
        }
        section.set_names(sides);
        section.span.end = self.lines[self.next + taken - 1].span.end;
        self.header = Some(self.lines[self.next + taken - 1].span);
        Some(taken)
    }
}

impl<'t> Section<'t> {
    /// Returns whether the section names two different files, but contains neither a rename nor a
    /// hunk. Nothing then shows what changes.
    pub(super) fn has_contradicting_names(&self) -> bool {
        let [new, old] = self.names[..] else {
            return false;
        };
        let is_open = self.hunks.is_empty()
            && self.target.is_none()
            && !self.is_verbatim
            && !self.is_enveloped;
        is_open && without_prefix(new) != without_prefix(old) && new != old
    }

    /// Reads a line of a git header.
    fn read_header_line(&mut self, line: &'t [u8]) {
        let behind = |word: &[u8]| line.strip_prefix(word);
        if let Some(name) = behind(b"rename to ") {
            self.target = Some(name);
        } else if let Some(name) = behind(b"rename from ") {
            // The name on this line has no prefix, so it replaces the names of `diff --git`.
            self.names = vec![name];
        } else if let Some(bits) = behind(b"new file mode ") {
            self.action = SectionAction::Create;
            self.take_mode(bits);
        } else if let Some(bits) = behind(b"new mode ") {
            self.take_mode(bits);
        } else if line.starts_with(b"deleted file mode ") {
            self.action = SectionAction::Delete;
        }
        // A repair changes one file, and a copy has two.
        self.is_verbatim |= line.starts_with(b"copy ");
    }

    fn take_mode(&mut self, bits: &[u8]) {
        let bits = std::str::from_utf8(bits.trim_ascii())
            .ok()
            .and_then(|bits| u32::from_str_radix(bits, 8).ok());
        self.mode = bits.and_then(FileMode::from_bits);
        // Only regular files have lines that can be repaired.
        self.is_verbatim |= !matches!(self.mode, Some(FileMode::Regular | FileMode::Executable));
    }

    /// Returns whether a side has one of the names that were read before. One of both can have a
    /// prefix such as `b/`.
    fn has_matching_name(&self, sides: [Option<&[u8]>; 2]) -> bool {
        let is_same = |side: &[u8]| {
            let mut known = self.names.iter().chain(&self.target);
            known.any(|name| {
                let [of_side, of_name] = [side, name].map(|name| [name, without_prefix(name)]);
                of_side.iter().any(|name| of_name.contains(name))
            })
        };
        let given: Vec<_> = sides
            .into_iter()
            .flatten()
            .filter(|side| *side != b"/dev/null")
            .collect();
        self.names.is_empty() || given.is_empty() || given.into_iter().any(is_same)
    }

    /// Sets the names of both sides. Hunks must follow, so the section is incomplete without them.
    fn set_names(&mut self, [old, new]: [Option<&'t [u8]>; 2]) {
        let is_null = |name: Option<&[u8]>| name == Some(b"/dev/null".as_slice());
        match (is_null(old), is_null(new)) {
            (true, false) => self.action = SectionAction::Create,
            (false, true) => self.action = SectionAction::Delete,
            _ => {}
        }
        let named: Vec<_> = [new, old]
            .into_iter()
            .flatten()
            .filter(|name| !is_null(Some(name)))
            .collect();
        // The names on `rename from` and `rename to` have no prefix, so they are kept.
        if !named.is_empty() && self.target.is_none() {
            self.names = named;
        }
        self.has_marker = false;
    }
}

/// Returns the names on a `diff --git` line, the new name first. The line has two halves that are
/// equal except for their prefixes, or it has two words.
fn parse_names(line: &[u8]) -> Vec<&[u8]> {
    let line = line.trim_ascii_end();
    let middle = line.len() / 2;
    // A name can contain spaces, as in `a/my file b/my file`.
    if line.len() % 2 == 1 && line[middle] == b' ' {
        let (old, new) = (&line[..middle], &line[middle + 1..]);
        if without_prefix(old) == without_prefix(new) {
            return vec![new, old];
        }
    }
    let mut words = line.split(|&byte| byte == b' ');
    match (words.next(), words.next(), words.next()) {
        (Some(old), Some(new), None) => vec![new, old],
        _ => Vec::new(),
    }
}

/// Removes the first component of a name, which can be a prefix.
fn without_prefix(name: &[u8]) -> &[u8] {
    memchr::memchr(b'/', name).map_or(name, |slash| &name[slash + 1..])
}

/// Removes a time stamp from a name. A tab precedes it, because names can contain spaces.
fn without_time(name: &[u8]) -> &[u8] {
    let end = memchr::memchr(b'\t', name).unwrap_or(name.len());
    name[..end].trim_ascii_end()
}
