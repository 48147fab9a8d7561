//! What a line of a batch asks for.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::cli::args::Global;
use crate::cli::{Stop, input, request};
use crate::engine::options::{Direction, GUARDS, OnlyError, code};
use crate::engine::{Lenience, Request};
use crate::report::JobId;

/// One line.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Job {
    #[serde(default)]
    id: Option<Box<RawValue>>,
    pub(super) root: Option<PathBuf>,
    pub(super) git_dir: Option<PathBuf>,
    pub(super) rev: Option<String>,
    patch: Option<String>,
    patch_file: Option<PathBuf>,
    patch_base64: Option<String>,
    #[serde(default)]
    options: JobOptions,
}

/// What `check` has options for; what is not said is as on the command line.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct JobOptions {
    format: Option<String>,
    strip: Option<usize>,
    directory: Option<String>,
    exclude: Option<Vec<String>>,
    include: Option<Vec<String>>,
    reverse: Option<bool>,
    only: Option<String>,
    context: Option<usize>,
    unidiff_zero: Option<bool>,
    recount: Option<bool>,
    lenient: Option<bool>,
    strict_input: Option<bool>,
    ignore_whitespace: Option<bool>,
    fuzz: Option<usize>,
    overwrite: Option<bool>,
    unique: Option<bool>,
    idempotent: Option<bool>,
    guard: Option<Vec<String>>,
    describe: Option<bool>,
    diff: Option<bool>,
    approve: Option<String>,
}

/// The name alone, of a job that cannot be read otherwise.
#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    id: Option<Box<RawValue>>,
}

impl Job {
    /// Reads a line; returns its name besides, if it has one that can be read.
    pub(super) fn read(text: &[u8]) -> (Option<JobId>, Result<Self, Stop>) {
        match serde_json::from_slice::<Self>(text) {
            Ok(mut job) => match job.id.take().map(id).transpose() {
                Ok(id) => (id, Ok(job)),
                Err(stop) => (None, Err(stop)),
            },
            Err(error) => {
                let named = serde_json::from_slice::<Named>(text).ok();
                let id = named.and_then(|named| named.id).and_then(|value| id(value).ok());
                (id, Err(usage(format!("the job cannot be read: {error}"))))
            }
        }
    }

    /// Returns the names by which problems may call what it names.
    pub(super) fn places(&self) -> Vec<String> {
        let places = [&self.root, &self.git_dir, &self.patch_file].into_iter().flatten();
        let names = places.flat_map(|place| [Some(place.clone()), fs_err::canonicalize(place).ok()]).flatten();
        names.map(|name| name.to_string_lossy().into_owned()).collect()
    }

    /// Returns what is to be checked, where `usual` says what the job does not, under the policy of the root of `global`.
    pub(super) fn request(self, usual: &Request, max_patch: u64, global: &Global) -> Result<Request, Stop> {
        let patch = match (self.patch, self.patch_file, self.patch_base64) {
            (Some(text), None, None) => ("-".to_owned(), text.into()),
            (None, Some(path), None) => input::named(&path, max_patch, global)?,
            (None, None, Some(text)) => {
                let told = |error| usage(format!("patch_base64 cannot be read: {error}"));
                ("-".to_owned(), STANDARD.decode(text.trim_ascii()).map_err(told)?.into())
            }
            _ => return Err(usage("a job has one of patch, patch_file and patch_base64".to_owned())),
        };
        let mut request = Request { patches: vec![patch], ..usual.clone() };
        // The repository of its tree, if that has one, is not the one that this runs in.
        request.preflight.objects = None;
        self.options.amend(&mut request)?;
        Ok(request)
    }
}

impl JobOptions {
    fn amend(self, request: &mut Request) -> Result<(), Stop> {
        set(&mut request.format, self.format);
        request.selection.strip = self.strip.or(request.selection.strip);
        set(&mut request.selection.directory, self.directory.map(String::into_bytes));
        if let Some(reverse) = self.reverse {
            request.selection.direction = if reverse { Direction::Reverse } else { Direction::Forward };
        }
        if self.exclude.is_some() || self.include.is_some() {
            let excluded = self.exclude.iter().flatten().map(|pattern| request::filter(false, pattern));
            let included = self.include.iter().flatten().map(|pattern| request::filter(true, pattern));
            request.selection.filters = excluded.chain(included).collect::<Result<_, _>>()?;
        }
        if let Some(only) = &self.only {
            request.selection.only = Some(only.parse().map_err(|error: OnlyError| usage(error.to_string()))?);
        }
        set(&mut request.syntax.recount, self.recount);
        set(&mut request.syntax.strict_input, self.strict_input);
        if let Some(lenient) = self.lenient {
            request.syntax.lenient = lenient;
            request.lenience = lenient.then(|| request.lenience.take().unwrap_or(Lenience { root: Vec::new() }));
        }
        let preflight = &mut request.preflight;
        set(&mut preflight.rules.context, self.context);
        set(&mut preflight.rules.zero_context, self.unidiff_zero);
        set(&mut preflight.rules.ignore_whitespace, self.ignore_whitespace);
        set(&mut preflight.rules.fuzz, self.fuzz);
        set(&mut preflight.rules.unique, self.unique);
        set(&mut preflight.overwrite, self.overwrite);
        set(&mut preflight.idempotent, self.idempotent);
        set(&mut preflight.describe, self.describe);
        set(&mut preflight.diff, self.diff);
        for name in self.guard.iter().flatten() {
            let guard = GUARDS.iter().find(|guard| guard.name == name);
            preflight.guards.push(guard.ok_or_else(|| usage(format!("there is no guard {name}")))?);
        }
        if self.approve.is_some() {
            request.approve = self.approve;
        }
        Ok(())
    }
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

fn id(value: Box<RawValue>) -> Result<JobId, Stop> {
    match value.get().as_bytes().first() {
        Some(b'"') => serde_json::from_str(value.get()).map(JobId::Text).map_err(|error| usage(error.to_string())),
        Some(b'-' | b'0'..=b'9') => Ok(JobId::Number(value)),
        _ => Err(usage("the id of a job is a string or a number".to_owned())),
    }
}

pub(super) fn usage(message: String) -> Stop {
    Stop::new(&code::USAGE, message)
}
