//! Parses one line of a batch into a job and its request.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::cli::args::Global;
use crate::cli::{EarlyExit, arguments, input};
use crate::engine::options::{GUARDS, code};
use crate::engine::{Decide, Request};
use crate::path::plain_path;
use crate::report::JobId;

/// One job.
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

/// The options of a job. The command line sets all other options.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct JobOptions {
    exclude: Option<Vec<String>>,
    include: Option<Vec<String>>,
    guard: Option<Vec<String>>,
    describe: Option<bool>,
    diff: Option<bool>,
    approve: Option<String>,
    /// Fields of [`Decide`](crate::engine::Decide).
    #[serde(flatten)]
    decide: Map<String, Value>,
}

/// Only the identifier, for a job that cannot be parsed completely.
#[derive(Deserialize)]
struct JobIdentity {
    #[serde(default)]
    id: Option<Box<RawValue>>,
}

impl Job {
    /// Parses a job. Returns its identifier as well, even if the rest is invalid.
    pub(super) fn parse(text: &[u8]) -> (Option<JobId>, Result<Self, EarlyExit>) {
        match serde_json::from_slice::<Self>(text) {
            Ok(mut job) => match job.id.take().map(parse_id).transpose() {
                Ok(id) => (id, Ok(job)),
                Err(stop) => (None, Err(stop)),
            },
            Err(error) => {
                let named = serde_json::from_slice::<JobIdentity>(text).ok();
                let id = named
                    .and_then(|named| named.id)
                    .and_then(|value| parse_id(value).ok());
                (id, Err(usage_error(format!("invalid job: {error}"))))
            }
        }
    }

    /// Returns the paths in the job that messages of problems can contain.
    pub(super) fn path_names(&self) -> Vec<String> {
        let places = [&self.root, &self.git_dir, &self.patch_file]
            .into_iter()
            .flatten();
        let names = places
            .flat_map(|place| {
                [
                    Some(place.clone()),
                    fs_err::canonicalize(place).map(plain_path).ok(),
                ]
            })
            .flatten();
        names
            .map(|name| name.to_string_lossy().into_owned())
            .collect()
    }

    /// Returns the request of the job. `usual` supplies the options that the job does not set. The
    /// policy of the root of `global` applies to the patch file.
    pub(super) fn into_request(
        self,
        usual: &Request,
        max_patch: u64,
        global: &Global,
    ) -> Result<Request, EarlyExit> {
        let patch = match (self.patch, self.patch_file, self.patch_base64) {
            (Some(text), None, None) => ("-".to_owned(), text.into()),
            (None, Some(path), None) => input::read_patch(&path, max_patch, global)?,
            (None, None, Some(text)) => {
                let told = |error| usage_error(format!("invalid patch_base64: {error}"));
                (
                    "-".to_owned(),
                    STANDARD.decode(text.trim_ascii()).map_err(told)?.into(),
                )
            }
            _ => {
                return Err(usage_error(
                    "a job needs exactly one of patch, patch_file and patch_base64".to_owned(),
                ));
            }
        };
        let mut request = Request {
            what: Request::of_all(vec![patch]).what,
            ..usual.clone()
        };
        // The current repository belongs to the command line. The tree of the job can be in another
        // one.
        request.context.objects = None;
        self.options.apply_to(&mut request)?;
        Ok(request)
    }
}

impl JobOptions {
    fn apply_to(self, request: &mut Request) -> Result<(), EarlyExit> {
        let Request {
            decide,
            look,
            commit,
            ..
        } = request;
        if self.exclude.is_some() || self.include.is_some() {
            let excluded = self
                .exclude
                .iter()
                .flatten()
                .map(|pattern| arguments::parse_filter(false, pattern));
            let included = self
                .include
                .iter()
                .flatten()
                .map(|pattern| arguments::parse_filter(true, pattern));
            decide.filters = excluded.chain(included).collect::<Result<_, _>>()?;
        }
        for name in self.guard.iter().flatten() {
            let guard = GUARDS.iter().find(|guard| guard.name == name);
            decide
                .guards
                .push(guard.ok_or_else(|| usage_error(format!("unknown guard `{name}`")))?);
        }
        look.describe = self.describe.unwrap_or(look.describe);
        look.diff = self.diff.unwrap_or(look.diff);
        commit.approve = self.approve.or(commit.approve.take());
        if !self.decide.is_empty() {
            *decide = merge_options(decide, self.decide)
                .map_err(|error| usage_error(format!("invalid options of the job: {error}")))?;
        }
        Ok(())
    }
}

/// Returns `decide` with the fields in `options` replaced. A field with the value `null` is
/// ignored.
fn merge_options(decide: &Decide, options: Map<String, Value>) -> serde_json::Result<Decide> {
    let mut fields: Map<String, Value> = serde_json::from_value(serde_json::to_value(decide)?)?;
    fields.extend(options.into_iter().filter(|(_, value)| !value.is_null()));
    serde_json::from_value(Value::Object(fields))
}

fn parse_id(value: Box<RawValue>) -> Result<JobId, EarlyExit> {
    match value.get().as_bytes().first() {
        Some(b'"') => serde_json::from_str(value.get())
            .map(JobId::Text)
            .map_err(|error| usage_error(error.to_string())),
        Some(b'-' | b'0'..=b'9') => Ok(JobId::Number(value)),
        _ => Err(usage_error(
            "the id of a job must be a string or a number".to_owned(),
        )),
    }
}

pub(super) fn usage_error(message: String) -> EarlyExit {
    EarlyExit::new(&code::USAGE, message)
}
