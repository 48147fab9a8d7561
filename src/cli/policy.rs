//! Reads the policy of the command line and of the user's configuration, and applies it to paths.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::Global;
use super::config::{Config, config_directories, load_config};
use super::named_roots::load_policies;
use super::path_names::{follow_links, normalize_path};
use super::root::{absolute_paths, open, open_error, opened_root, root_paths};
use super::{EarlyExit, files};
use crate::engine::options::{
    Access, MAX_POLICY_FILE, Policy, PolicyLayer, PolicyOrigin, Problem, ProblemFacts,
    RootLocation, RuleMatch, Workspace, code,
};
use crate::engine::{
    self, Outcome, PROJECT_POLICY, UnusablePolicy, home, unreadable_policy_problem,
};
use crate::path::{RelPath, os_path, path_bytes, plain_path, split_root};
use crate::text::Bytes;

/// Returns the policy for the root, from the user's configuration and all files on the command
/// line. The engine adds the policy file of the project.
///
/// # Errors
///
/// Returns an error if a file cannot be read or parsed, or if policy protects it from reading.
pub(super) fn load_policy(global: &Global) -> Result<Arc<Policy>, EarlyExit> {
    if !global.roots.is_empty() {
        return load_policies(global, load_policy);
    }
    let read = || Ok(PolicyFiles::read(global)?.to_policy(global));
    match opened_root(global).filter(|_| global.policy.is_empty() && global.given_root.is_none()) {
        Some(directory) => directory.policy(read),
        None => read(),
    }
}

/// Sets the root for a command on `file`. If `file` is an absolute path outside the root and a
/// policy rule grants access to its directory, this directory becomes the root.
///
/// # Errors
///
/// Fails as [`load_policy`] does.
pub(super) fn choose_root(global: &mut Global, file: Option<&Path>) -> Result<(), EarlyExit> {
    let Some(file) = file.filter(|file| file.is_absolute()) else {
        return Ok(());
    };
    // No rule grants access to a directory in addition to a tree in memory, or to several roots.
    let is_fixed = global.caller.tree().is_some() || !global.roots.is_empty();
    if is_fixed || root_paths(global).iter().any(|root| file.starts_with(root)) {
        return Ok(());
    }
    let policy = Policy::new(
        PolicyFiles::read(global)?.layers,
        RootLocation::default(),
        Vec::new(),
    );
    let name = normalize_path(file);
    let prefix = name
        .as_ref()
        .and_then(|name| policy.find_grant(&path_bytes(name)));
    if let Some(directory) = prefix.and_then(|prefix| std::str::from_utf8(prefix).ok()) {
        let given = global.root().to_owned();
        (global.root, global.given_root) = (Some(PathBuf::from(directory)), Some(given));
    }
    Ok(())
}

/// Checks whether policy allows reading `file`, a path on the command line. The check covers each
/// name of the file, including links, below the root or the given root. Other names need no
/// permission.
///
/// # Errors
///
/// Fails as [`load_policy`] does. Returns an error if `read` would refuse the file, too.
pub(super) fn check_readable(file: &Path, global: &Global) -> Result<(), EarlyExit> {
    if file == Path::new(files::STDIN) {
        return Ok(());
    }
    check_readable_under(PolicyFiles::read, file, global)
}

/// Checks whether policy allows writing `file`, a path on the command line that is not part of a
/// change. The same names are checked as in [`check_readable`].
///
/// # Errors
///
/// Fails as [`load_policy`] does. Returns an error if policy protects the file.
pub(super) fn check_writable(file: &Path, global: &Global) -> Result<(), EarlyExit> {
    check_names(
        (PolicyFiles::read, engine::check_write_policy),
        file,
        global,
    )
}

