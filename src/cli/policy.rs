//! The policy that the command line and the user's configuration give, and what it says of a path.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::Global;
use super::config::{Config, config};
use super::{Stop, input, names_of};
use crate::engine::options::{Layer, MAX_POLICY_FILE, Origin, Place, Policy};
use crate::engine::{self, UnusablePolicy, unusable};
use crate::path::RelPath;

/// Most links on the way to a policy file.
const MOST_LINKS: usize = 40;

/// Returns the policy for the root: of the user's configuration and of every file that is given. The engine adds the
/// project's own file.
///
/// # Errors
///
/// Stops at a file that cannot be read or understood.
pub(super) fn policy(global: &Global) -> Result<Arc<Policy>, Stop> {
    Ok(Given::read(global)?.policy(global))
}

/// Aims the command at `file`: where it has an absolute name outside of the root, and a grant opens that place, the root
/// is the directory that is granted.
///
/// # Errors
///
/// Stops as [`policy`] does.
pub(super) fn aim(global: &mut Global, file: Option<&Path>) -> Result<(), Stop> {
    let Some(file) = file.filter(|file| file.is_absolute()) else { return Ok(()) };
    if names_of(global.root()).iter().any(|root| file.starts_with(root)) {
        return Ok(());
    }
    let policy = Policy::new(Given::read(global)?.layers, Place::default(), Vec::new());
    let name = plain(file);
    let prefix = name.as_ref().and_then(|name| policy.opened_elsewhere(bytes(name)));
    if let Some(directory) = prefix.and_then(|prefix| std::str::from_utf8(prefix).ok()) {
        (global.root, global.is_elsewhere) = (Some(PathBuf::from(directory)), true);
    }
    Ok(())
}

/// What files say, and where they are.
#[derive(Debug)]
pub(super) struct Given {
    layers: Vec<Layer>,
    files: Vec<PathBuf>,
}

impl Given {
    /// Reads the user's configuration and every file that is given.
    ///
    /// # Errors
    ///
    /// Stops as [`policy`] does.
    pub(super) fn read(global: &Global) -> Result<Self, Stop> {
        let mut given = Self { layers: Vec::new(), files: Vec::new() };
        if let Some(Config { path, text }) = config()? {
            given.add(path, text, Origin::User)?;
        }
        for path in &global.policy {
            let text = input::contents(path, MAX_POLICY_FILE)
                .map_err(|stop| Stop::of(unusable(&path.to_string_lossy(), &stop.message)))?;
            given.add(path.clone(), text, Origin::Given)?;
        }
        Ok(given)
    }

    /// Returns the policy for the root.
    pub(super) fn policy(&self, global: &Global) -> Arc<Policy> {
        let roots = names_of(global.root());
        let names = self.files.iter().flat_map(|file| names_on_the_way(file));
        let below =
            |file: PathBuf| roots.iter().find_map(|root| RelPath::new(bytes(file.strip_prefix(root).ok()?)).ok());
        let files = names.filter_map(below).collect();
        let place = Place { homes: homes(), is_elsewhere: global.is_elsewhere, roots: engine::root_names(&roots) };
        Arc::new(Policy::new(self.layers.clone(), place, files))
    }

    fn add(&mut self, path: PathBuf, text: Vec<u8>, origin: Origin) -> Result<(), Stop> {
        let layer = engine::policy_layer(&path.to_string_lossy(), text, origin).map_err(|unusable| {
            let UnusablePolicy { problem, text } = *unusable;
            Stop { inputs: vec![text], ..Stop::of(problem) }
        })?;
        self.layers.push(layer);
        self.files.push(path);
        Ok(())
    }
}

/// Returns the absolute names of the user's home.
fn homes() -> Vec<Vec<u8>> {
    let Some(home) = env::home_dir().filter(|home| home.is_absolute()) else { return Vec::new() };
    let real = fs_err::canonicalize(&home).ok().filter(|real| *real != home);
    engine::root_names(&[Some(home), real].into_iter().flatten().collect::<Vec<_>>())
}

/// Returns the absolute name of `file`, and those of the links on the way to what it leads to.
fn names_on_the_way(file: &Path) -> Vec<PathBuf> {
    let Ok(mut name) = std::path::absolute(file) else { return Vec::new() };
    let mut names = Vec::new();
    for _ in 0..MOST_LINKS {
        names.push(name.clone());
        // The first link on the way, and where it leads.
        let ancestors: Vec<&Path> = name.ancestors().collect();
        let link = ancestors.iter().rev().find_map(|above| Some((*above, fs_err::read_link(above).ok()?)));
        let Some((link, target)) = link else { break };
        let rest = name.strip_prefix(link).unwrap_or(Path::new(""));
        let next = link.parent().unwrap_or(Path::new("/")).join(target);
        let next = if rest == Path::new("") { next } else { next.join(rest) };
        name = plain(&next).unwrap_or(next);
    }
    names.extend(fs_err::canonicalize(file));
    names
}

/// Returns `path` without `.` and `..`, as text; `None` if it leads above the root of the system.
fn plain(path: &Path) -> Option<PathBuf> {
    let below = RelPath::new(bytes(path.strip_prefix("/").ok()?)).ok()?;
    let name = [b"/", below.as_bytes()].concat();
    String::from_utf8(name).ok().map(PathBuf::from)
}

fn bytes<T: AsRef<OsStr> + ?Sized>(text: &T) -> &[u8] {
    text.as_ref().as_encoded_bytes()
}
