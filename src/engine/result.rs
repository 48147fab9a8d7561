//! The outcome of a command as a [`Result`].

use std::error::Error;
use std::fmt;

use super::Outcome;
#[cfg(feature = "miette")]
use super::excerpt::Excerpt;
use crate::report::Report;
use crate::text::printable;

/// A command that succeeded.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Applied {
    /// The report of the command.
    pub report: Report,
}

/// A command that failed, as an error that describes the decisive problem.
///
/// The text is safe for a terminal: control characters are escaped. With the feature `miette` the
/// type is a `miette::Diagnostic` with the code, the help, and the affected lines of the patch.
#[derive(Clone, Debug)]
pub struct Refused {
    outcome: Box<Outcome>,
    /// The affected lines of the patch.
    #[cfg(feature = "miette")]
    excerpt: Option<Excerpt>,
}

impl Outcome {
    /// Returns the report of a success, or the error of a failure.
    ///
    /// # Errors
    ///
    /// Returns [`Refused`] if the exit code of the report is not 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use wpatch::prelude::*;
    ///
    /// let workspace = Memory::with_files([(RelPath::new(b"a")?, Entry::file("one\n"))]);
    /// let edit = |old, new| apply(Request::edit("a", old, new), &workspace, &Interrupt::new()).into_result();
    /// assert!(edit("one", "two")?.report.changed);
    ///
    /// let error = edit("one", "three").unwrap_err();
    /// assert_eq!(error.code(), "wpatch::text::not_found");
    /// assert!(error.to_string().starts_with("a: "));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_result(self) -> Result<Applied, Refused> {
        if self.report.ok {
            Ok(Applied {
                report: self.report,
            })
        } else {
            Err(self.into())
        }
    }
}

impl From<Outcome> for Refused {
    fn from(outcome: Outcome) -> Self {
        Box::new(outcome).into()
    }
}

impl From<Box<Outcome>> for Refused {
    fn from(outcome: Box<Outcome>) -> Self {
        Self {
            #[cfg(feature = "miette")]
            excerpt: diagnostic::excerpt(&outcome),
            outcome,
        }
    }
}

impl Refused {
    /// Returns the report of the command.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.outcome.report
    }

    /// Returns the stable code of the decisive problem.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.outcome
            .report
            .error
            .as_ref()
            .map_or(self.outcome.report.outcome.name(), |error| error.code)
    }

    /// Returns the outcome of the command.
    pub fn into_outcome(self) -> Outcome {
        *self.outcome
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(error) = &self.outcome.report.error else {
            return f.write_str(self.code());
        };
        if let Some(path) = &error.path {
            write!(f, "{}: ", printable(path.as_bytes()))?;
        }
        printable(error.message.as_bytes()).fmt(f)
    }
}

impl Error for Refused {}

#[cfg(feature = "miette")]
mod diagnostic {
    use std::fmt::Display;

    use miette::{
        Diagnostic, LabeledSpan, MietteError, MietteSpanContents, Severity, SourceCode, SourceSpan,
        SpanContents,
    };

    use super::{Excerpt, Outcome, Refused, printable};

    /// Returns the lines of the patch that the decisive problem is about.
    pub(super) fn excerpt(outcome: &Outcome) -> Option<Excerpt> {
        let error = outcome.report.error.as_ref()?;
        let (input, span) = outcome.problems.get(error.index)?.place?;
        Some(Excerpt::of(outcome.inputs.get(input)?, span))
    }

    impl Diagnostic for Refused {
        fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
            Some(Box::new(Self::code(self)))
        }

        fn severity(&self) -> Option<Severity> {
            Some(Severity::Error)
        }

        fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
            let help = self.report().error.as_ref()?.help.as_deref()?;
            Some(Box::new(printable(help.as_bytes())))
        }

        fn source_code(&self) -> Option<&dyn SourceCode> {
            self.excerpt
                .as_ref()
                .map(|excerpt| excerpt as &dyn SourceCode)
        }

        fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
            let mark = &self.excerpt.as_ref()?.mark;
            Some(Box::new(std::iter::once(LabeledSpan::new(
                None,
                mark.start,
                mark.len(),
            ))))
        }
    }

    /// Reads from the excerpt, with the line numbers of the patch.
    impl SourceCode for Excerpt {
        fn read_span<'a>(
            &'a self,
            span: &SourceSpan,
            lines_before: usize,
            lines_after: usize,
        ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
            let found = self.text.read_span(span, lines_before, lines_after)?;
            let line = self.first_line - 1 + found.line();
            Ok(Box::new(MietteSpanContents::new_named(
                self.name.clone(),
                found.data(),
                *found.span(),
                line,
                found.column(),
                found.line_count(),
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::{self, Request};
    use crate::interrupt::Interrupt;
    use crate::path::RelPath;
    use crate::workspace::memory::{Entry, Memory};

    use super::*;

    fn result(patch: &str) -> Result<Applied, Refused> {
        let workspace =
            Memory::with_files([(RelPath::new(b"a").unwrap(), Entry::file("one\ntwo\n"))]);
        engine::apply(Request::of(patch), &workspace, Interrupt::never()).into_result()
    }

    #[test]
    fn a_success_has_the_report() {
        let applied = result("--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n").unwrap();
        assert_eq!(
            (applied.report.exit_code, applied.report.changed),
            (0, true)
        );
    }

    #[test]
    fn a_failure_names_the_problem_that_decided() {
        let refused =
            result("--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-thr\x1bee\n+3\n two\n").unwrap_err();
        assert_eq!(
            refused.code(),
            refused.report().error.as_ref().unwrap().code
        );
        assert!(refused.to_string().starts_with("a: "), "{refused}");
        #[cfg(feature = "miette")]
        assert!(!refused.excerpt.as_ref().unwrap().text.contains('\x1b'));
        assert_eq!(refused.into_outcome().report.exit_code, 1);
    }

    #[test]
    #[cfg(feature = "miette")]
    fn a_failure_is_a_diagnostic() {
        use miette::Diagnostic;

        let refused = result("text\nbefore\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-three\n+3\n two\n")
            .unwrap_err();
        let diagnostic: &dyn Diagnostic = &refused;
        assert_eq!(diagnostic.code().unwrap().to_string(), refused.code());
        let label = diagnostic.labels().unwrap().next().unwrap();
        let lines = diagnostic
            .source_code()
            .unwrap()
            .read_span(label.inner(), 0, 0)
            .unwrap();
        assert_eq!((lines.line() + 1, lines.name()), (6, Some("-")));
        assert_eq!(lines.data(), b"-three");
    }
}
