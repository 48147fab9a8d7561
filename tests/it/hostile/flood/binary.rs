//! Binary data that is small for what it inflates to.

use std::io::Write as _;

use flate2::{Compression, write::ZlibEncoder};
use wpatch::digest::{ObjectFormat, blob_id};

use super::{LOW, create, ends, ends_with};

const DIGITS: &[u8] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// Returns `bytes` deflated, in lines of base 85.
fn packed(bytes: &[u8]) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    let mut text = String::new();
    for line in encoder.finish().unwrap().chunks(26) {
        text.push(char::from(b'A' + u8::try_from(line.len()).unwrap() - 1));
        for group in line.chunks(4) {
            let mut quad = [0; 4];
            quad[..group.len()].copy_from_slice(group);
            let value = u32::from_be_bytes(quad) as usize;
            text.extend(
                (0..5)
                    .rev()
                    .map(|place| char::from(DIGITS[value / 85_usize.pow(place) % 85])),
            );
        }
        text.push('\n');
    }
    text
}

fn blob(bytes: &[u8]) -> String {
    blob_id(bytes, ObjectFormat::Sha1)
}

/// A new file of `bytes` that is said to have `size` of them.
fn literal(name: &str, bytes: &[u8], size: usize) -> String {
    let (none, id, data) = ("0".repeat(40), blob(bytes), packed(bytes));
    format!(
        "{}index {none}..{id}\nGIT binary patch\nliteral {size}\n{data}\n",
        create(name)
    )
}

/// A delta that writes `old` twice.
fn doubling(name: &str, old: &[u8]) -> String {
    let mut delta = Vec::new();
    for size in [old.len(), 2 * old.len()] {
        delta.extend((0..5).map(|place| {
            u8::try_from(size >> (7 * place) & 0x7f).unwrap() | u8::from(place < 4) << 7
        }));
    }
    for _ in 0..2 {
        for start in (0..old.len()).step_by(0x1_0000) {
            let start = u32::try_from(start).unwrap().to_le_bytes();
            delta.push(0x8f);
            delta.extend(start);
        }
    }
    let (before, after) = (blob(old), blob(&[old, old].concat()));
    let header =
        format!("diff --git a/{name} b/{name}\nindex {before}..{after} 100644\nGIT binary patch\n");
    format!("{header}delta {}\n{}\n", delta.len(), packed(&delta))
}

#[test]
fn a_bomb_is_not_inflated() {
    let bomb = vec![0; 17 << 20];
    ends(
        &[],
        &literal("x", &bomb, bomb.len()),
        Some("wpatch::file::inflated"),
    );
    ends(&[], &literal("x", &bomb, 10), Some("wpatch::parse::binary"));
    ends(
        &[],
        &literal("x", b"little", 16 << 20),
        Some("wpatch::parse::binary"),
    );
    ends(
        &[],
        &literal("x", b"little", 400 << 20),
        Some("wpatch::file::inflated"),
    );
    ends(
        &[],
        &literal("x", b"little", 600 << 20),
        Some("wpatch::file::too_large"),
    );
}

#[test]
fn many_small_bombs_are_made_one_by_one() {
    let bomb = vec![0; 2 << 20];
    ends(
        &[],
        &(0..6)
            .map(|number| literal(&format!("x{number}"), &bomb, bomb.len()))
            .collect::<String>(),
        None,
    );
}

#[test]
fn bombs_in_one_directory_that_takes_the_place_of_a_file_are_too_much() {
    let bomb = vec![0; 1 << 20];
    let section = literal("d/NUMBER", &bomb, bomb.len());
    let gone = "diff --git a/d b/d\ndeleted file mode 100644\nindex 7898192..0000000\n--- a/d\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
    let patch: String = (0..12)
        .map(|number| section.replace("NUMBER", &number.to_string()))
        .collect();
    ends_with(
        LOW,
        &[("d", "a\n".into())],
        &[gone, &patch].concat(),
        Some("wpatch::file::growth"),
    );
}

#[test]
fn deltas_of_deltas_stop_growing() {
    let mut bytes = vec![b'a'; 1 << 22];
    let mut patch = literal("x", &bytes, bytes.len());
    for _ in 0..3 {
        patch.push_str(&doubling("x", &bytes));
        bytes.extend_from_within(..);
    }
    ends(&[], &patch, Some("wpatch::file::inflated"));
}
