//! Reads the roots of a command: `--root A --root NAME=DIR`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::EarlyExit;
use super::args::{Command, Global, NamedRoot, PatchOptions};
use super::root::resolve_links;
use crate::engine::options::code;

/// Sets the root or the roots of the command.
///
/// # Errors
///
/// Returns a usage error if two roots have the same name, or if the command or one of its options
/// cannot work with several roots.
pub(super) fn choose_roots(global: &mut Global, command: &Command) -> Result<(), EarlyExit> {
    let given = std::mem::take(&mut global.given_roots);
    if let [root] = &given[..]
        && split_name(root.as_os_str()).is_none()
    {
        global.root = Some(root.clone());
    } else if !given.is_empty() {
        if global.caller.tree().is_some() {
            return Err(misuse("a tree in memory has one root".to_owned()));
        }
        check_command(command)?;
        if global.session.is_some() {
            return Err(refusal("--in", "an edit session has one root"));
        }
        global.roots = given
            .iter()
            .map(|root| name_root(root))
            .collect::<Result<_, _>>()?;
        check_names(&global.roots)?;
    }
    Ok(())
}

fn misuse(message: String) -> EarlyExit {
    EarlyExit::new(&code::USAGE, message)
}

/// Returns the name and the directory of `NAME=DIR`. A value with a slash before the first `=` is a
/// directory.
fn split_name(value: &OsStr) -> Option<(String, PathBuf)> {
    let bytes = value.as_encoded_bytes();
    let end = memchr::memchr(b'=', bytes)?;
    let name = std::str::from_utf8(&bytes[..end]).ok()?;
    let is_name = !name.is_empty() && !name.contains(['/', '\\']);
    let rest = crate::path::os_path(&bytes[end + 1..])?;
    is_name.then(|| (name.to_owned(), rest.to_owned()))
}

/// Returns the root of `value` with its name.
fn name_root(value: &Path) -> Result<NamedRoot, EarlyExit> {
    if let Some((name, directory)) = split_name(value.as_os_str()) {
        return Ok(NamedRoot { name, directory });
    }
    let last = |path: &Path| path.file_name().and_then(OsStr::to_str).map(str::to_owned);
    // `.` and `..` have no name of their own.
    let name = last(value).or_else(|| last(Path::new(&resolve_links(value))));
    let name = name.ok_or_else(|| {
        misuse(format!(
            "the root {} has no name; use NAME={}",
            value.display(),
            value.display()
        ))
    })?;
    let directory = value.to_owned();
    Ok(NamedRoot { name, directory })
}

/// Checks that no two roots have the same name.
fn check_names(roots: &[NamedRoot]) -> Result<(), EarlyExit> {
    for (number, root) in roots.iter().enumerate() {
        let Some(other) = roots[..number].iter().find(|other| other.name == root.name) else {
            continue;
        };
        let help = Some("give one of them another name: --root NAME=DIR".to_owned());
        return Err(EarlyExit {
            help,
            ..misuse(format!(
                "the roots {} and {} have the same name: {}",
                other.directory.display(),
                root.directory.display(),
                root.name
            ))
        });
    }
    Ok(())
}

/// Checks that the command and its options can work with several roots.
fn check_command(command: &Command) -> Result<(), EarlyExit> {
    let name = || format!("`wpatch {}`", command.name());
    let options: Vec<(bool, &str, &str)> = match command {
        Command::Apply(apply) => {
            let mut options = patch_options(&apply.patch);
            options.push((apply.plan.is_some(), "--plan", ONE_HISTORY));
            options
        }
        Command::Check(check) => {
            let mut options = patch_options(&check.patch);
            options.push((check.save, "--save", ONE_HISTORY));
            options.push((check.batch.batch, "--batch", "each job names its root"));
            options.push((check.tree.is_given(), "--from-tree", ONE_REPOSITORY));
            options
        }
        Command::Show(show) => {
            let mut options = patch_options(&show.patch);
            options.push((show.decide, "--decide", ONE_HISTORY));
            options
        }
        Command::Edit(_)
        | Command::Write(_)
        | Command::Append(_)
        | Command::Notebook { .. }
        | Command::Read(_)
        | Command::List(_)
        | Command::Diff(_)
        | Command::Undo(_)
        | Command::Redo(_)
        | Command::Recover(_) => Vec::new(),
        Command::Log(log) => vec![
            (log.verify, "--verify", "each root has its own audit file"),
            (
                log.format.is_some(),
                "--format",
                "each root has its own history",
            ),
        ],
        Command::Begin(_) | Command::Commit(_) | Command::Abort { .. } => {
            return Err(refusal(&name(), "an edit session has one root"));
        }
        Command::Run(_) => return Err(refusal(&name(), "the overlay has one root")),
        _ => return Err(refusal(&name(), "run it in each root")),
    };
    let given = options.into_iter().find(|(is_given, ..)| *is_given);
    given.map_or(Ok(()), |(_, option, why)| Err(refusal(option, why)))
}

/// Returns the error for the command or the option `name`, which needs one root.
fn refusal(name: &str, why: &str) -> EarlyExit {
    misuse(format!("{name} cannot be used with several roots: {why}"))
}

const ONE_INDEX: &str = "each git work tree has its own index";
const ONE_REPOSITORY: &str = "each root has its own repository";
const ONE_HISTORY: &str = "each root has its own history of plans";

/// Returns the options that need one root: whether each is given, its name and the reason.
fn patch_options(patch: &PatchOptions) -> Vec<(bool, &'static str, &'static str)> {
    let (index, merge) = (&patch.index, &patch.merge);
    let has_ancestor = index.build_fake_ancestor.is_some();
    vec![
        (index.index, "--index", ONE_INDEX),
        (index.cached, "--cached", ONE_INDEX),
        (index.intent_to_add, "--intent-to-add", ONE_INDEX),
        (has_ancestor, "--build-fake-ancestor", ONE_INDEX),
        (merge.three_way, "--3way", ONE_REPOSITORY),
        (
            patch.diagnostics.is_given(),
            "--diagnostics",
            "a language server has one root",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_no_slash_before_the_equals_sign() {
        let split = |text: &str| split_name(OsStr::new(text));
        let named = |name: &str, directory: &str| Some((name.to_owned(), directory.into()));
        assert_eq!(split("a=b"), named("a", "b"));
        assert_eq!(split("a=/x/y=z"), named("a", "/x/y=z"));
        for path in ["a", "./a=b", "/x/a=b", "=b", "..\\a=b"] {
            assert_eq!(split(path), None, "{path}");
        }
    }
}
