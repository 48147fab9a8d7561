//! The encodings of the WHATWG Encoding Standard. Without the feature `encodings` none exist.

#[cfg(not(feature = "encodings"))]
pub(super) use absent::EncodingTable;
#[cfg(feature = "encodings")]
pub(super) use present::EncodingTable;

#[cfg(feature = "encodings")]
mod present {
    use encoding_rs::{DecoderResult, EncoderResult, Encoding};

    /// An encoding.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(in crate::convert) struct EncodingTable(&'static Encoding);

    impl EncodingTable {
        /// Returns the encoding with `name` in the standard or in the C library. `name` must be in
        /// upper case.
        pub(in crate::convert) fn of(name: &str) -> Option<Self> {
            let encoding = match name {
                "SHIFT-JIS" | "SJIS" | "CP932" => encoding_rs::SHIFT_JIS,
                "CP936" => encoding_rs::GBK,
                "CP949" | "UHC" => encoding_rs::EUC_KR,
                "CP950" => encoding_rs::BIG5,
                name => Encoding::for_label(name.as_bytes())?,
            };
            let is_table =
                encoding != encoding_rs::REPLACEMENT && encoding != encoding_rs::X_USER_DEFINED;
            is_table.then_some(Self(encoding))
        }

        /// Decodes `bytes`. Returns `None` if the text does not encode to the same bytes again. A
        /// lossy table must not change bytes that the patch does not name.
        pub(in crate::convert) fn decode(self, bytes: &[u8]) -> Option<String> {
            let mut decoder = self.0.new_decoder_without_bom_handling();
            let mut text = String::with_capacity(
                decoder.max_utf8_buffer_length_without_replacement(bytes.len())?,
            );
            let (result, _) = decoder.decode_to_string_without_replacement(bytes, &mut text, true);
            let is_lossless = result == DecoderResult::InputEmpty
                && self.encode(&text).is_some_and(|own| own == bytes);
            is_lossless.then_some(text)
        }

        /// Encodes `text`.
        pub(in crate::convert) fn encode(self, text: &str) -> Option<Vec<u8>> {
            let mut encoder = self.0.new_encoder();
            let mut bytes = Vec::with_capacity(
                encoder.max_buffer_length_from_utf8_without_replacement(text.len())?,
            );
            let (result, _) =
                encoder.encode_from_utf8_to_vec_without_replacement(text, &mut bytes, true);
            (result == EncoderResult::InputEmpty).then_some(bytes)
        }
    }
}

#[cfg(not(feature = "encodings"))]
mod absent {
    /// An encoding. No value exists.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(in crate::convert) enum EncodingTable {}

    impl EncodingTable {
        pub(in crate::convert) fn of(_: &str) -> Option<Self> {
            None
        }

        pub(in crate::convert) fn decode(self, _: &[u8]) -> Option<String> {
            match self {}
        }

        pub(in crate::convert) fn encode(self, _: &str) -> Option<Vec<u8>> {
            match self {}
        }
    }
}
