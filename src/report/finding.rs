//! The problems in a report, and the problem that determines the outcome.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::cause::CauseReport;
use super::file::file_id;
use super::hunk::{HunkReport, hunk_id};
use super::nearest::{Budget, NearestPlace};
use super::symbols::NamedSymbol;
use super::words::{LineCounter, hex_if_lossy, text};
use crate::path::RelPath;
use crate::preflight::{Problem, ProblemKind, Severity};
use crate::text::Span;

/// One reason why the plan does not apply, or one warning.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct ProblemReport {
    /// The index among all problems.
    #[serde(skip)]
    pub(crate) index: usize,
    /// The kind of the problem.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub kind: ProblemKind,
    /// The stable code of the problem.
    pub code: &'static str,
    /// `error` prevents the change, `warning` does not.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub severity: Severity,
    /// A message of one line.
    pub message: String,
    /// The path of the file, if the problem concerns one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// All bytes of the path as hex digits, if the path is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// The entry of `files` that the problem belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The hunk that the problem belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hunk: Option<String>,
    /// The position in the patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<SourceSpan>,
    /// The affected lines of the file, counted from 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<usize>,
    /// Further facts about the problem.
    #[serde(skip)]
    pub details: Box<ProblemDetails>,
    /// The closest match, unless a hunk in `files` contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Box<NearestPlace>>,
    /// The cause if the preimage is not in the file and the cause is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<CauseReport>,
    /// The next step for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The next step for a model, if it depends on the data of the problem.
    #[serde(skip)]
    pub(super) advice: Option<String>,
}

/// A position in a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct SourceSpan {
    /// The index of the patch.
    pub input: usize,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in bytes, counted from 1.
    pub column: usize,
    /// The offset of the first byte, counted from 0.
    pub byte: usize,
    /// The length in bytes.
    pub length: usize,
}

/// The numbers, digests and lines of a file that belong to a problem. Only
/// [`Report::error`](super::Report::error) contains them.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct ProblemDetails {
    /// The number of the hunk in the file, counted from 1, if the report lists the hunk.
    #[serde(skip)]
    pub hunk_number: Option<usize>,
    /// The number of matches or affected lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// The index of the edit in its list, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// The content that the file must have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expected>,
    /// The actual digest of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// The actual tag of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual_tag: Option<String>,
    /// The lines of the file around the affected lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub around: Vec<NumberedText>,
    /// The limit that was exceeded, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// The size that exceeds the limit, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// The reason that the denying policy rule states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The current mode of the policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_mode: Option<&'static str>,
    /// The least permissive mode that allows the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required_mode: Option<&'static str>,
    /// The names of the cells of the notebook.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<String>,
    /// The symbols that the edit can mean.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<NamedSymbol>,
}

/// The content that a file must have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(untagged)]
#[non_exhaustive]
pub enum Expected {
    /// The first preimage lines of a hunk or a text.
    Lines(Vec<String>),
    /// The digest of the whole file.
    Digest(String),
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct NumberedText {
    /// The line number, counted from 1.
    pub line: usize,
    /// The text without terminator. Long lines are shortened.
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
    /// Returns the entry for `problem`. `number` is the number of its file in the whole patch.
    pub(super) fn of(
        (index, problem): (usize, &Problem),
        number: Option<usize>,
        counters: &mut [LineCounter<'_>],
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
            path_hex: path.and_then(|path| hex_if_lossy(&path)),
            file,
            hunk,
            span,
            lines: problem.lines.iter().map(|line| line + 1).collect(),
            details: Box::default(),
            nearest,
            cause: problem.facts.cause.as_ref().map(CauseReport::of),
            help: problem.next_step().map(str::to_owned),
            advice: problem.facts.advice.clone(),
        }
    }

    /// Adds the details of `problem`. `listed` is its hunk, if the report lists the hunk.
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
            symbols: facts.symbols.iter().map(NamedSymbol::of).collect(),
        }
    }
}

impl SourceSpan {
    fn of(input: usize, span: Span, counter: &mut LineCounter<'_>) -> Self {
        let position = counter.position(span.start);
        let original = counter.original_span(span);
        Self {
            input,
            line: position.line,
            column: position.column,
            byte: original.start,
            length: original.len(),
        }
    }
}

/// The problem that determines the outcome of the command.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(remote = "ProblemReport")]
#[cfg_attr(feature = "schema", schemars(rename = "ErrorReport"))]
pub(super) struct DecisiveProblem {
    /// The kind of the problem.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    kind: ProblemKind,
    /// The stable code of the problem.
    code: &'static str,
    /// A message of one line.
    message: String,
    /// The path of the file, if the problem concerns one.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// All bytes of the path as hex digits, if the path is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_hex: Option<String>,
    /// The number of the hunk in the file, counted from 1.
    #[serde(
        getter = "ProblemReport::hunk_number",
        skip_serializing_if = "Option::is_none"
    )]
    hunk: Option<usize>,
    /// The position in the patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<SourceSpan>,
    /// The affected lines of the file, counted from 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<usize>,
    #[serde(flatten)]
    details: Box<ProblemDetails>,
    /// The closest match.
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<Box<NearestPlace>>,
    /// The cause if the preimage is not in the file and the cause is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<CauseReport>,
    /// The next step for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

/// Serializes the decisive problem in the JSON format of `error`.
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
