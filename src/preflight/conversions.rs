//! Conversion of file contents between the work tree and the repository, as git's attributes and
//! configuration define it.
//!
//! `git apply` compares a patch with the content that the repository would have for a file. It
//! writes the result as a checkout would. The attributes are those before the patch. wpatch runs
//! git only if a file contains CR LF, or if an attribute or the configuration converts files
//! without CR LF.

mod attributes;
mod problem;

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::problem::Problem;
use crate::convert::{Conversion, CrLfHandling, EncodingError};
use crate::digest::ObjectFormat;
use crate::path::RelPath;
use crate::plan::{Edit, Operation, Plan};
use crate::syntax::{Syntax, find_syntax};
use crate::text::Contents;
use crate::workspace::git::{Attribute, FilterDirection, FilterDriver, Git, config_value_bool};
use crate::workspace::path_relative_to;
use attributes::{ATTRIBUTES, ConversionDefaults, select_conversion};
use bstr::ByteSlice;
use problem::encoding_problem;

pub use problem::denied_filter;
pub(super) use problem::{ConversionError, problem_of};
/// Words in an attribute file. Without any of them, no attribute converts a file without CR LF.
const WORDS: [&str; 4] = ["crlf", "ident", "working-tree-encoding", "filter"];

/// The conversions of a set of files, which are looked up on first use.
#[derive(Debug)]
pub struct Conversions {
    git: Arc<Git>,
    paths: Vec<RelPath>,
    preimages: PreimageSource,
    found: OnceLock<Result<HashMap<RelPath, FileConversion>, String>>,
    converts_lf: OnceLock<bool>,
    /// The conversions of each root by its name, if the tree has several roots.
    roots: Vec<(RelPath, Conversions)>,
}

/// The source of the preimages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PreimageSource {
    WorkTree,
    /// git's index. Its content has the form of the repository, and git itself writes the work
    /// tree. wpatch only checks that the encodings can represent the content.
    Index,
}

/// The conversion of one file.
#[derive(Debug)]
struct FileConversion {
    content: Conversion,
    filter: Option<FilterDriver>,
}

/// Returns whether `git apply` can perform `operation`. Other formats contain the bytes of the work
/// tree.
#[must_use]
pub fn is_git_operation(plan: &Plan, operation: &Operation) -> bool {
    let is_in_git_format = || {
        plan.inputs[operation.input]
            .formats
            .iter()
            .any(|format| find_syntax(format).is_some_and(Syntax::is_exact))
    };
    match &operation.edit {
        Edit::Hunks(hunks) => match hunks.first() {
            Some(hunk) => hunk.anchor.is_numbered(),
            None => is_in_git_format(),
        },
        Edit::Binary(_) | Edit::BinaryMissing => true,
        Edit::Keep => is_in_git_format(),
        _ => false,
    }
}

impl Conversions {
    /// Creates the conversions of `paths` without running git.
    #[must_use]
    pub fn new(git: &Arc<Git>, paths: Vec<RelPath>) -> Self {
        let (preimages, found, converts_lf) =
            (PreimageSource::WorkTree, OnceLock::new(), OnceLock::new());
        Self {
            git: Arc::clone(git),
            paths,
            preimages,
            found,
            converts_lf,
            roots: Vec::new(),
        }
    }

    /// Creates the conversions of `paths` in several roots, each with its git.
    #[must_use]
    pub fn of_roots(gits: &[(RelPath, Arc<Git>)], paths: &[RelPath]) -> Self {
        let usual = Arc::new(Git::for_directory(Path::new(".")));
        let of_root = |(name, git): &(RelPath, Arc<Git>)| {
            let below = paths.iter().filter_map(|path| path_relative_to(path, name));
            (name.clone(), Self::new(git, below.collect()))
        };
        Self {
            roots: gits.iter().map(of_root).collect(),
            ..Self::new(&usual, Vec::new())
        }
    }

    /// Returns the conversions of the root that contains `path`, and the path below it.
    fn of_path(&self, path: &RelPath) -> (&Self, Option<RelPath>) {
        let mut roots = self.roots.iter();
        let found = roots.find_map(|(name, root)| Some((root, path_relative_to(path, name)?)));
        found.map_or((self, None), |(root, rest)| (root, Some(rest)))
    }

