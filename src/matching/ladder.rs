//! The comparisons of lines, strictest first.

/// One comparison of lines.
pub struct Rung {
    /// Its name, as reports have it.
    pub name: &'static str,
}
/// Stub.
pub const LADDER: &[Rung] = &[];
