//! The problems of files that git cannot convert.

use std::io;
use std::path::{Path, PathBuf};

use crate::convert::EncodingError;
use crate::preflight::codes::code;
use crate::preflight::problem::Problem;
use crate::text::printable;

/// The reason why a file cannot be converted.
#[derive(Debug)]
pub(in crate::preflight) enum ConversionError {
    Encoding(EncodingError),
    /// The driver with this name may not run. The path is the attribute file that names it, if
    /// known.
    DeniedFilter(String, Option<PathBuf>),
    /// git cannot tell the conversion, for this reason.
    Unknown(String),
    /// The driver with this name failed.
    FailedFilter(String, io::Error),
}

impl From<EncodingError> for ConversionError {
    fn from(error: EncodingError) -> Self {
        Self::Encoding(error)
    }
}

/// Returns the problem of a file whose conversion fails with `error`.
pub(in crate::preflight) fn problem_of(error: &ConversionError) -> Problem {
    let (code, message, help) = match error {
        ConversionError::Encoding(error) => return encoding_problem(error),
        ConversionError::DeniedFilter(name, source) => {
            return denied_filter(name, source.as_deref());
        }
        ConversionError::Unknown(reason) => (
            &code::CONVERSION,
            format!("git cannot report how it converts the file: {reason}"),
            "fix the error that git reports, or install git: the attributes or the configuration can require a \
             conversion of the file",
        ),
        ConversionError::FailedFilter(name, error) => (
            &code::FILTER_FAILED,
            format!(
                "the filter driver `{}` failed: {error}",
                printable(name.as_bytes())
            ),
            "fix the filter driver, or use --index, which lets git run it",
        ),
    };
    Problem {
        help: Some(help.to_owned()),
        ..Problem::new(code, message)
    }
}

/// Returns the problem of a file with an encoding error.
pub(super) fn encoding_problem(error: &EncodingError) -> Problem {
    let help = "fix the attribute in .gitattributes or the encoding of the file".to_owned();
    Problem {
        help: Some(help),
        ..Problem::new(&code::ENCODING, error.to_string())
    }
}

/// Returns the problem of a file that needs the filter driver `name`, which may not run. `source`
/// is the attribute file that selects the driver.
#[must_use]
pub fn denied_filter(name: &str, source: Option<&Path>) -> Problem {
    let name = printable(name.as_bytes());
    let place = source.map(|file| {
        format!(
            ", named in {}",
            printable(file.as_os_str().as_encoded_bytes())
        )
    });
    let place = place.unwrap_or_default();
    let message = format!(
        "the filter driver `{name}`{place}, was not run: the repository defines it, not the user"
    );
    let help = format!(
        "use --allow-filter {name} to run it, or define it in the git configuration of the user"
    );
    Problem {
        help: Some(help),
        ..Problem::new(&code::FILTER, message)
    }
}
