//! git's messages about a malformed patch.

use bstr::ByteSlice;

use crate::engine::Outcome;
use crate::engine::options::{Problem, SyntaxErrorKind, code};
use crate::text::printable;

const NO_PATCH: &str = "No valid patches in input (allow with \"--allow-empty\")";

/// Returns git's messages about `problem`, if the problem is in the text of the patch. Returns
/// nothing for problems that git does not have.
pub(super) fn malformed_messages(outcome: &Outcome, problem: &Problem) -> Vec<String> {
    let text = PatchPosition::of(outcome, problem);
    let line = match (problem.code, problem.facts.mistake.as_ref()) {
        (&code::NO_PATCH | &code::UNSUPPORTED_FORM | &code::ED_SCRIPT | &code::UNNAMED, _)
        | (&code::NOT_INCLUDED, Some(_)) => NO_PATCH.to_owned(),
        (&code::BAD_MODE, _) => format!(
            "invalid mode at {}: {}\n",
            text.location(0),
            text.marked_text()
        ),
        (_, Some(&SyntaxErrorKind::LONE_HUNK)) => {
            format!(
                "patch fragment without header at {}: {}",
                text.location(0),
                text.line()
            )
        }
        (_, Some(&SyntaxErrorKind::NO_HUNK)) => {
            format!("patch with only garbage at {}", text.location(0))
        }
        (_, Some(&SyntaxErrorKind::ONE_NAME)) => {
            format!(
                "git diff header lacks filename information at {}",
                text.location(0)
            )
        }
        (_, Some(&SyntaxErrorKind::NO_METHOD)) => {
            return vec![
                format!("unrecognized binary patch at {}", text.location(-1)),
                NO_PATCH.to_owned(),
            ];
        }
        (&code::BINARY_DATA, Some(_)) => {
            format!(
                "corrupt binary patch at {}: {}",
                text.location(0),
                text.line()
            )
        }
        (&code::NAME_STRIPPED, _) => missing_name_message(problem, &text),
        (&code::NAMES_DISAGREE, _) if text.line().starts_with("diff --git ") => {
            missing_name_message(problem, &text)
        }
        (&code::NAMES_DISAGREE, _) => inconsistent_name_message(&text),
        (&code::OUTSIDE_ROOT | &code::CLOSED, _) if problem.name.is_some() => {
            format!(
                "invalid path '{}'",
                printable(problem.name.as_deref().unwrap_or_default())
            )
        }
        (&code::MAIL | &code::TOO_MANY_FILES | &code::TOO_MANY_HUNKS, _) | (_, None) => {
            return Vec::new();
        }
        (_, Some(_)) => format!("corrupt patch at {}", text.location(0)),
    };
    vec![line]
}

/// Returns the message that the strip level leaves nothing of a name.
fn missing_name_message(problem: &Problem, text: &PatchPosition<'_>) -> String {
    let level = problem.facts.strip.unwrap_or(1);
    let components = if level == 1 {
        "component"
    } else {
        "components"
    };
    let below = text.lines_to_hunk();
    if text.is_git {
        let lacks = "git diff header lacks filename information when removing";
        format!(
            "{lacks} {level} leading pathname {components} at {}",
            text.location(below)
        )
    } else {
        format!("unable to find filename in patch at {}", text.location(0))
    }
}

/// Returns the message that a name contradicts the names in the git header.
fn inconsistent_name_message(text: &PatchPosition<'_>) -> String {
    let side = if text.line().starts_with("---") {
        "old"
    } else {
        "new"
    };
    format!(
        "git apply: bad git-diff - inconsistent {side} filename at {}",
        text.location(0)
    )
}

/// A position in a patch, in git's form.
struct PatchPosition<'o> {
    name: String,
    bytes: &'o [u8],
    /// The start of the line, and the range of the problem, in bytes.
    start: usize,
    mark: (usize, usize),
    number: isize,
    is_git: bool,
}

impl<'o> PatchPosition<'o> {
    fn of(outcome: &'o Outcome, problem: &Problem) -> Self {
        let input = problem
            .place
            .and_then(|(input, span)| Some((outcome.inputs.get(input)?, span)));
        let (name, bytes, mark) = input.map_or(("", &b""[..], (0, 0)), |(input, span)| {
            let end = span.end.min(input.bytes.len());
            (
                input.name.as_str(),
                &input.bytes,
                (span.start.min(end), end),
            )
        });
        let before = &bytes[..mark.0];
        // If the input ends in an incomplete line, git expects one more line.
        let is_cut = mark.0 == bytes.len() && !before.is_empty() && !before.ends_with(b"\n");
        let start = if is_cut {
            mark.0
        } else {
            memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1)
        };
        let number =
            input.map_or(1, |(input, _)| input.position(mark.0).line) + usize::from(is_cut);
        let name = if name == crate::cli::files::STDIN {
            "<stdin>".to_owned()
        } else {
            printable(name.as_bytes()).to_string()
        };
        // The last file header before the problem decides the format.
        let header = before.rfind(b"diff --git ").unwrap_or(0);
        let is_git = bytes[header..].starts_with(b"diff --git ")
            && !before[header..].contains_str(b"\n@@ -");
        Self {
            name,
            bytes,
            start,
            mark,
            number: isize::try_from(number).unwrap_or(isize::MAX),
            is_git,
        }
    }

    /// Returns the name of the patch and the number of the line `below` lines after the problem.
    fn location(&self, below: isize) -> String {
        format!("{}:{}", self.name, self.number + below)
    }

    /// Returns the text of the problem.
    fn marked_text(&self) -> String {
        printable(&self.bytes[self.mark.0..self.mark.1]).to_string()
    }

    /// Returns the line of the problem.
    fn line(&self) -> String {
        let rest = &self.bytes[self.start..];
        printable(&rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())]).to_string()
    }

    /// Returns the number of lines from here to the hunks.
    fn lines_to_hunk(&self) -> isize {
        let lines = self.bytes[self.start..].split(|&byte| byte == b'\n');
        let above = lines
            .take_while(|line| !line.starts_with(b"@@ -") && !line.is_empty())
            .count();
        isize::try_from(above).unwrap_or_default()
    }
}