/// Checks whether policy allows `accesses` to `name`, an absolute path outside the root. Returns
/// the report of the rule that denies or asks. Built-in rules, such as those on credentials, apply
/// there, and so do grants and modes. A rule of a policy file applies as if its root were the
/// parent directory of `name`, so it matches the file name.
///
/// # Errors
///
/// Fails as [`load_policy`] does.
pub(super) fn check_outside(
    name: &Path,
    accesses: &[Access],
    global: &Global,
) -> Result<Option<Box<Outcome>>, EarlyExit> {
    let (Some(parent), Some(file)) = (name.parent(), name.file_name()) else {
        return Ok(None);
    };
    let given_root = global
        .given_root
        .clone()
        .or_else(|| Some(global.root().to_owned()));
    let given = PolicyFiles::read(&Global {
        root: Some(parent.to_owned()),
        given_root,
        ..global.clone()
    })?;
    let place = |root: Vec<u8>| RootLocation {
        roots: vec![root],
        homes: home_paths(),
        configs: config_paths(),
    };
    let near = Policy::new(
        given.layers.clone(),
        place(path_bytes(parent).into_owned()),
        Vec::new(),
    )
    .for_model();
    let names: Vec<_> = given
        .files
        .iter()
        .flat_map(|file| follow_links(file))
        .collect();
    let policy_files = names.iter().filter_map(|name| below_top(name)).collect();
    let bytes = path_bytes(name);
    // The root of the file system; on Windows, of the drive.
    let top = split_root(&bytes).map_or(&b"/"[..], |(top, _)| top);
    let top_name = top.strip_suffix(b"/").unwrap_or(top);
    let everywhere = near.for_directory(place(top_name.to_vec()), policy_files);
    let top = os_path(top).unwrap_or(Path::new("/"));
    let judge = |path: RelPath| {
        accesses
            .iter()
            .flat_map(|&access| near.judge(&path, access).matches)
            .collect()
    };
    let ruled: Vec<RuleMatch> = RelPath::new(&path_bytes(file)).map_or_else(|_| Vec::new(), judge);
    // The file name alone does not identify a policy file in use, so only rules of files count
    // here.
    let ruled = ruled.into_iter().filter(|hit| hit.source.is_some());
    let built_in = below_top(name).map_or_else(Vec::new, |path| {
        engine::matching_rules((top, &path), accesses, &everywhere)
    });
    let refusal = engine::refusal(ruled.chain(built_in).collect());
    Ok(refusal.map(|outcome| with_name(outcome, name)))
}

/// Returns the absolute path `name` relative to the root of the file system.
fn below_top(name: &Path) -> Option<RelPath> {
    let name = path_bytes(name);
    RelPath::new(split_root(&name).map_or(&*name, |(_, below)| below)).ok()
}

/// Returns `outcome` with `name` as the path of its problems.
fn with_name(mut outcome: Box<Outcome>, name: &Path) -> Box<Outcome> {
    let name = name.to_string_lossy();
    let report = &mut outcome.report;
    let paths = report.problems.iter_mut().map(|problem| &mut problem.path);
    for path in paths
        .chain(report.error.as_mut().map(|error| &mut error.path))
        .flatten()
    {
        *path = name.clone().into_owned();
    }
    outcome
}

/// Checks whether the policy that `given` returns allows reading `file`.
fn check_readable_under(
    given: PolicyReader,
    file: &Path,
    global: &Global,
) -> Result<(), EarlyExit> {
    check_names(
        (given, |name, policy, workspace| {
            engine::may_read(name.as_bytes(), policy, workspace)
        }),
        file,
        global,
    )
}

/// A function that reads the policy for the global options.
type PolicyReader = fn(&Global) -> Result<PolicyFiles, EarlyExit>;
/// A function that checks a path below a root.
type PathCheck = fn(&RelPath, &Arc<Policy>, &dyn Workspace) -> Result<(), Box<Outcome>>;

fn check_names(
    (given, judge): (PolicyReader, PathCheck),
    file: &Path,
    global: &Global,
) -> Result<(), EarlyExit> {
    let names = follow_links(file);
    let first = global.given_root.clone().map(|root| Global {
        root: Some(root),
        given_root: None,
        ..global.clone()
    });
    for global in first.iter().chain([global]) {
        let below = relative_names(&names, &root_paths(global));
        if below.is_empty() {
            continue;
        }
        let (policy, workspace) = (given(global)?.to_policy(global), open(global)?);
        for name in below {
            if let Err(outcome) = judge(&name, &policy, &*workspace) {
                let Outcome {
                    problems, inputs, ..
                } = *outcome;
                let stop = problems.into_iter().next().map_or_else(
                    || EarlyExit::new(&code::POLICY, format!("{name}: policy denies this path")),
                    EarlyExit::from_problem,
                );
                return Err(EarlyExit { inputs, ..stop });
            }
        }
    }
    Ok(())
}

/// Returns each path of `names` that is below a directory of `roots`, relative to that directory.
fn relative_names(names: &[PathBuf], roots: &[PathBuf]) -> Vec<RelPath> {
    let below = |name: &PathBuf| {
        roots
            .iter()
            .find_map(|root| RelPath::new(&path_bytes(name.strip_prefix(root).ok()?)).ok())
    };
    names.iter().filter_map(below).collect()
}

/// The rules of policy files, and the paths of these files.
#[derive(Debug)]
pub(super) struct PolicyFiles {
    layers: Vec<PolicyLayer>,
    files: Vec<PathBuf>,
}

impl PolicyFiles {
    /// Reads the user's configuration and all files on the command line. Each file must be readable
    /// under the policy of the files before it, because an error message quotes the file.
    ///
    /// # Errors
    ///
    /// Fails as [`policy`] does.
    pub(super) fn read(global: &Global) -> Result<Self, EarlyExit> {
        for (index, path) in global.policy.iter().enumerate() {
            let before = Global {
                policy: global.policy[..index].to_vec(),
                ..global.clone()
            };
            check_readable_under(Self::read_unchecked, path, &before)?;
        }
        Self::read_unchecked(global)
    }

