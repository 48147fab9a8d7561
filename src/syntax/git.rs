//! Stub.
use super::{Options, Sections, Syntax, SyntaxError};
pub(super) struct Git;
impl Syntax for Git {
    fn name(&self) -> &'static str {
        "git"
    }
    fn formats(&self) -> &'static [&'static str] {
        &["git"]
    }
    fn grammar(&self) -> &'static str {
        ""
    }
    fn takes_prose(&self) -> bool {
        true
    }
    fn find(&self, _text: &[u8], _from: usize) -> Option<usize> {
        None
    }
    fn parse(
        &self,
        _text: &[u8],
        _from: usize,
        _options: Options,
        _sections: &mut Sections,
    ) -> Result<usize, SyntaxError> {
        Ok(0)
    }
}