    /// Returns the conversions of the same paths for files that git's index contains.
    #[must_use]
    pub fn for_index(&self) -> Self {
        Self {
            preimages: PreimageSource::Index,
            ..Self::new(&self.git, self.paths.clone())
        }
    }

    pub(super) fn preimages(&self) -> PreimageSource {
        self.preimages
    }

    /// Returns whether the file `path` of the work tree has an encoding that
    /// [`Self::work_tree_problem`] can check. A file with a filter driver has no such encoding,
    /// because the driver would have to run first.
    ///
    /// # Errors
    ///
    /// Returns the problem of a file whose conversion git cannot tell.
    pub fn is_encoded(&self, path: &RelPath) -> Result<bool, Box<Problem>> {
        if let (root, Some(path)) = self.of_path(path) {
            return root.is_encoded(&path);
        }
        let found = self
            .encoding_conversion(path)
            .map_err(|error| Box::new(problem_of(&error)))?;
        Ok(found.is_some_and(|found| found.filter.is_none()))
    }

    /// Returns the problem of the file `path` of the work tree if `bytes` are invalid in its
    /// encoding.
    #[must_use]
    pub fn work_tree_problem(&self, path: &RelPath, bytes: &[u8]) -> Option<Problem> {
        if let (root, Some(path)) = self.of_path(path) {
            return root.work_tree_problem(&path, bytes);
        }
        let found = self.encoding_conversion(path).ok()??;
        let checked = exact(
            found
                .content
                .to_repository(bytes, CrLfHandling::Kept)
                .map(drop),
        );
        checked.err().map(|error| encoding_problem(&error))
    }

    /// Checks that the encoding of the file `path` can represent `bytes` of the repository.
    pub(super) fn check_repository(
        &self,
        path: &RelPath,
        bytes: &[u8],
    ) -> Result<(), ConversionError> {
        if let (root, Some(path)) = self.of_path(path) {
            return root.check_repository(&path, bytes);
        }
        let Some(found) = self.encoding_conversion(path)? else {
            return Ok(());
        };
        Ok(exact(found.content.to_work_tree(bytes).map(drop))?)
    }

    /// Returns the conversion of the file `path` if it has an encoding.
    fn encoding_conversion(
        &self,
        path: &RelPath,
    ) -> Result<Option<&FileConversion>, ConversionError> {
        let found = if self.can_convert_lf() {
            self.find_conversion(path)?
        } else {
            None
        };
        Ok(found.filter(|found| found.content.encoding.is_some()))
    }

    /// Returns the repository's content for the file `path`; `None` if it equals `bytes`.
    pub(super) fn to_repository(
        &self,
        path: &RelPath,
        bytes: &Contents,
        cr_lf: impl Fn() -> CrLfHandling,
    ) -> Result<Option<Contents>, ConversionError> {
        if let (root, Some(path)) = self.of_path(path) {
            return root.to_repository(&path, bytes, cr_lf);
        }
        // Every conversion to the form of the repository either removes CR or needs one of `WORDS`.
        if !self.can_convert_lf() && !bytes.contains_str(b"\r\n") {
            return Ok(None);
        }
        let Some(FileConversion { content, filter }) = self.find_conversion(path)? else {
            return Ok(None);
        };
        let filtered =
            self.filter_output(filter.as_ref(), FilterDirection::Clean, (path, bytes))?;
        let converted = content.to_repository(filtered.as_deref().unwrap_or(bytes), cr_lf())?;
        Ok((converted[..] != bytes[..]).then(|| converted.into_owned().into()))
    }

    /// Returns the content of the file `path` as a diff shows it: in the form of the repository, or
    /// `bytes` if git cannot tell that form.
    #[must_use]
    pub fn convert_for_diff(&self, path: &RelPath, bytes: &Contents) -> Contents {
        let converted = self
            .to_repository(path, bytes, || CrLfHandling::Normalized)
            .ok()
            .flatten();
        converted.unwrap_or_else(|| bytes.clone())
    }

