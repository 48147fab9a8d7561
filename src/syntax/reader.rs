//! The sections of a text, one behind the other, whatever of the grammars they are written in.

use std::convert::Infallible;
use std::mem;

use memchr::memmem;

use super::{
    Options, Sections, Syntax, SyntaxError, SyntaxErrorKind, Unnamed, content_span, find_syntax,
    foreign, lead, mail, message, normal, not_included, refuse_prose, series,
};
use crate::plan::{Input, Name, Operation};
use crate::text::{Lines, Span};
use crate::threads::{LARGE, both, try_take};

/// How the lines begin at which a large text is cut in two: the first ones of sections, if nothing
/// stands between these. Those of mail have more between them, so that nothing comes of a cut where
/// each mail has one.
const BORDERS: [&[u8]; 2] = [b"\ndiff ", b"\nIndex: "];
const HEADER: &[u8] = b"\n--- ";
/// How the lines of a body begin.
const BODY: &[u8] = b" +-\\";

/// Reads all sections of `input`, those of a large one in two threads.
///
/// # Errors
///
/// Returns the first mistake.
pub(super) fn read(
    input: &mut Input,
    among: &[&'static dyn Syntax],
    options: Options,
    sections: &mut Sections,
) -> Result<(), SyntaxError> {
    let mut reader = Reader::new(&input.bytes, among, options);
    let read = reader.read_all(middle(&input.bytes), sections);
    (input.formats, input.sections) = (reader.formats, reader.count);
    read
}

/// Returns where a section may begin in the midst of `text`, if that is large.
fn middle(text: &[u8]) -> Option<usize> {
    let half = text.len() / 2;
    let behind = text.get(half..half + LARGE)?;
    let at_border = BORDERS
        .iter()
        .find_map(|border| memmem::find(behind, border));
    // A header is no border below other lines of one, and a line that is taken out may look like
    // one.
    let is_first = |&at: &usize| {
        let (before, header) = (&text[..half + at], &behind[at + HEADER.len()..]);
        let line = &before[memchr::memrchr(b'\n', before).map_or(0, |end| end + 1)..];
        let next = memchr::memchr(b'\n', header).map(|end| &header[end + 1..]);
        line.first().is_some_and(|sign| BODY.contains(sign))
            && next.is_some_and(|next| next.starts_with(b"+++ "))
    };
    let at = at_border.or_else(|| memmem::find_iter(behind, HEADER).find(is_first))?;
    Some(half + at + 1)
}

/// Where the reading of a text stands.
struct Reader<'t> {
    text: &'t [u8],
    options: Options,
    starts: Starts,
    /// Where the next section is looked for.
    offset: usize,
    /// Where the last section ends, and its grammar.
    end: usize,
    before: Option<&'static dyn Syntax>,
    /// Whether the lines behind it name a file.
    is_named: bool,
    /// The grammars of the sections, each once.
    formats: Vec<&'static str>,
    /// Number of sections.
    count: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t [u8], among: &[&'static dyn Syntax], options: Options) -> Self {
        let (starts, formats) = (Starts::new(among), Vec::new());
        let options = Options {
            is_mail: mail::start(text).is_some(),
            ..options
        };
        Self {
            text,
            options,
            starts,
            offset: 0,
            end: 0,
            before: None,
            is_named: false,
            formats,
            count: 0,
        }
    }

    /// Reads all sections, those from `middle` on by another thread.
    fn read_all(
        &mut self,
        middle: Option<usize>,
        sections: &mut Sections,
    ) -> Result<(), SyntaxError> {
        if let Some(middle) = middle {
            self.read_halves(middle, sections).map(drop)?;
        }
        self.read_to(self.text.len(), sections)?;
        self.find_not_included(self.text.len(), not_included::Edge::Input, sections);
        match self.before {
            _ if sections.operations.is_empty() && self.options.allow_empty => Ok(()),
            _ if sections.operations.is_empty() => Err(nothing(self.text, sections)),
            Some(syntax) if !syntax.takes_prose() => {
                refuse_prose(self.text, self.end, self.text.len())
            }
            _ => Ok(()),
        }
    }

    /// Finds the changes that the text from the last section to `until` names and does not contain.
    fn find_not_included(&self, until: usize, after: not_included::Edge, sections: &mut Sections) {
        if self.before.is_none_or(Syntax::is_diff) {
            let before = if self.end == 0 {
                not_included::Edge::Input
            } else {
                not_included::Edge::Section
            };
            not_included::find(
                self.text,
                Span::new(self.end, until),
                (before, after),
                &mut sections.not_included,
            );
        }
    }

    /// Reads the sections that begin before `until`.
    fn read_to(&mut self, until: usize, sections: &mut Sections) -> Result<(), SyntaxError> {
        while let Some((start, syntax)) = self
            .starts
            .next(self.text, self.offset)
            .filter(|(start, _)| *start < until)
        {
            if let Some(patch) = self.skipped_message(start, syntax) {
                (self.offset, self.is_named) = (patch, false);
                continue;
            }
            let is_alone = self.before.is_none_or(|before| !before.names_files())
                && self.starts.are_all_of(syntax);
            self.is_named |= lead::names_file(&self.text[self.offset..start]);
            if syntax.names_files() || is_alone || self.is_named {
                self.section(start, syntax, sections)?;
            } else {
                let mut lines = Lines::within(self.text, Span::new(start, self.text.len()));
                self.offset = lines.next().map_or(self.text.len(), |(span, _)| span.end);
            }
        }
        Ok(())
    }

    /// Returns where to go on if the section of `syntax` at `start` is only quoted in the text of a
    /// message.
    ///
    /// The header of a context diff and the lines of a normal diff may end that text themselves,
    /// where `git am` reads no patch. GNU patch reads messages like any other text.
    fn skipped_message(&self, start: usize, syntax: &dyn Syntax) -> Option<usize> {
        let is_gnu = self.options.unnamed == Unnamed::Taken;
        if syntax.can_end_message() || is_gnu {
            None
        } else {
            message::patch_after(self.text, self.end, start)
        }
    }

    /// Reads the section of `syntax` at `start`.
    fn section(
        &mut self,
        start: usize,
        syntax: &'static dyn Syntax,
        sections: &mut Sections,
    ) -> Result<(), SyntaxError> {
        let is_strict =
            !syntax.takes_prose() || self.before.is_some_and(|syntax| !syntax.takes_prose());
        if is_strict {
            refuse_prose(self.text, self.end, start)?;
        }
        let between = &self.text[self.end..start];
        if syntax.takes_prose() && series::has_border(between) {
            sections.step += 1;
        }
        if syntax.is_diff() {
            self.find_not_included(start, not_included::Edge::Section, sections);
        }
        let known = sections.operations.len();
        self.end = syntax.parse(self.text, start, self.options, sections)?;
        if syntax.takes_prose() {
            lead::note(between, &mut sections.operations[known..]);
        }
        (self.offset, self.is_named) = (self.end, false);
        self.options
            .allow_files(sections.operations.len(), content_span(self.text, start))?;
        self.options
            .allow_hunks(sections.hunks, content_span(self.text, start))?;
        debug_assert!(self.offset > start, "a section has at least one byte");
        if !self.formats.contains(&syntax.name()) {
            self.formats.push(syntax.name());
        }
        self.count += 1;
        self.before = Some(syntax);
        Ok(())
    }

    /// Reads the sections before `middle`, and those behind if it turns out that one ends there;
    /// returns whether it did.
    fn read_halves(&mut self, middle: usize, sections: &mut Sections) -> Result<bool, SyntaxError> {
        // The look at all of the text serves both.
        self.starts.next(self.text, 0);
        let (text, options, starts) = (self.text, self.options, self.starts.clone());
        let second = || {
            let at = Reader {
                starts: starts.clone(),
                offset: middle,
                end: middle,
                ..Reader::new(text, &[], options)
            };
            let (mut reader, mut sections) = (at, Sections::default());
            reader
                .read_to(text.len(), &mut sections)
                .ok()
                .map(|()| (reader, sections))
        };
        let (first, behind) = both(|| self.read_to(middle, sections), second);
        first?;
        let Some((behind, more)) = behind.filter(|behind| self.may_take(middle, behind, sections))
        else {
            return Ok(false);
        };
        let step = sections.step;
        let moved = |operation: Operation<Name>| Operation {
            step: step + operation.step,
            ..operation
        };
        sections
            .operations
            .extend(more.operations.into_iter().map(moved));
        sections.not_included.extend(more.not_included);
        sections.step += more.step;
        sections.hunks += more.hunks;
        let mut formats = mem::take(&mut self.formats);
        formats.extend(
            behind
                .formats
                .iter()
                .filter(|name| !formats.contains(name))
                .copied()
                .collect::<Vec<_>>(),
        );
        *self = Reader {
            formats,
            count: self.count + behind.count,
            ..behind
        };
        Ok(true)
    }

    /// Returns whether one reader would have read `behind` as another one did that began at
    /// `middle`. A mistake there, and what is too much only together, is found again.
    fn may_take(
        &self,
        middle: usize,
        (behind, more): &(Self, Sections),
        sections: &Sections,
    ) -> bool {
        let span = Span::new(middle, middle);
        (self.offset, self.end) == (middle, middle)
            && self.before.is_some_and(Syntax::is_diff)
            && behind
                .formats
                .iter()
                .all(|name| find_syntax(name).is_some_and(Syntax::is_read_by_git))
            && self
                .options
                .allow_files(sections.operations.len() + more.operations.len(), span)
                .is_ok()
            && self
                .options
                .allow_hunks(sections.hunks + more.hunks, span)
                .is_ok()
    }
}

