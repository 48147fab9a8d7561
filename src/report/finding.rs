//! Problems in a report, and the one that decided.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::cause::CauseReport;
use super::file::file_id;
use super::hunk::{HunkReport, hunk_id};
use super::nearest::{Budget, NearestPlace};
use super::words::{Counter, lossless, text};
use crate::path::RelPath;
use crate::preflight::{Problem, ProblemKind, Severity};
use crate::text::Span;

/// One reason not to apply, or one thing that should be known.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct ProblemReport {
    /// Its index among all problems.
    #[serde(skip)]
    pub(crate) index: usize,
    /// What sort of problem it is.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub kind: ProblemKind,
    /// Its stable name.
    pub code: &'static str,
    /// `error` keeps the patch from applying, `warning` does not.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub severity: Severity,
    /// One line for people.
    pub message: String,
    /// The file, where one is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// All bytes of the path as hex digits, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// The entry of `files` that it speaks of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The hunk that it speaks of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hunk: Option<String>,
    /// The place in the patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<SourceSpan>,
    /// Lines of the file that are meant, counted from 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<usize>,
    /// What else is known of the problem.
    #[serde(skip)]
    pub details: Box<ProblemDetails>,
    /// The place of the file that is most like it, where no hunk of `files` tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Box<NearestPlace>>,
    /// Why a text of the patch is not in the file, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<CauseReport>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// What a model should do next, where that depends on the problem.
    #[serde(skip)]
    pub(super) advice: Option<String>,
}

/// A place in a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct SourceSpan {
    /// Index of the input.
    pub input: usize,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in bytes, counted from 1.
    pub column: usize,
    /// Offset of the first byte, counted from 0.
    pub byte: usize,
    /// Number of bytes.
    pub length: usize,
}

/// Numbers, digests and lines of the file that a problem is about. Only
/// [`Report::error`](super::Report::error) has them.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct ProblemDetails {
    /// The hunk of the file, counted from 1, if the report lists the hunk.
    #[serde(skip)]
    pub hunk_number: Option<usize>,
    /// How many places are meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// Index of the edit in its list, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// What the file should hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expected>,
    /// The digest that the file has instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// The tag that the file has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual_tag: Option<String>,
    /// The lines of the file around the places that are meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub around: Vec<NumberedText>,
    /// The limit that was passed, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// The size that passed it, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Why a rule of policy refuses it, in the words of the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The mode that holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_mode: Option<&'static str>,
    /// The least mode that would allow it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required_mode: Option<&'static str>,
    /// What the cells of the notebook are called.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<String>,
}

