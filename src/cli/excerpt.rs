//! A few lines of a patch, as the errors of the library have them.

pub(super) use crate::engine::excerpt::{Excerpt, clipped};
