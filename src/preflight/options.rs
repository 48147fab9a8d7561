//! How the tree is looked at.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Code, Conversions, Gallery, Held, RejectTo, Shelf, TextRepair, ThreeWay, Whitespace};
use crate::guard::Guard;
use crate::matching::{ConflictStyle, Detail, Rules};
use crate::path::RelPath;
use crate::policy::Policy;
use crate::progress::Progress;
use crate::text::EncodingChoice;
use crate::workspace::objects::Repository;

/// How the tree is looked at.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
pub struct Options {
    /// What may be done.
    pub policy: Arc<Policy>,
    /// What policy asks about and is refused before any content is looked at.
    pub held: Held,
    /// How closely hunks have to fit.
    pub rules: Rules,
    /// Whether a file may be replaced by one that the patch makes or moves there (`--overwrite`).
    pub overwrite: bool,
    /// Whether digests and properties of contents are worked out, for a report or a guard.
    pub describe: bool,
    /// Whether a clean diff of each file is written, for a report.
    pub diff: bool,
    /// Whether instead a diff of all that becomes of a file, with binary contents and never cut, is written to the last
    /// operation on it, so that the diffs of a plan in their order can be applied.
    pub whole_diff: bool,
    /// The most bytes of such a diff; a longer one ends after a line.
    pub max_diff: usize,
    /// Whether a file of more than 64 KiB or 2000 lines gets no diff (`--no-large-diff`).
    pub no_large_diff: bool,
    /// Largest file that is read or made, in bytes.
    pub max_file: u64,
    /// Most bytes of contents that a byte of binary data may make; the first 16 MiB of a file are free, and so are the
    /// bytes of the file that a delta is made for.
    pub max_ratio: u64,
    /// Most bytes that copies and binary data add to files that belong together, beyond those of the patch. The first
    /// such file is free, so that what is alone has no limit but `max_file` and `max_ratio`.
    pub max_growth: u64,
    /// The encoding of files in which texts are replaced; without one texts are bytes.
    pub encoding: Option<EncodingChoice>,
    /// Whether what does not fit is left out, its hunks written to a file, and the rest done (`--reject`).
    pub reject: bool,
    /// Where these hunks go. With an index, and in a plan that is kept, it is beside their files.
    pub reject_to: RejectTo,
    /// The files that are known not to be what they have to be, and how, where what does not fit is left out.
    pub unfit: Arc<HashMap<RelPath, &'static Code>>,
    /// Whether what has been done already is left as it is, and no reason not to apply.
    pub idempotent: bool,
    /// What is looked for in the white space of new lines, and what is done about it.
    pub whitespace: Whitespace,
    /// The conversions between the work tree and the repository. Without them no content is converted.
    pub conversions: Option<Arc<Conversions>>,
    /// Whether symbolic links are written as regular files (`core.symlinks`).
    pub links_are_files: bool,
    /// What repairs the texts that operations search for. Without it no text is repaired.
    pub text_repair: Option<Arc<dyn TextRepair>>,
    /// What changes are looked at for besides (`--guard`).
    pub guards: Vec<&'static Guard>,
    /// What keeps the images of the change, for who shows them.
    pub gallery: Option<Arc<Gallery>>,
    /// What takes the diffs, instead of the outcomes, for who shows one after the other.
    pub shelf: Option<Arc<Shelf>>,
    /// The repository that has the blobs of binary files of which a patch has no data. It is asked only for those that the
    /// patch names in full.
    pub objects: Option<Repository>,
    /// How a patch is merged with what became of its files since it was made, if it is (`--3way`).
    pub three_way: Option<Arc<ThreeWay>>,
    /// How hunks that do not fit are merged with what became of their lines, one by one, if they are (`--merge`): what
    /// conflicts then stands in the file between markers. Not together with an index, whose entries know no such conflict.
    pub merge_hunks: Option<ConflictStyle>,
    /// Whom the run tells how far it is, this stage and all others.
    pub progress: Progress,
}

impl Options {
    /// Returns the size of the largest file that is read, in bytes.
    pub(crate) fn max_read(&self) -> u64 {
        self.max_file.min(self.policy.max_read())
    }

    /// Returns whether nothing is looked at after the first error.
    pub(crate) fn ends_early(&self) -> bool {
        self.rules.detail != Detail::Full
    }

    /// Returns the size of the largest file that is made, in bytes.
    pub(crate) fn max_made(&self) -> u64 {
        self.max_file.min(self.policy.max_write())
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            policy: Arc::default(),
            held: Held::default(),
            rules: Rules::default(),
            overwrite: false,
            describe: false,
            diff: false,
            whole_diff: false,
            max_diff: usize::MAX,
            no_large_diff: false,
            max_file: 1 << 29,
            max_ratio: 200,
            max_growth: 1 << 27,
            encoding: None,
            reject: false,
            reject_to: RejectTo::default(),
            unfit: Arc::default(),
            idempotent: false,
            whitespace: Whitespace::default(),
            conversions: None,
            links_are_files: false,
            text_repair: None,
            guards: Vec::new(),
            gallery: None,
            shelf: None,
            objects: None,
            three_way: None,
            merge_hunks: None,
            progress: Progress::default(),
        }
    }
}