/// Says what a text without a section is.
fn nothing(text: &[u8], sections: &Sections) -> SyntaxError {
    if let Some(at) = normal::ed_script(text) {
        return SyntaxError::new(SyntaxErrorKind::EdScript, at);
    }
    if let Some(named) = sections.not_included.first() {
        return SyntaxError::new(SyntaxErrorKind::NotIncluded, named.span);
    }
    foreign::without_section(text)
        .unwrap_or(SyntaxError::new(SyntaxErrorKind::NoPatch, Span::new(0, 0)))
}

/// Returns whether nothing speaks against a section of `syntax` in `text`.
fn may_have(syntax: &dyn Syntax, text: &[u8]) -> bool {
    let marks = syntax.marks();
    marks.is_empty()
        || marks
            .iter()
            .any(|mark| memmem::find(text, mark.as_bytes()).is_some())
}

/// Where each grammar's next section starts; each part of the text is searched once by each
/// grammar.
#[derive(Clone)]
struct Starts {
    next: Vec<(&'static dyn Syntax, Option<usize>)>,
    is_searched: bool,
}

impl Starts {
    fn new(among: &[&'static dyn Syntax]) -> Self {
        Self {
            next: among.iter().map(|&syntax| (syntax, None)).collect(),
            is_searched: false,
        }
    }

    /// Returns whether the next sections of all grammars that have any are of `syntax`.
    fn are_all_of(&self, syntax: &dyn Syntax) -> bool {
        self.next
            .iter()
            .all(|(other, start)| start.is_none() || other.name() == syntax.name())
    }

    fn next(&mut self, text: &[u8], offset: usize) -> Option<(usize, &'static dyn Syntax)> {
        let is_searched = mem::replace(&mut self.is_searched, true);
        let search =
            |(syntax, start): &mut (&'static dyn Syntax, Option<usize>)| -> Result<(), Infallible> {
                let is_stale = match *start {
                    Some(start) => start < offset,
                    None => !is_searched && may_have(*syntax, text),
                };
                if is_stale {
                    *start = syntax.find(text, offset);
                }
                Ok(())
            };
        // That a grammar has no section takes a look at all of the text.
        let Ok(()) = if is_searched || text.len() < LARGE {
            self.next.iter_mut().try_for_each(search)
        } else {
            try_take(self.next.iter_mut(), search)
        };
        let earliest = self
            .next
            .iter()
            .filter_map(|&(syntax, start)| Some((start?, syntax)));
        earliest.min_by_key(|&(start, _)| start)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;
    use crate::syntax::SYNTAXES;

    /// What may stand in a patch, one behind the other.
    const PIECES: [&str; 12] = [
        "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n",
        "diff --git a/b b/c\nsimilarity index 100%\nrename from b\nrename to c\n",
        "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-a\n",
        "--- a\n+++ b\n@@ -1,2 +1 @@\n a\n--- c\n",
        "*** a\n--- a\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n",
        "1c1\n< a\n---\n> b\n",
        "*** Begin Patch\n*** Add File: a\n+a\n*** End Patch\n",
        "a.txt\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
        "Index: d\n",
        "Only in b: x\nBinary files a/y and b/y differ\n",
        "Index: d\n====================\n",
        "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nSubject: a\n\n---\n",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

        #[test]
        fn wherever_a_text_is_cut_it_is_read_as_one(
            pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 1..6),
            (max_files, max_hunks) in (1..6_usize, 1..6_usize),
            (recount, allow_empty) in any::<(bool, bool)>(),
        ) {
            let text = pieces.concat();
            let options = Options { recount, allow_empty, max_files, max_hunks, ..Options::default() };
            let read = |middle| {
                let (mut reader, mut sections) = (Reader::new(text.as_bytes(), SYNTAXES, options), Sections::default());
                let read = reader.read_all(middle, &mut sections);
                (format!("{read:?} {sections:?}"), reader.formats, reader.count, reader.end)
            };
            let whole = read(None);
            for (middle, _) in text.match_indices('\n') {
                prop_assert_eq!(read(Some(middle + 1)), whole.clone(), "{}", &text[..=middle]);
            }
        }
    }

    #[test]
    fn halves_count_where_a_section_ends() {
        let section = "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n";
        for above in [
            "",
            "diff --git a/a b/a\n",
            "diff -ru a b\n",
            "Index: a\n====\n",
        ] {
            let one = format!("{above}{section}");
            let text = one.repeat(2);
            let counts = |middle: usize| {
                let mut reader = Reader::new(text.as_bytes(), SYNTAXES, Options::default());
                reader
                    .read_halves(middle, &mut Sections::default())
                    .unwrap()
            };
            assert_eq!(
                [one.len(), one.len() + 1, one.len() - 3].map(counts),
                [true, false, false],
                "{above}"
            );
        }
    }

    #[test]
    fn a_large_text_is_cut_where_a_section_may_begin() {
        let many = |section: &str| section.repeat(2 * LARGE / section.len() + 1);
        let cut = |text: &str| {
            middle(text.as_bytes()).map(|at| text[at..].lines().next().unwrap().to_owned())
        };
        assert_eq!(cut(&PIECES[0].repeat(3)), None);
        assert_eq!(cut(&many(PIECES[0])).as_deref(), Some("diff --git a/a b/a"));
        assert_eq!(
            cut(&many("Index: a\n--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n")).as_deref(),
            Some("Index: a")
        );
        assert_eq!(
            cut(&many("--- a\n+++ b\n@@ -1 +1 @@\n--- c\n+b\n")).as_deref(),
            Some("--- a")
        );
        assert_eq!(cut(&many("index 1\n--- a\n+++ b\n@@ -1 +1 @@\nx\n")), None);
        let text = many(PIECES[0]);
        let plan = crate::syntax::parse("-", text.as_str(), SYNTAXES, Options::default()).unwrap();
        assert_eq!(
            (plan.operations.len(), plan.inputs[0].sections),
            (text.len() / PIECES[0].len(), plan.operations.len())
        );
        assert!(
            plan.operations
                .is_sorted_by_key(|operation| operation.span.start)
        );
    }
}
