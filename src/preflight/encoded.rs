//! Text edits in a file that is not UTF-8. The search uses decoded characters; the edit changes
//! bytes.

use super::codes::code;
use super::edit_result::set_edit_place;
use super::findings::Findings;
use crate::interrupt::Interrupt;
use crate::matching::{self, TextChange, TextMismatch, UnplacedChanges};
use crate::plan::{EditOrder, EditTarget, Operation, Replacement, Replacements};
use crate::text::{EncodingChoice, TextEncoding};

/// A file as decoded text.
pub(super) struct DecodedText {
    encoding: TextEncoding,
    /// The text in UTF-8.
    pub(super) text: Vec<u8>,
}

/// The index of an edit whose result cannot be written in the encoding of the file.
#[derive(Clone, Copy)]
pub(super) struct UnencodableEdit(usize);

/// Decodes the file. Reports texts that the encoding cannot represent, and a file that is not valid
/// in a detected encoding.
pub(super) fn read(
    operation: &Operation,
    changes: &Replacements,
    (preimage, choice): (&[u8], EncodingChoice),
    findings: &mut Findings,
) -> Option<DecodedText> {
    let encoding = choice.encoding_of(preimage);
    findings.outcome.encoding = Some(encoding);
    let (text, has_undecodable) = encoding.decode(preimage);
    if has_undecodable && choice.is_detected() {
        let problem = findings.error(
            &code::ENCODING,
            format!("the encoding of the file is unknown, and the file is not valid {encoding}"),
        );
        problem.help = Some("use --encoding NAME to state the encoding of the file".into());
        return None;
    }
    for edit in &changes.edits {
        for part in texts(edit) {
            let is_held =
                std::str::from_utf8(part).is_ok_and(|part| encoding.encode(part).is_some());
            if !is_held {
                let message = format!("{encoding} cannot represent the text of the edit");
                set_edit_place(findings.error(&code::ENCODING, message), operation, edit);
                break;
            }
        }
    }
    (!findings.is_failed()).then_some(DecodedText { encoding, text })
}

/// Reports an edit whose result cannot be written.
pub(super) fn refuse(
    UnencodableEdit(index): UnencodableEdit,
    operation: &Operation,
    changes: &Replacements,
    findings: &mut Findings,
) {
    let message = "the text begins or ends inside a multi-byte sequence of the file";
    set_edit_place(
        findings.error(&code::ENCODING, message),
        operation,
        &changes.edits[index],
    );
}

/// Returns the texts of an edit, in UTF-8.
fn texts(edit: &Replacement) -> impl Iterator<Item = &[u8]> {
    let wanted: [&[u8]; 2] = match &edit.target {
        EditTarget::Text { old, .. } | EditTarget::Lines(old) => [old, &[]],
        EditTarget::Range { from, to } => [from, to],
        EditTarget::After(_)
        | EditTarget::Before(_)
        | EditTarget::End(_)
        | EditTarget::Symbol(_)
        | EditTarget::EmptyFile => [&[], &[]],
    };
    wanted.into_iter().chain([edit.new.as_slice()])
}

impl DecodedText {
    /// Decodes `bytes` from the encoding of the file to UTF-8.
    pub(super) fn decode(&self, bytes: &[u8]) -> Vec<u8> {
        self.encoding.decode(bytes).0
    }

    /// Applies `changes` to `preimage`, whose text is `self.text`. `most` limits the size of the
    /// new text in UTF-8, so the limit on the encoded result is only approximate.
    pub(super) fn replace(
        &self,
        preimage: &[u8],
        changes: &Replacements,
        most: u64,
        interrupt: &Interrupt,
    ) -> Result<matching::ReplaceResult, UnencodableEdit> {
        if changes.order == EditOrder::Simultaneous {
            return self.replace_at_once((preimage, &self.text), changes, most, interrupt);
        }
        let (mut bytes, mut text, mut all) = (preimage.to_vec(), self.text.clone(), Vec::new());
        for (index, edit) in changes.edits.iter().enumerate() {
            let alone = Replacements {
                edits: vec![edit.clone()],
                order: EditOrder::Simultaneous,
                ..*changes
            };
            // The list contains one edit, so the index in an error of the callee is always 0.
            let replaced = self
                .replace_at_once((&bytes, &text), &alone, most, interrupt)
                .map_err(|_| UnencodableEdit(index))?;
            match replaced {
                Ok((after, places)) => {
                    text = self.decode(&after);
                    bytes = after;
                    all.extend(places.into_iter().map(|place| TextChange {
                        edit: index,
                        ..place
                    }));
                }
                Err(misfits) => {
                    let misfits = misfits.mismatches.into_iter().map(|misfit| TextMismatch {
                        edit: index,
                        ..misfit
                    });
                    return Ok(Err(UnplacedChanges {
                        mismatches: misfits.collect(),
                        places: all,
                    }));
                }
            }
        }
        Ok(Ok((bytes, all)))
    }

    /// Returns the new bytes, and the places of the edits in the decoded text.
    fn replace_at_once(
        &self,
        (preimage, text): (&[u8], &[u8]),
        changes: &Replacements,
        most: u64,
        interrupt: &Interrupt,
    ) -> Result<matching::ReplaceResult, UnencodableEdit> {
        let places = match matching::replace(text, changes, most, interrupt) {
            Ok((_, places)) => places,
            Err(misfits) => return Ok(Err(misfits)),
        };
        let offsets: Vec<_> = places
            .iter()
            .flat_map(|place| [place.placement.bytes.start, place.placement.bytes.end])
            .collect();
        let first = UnencodableEdit(places.first().map_or(0, |place| place.edit));
        let Some(offsets) = self.encoding.encoded_offsets(preimage, &offsets) else {
            return Err(first);
        };
        let (mut after, mut done) = (Vec::with_capacity(preimage.len()), 0);
        for (place, range) in places.iter().zip(offsets.chunks_exact(2)) {
            let new = std::str::from_utf8(&place.new)
                .ok()
                .and_then(|new| self.encoding.encode(new));
            after.extend_from_slice(&preimage[done..range[0]]);
            after.extend_from_slice(&new.ok_or(UnencodableEdit(place.edit))?);
            done = range[1];
        }
        after.extend_from_slice(&preimage[done..]);
        Ok(Ok((after, places)))
    }
}
