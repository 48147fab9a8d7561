//! Chooses the file name of a section with several name candidates, as POSIX and GNU patch do: an
//! existing file.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::{Action, Direction, LineRange, Name, NameCandidate, Operation, Plan, StripRule};
use crate::mode::FileKind;
use crate::path::RelPath;

/// The options for the choice of a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameGuessOptions {
    /// The number of leading components to remove (`-p`). `None` removes all directories.
    pub strip: Option<usize>,
    /// Whether to choose the first existing name instead of the best one, and to accept the name on
    /// an `Index:` line (`--posix`).
    pub is_posix: bool,
}

/// Gives every section of `plan` one name. `look` returns the type of an existing file. Files that
/// earlier sections create or delete are taken into account.
///
/// The best existing name has the fewest components, then the shortest last component, then the
/// shortest name; the first one wins a tie. If no name exists and the section creates a file, only
/// the names that need the fewest new directories count.
pub fn guess_names(
    plan: &mut Plan<Name>,
    naming: NameGuessOptions,
    direction: Direction,
    look: &dyn Fn(&RelPath) -> Option<FileKind>,
) {
    let mut tree = SimulatedTree {
        look,
        touched: HashMap::new(),
        directories: HashSet::new(),
    };
    let Plan { inputs, operations } = plan;
    let mut guess = |operation: &mut Operation<Name>| {
        let names = name_candidates(operation, naming, &inputs[operation.input].bytes);
        let paths: Vec<_> = names
            .iter()
            .filter_map(|name| RelPath::new(name.as_slice()).ok())
            .collect();
        let [is_made, is_deleted] = [direction, Direction::Reverse.combine(direction)]
            .map(|direction| is_new(operation, direction));
        if let Some(path) = choose_path(&paths, naming, is_made, &tree).cloned() {
            let span = operation.path.span();
            let claim = NameCandidate {
                bytes: path.as_bytes().to_vec(),
                strip: StripRule::Literal,
                span,
            };
            operation.path = Name::Agreed(vec![claim]);
            if is_made || is_deleted {
                tree.record(path, is_made);
            }
        }
        // The source of a rename also loses its directories.
        if naming.strip.is_none()
            && let Some(from) = operation.from.as_mut()
            && let Some(bytes) = last_component(from)
        {
            *from = Name::Agreed(vec![NameCandidate {
                bytes,
                strip: StripRule::Literal,
                span: from.span(),
            }]);
        }
    };
    match direction {
        Direction::Forward => operations.iter_mut().for_each(&mut guess),
        Direction::Reverse => operations.iter_mut().rev().for_each(&mut guess),
    }
}

/// Returns whether the section creates the file in this direction, or its first hunk has an empty
/// preimage.
fn is_new(operation: &Operation<Name>, direction: Direction) -> bool {
    let makes = match direction {
        Direction::Forward => Action::Create,
        Direction::Reverse => Action::Delete,
    };
    let nothing = LineRange { start: 0, count: 0 };
    operation.action == makes
        || operation
            .hunks()
            .next()
            .is_some_and(|first| first.preimage_range(direction) == nothing)
}

/// The tree after the sections read so far.
struct SimulatedTree<'t> {
    look: &'t dyn Fn(&RelPath) -> Option<FileKind>,
    /// The files that a section created (`true`) or deleted (`false`).
    touched: HashMap<RelPath, bool>,
    /// The directories that a section created.
    directories: HashSet<Vec<u8>>,
}

impl SimulatedTree<'_> {
    fn has(&self, path: &RelPath) -> bool {
        self.touched
            .get(path)
            .copied()
            .unwrap_or_else(|| (self.look)(path).is_some())
    }

    fn record(&mut self, path: RelPath, is_made: bool) {
        if is_made {
            self.directories
                .extend(directories(&path).map(<[u8]>::to_vec));
        }
        self.touched.insert(path, is_made);
    }

    /// Returns the number of missing directories above `path`.
    fn count_missing(&self, path: &RelPath) -> usize {
        let is_there = |directory: &&[u8]| {
            let in_tree = || {
                RelPath::new(directory)
                    .is_ok_and(|path| (self.look)(&path) == Some(FileKind::Directory))
            };
            self.directories.contains(*directory) || in_tree()
        };
        directories(path).count() - directories(path).take_while(is_there).count()
    }
}

/// Returns the directories above `path`, outermost first.
fn directories(path: &RelPath) -> impl Iterator<Item = &[u8]> {
    let bytes = path.as_bytes();
    memchr::memchr_iter(b'/', bytes).map(|slash| &bytes[..slash])
}

/// Chooses one of `paths`. If none of them exists, chooses the best name.
fn choose_path<'p>(
    paths: &'p [RelPath],
    naming: NameGuessOptions,
    is_made: bool,
    tree: &SimulatedTree<'_>,
) -> Option<&'p RelPath> {
    let there = || paths.iter().filter(|path| tree.has(path));
    if naming.is_posix
        && let Some(first) = there().next()
    {
        return Some(first);
    }
    let new = |path: &RelPath| if is_made { tree.count_missing(path) } else { 0 };
    there().min_by_key(|path| preference_key(path)).or_else(|| {
        paths
            .iter()
            .min_by_key(|path| (new(path), preference_key(path)))
    })
}

/// Returns the sort key of a name: number of components, length of the last one, total length.
fn preference_key(path: &RelPath) -> (usize, usize, usize) {
    let last = path.components().last().map_or(0, <[u8]>::len);
    (path.components().count(), last, path.as_bytes().len())
}

