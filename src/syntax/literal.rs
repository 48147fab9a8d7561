//! Writes git binary data as deflated literals, in both directions so that the patch can be
//! reversed.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::base85;

/// Writes a binary patch from `before` to `after`, with the backward data.
pub(super) fn put(out: &mut Vec<u8>, before: &[u8], after: &[u8]) {
    out.extend_from_slice(b"GIT binary patch\n");
    for content in [after, before] {
        out.extend(format!("literal {}\n", content.len()).bytes());
        base85::encode(
            &deflate(content).expect("BUG: a vector takes all bytes"),
            out,
        );
        out.push(b'\n');
    }
}

fn deflate(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content)?;
    encoder.finish()
}