    /// Returns the work tree's content of the file `path` for `bytes` of the repository; `None` if
    /// both are equal.
    pub(super) fn to_work_tree(
        &self,
        path: &RelPath,
        bytes: &Contents,
    ) -> Result<Option<Contents>, ConversionError> {
        if let (root, Some(path)) = self.of_path(path) {
            return root.to_work_tree(&path, bytes);
        }
        let found = if self.can_convert_lf() {
            self.find_conversion(path)?
        } else {
            None
        };
        let Some(found) = found else { return Ok(None) };
        let converted = found.content.to_work_tree(bytes)?;
        let filtered = self.filter_output(
            found.filter.as_ref(),
            FilterDirection::Smudge,
            (path, &converted),
        )?;
        let converted = filtered.map_or(converted, Cow::Owned);
        Ok((converted[..] != bytes[..]).then(|| converted.into_owned().into()))
    }

    /// Returns the output of a file's filter driver, if it has one.
    fn filter_output(
        &self,
        driver: Option<&FilterDriver>,
        filter: FilterDirection,
        (path, bytes): (&RelPath, &[u8]),
    ) -> Result<Option<Vec<u8>>, ConversionError> {
        let Some(driver) = driver else {
            return Ok(None);
        };
        if !driver.is_allowed {
            let source = self.git.filter_source(&driver.name, path);
            return Err(ConversionError::DeniedFilter(driver.name.clone(), source));
        }
        let output = self.git.run_filter(driver, filter, path, bytes);
        output.map_err(|error| ConversionError::FailedFilter(driver.name.clone(), error))
    }

    /// Returns the conversion of the file `path`; `None` if it has none.
    fn find_conversion(&self, path: &RelPath) -> Result<Option<&FileConversion>, ConversionError> {
        let found = self
            .found
            .get_or_init(|| self.query_git().map_err(|error| error.to_string()));
        let found = found
            .as_ref()
            .map_err(|reason| ConversionError::Unknown(reason.clone()))?
            .get(path);
        Ok(found.filter(|found| !found.content.is_identity() || found.filter.is_some()))
    }

    /// Returns whether a file without CR LF may be converted in either direction. If git fails,
    /// returns true, and the lookup of a conversion then returns the error.
    fn can_convert_lf(&self) -> bool {
        *self.converts_lf.get_or_init(|| {
            let paths: Vec<_> = self.paths.iter().collect();
            self.defaults().map_or(true, |defaults| defaults.has_cr_lf)
                || self.git.can_mention(&WORDS, &paths).unwrap_or(true)
        })
    }

    fn defaults(&self) -> io::Result<ConversionDefaults> {
        let key = "core.autocrlf";
        let (mut is_input, mut is_on) = (false, false);
        for value in self.git.config_values(key)? {
            is_input = value.eq_ignore_ascii_case(b"input");
            is_on = !is_input && config_value_bool(key, value)?;
        }
        let eol = self.git.config("core.eol")?;
        let is_cr_lf = eol.is_some_and(|value| value.eq_ignore_ascii_case(b"crlf"));
        Ok(ConversionDefaults {
            converts: is_on || is_input,
            has_cr_lf: is_on || is_cr_lf && !is_input,
            format: self.object_format(),
        })
    }

    /// Returns the hash of the repository's object names; SHA-1 if git cannot tell it.
    #[must_use]
    pub fn object_format(&self) -> ObjectFormat {
        if let Some((_, root)) = self.roots.first() {
            return root.object_format();
        }
        match self.git.config("extensions.objectformat") {
            Ok(Some(b"sha256")) => ObjectFormat::Sha256,
            _ => ObjectFormat::Sha1,
        }
    }

    fn query_git(&self) -> io::Result<HashMap<RelPath, FileConversion>> {
        let defaults = self.defaults()?;
        let paths: Vec<_> = self.paths.iter().collect();
        let values = self.git.attributes(&ATTRIBUTES, &paths)?;
        let conversion = |values: &Vec<Attribute>| {
            let filter = match &values[5] {
                Attribute::Value(name) => self.git.filter_driver(name)?,
                _ => None,
            };
            Ok(FileConversion {
                content: select_conversion(values, defaults),
                filter,
            })
        };
        let conversions: Vec<_> = values.iter().map(conversion).collect::<io::Result<_>>()?;
        Ok(self.paths.iter().cloned().zip(conversions).collect())
    }
}

/// Accepts a file with an unknown encoding, because git supports more encodings than wpatch.
fn exact(checked: Result<(), EncodingError>) -> Result<(), EncodingError> {
    checked.or_else(|error| {
        if matches!(error, EncodingError::Unknown(_)) {
            Ok(())
        } else {
            Err(error)
        }
    })
}