    /// Reads the files without a check by policy.
    fn read_unchecked(global: &Global) -> Result<Self, EarlyExit> {
        let mut given = Self {
            layers: Vec::new(),
            files: Vec::new(),
        };
        let outer = match &global.given_root {
            Some(root) => given.add_project(root)?,
            None => None,
        };
        if let Some(Config { path, text }) = load_config()? {
            given.add(path, text, PolicyOrigin::User)?;
        }
        for path in &global.policy {
            // One command reads the file several times, so it must be a regular file.
            let text = files::read_regular(path, MAX_POLICY_FILE)
                .map_err(|stop| read_error(path, &stop))?;
            given.add(path.clone(), text, PolicyOrigin::CommandLine)?;
        }
        if let Some(root) = &global.given_root {
            let names = engine::root_names(&absolute_paths(root));
            let layers = given
                .layers
                .into_iter()
                .map(|layer| layer.with_other_root(names.clone()));
            given.layers = layers.chain(outer).collect();
        }
        Ok(given)
    }

    /// Returns the policy for the root.
    pub(super) fn to_policy(&self, global: &Global) -> Arc<Policy> {
        let roots = root_paths(global);
        let names: Vec<_> = self
            .files
            .iter()
            .flat_map(|file| follow_links(file))
            .collect();
        let files = relative_names(&names, &roots);
        // A tree in memory cannot contain the user's configuration.
        let configs = match global.caller.tree() {
            Some(_) => Vec::new(),
            None => config_paths(),
        };
        let place = RootLocation {
            roots: engine::root_names(&roots),
            homes: home_paths(),
            configs,
        };
        Arc::new(Policy::new(self.layers.clone(), place, files))
    }

    fn add(&mut self, path: PathBuf, text: Bytes, origin: PolicyOrigin) -> Result<(), EarlyExit> {
        self.layers.push(
            engine::policy_layer(&path.to_string_lossy(), text, origin).map_err(into_early_exit)?,
        );
        self.files.push(path);
        Ok(())
    }

    /// Adds the policy file of the project in `root`. It protects the same paths when a command
    /// uses another root. Returns the rules of the policy file at the top of the work tree.
    fn add_project(&mut self, root: &Path) -> Result<Option<PolicyLayer>, EarlyExit> {
        let workspace = engine::open(root).map_err(|error| open_error(root, &error))?;
        let path = root.join(PROJECT_POLICY);
        self.layers.extend(
            engine::project_layer(&path.to_string_lossy(), &workspace).map_err(into_early_exit)?,
        );
        self.files.push(path);
        let Ok(Some(tree)) = workspace.work_tree() else {
            return Ok(None);
        };
        let path = tree.directory.join(PROJECT_POLICY);
        let layer =
            engine::project_layer(&path.to_string_lossy(), tree.top).map_err(into_early_exit)?;
        self.files.push(path);
        Ok(layer.map(|layer| layer.with_other_root(engine::root_names(&[tree.directory]))))
    }
}

/// Returns the error for an unreadable policy file on the command line.
fn read_error(path: &Path, stop: &EarlyExit) -> EarlyExit {
    let problem = unreadable_policy_problem(&path.to_string_lossy(), &stop.message);
    if *stop.code != code::USAGE {
        return EarlyExit::from_problem(problem);
    }
    let advice = Some("ask the user to name an existing policy file".to_owned());
    let facts = ProblemFacts {
        advice,
        ..ProblemFacts::default()
    };
    EarlyExit::from_problem(Problem {
        help: Some("use --policy with an existing policy file".to_owned()),
        facts,
        ..problem
    })
}

fn into_early_exit(unusable: Box<UnusablePolicy>) -> EarlyExit {
    let UnusablePolicy { problem, text } = *unusable;
    EarlyExit {
        inputs: vec![text],
        ..EarlyExit::from_problem(problem)
    }
}

/// Returns the absolute paths of the user's home directory.
fn home_paths() -> Vec<Vec<u8>> {
    let Some(home) = home().filter(|home| home.is_absolute()) else {
        return Vec::new();
    };
    // Iterating over the components removes `.` and repeated slashes.
    let home: PathBuf = home.components().collect();
    let real = fs_err::canonicalize(&home)
        .map(plain_path)
        .ok()
        .filter(|real| *real != home);
    engine::root_names(&[Some(home), real].into_iter().flatten().collect::<Vec<_>>())
}

/// Returns the absolute paths of the directories that can contain the user's configuration.
fn config_paths() -> Vec<Vec<u8>> {
    let mut names: Vec<_> = config_directories()
        .iter()
        .flat_map(|directory| follow_links(directory))
        .collect();
    names.sort_unstable();
    names.dedup();
    engine::root_names(&names)
}