/// What a file should hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(untagged)]
#[non_exhaustive]
pub enum Expected {
    /// Its first lines at the place of a hunk or a text.
    Lines(Vec<String>),
    /// The digest of all of it.
    Digest(String),
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct NumberedText {
    /// Its number, counted from 1.
    pub line: usize,
    /// Its text without terminator, cut where it is long.
    pub text: String,
}

impl NumberedText {
    fn of((line, content): &(usize, Vec<u8>)) -> Self {
        Self {
            line: line + 1,
            text: text(content),
        }
    }
}

impl Expected {
    fn of(problem: &Problem, hunk: Option<&HunkReport>) -> Option<Self> {
        if let Some(digest) = problem.facts.expected {
            return Some(Self::Digest(digest.to_string()));
        }
        hunk.filter(|hunk| !hunk.expected.is_empty())
            .map(|hunk| Self::Lines(hunk.expected.clone()))
    }
}

impl ProblemReport {
    /// Reports `problem` of the file with this number in the whole patch.
    pub(super) fn of(
        (index, problem): (usize, &Problem),
        number: Option<usize>,
        counters: &mut [Counter<'_>],
    ) -> Self {
        let file = number.map(file_id);
        let path = problem
            .path
            .as_ref()
            .map(RelPath::as_bytes)
            .or(problem.name.as_deref());
        let hunk = file
            .as_deref()
            .zip(problem.hunk)
            .map(|(file, hunk)| hunk_id(file, hunk));
        let input = problem.place.map(|(input, _)| input);
        let span = problem
            .place
            .and_then(|(input, span)| Some(SourceSpan::of(input, span, counters.get_mut(input)?)));
        let nearest = problem.facts.nearest.as_ref().zip(input);
        let nearest = nearest.and_then(|(nearest, input)| {
            Some(Box::new(NearestPlace::of(
                nearest,
                counters.get_mut(input)?,
                &mut Budget::default(),
            )))
        });
        Self {
            index,
            kind: problem.code.kind,
            code: problem.code.name,
            severity: problem.severity,
            message: problem.message.clone(),
            path: path.map(text),
            path_hex: path.and_then(|path| lossless(&path)),
            file,
            hunk,
            span,
            lines: problem.lines.iter().map(|line| line + 1).collect(),
            details: Box::default(),
            nearest,
            cause: problem.facts.cause.as_ref().map(CauseReport::of),
            help: problem.help.clone(),
            advice: problem.facts.advice.clone(),
        }
    }

    /// Adds the details of `problem`; `listed` is its hunk if the report lists it.
    pub(super) fn with_details(
        self,
        problem: &Problem,
        listed: Option<(usize, &HunkReport)>,
    ) -> Self {
        Self {
            details: Box::new(ProblemDetails::of(problem, listed)),
            ..self
        }
    }

    fn hunk_number(&self) -> Option<usize> {
        self.details.hunk_number
    }
}

impl ProblemDetails {
    fn of(problem: &Problem, listed: Option<(usize, &HunkReport)>) -> Self {
        let facts = &problem.facts;
        let count = facts.count.unwrap_or(problem.lines.len());
        Self {
            hunk_number: listed.map(|(index, _)| index + 1),
            count: Some(count).filter(|&count| count > 0),
            index: facts.edit,
            expected: Expected::of(problem, listed.map(|(_, hunk)| hunk)),
            actual: facts.actual.map(|digest| digest.to_string()),
            actual_tag: facts.actual_tag.map(|tag| tag.to_string()),
            around: facts.around.iter().map(NumberedText::of).collect(),
            limit: facts.limit,
            size: facts.size,
            reason: facts.reason.clone(),
            active_mode: facts.modes.map(|(active, _)| active),
            required_mode: facts.modes.map(|(_, required)| required),
            cells: facts.cells.clone(),
        }
    }
}

impl SourceSpan {
    fn of(input: usize, span: Span, counter: &mut Counter<'_>) -> Self {
        let position = counter.position(span.start);
        let original = counter.original(span);
        Self {
            input,
            line: position.line,
            column: position.column,
            byte: original.start,
            length: original.len(),
        }
    }
}

/// The problem that decided how the command ended.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(remote = "ProblemReport")]
#[cfg_attr(feature = "schema", schemars(rename = "ErrorReport"))]
pub(super) struct DecisiveProblem {
    /// What sort of problem it is.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    kind: ProblemKind,
    /// Its stable name.
    code: &'static str,
    /// One line for people.
    message: String,
    /// The file, where one is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// All bytes of the path as hex digits, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_hex: Option<String>,
    /// The hunk of the file, counted from 1.
    #[serde(
        getter = "ProblemReport::hunk_number",
        skip_serializing_if = "Option::is_none"
    )]
    hunk: Option<usize>,
    /// The place in the patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<SourceSpan>,
    /// Lines of the file that are meant, counted from 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<usize>,
    #[serde(flatten)]
    details: Box<ProblemDetails>,
    /// The place of the file that is most like it.
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<Box<NearestPlace>>,
    /// Why a text of the patch is not in the file, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<CauseReport>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

/// Serializes the problem that decided in the shape that `error` has in a document.
#[allow(clippy::ref_option, reason = "the shape that serde calls")]
pub(super) fn as_error<S: Serializer>(
    error: &Option<ProblemReport>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match error {
        Some(error) => DecisiveProblem::serialize(error, serializer),
        None => serializer.serialize_none(),
    }
}
