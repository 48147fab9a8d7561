//! What is in a directory.

use std::cmp::Reverse;
use std::sync::Arc;

use super::{Found, about, broken, missing, open, refused, unusable};
use crate::engine::Outcome;
use crate::engine::govern::governed;
use crate::mode::FileKind;
use crate::path::{PathError, PathPattern, RelPath};
use crate::policy::{Access, Hit, Policy, Ruling, Verdict};
use crate::preflight::code;
use crate::report::{Listing, ListingEntry};
use crate::workspace::{Fault, Stat, Timestamp, Workspace};

/// Most names that are looked at, so that no tree keeps a machine busy.
const MOST_NAMES: usize = 1_000_000;
/// Entries that are kept beyond those that are wanted, until the newest are picked.
const SLACK: usize = 1024;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct ListRequest {
    /// The directory, as a path below the root; `.` for the root. A link that stays below the root
    /// is followed.
    pub directory: Vec<u8>,
    /// Whether names that begin with a dot are listed, and directories with such names looked into.
    pub hidden: bool,
    /// What paths below the directory have to match. With it the directories below are looked into,
    /// but for links.
    pub pattern: Option<PathPattern>,
    /// In which order.
    pub order: Order,
    /// Most entries that are listed.
    pub most: usize,
    /// What may be done. Names are told of what may not be read; only what grants close is left
    /// out.
    pub policy: Arc<Policy>,
}

/// The order of a listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// By name, byte by byte, within each directory.
    #[default]
    Name,
    /// What was changed last comes first.
    Newest,
}

impl ListRequest {
    /// Returns the request to list all of a directory that is not hidden.
    #[must_use]
    pub fn of(directory: impl Into<Vec<u8>>) -> Self {
        Self {
            directory: directory.into(),
            hidden: false,
            pattern: None,
            order: Order::Name,
            most: usize::MAX,
            policy: Arc::default(),
        }
    }
}

/// Lists a directory.
///
/// Of a tree with more than a million names the rest is left out, and the listing says that it is
/// truncated.
///
/// # Errors
///
/// Returns the report of what is in the way, such as a directory that is missing or outside of the
/// root.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, ListRequest};
/// use wpatch::path::RelPath;
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// let workspace = Memory::with_files([(RelPath::new(b"d/x")?, Entry::file("")), (RelPath::new(b"a")?, Entry::file(""))]);
/// let listing = engine::list(&ListRequest::of("."), &workspace).unwrap();
/// let names: Vec<_> = listing.entries.iter().map(|entry| entry.name.as_str()).collect();
/// assert_eq!(names, ["a", "d"]);
/// # Ok::<(), wpatch::path::PathError>(())
/// ```
pub fn list(request: &ListRequest, workspace: &dyn Workspace) -> Result<Listing, Box<Outcome>> {
    let policy = governed("list", &request.policy, workspace)?;
    listed(request, &policy, workspace).map_err(|problem| refused("list", *problem))
}

fn listed(request: &ListRequest, policy: &Policy, workspace: &dyn Workspace) -> Found<Listing> {
    let directory = directory(workspace, policy, &request.directory)?;
    let mut walk = Walk {
        request,
        policy,
        workspace,
        found: Vec::new(),
        looked_at: 0,
        is_cut: false,
    };
    walk.enter(directory.as_ref(), b"")?;
    walk.pick();
    let entries = walk.found.iter().map(Entry::reported).collect();
    let path = directory.as_ref().map_or(&b"."[..], RelPath::as_bytes);
    Ok(Listing::of(path, entries, walk.is_cut))
}

/// Returns the directory that `path` names, `None` for the root.
pub(super) fn directory(
    workspace: &dyn Workspace,
    policy: &Policy,
    path: &[u8],
) -> Found<Option<RelPath>> {
    let end = path
        .iter()
        .rposition(|&byte| byte != b'/')
        .map_or(path.len().min(1), |last| last + 1);
    let path = match RelPath::new(&path[..end]) {
        Ok(path) => open(workspace, policy, &path, |path| entering(policy, path))?,
        Err(PathError::Empty | PathError::Root) => return Ok(None),
        Err(error) => return Err(unusable(path, error)),
    };
    match workspace.stat(&path).map_err(|error| broken(&error))? {
        None => Err(missing(&path)),
        Some(stat) if stat.kind == FileKind::Directory => Ok(Some(path)),
        Some(stat) => {
            let message = format!("is a {}, not a directory", stat.kind);
            Err(about(&path, &code::NOT_A_DIRECTORY, &message))
        }
    }
}

