//! Unix systems that have only the calls of POSIX, such as the BSDs.
//!
//! These systems cannot exchange two files, and rename replaces an existing file. Extended
//! attributes and access control lists have no portable calls, so a new file does not get those of
//! the file that it replaces.

use super::system::System;

pub(super) enum Plain {}

impl System for Plain {}
