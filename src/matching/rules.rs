//! How closely hunks have to fit.

use crate::interrupt::Interrupt;
use crate::plan::Closeness;
use crate::whitespace::WhitespaceRule;

/// How closely a hunk has to fit.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a rule of its own")]
pub struct Rules {
    /// Lines of context that have to match on each side; `usize::MAX` for all (`-C`).
    pub context: usize,
    /// Lines of context that may be left out on each side when nothing else fits (`--fuzz`); more
    /// than 64 count as 64.
    pub fuzz: usize,
    /// Whether a hunk without context may stand anywhere (`--unidiff-zero`).
    pub zero_context: bool,
    /// Whether places are those of GNU patch: an end of the file means something only to a hunk
    /// with less context on that side, and a hunk is looked for as far from its stated place as the
    /// one before it went.
    pub as_gnu: bool,
    /// Whether runs of blanks are compared as one (`--ignore-whitespace`).
    pub ignore_whitespace: bool,
    /// What white space is put right (`--whitespace=fix`).
    pub correction: Option<Correction>,
    /// Whether CR LF and LF are the same, as in files whose line ends git converts; new lines end
    /// as those around them.
    pub converts_line_ends: bool,
    /// Whether a last line may lack its terminator although the patch has one (`--inaccurate-eof`).
    pub inaccurate_eof: bool,
    /// Whether new lines are left out (`--no-add`).
    pub no_add: bool,
    /// Whether a hunk may go where another one went (`--allow-overlap`); see [`overlay()`](super::overlay()).
    pub allow_overlap: bool,
    /// Whether a hunk that is off its stated place has to fit in one place only (`--unique`).
    pub unique: bool,
    /// How closely lines have to fit (`--match`, `--reindent`). On the ladder a hunk needs a place
    /// that is the only one.
    pub closeness: Closeness,
    /// What is determined about hunks that do not match.
    pub detail: Detail,
    /// The handle that ends the search. What it finds then is not complete.
    pub interrupt: Interrupt,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            context: usize::MAX,
            fuzz: 0,
            zero_context: false,
            as_gnu: false,
            ignore_whitespace: false,
            correction: None,
            converts_line_ends: false,
            inaccurate_eof: false,
            no_add: false,
            allow_overlap: false,
            unique: false,
            closeness: Closeness::Exact,
            detail: Detail::Full,
            interrupt: Interrupt::new(),
        }
    }
}

/// What is determined about a hunk that does not match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Detail {
    /// Whether it is already applied, and the closest match.
    #[default]
    Full,
    /// Whether it is already applied.
    Kind,
    /// Nothing: the search ends at the first such hunk.
    Nothing,
}

/// What white space is put right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Correction {
    /// What is wrong.
    pub rule: WhitespaceRule,
    /// Whether it is in new lines; old lines are compared as if it were put right in any case.
    pub corrects_new_lines: bool,
}
