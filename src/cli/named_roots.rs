//! What a command with several roots needs for each of them: the policy and git.

use std::path::Path;
use std::sync::Arc;

use super::EarlyExit;
use super::args::{Global, NamedRoot};
use crate::engine::Git;
use crate::engine::options::{Policy, code};
use crate::path::RelPath;

/// Returns the options of a command for the single root `root`.
fn for_root(root: &NamedRoot, global: &Global) -> Global {
    Global {
        root: Some(root.directory.clone()),
        roots: Vec::new(),
        ..global.clone()
    }
}

/// Returns the policy of all roots. `load` returns the policy of one.
pub(super) fn load_policies(
    global: &Global,
    load: impl Fn(&Global) -> Result<Arc<Policy>, EarlyExit>,
) -> Result<Arc<Policy>, EarlyExit> {
    let mut policies = Vec::with_capacity(global.roots.len());
    for root in &global.roots {
        let name = RelPath::new(root.name.as_bytes())
            .map_err(|error| EarlyExit::new(&code::USAGE, format!("{}: {error}", root.name)))?;
        policies.push((name, load(&for_root(root, global))?));
    }
    Ok(Arc::new(Policy::of_roots(policies)))
}

/// Returns the git of each root, made by `make`.
pub(super) fn root_gits(global: &Global, make: impl Fn(&Path) -> Git) -> Vec<(RelPath, Arc<Git>)> {
    let roots = global.roots.iter();
    roots
        .filter_map(|root| {
            let name = RelPath::new(root.name.as_bytes()).ok()?;
            Some((name, Arc::new(make(&root.directory))))
        })
        .collect()
}