/// Returns the name candidates in the order of POSIX, without the names that the strip level
/// removes completely.
///
/// The lines of some sections must agree on one name. If they agree, the result is empty and the
/// section keeps its name. If they disagree at this level, like `a/x` and `b/x` at level 0, the
/// result contains both names.
fn name_candidates(
    operation: &Operation<Name>,
    naming: NameGuessOptions,
    text: &[u8],
) -> Vec<Vec<u8>> {
    let of_claim = |claim: &NameCandidate| {
        let name = Name::Agreed(vec![claim.clone()]);
        match naming.strip {
            Some(level) => name.name_at_level(level).ok().map(<[u8]>::to_vec),
            None => last_component(&name),
        }
    };
    let index = operation
        .preamble
        .iter()
        .filter_map(|lead| lead.index.as_ref())
        .filter(|_| naming.is_posix);
    match &operation.path {
        Name::Traditional { old, new } => [&**old, new]
            .into_iter()
            .chain(index)
            .filter_map(of_claim)
            .collect(),
        other => match naming.strip {
            Some(level) => other.disagreeing_names(level, text),
            None => last_component(other).into_iter().collect(),
        },
    }
}

/// Returns the last component of `name`; `None` if it has no name or its lines disagree.
fn last_component(name: &Name) -> Option<Vec<u8>> {
    // Lines such as `a/x` and `b/x` agree only at level 1.
    let whole = name
        .name_at_level(0)
        .or_else(|_| name.name_at_level(1))
        .ok()?;
    whole
        .rsplit(|&byte| byte == b'/')
        .next()
        .map(<[u8]>::to_vec)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The existing files, the candidates in the order of the section, whether the section creates
    /// the file, and the expected choice.
    const CASES: [(&[&str], &[&str], bool, &str); 14] = [
        (&["x"], &["y", "x"], false, "x"),
        (&["d/x", "xlong"], &["d/x", "xlong"], false, "xlong"),
        (
            &["d/x.orig", "long/x"],
            &["d/x.orig", "long/x"],
            false,
            "long/x",
        ),
        (&["dd/x", "e/x"], &["dd/x", "e/x"], false, "e/x"),
        (&["d/x", "e/x"], &["d/x", "e/x"], false, "d/x"),
        (&["d/x", "e/x"], &["e/x", "d/x"], false, "e/x"),
        (&["d/e/x"], &["x", "d/e/x"], true, "d/e/x"),
        (&["d/e/y"], &["new/x", "d/e/x"], true, "d/e/x"),
        (&["d/y"], &["d/e/x", "d/f/xlong"], true, "d/e/x"),
        (&["d/y"], &["n/x", "d/e/f/x"], true, "n/x"),
        (&["d"], &["d/x", "x"], true, "x"),
        (&[], &["d/x", "x.orig"], true, "x.orig"),
        (&["d/e/y"], &["d/e/x", "x"], false, "x"),
        (&[], &["d/e/x", "d/x"], false, "d/x"),
    ];

    fn path(name: &str) -> RelPath {
        RelPath::new(name.as_bytes()).unwrap()
    }

    fn kind(files: &[&str], wanted: &RelPath) -> Option<FileKind> {
        let is_above = |file: &&&str| {
            file.strip_prefix(&wanted.to_string())
                .is_some_and(|rest| rest.starts_with('/'))
        };
        let is_file = files.contains(&&*wanted.to_string());
        if is_file {
            Some(FileKind::Regular)
        } else {
            files.iter().find(is_above).map(|_| FileKind::Directory)
        }
    }

    fn among<'p>(
        files: &[&str],
        paths: &'p [RelPath],
        is_posix: bool,
        is_made: bool,
    ) -> Option<&'p RelPath> {
        let look = |path: &RelPath| kind(files, path);
        let tree = SimulatedTree {
            look: &look,
            touched: HashMap::new(),
            directories: HashSet::new(),
        };
        choose_path(
            paths,
            NameGuessOptions {
                strip: None,
                is_posix,
            },
            is_made,
            &tree,
        )
    }

    #[test]
    fn the_best_name_is_chosen_of_those_that_are_there() {
        for (files, names, is_made, expected) in CASES {
            let paths: Vec<_> = names.iter().map(|name| path(name)).collect();
            assert_eq!(
                among(files, &paths, false, is_made),
                Some(&path(expected)),
                "{files:?} {names:?}"
            );
        }
        assert_eq!(among(&["x"], &[], false, true), None);
    }

    #[test]
    fn posix_takes_the_first_name_that_is_there() {
        let paths = ["new/x", "d/xlong", "x"].map(path);
        assert_eq!(
            among(&["d/xlong", "x"], &paths, true, false),
            Some(&paths[1])
        );
        assert_eq!(
            among(&["d/xlong", "x"], &paths, false, false),
            Some(&paths[2])
        );
    }

    #[test]
    fn what_earlier_sections_do_counts() {
        let look = |path: &RelPath| kind(&["d/x"], path);
        let mut tree = SimulatedTree {
            look: &look,
            touched: HashMap::new(),
            directories: HashSet::new(),
        };
        tree.record(path("d/x"), false);
        tree.record(path("new/dir/y"), true);
        assert_eq!(
            (tree.has(&path("d/x")), tree.has(&path("new/dir/y"))),
            (false, true)
        );
        let levels = ["d/z", "new/dir/z", "new/other/z", "far/away/z"]
            .map(|name| tree.count_missing(&path(name)));
        assert_eq!(levels, [0, 0, 1, 2]);
    }
}
