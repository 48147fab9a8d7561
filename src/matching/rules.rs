//! The rules for matching hunks.

use crate::interrupt::Interrupt;
use crate::plan::MatchMode;
use crate::whitespace::WhitespaceRule;

/// The rules for matching hunks.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a rule of its own")]
pub struct MatchRules {
    /// The number of context lines that must match on each side (`-C`). `usize::MAX` means all.
    pub context: usize,
    /// The number of context lines that may be ignored on each side if nothing else matches
    /// (`--fuzz`). At most 64 are used.
    pub fuzz: usize,
    /// Whether a hunk without context can be placed anywhere (`--unidiff-zero`).
    pub zero_context: bool,
    /// Whether hunks are placed like in GNU patch.
    ///
    /// Then only a hunk with less context on one side must be at that end of the file. Each hunk is
    /// first searched for at the offset of the previous one.
    pub is_gnu: bool,
    /// Whether the position of a hunk is determined as in quilt, which runs GNU patch: each hunk is
    /// first searched for at the offset of the previous one, and a side with less context must be
    /// at its end of the file.
    pub as_quilt: bool,
    /// Whether runs of white space are equal to a single space (`--ignore-whitespace`).
    pub ignore_whitespace: bool,
    /// The white-space errors that are fixed (`--whitespace=fix`).
    pub correction: Option<WhitespaceCorrection>,
    /// Whether CR LF and LF are equal, as in files whose line endings git converts. Insertions get
    /// the line ending of the neighbouring lines.
    pub converts_line_ends: bool,
    /// Whether the last line may lack its terminator although the patch contains one
    /// (`--inaccurate-eof`).
    pub inaccurate_eof: bool,
    /// Whether insertions are omitted (`--no-add`).
    pub no_add: bool,
    /// Whether hunks may overlap (`--allow-overlap`); see [`overlay()`](super::overlay()).
    pub allow_overlap: bool,
    /// Whether a hunk with [`Placement::already_at`](super::Placement::already_at) is already
    /// applied (`--idempotent`).
    pub skips_applied: bool,
    /// Whether a hunk with an offset must match in only one place (`--unique`).
    pub unique: bool,
    /// How closely lines must match (`--match`, `--reindent`). On looser rungs a match must be
    /// unique.
    pub match_mode: MatchMode,
    /// The details to determine about hunks that do not match.
    pub detail: MismatchDetail,
    /// The handle that cancels the search. The result of a cancelled search is incomplete.
    pub interrupt: Interrupt,
}

impl Default for MatchRules {
    fn default() -> Self {
        Self {
            context: usize::MAX,
            fuzz: 0,
            zero_context: false,
            is_gnu: false,
            as_quilt: false,
            ignore_whitespace: false,
            correction: None,
            converts_line_ends: false,
            inaccurate_eof: false,
            no_add: false,
            allow_overlap: false,
            skips_applied: false,
            unique: false,
            match_mode: MatchMode::Exact,
            detail: MismatchDetail::Full,
            interrupt: Interrupt::new(),
        }
    }
}

/// The details to determine about a hunk that does not match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MismatchDetail {
    /// Whether it is already applied, and the closest match.
    #[default]
    Full,
    /// Whether it is already applied.
    Kind,
    /// Nothing. The search ends at the first such hunk.
    Nothing,
}

/// The white-space errors that are fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WhitespaceCorrection {
    /// The kinds of error.
    pub rule: WhitespaceRule,
    /// Whether errors in insertions are fixed. Old lines are always compared with their errors
    /// fixed.
    pub corrects_new_lines: bool,
}