/// Returns whether the names in the directory at `path` may be told. A grant opens the way to what
/// it is for.
fn entering(policy: &Policy, path: &RelPath) -> Ruling {
    let ruling = policy.judge(path, Access::Read);
    if !policy.is_visible(Some(path)) {
        return ruling;
    }
    Ruling::of(
        ruling
            .hits
            .into_iter()
            .filter(|hit| !hit.is_of_grant())
            .collect::<Vec<Hit>>(),
    )
}

/// A way through the tree.
struct Walk<'a> {
    request: &'a ListRequest,
    policy: &'a Policy,
    workspace: &'a dyn Workspace,
    found: Vec<Entry>,
    looked_at: usize,
    is_cut: bool,
}

/// A name that was found.
struct Entry {
    /// Below the directory that is listed.
    name: Vec<u8>,
    stat: Stat,
}

impl Entry {
    fn reported(&self) -> ListingEntry {
        ListingEntry::new(
            &self.name,
            self.stat.kind,
            self.stat.size,
            self.stat.modified.seconds,
        )
    }

    fn age(&self) -> (Reverse<Timestamp>, &[u8]) {
        (Reverse(self.stat.modified), &self.name)
    }
}

impl Walk<'_> {
    /// Looks into `directory`, whose entries are called `prefix` and their names.
    fn enter(&mut self, directory: Option<&RelPath>, prefix: &[u8]) -> Found<()> {
        let names = match self.workspace.list(directory) {
            Ok(names) => names,
            // Below, what may not be read or has gone meanwhile is left out.
            Err(_) if !prefix.is_empty() => return Ok(()),
            Err(error) => {
                return Err(match (error.fault, directory) {
                    (Fault::Missing, Some(path)) => missing(path),
                    _ => broken(&error),
                });
            }
        };
        for name in names {
            if self.is_full() {
                return Ok(());
            }
            if self.request.hidden || !name.starts_with(b".") {
                self.meet(directory, prefix, &name)?;
            }
        }
        Ok(())
    }

    fn meet(&mut self, directory: Option<&RelPath>, prefix: &[u8], name: &[u8]) -> Found<()> {
        let path = directory.map_or_else(|| RelPath::new(name), |directory| directory.join(name));
        let Ok(path) = path else { return Ok(()) };
        self.looked_at += 1;
        if !self.policy.is_visible(Some(&path)) {
            return Ok(());
        }
        let Ok(Some(stat)) = self.workspace.stat(&path) else {
            return Ok(());
        };
        let name = [prefix, name].concat();
        let is_entered = stat.kind == FileKind::Directory && self.may_match_below(&name);
        if self.is_wanted(&name) {
            self.take(Entry {
                name: name.clone(),
                stat,
            });
        }
        if is_entered && entering(self.policy, &path).verdict == Verdict::Allow {
            self.enter(Some(&path), &[&name[..], b"/"].concat())?;
        }
        Ok(())
    }

    /// Returns whether the pattern can match something in the directory `name`: without `**` it has
    /// as many slashes as what it matches, at least.
    fn may_match_below(&self, name: &[u8]) -> bool {
        let slashes = |text: &[u8]| memchr::memchr_iter(b'/', text).count();
        self.request
            .pattern
            .as_ref()
            .map(PathPattern::text)
            .is_some_and(|pattern| {
                pattern.contains("**") || slashes(name) < slashes(pattern.as_bytes())
            })
    }

    fn is_wanted(&self, name: &[u8]) -> bool {
        self.request
            .pattern
            .as_ref()
            .is_none_or(|pattern| pattern.is_match(name))
    }

    fn take(&mut self, entry: Entry) {
        let most = self.request.most;
        self.found.push(entry);
        if self.request.order == Order::Newest
            && self.found.len() > most.saturating_mul(2).saturating_add(SLACK)
        {
            self.pick();
        }
    }

    /// Returns whether nothing that comes can change the listing; notes that it does not have all.
    fn is_full(&mut self) -> bool {
        let has_enough = self.request.order == Order::Name && self.found.len() > self.request.most;
        let has_tired = self.looked_at >= MOST_NAMES;
        self.is_cut |= has_tired;
        has_enough || has_tired
    }

    /// Keeps the entries that are wanted of those that were found.
    fn pick(&mut self) {
        if self.request.order == Order::Newest {
            self.found.sort_by(|one, other| one.age().cmp(&other.age()));
        }
        self.is_cut |= self.found.len() > self.request.most;
        self.found.truncate(self.request.most);
    }
}
