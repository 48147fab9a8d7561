//! Shared helpers of the grammar tests: short descriptions of a parsed patch.

use super::{Options, SyntaxErrorKind, parse, select_syntaxes};
use crate::plan::{
    BinaryData, BinaryMethod, Direction, Edit, EditTarget, LineKind, Name, Operation, Plan,
};
use crate::text::Span;

/// Returns one line for each operation: action, name, source, modes, content, and the step unless
/// it is 0.
pub(super) fn describe(text: &str) -> Vec<String> {
    let plan = parse("-", text, &select_syntaxes("auto"), Options::default()).expect("a patch");
    plan.operations
        .iter()
        .map(|operation| line(&plan, operation))
        .collect()
}

/// Returns the kind of the error and the text at its position.
pub(super) fn parse_error(text: &str) -> (SyntaxErrorKind, String) {
    let broken =
        *parse("-", text, &select_syntaxes("auto"), Options::default()).expect_err("no patch");
    let place = String::from_utf8_lossy(broken.error.span.slice(&broken.input.bytes)).into_owned();
    (broken.error.kind, place)
}

fn line(plan: &Plan<Name>, operation: &Operation<Name>) -> String {
    let name = |name: &Name| {
        name.resolve(1, b"")
            .map_or_else(|error| error.to_string(), |path| path.to_string())
    };
    let mut words = vec![format!("{:?}", operation.action), name(&operation.path)];
    words.extend(
        operation
            .from
            .as_ref()
            .map(|from| format!("from {}", name(from))),
    );
    words.extend(operation.old_mode.map(|mode| format!("old {mode}")));
    words.extend(operation.new_mode.map(|mode| format!("new {mode}")));
    match &operation.edit {
        Edit::Keep | Edit::Directory => {}
        Edit::Hunks(hunks) => words.extend(hunks.iter().map(|hunk| {
            let lines = || hunk.lines(plan.text(operation), Direction::Forward);
            let count = |kind| lines().filter(|line| line.kind == kind).count();
            format!(
                "+{}-{}",
                count(LineKind::Insertion),
                count(LineKind::Deletion)
            )
        })),
        Edit::Binary(binary) => {
            let sizes = [Some(binary.forward), binary.backward]
                .into_iter()
                .flatten();
            words.extend(sizes.map(|data| format!("{:?} {}", data.method, data.size)));
        }
        Edit::BinaryMissing => words.push("differs".to_owned()),
        Edit::Restore(_) => words.push("restores".to_owned()),
        Edit::Replacements(changes) => words.extend(changes.edits.iter().map(|edit| {
            let new = String::from_utf8_lossy(&edit.new);
            match &edit.target {
                EditTarget::Text { old, times } => {
                    format!("{times:?} {:?} {new:?}", String::from_utf8_lossy(old))
                }
                EditTarget::Lines(old) => {
                    format!("lines {:?} {new:?}", String::from_utf8_lossy(old))
                }
                target => format!("{target:?} {new:?}"),
            }
        })),
        Edit::Cell(cell) => words.push(format!("{cell:?}")),
        Edit::Lines(changes) => words.push(format!("{} {:?}", changes.tag, changes.edits)),
        Edit::Whole(contents) => words.push(format!("{:?}", String::from_utf8_lossy(contents))),
    }
    words.extend(
        Some(operation.step)
            .filter(|&step| step > 0)
            .map(|step| format!("step {step}")),
    );
    words.join(" ")
}

pub(super) fn deflate(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns `bytes` as base-85 lines of at most 26 bytes each.
pub(super) fn encode_base85(bytes: &[u8]) -> Vec<u8> {
    bytes.chunks(26).flat_map(encode_line).collect()
}

fn encode_line(bytes: &[u8]) -> Vec<u8> {
    let digits =
        b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
    let mut line = vec![b'A' + u8::try_from(bytes.len()).unwrap() - 1];
    for group in bytes.chunks(4) {
        let mut quad = [0; 4];
        quad[..group.len()].copy_from_slice(group);
        let value = u32::from_be_bytes(quad) as usize;
        line.extend(
            (0..5)
                .rev()
                .map(|place| digits[value / 85_usize.pow(place) % 85]),
        );
    }
    line.push(b'\n');
    line
}

/// Returns `contents` as a literal of a binary patch, and the text that contains it.
pub(crate) fn literal(contents: &[u8]) -> (BinaryData, Vec<u8>) {
    let text = encode_base85(&deflate(contents));
    let data = BinaryData {
        method: BinaryMethod::Literal,
        size: contents.len() as u64,
        body: Span::new(0, text.len()),
    };
    (data, text)
}
